//! The fuzz target `macros`; what it checks is in `checks/macros.rs`.
#![no_main]

#[path = "../checks/mod.rs"]
mod checks;

libfuzzer_sys::fuzz_target!(|data: &[u8]| checks::macros::check(data));
