//! Lists that depend on the name of a known host, where the owner asks for that.

use crate::harness::{inline_meta, line::Line};
use futures::{FutureExt, future::ready};
use pd_runtime::{Group, IntoOutput, Listing, PdServer, Registry, Tool};
use serde_json::{Value, json};
use std::time::{SystemTime, UNIX_EPOCH};

/// Thirty tools in a group: too many to be listed in full by their tokens, and few enough for an outline.
fn registry() -> Registry<()> {
    let about = "What it says here is as long as it takes, so that the list in full costs more than a list may cost. ";
    let tool = |number: usize| {
        let properties = json!({ "name": { "type": "string", "description": about.repeat(4) } });
        Tool::new(format!("make_{number}"), "Make a thing", |(): &(), _, _| {
            ready("Done".into_output()).boxed()
        })
        .input_schema(json!({ "type": "object", "properties": properties, "required": ["name"] }))
    };
    let group = (0..30)
        .map(tool)
        .fold(Group::new("things", "Things"), Group::tool);
    Registry::builder().group(group).build().unwrap()
}

/// The form of a listed company: its tools, and what their arguments show.
async fn form(server: &PdServer<()>, name: &str, is_inline: bool) -> (&'static str, Value) {
    let mut line = Line::open(server);
    let client = json!({ "name": name, "version": "1" });
    if is_inline {
        let mut meta = inline_meta(&json!({}));
        meta["io.modelcontextprotocol/clientInfo"] = client;
        line.carry(Some(meta));
    } else {
        line.handshake_with(
            json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client }),
        )
        .await;
    }
    let list = line.result("tools/list", json!({})).await;
    let tool = list["tools"]
        .as_array()
        .unwrap()
        .iter()
        .find(|tool| tool["name"] == "make_7");
    let form = match tool {
        None => "grouped",
        Some(tool) if tool["inputSchema"].to_string().contains("\"description\"") => "full",
        Some(_) => "outline",
    };
    (form, list["cacheScope"].clone())
}

/// The day on which the first row of the test expires, 2027-02-18, in seconds since 1970. From then on, hosts get the default.
/// The tests of the table itself choose their day.
const FIRST_ROW_ENDS: u64 = 1_802_908_800;

fn rows_hold() -> bool {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap()
        .as_secs()
        < FIRST_ROW_ENDS
}

#[tokio::test]
async fn a_list_depends_on_the_host_only_if_asked() {
    for (adapts, name, expected) in [
        (true, "claude-code", "full"),
        (true, "Claude-Code (via mcp-remote 0.15.1)", "full"),
        (true, "lmstudio-mcp-bridge", "grouped"),
        (true, "windsurf", "outline"),
        (true, "mcp", "outline"),
        (false, "claude-code", "outline"),
        (false, "lmstudio-mcp-bridge", "outline"),
    ] {
        if adapts && !rows_hold() {
            continue;
        }
        let server = PdServer::builder(registry(), ())
            .adapt_to_hosts(adapts)
            .build()
            .unwrap();
        for is_inline in [false, true] {
            let (form, scope) = form(&server, name, is_inline).await;
            assert_eq!(form, expected, "{name}, {adapts}, {is_inline}");
            assert!(
                !adapts || !is_inline || scope == "private",
                "{name}: {scope}"
            );
        }
    }
}

/// What was chosen for everybody stays so.
#[tokio::test]
async fn a_host_changes_no_other_listing() {
    for (listing, expected) in [
        (Listing::Outline, "outline"),
        (Listing::Grouped, "grouped"),
        (Listing::Full, "full"),
    ] {
        let server = PdServer::builder(registry(), ())
            .listing(listing)
            .adapt_to_hosts(true)
            .build()
            .unwrap();
        for name in ["claude-code", "lmstudio-mcp-bridge"] {
            assert_eq!(form(&server, name, true).await.0, expected, "{name}");
        }
    }
}
