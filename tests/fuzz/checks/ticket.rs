//! Tickets: whatever is sent as one, wherever it stands, a call runs only on what the server gave for exactly this tool and
//! this principal.

use super::{
    endpoint::{Endpoint, usual_headers},
    line::{Client, Line, parsed},
    run,
    world::{GATED, Log, WITH, Who, told},
};
use arbitrary::{Arbitrary, Result, Unstructured};
use http::Method;
use pd_runtime::PdServer;
use serde_json::{Number, Value, json};
use std::sync::LazyLock;

const CALLERS: [Who; 5] = [
    Who::NOBODY,
    Who::NAMELESS,
    Who::ALICE,
    Who::BOB,
    Who::KEEPER,
];

/// The tickets that the server gave, by caller and tool.
static MINTED: LazyLock<Vec<Vec<String>>> = LazyLock::new(|| {
    let of_caller = |who: &Who| run(describe_all(&WITH, who));
    CALLERS.iter().map(of_caller).collect()
});

async fn describe_all(shared: &PdServer<Log>, who: &Who) -> Vec<String> {
    let mut line = Line::connect(
        shared,
        who,
        Client {
            inline: true,
            extension: false,
        },
    )
    .await;
    let uri = format!("resource:///tool_descriptions?tools={}", GATED.join(","));
    let answer = parsed(&line.request("resources/read", json!({ "uri": uri })).await);
    let text = answer
        .pointer("/result/contents/0/text")
        .and_then(Value::as_str)
        .expect("descriptions");
    let document: Value = serde_json::from_str(text).expect("descriptions");
    let ticket = |name: &&str| {
        document[*name]["inputSchema"]["properties"]["disclosure_ticket"]["const"].clone()
    };
    GATED
        .iter()
        .map(|name| ticket(name).as_str().expect("a ticket").to_owned())
        .collect()
}

/// One call.
#[derive(Debug)]
struct Attempt {
    who: usize,
    tool: usize,
    /// The older generation on a server without sessions; else 2026-07-28.
    legacy: bool,
    extension: bool,
    argument: Option<Value>,
    meta: Option<Value>,
}

impl<'a> Arbitrary<'a> for Attempt {
    fn arbitrary(bytes: &mut Unstructured<'a>) -> Result<Self> {
        let [who, tool] = [bytes.int_in_range(0..=4)?, bytes.int_in_range(0..=2)?];
        let (legacy, extension) = (bytes.ratio(1, 8)?, bytes.arbitrary()?);
        let argument = bytes.ratio(3, 4)?.then(|| value(bytes)).transpose()?;
        let meta = bytes.ratio(1, 2)?.then(|| value(bytes)).transpose()?;
        Ok(Self {
            who,
            tool,
            legacy,
            extension,
            argument,
            meta,
        })
    }
}

/// Something like a ticket.
fn value(bytes: &mut Unstructured<'_>) -> Result<Value> {
    let ticket = MINTED[bytes.int_in_range(0..=4)?][bytes.int_in_range(0..=2)?].clone();
    Ok(match bytes.int_in_range(0..=9)? {
        0..=2 => json!(ticket),
        3..=5 => json!(mutated(ticket, bytes)?),
        6 => as_number(&ticket),
        7 => as_number(&mutated(ticket, bytes)?),
        8 => json!(bytes.arbitrary::<String>()?),
        _ => match bytes.int_in_range(0..=5)? {
            0 => Value::Null,
            1 => json!([ticket]),
            2 => json!({ "const": ticket }),
            3 => json!(ticket.parse::<u64>().unwrap_or_default() as f64),
            4 => json!(bytes.arbitrary::<i64>()?),
            _ => json!(true),
        },
    })
}

/// As models write digits now and then; a leading zero is lost on the way.
fn as_number(text: &str) -> Value {
    text.parse::<Number>()
        .or_else(|_| text.trim_start_matches('0').parse())
        .map_or(Value::Null, Value::Number)
}

