//! The body of a request: JSON, a form, a text or bytes.

use super::{
    document::Document,
    object::{Object, text_of},
    serialization::{Serialization, plain},
};
use crate::digest::hex::Hex;
use base64::{Engine, engine::general_purpose::STANDARD};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// How a body is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BodyKind {
    Json,
    Form,
    Multipart,
    Text,
    Binary,
}

impl BodyKind {
    pub(super) fn parse(media: &str) -> Self {
        let media = media.split(';').next().unwrap_or_default().trim();
        match &*media.to_ascii_lowercase() {
            "application/x-www-form-urlencoded" => Self::Form,
            "multipart/form-data" => Self::Multipart,
            "*/*" | "application/json" => Self::Json,
            media if media.ends_with("+json") || media.ends_with("/json") => Self::Json,
            media if media.starts_with("text/") || media.ends_with("xml") => Self::Text,
            "application/x-ndjson" | "application/yaml" | "application/graphql" => Self::Text,
            _ => Self::Binary,
        }
    }

    /// Returns whether the value of the body is JSON, and not a text.
    pub(super) const fn is_structured(self) -> bool {
        self.takes_properties()
    }

    /// Returns whether the properties of the body's schema can be arguments.
    pub(super) const fn takes_properties(self) -> bool {
        matches!(self, Self::Json | Self::Form | Self::Multipart)
    }
}

/// Where the values of a body are among the arguments.
#[derive(Debug, Clone)]
pub(super) enum BodyShape {
    /// Each property is an argument.
    Properties {
        /// The properties by argument.
        properties: BTreeMap<String, String>,
        /// Whether other arguments are properties, too.
        takes_more: bool,
    },
    /// One argument is the body.
    Whole { argument: String },
}

/// How the fields of a form are written.
#[derive(Debug, Clone, Default)]
pub(super) struct FormFields {
    styles: BTreeMap<String, Serialization>,
    /// Fields with files. Their values are base64.
    files: BTreeMap<String, String>,
}

impl FormFields {
    pub(super) fn read(document: &Document, merged: &Object, media_type: &Object) -> Self {
        let mut fields = Self::default();
        let encodings = media_type.get("encoding").and_then(Value::as_object);
        let properties = merged.get("properties").and_then(Value::as_object);
        for (name, schema) in properties.into_iter().flatten() {
            let encoding = encodings.and_then(|all| all.get(name)?.as_object());
            if encoding.is_some() {
                let style = Serialization::of_form(encoding);
                fields.styles.insert(name.clone(), style);
            }
            if let Some(schema) = file_schema(document, schema) {
                let media = encoding
                    .and_then(|encoding| text_of(encoding, "contentType"))
                    .or(text_of(&schema, "contentMediaType"))
                    .filter(|media| is_media_type(media))
                    .unwrap_or("application/octet-stream");
                fields.files.insert(name.clone(), media.to_owned());
            }
        }
        fields
    }

    pub(super) fn has_files(&self) -> bool {
        !self.files.is_empty()
    }
}

/// Returns the schema of the file that a field of a form is, or of those that it lists.
fn file_schema(document: &Document, schema: &Value) -> Option<Object> {
    let schema = document.merged(schema);
    if is_file(&schema) {
        return Some(schema);
    }
    let items = document.merged(schema.get("items")?);
    is_file(&items).then_some(items)
}

fn is_file(schema: &Object) -> bool {
    text_of(schema, "format") == Some("binary")
        || text_of(schema, "type") == Some("file")
        || schema.contains_key("contentMediaType")
}

/// Returns the schema of a form whose files are texts in base64, as arguments have them.
pub(super) fn with_files_as_base64(document: &Document, form: &Object) -> Object {
    let mut form = form.clone();
    let properties = form.get_mut("properties").and_then(Value::as_object_mut);
    for schema in properties.into_iter().flat_map(|all| all.values_mut()) {
        if let Some(file) = file_schema(document, schema) {
            let about = text_of(&file, "description").map(|about| format!("{about} In base64."));
            let file = json!({
                "type": "string",
                "contentEncoding": "base64",
                "description": about.as_deref().unwrap_or("A file in base64."),
            });
            let whole = document.merged(schema);
            *schema = if is_file(&whole) {
                file
            } else {
                let mut list = whole;
                list.insert("items".to_owned(), file);
                Value::Object(list)
            };
        }
    }
    form
}

