//! `CheckedTool` → tokens: the constants of a method, or the items of a free function. This stage
//! makes no decisions.

mod const_assert;
mod facts;
mod free;
mod handler;
mod related;
mod view;

use self::{free::FreeItems, related::RelatedTools};
use crate::{
    attributes,
    check::function::find_self,
    const_assert::ConstAssertions,
    item::Function,
    model::{Callee, CheckedTool},
    parameter::Parameter,
    paths::{RuntimePath, name_const, tool_const},
    ty::without_lifetimes,
};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::{Attribute, Type, Visibility, ext::IdentExt};

/// The constants of a method's tool:
///
/// ```text
/// #[doc(hidden)]
/// pub const __PD_NAME_LOG: &'static str = "log";
/// #[doc(hidden)]
/// pub const __PD_TOOL_LOG: ::pd_runtime::__private::DeclaredTool<(Self,)> = { … };
/// ```
///
/// The tool of a free function is a struct; see `free`.
pub(crate) fn emit(tool: &CheckedTool) -> TokenStream {
    let Callee {
        cfgs,
        visibility,
        ident,
        is_method,
        ..
    } = &tool.function;
    let runtime = &tool.runtime;
    let lent = lent(tool);
    let declared = emit_declared(tool);
    let allowed = emit_allowed(tool);
    if !is_method {
        let free = FreeItems {
            runtime,
            cfgs,
            visibility,
            ident,
            name: &tool.name,
            lent: &lent,
        };
        return free.emit(&allowed, &declared);
    }
    let name = emit_name(cfgs, visibility, ident, &tool.name);
    let constant = tool_const(ident);
    quote! {
        #name
        #(#cfgs)*
        #[doc(hidden)]
        #allowed
        #visibility const #constant: #runtime::DeclaredTool<(#(#lent,)*)> = #declared;
    }
}

/// Returns the state types that the tool borrows.
fn lent(tool: &CheckedTool) -> Vec<TokenStream> {
    let state = tool.parameters.iter().filter_map(Parameter::state);
    state
        .map(|ty| without_lifetimes(ty.to_token_stream()))
        .collect()
}

/// Emits `__pd::shared_state::<Repo>();` with the parameter's span.
fn emit_shared(ty: &Type) -> TokenStream {
    let place = ty
        .to_token_stream()
        .into_iter()
        .next()
        .map_or_else(Span::call_site, |token| token.span());
    let ty = without_lifetimes(ty.to_token_stream());
    quote_spanned!(Span::mixed_site().located_at(place)=> __pd::shared_state::<#ty>();)
}

fn emit_name(
    cfgs: &[Attribute],
    visibility: &Visibility,
    function: &Ident,
    name: &str,
) -> TokenStream {
    let constant = name_const(function);
    quote! {
        #(#cfgs)*
        #[doc(hidden)]
        #visibility const #constant: &'static str = #name;
    }
}

/// Emits the lints to allow on the declaration: the author's, and those that generated code
/// triggers.
fn emit_allowed(tool: &CheckedTool) -> TokenStream {
    let Callee {
        is_deprecated,
        is_method,
        allowed,
        ..
    } = &tool.function;
    let deprecated = is_deprecated.then(|| quote!(deprecated,));
    // The block for rust-analyzer has `cfg(rust_analyzer)`, which rustc does not know.
    let related = (!tool.related.is_empty()).then(|| quote!(unexpected_cfgs,));
    // The constant of a public method may name private state types.
    let method = is_method.then(|| quote!(private_interfaces));
    let ours = quote!(#deprecated #related #method);
    let ours = (!ours.is_empty()).then(|| quote!(#[allow(#ours)]));
    quote!(#(#[allow(#allowed)])* #ours)
}

/// Emits the tool's declaration as a block. The compile-time checks are items of this block.
fn emit_declared(tool: &CheckedTool) -> TokenStream {
    let runtime = &tool.runtime;
    let lent = lent(tool);
    let shared: Vec<_> = tool
        .parameters
        .iter()
        .filter_map(Parameter::state)
        .map(emit_shared)
        .collect();
    let not_shared = (!shared.is_empty()).then(|| {
        quote!(
            #[allow(unused_imports)]
            use __pd::NotShared as _;
        )
    });
    let proof = const_assert::emit(&tool.proof);
    let inline = const_assert::emit_inline(&tool.proof);
    let related = RelatedTools::new(&tool.function.ident, &tool.related);
    let judged = related.emit_judged();
    let names = related.emit_names();
    let facts = facts::emit(tool, &names);
    let handler = handler::emit(tool, &lent);
    quote!({
        use #runtime as __pd;
        #not_shared
        #proof
        #judged
        #(#shared)*
        #inline
        __pd::DeclaredTool { facts: #facts, handler: #handler }
    })
}

/// Emits the same items for a function with an error, so that `related` and `registry!` report no
/// further errors about it.
pub(crate) fn emit_stub(
    runtime: &RuntimePath,
    function: &Function,
    proof: &ConstAssertions,
) -> TokenStream {
    let ident = &function.signature.ident;
    let visibility = &function.visibility;
    let cfgs = attributes::cfgs(&function.attributes);
    let tool_const = tool_const(ident);
    // The attribute may be at fault, so the name comes from the function.
    let name = ident.unraw().to_string();
    let is_method = function.signature.receiver().is_some();
    let proof = const_assert::emit(proof);
    // The error stops the build, so nothing calls this tool.
    let declared = quote!({
        use #runtime as __pd;
        #proof
        __pd::DeclaredTool {
            facts: __pd::facts::<()>(#name),
            handler: |_| __pd::run(async { __pd::output(()) }),
        }
    });
    // A struct inside of an impl would be another error.
    if !is_method && find_self(function).is_none() {
        let free = FreeItems {
            runtime,
            cfgs: &cfgs,
            visibility,
            ident,
            name: &name,
            // No state, so that a state type at fault causes no second error.
            lent: &[],
        };
        return free.emit(&TokenStream::new(), &declared);
    }
    let named = emit_name(&cfgs, visibility, ident, &name);
    quote! {
        #named
        #(#cfgs)*
        #[doc(hidden)]
        #visibility const #tool_const: #runtime::DeclaredTool<()> = #declared;
    }
}
