//! Fuzz program of the target `http_connection`.

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| parlor_fuzz_targets::run("http_connection", input));
