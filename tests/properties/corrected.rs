//! Corrected arguments contain no value that the caller did not send, and no text with JSON ends up inside
//! another value, for random schemas and for random mistakes.

use crate::harness::client::{Client, Era, connect};
use futures::FutureExt;
use pd_runtime::{
    GateMode, IntoOutput, PdServer, Registry, Tool, config::MetaTools, tool::ToolAnnotations,
};
use proptest::{collection::vec, prelude::*, test_runner::Config};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

/// How many tools: in two eras, with corrections that run and without.
const CASES: u32 = 384;
/// How many calls of each tool, by name and through a meta-tool.
const CALLS: usize = 12;

/// What an argument may be.
#[derive(Debug, Clone)]
enum Form {
    Text,
    Count,
    Flag,
    Choice,
    List(Box<Form>),
    /// Members, and how many of the first ones are required.
    Object(Vec<Form>, usize),
    /// An enum with a tag beside its content.
    Adjacent(Box<Form>),
    /// An enum whose tag is the only member.
    External(Box<Form>),
}

const MEMBERS: [&str; 4] = ["field", "amount", "words", "inner"];
const CHOICES: [&str; 2] = ["open", "closed"];

fn form() -> impl Strategy<Value = Form> {
    let leaf = prop_oneof![
        Just(Form::Text),
        Just(Form::Count),
        Just(Form::Flag),
        Just(Form::Choice)
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            inner.clone().prop_map(|form| Form::List(Box::new(form))),
            // An object with one required member is that in which a value could be hidden.
            (vec(inner.clone(), 1..4), prop_oneof![Just(1), 0_usize..4])
                .prop_map(|(members, required)| Form::Object(members, required)),
            inner
                .clone()
                .prop_map(|form| Form::Adjacent(Box::new(form))),
            inner.prop_map(|form| Form::External(Box::new(form))),
        ]
    })
}

impl Form {
    fn schema(&self) -> Value {
        match self {
            Self::Text => json!({ "type": "string" }),
            Self::Count => json!({ "type": "integer" }),
            Self::Flag => json!({ "type": "boolean" }),
            Self::Choice => json!({ "enum": CHOICES }),
            Self::List(items) => json!({ "type": "array", "items": items.schema() }),
            Self::Object(members, required) => object(members, *required),
            Self::Adjacent(content) => json!({ "oneOf": [
                { "type": "object", "properties": { "kind": { "const": "nothing" } }, "required": ["kind"] },
                { "type": "object", "properties": { "kind": { "const": "something" }, "value": content.schema() }, "required": ["kind", "value"] },
            ] }),
            Self::External(content) => json!({ "oneOf": [
                { "const": "nothing" },
                { "type": "object", "properties": { "something": content.schema() }, "required": ["something"], "additionalProperties": false },
            ] }),
        }
    }
}

fn object(members: &[Form], required: usize) -> Value {
    let properties: Map<_, _> = MEMBERS
        .iter()
        .zip(members)
        .map(|(name, form)| ((*name).to_owned(), form.schema()))
        .collect();
    let required: Vec<_> = MEMBERS.iter().take(required.min(members.len())).collect();
    json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false })
}

/// What a caller writes, with a mistake here and there. Each byte decides once.
struct Caller<'a> {
    bytes: std::iter::Cycle<std::slice::Iter<'a, u8>>,
    /// Makes each scalar another one.
    count: u32,
}

