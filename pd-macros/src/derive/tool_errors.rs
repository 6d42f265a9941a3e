//! `#[derive(ToolErrors)]`: a variant becomes an error code, its error text the cause, and its doc
//! comment the solution.

mod cause;

use crate::{
    attributes::cfgs,
    doc::{self, DocExpressions, DocText, PlainDoc},
    errors::Errors,
    keys,
    literal::text,
    paths::RuntimePath,
};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::{Attribute, Data, DeriveInput, Generics, LitStr, Variant, ext::IdentExt, parse_quote};

/// A checked variant.
struct VariantCode {
    cfgs: Vec<Attribute>,
    variant: Ident,
    code: String,
    /// The span of the code.
    span: Span,
    /// The cause. Empty if the error text is not a literal.
    cause: String,
    /// The solution. `None` for a hidden variant, which tool descriptions do not list.
    solution: Option<DocText>,
    expressions: DocExpressions,
}

/// The parsed keys of `#[tool_error(…)]`.
#[derive(Default)]
struct VariantKeys {
    code: Option<LitStr>,
    hidden: bool,
}

/// Checks the enum and implements the trait. The impl is generated in any case, because a variant
/// with an error still has a code.
pub(super) fn expand(
    input: &DeriveInput,
    runtime: &RuntimePath,
    errors: &mut Errors,
) -> TokenStream {
    let Data::Enum(data) = &input.data else {
        errors.at(
            &input.ident,
            "each variant is a code, so this is for enums; write one, or return `ToolError`",
        );
        return emit(input, runtime, &[]);
    };
    let mut codes: Vec<VariantCode> = Vec::new();
    for variant in &data.variants {
        let code = parse(variant, errors);
        check_code(&code, &codes, errors);
        codes.push(code);
    }
    emit(input, runtime, &codes)
}

fn parse(variant: &Variant, errors: &mut Errors) -> VariantCode {
    let mut keys = VariantKeys::default();
    let lists = keys::lists(&variant.attrs, "tool_error", "code = \"…\"", errors);
    keys::read(lists, errors, |key, input| {
        match key.to_string().as_str() {
            "code" => keys.code = Some(keys::text(key, input)?),
            "hidden" => keys.hidden = keys::flag(key, input)?,
            _ => {
                return Err(keys::unknown(
                    key,
                    "`#[tool_error]` key",
                    &["code", "hidden"],
                ));
            }
        }
        Ok(())
    });
    let cfgs = cfgs(&variant.attrs);
    let span = keys
        .code
        .as_ref()
        .map_or(variant.ident.span(), LitStr::span);
    let code = keys.code.map_or_else(
        || screaming_snake(&variant.ident.unraw().to_string()),
        |code| code.value(),
    );
    // Descriptions do not list a hidden variant, so its comment is for readers of the source.
    let doc = if keys.hidden {
        PlainDoc::default()
    } else {
        doc::plain(&variant.attrs)
    };
    let solution = (!keys.hidden).then(|| doc.text.on_one_line());
    if solution.as_ref().is_some_and(DocText::is_empty) {
        errors.at(
            &variant.ident,
            format_args!(
                "the variant `{}` has no solution; write a `///` comment that explains what the caller can do",
                variant.ident
            ),
        );
    }
    let cause = cause::parse(&variant.attrs).unwrap_or_default();
    VariantCode {
        cfgs,
        variant: variant.ident.clone(),
        code,
        span,
        cause,
        solution,
        expressions: doc.expressions,
    }
}

fn check_code(code: &VariantCode, earlier: &[VariantCode], errors: &mut Errors) {
    let text = &code.code;
    if !is_code(text) {
        // A code that only has the wrong case or separator gets its correction as the suggestion.
        let meant = text.replace([' ', '-', '.'], "_").to_uppercase();
        let meant = if is_code(&meant) { &meant } else { "…" };
        let message =
            format!("a code is in SCREAMING_SNAKE case; write `#[tool_error(code = \"{meant}\")]`");
        errors.push(code.span, message);
    }
    // With `cfg`, the two variants may be alternatives of which one is compiled.
    if earlier.iter().any(|other| other.code == *text) && code.cfgs.is_empty() {
        let message =
            format!("another variant has the code `{text}`; write `#[tool_error(code = \"…\")]`");
        errors.push(code.span, message);
    }
}

fn is_code(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_uppercase())
        && text
            .chars()
            .all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_')
}

