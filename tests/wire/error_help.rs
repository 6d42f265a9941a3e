//! Help for errors: which text comes from the error type, which from the tool, and which a failed call repeats.

use crate::harness::{
    client::{Era, connect},
    told,
};
use pd_runtime::{GateMode, prelude::*};
use serde_json::{Value, json};
use std::fmt;

/// How shipping a parcel fails.
#[derive(Debug, thiserror::Error, ToolErrors)]
enum ShippingError {
    /// Ship two parcels.
    #[error("{weight} kg is over the {0} kg of {carrier:?}", 30, weight = .weight)]
    TooHeavy { weight: u32, carrier: &'static str },
    /// Ask for another carrier.
    #[error("{0} does not ship to islands")]
    Island(&'static str),
    /// Try again.
    #[error(transparent)]
    Other(std::num::ParseIntError),
}

/// How a count fails, in words of its own.
#[derive(Debug, ToolErrors)]
enum CountError {
    /// Count again.
    Miscounted,
}

impl fmt::Display for CountError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("one parcel was counted twice")
    }
}

#[pd_tool(summary = "Ship a parcel")]
fn ship(weight: u32) -> Result<String, ShippingError> {
    match weight {
        0 => Err(ShippingError::Island("Ada's")),
        1 => "x"
            .parse::<u32>()
            .map(|weight| weight.to_string())
            .map_err(ShippingError::Other),
        weight => Err(ShippingError::TooHeavy {
            weight,
            carrier: "Ada",
        }),
    }
}

/// # Errors
///
/// - `ISLAND`: a ferry would be needed. Ask for a port.
/// - `TOO_HEAVY`
#[pd_tool(summary = "Ship a parcel by post")]
fn post() -> Result<String, ShippingError> {
    Err(ShippingError::Island("The post"))
}

/// Weighs a parcel.
///
/// # Errors
///
/// Returns an error if the scales are out of order,
/// or someone stands on them.
///
/// - `TOO_HEAVY`: the scales end at 30 kg. Split the parcel.
///
/// All other errors pass by themselves.
#[pd_tool(summary = "Find the weight of a parcel")]
fn weigh() -> Result<String, ShippingError> {
    Err(ShippingError::Island("The post"))
}

#[pd_tool(summary = "Count parcels")]
fn count() -> Result<String, CountError> {
    Err(CountError::Miscounted)
}

async fn client() -> crate::harness::client::Client {
    let registry: Registry<()> = pd_runtime::registry! { ship, post, weigh, count };
    connect(
        Era::Session,
        &PdServer::builder(registry, ())
            .gate(GateMode::Off)
            .build()
            .unwrap(),
    )
    .await
}

async fn help(name: &str) -> Value {
    client().await.describe(name).await[name]["error_guidance"]["common_errors"].take()
}

#[tokio::test]
async fn the_cause_is_the_variants_error_text() {
    let help = help("ship").await;
    assert_eq!(
        help,
        json!([
            {
                "error": "TOO_HEAVY",
                "cause": "{weight} kg is over the … kg of {carrier}",
                "solution": "Ship two parcels.",
            },
            { "error": "ISLAND", "cause": "… does not ship to islands", "solution": "Ask for another carrier." },
            { "error": "OTHER", "solution": "Try again." },
        ])
    );
}

#[tokio::test]
async fn an_errors_section_overrides_the_cause_and_leaves_others() {
    let overridden = json!({ "error": "ISLAND", "cause": "a ferry would be needed.", "solution": "Ask for a port." });
    let help = help("post").await;
    assert_eq!(help[0], overridden);
    assert_eq!(
        help[1]["cause"],
        "{weight} kg is over the … kg of {carrier}"
    );
    assert_eq!(help.as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn prose_about_errors_stays_in_the_description() {
    let description = client().await.describe("weigh").await["weigh"].take();
    let prose = "Returns an error if the scales are out of order, or someone stands on them.";
    let text =
        format!("Weighs a parcel.\n\n# Errors\n\n{prose}\n\nAll other errors pass by themselves.");
    assert_eq!(description["description"], text);
    let listed = json!([
        { "error": "TOO_HEAVY", "cause": "the scales end at 30 kg.", "solution": "Split the parcel." },
    ]);
    assert_eq!(
        description["error_guidance"],
        json!({ "common_errors": listed }),
        "codes alone, as specified"
    );
}

#[tokio::test]
async fn a_display_written_by_hand_has_no_cause() {
    assert_eq!(
        help("count").await,
        json!([{ "error": "MISCOUNTED", "solution": "Count again." }])
    );
}

#[tokio::test]
async fn a_failed_call_does_not_repeat_its_message_as_the_cause() {
    let client = client().await;
    let error = |called: Value| told(&called)["error"].take();
    assert_eq!(
        error(client.call("ship", json!({ "weight": 40 })).await),
        json!({
            "code": "TOO_HEAVY",
            "message": "40 kg is over the 30 kg of \"Ada\"",
            "solution": "Ship two parcels.",
        })
    );
    assert_eq!(
        error(client.call("post", json!({})).await),
        json!({
            "code": "ISLAND",
            "message": "The post does not ship to islands",
            "cause": "a ferry would be needed.",
            "solution": "Ask for a port.",
        })
    );
}
