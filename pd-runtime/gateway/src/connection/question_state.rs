//! The number of questions of a call in which each round is a separate request. The number travels
//! within the state that the client sends with the next round.

use crate::connection::questions::{QuestionBudget, QuestionCounts};
use ::hmac::{Hmac, Mac};
use parking_lot::Mutex;
use pd_runtime::upstream::hmac;
use rmcp::model::JsonObject;
use serde_json::Value;
use sha2::Sha256;
use std::{
    collections::{HashMap, VecDeque},
    fmt,
    hash::{BuildHasher, RandomState},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
};

const STATE: &str = "requestState";
/// The beginning of a state that this module has sealed.
const PREFIX: &str = "pdq1";
/// The calls with remembered budgets. Of older calls, the numbers in the state count.
const CALLS_MAX: usize = 1_000;

/// Seals the numbers of questions into states, with a key of this process.
pub(crate) struct QuestionSeal {
    key: Hmac<Sha256>,
    next_call: AtomicU64,
    /// The budgets of calls, so that a state which is sent again lifts no bound.
    calls: Mutex<OpenCalls>,
}

#[derive(Default)]
struct OpenCalls {
    budgets: HashMap<u64, Arc<QuestionBudget>>,
    oldest_first: VecDeque<u64>,
}

/// What a request says about the rounds before it.
pub(crate) struct QuestionRound {
    call: Option<u64>,
    pub(crate) budget: Arc<QuestionBudget>,
}

impl QuestionRound {
    fn exhausted() -> Self {
        Self {
            call: None,
            budget: Arc::new(QuestionBudget::exhausted()),
        }
    }
}

impl Default for QuestionSeal {
    fn default() -> Self {
        // The keys of `RandomState` are random, so no client can compute a seal.
        let random = RandomState::new();
        let mut key = [0; 32];
        for (number, part) in key.chunks_exact_mut(8).enumerate() {
            part.copy_from_slice(&random.hash_one(number).to_ne_bytes());
        }
        let next_call = AtomicU64::new(0);
        Self {
            key: hmac::hash_for("questions of a call", &key),
            next_call,
            calls: Mutex::default(),
        }
    }
}

impl fmt::Debug for QuestionSeal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("QuestionSeal").finish_non_exhaustive()
    }
}

impl QuestionSeal {
    /// Reads the state that a client has sent, and puts the server's own one in its place.
    ///
    /// A state without a valid seal leaves no questions: another process may have sealed it, so the
    /// server gets its state and the answers all the same. A request without a state begins a call,
    /// even with answers: each result that asks for them has a state, which a client must send back
    /// (MCP 2026-07-28, SEP-2322).
    pub(crate) fn open(&self, server: &str, params: &mut JsonObject) -> QuestionRound {
        let Some(state) = params.get(STATE) else {
            return QuestionRound {
                call: None,
                budget: Arc::default(),
            };
        };
        let Some(sealed) = state.as_str().and_then(SealedState::parse) else {
            return QuestionRound::exhausted();
        };
        let is_valid = self
            .mac(server, &sealed)
            .verify_truncated_left(&sealed.mac)
            .is_ok();
        let round = match is_valid {
            true => {
                // A forgotten call goes on with the counts of its state.
                let budget = self.calls.lock().budget(sealed.call, &Arc::default());
                budget.raise_to(sealed.counts);
                QuestionRound {
                    call: Some(sealed.call),
                    budget,
                }
            }
            false => QuestionRound::exhausted(),
        };
        match sealed.own.map(str::to_owned) {
            Some(own) => params.insert(STATE.to_owned(), own.into()),
            None => params.shift_remove(STATE),
        };
        round
    }

