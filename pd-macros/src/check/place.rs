//! The rule for the place of the function: a module, or an inherent impl. The macro receives the
//! function alone, so it looks into the file.

use super::function::{NO_RECEIVER, find_self};
use crate::{
    errors::Errors,
    item::{Function, FunctionBody},
    source::{self, block::BlockKind},
};
use proc_macro2::Span;
use syn::Visibility;

/// Reports a function where no tool can be. The items beside the function would be errors there,
/// too, which name only hidden items.
pub(crate) fn check(function: &Function, errors: &mut Errors) {
    let is_method = function.signature.receiver().is_some();
    // A trait's items have no visibility, so a file is read for few methods only. A method without
    // body is a trait's; `function::check` reports it.
    let may_be_misplaced = matches!(function.visibility, Visibility::Inherited) || !is_method;
    if !may_be_misplaced || matches!(function.body, FunctionBody::Missing(_)) {
        return;
    }
    let Some(block) = source::block_around(Span::call_site()) else {
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
        BlockKind::Inherent if !is_method && find_self(function).is_none() => {
            errors.push(function.signature.ident.span(), NO_RECEIVER)
        }
        BlockKind::Inherent | BlockKind::Other => {}
    }
}
