//! A tool that can be listed and described, but not called.

use crate::harness::{
    client::{Era, connect, error_of},
    code,
    line::Line,
    names,
    shop::saying,
    told,
};
use pd_runtime::{GateMode, PdServer, Registry, ToolError};
use serde_json::{Value, json};

fn shared(gate: GateMode) -> PdServer<()> {
    let closed = saying::<()>("closed", "said").unavailable("the till is closed until Monday");
    let hidden = saying::<()>("hidden", "said")
        .unavailable("nobody may know")
        .scope("till");
    let registry = Registry::builder()
        .tool(closed)
        .tool(hidden)
        .build()
        .unwrap();
    PdServer::builder(registry, ())
        .listing(pd_runtime::Listing::Minimal)
        .gate(gate)
        .build()
        .unwrap()
}

#[tokio::test]
async fn it_is_listed_and_described_and_its_calls_say_why_they_fail() {
    for era in Era::ALL {
        for gate in [GateMode::Enforce, GateMode::Off] {
            let client = connect(era, &shared(gate)).await;
            assert_eq!(names(&client.list().await["tools"])[0], "closed");
            for refused in [
                client.call("closed", json!({})).await,
                client.call_described("closed", json!({})).await,
            ] {
                assert_eq!(code(&refused), ToolError::UNAVAILABLE, "{era:?} {gate:?}");
                let message = told(&refused)["error"]["message"].clone();
                assert_eq!(
                    message,
                    "Tool 'closed' cannot be called now: the till is closed until Monday"
                );
            }
        }
    }
}

#[tokio::test]
async fn it_runs_no_more_with_arguments_that_are_no_object() {
    let mut line = Line::session(&shared(GateMode::Off)).await;
    assert_eq!(
        code(&line.call("closed", json!([])).await),
        ToolError::UNAVAILABLE
    );
}

#[tokio::test]
async fn whoever_may_not_see_it_learns_nothing() {
    let client = connect(Era::HttpSession, &shared(GateMode::Enforce)).await;
    let [hidden, unknown] = ["hidden", "absent"].map(|name| client.try_call(name, json!({})));
    let (hidden, unknown) = (error_of(hidden.await), error_of(unknown.await));
    assert_eq!(hidden.code, unknown.code);
    assert_eq!(hidden.message.replace("hidden", "absent"), unknown.message);
}

#[tokio::test]
async fn code_that_calls_it_is_refused_too() {
    let registry = Registry::builder()
        .tool(saying::<()>("closed", "said").unavailable("closed"))
        .build()
        .unwrap();
    let refused = registry
        .call(&(), "closed", Value::Object(Default::default()))
        .await
        .unwrap_err();
    assert_eq!(refused.code, ToolError::UNAVAILABLE);
}
