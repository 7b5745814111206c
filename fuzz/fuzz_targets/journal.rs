//! Fuzz program of the target `journal`.

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| parlor_fuzz_targets::run("journal", input));
