//! The URIs that the results of a server contained. A server need not list a resource that it links
//! to.

use crate::message::resource_uri::UriKey;
use parking_lot::Mutex;
use pd_runtime::{CallContext, upstream::CallerIdentity};
use serde_json::Value;
use std::collections::{HashSet, VecDeque};

/// The URIs of an upstream's results that are remembered. Further URIs replace the oldest.
const ISSUED_MAX: usize = 1_000;
/// The URIs of one reader among them.
const READER_MAX: usize = 250;
/// The longest URI that is remembered, in bytes.
const URI_MAX: usize = 2_000;

/// The caller that read a result: its session, or the principal if it has no session. A link counts
/// for this reader alone, because any server can write any URI into its results.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum ResultReader {
    Session(u64),
    Person(CallerIdentity),
}

impl ResultReader {
    pub(crate) fn from_call(context: &CallContext) -> Self {
        match context.client_session() {
            Some(session) => Self::Session(session.number()),
            None => Self::Person(context.authority().person()),
        }
    }
}

/// The URIs that the results of an upstream contained.
#[derive(Debug, Default)]
pub(crate) struct IssuedUris(Mutex<UriWindow>);

/// The latest URIs, for look-up and by age.
#[derive(Debug, Default)]
struct UriWindow {
    known: HashSet<(ResultReader, UriKey)>,
    order: VecDeque<(ResultReader, UriKey)>,
}

impl IssuedUris {
    /// Remembers the URIs of the links and resources in a result.
    pub(crate) fn collect(&self, result: &Value, reader: ResultReader) {
        let blocks = result
            .get("content")
            .and_then(Value::as_array)
            .into_iter()
            .flatten();
        let uris = blocks.filter_map(|block| {
            block
                .get("uri")
                .or_else(|| block.pointer("/resource/uri"))?
                .as_str()
        });
        // More URIs of one result would only replace each other.
        for uri in uris.filter(|uri| uri.len() <= URI_MAX).take(READER_MAX) {
            let issued = (reader, UriKey::new(uri));
            let UriWindow { known, order } = &mut *self.0.lock();
            if known.contains(&issued) {
                continue;
            }
            // A reader at its bound replaces its own oldest URI, and none of another reader.
            let oldest =
                match order.iter().filter(|(other, _)| *other == reader).count() >= READER_MAX {
                    true => order.iter().position(|(other, _)| *other == reader),
                    false => (order.len() >= ISSUED_MAX).then_some(0),
                };
            if let Some(oldest) = oldest.and_then(|place| order.remove(place)) {
                known.remove(&oldest);
            }
            known.insert(issued.clone());
            order.push_back(issued);
        }
    }

    pub(crate) fn contains(&self, uri: &UriKey, reader: ResultReader) -> bool {
        self.0.lock().known.contains(&(reader, uri.clone()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn uris_of_results_are_remembered_for_their_reader_up_to_a_bound() {
        let issued = IssuedUris::default();
        let one = ResultReader::Session(1);
        let other = ResultReader::Session(2);
        let link = |uri: &str| json!({ "type": "resource_link", "uri": uri, "name": "x" });
        let contains = |uri: &str, reader| issued.contains(&UriKey::new(uri), reader);
        let embedded = json!({ "type": "resource", "resource": { "uri": "a://2" } });
        issued.collect(&json!({ "content": [link("a://1"), embedded] }), one);
        assert!(contains("a://1", one) && contains("a://2", one) && !contains("a://1", other));
        let many: Vec<_> = (0..READER_MAX)
            .map(|number| link(&format!("b://{number}")))
            .collect();
        issued.collect(&json!({ "content": many }), other);
        assert!(
            contains("a://1", one),
            "another session's links replace none of this one"
        );
        issued.collect(&json!({ "content": many }), one);
        assert!(!contains("a://1", one) && contains("b://0", one));
        issued.collect(&json!({ "content": [link(&"c".repeat(URI_MAX + 1))] }), one);
        for session in 3..9 {
            issued.collect(&json!({ "content": many }), ResultReader::Session(session));
        }
        assert_eq!(issued.0.lock().order.len(), ISSUED_MAX);
    }
}
