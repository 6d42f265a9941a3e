//! Tests one difference a line, and then each schema of them against each other one with a
//! validator.

mod cases;

use super::{SchemaRole, compare};
use cases::{
    Breaks::{self, Everybody, Nobody, Receivers, Senders},
    cases,
};
use serde_json::{Value, json};

fn told(old: &Value, new: &Value) -> (String, Breaks) {
    let breaks = |role| compare(old, new, role).iter().any(|one| one.breaks(role));
    let whom = match (breaks(SchemaRole::Arguments), breaks(SchemaRole::Result)) {
        (true, true) => Everybody,
        (true, false) => Senders,
        (false, true) => Receivers,
        (false, false) => Nobody,
    };
    let words = compare(old, new, SchemaRole::Arguments)
        .into_iter()
        .map(|one| {
            let words = one.render(SchemaRole::Arguments);
            let words = words
                .trim_start_matches("arguments: ")
                .trim_start_matches("argument ");
            words
                .trim_end_matches(" (this cannot be shown to be compatible)")
                .to_owned()
        });
    (words.collect::<Vec<_>>().join("; "), whom)
}

#[test]
fn each_difference_is_told_and_judged() {
    for (old, new, words, breaks) in cases() {
        assert_eq!(
            told(&old, &new),
            (words.to_owned(), breaks),
            "from {old} to {new}"
        );
    }
}

#[test]
fn what_is_the_same_is_not_told() {
    for (old, new, ..) in cases() {
        assert_eq!(compare(&old, &old, SchemaRole::Arguments), []);
        assert_eq!(compare(&new, &new, SchemaRole::Result), []);
    }
}

/// Compares every schema above with every other. Values of all sorts confirm each "compatible".
#[test]
fn compatible_is_never_said_wrongly() {
    let values = values();
    let schemas: Vec<Value> = cases()
        .into_iter()
        .flat_map(|(old, new, ..)| [old, new])
        .collect();
    let fits: Vec<Vec<bool>> = schemas
        .iter()
        .map(|schema| fitting(schema, &values))
        .collect();
    let mut compatible = 0;
    for (old, old_fits) in schemas.iter().zip(&fits) {
        for (new, new_fits) in schemas.iter().zip(&fits) {
            let senders = compare(old, new, SchemaRole::Arguments)
                .iter()
                .all(|one| !one.breaks(SchemaRole::Arguments));
            let receivers = compare(old, new, SchemaRole::Result)
                .iter()
                .all(|one| !one.breaks(SchemaRole::Result));
            for ((value, was), is) in values.iter().zip(old_fits).zip(new_fits) {
                let is_described = describes(old, value);
                assert!(
                    !senders || !was || *is || !is_described,
                    "{value} fits {old}, but not {new}"
                );
                assert!(
                    !receivers || !is || *was,
                    "{value} fits {new}, but not {old}"
                );
            }
            compatible += usize::from(senders) + usize::from(receivers);
        }
    }
    assert!(compatible > 2 * schemas.len(), "some pairs are compatible");
}

fn fitting(schema: &Value, values: &[Value]) -> Vec<bool> {
    let validator = jsonschema::options()
        .should_validate_formats(true)
        .build(schema);
    values
        .iter()
        .map(|value| {
            validator
                .as_ref()
                .is_ok_and(|validator| validator.is_valid(value))
        })
        .collect()
}

/// Returns whether an object has only properties that the schema mentions, so that a caller could
/// know of them.
fn describes(schema: &Value, value: &Value) -> bool {
    let Value::Object(members) = value else {
        return true;
    };
    let is_open = schema
        .get("additionalProperties")
        .is_none_or(|additional| *additional == json!(true));
    let mentions = |name: &String| {
        schema
            .get("properties")
            .is_some_and(|known| known.get(name).is_some())
    };
    !is_open || members.keys().all(mentions)
}

