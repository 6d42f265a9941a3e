//! The fuzz target `macros`: what it checks is in `checks/macros`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| pd_fuzz::macros::check(data));
