//! The tool's facts: name, texts, arguments and policy. Only fields that the author set are
//! emitted; `__pd::facts` provides the others.

use super::view;
use crate::{
    constraint::{Constraints, DefaultValue},
    doc::Example,
    foreign::ForeignCrate,
    literal::text,
    model::{CheckedTool, ToolAnnotations},
    parameter::{Argument, Parameter},
    selected,
    ty::without_lifetimes,
};
use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use std::time::Duration;
use syn::spanned::Spanned;

/// Emits `__pd::ToolFacts { summary: "…", …, ..__pd::facts::<Returned>("log") }`, or
/// `__pd::facts_of_rows` as the base for a selective tool.
pub(super) fn emit(tool: &CheckedTool, related: &[TokenStream]) -> TokenStream {
    let name = &tool.name;
    let listing = emit_listing(tool);
    let usage = emit_usage(tool, related);
    let policy = emit_policy(tool);
    let result_keys = tool
        .proof
        .has_result_keys()
        .then(|| quote!(result_keys: __PD_RESULT_KEYS,));
    let returns = &tool.function.returns;
    let base = match tool.selective {
        true => quote_spanned!(located(returns)=> __pd::facts_of_rows::<#returns>),
        false => quote_spanned!(located(returns)=> __pd::facts::<#returns>),
    };
    quote! {
        __pd::ToolFacts {
            #listing
            #usage
            #policy
            #result_keys
            location: ::core::concat!(::core::file!(), ":", ::core::line!()),
            ..#base(#name)
        }
    }
}

/// Emits the fields for listings.
fn emit_listing(tool: &CheckedTool) -> TokenStream {
    let title = optional("title", tool.title.as_deref());
    let summary = text(&tool.summary);
    // Without a suffix, as an author writes the number.
    let summary_max = tool.summary_max.map(Literal::usize_unsuffixed).into_iter();
    quote! {
        #title
        summary: #summary,
        #(summary_max: #summary_max,)*
    }
}

/// Emits the fields that describe how to call the tool.
fn emit_usage(tool: &CheckedTool, related: &[TokenStream]) -> TokenStream {
    let description = (!tool.description.is_empty())
        .then_some(&tool.description)
        .into_iter();
    let arguments = tool
        .parameters
        .iter()
        .filter_map(|parameter| match parameter {
            Parameter::Argument(argument) => Some(emit_argument(argument)),
            _ => None,
        });
    let arguments = list("arguments", arguments);
    let unproven = (!tool.proof.arguments.is_empty()).then(|| quote!(unproven: __PD_ARGUMENTS,));
    let examples = list("examples", tool.examples.iter().map(emit_example));
    let guidance = list("guidance", tool.guidance.iter().map(|item| text(item)));
    let notes = list("notes", tool.notes.iter().map(|item| text(item)));
    let errors = tool.errors.iter().map(|error| {
        let code = &error.code;
        let cause = text(&error.cause);
        let solution = text(&error.solution);
        quote!(__pd::ErrorHelp::from_static(#code, #cause, #solution))
    });
    let errors = list("errors", errors);
    let related = list("related", related.iter().cloned());
    quote! {
        #(description: #description,)*
        #arguments
        #unproven
        #examples
        #guidance
        #notes
        #errors
        #related
    }
}

/// Emits the fields that control how the server and hosts treat the tool.
fn emit_policy(tool: &CheckedTool) -> TokenStream {
    let aliases = list("aliases", tool.aliases.iter().map(|item| text(item)));
    let found_by = list("found_by", tool.found_by.iter().map(|item| text(item)));
    let icons = list(
        "icons",
        tool.icons.iter().map(|icon| text(&icon.to_string())),
    );
    let hints = emit_hints(&tool.hints);
    let scopes = list("scopes", tool.scopes.iter().map(|item| text(item)));
    let eager = tool.eager.then(|| quote!(eager: true,));
    let read_first = tool.read_first.then(|| quote!(read_first: true,));
    let confirm = tool.confirm.then(|| quote!(confirm: true,));
    let blocking = tool.blocking.then(|| quote!(blocking: true,));
    let timeout = tool.timeout.map(emit_timeout);
    let concurrency = tool
        .concurrency
        .map(Literal::usize_unsuffixed)
        .map(|count| quote!(concurrency: __pd::Some(#count),));
    let deprecated = optional("deprecated", tool.deprecated.as_deref());
    let allow = list("allow", tool.allow.iter().map(emit_lint));
    let meta = tool.meta.iter().map(|(key, value)| {
        let key = text(key);
        // As a text, because a constant cannot build a JSON value.
        let value = text(&value.to_string());
        quote!((#key, #value))
    });
    let meta = list("meta", meta);
    let view = view::emit(tool);
    quote!(#aliases #found_by #icons #hints #scopes #eager #read_first #confirm #blocking #timeout #concurrency #deprecated #allow #view #meta)
}

/// Emits `timeout: Some(Duration::from_millis(30000)),`.
fn emit_timeout(timeout: Duration) -> TokenStream {
    let milliseconds = Literal::u128_unsuffixed(timeout.as_millis());
    quote!(timeout: __pd::Some(__pd::Duration::from_millis(#milliseconds)),)
}

/// Emits `__pd::Lint::NoUsage` for `no_usage`.
fn emit_lint(name: &Ident) -> TokenStream {
    let variant = Ident::new(
        &name
            .to_string()
            .split('_')
            // Names of lints are ASCII, so the first byte is the first letter.
            .map(|word| {
                word.get(..1).unwrap_or_default().to_uppercase() + word.get(1..).unwrap_or_default()
            })
            .collect::<String>(),
        located(name),
    );
    quote!(__pd::Lint::#variant)
}

/// Emits `__pd::ArgumentFacts { doc: "…", …, ..__pd::argument::<u32>("limit") }`, or only the base
/// if no field is set. The base for a `Selected<Alert>` is `__pd::selected::<Alert>("alerts")`.
fn emit_argument(argument: &Argument) -> TokenStream {
    let Argument {
        ty,
        name,
        doc,
        constraints,
        cfgs,
        ..
    } = argument;
    let base = match selected::row_of(ty) {
        Some(row) => {
            let row_static = without_lifetimes(row.to_token_stream());
            quote_spanned!(located(row)=> __pd::selected::<#row_static>(#name))
        }
        None => {
            let ty_static = without_lifetimes(ty.to_token_stream());
            // Types of other crates get a function whose error message names the crate's schemars
            // feature.
            let argument = match ForeignCrate::find(ty) {
                Some(foreign) => foreign.emit("argument", &ty_static, located(ty)),
                None => quote_spanned!(located(ty)=> __pd::argument::<#ty_static>),
            };
            quote_spanned!(located(ty)=> #argument(#name))
        }
    };
    let doc = (!doc.text.is_empty()).then_some(&doc.text).into_iter();
    let default = constraints.default.iter().map(emit_preset);
    let keywords = (!constraints.keywords.is_empty())
        .then(|| keywords_text(constraints))
        .into_iter();
    if doc.len() + default.len() + keywords.len() == 0 {
        return quote!(#(#cfgs)* #base);
    }
    quote! {
        #(#cfgs)*
        __pd::ArgumentFacts {
            #(doc: #doc,)*
            #(default: __pd::Some(#default),)*
            #(keywords: #keywords,)*
            ..#base
        }
    }
}

fn keywords_text(constraints: &Constraints) -> Literal {
    text(&serde_json::Value::Object(constraints.keywords.clone()).to_string())
}

fn emit_preset(preset: &DefaultValue) -> TokenStream {
    match preset {
        DefaultValue::Literal(value, _) => {
            let value = text(&value.to_string());
            quote!(__pd::DefaultValue::Literal(#value))
        }
        DefaultValue::Constant(path) => {
            // `__pd::constant` is not const, so a closure calls it later.
            let constant = quote_spanned!(located(path)=> __pd::constant(#path));
            quote!(__pd::DefaultValue::Constant(|| #constant))
        }
    }
}

fn emit_example(example: &Example) -> TokenStream {
    let description = text(&example.description);
    let input = text(&example.input);
    let explanation = text(&example.explanation);
    quote!(__pd::DeclaredExample { description: #description, input: #input, explanation: #explanation })
}

/// Emits `hints: __pd::ToolAnnotations { read_only: Some(true), ..__pd::ToolAnnotations::NONE },`,
/// or nothing.
fn emit_hints(hints: &ToolAnnotations) -> TokenStream {
    let ToolAnnotations {
        read_only,
        destructive,
        idempotent,
        open_world,
    } = hints;
    let all = [read_only, destructive, idempotent, open_world];
    if all.iter().all(|hint| hint.is_none()) {
        return TokenStream::new();
    }
    let [read_only, destructive, idempotent, open_world] = all.map(|hint| hint.iter());
    quote! {
        hints: __pd::ToolAnnotations {
            #(read_only: __pd::Some(#read_only),)*
            #(destructive: __pd::Some(#destructive),)*
            #(idempotent: __pd::Some(#idempotent),)*
            #(open_world: __pd::Some(#open_world),)*
            ..__pd::ToolAnnotations::NONE
        },
    }
}

/// Emits `field: Some("…"),`, or nothing.
fn optional(field: &str, value: Option<&str>) -> Option<TokenStream> {
    let field = quote::format_ident!("{field}");
    value
        .map(text)
        .map(|value| quote!(#field: __pd::Some(#value),))
}

/// Emits `field: &[…],`, or nothing.
fn list<T: ToTokens>(field: &str, items: impl Iterator<Item = T>) -> Option<TokenStream> {
    let items: Vec<_> = items.collect();
    let field = quote::format_ident!("{field}");
    (!items.is_empty()).then(|| quote!(#field: &[#(#items),*],))
}

/// Returns a span that resolves names at the macro and reports errors at the author's tokens.
fn located(tokens: &impl Spanned) -> Span {
    Span::mixed_site().located_at(tokens.span())
}
