//! Errors of any type, which `?` converts in a tool's body: their text is one line of bounded length.

use crate::harness::{
    client::{Era, connect},
    code, told,
};
use anyhow::Context;
use pd_runtime::{GateMode, prelude::*};
use serde_json::{Value, json};
use std::{error::Error, fmt};

/// An error that names its source in its text, as many do.
#[derive(Debug, thiserror::Error)]
#[error("the ledger is unreadable: {0}")]
struct LedgerError(#[source] std::num::ParseIntError);

#[derive(Debug, thiserror::Error)]
#[error("no balance\n  of {0}")]
struct BalanceError(String, #[source] LedgerError);

fn balance(account: &str) -> Result<i64, BalanceError> {
    account
        .parse()
        .map_err(|error| BalanceError(account.to_owned(), LedgerError(error)))
}

#[pd_tool(summary = "Read a balance by anyhow")]
async fn by_anyhow(account: String) -> Result<String, anyhow::Error> {
    let balance = balance(&account).context("the account\nis closed")?;
    Ok(balance.to_string())
}

#[pd_tool(summary = "Read a balance by a boxed error")]
fn by_box(account: String) -> Result<Json<i64>, Box<dyn Error + Send + Sync>> {
    if account.is_empty() {
        return Err("which account?".into());
    }
    Ok(Json(balance(&account)?))
}

#[pd_tool(summary = "Read a balance by a converted error")]
fn by_display(account: String) -> Result<Json<i64>, ToolError> {
    let balance = balance(&account)
        .context("the account is closed")
        .map_err(ToolError::from_display)?;
    Ok(Json(balance))
}

async fn refused(name: &str, account: &str) -> Value {
    let registry: Registry<()> = pd_runtime::registry! { by_anyhow, by_box, by_display };
    let client = connect(
        Era::Session,
        &PdServer::builder(registry, ())
            .gate(GateMode::Off)
            .build()
            .unwrap(),
    )
    .await;
    let called = client.call(name, json!({ "account": account })).await;
    assert_eq!(
        (&called["isError"], code(&called).as_str()),
        (&json!(true), "TOOL_FAILED"),
        "{called}"
    );
    told(&called)["error"]["message"].take()
}

#[tokio::test]
async fn an_error_of_anyhow_is_its_chain_in_one_line() {
    let chain = "the account is closed: no balance of x: the ledger is unreadable: invalid digit found in string";
    assert_eq!(
        refused("by_anyhow", "x").await,
        format!("{chain}: invalid digit found in string"),
        "as `{{:#}}` has it"
    );
}

#[tokio::test]
async fn a_boxed_error_names_its_sources_once() {
    let chain = "no balance of x: the ledger is unreadable: invalid digit found in string";
    assert_eq!(refused("by_box", "x").await, chain);
    assert_eq!(refused("by_box", "").await, "which account?");
}

#[tokio::test]
async fn an_error_that_cannot_be_converted_has_a_way() {
    let message = refused("by_display", "x").await;
    assert!(
        message
            .as_str()
            .unwrap()
            .starts_with("the account is closed: no balance of x: the ledger"),
        "{message}"
    );
}

#[tokio::test]
async fn an_error_of_any_length_is_bounded() {
    for name in ["by_anyhow", "by_box", "by_display"] {
        let message = refused(name, &"much ".repeat(10_000)).await;
        assert_eq!(message.as_str().unwrap().chars().count(), 2_001, "{name}");
        assert!(message.as_str().unwrap().ends_with('…'), "{name}");
    }
}

/// An error whose text costs much more than anybody reads of it.
#[derive(Debug)]
struct Swollen;

impl fmt::Display for Swollen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (0..1_000_000_000_u64).try_for_each(|count| write!(f, "{count} "))
    }
}

impl Error for Swollen {}

/// Rendered whole, it would take ten gigabytes and minutes.
#[test]
fn a_swollen_error_is_not_rendered_whole() {
    let message = ToolError::from_display(anyhow::Error::new(Swollen).context("it failed")).message;
    assert!(message.starts_with("it failed: 0 1 2 3 "), "{message}");
    assert_eq!(message.chars().count(), 2_001);
}
