//! Gives arbitrary bytes to `protocol` of tests/src/fuzz.rs.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| ashta_fuzz::protocol(data));
