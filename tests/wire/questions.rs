//! Tools that ask their user, in every era: `ask`, `confirm`, and the question before a call.

use crate::harness::{
    client::{Client, Era, connect, connect_with},
    code, inline_meta,
    line::Line,
    text,
};
use pd_runtime::{
    CallContext, GateMode, Group, IntoOutput, Listing, PdServer, Registry, Tool, ToolError,
    code::{CodeMode, CodeProgram},
    config::MetaTools,
    prelude::pd_tool,
    tool::RecordingClient,
};
use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        ElicitRequest, ElicitRequestParams, ElicitResult, ElicitationAction, ElicitationSchema,
        ProtocolVersion, ServerRequest,
    },
    service::Peer,
    tool, tool_router,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Debug, Deserialize, JsonSchema)]
struct Name {
    /// What to engrave.
    name: String,
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Count {
    count: u32,
}

/// Engrave a ring
#[pd_tool]
async fn engrave(
    /// The metal.
    metal: String,
    call: &CallContext,
) -> Result<String, ToolError> {
    let Some(answer) = call
        .ask::<Name>(format!("Which name goes on the {metal}?"))
        .await?
    else {
        return Ok("nothing is engraved".to_owned());
    };
    Ok(format!("{metal} for {}", answer.name))
}

/// Engrave many rings
#[pd_tool]
async fn engrave_many(call: &CallContext) -> Result<String, ToolError> {
    let name = call
        .ask::<Name>("Which name?")
        .await?
        .map(|answer| answer.name);
    let count = call
        .ask::<Count>("How many?")
        .await?
        .map(|answer| answer.count);
    let sure = call.confirm("Sure?").await?;
    Ok(format!("{name:?} {count:?} {sure}"))
}

/// Ask for ever
#[pd_tool]
async fn pesters(call: &CallContext) -> Result<String, ToolError> {
    while call.confirm("Again?").await? {}
    Ok("enough".to_owned())
}

/// Melt a ring
#[pd_tool(confirm, destructive)]
fn melt(name: String) -> String {
    format!("{name} is gone")
}

/// Pour a metal
#[pd_tool]
fn pour(name: String) -> String {
    format!("{name} is poured")
}

/// Weigh the metal
#[pd_tool(read_only)]
fn weigh() -> String {
    "much".to_owned()
}

/// Melt a ring and ask for the reason
#[pd_tool(confirm)]
async fn melt_for(name: String, call: &CallContext) -> Result<String, ToolError> {
    let reason = call.ask::<Name>("Why?").await?;
    Ok(format!(
        "{name} is gone for {:?}",
        reason.map(|reason| reason.name)
    ))
}

/// Ask with what is no form
#[pd_tool]
async fn formless(call: &CallContext) -> Result<String, ToolError> {
    call.ask::<Vec<Name>>("Which names?")
        .await
        .map(|_| String::new())
}

fn registry() -> Registry<()> {
    pd_runtime::registry! { engrave, engrave_many, pesters, melt, melt_for, pour, weigh, formless }
}

fn server() -> PdServer<()> {
    PdServer::builder(registry(), ())
        .listing(Listing::Full)
        .gate(GateMode::Off)
        .build()
        .unwrap()
}

const ERAS: [Era; 4] = [Era::Session, Era::Inline, Era::HttpSession, Era::HttpInline];

async fn called(client: &Client, name: &str, arguments: Value) -> String {
    text(&client.call(name, arguments).await).to_owned()
}

#[tokio::test]
async fn a_question_is_answered_in_every_era() {
    for era in ERAS {
        let client = connect(era, &server()).await;
        assert_eq!(
            called(&client, "engrave", json!({ "metal": "gold" })).await,
            "gold for Ada",
            "{era:?}"
        );
        client.notices("asked Which name goes on the gold?").await;
    }
}

#[tokio::test]
async fn the_user_is_asked_before_a_call_that_needs_it() {
    for era in ERAS {
        let client = connect(era, &server()).await;
        assert_eq!(
            called(&client, "melt", json!({ "name": "the ring" })).await,
            "the ring is gone",
            "{era:?}"
        );
        client
            .notices(
                r#"asked Call melt with {"name":"the ring"}? It may delete or overwrite data."#,
            )
            .await;
        let melted = called(&client, "melt_for", json!({ "name": "it" })).await;
        assert_eq!(melted, r#"it is gone for Some("Ada")"#, "{era:?}");
    }
}

#[tokio::test]
async fn a_client_without_questions_is_told_so_or_calls_as_ever() {
    for era in ERAS {
        let client = connect_with(era, &server(), json!({})).await;
        let asked = client.call("engrave", json!({ "metal": "gold" })).await;
        assert_eq!(code(&asked), "USER_UNREACHABLE", "{era:?}");
        assert!(
            text(&asked).contains("Which name goes on the gold?")
                && text(&asked).contains("`elicitation`")
        );
        assert_eq!(
            called(&client, "melt", json!({ "name": "it" })).await,
            "it is gone",
            "{era:?}"
        );
    }
    let stateless = connect(Era::HttpStateless, &server()).await;
    assert_eq!(
        code(&stateless.call("engrave", json!({ "metal": "gold" })).await),
        "USER_UNREACHABLE"
    );
}

/// A connection of 2026-07-28 that answers questions by hand.
struct ByHand(Line);

impl ByHand {
    fn open(server: &PdServer<()>) -> Self {
        let mut line = Line::open(server);
        line.carry(Some(inline_meta(&json!({ "elicitation": {} }))));
        Self(line)
    }

    /// Calls until nothing more is asked. Each question is answered by the next of `answers`.
    async fn call(
        &mut self,
        name: &str,
        arguments: Value,
        answers: &[Value],
    ) -> (Value, Vec<String>) {
        let mut params = json!({ "name": name, "arguments": arguments });
        let (mut asked, mut answers) = (Vec::new(), answers.iter());
        loop {
            let result = self.0.result("tools/call", params.clone()).await;
            if result["resultType"] != "input_required" {
                return (result, asked);
            }
            let questions = result["inputRequests"].as_object().unwrap();
            let responses = questions.iter().map(|(key, question)| {
                asked.push(question["params"]["message"].as_str().unwrap().to_owned());
                (
                    key.clone(),
                    answers
                        .next()
                        .unwrap_or_else(|| panic!("one question more: {question}"))
                        .clone(),
                )
            });
            params["inputResponses"] = Value::Object(responses.collect());
            params["requestState"] = result["requestState"].clone();
            if params["requestState"].is_null() {
                params.as_object_mut().unwrap().remove("requestState");
            }
        }
    }
}

fn accepted(content: Value) -> Value {
    json!({ "action": "accept", "content": content })
}

#[tokio::test]
async fn each_question_is_asked_once_over_the_rounds() {
    let mut client = ByHand::open(&server());
    let answers = [
        accepted(json!({ "name": "Ada" })),
        accepted(json!({ "count": 3 })),
        accepted(json!({})),
    ];
    let (result, asked) = client.call("engrave_many", json!({}), &answers).await;
    assert_eq!(asked, ["Which name?", "How many?", "Sure?"]);
    assert_eq!(text(&result), r#"Some("Ada") Some(3) true"#);
    let declined = json!({ "action": "decline" });
    let (result, _) = client
        .call(
            "engrave_many",
            json!({}),
            &[declined.clone(), json!({ "action": "cancel" }), declined],
        )
        .await;
    assert_eq!(text(&result), "None None false");
}

#[tokio::test]
async fn a_declined_call_does_not_run() {
    let mut client = ByHand::open(&server());
    let (result, asked) = client
        .call(
            "melt",
            json!({ "name": "it" }),
            &[json!({ "action": "decline" })],
        )
        .await;
    assert_eq!((code(&result).as_str(), asked.len()), ("DECLINED", 1));
    let answers = [accepted(json!({})), accepted(json!({ "name": "love" }))];
    let (result, asked) = client
        .call("melt_for", json!({ "name": "it" }), &answers)
        .await;
    assert_eq!(asked, [r#"Call melt_for with {"name":"it"}?"#, "Why?"]);
    assert_eq!(text(&result), r#"it is gone for Some("love")"#);
}

#[tokio::test]
async fn an_answer_counts_for_its_own_question_only() {
    let mut client = ByHand::open(&server());
    let first = client.0.call("melt", json!({ "name": "one" })).await;
    let key = first["inputRequests"]
        .as_object()
        .unwrap()
        .keys()
        .next()
        .unwrap()
        .clone();
    let params = json!({
        "name": "melt", "arguments": { "name": "another" }, "inputResponses": { key: accepted(json!({})) },
    });
    let again = client.0.result("tools/call", params).await;
    assert_eq!(again["resultType"], "input_required", "{again}");
}

#[tokio::test]
async fn a_broken_state_and_a_wrong_answer_lose_nothing() {
    let mut client = ByHand::open(&server());
    for state in ["", "{", r#"{"pd.answers":{"a":1}}"#, r#"{"pd.answers":7}"#] {
        let params =
            json!({ "name": "melt", "arguments": { "name": "it" }, "requestState": state });
        let asked = client.0.result("tools/call", params).await;
        assert_eq!(asked["resultType"], "input_required", "{state}: {asked}");
    }
    let (result, _) = client
        .call(
            "engrave",
            json!({ "metal": "gold" }),
            &[accepted(json!({ "name": 7 }))],
        )
        .await;
    assert!(text(&result).contains("does not fit its form"), "{result}");
}

#[tokio::test]
async fn a_call_asks_no_more_than_32_questions() {
    for era in [Era::Session, Era::HttpSession] {
        let client = connect(era, &server()).await;
        let ended = client.call("pesters", json!({})).await;
        assert_eq!(code(&ended), "INTERNAL_ERROR", "{era:?}");
        assert!(text(&ended).contains("32 questions"), "{ended}");
    }
    let mut client = ByHand::open(&server());
    let answers: Vec<_> = std::iter::repeat_n(accepted(json!({})), 40).collect();
    let (ended, asked) = client.call("pesters", json!({}), &answers).await;
    assert_eq!((code(&ended).as_str(), asked.len()), ("INTERNAL_ERROR", 32));
}

#[tokio::test]
async fn a_question_goes_through_a_meta_tool() {
    let group = Group::new("rings", "Rings").tool(
        Tool::new("melt", "Melt a ring", |(): &(), _, _| {
            Box::pin(async { "gone".into_output() })
        })
        .confirm(),
    );
    let registry = Registry::builder().group(group).build().unwrap();
    let server = PdServer::builder(registry, ())
        .listing(Listing::Grouped)
        .meta_tools(MetaTools::all());
    let server = server.gate(GateMode::Off).build().unwrap();
    for era in ERAS {
        let client = connect(era, &server).await;
        assert_eq!(
            called(
                &client,
                "call_tool",
                json!({ "name": "melt", "arguments": "{}" })
            )
            .await,
            "gone",
            "{era:?}"
        );
        client.notices("asked Call melt with {}?").await;
    }
}

/// The tools that programs may call here, and whether calls that may destroy something are asked about.
fn coding(asks: bool) -> PdServer<()> {
    let mode = CodeMode::new(env!("CARGO_BIN_EXE_library")).allow(["melt", "pour"]);
    PdServer::builder(registry(), ())
        .listing(Listing::Minimal)
        .gate(GateMode::Off)
        .code_mode(mode)
        .confirm_destructive(asks)
        .build()
        .unwrap()
}

const PLAN: &str = "const melted = [];
for (const name of ['one', 'two']) melted.push(await tools.melt({ name }));
melted.push(await tools.pour({ name: 'gold' }));
return melted";

#[tokio::test]
async fn a_program_is_asked_about_once_with_all_that_it_names() {
    for (asks, era) in [true, false]
        .into_iter()
        .flat_map(|asks| ERAS.map(|era| (asks, era)))
    {
        let client = connect(era, &coding(asks)).await;
        let ran = called(&client, "run_code", json!({ "code": PLAN })).await;
        assert!(
            ran.contains("one is gone")
                && ran.contains("two is gone")
                && ran.contains("gold is poured"),
            "{era:?}: {ran}"
        );
        let asked = client.noticed.others.lock().unwrap().clone();
        let [question] = asked.as_slice() else {
            panic!("{era:?}: {asked:?}");
        };
        let melt = "asked Run a program that may call\n- melt (line 2), which may delete or overwrite data\n";
        assert!(
            question.starts_with(melt) && question.ends_with(PLAN),
            "{question}"
        );
        assert_eq!(question.contains("- pour (line 3)\n"), asks, "{question}");
    }
}

#[tokio::test]
async fn a_program_that_is_declined_does_not_run() {
    for asks in [true, false] {
        let mut client = ByHand::open(&coding(asks));
        let program =
            json!({ "code": "console.log('begun'); return await tools.melt({ name: 'it' })" });
        let (result, asked) = client
            .call("run_code", program, &[json!({ "action": "decline" })])
            .await;
        assert_eq!(asked.len(), 1);
        assert!(
            text(&result).contains("nothing of it ran") && !text(&result).contains("begun"),
            "{result}"
        );
    }
}

/// Nobody has agreed to what a program does not name, so it is no way around the question.
#[tokio::test]
async fn a_program_cannot_call_past_the_question() {
    for era in ERAS {
        let client = connect(era, &coding(true)).await;
        let program = "const name = 'me' + 'lt'; try { return await tools[name]({ name: 'it' }) } catch (error) { return error.code }";
        assert_eq!(
            called(&client, "run_code", json!({ "code": program })).await,
            "NEEDS_DIRECT_CALL",
            "{era:?}"
        );
        // Without a question, the program runs as before.
        let client = connect_with(era, &coding(true), json!({})).await;
        let ran = called(&client, "run_code", json!({ "code": PLAN })).await;
        assert!(ran.contains("two is gone"), "{era:?}: {ran}");
    }
}

/// The author vouches for what a program as a tool calls, so the question is about the tool.
#[tokio::test]
async fn a_program_of_the_author_is_asked_about_as_a_tool() {
    let code = "return [await tools.pour({ name: 'a' }), await tools.pour({ name: 'b' })]";
    let program = CodeProgram::new("cast", "Cast two rings", code);
    let server = PdServer::builder(registry().with_program(program), ())
        .gate(GateMode::Off)
        .meta_tools(MetaTools::all())
        .code_worker(CodeMode::new(env!("CARGO_BIN_EXE_library")))
        .confirm_destructive(true)
        .build()
        .unwrap();
    for era in ERAS {
        let client = connect(era, &server).await;
        let direct = called(&client, "cast", json!({})).await;
        assert!(direct.contains("b is poured"), "{era:?}: {direct}");
        assert_eq!(client.noticed.others.lock().unwrap().len(), 0, "{era:?}");
        let through = json!({ "name": "cast", "arguments": {} });
        let through = called(&client, "call_tool", through).await;
        assert!(through.contains("b is poured"), "{era:?}: {through}");
        client.notices("asked Call cast with {}?").await;
    }
}

#[tokio::test]
async fn a_call_through_a_meta_tool_is_asked_about_if_it_may_destroy() {
    let [asking, plain] = [true, false].map(|asks| {
        PdServer::builder(registry(), ())
            .listing(Listing::Minimal)
            .meta_tools(MetaTools::all())
            .gate(GateMode::Off)
            .confirm_destructive(asks)
            .build()
            .unwrap()
    });
    let pour = json!({ "name": "pour", "arguments": { "name": "gold" } });
    for era in ERAS {
        let client = connect(era, &asking).await;
        assert_eq!(
            called(&client, "call_tool", pour.clone()).await,
            "gold is poured",
            "{era:?}"
        );
        client
            .notices(r#"asked Call pour with {"name":"gold"}?"#)
            .await;
        // A host asks about what it lists, and what changes nothing needs no question.
        for (name, arguments) in [
            ("pour", json!({ "name": "tin" })),
            ("call_tool", json!({ "name": "weigh", "arguments": {} })),
        ] {
            client.call(name, arguments).await;
        }
        assert_eq!(client.noticed.others.lock().unwrap().len(), 1, "{era:?}");
        let client = connect(era, &plain).await;
        client.call("call_tool", pour.clone()).await;
        assert_eq!(client.noticed.others.lock().unwrap().len(), 0, "{era:?}");
    }
    let mut client = ByHand::open(&asking);
    let (result, _) = client
        .call("call_tool", pour, &[json!({ "action": "decline" })])
        .await;
    assert_eq!(code(&result), "DECLINED");
    assert!(text(&result).contains("nothing was done"), "{result}");
}

#[tokio::test]
async fn a_type_that_is_no_form_is_an_error_for_the_author() {
    let client = connect(Era::Session, &server()).await;
    let asked = client.call("formless", json!({})).await;
    assert_eq!(code(&asked), "INTERNAL_ERROR");
    assert!(text(&asked).contains("is no form for a user"), "{asked}");
}

#[tokio::test]
async fn a_recording_client_answers_in_both_generations() {
    for version in [ProtocolVersion::V_2025_11_25, ProtocolVersion::V_2026_07_28] {
        let client = RecordingClient::new()
            .with_protocol_version(version.clone())
            .with_elicitation(|_| {
                let mut accepted = ElicitResult::new(ElicitationAction::Accept);
                accepted.content = Some(json!({ "name": "Ada" }));
                accepted
            });
        let made = registry()
            .call_with(
                &(),
                "engrave",
                json!({ "metal": "gold" }),
                &client.context(),
            )
            .await
            .unwrap();
        assert_eq!(
            made.content[0].as_text().unwrap().text,
            "gold for Ada",
            "{version}"
        );
    }
}

#[derive(Debug)]
struct Adopted;

#[tool_router]
impl Adopted {
    /// Ask the user.
    #[tool]
    async fn ask(&self, peer: Peer<RoleServer>) -> Result<String, ErrorData> {
        let params = ElicitRequestParams::FormElicitationParams {
            meta: None,
            message: "Your name?".to_owned(),
            requested_schema: ElicitationSchema::new(Default::default()),
        };
        let request = ServerRequest::ElicitRequest(ElicitRequest::new(params));
        let asked = peer.send_request(request).await;
        asked
            .map(|_| "asked".to_owned())
            .map_err(|error| ErrorData::internal_error(error.to_string(), None))
    }
}

impl ServerHandler for Adopted {}

#[tokio::test]
async fn an_adopted_tool_that_asks_in_the_old_way_says_what_to_do() {
    let server = PdServer::adopt(Adopted, Adopted::tool_router())
        .listing(Listing::Full)
        .gate(GateMode::Off);
    let server = server.build().unwrap();
    assert_eq!(
        called(&connect(Era::Session, &server).await, "ask", json!({})).await,
        "asked"
    );
    for era in [Era::Inline, Era::HttpInline] {
        let asked = connect(era, &server).await.call("ask", json!({})).await;
        assert_eq!(code(&asked), "USER_UNREACHABLE", "{era:?}");
        assert!(text(&asked).contains("`CallContext::ask`"), "{asked}");
    }
}
