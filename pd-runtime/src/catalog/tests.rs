//! Tests of every view of schemas that nest, refer and branch deeply.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

#[path = "../../schema/src/depth/samples.rs"]
mod samples;

use crate::{registry::schema::InputSchema, tool::error::ToolError};
use samples::{chain, chain_into, doubled, nested_schema};
use serde_json::{Value, json};

#[test]
fn a_registry_with_such_a_tool_is_not_built() {
    let Value::Object(schema) = chain(17) else {
        unreachable!()
    };
    assert!(
        InputSchema::from_schema(schema)
            .validator()
            .unwrap_err()
            .contains("schemas apply to one value")
    );
}

/// Builds a registry on a stack of the size of a server's thread, and renders its tool in every
/// form.
fn built(schema: Value, is_output: bool) -> Result<(), String> {
    let building = move || {
        let tool = crate::Tool::<()>::new("t", "Do it", |_, _, _| {
            Box::pin(async { Err(ToolError::new("X", "x")) })
        });
        let tool = if is_output {
            tool.output_schema(schema)
        } else {
            tool.input_schema(schema)
        };
        let registry = crate::Registry::builder()
            .tool(tool)
            .build()
            .map_err(|problems| problems.to_string())?;
        let about = registry.tools[0].about.clone();
        let mut out = String::new();
        crate::catalog::signature::ToolSignature::new(&about).write(&mut out, None);
        registry.lint();
        #[cfg(feature = "export")]
        {
            let directory = std::env::temp_dir().join(format!(
                "pd-runtime-depth-{}-{is_output}",
                std::process::id()
            ));
            registry
                .export(crate::export::Format::TypeScript, &directory)
                .unwrap();
            std::fs::remove_dir_all(directory).unwrap();
        }
        Ok(())
    };
    std::thread::Builder::new()
        .stack_size(2 << 20)
        .spawn(building)
        .unwrap()
        .join()
        .unwrap()
}

#[test]
fn every_view_of_a_schema_keeps_to_the_stack() {
    for is_output in [false, true] {
        // A definition that nothing refers to is never followed.
        let unused =
            json!({ "type": "object", "$defs": { "A": { "allOf": [{ "$ref": "#/$defs/A" }] } } });
        built(unused, is_output).unwrap();
        for refused in [
            chain(100_000),
            json!({ "type": "object", "$ref": "#" }),
            nested_schema("items", 500),
        ] {
            built(refused, is_output).unwrap_err();
        }
        built(chain_into(5_000), is_output).unwrap();
        built(doubled(40, "properties"), is_output).unwrap();
        let why = built(doubled(7, "allOf"), is_output).unwrap_err();
        assert!(
            why.contains("schemas apply to one value through `$ref`, `anyOf` and the like, over the limit of 10000"),
            "{why}"
        );
    }
}

#[test]
fn groups_that_stand_too_deep_are_refused_whatever_their_number() {
    let building = || {
        let inner = |group: crate::Group<()>, number: usize| {
            crate::Group::new(format!("g{number}"), "Hold one group").group(group)
        };
        let deep = (0..200_000).fold(crate::Group::new("inmost", "Hold nothing"), inner);
        crate::Registry::builder()
            .group(deep)
            .build()
            .map(drop)
            .unwrap_err()
            .to_string()
    };
    let refused = std::thread::Builder::new()
        .stack_size(2 << 20)
        .spawn(building)
        .unwrap()
        .join()
        .unwrap();
    assert!(refused.contains("8"), "{refused}");
}
