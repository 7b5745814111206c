//! Fuzz program of the target `settings_file`.

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| parlor_fuzz_targets::run("settings_file", input));
