//! Parameters as the texts of a path, a query, a header or a cookie (OpenAPI 3, style values).

use super::object::{Object, is_true, text_of};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::Value;

/// What is encoded everywhere: all but the unreserved characters of RFC 3986.
const RESERVED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');
/// Returns a text that is one part of a URL, whatever it contains.
pub(super) fn encoded(text: &str) -> String {
    utf8_percent_encode(text, RESERVED).to_string()
}

/// What is encoded in the query if a parameter has `allowReserved`. The characters that separate
/// parameters are encoded all the same, so that no value becomes another parameter.
const SEPARATORS: &AsciiSet = &RESERVED
    .remove(b':')
    .remove(b'/')
    .remove(b'?')
    .remove(b'@')
    .remove(b'!')
    .remove(b'$')
    .remove(b'\'')
    .remove(b'(')
    .remove(b')')
    .remove(b'*')
    .remove(b',')
    .remove(b';');

/// The place of a parameter in a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum ParameterPlace {
    Path,
    Query,
    Header,
    Cookie,
}

impl ParameterPlace {
    pub(super) fn parse(text: &str) -> Option<Self> {
        Some(match text {
            "path" => Self::Path,
            "query" => Self::Query,
            "header" => Self::Header,
            "cookie" => Self::Cookie,
            _ => return None,
        })
    }

    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::Path => "path",
            Self::Query => "query",
            Self::Header => "header",
            Self::Cookie => "cookie",
        }
    }
}

/// How a list or an object becomes a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ParameterStyle {
    Simple,
    Label,
    Matrix,
    Form,
    SpaceDelimited,
    PipeDelimited,
    DeepObject,
    /// The parameter has `content`: its value is one JSON text.
    Json,
}

/// How one parameter is written.
#[derive(Debug, Clone)]
pub(super) struct Serialization {
    style: ParameterStyle,
    explode: bool,
    allows_reserved: bool,
}

impl Serialization {
    /// Reads the style of a parameter object.
    pub(super) fn new(place: ParameterPlace, parameter: &Object) -> Self {
        let style = match text_of(parameter, "style") {
            _ if parameter.contains_key("content") => ParameterStyle::Json,
            Some("label") => ParameterStyle::Label,
            Some("matrix") => ParameterStyle::Matrix,
            Some("spaceDelimited") => ParameterStyle::SpaceDelimited,
            Some("pipeDelimited") => ParameterStyle::PipeDelimited,
            Some("deepObject") => ParameterStyle::DeepObject,
            _ => match place {
                ParameterPlace::Path | ParameterPlace::Header => ParameterStyle::Simple,
                ParameterPlace::Query | ParameterPlace::Cookie => ParameterStyle::Form,
            },
        };
        // `form` alone explodes by default.
        let explode = parameter.get("explode").and_then(Value::as_bool);
        Self {
            style,
            explode: explode.unwrap_or(style == ParameterStyle::Form),
            allows_reserved: is_true(parameter, "allowReserved"),
        }
    }

    /// The default of a property in a form (`application/x-www-form-urlencoded`).
    pub(super) fn of_form(encoding: Option<&Object>) -> Self {
        Self::new(ParameterPlace::Query, encoding.unwrap_or(&Object::new()))
    }

