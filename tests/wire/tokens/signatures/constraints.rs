//! What a schema demands, collected without knowing how signatures are made: each word and value that has to be found in one.

use serde_json::Value;

/// One demand.
pub(crate) enum Constraint {
    /// A property, which may be left out or not.
    Property { name: String, is_required: bool },
    /// A text that has to stand there, for this keyword.
    Text { keyword: String, text: String },
}

impl std::fmt::Display for Constraint {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Property { name, is_required } => {
                write!(out, "property `{name}`, required: {is_required}")
            }
            Self::Text { keyword, text } => write!(out, "`{keyword}` as `{text}`"),
        }
    }
}

impl Constraint {
    pub(crate) fn is_told(&self, signature: &str) -> bool {
        let signature: String = signature
            .lines()
            .map(|line| line.split(" // ").next().unwrap().to_owned() + "\n")
            .collect();
        match self {
            Self::Property { name, is_required } => {
                let mark = if *is_required { ": " } else { "?: " };
                let quoted = format!("{}{mark}", Value::from(name.as_str()));
                let plain = format!("{name}{mark}");
                let is_whole = |at: usize| signature[..at].ends_with([' ', '{', '\n']);
                signature.contains(&quoted)
                    || signature.match_indices(&plain).any(|(at, _)| is_whole(at))
            }
            Self::Text { text, .. } => signature.contains(text),
        }
    }
}

/// All that a schema demands, each where it is met.
pub(crate) fn of(schema: &Value) -> Vec<Constraint> {
    let mut found = Vec::new();
    collect(schema, schema, 0, &mut found);
    found
}

fn collect(root: &Value, schema: &Value, depth: usize, found: &mut Vec<Constraint>) {
    let Value::Object(keywords) = schema else {
        return;
    };
    assert!(depth < 20, "the catalogs hold no recursive schema");
    for (keyword, value) in keywords {
        let mut text = |text: String| {
            found.push(Constraint::Text {
                keyword: keyword.clone(),
                text,
            })
        };
        match keyword.as_str() {
            "title" | "description" | "$schema" | "$defs" | "required" | "additionalProperties" => {
            }
            "type" => names(value)
                .into_iter()
                .for_each(|name| text(word(name, keywords))),
            "const" => text(value.to_string()),
            "enum" => value
                .as_array()
                .unwrap()
                .iter()
                .for_each(|value| text(value.to_string())),
            "default" => text(format!(" = {value}")),
            "minimum" if keywords.contains_key("maximum") => text(format!("({value}..")),
            "maximum" if keywords.contains_key("minimum") => text(format!("..{value})")),
            "minimum" | "minLength" => text(format!("(>={value})")),
            "maximum" | "maxLength" => text(format!("(<={value})")),
            "minItems" => text(format!("[>={value}]")),
            "format" => text(format!("({}", value.as_str().unwrap())),
            "items" | "propertyNames" => collect(root, value, depth + 1, found),
            "anyOf" | "oneOf" => {
                value
                    .as_array()
                    .unwrap()
                    .iter()
                    .for_each(|branch| collect(root, branch, depth + 1, found));
            }
            "$ref" => {
                let target = root
                    .pointer(value.as_str().unwrap().trim_start_matches('#'))
                    .unwrap();
                collect(root, target, depth + 1, found);
            }
            "properties" => {
                for (name, property) in value.as_object().unwrap() {
                    let is_required = keywords.get("required").is_some_and(|names| {
                        names.as_array().unwrap().contains(&name.as_str().into())
                    });
                    found.push(Constraint::Property {
                        name: name.clone(),
                        is_required,
                    });
                    collect(root, property, depth + 1, found);
                }
            }
            other => panic!("say how a signature tells `{other}`"),
        }
    }
    if let Some(rest @ Value::Object(_)) = keywords.get("additionalProperties") {
        found.push(Constraint::Text {
            keyword: "additionalProperties".to_owned(),
            text: "[key]: ".to_owned(),
        });
        collect(root, rest, depth + 1, found);
    }
}

fn names(kinds: &Value) -> Vec<&str> {
    kinds.as_str().map_or_else(
        || {
            kinds
                .as_array()
                .unwrap()
                .iter()
                .map(|kind| kind.as_str().unwrap())
                .collect()
        },
        |kind| vec![kind],
    )
}

/// The word that shows a kind; where values are told one by one, they show it.
fn word(kind: &str, keywords: &serde_json::Map<String, Value>) -> String {
    match kind {
        _ if keywords.contains_key("enum") || keywords.contains_key("const") => "\"".to_owned(),
        "integer" => "int".to_owned(),
        "array" => "[".to_owned(),
        "object" if keywords.contains_key("properties") => "{".to_owned(),
        "object"
            if keywords
                .get("additionalProperties")
                .is_some_and(|rest| !matches!(rest, Value::Bool(true))) =>
        {
            "{".to_owned()
        }
        "object" => String::new(),
        other => other.to_owned(),
    }
}
