//! Fuzz program of the target `tournament_file`.

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| parlor_fuzz_targets::run("tournament_file", input));
