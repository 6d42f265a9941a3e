//! The security schemes of a document, and the credentials that a request carries.

use super::{
    document::Document,
    error::OpenApiError,
    object::{Object, text_of},
    plain_text::plain_line,
    serialization::{ParameterPlace, encoded, is_header_text},
};
use base64::{Engine, engine::general_purpose::STANDARD};
use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
use serde_json::Value;
use std::{
    collections::{BTreeMap, HashSet},
    fmt,
};

/// What a value of a cookie cannot have (RFC 6265, section 4.1.1).
const NOT_IN_COOKIES: &AsciiSet = &CONTROLS.add(b' ').add(b'"').add(b',').add(b';').add(b'\\');
/// The most alternatives that an error names, and the most schemes of one.
const ALTERNATIVES_SHOWN: usize = 5;
/// The characters of a scheme's name in an error.
const NAME_SHOWN: usize = 60;

/// A security scheme.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum SecurityScheme {
    ApiKey {
        place: ParameterPlace,
        name: String,
    },
    Basic,
    /// A token in the header `Authorization`: HTTP bearer, OAuth 2 and OpenID Connect.
    Bearer,
    /// A scheme that needs more than one text, such as `mutualTLS`.
    Other(String),
}

/// The schemes of a document, and what its operations require.
#[derive(Debug, Clone, Default)]
pub(super) struct SecuritySchemes {
    schemes: BTreeMap<String, SecurityScheme>,
    /// The requirement of operations that have none of their own.
    default: SecurityRequirement,
}

/// Alternatives, each a list of schemes that are required together. An empty alternative needs
/// none.
pub(super) type SecurityRequirement = Vec<Vec<String>>;

/// The credentials of an entry, by scheme.
#[derive(Clone, Default)]
pub(super) struct Credentials(BTreeMap<String, String>);

// The values are secrets.
impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}

/// What a request carries.
#[derive(Default)]
pub(super) struct SentCredentials {
    pub(super) headers: Vec<(String, String)>,
    /// Encoded pairs of the query.
    pub(super) query: Vec<String>,
    pub(super) cookies: Vec<String>,
}

impl SecurityScheme {
    fn read(scheme: &Object) -> Self {
        let kind = text_of(scheme, "type").unwrap_or_default();
        let http = text_of(scheme, "scheme")
            .unwrap_or_default()
            .to_ascii_lowercase();
        let place = text_of(scheme, "in").and_then(ParameterPlace::parse);
        match (kind, &*http, place, text_of(scheme, "name")) {
            ("apiKey", _, Some(place), Some(name)) if place != ParameterPlace::Path => {
                Self::ApiKey {
                    place,
                    name: name.to_owned(),
                }
            }
            ("http", "basic", ..) => Self::Basic,
            ("http", "bearer", ..) | ("oauth2" | "openIdConnect", ..) => Self::Bearer,
            ("http", other, ..) => Self::Other(other.to_owned()),
            (other, ..) => Self::Other(other.to_owned()),
        }
    }
}

impl SecuritySchemes {
    pub(super) fn read(document: &Document) -> Self {
        let all = document.root().pointer("/components/securitySchemes");
        let all = all.and_then(Value::as_object).into_iter().flatten();
        let schemes = all.filter_map(|(name, scheme)| {
            let scheme = document.resolve(scheme)?.as_object()?;
            Some((name.clone(), SecurityScheme::read(scheme)))
        });
        Self {
            schemes: schemes.collect(),
            default: requirement(document.root().get("security")).unwrap_or_default(),
        }
    }

    /// Returns what an operation requires.
    pub(super) fn required_by(&self, operation: &Object) -> SecurityRequirement {
        requirement(operation.get("security")).unwrap_or_else(|| self.default.clone())
    }

    /// Returns the parameters that carry credentials, which no argument may set.
    pub(super) fn parameters(&self) -> HashSet<(ParameterPlace, String)> {
        let keys = self.schemes.values().filter_map(|scheme| match scheme {
            SecurityScheme::ApiKey { place, name } if *place == ParameterPlace::Header => {
                Some((*place, name.to_ascii_lowercase()))
            }
            SecurityScheme::ApiKey { place, name } => Some((*place, name.clone())),
            _ => None,
        });
        keys.collect()
    }

