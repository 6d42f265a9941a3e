//! What a selective tool saves: of eight rows with 29 columns two are shown, beside all of them (the seed's case).

use crate::harness::{line::Line, told};
use pd_runtime::{
    GateMode, PdServer, Registry, Table, prelude::*, selective::data_plane::DataPlane,
};
use serde_json::{Value, json};

/// Active weather alerts in the shape of those of the National Weather Service.
#[pd_tool(summary = "List weather alerts", selective, read_only)]
fn alerts() -> Result<Table, ToolError> {
    Ok(Table::from_rows((0..8).map(alert))?)
}

const EVENTS: [&str; 4] = [
    "Wind Advisory",
    "Flood Watch",
    "Winter Storm Warning",
    "Heat Advisory",
];
const PLACES: [&str; 4] = [
    "Los Angeles County Mountains",
    "Sacramento Valley",
    "Greater Lake Tahoe Area",
    "Mojave Desert",
];

fn alert(number: usize) -> Value {
    let (event, place) = (EVENTS[number % 4], PLACES[number / 2]);
    let id = format!(
        "urn:oid:2.49.0.1.840.0.{:08x}aa1f3c5b7d90e1224a6c8e0f1b3d5f79{number:04}.001.1",
        number * 7919
    );
    json!({
        "id": id, "area": place, "geocodes": ["CAZ375", "CAZ376", "006037"], "zones": ["CAZ375", "CAZ376"],
        "references": [], "sent": "2026-03-14T02:11:00-07:00", "effective": "2026-03-14T02:11:00-07:00",
        "onset": "2026-03-14T11:00:00-07:00", "expires": "2026-03-14T18:00:00-07:00",
        "ends": "2026-03-15T03:00:00-07:00", "status": "Actual", "messageType": "Alert", "category": "Met",
        "severity": "Moderate", "certainty": "Likely", "urgency": "Expected", "event": event,
        "sender": "w-nws.webmaster@noaa.gov", "senderName": "NWS Los Angeles/Oxnard CA",
        "headline": format!("{event} issued March 14 at 2:11AM PDT until March 15 at 3:00AM PDT by NWS Los Angeles/Oxnard CA"),
        "description": format!("* WHAT...{event} in effect with gusts up to 55 mph expected.\n\n* WHERE...{place}.\n\n* WHEN...From 11 AM \
            this morning to 3 AM PDT Sunday.\n\n* IMPACTS...Gusty winds will blow around unsecured objects. Tree limbs could be \
            blown down and a few power outages may result."),
        "instruction": "Winds this strong can make driving difficult, especially for high profile vehicles. Use extra caution.",
        "response": "Execute", "scope": "Public", "code": "IPAWSv1.0", "language": "en-US",
        "web": "http://www.weather.gov", "eventCode": { "SAME": "NWS", "NationalWeatherService": "WIY" },
        "parameters": { "AWIPSidentifier": "NPWLOX", "WMOidentifier": "WWUS76 KLOX 140911", "BLOCKCHANNEL": "EAS,NWEM,CMAS" },
    })
}

fn tokens(text: &str) -> usize {
    tiktoken_rs::o200k_base_singleton()
        .encode_ordinary(text)
        .len()
}

async fn called(line: &mut Line, arguments: Value) -> Value {
    line.result(
        "tools/call",
        json!({ "name": "alerts", "arguments": arguments }),
    )
    .await
}

/// The result as it is with a handle in place of the body, which an agent's dispatcher puts there.
fn without_body(result: &Value) -> String {
    let mut answer = told(result);
    let object = answer.as_object_mut().unwrap();
    assert_eq!(
        object
            .shift_remove("body")
            .and_then(|body| body.as_array().map(Vec::len)),
        Some(8)
    );
    object.insert(
        "resource_url".to_owned(),
        json!("ddi://q8Zx1LwT5vK2nB7cR4yJ0g"),
    );
    let mut result = result.clone();
    result["content"][0]["text"] = json!(answer.to_string());
    result.to_string()
}

#[tokio::test]
async fn two_columns_of_29_save_most_of_the_tokens() {
    let registry: Registry<()> = pd_runtime::registry! { alerts };
    let plane = DataPlane::default().public_url("http://127.0.0.1:8000");
    let server = PdServer::builder(registry, ())
        .gate(GateMode::Off)
        .data_plane(plane)
        .build()
        .unwrap();
    for (era, mut line) in [
        ("session", Line::session(&server).await),
        ("inline", Line::inline(&server, json!({}))),
    ] {
        let plain = called(&mut line, json!({})).await;
        assert_eq!(
            told(&plain)[0].as_object().map(serde_json::Map::len),
            Some(29)
        );
        let kept = called(&mut line, json!({ "abstract_domains": "event,severity" })).await;
        assert!(
            told(&kept)["resource_url"]
                .as_str()
                .is_some_and(|url| url.len() == 75),
            "{kept}"
        );
        let divided = called(
            &mut line,
            json!({ "abstract_domains": "event,severity", "mode": "sync" }),
        )
        .await;
        for (mode, shown) in [
            ("async", kept.to_string()),
            ("sync", without_body(&divided)),
        ] {
            let (all, shown) = (tokens(&plain.to_string()), tokens(&shown));
            let saved = 100.0 * (1.0 - shown as f64 / all as f64);
            println!(
                "{era}, {mode}: {all} tokens in full, {shown} with two columns, {saved:.1} % saved"
            );
            assert!(saved >= 86.0, "{era}, {mode}: {saved:.1} %");
        }
    }
}
