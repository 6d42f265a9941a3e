//! Goldens: compares the expansion of every input in `tests/compile/expand` with its file.
//! `UPDATE_EXPECT=1 cargo test` rewrites the files. The inputs also compile, as UI cases of
//! `pd-compile-tests`.

use crate::{derive, expand, registry};
use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use std::{error::Error, fs, path::Path};
use syn::{Attribute, ImplItem, Item};

#[test]
fn expansions_read_as_written_by_hand() -> Result<(), Box<dyn Error>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../tests/compile/expand")
        .canonicalize()?;
    let mut inputs: Vec<_> = fs::read_dir(folder)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<_, _>>()?;
    // The expansions are in the same folder as their inputs.
    inputs.retain(|path| !path.to_string_lossy().ends_with(".expanded.rs"));
    assert!(!inputs.is_empty(), "there are no goldens");
    for input in inputs {
        let expanded = prettyplease::unparse(&expand_file(syn::parse_file(&fs::read_to_string(
            &input,
        )?)?)?);
        expect_test::expect_file![input.with_extension("expanded.rs")].assert_eq(&expanded);
    }
    Ok(())
}

fn expand_file(file: syn::File) -> syn::Result<syn::File> {
    let items: TokenStream = file.items.into_iter().map(expand_item).collect();
    let attributes = file.attrs;
    let items = expand_registries(items);
    syn::parse2(quote!(#(#attributes)* #items))
}

fn expand_item(item: Item) -> TokenStream {
    match item {
        Item::Fn(mut function) => match take_tool(&mut function.attrs) {
            Some(args) => expand::expand(args, function.into_token_stream()),
            None => function.into_token_stream(),
        },
        Item::Impl(mut block) => {
            block.items = block.items.into_iter().map(expand_impl_item).collect();
            block.into_token_stream()
        }
        Item::Mod(mut module) => {
            let items = module
                .content
                .take()
                .map(|(_, items)| items.into_iter().map(expand_item).collect::<TokenStream>());
            let attributes = module.attrs;
            let visibility = module.vis;
            let ident = module.ident;
            quote!(#(#attributes)* #visibility mod #ident { #items })
        }
        Item::Enum(ref data) => derived(&data.attrs, &item),
        Item::Struct(ref data) => derived(&data.attrs, &item),
        other => other.into_token_stream(),
    }
}

fn expand_impl_item(item: ImplItem) -> ImplItem {
    match item {
        ImplItem::Fn(mut function) => match take_tool(&mut function.attrs) {
            // An expansion may have several items, and `Verbatim` holds any tokens.
            Some(args) => ImplItem::Verbatim(expand::expand(args, function.into_token_stream())),
            None => ImplItem::Fn(function),
        },
        other => other,
    }
}

/// Removes `#[pd_tool(…)]` and returns its arguments, as the compiler does.
fn take_tool(attributes: &mut Vec<Attribute>) -> Option<TokenStream> {
    let at = attributes
        .iter()
        .position(|attribute| attribute.path().is_ident("pd_tool"))?;
    let tool = attributes.remove(at);
    Some(
        tool.meta
            .require_list()
            .map(|list| list.tokens.clone())
            .unwrap_or_default(),
    )
}

fn derived(attributes: &[Attribute], item: &Item) -> TokenStream {
    let text = attributes
        .iter()
        .map(|attribute| attribute.to_token_stream().to_string())
        .collect::<String>();
    let tool_errors = text
        .contains("ToolErrors")
        .then(|| derive::tool_errors(item.to_token_stream()));
    let tool_arg = text
        .contains("ToolArg")
        .then(|| derive::tool_arg(item.to_token_stream()));
    let state = text
        .contains("State")
        .then(|| derive::state(item.to_token_stream()));
    quote!(#item #tool_arg #tool_errors #state)
}

/// Expands every `pd_runtime::registry! { … }`, at any depth.
fn expand_registries(tokens: TokenStream) -> TokenStream {
    let mut expanded: Vec<TokenTree> = Vec::new();
    for token in tokens {
        let TokenTree::Group(group) = token else {
            expanded.push(token);
            continue;
        };
        // A group alone does not show that a macro is called. The five tokens before it do.
        let before: TokenStream = expanded.iter().rev().take(5).rev().cloned().collect();
        if before.to_string() == "pd_runtime :: registry !" {
            expanded.truncate(expanded.len() - 5);
            expanded.extend(registry::expand(group.stream()));
        } else {
            expanded.push(rebuilt(&group).into());
        }
    }
    expanded.into_iter().collect()
}

fn rebuilt(group: &Group) -> Group {
    let delimiter: Delimiter = group.delimiter();
    Group::new(delimiter, expand_registries(group.stream()))
}
