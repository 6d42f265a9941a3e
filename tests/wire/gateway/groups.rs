//! Upstreams as groups of the Groups extension: their titles, prompts and resources.

use super::*;
use crate::groups::{extras::clients, with_groups};

#[tokio::test]
async fn what_an_upstream_has_comes_with_its_group() {
    let desk = Desk::new();
    let scripts = [("one", "legacy"), ("two", "modern")];
    let gateway = desk.gateway(scripts.map(|(name, mode)| desk.script(name, &[mode], &json!({}))));
    gateway.refresh().await;
    let server = gateway.builder().build().unwrap();
    let flat = clients(&server, &json!({})).await;
    for (mut client, mut flat) in clients(&server, &with_groups()).await.into_iter().zip(flat) {
        let listed = client.result("groups/list", json!({})).await;
        assert_eq!(names(&listed["groups"]), ["one", "two"]);
        assert_eq!(listed["groups"][0]["title"], "A script for tests");
        assert_eq!(
            client.result("prompts/list", json!({})).await["prompts"],
            json!([])
        );
        let resources = client.result("resources/list", json!({})).await["resources"].take();
        assert!(!resources.to_string().contains("memo://"), "{resources}");
        let one = client.result("groups/get", json!({ "name": "one" })).await["contents"].take();
        let two = client.result("groups/get", json!({ "name": "two" })).await["contents"].take();
        // The list of other clients has the same objects, with the keys that MCP does not define.
        let prompts = flat.result("prompts/list", json!({})).await["prompts"].take();
        assert_eq!(
            (&one["prompts"][0], &two["prompts"][0]),
            (&prompts[0], &prompts[1])
        );
        let resources = flat.result("resources/list", json!({})).await["resources"].take();
        let memo = resources
            .as_array()
            .unwrap()
            .iter()
            .find(|resource| resource["uri"] == "memo://one")
            .unwrap();
        assert_eq!(
            (&one["resources"], two.get("resources")),
            (&json!([memo]), None),
            "the first server answers"
        );
        assert_eq!(one["tools"][0]["unknownKey"], 1, "{}", one["tools"][0]);
        let arguments = json!({ "name": "two__greet", "arguments": { "who": "Ada" } });
        let prompt = client.result("prompts/get", arguments).await;
        assert_eq!(prompt["messages"][0]["content"]["text"], "greet: Ada");
    }
    gateway.stop().await;
}

/// A server that the caller may not see has no group, and nothing of it is in a list.
#[tokio::test]
async fn a_hidden_upstream_hides_its_prompts_and_resources() {
    let desk = Desk::new();
    let hidden = desk.script("hidden", &["legacy"], &json!({ "scopes": ["secret"] }));
    let gateway = desk.gateway([desk.script("open", &["legacy"], &json!({})), hidden]);
    gateway.refresh().await;
    let server = gateway.builder().build().unwrap();
    for mut client in clients(&server, &with_groups()).await.into_iter().skip(2) {
        let listed = client.result("groups/list", json!({})).await;
        assert_eq!(names(&listed["groups"]), ["open"]);
        assert_eq!(
            client.result("prompts/list", json!({})).await["prompts"],
            json!([])
        );
        let open = client.result("groups/get", json!({ "name": "open" })).await["contents"].take();
        assert_eq!(names(&open["prompts"]), ["open__greet"]);
        assert_eq!(open["resources"][0]["uri"], "memo://one");
    }
    gateway.stop().await;
}
