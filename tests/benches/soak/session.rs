//! A conversation of the session era.

use super::{
    Failure,
    conversation::Talk,
    over_http::{client::Era, connection::Connection},
    tools::arguments,
};
use serde_json::{Value, json};

pub(crate) const ERA: Era = Era::Session;

/// Says a bit of everything, and ends the session or leaves it behind.
pub(crate) async fn talk(mut talk: Talk<'_>) -> Result<(), Failure> {
    let mut elsewhere = Connection::open(talk.url).await?;
    let events = if talk.number.is_multiple_of(4) {
        Some(talk.client.events(&mut elsewhere).await?)
    } else {
        None
    };
    talk.ask("tools/list", json!({})).await?;
    talk.ask("resources/list", json!({})).await?;
    calls(&mut talk).await?;
    mistakes(&mut talk).await?;
    drop(events);
    if talk.number % 16 < 12 {
        talk.client.close(talk.connection).await?;
    }
    Ok(())
}

async fn calls(talk: &mut Talk<'_>) -> Result<(), Failure> {
    let arguments = || Value::Object(arguments());
    for tool in ["t000", "t001", "t002"] {
        talk.describe(tool).await?;
        talk.succeed(tool, arguments()).await?;
    }
    // A refusal discloses.
    talk.answered("t003", arguments(), "TOOL_DESCRIPTION_REQUIRED")
        .await?;
    talk.succeed("t003", arguments()).await?;
    talk.call(
        "find_tools",
        json!({ "query": "commits that touch a path" }),
    )
    .await?;
    talk.call(
        "describe_tools",
        json!({ "names": ["t004", "t005", "nothing"] }),
    )
    .await?;
    talk.succeed(
        "call_tool",
        json!({ "name": "t004", "arguments": arguments() }),
    )
    .await?;
    // Its description may change in between.
    talk.describe("moved").await?;
    talk.call("moved", json!({ "what": "the key" })).await?;
    Ok(())
}

async fn mistakes(talk: &mut Talk<'_>) -> Result<(), Failure> {
    talk.answered("t000", json!({ "revision": 1 }), "revision")
        .await?;
    talk.call("fails", json!({})).await?;
    talk.answered("fails", json!({}), "AS_ALWAYS").await?;
    talk.describe("nothing,t000").await?;
    talk.fail(
        "tools/call",
        json!({ "name": format!("unknown-{}", talk.number), "arguments": {} }),
    )
    .await?;
    talk.fail("resources/read", json!({ "uri": "resource:///nowhere" }))
        .await?;
    talk.fail("no/method", json!({})).await
}
