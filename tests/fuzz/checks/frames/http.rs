//! Requests as text: the method and the place of the caller among [`CALLERS`] on the first line, headers, an empty line, the
//! body. `===` stands between requests.

use super::{CALLERS, assert_admitted, script::Script};
use crate::checks::{
    endpoint::{Endpoint, Reply, header, usual_headers},
    world::{Log, Who, leaks},
};
use ::http::{HeaderName, HeaderValue, Method, StatusCode};
use pd_runtime::PdServer;
use serde_json::Value;

const CUT: &[u8] = b"\n===\n";

/// One request.
#[derive(Debug)]
struct Asked {
    who: &'static Who,
    method: Method,
    headers: Vec<(HeaderName, HeaderValue)>,
    body: Vec<u8>,
}

pub(super) async fn hold(shared: &PdServer<Log>, sessions: bool, sent: &[u8]) -> Vec<String> {
    let endpoint = Endpoint::open(shared, sessions);
    let mut scripts: Vec<(Option<String>, Script)> = CALLERS[..3]
        .iter()
        .map(|who| (who.subject.map(str::to_owned), Script::default()))
        .collect();
    let mut session = String::new();
    let mut all = Vec::new();
    for text in parts(sent).into_iter().take(12) {
        let Some(asked) = read(text, &mut scripts, &session) else {
            continue;
        };
        let reply = endpoint
            .send(
                asked.who.principal(),
                asked.method.clone(),
                asked.headers.clone(),
                asked.body.clone(),
            )
            .await;
        asked.assert_sound(&reply);
        if let Some(id) = reply
            .headers
            .get("mcp-session-id")
            .and_then(|id| id.to_str().ok())
        {
            id.clone_into(&mut session);
        }
        let heard = script_of(asked.who, &mut scripts);
        heard.hears(std::slice::from_ref(&reply.body));
        let known: Vec<_> = scripts
            .iter()
            .map(|(who, script)| (who.clone(), script.heard().to_owned()))
            .collect();
        assert_admitted(&shared.state().take(), &known);
        all.push(reply.body);
    }
    assert_up(&endpoint).await;
    all
}

fn parts(sent: &[u8]) -> Vec<&[u8]> {
    let mut parts = Vec::new();
    let mut rest = sent;
    while let Some(at) = rest.windows(CUT.len()).position(|window| window == CUT) {
        parts.push(&rest[..at]);
        rest = &rest[at + CUT.len()..];
    }
    parts.push(rest);
    parts
}

fn script_of<'a>(who: &Who, scripts: &'a mut [(Option<String>, Script)]) -> &'a mut Script {
    let at = scripts
        .iter()
        .position(|(subject, _)| subject.as_deref() == who.subject)
        .expect("every caller has one");
    &mut scripts[at].1
}

/// Who sends a request of such a text.
pub(super) fn callers(sent: &[u8]) -> impl Iterator<Item = &'static Who> {
    parts(sent)
        .into_iter()
        .filter_map(|text| Some(begun(text)?.2))
}

/// A request's first line: all of it, the method, the caller.
fn begun(text: &[u8]) -> Option<(&[u8], &str, &'static Who)> {
    let first = text.split(|byte| *byte == b'\n').next()?;
    let (method, who) = std::str::from_utf8(first).ok()?.split_once(' ')?;
    Some((first, method, &CALLERS[who.parse::<usize>().ok()? & 3]))
}

fn read(text: &[u8], scripts: &mut [(Option<String>, Script)], session: &str) -> Option<Asked> {
    let (first, method, who) = begun(text)?;
    let script = script_of(who, scripts);
    script.hears_session(session);
    let filled = script.filled(&text[(first.len() + 1).min(text.len())..]);
    let end = filled.windows(2).position(|window| window == b"\n\n");
    let (head, body) = match end {
        _ if filled.first() == Some(&b'\n') => (&[][..], &filled[1..]),
        Some(end) => (&filled[..end], &filled[end + 2..]),
        None => (&filled[..], &[][..]),
    };
    let mut headers = Vec::new();
    for line in head.split(|byte| *byte == b'\n') {
        let at = line.iter().position(|byte| *byte == b':')?;
        let (name, value) = (&line[..at], line[at + 1..].trim_ascii());
        headers.push((
            HeaderName::from_bytes(name).ok()?,
            HeaderValue::from_bytes(value).ok()?,
        ));
    }
    let own: Vec<_> = headers.iter().map(|(name, _)| name.clone()).collect();
    headers.extend(
        usual_headers()
            .into_iter()
            .filter(|(name, _)| !own.contains(name)),
    );
    Some(Asked {
        who,
        method: Method::from_bytes(method.as_bytes()).ok()?,
        headers,
        body: body.to_vec(),
    })
}

impl Asked {
    fn assert_sound(&self, reply: &Reply) {
        let asked = format!("{:?} {}", self.headers, String::from_utf8_lossy(&self.body));
        assert!(!reply.status.is_server_error(), "{asked}: {reply:?}");
        assert!(
            self.who.opens_vault || !leaks(&asked, &reply.body),
            "{asked}: {reply:?}"
        );
        let answers: Vec<_> = reply
            .messages()
            .into_iter()
            .filter(|message| message.get("method").is_none())
            .collect();
        let id = serde_json::from_slice::<Value>(&self.body)
            .ok()
            .and_then(|body| body.get("id").cloned());
        assert!(
            answers.len() <= 1 || self.method == Method::GET,
            "{asked}: {} answers: {reply:?}",
            answers.len()
        );
        for answer in answers
            .iter()
            .filter(|answer| answer.get("jsonrpc").is_some())
        {
            let own = answer.get("id").filter(|id| !id.is_null());
            assert!(
                own.is_none() || own == id.as_ref(),
                "{asked}: another's answer: {answer}"
            );
        }
    }
}

async fn assert_up(endpoint: &Endpoint) {
    let initialize = br#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"fuzz","version":"0"}}}"#;
    let headers = usual_headers()
        .into_iter()
        .chain([header("x-last", "1")])
        .collect();
    let reply = endpoint
        .send(None, Method::POST, headers, initialize.to_vec())
        .await;
    assert_eq!(
        reply.status,
        StatusCode::OK,
        "the endpoint is down: {reply:?}"
    );
}
