//! The comment at the beginning of a program's file: its summary, its description, and its tags.

use super::parameter::{Parameter, one_line, parse_parameter};
use serde_json::{Value, json};

/// The tags, for messages.
const TAGS: &str = "`@param {type} name - text`, `@input {JSON Schema}`, `@output {JSON Schema}`, `@readonly`, \
                    `@scope name` and `@example {arguments}`";

/// A mistake: its line, from 1, and the correction.
pub(super) type Mistake = (u32, String);

/// The content of the comment.
#[derive(Debug, PartialEq)]
pub(super) struct ProgramHeader {
    pub(super) summary: String,
    pub(super) description: String,
    pub(super) input_schema: Value,
    pub(super) output_schema: Option<Value>,
    pub(super) examples: Vec<(String, Value)>,
    pub(super) is_read_only: bool,
    pub(super) scopes: Vec<String>,
}

/// A tag with its text, which may have several lines.
#[derive(Debug)]
struct HeaderTag<'a> {
    line: u32,
    name: &'a str,
    text: String,
}

/// Parses the comment at the beginning of a program.
///
/// # Errors
///
/// Returns the first mistake.
pub(super) fn parse(source: &str) -> Result<ProgramHeader, Mistake> {
    // Some editors begin a file with a byte order mark.
    let code = source.trim_start_matches('\u{feff}').trim_start();
    let first = line_at(source, source.len() - code.len());
    let Some(body) = code.strip_prefix("/**") else {
        return Err((
            first,
            "begin the file with a comment about the tool: `/** What it does in one line */`"
                .into(),
        ));
    };
    let Some((comment, _)) = body.split_once("*/") else {
        return Err((first, "the comment has no end; write `*/` after it".into()));
    };
    let (texts, tags) = split(comment, first);
    let mut texts = texts.into_iter().skip_while(|text| text.is_empty());
    let Some(summary) = texts.next() else {
        return Err((
            first,
            "the comment has no summary; describe in its first line what the tool does".into(),
        ));
    };
    let description = texts.collect::<Vec<_>>().join("\n").trim().to_owned();
    let mut header = ProgramHeader {
        summary: summary.to_owned(),
        description,
        input_schema: Value::Null,
        output_schema: None,
        examples: Vec::new(),
        is_read_only: false,
        scopes: Vec::new(),
    };
    read_tags(&tags, &mut header)?;
    Ok(header)
}

/// Returns the number of the line at a byte offset, from 1.
pub(super) fn line_at(source: &str, offset: usize) -> u32 {
    let before = source.as_bytes().get(..offset).unwrap_or_default();
    u32::try_from(before.iter().filter(|byte| **byte == b'\n').count() + 1).unwrap_or(u32::MAX)
}

/// Splits a comment into the lines before its first tag, and its tags.
fn split(comment: &str, first: u32) -> (Vec<&str>, Vec<HeaderTag<'_>>) {
    let mut texts = Vec::new();
    let mut tags = Vec::<HeaderTag<'_>>::new();
    for (line, text) in (first..).zip(comment.lines()) {
        let text = text.trim_start();
        let text = text.strip_prefix('*').unwrap_or(text);
        // One space belongs to the comment. Further ones indent Markdown.
        let text = text.strip_prefix(' ').unwrap_or(text).trim_end();
        if let Some(tag) = text.trim_start().strip_prefix('@') {
            let (name, rest) = tag.split_at(
                tag.find(|c: char| !c.is_ascii_alphanumeric())
                    .unwrap_or(tag.len()),
            );
            tags.push(HeaderTag {
                line,
                name,
                text: rest.trim_start().to_owned(),
            });
        } else if let Some(tag) = tags.last_mut() {
            tag.text.push('\n');
            tag.text.push_str(text);
        } else {
            texts.push(text);
        }
    }
    (texts, tags)
}

