//! The form of a question, from its type. MCP allows a flat object of simple members (MCP
//! 2025-11-25, elicitation), which is less than schemars writes.

use pd_schema::reader::SchemaRef;
use rmcp::model::ElicitationSchema;
use schemars::{JsonSchema, generate::SchemaSettings};
use serde_json::{Map, Value, json};

/// The keywords that a member may have.
const KEYWORDS: [&str; 13] = [
    "type",
    "title",
    "description",
    "enum",
    "oneOf",
    "default",
    "minLength",
    "maxLength",
    "minimum",
    "maximum",
    "items",
    "minItems",
    "maxItems",
];
/// The formats of texts that clients know.
const FORMATS: [&str; 4] = ["email", "uri", "date", "date-time"];

/// Returns the form of a type.
///
/// # Errors
///
/// Returns a text for the author of the tool, if the type is not a form.
pub(super) fn of<T: JsonSchema>() -> Result<ElicitationSchema, String> {
    let mut settings = SchemaSettings::draft2020_12();
    // A form is flat, so it cannot refer to definitions.
    settings.inline_subschemas = true;
    let mut schema = settings
        .into_generator()
        .into_root_schema_for::<T>()
        .to_value();
    let fields = match schema.get_mut("properties").map(Value::take) {
        Some(Value::Object(fields)) => fields,
        _ if schema.get("type").is_some_and(|one| one == "object") => Map::new(),
        _ => return Err(no_form::<T>("it is no struct with named fields")),
    };
    let properties = fields
        .into_iter()
        .map(|(name, field)| match member(field) {
            Some(member) => Ok((name, member)),
            None => Err(no_form::<T>(&format!(
                "`{name}` is neither a text, a number, a boolean nor an enum of plain variants"
            ))),
        })
        .collect::<Result<Map<_, _>, _>>()?;
    let mut form = Map::from_iter([
        ("type".to_owned(), "object".into()),
        ("properties".to_owned(), properties.into()),
    ]);
    form.extend(
        schema
            .get("required")
            .map(|required| ("required".to_owned(), required.clone())),
    );
    serde_json::from_value(form.into()).map_err(|error| no_form::<T>(&error.to_string()))
}

fn no_form<T: JsonSchema>(why: &str) -> String {
    format!(
        "the type `{}` is no form for a user: {why}; a form is a struct of texts, numbers, booleans, enums of plain \
         variants and lists of these enums",
        T::schema_name()
    )
}

/// Returns a member as MCP has it.
fn member(field: Value) -> Option<Value> {
    let Value::Object(mut field) = without_null(field) else {
        return None;
    };
    if let Some(choices) = choices(&field) {
        field.remove("anyOf");
        field.insert("type".to_owned(), "string".into());
        field.insert("oneOf".to_owned(), choices);
    }
    if let Some(items) = field.remove("items") {
        field.insert("items".to_owned(), item(items)?);
    }
    // schemars writes keywords and formats that a form must not have.
    let is_format = field
        .get("format")
        .is_some_and(|format| FORMATS.iter().any(|known| format == known));
    field.retain(|key, value| {
        (KEYWORDS.contains(&key.as_str()) && !(key == "default" && value.is_null()))
            || (key == "format" && is_format)
    });
    let is_simple = match field.get("type").and_then(Value::as_str)? {
        "string" | "number" | "integer" | "boolean" => true,
        "array" => field.contains_key("items"),
        _ => false,
    };
    is_simple.then_some(Value::Object(field))
}

/// Returns the items of a list, which must be choices. MCP writes those with titles as `anyOf`.
fn item(items: Value) -> Option<Value> {
    match choices(items.as_object()?) {
        Some(choices) => Some(json!({ "anyOf": choices })),
        None => items
            .get("enum")
            .map(|values| json!({ "type": "string", "enum": values })),
    }
}

/// Returns the choices of an enum if its variants have texts. Each choice has its text as the
/// title.
fn choices(field: &Map<String, Value>) -> Option<Value> {
    let field = SchemaRef::document(field);
    let branches = field.one_of().or_else(|| field.any_of())?;
    let mut choices = Vec::new();
    for branch in branches {
        let text = branch.get("description").and_then(Value::as_str);
        // schemars gathers the variants without a text in one branch.
        let one = branch.get("const").map(std::slice::from_ref);
        for value in one.or_else(|| branch.get("enum")?.as_array().map(Vec::as_slice))? {
            let value = value.as_str()?;
            choices.push(json!({ "const": value, "title": text.unwrap_or(value) }));
        }
    }
    Some(choices.into())
}

