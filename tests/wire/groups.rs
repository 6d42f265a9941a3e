//! The Groups extension, `io.modelcontextprotocol/groups`: what stands in groups comes with its group.

pub(crate) mod extras;

use crate::harness::{
    client::{Era, connect, connect_with, error_of},
    code, inline_meta,
    line::Line,
    names,
    post::Post,
    shop::{self, saying},
    site::Site,
};
use pd_runtime::{
    GateMode, Group, Listing, PdServer, Registry, ServerBuilder, Tool,
    config::{MetaTools, SessionPerCall},
    serve::{Http, HttpOptions},
};
use serde_json::{Value, json};

const GROUPS: &str = "io.modelcontextprotocol/groups";
const CHANGED: &str = "notifications/groups/list_changed";

pub(crate) fn with_groups() -> Value {
    json!({ "extensions": { GROUPS: {} } })
}

fn hidden(name: &'static str) -> Tool<()> {
    saying(name, "open").scope("vault")
}

/// `log` stands in two groups, `status` in one and at the top level; nobody without the scope sees `vault`.
fn registry() -> Registry<()> {
    let blame = Group::new("blame", "Who wrote what")
        .tool(saying("blame_line", "Ada"))
        .tool(hidden("blame_secret"));
    let history = Group::new("history", "Read history: commits, authors, blame")
        .instructions("Start with log.")
        .tool(saying("log", "a commit"))
        .tool(hidden("reflog"))
        .member("status")
        .group(blame)
        .group(Group::new("inner-vault", "Hidden below").tool(hidden("deep_vault")));
    let both = Group::new("both", "What is also elsewhere")
        .member("log")
        .member("status");
    Registry::builder()
        .tool(saying("status", "clean"))
        .group(history)
        .group(both)
        .group(Group::new("top", "What stands at the top").member("status"))
        .group(
            Group::new("vault", "Hidden")
                .instructions("Shh.")
                .tool(hidden("vault")),
        )
        .build()
        .unwrap()
}

fn server() -> ServerBuilder<()> {
    PdServer::builder(registry(), ())
        .listing(Listing::Minimal)
        .meta_tools(MetaTools::none())
        .session_per_call(SessionPerCall::Refuse)
}

fn shared() -> PdServer<()> {
    server().build().unwrap()
}

#[tokio::test]
async fn a_server_with_groups_declares_them_in_both_generations() {
    let shared = shared();
    let (_, initialized) = Line::session_with(&shared, json!({})).await;
    assert_eq!(
        initialized["capabilities"]["extensions"][GROUPS],
        json!({ "listChanged": true })
    );
    let discovered = Line::inline(&shared, json!({}))
        .result("server/discover", json!({}))
        .await;
    assert_eq!(
        discovered["capabilities"]["extensions"][GROUPS],
        json!({ "listChanged": true })
    );
    let flat = PdServer::builder(shop::unscoped(), shop::Shop::default())
        .listing(Listing::Minimal)
        .build()
        .unwrap();
    let (mut line, initialized) = Line::session_with(&flat, with_groups()).await;
    assert_eq!(initialized["capabilities"]["extensions"].get(GROUPS), None);
    assert_eq!(
        line.request("groups/list", json!({})).await["error"]["code"],
        -32601
    );
    let refused = line.call("greet", json!({ "name": "Ada" })).await;
    assert_eq!(
        code(&refused),
        "TOOL_DESCRIPTION_REQUIRED",
        "without groups nothing was negotiated"
    );
}

#[tokio::test]
async fn for_clients_that_did_not_declare_it_groups_do_not_exist() {
    let shared = shared();
    for era in Era::ALL {
        let client = connect(era, &shared).await;
        for (method, params) in [
            ("groups/list", json!({})),
            ("groups/get", json!({ "name": "history" })),
        ] {
            assert_eq!(
                error_of(client.custom(method, params).await).code.0,
                -32601,
                "{era:?} {method}"
            );
        }
        let listed = client.list().await;
        assert!(
            names(&listed["tools"]).contains(&"blame_line"),
            "{era:?}: the list is flat"
        );
        assert_eq!(
            code(&client.call("log", json!({})).await),
            "TOOL_DESCRIPTION_REQUIRED",
            "{era:?}"
        );
    }
}

