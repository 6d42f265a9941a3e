//! Real documents: those of Box, Okta and GitHub.

use crate::{
    harness::client::{Era, connect},
    mock::MockApi,
};
use pd_gateway::{Gateway, GatewayConfig};
use pd_runtime::{Listing, PdServer, Registry, openapi::OpenApi};
use pd_schema::{CompiledSchema, provider_fit::provider_fit};
use serde_json::{Map, Value, json};
use std::{collections::HashSet, fs, path::Path};

const DATA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/data/openapi");

/// The documents, with the operations that are tools and those that are left out: their servers are
/// others.
const DOCUMENTS: [(&str, usize, usize); 3] = [
    ("box.json", 285, 11),
    ("okta.yaml", 728, 4),
    ("github.json", 1_222, 1),
];

fn document(name: &str) -> String {
    let packed = fs::read(Path::new(DATA).join(format!("{name}.zst"))).unwrap();
    String::from_utf8(zstd::decode_all(&*packed).unwrap()).unwrap()
}

fn tokens(value: &Value) -> usize {
    tiktoken_rs::o200k_base_singleton()
        .encode_ordinary(&value.to_string())
        .len()
}

#[test]
fn all_operations_are_tools_that_providers_take() {
    for (name, tools, left_out) in DOCUMENTS {
        let api = OpenApi::from_text(&document(name)).unwrap();
        let others: Vec<_> = api.left_out().collect();
        assert_eq!(
            (api.operations().count(), others.len()),
            (tools, left_out),
            "{name}: {others:?}"
        );
        assert!(others.iter().all(|(_, why)| why.contains("its server is")));
        let mut names = HashSet::new();
        for operation in api.operations() {
            let name = operation.name();
            assert!(names.insert(name.to_owned()), "{name}");
            let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_-".contains(&byte);
            assert!((1..=64).contains(&name.len()) && name.bytes().all(plain), "{name}");
            let summary = operation.summary();
            assert!(!summary.is_empty() && summary.chars().count() <= 60, "{name}: {summary}");
            assert_eq!(provider_fit(operation.input()), [], "{name}");
            let input = Value::Object(operation.input().clone());
            let input = CompiledSchema::new(&input).unwrap();
            if let Some(example) = operation.example() {
                assert!(input.validate(example, &[]).is_ok(), "{name}: {example}");
            }
            if let Some(output) = operation.output() {
                assert!(CompiledSchema::new(&Value::Object(output.clone())).is_ok(), "{name}");
            }
            let size = operation.definition().to_string().len();
            assert!(size < 24 * 1024, "{name}: {size} bytes");
        }
        let registry: Registry<()> = Registry::from_openapi(api).unwrap();
        assert_eq!(registry.len(), tools);
        assert!(registry.groups().len() > 10, "{name}");
        assert_eq!(registry.top_level().count(), 0, "{name}: each has a tag");
    }
}

/// A value of a schema of an argument.
fn made(schema: &Value, root: &Value) -> Value {
    let schema = match schema["$ref"].as_str() {
        Some(target) => root.pointer(target.strip_prefix('#').unwrap()).unwrap(),
        None => schema,
    };
    if let Some(example) = schema.pointer("/examples/0").or(schema.pointer("/enum/0")) {
        return example.clone();
    }
    if let Some(branches) = schema["anyOf"].as_array() {
        return made(&branches[0], root);
    }
    let kind = match &schema["type"] {
        Value::Array(kinds) => kinds[0].as_str().unwrap(),
        kind => kind.as_str().unwrap_or("object"),
    };
    match kind {
        "string" => json!(match schema["format"].as_str() {
            Some("date-time") => "2026-01-02T03:04:05Z".to_owned(),
            Some("date") => "2026-01-02".to_owned(),
            Some("uri") => "https://example.com".to_owned(),
            Some("email") => "ada@example.com".to_owned(),
            Some("uuid") => "123e4567-e89b-12d3-a456-426614174000".to_owned(),
            _ => "a".repeat(schema["minLength"].as_u64().unwrap_or(3).max(3) as usize),
        }),
        "integer" | "number" => schema.get("minimum").cloned().unwrap_or(json!(1)),
        "boolean" => json!(true),
        "array" => json!([made(&schema["items"], root)]),
        _ => {
            let required = schema["required"].as_array().cloned().unwrap_or_default();
            let members = required.iter().map(|name| {
                let name = name.as_str().unwrap();
                (name.to_owned(), made(&schema["properties"][name], root))
            });
            Value::Object(members.collect::<Map<_, _>>())
        }
    }
}