/// Returns the schema of an `Option` without its null, because a member that may be missing is
/// enough.
fn without_null(field: Value) -> Value {
    let Value::Object(mut field) = field else {
        return field;
    };
    if let Some(Value::Array(types)) = field.get_mut("type") {
        types.retain(|one| one != "null");
        if let [only] = types.as_mut_slice() {
            let only = only.take();
            field.insert("type".to_owned(), only);
        }
    }
    if let Some(Value::Array(values)) = field.get_mut("enum") {
        values.retain(|value| !value.is_null());
    }
    let Some(Value::Array(branches)) = field.get_mut("anyOf") else {
        return field.into();
    };
    branches.retain(|branch| branch.get("type").is_none_or(|one| one != "null"));
    let [only] = branches.as_mut_slice() else {
        return field.into();
    };
    let mut only = only.take();
    // A text at the member is nearer than one at its type.
    if let (Some(text), Some(only)) = (field.remove("description"), only.as_object_mut()) {
        only.insert("description".to_owned(), text);
    }
    only
}

#[cfg(test)]
mod tests {
    #![allow(
        clippy::unwrap_used,
        clippy::indexing_slicing,
        dead_code,
        reason = "a test fails by panicking, and forms are only described"
    )]

    use super::*;
    use serde::Deserialize;

    #[derive(Deserialize, JsonSchema)]
    enum Size {
        Small,
        Large,
    }

    #[derive(Deserialize, JsonSchema)]
    enum Color {
        /// As the sky.
        Blue,
        /// As grass.
        Green,
        Red,
    }

    #[test]
    fn fields_become_what_mcp_has() {
        #[derive(Deserialize, JsonSchema)]
        struct Order {
            /// What to call it.
            #[schemars(length(min = 1, max = 9))]
            name: String,
            #[schemars(range(max = 7))]
            count: u32,
            share: Option<f64>,
            is_gift: bool,
            size: Size,
            /// The color.
            color: Option<Color>,
            extras: Vec<Color>,
            #[schemars(extend("format" = "date"))]
            day: String,
        }
        let form = serde_json::to_value(of::<Order>().unwrap()).unwrap();
        let field = |name: &str| form["properties"][name].clone();
        let colors = json!([
            { "const": "Red", "title": "Red" }, { "const": "Blue", "title": "As the sky." },
            { "const": "Green", "title": "As grass." },
        ]);
        let sorted = |choices: &Value| {
            let mut choices: Vec<String> = choices
                .as_array()
                .unwrap()
                .iter()
                .map(Value::to_string)
                .collect();
            choices.sort();
            choices
        };
        assert_eq!(
            field("name"),
            json!({ "type": "string", "description": "What to call it.", "minLength": 1, "maxLength": 9 })
        );
        assert_eq!(
            field("count"),
            json!({ "type": "integer", "minimum": 0, "maximum": 7 })
        );
        assert_eq!(field("share"), json!({ "type": "number" }));
        assert_eq!(field("is_gift"), json!({ "type": "boolean" }));
        assert_eq!(
            field("size"),
            json!({ "type": "string", "enum": ["Small", "Large"] })
        );
        assert_eq!(
            (&field("color")["type"], &field("color")["description"]),
            (&json!("string"), &json!("The color."))
        );
        assert_eq!(sorted(&field("color")["oneOf"]), sorted(&colors));
        assert_eq!(sorted(&field("extras")["items"]["anyOf"]), sorted(&colors));
        assert_eq!(field("day"), json!({ "type": "string", "format": "date" }));
        let required = ["name", "count", "is_gift", "size", "extras", "day"];
        assert_eq!(form["required"], json!(required));
    }

    #[test]
    fn what_is_no_form_is_told_with_its_field() {
        #[derive(Deserialize, JsonSchema)]
        struct Nested {
            inner: Inner,
        }
        #[derive(Deserialize, JsonSchema)]
        struct Inner {
            text: String,
        }
        let why = of::<Nested>().unwrap_err();
        assert!(
            why.contains("`Nested` is no form") && why.contains("`inner` is neither"),
            "{why}"
        );
        assert!(
            of::<String>()
                .unwrap_err()
                .contains("no struct with named fields")
        );
        assert!(of::<Size>().is_err());
    }
}
