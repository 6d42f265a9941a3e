//! What is known of the free functions that a literal names: the facts of their tools, each in a constant of its own.

use crate::{paths::const_about, registry::parse::Tool};
use proc_macro2::{Ident, TokenStream};
use quote::{quote, quote_spanned};
use std::collections::{BTreeSet, HashMap};
use syn::Attribute;

/// The constants, by the path of the function and the `cfg`s it stands under.
#[derive(Default)]
pub(super) struct FreeFacts {
    names: HashMap<String, Ident>,
    taken: BTreeSet<String>,
    items: Vec<TokenStream>,
}

impl FreeFacts {
    pub(super) fn collect<'a>(tools: impl Iterator<Item = (&'a Tool, &'a [Attribute])>) -> Self {
        let mut facts = Self::default();
        for (tool, cfgs) in tools.filter(|(tool, _)| !tool.is_below_type()) {
            facts.add(tool, cfgs);
        }
        facts
    }

    fn add(&mut self, tool: &Tool, cfgs: &[Attribute]) {
        let key = key(tool, cfgs);
        if self.names.contains_key(&key) {
            return;
        }
        let span = tool.function.span();
        let name = const_about("__PD_FACTS", &tool.named(), span, &mut self.taken);
        let found = tool.emit();
        self.items
            .push(quote_spanned!(span=> #(#cfgs)* #[allow(deprecated)] const #name: &__pd::ToolFacts = &#found.facts;));
        self.names.insert(key, name);
    }

    /// ```text
    /// #[allow(deprecated)]
    /// const __PD_FACTS_NOW: &__pd::ToolFacts = &__pd::tool(&now, |__PD_TOOL_NOW| loop {}).facts;
    /// ```
    ///
    /// A constant of its own: rustc drops what it cannot infer where a neighbor in the same body is missing.
    pub(super) fn emit_items(&self) -> TokenStream {
        let items = &self.items;
        quote!(#(#items)*)
    }

    /// `&Repo::__PD_TOOL_LOG.facts`, or `__PD_FACTS_NOW`.
    pub(super) fn emit(&self, tool: &Tool, cfgs: &[Attribute]) -> TokenStream {
        match self.names.get(&key(tool, cfgs)) {
            Some(name) => quote!(#name),
            None => {
                let tool = tool.emit();
                quote!(&#tool.facts)
            }
        }
    }
}

fn key(tool: &Tool, cfgs: &[Attribute]) -> String {
    let path = tool.path();
    quote!(#path #(#cfgs)*).to_string()
}