/// Each operation is called with its required arguments, and the API that is made from the same
/// document finds nothing wrong.
#[tokio::test(flavor = "multi_thread")]
async fn requests_of_all_operations_are_those_of_the_document() {
    for (name, least) in [("box.json", 280), ("github.json", 1_200)] {
        let text = document(name);
        let mock = MockApi::start(&serde_json::from_str(&text).unwrap()).await;
        let api = OpenApi::from_text(&text).unwrap();
        let base = if name == "box.json" { "/2.0" } else { "" };
        let api = api.server_url(&format!("{}{base}", mock.url)).unwrap();
        let calls: Vec<_> = api
            .operations()
            .map(|operation| {
                let input = Value::Object(operation.input().clone());
                (operation.name().to_owned(), made(&input, &input))
            })
            .collect();
        let registry: Registry<()> = Registry::from_openapi(api).unwrap();
        let mut refused = Vec::new();
        for (tool, arguments) in &calls {
            if let Err(error) = registry.call(&(), tool, arguments.clone()).await {
                refused.push(format!("{tool} {arguments}: {} {}", error.code, error.message));
            }
        }
        // Box's document requires `id` there, and has no such property.
        let is_known = |text: &str| text.starts_with("post_invites ");
        let wrong: Vec<_> = refused
            .iter()
            .filter(|text| !text.contains("INVALID_ARGUMENTS") && !is_known(text))
            .collect();
        assert_eq!(wrong, Vec::<&String>::new(), "{name}");
        // A made text fits few patterns.
        assert!(calls.len() - refused.len() >= least, "{name}: {refused:#?}");
    }
}

/// The bounds of README and `openapi.md`.
#[tokio::test]
async fn the_largest_document_is_listed_and_called_for_few_tokens() {
    let text = document("github.json");
    let mock = MockApi::start(&serde_json::from_str(&text).unwrap()).await;
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("github.json"), &text).unwrap();
    let entry = json!({
        "openapi": directory.path().join("github.json"), "url": mock.url,
        "pd": { "summary": "Read and write GitHub" },
    });
    let config = directory.path().join("servers.json");
    fs::write(&config, json!({ "mcpServers": { "github": entry } }).to_string()).unwrap();
    let cache = directory.path().join("cache");
    let gateway = Gateway::with_cache(GatewayConfig::open(config).unwrap(), cache);
    gateway.refresh().await;
    let status = gateway.status().remove(0);
    assert_eq!(status.last_error, None);
    println!("{status:?}");
    assert_eq!(gateway.registry::<()>().len(), 1_222);
    let server = PdServer::builder(gateway.registry(), ())
        .listing(Listing::Grouped)
        .build()
        .unwrap();
    for era in [Era::Session, Era::HttpInline] {
        let client = connect(era, &server).await;
        let list = client.list().await;
        let listed = tokens(&list["tools"]);
        println!("{era:?}: listed {listed}");
        let mut worst = 0;
        for (query, tool, arguments) in [
            ("list the issues of a repository", "github__issues_list-for-repo", json!({ "owner": "o", "repo": "r" })),
            ("create an issue", "github__issues_create", json!({ "owner": "o", "repo": "r", "title": "t" })),
            ("merge a pull request", "github__pulls_merge", json!({ "owner": "o", "repo": "r", "pull_number": 1 })),
            ("star a gist", "github__gists_star", json!({ "gist_id": "g" })),
        ] {
            let request = json!({ "query": query });
            let hits = client.call("find_tools", request.clone()).await;
            let found = hits.to_string().contains(tool);
            let meta = if query.starts_with("list") { "call_read_only_tool" } else { "call_tool" };
            let call = json!({ "name": tool, "arguments": arguments.to_string() });
            let result = client.call(meta, call.clone()).await;
            let reached = result["isError"] != true;
            let cost = tokens(&request) + tokens(&hits["content"]) + tokens(&call);
            println!("{era:?} {query}: {found} {reached} {cost} + list {listed}; {}", result.to_string().chars().take(200).collect::<String>());
            if !found { println!("{hits}"); }
            worst = worst.max(cost + listed);
        }
        println!("{worst}");
    }
    gateway.stop().await;
}
