//! JSON written as Rust tokens: the values of `default`, `one_of`, `meta` and `icons`.

use proc_macro2::{Delimiter, Punct, Span, TokenTree};
use serde_json::{Map, Number, Value};
use syn::{
    Error, Lit, LitStr, Result, Token,
    parse::{ParseStream, Parser},
};

const EXPECTED: &str =
    "expected JSON: a number, a string, `true`, `false`, `[…]` or `{ \"key\": … }`";

/// Returns whether the next token can begin a JSON value.
pub(crate) fn peek(input: ParseStream<'_>) -> bool {
    let group = input.peek(syn::token::Bracket) || input.peek(syn::token::Brace);
    group || input.peek(Lit) || input.peek(Token![-]) || input.fork().parse::<Null>().is_ok()
}

/// Parses one JSON value.
pub(crate) fn parse(input: ParseStream<'_>) -> Result<Value> {
    // In Rust tokens, a negative number is a minus sign and a literal.
    if input.peek(Token![-]) {
        input.parse::<Punct>()?;
        return literal(input, "-");
    }
    if input.peek(Lit) {
        return literal(input, "");
    }
    // Parsed on a fork, because a failed parse would have consumed the token.
    if input.fork().parse::<Null>().is_ok() {
        return input.parse::<Null>().map(|Null| Value::Null);
    }
    let start = input.span();
    // syn does not parse an invisible group as a `Group`.
    let Ok(TokenTree::Group(group)) = input.parse::<TokenTree>() else {
        return Err(Error::new(start, EXPECTED));
    };
    let inside = group.stream();
    match group.delimiter() {
        Delimiter::Bracket => array.parse2(inside).map(Value::Array),
        Delimiter::Brace => object.parse2(inside).map(Value::Object),
        // What a macro of the author matched as an expression.
        Delimiter::None => parse.parse2(inside),
        Delimiter::Parenthesis => Err(Error::new(start, EXPECTED)),
    }
}

fn literal(input: ParseStream<'_>, sign: &str) -> Result<Value> {
    let literal: Lit = input.parse()?;
    match &literal {
        Lit::Str(text) if sign.is_empty() => Ok(Value::String(text.value())),
        Lit::Bool(flag) if sign.is_empty() => Ok(Value::Bool(flag.value)),
        Lit::Int(number) => {
            self::number(&format!("{sign}{}", number.base10_digits()), literal.span())
        }
        Lit::Float(number) => {
            self::number(&format!("{sign}{}", number.base10_digits()), literal.span())
        }
        _ => Err(Error::new(literal.span(), EXPECTED)),
    }
}

fn number(digits: &str, span: Span) -> Result<Value> {
    // serde_json keeps integers exact. The fallback covers digits that Rust accepts and JSON does
    // not, as in `1.`.
    let exact = serde_json::from_str::<Number>(digits).ok();
    exact
        .or_else(|| digits.parse().ok().and_then(Number::from_f64))
        .map(Value::Number)
        .ok_or_else(|| {
            Error::new(
                span,
                "this number is out of JSON's range; write it as a text",
            )
        })
}

fn array(input: ParseStream<'_>) -> Result<Vec<Value>> {
    let mut values = Vec::new();
    while !input.is_empty() {
        values.push(parse(input)?);
        comma(input)?;
    }
    Ok(values)
}

fn object(input: ParseStream<'_>) -> Result<Map<String, Value>> {
    let mut entries = Map::new();
    while !input.is_empty() {
        let key: LitStr = input.parse().map_err(expected)?;
        input.parse::<Token![:]>().map_err(expected)?;
        // Readers of JSON differ in which of two equal keys they keep (RFC 8259, section 4).
        if entries.insert(key.value(), parse(input)?).is_some() {
            return Err(Error::new(
                key.span(),
                "this object has the key twice; keep one",
            ));
        }
        comma(input)?;
    }
    Ok(entries)
}

fn comma(input: ParseStream<'_>) -> Result<()> {
    if input.is_empty() {
        Ok(())
    } else {
        input.parse::<Token![,]>().map(drop).map_err(expected)
    }
}

fn expected(error: Error) -> Error {
    Error::new(error.span(), EXPECTED)
}

/// The word `null`, which Rust does not reserve.
struct Null;

impl syn::parse::Parse for Null {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        match input.parse::<TokenTree>()? {
            TokenTree::Ident(word) if word == "null" => Ok(Self),
            other => Err(Error::new(other.span(), EXPECTED)),
        }
    }
}
