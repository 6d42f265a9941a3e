//! What stands beside a free function: its tool, as a unit struct, which a pattern can ask for.

use crate::paths::{Runtime, free_const, tool_const};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::{Attribute, Visibility};

pub(super) struct FreeItems<'a> {
    pub(super) runtime: &'a Runtime,
    pub(super) cfgs: &'a [Attribute],
    pub(super) visibility: &'a Visibility,
    pub(super) ident: &'a Ident,
    pub(super) name: &'a str,
    pub(super) lent: &'a [TokenStream],
}

impl FreeItems<'_> {
    /// ```text
    /// #[doc(hidden)]
    /// pub(crate) struct __PD_TOOL_NOW;
    /// impl ::pd_runtime::__private::FreeTool<()> for __PD_TOOL_NOW {
    ///     const NAME: &'static str = "now";
    ///     const DECLARED: ::pd_runtime::__private::DeclaredTool<()> = { … };
    /// }
    /// #[doc(hidden)]
    /// const __PD_FREE_NOW: () = ::pd_runtime::__private::in_module(|__PD_TOOL_NOW| loop {});
    /// ```
    ///
    /// The struct of a private function can be seen in all the crate: who names a tool names the function as well, and
    /// rustc reports that it is private, and nothing else. It is a type of the crate, so that rustc still finds a function
    /// that no registry lists: the impl of a type that nobody names keeps nothing alive.
    ///
    /// In an impl, neither struct nor impl may stand. There the constant finds no struct, and its error has our words.
    pub(super) fn emit(&self, allowed: &TokenStream, declared: &TokenStream) -> TokenStream {
        let Self { runtime, cfgs, ident, name, lent, .. } = self;
        let (tool, free) = (tool_const(ident), free_const(ident));
        let visibility = match self.visibility {
            Visibility::Public(_) => quote!(pub),
            _ => quote!(pub(crate)),
        };
        // Where these may not stand, rustc reports them at the function.
        quote_spanned! {Span::mixed_site().located_at(ident.span())=>
            #(#cfgs)*
            #[doc(hidden)]
            #[allow(non_camel_case_types)]
            #visibility struct #tool;
            #(#cfgs)*
            #allowed
            impl #runtime::FreeTool<(#(#lent,)*)> for #tool {
                const NAME: &'static str = #name;
                const DECLARED: #runtime::DeclaredTool<(#(#lent,)*)> = #declared;
            }
            #(#cfgs)*
            #[doc(hidden)]
            const #free: () = #runtime::in_module(|#tool| loop {});
        }
    }
}
