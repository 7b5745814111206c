//! Fuzz program of the target `stored_messages`.

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| parlor_fuzz_targets::run("stored_messages", input));
