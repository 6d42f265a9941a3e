//! Prompts and resources beside tools, without a handler of the author's own.

use crate::harness::{client::Era, line::Line, names, raw::Raw, told};
use pd_runtime::{
    CallContext, Limits, PdServer, Registry, ToolError, config::Rate, prelude::pd_tool,
    server::ResourceProvider,
};
use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    handler::server::{router::prompt::PromptRouter, wrapper::Parameters},
    model::*,
    prompt, prompt_router,
    service::RequestContext,
};
use serde_json::{Value, json};

/// The state, which prompts and resources share with tools.
#[derive(Debug)]
struct Office {
    motto: &'static str,
}

#[derive(Debug, serde::Deserialize, schemars::JsonSchema)]
struct Topic {
    topic: String,
}

#[prompt_router]
impl Office {
    /// Write a letter
    #[prompt]
    fn letter(&self, Parameters(Topic { topic }): Parameters<Topic>) -> Vec<PromptMessage> {
        vec![PromptMessage::new_text(
            Role::User,
            format!("{}: write about {topic}", self.motto),
        )]
    }

    /// Fail
    #[prompt]
    async fn broken(&self) -> Result<GetPromptResult, ErrorData> {
        Err(ErrorData::invalid_params("no ink", None))
    }

    /// Panic
    #[prompt]
    async fn explosive(&self) -> Result<GetPromptResult, ErrorData> {
        panic!("on purpose")
    }
}

#[pd_tool(summary = "Show the motto")]
fn motto(office: &Office) -> String {
    office.motto.to_owned()
}

/// As many numbered files as a page and a half, and a secret one.
impl ResourceProvider for Office {
    async fn list(&self, call: &CallContext) -> Result<Vec<Resource>, ToolError> {
        let mut files: Vec<_> = (0..150)
            .map(|number| Resource::new(format!("office:///{number}"), number.to_string()))
            .collect();
        files.push(Resource::new("office:///0", "a second one"));
        if call.principal().is_some_and(|who| who.subject() == "boss") {
            files.push(Resource::new("office:///secret", "secret"));
        }
        Ok(files)
    }

    async fn templates(&self, _: &CallContext) -> Result<Vec<ResourceTemplate>, ToolError> {
        Ok(vec![ResourceTemplate::new("office:///{number}", "A file")])
    }

    async fn read(
        &self,
        uri: &str,
        call: &CallContext,
    ) -> Result<Option<ReadResourceResult>, ToolError> {
        let text = match uri.strip_prefix("office:///") {
            Some("secret") if call.principal().is_some_and(|who| who.subject() == "boss") => {
                "gold".to_owned()
            }
            Some("broken") => return Err(std::io::Error::other("the file is torn"))?,
            Some("gone") => {
                return Err(ToolError::protocol(ErrorData::invalid_params(
                    "shredded", None,
                )));
            }
            Some("explosive") => panic!("on purpose"),
            Some(number) if number.parse::<u8>().is_ok_and(|number| number < 150) => {
                self.motto.to_owned()
            }
            _ => return Ok(None),
        };
        Ok(Some(ReadResourceResult::new(vec![ResourceContents::text(
            text, uri,
        )])))
    }
}

fn builder() -> pd_runtime::ServerBuilder<Office> {
    let registry: Registry<Office> = pd_runtime::registry! { motto };
    PdServer::builder(registry, Office { motto: "Ink first" })
        .listing(pd_runtime::Listing::Minimal)
        .with_prompts(Office::prompt_router())
        .with_state_as_resources()
}

#[tokio::test]
async fn prompts_of_a_router_are_listed_and_rendered() {
    let shared = builder().build().unwrap();
    for era in Era::ALL {
        let mut client = Raw::connect(era, &shared).await;
        let listed = client.result("prompts/list", json!({})).await;
        assert_eq!(
            names(&listed["prompts"]),
            ["broken", "explosive", "letter"],
            "{era:?}"
        );
        assert_eq!(listed["prompts"][2]["arguments"][0]["name"], "topic");
        let params = json!({ "name": "letter", "arguments": { "topic": "rain" } });
        let rendered = client.result("prompts/get", params).await;
        assert_eq!(
            rendered["messages"][0]["content"]["text"], "Ink first: write about rain",
            "{era:?}"
        );
        let failed = client
            .request("prompts/get", json!({ "name": "broken" }))
            .await;
        assert_eq!(
            (&failed["error"]["code"], &failed["error"]["message"]),
            (&json!(-32602), &json!("no ink"))
        );
        let panicked = client
            .request("prompts/get", json!({ "name": "explosive" }))
            .await;
        assert_eq!(panicked["error"]["code"], -32603, "{era:?}");
        let unknown = client
            .refused("prompts/get", json!({ "name": "other" }))
            .await;
        assert_eq!(unknown["message"], "Unknown prompt: other", "{era:?}");
    }
}

