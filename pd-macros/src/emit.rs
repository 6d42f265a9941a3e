//! `CheckedTool` → tokens: the two constants beside a function. Nothing is decided here.

mod facts;
mod handler;
mod key;
mod proof;
mod related;
mod text;

pub(crate) use text::text;

use crate::{
    attributes,
    check::function::find_self,
    item::Function,
    model::{Callee, CheckedTool},
    parameter::Parameter,
    paths::{Runtime, name_const, naming_const, tool_const},
    proof::Proof,
    ty::without_lifetimes,
};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::{Attribute, Type, Visibility, ext::IdentExt};

/// The constants of a tool:
///
/// ```text
/// #[doc(hidden)]
/// pub const __PD_NAME_LOG: &'static str = "log";
/// #[doc(hidden)]
/// pub const __PD_TOOL_LOG: ::pd_runtime::__private::Declared<(Self,)> = { … };
/// ```
pub(crate) fn emit(tool: &CheckedTool) -> TokenStream {
    let Callee { cfgs, visibility, ident, is_method, .. } = &tool.function;
    let name = emit_name(cfgs, visibility, ident, &tool.name);
    let naming = (!is_method).then(|| emit_naming(&tool.runtime, cfgs, visibility, ident, &tool.name));
    let declared = emit_declared(tool);
    let key = (!is_method).then(|| key::emit(&tool.runtime, cfgs, visibility, ident, &lent(tool)));
    quote!(#name #naming #declared #key)
}

/// The types of state that the tool borrows.
fn lent(tool: &CheckedTool) -> Vec<TokenStream> {
    let state = tool.parameters.iter().filter_map(Parameter::state);
    state.map(|ty| without_lifetimes(ty.to_token_stream())).collect()
}

/// `__pd::shared_state::<Repo>();`, at the parameter.
fn emit_shared(ty: &Type) -> TokenStream {
    let place = ty.to_token_stream().into_iter().next().map_or_else(Span::call_site, |token| token.span());
    let ty = without_lifetimes(ty.to_token_stream());
    quote_spanned!(Span::mixed_site().located_at(place)=> __pd::shared_state::<#ty>();)
}

fn emit_name(cfgs: &[Attribute], visibility: &Visibility, function: &Ident, name: &str) -> TokenStream {
    let constant = name_const(function);
    quote! {
        #(#cfgs)*
        #[doc(hidden)]
        #visibility const #constant: &'static str = #name;
    }
}

/// ```text
/// #[doc(hidden)]
/// const __PD_NAMING_NOW: ::pd_runtime::__private::Naming = ::pd_runtime::__private::Naming::AsFunction;
/// ```
///
/// `related(now)` asks for it in a pattern, where a constant that is missing is not an error; see `related`. Types need
/// none.
fn emit_naming(
    runtime: &Runtime,
    cfgs: &[Attribute],
    visibility: &Visibility,
    function: &Ident,
    name: &str,
) -> TokenStream {
    let constant = naming_const(function);
    let naming = if function.unraw() == name { quote!(AsFunction) } else { quote!(Otherwise) };
    quote! {
        #(#cfgs)*
        #[doc(hidden)]
        #visibility const #constant: #runtime::Naming = #runtime::Naming::#naming;
    }
}

fn emit_declared(tool: &CheckedTool) -> TokenStream {
    let runtime = &tool.runtime;
    let Callee { cfgs, visibility, ident, is_deprecated, allowed, .. } = &tool.function;
    let constant = tool_const(ident);
    let deprecated = is_deprecated.then(|| quote!(deprecated,));
    let related_cfg = (!tool.related.is_empty()).then(|| quote!(unexpected_cfgs,));
    let lent = lent(tool);
    let shared: Vec<_> = tool.parameters.iter().filter_map(Parameter::state).map(emit_shared).collect();
    let not_shared = (!shared.is_empty()).then(|| {
        quote!(
            #[allow(unused_imports)]
            use __pd::NotShared as _;
        )
    });
    let proof = proof::emit(&tool.proof);
    let related = related::emit(&ident.unraw().to_string(), &tool.related);
    let function = (!tool.function.is_method).then(|| emit_function_check(ident));
    let facts = facts::emit(tool);
    let handler = handler::emit(tool, &lent);
    quote! {
        #(#cfgs)*
        #[doc(hidden)]
        #(#[allow(#allowed)])*
        #[allow(#deprecated #related_cfg private_interfaces)]
        #visibility const #constant: #runtime::Declared<(#(#lent,)*)> = {
            use #runtime as __pd;
            #not_shared
            #proof
            #related
            #function
            #(#shared)*
            __pd::Declared { facts: #facts, handler: #handler }
        };
    }
}

/// ```text
/// const _: () = match __pd::Naming::Absent {
///     __PD_NAMING_NOW => __pd::refuse_function("now"),
///     _ => (),
/// };
/// ```
///
/// A function without `self` that stands in an impl does not see its own constants, and the pattern is a variable.
fn emit_function_check(function: &Ident) -> TokenStream {
    let (naming, name) = (naming_const(function), function.unraw().to_string());
    let refuse = Ident::new("refuse_function", function.span());
    let refused = quote_spanned!(function.span()=> __pd::#refuse(#name));
    quote! {
        const _: () = match __pd::Naming::Absent {
            #naming => #refused,
            _ => (),
        };
    }
}

/// The same items for a function that broke a rule, so that neither `related` nor `registry!` fails as well.
pub(crate) fn emit_stub(runtime: &Runtime, function: &Function, proof: &Proof) -> TokenStream {
    let ident = &function.signature.ident;
    let (visibility, cfgs) = (&function.visibility, attributes::cfgs(&function.attributes));
    let tool_const = tool_const(ident);
    let name = ident.unraw().to_string();
    let is_method = function.signature.receiver().is_some();
    let named = emit_name(&cfgs, visibility, ident, &name);
    let naming = (!is_method).then(|| emit_naming(runtime, &cfgs, visibility, ident, &name));
    // In an impl, a struct would be one more error.
    let is_free = !is_method && find_self(function).is_none();
    let key = is_free.then(|| key::emit(runtime, &cfgs, visibility, ident, &[]));
    let proof = proof::emit(proof);
    quote! {
        #named
        #naming
        #key
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
