//! What lists and tickets cost a model, counted by the tokenizer and held against the estimate.

use crate::harness::{client::ticket, line::Line, shop, told};
use pd_runtime::{
    IntoOutput, Listing, PdServer, Registry, Tool, config::MinimalSchema, estimate_tokens,
};
use serde_json::{Value, json};

pub(crate) fn count(text: &str) -> usize {
    tiktoken_rs::o200k_base_singleton()
        .encode_ordinary(text)
        .len()
}

const GROUPS: [&str; 10] = [
    "user", "team", "issue", "label", "branch", "commit", "release", "package", "webhook", "secret",
];
const VERBS: [(&str, &str); 10] = [
    ("get", "Get one {} by its identifier"),
    ("list", "List every {}, newest first, page by page"),
    ("create", "Create a {} from a name and settings"),
    ("update", "Change some settings of a {} and keep the others"),
    ("delete", "Delete a {} for good"),
    ("search", "Search for a {} by words, dates and owners"),
    ("archive", "Archive a {} so that it can be read only"),
    ("restore", "Restore an archived {}"),
    ("compare", "Compare two versions of a {}"),
    (
        "export",
        "Export a {} as JSON, CSV or a spreadsheet of one's own",
    ),
];

/// 100 tools, each with a schema of about 0.8 kB.
pub(crate) fn synthetic() -> Registry<()> {
    let property = |about: &str| json!({ "type": "string", "minLength": 1, "maxLength": 200, "description": about });
    let tool = |group: &str, (verb, summary): (&str, &str)| {
        let summary = summary.replace("{}", group);
        let schema = json!({
            "type": "object",
            "properties": {
                "owner": property("The account that owns it. The name is not case sensitive."),
                "name": property(&format!("The name of the {group}, without its owner and without an extension.")),
                "since": property("Only what changed after this moment, as an ISO 8601 timestamp in UTC."),
                "fields": { "type": "array", "items": { "type": "string" }, "description": "Which fields come back." },
                "page": { "type": "integer", "minimum": 1, "default": 1, "description": "Which page of results." },
            },
            "required": ["owner", "name"],
            "additionalProperties": false,
        });
        assert!(
            (600..1_000).contains(&schema.to_string().len()),
            "{}",
            schema.to_string().len()
        );
        Tool::new(format!("{group}_{verb}"), summary, |_, _, _| {
            Box::pin(async { ().into_output() })
        })
        .input_schema(schema)
    };
    let tools = GROUPS
        .iter()
        .flat_map(|group| VERBS.iter().map(|verb| tool(group, *verb)));
    Registry::builder().tools(tools).build().unwrap()
}

/// The tools of a list as their text on the wire, without the meta-tool.
async fn listed(registry: Registry<()>, schema: MinimalSchema) -> Vec<String> {
    let server = PdServer::builder(registry, ())
        .listing(Listing::Minimal)
        .describe_tools(false)
        .minimal_schema(schema);
    let mut list = Line::session(&server.build().unwrap())
        .await
        .result("tools/list", json!({}))
        .await;
    let Value::Array(tools) = list["tools"].take() else {
        panic!("no tools")
    };
    tools.iter().map(Value::to_string).collect()
}

/// The whole list is counted, meta-tool included. MCP's frame and the name come to about 21 tokens a tool, so the bound holds
/// for summaries of up to 60 characters that average 40, as these do, and not for a hundred that fill their line.
#[tokio::test]
async fn a_minimal_list_costs_at_most_30_tokens_a_tool_and_a_lean_one_25() {
    for (schema, limit) in [(MinimalSchema::Literal, 30), (MinimalSchema::Lean, 25)] {
        let server = PdServer::builder(synthetic(), ())
            .listing(pd_runtime::Listing::Minimal)
            .minimal_schema(schema)
            .build()
            .unwrap();
        let list = Line::session(&server)
            .await
            .result("tools/list", json!({}))
            .await;
        assert_eq!(list["tools"].as_array().unwrap().len(), 101);
        let cost = count(&json!({ "tools": list["tools"] }).to_string());
        assert!(
            cost <= limit * 100,
            "{schema:?}: {cost} tokens for 100 tools"
        );
    }
}

