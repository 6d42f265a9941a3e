//! The fuzz target `ticket`; what it checks is in `checks/ticket.rs`.
#![no_main]

#[path = "../checks/mod.rs"]
mod checks;

libfuzzer_sys::fuzz_target!(|data: &[u8]| checks::ticket::check(data));
