//! The function as written. Its body stays raw tokens, so that an incomplete body survives.

use crate::parameter::FOREIGN;
use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::{
    Attribute, Error, FnArg, Result, Signature, Token, Visibility,
    parse::{Parse, ParseStream},
};

/// An annotated function, before any rule is applied.
pub(crate) struct Function {
    pub(crate) attributes: Vec<Attribute>,
    pub(crate) visibility: Visibility,
    pub(crate) signature: Signature,
    pub(crate) body: FunctionBody,
}

/// The part after the signature.
pub(crate) enum FunctionBody {
    Block(Group),
    Missing(Token![;]),
}

impl Parse for Function {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let attributes = input.call(Attribute::parse_outer)?;
        let visibility = input.parse()?;
        // The fork still has the item's first token after a failed parse, for a better error.
        let start = input.fork();
        let signature = input
            .parse::<Signature>()
            .map_err(|error| not_a_function(&start).unwrap_or(error))?;
        let body = if input.peek(Token![;]) {
            FunctionBody::Missing(input.parse()?)
        } else {
            FunctionBody::Block(input.parse()?)
        };
        Ok(Self {
            attributes,
            visibility,
            signature,
            body,
        })
    }
}

/// Returns the better error for an item that is not a function.
fn not_a_function(item: ParseStream<'_>) -> Option<Error> {
    let keyword = item.cursor().ident()?.0;
    let other = [
        "struct", "enum", "union", "impl", "trait", "mod", "type", "static", "use",
    ];
    let message =
        format!("`{keyword}` is not a function; put `#[pd_tool]` on each `fn` that is a tool");
    other
        .iter()
        .any(|word| keyword == word)
        .then(|| Error::new(keyword.span(), message))
}

/// The attributes of parameters that only this macro understands.
const OURS: [&str; 2] = ["arg", "doc"];

/// Returns whether the attribute makes a function a tool.
pub(crate) fn is_ours(attribute: &Attribute) -> bool {
    attribute
        .path()
        .segments
        .last()
        .is_some_and(|segment| segment.ident == "pd_tool")
}

/// Emits the function without this crate's attributes, valid or not: a second `#[pd_tool]`, and on
/// parameters `#[arg]`, docs and the attributes of other crates, which rustc does not allow there.
impl ToTokens for Function {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        let Self {
            attributes,
            visibility,
            signature,
            body,
        } = self;
        let mut signature = signature.clone();
        signature.inputs.iter_mut().for_each(strip);
        // Seven is the default limit of clippy's `too_many_arguments`.
        let long = (signature.inputs.len() > 7).then(
            || quote!(#[allow(clippy::too_many_arguments, reason = "each parameter is an argument of the tool")]),
        );
        // A second `#[pd_tool]` would generate the same constants again.
        let attributes = attributes.iter().filter(|attribute| !is_ours(attribute));
        tokens.extend(quote!(#(#attributes)* #long #visibility #signature #body));
    }
}

/// Removes the same attributes from an item that is not yet a complete function.
pub(crate) fn without_ours(item: TokenStream) -> TokenStream {
    item.into_iter()
        .map(|token| match token {
            TokenTree::Group(group) if group.delimiter() == Delimiter::Parenthesis => {
                without_attributes(&group).into()
            }
            other => other,
        })
        .collect()
}

fn without_attributes(parameters: &Group) -> Group {
    let mut tokens: Vec<TokenTree> = Vec::new();
    for token in parameters.stream() {
        // An attribute is two tokens, so the `#` was already pushed when its brackets arrive.
        let ends_ours = matches!(&token, TokenTree::Group(group) if holds_ours(group))
            && matches!(tokens.last(), Some(TokenTree::Punct(hash)) if hash.as_char() == '#');
        if ends_ours {
            tokens.pop();
        } else {
            tokens.push(token);
        }
    }
    let mut stripped = Group::new(parameters.delimiter(), tokens.into_iter().collect());
    // A new group has the macro's span, where rustc would report errors about the parameters.
    stripped.set_span(parameters.span());
    stripped
}

/// Returns whether the group is `[arg(…)]` or `[doc = "…"]`.
fn holds_ours(group: &Group) -> bool {
    let first = group.stream().into_iter().next();
    group.delimiter() == Delimiter::Bracket
        && OURS
            .iter()
            .any(|ours| matches!(&first, Some(TokenTree::Ident(name)) if name == ours))
}

impl ToTokens for FunctionBody {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        match self {
            Self::Block(block) => block.to_tokens(tokens),
            Self::Missing(semicolon) => semicolon.to_tokens(tokens),
        }
    }
}

fn strip(parameter: &mut FnArg) {
    let attributes = match parameter {
        FnArg::Receiver(receiver) => &mut receiver.attrs,
        FnArg::Typed(typed) => &mut typed.attrs,
    };
    attributes.retain(|attribute| {
        !OURS
            .iter()
            .chain(FOREIGN)
            .any(|word| attribute.path().is_ident(word))
    });
}
