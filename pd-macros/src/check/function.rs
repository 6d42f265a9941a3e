//! The rules for the function itself: signature, body and attributes.

use crate::{
    args::Args,
    attributes,
    errors::Errors,
    item::{Function, FunctionBody, is_ours},
    map_keys,
    model::Callee,
    owned_form::owned,
    ty::{generics, inner_types, last_segment, peel, without_lifetimes},
};
use proc_macro2::{TokenStream, TokenTree};
use quote::{ToTokens, quote_spanned};
use syn::{
    Attribute, GenericArgument, GenericParam, Lifetime, ReturnType, Safety, Signature, Type,
};

/// The error for a function in an impl without a receiver.
pub(super) const NO_RECEIVER: &str =
    "a tool in an impl is a method; write `&self` as its first parameter";

/// Checks the function's own form.
pub(super) fn check(function: &Function, args: &Args, errors: &mut Errors) -> Callee {
    let signature = &function.signature;
    check_once(function, errors);
    check_body(function, errors);
    check_safety(signature, errors);
    check_generics(signature, errors);
    check_return_type(signature, errors);
    check_blocking(signature, args, errors);
    check_timeout(signature, args, errors);
    check_self(function, errors);
    Callee {
        ident: signature.ident.clone(),
        visibility: function.visibility.clone(),
        cfgs: attributes::cfgs(&function.attributes),
        is_method: signature.receiver().is_some(),
        is_async: signature.asyncness.is_some(),
        is_deprecated: attributes::called(&function.attributes, "deprecated")
            .next()
            .is_some(),
        allowed: allowed(&function.attributes),
        returns: match &signature.output {
            // The span of the name: a return type that is absent has no tokens for an error to
            // point at.
            ReturnType::Default => quote_spanned!(signature.ident.span()=> ()),
            ReturnType::Type(_, ty) => without_lifetimes(ty.to_token_stream()),
        },
    }
}

/// Rejects a second `#[pd_tool]`. It would expand independently and generate the same constants
/// again.
fn check_once(function: &Function, errors: &mut Errors) {
    if let Some(second) = function
        .attributes
        .iter()
        .find(|attribute| is_ours(attribute))
    {
        errors.at(
            second,
            "a function is one tool, and `#[pd_tool]` occurs twice here; keep one",
        );
    }
}

/// Returns the lints to allow on generated items: those that the function allows or expects. The
/// function itself fulfills an `expect`, so generated items use `allow` for it.
fn allowed(attributes: &[Attribute]) -> Vec<TokenStream> {
    let declared =
        attributes::called(attributes, "allow").chain(attributes::called(attributes, "expect"));
    declared
        .filter_map(|attribute| {
            attribute
                .meta
                .require_list()
                .ok()
                .map(|list| list.tokens.clone())
        })
        .collect()
}

fn check_body(function: &Function, errors: &mut Errors) {
    if let FunctionBody::Missing(_) = &function.body {
        errors.at(
            &function.signature.ident,
            "a trait's method cannot be a tool; put `#[pd_tool]` on a method of an inherent impl",
        );
    }
}

fn check_safety(signature: &Signature, errors: &mut Errors) {
    if let Safety::Unsafe(unsafety) = &signature.safety {
        errors.at(
            unsafety,
            "anyone can call a tool, so it cannot be `unsafe`; remove the word",
        );
    }
}

fn check_generics(signature: &Signature, errors: &mut Errors) {
    for parameter in &signature.generics.params {
        // Lifetime parameters are allowed, because a schema does not depend on them.
        if let GenericParam::Type(_) | GenericParam::Const(_) = parameter {
            errors
                .at(parameter, "a tool has one schema, so its types are concrete; write one, or make the impl generic");
        }
    }
}

fn check_return_type(signature: &Signature, errors: &mut Errors) {
    let ReturnType::Type(_, ty) = &signature.output else {
        return;
    };
    // The word may be nested, as in `Result<impl Serialize, E>`, so the tokens are searched.
    if let Some(word) = find(ty.to_token_stream(), "impl") {
        errors.at(
            &word,
            "a tool's return type gives its output schema; write a concrete type instead of `impl`",
        );
    }
    check_owned(peel(ty), errors);
    check_failure(peel(ty), errors);
    map_keys::check(ty, errors);
}

