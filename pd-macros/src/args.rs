//! The parsed keys of `#[pd_tool(…)]`. Every value keeps its span, so that an error about the value
//! points at it.

use crate::{
    duration::DurationKey,
    errors::Errors,
    icons, json, keys,
    rmcp::{self, DescriptionKey},
    view::{ViewKey, VisibilityKey},
};
use proc_macro2::{Ident, TokenStream};
use serde_json::Value;
use syn::{
    Error, Expr, ExprMacro, ExprPath, Lit, LitStr, Path, Result, Token,
    parse::{ParseStream, Parser},
    punctuated::Punctuated,
};

/// Every key. The error about an unknown key lists them.
const KEYS: &[&str] = &[
    "summary",
    "name",
    "title",
    "related",
    "aliases",
    "found_by",
    "icons",
    "read_only",
    "destructive",
    "idempotent",
    "open_world",
    "scopes",
    "eager",
    "read_first",
    "confirm",
    "summary_max",
    "deprecated",
    "meta",
    "ui",
    "visibility",
    "selective",
    "blocking",
    "timeout",
    "concurrency",
    "allow",
    "crate",
];

/// The keys of one `#[pd_tool(…)]`.
#[derive(Default)]
pub(crate) struct Args {
    pub(crate) summary: Option<LitStr>,
    /// True if the key `summary` is present, even with an invalid value.
    pub(crate) has_summary: bool,
    /// The key `description` of rmcp's `#[tool]`. `check::summary` reports it together with the
    /// summary.
    pub(crate) description: Option<DescriptionKey>,
    pub(crate) name: Option<LitStr>,
    pub(crate) title: Option<LitStr>,
    pub(crate) related: Vec<ExprPath>,
    pub(crate) aliases: Vec<LitStr>,
    /// Requests that must find the tool.
    pub(crate) found_by: Vec<LitStr>,
    /// Icons as MCP's JSON objects.
    pub(crate) icons: Vec<Value>,
    pub(crate) read_only: Option<Flag>,
    pub(crate) destructive: Option<Flag>,
    pub(crate) idempotent: Option<Flag>,
    pub(crate) open_world: Option<Flag>,
    pub(crate) scopes: Vec<LitStr>,
    pub(crate) eager: Option<Flag>,
    pub(crate) read_first: Option<Flag>,
    pub(crate) confirm: Option<Flag>,
    pub(crate) summary_max: Option<usize>,
    pub(crate) deprecated: Option<LitStr>,
    pub(crate) meta: Vec<(LitStr, Value)>,
    pub(crate) ui: Option<ViewKey>,
    pub(crate) visibility: Option<VisibilityKey>,
    pub(crate) selective: Option<Flag>,
    pub(crate) blocking: Option<Flag>,
    pub(crate) timeout: Option<DurationKey>,
    pub(crate) concurrency: Option<usize>,
    pub(crate) allow: Vec<Ident>,
    pub(crate) runtime: Option<Path>,
}

/// A boolean key. `read_only` alone means `read_only = true`. The key's own tokens are kept for
/// error spans.
pub(crate) struct Flag {
    pub(crate) key: Ident,
    pub(crate) value: bool,
}

impl Flag {
    fn parse(key: &Ident, input: ParseStream<'_>) -> Result<Option<Self>> {
        Ok(Some(Self {
            key: key.clone(),
            value: keys::flag(key, input)?,
        }))
    }
}

/// Parses all keys. A key with an error is reported and then treated as absent.
pub(crate) fn parse(tokens: TokenStream, errors: &mut Errors) -> Args {
    let mut args = Args::default();
    let named = args.parse_unnamed(tokens, errors);
    keys::read([named], errors, |key, input| args.parse_key(key, input));
    args
}

