//! `describe_tools`, and the resource, for several tools at once.

use super::{client, with_ticket};
use crate::harness::{
    advice,
    client::{Era, connect},
    company, shop, text, told,
};
use pd_runtime::{Bundle, Group, Listing, PdServer, Registry};
use serde_json::{Value, json};

fn keys(document: &Value) -> Vec<&str> {
    document
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect()
}

#[tokio::test]
async fn a_group_is_described_in_one_fetch() {
    for era in Era::ALL {
        let client = client(era).await;
        let described = told(
            &client
                .call("describe_tools", json!({ "names": ["greet", "/till"] }))
                .await,
        );
        let mut expected = vec!["/till", "greet", "pay", "grumble", "protest"];
        if era == Era::Session || era == Era::Inline {
            expected.insert(3, "refund"); // over stdio everything is the user's own
        }
        assert_eq!(keys(&described), expected, "{era:?}");
        assert_eq!(described["/till"]["tools"], json!(expected[2..]));
        assert_eq!(
            described,
            client.describe("greet,/till").await,
            "the resource tells the same"
        );
    }
}

#[tokio::test]
async fn instructions_come_with_a_group_or_bundle() {
    let tool = |name| shop::saying::<()>(name, "done");
    let group = Group::new("kitchen", "Cook")
        .instructions("Wash your hands.")
        .tool(tool("bake"))
        .tool(tool("fry"));
    let bundle = Bundle::new("dinner", "Cook a dinner")
        .instructions("Fry first.")
        .tools(["fry", "serve"]);
    let registry = Registry::builder()
        .tool(tool("serve"))
        .group(group)
        .bundle(bundle)
        .build()
        .unwrap();
    let server = PdServer::builder(registry, ())
        .listing(Listing::Minimal)
        .build()
        .unwrap();
    let client = connect(Era::Session, &server).await;
    let described = told(
        &client
            .call("describe_tools", json!({ "names": ["/kitchen", "dinner"] }))
            .await,
    );
    assert_eq!(
        keys(&described),
        ["/kitchen", "/dinner", "bake", "fry", "serve"]
    );
    assert_eq!(
        described["/kitchen"],
        json!({ "instructions": "Wash your hands.", "tools": ["bake", "fry"] })
    );
    assert_eq!(
        described["/dinner"],
        json!({ "instructions": "Fry first.", "tools": ["fry", "serve"] })
    );
    let signed = client
        .call(
            "describe_tools",
            json!({ "names": ["/dinner"], "detail": "signature" }),
        )
        .await;
    assert!(
        text(&signed).starts_with("/dinner: Fry first.\n\nfry("),
        "{signed}"
    );
    for name in ["bake", "fry", "serve"] {
        assert_eq!(text(&client.call(name, json!({})).await), "done");
    }
}

/// `registry!` writes `fruit_bowl:` and serves `fruit-bowl`.
#[tokio::test]
async fn a_group_or_bundle_is_found_by_the_name_that_its_code_has() {
    let tool = |name| shop::saying::<()>(name, "done");
    let group = Group::new("fruit-bowl", "Fruit")
        .group(Group::new("red-ones", "Red fruit").tool(tool("cherry")));
    let bundle = Bundle::new("big-dinner", "Cook a dinner").tools(["cherry"]);
    let registry = Registry::builder()
        .group(group)
        .bundle(bundle)
        .build()
        .unwrap();
    let server = PdServer::builder(registry, ())
        .listing(Listing::Grouped)
        .build()
        .unwrap();
    let client = connect(Era::Session, &server).await;
    for (asked, path) in [
        ("fruit_bowl", "/fruit-bowl"),
        ("/fruit_bowl/red_ones", "/fruit-bowl/red-ones"),
        ("big_dinner", "/big-dinner"),
    ] {
        let described = told(
            &client
                .call("describe_tools", json!({ "names": [asked] }))
                .await,
        );
        assert_eq!(keys(&described), [path, "cherry"]);
        assert_eq!(
            described,
            client.describe(asked).await,
            "the resource tells the same"
        );
    }
    let listed = client
        .call("list_tools", json!({ "path": "/fruit_bowl" }))
        .await;
    assert!(text(&listed).starts_with("/fruit-bowl (1)"), "{listed}");
}

#[tokio::test]
async fn a_group_named_twice_is_one() {
    let client = client(Era::Session).await;
    let asked = json!({ "names": ["/till", "till", "/till/", "pay"] });
    let described = told(&client.call("describe_tools", asked).await);
    assert_eq!(
        keys(&described),
        ["/till", "pay", "refund", "grumble", "protest"]
    );
}

