//! Attributes of serde and others that are for fields, above a parameter: what to write instead.

use proc_macro2::TokenTree;
use syn::{Attribute, Meta};

/// Returns what to write instead of an attribute for a field, by its first key.
pub(crate) fn instead(attribute: &Attribute) -> &'static str {
    let key = match &attribute.meta {
        Meta::List(list) => list.tokens.clone().into_iter().next(),
        _ => None,
    };
    let key = match key {
        Some(TokenTree::Ident(key)) => key.to_string(),
        _ => String::new(),
    };
    match key.as_str() {
        "default" => "write `#[arg(default = …)]`, or take an `Option`",
        "rename" => "write `#[arg(rename = \"…\")]`",
        "description" | "title" => "write a `///` comment above the parameter",
        "flatten" => "take all arguments as one struct: `Args<T>`",
        "deserialize_with" | "with" => {
            "give the argument a type of its own with `#[serde(transparent)]`, a struct of one field that has this attribute"
        }
        _ => "an argument is described by `#[arg(…)]`",
    }
}
