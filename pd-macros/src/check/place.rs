//! The rule for the place of the function: a module, or an inherent impl. The macro receives the
//! function alone, so it looks into the file.

use super::function::{NO_RECEIVER, find_self};
use crate::{
    errors::Errors,
    item::{Function, FunctionBody},
    source::{self, BlockSearch, block::BlockKind},
};
use proc_macro2::Span;
use syn::Visibility;

/// Reports a function where no tool can be. The items beside the function would be errors there,
/// too, which name only hidden items.
pub(crate) fn check(function: &Function, errors: &mut Errors) {
    let receiver = function.signature.receiver();
    let is_method = receiver.is_some();
    // A method without body is a trait's; `function::check` reports it.
    if matches!(function.body, FunctionBody::Missing(_)) {
        return;
    }
    // A trait's items have no visibility, so the blocks are searched for few methods only.
    let may_be_misplaced = matches!(function.visibility, Visibility::Inherited) || !is_method;
    let search = match may_be_misplaced {
        true => BlockSearch::All,
        false => BlockSearch::Borrowing,
    };
    let Some(block) = source::block_around(Span::call_site(), search) else {
        return;
    };
    match block.kind {
        // In a `macro_rules!`, the type may be a variable.
        BlockKind::TraitImpl(ty) if !ty.contains('$') => errors.push(
            Span::call_site(),
            format_args!(
                "a trait's method cannot be a tool; move it to `impl {ty} {{ … }}`, or write one there that calls it"
            ),
        ),
        BlockKind::TraitImpl(_) | BlockKind::Trait => errors.push(
            Span::call_site(),
            "a trait's method cannot be a tool; put `#[pd_tool]` on a method of an inherent impl that calls it",
        ),
        // `function::check` reports a mention of `Self` at its place.
        BlockKind::Inherent | BlockKind::Borrowing(_)
            if !is_method && find_self(function).is_none() =>
        {
            errors.push(function.signature.ident.span(), NO_RECEIVER)
        }
        // rustc's error is about hidden items, and names no token of the author.
        BlockKind::Borrowing(ty) => {
            if let Some(receiver) = receiver.filter(|_| !ty.contains('$')) {
                errors.at(
                    receiver,
                    format_args!(
                        "a server has its state as long as it runs, and `{ty}` borrows; own what it borrows, or write \
                         `impl {}`",
                        with_static(&ty)
                    ),
                );
            }
        }
        BlockKind::Inherent | BlockKind::Other => {}
    }
}

/// Replaces each lifetime of a type by `'static`.
fn with_static(ty: &str) -> String {
    let mut parts = ty.split('\'');
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let end = part
            .find(|letter: char| !letter.is_alphanumeric() && letter != '_')
            .unwrap_or(part.len());
        text.push_str("'static");
        text.push_str(part.get(end..).unwrap_or_default());
    }
    text
}
