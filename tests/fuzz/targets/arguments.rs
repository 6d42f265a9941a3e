//! The fuzz target `arguments`: what it checks is in `checks/arguments.rs`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| pd_fuzz::checks::arguments::check(data));
