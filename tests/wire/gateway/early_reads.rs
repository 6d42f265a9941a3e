//! Prompts and resources of servers whose lists are not known yet.

use super::*;
use rmcp::model::{GetPromptRequestParams, ReadResourceRequestParams};

/// The entry of a server that starts after this many seconds.
fn slow(desk: &Desk, seconds: f32) -> Value {
    let (_, entry) = desk.script("slow", &["legacy"], &json!({}));
    let args: Vec<_> = entry["args"]
        .as_array()
        .unwrap()
        .iter()
        .map(|part| part.as_str().unwrap())
        .collect();
    json!({ "command": "sh", "args": ["-c", format!("sleep {seconds}; exec python3 {}", args.join(" "))] })
}

#[tokio::test]
async fn prompts_and_resources_wait_for_a_server_that_starts() {
    for era in [Era::Session, Era::HttpSession, Era::HttpInline] {
        for what in ["prompt", "resource", "completion"] {
            let desk = Desk::new();
            let gateway = desk.gateway([("slow".to_owned(), slow(&desk, 0.7))]);
            let client = connect(era, &gateway.builder().build().unwrap()).await;
            let answer = match what {
                "prompt" => {
                    let who = [("who".to_owned(), json!("Ada"))].into_iter().collect();
                    let params = GetPromptRequestParams::new("slow__greet").with_arguments(who);
                    client
                        .running
                        .get_prompt(params)
                        .await
                        .map(|prompt| format!("{prompt:?}"))
                }
                "resource" => {
                    let read = client
                        .running
                        .read_resource(ReadResourceRequestParams::new("memo://one"))
                        .await;
                    read.map(|read| format!("{read:?}"))
                }
                _ => {
                    let reference = rmcp::model::Reference::for_prompt("slow__greet");
                    let argument =
                        serde_json::from_value(json!({ "name": "who", "value": "A" })).unwrap();
                    let params = rmcp::model::CompleteRequestParams::new(reference, argument);
                    client
                        .running
                        .complete(params)
                        .await
                        .map(|completed| format!("{completed:?}"))
                }
            };
            answer.unwrap_or_else(|error| panic!("{era:?} {what}: {error}"));
            gateway.stop().await;
        }
    }
}

#[tokio::test]
async fn an_unknown_prompt_or_resource_names_a_server_that_failed() {
    let desk = Desk::new();
    let gone = json!({ "command": "no-such-program" });
    let gateway = desk.gateway([
        ("gone".to_owned(), gone),
        desk.script("here", &["legacy"], &json!({})),
    ]);
    for era in [Era::Session, Era::HttpInline] {
        let client = connect(era, &gateway.builder().build().unwrap()).await;
        let prompt = async |name: &str| {
            client
                .running
                .get_prompt(GetPromptRequestParams::new(name))
                .await
                .unwrap_err()
                .to_string()
        };
        let read = client
            .running
            .read_resource(ReadResourceRequestParams::new("gone://x"))
            .await;
        for error in [prompt("gone__greet").await, read.unwrap_err().to_string()] {
            assert!(error.contains("`gone` failed: "), "{era:?}: {error}");
        }
        let unknown = prompt("here__none").await;
        assert!(
            unknown.contains("no server has this prompt"),
            "{era:?}: {unknown}"
        );
        // A resource of another server is read all the same.
        client
            .running
            .read_resource(ReadResourceRequestParams::new("memo://one"))
            .await
            .unwrap();
    }
    gateway.stop().await;
}
