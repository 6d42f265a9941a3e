//! The server on repositories of all sorts. The tests call the tools as the functions they are; that the server's
//! documentation keeps its promises is tested in `contract`.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test may fail by panicking"
)]

mod fixture;

mod binary;
mod content;
mod contract;
mod figures;
mod history;
mod odd;
mod references;
