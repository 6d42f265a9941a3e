//! Parsing of the refusal of a call before its description was read (specification v2.1, section
//! 6.2), with the extras that servers add.

use super::description::FetchedDescription;
use crate::{
    protocol::keys::{PASSED_ON, TICKETS, UNDESCRIBED},
    text::leading_json::leading_json,
};
use rmcp::model::{CallToolResult, MetaObject};
use serde_json::Value;

/// A refusal, by what it contains.
#[derive(Debug)]
pub(super) enum DisclosureRefusal {
    /// Only the URI of the description, if any.
    Bare { uri: Option<String> },
    /// The description itself.
    Described {
        fetched: Box<FetchedDescription>,
        uri: Option<String>,
    },
    /// A signature. The server counts it as a disclosure, but it is not a description that could be
    /// cached or shown.
    Signed {
        ticket: Option<String>,
        uri: Option<String>,
    },
}

impl DisclosureRefusal {
    /// Parses a result as a refusal for lack of a description. Returns `None` for all other
    /// results.
    ///
    /// The guide's own server omits `isError`. A result without it is a refusal only if it names
    /// the resource, so that a tool's own answer is not mistaken for a refusal.
    ///
    /// A gateway marks a result of another server that imitates a refusal. Otherwise that server
    /// could replace the description of a tool, and make this client call it twice.
    pub(super) fn parse(name: &str, result: &CallToolResult) -> Option<Self> {
        if result
            .meta
            .as_ref()
            .is_some_and(|meta| meta.contains_key(PASSED_ON))
        {
            return None;
        }
        let mut texts = result
            .content
            .iter()
            .filter_map(|block| block.as_text())
            .map(|block| block.text.as_str());
        let (mut body, rest) = leading_json(texts.next()?)?;
        let error = body.get("error")?;
        let uri = error
            .get("resource_uri")
            .and_then(Value::as_str)
            .filter(|uri| is_descriptions_uri(uri))
            // The query names the tools of this refusal, and the route adds its own.
            .map(without_query);
        if error.get("code")? != UNDESCRIBED || !(result.is_error == Some(true) || uri.is_some()) {
            return None;
        }
        let described = body
            .get_mut("tool_description")
            .map(Value::take)
            .and_then(|body| FetchedDescription::parse(name, body));
        let ticket = ticket_from_meta(result.meta.as_ref(), name);
        Some(match described {
            Some(fetched) => {
                let fetched = FetchedDescription {
                    // `_meta` takes precedence over the schema, as in every other answer.
                    ticket: ticket.or(fetched.ticket),
                    ..fetched
                };
                Self::Described {
                    fetched: Box::new(fetched),
                    uri,
                }
            }
            // Other servers send the signature as a separate text.
            None if is_signature(name, rest)
                || texts.next().is_some_and(|text| is_signature(name, text)) =>
            {
                Self::Signed { ticket, uri }
            }
            None => Self::Bare { uri },
        })
    }
}

/// Returns whether a text is this tool's signature: a line below the summary begins with the tool's
/// name and `(`.
fn is_signature(name: &str, text: &str) -> bool {
    text.lines().any(|line| {
        line.strip_prefix(name)
            .is_some_and(|call| call.starts_with('('))
    })
}

/// Returns whether a URI names the tool descriptions (specification v2.1, section 4.1). Each server
/// chooses its own scheme.
pub(super) fn is_descriptions_uri(uri: &str) -> bool {
    without_query(uri)
        .trim_end_matches('/')
        .ends_with("/tool_descriptions")
}

/// Returns a URI without its query and fragment.
fn without_query(uri: &str) -> String {
    uri.split(['?', '#']).next().unwrap_or(uri).to_owned()
}

/// Returns the ticket for a tool from a result's `_meta`.
pub(super) fn ticket_from_meta(meta: Option<&MetaObject>, name: &str) -> Option<String> {
    Some(meta?.get(TICKETS)?.get(name)?.as_str()?.to_owned())
}

