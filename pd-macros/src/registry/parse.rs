//! The syntax of the literal: options as inner attributes, then tools, groups and bundles.

mod options;

use self::options::RegistryOptions;
use crate::{attributes, errors::Errors, fallback, paths::tool_const};
use proc_macro2::{Group, Ident, Span, TokenStream, TokenTree};
use quote::{quote, quote_spanned};
use syn::{
    AngleBracketedGenericArguments, Attribute, Error, Result, Token, Type,
    ext::IdentExt,
    parse::{ParseStream, Parser},
};

/// A parsed literal.
#[derive(Default)]
pub(super) struct RegistryLiteral {
    pub(super) options: RegistryOptions,
    pub(super) entries: Vec<RegistryEntry>,
}

/// One entry of the table of contents.
pub(super) enum RegistryEntry {
    Tool(ToolPath),
    Group(RegistrySection),
    Bundle(RegistrySection),
}

/// A group or a bundle: a name and the entries below it.
pub(super) struct RegistrySection {
    pub(super) attributes: Vec<Attribute>,
    pub(super) name: Ident,
    pub(super) entries: Vec<RegistryEntry>,
}

/// A tool, by the path of its function: `Repo::log` as `Repo::` and `log`.
#[derive(Clone)]
pub(super) struct ToolPath {
    pub(super) cfgs: Vec<Attribute>,
    pub(super) prefix: TokenStream,
    pub(super) function: Ident,
}

impl ToolPath {
    /// Returns whether the path may contain generics or the `Self` of the code around it.
    pub(super) fn may_be_generic(&self) -> bool {
        names_generics(self.prefix.clone())
    }

    /// Returns whether the tool is a method, or at least written below a type.
    pub(super) fn is_below_type(&self) -> bool {
        fallback::may_be_type(&self.prefix)
    }

