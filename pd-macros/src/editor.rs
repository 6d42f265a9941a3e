//! Code for rust-analyzer: plain mentions of the functions that a list of tools names.
//! rust-analyzer matches the tokens that the author typed, and the names of the hidden items are
//! different tokens.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::Attribute;

/// ```text
/// #[cfg(rust_analyzer)]
/// {
///     let _ = Repo::log;
/// }
/// ```
///
/// This makes completion, references and renaming work in lists of tools. Only rust-analyzer sets
/// the `cfg`. It completes at the first expansion of a token, so this block precedes all other
/// generated code. The caller allows `unexpected_cfgs` around it.
pub(crate) fn emit<T: ToTokens>(
    functions: impl Iterator<Item = (Vec<Attribute>, T)>,
) -> Option<TokenStream> {
    let named: Vec<_> = functions
        .map(|(cfgs, function)| quote!(#(#cfgs)* let _ = #function;))
        .collect();
    (!named.is_empty()).then(|| {
        quote! {
            #[cfg(rust_analyzer)]
            {
                #(#named)*
            }
        }
    })
}