#[cfg(test)]
mod tests {
    #![allow(
        clippy::unwrap_used,
        clippy::panic,
        reason = "a test fails by panicking"
    )]

    use super::*;
    use rmcp::model::ContentBlock;
    use serde_json::json;

    fn refused(body: &Value) -> CallToolResult {
        CallToolResult::error(vec![ContentBlock::text(body.to_string())])
    }

    fn error() -> Value {
        json!({ "code": UNDESCRIBED, "resource_uri": "resource:///tool_descriptions?tools=log" })
    }

    #[test]
    fn a_refusal_that_a_gateway_passed_on_is_none() {
        let mut result = refused(&json!({ "error": error() }));
        result.meta = serde_json::from_value(json!({ PASSED_ON: true })).unwrap();
        assert!(DisclosureRefusal::parse("log", &result).is_none());
    }

    #[test]
    fn a_bare_refusal_gives_nothing() {
        assert!(matches!(
            DisclosureRefusal::parse("log", &refused(&json!({ "error": error() }))),
            Some(DisclosureRefusal::Bare { uri: Some(_) })
        ));
    }

    #[test]
    fn a_description_and_its_ticket_are_taken_from_it() {
        let described = json!({ "description": "List", "inputSchema": { "type": "object" } });
        let mut result = refused(&json!({ "error": error(), "tool_description": described }));
        let meta = json!({ TICKETS: { "log": "12" } });
        result.meta = serde_json::from_value(meta).unwrap();
        let Some(DisclosureRefusal::Described { fetched, .. }) =
            DisclosureRefusal::parse("log", &result)
        else {
            panic!("not described")
        };
        assert_eq!(
            (fetched.description.description(), fetched.ticket.as_deref()),
            ("List", Some("12"))
        );
    }

    #[test]
    fn a_signature_is_no_description_and_has_a_ticket() {
        let mut result = refused(&json!({ "error": error() }));
        result.content.push(ContentBlock::text("log({ limit: 5 })"));
        let text = format!("{}\n\nlog({{ limit: 5 }})", json!({ "error": error() }));
        for mut result in [
            result,
            CallToolResult::error(vec![ContentBlock::text(text)]),
        ] {
            result.meta = serde_json::from_value(json!({ TICKETS: { "log": "12" } })).unwrap();
            let Some(DisclosureRefusal::Signed { ticket, uri }) =
                DisclosureRefusal::parse("log", &result)
            else {
                panic!("not signed")
            };
            assert_eq!((ticket.as_deref(), uri.is_some()), (Some("12"), true));
        }
    }

    #[test]
    fn a_second_text_that_is_no_signature_gives_nothing() {
        for beside in ["read it first", "logs({ limit: 5 })", "log: List commits"] {
            let mut result = refused(&json!({ "error": error() }));
            result.content.push(ContentBlock::text(beside));
            assert!(
                matches!(
                    DisclosureRefusal::parse("log", &result),
                    Some(DisclosureRefusal::Bare { .. })
                ),
                "{beside}"
            );
        }
        let mut result = refused(&json!({ "error": error() }));
        result.content.push(ContentBlock::text(
            "List commits.\n\nlog(limit: 1..=100 = 5)",
        ));
        assert!(matches!(
            DisclosureRefusal::parse("log", &result),
            Some(DisclosureRefusal::Signed { .. })
        ));
    }

    #[test]
    fn a_tools_own_answer_is_no_refusal() {
        let own = json!({ "error": { "code": UNDESCRIBED } }).to_string();
        assert!(
            DisclosureRefusal::parse(
                "log",
                &CallToolResult::success(vec![ContentBlock::text(own)])
            )
            .is_none()
        );
        assert!(
            DisclosureRefusal::parse(
                "log",
                &refused(&json!({ "error": { "code": "NO_SUCH_PATH" } }))
            )
            .is_none()
        );
        assert!(DisclosureRefusal::parse("log", &refused(&json!("failed"))).is_none());
        let guides = CallToolResult::success(vec![ContentBlock::text(
            json!({ "error": error() }).to_string(),
        )]);
        assert!(
            DisclosureRefusal::parse("log", &guides).is_some(),
            "the guide's server leaves isError out"
        );
    }
}
