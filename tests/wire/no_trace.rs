//! To a caller who may not see a tool it is as if it were not there: on every wire, byte for byte.

use crate::harness::{post::Post, shop, site::Site};
use pd_runtime::{Listing, MetaTools, ServerBuilder};
use serde_json::{Value, json};

/// What shows tools, groups, bundles, or that there are some; the hidden ones are asked for, and near misses.
fn requests() -> Vec<(&'static str, Value)> {
    let mut requests = vec![
        ("server/discover", json!({})),
        ("tools/list", json!({})),
        ("tools/manifest", json!({})),
        ("tools/describe", json!({ "name": "vault_open" })),
        ("experimental/groups/list", json!({})),
        ("experimental/groups/expand", json!({ "id": "vault", "revision": "sha256:0" })),
        ("experimental/groups/expand", json!({ "id": "till", "revision": "sha256:0" })),
        ("groups/list", json!({})),
        ("groups/list", json!({ "cursor": "dev.pd-runtime:vault" })),
        ("skills/list", json!({})),
        ("skills/list", json!({ "cursor": "dev.pd-runtime:rob" })),
        ("resources/list", json!({})),
        ("resources/templates/list", json!({})),
    ];
    for names in [json!(["vault_open"]), json!(["order", "vault_open"]), json!(["vault"]), json!(["order", "stock"])] {
        requests.push(("tools/describe", json!({ "names": names })));
        requests.push(("disclosure/describe", json!({ "names": names })));
        for detail in ["summary", "signature", "full"] {
            let arguments = json!({ "names": names, "detail": detail });
            requests.push(("tools/call", json!({ "name": "describe_tools", "arguments": arguments })));
        }
    }
    for name in ["vault", "rob", "till", "goods", "Vault"] {
        requests.push(("groups/get", json!({ "name": name })));
        requests.push(("skills/get", json!({ "uri": format!("skill://{name}/SKILL.md") })));
        requests.push(("resources/directory/read", json!({ "uri": format!("skill://{name}/references") })));
        for path in ["SKILL.md", "references/vault_open.json", "references/order.json"] {
            requests.push(("resources/read", json!({ "uri": format!("skill://{name}/{path}") })));
        }
        for path in [name.to_owned(), format!("/{name}"), format!("{name}/vault_open")] {
            let arguments = json!({ "path": path, "depth": 9, "detail": "signature" });
            requests.push(("tools/call", json!({ "name": "list_tools", "arguments": arguments })));
            requests.push(("resources/read", json!({ "uri": format!("resource:///tool_descriptions?tools={path}") })));
        }
    }
    for query in ["vault_open", "strongroom gold", "prices", "vaul", "pay for goods", ""] {
        requests.push(("tools/call", json!({ "name": "find_tools", "arguments": { "query": query } })));
    }
    for name in ["vault_open", "prices_of_gold", "vault_opn", "vault", "find_tool"] {
        requests.push(("tools/call", json!({ "name": name, "arguments": { "disclosure_ticket": "1" } })));
        for meta_tool in ["call_tool", "call_read_only_tool"] {
            let arguments = json!({ "name": name, "arguments": "{\"a\": 1}" });
            requests.push(("tools/call", json!({ "name": meta_tool, "arguments": arguments })));
        }
    }
    requests
}

fn servers(listing: Listing) -> [ServerBuilder<shop::Shop>; 2] {
    let offered = MetaTools::all().call_read_only("call_read_only_tool");
    shop::with_and_without_vault().map(|server| server.listing(listing).meta_tools(offered.clone()))
}

/// One caller for each generation, and for each wire that is negotiated.
async fn callers(url: &str) -> Vec<Post> {
    let groups = json!({ "extensions": { "io.modelcontextprotocol/groups": {} } });
    let disclosure = json!({ "extensions": { "dev.pd-runtime/disclosure": { "version": 1 } } });
    let as_alice = Post::inline(url).bearer("alice");
    vec![
        Post::session_of(url, Some("alice"), "2025-11-25", groups.clone()).await,
        Post::session_of(url, Some("alice"), "delta-mcp/0.2.0", json!({})).await,
        Post::stateless(url).bearer("alice"),
        as_alice.capabilities(groups),
        as_alice.capabilities(disclosure),
        as_alice,
    ]
}

#[tokio::test]
async fn a_hidden_tool_leaves_no_trace_on_any_wire() {
    for listing in [Listing::Minimal, Listing::Grouped] {
        let [with, without] = servers(listing).map(|server| server.build().unwrap());
        let (with, without) = (Site::open(&with, true).await, Site::open(&without, true).await);
        let pairs = callers(&with.url).await.into_iter().zip(callers(&without.url).await);
        for (place, (hidden, absent)) in pairs.enumerate() {
            for (method, params) in requests() {
                let at = format!("{listing:?}, caller {place}: {method} {params}");
                let told = hidden.send(method, params.clone()).await.body.to_string();
                assert_eq!(told, absent.send(method, params).await.body.to_string(), "{at}");
            }
        }
    }
}