    /// Checks that a credential can be sent.
    ///
    /// # Errors
    ///
    /// Returns an error if the document has no such scheme, or if the scheme takes more than a
    /// text.
    pub(super) fn check(&self, name: &str, secret: &str) -> Result<(), OpenApiError> {
        let unsendable = |why| OpenApiError::Unsendable {
            name: format!("the credential of `{name}`"),
            why,
        };
        let Some(scheme) = self.schemes.get(name) else {
            let known: Vec<_> = self
                .schemes
                .keys()
                .map(|known| format!("`{known}`"))
                .collect();
            let known = match &*known {
                [] => "; it has no schemes, so set a header of the requests".to_owned(),
                known => format!("; it has {}", known.join(", ")),
            };
            return Err(OpenApiError::UnknownScheme {
                name: name.to_owned(),
                known,
            });
        };
        match scheme {
            SecurityScheme::Other(_) => Err(unsendable(
                "its scheme takes more than one text; set a header of the requests",
            )),
            SecurityScheme::Basic if !secret.contains(':') => Err(unsendable(
                "write the name and the password as `NAME:PASSWORD`",
            )),
            _ if secret.is_empty() => Err(unsendable("it is empty")),
            SecurityScheme::Basic => Ok(()),
            _ if !is_header_text(secret) => Err(unsendable(
                "it has a line break or another character that a request cannot carry",
            )),
            _ => Ok(()),
        }
    }

    /// Returns what a request of an operation carries: the credentials of the first alternative
    /// that the entry has all credentials of.
    pub(super) fn sent(
        &self,
        required: &SecurityRequirement,
        credentials: &Credentials,
    ) -> SentCredentials {
        // An alternative without schemes is for callers without credentials.
        let has_all = |names: &&Vec<String>| {
            !names.is_empty() && names.iter().all(|name| credentials.0.contains_key(name))
        };
        let mut sent = SentCredentials::default();
        for name in required.iter().find(has_all).into_iter().flatten() {
            if let (Some(scheme), Some(secret)) = (self.schemes.get(name), credentials.0.get(name))
            {
                sent.add(scheme, secret);
            }
        }
        sent
    }

    /// Renders the schemes that an operation requires, and what the operator sets. Returns `None`
    /// if it requires none.
    pub(super) fn advice(required: &SecurityRequirement) -> Option<String> {
        let needed: Vec<_> = required.iter().filter(|names| !names.is_empty()).collect();
        let shown: Vec<String> = needed
            .iter()
            .take(ALTERNATIVES_SHOWN)
            .map(|names| {
                let names: Vec<_> = names
                    .iter()
                    .take(ALTERNATIVES_SHOWN)
                    .map(|name| format!("`{}`", plain_line(name, NAME_SHOWN)))
                    .collect();
                names.join(" and ")
            })
            .collect();
        let has_pairs = needed.iter().any(|names| names.len() > 1);
        let what = match (&*needed, has_pairs) {
            ([], _) => return None,
            ([_], false) => "its credential",
            ([_], true) => "their credentials",
            (_, false) => "one of these credentials",
            (_, true) => "the credentials of one of these",
        };
        // The comma keeps `a, or b and c` apart from `a or b, and c`.
        let or = if has_pairs { ", or " } else { " or " };
        Some(format!("{}; the operator sets {what}", shown.join(or)))
    }
}

impl Credentials {
    pub(super) fn insert(&mut self, scheme: String, secret: String) {
        self.0.insert(scheme, secret);
    }
}

