//! A type may hold itself; by another name it says so.

use pd_runtime::prelude::*;
use serde::Deserialize;

#[derive(Deserialize, schemars::JsonSchema, ToolArg)]
struct Tree {
    children: Vec<Self>,
    parent: Option<Box<Tree>>,
}

type Friends = Vec<Person>;

#[derive(Deserialize, schemars::JsonSchema, ToolArg)]
struct Person {
    #[tool_arg(unchecked)]
    friends: Friends,
}

fn main() {
    let _ = (Tree { children: vec![], parent: None }.children, Person { friends: vec![] }.friends);
}
