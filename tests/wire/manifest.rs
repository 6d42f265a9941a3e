//! Tool manifests (SEP-2636): a client that keeps whole tools, and fetches those whose digest it does not know.

use crate::harness::{
    client::Era, code, line::Line, names, post::Post, raw::Raw, shop, site::Site, text,
};
use pd_runtime::{GateMode, Listing, PdServer, Registry, config::MetaTools, serve};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use std::collections::BTreeMap;

/// RFC 8785 as far as the shop's tools go: integers, and keys in ASCII.
pub(crate) fn canonical(value: &Value) -> String {
    match value {
        Value::Object(object) => {
            let sorted: BTreeMap<&String, String> = object
                .iter()
                .map(|(key, value)| (key, canonical(value)))
                .collect();
            let members = sorted
                .iter()
                .map(|(key, value)| format!("{}:{value}", json!(key)));
            format!("{{{}}}", members.collect::<Vec<_>>().join(","))
        }
        Value::Array(items) => format!(
            "[{}]",
            items.iter().map(canonical).collect::<Vec<_>>().join(",")
        ),
        other => other.to_string(),
    }
}

/// What a manifest should say of a tool.
pub(crate) fn entry_of(tool: &Value) -> Value {
    let canonical = canonical(tool);
    let digest: String = Sha256::digest(canonical.as_bytes())
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    let mut entry = json!({ "name": tool["name"], "digest": format!("sha256:{digest}"), "size": canonical.len() });
    for key in ["title", "annotations"] {
        if let Some(value) = tool.get(key) {
            entry[key] = value.clone();
        }
    }
    entry
}

/// All pages of the manifest.
async fn manifest(client: &mut Raw) -> Vec<Value> {
    let (mut entries, mut params) = (Vec::new(), json!({}));
    loop {
        let page = client.result("tools/manifest", params).await;
        entries.extend(page["entries"].as_array().unwrap().clone());
        match page.get("nextCursor") {
            None => return entries,
            Some(cursor) => params = json!({ "cursor": cursor }),
        }
    }
}

/// Whole tools, in requests of at most 50.
async fn described(client: &mut Raw, names: &[&str]) -> Vec<Value> {
    let mut tools = Vec::new();
    for names in names.chunks(50) {
        let described = client
            .result("tools/describe", json!({ "names": names }))
            .await;
        tools.extend(described["tools"].as_array().unwrap().clone());
    }
    tools
}

#[tokio::test]
async fn the_manifest_names_what_the_list_names_with_the_digests_of_what_describe_gives() {
    for listing in [
        Listing::Minimal,
        Listing::Full,
        Listing::Grouped,
        Listing::Reveal,
    ] {
        for era in Era::ALL {
            let shared = shop::server().listing(listing).build().unwrap();
            let mut client = Raw::connect(era, &shared).await;
            let listed = client.result("tools/list", json!({})).await;
            let entries = manifest(&mut client).await;
            let all = names(&listed["tools"]);
            let named: Vec<_> = entries
                .iter()
                .map(|entry| entry["name"].as_str().unwrap())
                .collect();
            assert_eq!(named, all, "{era:?} {listing:?}");
            let tools = described(&mut client, &all).await;
            assert_eq!(
                entries,
                tools.iter().map(entry_of).collect::<Vec<_>>(),
                "{era:?} {listing:?}"
            );
            if listing == Listing::Full {
                assert_eq!(
                    listed["tools"],
                    json!(tools),
                    "{era:?}: the list's own entries"
                );
            }
        }
    }
}

#[tokio::test]
async fn a_manifest_may_be_kept_as_long_as_a_list() {
    let mut client = Raw::connect(Era::HttpInline, &shop::server().build().unwrap()).await;
    let (list, manifest) = (
        client.result("tools/list", json!({})).await,
        client.result("tools/manifest", json!({})).await,
    );
    for key in ["ttlMs", "cacheScope", "resultType"] {
        assert!(
            manifest.get(key).is_some() && manifest[key] == list[key],
            "{key}: {manifest}"
        );
    }
}

#[tokio::test]
async fn tools_come_in_the_order_asked_or_not_at_all() {
    for era in Era::ALL {
        let mut client = Raw::connect(
            era,
            &shop::server().listing(Listing::Grouped).build().unwrap(),
        )
        .await;
        let asked = ["pay", "describe_tools", "greet", "pay"];
        let described = client
            .result("tools/describe", json!({ "names": asked }))
            .await;
        assert_eq!(names(&described["tools"]), asked, "{era:?}");
        let mut refused =
            async |params| client.refused("tools/describe", params).await["data"].take();
        let unknown = json!({ "names": ["greet", "refund", "nothing"] });
        assert_eq!(
            refused(unknown).await["unknownNames"]
                .as_array()
                .unwrap()
                .last()
                .unwrap(),
            "nothing",
            "{era:?}"
        );
        assert_eq!(
            refused(json!({ "names": [] })).await,
            json!({ "reason": "empty" }),
            "{era:?}"
        );
        let many = vec!["greet"; 51];
        assert_eq!(
            refused(json!({ "names": many })).await,
            json!({ "maxNames": 50 }),
            "{era:?}"
        );
        for other in [
            json!({}),
            json!({ "names": "greet" }),
            json!({ "names": [1] }),
            json!({ "name": 1 }),
        ] {
            assert_eq!(
                refused(other).await,
                json!({ "reason": "names" }),
                "{era:?}"
            );
        }
    }
}

