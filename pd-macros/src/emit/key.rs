//! The key of a free function's tool, by which `registry!` finds it.

use crate::paths::{Runtime, key_struct, tool_const};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::{Attribute, Visibility};

/// ```text
/// #[doc(hidden)]
/// pub(crate) struct __PD_KEY_NOW;
/// #[diagnostic::do_not_recommend]
/// impl<F> ::pd_runtime::__private::ToolKey<F, ()> for __PD_KEY_NOW {
///     const DECLARED: ::pd_runtime::__private::Declared<()> = __PD_TOOL_NOW;
/// }
/// ```
///
/// The key of a private function can be seen in all the crate: `registry!` names the function as well, and rustc reports
/// that it is private, and nothing else. The key is a type of the crate, so that rustc still finds a function that no
/// registry lists: the impl of a type that nobody names keeps nothing alive.
pub(super) fn emit(
    runtime: &Runtime,
    cfgs: &[Attribute],
    visibility: &Visibility,
    function: &Ident,
    lent: &[TokenStream],
) -> TokenStream {
    let (key, tool) = (key_struct(function), tool_const(function));
    let visibility = match visibility {
        Visibility::Public(_) => quote!(pub),
        _ => quote!(pub(crate)),
    };
    // In an impl, where neither of both may stand, rustc reports them at the function.
    quote_spanned! {Span::mixed_site().located_at(function.span())=>
        #(#cfgs)*
        #[doc(hidden)]
        #[allow(non_camel_case_types)]
        #visibility struct #key;
        #(#cfgs)*
        #[diagnostic::do_not_recommend]
        impl<F> #runtime::ToolKey<F, (#(#lent,)*)> for #key {
            const DECLARED: #runtime::Declared<(#(#lent,)*)> = #tool;
        }
    }
}