fn mutated(ticket: String, bytes: &mut Unstructured<'_>) -> Result<String> {
    let mut chars: Vec<char> = ticket.chars().collect();
    for _ in 0..bytes.int_in_range(1..=3)? {
        let at = bytes
            .choose_index(chars.len().max(1))?
            .min(chars.len().saturating_sub(1));
        let digit = char::from(b'0' + bytes.int_in_range(0..=9)?);
        match bytes.int_in_range(0..=7)? {
            0 | 1 => chars[at] = digit,
            2 => {
                chars[at] = char::from_u32(chars[at] as u32 ^ 1 << bytes.int_in_range(0..=6)?)
                    .unwrap_or('x')
            }
            3 if chars.len() > 1 => drop(chars.remove(at)),
            4 => chars.insert(at, digit),
            5 => chars.insert(at, *bytes.choose(&[' ', '+', '-', '.', 'e', '\n', '_'])?),
            // The same digit in another script.
            6 => {
                chars[at] = chars[at]
                    .to_digit(10)
                    .and_then(|digit| char::from_u32(0x660 + digit))
                    .unwrap_or('x')
            }
            _ => chars.reverse(),
        }
    }
    Ok(chars.into_iter().collect())
}

/// Any number of calls, each on a connection of its own.
pub fn check(data: &[u8]) {
    let mut bytes = Unstructured::new(data);
    for _ in 0..4 {
        match Attempt::arbitrary(&mut bytes) {
            Ok(attempt) if !data.is_empty() => run(attempt.hold(&WITH)),
            _ => return,
        }
        if bytes.is_empty() {
            return;
        }
    }
}

impl Attempt {
    async fn hold(&self, shared: &PdServer<Log>) {
        shared.state().take();
        let mut arguments = json!({ "word": "x" });
        if let Some(argument) = &self.argument {
            arguments["disclosure_ticket"] = argument.clone();
        }
        let meta = self
            .meta
            .as_ref()
            .map(|meta| json!({ "dev.pd-runtime/ticket": meta }));
        let answer = if self.legacy {
            self.over_http(shared, arguments, meta).await
        } else {
            let client = Client {
                inline: true,
                extension: self.extension,
            };
            let mut line = Line::connect(shared, &CALLERS[self.who], client).await;
            line.call(GATED[self.tool], arguments, meta).await
        };
        let ran = shared.state().take().len();
        assert_eq!(ran, usize::from(self.is_good()), "{self:?}: {answer}");
        if ran == 0 {
            let error = told(&answer["result"]).expect("a refusal")["error"].take();
            assert_eq!(error["code"], "TOOL_DESCRIPTION_REQUIRED", "{self:?}");
            assert_eq!(
                error.get("reason").is_some(),
                self.sent().is_some(),
                "{self:?}: {error}"
            );
        }
    }

    async fn over_http(
        &self,
        shared: &PdServer<Log>,
        arguments: Value,
        meta: Option<Value>,
    ) -> Value {
        let mut params = json!({ "name": GATED[self.tool], "arguments": arguments });
        if let Some(meta) = meta {
            params["_meta"] = meta;
        }
        let request =
            json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
        let endpoint = Endpoint::open(shared, false);
        let body = request.to_string().into_bytes();
        let reply = endpoint
            .send(
                CALLERS[self.who].principal(),
                Method::POST,
                usual_headers(),
                body,
            )
            .await;
        reply
            .messages()
            .into_iter()
            .next()
            .unwrap_or_else(|| panic!("{reply:?}"))
    }

    /// What counts as the ticket: a text in `_meta`, else whatever stands among the arguments.
    fn sent(&self) -> Option<String> {
        let meta = self
            .meta
            .as_ref()
            .and_then(Value::as_str)
            .map(str::to_owned);
        meta.or_else(|| {
            self.argument.as_ref().map(|argument| match argument {
                Value::String(text) => text.clone(),
                Value::Number(number) => format!("{:0>18}", number.to_string()),
                _ => String::new(),
            })
        })
    }

    fn is_good(&self) -> bool {
        self.sent().as_ref() == Some(&MINTED[self.who][self.tool])
    }
}