    /// Returns a value as a part of a path. No value can leave its segment.
    ///
    /// # Errors
    ///
    /// Returns an error for a text that a URL reads as another path: an empty one, `.` and `..`.
    pub(super) fn path_text(&self, name: &str, value: &Value) -> Result<String, &'static str> {
        let encode = |text: &str| utf8_percent_encode(text, RESERVED).to_string();
        let name = encode(name);
        let text = match self.style {
            ParameterStyle::Json => encode(&value.to_string()),
            ParameterStyle::Label => {
                let separator = if self.explode { "." } else { "," };
                format!(".{}", joined(value, separator, self.explode, &encode))
            }
            ParameterStyle::Matrix if self.explode => match value {
                Value::Object(members) => members
                    .iter()
                    .map(|(key, value)| format!(";{}={}", encode(key), encode(&plain(value))))
                    .collect(),
                Value::Array(values) => values
                    .iter()
                    .map(|value| format!(";{name}={}", encode(&plain(value))))
                    .collect(),
                value => format!(";{name}={}", encode(&plain(value))),
            },
            ParameterStyle::Matrix => {
                format!(";{name}={}", joined(value, ",", false, &encode))
            }
            _ => joined(value, ",", self.explode, &encode),
        };
        match &*text {
            "" => Err("is empty, and a path needs a value there"),
            "." | ".." => Err("is a step in a path, and not a name"),
            _ => Ok(text),
        }
    }

    /// Returns a value as the text of a header or a cookie, not encoded.
    pub(super) fn header_text(&self, value: &Value) -> String {
        match self.style {
            ParameterStyle::Json => value.to_string(),
            _ => joined(value, ",", self.explode, &str::to_owned),
        }
    }

    /// Returns whether the pairs of an object have the names of its members.
    pub(super) fn has_names_of_members(&self) -> bool {
        self.explode
            && !matches!(
                self.style,
                ParameterStyle::Json | ParameterStyle::DeepObject
            )
    }

    /// Adds a value to the pairs of a query or a form, encoded.
    pub(super) fn add_pairs(&self, pairs: &mut Vec<String>, name: &str, value: &Value) {
        let set = if self.allows_reserved {
            SEPARATORS
        } else {
            RESERVED
        };
        let encode = |text: &str| utf8_percent_encode(text, set).to_string();
        let key = utf8_percent_encode(name, RESERVED).to_string();
        let separator = match self.style {
            ParameterStyle::SpaceDelimited => "%20",
            ParameterStyle::PipeDelimited => "%7C",
            _ => ",",
        };
        match value {
            _ if self.style == ParameterStyle::Json => {
                pairs.push(format!("{key}={}", encode(&value.to_string())));
            }
            Value::Array(values) if self.explode || self.style == ParameterStyle::DeepObject => {
                let values = values.iter().map(|value| encode(&plain(value)));
                pairs.extend(values.map(|value| format!("{key}={value}")));
            }
            Value::Object(members) if self.style == ParameterStyle::DeepObject => {
                deep_pairs(pairs, &key, members, &encode);
            }
            Value::Object(members) if self.explode => {
                pairs.extend(members.iter().map(|(own, value)| {
                    let own = utf8_percent_encode(own, RESERVED);
                    format!("{own}={}", encode(&plain(value)))
                }));
            }
            Value::Array(_) | Value::Object(_) => {
                pairs.push(format!(
                    "{key}={}",
                    joined(value, separator, false, &encode)
                ));
            }
            value => pairs.push(format!("{key}={}", encode(&plain(value)))),
        }
    }
}

/// Adds `name[key]=value` for each member. Servers with deeper objects read further brackets.
fn deep_pairs(
    pairs: &mut Vec<String>,
    key: &str,
    members: &Object,
    encode: &impl Fn(&str) -> String,
) {
    for (own, value) in members {
        let key = format!("{key}%5B{}%5D", utf8_percent_encode(own, RESERVED));
        match value {
            Value::Object(inner) => deep_pairs(pairs, &key, inner, encode),
            Value::Array(values) => pairs.extend(
                values
                    .iter()
                    .map(|value| format!("{key}={}", encode(&plain(value)))),
            ),
            value => pairs.push(format!("{key}={}", encode(&plain(value)))),
        }
    }
}

/// Returns a list or an object as one text. Each part is encoded, and the separators are not.
fn joined(
    value: &Value,
    separator: &str,
    explode: bool,
    encode: &impl Fn(&str) -> String,
) -> String {
    let parts: Vec<String> = match value {
        Value::Array(values) => values.iter().map(|value| encode(&plain(value))).collect(),
        Value::Object(members) => {
            let between = if explode { "=" } else { separator };
            let pair = |(key, value): (&String, &Value)| {
                format!("{}{between}{}", encode(key), encode(&plain(value)))
            };
            members.iter().map(pair).collect()
        }
        value => vec![encode(&plain(value))],
    };
    parts.join(separator)
}

