//! Checks of argument types that may take all arguments, or belong to another framework.

use super::{
    AssertionSubject, ConstAssertion, ConstAssertions, ends_of,
    naming::{is_concrete, is_nameable, uncertain_names},
};
use crate::{
    lent::inner,
    parameter::{Argument, WrapperKind},
    std_types::StdType,
    ty::{inner_types, plain, with_unknown},
};
use std::collections::BTreeMap;
use syn::Type;

impl ConstAssertions {
    pub(super) fn check_root(&mut self, arguments: &[&Argument]) {
        if let [only] = arguments
            && only.may_be_whole()
            // `check_wrapper` checks these two.
            && !matches!(
                only.wrapper(),
                Some(WrapperKind::Parameters(_) | WrapperKind::OfRmcp)
            )
            && !only.constraints.unchecked
        {
            self.check(only, ends_of(&only.ty), AssertionSubject::Root);
        }
    }

    /// Adds a check of a wrapper. The content of `Parameters<…>` may be a type that no nested item
    /// can name, so the check uses `Parameters<Unknown>`.
    pub(super) fn check_wrapper(&mut self, argument: &Argument, is_alone: bool, is_method: bool) {
        // A method's type may be a type parameter of the impl, which tokens do not show.
        let can_name = if is_method { is_nameable } else { is_concrete };
        let (probed_type, place, otherwise) = match argument.wrapper() {
            Some(WrapperKind::Parameters(ty)) => (
                with_unknown(ty),
                ty,
                "this is rmcp's `Parameters`; write `use pd_runtime::Args as Parameters`"
                    .to_owned(),
            ),
            Some(WrapperKind::Pattern) => {
                let instead = format!(
                    "an argument needs a name; write `name: {}` and take it apart inside",
                    plain(&argument.ty)
                );
                (argument.ty.clone(), &argument.ty, instead)
            }
            Some(WrapperKind::OfRmcp) => (argument.ty.clone(), &argument.ty, String::new()),
            None => return self.check_generic(argument, is_alone, is_method),
        };
        if can_name(&probed_type) {
            let mut uncertain = BTreeMap::new();
            if is_method {
                uncertain_names(&probed_type, &mut uncertain);
            }
            self.check(
                argument,
                ends_of(place),
                AssertionSubject::Wrapper {
                    ty: probed_type,
                    uncertain,
                    is_alone,
                    otherwise,
                },
            );
        } else {
            self.check_inline(argument, place, is_alone, &otherwise);
        }
    }

    /// Adds checks of types that may be a wrapper under another name: `use …::Parameters as Input`.
    fn check_generic(&mut self, argument: &Argument, is_alone: bool, is_method: bool) {
        let can_name = if is_method { is_nameable } else { is_concrete };
        // A part has the type `Selected<T>`, which does not take all arguments.
        if argument.is_part {
            return;
        }
        let may_be_wrapper =
            |ty: &Type| StdType::from_type(ty) == StdType::Unknown && inner(ty).is_some();
        // `check_root` checks the only argument if a nested item can name its type.
        if may_be_wrapper(&argument.ty) && !(is_alone && can_name(&argument.ty)) {
            self.check_inline(argument, &argument.ty, is_alone, "");
        }
        for ty in inner_types(&argument.ty)
            .into_iter()
            .filter(|ty| may_be_wrapper(ty))
        {
            self.check_inline(argument, ty, true, "");
        }
    }

    fn check_inline(&mut self, argument: &Argument, ty: &Type, is_alone: bool, otherwise: &str) {
        // A type with `impl` or `_` cannot be written elsewhere, so it is not checked.
        if is_concrete(ty) {
            let (from, to) = ends_of(ty);
            let ty = ty.clone();
            let otherwise = otherwise.to_owned();
            let subject = AssertionSubject::Wrapper {
                ty,
                uncertain: BTreeMap::new(),
                is_alone,
                otherwise,
            };
            self.inline.push(ConstAssertion {
                cfgs: argument.cfgs.clone(),
                from,
                to,
                subject,
            });
        }
    }
}
