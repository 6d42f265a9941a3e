//! The example servers that are more than one file. The smallest complete server is `hello.rs`.

#[cfg(test)]
extern crate self as pd_examples;

#[cfg(test)]
mod features;
pub mod git;
