//! The eight criteria of specification v2.1, section 9, under their own names, and the exact errors of section 6.

use crate::harness::{
    client::{Client, Era, connect},
    code, names, shop, told,
};
use serde_json::json;

async fn client(era: Era) -> Client {
    connect(era, &shop::server().build().unwrap()).await
}

#[tokio::test]
async fn criterion_1_minimal_descriptions_are_provided_via_tools_list() {
    for era in Era::ALL {
        let listed = client(era).await.list().await;
        assert_eq!(
            listed["tools"][0]["description"], "Greet a customer",
            "{era:?}"
        );
        for tool in listed["tools"].as_array().unwrap() {
            let name = tool["name"].as_str().unwrap();
            // Listed where groups are not; they are no tools of the registry.
            if ["find_tools", "list_tools", "call_tool"].contains(&name) {
                continue;
            }
            let shown = tool["inputSchema"].get("required").is_some();
            let may_show = ["hours", "describe_tools"].contains(&name);
            assert!(!shown || may_show, "{era:?}: a detailed schema in {tool}");
            assert!(
                tool["description"].as_str().unwrap().chars().count() <= 60,
                "{era:?}: {tool}"
            );
        }
    }
}

#[tokio::test]
async fn criterion_2_a_tool_descriptions_resource_is_exposed_via_resources_list() {
    for era in Era::ALL {
        let listed = client(era)
            .await
            .running
            .list_resources(None)
            .await
            .unwrap();
        let [resource] = listed.resources.as_slice() else {
            panic!("{era:?}: {listed:?}")
        };
        assert_eq!(resource.uri, "resource:///tool_descriptions");
        assert_eq!(resource.name, "Tool Descriptions - Required for tool use");
        assert_eq!(resource.mime_type.as_deref(), Some("application/json"));
    }
}

/// Section 4.2: the relation to tools/list, fetch before call, the query's syntax, the consequence, an example URI.
#[tokio::test]
async fn the_resource_says_how_to_use_it() {
    let listed = client(Era::Session)
        .await
        .running
        .list_resources(None)
        .await
        .unwrap();
    let description = listed.resources[0].description.as_deref().unwrap();
    for needed in [
        "WORKFLOW",
        "Step 1",
        "Step 2",
        "Step 3",
        "tools/list",
        "resource:///tool_descriptions?tools=TOOL_NAME",
        "?tools=TOOL_ONE,TOOL_TWO",
        "CANNOT call a tool until you fetch",
        "authorizes",
    ] {
        assert!(
            description.contains(needed),
            "{needed:?} is missing in {description}"
        );
    }
}

#[tokio::test]
async fn the_template_names_the_query_parameter() {
    for era in Era::ALL {
        let listed = client(era)
            .await
            .running
            .list_resource_templates(None)
            .await
            .unwrap();
        let [template] = listed.resource_templates.as_slice() else {
            panic!("{era:?}: {listed:?}")
        };
        assert_eq!(
            template.uri_template,
            "resource:///tool_descriptions{?tools}"
        );
        assert_eq!(template.mime_type.as_deref(), Some("application/json"));
    }
}

#[tokio::test]
async fn criterion_3_the_resource_accepts_a_tools_query_parameter() {
    for era in Era::ALL {
        let client = client(era).await;
        let read = client
            .read("resource:///tool_descriptions?tools=greet,search")
            .await;
        assert_eq!(
            read["contents"][0]["uri"],
            "resource:///tool_descriptions?tools=greet,search"
        );
        assert_eq!(read["contents"][0]["mimeType"], "application/json");
        let described = told(&read);
        assert_eq!(
            described.as_object().unwrap().keys().collect::<Vec<_>>(),
            ["greet", "search"],
            "{era:?}"
        );
    }
}

#[tokio::test]
async fn criterion_4_the_resource_returns_full_descriptions_of_the_tools_asked_for() {
    let client = client(Era::Session).await;
    let described = client.describe("search").await;
    assert_eq!(
        described,
        json!({ "search": {
            "name": "search",
            "description": "Goods whose name holds a word.",
            "inputSchema": {
                "type": "object",
                "properties": {
                    "word": { "type": "string" },
                    "limit": { "type": "integer", "minimum": 1, "maximum": 100, "default": 20 },
                    "colour": { "type": "string", "enum": ["red", "blue"], "description": "A colour of goods." },
                    "sort": { "type": "string", "enum": ["name", "price"] },
                    "tags": { "type": "array", "items": { "type": "string" } },
                },
                "required": ["word"],
                "additionalProperties": false,
            },
            "usage_guidance": {
                "common_patterns": ["Search before you order."],
                "important_notes": ["Prices are in cents."],
            },
            "related": ["stock", "refund"],
        }})
    );
    let greet = &client.describe("greet").await["greet"];
    assert_eq!(greet["examples"], json!([{ "input": { "name": "Ada" } }]));
    assert_eq!(
        greet["inputSchema"]["properties"]["name"]["description"],
        "Whom to greet."
    );
    let pay = &client.describe("pay").await["pay"];
    let help = json!([{ "error": "CARD_REFUSED", "cause": "the bank said no.", "solution": "Ask for another card." }]);
    assert_eq!(pay["error_guidance"]["common_errors"], help);
    assert_eq!(
        pay["description"], "Pay with a card",
        "without a description the summary serves"
    );
    assert_eq!(
        client.describe("stock").await["stock"]["outputSchema"]["type"],
        "object"
    );
}

