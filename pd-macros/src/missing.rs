//! Paths that name no tool. A path below a type falls back to a local trait's constant, which the compiler takes when the
//! type has no such constant of its own, or none that can be seen; so it can speak of tools. Any other path has no such way
//! out: whatever a macro declares for a bare name would shadow the tools of an enclosing function. It is asked for in a
//! pattern, where a struct that is missing is a variable and no error.

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
/// or nothing, if there are no such functions. `constants` are those that may be named of one.
pub(crate) fn emit_fallback<'a>(
    functions: impl Iterator<Item = &'a Ident>,
    constants: impl Fn(&Ident) -> TokenStream,
) -> Option<TokenStream> {
    let once: Vec<_> = functions.collect::<BTreeSet<_>>().into_iter().map(constants).collect();
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
/// or, of a function below a module,
///
/// ```text
/// {
///     #[allow(non_snake_case)]
///     fn __PD_TOOL_NOW() {}
///     {
///         #[allow(unused_imports)]
///         use clock::*;
///         __pd::tool(&clock::now, |__PD_TOOL_NOW| loop {})
///     }
/// }
/// ```
///
/// `call` is `__pd::tool`, or what else takes a function and its tool's struct. The closure is never called. Where there is
/// a struct, the pattern names its type. Otherwise the pattern is a variable, and the type is what rustc takes for a value
/// that never exists. Where the function is missing as well, rustc reports that alone.
///
/// A glob import brings the struct of a module, if it has one. The function in the outer block hides a struct of the same
/// name that belongs to a tool in scope; to a pattern it is nothing.
pub(crate) fn emit_call(call: &TokenStream, prefix: &TokenStream, function: &Ident) -> TokenStream {
    let found = emit_found(call, &quote!(#prefix #function), function);
    if prefix.is_empty() {
        return found;
    }
    let key = tool_const(function);
    quote!({
        #[allow(non_snake_case)]
        fn #key() {}
        {
            #[allow(unused_imports)]
            use #prefix *;
            #found
        }
    })
}

/// `__pd::tool(&clock::now, |__PD_TOOL_NOW| loop {})`, with what is named of the function, all of it at its name.
pub(crate) fn emit_found(call: &TokenStream, named: &TokenStream, function: &Ident) -> TokenStream {
    let key = tool_const(function);
    quote_spanned!(Span::mixed_site().located_at(function.span())=> #call(&#named, |#key| loop {}))
}

/// Whether what stands before a tool's name may be a type. A name in lower case is taken for a module's: all that a
/// mistake costs here is the better message.
pub(crate) fn may_be_type(prefix: &TokenStream) -> bool {
    let last =
        prefix.clone().into_iter().filter(|token| !matches!(token, TokenTree::Punct(colon) if colon.as_char() == ':'));
    match last.last() {
        Some(TokenTree::Ident(name)) => {
            let name = name.to_string();
            !name.trim_start_matches("r#").trim_start_matches('_').starts_with(char::is_lowercase)
        }
        other => other.is_some(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tells_types_from_modules() {
        for ty in
            [quote!(Repo::), quote!(git::Repo::), quote!(Self::), quote!(Users::<u8>::), quote!(<[u8]>::), quote!(_R::)]
        {
            assert!(may_be_type(&ty), "{ty}");
        }
        for module in [quote!(), quote!(::), quote!(self::), quote!(crate::git::), quote!(r#type::), quote!(_git::)] {
            assert!(!may_be_type(&module), "{module}");
        }
    }
}
