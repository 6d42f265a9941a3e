//! `Preset::Strata`: a funnel from an intent to an action, in bounded lists.

use super::*;
use crate::harness::company;
use futures::{FutureExt, future::ready};
use pd_runtime::{IntoOutput, Tool};

/// strata-mcp 1.0.2, `strata/tools.py`, and the whitepaper's four stages.
#[tokio::test]
async fn strata_is_a_funnel_from_intent_to_schema() {
    for era in Era::ALL {
        let client = client(era, Preset::Strata).await;
        let listed = client.list().await;
        let discover = "user_query* server_names page";
        for (name, expected) in [
            ("discover_server_categories", discover),
            ("discover_server_actions", discover),
            ("get_category_actions", "category_names* page"),
            (
                "get_action_details",
                "server_name* category_name action_name*",
            ),
            (
                "execute_action",
                "server_name* category_name action_name* path_params query_params body_schema",
            ),
            ("search_documentation", "query* server_name* max_results"),
        ] {
            assert_eq!(arguments(&listed, name), expected, "{name}");
        }
        let intent = json!({ "user_query": "pay with a card", "server_names": ["shop"] });
        let categories = told(&client.call("discover_server_categories", intent).await);
        assert_eq!(
            categories["servers"]["shop"]["categories"][0], "till",
            "{categories}"
        );
        let actions = json!({ "category_names": ["till", "nothing"] });
        let actions = told(&client.call("get_category_actions", actions).await);
        let pay = json!({ "name": "pay", "description": "Pay with a card" });
        assert_eq!(actions["categories"]["till"]["actions"][0], pay);
        assert_eq!(
            actions["categories"]["nothing"],
            json!({ "error": "Category 'nothing' not found" })
        );
        let named = json!({ "server_name": "shop", "action_name": "pay" });
        let details = told(&client.call("get_action_details", named.clone()).await);
        assert_eq!(
            (&details["server"], &details["action"]["name"]),
            (&json!("shop"), &json!("pay"))
        );
        let schema = &details["action"]["inputSchema"];
        assert_eq!(schema["required"][0], "card");
        let mut call = named;
        call["body_schema"] = json!(json!({ "card": "1" }).to_string());
        if let Some(ticket) = ticket(schema) {
            call["path_params"] = json!(json!({ "disclosure_ticket": ticket }).to_string());
        }
        let called = client.call("execute_action", call).await;
        assert!(text(&called).contains("CARD_REFUSED"), "{era:?}: {called}");
    }
}

#[tokio::test]
async fn strata_discovers_and_searches_actions_too() {
    let client = client(Era::Session, Preset::Strata).await;
    let found = json!({ "user_query": "parcel", "server_names": ["shop", "goods", "bank"] });
    let found = told(&client.call("discover_server_actions", found).await);
    assert_eq!(found["servers"]["shop"]["action_count"], 2);
    assert_eq!(
        found["servers"]["goods"],
        json!({ "action_count": 1, "actions": ["measure"] })
    );
    assert_eq!(
        found["servers"]["bank"],
        json!({ "error": "Server 'bank' not found or not connected" })
    );
    let nothing = told(
        &client
            .call("discover_server_actions", json!({ "user_query": "zzyzx" }))
            .await,
    );
    assert_eq!(
        nothing["servers"]["shop"]["categories"],
        json!(["shop", "goods", "till"])
    );
    let asked = json!({ "query": "parcel", "server_name": "shop", "max_results": 1 });
    let documents = told(&client.call("search_documentation", asked).await);
    assert_eq!(documents.as_array().unwrap().len(), 1);
    assert!(documents[0]["category_name"].is_string() && documents[0]["description"].is_string());
    let top = told(
        &client
            .call(
                "get_category_actions",
                json!({ "category_names": ["shop"] }),
            )
            .await,
    );
    assert_eq!(
        top["categories"]["shop"]["actions"][0]["name"], "greet",
        "what stands in no category"
    );
}

#[tokio::test]
async fn strata_merges_its_parts_and_says_which_is_wrong() {
    let client = client(Era::Session, Preset::Strata).await;
    client
        .call(
            "get_action_details",
            json!({ "server_name": "shop", "action_name": "search" }),
        )
        .await;
    let mut call = json!({
        "server_name": "shop",
        "action_name": "search",
        "path_params": "{\"word\": \"vase\"}",
        "query_params": { "limit": "5" },
    });
    assert_eq!(
        text(&client.call("execute_action", call.clone()).await),
        "vase 5 None None 0"
    );
    call["query_params"] = json!("limit=5");
    let wrong = client.call("execute_action", call).await;
    assert_eq!(
        text(&wrong),
        "invalid JSON in `query_params`: send a JSON object as text"
    );
    let elsewhere = json!({ "server_name": "till", "action_name": "search" });
    let refused = client.call("get_action_details", elsewhere).await;
    assert_eq!(
        told(&refused),
        json!({ "error": "Action 'search' not found in server 'till'" })
    );
}

