//! The server under test, twice: with tools that only a scope opens, and without them. To whoever lacks the scope the two are
//! the same, byte for byte.

use futures::{FutureExt, future::ready};
use pd_runtime::{
    Bundle, CallContext, Group, IntoOutput, Limits, PdServer, Principal, Registry, RegistryBuilder,
    Tool,
    config::{MetaTools, Rate, Refusal},
};
use serde_json::{Value, json};
use std::sync::{LazyLock, Mutex, PoisonError};

/// Tools that everybody sees and nobody may call unread.
pub(crate) const GATED: [&str; 3] = ["greet", "stock", "pay"];
/// One that stands in every list in full.
pub(crate) const EAGER: &str = "hours";
/// Tools that only `vault` opens.
pub(crate) const HIDDEN: [&str; 2] = ["vault_open", "gold_price"];
/// The scope.
pub(crate) const VAULT: &str = "vault";
/// In every text about a hidden tool, and in no other.
pub(crate) const CANARY: &str = "qzcanary";

/// What ran, and for whom.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Ran {
    pub(crate) tool: String,
    pub(crate) principal: Option<String>,
}

/// The state: what ran so far.
#[derive(Debug, Default)]
pub(crate) struct Log(Mutex<Vec<Ran>>);

impl Log {
    fn note(&self, tool: &str, call: &CallContext) {
        let principal = call
            .principal()
            .map(|principal| principal.subject().to_owned());
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(Ran {
                tool: tool.to_owned(),
                principal,
            });
    }

    /// What ran since it was last asked.
    pub(crate) fn take(&self) -> Vec<Ran> {
        std::mem::take(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// The server with the hidden tools.
pub(crate) static WITH: LazyLock<PdServer<Log>> = LazyLock::new(|| server(registry(true)));
/// The server without.
pub(crate) static WITHOUT: LazyLock<PdServer<Log>> = LazyLock::new(|| server(registry(false)));

/// More than any machine sends: the meters run, and never say no.
pub(crate) fn limits() -> Limits {
    let any = || Rate::per_second(1_000_000_000);
    Limits::default()
        .calls(any())
        .searches(any())
        .descriptions(any())
}

/// Refusals disclose nothing, so that only what was asked for is disclosed. Tickets never expire, since answers are compared.
fn server(registry: Registry<Log>) -> PdServer<Log> {
    let offered = MetaTools::all().call_read_only("call_read_only_tool");
    let server = PdServer::builder(registry, Log::default())
        .listing(pd_runtime::Listing::Minimal)
        .session_per_call(pd_runtime::config::SessionPerCall::Refuse)
        .refusal(Refusal::Bare)
        .meta_tools(offered);
    let forever = std::time::Duration::from_secs(u64::MAX);
    let server = server.limits(limits());
    server
        .ticket_key(*b"a key that no corpus can know of")
        .ticket_ttl(forever)
        .build()
        .expect("a sound registry")
}

fn registry(with_hidden: bool) -> Registry<Log> {
    let goods = Group::new("goods", "What is there")
        .instructions("Count first.")
        .tool(tool("stock", "Count the stock"));
    let till = Group::new("till", "Money and cards").tool(tool("pay", "Pay with a card"));
    let registry = Registry::builder()
        .name("shop")
        .instructions("A shop.")
        .tool(tool("greet", "Greet a customer"))
        .tool(tool(EAGER, "Tell the opening hours").eager())
        // Both have a tool that asks for a scope, so that neither may let its lists be shared.
        .tool(tool("refund", "Give money back").scope("office"))
        .bundle(
            Bundle::new("visit", "Greet and pay")
                .instructions("Greet first.")
                .tool("greet")
                .tool("pay"),
        );
    match with_hidden {
        true => hidden(registry, goods, till),
        false => registry.group(goods).group(till),
    }
    .build()
    .expect("a sound registry")
}

/// Two tools, one in a group that others see and one in a group of its own, with words that only they have.
fn hidden(
    registry: RegistryBuilder<Log>,
    goods: Group<Log>,
    till: Group<Log>,
) -> RegistryBuilder<Log> {
    let gold = tool("gold_price", "Tell the price of qzcanary gold")
        .scope(VAULT)
        .alias("qzcanary bullion");
    let open = tool("vault_open", "Open the qzcanary vault")
        .scope(VAULT)
        .description("How to open the qzcanary vault.");
    let vault = Group::new("qzcanary-vault", "The qzcanary vault")
        .instructions("Mind the qzcanary.")
        .tool(open);
    let rob = Bundle::new("qzcanary-rob", "Rob the qzcanary vault")
        .tool("vault_open")
        .tool("gold_price");
    registry
        .group(goods.tool(gold))
        .group(till)
        .group(vault)
        .bundle(rob)
}

/// A tool with one argument, whose full description alone has its mark.
fn tool(name: &'static str, summary: &'static str) -> Tool<Log> {
    let schema = json!({
        "type": "object",
        "properties": { "word": { "type": "string", "description": format!("Any word; {}.", mark(name)) } },
        "additionalProperties": false,
    });
    Tool::new(name, summary, move |log: &Log, call, _| {
        log.note(name, call);
        ready("ran".into_output()).boxed()
    })
    .description(format!(
        "{summary}. The mark of its description is {}.",
        mark(name)
    ))
    .input_schema(schema)
}

/// A word that only a tool's full description has, and its signature.
pub(crate) fn mark(name: &str) -> String {
    format!("qz{name}mark")
}

/// Who calls over the network.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Who {
    pub(crate) subject: Option<&'static str>,
    pub(crate) opens_vault: bool,
}

impl Who {
    pub(crate) const NOBODY: Self = Self {
        subject: None,
        opens_vault: false,
    };
    /// Somebody whose name is empty.
    pub(crate) const NAMELESS: Self = Self {
        subject: Some(""),
        opens_vault: false,
    };
    pub(crate) const ALICE: Self = Self {
        subject: Some("alice"),
        opens_vault: false,
    };
    pub(crate) const BOB: Self = Self {
        subject: Some("bob"),
        opens_vault: false,
    };
    /// Alice, with the scope.
    pub(crate) const KEEPER: Self = Self {
        subject: Some("alice"),
        opens_vault: true,
    };

    /// As middleware would put it into a request.
    pub(crate) fn principal(&self) -> Option<Principal> {
        let scopes = self.opens_vault.then_some(VAULT);
        self.subject
            .map(|subject| Principal::new(subject).with_scopes(scopes))
    }

    /// The tools that exist for this caller.
    pub(crate) fn sees(&self) -> Vec<&'static str> {
        let hidden = HIDDEN.into_iter().filter(|_| self.opens_vault);
        GATED.into_iter().chain([EAGER]).chain(hidden).collect()
    }
}

/// Whether a text tells of hidden tools what was not in the question.
pub(crate) fn leaks(asked: &str, answered: &str) -> bool {
    answered.contains(CANARY) && !asked.contains(CANARY)
}

/// The text of a result's first content, as JSON.
pub(crate) fn told(result: &Value) -> Option<Value> {
    // Advice may follow the error.
    serde_json::from_str(
        result
            .pointer("/content/0/text")?
            .as_str()?
            .split("\n\n")
            .next()?,
    )
    .ok()
}
