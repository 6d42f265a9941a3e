//! Descriptions in JSON of any of the shapes that servers answer with: by name, in a list, or one alone.

use super::description::Given;
use serde_json::Value;

/// How deep tools may stand in an answer: in `result`, in a list, under their names.
const DEPTH_MAX: usize = 4;
/// What others call `inputSchema`.
const SCHEMAS: [&str; 3] = ["input_schema", "parameters", "schema"];

/// The descriptions of these names; each is taken once.
pub(super) fn found(told: Value, names: &[String]) -> Vec<Given> {
    let mut all = Vec::new();
    collect(told, None, DEPTH_MAX, &mut all);
    let mut given: Vec<Given> = Vec::new();
    for (name, told) in all {
        let wanted = names.iter().find(|wanted| **wanted == name).or_else(|| only(names, &name));
        if let Some(wanted) = wanted
            && !given.iter().any(|one| one.description.name() == wanted)
        {
            given.extend(Given::read(wanted, told));
        }
    }
    given
}

/// Every description there is.
pub(super) fn all(told: Value, most: usize) -> Vec<Given> {
    let mut all = Vec::new();
    collect(told, None, DEPTH_MAX, &mut all);
    all.truncate(most);
    all.into_iter().filter_map(|(name, told)| Given::read(&name, told)).collect()
}

/// Where one tool is asked for by its path, the answer may hold its name alone.
fn only<'a>(names: &'a [String], found: &str) -> Option<&'a String> {
    names.first().filter(|name| names.len() == 1 && name.rsplit('/').next() == Some(found))
}

fn collect(told: Value, key: Option<String>, depth: usize, all: &mut Vec<(String, Value)>) {
    match told {
        Value::Array(many) if depth > 0 => many.into_iter().for_each(|one| collect(one, None, depth - 1, all)),
        Value::Object(mut object) => {
            if let Some(schema) = SCHEMAS.iter().find(|key| object.get(**key).is_some_and(Value::is_object))
                && !object.contains_key("inputSchema")
                && let Some(schema) = object.shift_remove(*schema)
            {
                object.insert("inputSchema".to_owned(), schema);
            }
            let name = object.get("name").and_then(Value::as_str).map(str::to_owned).or(key);
            match name {
                Some(name) if object.contains_key("inputSchema") => all.push((name, Value::Object(object))),
                _ if depth > 0 => object.into_iter().for_each(|(key, one)| collect(one, Some(key), depth - 1, all)),
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

    fn names(told: Value, wanted: &[&str]) -> Vec<String> {
        let wanted: Vec<String> = wanted.iter().map(|&name| name.to_owned()).collect();
        found(told, &wanted).into_iter().map(|given| given.description.name().to_owned()).collect()
    }

    #[test]
    fn descriptions_are_found_in_every_shape() {
        let tool = json!({ "name": "log", "description": "List", "inputSchema": { "type": "object" } });
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
