//! The fuzz target `rows`: what it checks is in `checks/rows.rs`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| pd_fuzz::checks::rows::check(data));
