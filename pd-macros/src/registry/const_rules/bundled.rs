//! The tools of a literal's bundles, and the check that the literal lists each of them.

use super::free::FreeFacts;
use crate::{
    literal::text,
    registry::{check::Bundle, parse::ToolPath},
};
use proc_macro2::{Ident, TokenStream};
use quote::{quote, quote_spanned};
use syn::Attribute;

/// A tool of a bundle, with the `cfg`s of its entry and its bundle.
pub(super) struct BundledTool<'a> {
    pub(super) tool: &'a ToolPath,
    pub(super) cfgs: Vec<Attribute>,
    bundle: &'a str,
}

impl<'a> BundledTool<'a> {
    pub(super) fn all(bundles: &'a [Bundle]) -> Vec<Self> {
        bundles
            .iter()
            .flat_map(|Bundle { heading, tools }| {
                tools.iter().map(|tool| {
                    let cfgs = [heading.cfgs.as_slice(), &tool.cfgs].concat();
                    Self {
                        tool,
                        cfgs,
                        bundle: &heading.name,
                    }
                })
            })
            .collect()
    }

    /// Emits `__pd::judge_bundled(__PD_CONTENTS, "who-broke-it", &Repo::__PD_TOOL_BLAME.facts)`.
    /// `statement` turns the call into a statement or an item.
    pub(super) fn emit_judged(
        &self,
        contents: &TokenStream,
        facts: &FreeFacts,
        statement: impl Fn(TokenStream) -> TokenStream,
    ) -> TokenStream {
        let bundle = text(self.bundle);
        let span = self.tool.function.span();
        // The author's span keeps the words "in this macro" out of rustc's errors.
        let judge = Ident::new("judge_bundled", span);
        let facts = facts.emit(self.tool, &self.cfgs);
        let judged = statement(quote_spanned!(span=> __pd::#judge(#contents, #bundle, #facts)));
        let cfgs = &self.cfgs;
        quote!(#(#cfgs)* #judged)
    }
}
