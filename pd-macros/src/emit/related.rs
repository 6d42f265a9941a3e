//! Checks that every related tool exists, at the place where it is named, and emits the names of
//! related tools.

use crate::{
    editor, fallback,
    nearest::nearest,
    paths::{const_about, name_const, name_const_of, tool_const, tool_const_of},
};
use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};
use std::collections::BTreeSet;
use syn::{ExprPath, ext::IdentExt, spanned::Spanned};

/// The tools that one tool names as related.
pub(super) struct RelatedTools<'a> {
    tools: Vec<RelatedTool<'a>>,
}

struct RelatedTool<'a> {
    path: &'a ExprPath,
    reach: ToolReach,
}

/// The kind of path to a tool. It determines how a missing tool is detected.
enum ToolReach {
    /// `Repo::log`: a path below a type, or one that looks like it.
    Type,
    /// `clock::now` or `now`: the constant that will contain the tool's name, and the constant's
    /// value.
    Free(Ident, TokenStream),
}

impl<'a> RelatedTools<'a> {
    pub(super) fn new(tool: &Ident, related: &'a [ExprPath]) -> Self {
        let tool = tool.unraw().to_string();
        // Two paths may give the same constant name (`a::b_c` and `a_b::c`), so names are numbered.
        let mut taken = BTreeSet::new();
        let tools = related.iter().map(|path| RelatedTool {
            path,
            reach: reach(&tool, path, &mut taken),
        });
        Self {
            tools: tools.collect(),
        }
    }

    /// ```text
    /// trait __PdNoTool {
    ///     const __PD_NAME_SHOW: &'static str = "";
    ///     const __PD_TOOL_SHOW: () = ();
    /// }
    /// impl<T> __PdNoTool for T {}
    /// let _ = || {
    ///     __pd::Declaration::declared(Repo::__PD_TOOL_SHOW);
    /// };
    /// #[allow(deprecated)]
    /// const __PD_RELATED_NOW: &str = __pd::tool_name(&now, |__PD_TOOL_NOW| loop {});
    /// ```
    ///
    /// Tools may be related to each other mutually. The closure is never called, so the type of the
    /// other constant is needed, but not its value, and no cycle arises. The fallback constants
    /// have the type `()`, which rustc checks fastest.
    pub(super) fn emit_judged(&self) -> TokenStream {
        let below_types: Vec<_> = self
            .tools
            .iter()
            .filter(|tool| matches!(tool.reach, ToolReach::Type))
            .collect();
        let functions = below_types.iter().filter_map(|tool| last(tool.path));
        let fallback = fallback::emit_fallback(functions, emit_constants);
        let named = editor::emit(self.tools.iter().map(|tool| (Vec::new(), tool.path)));
        let judged = below_types.iter().map(|tool| emit_judged(tool.path));
        let judged =
            (!below_types.is_empty()).then(|| quote!(#fallback let _ = || { #(#judged;)* };));
        let constants = self.tools.iter().filter_map(|tool| match &tool.reach {
            ToolReach::Free(constant, name) => {
                Some(quote!(#[allow(deprecated)] const #constant: &str = #name;))
            }
            ToolReach::Type => None,
        });
        quote!(#named #judged #(#constants)*)
    }

    /// Emits the tools' names. `emit_judged` reports missing ones.
    pub(super) fn emit_names(&self) -> Vec<TokenStream> {
        self.tools
            .iter()
            .map(|tool| match &tool.reach {
                ToolReach::Type => name_const_of(tool.path).into_token_stream(),
                ToolReach::Free(constant, _) => constant.into_token_stream(),
            })
            .collect()
    }
}

fn reach(tool: &str, path: &ExprPath, taken: &mut BTreeSet<String>) -> ToolReach {
    let prefix = prefix(path);
    let Some(function) = last(path) else {
        return ToolReach::Type;
    };
    if fallback::may_be_type(&prefix) {
        return ToolReach::Type;
    }
    let span = Span::mixed_site().located_at(function.span());
    let constant = const_about(
        "__PD_RELATED",
        &path.to_token_stream(),
        function.span(),
        taken,
    );
    let call = quote_spanned!(span=> __pd::tool_name);
    // The function itself is named, so that rustc reports a missing function and suggests a similar
    // one. If rustc would suggest the tool itself, which must not be related to itself, the
    // function is not named.
    let name = match prefix.is_empty() && is_like(&function.unraw().to_string(), tool) {
        true => fallback::emit_lookup(&call, &quote_spanned!(span=> ()), function),
        false => fallback::emit_call(&call, &prefix, function),
    };
    ToolReach::Free(constant, name)
}

/// Returns `Repo::` for `Repo::show`.
fn prefix(path: &ExprPath) -> TokenStream {
    let mut tokens: Vec<TokenTree> = path.to_token_stream().into_iter().collect();
    tokens.pop();
    tokens.into_iter().collect()
}

fn last(path: &ExprPath) -> Option<&Ident> {
    path.path.segments.last().map(|segment| &segment.ident)
}

fn emit_constants(function: &Ident) -> TokenStream {
    let name = name_const(function);
    let tool = tool_const(function);
    quote! {
        const #name: &'static str = "";
        const #tool: () = ();
    }
}

/// Emits the check with the function's span, as the registry does.
fn emit_judged(path: &ExprPath) -> TokenStream {
    let span = Span::mixed_site().located_at(last(path).map_or_else(|| path.span(), Ident::span));
    let tool = tool_const_of(path);
    quote_spanned!(span=> __pd::Declaration::declared(#tool))
}

/// Returns whether rustc would suggest one name for the other: few edits, another case, or the same
/// words in another order.
fn is_like(name: &str, other: &str) -> bool {
    let words = |name: &str| {
        let mut words: Vec<_> = name.to_lowercase().split('_').map(str::to_owned).collect();
        words.sort();
        words
    };
    nearest(name, [other]).is_some() || words(name) == words(other)
}