#[tokio::test]
async fn prompts_are_declared_where_there_are_some() {
    let (_, initialized) = Line::session_with(&builder().build().unwrap(), json!({})).await;
    assert!(initialized["capabilities"].get("prompts").is_some());
    let bare = PdServer::builder(pd_runtime::registry! { motto }, Office { motto: "" })
        .listing(pd_runtime::Listing::Minimal)
        .build()
        .unwrap();
    let (mut line, initialized) = Line::session_with(&bare, json!({})).await;
    assert!(initialized["capabilities"].get("prompts").is_none());
    assert_eq!(
        line.request("prompts/list", json!({})).await["error"]["code"],
        -32601
    );
    let empty = PdServer::builder(pd_runtime::registry! { motto }, Office { motto: "" })
        .listing(pd_runtime::Listing::Minimal);
    let (_, initialized) = Line::session_with(
        &empty.with_prompts(PromptRouter::new()).build().unwrap(),
        json!({}),
    )
    .await;
    assert!(
        initialized["capabilities"].get("prompts").is_none(),
        "an empty router has no prompts"
    );
}

/// All entries of a list, page by page, and how many pages there were.
async fn pages(client: &mut Raw, method: &str, key: &str) -> (Vec<Value>, usize) {
    let (mut entries, mut count, mut params) = (Vec::new(), 0, json!({}));
    loop {
        let mut page = client.result(method, params).await;
        entries.extend(page[key].as_array().unwrap().clone());
        count += 1;
        assert!(count < 10, "{method} does not end");
        match page["nextCursor"].take() {
            Value::Null => return (entries, count),
            cursor => params = json!({ "cursor": cursor }),
        }
    }
}

#[tokio::test]
async fn resources_of_a_provider_are_paged_behind_the_descriptions() {
    let shared = builder().build().unwrap();
    for era in Era::ALL {
        let mut client = Raw::connect(era, &shared).await;
        let (listed, count) = pages(&mut client, "resources/list", "resources").await;
        assert_eq!(
            (listed.len(), count),
            (151, 2),
            "{era:?}: of two with one URI the first counts"
        );
        assert_eq!(listed[0]["uri"], "resource:///tool_descriptions");
        assert_eq!(
            (&listed[1]["uri"], &listed[1]["name"]),
            (&json!("office:///0"), &json!("0"))
        );
        let templates = client.result("resources/templates/list", json!({})).await;
        let templates: Vec<_> = templates["resourceTemplates"]
            .as_array()
            .unwrap()
            .iter()
            .collect();
        assert!(
            templates[0]["uriTemplate"]
                .as_str()
                .unwrap()
                .starts_with("resource:///tool_descriptions")
        );
        assert_eq!(
            templates.last().unwrap()["uriTemplate"],
            "office:///{number}",
            "{era:?}"
        );
        let described = client
            .result(
                "resources/read",
                uri("resource:///tool_descriptions?tools=motto"),
            )
            .await;
        assert_eq!(told(&described)["motto"]["name"], "motto", "{era:?}");
        let read = client.result("resources/read", uri("office:///7")).await;
        assert_eq!(read["contents"][0]["text"], "Ink first", "{era:?}");
        client
            .refused(
                "resources/list",
                json!({ "cursor": "dev.pd-runtime:office:///none" }),
            )
            .await;
    }
}

fn uri(uri: &str) -> Value {
    json!({ "uri": uri })
}

#[tokio::test]
async fn an_unknown_uri_is_answered_as_without_resources() {
    let bare = PdServer::builder(pd_runtime::registry! { motto }, Office { motto: "" })
        .listing(pd_runtime::Listing::Minimal)
        .build()
        .unwrap();
    let shared = builder().build().unwrap();
    for era in Era::ALL {
        let [mut client, mut other] = [
            Raw::connect(era, &shared).await,
            Raw::connect(era, &bare).await,
        ];
        for unknown in ["office:///none", "office:///secret", "other:///x"] {
            let [mut here, mut there] = [
                client.request("resources/read", uri(unknown)).await,
                other.request("resources/read", uri(unknown)).await,
            ];
            assert_eq!(
                here["error"].take(),
                there["error"].take(),
                "{era:?} {unknown}"
            );
        }
    }
}

#[tokio::test]
async fn a_failure_of_a_resource_is_an_error_of_that_request() {
    let shared = builder().build().unwrap();
    for era in Era::ALL {
        let mut client = Raw::connect(era, &shared).await;
        for (name, code, message) in [
            ("broken", -32603, "the file is torn"),
            ("gone", -32602, "shredded"),
            (
                "explosive",
                -32603,
                "the resource failed unexpectedly; this is a server defect",
            ),
        ] {
            let failed = client
                .request("resources/read", uri(&format!("office:///{name}")))
                .await;
            let error = &failed["error"];
            assert_eq!(
                (&error["code"], &error["message"]),
                (&json!(code), &json!(message)),
                "{era:?}"
            );
        }
        assert!(
            client.result("resources/read", uri("office:///1")).await["contents"].is_array(),
            "{era:?}"
        );
    }
}