impl SentCredentials {
    fn add(&mut self, scheme: &SecurityScheme, secret: &str) {
        let authorization = |text: String| ("authorization".to_owned(), text);
        match scheme {
            SecurityScheme::Basic => self
                .headers
                .push(authorization(format!("Basic {}", STANDARD.encode(secret)))),
            SecurityScheme::Bearer => self.headers.push(authorization(format!("Bearer {secret}"))),
            SecurityScheme::ApiKey { place, name } => match place {
                ParameterPlace::Query => {
                    self.query
                        .push(format!("{}={}", encoded(name), encoded(secret)));
                }
                ParameterPlace::Cookie => {
                    self.cookies
                        .push(format!("{}={}", encoded(name), cookie_value(secret)));
                }
                ParameterPlace::Header | ParameterPlace::Path => {
                    self.headers.push((name.clone(), secret.to_owned()));
                }
            },
            SecurityScheme::Other(_) => {}
        }
    }
}

/// Returns a value of a cookie. The characters that a cookie cannot have are encoded, and no others:
/// servers compare the value as it arrives, and many do not decode it.
fn cookie_value(secret: &str) -> String {
    utf8_percent_encode(secret, NOT_IN_COOKIES).to_string()
}

fn requirement(value: Option<&Value>) -> Option<SecurityRequirement> {
    let alternatives = value?.as_array()?.iter().filter_map(Value::as_object);
    Some(
        alternatives
            .map(|alternative| alternative.keys().cloned().collect())
            .collect(),
    )
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;
    use serde_json::json;

    fn schemes() -> SecuritySchemes {
        let document = json!({
            "openapi": "3.0.0", "security": [{ "token": [] }],
            "components": { "securitySchemes": {
                "token": { "type": "oauth2" }, "user": { "type": "http", "scheme": "Basic" },
                "key": { "type": "apiKey", "in": "header", "name": "X-Key" },
                "query": { "type": "apiKey", "in": "query", "name": "k&" },
                "cookie": { "type": "apiKey", "in": "cookie", "name": "sid" },
                "tls": { "type": "mutualTLS" },
            } },
        });
        SecuritySchemes::read(&Document::from_text(&document.to_string()).unwrap())
    }

    fn sent(security: Value, own: &[(&str, &str)]) -> SentCredentials {
        let schemes = schemes();
        let operation = json!({ "security": security });
        let required = schemes.required_by(operation.as_object().unwrap());
        let mut credentials = Credentials::default();
        for (name, secret) in own {
            schemes.check(name, secret).unwrap();
            credentials.insert((*name).to_owned(), (*secret).to_owned());
        }
        schemes.sent(&required, &credentials)
    }

    #[test]
    fn the_first_alternative_with_all_credentials_is_sent() {
        let security = json!([{ "token": [] }, { "key": [], "query": [], "cookie": [] }, {}]);
        let all = [("key", "a"), ("query", "b="), ("cookie", "c;+/==%3D")];
        let carried = sent(security.clone(), &all);
        assert_eq!(carried.headers, [("X-Key".to_owned(), "a".to_owned())]);
        assert_eq!(carried.query, ["k%26=b%3D"]);
        assert_eq!(carried.cookies, ["sid=c%3B+/==%3D"]);
        let carried = sent(security.clone(), &[("token", "t"), ("key", "a")]);
        assert_eq!(
            carried.headers,
            [("authorization".to_owned(), "Bearer t".to_owned())]
        );
        let carried = sent(json!([{ "user": [] }]), &[("user", "a:b")]);
        assert_eq!(
            carried.headers,
            [("authorization".to_owned(), "Basic YTpi".to_owned())]
        );
        assert!(sent(security, &[("key", "a")]).headers.is_empty());
        // No security at all, so no credential leaves.
        assert!(sent(json!([]), &[("token", "t")]).headers.is_empty());
    }

    #[test]
    fn credentials_that_cannot_be_sent_are_refused() {
        for (name, secret, part) in [
            ("other", "x", "it has `cookie`, `key`"),
            ("tls", "x", "more than one text"),
            ("user", "x", "NAME:PASSWORD"),
            ("key", "a\r\nX-Admin: 1", "line break"),
            ("token", "", "empty"),
        ] {
            let error = schemes().check(name, secret).unwrap_err().to_string();
            assert!(error.contains(part), "{error}");
        }
        let mut credentials = Credentials::default();
        credentials.insert("key".to_owned(), "hunter2".to_owned());
        assert_eq!(format!("{credentials:?}"), r#"{"key"}"#);
    }
}
