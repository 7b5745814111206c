//! Fuzz program of the target `stream_items`.

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| parlor_fuzz_targets::run("stream_items", input));
