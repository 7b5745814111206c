//! Fuzz program of the target `record_protobuf`.

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| parlor_fuzz_targets::run("record_protobuf", input));