#[tokio::test]
async fn criterion_5_fetching_without_the_tools_parameter_returns_missing_tool_selection() {
    for era in Era::ALL {
        let client = client(era).await;
        let told = told(&client.read("resource:///tool_descriptions").await);
        let error = &told["error"];
        assert_eq!(error["code"], "MISSING_TOOL_SELECTION", "{era:?}");
        assert_eq!(
            error["message"],
            "You must specify one or more tool names in the 'tools' parameter."
        );
        assert_eq!(
            error["examples"],
            json!([
                "resource:///tool_descriptions?tools=tool_name",
                "resource:///tool_descriptions?tools=tool1,tool2"
            ])
        );
        assert_eq!(
            told.as_object().unwrap().len(),
            1,
            "no preamble beside the error"
        );
    }
}

#[tokio::test]
async fn criterion_6_authorization_is_enforced() {
    for era in Era::ALL {
        let shared = shop::server().build().unwrap();
        let client = connect(era, &shared).await;
        assert_eq!(
            code(&client.call("greet", json!({ "name": "Ada" })).await),
            "TOOL_DESCRIPTION_REQUIRED"
        );
        assert_eq!(
            shared.state().ran(),
            0,
            "{era:?}: a refused call does not run"
        );
        let greeted = client
            .call_described("greet", json!({ "name": "Ada" }))
            .await;
        assert_eq!(greeted["content"][0]["text"], "Welcome, Ada!", "{era:?}");
        assert_eq!(shared.state().ran(), 1);
        // Reading about one tool is reading about no other.
        assert_eq!(
            code(&client.call("search", json!({ "word": "x" })).await),
            "TOOL_DESCRIPTION_REQUIRED"
        );
    }
}

#[tokio::test]
async fn criterion_7_calling_without_fetching_returns_tool_description_required() {
    for era in Era::ALL {
        let told = told(&client(era).await.call("greet", json!({})).await);
        let error = &told["error"];
        assert_eq!(error["code"], "TOOL_DESCRIPTION_REQUIRED", "{era:?}");
        assert_eq!(
            error["message"],
            "Tool 'greet' requires fetching its description before use."
        );
        assert_eq!(
            error["resource_uri"],
            "resource:///tool_descriptions?tools=greet"
        );
    }
}

#[tokio::test]
async fn criterion_8_authorization_is_isolated_per_session() {
    for era in [Era::Session, Era::HttpSession] {
        let shared = shop::server().build().unwrap();
        let (one, other) = (connect(era, &shared).await, connect(era, &shared).await);
        one.describe("greet").await;
        assert_eq!(
            one.call("greet", json!({ "name": "Ada" })).await["content"][0]["text"],
            "Welcome, Ada!"
        );
        assert_eq!(
            code(&other.call("greet", json!({ "name": "Ada" })).await),
            "TOOL_DESCRIPTION_REQUIRED",
            "{era:?}"
        );
    }
}

/// Section 6.3.
#[tokio::test]
async fn an_unknown_tool_has_an_error_entry_of_its_own() {
    let described = client(Era::Session)
        .await
        .describe("greet,serch,nothing")
        .await;
    assert_eq!(described["greet"]["name"], "greet");
    assert_eq!(described["serch"]["error"], "Tool 'serch' not found");
    assert_eq!(
        described["serch"]["available_tools"][0], "search",
        "nearest first"
    );
    assert_eq!(
        described["nothing"],
        json!({ "error": "Tool 'nothing' not found" }),
        "suggestions come once"
    );
}

#[tokio::test]
async fn the_server_introduces_itself() {
    for era in Era::ALL {
        let client = client(era).await;
        let info = client.running.peer_info().unwrap();
        let server = info.server_info.as_ref().unwrap();
        assert_eq!(
            (server.name.as_str(), server.version.as_str()),
            ("shop", "1.2.3"),
            "{era:?}"
        );
        let instructions = info.instructions.as_deref().unwrap();
        assert!(
            instructions.starts_with("A shop.\n\n1. PICK"),
            "{instructions}"
        );
        assert!(instructions.contains("2. FETCH") && instructions.contains("3. CALL"));
        assert_eq!(
            info.capabilities.tools.as_ref().unwrap().list_changed,
            Some(true)
        );
        assert!(info.capabilities.resources.is_some());
        assert!(names(&client.list().await["tools"]).contains(&"describe_tools"));
    }
}
