//! The tests of the example. A target of this kind knows the path of a binary, which the worker of
//! programs needs.

#[path = "main.rs"]
mod example;
