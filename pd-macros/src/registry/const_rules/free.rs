//! The facts of the free functions that a literal names, each in its own constant.

use crate::{paths::const_about, registry::parse::ToolPath};
use proc_macro2::{Ident, TokenStream};
use quote::{quote, quote_spanned};
use std::collections::{BTreeSet, HashMap};
use syn::Attribute;

/// The constants, by the function's path and the entry's `cfg`s.
#[derive(Default)]
pub(super) struct FreeFacts {
    names: HashMap<String, Ident>,
    taken: BTreeSet<String>,
    items: Vec<TokenStream>,
}

impl FreeFacts {
    pub(super) fn collect<'a>(
        tools: impl Iterator<Item = (&'a ToolPath, &'a [Attribute])>,
    ) -> Self {
        let mut facts = Self::default();
        // A path below a type names a method, and its facts are a constant already.
        for (tool, cfgs) in tools.filter(|(tool, _)| !tool.is_below_type()) {
            facts.add(tool, cfgs);
        }
        facts
    }

    fn add(&mut self, tool: &ToolPath, cfgs: &[Attribute]) {
        let key = key(tool, cfgs);
        if self.names.contains_key(&key) {
            return;
        }
        let span = tool.function.span();
        let name = const_about("__PD_FACTS", &tool.function_path(), span, &mut self.taken);
        let lookup = tool.emit();
        // rustc would warn about a deprecated function once more where this constant names it.
        self.items.push(
            quote_spanned!(span=> #(#cfgs)* #[allow(deprecated)] const #name: &__pd::ToolFacts = &#lookup.facts;),
        );
        self.names.insert(key, name);
    }

    /// ```text
    /// #[allow(deprecated)]
    /// const __PD_FACTS_NOW: &__pd::ToolFacts = &__pd::tool(&now, |__PD_TOOL_NOW| loop {}).facts;
    /// ```
    ///
    /// Each function has its own constant. In a shared body, one missing function would make
    /// rustc drop the inferred types of the others.
    pub(super) fn emit_items(&self) -> TokenStream {
        let items = &self.items;
        quote!(#(#items)*)
    }

    /// Emits `&Repo::__PD_TOOL_LOG.facts`, or `__PD_FACTS_NOW`.
    pub(super) fn emit(&self, tool: &ToolPath, cfgs: &[Attribute]) -> TokenStream {
        match self.names.get(&key(tool, cfgs)) {
            Some(name) => quote!(#name),
            None => {
                let tool = tool.emit();
                quote!(&#tool.facts)
            }
        }
    }
}

fn key(tool: &ToolPath, cfgs: &[Attribute]) -> String {
    let path = tool.path();
    // The `cfg`s are part of the key: one function may be listed under two conditions.
    quote!(#path #(#cfgs)*).to_string()
}
