//! The options of a literal: its inner attributes.

use crate::keys;
use proc_macro2::{Ident, TokenTree};
use quote::quote;
use syn::{
    Attribute, Error, LitInt, LitStr, Meta, Path, Result,
    ext::IdentExt,
    parse::{ParseStream, Parser},
};

/// The parsed inner attributes.
#[derive(Default)]
pub(in super::super) struct RegistryOptions {
    /// The `//!` comments.
    pub(in super::super) docs: Vec<Attribute>,
    pub(in super::super) budget: Option<LitInt>,
    pub(in super::super) name: Option<LitStr>,
    pub(in super::super) version: Option<LitStr>,
    pub(in super::super) runtime: Option<Path>,
}

impl RegistryOptions {
    pub(super) fn parse(&mut self, attribute: Attribute) -> Result<()> {
        if attribute.path().is_ident("doc") {
            self.docs.push(attribute);
            return Ok(());
        }
        // The attribute is turned back into tokens, so that it is parsed by the same functions as
        // the keys of other macros.
        let meta = match attribute.meta {
            Meta::NameValue(pair) => {
                let path = pair.path;
                let value = pair.value;
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
            "instructions" | "description" => {
                // syn would report the rest as a separate error, which hides this one.
                while input.parse::<TokenTree>().is_ok() {}
                let message = format!(
                    "the instructions of the server are `//!` lines; write them instead of `{key}`"
                );
                Err(Error::new(key.span(), message))
            }
            _ => {
                while input.parse::<TokenTree>().is_ok() {}
                Err(keys::unknown(
                    key,
                    "option",
                    &["budget", "name", "version", "crate"],
                ))
            }
        }
    }
}

/// Parses a number of tokens. The literal is kept as written.
fn tokens(key: &Ident, input: ParseStream<'_>) -> Result<LitInt> {
    let number: LitInt = keys::value(key, input, "= 900")?;
    // The literal is emitted as written, so a suffix must name the budget's type.
    let fits = number.base10_parse::<usize>().is_ok() && ["", "usize"].contains(&number.suffix());
    fits.then_some(number.clone()).ok_or_else(|| {
        Error::new(
            number.span(),
            "a budget is a number of tokens, as in `#![budget = 900]`",
        )
    })
}

fn once<T>(key: &Ident, option: &mut Option<T>, value: T) -> Result<()> {
    match option.replace(value) {
        Some(_) => Err(Error::new(
            key.span(),
            format_args!("`{key}` is set twice; keep one"),
        )),
        None => Ok(()),
    }
}
