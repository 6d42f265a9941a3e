//! Every key of `#[pd_tool]`.

use pd_runtime::prelude::*;

#[pd_tool(
    summary = "Close an issue and say why, in as many words as the project's rules ask for",
    summary_max = 100,
    name = "issues.close",
    title = "Close issue",
    related(reopen),
    aliases("resolve", "finish \"for good\""),
    found_by("this bug is fixed", "say \"done\" on a ticket"),
    icons("https://example.com/close.png", { "src": "data:image/svg+xml;base64,AA==", "sizes": ["any"], "theme": "dark" }),
    read_only = false,
    destructive,
    idempotent,
    open_world = false,
    scopes("issues:read", "issues:write"),
    eager,
    allow(no_usage, summary_full_stop),
    deprecated = "use `reopen` with `state`",
    meta("vendor/rank" = 3, "vendor/tags" = ["a", { "b": -1.5 }, null, true]),
    crate = ::pd_runtime
)]
async fn close_issue() {}

#[pd_tool(summary = "Open a closed issue again", blocking, timeout = "1500ms", concurrency = 4)]
fn reopen() {}

fn main() {}
