//! How large: arguments, results, and how much one request may ask for.

use crate::harness::{
    client::{Era, connect},
    code,
    line::Line,
    shop, told, with_extension,
};
use futures::FutureExt;
use pd_runtime::{
    IntoOutput, Json, Limits, Listing, PdServer, Registry, Tool, ToolError, config::MetaTools,
};
use serde_json::{Value, json};

/// A server with one eager tool that takes anything and gives it back, as text and as it is.
fn echo(limits: Limits) -> PdServer<()> {
    let text = Tool::new(
        "say",
        "Return the arguments as text",
        |(): &(), _, arguments| {
            async move { Value::Object(arguments).to_string().into_output() }.boxed()
        },
    );
    let structured = Tool::new("give", "Return the arguments", |(): &(), _, arguments| {
        async move { Json(Value::Object(arguments)).into_output() }.boxed()
    });
    let registry = Registry::builder()
        .tool(text.eager())
        .tool(structured.eager())
        .build()
        .unwrap();
    PdServer::builder(registry, ())
        .listing(Listing::Minimal)
        .limits(limits)
        .build()
        .unwrap()
}

fn nested(levels: usize) -> Value {
    (0..levels).fold(json!(1), |inner, level| {
        if level % 2 == 0 {
            json!([inner])
        } else {
            json!({ "in": inner })
        }
    })
}

#[tokio::test]
async fn an_argument_that_is_too_large_or_too_deep_is_a_violation_at_its_place() {
    let limits = Limits::default().argument_bytes(1_000).argument_depth(8);
    for era in Era::ALL {
        let client = connect(era, &echo(limits.clone())).await;
        let fits = client
            .call("say", json!({ "a": "x".repeat(990), "b": nested(8) }))
            .await;
        assert_ne!(fits["isError"], json!(true), "{era:?}: {fits}");
        let sent = json!({ "a/b": "x".repeat(1_000), "deep": nested(9), "fine": 1, "many": vec!["x"; 300] });
        let refused = client.call("say", sent).await;
        assert_eq!(code(&refused), ToolError::INVALID_ARGUMENTS, "{era:?}");
        let told = told(&refused)["error"]["violations"].clone();
        assert_eq!(
            told,
            json!([
                { "pointer": "/a~1b", "message": "has 1004 bytes, over the limit of 1000; send less" },
                { "pointer": "/deep", "message": "is nested more than 8 levels deep; send it flatter" },
                { "pointer": "/many", "message": "has 1504 bytes, over the limit of 1000; send less" },
            ]),
            "{era:?}"
        );
    }
}

#[tokio::test]
async fn the_default_limits_of_an_argument_are_a_mebibyte_and_64_levels() {
    let client = connect(Era::HttpSession, &echo(Limits::default())).await;
    assert_eq!(
        code(
            &client
                .call("say", json!({ "a": "x".repeat(1 << 20) }))
                .await
        ),
        ToolError::INVALID_ARGUMENTS
    );
    assert_eq!(
        code(&client.call("say", json!({ "a": nested(65) })).await),
        ToolError::INVALID_ARGUMENTS
    );
    for fits in [
        json!({ "a": "x".repeat((1 << 20) - 4) }),
        json!({ "a": nested(64) }),
    ] {
        assert_ne!(client.call("say", fits).await["isError"], json!(true));
    }
}

#[tokio::test]
async fn the_gate_comes_before_the_size() {
    let server = shop::server()
        .limits(Limits::default().argument_bytes(10))
        .build()
        .unwrap();
    let client = connect(Era::Session, &server).await;
    let refused = client
        .call("greet", json!({ "name": "a name that is too long" }))
        .await;
    assert_eq!(code(&refused), "TOOL_DESCRIPTION_REQUIRED");
}

#[tokio::test]
async fn a_result_that_is_too_large_says_how_large_it_was() {
    for era in Era::ALL {
        let client = connect(era, &echo(Limits::default().response_bytes(500))).await;
        for name in ["say", "give"] {
            assert_ne!(
                client.call(name, json!({ "a": "x".repeat(100) })).await["isError"],
                json!(true),
                "{era:?}"
            );
            let refused = client.call(name, json!({ "a": "x".repeat(1_000) })).await;
            assert_eq!(code(&refused), ToolError::TOO_LARGE, "{era:?} {name}");
            assert!(refused.to_string().len() < 500, "{refused}");
            assert!(refused.get("structuredContent").is_none(), "{refused}");
            let message = told(&refused)["error"]["message"]
                .as_str()
                .unwrap()
                .to_owned();
            assert!(
                message.ends_with("over the limit of 500; ask for less at once"),
                "{message}"
            );
        }
    }
}

#[tokio::test]
async fn how_many_names_one_describe_takes_is_a_setting_on_every_wire() {
    let server = shop::server()
        .listing(Listing::Minimal)
        .meta_tools(MetaTools::all())
        .limits(Limits::default().names(2));
    let server = server.build().unwrap();
    let mut line = Line::session_with(&server, with_extension()).await.0;
    for (names, fits) in [
        (["greet", "stock"].as_slice(), true),
        (&["greet", "stock", "pay"], false),
    ] {
        let uri = format!("resource:///tool_descriptions?tools={}", names.join(","));
        let read = told(&line.read(&uri).await);
        let described = told(&line.call("describe_tools", json!({ "names": names })).await);
        for told in [read, described] {
            assert_eq!(told.get("greet").is_some(), fits, "{told}");
            assert_eq!(
                told.pointer("/error/max_tools") == Some(&json!(2)),
                !fits,
                "{told}"
            );
        }
        for method in ["disclosure/describe", "tools/describe"] {
            let answer = line.request(method, json!({ "names": names })).await;
            assert_eq!(answer.get("result").is_some(), fits, "{answer}");
            assert_eq!(
                answer.pointer("/error/data/maxNames") == Some(&json!(2)),
                !fits,
                "{answer}"
            );
        }
    }
}

#[tokio::test]
async fn a_search_is_read_as_far_as_the_setting_says() {
    for (characters, found) in [(500, true), (20, false)] {
        let limits = Limits::default().query_chars(characters);
        let server = shop::server()
            .listing(Listing::Minimal)
            .meta_tools(MetaTools::all())
            .limits(limits)
            .build()
            .unwrap();
        let client = connect(Era::Session, &server).await;
        let query = format!("{} parcel", "zzzz ".repeat(5));
        let hits = client
            .call("find_tools", json!({ "query": query }))
            .await
            .to_string();
        assert_eq!(
            hits.contains("Measure a parcel"),
            found,
            "{characters}: {hits}"
        );
    }
}
