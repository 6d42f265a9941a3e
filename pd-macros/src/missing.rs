//! Paths that name no tool. A path below a type falls back to a local trait's constant, which the compiler takes when the
//! type has no such constant of its own, or none that can be seen; so it can speak of tools. A path below a module falls back
//! to a local constant, which a glob import of that module shadows. A bare name has no such way out: whatever a macro declares
//! for it would shadow the tools of an enclosing function. `emit::related` asks for it in a pattern.

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
/// {
///     const __PD_TOOL_NOW: __pd::NoSuchTool = __pd::NO_SUCH_TOOL;
///     {
///         #[allow(unused_imports)]
///         use clock::*;
///         __pd::Declaration::node(__PD_TOOL_NOW)
///     }
/// }
/// ```
///
/// An expression over a constant of the module in `prefix`, or over `fallback` where the module has none that can be seen.
/// Each expression has a block of its own: beside others, the fallback would shadow a bare name.
pub(crate) fn emit_in_module(prefix: &TokenStream, fallback: &TokenStream, expression: &TokenStream) -> TokenStream {
    quote!({
        #fallback
        {
            #[allow(unused_imports)]
            use #prefix *;
            #expression
        }
    })
}

/// ```text
/// (*{
///     #[allow(…)]
///     let tool = __pd::keyed(&clock::now, || {
///         let key = loop {};
///         let __PD_KEY_NOW = key;
///         key
///     });
///     tool
/// })
/// ```
///
/// The closure is never called. Where there is a key, the pattern names its type. Otherwise the pattern is a variable, and
/// the type is what rustc takes for a value that never exists: no key, which it reports in our words. Where the function is
/// missing as well, rustc reports that alone.
pub(crate) fn emit_keyed(prefix: &TokenStream, function: &Ident, key: &Ident) -> TokenStream {
    let span = Span::mixed_site().located_at(function.span());
    quote_spanned! {span=>
        (*{
            #[allow(deprecated, unreachable_code, unused_variables, clippy::all)]
            let tool = __pd::keyed(&#prefix #function, || {
                let key = loop {};
                let #key = key;
                key
            });
            tool
        })
    }
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