/// Returns whether a text is one media type, without a list or a wildcard.
pub(super) fn is_media_type(media: &str) -> bool {
    media.len() <= 100
        && media.contains('/')
        && media
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"/.+-_;= ".contains(&byte))
}

/// The body of an operation.
#[derive(Debug, Clone)]
pub(super) struct BodyPlan {
    pub(super) media: String,
    pub(super) kind: BodyKind,
    pub(super) shape: BodyShape,
    pub(super) fields: FormFields,
    pub(super) is_required: bool,
}

/// The media type and the bytes of a body.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct EncodedBody {
    pub(super) media: String,
    pub(super) bytes: Vec<u8>,
}

impl BodyPlan {
    /// Returns whether arguments that the schema does not list are sent, too.
    pub(super) fn takes_more(&self) -> bool {
        matches!(self.shape, BodyShape::Properties { takes_more, .. } if takes_more)
    }

    /// Returns the body for these arguments, without those of parameters. Returns `None` if it is
    /// optional and no argument belongs to it.
    ///
    /// # Errors
    ///
    /// Returns the argument at fault, with the reason.
    pub(super) fn encode(
        &self,
        arguments: &Object,
        is_parameter: impl Fn(&str) -> bool,
    ) -> Result<Option<EncodedBody>, (String, &'static str)> {
        let value = match &self.shape {
            BodyShape::Whole { argument } => {
                let Some(value) = arguments.get(argument) else {
                    return Ok(None);
                };
                return self.encode_value(argument, value.clone()).map(Some);
            }
            BodyShape::Properties {
                properties,
                takes_more,
            } => {
                let mut object = Object::new();
                for (argument, value) in arguments {
                    match properties.get(argument) {
                        Some(name) => drop(object.insert(name.clone(), value.clone())),
                        None if *takes_more && !is_parameter(argument) => {
                            object.insert(argument.clone(), value.clone());
                        }
                        None => {}
                    }
                }
                object
            }
        };
        if value.is_empty() && !self.is_required {
            return Ok(None);
        }
        self.encode_value("body", Value::Object(value)).map(Some)
    }

    fn encode_value(
        &self,
        argument: &str,
        value: Value,
    ) -> Result<EncodedBody, (String, &'static str)> {
        let media = match &*self.media {
            "*/*" | "application/*" => "application/json",
            media => media,
        }
        .to_owned();
        Ok(match self.kind {
            BodyKind::Json => EncodedBody {
                media,
                bytes: value.to_string().into_bytes(),
            },
            BodyKind::Text => EncodedBody {
                media,
                bytes: plain(&value).into_bytes(),
            },
            BodyKind::Binary => EncodedBody {
                media,
                bytes: decode(argument, &value)?,
            },
            BodyKind::Form => EncodedBody {
                media,
                bytes: self.form(&value).into_bytes(),
            },
            BodyKind::Multipart => self.multipart(&value)?,
        })
    }

    fn form(&self, value: &Value) -> String {
        let default = Serialization::of_form(None);
        let mut pairs = Vec::new();
        for (name, value) in value.as_object().into_iter().flatten() {
            let style = self.fields.styles.get(name).unwrap_or(&default);
            style.add_pairs(&mut pairs, name, value);
        }
        pairs.join("&")
    }