    /// Emits the tool. A method's constant is `NoSuchTool` if the type has no such tool. A free
    /// function's tool is found by its struct.
    pub(super) fn emit(&self) -> TokenStream {
        let Self {
            prefix, function, ..
        } = self;
        if self.is_below_type() {
            let constant = tool_const(function);
            return quote!(#prefix #constant);
        }
        let span = Span::mixed_site().located_at(function.span());
        fallback::emit_call(&quote_spanned!(span=> __pd::tool), prefix, function)
    }

    /// Emits the function: `Repo::log`.
    pub(super) fn function_path(&self) -> TokenStream {
        let Self {
            prefix, function, ..
        } = self;
        quote!(#prefix #function)
    }

    /// Returns the path as an author writes it.
    pub(super) fn path(&self) -> String {
        // Tokens are printed with spaces between them. Only a space between two words carries
        // meaning (`<Vec<u8> as Store>`).
        let spaced = format!("{} {}", self.prefix, self.function);
        let is_word = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
        let mut path = String::new();
        for (at, c) in spaced.char_indices() {
            let next = spaced.get(at + 1..).and_then(|rest| rest.chars().next());
            if c != ' ' || is_word(path.chars().last()) && is_word(next) {
                path.push(c);
            }
        }
        path
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

/// Parses the literal. An entry with an error is reported and skipped.
pub(super) fn parse(tokens: TokenStream, errors: &mut Errors) -> RegistryLiteral {
    let mut literal = RegistryLiteral::default();
    let parser = |input: ParseStream<'_>| {
        for attribute in input.call(Attribute::parse_inner)? {
            let option = literal.options.parse(attribute);
            errors.take(option);
        }
        literal.entries = parse_entries(input, errors);
        Ok(())
    };
    // Only the options can fail here, because `parse_entries` reports its errors itself.
    let parsed = parser.parse2(tokens);
    errors.take(parsed);
    literal
}

fn parse_entries(input: ParseStream<'_>, errors: &mut Errors) -> Vec<RegistryEntry> {
    let mut entries = Vec::new();
    while !input.is_empty() {
        let entry = parse_entry(input, errors);
        entries.extend(errors.take(entry).into_iter().flatten());
        // After an error, the next entry is still parsed, so that one build reports all mistakes.
        skip_entry(input);
    }
    entries
}

fn skip_entry(input: ParseStream<'_>) {
    while let Ok(token) = input.parse::<TokenTree>() {
        if matches!(&token, TokenTree::Punct(comma) if comma.as_char() == ',') {
            break;
        }
    }
}

/// Parses one entry: `name: …` is a group, `bundle name: …` a bundle, and everything else a path.
fn parse_entry(input: ParseStream<'_>, errors: &mut Errors) -> Result<Vec<RegistryEntry>> {
    let attributes = input.call(Attribute::parse_outer)?;
    // A group may be called `group`, and then `:` follows the word.
    if is_word(input, "group") && input.peek2(Ident::peek_any) {
        return Err(input.error("a group is written `name: { … }`, without the word `group`"));
    }
    let entries = if is_bundle(input) {
        input.call(Ident::parse_any)?;
        vec![RegistryEntry::Bundle(parse_section(
            attributes, input, errors,
        )?)]
    // `peek2(:)` also matches the first half of `::`, so `a::b` needs the second test.
    } else if input.peek(Ident::peek_any) && input.peek2(Token![:]) && !input.peek2(Token![::]) {
        vec![RegistryEntry::Group(parse_section(
            attributes, input, errors,
        )?)]
    } else {
        if let Some(doc) = attributes::called(&attributes, "doc").next() {
            errors.at(
                doc,
                "a tool is documented at its function; write `name: …` below to begin a group",
            );
        }
        tools(parse_tree(
            input,
            attributes::cfgs(&attributes),
            TokenStream::new(),
        )?)
    };
    if input.is_empty() || input.peek(Token![,]) {
        return Ok(entries);
    }
    Err(input.error(instead_of_comma(input)))
}

/// Returns what to write where an entry goes on after its path.
fn instead_of_comma(input: ParseStream<'_>) -> &'static str {
    if input.peek(Token![as]) {
        "a tool has the name that its function gives it; write `#[pd_tool(name = \"…\")]` there"
    } else if input.peek(syn::token::Paren) {
        "a tool is listed by its path, without `()`"
    } else if input.peek(Token![=]) {
        "a group is written `name: { … }`, with `:`"
    } else {
        "expected `,` between entries"
    }
}

/// Returns whether a bundle begins. `bundle` is a keyword only before a name, because tools, groups
/// and modules may have this name.
fn is_bundle(input: ParseStream<'_>) -> bool {
    is_word(input, "bundle") && input.peek2(Ident::peek_any)
}

/// Parses `name: …`.
fn parse_section(
    attributes: Vec<Attribute>,
    input: ParseStream<'_>,
    errors: &mut Errors,
) -> Result<RegistrySection> {
    let name = input.call(Ident::parse_any)?;
    if !input.peek(Token![:]) || input.peek(Token![::]) {
        return Err(input.error(
            "expected `:` and the bundle's tools, as in `bundle name: Repo::{blame, show}`",
        ));
    }
    input.parse::<Token![:]>()?;
    Ok(RegistrySection {
        attributes,
        name,
        entries: parse_members(input, errors)?,
    })
}

/// Parses `{ entries }`, or a path without braces.
fn parse_members(input: ParseStream<'_>, errors: &mut Errors) -> Result<Vec<RegistryEntry>> {
    if !input.peek(syn::token::Brace) {
        return Ok(tools(parse_tree(input, Vec::new(), TokenStream::new())?));
    }
    let group: Group = input.parse()?;
    let parser = |input: ParseStream<'_>| Ok(parse_entries(input, errors));
    parser.parse2(group.stream())
}

fn tools(tools: Vec<ToolPath>) -> Vec<RegistryEntry> {
    tools.into_iter().map(RegistryEntry::Tool).collect()
}

/// Parses `Repo::log`, `Repo::{log, show}`, `<Users<Sql>>::find` or `Users::<Sql>::find`.
fn parse_tree(
    input: ParseStream<'_>,
    cfgs: Vec<Attribute>,
    mut prefix: TokenStream,
) -> Result<Vec<ToolPath>> {
    if input.peek(Token![<]) {
        let (open, ty, close, colons): (Token![<], Type, Token![>], Token![::]) = (
            input.parse()?,
            input.parse()?,
            input.parse()?,
            input.parse()?,
        );
        prefix.extend(quote!(#open #ty #close #colons));
    } else if let Some(leading) = input.parse::<Option<Token![::]>>()? {
        prefix.extend(quote!(#leading));
    }
    loop {
        if input.peek(syn::token::Brace) && !prefix.is_empty() {
            return parse_branches(input, &cfgs, &prefix);
        }
        let segment = parse_segment(input)?;
        if !input.peek(Token![::]) {
            return Ok(vec![ToolPath {
                cfgs,
                prefix,
                function: segment,
            }]);
        }
        let colons: Token![::] = input.parse()?;
        prefix.extend(quote!(#segment #colons));
        if input.peek(Token![<]) {
            let generics: AngleBracketedGenericArguments = input.parse()?;
            let colons: Token![::] = input.parse()?;
            prefix.extend(quote!(#generics #colons));
        }
    }
}

/// Parses a name, or one of the keywords that a path may contain.
fn parse_segment(input: ParseStream<'_>) -> Result<Ident> {
    // `parse_any` accepts every keyword. Without this check, rustc's error about a keyword would
    // point at generated code.
    let is_expected =
        input.peek(syn::Ident) || PATH_KEYWORDS.iter().any(|word| is_word(input, word));
    let segment = input
        .call(Ident::parse_any)
        .map_err(|error| Error::new(error.span(), EXPECTED))?;
    if is_expected {
        return Ok(segment);
    }
    let message = match segment == "_" {
        true => EXPECTED.to_owned(),
        false => format!(
            "`{segment}` is a keyword; a function or type of this name is written `r#{segment}`"
        ),
    };
    Err(Error::new(segment.span(), message))
}

const PATH_KEYWORDS: [&str; 4] = ["crate", "self", "Self", "super"];

fn is_word(input: ParseStream<'_>, expected: &str) -> bool {
    matches!(input.cursor().ident(), Some((word, _)) if word == expected)
}

const EXPECTED: &str = "expected the path of a tool, as in `Repo::log` or `Repo::{log, show}`";

fn parse_branches(
    input: ParseStream<'_>,
    cfgs: &[Attribute],
    prefix: &TokenStream,
) -> Result<Vec<ToolPath>> {
    let branches: Group = input.parse()?;
    let parser = |input: ParseStream<'_>| {
        let mut tools = Vec::new();
        while !input.is_empty() {
            let own = input.call(Attribute::parse_outer)?;
            // The conditions of the whole tree hold for each branch, beside the branch's.
            let all = cfgs.iter().cloned().chain(attributes::cfgs(&own)).collect();
            // Each branch begins with the same path, and goes on by itself.
            tools.extend(parse_tree(input, all, prefix.clone())?);
            if !input.is_empty() {
                input.parse::<Token![,]>()?;
            }
        }
        Ok(tools)
    };
    parser.parse2(branches.stream())
}
