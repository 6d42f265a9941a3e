//! The tools that a literal lists, and the checks of each: its name, and its related tools.

use super::free::FreeFacts;
use crate::{
    literal::text,
    registry::{
        check::{Group, RegistryNode},
        parse::ToolPath,
    },
};
use proc_macro2::{Ident, Literal, TokenStream};
use quote::{quote, quote_spanned};
use std::collections::HashSet;
use syn::Attribute;

/// A listed tool, with the `cfg`s of its entry and of all groups around it.
pub(super) struct ListedTool<'a> {
    pub(super) tool: &'a ToolPath,
    pub(super) cfgs: Vec<Attribute>,
    path: String,
}

impl<'a> ListedTool<'a> {
    /// Returns each tool once. A tool under `cfg` is returned for each entry, because the `cfg` may
    /// remove it.
    pub(super) fn all(nodes: &'a [RegistryNode]) -> Vec<Self> {
        let mut tools = Vec::new();
        let mut certain = HashSet::new();
        Self::collect(nodes, &[], &mut tools);
        tools.retain(|tool| !tool.cfgs.is_empty() || certain.insert(tool.path.clone()));
        tools
    }

    fn collect(nodes: &'a [RegistryNode], outer: &[Attribute], tools: &mut Vec<Self>) {
        for node in nodes {
            match node {
                RegistryNode::Tool(tool) => {
                    tools.push(Self {
                        tool,
                        cfgs: [outer, &tool.cfgs].concat(),
                        path: tool.path(),
                    });
                }
                RegistryNode::Group(Group { heading, nodes }) => {
                    Self::collect(nodes, &[outer, &heading.cfgs].concat(), tools);
                }
            }
        }
    }

    /// Emits `("Repo::log", &Repo::__PD_TOOL_LOG.facts)` or `("now", __PD_FACTS_NOW)`.
    pub(super) fn emit_entry(&self, facts: &FreeFacts) -> TokenStream {
        let path = text(&self.path);
        let facts = facts.emit(self.tool, &self.cfgs);
        let entry = quote!((#path, #facts));
        let cfgs = &self.cfgs;
        let conditions: Vec<_> = cfgs
            .iter()
            .filter_map(|cfg| cfg.meta.require_list().ok())
            .map(|cfg| &cfg.tokens)
            .collect();
        // The array's length is a literal, so an entry that a `cfg` removes is replaced by
        // `ABSENT`.
        let absent = match conditions.as_slice() {
            [] => return entry,
            [one] => quote!(not(#one)),
            all => quote!(not(all(#(#all),*))),
        };
        quote!(#(#cfgs)* #entry, #[cfg(#absent)] __pd::ABSENT)
    }

    /// `__pd::judge(__PD_CONTENTS, 0)`
    ///
    /// The call has the author's span, so rustc does not mention macros in its errors. The contents
    /// have the macro's span, so rustc reports only once that it could not evaluate them.
    pub(super) fn emit_judged(
        &self,
        judge: &str,
        contents: &TokenStream,
        place: usize,
    ) -> TokenStream {
        let span = self.tool.function.span();
        let judge = Ident::new(judge, span);
        let place = Literal::usize_unsuffixed(place);
        quote_spanned!(span=> __pd::#judge(#contents, #place))
    }
}
