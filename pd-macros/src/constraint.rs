//! The parsed keys of `#[arg(…)]`: JSON Schema keywords, a default and another name.

use crate::{errors::Errors, json, keys};
use proc_macro2::{Ident, Span};
use serde_json::{Map, Value};
use syn::{Attribute, Error, ExprPath, LitStr, Result, Token, ext::IdentExt, parse::ParseStream};

/// The keys of one `#[arg(…)]`.
#[derive(Default)]
pub(crate) struct Constraints {
    pub(crate) rename: Option<LitStr>,
    pub(crate) default: Option<DefaultValue>,
    /// True if no compile-time check may require anything of the type.
    pub(crate) unchecked: bool,
    /// Keywords by their schema names, in the author's order.
    pub(crate) keywords: Map<String, Value>,
    /// The span of each keyword's key.
    spans: Vec<(&'static str, Span)>,
}

/// A default value.
pub(crate) enum DefaultValue {
    Literal(Value, Span),
    Constant(ExprPath),
}

/// A keyword of `#[arg]`.
pub(crate) struct Keyword {
    /// The key in `#[arg]`.
    pub(crate) word: &'static str,
    /// The keyword in the schema.
    schema: &'static str,
    takes: KeywordValue,
    pub(crate) subject: KeywordSubject,
}

/// The values that a keyword applies to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum KeywordSubject {
    /// Numbers: a lower bound.
    From,
    /// Numbers: an upper bound.
    To,
    Numbers,
    Texts,
    Lists,
    Objects,
    All,
}

impl KeywordSubject {
    /// Returns the variant of `pd_runtime`'s `Limits` with the same meaning, or `None` if the
    /// keyword applies to every type.
    pub(crate) fn limits(self, word: &str) -> Option<&'static str> {
        Some(match self {
            // An exclusive bound may be one beyond the type's range, so it is not checked against
            // the range.
            Self::From | Self::To if word.starts_with("exclusive") => "Numbers",
            Self::From => "From",
            Self::To => "To",
            Self::Numbers => "Numbers",
            Self::Texts => "Texts",
            Self::Lists => "Lists",
            Self::Objects => "Objects",
            Self::All => return None,
        })
    }
}

/// The kind of value that a keyword takes.
#[derive(Clone, Copy)]
enum KeywordValue {
    Number,
    Count,
    Text,
    Flag,
    Values,
}

/// All keywords. `header` is from SEP-2243, the others are from JSON Schema 2020-12.
const KEYWORDS: &[Keyword] = &[
    keyword(
        "minimum",
        "minimum",
        KeywordValue::Number,
        KeywordSubject::From,
    ),
    keyword(
        "maximum",
        "maximum",
        KeywordValue::Number,
        KeywordSubject::To,
    ),
    keyword(
        "exclusive_minimum",
        "exclusiveMinimum",
        KeywordValue::Number,
        KeywordSubject::From,
    ),
    keyword(
        "exclusive_maximum",
        "exclusiveMaximum",
        KeywordValue::Number,
        KeywordSubject::To,
    ),
    keyword(
        "multiple_of",
        "multipleOf",
        KeywordValue::Number,
        KeywordSubject::Numbers,
    ),
    keyword(
        "min_length",
        "minLength",
        KeywordValue::Count,
        KeywordSubject::Texts,
    ),
    keyword(
        "max_length",
        "maxLength",
        KeywordValue::Count,
        KeywordSubject::Texts,
    ),
    keyword(
        "pattern",
        "pattern",
        KeywordValue::Text,
        KeywordSubject::Texts,
    ),
    keyword("format", "format", KeywordValue::Text, KeywordSubject::All),
    keyword(
        "min_items",
        "minItems",
        KeywordValue::Count,
        KeywordSubject::Lists,
    ),
    keyword(
        "max_items",
        "maxItems",
        KeywordValue::Count,
        KeywordSubject::Lists,
    ),
    keyword(
        "unique_items",
        "uniqueItems",
        KeywordValue::Flag,
        KeywordSubject::Lists,
    ),
    keyword(
        "min_properties",
        "minProperties",
        KeywordValue::Count,
        KeywordSubject::Objects,
    ),
    keyword(
        "max_properties",
        "maxProperties",
        KeywordValue::Count,
        KeywordSubject::Objects,
    ),
    keyword("one_of", "enum", KeywordValue::Values, KeywordSubject::All),
    keyword(
        "deprecated",
        "deprecated",
        KeywordValue::Flag,
        KeywordSubject::All,
    ),
    keyword("title", "title", KeywordValue::Text, KeywordSubject::All),
    keyword(
        "header",
        "x-mcp-header",
        KeywordValue::Text,
        KeywordSubject::All,
    ),
];