fn values() -> Vec<Value> {
    let mut values = vec![
        json!(null),
        json!(true),
        json!([]),
        json!([["a"]]),
        json!(["a", "a"]),
        json!(["a", 1, null]),
        json!([1, 2, 3]),
    ];
    values.extend([-1, 0, 1, 2, 3, 4, 6, 8, 9, 10, 12].map(Value::from));
    values.extend([0.5, 1.5, 3.5, 8.5, 9.5].map(Value::from));
    values.extend([u64::MAX, u64::MAX - 1].map(Value::from));
    values.extend(["", "a", "b", "c", "ab", "ba", "abc", "2025-01-01"].map(Value::from));
    let members = [
        json!("x"),
        json!("ab"),
        json!(1),
        json!(1.5),
        json!(null),
        json!({"b": ["x"]}),
        json!({"b": ["xyz"]}),
    ];
    for member in members {
        values.push(json!({"a": member}));
        values.push(json!({"ab": member}));
        values.push(json!({"a": "x", "b": member}));
        values.push(json!({"kind": "a", "n": member}));
        values.push(json!({"kind": "b", "n": member}));
        values.push(json!([member]));
    }
    values.extend([
        json!({}),
        json!({"kind": "a"}),
        json!({"kind": "c"}),
        json!({"b": 1}),
    ]);
    values
}

#[test]
fn a_default_matters_to_senders() {
    let property = |default: Option<u8>| {
        let mut limit = json!({"type": "integer"});
        if let (Some(default), Value::Object(limit)) = (default, &mut limit) {
            limit.insert("default".to_owned(), default.into());
        }
        json!({"type": "object", "properties": {"limit": limit}})
    };
    let none = property(None);
    let ten = property(Some(10));
    let twenty = property(Some(20));
    assert_eq!(
        told(&ten, &twenty),
        ("`limit`: default 10 → default 20".to_owned(), Senders)
    );
    assert_eq!(
        told(&ten, &none),
        ("`limit`: no longer default 10".to_owned(), Senders)
    );
    assert_eq!(
        told(&none, &ten),
        ("`limit`: now default 10".to_owned(), Nobody)
    );
}

#[test]
fn what_became_of_one_place_is_told_together() {
    let taking = |orders: &[&str], limit: u8, required: &[&str]| {
        let properties = json!({"order": {"enum": orders}, "limit": {"maximum": limit}});
        json!({"type": "object", "properties": properties, "required": required})
    };
    let (words, _) = told(
        &taking(&["up"], 5, &["order"]),
        &taking(&["up", "down"], 9, &[]),
    );
    assert_eq!(
        words,
        "`order`: value \"down\" added; `order`: optional now; `limit`: at most 5 → at most 9"
    );
}

#[test]
fn recursive_types_are_compared_once() {
    let tree = |label: &str| {
        json!({
            "type": "object",
            "properties": {"root": {"$ref": "#/$defs/Node"}},
            "$defs": {"Node": {
                "type": "object",
                "properties": {"label": {"type": label}, "next": {"$ref": "#/$defs/Node"}},
            }},
        })
    };
    assert_eq!(
        told(&tree("integer"), &tree("number")),
        (
            "`label` of type `Node`: integer → number".to_owned(),
            Receivers
        )
    );
    let elsewhere = json!({"type": "object", "properties": {"root": {"$ref": "#/$defs/Leaf"}}});
    let (words, breaks) = told(&tree("integer"), &elsewhere);
    assert_eq!(
        (words.as_str(), breaks),
        (
            "`root`: a reference to \"#/$defs/Node\" → a reference to \"#/$defs/Leaf\"",
            Everybody
        )
    );
}

#[test]
fn what_excludes_a_changed_type_is_unclear() {
    let excluding =
        |label: &str| json!({"not": {"$ref": "#/$defs/Node"}, "$defs": {"Node": {"type": label}}});
    let (words, breaks) = told(&excluding("integer"), &excluding("number"));
    assert_eq!(
        (words.as_str(), breaks),
        (
            "`not` refers to types that changed; type `Node`: integer → number",
            Everybody
        )
    );
}

#[test]
fn results_are_named_as_results() {
    let (old, new) = (
        json!({"properties": {"n": {"minimum": 1}}}),
        json!({"properties": {"n": {"pattern": "a", "minimum": 1}}}),
    );
    let words: Vec<_> = compare(&old, &new, SchemaRole::Result)
        .iter()
        .map(|one| one.render(SchemaRole::Result))
        .collect();
    assert_eq!(words, ["result `n`: now matching \"a\""]);
}