/// Whitepaper: an agent sees 5 to 10 categories, then 10 to 20 actions, however many tools there are.
#[tokio::test]
async fn strata_bounds_its_lists_and_pages_the_rest() {
    let company = PdServer::builder(company::registry(60), ())
        .preset(Preset::Strata)
        .build()
        .unwrap();
    let client = connect(Era::Session, &company).await;
    for (query, total) in [("zzyzx", 60), ("a user", 60)] {
        let (mut all, mut page) = (Vec::new(), 1);
        loop {
            let asked = json!({ "user_query": query, "page": page });
            let answer = told(&client.call("discover_server_categories", asked).await);
            let part = answer["servers"]
                .as_object()
                .unwrap()
                .values()
                .next()
                .unwrap()
                .clone();
            let shown = part["categories"].as_array().unwrap();
            assert!(shown.len() <= 10, "{part}");
            all.extend(shown.clone());
            assert!(
                query != "zzyzx" || part["category_count"] == total,
                "{part}"
            );
            let Some(left) = part.get("left_out") else {
                break;
            };
            assert_eq!(
                left.as_u64().unwrap() as usize + all.len(),
                part["category_count"].as_u64().unwrap() as usize
            );
            page += 1;
            let next = format!(
                "call discover_server_categories with \"page\": {page}, or with other words in `user_query`"
            );
            assert_eq!(part["next"], next);
        }
        all.sort_by_key(Value::to_string);
        all.dedup();
        assert!(
            query != "zzyzx" || all.len() == total,
            "every category is on one page: {}",
            all.len()
        );
    }
    let asked = json!({ "user_query": "" });
    let actions = told(&client.call("discover_server_actions", asked).await).to_string();
    assert_eq!(
        actions.matches("\"action_count\":600").count(),
        1,
        "{actions}"
    );
    assert!(
        actions.contains("\"left_out\":580") && actions.len() < 2_000,
        "{}",
        actions.len()
    );
}

fn numbered(place: usize) -> Tool<Shop> {
    Tool::new(format!("tool_{place}"), "Say one text", |_, _, _| {
        ready("text".into_output()).boxed()
    })
}

#[tokio::test]
async fn strata_shows_twenty_actions_of_a_category_and_pages_the_rest() {
    let tools = (0..45).map(numbered);
    let crowd = tools.fold(Group::new("crowd", "Many"), Group::tool);
    let groups = (0..14)
        .map(|place| Group::new(format!("small-{place}"), "Small").tool(numbered(100 + place)));
    let registry = groups
        .fold(Registry::builder().group(crowd), |builder, group| {
            builder.group(group)
        })
        .build()
        .unwrap();
    let server = PdServer::builder(registry, Shop::default())
        .preset(Preset::Strata)
        .build()
        .unwrap();
    let client = connect(Era::Session, &server).await;
    let page = |page: usize| {
        let asked = json!({ "category_names": ["crowd"], "page": page });
        let answer = client.call("get_category_actions", asked);
        async move { told(&answer.await)["categories"]["crowd"].clone() }
    };
    let mut all = Vec::new();
    for (number, left_out) in [(1, Some(25)), (2, Some(5)), (3, None)] {
        let part = page(number).await;
        assert_eq!(
            (part["action_count"].as_u64(), part["left_out"].as_u64()),
            (Some(45), left_out),
            "{part}"
        );
        all.extend(names(&part["actions"]).into_iter().map(str::to_owned));
    }
    let expected: Vec<_> = (0..45).map(|place| format!("tool_{place}")).collect();
    assert_eq!(all, expected);
    let next = "call get_category_actions with \"page\": 2, or discover_server_actions with {\"user_query\":\"…\",\"server_names\":[\"crowd\"]}";
    assert_eq!(page(1).await["next"], next);
    let smalls: Vec<String> = (0..14).map(|place| format!("small-{place}")).collect();
    let many = told(
        &client
            .call("get_category_actions", json!({ "category_names": smalls }))
            .await,
    );
    assert_eq!(many["categories"].as_object().unwrap().len(), 10, "{many}");
    assert_eq!(many["left_out"], json!(smalls[10..]));
    assert_eq!(
        many["next"],
        "send at most 10 names in `category_names` at once"
    );
    let elsewhere = json!({ "server_name": "", "category_name": "none", "action_name": "tool_1" });
    let refused = told(&client.call("get_action_details", elsewhere).await);
    assert_eq!(refused, json!({ "error": "Category 'none' not found" }));
}
