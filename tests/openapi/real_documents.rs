//! Real documents: those of Box, Okta, GitHub and Kubernetes, and the one by which Scalar shows OpenAPI 3.1.

use crate::{
    harness::{line::Line, text},
    mock::MockApi,
};
use pd_gateway::{Gateway, GatewayConfig};
use pd_runtime::{
    Listing, PdServer, Registry, openapi::OpenApi, upstream::text::value_memory::memory_of,
};
use pd_schema::{CompiledSchema, provider_fit::provider_fit};
use serde_json::{Map, Value, json};
use std::{
    collections::{HashMap, HashSet},
    fs,
    path::Path,
};

const DATA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/data/openapi");

/// The documents, with the operations that are tools and those that are left out: their servers are
/// others.
const DOCUMENTS: [(&str, usize, usize); 5] = [
    ("galaxy.yaml", 9, 0),
    ("box.json", 285, 11),
    ("okta.yaml", 728, 4),
    ("github.json", 1_222, 1),
    // Swagger 2.0. All schemas in full detail would take 36 MB.
    ("kubernetes.json", 1_014, 0),
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
        // A gateway keeps so much of a server's lists.
        let memory = api.operations().map(|one| memory_of(&one.definition()));
        let memory: usize = memory.sum();
        assert!(memory < 24 << 20, "{name}: {memory} bytes");
        let mut names = HashSet::new();
        for operation in api.operations() {
            let name = operation.name();
            assert!(names.insert(name.to_owned()), "{name}");
            let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_-".contains(&byte);
            assert!(
                (1..=64).contains(&name.len()) && name.bytes().all(plain),
                "{name}"
            );
            let summary = operation.summary();
            assert!(
                !summary.is_empty() && summary.chars().count() <= 60,
                "{name}: {summary}"
            );
            assert_eq!(provider_fit(operation.input()), [], "{name}");
            let input = Value::Object(operation.input().clone());
            let input = CompiledSchema::new(&input).unwrap();
            if let Some(example) = operation.example() {
                assert!(input.validate(example, &[]).is_ok(), "{name}: {example}");
            }
            if let Some(output) = operation.output() {
                assert!(
                    CompiledSchema::new(&Value::Object(output.clone())).is_ok(),
                    "{name}"
                );
            }
            let size = operation.definition().to_string().len();
            assert!(size < 24 * 1024, "{name}: {size} bytes");
        }
        let api = api.server_url("https://api.example.com").unwrap();
        let registry: Registry<()> = Registry::from_openapi(api).unwrap();
        assert_eq!(registry.len(), tools);
        let groups = registry.groups().len();
        assert!(groups > 10 || name == "galaxy.yaml", "{name}: {groups}");
        assert!(
            registry.top_level().count() < 10,
            "{name}: nearly each has a tag"
        );
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
    for (name, least) in [
        ("box.json", 280),
        ("github.json", 1_190),
        ("kubernetes.json", 1_000),
    ] {
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
        let descriptions: HashMap<_, _> = api
            .operations()
            .map(|operation| {
                (
                    operation.name().to_owned(),
                    operation.description().to_owned(),
                )
            })
            .collect();
        let inputs: HashMap<_, _> = api
            .operations()
            .map(|one| {
                (
                    one.name().to_owned(),
                    Value::Object(one.input().clone()).to_string(),
                )
            })
            .collect();
        let registry: Registry<()> = Registry::from_openapi(api).unwrap();
        let mut refused = Vec::new();
        for (tool, arguments) in &calls {
            if let Err(error) = registry.call(&(), tool, arguments.clone()).await {
                refused.push(format!(
                    "{tool} {arguments}: {} {}",
                    error.code, error.message
                ));
            }
        }
        // Box's document requires `id` there, and has no such property. Unions of required names
        // are in descriptions.
        // Where levels end, what a value needs is in its description.
        let is_known = |text: &str| {
            let (name, _) = text.split_once(' ').unwrap();
            let description = &descriptions[name];
            let is_union = description.contains("needs one of these") || name == "post_invites";
            let missing = text.split_once(" is missing").map(|(before, _)| before);
            missing.is_some_and(|before| {
                let member = before.rsplit('.').next().unwrap();
                let needs = inputs[name].split("eeds `").skip(1);
                let named = |words: &str| format!("`{words}").contains(&format!("`{member}`"));
                is_union || needs.map(|rest| rest.split(".").next().unwrap()).any(named)
            })
        };
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
    let document = document("github.json");
    let mock = MockApi::start(&serde_json::from_str(&document).unwrap()).await;
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("github.json"), &document).unwrap();
    let entry = json!({
        "openapi": directory.path().join("github.json"), "url": mock.url,
        "pd": { "summary": "Read and write GitHub" },
    });
    let config = directory.path().join("servers.json");
    fs::write(
        &config,
        json!({ "mcpServers": { "github": entry } }).to_string(),
    )
    .unwrap();
    let cache = directory.path().join("cache");
    let gateway = Gateway::with_cache(GatewayConfig::open(config).unwrap(), cache);
    gateway.refresh().await;
    let status = gateway.status().remove(0);
    assert_eq!(status.last_error, None);
    assert_eq!(gateway.registry::<()>().len(), 1_222);
    let server = PdServer::builder(gateway.registry(), ())
        .listing(Listing::Grouped)
        .build()
        .unwrap();
    for is_session in [true, false] {
        for (query, tool, arguments) in [
            (
                "list the issues of a repository",
                "github__issues_list-for-repo",
                json!({ "owner": "o", "repo": "r" }),
            ),
            (
                "create an issue",
                "github__issues_create",
                json!({ "owner": "o", "repo": "r", "title": "t" }),
            ),
            (
                "merge a pull request",
                "github__pulls_merge",
                json!({ "owner": "o", "repo": "r", "pull_number": 1 }),
            ),
            (
                "star a gist",
                "github__gists_star",
                json!({ "gist_id": "g" }),
            ),
        ] {
            let mut line = match is_session {
                true => Line::session(&server).await,
                false => Line::inline(&server, json!({})),
            };
            let list = line.result("tools/list", json!({})).await;
            let listed = tokens(&list);
            assert!(listed <= 300, "{listed} tokens: {list}");
            let cost = find_and_call(&mut line, query, tool, arguments).await;
            println!("{query}: {listed} + {cost}");
            assert!(cost <= 900, "{query}: {cost} tokens");
        }
    }
    gateway.stop().await;
}

