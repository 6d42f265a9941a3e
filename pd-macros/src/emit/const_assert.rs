//! The compile-time checks: nested constants that fail to compile if a value does not fit.

use crate::{
    const_assert::{
        AssertionSubject, ConstAssertion, ConstAssertions, ConstantBound, UnprovenArgument,
    },
    literal::text,
    ty::{plain, without_lifetimes},
};
use proc_macro2::{Ident, Literal, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use std::collections::BTreeMap;
use syn::{ExprPath, spanned::Spanned};

/// ```text
/// const __PD_ARGUMENTS: &[__pd::Field] = { … };
/// const _: () = __pd::check_example("log", 1, r#"{ "order": "newest" }"#, __PD_ARGUMENTS);
/// ```
pub(super) fn emit(proof: &ConstAssertions) -> TokenStream {
    let arguments = (!proof.arguments.is_empty()).then(|| {
        let arguments = emit_arguments(proof);
        quote!(const __PD_ARGUMENTS: &[__pd::Field] = #arguments;)
    });
    let errors = proof.returns.as_ref().map(|returns| {
        let returns = without_lifetimes(returns.to_token_stream());
        let errors = emit_probed(
            &proof.uncertain,
            &quote!(__pd::ShapeProbe::<#returns>::ERRORS),
        );
        quote!(const __PD_ERRORS: &[__pd::ErrorHelp] = #errors;)
    });
    let result_keys = proof.has_result_keys().then(|| {
        let keys = emit_probed(&proof.uncertain, &emit_result_keys(proof));
        quote!(const __PD_RESULT_KEYS: &[__pd::ResultKey] = #keys;)
    });
    let checks = proof.checks.iter().map(|check| emit_check(proof, check));
    let texts = &proof.texts;
    quote!(#arguments #errors #result_keys #(#checks)* #texts)
}

fn emit_arguments(proof: &ConstAssertions) -> TokenStream {
    let fields = proof.arguments.iter().map(emit_argument);
    emit_probed(&proof.uncertain, &quote!(&[#(#fields),*]))
}

/// Wraps an expression that names types.
///
/// A nested item cannot name a type parameter of the impl. Each uncertain name is first an alias of
/// `UnknownType`, and the glob import in the inner block then shadows the alias if the module has a
/// type of that name.
fn emit_probed(uncertain: &BTreeMap<String, Ident>, probed: &TokenStream) -> TokenStream {
    let names = uncertain.values();
    if uncertain.is_empty() {
        return quote!({
            #[allow(unused_imports)]
            use __pd::ShapeFallback as _;
            #probed
        });
    }
    quote!({
        #(#[allow(dead_code)] type #names = __pd::UnknownType;)*
        {
            #[allow(unused_imports)]
            use {self::*, __pd::ShapeFallback as _};
            #probed
        }
    })
}

/// Emits `__pd::Field::new("order", __pd::ShapeProbe::<Order>::SHAPE).or_default()`.
fn emit_argument(argument: &UnprovenArgument) -> TokenStream {
    let UnprovenArgument {
        cfgs,
        name,
        ty,
        may_lack,
        is_alone,
    } = argument;
    let shape = match ty {
        Some(ty) => {
            let ty = without_lifetimes(ty.to_token_stream());
            quote!(__pd::ShapeProbe::<#ty>::SHAPE)
        }
        None => quote!(__pd::Shape::Unknown),
    };
    let or_default = may_lack.then(|| quote!(.or_default()));
    let alone = is_alone.then(|| quote!(.alone()));
    quote!(#(#cfgs)* __pd::Field::new(#name, #shape) #or_default #alone)
}

/// Emits `&[__pd::ResultKey { key: "Point", pairs: "Vec<(Point, u32)>", … }]`.
///
/// The compiler can check only a key that implements `ToolArg`. `Registry::check` checks every key
/// by its schema.
fn emit_result_keys(proof: &ConstAssertions) -> TokenStream {
    let keys = proof.result_keys().map(|(key, pairs)| {
        let words = plain(key);
        let key = without_lifetimes(key.to_token_stream());
        quote!(__pd::ResultKey {
            key: #words,
            pairs: #pairs,
            schema: __pd::ShapeProbe::<#key>::KEY_SCHEMA,
            trace: __pd::ShapeProbe::<#key>::KEY_TRACE,
        })
    });
    quote!(&[#(#keys),*])
}

/// Emits the checks that are statements of the declaration's block.
pub(super) fn emit_inline(proof: &ConstAssertions) -> Option<TokenStream> {
    let checks = proof.inline.iter().map(|check| {
        let cfgs = &check.cfgs;
        let call = emit_call(proof, check);
        quote!(#(#cfgs)* #call;)
    });
    (!proof.inline.is_empty()).then(|| quote!(#(#checks)*))
}

fn emit_check(proof: &ConstAssertions, check: &ConstAssertion) -> TokenStream {
    let cfgs = &check.cfgs;
    let call = emit_call(proof, check);
    // A separate item for each check, so that rustc reports every check that fails.
    quote!(#(#cfgs)* const _: () = #call;)
}

fn emit_call(proof: &ConstAssertions, check: &ConstAssertion) -> TokenStream {
    let ConstAssertion {
        from, to, subject, ..
    } = check;
    let function = &proof.function;
    let (call, arguments) = emit_subject(proof, subject);
    // rustc underlines from the path's first token to the parentheses. The author's spans keep the
    // words "in this macro" out of its errors. The names still resolve, because items are not
    // subject to macro hygiene.
    let call = Ident::new(call, *from);
    let path = quote_spanned!(*from=> __pd::#call);
    let passed = quote_spanned!(*to=> (#function, #arguments));
    quote!(#path #passed)
}

/// Returns the name of the checking function, and its arguments after the tool's name.
fn emit_subject(
    proof: &ConstAssertions,
    subject: &AssertionSubject,
) -> (&'static str, TokenStream) {
    match subject {
        AssertionSubject::Example(number, input) => {
            // Without a suffix, the expansion reads as if written by hand.
            let number = Literal::usize_unsuffixed(*number);
            let input = text(input);
            ("check_example", quote!(#number, #input, __PD_ARGUMENTS))
        }
        AssertionSubject::Default(argument, value) => {
            let value = text(&value.to_string());
            ("check_default", quote!(#argument, #value, __PD_ARGUMENTS))
        }
        AssertionSubject::OneOf(argument, values) => {
            let values = text(&values.to_string());
            ("check_one_of", quote!(#argument, #values, __PD_ARGUMENTS))
        }
        AssertionSubject::Keyword {
            argument,
            word,
            limits,
            value,
        } => {
            let limits = format_ident!("{limits}");
            let value = text(&value.to_string());
            (
                "check_keyword",
                quote!(#argument, #word, __pd::KeywordTarget::#limits, #value, __PD_ARGUMENTS),
            )
        }
        AssertionSubject::Constant {
            argument,
            path,
            uncertain,
            kind,
            bound,
            limit,
        } => {
            let kind = format_ident!("{kind}");
            let limit = text(limit);
            // A constant parameter cannot be a string, so only a number may be one.
            let value = if kind == "Number" {
                emit_number(path, uncertain.as_ref())
            } else {
                quote!(#path)
            };
            let bound = emit_bound(bound);
            (
                "check_constant",
                quote!(#argument, __pd::ConstantValue::#kind(#value), #bound, #limit),
            )
        }
        AssertionSubject::ErrorCode(code) => ("check_error_code", quote!(#code, __PD_ERRORS)),
        AssertionSubject::MapKey { key, pairs, .. } => {
            let words = plain(key);
            let key = without_lifetimes(key.to_token_stream());
            let shape = emit_probed(&proof.uncertain, &quote!(__pd::ShapeProbe::<#key>::SHAPE));
            ("check_map_key", quote!(#words, #pairs, #shape))
        }
        AssertionSubject::Root => ("check_root", quote!(__PD_ARGUMENTS)),
        AssertionSubject::Wrapper {
            ty,
            uncertain,
            is_alone,
            otherwise,
        } => {
            let ty = without_lifetimes(ty.to_token_stream());
            let shape = emit_probed(uncertain, &quote!(&__pd::ShapeProbe::<#ty>::SHAPE));
            let is_whole = emit_probed(uncertain, &quote!(__pd::ShapeProbe::<#ty>::IS_WHOLE));
            (
                "check_wrapper",
                quote!(#shape, #is_whole, #is_alone, #otherwise),
            )
        }
    }
}

/// Emits `MOST as f64`. A constant parameter of the impl, which no nested item can name, has the
/// value "not known".
fn emit_number(path: &ExprPath, uncertain: Option<&Ident>) -> TokenStream {
    let number = quote_spanned!(path.span()=> #path as f64);
    let Some(name) = uncertain else { return number };
    quote!({
        #[allow(dead_code)]
        const #name: f64 = __pd::NOT_KNOWN;
        {
            #[allow(unused_imports)]
            use self::*;
            #number
        }
    })
}

fn emit_bound(bound: &ConstantBound) -> TokenStream {
    match bound {
        ConstantBound::Size(name, size) => {
            let name = format_ident!("{name}");
            let size = Literal::f64_unsuffixed(*size);
            quote!(__pd::ConstantBound::#name(#size))
        }
        ConstantBound::OneOf(texts) => quote!(__pd::ConstantBound::OneOf(&[#(#texts),*])),
    }
}
