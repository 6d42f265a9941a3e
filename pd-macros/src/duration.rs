//! Durations in attribute keys: `timeout = "30s"`.

use crate::keys;
use proc_macro2::Ident;
use std::time::Duration;
use syn::{Error, LitStr, Result, parse::ParseStream};

const USAGE: &str = "= \"30s\"";

/// A key with a duration. The key's tokens are kept for error spans.
pub(crate) struct DurationKey {
    pub(crate) key: Ident,
    pub(crate) value: Duration,
}

impl DurationKey {
    pub(crate) fn parse(key: &Ident, input: ParseStream<'_>) -> Result<Option<Self>> {
        let text: LitStr = keys::value(key, input, USAGE)?;
        let value = read(&text.value(), key).map_err(|why| Error::new(text.span(), why))?;
        Ok(Some(Self {
            key: key.clone(),
            value,
        }))
    }
}

/// Parses a whole number and its unit.
fn read(text: &str, key: &Ident) -> std::result::Result<Duration, String> {
    // Split at the first character that is not a digit, so `1.5s` and `-1s` have no valid unit.
    let (number, unit) = text.split_at(
        text.find(|c: char| !c.is_ascii_digit())
            .unwrap_or(text.len()),
    );
    let factor = match unit {
        "ms" => 1,
        "s" => 1_000,
        "m" => 60_000,
        "" if !number.is_empty() => {
            return Err(format!(
                "`{text}` has no unit; write \"{text}s\", or `ms` or `m`"
            ));
        }
        _ => {
            return Err(format!(
                "`{key}` is a whole number of `ms`, `s` or `m`; write `{key} {USAGE}`"
            ));
        }
    };
    match number
        .parse::<u64>()
        .ok()
        // A product beyond `u64` is reported, and not wrapped to a short time.
        .and_then(|number| number.checked_mul(factor))
    {
        // A timeout of 0 would end each call before it runs.
        Some(0) => Err(format!(
            "`{key} = \"{text}\"` allows nothing; write more, or remove it"
        )),
        Some(milliseconds) => Ok(Duration::from_millis(milliseconds)),
        None if number.is_empty() => Err(format!(
            "`{key}` needs a number before the unit; write `{key} {USAGE}`"
        )),
        None => Err(format!(
            "`{text}` is more than can be counted; write less, or remove it"
        )),
    }
}
