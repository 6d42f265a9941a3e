//! To a caller who may not see a tool it is as if it were not there: on every wire, byte for byte.

use crate::harness::{post::Post, shop, site::Site};
use pd_runtime::{
    Bundle, Group, Limits, Listing, PdServer, Principal, Registry, Tool, config::MetaTools,
};
use serde_json::{Value, json};

/// What shows tools, groups, bundles, or that there are some; the hidden ones are asked for, and near misses.
fn requests() -> Vec<(&'static str, Value)> {
    let mut requests = vec![
        ("server/discover", json!({})),
        ("tools/list", json!({})),
        ("tools/manifest", json!({})),
        ("tools/describe", json!({ "name": "vault_open" })),
        ("experimental/groups/list", json!({})),
        (
            "experimental/groups/expand",
            json!({ "id": "vault", "revision": "sha256:0" }),
        ),
        (
            "experimental/groups/expand",
            json!({ "id": "till", "revision": "sha256:0" }),
        ),
        ("groups/list", json!({})),
        ("groups/list", json!({ "cursor": "dev.pd-runtime:vault" })),
        ("skills/list", json!({})),
        ("skills/list", json!({ "cursor": "dev.pd-runtime:rob" })),
        ("resources/list", json!({})),
        ("resources/templates/list", json!({})),
    ];
    for names in [
        json!(["vault_open"]),
        json!(["order", "vault_open"]),
        json!(["vault"]),
        json!(["order", "stock"]),
    ] {
        requests.push(("tools/describe", json!({ "names": names })));
        requests.push(("disclosure/describe", json!({ "names": names })));
        for detail in ["summary", "signature", "full"] {
            let arguments = json!({ "names": names, "detail": detail });
            requests.push((
                "tools/call",
                json!({ "name": "describe_tools", "arguments": arguments }),
            ));
        }
    }
    for name in [
        "vault", "rob", "roberta", "drawer", "till", "goods", "Vault",
    ] {
        requests.push(("groups/get", json!({ "name": name })));
        requests.push((
            "skills/get",
            json!({ "uri": format!("skill://{name}/SKILL.md") }),
        ));
        requests.push((
            "resources/directory/read",
            json!({ "uri": format!("skill://{name}/references") }),
        ));
        for path in [
            "SKILL.md",
            "references/vault_open.json",
            "references/order.json",
        ] {
            requests.push((
                "resources/read",
                json!({ "uri": format!("skill://{name}/{path}") }),
            ));
        }
        for path in [
            name.to_owned(),
            format!("/{name}"),
            format!("{name}/vault_open"),
        ] {
            let arguments = json!({ "path": path, "depth": 9, "detail": "signature" });
            requests.push((
                "tools/call",
                json!({ "name": "list_tools", "arguments": arguments }),
            ));
            requests.push((
                "resources/read",
                json!({ "uri": format!("resource:///tool_descriptions?tools={path}") }),
            ));
        }
    }
    for query in [
        "vault_open",
        "strongroom gold",
        "prices",
        "vaul",
        "pay for goods",
        "count the stock, then pay",
        "",
    ] {
        requests.push((
            "tools/call",
            json!({ "name": "find_tools", "arguments": { "query": query } }),
        ));
    }
    for name in [
        "vault_open",
        "prices_of_gold",
        "vault_opn",
        "vault",
        "find_tool",
    ] {
        requests.push((
            "tools/call",
            json!({ "name": name, "arguments": { "disclosure_ticket": "1" } }),
        ));
        for meta_tool in ["call_tool", "call_read_only_tool"] {
            let arguments = json!({ "name": name, "arguments": "{\"a\": 1}" });
            requests.push((
                "tools/call",
                json!({ "name": meta_tool, "arguments": arguments }),
            ));
        }
    }
    requests
}

/// What keeps a tool from alice.
#[derive(Debug, Clone, Copy)]
enum By {
    Scope,
    Policy,
}

