//! Fuzz program of the target `sqlite_rows`.

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| parlor_fuzz_targets::run("sqlite_rows", input));
