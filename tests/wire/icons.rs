//! Icons: hosts display them, models do not read them.

use crate::harness::{client::Era, raw::Raw, told};
use pd_runtime::{Listing, PdServer, Registry, Tool, prelude::pd_tool};
use rmcp::model::Icon;
use serde_json::{Value, json};

const IMAGE: &str = "data:image/svg+xml;base64,AAAA";

#[pd_tool(
    summary = "Open the door",
    icons("https://example.com/door.png", { "src": "data:image/svg+xml;base64,AAAA", "sizes": ["any"], "theme": "dark" })
)]
fn open() -> &'static str {
    "open"
}

fn registry() -> Registry<()> {
    let close = Tool::new("close", "Close the door", |(), _, _| {
        Box::pin(async { unreachable!() })
    });
    let declared: Registry<()> = pd_runtime::registry! { open };
    declared
        .merge(
            Registry::builder()
                .tool(close.icons([Icon::new(IMAGE)]))
                .build()
                .unwrap(),
        )
        .unwrap()
}

async fn listed(listing: Listing, era: Era) -> Value {
    let shared = PdServer::builder(registry(), ())
        .listing(listing)
        .build()
        .unwrap();
    Raw::connect(era, &shared)
        .await
        .result("tools/list", json!({}))
        .await["tools"]
        .take()
}

#[tokio::test]
async fn a_full_list_has_all_icons_and_a_minimal_one_their_links() {
    let link = json!({ "src": "https://example.com/door.png" });
    let image = json!({ "src": IMAGE, "sizes": ["any"], "theme": "dark" });
    for era in Era::ALL {
        let minimal = listed(Listing::Minimal, era).await;
        assert_eq!(minimal[0]["icons"], json!([link]), "{era:?}");
        assert!(minimal[1].get("icons").is_none(), "{era:?}: {minimal}");
        let full = listed(Listing::Full, era).await;
        assert_eq!(full[0]["icons"], json!([link, image]), "{era:?}");
        assert_eq!(full[1]["icons"], json!([{ "src": IMAGE }]), "{era:?}");
    }
}

/// A model reads descriptions.
#[tokio::test]
async fn a_description_has_no_icons() {
    for era in Era::ALL {
        let shared = PdServer::builder(registry(), ())
            .listing(Listing::Minimal)
            .build()
            .unwrap();
        let mut client = Raw::connect(era, &shared).await;
        let read = client
            .result(
                "resources/read",
                json!({ "uri": "resource:///tool_descriptions?tools=open" }),
            )
            .await;
        assert_eq!(told(&read)["open"]["name"], "open", "{era:?}");
        assert!(!read.to_string().contains("example.com"), "{era:?}: {read}");
    }
}

#[test]
fn an_icon_that_clients_do_not_load_is_a_problem() {
    let tool = |src: &str| {
        Tool::<()>::new("t", "Do it", |(), _, _| Box::pin(async { unreachable!() }))
            .icons([Icon::new(src)])
    };
    for bad in [
        "assets/icon.png",
        "file:///icon.png",
        "javascript:alert(1)",
        "data:text/html,x",
        "https://",
        "",
    ] {
        let problems = Registry::builder()
            .tool(tool(bad))
            .build()
            .unwrap_err()
            .to_string();
        assert!(
            problems.contains("is not a link; write `https://…`"),
            "{problems}"
        );
    }
    Registry::builder()
        .tool(tool("http://localhost/icon.png"))
        .build()
        .unwrap();
}
