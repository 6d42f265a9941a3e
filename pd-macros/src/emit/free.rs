//! The items of a free function's tool: a unit struct, which patterns can name.

use crate::paths::{RuntimePath, free_const, tool_const};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::{Attribute, Visibility};

pub(super) struct FreeItems<'a> {
    pub(super) runtime: &'a RuntimePath,
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
    /// The struct is at least `pub(crate)`, also for a private function. Code that names a tool
    /// names its function, too, and rustc then reports only that the function is private. The
    /// struct's impl keeps a function alive that no registry lists, so rustc still warns that the
    /// function is unused.
    ///
    /// Struct and impl cannot be in an impl. In an impl, the constant does not find the struct, and
    /// its error contains this crate's message.
    pub(super) fn emit(&self, allowed: &TokenStream, declared: &TokenStream) -> TokenStream {
        let Self {
            runtime,
            cfgs,
            ident,
            name,
            lent,
            ..
        } = self;
        let tool = tool_const(ident);
        let free = free_const(ident);
        let visibility = match self.visibility {
            Visibility::Public(_) => quote!(pub),
            _ => quote!(pub(crate)),
        };
        // In places where these items are invalid, rustc's errors point at the function.
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