    /// Seals the number of questions into a result that requires input.
    pub(crate) fn seal(&self, server: &str, round: &QuestionRound, result: &mut Value) {
        let Value::Object(result) = result else {
            return;
        };
        if result
            .get("resultType")
            .is_none_or(|kind| kind != "input_required")
        {
            return;
        }
        // All rounds of a call have the number that the first one got.
        let call = round
            .call
            .unwrap_or_else(|| self.next_call.fetch_add(1, Relaxed));
        let counts = self.calls.lock().budget(call, &round.budget).counts();
        let own = match result.get(STATE) {
            Some(Value::String(own)) => Some(own.as_str()),
            _ => None,
        };
        let mut sealed = SealedState {
            call,
            counts,
            mac: [0; 16],
            own,
        };
        let mac = self.mac(server, &sealed).finalize().into_bytes();
        // Half of the hash is enough (RFC 2104, section 5), and keeps the state short.
        sealed.mac = mac.first_chunk().copied().unwrap_or_default();
        let text = sealed.to_string();
        result.insert(STATE.to_owned(), text.into());
    }

    fn mac(&self, server: &str, sealed: &SealedState<'_>) -> Hmac<Sha256> {
        // With the server's name, so that no server gets the state of another one. The zero bytes
        // keep one part from continuing in the next.
        let signed = format!(
            "{}\0{server}\0{}",
            sealed.head(),
            sealed.own.map_or("", |own| own)
        );
        self.key.clone().chain_update(signed.as_bytes())
    }
}

impl OpenCalls {
    /// Returns the budget of a call, which is `new` if none is known.
    fn budget(&mut self, call: u64, new: &Arc<QuestionBudget>) -> Arc<QuestionBudget> {
        if let Some(known) = self.budgets.get(&call) {
            return known.clone();
        }
        self.budgets.insert(call, new.clone());
        self.oldest_first.push_back(call);
        if self.oldest_first.len() > CALLS_MAX {
            self.oldest_first
                .pop_front()
                .inspect(|oldest| drop(self.budgets.remove(oldest)));
        }
        new.clone()
    }
}

/// A state in its parts: `pdq1.CALL.ELICITATIONS.SAMPLINGS.ROOTS.HAS_OWN.MAC.OWN`.
struct SealedState<'a> {
    call: u64,
    counts: QuestionCounts,
    mac: [u8; 16],
    /// The server's own state.
    own: Option<&'a str>,
}

impl<'a> SealedState<'a> {
    fn parse(text: &'a str) -> Option<Self> {
        // The server's own state comes last, because it may contain periods.
        let mut parts = text.splitn(8, '.');
        let mut next = || parts.next();
        if next()? != PREFIX {
            return None;
        }
        let call = u64::from_str_radix(next()?, 16).ok()?;
        let counts = [
            next()?.parse().ok()?,
            next()?.parse().ok()?,
            next()?.parse().ok()?,
        ];
        let has_own = next()? == "1";
        let mac = u128::from_str_radix(next()?, 16).ok()?.to_be_bytes();
        let own = next()?;
        Some(Self {
            call,
            counts: QuestionCounts(counts),
            mac,
            own: has_own.then_some(own),
        })
    }

    fn head(&self) -> String {
        let [elicitations, samplings, roots] = self.counts.0;
        // An empty state of the server differs from none.
        let has_own = u8::from(self.own.is_some());
        format!(
            "{PREFIX}.{:x}.{elicitations}.{samplings}.{roots}.{has_own}",
            self.call
        )
    }
}

impl fmt::Display for SealedState<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}.{:032x}.{}",
            self.head(),
            u128::from_be_bytes(self.mac),
            self.own.unwrap_or_default()
        )
    }
}

