//! The example servers that are more than one file. The smallest complete server is `hello.rs`.

pub mod git;