/// Converts `PathNotFound` to `PATH_NOT_FOUND`, and `HTTPError` to `HTTP_ERROR`.
fn screaming_snake(variant: &str) -> String {
    let mut code = String::new();
    let mut letters = variant.chars().peekable();
    let mut before = None;
    while let Some(letter) = letters.next() {
        let after_lower =
            before.is_some_and(|before: char| before.is_lowercase() || before.is_ascii_digit());
        // The last capital of `HTTPError` begins the next word.
        let ends_acronym = before.is_some_and(char::is_uppercase)
            && letters.peek().is_some_and(|next| next.is_lowercase());
        if letter.is_uppercase() && (after_lower || ends_acronym) {
            code.push('_');
        }
        code.extend(letter.to_uppercase());
        before = Some(letter);
    }
    code
}

/// ```text
/// impl ::pd_runtime::__private::IntoToolError for GitError {
///     const HELP: &'static [::pd_runtime::__private::ErrorHelp] =
///         &[::pd_runtime::__private::ErrorHelp::from_static(
///             "PATH_NOT_FOUND",
///             "no path {path}",
///             "Find it with `ls` first.",
///         )];
///     fn into_tool_error(self) -> ::pd_runtime::__private::Error {
///         let message = ::pd_runtime::__private::message(&self);
///         let code = match self {
///             Self::PathNotFound { .. } => "PATH_NOT_FOUND",
///         };
///         ::pd_runtime::__private::Error::new(code, message)
///     }
/// }
/// ```
fn emit(input: &DeriveInput, runtime: &RuntimePath, codes: &[VariantCode]) -> TokenStream {
    let ident = &input.ident;
    let generics = bounded(&input.generics);
    let (impl_generics, ty_generics, where_clause) = generics.split_for_impl();
    let help = codes.iter().filter_map(|code| {
        let VariantCode {
            cfgs,
            code,
            cause,
            solution,
            ..
        } = code;
        let cause = text(cause);
        let solution = solution.as_ref()?;
        Some(quote!(#(#cfgs)* #runtime::ErrorHelp::from_static(#code, #cause, #solution)))
    });
    let body = emit_body(input, runtime, codes);
    let checks = codes.iter().map(|code| {
        code.expressions
            .emit_checks(&runtime.to_token_stream(), &code.cfgs)
    });
    quote! {
        #(#checks)*
        #[automatically_derived]
        impl #impl_generics #runtime::IntoToolError for #ident #ty_generics #where_clause {
            const HELP: &'static [#runtime::ErrorHelp] = &[#(#help),*];
            fn into_tool_error(self) -> #runtime::Error {
                #body
            }
        }
    }
}

fn emit_body(input: &DeriveInput, runtime: &RuntimePath, codes: &[VariantCode]) -> TokenStream {
    match &input.data {
        Data::Enum(data) if data.variants.is_empty() => quote!(match self {}),
        Data::Enum(_) => emit_match(&input.ident, runtime, codes),
        // The error at the type is already reported. Functions that return the type must still
        // compile.
        _ => quote!(#runtime::Error::new(#runtime::Error::FAILED, "")),
    }
}

fn emit_match(ident: &Ident, runtime: &RuntimePath, codes: &[VariantCode]) -> TokenStream {
    let arms = codes.iter().map(
        |VariantCode {
             cfgs,
             variant,
             code,
             ..
         }| quote!(#(#cfgs)* Self::#variant { .. } => #code,),
    );
    // rustc reports a missing `Display` at the type's name.
    let function = quote_spanned!(Span::mixed_site().located_at(ident.span())=> message);
    let this = quote_spanned!(Span::call_site().located_at(ident.span())=> &self);
    quote! {
        let message = #runtime::#function(#this);
        let code = match self {
            #(#arms)*
        };
        #runtime::Error::new(code, message)
    }
}

/// Adds the trait's bounds to a generic error type. For a type without generics, rustc's own error
/// is clearer.
fn bounded(generics: &Generics) -> Generics {
    let mut generics = generics.clone();
    if generics.type_params().next().is_some() {
        let needed = parse_quote!(Self: ::core::fmt::Display + ::core::marker::Send);
        generics.make_where_clause().predicates.push(needed);
    }
    generics
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variants_become_codes() {
        for (variant, code) in [
            ("PathNotFound", "PATH_NOT_FOUND"),
            ("HTTPError", "HTTP_ERROR"),
            ("Io", "IO"),
            ("V2Api", "V2_API"),
        ] {
            assert_eq!(screaming_snake(variant), code);
        }
    }
}