impl Caller<'_> {
    fn decide(&mut self) -> u8 {
        *self.bytes.next().unwrap()
    }

    fn next(&mut self) -> u32 {
        self.count += 1;
        1_000 + self.count
    }

    fn value(&mut self, form: &Form) -> Value {
        // Few mistakes in a call, because only a call without others to fill in is sent again.
        match self.decide() % 24 {
            0 => return Value::from(self.right(form).to_string()),
            1 => return format!("t{}", self.next()).into(),
            2 => return json!({ "a": self.next() }).to_string().into(),
            3 => return json!([self.next()]).to_string().into(),
            4 => return format!("{{'a': {}}}", self.next()).into(),
            5 => return self.next().into(),
            6 => return json!([self.right(form)]),
            _ => {}
        }
        self.right(form)
    }

    fn right(&mut self, form: &Form) -> Value {
        let tag = |caller: &mut Self, tag: &str| match caller.decide() % 12 {
            0 => tag.to_uppercase(),
            1 => tag.replace("th", "t"),
            2 => "absent".to_owned(),
            _ => tag.to_owned(),
        };
        match form {
            Form::Text => format!("t{}", self.next()).into(),
            Form::Count => self.next().into(),
            Form::Flag => (self.decide().is_multiple_of(2)).into(),
            Form::Choice => CHOICES[usize::from(self.decide() % 2)].into(),
            Form::List(items) => (0..self.decide() % 3).map(|_| self.value(items)).collect(),
            Form::Object(members, _) => self.members(members),
            Form::Adjacent(content) => match self.decide() % 4 {
                0 => json!({ "kind": tag(self, "nothing") }),
                1 => tag(self, "something").into(),
                _ => json!({ "kind": tag(self, "something"), "value": self.value(content) }),
            },
            Form::External(content) => match self.decide() % 4 {
                0 => tag(self, "nothing").into(),
                1 => tag(self, "something").into(),
                _ => {
                    let tag = tag(self, "something");
                    json!({ tag: self.value(content) })
                }
            },
        }
    }

    fn members(&mut self, members: &[Form]) -> Value {
        let mut object = Map::new();
        for (name, form) in MEMBERS.iter().zip(members) {
            let name = match self.decide() % 24 {
                0 => continue,
                1 => name.to_uppercase(),
                2 => format!("{name}s"),
                3 => "other".to_owned(),
                _ => (*name).to_owned(),
            };
            object.insert(name, self.value(form));
        }
        Value::Object(object)
    }
}

/// The scalars of a value, as text, with the number of names that lead to each.
fn leaves(value: &Value, depth: usize, leaves: &mut BTreeSet<(String, usize)>) {
    match value {
        Value::Array(items) => items
            .iter()
            .for_each(|item| self::leaves(item, depth, leaves)),
        Value::Object(members) => members
            .values()
            .for_each(|member| self::leaves(member, depth + 1, leaves)),
        Value::String(text) => {
            leaves.insert((text.clone(), depth));
            // What a text holds was sent, too.
            if let Ok(held @ (Value::Object(_) | Value::Array(_))) = serde_json::from_str(text) {
                self::leaves(&held, depth, leaves);
            }
        }
        scalar => _ = leaves.insert((scalar.to_string(), depth)),
    }
}

/// The words that a schema contains, which no caller needs to send.
fn is_constant(text: &str) -> bool {
    ["nothing", "something"].contains(&text) || CHOICES.contains(&text)
}

fn assert_sent(sent: &Value, arrived: &Value, at: &str) {
    let (mut of_caller, mut of_tool) = (BTreeSet::new(), BTreeSet::new());
    leaves(sent, 0, &mut of_caller);
    match arrived {
        Value::Object(members) => members
            .values()
            .for_each(|member| scalars(member, 1, &mut of_tool)),
        other => scalars(other, 0, &mut of_tool),
    }
    for (leaf, depth) in of_tool {
        let known = of_caller.iter().filter(|(text, _)| *text == leaf);
        let depths: Vec<usize> = known.map(|(_, depth)| *depth).collect();
        assert!(
            is_constant(&leaf) || !depths.is_empty(),
            "{at}: `{leaf}` arrived, and was not sent: {sent} → {arrived}"
        );
        // A text that begins as JSON is never wrapped, so no name more leads to it than in the call.
        if leaf.starts_with(['{', '[']) {
            assert!(
                depths.iter().any(|sent| *sent >= depth),
                "{at}: `{leaf}` was swallowed: {sent} → {arrived}"
            );
        }
    }
}

