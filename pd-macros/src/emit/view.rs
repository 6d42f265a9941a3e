//! The view of a tool, and who calls the tool.

use crate::{literal::text, model::CheckedTool, view::ToolVisibility};
use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;

/// Emits `view: __pd::view::<Json<Board>>(__pd::ViewFacts { … }),` and
/// `visibility: Some(__pd::Visibility::App),`, or nothing.
pub(super) fn emit(tool: &CheckedTool) -> TokenStream {
    let view = tool.view.as_ref().map(|view| {
        let returns = &tool.function.returns;
        // An error about the return type is at that type.
        let place = Span::mixed_site().located_at(returns.span());
        let make = quote_spanned!(place=> __pd::view::<#returns>);
        let file = text(&view.file);
        let path = text(&format!("/{}", view.file));
        let settings = text(&view.settings);
        let calls = view.calls.iter().map(|name| text(name));
        // `include_str!` makes Cargo compile the tool again when the file changes.
        quote! {
            view: #make(__pd::ViewFacts {
                file: #file,
                html: ::core::include_str!(::core::concat!(::core::env!("CARGO_MANIFEST_DIR"), #path)),
                settings: #settings,
                calls: &[#(#calls),*],
            }),
        }
    });
    let visibility = tool.visibility.map(|visibility| match visibility {
        ToolVisibility::Model => quote!(visibility: __pd::Some(__pd::Visibility::Model),),
        ToolVisibility::App => quote!(visibility: __pd::Some(__pd::Visibility::App),),
    });
    quote!(#view #visibility)
}
