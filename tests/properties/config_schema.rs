//! The JSON Schema of the gateway's file accepts what the parser accepts, for random files. What it
//! accepts beyond that is in the documentation of `config/json_schema.rs`, and in [`is_beyond`].

use pd_gateway::GatewayConfig;
use proptest::{
    collection::vec,
    prelude::*,
    sample::select,
    test_runner::{Config, TestRunner},
};
use serde_json::{Map, Value, json};
use std::{cell::Cell, fs};

const CASES: u32 = 2048;

const SERVER: &str = "/definitions/enabledServer/properties";
const FILE_PD: &str = "/properties/pd/properties";
const TOOL: &str = "/definitions/tool/properties";
const OAUTH: &str = "/definitions/oauth/properties";

/// Keys that hold objects of which the members are random, too.
const NESTED: [&str; 3] = ["pd", "tools", "oauth"];

/// Values of all types, at the bounds that keys have.
fn any_value() -> impl Strategy<Value = Value> {
    let plain = json!([
        null,
        true,
        false,
        -1,
        0,
        0.5,
        1,
        1.5,
        64,
        999,
        1_000_000,
        1_000_001,
        65_535,
        65_536,
        31_622_400,
        31_622_401,
        1_073_741_824,
        1_073_741_825,
        31_622_400_000_u64,
        31_622_400_001_u64,
        "",
        "a",
        "a b",
        "a*",
        "*",
        "a*b",
        "A=B",
        "a\nb",
        "TRUE",
        "false",
        "auto",
        "new",
        "process",
        "10/s",
        "7 / min",
        "0/h",
        "10/d",
        "stdio",
        "http",
        "SSE",
        "streamable_http",
        "ws",
        "https://a.example/mcp",
        "http:/a",
        "https://",
        "${NOT_SET_HERE}",
        "client_credentials",
    ]);
    let plain = select(plain.as_array().unwrap().clone());
    prop_oneof![
        4 => plain.clone(),
        1 => vec(plain.clone(), 0..3).prop_map(Value::Array),
        1 => (select(vec!["a", "X-A", "A=B", "name", "a b"]), plain).prop_map(|(key, value)| json!({ key: value })),
    ]
}

/// Values that the schema names for a key: valid ones.
fn named_values(key: &str, property: &Value) -> Vec<Value> {
    let mut values: Vec<Value> = ["examples", "enum"]
        .iter()
        .filter_map(|keyword| property.get(*keyword)?.as_array().cloned())
        .flatten()
        .collect();
    values.extend(property.get("default").cloned());
    if values.is_empty() {
        values.push(match key {
            "transport" | "transportType" | "transport_type" => json!("stdio"),
            "httpUrl" | "serverUrl" => json!("https://a.example"),
            "http_headers" => json!({ "X-B": "1" }),
            "env_http_headers" => json!({ "X-C": "NOT_SET_HERE" }),
            "bearer_token_env_var" => json!("NOT_SET_HERE"),
            "env_vars" => json!(["A", { "name": "B" }]),
            key if key.contains("ool") && !key.contains("timeout") => json!(["a", "b*"]),
            _ => json!(5),
        });
    }
    values
}

/// Objects with a few of the keys that the schema has at a place.
fn members(schema: &Value, place: &str, max: usize) -> BoxedStrategy<Map<String, Value>> {
    let properties = schema.pointer(place).unwrap().as_object().unwrap();
    let keys = properties
        .iter()
        .filter(|(key, _)| !NESTED.contains(&key.as_str()));
    let member: Vec<_> = keys
        .map(|(key, property)| {
            let key = key.clone();
            let named = select(named_values(&key, property));
            let value = prop_oneof![6 => named, 1 => any_value()];
            value.prop_map(move |value| (key.clone(), value)).boxed()
        })
        .collect();
    let unknown = select(vec!["sumary", "Args", "headers ", "URL"]);
    let unknown = (unknown, any_value()).prop_map(|(key, value)| (key.to_owned(), value));
    let member = prop_oneof![24 => proptest::strategy::Union::new(member), 1 => unknown];
    vec(member, 0..max)
        .prop_map(|members| members.into_iter().collect())
        .boxed()
}

/// An object in most cases.
fn nested(members: BoxedStrategy<Map<String, Value>>) -> BoxedStrategy<Option<Value>> {
    prop_oneof![
        6 => Just(None),
        12 => members.prop_map(|members| Some(Value::Object(members))),
        1 => any_value().prop_map(Some),
    ]
    .boxed()
}

fn with(mut object: Map<String, Value>, key: &str, value: Option<Value>) -> Map<String, Value> {
    if let Some(value) = value {
        object.insert(key.to_owned(), value);
    }
    object
}

