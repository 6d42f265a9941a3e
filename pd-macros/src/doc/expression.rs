//! The text of a doc attribute that is an expression: `#[doc = include_str!("log.md")]`. The
//! compiler evaluates such an attribute after this macro, so the macro evaluates it, too, and
//! generated code compares the two texts.

use crate::source;
use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use std::{env, fs, path::PathBuf};
use syn::{
    Expr, ExprLit, ExprMacro, ExprUnary, Lit, Macro, Token, UnOp, punctuated::Punctuated,
    spanned::Spanned,
};

/// Returns the text of an expression of std's macros, or `None` if only the compiler can evaluate
/// it.
pub(super) fn evaluate(expression: &Expr) -> Option<String> {
    match expression {
        Expr::Group(group) => evaluate(&group.expr),
        Expr::Lit(ExprLit { lit, .. }) => literal(lit),
        // `concat!` accepts negative numbers, which syn does not parse as literals.
        Expr::Unary(ExprUnary {
            op: UnOp::Neg(_),
            expr,
            ..
        }) => evaluate(expr).map(|number| format!("-{number}")),
        Expr::Macro(ExprMacro { mac, .. }) => evaluate_macro(mac),
        _ => None,
    }
}

/// Returns the text that `concat!` makes of a literal.
fn literal(literal: &Lit) -> Option<String> {
    match literal {
        Lit::Str(text) => Some(text.value()),
        Lit::Char(letter) => Some(letter.value().to_string()),
        Lit::Bool(flag) => Some(flag.value.to_string()),
        Lit::Int(number) => Some(number.base10_digits().to_owned()),
        Lit::Float(number) => Some(number.base10_digits().to_owned()),
        _ => None,
    }
}

/// Evaluates a macro by its name. A macro of another crate may have the same name; the comparison
/// in generated code then fails.
fn evaluate_macro(mac: &Macro) -> Option<String> {
    match mac.path.segments.last()?.ident.to_string().as_str() {
        "concat" => arguments(mac)?.iter().map(evaluate).collect(),
        "include_str" => read_file(mac),
        // This macro runs in the compiler's process, so both see the same variables.
        "env" => env::var(evaluate(arguments(mac)?.first()?)?).ok(),
        "stringify" => single_token(mac.tokens.clone()),
        _ => None,
    }
}

fn arguments(mac: &Macro) -> Option<Punctuated<Expr, Token![,]>> {
    mac.parse_body_with(Punctuated::parse_terminated).ok()
}

/// Reads the file that `include_str!` names. The compiler resolves a relative path from the file
/// with the outermost macro call, which is not always known here: the path, the macro and this
/// macro's call may be in different files if a `macro_rules!` wrote them.
fn read_file(mac: &Macro) -> Option<String> {
    let arguments = arguments(mac)?;
    let argument = arguments.first()?;
    let path = PathBuf::from(evaluate(argument)?);
    if path.is_absolute() {
        return fs::read_to_string(path).ok();
    }
    let places = [
        argument.span(),
        mac.path.span(),
        proc_macro2::Span::call_site(),
    ];
    let folders = places.into_iter().filter_map(source::file_of);
    folders
        .filter_map(|file| fs::read_to_string(file.parent()?.join(&path)).ok())
        .next()
}

/// Returns the text of one token. The compiler decides on the spaces between several.
fn single_token(tokens: TokenStream) -> Option<String> {
    let mut tokens = tokens.into_iter();
    match (tokens.next()?, tokens.next()) {
        (TokenTree::Group(group), None) if group.delimiter() == proc_macro2::Delimiter::None => {
            single_token(group.stream())
        }
        (token @ (TokenTree::Ident(_) | TokenTree::Literal(_)), None) => {
            Some(token.to_token_stream().to_string())
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use syn::parse_quote;

    #[test]
    fn the_macros_of_std_are_evaluated() {
        let evaluated: [(Expr, &str); 5] = [
            (
                parse_quote!(concat!("At most ", 1_000, ", ", -2.5, ' ', true, "\n")),
                "At most 1000, -2.5 true\n",
            ),
            (
                parse_quote!(::core::concat!("See `", stringify!(log), "`.",)),
                "See `log`.",
            ),
            (
                parse_quote!(concat!(
                    concat!("a"),
                    stringify!("b"),
                    env!("CARGO_PKG_NAME")
                )),
                "a\"b\"pd-macros",
            ),
            (parse_quote!(concat!()), ""),
            (parse_quote!("text"), "text"),
        ];
        for (expression, text) in evaluated {
            assert_eq!(evaluate(&expression).as_deref(), Some(text));
        }
    }

    #[test]
    fn other_macros_are_left_to_the_compiler() {
        let others: [Expr; 5] = [
            parse_quote!(shared!()),
            parse_quote!(concat!("a", shared!())),
            parse_quote!(stringify!(a + b)),
            parse_quote!(env!("PD_MACROS_HAS_NO_SUCH_VARIABLE")),
            parse_quote!(CONSTANT),
        ];
        for expression in others {
            assert_eq!(evaluate(&expression), None);
        }
    }
}
