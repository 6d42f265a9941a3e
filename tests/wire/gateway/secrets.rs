//! The secrets of an entry in what its server answers.

use super::*;

#[tokio::test]
async fn failed_results_are_without_secrets_and_others_stay_as_they_are() {
    let desk = Desk::new();
    let tool = |name: &str| json!({ "name": name, "description": "Read it.", "inputSchema": { "type": "object" } });
    let text = "401 for Bearer secret-value; allowed: /srv/shared-files";
    let result = |failed: bool| {
        json!({
            "content": [{ "type": "text", "text": text }],
            "structuredContent": { "headers": [text] },
            "isError": failed,
        })
    };
    let fixed = json!({
        "tools/list": { "tools": [tool("good"), tool("bad")] },
        "tools/call good": result(false),
        "tools/call bad": result(true),
    });
    fs::write(
        desk.log_file("s").with_extension("log.fixed"),
        fixed.to_string(),
    )
    .unwrap();
    let (name, mut entry) = desk.script("s", &["fixed"], &json!({}));
    entry["env"]["DIRECTORY"] = json!("/srv/shared-files");
    let gateway = desk.gateway([(name, entry)]);
    gateway.refresh().await;
    let server = gateway
        .builder()
        .gate(GateMode::Off)
        .listing(Listing::Full)
        .build()
        .unwrap();
    for era in Era::ALL {
        let client = connect(era, &server).await;
        let good = client.call("s__good", json!({})).await.to_string();
        assert_eq!(good.matches(text).count(), 2, "{era:?}: {good}");
        let bad = client.call("s__bad", json!({})).await.to_string();
        assert!(!bad.contains("secret-value"), "{era:?}: {bad}");
        // A model needs this to correct its call.
        let hidden = "401 for Bearer ***; allowed: /srv/shared-files";
        assert_eq!(bad.matches(hidden).count(), 2, "{era:?}: {bad}");
    }
    gateway.stop().await;
}
