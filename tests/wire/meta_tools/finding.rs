//! `find_tools`.

use super::{client, grouped, ticket, with_ticket};
use crate::harness::{
    client::{Era, connect, connect_with},
    company, names,
    post::Post,
    shop,
    site::Site,
    text, with_extension,
};
use pd_runtime::{
    Group, Listing, PdServer, Registry,
    config::MetaTools,
    search::{EmbedError, Embedder},
    tool::ToolAnnotations,
};
use serde_json::{Value, json};
use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

fn definition<'a>(listed: &'a Value, name: &str) -> &'a Value {
    listed["tools"]
        .as_array()
        .unwrap()
        .iter()
        .find(|tool| tool["name"] == name)
        .unwrap()
}

#[tokio::test]
async fn the_list_holds_the_top_level_and_the_meta_tools() {
    for era in Era::ALL {
        let listed = client(era).await.list().await;
        let names = names(&listed["tools"]);
        assert!(
            names.contains(&"greet") && !names.contains(&"pay"),
            "{era:?}: {names:?}"
        );
        assert_eq!(names[0], "call_tool", "{era:?}");
        let last = [
            "find_tools",
            "list_tools",
            "describe_tools",
            "call_read_only_tool",
        ];
        assert!(names.ends_with(&last), "{era:?}: {names:?}");
    }
}

/// Tools with names that cost more than their meta-tools may name.
fn many(count: usize) -> impl Iterator<Item = pd_runtime::Tool<()>> {
    (0..count).map(|place| {
        shop::saying::<()>(
            format!("count_the_unsold_vases_on_shelf_{place}").leak(),
            "done",
        )
    })
}

#[tokio::test]
async fn names_of_few_tools_take_the_place_of_the_groups() {
    let listed = client(Era::Session).await.list().await;
    let find = definition(&listed, "find_tools");
    assert_eq!(find["description"], "Find tools for a task");
    assert_eq!(find["annotations"], json!({ "readOnlyHint": true }));
    assert_eq!(
        definition(&listed, "call_tool")["description"],
        "Call stock, prices, measure, photo, inventory, pay, refund, grumble, protest"
    );
    assert_eq!(
        definition(&listed, "call_read_only_tool")["description"],
        "Call a read-only tool"
    );
}

/// A tool in two groups is named once, and a listed tool not at all.
#[tokio::test]
async fn each_meta_tool_names_the_tools_that_it_calls() {
    let (writes, reads) = ("Call a tool that writes", "Call a read-only tool");
    for (listing, group_lines, call, call_read_only) in [
        (Listing::Grouped, false, "Call revert", "Call log"),
        (Listing::Grouped, true, writes, reads),
        (Listing::Eager, false, writes, reads),
        (Listing::Outline, false, writes, reads),
    ] {
        let tool = |name, read_only| {
            let annotations = ToolAnnotations {
                read_only: Some(read_only),
                ..ToolAnnotations::NONE
            };
            shop::saying::<()>(name, "done").with_annotations(annotations)
        };
        let history = Group::new("history", "")
            .tool(tool("log", true))
            .tool(tool("revert", false));
        let undo = Group::new("undo", "").member("revert");
        let registry = Registry::builder()
            .tool(tool("status", true))
            .group(history)
            .group(undo)
            .build()
            .unwrap();
        let builder = PdServer::builder(registry, ())
            .listing(listing)
            .group_lines(group_lines);
        let server = builder.meta_tools(MetaTools::all()).build().unwrap();
        let listed = connect(Era::Session, &server).await.list().await;
        assert_eq!(
            definition(&listed, "call_tool")["description"],
            call,
            "{listing:?} {group_lines}"
        );
        assert_eq!(
            definition(&listed, "call_read_only_tool")["description"],
            call_read_only,
            "{listing:?} {group_lines}"
        );
    }
}

#[tokio::test]
async fn its_description_is_a_directory_of_the_groups() {
    let goods = many(20).fold(
        Group::new("goods", "What is there, and what was sold"),
        Group::tool,
    );
    let till = Group::new("till", "Money").tool(shop::saying("pay", "paid"));
    let registry = Registry::builder()
        .group(goods)
        .group(till)
        .build()
        .unwrap();
    let server = PdServer::builder(registry, ())
        .listing(Listing::Grouped)
        .build()
        .unwrap();
    let listed = connect(Era::Session, &server).await.list().await;
    let find = definition(&listed, "find_tools");
    assert_eq!(
        find["description"],
        "Find tools for a task. Groups: goods (What is there, and what was), till (Money)"
    );
    let ungrouped = shop::unscoped_server()
        .meta_tools(MetaTools::all())
        .build()
        .unwrap();
    let listed = connect(Era::Session, &ungrouped).await.list().await;
    assert_eq!(
        definition(&listed, "find_tools")["description"],
        "Find tools for a task"
    );
}

