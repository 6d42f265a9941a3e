//! What the literal says: options as inner attributes, then tools and groups.

use crate::{attributes, errors::Errors, keys};
use proc_macro2::{Group, Ident, TokenStream, TokenTree};
use quote::quote;
use syn::{
    AngleBracketedGenericArguments, Attribute, Error, LitInt, LitStr, Meta, Path, Result, Token, Type,
    ext::IdentExt,
    parse::{ParseStream, Parser},
};

/// A parsed literal.
#[derive(Default)]
pub(super) struct Literal {
    pub(super) options: Options,
    pub(super) entries: Vec<Entry>,
}

/// The inner attributes.
#[derive(Default)]
pub(super) struct Options {
    /// `//!` comments.
    pub(super) docs: Vec<Attribute>,
    pub(super) budget: Option<LitInt>,
    pub(super) name: Option<LitStr>,
    pub(super) version: Option<LitStr>,
    pub(super) runtime: Option<Path>,
}

/// One line of the table of contents.
pub(super) enum Entry {
    Tool(Tool),
    Group { attributes: Vec<Attribute>, name: Ident, entries: Vec<Entry> },
}

/// A tool, by the path of its function: `Repo::log` as `Repo::` and `log`.
#[derive(Clone)]
pub(super) struct Tool {
    pub(super) cfgs: Vec<Attribute>,
    pub(super) prefix: TokenStream,
    pub(super) function: Ident,
}

impl Tool {
    /// The path as an author writes it.
    pub(super) fn path(&self) -> String {
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

/// Reads the literal; a bad entry is reported and skipped.
pub(super) fn parse(tokens: TokenStream, errors: &mut Errors) -> Literal {
    let mut literal = Literal::default();
    let parser = |input: ParseStream<'_>| {
        for attribute in input.call(Attribute::parse_inner)? {
            let option = literal.options.parse(attribute);
            errors.take(option);
        }
        literal.entries = parse_entries(input, errors);
        Ok(())
    };
    let parsed = parser.parse2(tokens);
    errors.take(parsed);
    literal
}

impl Options {
    fn parse(&mut self, attribute: Attribute) -> Result<()> {
        if attribute.path().is_ident("doc") {
            self.docs.push(attribute);
            return Ok(());
        }
        let meta = match attribute.meta {
            Meta::NameValue(pair) => {
                let (path, value) = (pair.path, pair.value);
                quote!(#path = #value)
            }
            other => quote!(#other),
        };
        let read = |input: ParseStream<'_>| {
            let key = input.call(Ident::parse_any)?;
            self.parse_key(&key, input)
        };
        read.parse2(meta)
    }

    fn parse_key(&mut self, key: &Ident, input: ParseStream<'_>) -> Result<()> {
        match key.to_string().as_str() {
            "budget" => once(key, &mut self.budget, tokens(key, input)?),
            "name" => once(key, &mut self.name, keys::text(key, input)?),
            "version" => once(key, &mut self.version, keys::text(key, input)?),
            "crate" => once(key, &mut self.runtime, keys::path(key, input)?),
            _ => {
                while input.parse::<TokenTree>().is_ok() {}
                Err(keys::unknown(key, "option", &["budget", "name", "version", "crate"]))
            }
        }
    }
}

/// A number of tokens, as it was written.
fn tokens(key: &Ident, input: ParseStream<'_>) -> Result<LitInt> {
    let number: LitInt = keys::value(key, input, "= 900")?;
    let fits = number.base10_parse::<usize>().is_ok() && ["", "usize"].contains(&number.suffix());
    fits.then_some(number.clone())
        .ok_or_else(|| Error::new(number.span(), "a budget is a number of tokens, as in `#![budget = 900]`"))
}

fn once<T>(key: &Ident, option: &mut Option<T>, value: T) -> Result<()> {
    match option.replace(value) {
        Some(_) => Err(Error::new(key.span(), format_args!("`{key}` is given twice; keep one"))),
        None => Ok(()),
    }
}

fn parse_entries(input: ParseStream<'_>, errors: &mut Errors) -> Vec<Entry> {
    let mut entries = Vec::new();
    while !input.is_empty() {
        let entry = parse_entry(input, errors);
        entries.extend(errors.take(entry).into_iter().flatten());
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

/// `name: …` is a group, everything else a path.
fn parse_entry(input: ParseStream<'_>, errors: &mut Errors) -> Result<Vec<Entry>> {
    let attributes = input.call(Attribute::parse_outer)?;
    let is_group = input.peek(Ident::peek_any) && input.peek2(Token![:]) && !input.peek2(Token![::]);
    let entries = if is_group {
        let name = input.call(Ident::parse_any)?;
        input.parse::<Token![:]>()?;
        vec![Entry::Group { attributes, name, entries: parse_group(input, errors)? }]
    } else {
        if let Some(doc) = attributes::called(&attributes, "doc").next() {
            errors.at(doc, "a tool is documented at its function; write `name: …` below to begin a group");
        }
        tools(parse_tree(input, attributes::cfgs(&attributes), TokenStream::new())?)
    };
    if input.is_empty() || input.peek(Token![,]) {
        return Ok(entries);
    }
    Err(input.error("expected `,` between entries"))
}

/// `{ entries }`, or a path without braces.
fn parse_group(input: ParseStream<'_>, errors: &mut Errors) -> Result<Vec<Entry>> {
    if !input.peek(syn::token::Brace) {
        return Ok(tools(parse_tree(input, Vec::new(), TokenStream::new())?));
    }
    let group: Group = input.parse()?;
    let parser = |input: ParseStream<'_>| Ok(parse_entries(input, errors));
    parser.parse2(group.stream())
}

fn tools(tools: Vec<Tool>) -> Vec<Entry> {
    tools.into_iter().map(Entry::Tool).collect()
}

/// `Repo::log`, `Repo::{log, show}`, `<Users<Sql>>::find`, `Users::<Sql>::find`.
fn parse_tree(input: ParseStream<'_>, cfgs: Vec<Attribute>, mut prefix: TokenStream) -> Result<Vec<Tool>> {
    if input.peek(Token![<]) {
        let (open, ty, close, colons): (Token![<], Type, Token![>], Token![::]) =
            (input.parse()?, input.parse()?, input.parse()?, input.parse()?);
        prefix.extend(quote!(#open #ty #close #colons));
    } else if let Some(leading) = input.parse::<Option<Token![::]>>()? {
        prefix.extend(quote!(#leading));
    }
    loop {
        if input.peek(syn::token::Brace) && !prefix.is_empty() {
            return parse_branches(input, &cfgs, &prefix);
        }
        let segment = input.call(Ident::parse_any).map_err(|error| Error::new(error.span(), EXPECTED))?;
        if !input.peek(Token![::]) {
            return Ok(vec![Tool { cfgs, prefix, function: segment }]);
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

const EXPECTED: &str = "expected the path of a tool, as in `Repo::log` or `Repo::{log, show}`";

fn parse_branches(input: ParseStream<'_>, cfgs: &[Attribute], prefix: &TokenStream) -> Result<Vec<Tool>> {
    let branches: Group = input.parse()?;
    let parser = |input: ParseStream<'_>| {
        let mut tools = Vec::new();
        while !input.is_empty() {
            let own = input.call(Attribute::parse_outer)?;
            let all = cfgs.iter().cloned().chain(attributes::cfgs(&own)).collect();
            tools.extend(parse_tree(input, all, prefix.clone())?);
            if !input.is_empty() {
                input.parse::<Token![,]>()?;
            }
        }
        Ok(tools)
    };
    parser.parse2(branches.stream())
}