/// Returns a value as a text: a text as it is, and any other value as JSON.
pub(super) fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        value => value.to_string(),
    }
}

/// Returns whether a text can be the value of a header.
pub(super) fn is_header_text(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b' '..=b'~'))
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;
    use serde_json::json;

    fn serialization(place: ParameterPlace, parameter: Value) -> Serialization {
        Serialization::new(place, parameter.as_object().unwrap())
    }

    #[test]
    fn styles_of_a_path_are_those_of_the_specification() {
        let list = json!(["blue", "black"]);
        let object = json!({ "R": 100, "G": 200 });
        for (style, explode, of_list, of_object) in [
            ("simple", false, "blue,black", "R,100,G,200"),
            ("simple", true, "blue,black", "R=100,G=200"),
            ("label", false, ".blue,black", ".R,100,G,200"),
            ("label", true, ".blue.black", ".R=100.G=200"),
            ("matrix", false, ";color=blue,black", ";color=R,100,G,200"),
            ("matrix", true, ";color=blue;color=black", ";R=100;G=200"),
        ] {
            let parameter = json!({ "style": style, "explode": explode });
            let own = serialization(ParameterPlace::Path, parameter);
            assert_eq!(own.path_text("color", &list).unwrap(), of_list);
            assert_eq!(own.path_text("color", &object).unwrap(), of_object);
        }
    }

    #[test]
    fn styles_of_a_query_are_those_of_the_specification() {
        let list = json!(["a b", "c"]);
        let object = json!({ "R": 100, "x": { "y": "&" } });
        for (parameter, of_list, of_object) in [
            (
                json!({}),
                "color=a%20b&color=c",
                "R=100&x=%7B%22y%22%3A%22%26%22%7D",
            ),
            (
                json!({ "explode": false }),
                "color=a%20b,c",
                "color=R,100,x,%7B%22y%22%3A%22%26%22%7D",
            ),
            (
                json!({ "style": "spaceDelimited" }),
                "color=a%20b%20c",
                "color=R%20100%20x%20%7B%22y%22%3A%22%26%22%7D",
            ),
            (
                json!({ "style": "pipeDelimited", "explode": false }),
                "color=a%20b%7Cc",
                "color=R%7C100%7Cx%7C%7B%22y%22%3A%22%26%22%7D",
            ),
            (
                json!({ "style": "deepObject", "explode": true }),
                "color=a%20b&color=c",
                "color%5BR%5D=100&color%5Bx%5D%5By%5D=%26",
            ),
        ] {
            let own = serialization(ParameterPlace::Query, parameter);
            for (value, expected) in [(&list, of_list), (&object, of_object)] {
                let mut pairs = Vec::new();
                own.add_pairs(&mut pairs, "color", value);
                assert_eq!(pairs.join("&"), expected);
            }
        }
    }

    #[test]
    fn no_value_leaves_its_segment_or_becomes_another_parameter() {
        let path = serialization(ParameterPlace::Path, json!({}));
        for (text, encoded) in [
            ("a/b", "a%2Fb"),
            ("../admin", "..%2Fadmin"),
            ("a?b#c", "a%3Fb%23c"),
            ("%2e%2e", "%252e%252e"),
            ("a\\b;c\n", "a%5Cb%3Bc%0A"),
        ] {
            assert_eq!(path.path_text("x", &json!(text)).unwrap(), encoded);
        }
        for text in [".", "..", ""] {
            assert!(path.path_text("x", &json!(text)).is_err(), "{text}");
        }
        let query = serialization(ParameterPlace::Query, json!({ "allowReserved": true }));
        let mut pairs = Vec::new();
        query.add_pairs(&mut pairs, "a&b=", &json!("x/y?z&admin=1#f+ %"));
        assert_eq!(pairs, ["a%26b%3D=x/y?z%26admin%3D1%23f%2B%20%25"]);
    }
}