fn entry(schema: &Value) -> impl Strategy<Value = Value> {
    let tool = nested(members(schema, TOOL, 3));
    let tools = tool.prop_map(|tool| tool.map(|tool| json!({ "x": tool })));
    let oauth = nested(members(schema, OAUTH, 4));
    let pd = format!("{SERVER}/pd/properties");
    let pd = (members(schema, &pd, 4), tools, oauth)
        .prop_map(|(pd, tools, oauth)| with(with(pd, "tools", tools), "oauth", oauth));
    let target = prop_oneof![
        4 => Just(json!({ "command": "program" })),
        4 => Just(json!({ "url": "https://a.example/mcp" })),
        1 => Just(json!({ "command": "program", "url": "https://a.example/mcp" })),
        1 => Just(json!({ "command": null, "url": "https://a.example/mcp" })),
        1 => Just(json!({})),
    ];
    (members(schema, SERVER, 4), nested(pd.boxed()), target).prop_map(|(entry, pd, target)| {
        let mut entry = with(entry, "pd", pd);
        entry.extend(target.as_object().unwrap().clone());
        Value::Object(entry)
    })
}

fn file(schema: &Value) -> impl Strategy<Value = Value> {
    let entry = prop_oneof![16 => entry(schema), 1 => any_value()];
    let pd = nested(members(schema, FILE_PD, 2));
    (
        vec(entry, 0..3),
        pd,
        select(vec!["mcpServers", "servers", "mcpServer"]),
    )
        .prop_map(|(entries, pd, key)| {
            let servers: Map<_, _> = ["a", "b"]
                .map(str::to_owned)
                .into_iter()
                .zip(entries)
                .collect();
            let root = with(Map::new(), "pd", pd);
            Value::Object(with(root, key, Some(servers.into())))
        })
}

/// Returns whether JSON Schema cannot express a rule that concerns the entry.
fn is_beyond(entry: &Value) -> bool {
    let value = |key: &str| entry.get(key).filter(|value| !value.is_null());
    let count = |keys: &[&str]| keys.iter().filter(|key| value(key).is_some()).count();
    let is_object = |key: &str| value(key).is_some_and(Value::is_object);
    let header_keys = [
        "headers",
        "http_headers",
        "env_http_headers",
        "bearer_token_env_var",
    ];
    let has_oauth = entry
        .pointer("/pd/oauth")
        .is_some_and(|oauth| !oauth.is_null());
    // An object there has the keys of the connection.
    is_object("command")
        || is_object("transport")
        // Several kinds must agree.
        || count(&["type", "transport", "transportType", "transport_type"]) > 1
        // A header occurs once, and there is one way to authenticate.
        || count(&header_keys) > 1
        || (has_oauth && count(&header_keys) > 0)
        // An entry of Cline has seconds.
        || (count(&["autoApprove", "alwaysAllow"]) > 0 && count(&["timeout"]) > 0)
        // The file must exist, and the program must not have its arguments.
        || count(&["envFile"]) > 0
        || value("command").is_some_and(|command| command == "a b" || command == "a\nb")
}

#[test]
fn the_schema_accepts_what_the_parser_accepts() {
    let schema = GatewayConfig::json_schema();
    let validator = jsonschema::draft7::new(&schema).unwrap();
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("servers.json");
    let config = Config {
        cases: CASES,
        failure_persistence: None,
        ..Config::default()
    };
    let (accepted, compared) = (Cell::new(0), Cell::new(0));
    let outcome = TestRunner::new(config).run(&file(&schema), |file| {
        fs::write(&path, file.to_string()).unwrap();
        // Only mistakes count: a variable that is not set is a warning.
        let mistakes = match GatewayConfig::open(&path) {
            Ok(config) => config.mistakes.iter().map(ToString::to_string).collect(),
            Err(error) => vec![error.to_string()],
        };
        let violations: Vec<_> = validator
            .iter_errors(&file)
            .map(|error| format!("{}: {error}", error.instance_path()))
            .collect();
        if mistakes.is_empty() {
            accepted.set(accepted.get() + 1);
            prop_assert!(
                violations.is_empty(),
                "the schema refuses {file}: {violations:#?}"
            );
        }
        let servers = ["mcpServers", "servers"]
            .iter()
            .filter_map(|key| file.get(*key));
        let mut entries = servers.filter_map(Value::as_object).flat_map(Map::values);
        if !entries.any(is_beyond) {
            compared.set(compared.get() + 1);
            prop_assert!(
                !violations.is_empty() || mistakes.is_empty(),
                "the parser refuses {file}: {mistakes:#?}"
            );
        }
        Ok(())
    });
    outcome.unwrap();
    // Files of one kind alone would compare nothing.
    let share = |count: &Cell<u32>| f64::from(count.get()) / f64::from(CASES);
    let (accepted, compared) = (share(&accepted), share(&compared));
    assert!((0.1..0.9).contains(&accepted), "{accepted} are accepted");
    assert!(compared > 0.5, "{compared} are compared");
}
