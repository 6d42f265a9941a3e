//! Compile-time checks of a literal, each at the token that may break the rule. `pd_runtime`
//! contains the rules.

mod bundled;
mod free;
mod listed;

use super::{check::CheckedRegistry, parse::ToolPath};
use crate::{fallback, paths::tool_const};
use bundled::BundledTool;
use free::FreeFacts;
use listed::ListedTool;
use proc_macro2::{Literal, TokenStream};
use quote::{quote, quote_spanned};
use syn::{Attribute, LitInt};

/// ```text
/// const __PD_CONTENTS: &__pd::RegistryContents<'_, 9> =
///     &__pd::contents([("Repo::log", &Repo::__PD_TOOL_LOG.facts), …]);
/// const _: () = __pd::judge(__PD_CONTENTS, 0);
/// …
/// const _: () = __pd::judge_bundled(__PD_CONTENTS, "who-broke-it", &Repo::__PD_TOOL_BLAME.facts);
/// …
/// const _: () = __pd::within(__PD_CONTENTS, 900);
/// ```
///
/// `cargo check` evaluates items, but items cannot name the generics or the `Self` of the code
/// around them. If a path may contain these, the items check only the names of the other tools, and
/// an inline constant checks the rest when the code is built.
pub(super) fn emit(registry: &CheckedRegistry) -> TokenStream {
    let tools = ListedTool::all(&registry.nodes);
    let bundled = BundledTool::all(&registry.bundles);
    let fallback = emit_fallback(
        tools
            .iter()
            .map(|one| one.tool)
            .chain(bundled.iter().map(|one| one.tool)),
    );
    let facts = FreeFacts::collect(
        tools
            .iter()
            .map(|one| (one.tool, &*one.cfgs))
            .chain(bundled.iter().map(|one| (one.tool, &*one.cfgs))),
    );
    let fact_items = facts.emit_items();
    let budget = registry.budget.as_ref();
    let (generic, plain): (Vec<_>, Vec<_>) =
        tools.iter().partition(|one| one.tool.may_be_generic());
    if generic.is_empty() && !bundled.iter().any(|one| one.tool.may_be_generic()) {
        let items = emit_items(&plain, "judge", &bundled, &facts, budget);
        return quote!(#fallback #fact_items #items);
    }
    // Bundles and the budget concern all tools, so the inline constant checks them.
    let items = emit_items(&plain, "judge_name", &[], &facts, None);
    let inline = emit_inline(&tools, &bundled, &facts, budget);
    quote!(#fallback #fact_items #items #inline)
}

/// Returns whether the literal names a free function. rustc may warn about one that is deprecated.
pub(super) fn names_functions(registry: &CheckedRegistry) -> bool {
    let listed = ListedTool::all(&registry.nodes)
        .into_iter()
        .map(|one| one.tool);
    listed
        .chain(
            BundledTool::all(&registry.bundles)
                .into_iter()
                .map(|one| one.tool),
        )
        .any(|tool| !tool.is_below_type())
}

/// Returns the named functions, each with the `cfg`s of its entry.
pub(super) fn functions(registry: &CheckedRegistry) -> Vec<(Vec<Attribute>, TokenStream)> {
    let listed = ListedTool::all(&registry.nodes)
        .into_iter()
        .map(|one| (one.tool, one.cfgs));
    let bundled = BundledTool::all(&registry.bundles)
        .into_iter()
        .map(|one| (one.tool, one.cfgs));
    listed
        .chain(bundled)
        .map(|(tool, cfgs)| (cfgs, tool.function_path()))
        .collect()
}

fn emit_fallback<'a>(tools: impl Iterator<Item = &'a ToolPath>) -> Option<TokenStream> {
    // Only a path below a type can fall back to a trait's constant.
    let below_types = tools.filter(|tool| fallback::may_be_type(&tool.prefix));
    fallback::emit_fallback(below_types.map(|tool| &tool.function), |function| {
        let constant = tool_const(function);
        quote!(const #constant: __pd::NoSuchTool = __pd::NO_SUCH_TOOL;)
    })
}

/// Emits the items, or nothing if no tool is named.
fn emit_items(
    tools: &[&ListedTool<'_>],
    judge: &str,
    bundled: &[BundledTool<'_>],
    facts: &FreeFacts,
    budget: Option<&LitInt>,
) -> TokenStream {
    if tools.is_empty() && bundled.is_empty() {
        return TokenStream::new();
    }
    // rustc does not infer an array's length in the type of a constant.
    let count = Literal::usize_unsuffixed(tools.len());
    let entries = tools.iter().map(|tool| tool.emit_entry(facts));
    let contents = quote!(__PD_CONTENTS);
    let judged = (0..)
        .zip(tools)
        .map(|(place, tool)| tool.emit_judged(judge, &contents, place));
    let bundled = bundled
        .iter()
        .map(|one| one.emit_judged(&contents, facts, |judged| quote!(const _: () = #judged;)));
    let within = budget
        .map(|budget| emit_within(&contents, budget))
        .into_iter();
    quote! {
        const #contents: &__pd::RegistryContents<'_, #count> = &__pd::contents([#(#entries),*]);
        #(const _: () = #judged;)*
        #(#bundled)*
        #(const _: () = #within;)*
    }
}

/// ```text
/// const {
///     let contents =
///         &__pd::contents([("Users::<T>::find", &Users::<T>::__PD_TOOL_FIND.facts), …]);
///     __pd::judge(contents, 0);
///     …
///     __pd::judge_bundled(contents, "who-has-it", &Users::<T>::__PD_TOOL_FIND.facts);
///     …
///     __pd::within(contents, 900);
/// }
/// ```
fn emit_inline(
    tools: &[ListedTool<'_>],
    bundled: &[BundledTool<'_>],
    facts: &FreeFacts,
    budget: Option<&LitInt>,
) -> TokenStream {
    let entries = tools.iter().map(|tool| tool.emit_entry(facts));
    let contents = quote!(contents);
    let judged = (0..)
        .zip(tools)
        .map(|(place, tool)| tool.emit_judged("judge", &contents, place));
    let bundled = bundled
        .iter()
        .map(|one| one.emit_judged(&contents, facts, |judged| quote!(#judged;)));
    let within = budget
        .map(|budget| emit_within(&contents, budget))
        .into_iter();
    quote! {
        const {
            let #contents = &__pd::contents([#(#entries),*]);
            #(#judged;)*
            #(#bundled)*
            #(#within;)*
        }
    }
}

/// Emits `__pd::within(__PD_CONTENTS, 900)`.
fn emit_within(contents: &TokenStream, budget: &LitInt) -> TokenStream {
    // At the budget, so that rustc reports an exceeded one there.
    quote_spanned!(budget.span()=> __pd::within(#contents, #budget))
}