/// Tools in groups and a bundle; and among them, before them and under headings of their own, what alice may not see.
fn registry(with_hidden: bool, by: By) -> Registry<()> {
    let hidden = |name: &'static str| {
        let tool = shop::saying::<()>(name, "open").alias("strongroom");
        let tool = match by {
            By::Scope => tool.scope("shop:vault"),
            By::Policy => tool,
        };
        with_hidden.then_some(tool)
    };
    let member = |group: Group<()>, name: &'static str| {
        if with_hidden {
            group.member(name)
        } else {
            group
        }
    };
    let vault = || Group::new("vault", "Gold").instructions("Shh.");
    let till = hidden("vault_open")
        .into_iter()
        .fold(Group::new("till", "Money and prices"), Group::tool);
    let till = till
        .instructions("Count twice.")
        .tool(saying("order"))
        .tool(saying("pay"));
    let till = hidden("prices_of_gold")
        .into_iter()
        .fold(till, |till, gold| till.group(vault().tool(gold)));
    let drawer = Group::new("drawer", "Coins").tool(saying("coins"));
    let goods = member(
        Group::new("goods", "Goods")
            .tool(saying("stock"))
            .member("order"),
        "vault_open",
    );
    let mixed = Bundle::new("mixed", "Count it all").tool("stock");
    let builder = Registry::builder()
        .tools(hidden("vault_door"))
        .tool(saying("hours"));
    let builder = builder
        .tool(saying("refund").scope("shop:refund"))
        .group(till.group(drawer))
        .group(goods);
    match with_hidden {
        true => builder
            .bundle(mixed.tool("vault_open"))
            .bundle(Bundle::new("rob", "Rob").tool("vault_open")),
        false => builder.bundle(mixed),
    }
    .build()
    .unwrap()
}

fn saying(name: &'static str) -> Tool<()> {
    shop::saying(name, "said")
}

/// Nobody may see what has the word of a hidden tool.
fn policy(_: Option<&Principal>, tool: &Tool<()>) -> bool {
    !tool.name().starts_with("vault") && tool.name() != "prices_of_gold"
}

/// Without limits, which go by the clock: the two are asked at different moments.
fn servers(listing: Listing, by: By) -> [PdServer<()>; 2] {
    [true, false].map(|with_hidden| {
        let offered = MetaTools::all().call_read_only("call_read_only_tool");
        let server = PdServer::builder(registry(with_hidden, by), ())
            .listing(listing)
            .meta_tools(offered);
        let server = match by {
            By::Scope => server,
            By::Policy => server.access(policy),
        };
        server
            .ticket_key([3; 32])
            .limits(Limits::none())
            .build()
            .unwrap()
    })
}

/// There every skill is hidden, so to those who see none the extension is unknown.
#[tokio::test]
async fn where_every_skill_is_hidden_there_are_none() {
    let servers =
        shop::with_and_without_vault().map(|server| server.limits(Limits::none()).build().unwrap());
    compare(&servers, "the shop").await;
}

#[tokio::test]
async fn a_hidden_tool_leaves_no_trace_on_any_wire() {
    for (listing, by) in [
        (Listing::Minimal, By::Scope),
        (Listing::Grouped, By::Scope),
        (Listing::Minimal, By::Policy),
    ] {
        compare(&servers(listing, by), &format!("{listing:?}, by {by:?}")).await;
    }
}

async fn compare<S: Send + Sync + 'static>([with, without]: &[PdServer<S>; 2], at: &str) {
    let (with, without) = (
        Site::open(with, true).await,
        Site::open(without, true).await,
    );
    let pairs = callers(&with.url)
        .await
        .into_iter()
        .zip(callers(&without.url).await);
    for (place, (hidden, absent)) in pairs.enumerate() {
        for (method, params) in requests() {
            let at = format!("{at}, caller {place}: {method} {params}");
            let told = hidden.send(method, params.clone()).await.body.to_string();
            assert_eq!(
                told,
                absent.send(method, params).await.body.to_string(),
                "{at}"
            );
        }
    }
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
