//! `Listing::Grouped`: what stands in groups is not listed, and still there.

use crate::harness::{
    client::{Era, connect},
    code,
    line::Line,
    names, shop,
};
use pd_runtime::{
    Listing, PdServer, Registry,
    config::{MetaTools, Refusal},
};
use serde_json::json;

#[tokio::test]
async fn only_the_top_level_eager_tools_and_meta_tools_are_listed() {
    let shared = shop::server().listing(Listing::Grouped).build().unwrap();
    for era in Era::ALL {
        let listed = connect(era, &shared).await.list().await;
        let names = names(&listed["tools"]);
        assert!(
            names.contains(&"greet") && names.contains(&"hours"),
            "{era:?}: {names:?}"
        );
        assert!(
            !names.contains(&"stock") && !names.contains(&"pay"),
            "{era:?}: {names:?}"
        );
        // The tools that are not listed write, so the meta-tool that calls them names them.
        assert_eq!(names[0], "call_tool", "{era:?}");
        assert!(
            names.ends_with(&["find_tools", "describe_tools", "call_read_only_tool"]),
            "{era:?}: {names:?}"
        );
    }
}

#[tokio::test]
async fn an_eager_tool_in_a_group_is_listed() {
    let eager = pd_runtime::Group::new("kept", "Tools that stay")
        .tool(shop::saying::<()>("always", "here").eager());
    let registry = Registry::builder().group(eager).build().unwrap();
    let shared = PdServer::builder(registry, ())
        .listing(Listing::Grouped)
        .meta_tools(MetaTools::none())
        .build()
        .unwrap();
    let mut line = Line::session(&shared).await;
    assert_eq!(
        names(&line.result("tools/list", json!({})).await["tools"]),
        ["always"]
    );
    assert_eq!(
        line.call("always", json!({})).await["content"][0]["text"],
        "here"
    );
}

#[tokio::test]
async fn unlisted_is_not_unreachable_but_gated() {
    let server = shop::server()
        .listing(Listing::Grouped)
        .refusal(Refusal::Bare);
    let shared = server.build().unwrap();
    for era in Era::ALL {
        let client = connect(era, &shared).await;
        assert_eq!(
            code(&client.call("grumble", json!({})).await),
            "TOOL_DESCRIPTION_REQUIRED",
            "{era:?}"
        );
        let called = client.call_described("measure", json!({})).await;
        assert_ne!(
            called.get("isError"),
            Some(&json!(true)),
            "{era:?}: {called}"
        );
    }
}
