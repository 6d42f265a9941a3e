//! The span of a request: its fields, whose child it is, and what happens inside it.

use crate::harness::{
    client::Era, inline_meta, line::Line, post::Post, raw::Raw, shop, site::Site,
};
use futures::{FutureExt, future::ready};
use opentelemetry::trace::{TraceContextExt, noop::NoopTracer};
use pd_runtime::{IntoOutput, PdServer, Registry, Tool, prelude::*};
use serde_json::{Value, json};
use std::{
    collections::HashMap,
    fmt,
    sync::{
        LazyLock, Mutex,
        atomic::{AtomicU64, Ordering},
    },
};
use tracing::{Event, Id, Subscriber, field::Field, span};
use tracing_opentelemetry::OpenTelemetrySpanExt;
use tracing_subscriber::{Layer, layer::Context, prelude::*, registry::LookupSpan};

/// A span's fields, or an event's.
type Fields = HashMap<String, String>;

/// Spans that ended, and events in them.
type Told = (Vec<Fields>, Vec<Fields>);

/// What was seen of each trace.
static SEEN: LazyLock<Mutex<HashMap<String, Told>>> = LazyLock::new(Mutex::default);

/// Of the whole process, since a blocking tool runs on another thread; traces tell tests apart.
fn listen() {
    static LISTENING: LazyLock<()> = LazyLock::new(|| {
        let otel = tracing_opentelemetry::layer().with_tracer(NoopTracer::new());
        tracing_subscriber::registry()
            .with(Keeping)
            .with(otel)
            .init();
    });
    LazyLock::force(&LISTENING);
}

struct Keeping;

struct Reading<'a>(&'a mut Fields);

impl tracing::field::Visit for Reading<'_> {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.0.insert(field.name().to_owned(), format!("{value:?}"));
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.0.insert(field.name().to_owned(), value.to_owned());
    }
}

impl<S: Subscriber + for<'a> LookupSpan<'a>> Layer<S> for Keeping {
    fn on_new_span(&self, attributes: &span::Attributes<'_>, id: &Id, context: Context<'_, S>) {
        let mut fields = Fields::new();
        attributes.record(&mut Reading(&mut fields));
        context.span(id).unwrap().extensions_mut().insert(fields);
    }

    fn on_record(&self, id: &Id, values: &span::Record<'_>, context: Context<'_, S>) {
        let span = context.span(id).unwrap();
        values.record(&mut Reading(span.extensions_mut().get_mut().unwrap()));
    }

    fn on_event(&self, event: &Event<'_>, context: Context<'_, S>) {
        let mut fields = Fields::new();
        event.record(&mut Reading(&mut fields));
        for span in context.event_scope(event).into_iter().flatten() {
            let trace = span
                .extensions()
                .get::<Fields>()
                .and_then(|fields| fields.get("trace_id").cloned());
            if let Some(trace) = trace {
                SEEN.lock()
                    .unwrap()
                    .entry(trace)
                    .or_default()
                    .1
                    .push(fields.clone());
            }
        }
    }

    fn on_close(&self, id: Id, context: Context<'_, S>) {
        let fields = context
            .span(&id)
            .unwrap()
            .extensions_mut()
            .remove::<Fields>()
            .unwrap();
        if let Some(trace) = fields.get("trace_id").cloned() {
            SEEN.lock()
                .unwrap()
                .entry(trace)
                .or_default()
                .0
                .push(fields);
        }
    }
}

/// A trace that nobody else uses.
fn trace() -> String {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    format!("{:032x}", NEXT.fetch_add(1, Ordering::Relaxed))
}

fn parent(trace: &str) -> String {
    format!("00-{trace}-00f067aa0ba902b7-01")
}

fn spans(trace: &str) -> Vec<Fields> {
    SEEN.lock()
        .unwrap()
        .get(trace)
        .map(|(spans, _)| spans.clone())
        .unwrap_or_default()
}

fn messages(trace: &str) -> Vec<String> {
    let seen = SEEN.lock().unwrap();
    let events = seen
        .get(trace)
        .map(|(_, events)| events.clone())
        .unwrap_or_default();
    events
        .iter()
        .filter_map(|event| event.get("message").cloned())
        .collect()
}

/// Speaks from inside.
#[pd_tool(summary = "Say a word to the log", eager)]
async fn speak() -> String {
    tracing::info!("spoken");
    String::new()
}