#[tokio::test]
async fn a_hidden_tool_is_unknown() {
    for era in [Era::HttpSession, Era::HttpInline, Era::HttpStateless] {
        let shared = shop::server().listing(Listing::Minimal).build().unwrap();
        let mut client = Raw::connect_as(era, &shared, "alice").await;
        assert!(
            manifest(&mut client)
                .await
                .iter()
                .all(|entry| entry["name"] != "refund"),
            "{era:?}"
        );
        let refused = client
            .refused(
                "tools/describe",
                json!({ "names": ["refund", "greet", "no"] }),
            )
            .await;
        assert_eq!(
            refused["data"],
            json!({ "unknownNames": ["refund", "no"] }),
            "{era:?}"
        );
        client.become_bearer("alice shop:refund");
        assert!(
            manifest(&mut client)
                .await
                .iter()
                .any(|entry| entry["name"] == "refund"),
            "{era:?}"
        );
    }
}

#[tokio::test]
async fn describing_discloses_and_a_ticket_stands_beside_the_tool() {
    for era in Era::ALL {
        let mut client = Raw::connect(era, &shop::server().build().unwrap()).await;
        let refused = client
            .call_with(&Value::Null, "greet", json!({ "name": "Ada" }))
            .await;
        assert_eq!(code(&refused), "TOOL_DESCRIPTION_REQUIRED", "{era:?}");
        let greeted = client
            .call_described("greet", json!({ "name": "Ada" }))
            .await;
        assert_eq!(text(&greeted), "Welcome, Ada!", "{era:?}");
    }
}

/// All or nothing holds for disclosure, too.
#[tokio::test]
async fn a_refused_request_discloses_nothing() {
    let mut client = Raw::connect(Era::Session, &shop::server().build().unwrap()).await;
    client
        .refused("tools/describe", json!({ "names": ["greet", "nothing"] }))
        .await;
    let called = client
        .call_with(&Value::Null, "greet", json!({ "name": "Ada" }))
        .await;
    assert_eq!(code(&called), "TOOL_DESCRIPTION_REQUIRED");
}

fn many(count: usize, text: &'static str) -> Registry<()> {
    let named = |number: usize| {
        let tool = pd_runtime::Tool::new(
            format!("tool_{number}"),
            "Do one thing",
            |_, _, _| unreachable!(),
        );
        tool.description(text)
    };
    Registry::builder()
        .tools((0..count).map(named))
        .build()
        .unwrap()
}

#[tokio::test]
async fn a_long_manifest_comes_in_pages() {
    let shared = PdServer::builder(many(1_100, "one"), ())
        .listing(Listing::Minimal)
        .build()
        .unwrap();
    for era in Era::ALL {
        let mut client = Raw::connect(era, &shared).await;
        let first = client.result("tools/manifest", json!({})).await;
        assert_eq!(first["entries"].as_array().unwrap().len(), 500, "{era:?}");
        let entries = manifest(&mut client).await;
        assert_eq!(entries.len(), 1_101, "{era:?}: and the meta-tool");
        let listed = client.result("tools/list", json!({})).await;
        assert!(
            names(&listed["tools"])
                .iter()
                .zip(&entries)
                .all(|(name, entry)| entry["name"] == *name),
            "{era:?}"
        );
    }
}

#[tokio::test]
async fn a_cursor_is_good_for_the_manifest_that_it_came_with() {
    let shared = PdServer::builder(many(600, "one"), ())
        .listing(Listing::Minimal)
        .build()
        .unwrap();
    let mut client = Raw::connect(Era::Inline, &shared).await;
    let cursor = client.result("tools/manifest", json!({})).await["nextCursor"].take();
    assert_eq!(
        client
            .result("tools/manifest", json!({ "cursor": cursor }))
            .await["entries"][0]["name"],
        "tool_500"
    );
    let start_at = |start: &str| json!(cursor.as_str().unwrap().replacen("500", start, 1));
    for wrong in [
        json!("x"),
        json!(""),
        json!(500),
        json!("500"),
        start_at("601"),
        start_at("-1"),
        start_at("many"),
    ] {
        let refused = client
            .refused("tools/manifest", json!({ "cursor": wrong }))
            .await;
        assert_eq!(
            refused["data"],
            json!({ "reason": "staleCursor" }),
            "{wrong}"
        );
    }
    shared.replace(many(600, "two")).unwrap();
    client
        .refused("tools/manifest", json!({ "cursor": cursor }))
        .await;
}