    fn multipart(&self, value: &Value) -> Result<EncodedBody, (String, &'static str)> {
        let mut random = [0_u8; 16];
        let failed = |_| {
            (
                "body".to_owned(),
                "needs randomness, which this machine has not",
            )
        };
        getrandom::fill(&mut random).map_err(failed)?;
        let boundary = Hex(&random).to_string();
        let mut bytes = Vec::new();
        for (name, value) in value.as_object().into_iter().flatten() {
            let values = match value {
                Value::Array(values) => values.as_slice(),
                value => std::slice::from_ref(value),
            };
            for value in values {
                let head = format!(
                    "--{boundary}\r\nContent-Disposition: form-data; name=\"{}\"",
                    quoted(name)
                );
                bytes.extend_from_slice(head.as_bytes());
                match self.fields.files.get(name) {
                    Some(media) => {
                        let head =
                            format!("; filename=\"{}\"\r\nContent-Type: {media}", quoted(name));
                        bytes.extend_from_slice(head.as_bytes());
                        bytes.extend_from_slice(b"\r\n\r\n");
                        bytes.extend(decode(name, value)?);
                    }
                    None => {
                        if matches!(value, Value::Object(_) | Value::Array(_)) {
                            bytes.extend_from_slice(b"\r\nContent-Type: application/json");
                        }
                        bytes.extend_from_slice(b"\r\n\r\n");
                        bytes.extend_from_slice(plain(value).as_bytes());
                    }
                }
                bytes.extend_from_slice(b"\r\n");
            }
        }
        bytes.extend_from_slice(format!("--{boundary}--\r\n").as_bytes());
        Ok(EncodedBody {
            media: format!("multipart/form-data; boundary={boundary}"),
            bytes,
        })
    }
}

/// Returns a name within quotation marks (RFC 7578, as HTML encodes it).
fn quoted(name: &str) -> String {
    name.replace('"', "%22")
        .replace('\r', "%0D")
        .replace('\n', "%0A")
}

fn decode(name: &str, value: &Value) -> Result<Vec<u8>, (String, &'static str)> {
    let text = plain(value);
    STANDARD
        .decode(text.trim())
        .map_err(|_| (name.to_owned(), "is not base64, which files are sent as"))
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;

    fn plan(media: &str, files: &[&str]) -> BodyPlan {
        let names = ["a", "b_c"].map(|name| (name.to_owned(), name.replace('_', "[")));
        let file = |name: &&str| ((*name).to_owned(), "image/png".to_owned());
        BodyPlan {
            media: media.to_owned(),
            kind: BodyKind::parse(media),
            shape: BodyShape::Properties {
                properties: BTreeMap::from(names),
                takes_more: false,
            },
            fields: FormFields {
                styles: BTreeMap::new(),
                files: files.iter().map(file).collect(),
            },
            is_required: false,
        }
    }

    fn encoded(plan: &BodyPlan, arguments: Value) -> String {
        let body = plan.encode(arguments.as_object().unwrap(), |_| false);
        String::from_utf8(body.unwrap().unwrap().bytes).unwrap()
    }

    #[test]
    fn properties_get_their_own_names_back() {
        let arguments = json!({ "a": [1, 2], "b_c": "x&y", "other": 1 });
        let json = encoded(&plan("application/json", &[]), arguments.clone());
        assert_eq!(json, r#"{"a":[1,2],"b[c":"x&y"}"#);
        let form = encoded(&plan("application/x-www-form-urlencoded", &[]), arguments);
        assert_eq!(form, "a=1&a=2&b%5Bc=x%26y");
    }

    #[test]
    fn an_optional_body_without_arguments_is_not_sent() {
        let body = plan("application/json", &[]).encode(&Object::new(), |_| false);
        assert_eq!(body, Ok(None));
        let mut required = plan("application/json", &[]);
        required.is_required = true;
        assert_eq!(encoded(&required, json!({})), "{}");
    }

    #[test]
    fn files_of_a_form_are_bytes() {
        let arguments = json!({ "a": "AAEC", "b_c": { "x": 1 } });
        let arguments = arguments.as_object().unwrap();
        let body = plan("multipart/form-data", &["a"]).encode(arguments, |_| false);
        let body = body.unwrap().unwrap();
        let boundary = body.media.split_once("boundary=").unwrap().1;
        let expected = format!(
            "--{boundary}\r\nContent-Disposition: form-data; name=\"a\"; filename=\"a\"\r\nContent-Type: image/png\r\n\r\n\
             \u{0}\u{1}\u{2}\r\n--{boundary}\r\nContent-Disposition: form-data; name=\"b[c\"\r\nContent-Type: application/json\r\n\r\n\
             {{\"x\":1}}\r\n--{boundary}--\r\n"
        );
        assert_eq!(String::from_utf8(body.bytes).unwrap(), expected);
        let wrong = json!({ "a": "?" });
        let refused =
            plan("multipart/form-data", &["a"]).encode(wrong.as_object().unwrap(), |_| false);
        assert_eq!(refused.unwrap_err().0, "a");
    }
}