/// The scalars that a tool gets. What its texts hold is nothing to it.
fn scalars(value: &Value, depth: usize, found: &mut BTreeSet<(String, usize)>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| scalars(item, depth, found)),
        Value::Object(members) => members
            .values()
            .for_each(|member| scalars(member, depth + 1, found)),
        Value::String(text) => _ = found.insert((text.clone(), depth)),
        scalar => _ = found.insert((scalar.to_string(), depth)),
    }
}

fn server(members: &[Form], read_only: bool, runs_corrected: bool) -> PdServer<()> {
    let annotations = ToolAnnotations {
        read_only: Some(read_only),
        ..ToolAnnotations::default()
    };
    let tool = Tool::new("tool", "Return the arguments", |_: &(), _, arguments| {
        async move { Value::Object(arguments).to_string().into_output() }.boxed()
    });
    let tool = tool
        .input_schema(object(members, 2))
        .with_annotations(annotations);
    let registry = Registry::builder().tool(tool).build().unwrap();
    let builder = PdServer::builder(registry, ())
        .gate(GateMode::Off)
        .meta_tools(MetaTools::all());
    builder.run_corrected(runs_corrected).build().unwrap()
}

/// The arguments that the tool got, or the text of the error.
fn outcome(result: &Value) -> Result<Value, String> {
    let text = result
        .pointer("/content/0/text")
        .and_then(Value::as_str)
        .unwrap_or_default();
    if result.get("isError") == Some(&json!(true)) {
        return Err(text.to_owned());
    }
    let first = text.split("\n\n").next().unwrap_or_default();
    Ok(serde_json::from_str(first).unwrap_or_else(|error| panic!("{error} in {text}")))
}

async fn call(client: &Client, arguments: &Value, way: usize) -> Value {
    match way {
        0 => client.call("tool", arguments.clone()).await,
        1 => {
            client
                .call(
                    "call_tool",
                    json!({ "name": "tool", "arguments": arguments }),
                )
                .await
        }
        _ => {
            client
                .call(
                    "call_tool",
                    json!({ "name": "tool", "arguments": arguments.to_string() }),
                )
                .await
        }
    }
}

async fn correct_and_send(members: &[Form], calls: &[Value], server: &PdServer<()>) {
    for era in [Era::Session, Era::Inline] {
        let client = connect(era, server).await;
        for (place, sent) in calls.iter().enumerate() {
            let at = format!("{era:?}, {}", object(members, 2));
            let error = match outcome(&call(&client, sent, place % 3).await) {
                Ok(arrived) => {
                    assert_sent(sent, &arrived, &at);
                    continue;
                }
                Err(error) => error,
            };
            // A call with something to fill in is no JSON, or has it in a text.
            let shown = error
                .lines()
                .last()
                .filter(|line| line.starts_with("{\"name\"") && !line.contains('<'));
            let Some(shown) = shown.and_then(|line| serde_json::from_str::<Value>(line).ok())
            else {
                continue;
            };
            let name = shown["name"].as_str().unwrap().to_owned();
            if let Ok(arrived) = outcome(&client.call(&name, shown["arguments"].clone()).await) {
                assert_sent(sent, &arrived, &format!("{at}, corrected by {error}"));
            }
        }
    }
}

proptest! {
    #![proptest_config(Config { cases: CASES, failure_persistence: None, ..Config::default() })]

    #[test]
    fn a_tool_gets_no_value_that_the_caller_did_not_send(
        members in vec(form(), 1..4),
        bytes in vec(any::<u8>(), 512..513),
        read_only in any::<bool>(),
        runs_corrected in any::<bool>(),
    ) {
        let mut caller = Caller { bytes: bytes.iter().cycle(), count: 0 };
        let calls: Vec<Value> = (0..CALLS).map(|_| caller.members(&members)).collect();
        let server = server(&members, read_only, runs_corrected);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(correct_and_send(&members, &calls, &server));
    }
}
