//! The fuzz target `frames`; what it checks is in `checks/frames.rs`.
#![no_main]

#[path = "../checks/mod.rs"]
mod checks;

libfuzzer_sys::fuzz_target!(|data: &[u8]| checks::frames::check(data));