/// Speaks from another thread.
#[pd_tool(summary = "Say a word from another thread", eager, blocking)]
fn speak_below() -> String {
    tracing::info!("spoken below");
    String::new()
}

/// Whose child it runs in, and what comes along.
#[pd_tool(summary = "Tell whose child it is", eager)]
fn whose() -> String {
    use opentelemetry::baggage::BaggageExt;
    let context = tracing::Span::current().context();
    let parent = context.span().span_context().clone();
    let user = context
        .baggage()
        .get("user")
        .map(ToString::to_string)
        .unwrap_or_default();
    format!(
        "{} {} {user}",
        parent.trace_id(),
        parent.trace_state().header()
    )
}

fn server() -> PdServer<()> {
    listen();
    let grumble = Tool::new("grumble", "Fail", |_, _, _| {
        ready(Err::<String, _>("no".to_owned()).into_output()).boxed()
    });
    let registry: Registry<()> = pd_runtime::registry! { speak, speak_below, whose };
    let registry = registry
        .merge(Registry::builder().tool(grumble.eager()).build().unwrap())
        .unwrap();
    PdServer::builder(registry, ())
        .listing(pd_runtime::Listing::Minimal)
        .build()
        .unwrap()
}

/// One request in a trace of its own, and the one span of it.
async fn asked(client: &mut Raw, method: &str, mut params: Value) -> (Fields, Value) {
    let trace = trace();
    params["_meta"] = json!({ "traceparent": parent(&trace) });
    let answer = client.request(method, params).await;
    let mut spans = spans(&trace);
    assert_eq!(spans.len(), 1, "{method}: {spans:?}");
    (spans.remove(0), answer)
}

#[tokio::test]
async fn a_span_says_what_the_conventions_ask() {
    for era in Era::ALL {
        let mut client = Raw::connect(era, &server()).await;
        let is_modern = matches!(era, Era::Inline | Era::HttpInline);
        let is_http = !matches!(era, Era::Session | Era::Inline);
        let (span, _) = asked(
            &mut client,
            "tools/call",
            json!({ "name": "speak", "arguments": {} }),
        )
        .await;
        let field = |key: &str| span.get(key).map(String::as_str);
        assert_eq!(field("otel.name"), Some("tools/call speak"), "{era:?}");
        assert_eq!(field("otel.kind"), Some("server"));
        assert_eq!(field("mcp.method.name"), Some("tools/call"));
        assert_eq!(field("gen_ai.tool.name"), Some("speak"));
        assert_eq!(field("gen_ai.operation.name"), Some("execute_tool"));
        assert_eq!(
            field("network.transport"),
            Some(if is_http { "tcp" } else { "pipe" })
        );
        assert_eq!(field("parent_span_id"), Some("00f067aa0ba902b7"));
        assert_eq!(field("error.type"), None);
        assert!(field("jsonrpc.request.id").is_some());
        if era != Era::HttpStateless {
            let version = if is_modern {
                "2026-07-28"
            } else {
                "2025-11-25"
            };
            assert_eq!(field("mcp.protocol.version"), Some(version), "{era:?}");
        }
    }
}

#[tokio::test]
async fn errors_are_told_as_the_conventions_ask() {
    let mut client = Raw::connect(Era::Session, &server()).await;
    for (method, params, error, tool) in [
        (
            "tools/call",
            json!({ "name": "nothing" }),
            Some("-32602"),
            None,
        ),
        (
            "tools/call",
            json!({ "name": "grumble" }),
            Some("tool_error"),
            Some("grumble"),
        ),
        (
            "tools/call",
            json!({ "name": "describe_tools" }),
            Some("tool_error"),
            Some("describe_tools"),
        ),
        (
            "tools/list",
            json!({ "cursor": "theirs" }),
            Some("-32602"),
            None,
        ),
        ("tools/describe", json!({}), Some("-32602"), None),
        (
            "resources/read",
            json!({ "uri": "resource:///nothing" }),
            Some("-32002"),
            None,
        ),
        ("tools/list", json!({}), None, None),
        ("resources/list", json!({}), None, None),
        ("resources/templates/list", json!({}), None, None),
        ("tools/manifest", json!({}), None, None),
    ] {
        let (span, _) = asked(&mut client, method, params.clone()).await;
        let field = |key: &str| span.get(key).map(String::as_str);
        assert_eq!(field("mcp.method.name"), Some(method));
        assert_eq!(field("error.type"), error, "{method} {params}");
        assert_eq!(field("otel.status_code"), error.map(|_| "ERROR"));
        assert_eq!(
            field("rpc.response.status_code"),
            error.filter(|error| error.starts_with('-'))
        );
        assert_eq!(field("gen_ai.tool.name"), tool, "{method} {params}");
        let told = format!("{span:?}");
        assert!(!told.contains("nothing"), "no caller's text: {told}");
    }
}