#[tokio::test]
async fn groups_are_listed_by_name_and_description_at_the_top_only() {
    let shared = shared();
    for era in [Era::Session, Era::Inline, Era::HttpSession, Era::HttpInline] {
        let client = connect_with(era, &shared, with_groups()).await;
        let listed = client.custom("groups/list", json!({})).await.unwrap();
        let described =
            json!({ "name": "history", "description": "Read history: commits, authors, blame" });
        assert_eq!(listed["groups"][0], described, "{era:?}");
        assert!(
            !names(&listed["groups"]).contains(&"blame"),
            "{era:?}: it stands in its parent"
        );
        assert_eq!(listed.get("nextCursor"), None, "{era:?}");
    }
}

/// A tool has one place in a client's view: in the list, or in the contents of groups.
#[tokio::test]
async fn a_tool_is_listed_or_in_groups_and_never_both() {
    for listing in [
        Listing::Minimal,
        Listing::Full,
        Listing::Grouped,
        Listing::Reveal,
        Listing::AUTO,
    ] {
        let shared = server().listing(listing).build().unwrap();
        let mut line = Line::inline(&shared, with_groups());
        let listed = line.result("tools/list", json!({})).await;
        assert_eq!(names(&listed["tools"]), ["status"], "{listing:?}");
        assert_eq!(
            listed["cacheScope"], "private",
            "{listing:?}: it depends on what the client declared"
        );
        for (group, scoped) in [
            ("history", vec!["log", "reflog"]),
            ("both", vec!["log"]),
            ("blame", vec!["blame_line", "blame_secret"]),
        ] {
            let got = line.result("groups/get", json!({ "name": group })).await;
            assert_eq!(
                names(&got["contents"]["tools"]),
                scoped,
                "{listing:?} {group}"
            );
        }
        let top = line.result("groups/get", json!({ "name": "top" })).await;
        assert_eq!(
            top["instructions"],
            "Part of this, and listed at the top level: status."
        );
        assert_eq!(top.get("contents"), None);
    }
}

#[tokio::test]
async fn a_group_comes_with_instructions_complete_tools_and_the_groups_inside() {
    let shared = shop::server().build().unwrap();
    let (mut line, _) = Line::session_with(&shared, with_groups()).await;
    let goods = line.result("groups/get", json!({ "name": "goods" })).await;
    assert_eq!(
        names(&goods["contents"]["tools"]),
        ["stock", "prices", "measure", "photo", "inventory"]
    );
    assert_eq!(
        (
            goods.get("instructions"),
            goods.get("resultType"),
            goods.get("_meta")
        ),
        (None, None, None)
    );
    let prices = &goods["contents"]["tools"][1];
    assert_eq!(
        prices["inputSchema"]["additionalProperties"], false,
        "the author's own schema"
    );
    assert_eq!(
        prices["outputSchema"]["properties"]["result"]["type"], "array",
        "wrapped before 2026-07-28"
    );
    let mut modern = Line::inline(&shared, with_groups());
    let goods = modern
        .result("groups/get", json!({ "name": "goods" }))
        .await;
    assert_eq!(goods["resultType"], "complete");
    assert_eq!(
        goods["contents"]["tools"][1]["outputSchema"]["type"],
        "array"
    );

    let mut line = Line::inline(&self::shared(), with_groups());
    let history = line
        .result("groups/get", json!({ "name": "history" }))
        .await;
    assert_eq!(
        history["instructions"],
        "Start with log.\n\nPart of this, and listed at the top level: status."
    );
    let inside = json!({ "name": "blame", "description": "Who wrote what" });
    assert_eq!(
        history["contents"]["groups"][0], inside,
        "a group inside is not expanded"
    );
}

