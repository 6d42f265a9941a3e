//! The pipeline of `#[pd_tool]`: parse, check, emit, or fall back to a stub. Only this file knows
//! the order.

use crate::{
    args, check, doc, emit,
    errors::Errors,
    item::{self, Function},
    paths::RuntimePath,
};
use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::ext::IdentExt;

/// Expands `#[pd_tool(args)] item`.
pub(crate) fn expand(args: TokenStream, item: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    // An item that does not parse is emitted anyway: the editor completes in its tokens, and rustc
    // reports its syntax error.
    match errors.take(syn::parse2::<Function>(item.clone())) {
        Some(function) => expand_function(args, &function, errors),
        None => quote_with(
            item::without_ours(item),
            errors.into_compile_errors("`#[pd_tool]`"),
        ),
    }
}

/// Expands a parsed function. The function comes first and unchanged, so that it survives every
/// error of this macro.
fn expand_function(args: TokenStream, function: &Function, mut errors: Errors) -> TokenStream {
    let subject = format!("`#[pd_tool]` on `{}`", function.signature.ident.unraw());
    check::place::check(function, &mut errors);
    // Where no tool can be, the stub would be an error, too.
    if !errors.is_empty() {
        return quote_with(
            function.to_token_stream(),
            errors.into_compile_errors(&subject),
        );
    }
    let args = args::parse(args, &mut errors);
    let runtime = RuntimePath(args.runtime.clone());
    let doc = doc::parse(&function.attributes, &mut errors);
    let beside = match check::check(args, function, doc, &mut errors) {
        Ok(tool) => emit::emit(&tool),
        // The stub keeps `related` and `registry!` from failing because of this error.
        Err(proof) => quote_with(
            emit::emit_stub(&runtime, function, &proof),
            errors.into_compile_errors(&subject),
        ),
    };
    quote_with(function.to_token_stream(), beside)
}

fn quote_with(first: TokenStream, second: TokenStream) -> TokenStream {
    quote!(#first #second)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expanded(args: TokenStream, item: TokenStream) -> String {
        expand(args, item).to_string()
    }

    #[test]
    fn a_half_typed_body_survives() {
        let tool = expanded(
            quote!(summary = "Find a user"),
            quote!(async fn find(id: u64) { self. let x = ; id. }),
        );
        assert!(
            tool.starts_with("async fn find (id : u64) { self . let x = ; id . }"),
            "{tool}"
        );
        assert!(
            tool.contains("__PD_TOOL_FIND") && !tool.contains("compile_error"),
            "{tool}"
        );
    }

    #[test]
    fn a_half_typed_attribute_costs_only_itself() {
        let tool = expanded(
            quote!(summary = "Find a user", titl),
            quote!(
                fn find(id: u64) {}
            ),
        );
        assert!(tool.starts_with("fn find (id : u64) { }"), "{tool}");
        assert_eq!(tool.matches("compile_error").count(), 1, "{tool}");
    }

    #[test]
    fn a_half_typed_signature_leaves_nothing_that_rustc_cannot_know() {
        let tool = expanded(
            quote!(summary = "Find a user"),
            quote!(async fn find(&self, #[arg(minimum = 1)] #[doc = " A number."] #[cfg(all())] id: u64, #[arg] name: ) { self. }),
        );
        assert!(
            tool.contains("# [cfg (all ())] id : u64") && tool.contains("name :"),
            "{tool}"
        );
        assert!(
            !tool.contains("arg") && !tool.contains("A number"),
            "{tool}"
        );
    }

    #[test]
    fn a_faulty_tool_leaves_stubs() {
        let tool = expanded(
            TokenStream::new(),
            quote!(
                pub fn find(&self) {}
            ),
        );
        assert!(
            tool.contains("pub const __PD_NAME_FIND : & 'static str = \"find\""),
            "{tool}"
        );
        assert!(
            tool.contains(
                "pub const __PD_TOOL_FIND : :: pd_runtime :: __private :: DeclaredTool < () >"
            ),
            "{tool}"
        );
    }

    #[test]
    fn what_is_no_function_is_left_alone() {
        let item = expanded(
            TokenStream::new(),
            quote!(
                struct Repo;
            ),
        );
        assert!(
            item.starts_with("struct Repo ;") && item.contains("compile_error"),
            "{item}"
        );
    }
}