const fn keyword(
    word: &'static str,
    schema: &'static str,
    takes: KeywordValue,
    subject: KeywordSubject,
) -> Keyword {
    Keyword {
        word,
        schema,
        takes,
        subject,
    }
}

/// Keys of serde, schemars, garde, validator and clap, with the replacement to suggest.
const FOREIGN: &[(&[&str], &str)] = &[
    (
        &["range", "min", "max"],
        "write `minimum = …` and `maximum = …`",
    ),
    (
        &["length", "len"],
        "write `min_length = …` and `max_length = …`, or `min_items` and `max_items`",
    ),
    (&["regex"], "write `pattern = \"…\"`"),
    (&["email"], "write `format = \"email\"`"),
    (&["url", "uri"], "write `format = \"uri\"`"),
    (&["uuid"], "write `format = \"uuid\"`"),
    (&["ip"], "write `format = \"ipv4\"` or `format = \"ipv6\"`"),
    (
        &[
            "default_value",
            "default_value_t",
            "default_values",
            "default_missing_value",
        ],
        "write `default = …`",
    ),
    (
        &["example", "examples"],
        "show a whole call in a ```json fence under `# Examples`",
    ),
    (
        &["description", "desc", "help", "about", "long_help"],
        "write a `///` comment above the parameter",
    ),
    (&["name", "alias", "aliases"], "write `rename = \"…\"`"),
    (
        &["enum", "value_enum", "possible_values", "choices"],
        "write `one_of = […]`",
    ),
    (
        &["required", "optional", "nullable"],
        "an argument is optional when its type is `Option<…>` or it has a `default`",
    ),
    (
        &["skip", "skip_deserializing"],
        "what the caller does not send is state: give it a type of its own, and take that as `&T`",
    ),
    (&["flatten"], "take all arguments as one struct: `Args<T>`"),
    (
        &["inner", "with", "deserialize_with", "schema_with"],
        "give the argument its own type and write it there",
    ),
    (
        &["short", "long", "value_name", "value_parser", "env"],
        "that belongs to command lines; remove it",
    ),
];

impl Constraints {
    /// Parses every `#[arg(…)]` of one parameter.
    pub(crate) fn parse(attributes: &[Attribute], errors: &mut Errors) -> Self {
        let mut constraints = Self::default();
        let lists = keys::lists(attributes, "arg", "default = …", errors);
        keys::read(lists, errors, |key, input| {
            constraints.parse_key(key, input)
        });
        constraints
    }

    fn parse_key(&mut self, key: &Ident, input: ParseStream<'_>) -> Result<()> {
        let word = key.to_string();
        if let Some(keyword) = KEYWORDS.iter().find(|keyword| keyword.word == word) {
            let value = keyword.takes.parse(key, input)?;
            self.spans.push((keyword.schema, key.span()));
            self.keywords.insert(keyword.schema.to_owned(), value);
            return Ok(());
        }
        match word.as_str() {
            "default" => self.default = Some(DefaultValue::parse(key, input)?),
            "rename" => self.rename = Some(keys::text(key, input)?),
            "unchecked" => self.unchecked = keys::flag(key, input)?,
            _ => return Err(unknown(key)),
        }
        Ok(())
    }

    /// Returns the keywords that are present, each with its value and span.
    pub(crate) fn entries(&self) -> impl Iterator<Item = (&'static Keyword, &Value, Span)> {
        KEYWORDS.iter().filter_map(|keyword| {
            let value = self.keywords.get(keyword.schema)?;
            Some((keyword, value, self.span_of(keyword.schema)))
        })
    }

