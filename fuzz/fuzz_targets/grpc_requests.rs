//! Fuzz program of the target `grpc_requests`.

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| parlor_fuzz_targets::run("grpc_requests", input));