#[tokio::test]
async fn the_same_tool_is_the_same_in_every_group_and_in_a_full_list() {
    let shared = server().listing(Listing::Full).build().unwrap();
    let mut line = Line::inline(&shared, with_groups());
    let of = |got: &Value| got["contents"]["tools"][0].clone();
    let first = of(&line
        .result("groups/get", json!({ "name": "history" }))
        .await);
    assert_eq!(
        first,
        of(&line.result("groups/get", json!({ "name": "both" })).await)
    );
    let listed = Line::inline(&shared, json!({}))
        .result("tools/list", json!({}))
        .await;
    let plain = listed["tools"]
        .as_array()
        .unwrap()
        .iter()
        .find(|tool| tool["name"] == "log")
        .unwrap();
    assert_eq!(&first, plain);
}

#[tokio::test]
async fn a_call_does_not_depend_on_whether_its_group_was_fetched() {
    let shared = shared();
    for era in [Era::Session, Era::Inline, Era::HttpSession, Era::HttpInline] {
        let client = connect_with(era, &shared, with_groups()).await;
        let called = client.call("log", json!({})).await;
        assert_eq!(called["content"][0]["text"], "a commit", "{era:?}");
        assert!(
            called["_meta"].get("dev.pd-runtime/undisclosed").is_some(),
            "{era:?}: {called}"
        );
    }
}

#[tokio::test]
async fn fetching_a_group_discloses_its_tools() {
    let shared = shared();
    let (mut line, _) = Line::session_with(&shared, with_groups()).await;
    line.result("groups/get", json!({ "name": "history" }))
        .await;
    assert_eq!(
        line.call("log", json!({})).await.get("_meta"),
        None,
        "the session knows"
    );
    let apart = line.call("blame_line", json!({})).await;
    assert!(
        apart["_meta"].get("dev.pd-runtime/undisclosed").is_some(),
        "a group inside is fetched by itself"
    );

    let mut line = Line::inline(&shared, with_groups());
    let got = line
        .result("groups/get", json!({ "name": "history" }))
        .await;
    let ticket = &got["_meta"]["dev.pd-runtime/tickets"]["log"];
    let meta = json!({ "dev.pd-runtime/ticket": ticket });
    let called = line
        .result(
            "tools/call",
            json!({ "name": "log", "arguments": {}, "_meta": meta }),
        )
        .await;
    assert_eq!(
        (called.get("_meta"), &called["content"][0]["text"]),
        (None, &json!("a commit"))
    );
}

#[tokio::test]
async fn without_a_gate_there_are_no_tickets() {
    let mut line = Line::inline(
        &server().gate(GateMode::Off).build().unwrap(),
        with_groups(),
    );
    assert_eq!(
        line.result("groups/get", json!({ "name": "history" }))
            .await
            .get("_meta"),
        None
    );
}

/// A vault that nobody here may see, and none: to an outsider they are the same.
#[tokio::test]
async fn hidden_groups_and_tools_are_unknown() {
    let site = Site::open(&shared(), true).await;
    let inline = Post::inline(&site.url)
        .capabilities(with_groups())
        .bearer("alice");
    let session = Post::session_of(&site.url, Some("alice"), "2025-11-25", with_groups()).await;
    for caller in [inline, session] {
        let listed = caller.result("groups/list", json!({})).await;
        assert_eq!(names(&listed["groups"]), ["history", "both", "top"]);
        let history = caller
            .result("groups/get", json!({ "name": "history" }))
            .await;
        assert_eq!(names(&history["contents"]["tools"]), ["log"]);
        assert_eq!(names(&history["contents"]["groups"]), ["blame"]);
        let of = async |name: &str| {
            caller
                .send("groups/get", json!({ "name": name }))
                .await
                .body["error"]
                .to_string()
        };
        let unknown = of("unknown").await;
        for group in ["vault", "inner-vault"] {
            assert_eq!(of(group).await.replace(group, "unknown"), unknown);
        }
    }
    let keeper = Post::inline(&site.url)
        .capabilities(with_groups())
        .bearer("keeper vault");
    let listed = keeper.result("groups/list", json!({})).await;
    assert_eq!(
        names(&listed["groups"]),
        ["history", "both", "top", "vault"]
    );
    assert_eq!(
        keeper
            .result("groups/get", json!({ "name": "vault" }))
            .await["instructions"],
        "Shh."
    );
}