impl Args {
    /// Accepts a leading string literal without a key as the summary, and returns the remaining
    /// tokens.
    ///
    /// The mistake is reported. The summary is still set, so that no second error claims that it is
    /// missing.
    fn parse_unnamed(&mut self, tokens: TokenStream, errors: &mut Errors) -> TokenStream {
        let parser = |input: ParseStream<'_>| {
            let text: LitStr = input.parse()?;
            input.parse::<Option<Token![,]>>()?;
            Ok((text, input.parse()?))
        };
        let Ok((text, named)) = parser.parse2(tokens.clone()) else {
            return tokens;
        };
        errors.at(
            &text,
            format_args!("a text has a key; write `summary = {}`", text.token()),
        );
        self.summary = Some(text);
        self.has_summary = true;
        named
    }

    fn parse_key(&mut self, key: &Ident, input: ParseStream<'_>) -> Result<()> {
        match key.to_string().as_str() {
            "summary" => {
                // Set before the value is parsed, because an invalid summary is not a missing one.
                self.has_summary = true;
                self.summary = Some(parse_summary(key, input)?);
            }
            "description" | "desc" => self.description = Some(DescriptionKey::parse(key, input)),
            "name" => self.name = Some(keys::text(key, input)?),
            "title" => self.title = Some(keys::text(key, input)?),
            "related" => self.related = keys::paths(key, input)?,
            "aliases" => self.aliases = keys::texts(key, input)?,
            "found_by" => self.found_by = keys::texts(key, input)?,
            "icons" => self.icons = keys::list(key, input, "(\"https://…\", …)", icons::parse)?,
            "read_only" => self.read_only = Flag::parse(key, input)?,
            "destructive" => self.destructive = Flag::parse(key, input)?,
            "idempotent" => self.idempotent = Flag::parse(key, input)?,
            "open_world" => self.open_world = Flag::parse(key, input)?,
            "scopes" => self.scopes = keys::texts(key, input)?,
            "eager" => self.eager = Flag::parse(key, input)?,
            "read_first" => self.read_first = Flag::parse(key, input)?,
            "confirm" => self.confirm = Flag::parse(key, input)?,
            "summary_max" => self.summary_max = Some(keys::positive(key, input)?),
            "deprecated" => self.deprecated = Some(keys::text(key, input)?),
            "meta" => self.meta = keys::list(key, input, "(\"key\" = …)", meta)?,
            "ui" => self.ui = Some(ViewKey::parse(key, input)?),
            "visibility" => self.visibility = Some(VisibilityKey::parse(key, input)?),
            "selective" => self.selective = Flag::parse(key, input)?,
            "blocking" => self.blocking = Flag::parse(key, input)?,
            "timeout" => self.timeout = DurationKey::parse(key, input)?,
            "concurrency" => self.concurrency = Some(keys::positive(key, input)?),
            "allow" => self.allow = keys::words(key, input)?,
            "crate" => self.runtime = Some(keys::path(key, input)?),
            _ => {
                return Err(
                    rmcp::refuse_key(key, input).unwrap_or_else(|| keys::unknown(key, "key", KEYS))
                );
            }
        }
        Ok(())
    }
}

/// Parses `= "…"`. Constants and macros are rejected, because their text is unknown while the
/// attribute expands.
fn parse_summary(key: &Ident, input: ParseStream<'_>) -> Result<LitStr> {
    // On a fork, so that `keys::text` still finds the whole value.
    let fork = input.fork();
    // A literal, or no value at all: the common case and its usage error belong to `keys::text`.
    if fork.parse::<Token![=]>().is_err() || fork.peek(LitStr) {
        return keys::text(key, input);
    }
    let instead = match fork.parse::<Expr>() {
        // `concat!` of literals can be evaluated here, so the error shows the literal to write
        // instead.
        Ok(Expr::Macro(ExprMacro { mac, .. })) if mac.path.is_ident("concat") => {
            let parts = mac.parse_body_with(Punctuated::<Lit, Token![,]>::parse_terminated);
            parts
                .ok()
                .and_then(|parts| joined(&parts))
                .map(|text| format!("write `summary = {text:?}`"))
        }
        Ok(Expr::Lit(_)) | Err(_) => return keys::text(key, input),
        Ok(_) => None,
    };
    let instead = instead.unwrap_or_else(|| "write the text itself: `summary = \"…\"`".to_owned());
    // Parsed again for the span of the whole expression.
    input.parse::<Token![=]>()?;
    let value: Expr = input.parse()?;
    Err(Error::new_spanned(
        value,
        format_args!("the compiler counts the summary's letters, so it is a literal; {instead}"),
    ))
}

/// Concatenates the arguments of `concat!`, or returns `None` if one of them is not a literal.
fn joined(parts: &Punctuated<Lit, Token![,]>) -> Option<String> {
    parts
        .iter()
        .map(|part| match part {
            Lit::Str(text) => Some(text.value()),
            Lit::Char(letter) => Some(letter.value().to_string()),
            // `concat!` renders a number in decimal and without its suffix.
            Lit::Int(number) => Some(number.base10_digits().to_owned()),
            _ => None,
        })
        .collect()
}

/// `"key" = <JSON>, …`
fn meta(input: ParseStream<'_>) -> Result<Vec<(LitStr, Value)>> {
    let written = |error: Error| Error::new(error.span(), "`meta` is written `meta(\"key\" = …)`");
    let mut entries = Vec::new();
    while !input.is_empty() {
        let key = input.parse().map_err(written)?;
        input.parse::<Token![=]>().map_err(written)?;
        entries.push((key, json::parse(input)?));
        if !input.is_empty() {
            input.parse::<Token![,]>().map_err(written)?;
        }
    }
    Ok(entries)
}
