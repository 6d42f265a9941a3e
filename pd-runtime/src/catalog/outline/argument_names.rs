//! Names of arguments that providers refuse: they are listed under other names, and calls are
//! changed back.

use pd_schema::provider_fit::{NAME_MAX, is_plain};
use rmcp::model::JsonObject;
use serde_json::Value;

/// The arguments that are listed under other names, as pairs of the listed and the own name.
#[derive(Debug, Default)]
pub(crate) struct ListedNames(Vec<(String, String)>);

impl ListedNames {
    /// Replaces the names in `properties` and `required` of a schema that providers refuse. An
    /// object inside an argument that has such names is listed as an open object.
    pub(super) fn replace(schema: &mut JsonObject) -> Self {
        let Some(Value::Object(properties)) = schema.get_mut("properties") else {
            return Self::default();
        };
        properties.values_mut().for_each(open_if_refused);
        if properties.keys().all(|name| is_plain(name)) {
            return Self::default();
        }
        let mut names = Vec::new();
        let mut listed = JsonObject::new();
        let own = std::mem::take(properties);
        // The names that stay are taken first, so that a new name never equals one of them.
        let taken: Vec<String> = own.keys().filter(|name| is_plain(name)).cloned().collect();
        for (name, property) in own {
            let shown = if is_plain(&name) {
                name.clone()
            } else {
                accepted(&name, &taken, &listed)
            };
            if shown != name {
                names.push((shown.clone(), name));
            }
            listed.insert(shown, property);
        }
        *properties = listed;
        if let Some(Value::Array(required)) = schema.get_mut("required") {
            for name in required {
                if let Some((shown, _)) = names.iter().find(|(_, own)| name.as_str() == Some(own)) {
                    *name = Value::from(shown.clone());
                }
            }
        }
        Self(names)
    }

    /// Gives the arguments of a call their own names. An argument that was sent under its own name
    /// stays.
    pub(crate) fn restore(&self, arguments: &mut JsonObject) {
        for (listed, own) in &self.0 {
            if !arguments.contains_key(own)
                && let Some(value) = arguments.shift_remove(listed)
            {
                arguments.insert(own.clone(), value);
            }
        }
    }
}

/// Returns a name that providers accept and no other argument has.
fn accepted(name: &str, taken: &[String], listed: &JsonObject) -> String {
    let base: String = name
        .chars()
        .map(|character| {
            if is_plain(character.encode_utf8(&mut [0; 4])) {
                character
            } else {
                '_'
            }
        })
        // Four characters are left for a number such as `_999`.
        .take(NAME_MAX - 4)
        .collect();
    let base = if base.is_empty() {
        "_".to_owned()
    } else {
        base
    };
    let numbered = (2_usize..).map(|number| format!("{base}_{number}"));
    std::iter::once(base.clone())
        .chain(numbered)
        .find(|name| !taken.contains(name) && !listed.contains_key(name))
        .unwrap_or(base)
}

/// Opens an object if its own members have names that providers refuse.
fn open_if_refused(schema: &mut Value) {
    let Some(object) = schema.as_object_mut() else {
        return;
    };
    if let Some(Value::Object(properties)) = object.get_mut("properties") {
        if properties.keys().all(|name| is_plain(name)) {
            properties.values_mut().for_each(open_if_refused);
        } else {
            object.shift_remove("properties");
            object.shift_remove("required");
            object.insert("additionalProperties".to_owned(), Value::Bool(true));
        }
    }
    if let Some(items) = object.get_mut("items") {
        open_if_refused(items);
    }
}