/// The point of the proposal: after a change, a client fetches what changed and nothing else.
#[tokio::test]
async fn a_digest_changes_with_its_tool_and_with_no_other() {
    let note = |text: &'static str| shop::saying::<()>("note", "said").description(text);
    let registry = |text| {
        many(3, "same")
            .merge(Registry::builder().tool(note(text)).build().unwrap())
            .unwrap()
    };
    let shared = PdServer::builder(registry("old"), ())
        .listing(Listing::Minimal)
        .build()
        .unwrap();
    let mut client = Raw::connect(Era::Session, &shared).await;
    let before = manifest(&mut client).await;
    shared.replace(registry("new")).unwrap();
    let after = manifest(&mut client).await;
    let changed = before
        .iter()
        .zip(&after)
        .filter(|(before, after)| before["digest"] != after["digest"]);
    assert_eq!(
        changed
            .map(|(_, after)| after["name"].clone())
            .collect::<Vec<_>>(),
        ["note"]
    );
}

/// Before 2026-07-28 structured results are wrapped, so these tools are not the same.
#[tokio::test]
async fn digests_are_those_of_the_tool_as_its_client_sees_it() {
    let shared = shop::server().listing(Listing::Minimal).build().unwrap();
    let mut digests = Vec::new();
    for era in [Era::Session, Era::Inline] {
        let entries = manifest(&mut Raw::connect(era, &shared).await).await;
        let digest = |name: &str| {
            entries.iter().find(|entry| entry["name"] == name).unwrap()["digest"].clone()
        };
        digests.push((digest("prices"), digest("stock")));
    }
    assert_ne!(digests[0].0, digests[1].0);
    assert_eq!(digests[0].1, digests[1].1);
}

/// `tools.manifest` as `serve` announces it over one connection, and over HTTP.
async fn announced(shared: &PdServer<shop::Shop>) -> Vec<Value> {
    let mut found = Vec::new();
    for inline in [false, true] {
        let (ours, theirs) = tokio::io::duplex(1 << 16);
        let server = shared.clone();
        tokio::spawn(async move { serve::transport(&server, theirs).await });
        let mut line = Line::over(ours);
        found.push(match inline {
            false => line.handshake(json!({})).await["capabilities"].take(),
            true => {
                line.carry(Some(crate::harness::inline_meta(&json!({}))));
                line.result("server/discover", json!({})).await["capabilities"].take()
            }
        });
    }
    for sessions in [true, false] {
        let options = serve::HttpOptions::new().sessions(sessions);
        let site = Site::serve(serve::router(shared, &options, Default::default()).unwrap()).await;
        found.push(
            Post::inline(&site.url)
                .result("server/discover", json!({}))
                .await["capabilities"]
                .take(),
        );
        let params = json!({
            "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "wire", "version": "0" },
        });
        found.push(
            Post::stateless(&site.url)
                .result("initialize", params)
                .await["capabilities"]
                .take(),
        );
    }
    found
}

#[tokio::test]
async fn the_capability_is_announced_where_the_proposal_wants_it() {
    for capabilities in announced(&shop::server().build().unwrap()).await {
        assert_eq!(capabilities["tools"]["manifest"], true, "{capabilities}");
        assert_eq!(capabilities["tools"]["listChanged"], true, "{capabilities}");
        let experiments = capabilities["experimental"].as_object().unwrap();
        assert_eq!(
            experiments.keys().collect::<Vec<_>>(),
            ["experimental/deterministic-groups"]
        );
    }
}

/// The rest of what a connection carries is left as it is.
#[tokio::test]
async fn a_session_over_the_router_goes_on_as_ever() {
    let shared = shop::server()
        .gate(GateMode::Off)
        .meta_tools(MetaTools::none())
        .build()
        .unwrap();
    for sessions in [true, false] {
        let options = serve::HttpOptions::new().sessions(sessions);
        let site = Site::serve(serve::router(&shared, &options, Default::default()).unwrap()).await;
        let callers = match sessions {
            true => vec![
                Post::session(&site.url, None).await,
                Post::inline(&site.url),
            ],
            false => vec![Post::stateless(&site.url), Post::inline(&site.url)],
        };
        for caller in callers {
            assert_eq!(
                text(
                    &caller
                        .call("greet", json!({ "name": "\"capabilities\"" }))
                        .await
                ),
                "Welcome, \"capabilities\"!"
            );
        }
    }
}
