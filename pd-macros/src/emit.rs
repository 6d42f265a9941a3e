//! `CheckedTool` → tokens: the two constants beside a function. Nothing is decided here.

mod facts;
mod handler;
mod proof;
mod related;
mod text;

pub(crate) use text::text;

use crate::{
    attributes,
    item::Function,
    model::{Callee, CheckedTool},
    parameter::Parameter,
    paths::{Runtime, name_const, tool_const},
    proof::Proof,
    ty::without_lifetimes,
};
use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::ext::IdentExt;

/// The constants of a tool:
///
/// ```text
/// #[doc(hidden)]
/// pub const __PD_NAME_LOG: &'static str = "log";
/// #[doc(hidden)]
/// pub const __PD_TOOL_LOG: ::pd_runtime::__private::Declared<(Self,)> = { … };
/// ```
pub(crate) fn emit(tool: &CheckedTool) -> TokenStream {
    let name = emit_name(&tool.function, &tool.name);
    let declared = emit_declared(tool);
    quote!(#name #declared)
}

fn emit_name(function: &Callee, name: &str) -> TokenStream {
    let Callee { cfgs, visibility, ident, .. } = function;
    let constant = name_const(ident);
    quote! {
        #(#cfgs)*
        #[doc(hidden)]
        #visibility const #constant: &'static str = #name;
    }
}

fn emit_declared(tool: &CheckedTool) -> TokenStream {
    let runtime = &tool.runtime;
    let Callee { cfgs, visibility, ident, is_deprecated, allowed, .. } = &tool.function;
    let constant = tool_const(ident);
    let deprecated = is_deprecated.then(|| quote!(deprecated,));
    let related_cfg = (!tool.related.is_empty()).then(|| quote!(unexpected_cfgs,));
    let lent = tool.parameters.iter().filter_map(|parameter| match parameter {
        Parameter::State(ty) => Some(without_lifetimes(ty.to_token_stream())),
        _ => None,
    });
    let proof = proof::emit(&tool.proof);
    let related = related::emit(&tool.related);
    let facts = facts::emit(tool);
    let handler = handler::emit(tool);
    quote! {
        #(#cfgs)*
        #[doc(hidden)]
        #(#[allow(#allowed)])*
        #[allow(#deprecated #related_cfg private_interfaces)]
        #visibility const #constant: #runtime::Declared<(#(#lent,)*)> = {
            use #runtime as __pd;
            #proof
            #related
            __pd::Declared { facts: #facts, handler: #handler }
        };
    }
}

/// The same items for a function that broke a rule, so that neither `related` nor `registry!` fails as well.
pub(crate) fn emit_stub(runtime: &Runtime, function: &Function, proof: &Proof) -> TokenStream {
    let ident = &function.signature.ident;
    let (visibility, cfgs) = (&function.visibility, attributes::cfgs(&function.attributes));
    let (name_const, tool_const) = (name_const(ident), tool_const(ident));
    let name = ident.unraw().to_string();
    let proof = proof::emit(proof);
    quote! {
        #(#cfgs)*
        #[doc(hidden)]
        #visibility const #name_const: &'static str = #name;
        #(#cfgs)*
        #[doc(hidden)]
        #visibility const #tool_const: #runtime::Declared<()> = {
            use #runtime as __pd;
            #proof
            __pd::Declared {
                facts: __pd::facts::<()>(#name),
                handler: |_| __pd::run(async { __pd::output(()) }),
            }
        };
    }
}