#[tokio::test]
async fn a_long_directory_names_some_groups_and_counts_the_rest() {
    let server = PdServer::builder(company::registry(100), ())
        .listing(Listing::Grouped)
        .build()
        .unwrap();
    let listed = connect(Era::Session, &server).await.list().await;
    let expected = "Find tools for a task. Groups: user, team, issue, label, branch, commit, release, package, webhook, \
        secret, invoice, order, 88 more";
    assert_eq!(definition(&listed, "find_tools")["description"], expected);
}

#[tokio::test]
async fn words_about_a_group_are_several_or_none() {
    for count in 1..=6 {
        let tool = |place: usize| shop::saying::<()>(["a", "b", "c", "d", "e", "f"][place], "done");
        let group = |place| {
            let group = Group::new(format!("floor-{place}"), "Read history, find who wrote it")
                .tool(tool(place));
            if place == 0 {
                many(20).fold(group, Group::tool)
            } else {
                group
            }
        };
        let registry = (0..count)
            .map(group)
            .fold(Registry::builder(), |all, group| all.group(group))
            .build()
            .unwrap();
        let server = PdServer::builder(registry, ())
            .listing(Listing::Grouped)
            .build()
            .unwrap();
        let listed = connect(Era::Session, &server).await.list().await;
        let directory = definition(&listed, "find_tools")["description"]
            .as_str()
            .unwrap()
            .to_owned();
        let words = directory.split_once('(').map_or(0, |(_, text)| {
            text.split(')').next().unwrap().split(' ').count()
        });
        assert!(words == 0 || words >= 3, "{directory}");
        assert!(count > 1 || words == 6, "{directory}");
        assert!(count < 6 || words == 0, "{directory}");
    }
}

/// The top level comes first, and then what stands inside, by its path.
#[tokio::test]
async fn a_directory_goes_inside_groups_while_there_is_room() {
    let tool = |name| shop::saying::<()>(name, "done");
    let inner = Group::new("lines", "").tool(tool("blame"));
    let history = many(20).fold(
        Group::new("history", "").tool(tool("log")).group(inner),
        Group::tool,
    );
    let registry = Registry::builder()
        .group(history)
        .group(Group::new("trees", "").tool(tool("ls")))
        .build()
        .unwrap();
    let server = PdServer::builder(registry, ())
        .listing(Listing::Grouped)
        .build()
        .unwrap();
    let listed = connect(Era::Session, &server).await.list().await;
    let expected = "Find tools for a task. Groups: history, trees, history/lines";
    assert_eq!(definition(&listed, "find_tools")["description"], expected);
}

#[tokio::test]
async fn a_hit_that_stands_out_is_disclosed_with_its_signature() {
    for era in Era::ALL {
        let client = client(era).await;
        let found = client
            .call("find_tools", json!({ "query": "pay with a card" }))
            .await;
        assert_ne!(found["isError"], true);
        let told = text(&found);
        assert!(told.contains("pay({\n card: string"), "{era:?}: {told}");
        assert_eq!(
            ticket(told).is_some(),
            !era.has_session(),
            "{era:?}: {told}"
        );
        let called = client
            .call("pay", with_ticket(json!({ "card": "1" }), told))
            .await;
        assert!(
            text(&called).contains("CARD_REFUSED"),
            "{era:?}: it ran: {called}"
        );
    }
}

#[tokio::test]
async fn hits_are_lines_with_their_groups_and_disclose_nothing() {
    let client = client(Era::Session).await;
    let found = client
        .call("find_tools", json!({ "query": "parcel" }))
        .await;
    let lines: Vec<_> = text(&found).lines().collect();
    assert!(lines.len() <= 5, "{lines:?}");
    assert!(
        lines.contains(&"measure — Measure a parcel  /goods"),
        "{lines:?}"
    );
    let called = client.call("measure", json!({})).await;
    assert_eq!(called["isError"], true, "its signature was not told");
}

/// So a model needs no tool beside the search to walk through groups, whatever meta-tools there are.
#[tokio::test]
async fn a_group_s_path_as_query_lists_the_group() {
    let searching = || shop::server().listing(Listing::Grouped);
    for era in Era::ALL {
        for builder in [searching(), searching().meta_tools(MetaTools::all())] {
            let client = connect(era, &builder.build().unwrap()).await;
            for query in ["/goods", "goods", "goods/"] {
                let found = client.call("find_tools", json!({ "query": query })).await;
                let mut lines = text(&found).lines();
                assert_eq!(
                    lines.next(),
                    Some("/goods (5) — What is there"),
                    "{era:?} {query}: {found}"
                );
                assert_eq!(
                    lines.next(),
                    Some("stock — Count the stock"),
                    "{era:?} {query}"
                );
            }
        }
    }
}