/// A provider knows who asks, as tools do.
#[tokio::test]
async fn a_resource_may_exist_for_its_principal_only() {
    for era in [Era::HttpSession, Era::HttpInline, Era::HttpStateless] {
        let shared = builder().build().unwrap();
        for (bearer, sees) in [("boss", true), ("clerk", false)] {
            let mut client = Raw::connect_as(era, &shared, bearer).await;
            let (listed, _) = pages(&mut client, "resources/list", "resources").await;
            assert_eq!(
                listed.iter().any(|file| file["uri"] == "office:///secret"),
                sees,
                "{era:?} {bearer}"
            );
            let read = client
                .request("resources/read", uri("office:///secret"))
                .await;
            assert_eq!(
                read.get("result").is_some(),
                sees,
                "{era:?} {bearer}: {read}"
            );
        }
    }
}

/// A handler beside them, which has prompts and resources, too.
#[derive(Debug)]
struct Annex;

impl ServerHandler for Annex {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(
            ServerCapabilities::builder()
                .enable_prompts()
                .enable_resources()
                .build(),
        )
    }

    async fn list_prompts(
        &self,
        params: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let prompt = |name: &str| Prompt::new(name, None::<String>, None);
        let second = params.is_some_and(|params| params.cursor.as_deref() == Some("annex"));
        let mut listed = match second {
            true => ListPromptsResult::with_all_items(vec![prompt("late")]),
            false => ListPromptsResult::with_all_items(vec![prompt("memo"), prompt("letter")]),
        };
        listed.next_cursor = (!second).then(|| "annex".to_owned());
        Ok(listed)
    }

    async fn get_prompt(
        &self,
        params: GetPromptRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        Ok(GetPromptResult::new(vec![PromptMessage::new_text(Role::User, params.name)]).into())
    }

    async fn list_resources(
        &self,
        params: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        assert!(
            params.is_none_or(|params| params.cursor.is_none()),
            "it handed out no cursor"
        );
        Ok(ListResourcesResult::with_all_items(vec![Resource::new(
            "annex:///sign",
            "The sign",
        )]))
    }

    async fn read_resource(
        &self,
        params: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        Ok(ReadResourceResult::new(vec![ResourceContents::text("sign", params.uri)]).into())
    }
}

#[tokio::test]
async fn a_handler_adds_its_prompts_and_resources() {
    let shared = builder().with_handler(Annex).build().unwrap();
    for era in Era::ALL {
        let mut client = Raw::connect(era, &shared).await;
        let (prompts, _) = pages(&mut client, "prompts/list", "prompts").await;
        let listed: Vec<_> = prompts
            .iter()
            .map(|prompt| prompt["name"].as_str().unwrap())
            .collect();
        assert_eq!(
            listed,
            ["broken", "explosive", "letter", "memo", "late"],
            "{era:?}: the added `letter` counts"
        );
        let memo = client
            .result("prompts/get", json!({ "name": "memo" }))
            .await;
        assert_eq!(memo["messages"][0]["content"]["text"], "memo", "{era:?}");
        let (resources, _) = pages(&mut client, "resources/list", "resources").await;
        assert_eq!(
            (resources.len(), &resources[151]["uri"]),
            (152, &json!("annex:///sign")),
            "{era:?}"
        );
        let read = client.result("resources/read", uri("annex:///sign")).await;
        assert_eq!(read["contents"][0]["text"], "sign", "{era:?}");
    }
}

/// Only the author can say that a list does not depend on who asks.
#[tokio::test]
async fn resources_of_a_provider_are_not_declared_public() {
    let mut line = Line::inline(&builder().build().unwrap(), json!({}));
    for method in ["resources/list", "resources/templates/list"] {
        assert_eq!(
            line.result(method, json!({})).await["cacheScope"],
            "private",
            "{method}"
        );
    }
}

#[tokio::test]
async fn prompts_and_resources_are_counted() {
    let limits = || Limits::none().owner(true);
    let calls = builder()
        .limits(limits().calls(Rate::per_minute(1)))
        .build()
        .unwrap();
    for (method, params) in [
        ("prompts/get", json!({ "name": "letter" })),
        ("resources/read", uri("office:///none")),
    ] {
        let mut line = Line::session(&calls).await;
        let mut last = json!(null);
        for _ in 0..3 {
            last = line.request(method, params.clone()).await;
        }
        assert!(
            super::limits::retry_after(&last).is_some(),
            "{method}: {last}"
        );
    }
    let mut line = Line::session(
        &builder()
            .limits(limits().searches(Rate::per_minute(1)))
            .build()
            .unwrap(),
    )
    .await;
    line.request("resources/list", json!({})).await;
    let second = line.request("resources/list", json!({})).await;
    assert!(super::limits::retry_after(&second).is_some(), "{second}");
}
