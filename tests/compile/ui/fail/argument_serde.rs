//! Attributes of serde that are for fields.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

fn trimmed<'de, D: serde::Deserializer<'de>>(text: D) -> Result<String, D::Error> {
    <String as serde::Deserialize>::deserialize(text).map(|text| text.trim().to_owned())
}

#[pd_tool(summary = "Search the files' text")]
fn search(#[serde(deserialize_with = "trimmed")] text: String, #[serde(rename = "maxDepth")] max_depth: Option<u32>) {}

fn main() {}

/* mend
-#[pd_tool(summary = "Search the files' text")]
-fn search(#[serde(deserialize_with = "trimmed")] text: String, #[serde(rename = "maxDepth")] max_depth: Option<u32>) {}
+#[derive(serde::Deserialize, schemars::JsonSchema)]
+#[serde(transparent)]
+struct Trimmed(#[serde(deserialize_with = "trimmed")] String);
+
+#[pd_tool(summary = "Search the files' text")]
+fn search(text: Trimmed, #[arg(rename = "maxDepth")] max_depth: Option<u32>) {}
*/
