//! Fuzz program of the target `tokens`.

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| parlor_fuzz_targets::run("tokens", input));