#[tokio::test]
async fn a_signature_discloses_and_a_summary_does_not() {
    for era in Era::ALL {
        let client = connect(
            era,
            &shop::server().listing(Listing::Eager).build().unwrap(),
        )
        .await;
        let names = json!({ "names": ["stock", "nothing"], "detail": "summary" });
        let summary = client.call("describe_tools", names).await;
        let expected = "stock — Count the stock  /goods\nno such tool: `nothing`; the nearest: ";
        assert!(text(&summary).starts_with(expected), "{summary}");
        assert_eq!(
            client.call("order", json!({ "article": "vase" })).await["isError"],
            true
        );
        let signed = client
            .call(
                "describe_tools",
                json!({ "names": ["order"], "detail": "signature" }),
            )
            .await;
        assert!(
            text(&signed).contains("order({\n article: string"),
            "{signed}"
        );
        let called = client
            .call(
                "order",
                with_ticket(json!({ "article": "vase" }), text(&signed)),
            )
            .await;
        assert_eq!(text(&called), "1 × vase to None", "{era:?}");
    }
}

/// Looking for what comes near costs more than all else, and helps once.
#[tokio::test]
async fn of_many_unknown_names_the_first_has_suggestions() {
    let client = client(Era::Session).await;
    for detail in ["summary", "signature"] {
        let asked = json!({ "names": ["ordr", "nothing"], "detail": detail });
        let described = client.call("describe_tools", asked).await;
        let lines: Vec<&str> = text(&described)
            .lines()
            .filter(|line| !line.is_empty())
            .collect();
        assert!(
            lines[0].starts_with("no such tool: `ordr`; the nearest: order, "),
            "{described}"
        );
        assert_eq!(lines[1..], ["no such tool: `nothing`"], "{detail}");
    }
}

#[tokio::test]
async fn a_group_of_too_many_tools_is_told_so() {
    let big = (0..51).map(|place| shop::saying::<()>(leaked(place), "done"));
    let group = big.fold(Group::new("big", "Many"), Group::tool);
    let registry = Registry::builder().group(group).build().unwrap();
    let server = PdServer::builder(registry, ())
        .listing(Listing::Grouped)
        .build()
        .unwrap();
    let client = connect(Era::Session, &server).await;
    let refused = client
        .call("describe_tools", json!({ "names": ["/big"] }))
        .await;
    assert_eq!(told(&refused)["error"]["code"], "TOO_MANY_TOOLS");
    assert_eq!(
        client.describe("/big").await["error"]["code"],
        "TOO_MANY_TOOLS"
    );
    let signatures = client
        .call(
            "list_tools",
            json!({ "path": "/big", "detail": "signature" }),
        )
        .await;
    assert_eq!(signatures["isError"], true);
    let expected =
        "51 tools are too many for signatures; ask for those of a smaller group, at most 50";
    assert!(text(&signatures).ends_with(expected), "{signatures}");
}

fn leaked(place: usize) -> &'static str {
    format!("tool_{place}").leak()
}

#[tokio::test]
async fn a_refusal_carries_the_signature_where_the_listing_is_grouped() {
    let builder = PdServer::builder(company::registry(2), ()).listing(Listing::Grouped);
    let server = builder
        .session_per_call(pd_runtime::config::SessionPerCall::Refuse)
        .build()
        .unwrap();
    for era in [Era::Session, Era::Inline] {
        let client = connect(era, &server).await;
        let arguments = json!({ "owner": "acme", "name": "spring" });
        let refused = client.call("user_get", arguments.clone()).await;
        let refusal = told(&refused);
        assert_eq!(refusal["error"]["code"], "TOOL_DESCRIPTION_REQUIRED");
        assert_eq!(refusal.get("tool_description"), None);
        let [signature, next] = advice(&refused)[..] else {
            panic!("{refused}")
        };
        assert!(
            signature.contains("user_get({\n owner: string(1..200)"),
            "{signature}"
        );
        let (request, next) = next.split_once('\n').unwrap();
        assert_eq!(request, "Now send:");
        let next: Value = serde_json::from_str(next).unwrap();
        assert_eq!(
            (&next["name"], &next["arguments"]["name"]),
            (&json!("call_read_only_tool"), &json!("user_get"))
        );
        assert_eq!(
            next["arguments"]["arguments"]["disclosure_ticket"].is_string(),
            !era.has_session(),
            "{next}"
        );
        let called = client.call("call_tool", next["arguments"].clone()).await;
        assert_eq!(told(&called), arguments, "{era:?}");
    }
}
