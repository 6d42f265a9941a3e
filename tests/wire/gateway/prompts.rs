//! Prompts of upstreams, and completions.

use super::*;
use rmcp::model::{ArgumentInfo, CompleteRequestParams, GetPromptRequestParams, Reference};

#[tokio::test]
async fn prompts_and_completions_are_those_of_their_server() {
    let desk = Desk::new();
    let hidden = desk.script("hidden", &["legacy"], &json!({ "scopes": ["secret"] }));
    let gateway = desk.gateway([
        desk.script("old", &["legacy"], &json!({})),
        desk.script("new", &["modern"], &json!({})),
        hidden,
    ]);
    gateway.refresh().await;
    let server = gateway.builder().build().unwrap();
    for era in [Era::HttpSession, Era::HttpInline] {
        let client = connect(era, &server).await;
        let listed =
            serde_json::to_value(client.running.list_all_prompts().await.unwrap()).unwrap();
        assert_eq!(names(&listed), ["old__greet", "new__greet"], "{era:?}");
        assert_eq!(
            (&listed[0]["title"], &listed[0]["arguments"][0]["name"]),
            (&json!("A greeting"), &json!("who"))
        );
        for name in ["old__greet", "new__greet"] {
            let params = GetPromptRequestParams::new(name)
                .with_arguments([("who".to_owned(), json!("Ada"))].into_iter().collect());
            let prompt =
                serde_json::to_value(client.running.get_prompt(params).await.unwrap()).unwrap();
            assert_eq!(
                prompt["messages"][0]["content"]["text"], "greet: Ada",
                "{era:?} {name}"
            );
        }
        let get = async |name: &str| {
            client
                .running
                .get_prompt(GetPromptRequestParams::new(name))
                .await
        };
        let (unknown, hidden) = (
            get("hidden__greep").await.unwrap_err(),
            get("hidden__greet").await.unwrap_err(),
        );
        assert_eq!(unknown.to_string(), hidden.to_string());
        let complete = async |reference| {
            let argument: ArgumentInfo =
                serde_json::from_value(json!({ "name": "who", "value": "A" })).unwrap();
            let params = CompleteRequestParams::new(reference, argument);
            client.running.complete(params).await
        };
        let result = complete(Reference::for_prompt("old__greet")).await.unwrap();
        assert_eq!(result.completion.values[1], "Ada");
        assert!(
            result.completion.values[0].contains(r#""name": "greet""#),
            "{result:?}"
        );
        let result = complete(Reference::for_resource("memo://{id}/text"))
            .await
            .unwrap();
        assert!(
            result.completion.values[0].contains("memo://{id}/text"),
            "{result:?}"
        );
        assert!(
            complete(Reference::for_prompt("hidden__greet"))
                .await
                .is_err()
        );
    }
}
