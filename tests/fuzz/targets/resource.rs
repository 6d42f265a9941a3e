//! The fuzz target `resource`: what it checks is in `checks/resource.rs`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| pd_fuzz::checks::resource::check(data));
