//! Generated code that turns a path without a tool into a readable error.
//!
//! A path below a type falls back to the constant of a local trait. The compiler chooses that
//! constant if the type has no constant of this name, or none that is visible, so its error can
//! mention tools.
//!
//! A bare name has no such fallback: an item that this macro declares would shadow a tool of an
//! enclosing function. Generated code therefore names the struct in a pattern, where a missing
//! struct is a variable and not an error.

use crate::paths::tool_const;
use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::{quote, quote_spanned};
use std::collections::BTreeSet;

/// ```text
/// trait __PdNoTool {
///     const __PD_TOOL_LOG: __pd::NoSuchTool = __pd::NO_SUCH_TOOL;
/// }
/// impl<T> __PdNoTool for T {}
/// ```
///
/// Emits this trait, or nothing if there are no functions. `constants` emits the constants of one
/// function.
pub(crate) fn emit_fallback<'a>(
    functions: impl Iterator<Item = &'a Ident>,
    constants: impl Fn(&Ident) -> TokenStream,
) -> Option<TokenStream> {
    // Several paths may end in one function name, and a trait cannot define a constant twice.
    let once: Vec<_> = functions
        .collect::<BTreeSet<_>>()
        .into_iter()
        .map(constants)
        .collect();
    (!once.is_empty()).then(|| {
        quote! {
            trait __PdNoTool {
                #(#once)*
            }
            impl<T> __PdNoTool for T {}
        }
    })
}

/// ```text
/// __pd::tool(&now, |__PD_TOOL_NOW| loop {})
/// ```
///
/// or, for a function in a module,
///
/// ```text
/// {
///     #[allow(non_snake_case)]
///     fn __PD_TOOL_NOW() {}
///     {
///         #[allow(unused_imports)]
///         use clock::*;
///         #[allow(unused_qualifications)]
///         let tool = __pd::tool(&clock::now, |__PD_TOOL_NOW| loop {});
///         tool
///     }
/// }
/// ```
///
/// `call` is `__pd::tool` or another function that takes a function and its tool's struct. The
/// closure is never called. If the struct exists, the pattern names its type. Otherwise the pattern
/// is a variable, and its type is rustc's fallback for a diverging value. If the function is
/// missing, too, rustc reports only that.
///
/// The glob import brings the module's struct into scope, if there is one. The function in the
/// outer block hides a struct of the same name that belongs to another tool in scope. A pattern
/// cannot match a function, so the name stays free for a variable. The import also makes the author's
/// path longer than necessary, of which a lint would warn. `#[allow]` is stable on statements only.
pub(crate) fn emit_call(call: &TokenStream, prefix: &TokenStream, function: &Ident) -> TokenStream {
    let lookup = emit_lookup(call, &quote!(#prefix #function), function);
    if prefix.is_empty() {
        return lookup;
    }
    let key = tool_const(function);
    quote!({
        #[allow(non_snake_case)]
        fn #key() {}
        {
            #[allow(unused_imports)]
            use #prefix *;
            #[allow(unused_qualifications)]
            let tool = #lookup;
            tool
        }
    })
}

/// Emits `__pd::tool(&clock::now, |__PD_TOOL_NOW| loop {})`, with all spans at the function's name.
pub(crate) fn emit_lookup(
    call: &TokenStream,
    named: &TokenStream,
    function: &Ident,
) -> TokenStream {
    let key = tool_const(function);
    quote_spanned!(Span::mixed_site().located_at(function.span())=> #call(&#named, |#key| loop {}))
}

/// Returns whether the prefix of a tool's path may be a type. A lowercase name is treated as a
/// module. A wrong guess only costs the better error message.
pub(crate) fn may_be_type(prefix: &TokenStream) -> bool {
    // The prefix ends with `::`.
    let last = prefix
        .clone()
        .into_iter()
        .filter(|token| !matches!(token, TokenTree::Punct(colon) if colon.as_char() == ':'));
    match last.last() {
        Some(TokenTree::Ident(name)) => {
            let name = name.to_string();
            // A leading `_` or `r#` has no case.
            !name
                .trim_start_matches("r#")
                .trim_start_matches('_')
                .starts_with(char::is_lowercase)
        }
        // A prefix that ends with `>` is a type with parameters.
        other => other.is_some(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tells_types_from_modules() {
        for ty in [
            quote!(Repo::),
            quote!(git::Repo::),
            quote!(Self::),
            quote!(Users::<u8>::),
            quote!(<[u8]>::),
            quote!(_R::),
        ] {
            assert!(may_be_type(&ty), "{ty}");
        }
        for module in [
            quote!(),
            quote!(::),
            quote!(self::),
            quote!(crate::git::),
            quote!(r#type::),
            quote!(_git::),
        ] {
            assert!(!may_be_type(&module), "{module}");
        }
    }
}