#[tokio::test]
async fn an_unknown_group_is_a_resource_that_is_not_found() {
    let (mut line, _) = Line::session_with(&shared(), with_groups()).await;
    for name in ["nothing", "/history/blame", "History", ""] {
        let answer = line.request("groups/get", json!({ "name": name })).await;
        assert_eq!(answer["error"]["code"], -32002, "{name}: {answer}");
    }
    for params in [json!({}), json!({ "name": 7 }), json!({ "name": null })] {
        assert_eq!(
            line.request("groups/get", params).await["error"]["code"],
            -32602
        );
    }
}

/// rmcp writes -32602 for it from 2026-07-28, over `handler()`; whoever serves with `serve` sends what the extension says.
#[tokio::test]
async fn its_code_is_the_extensions_own_in_both_generations() {
    let shared = shared();
    let http = Http::bind("127.0.0.1:0").await.unwrap();
    let url = http.url();
    let serving = shared.clone();
    tokio::spawn(async move { http.serve(&serving, HttpOptions::default()).await });
    let post = Post::inline(&url).capabilities(with_groups());
    let (ours, theirs) = tokio::io::duplex(1 << 16);
    tokio::spawn(async move { pd_runtime::serve::transport(&shared, theirs).await });
    let mut line = Line::over(ours);
    line.carry(Some(inline_meta(&with_groups())));
    for (name, code) in [(json!("nothing"), -32002), (json!(7), -32602)] {
        let params = json!({ "name": name });
        for answer in [
            post.send("groups/get", params.clone()).await.body,
            line.request("groups/get", params).await,
        ] {
            assert_eq!(answer["error"]["code"], code, "{answer}");
            assert_eq!(answer.pointer("/error/data/dev.pd-runtime~1code"), None);
        }
    }
    assert_eq!(
        post.result("groups/get", json!({ "name": "history" }))
            .await["resultType"],
        "complete"
    );
}

/// Who sees no group must not learn that there are some.
#[tokio::test]
async fn for_a_caller_who_sees_no_group_there_is_no_extension() {
    let vault = || {
        Group::new("vault", "Hidden")
            .instructions("Shh.")
            .tool(hidden("vault"))
    };
    let build = |builder: pd_runtime::RegistryBuilder<()>| {
        PdServer::builder(builder.tool(saying("status", "clean")).build().unwrap(), ())
            .listing(Listing::Minimal)
            .build()
            .unwrap()
    };
    let with = Site::open(&build(Registry::builder().group(vault())), true).await;
    let without = Site::open(&build(Registry::builder()), true).await;
    for (method, params) in [
        ("server/discover", json!({})),
        ("groups/list", json!({})),
        ("groups/get", json!({ "name": "vault" })),
        ("skills/list", json!({})),
        ("tools/call", json!({ "name": "status", "arguments": {} })),
    ] {
        let ask = async |site: &Site| {
            let caller = Post::inline(&site.url)
                .capabilities(with_groups())
                .bearer("alice");
            caller.send(method, params.clone()).await.body.to_string()
        };
        let (hidden, absent) = (ask(&with).await, ask(&without).await);
        if method == "tools/call" {
            assert!(
                hidden.contains("TOOL_DESCRIPTION_REQUIRED")
                    && absent.contains("TOOL_DESCRIPTION_REQUIRED")
            );
        } else {
            assert_eq!(hidden, absent, "{method}");
        }
    }
    let keeper = Post::inline(&with.url)
        .capabilities(with_groups())
        .bearer("keeper vault");
    let discovered = keeper.result("server/discover", json!({})).await;
    assert_eq!(
        discovered["capabilities"]["extensions"][GROUPS],
        json!({ "listChanged": true })
    );
    assert_eq!(
        names(&keeper.result("groups/list", json!({})).await["groups"]),
        ["vault"]
    );
}

