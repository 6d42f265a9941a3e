//! `CheckedRegistry` → tokens. This stage makes no decisions.

use super::{
    check::{Bundle, CheckedRegistry, Group, RegistryNode, SectionHeading},
    const_rules,
    parse::ToolPath,
};
use crate::{editor, literal::text, paths::RuntimePath};

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};

/// ```text
/// {
///     use ::pd_runtime::__private as __pd;
///     …
///     __pd::registry(
///         __pd::RegistryOptions {
///             instructions: "…",
///             ..__pd::options(::core::env!("CARGO_PKG_NAME"), …)
///         },
///         [
///             __pd::Declaration::node(Repo::__PD_TOOL_STATUS),
///             __pd::group("history", "…", "", [ … ]),
///         ],
///     )
/// }
/// ```
pub(super) fn emit(runtime: &RuntimePath, registry: &CheckedRegistry) -> TokenStream {
    let named = editor::emit(const_rules::functions(registry).into_iter());
    let named = named.map(
        |named| quote!(#[allow(unexpected_cfgs, reason = "rust-analyzer sets it")] { #named }),
    );
    let judged = const_rules::emit(registry);
    let texts = registry
        .instructions
        .expressions
        .emit_checks(&quote!(__pd), &[]);
    let options = emit_options(registry);
    let nodes = registry.nodes.iter().map(emit_node);
    let whole = emit_bundles(
        quote!(__pd::registry(#options, [#(#nodes),*])),
        &registry.bundles,
    );
    // `#[allow]` is not stable on expressions, so the registry is bound by a statement.
    let whole = match const_rules::names_functions(registry) {
        true => quote!(#[allow(deprecated)] let registry = #whole; registry),
        false => whole,
    };
    quote! {
        {
            #named
            use #runtime as __pd;
            #judged
            #texts
            #whole
        }
    }
}

fn emit_options(registry: &CheckedRegistry) -> TokenStream {
    // Evaluated in the author's crate, so the server has the crate's name and version.
    let package = quote!(
        ::core::env!("CARGO_PKG_NAME"),
        ::core::env!("CARGO_PKG_VERSION")
    );
    let name = registry.name.iter();
    let version = registry.version.iter();
    let instructions = &registry.instructions.text;
    let instructions = (!instructions.is_empty())
        .then_some(instructions)
        .into_iter();
    let budget = registry.budget.iter();
    if name.len() + version.len() + instructions.len() + budget.len() == 0 {
        return quote!(__pd::options(#package));
    }
    quote! {
        __pd::RegistryOptions {
            #(name: __pd::Some(#name),)*
            #(version: __pd::Some(#version),)*
            #(instructions: #instructions,)*
            #(budget: __pd::Some(#budget),)*
            ..__pd::options(#package)
        }
    }
}

fn emit_node(node: &RegistryNode) -> TokenStream {
    match node {
        RegistryNode::Tool(tool @ ToolPath { cfgs, function, .. }) => {
            // A state type that the server cannot lend is reported at the tool.
            let span = Span::mixed_site().located_at(function.span());
            let tool = tool.emit();
            let node = quote_spanned!(span=> __pd::Declaration::node(#tool));
            quote!(#(#cfgs)* #node)
        }
        RegistryNode::Group(Group { heading, nodes }) => {
            let cfgs = &heading.cfgs;
            let heading = emit_heading(heading);
            let nodes = nodes.iter().map(emit_node);
            quote!(#(#cfgs)* __pd::group(#heading, [#(#nodes),*]))
        }
    }
}

/// Emits `"history", "Read history: commits, authors", "Begin with `log`."`.
fn emit_heading(
    SectionHeading {
        name,
        summary,
        instructions,
        expressions,
        ..
    }: &SectionHeading,
) -> TokenStream {
    let summary = text(summary);
    let checks = expressions.emit_checks(&quote!(__pd), &[]);
    // The checks are items, which only a block can contain.
    let name = if checks.is_empty() {
        name.to_token_stream()
    } else {
        quote!({ #checks #name })
    };
    quote!(#name, #summary, #instructions)
}

/// Emits `__pd::with_bundles(__pd::registry(…), [ … ])`.
fn emit_bundles(registry: TokenStream, bundles: &[Bundle]) -> TokenStream {
    if bundles.is_empty() {
        return registry;
    }
    let bundles = bundles.iter().map(emit_bundle);
    quote!(__pd::with_bundles(#registry, [#(#bundles),*]))
}

/// Emits `__pd::bundle("who-broke-it", "…", "…", [__pd::Declaration::name(Repo::__PD_TOOL_BLAME),
/// …])`.
fn emit_bundle(Bundle { heading, tools }: &Bundle) -> TokenStream {
    let cfgs = &heading.cfgs;
    let heading = emit_heading(heading);
    let tools = tools.iter().map(|tool @ ToolPath { cfgs, function, .. }| {
        let span = Span::mixed_site().located_at(function.span());
        let tool = tool.emit();
        let name = quote_spanned!(span=> __pd::Declaration::name(#tool));
        quote!(#(#cfgs)* #name)
    });
    quote!(#(#cfgs)* __pd::bundle(#heading, [#(#tools),*]))
}