/// Rejects a `Result` inside of `Json`: an `Err` would be sent as the data of a call that
/// succeeded.
fn check_failure(ty: &Type, errors: &mut Errors) {
    let is_called =
        |ty: &Type, name: &str| last_segment(ty).is_some_and(|segment| segment.ident == name);
    // `peel` removes parentheses and groups, which do not change a type.
    for inner in inner_types(ty).into_iter().map(peel) {
        if is_called(ty, "Json") && is_called(inner, "Result") {
            let message = "an `Err` inside of `Json` would be the data of a call that succeeded; write `Result<Json<…>, …>`";
            errors.at(inner, message);
        } else if is_called(ty, "Result") {
            check_failure(inner, errors);
        }
    }
}

fn check_owned(ty: &Type, errors: &mut Errors) {
    let is_static = |lifetime: &Lifetime| lifetime.ident == "static";
    if let Type::Reference(reference) = ty
        && !reference.lifetime.as_ref().is_some_and(is_static)
    {
        let owned = owned(reference);
        return errors.at(
            reference,
            format_args!("a result outlives what the tool borrows; write `{owned}`"),
        );
    }
    for argument in generics(ty) {
        if let GenericArgument::Lifetime(lifetime) = argument
            && !is_static(lifetime)
        {
            errors.at(
                lifetime,
                "a result outlives what the tool borrows; own it, and write `'static`",
            );
        }
    }
    inner_types(ty)
        .into_iter()
        .for_each(|inner| check_owned(inner, errors));
}

fn check_blocking(signature: &Signature, args: &Args, errors: &mut Errors) {
    if let Some(blocking) = args.blocking.as_ref().filter(|blocking| blocking.value)
        && signature.asyncness.is_some()
    {
        errors.at(
            &blocking.key,
            "`blocking` is for a plain `fn`; remove it, or remove `async`",
        );
    }
}

/// Rejects `timeout` on a plain function that is not `blocking`. Such a function runs to its end
/// within one poll, so no timer can stop it.
fn check_timeout(signature: &Signature, args: &Args, errors: &mut Errors) {
    let is_blocking = args
        .blocking
        .as_ref()
        .is_some_and(|blocking| blocking.value);
    if let Some(timeout) = &args.timeout
        && signature.asyncness.is_none()
        && !is_blocking
    {
        errors.at(
            &timeout.key,
            "a plain `fn` cannot be stopped; add `blocking` beside `timeout`, or make it `async`",
        );
    }
}

/// Rejects `Self` in a function without a receiver. Generated code assumes that such a function is
/// not in an impl.
fn check_self(function: &Function, errors: &mut Errors) {
    if let Some(mention) = find_self(function) {
        errors.at(&mention, NO_RECEIVER);
    }
}

/// Finds a mention of `Self` in a function without a receiver.
pub(crate) fn find_self(function: &Function) -> Option<TokenTree> {
    let signature = &function.signature;
    if signature.receiver().is_some() {
        return None;
    }
    let types = signature
        .inputs
        .to_token_stream()
        .into_iter()
        .chain(signature.output.to_token_stream());
    find(types.collect(), "Self").or_else(|| match &function.body {
        // A body with an `impl` block may use that block's `Self`, so it is not searched.
        FunctionBody::Block(body) if find(body.stream(), "impl").is_none() => {
            find(body.stream(), "Self")
        }
        _ => None,
    })
}

/// Finds the first occurrence of a word, also inside groups.
fn find(tokens: TokenStream, word: &str) -> Option<TokenTree> {
    tokens.into_iter().find_map(|token| match token {
        TokenTree::Ident(ident) if ident == word => Some(ident.into()),
        TokenTree::Group(group) => find(group.stream(), word),
        _ => None,
    })
}