#[tokio::test]
async fn a_large_group_is_listed_in_part_and_counted() {
    let tools = (0..60).map(|place| shop::saying::<()>(format!("tool_{place}").leak(), "done"));
    let large = tools
        .fold(Group::new("store", "Things"), Group::tool)
        .group(Group::new("cellar", "More").tool(shop::saying("dig", "done")));
    let registry = Registry::builder().group(large).build().unwrap();
    let server = PdServer::builder(registry, ())
        .listing(Listing::Grouped)
        .build()
        .unwrap();
    let client = connect(Era::Session, &server).await;
    let found = client.call("find_tools", json!({ "query": "store" })).await;
    let lines: Vec<_> = text(&found).lines().collect();
    assert_eq!(lines.len(), 1 + 50 + 1 + 1, "{found}");
    assert_eq!(
        lines[51..],
        [
            "/store/cellar (1) — More",
            "10 more tools; search for what to do"
        ]
    );
}

/// A tool that is called like a group is looked for like any other.
#[tokio::test]
async fn a_tool_of_a_group_s_name_is_found() {
    let group = Group::new("pay", "Money")
        .tool(shop::saying::<()>("pay", "done"))
        .tool(shop::saying("refund", "done"));
    let registry = Registry::builder().group(group).build().unwrap();
    let server = PdServer::builder(registry, ())
        .listing(Listing::Grouped)
        .build()
        .unwrap();
    let found = connect(Era::Session, &server)
        .await
        .call("find_tools", json!({ "query": "pay" }))
        .await;
    assert!(text(&found).contains("pay({"), "{found}");
}

#[tokio::test]
async fn what_matches_nothing_is_answered_with_the_groups() {
    let client = client(Era::Session).await;
    let found = client.call("find_tools", json!({ "query": "zzyzx" })).await;
    let expected = "Nothing matches `zzyzx`. There are:\n\
        /goods (5) — What is there\n/till (4) — Money\n\
        Try other words, or open a group with list_tools.";
    assert_eq!(text(&found), expected);
    for asked in [json!({}), json!({ "query": " " }), json!({ "query": 7 })] {
        let groups = client.call("find_tools", asked).await;
        // The second answer of the same text says so.
        let (answer, _) = text(&groups)
            .split_once("\n\n")
            .unwrap_or((text(&groups), ""));
        assert_eq!(answer, "/goods (5) — What is there\n/till (4) — Money");
    }
}

/// Byte for byte, with a hidden group and tools whose words would be the best hits.
#[tokio::test]
async fn a_hidden_tool_leaves_no_trace() {
    let [with, without] = shop::with_and_without_vault()
        .map(|server| server.listing(Listing::Grouped).build().unwrap());
    let (with, without) = (
        Site::open(&with, false).await,
        Site::open(&without, false).await,
    );
    let call = |name: &str, arguments: Value| {
        (
            "tools/call",
            json!({ "name": name, "arguments": arguments }),
        )
    };
    let requests = [
        ("tools/list", json!({})),
        call("find_tools", json!({ "query": "open the vault" })),
        call("find_tools", json!({ "query": "prices" })),
        call("find_tools", json!({ "query": "gold" })),
        call("find_tools", json!({ "query": "strongroom" })),
        call("find_tools", json!({})),
        call("list_tools", json!({})),
        call("list_tools", json!({ "depth": 3, "detail": "names" })),
        call("list_tools", json!({ "path": "/vault" })),
        call("describe_tools", json!({ "names": ["/vault"] })),
        call(
            "describe_tools",
            json!({ "names": ["vault_open"], "detail": "signature" }),
        ),
        call(
            "describe_tools",
            json!({ "names": ["rob", "/rob"], "detail": "summary" }),
        ),
        call(
            "call_tool",
            json!({ "name": "vault_open", "arguments": {} }),
        ),
        call("call_tool", json!({ "name": "vault_opn", "arguments": {} })),
        (
            "resources/read",
            json!({ "uri": "resource:///tool_descriptions?tools=/vault" }),
        ),
        (
            "resources/read",
            json!({ "uri": "resource:///tool_descriptions?tools=rob" }),
        ),
        ("server/discover", json!({})),
    ];
    for (method, params) in requests {
        let ask = |site: &Site| Post::inline(&site.url).bearer("alice");
        let hidden = ask(&with)
            .send(method, params.clone())
            .await
            .body
            .to_string();
        let absent = ask(&without)
            .send(method, params.clone())
            .await
            .body
            .to_string();
        assert_eq!(hidden, absent, "{method} {params}");
    }
    let seen = Post::inline(&with.url)
        .bearer("bob shop:vault")
        .call("find_tools", json!({ "query": "strongroom" }))
        .await;
    assert!(
        text(&seen).contains("vault_open"),
        "who may see it finds it: {seen}"
    );
}