#[cfg(test)]
mod tests {
    #![allow(
        clippy::unwrap_used,
        clippy::indexing_slicing,
        reason = "a test fails by panicking"
    )]

    use super::*;
    use crate::message::client_request::ELICITATION;
    use serde_json::json;

    fn params(state: Option<&str>) -> JsonObject {
        let mut params = JsonObject::from_iter([("inputResponses".to_owned(), json!({}))]);
        params.extend(state.map(|state| (STATE.to_owned(), state.into())));
        params
    }

    /// A round with this many questions. Returns the sealed state.
    fn ask(seal: &QuestionSeal, round: &QuestionRound, count: usize, own: Option<&str>) -> String {
        (0..count).for_each(|_| round.budget.take(ELICITATION).unwrap());
        let mut result = json!({ "resultType": "input_required" });
        own.into_iter().for_each(|own| result[STATE] = own.into());
        seal.seal("s", round, &mut result);
        result[STATE].as_str().unwrap().to_owned()
    }

    fn left(round: &QuestionRound) -> usize {
        (0..100)
            .take_while(|_| round.budget.take(ELICITATION).is_ok())
            .count()
    }

    #[test]
    fn rounds_of_one_call_share_its_questions_and_the_server_gets_its_own_state() {
        let seal = QuestionSeal::default();
        let mut first = seal.open("s", &mut JsonObject::new());
        for own in [Some("a.b.c.d.e.f.g.h"), Some(""), None] {
            let state = ask(&seal, &first, 5, own);
            let mut next = params(Some(&state));
            first = seal.open("s", &mut next);
            assert_eq!(next.get(STATE).and_then(Value::as_str), own);
        }
        assert_eq!(left(&first), 17);
        assert_eq!(
            left(&seal.open("s", &mut JsonObject::new())),
            32,
            "the next call begins anew"
        );
    }

    #[test]
    fn a_state_that_is_sent_again_lifts_no_bound() {
        let seal = QuestionSeal::default();
        let early = ask(&seal, &seal.open("s", &mut JsonObject::new()), 10, None);
        let [one, other] = [(); 2].map(|()| seal.open("s", &mut params(Some(&early))));
        ask(&seal, &one, 10, None);
        ask(&seal, &other, 10, None);
        assert_eq!(left(&seal.open("s", &mut params(Some(&early)))), 2);
    }

    #[test]
    fn a_forged_state_has_no_questions_left_and_reaches_the_server() {
        let seal = QuestionSeal::default();
        let state = ask(
            &seal,
            &seal.open("s", &mut JsonObject::new()),
            10,
            Some("own"),
        );
        let other = ask(
            &QuestionSeal::default(),
            &seal.open("s", &mut JsonObject::new()),
            0,
            Some("own"),
        );
        for forged in [
            state.replacen(".10.", ".0.", 1),
            state.replace("own", "own2"),
            other,
        ] {
            let mut next = params(Some(&forged));
            assert_eq!(left(&seal.open("s", &mut next)), 0, "{forged}");
            assert!(next[STATE].as_str().unwrap().starts_with("own"));
        }
        assert_eq!(left(&seal.open("other", &mut params(Some(&state)))), 0);
        for state in [json!("plain"), json!("pdq1."), json!(1)] {
            let mut next = JsonObject::from_iter([(STATE.to_owned(), state.clone())]);
            assert_eq!(left(&seal.open("s", &mut next)), 0);
            assert_eq!(next[STATE], state);
        }
    }

    /// The scenario `input-required-result-missing-input-response` of the conformance suite.
    #[test]
    fn answers_that_nobody_asked_for_begin_a_call() {
        let seal = QuestionSeal::default();
        let mut next = params(None);
        assert_eq!(left(&seal.open("s", &mut next)), 32);
        assert!(
            next.contains_key("inputResponses"),
            "the server decides what they mean"
        );
    }

    #[test]
    fn a_limited_number_of_calls_is_remembered() {
        let seal = QuestionSeal::default();
        (0..2 * CALLS_MAX)
            .for_each(|_| drop(ask(&seal, &seal.open("s", &mut JsonObject::new()), 1, None)));
        let calls = seal.calls.lock();
        assert_eq!(
            (calls.budgets.len(), calls.oldest_first.len()),
            (CALLS_MAX, CALLS_MAX)
        );
    }
}
