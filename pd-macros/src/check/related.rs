//! Rules for `related(…)`: each tool at most once, and not the tool itself.

use crate::{args::Args, errors::Errors, item::Function};
use quote::ToTokens;
use syn::ExprPath;

/// Checks the paths as written. The compiler checks that the tools exist.
pub(super) fn check(args: &Args, function: &Function, errors: &mut Errors) {
    let ident = &function.signature.ident;
    // The macro does not see the type of the impl, so only a path through `Self` can be compared.
    let own = if function.signature.receiver().is_some() {
        format!("Self::{ident}")
    } else {
        ident.to_string()
    };
    let mut earlier = Vec::new();
    for tool in &args.related {
        let path = written(tool);
        if path == own {
            errors.at(
                tool,
                "this is the tool itself; name others as related, or remove it",
            );
        } else if earlier.contains(&path) {
            errors.at(tool, format_args!("`{path}` is named twice; keep one"));
        }
        earlier.push(path);
    }
}

fn written(tool: &ExprPath) -> String {
    // Tokens are printed with spaces around `::`, however the author wrote the path.
    tool.to_token_stream().to_string().replace(' ', "")
}
