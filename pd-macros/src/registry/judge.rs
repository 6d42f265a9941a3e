//! What the compiler is to judge of a literal, each rule at the token that may break it. The rules are `pd_runtime`'s.

use super::{
    check::{CheckedRegistry, Group, Node},
    parse::Tool,
};
use crate::{emit::text, missing, paths::tool_const};
use proc_macro2::{Ident, Literal, TokenStream, TokenTree};
use quote::{quote, quote_spanned};
use std::collections::HashSet;
use syn::{Attribute, LitInt};

/// ```text
/// const __PD_CONTENTS: &__pd::Contents<'_, 9> = &__pd::contents([("Repo::log", &Repo::__PD_TOOL_LOG.facts), …]);
/// const _: () = __pd::judge(__PD_CONTENTS, 0);
/// …
/// const _: () = __pd::within(__PD_CONTENTS, 900);
/// ```
///
/// Items are judged by `cargo check`, but cannot name the generics or the `Self` of what they stand in. Where a path may do
/// so, the items judge the names of the other tools alone, and an inline constant all the rest, when the code is built.
pub(super) fn emit(registry: &CheckedRegistry) -> TokenStream {
    let tools = Listed::all(&registry.nodes);
    let fallback = emit_fallback(&tools);
    let budget = registry.budget.as_ref();
    let (generic, plain): (Vec<_>, Vec<_>) = tools.iter().partition(|tool| tool.may_be_generic());
    if generic.is_empty() {
        let items = emit_items(&plain, "judge", budget);
        return quote!(#fallback #items);
    }
    let items = emit_items(&plain, "judge_name", None);
    let inline = emit_inline(&tools, budget);
    quote!(#fallback #items #inline)
}

/// The listed functions, each with the `cfg`s it stands under.
pub(super) fn functions(nodes: &[Node]) -> Vec<(Vec<Attribute>, TokenStream)> {
    let function = |Listed { tool, cfgs, .. }: Listed<'_>| {
        let (prefix, function) = (&tool.prefix, &tool.function);
        (cfgs, quote!(#prefix #function))
    };
    Listed::all(nodes).into_iter().map(function).collect()
}

fn emit_fallback(tools: &[Listed<'_>]) -> Option<TokenStream> {
    let below_types = tools.iter().filter(|tool| missing::may_be_type(&tool.tool.prefix));
    missing::emit_fallback(below_types.map(|tool| &tool.tool.function), |function| {
        let constant = tool_const(function);
        quote!(const #constant: __pd::NoSuchTool = __pd::NO_SUCH_TOOL;)
    })
}

/// The items, or nothing where there is no tool.
fn emit_items(tools: &[&Listed<'_>], judge: &str, budget: Option<&LitInt>) -> TokenStream {
    if tools.is_empty() {
        return TokenStream::new();
    }
    let count = Literal::usize_unsuffixed(tools.len());
    let entries = tools.iter().map(|tool| tool.emit_entry());
    let contents = quote!(__PD_CONTENTS);
    let judged = (0..).zip(tools).map(|(place, tool)| tool.emit_judged(judge, &contents, place));
    let within = budget.map(|budget| emit_within(&contents, budget)).into_iter();
    quote! {
        const #contents: &__pd::Contents<'_, #count> = &__pd::contents([#(#entries),*]);
        #(const _: () = #judged;)*
        #(const _: () = #within;)*
    }
}

/// ```text
/// const {
///     let contents = &__pd::contents([("Users::<T>::find", &Users::<T>::__PD_TOOL_FIND.facts), …]);
///     __pd::judge(contents, 0);
///     …
///     __pd::within(contents, 900);
/// }
/// ```
fn emit_inline(tools: &[Listed<'_>], budget: Option<&LitInt>) -> TokenStream {
    let entries = tools.iter().map(Listed::emit_entry);
    let contents = quote!(contents);
    let judged = (0..).zip(tools).map(|(place, tool)| tool.emit_judged("judge", &contents, place));
    let within = budget.map(|budget| emit_within(&contents, budget)).into_iter();
    quote! {
        const {
            let #contents = &__pd::contents([#(#entries),*]);
            #(#judged;)*
            #(#within;)*
        }
    }
}

/// `__pd::within(__PD_CONTENTS, 900)`
fn emit_within(contents: &TokenStream, budget: &LitInt) -> TokenStream {
    quote_spanned!(budget.span()=> __pd::within(#contents, #budget))
}

/// A tool, wherever it stands in the literal, with all the `cfg`s it stands under.
struct Listed<'a> {
    tool: &'a Tool,
    cfgs: Vec<Attribute>,
    path: String,
}

impl<'a> Listed<'a> {
    /// Each tool once, but for those that a `cfg` may take away.
    fn all(nodes: &'a [Node]) -> Vec<Self> {
        let (mut tools, mut certain) = (Vec::new(), HashSet::new());
        Self::collect(nodes, &[], &mut tools);
        tools.retain(|tool| !tool.cfgs.is_empty() || certain.insert(tool.path.clone()));
        tools
    }

    fn collect(nodes: &'a [Node], outer: &[Attribute], tools: &mut Vec<Self>) {
        for node in nodes {
            match node {
                Node::Tool(tool) => {
                    tools.push(Self { tool, cfgs: [outer, &tool.cfgs].concat(), path: tool.path() });
                }
                Node::Group(Group { cfgs, nodes, .. }) => Self::collect(nodes, &[outer, cfgs].concat(), tools),
            }
        }
    }

    fn may_be_generic(&self) -> bool {
        names_generics(self.tool.prefix.clone())
    }

    /// `("Repo::log", &Repo::__PD_TOOL_LOG.facts)`
    fn emit_entry(&self) -> TokenStream {
        let (path, prefix, constant) = (text(&self.path), &self.tool.prefix, tool_const(&self.tool.function));
        let entry = quote!((#path, &#prefix #constant.facts));
        let cfgs = &self.cfgs;
        let conditions: Vec<_> =
            cfgs.iter().filter_map(|cfg| cfg.meta.require_list().ok()).map(|cfg| &cfg.tokens).collect();
        let absent = match conditions.as_slice() {
            [] => return entry,
            [one] => quote!(not(#one)),
            all => quote!(not(all(#(#all),*))),
        };
        quote!(#(#cfgs)* #entry, #[cfg(#absent)] __pd::ABSENT)
    }

    /// `__pd::judge(__PD_CONTENTS, 0)`
    ///
    /// The call is the author's own to rustc, which then says no word of macros. The contents stand where the macro does, so that rustc says but once that it could not make them.
    fn emit_judged(&self, judge: &str, contents: &TokenStream, place: usize) -> TokenStream {
        let span = self.tool.function.span();
        let (judge, place) = (Ident::new(judge, span), Literal::usize_unsuffixed(place));
        quote_spanned!(span=> __pd::#judge(#contents, #place))
    }
}

fn names_generics(path: TokenStream) -> bool {
    path.into_iter().any(|token| match token {
        TokenTree::Ident(name) => name == "Self",
        TokenTree::Punct(mark) => mark.as_char() == '<',
        TokenTree::Group(group) => names_generics(group.stream()),
        TokenTree::Literal(_) => false,
    })
}