#[tokio::test]
async fn many_groups_come_in_pages() {
    let group =
        |number| Group::new(format!("group-{number}"), "One of many").tool(saying_numbered(number));
    let registry = (0..250)
        .fold(Registry::builder(), |builder, number| {
            builder.group(group(number))
        })
        .build()
        .unwrap();
    let shared = PdServer::builder(registry, ())
        .listing(Listing::Minimal)
        .build()
        .unwrap();
    let (mut session, _) = Line::session_with(&shared, with_groups()).await;
    for line in [&mut session, &mut Line::inline(&shared, with_groups())] {
        let (mut seen, mut params) = (Vec::new(), json!({}));
        loop {
            let page = line.result("groups/list", params).await;
            seen.extend(names(&page["groups"]).into_iter().map(str::to_owned));
            let Some(cursor) = page.get("nextCursor") else {
                break;
            };
            params = json!({ "cursor": cursor });
        }
        assert_eq!(
            seen,
            (0..250)
                .map(|number| format!("group-{number}"))
                .collect::<Vec<_>>()
        );
        for cursor in [json!("100"), json!("dev.pd-runtime:nothing"), json!(7)] {
            let answer = line
                .request("groups/list", json!({ "cursor": cursor }))
                .await;
            assert_eq!(answer["error"]["code"], -32602, "{cursor}");
        }
    }
}

fn saying_numbered(number: u32) -> Tool<()> {
    saying(Box::leak(format!("tool_{number}").into_boxed_str()), "said")
}

#[tokio::test]
async fn its_clients_hear_that_groups_changed() {
    let shared = shared();
    let (mut line, _) = Line::session_with(&shared, with_groups()).await;
    line.result("groups/list", json!({})).await;
    let (mut other, _) = Line::session_with(&shared, json!({})).await;
    other.result("tools/list", json!({})).await;
    let more = Registry::builder()
        .group(Group::new("new", "Something new").tool(saying("new_tool", "new")));
    shared.replace(more.build().unwrap()).unwrap();
    let heard = [line.next().await, line.next().await];
    let methods = heard
        .each_ref()
        .map(|message| message["method"].as_str().unwrap());
    assert_eq!(methods, ["notifications/tools/list_changed", CHANGED]);
    assert!(
        heard
            .iter()
            .all(|message| message.get("params").is_none_or(Value::is_object)),
        "{heard:?}"
    );
    tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    let id = line.ask("groups/list", json!({})).await;
    let next = line.next().await;
    assert_eq!(next["id"], id, "one change is told once: {next}");
    assert_eq!(names(&next["result"]["groups"]), ["new"]);
    assert_eq!(
        other.next().await["method"],
        "notifications/tools/list_changed"
    );
    let id = other.ask("tools/list", json!({})).await;
    assert_eq!(
        other.next().await["id"],
        id,
        "whoever did not declare it hears nothing of groups"
    );
}

/// Fetching a group changes no list, so nobody is told of a change.
#[tokio::test]
async fn fetching_a_group_has_no_side_effect_on_lists() {
    let shared = server().listing(Listing::Reveal).build().unwrap();
    let (mut line, _) = Line::session_with(&shared, with_groups()).await;
    let before = line.result("tools/list", json!({})).await;
    let first = line
        .result("groups/get", json!({ "name": "history" }))
        .await;
    tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    let id = line.ask("groups/get", json!({ "name": "history" })).await;
    let second = line.next().await;
    assert_eq!((&second["id"], &second["result"]), (&json!(id), &first));
    assert_eq!(line.result("tools/list", json!({})).await, before);
}
