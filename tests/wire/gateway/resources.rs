//! Resources of upstreams.

use super::*;

#[tokio::test]
async fn a_resource_is_read_from_the_server_that_its_uri_came_from() {
    let desk = Desk::new();
    let secret = desk.script("secret", &[], &json!({ "scopes": ["hidden"] }));
    let gateway = desk.gateway([desk.script("s", &[], &json!({})), secret]);
    gateway.refresh().await;
    let server = PdServer::builder(gateway.registry(), ())
        .listing(pd_runtime::Listing::Minimal)
        .with_resources(gateway.clone())
        .build()
        .unwrap();
    let client = connect(Era::Session, &server).await;
    let listed = serde_json::to_value(client.running.list_all_resources().await.unwrap()).unwrap();
    let memo = listed
        .as_array()
        .unwrap()
        .iter()
        .find(|resource| resource["uri"] == "memo://one");
    assert_eq!(memo.unwrap()["name"], "one", "{listed}");
    let templates =
        serde_json::to_value(client.running.list_all_resource_templates().await.unwrap()).unwrap();
    assert!(
        templates.to_string().contains("memo://{id}/text"),
        "{templates}"
    );
    for uri in ["memo://one", "memo://7/text"] {
        assert_eq!(
            client.read(uri).await["contents"][0],
            json!({ "uri": uri, "text": "read" })
        );
    }
    let read = async |uri: &str| {
        client
            .running
            .read_resource(ReadResourceRequestParams::new(uri))
            .await
    };
    assert!(read("odd://issued").await.is_err(), "nobody has issued it");
    client.call_described("s__link", json!({})).await;
    assert!(read("odd://issued").await.is_ok());
    // A caller without the scope sees neither the server's tools nor its resources.
    let gateway = desk.gateway([desk.script("secret", &[], &json!({ "scopes": ["hidden"] }))]);
    let server = PdServer::builder(gateway.registry(), ())
        .listing(pd_runtime::Listing::Minimal)
        .with_resources(gateway.clone())
        .build()
        .unwrap();
    let anonymous = connect(Era::HttpSession, &server).await;
    assert!(
        anonymous
            .running
            .read_resource(ReadResourceRequestParams::new("memo://one"))
            .await
            .is_err()
    );
}
