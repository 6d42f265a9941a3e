//! Parses descriptions from JSON in every shape that servers use: by name, in a list, or alone.

use super::description::FetchedDescription;
use serde_json::Value;

/// The depth to which descriptions are searched for in an answer: in `result`, in a list, under
/// their names.
const DEPTH_MAX: usize = 4;
/// Other names for `inputSchema`.
const SCHEMAS: [&str; 3] = ["input_schema", "parameters", "schema"];

/// Parses the descriptions of these names. Each name is taken once.
pub(super) fn parse_named(json: Value, names: &[String]) -> Vec<FetchedDescription> {
    let mut all = Vec::new();
    collect(json, None, DEPTH_MAX, &mut all);
    let mut descriptions: Vec<FetchedDescription> = Vec::new();
    for (name, json) in all {
        let wanted = names
            .iter()
            .find(|wanted| **wanted == name)
            .or_else(|| by_last_segment(names, &name));
        if let Some(wanted) = wanted
            && !descriptions
                .iter()
                .any(|one| one.description.name() == wanted)
        {
            descriptions.extend(FetchedDescription::parse(wanted, json));
        }
    }
    descriptions
}

/// Parses all descriptions, up to `most`.
pub(super) fn parse_all(json: Value, most: usize) -> Vec<FetchedDescription> {
    let mut all = Vec::new();
    collect(json, None, DEPTH_MAX, &mut all);
    all.truncate(most);
    all.into_iter()
        .filter_map(|(name, json)| FetchedDescription::parse(&name, json))
        .collect()
}

/// Matches a single requested path with an answer that contains only the tool's own name.
fn by_last_segment<'a>(names: &'a [String], returned: &str) -> Option<&'a String> {
    names
        .first()
        .filter(|name| names.len() == 1 && name.rsplit('/').next() == Some(returned))
}

fn collect(json: Value, key: Option<String>, depth: usize, all: &mut Vec<(String, Value)>) {
    match json {
        Value::Array(many) if depth > 0 => many
            .into_iter()
            .for_each(|one| collect(one, None, depth - 1, all)),
        Value::Object(mut object) => {
            // Normalized here, so that all code after this reads one name.
            if let Some(schema) = SCHEMAS
                .iter()
                .find(|key| object.get(**key).is_some_and(Value::is_object))
                && !object.contains_key("inputSchema")
                && let Some(schema) = object.shift_remove(*schema)
            {
                object.insert("inputSchema".to_owned(), schema);
            }
            let name = object
                .get("name")
                .and_then(Value::as_str)
                .map(str::to_owned)
                .or(key);
            match name {
                // A schema makes an object a description, so that an error entry or a mere list of
                // names is not one.
                Some(name) if object.contains_key("inputSchema") => {
                    all.push((name, Value::Object(object)))
                }
                _ if depth > 0 => object
                    .into_iter()
                    .for_each(|(key, one)| collect(one, Some(key), depth - 1, all)),
                _ => {}
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn names(json: Value, wanted: &[&str]) -> Vec<String> {
        let wanted: Vec<String> = wanted.iter().map(|&name| name.to_owned()).collect();
        parse_named(json, &wanted)
            .into_iter()
            .map(|descriptions| descriptions.description.name().to_owned())
            .collect()
    }

    #[test]
    fn descriptions_are_found_in_every_shape() {
        let tool =
            json!({ "name": "log", "description": "List", "inputSchema": { "type": "object" } });
        let shapes = [
            tool.clone(),
            json!([tool]),
            json!({ "log": tool }),
            json!({ "tools": [tool] }),
            json!({ "result": [tool] }),
            json!({ "descriptions": { "log": tool, "no": { "error": "not found" } } }),
            json!({ "name": "log", "description": "List", "input_schema": { "type": "object" } }),
            json!({ "log": { "description": "List", "parameters": { "type": "object" } } }),
        ];
        for shape in shapes {
            assert_eq!(names(shape.clone(), &["log", "no"]), ["log"], "{shape}");
        }
        assert_eq!(names(tool.clone(), &["/history/log"]), ["/history/log"]);
        assert_eq!(names(json!([tool, tool]), &["other"]), Vec::<String>::new());
    }

    #[test]
    fn what_is_deep_or_no_description_is_left() {
        let mut deep = json!({ "name": "log", "inputSchema": {} });
        for _ in 0..100 {
            deep = json!([deep]);
        }
        assert!(names(deep, &["log"]).is_empty());
        assert!(names(json!({ "log": "text" }), &["log"]).is_empty());
    }
}
