//! What an editor is told beside rustc: which functions a list of tools means. rust-analyzer looks for the words that its user
//! typed; the hidden items are none of them.

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
/// So completion, references and renaming work where tools are listed. rust-analyzer alone sets the `cfg`, and completes at
/// the first place where a word comes out: this stands before all others. What is around it allows `unexpected_cfgs`.
pub(crate) fn emit<T: ToTokens>(functions: impl Iterator<Item = (Vec<Attribute>, T)>) -> Option<TokenStream> {
    let named: Vec<_> = functions.map(|(cfgs, function)| quote!(#(#cfgs)* let _ = #function;)).collect();
    (!named.is_empty()).then(|| {
        quote! {
            #[cfg(rust_analyzer)]
            {
                #(#named)*
            }
        }
    })
}