    /// Returns the span of a keyword's key.
    pub(crate) fn span_of(&self, keyword: &str) -> Span {
        let entry = self.spans.iter().find(|(schema, _)| *schema == keyword);
        entry.map_or_else(Span::call_site, |(_, span)| *span)
    }
}

fn unknown(key: &Ident) -> Error {
    // Before the nearest name: a key of another crate is not a misspelling.
    let foreign = FOREIGN
        .iter()
        .find(|(words, _)| words.iter().any(|word| key == word));
    if let Some((_, instead)) = foreign {
        return Error::new(
            key.span(),
            format_args!("`{key}` is not an `#[arg]` key; {instead}"),
        );
    }
    // These three are not keywords of a schema, so `KEYWORDS` lacks them.
    let known: Vec<_> = ["default", "rename", "unchecked"]
        .into_iter()
        .chain(KEYWORDS.iter().map(|keyword| keyword.word))
        .collect();
    keys::unknown(key, "`#[arg]` key", &known)
}

impl KeywordValue {
    fn parse(self, key: &Ident, input: ParseStream<'_>) -> Result<Value> {
        match self {
            Self::Text => keys::text(key, input).map(|text| Value::String(text.value())),
            Self::Flag => keys::flag(key, input).map(Value::Bool),
            Self::Count => keys::count(key, input).map(Value::from),
            Self::Number => json_value(key, input, "= 10", Value::is_number),
            Self::Values => json_value(key, input, "= [\"one\", \"other\"]", Value::is_array),
        }
    }
}

fn json_value(
    key: &Ident,
    input: ParseStream<'_>,
    usage: &str,
    fits: fn(&Value) -> bool,
) -> Result<Value> {
    keys::assign(key, input, usage)?;
    // Before the value is parsed, because the input is behind it afterwards.
    let span = keys::span_at(key, input);
    let value = json::parse(input).ok().filter(fits);
    value.ok_or_else(|| Error::new(span, format_args!("`{key}` is written `{key} {usage}`")))
}

impl DefaultValue {
    fn parse(key: &Ident, input: ParseStream<'_>) -> Result<Self> {
        keys::assign(key, input, "= 20")?;
        let span = keys::span_at(key, input);
        // A value that cannot begin JSON must be the path of a constant.
        if !json::peek(input) {
            let constant = input.parse::<ExprPath>().map_err(|_| {
                Error::new(
                    span,
                    "a default is a JSON literal or the path of a constant: `default = 20`",
                )
            })?;
            // Tokens after the path make it a call or another expression.
            return match input.is_empty() || input.peek(Token![,]) {
                true if constant.path.is_ident("None") => Err(Error::new(span, NO_DEFAULT)),
                true => Ok(Self::Constant(constant)),
                false => Err(Error::new(span, refuse_expression(&constant))),
            };
        }
        let value = json::parse(input)?;
        // A literal with tokens after it is an expression, such as `24 * 60`.
        if !input.is_empty() && !input.peek(Token![,]) {
            return Err(Error::new(
                span,
                "a default is one value; give the result a name: `default = MY_CONSTANT`",
            ));
        }
        match value {
            Value::Null => Err(Error::new(
                span,
                "`null` counts as absent; take an `Option<…>` instead of a default",
            )),
            value => Ok(Self::Literal(value, span)),
        }
    }
}

const NO_DEFAULT: &str =
    "an `Option` is `None` if the caller leaves the argument out; remove the default";

/// Returns the error for a call, `ten()`, or another expression that begins with a path.
fn refuse_expression(path: &ExprPath) -> String {
    let rule =
        "a default is a JSON literal or the path of a constant, because the schema shows its value";
    match path
        .path
        .get_ident()
        .map(|function| function.unraw().to_string().to_uppercase())
    {
        // In capitals, because `name` is also the name of the suggested constant.
        Some(name) if name == "SOME" => {
            format!("{rule}; write the value alone, and take the type without `Option`")
        }
        Some(name) if name == "VEC" => format!("{rule}; write the list, as in `default = []`"),
        Some(name) => {
            format!("{rule}; write the value, or `default = {name}` and a `const {name}`")
        }
        None => format!("{rule}; write the value, as in `default = 20` or `default = []`"),
    }
}
