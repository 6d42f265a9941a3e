//! The fuzz target `frames`: what it checks is in `checks/frames.rs`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| pd_fuzz::checks::frames::check(data));