/// Finds a tool and calls it, as a model does that reads what it is told. Returns the tokens of all
/// messages but the tool's own result.
async fn find_and_call(line: &mut Line, query: &str, tool: &str, mut arguments: Value) -> usize {
    let find = json!({ "name": "find_tools", "arguments": { "query": query } });
    let found = line.result("tools/call", find.clone()).await;
    let mut cost = tokens(&find) + tokens(&found);
    let mut told = text(&found).to_owned();
    assert!(told.contains(tool), "{query}: {told}");
    for _ in 0..3 {
        // The call to send, and the signature, have the ticket.
        let ticket = told.split_once("disclosure_ticket").and_then(|(_, rest)| {
            rest.trim_start_matches(['\\', '"', ':', ' '])
                .split(['"', '\\'])
                .next()
        });
        if let Some(ticket) = ticket {
            arguments["disclosure_ticket"] = json!(ticket);
        }
        let reads = query.starts_with("list");
        let name = if reads {
            "call_read_only_tool"
        } else {
            "call_tool"
        };
        let own = json!({ "name": tool, "arguments": arguments.to_string() });
        let call = json!({ "name": name, "arguments": own });
        let result = line.result("tools/call", call.clone()).await;
        cost += tokens(&call);
        if result["isError"] != true {
            return cost;
        }
        cost += tokens(&result);
        let blocks = result["content"].as_array().unwrap();
        told = blocks
            .iter()
            .map(|block| block["text"].as_str().unwrap())
            .collect();
    }
    panic!("{query}: {tool} cannot be called: {told}");
}
