//! A configuration that replaces another one while calls are open.

use super::*;

fn config(desk: &Desk, servers: impl IntoIterator<Item = (String, Value)>) -> GatewayConfig {
    let servers: serde_json::Map<_, _> = servers.into_iter().collect();
    let path = desk.0.path().join("mcp.json");
    fs::write(&path, json!({ "mcpServers": servers }).to_string()).unwrap();
    GatewayConfig::open(path).unwrap()
}

/// Waits until the client sees tools with these prefixes, and no others.
async fn lists(client: &Client, prefixes: &[&str]) {
    let began = Instant::now();
    loop {
        let list = client.list().await;
        let tools = names(&list["tools"]);
        let tools = || tools.iter().filter(|name| name.contains("__"));
        let has_others =
            tools().any(|name| !prefixes.iter().any(|prefix| name.starts_with(prefix)));
        if !has_others
            && prefixes
                .iter()
                .all(|prefix| tools().any(|name| name.starts_with(prefix)))
        {
            return;
        }
        assert!(began.elapsed() < Duration::from_secs(20), "{list}");
        sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test]
async fn servers_that_stay_go_on_and_open_calls_of_others_end() {
    let desk = Desk::new();
    let pd = json!({});
    let gateway = desk.gateway([desk.script("a", &[], &pd), desk.script("b", &["slow"], &pd)]);
    gateway.refresh().await;
    let server = serve(&gateway);
    gateway.follow(&server);
    let client = connect(Era::Session, &server).await;
    client.describe("b__slow").await;
    let (called, ()) = tokio::join!(client.call("b__slow", json!({})), async {
        until("the call", || desk.log("b").contains("tools/call")).await;
        // The entry moves to another line, which is no change.
        let entries = [desk.script("c", &[], &pd), desk.script("a", &[], &pd)];
        gateway.reload(config(&desk, entries)).await;
        lists(&client, &["c__", "a__"]).await;
    });
    assert_eq!(told(&called), "slow", "{called}");
    let names: Vec<_> = gateway
        .status()
        .into_iter()
        .map(|server| server.name)
        .collect();
    assert_eq!(names, ["c", "a"]);
    assert_eq!(
        text(&client.call_described("c__environment", json!({})).await)
            .chars()
            .next(),
        Some('[')
    );
    client.call_described("a__environment", json!({})).await;
    assert_eq!(
        desk.log("a").matches("started\n").count(),
        1,
        "{}",
        desk.log("a")
    );
    // The script ends with its input, and logs that it does.
    until("the end of the removed server", || {
        desk.log("b").contains("ended")
    })
    .await;
    assert!(!desk.log("a").contains("ended"));

    let disabled = desk.script("a", &[], &pd).1.as_object().unwrap().clone();
    let disabled = disabled
        .into_iter()
        .chain([("disabled".to_owned(), json!(true))])
        .collect();
    gateway
        .reload(config(&desk, [("a".to_owned(), Value::Object(disabled))]))
        .await;
    assert_eq!(gateway.status().len(), 0);
    lists(&client, &[]).await;
    gateway.stop().await;
}