fn read_tags(tags: &[HeaderTag<'_>], header: &mut ProgramHeader) -> Result<(), Mistake> {
    let mut parameters: Vec<Parameter> = Vec::new();
    for tag in tags {
        match tag.name {
            "param" => {
                let parameter =
                    parse_parameter(&tag.text).map_err(|message| (tag.line, message))?;
                if parameters.iter().any(|other| other.name == parameter.name) {
                    return Err((
                        tag.line,
                        format!("`{}` is there twice; keep one", parameter.name),
                    ));
                }
                parameters.push(parameter);
            }
            "input" if header.input_schema.is_null() => header.input_schema = json_object(tag)?.0,
            "output" if header.output_schema.is_none() => {
                header.output_schema = Some(json_object(tag)?.0)
            }
            "example" => {
                let (arguments, description) = json_object(tag)?;
                header.examples.push((description, arguments));
            }
            "readonly" if tag.text.trim().is_empty() => header.is_read_only = true,
            "readonly" => {
                return Err((
                    tag.line,
                    "`@readonly` has no text; write texts before the first tag".into(),
                ));
            }
            "scope" if tag.text.split_whitespace().count() == 1 => {
                header.scopes.push(tag.text.trim().to_owned())
            }
            "scope" => return Err((tag.line, "write one scope: `@scope name`".into())),
            "input" | "output" => {
                return Err((tag.line, format!("a second `@{}`; keep one", tag.name)));
            }
            other => {
                return Err((
                    tag.line,
                    format!("no such tag: `@{other}`; there are {TAGS}"),
                ));
            }
        }
    }
    if header.input_schema.is_null() {
        header.input_schema = input_schema(parameters);
    } else if let Some(tag) = tags.iter().find(|tag| tag.name == "param") {
        return Err((
            tag.line,
            "`@input` describes all arguments; leave out `@param`, or `@input`".into(),
        ));
    }
    Ok(())
}

/// Reads the object at the beginning of a tag's text, and the text after it.
fn json_object(tag: &HeaderTag<'_>) -> Result<(Value, String), Mistake> {
    // A stream ends after one value, so text may follow it.
    let mut values = serde_json::Deserializer::from_str(&tag.text).into_iter::<Value>();
    match values.next() {
        Some(Ok(value @ Value::Object(_))) => {
            let rest = tag.text.get(values.byte_offset()..).unwrap_or_default();
            Ok((value, one_line(rest)))
        }
        Some(Err(error)) => {
            // The parser counts lines from the beginning of the tag.
            let line = tag
                .line
                .saturating_add(u32::try_from(error.line().saturating_sub(1)).unwrap_or(0));
            Err((
                line,
                format!("`@{}` needs a JSON object: {error}", tag.name),
            ))
        }
        _ => Err((
            tag.line,
            format!(
                "`@{0}` needs a JSON object: `@{0} {{\"key\": …}}`",
                tag.name
            ),
        )),
    }
}

fn input_schema(parameters: Vec<Parameter>) -> Value {
    let required: Vec<Value> = parameters
        .iter()
        .filter(|one| !one.is_optional)
        .map(|one| one.name.as_str().into())
        .collect();
    let properties: serde_json::Map<_, _> = parameters
        .into_iter()
        .map(|one| (one.name, one.schema))
        .collect();
    let mut schema =
        json!({ "type": "object", "properties": properties, "additionalProperties": false });
    if let (Value::Object(schema), false) = (&mut schema, required.is_empty()) {
        schema.insert("required".to_owned(), required.into());
    }
    schema
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    #[test]
    fn a_comment_describes_a_tool() {
        let header = parse(
            r#"
/**
 * Count commits by author
 *
 * Reads the log once.
 * - merges count
 *
 * @param {string} path - The path
 *   in the repository
 * @param {string[]} [authors] - Only these
 * @param {integer} [limit=50]
 * @param {"day"|"week"} [by=day] - The period
 * @readonly
 * @scope git:read
 * @example {"path": "src",
 *   "limit": 3} - The last three
 */
return 1;"#,
        )
        .unwrap();
        assert_eq!(header.summary, "Count commits by author");
        assert_eq!(header.description, "Reads the log once.\n- merges count");
        assert!(header.is_read_only);
        assert_eq!(header.scopes, ["git:read"]);
        assert_eq!(
            header.examples,
            [(
                "The last three".to_owned(),
                json!({ "path": "src", "limit": 3 })
            )]
        );
        let expected = json!({
            "type": "object",
            "properties": {
                "path": { "type": "string", "description": "The path in the repository" },
                "authors": { "type": "array", "items": { "type": "string" }, "description": "Only these" },
                "limit": { "type": "integer", "default": 50 },
                "by": { "type": "string", "enum": ["day", "week"], "description": "The period", "default": "day" },
            },
            "additionalProperties": false,
            "required": ["path"],
        });
        assert_eq!(header.input_schema, expected);
        let header =
            parse("/** Add\n @input {\"type\": \"object\", \"minProperties\": 1}\n @output {} */")
                .unwrap();
        assert_eq!(
            header.input_schema,
            json!({ "type": "object", "minProperties": 1 })
        );
        assert_eq!(header.output_schema, Some(json!({})));
    }

    #[test]
    fn a_mistake_has_its_line_and_its_correction() {
        for (source, line, part) in [
            ("return 1", 1, "`/** What it does in one line */`"),
            ("\n\n/** Add", 3, "write `*/`"),
            ("/**\n *\n * @readonly */", 1, "no summary"),
            (
                "/** Add\n * @parm {string} a\n */",
                2,
                "no such tag: `@parm`; there are `@param {type} name - text`",
            ),
            (
                "/** Add\n * @param string a\n */",
                2,
                "write `@param {string} a - text`",
            ),
            (
                "/** Add\n * @param {strin} a\n */",
                2,
                "unknown type `strin`; write `string`",
            ),
            (
                "/** Add\n * @param {integer} [a=x]\n */",
                2,
                "the default of `a` is not JSON",
            ),
            ("/** Add\n * @param {string} [a\n */", 2, "write `[a]`"),
            (
                "/** Add\n * @param {string} a\n * @param {string} a */",
                3,
                "`a` is there twice",
            ),
            (
                "/** Add\n * @example {\"a\":\n *   1,}\n */",
                3,
                "`@example` needs a JSON object",
            ),
            ("/** Add\n * @example 1 */", 2, "`@example {\"key\": …}`"),
            (
                "/** Add\n * @param {string} a\n * @input {} */",
                2,
                "leave out `@param`",
            ),
            ("/** Add\n * @readonly always */", 2, "has no text"),
        ] {
            let (found, message) = parse(source).unwrap_err();
            assert_eq!(found, line, "{source}: {message}");
            assert!(message.contains(part), "{source}: {message}");
        }
    }
}
