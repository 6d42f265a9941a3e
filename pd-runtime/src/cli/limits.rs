//! The flags of `serve` that limit callers.

use crate::{Limits, config::Rate};
use std::time::Duration;

/// The flags that override the author's limits.
#[derive(Debug, Clone, clap::Args)]
pub(super) struct LimitFlags {
    /// The maximum time of a call to a tool without a timeout of its own, e.g. 500ms, 30s or 5m
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    call_timeout: Option<Duration>,
    /// The maximum number of calls of each principal or address per minute; a session that a
    /// principal opens counts as one call
    #[arg(long, value_name = "COUNT", requires = "http", value_parser = clap::value_parser!(u32).range(1..))]
    max_calls_per_minute: Option<u32>,
    /// The maximum size of a tool's result in bytes. A gateway's entries set larger ones with
    /// `responseBytes`
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u64).range(1..))]
    max_response_bytes: Option<u64>,
    /// The maximum size in tokens of a result that a model is shown whole. A larger one becomes a
    /// preview, and the model reads on with `read_more`. A gateway's entries set their own with
    /// `resultTokens`
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..))]
    max_result_tokens: Option<u32>,
}

impl LimitFlags {
    pub(super) fn set(&self, mut limits: Limits) -> Limits {
        if let Some(longest) = self.call_timeout {
            limits = limits.call_timeout(longest);
        }
        if let Some(count) = self.max_calls_per_minute {
            limits = limits.calls(Rate::per_minute(count));
        }
        if let Some(bytes) = self.max_response_bytes {
            limits = limits.response_bytes(usize::try_from(bytes).unwrap_or(usize::MAX));
        }
        if let Some(tokens) = self.max_result_tokens {
            limits = limits.result_tokens(tokens as usize);
        }
        limits
    }
}

/// Parses a time in the syntax of `#[pd_tool(timeout = "30s")]`.
pub(super) fn parse_time(text: &str) -> Result<Duration, String> {
    // A sign or a fraction becomes a part of the unit, and is refused with it.
    let (number, unit) = text.split_at(
        text.find(|c: char| !c.is_ascii_digit())
            .unwrap_or(text.len()),
    );
    let factor = match unit {
        "ms" => 1,
        "s" => 1_000,
        "m" => 60_000,
        _ => return Err("write a whole number of `ms`, `s` or `m`, as in `30s`".to_owned()),
    };
    if number.is_empty() {
        return Err("write a whole number before the unit, as in `30s`".to_owned());
    }
    // Only digits are left, so nothing but their number can be wrong.
    match number
        .parse::<u64>()
        .ok()
        .and_then(|number| number.checked_mul(factor))
    {
        Some(0) => {
            Err("this allows nothing; write at least `1ms`, or leave the flag out".to_owned())
        }
        Some(milliseconds) => Ok(Duration::from_millis(milliseconds)),
        None => Err("this is too long; write a shorter time, or leave the flag out".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_a_whole_number_with_a_unit() {
        assert_eq!(parse_time("500ms"), Ok(Duration::from_millis(500)));
        assert_eq!(parse_time("30s"), Ok(Duration::from_secs(30)));
        assert_eq!(parse_time("5m"), Ok(Duration::from_secs(300)));
        for text in [
            "",
            "30",
            "s",
            "0s",
            "1.5s",
            "-1s",
            "30 s",
            "1h",
            "99999999999999999999s",
        ] {
            assert!(parse_time(text).is_err(), "{text}");
        }
        let why = |text: &str| parse_time(text).err().unwrap_or_default();
        assert!(why("0m").starts_with("this allows nothing"));
        for long in ["99999999999999999999s", "18446744073709551615m"] {
            assert!(why(long).starts_with("this is too long"), "{}", why(long));
        }
        assert!(why("s").starts_with("write a whole number before"));
    }

    #[test]
    fn a_flag_changes_one_limit_and_leaves_the_others() {
        let own = Limits::default().names(7);
        let none = LimitFlags {
            call_timeout: None,
            max_calls_per_minute: None,
            max_response_bytes: None,
            max_result_tokens: None,
        };
        assert_eq!(none.set(own.clone()), own);
        let all = LimitFlags {
            call_timeout: Some(Duration::from_secs(3)),
            max_calls_per_minute: Some(60),
            max_response_bytes: Some(7),
            max_result_tokens: Some(9),
        };
        let expected = own
            .clone()
            .call_timeout(Duration::from_secs(3))
            .calls(Rate::per_minute(60));
        assert_eq!(all.set(own), expected.response_bytes(7).result_tokens(9));
    }
}
