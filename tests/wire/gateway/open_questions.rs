//! Questions of a server that nobody waits for any more: a person need not answer them.

use super::*;
use crate::harness::line::Line;

/// Calls the tool, and returns the messages until one has this method or is an answer.
async fn messages_until(line: &mut Line, method: &str) -> Vec<Value> {
    let mut messages = Vec::new();
    loop {
        let message = tokio::time::timeout(Duration::from_secs(20), line.next()).await;
        let message = message.expect("a message comes");
        let is_last = message["method"] == method;
        messages.push(message);
        if is_last {
            return messages;
        }
    }
}

#[tokio::test]
async fn a_client_learns_that_a_question_is_canceled_or_its_call_has_ended() {
    for cancels in [true, false] {
        let desk = Desk::new();
        let script = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/wire/gateway/open_questions.py"
        );
        let entry = json!({ "command": "python3", "args": [script] });
        let gateway = desk.gateway([("s".to_owned(), entry)]);
        gateway.refresh().await;
        let server = gateway
            .builder()
            .gate(GateMode::Off)
            .listing(Listing::Full)
            .build()
            .unwrap();
        let mut line = Line::session_with(&server, json!({ "elicitation": {} }))
            .await
            .0;
        let params = json!({ "name": "s__ask", "arguments": { "cancel": cancels } });
        let call = line.ask("tools/call", params).await;
        let asked = messages_until(&mut line, "elicitation/create").await;
        let question = asked.last().unwrap()["id"].clone();
        let seen = messages_until(&mut line, "notifications/cancelled").await;
        assert_eq!(seen.last().unwrap()["params"]["requestId"], question);
        // A canceled question ends before its call.
        let is_ended = seen.iter().any(|message| message["id"] == call);
        assert!(!(cancels && is_ended), "{seen:?}");
        gateway.stop().await;
    }
}
