//! The fuzz target `ticket`: what it checks is in `checks/ticket.rs`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| pd_fuzz::checks::ticket::check(data));
