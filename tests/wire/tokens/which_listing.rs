//! The table of the page *Which listing*: what each listing costs a model that calls one tool, by the number of tools.

use super::conversation::{count, told_texts};
use crate::harness::{company, line::Line, text};
use pd_runtime::{Listing, PdServer};
use serde_json::{Value, json};
use std::{env, fs};

const PAGE: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../pd-runtime/docs/which-listing.md"
);
const SIZES: [usize; 6] = [5, 20, 50, 100, 300, 1_000];
const LISTINGS: [(&str, Listing); 5] = [
    ("Full", Listing::Full),
    ("AUTO", Listing::AUTO),
    ("Minimal", Listing::Minimal),
    ("Reveal", Listing::Reveal),
    ("Grouped", Listing::Grouped),
];
/// The tools that are called, evenly spaced. The figure of a conversation is their mean.
const TASKS: usize = 5;

/// A model in a session, with the tokens that it has read and written since it has the list.
struct Model {
    line: Line,
    list: Value,
    tokens: usize,
}

impl Model {
    async fn connect(server: &PdServer<()>) -> Self {
        let mut line = Line::session(server).await;
        let list = line.result("tools/list", json!({})).await;
        Self {
            line,
            list,
            tokens: 0,
        }
    }

    /// Sends a call, and counts both directions.
    async fn call(&mut self, name: &str, arguments: Value) -> Value {
        let params = json!({ "name": name, "arguments": arguments });
        let result = self.line.result("tools/call", params.clone()).await;
        self.tokens += count(&params) + count(&result);
        result
    }

    /// Calls the tool in the way that the list offers. The tool's own result does not count.
    async fn find_and_call(mut self, tool: &str, listing: Listing) -> usize {
        let arguments = json!({ "owner": "acme", "name": "spring" });
        let listed = self.list["tools"]
            .as_array()
            .unwrap()
            .iter()
            .find(|entry| entry["name"] == tool);
        let is_full = listed.is_some_and(|entry| entry["inputSchema"]["properties"].is_object());
        let (name, sent) = if listed.is_some() {
            if !is_full {
                let described = self
                    .call("describe_tools", json!({ "names": [tool] }))
                    .await;
                assert!(
                    told_texts(&described).contains("inputSchema"),
                    "{described}"
                );
            }
            if listing == Listing::Reveal {
                self.tokens += count(&self.line.result("tools/list", json!({})).await);
            }
            (tool, arguments)
        } else {
            let found = self
                .call("find_tools", json!({ "query": tool.replace('_', " ") }))
                .await;
            assert!(text(&found).contains(tool), "{found}");
            // As the list declares them: JSON in a text.
            (
                "call_tool",
                json!({ "name": tool, "arguments": arguments.to_string() }),
            )
        };
        let mut result = self.call(name, sent.clone()).await;
        if result["isError"] == true {
            // The search left several candidates. The refusal contains the signature.
            result = self.call(name, sent).await;
        }
        assert_eq!(
            text(&result),
            r#"{"owner":"acme","name":"spring"}"#,
            "{tool}"
        );
        self.tokens - count(&result)
    }
}

/// Returns the tokens of the list, and of the whole conversation.
async fn measure(listing: Listing, size: usize) -> (usize, usize) {
    let registry = company::registry_of(size);
    let names: Vec<String> = registry.names().map(str::to_owned).collect();
    let server = PdServer::builder(registry, ())
        .listing(listing)
        .build()
        .unwrap();
    let list = count(&Model::connect(&server).await.list);
    let mut others = 0;
    for tool in names.iter().step_by(size / TASKS) {
        others += Model::connect(&server)
            .await
            .find_and_call(tool, listing)
            .await;
    }
    (list, list + others / TASKS)
}

fn thousands(number: usize) -> String {
    let digits = number.to_string();
    let parts: Vec<&[u8]> = digits.as_bytes().rchunks(3).rev().collect();
    String::from_utf8(parts.join(&b','.to_owned())).unwrap()
}

/// Returns both tables: the list alone, and the list with one tool found and called.
async fn tables() -> [String; 2] {
    let head = |what: &str| {
        format!(
            "| {what} | {} |\n|---|{}\n",
            SIZES.map(thousands).join(" | "),
            "---:|".repeat(SIZES.len())
        )
    };
    let mut tables = [head("`tools/list`"), head("list, find, call")];
    for (name, listing) in LISTINGS {
        let mut rows = [Vec::new(), Vec::new()];
        for size in SIZES {
            let (list, all) = measure(listing, size).await;
            rows[0].push(thousands(list));
            rows[1].push(thousands(all));
        }
        for (table, cells) in tables.iter_mut().zip(rows) {
            *table += &format!("| `Listing::{name}` | {} |\n", cells.join(" | "));
        }
    }
    tables
}

/// Returns the page's table that begins with the same line.
fn written<'a>(page: &'a str, table: &str) -> &'a str {
    let begin = page
        .find(table.lines().next().unwrap())
        .expect("a table with this head");
    let rest = &page[begin..];
    &rest[..rest.find("\n\n").unwrap() + 1]
}

/// `UPDATE_EXPECT=1` rewrites the tables.
#[tokio::test]
async fn the_page_which_listing_has_the_measured_figures() {
    let page = fs::read_to_string(PAGE).unwrap();
    let measured = tables().await;
    if env::var_os("UPDATE_EXPECT").is_some() {
        let update = |page: String, table: &String| page.replace(written(&page, table), table);
        fs::write(PAGE, measured.iter().fold(page, update)).unwrap();
        return;
    }
    for table in measured {
        assert_eq!(
            written(&page, &table),
            table,
            "rewrite the tables with UPDATE_EXPECT=1"
        );
    }
}
