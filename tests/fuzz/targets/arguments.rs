//! The fuzz target `arguments`; what it checks is in `checks/arguments.rs`.
#![no_main]

#[path = "../checks/mod.rs"]
mod checks;

libfuzzer_sys::fuzz_target!(|data: &[u8]| checks::arguments::check(data));
