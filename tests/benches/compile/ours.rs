//! The tools as users of pd-runtime write them.

use super::package::{KINDS, tools, workspace};

/// What the crate depends on, besides tokio.
pub(crate) fn manifest() -> String {
    format!(
        "pd-runtime = {{ path = {:?} }}",
        workspace().join("pd-runtime")
    )
}

/// The program, with this expression as its registry.
pub(crate) fn source(count: usize, registry: &str) -> String {
    let tools = tools(count, [LIST, CREATE, UPDATE, COMPARE]);
    format!(
        "{HEAD}\nimpl Server {{{tools}}}\n\nfn registry() -> Registry<Server> {{\n    {registry}\n}}\n"
    )
}

/// The registry as a literal.
pub(crate) fn literal(count: usize) -> String {
    let names = tools(count, KINDS.map(NAME_OF).each_ref().map(String::as_str));
    format!("pd_runtime::registry! {{ Server::{{{names}}} }}")
}

/// What the literal expands to, but for what it checks.
pub(crate) fn by_hand(count: usize) -> String {
    let carried = |kind: &str| {
        format!(
            "__pd::Declaration::node(Server::__PD_TOOL_{}_NNNN), ",
            kind.to_uppercase()
        )
    };
    let carried = tools(count, KINDS.map(carried).each_ref().map(String::as_str));
    format!(
        "use pd_runtime::__private as __pd;\n    __pd::registry(__pd::options(\"by-hand\", \"0\"), [{carried}])"
    )
}

const NAME_OF: fn(&str) -> String = |kind| format!("{kind}_NNNN, ");

const HEAD: &str = r#"use pd_runtime::prelude::*;

struct Server;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let server = PdServer::builder(registry(), Server).listing(pd_runtime::Listing::Minimal).build()?;
    Ok(pd_runtime::serve::stdio(&server).await?)
}
"#;

const LIST: &str = r#"
    #[pd_tool(summary = "List entries of kind NNNN, newest first")]
    async fn list_NNNN(
        &self,
        /// Words that every entry must contain.
        query: String,
        /// Only entries below this path.
        path: Option<String>,
        /// How many entries to return.
        #[arg(default = 20, minimum = 1, maximum = 500)]
        limit: u32,
        /// Whether to include archived entries.
        #[arg(default = false)]
        archived: bool,
    ) -> String {
        format!("{query} {path:?} {limit} {archived}")
    }
"#;

const CREATE: &str = r#"
    #[pd_tool(summary = "Create an entry of kind NNNN")]
    async fn create_NNNN(
        &self,
        /// What the entry is called.
        #[arg(min_length = 1)]
        title: String,
        /// Labels to put on it.
        labels: Vec<String>,
        /// The entry that it belongs to.
        parent: Option<String>,
        /// Whether to keep it from others.
        draft: bool,
    ) -> String {
        format!("{title} {labels:?} {parent:?} {draft}")
    }
"#;

const UPDATE: &str = r#"
    #[pd_tool(summary = "Change fields of an entry of kind NNNN")]
    async fn update_NNNN(
        &self,
        /// The entry's name.
        id: String,
        /// The fields to change.
        #[arg(min_items = 1)]
        fields: Vec<String>,
        /// The revision that was read.
        revision: u32,
        /// Why it is changed.
        note: Option<String>,
    ) -> String {
        format!("{id} {fields:?} {revision} {note:?}")
    }
"#;

const COMPARE: &str = r#"
    #[pd_tool(summary = "Compare two entries of kind NNNN")]
    async fn compare_NNNN(
        &self,
        /// The older entry.
        base: String,
        /// The newer entry.
        head: String,
        /// Lines to show around each change.
        #[arg(default = 3, maximum = 50)]
        context: u32,
        /// Whether to compare word by word.
        #[arg(default = false)]
        words: bool,
    ) -> String {
        format!("{base} {head} {context} {words}")
    }
"#;
