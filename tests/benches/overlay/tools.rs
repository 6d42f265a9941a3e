//! The tools under overlay: each with six arguments of the usual kinds.

use futures::{FutureExt, future::ready};
use pd_runtime::{IntoOutput, Registry, Tool};
use serde_json::{Value, json};

pub(crate) fn name(number: usize) -> String {
    format!("list_items_{number}")
}

pub(crate) fn schema(words: &str) -> Value {
    json!({
        "type": "object",
        "properties": {
            "owner": { "type": "string", "description": format!("Account that owns the items. {words}") },
            "query": { "type": "string", "description": "Words that the items hold.", "minLength": 1 },
            "state": { "type": "string", "enum": ["open", "closed", "all"], "description": "Which items." },
            "labels": { "type": "array", "items": { "type": "string" }, "description": "Labels that all items have." },
            "page": { "type": "integer", "minimum": 1, "description": "Page of results." },
            "per_page": { "type": "integer", "minimum": 1, "maximum": 100, "description": "Results on a page." }
        },
        "required": ["owner"],
        "additionalProperties": false
    })
}

fn tool(number: usize) -> Tool<()> {
    Tool::new(name(number), "List items of an account", |_: &(), _, _| {
        ready("listed".into_output()).boxed()
    })
    .description("As it was compiled.")
    .input_schema(schema("As compiled."))
    .example("All of them", json!({ "owner": "ada" }))
}

pub(crate) fn registry(count: usize) -> Registry<()> {
    Registry::builder()
        .tools((0..count).map(tool))
        .build()
        .unwrap()
}