#[tokio::test]
async fn a_ticket_costs_at_most_twelve_tokens() {
    let mut line = Line::inline(&shop::server().build().unwrap(), json!({}));
    let described = told(&line.read("resource:///tool_descriptions?tools=greet").await);
    let ticket = ticket(&described["greet"]).unwrap();
    assert!(count(ticket) <= 12, "{ticket}: {}", count(ticket));
    assert!(count(&json!({ "disclosure_ticket": ticket }).to_string()) <= 18);
}

pub(crate) const CATALOGS: [(&str, &str); 6] = [
    ("github", include_str!("../../data/github.json")),
    ("grafana", include_str!("../../data/grafana.json")),
    ("playwright", include_str!("../../data/playwright.json")),
    ("notion", include_str!("../../data/notion.json")),
    ("git", include_str!("../../data/mcp-git.json")),
    ("slack", include_str!("../../data/mcp-slack-archived.json")),
];

/// A real server's tools, taken over from its list.
pub(crate) fn catalog(text: &str) -> Registry<()> {
    let definitions: Vec<rmcp::model::Tool> = serde_json::from_str(text).unwrap();
    let tools = definitions.into_iter().map(|definition| {
        Tool::from_definition(definition, |_, _, _| Box::pin(async { ().into_output() }))
    });
    Registry::builder().tools(tools).build().unwrap()
}

#[tokio::test]
async fn the_estimate_is_within_15_percent_on_real_minimal_listings() {
    let mut off = Vec::new();
    for (name, text) in CATALOGS {
        for schema in [MinimalSchema::Literal, MinimalSchema::Lean] {
            let text = listed(catalog(text), schema).await.join(",");
            let (real, estimate) = (count(&text), estimate_tokens(&text));
            let ratio = estimate as f64 / real as f64;
            if !(0.85..=1.15).contains(&ratio) {
                off.push(format!(
                    "{name} {schema:?}: {real} tokens, estimated {estimate} ({ratio:.2})"
                ));
            }
        }
    }
    assert!(off.is_empty(), "{off:#?}");
}

#[tokio::test]
async fn what_check_reports_is_what_the_listing_costs() {
    for (name, text) in CATALOGS {
        let registry = catalog(text);
        let reported = registry.check().unwrap().listing_tokens;
        let real = count(&listed(registry, MinimalSchema::Literal).await.join(","));
        let ratio = reported as f64 / real as f64;
        assert!(
            (0.85..=1.15).contains(&ratio),
            "{name}: {real} tokens, reported {reported}"
        );
    }
}

#[tokio::test]
async fn real_catalogs_cost_a_fraction_of_their_full_listing() {
    for (name, text) in CATALOGS {
        let minimal = count(
            &listed(catalog(text), MinimalSchema::Literal)
                .await
                .join(","),
        );
        let whole: Value = serde_json::from_str(text).unwrap();
        let full = count(&whole.to_string());
        assert!(minimal * 2 < full, "{name}: {minimal} of {full}");
    }
}

/// What a list of these tools costs.
fn cost(tools: &[Value]) -> usize {
    count(&json!({ "tools": tools }).to_string())
}

/// Annotations and `_meta` apart: they are for hosts, and a minimal list has few of them.
#[tokio::test]
async fn a_minimal_list_saves_89_percent_of_real_catalogs_and_a_lean_one_91() {
    for (schema, least) in [(MinimalSchema::Literal, 0.89), (MinimalSchema::Lean, 0.91)] {
        let (mut minimal, mut full) = (0, 0);
        for (_, text) in CATALOGS {
            let list = listed(catalog(text), schema).await;
            let bare = list.iter().map(|tool| {
                let mut tool: Value = serde_json::from_str(tool).unwrap();
                for hosts in ["annotations", "_meta"] {
                    tool.as_object_mut().unwrap().shift_remove(hosts);
                }
                tool
            });
            minimal += cost(&bare.collect::<Vec<_>>());
            full += cost(&serde_json::from_str::<Vec<Value>>(text).unwrap());
        }
        let saved = 1.0 - minimal as f64 / full as f64;
        println!("{schema:?}: {minimal} of {full}, {saved:.4}");
        assert!(
            saved >= least,
            "{schema:?}: {minimal} of {full} tokens, {saved:.4} saved"
        );
    }
}
