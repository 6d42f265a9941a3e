//! The summaries of tools whose servers are made with pd-runtime.

use super::*;

/// Returns a tool of a list.
fn tool_of<'a>(listed: &'a Value, name: &str) -> &'a Value {
    let mut tools = listed["tools"].as_array().unwrap().iter();
    tools.find(|tool| tool["name"] == name).unwrap()
}

#[tokio::test]
async fn a_gateway_shows_the_summary_of_a_server_made_with_pd_runtime() {
    let long = "Greets a person by name, in the language and with the manners of the place that the person comes from.";
    for (described, is_stateful) in [(true, true), (true, false), (false, true)] {
        let tool = saying::<()>("greet", "hello");
        let tool = if described {
            tool.description(long)
        } else {
            tool
        };
        let tools = Registry::builder().tool(tool).build().unwrap();
        let upstream = PdServer::builder(tools, ()).build().unwrap();
        let site = Site::open(&upstream, is_stateful).await;
        let desk = Desk::new();
        let gateway = desk.gateway([(
            "web".to_owned(),
            json!({ "url": site.url, "headers": { "authorization": "Bearer alice" } }),
        )]);
        gateway.refresh().await;
        for listing in [Listing::Minimal, Listing::Full] {
            let server = gateway.builder().listing(listing).build().unwrap();
            for era in Era::ALL {
                let listed = connect(era, &server).await.list().await;
                let tool = tool_of(&listed, "web__greet");
                if listing == Listing::Minimal {
                    assert_eq!(tool["description"], "Say one text", "{era:?}");
                }
                // The key is between the server and the gateway.
                let written = tool.to_string();
                assert!(!written.contains("dev.pd-runtime"), "{era:?}: {written}");
            }
        }
        gateway.stop().await;
        // Other clients of the server pay nothing for the summary.
        let direct = PdServer::builder(
            Registry::builder()
                .tool(saying::<()>("greet", "hello"))
                .build()
                .unwrap(),
            (),
        )
        .listing(Listing::Full)
        .build()
        .unwrap();
        let listed = connect(Era::Session, &direct).await.list().await;
        assert!(
            !listed.to_string().contains("dev.pd-runtime/summary"),
            "{listed}"
        );
    }
}

#[tokio::test]
async fn a_summary_that_does_not_fit_a_line_is_not_taken() {
    for (summary, expected) in [
        (json!("Find mail"), "Find mail"),
        (json!("x".repeat(61)), "Return what was sent"),
        (json!("a\nb"), "Return what was sent"),
        (json!(" "), "Return what was sent"),
        (json!(7), "Return what was sent"),
    ] {
        let desk = Desk::new();
        let tool = json!({
            "name": "find",
            "description": "Return what was sent",
            "inputSchema": { "type": "object" },
            "_meta": { "dev.pd-runtime/summary": summary },
        });
        let fixed = json!({ "tools/list": { "tools": [tool] } });
        fs::write(
            desk.log_file("s").with_extension("log.fixed"),
            fixed.to_string(),
        )
        .unwrap();
        let gateway = desk.one(&["fixed"], json!({})).await;
        let client = connect(Era::Session, &serve(&gateway)).await;
        let listed = client.list().await;
        let tool = tool_of(&listed, "s__find");
        assert_eq!(tool["description"], expected, "{summary}");
        gateway.stop().await;
    }
}
