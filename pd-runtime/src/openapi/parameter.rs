//! The parameters of an operation, as the document has them.

use super::{
    document::{Document, OperationPlace, missing},
    object::{Object, is_true, text_of},
    serialization::ParameterPlace,
};
use serde_json::Value;
use std::collections::HashSet;

/// The most arguments of one tool. Further optional ones are left out.
pub(super) const ARGUMENTS_MAX: usize = 200;
/// Headers that are not arguments: those of the connection, of the body, and of credentials.
const OWN_HEADERS: [&str; 16] = [
    "accept",
    "authorization",
    "connection",
    "content-encoding",
    "content-length",
    "content-type",
    "cookie",
    "expect",
    "forwarded",
    "host",
    "proxy-authorization",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
    "via",
];

/// A parameter as the document has it.
pub(super) struct Parameter<'d> {
    pub(super) name: &'d str,
    pub(super) place: ParameterPlace,
    pub(super) object: &'d Object,
}

/// Returns the parameters of an operation and of its path. Those of the operation replace others of
/// the same name and place.
pub(super) fn parameters<'d>(
    document: &'d Document,
    place: &OperationPlace<'d>,
    credentials: &HashSet<(ParameterPlace, String)>,
) -> Result<Vec<Parameter<'d>>, String> {
    let lists = [place.operation, place.item]
        .into_iter()
        .filter_map(|owner| owner.get("parameters")?.as_array());
    let mut parameters: Vec<Parameter<'d>> = Vec::new();
    for parameter in lists.flatten() {
        let found = document.resolve(parameter);
        let found =
            found.ok_or_else(|| format!("a parameter is missing: {}", missing(parameter)))?;
        let Some(object) = found.as_object() else {
            continue;
        };
        let (Some(name), Some(place)) = (text_of(object, "name"), text_of(object, "in")) else {
            continue;
        };
        let Some(place) = ParameterPlace::parse(place) else {
            continue;
        };
        let key = match place {
            ParameterPlace::Header => name.to_ascii_lowercase(),
            _ => name.to_owned(),
        };
        let is_own = place == ParameterPlace::Header
            && (OWN_HEADERS.contains(&key.as_str()) || key.starts_with("proxy-"));
        let is_known = parameters
            .iter()
            .any(|known| known.place == place && known.name == name);
        if is_own || is_known || credentials.contains(&(place, key)) {
            continue;
        }
        parameters.push(Parameter {
            name,
            place,
            object,
        });
    }
    let count = parameters.iter().filter(|one| one.is_required()).count();
    if count > ARGUMENTS_MAX {
        return Err(format!(
            "it requires {count} parameters, over the limit of {ARGUMENTS_MAX}"
        ));
    }
    // Required ones first, where models and outlines look.
    parameters.sort_by_key(|one| (!one.is_required(), one.place != ParameterPlace::Path));
    parameters.truncate(ARGUMENTS_MAX);
    Ok(parameters)
}

impl Parameter<'_> {
    pub(super) fn is_required(&self) -> bool {
        self.place == ParameterPlace::Path || is_true(self.object, "required")
    }

    /// Returns the schema of the value: its own, or that of its content.
    pub(super) fn schema(&self) -> Option<&Value> {
        let content = self.object.get("content").and_then(Value::as_object);
        let content = content.and_then(|content| content.values().next()?.get("schema"));
        self.object.get("schema").or(content)
    }

    /// Returns an example of the value.
    pub(super) fn example(&self, document: &Document) -> Option<Value> {
        let schema = self.schema().map(|schema| document.merged(schema));
        example_of(document, self.object)
            .or_else(|| schema.and_then(|schema| schema.get("example").cloned()))
    }
}

/// Returns the example of a parameter or a media type: `example`, or the first of `examples`.
pub(super) fn example_of(document: &Document, owner: &Object) -> Option<Value> {
    if let Some(example) = owner.get("example") {
        return Some(example.clone());
    }
    let first = owner.get("examples")?.as_object()?.values().next()?;
    document.resolve(first)?.get("value").cloned()
}
