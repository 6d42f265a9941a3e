//! The fuzz target `resource`; what it checks is in `checks/resource.rs`.
#![no_main]

#[path = "../checks/mod.rs"]
mod checks;

libfuzzer_sys::fuzz_target!(|data: &[u8]| checks::resource::check(data));
