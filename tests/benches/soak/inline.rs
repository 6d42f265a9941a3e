//! A conversation of requests that carry their own metadata.

use super::{
    Failure,
    conversation::Talk,
    over_http::{client::Era, connection::Connection},
    tools::arguments,
};
use serde_json::{Value, json};

pub(crate) const ERA: Era = Era::Inline;

/// Says a bit of everything.
pub(crate) async fn talk(mut talk: Talk<'_>) -> Result<(), Failure> {
    let mut elsewhere = Connection::open(talk.url).await?;
    let listening = json!({ "notifications": { "toolsListChanged": true } });
    let events = match talk.number % 4 {
        1 => Some(
            talk.client
                .prepare("subscriptions/listen", listening)?
                .events(1, &mut elsewhere)
                .await?,
        ),
        _ => None,
    };
    talk.ask("server/discover", json!({})).await?;
    talk.ask("tools/list", json!({})).await?;
    for tool in ["t006", "t007"] {
        let arguments = with_ticket(&mut talk, tool).await?;
        talk.succeed(tool, arguments).await?;
    }
    talk.answered(
        "t008",
        Value::Object(arguments()),
        "TOOL_DESCRIPTION_REQUIRED",
    )
    .await?;
    let mut forged = arguments();
    forged.insert("disclosure_ticket".to_owned(), json!("012345678901234567"));
    talk.answered("t008", Value::Object(forged), "TOOL_DESCRIPTION_REQUIRED")
        .await?;
    talk.call(
        "find_tools",
        json!({ "query": format!("secret {}", talk.number) }),
    )
    .await?;
    talk.describe("moved").await?;
    talk.call("moved", json!({ "what": "the key" })).await?;
    talk.fail(
        "tools/call",
        json!({ "name": format!("unknown-{}", talk.number), "arguments": {} }),
    )
    .await?;
    drop(events);
    Ok(())
}

async fn with_ticket(talk: &mut Talk<'_>, tool: &str) -> Result<Value, Failure> {
    let description = talk.describe(tool).await?;
    let ticket = description.pointer(&format!(
        "/{tool}/inputSchema/properties/disclosure_ticket/const"
    ));
    let mut arguments = arguments();
    arguments.insert(
        "disclosure_ticket".to_owned(),
        ticket.ok_or("the description has no ticket")?.clone(),
    );
    Ok(Value::Object(arguments))
}