/// Those that open a conversation are requests like any other.
#[tokio::test]
async fn the_first_request_has_a_span_too() {
    let site = Site::open(&server(), true).await;
    let info = json!({ "name": "client", "version": "1" });
    let handshake =
        json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": info });
    for (post, method, mut params) in [
        (Post::stateless(&site.url), "initialize", handshake),
        (Post::inline(&site.url), "server/discover", json!({})),
    ] {
        let trace = trace();
        params["_meta"] = json!({ "traceparent": parent(&trace) });
        post.send(method, params).await;
        let told = spans(&trace);
        assert_eq!(told.len(), 1, "{method}: {told:?}");
        assert_eq!(told[0]["otel.name"], method);
        assert_eq!(told[0]["network.transport"], "tcp");
    }
}

#[tokio::test]
async fn what_a_tool_says_is_inside_also_on_another_thread() {
    let mut client = Raw::connect(Era::Session, &server()).await;
    for (name, said) in [("speak", "spoken"), ("speak_below", "spoken below")] {
        let (span, _) = asked(&mut client, "tools/call", json!({ "name": name })).await;
        assert!(
            messages(&span["trace_id"]).contains(&said.to_owned()),
            "{name}: {:?}",
            messages(&span["trace_id"])
        );
    }
}

#[tokio::test]
async fn what_happens_is_a_log_line_inside_where_nothing_else_takes_it() {
    listen();
    let mut client = Raw::connect(Era::Session, &shop::server().build().unwrap()).await;
    let (span, _) = asked(
        &mut client,
        "tools/call",
        json!({ "name": "greet", "arguments": {} }),
    )
    .await;
    assert_eq!(messages(&span["trace_id"]), ["refused", "described"]);
}

/// One connection carries requests of many traces, so `_meta` goes before the header; a wrong value there is none.
#[tokio::test]
async fn meta_goes_before_the_header() {
    let site = Site::open(&server(), false).await;
    for (meta, header, expected) in [
        (Some(true), Some(true), "meta"),
        (None, Some(true), "header"),
        (Some(true), None, "meta"),
        (Some(false), Some(true), "none"),
        (None, Some(false), "none"),
    ] {
        let (in_meta, in_header) = (trace(), trace());
        let told = |is_good: bool, trace: &str| {
            if is_good {
                parent(trace)
            } else {
                format!("99{trace}")
            }
        };
        let caller = Post::inline(&site.url);
        let caller = header.map_or(caller.clone(), |good| {
            caller.header("traceparent", &told(good, &in_header))
        });
        let mut params = json!({ "name": "speak" });
        if let Some(good) = meta {
            params["_meta"] = json!({ "traceparent": told(good, &in_meta) });
        }
        caller.result("tools/call", params).await;
        let seen = match (spans(&in_meta).len(), spans(&in_header).len()) {
            (1, 0) => "meta",
            (0, 1) => "header",
            (0, 0) => "none",
            other => panic!("{other:?}"),
        };
        assert_eq!(seen, expected, "{meta:?} {header:?}");
    }
}

#[tokio::test]
async fn with_a_layer_for_opentelemetry_the_span_is_a_child() {
    let mut line = Line::inline(&server(), json!({}));
    let trace = trace();
    let mut meta = inline_meta(&json!({}));
    meta["traceparent"] = json!(parent(&trace));
    meta["tracestate"] = json!("rojo=00f067aa0ba902b7");
    meta["baggage"] = json!("user=ada%20l");
    line.carry(Some(meta));
    let told = line.call("whose", json!({})).await;
    assert_eq!(
        told["content"][0]["text"],
        format!("{trace} rojo=00f067aa0ba902b7 ada l")
    );
}
