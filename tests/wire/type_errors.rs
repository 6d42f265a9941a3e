//! Errors of types that read all arguments: they name the argument, or else the tool.

use crate::harness::{
    client::{Era, connect},
    told,
};
use pd_runtime::{GateMode, prelude::*};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

/// A number that is written as a word.
#[derive(Debug, JsonSchema)]
#[schemars(transparent)]
struct Number(String);

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let word = String::deserialize(deserializer)?;
        match word.as_str() {
            "one" | "two" => Ok(Self(word)),
            _ => Err(serde::de::Error::custom(format!(
                "`{word}` is not a number"
            ))),
        }
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(try_from = "Pair")]
#[schemars(with = "Pair")]
struct Ordered(Pair);

#[derive(Debug, Deserialize, JsonSchema)]
struct Pair {
    first: Number,
    second: Number,
    #[serde(default)]
    more: Vec<Number>,
}

impl TryFrom<Pair> for Ordered {
    type Error = String;

    fn try_from(pair: Pair) -> Result<Self, String> {
        match pair.first.0 == pair.second.0 {
            true => Err("both are the same".to_owned()),
            false => Ok(Self(pair)),
        }
    }
}

#[pd_tool(summary = "Order two numbers")]
fn order(pair: Args<Ordered>) -> String {
    let Ordered(Pair {
        first,
        second,
        more,
    }) = pair.0;
    format!("{first:?} {second:?} {more:?}")
}

#[tokio::test]
async fn an_error_of_a_type_in_args_names_the_argument_or_else_the_tool() {
    let server = PdServer::builder(pd_runtime::registry! { order }, ())
        .gate(GateMode::Off)
        .build()
        .unwrap();
    for era in [Era::Session, Era::Inline] {
        let client = connect(era, &server).await;
        for (sent, message) in [
            (
                json!({ "first": "one", "second": "seven" }),
                "argument `second` does not fit: `seven` is not a number",
            ),
            (
                json!({ "first": "one", "second": "two", "more": ["one", "six"] }),
                "argument `more` does not fit: `six` is not a number",
            ),
            (
                json!({ "first": "one", "second": "one" }),
                "the arguments of `order` do not fit: both are the same",
            ),
        ] {
            let called = client.call("order", sent).await;
            assert_eq!(told(&called)["error"]["message"], message, "{era:?}");
        }
    }
}
