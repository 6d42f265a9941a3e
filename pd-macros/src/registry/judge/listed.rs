//! The tools that a literal lists, and what is judged of each: its name, and what it is related to.

use super::free::FreeFacts;
use crate::{
    emit::text,
    registry::{
        check::{Group, Node},
        parse::Tool,
    },
};
use proc_macro2::{Ident, Literal, TokenStream};
use quote::{quote, quote_spanned};
use std::collections::HashSet;
use syn::Attribute;

/// A tool, wherever it stands in the literal, with all the `cfg`s it stands under.
pub(super) struct Listed<'a> {
    pub(super) tool: &'a Tool,
    pub(super) cfgs: Vec<Attribute>,
    path: String,
}

impl<'a> Listed<'a> {
    /// Each tool once, but for those that a `cfg` may take away.
    pub(super) fn all(nodes: &'a [Node]) -> Vec<Self> {
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
                Node::Group(Group { heading, nodes }) => {
                    Self::collect(nodes, &[outer, &heading.cfgs].concat(), tools);
                }
            }
        }
    }

    /// `("Repo::log", &Repo::__PD_TOOL_LOG.facts)`, `("now", __PD_FACTS_NOW)`
    pub(super) fn emit_entry(&self, facts: &FreeFacts) -> TokenStream {
        let path = text(&self.path);
        let facts = facts.emit(self.tool, &self.cfgs);
        let entry = quote!((#path, #facts));
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
    pub(super) fn emit_judged(&self, judge: &str, contents: &TokenStream, place: usize) -> TokenStream {
        let span = self.tool.function.span();
        let (judge, place) = (Ident::new(judge, span), Literal::usize_unsuffixed(place));
        quote_spanned!(span=> __pd::#judge(#contents, #place))
    }
}