#[tokio::test]
async fn a_client_of_the_extension_gets_the_ticket_in_meta() {
    let client = connect_with(Era::Inline, &grouped().build().unwrap(), with_extension()).await;
    let found = client
        .call("find_tools", json!({ "query": "pay with a card" }))
        .await;
    assert_eq!(ticket(text(&found)), None);
    let meta = json!({ "dev.pd-runtime/ticket": found["_meta"]["dev.pd-runtime/tickets"]["pay"] });
    let called = client
        .call_with_meta(
            "call_tool",
            json!({ "name": "pay", "arguments": { "card": "1" } }),
            meta,
        )
        .await;
    assert!(text(&called.unwrap()).contains("CARD_REFUSED"));
}

/// Knows what is about money, and what is not; after `fails` texts it knows nothing more.
struct Money {
    fails_at: usize,
    asked: AtomicUsize,
}

impl Embedder for Money {
    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        if self.asked.fetch_add(1, Ordering::SeqCst) >= self.fails_at {
            return Err(EmbedError::new("out of memory"));
        }
        let is_money = |text: &&str| {
            ["card", "refund", "lucre"]
                .iter()
                .any(|word| text.contains(word))
        };
        Ok(texts
            .iter()
            .map(|text| {
                if is_money(text) {
                    vec![1.0, 0.0]
                } else {
                    vec![0.0, 1.0]
                }
            })
            .collect())
    }
}

/// `lucre` occurs nowhere; words find nothing of it.
#[tokio::test]
async fn a_model_finds_what_no_word_says_and_words_do_where_it_fails() {
    for (fails_at, finds_meaning) in [(usize::MAX, true), (1, false), (0, false)] {
        let model = Arc::new(Money {
            fails_at,
            asked: AtomicUsize::new(0),
        });
        let client = connect(
            Era::Session,
            &grouped().search_model(model).build().unwrap(),
        )
        .await;
        let meant = client.call("find_tools", json!({ "query": "lucre" })).await;
        assert_eq!(
            text(&meant).contains("pay"),
            finds_meaning,
            "{fails_at}: {meant}"
        );
        let said = client
            .call("find_tools", json!({ "query": "pay with a card" }))
            .await;
        assert!(text(&said).contains("pay"), "{fails_at}: {said}");
    }
}

#[tokio::test]
async fn it_finds_in_every_listing() {
    for listing in [Listing::Minimal, Listing::Full, Listing::Reveal] {
        let server = shop::server()
            .listing(listing)
            .meta_tools(MetaTools::none().find("search_tools"));
        let client = connect(Era::Session, &server.build().unwrap()).await;
        let found = client
            .call("search_tools", json!({ "query": "refund a payment" }))
            .await;
        assert!(text(&found).contains("refund({"), "{listing:?}: {found}");
    }
}

/// Hosts offer these tools to their models. The names are those of the text, and no others.
#[tokio::test]
async fn the_metadata_names_the_tools_that_the_text_shows() {
    const KEY: &str = "dev.pd-runtime/found";
    // Without a session, a client before 2026-07-28 declares nothing.
    for era in Era::ALL
        .into_iter()
        .filter(|era| *era != Era::HttpStateless)
    {
        let server = grouped().build().unwrap();
        let client = connect_with(era, &server, with_extension()).await;
        for query in [
            "how many vases are in stock",
            "pay and refund the money",
            "/till",
            "goods",
            "order",
        ] {
            let result = client.call("find_tools", json!({ "query": query })).await;
            let found = names_of(&result["_meta"][KEY]);
            assert!(!found.is_empty(), "{era:?} {query}: {result}");
            for name in &found {
                assert!(
                    text(&result).contains(name),
                    "{era:?} {query}: {name} is not in {result}"
                );
                // On standard input and output, the owner sees the others, too.
                let is_visible = !era.is_http() || shop::VISIBLE.contains(name);
                assert!(is_visible, "{era:?} {query}: {name}");
            }
        }
        let best = client
            .call(
                "find_tools",
                json!({ "query": "how many vases are in stock" }),
            )
            .await;
        assert_eq!(
            names_of(&best["_meta"][KEY])[0],
            "stock",
            "{era:?}: the best first"
        );
        for nothing in ["", "xyzzy quux"] {
            let result = client.call("find_tools", json!({ "query": nothing })).await;
            assert!(
                result["_meta"].get(KEY).is_none(),
                "{era:?} {nothing}: {result}"
            );
        }
    }
}

fn names_of(found: &Value) -> Vec<&str> {
    found
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect()
}
