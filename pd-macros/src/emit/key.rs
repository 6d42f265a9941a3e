//! The key of a free function's tool, by which `registry!` finds it.

use crate::paths::{Runtime, key_const};
use proc_macro2::{Ident, TokenStream};
use quote::quote;
use syn::{Attribute, Visibility, ext::IdentExt};

/// ```text
/// #[doc(hidden)]
/// pub(crate) const __PD_KEY_NOW: __pd::PhantomData<__pd::Place<{ __pd::place(…) }>> = __pd::PhantomData;
/// ```
///
/// The key of a private function can be seen in all the crate: `registry!` names the function as well, and rustc reports
/// that it is private, and nothing else.
pub(super) fn emit(runtime: &Runtime, cfgs: &[Attribute], visibility: &Visibility, function: &Ident) -> TokenStream {
    let key = key_const(function);
    let visibility = match visibility {
        Visibility::Public(_) => quote!(pub),
        _ => quote!(pub(crate)),
    };
    let ty = emit_type(runtime, function);
    quote! {
        #(#cfgs)*
        #[doc(hidden)]
        #visibility const #key: #ty = #runtime::PhantomData;
    }
}

/// A type unlike all others: constants have no other way to lead to a tool.
fn emit_type(runtime: &Runtime, function: &Ident) -> TokenStream {
    let name = function.unraw().to_string();
    let place =
        quote!(::core::concat!(::core::module_path!(), ":", ::core::line!(), ":", ::core::column!(), ":", #name));
    quote!(#runtime::PhantomData<#runtime::Place<{ #runtime::place(#place) }>>)
}

/// ```text
/// {
///     pub struct Here;
///     #[diagnostic::do_not_recommend]
///     impl<F> __pd::ToolKey<Here, F, ()> for … {
///         const DECLARED: __pd::Declared<()> = __pd::Declared { … };
///     }
///     <… as __pd::ToolKey<Here, (), ()>>::DECLARED
/// }
/// ```
///
/// The declaration of a free function, where its key leads. It stands in the tool's constant, since a function without
/// `self` may stand in an impl, where no other impl may stand.
pub(super) fn emit_declared(
    runtime: &Runtime,
    function: &Ident,
    lent: &[TokenStream],
    declared: &TokenStream,
) -> TokenStream {
    let ty = emit_type(runtime, function);
    quote! {
        pub struct Here;
        #[diagnostic::do_not_recommend]
        impl<F> __pd::ToolKey<Here, F, (#(#lent,)*)> for #ty {
            const DECLARED: __pd::Declared<(#(#lent,)*)> = #declared;
        }
        <#ty as __pd::ToolKey<Here, (), (#(#lent,)*)>>::DECLARED
    }
}
