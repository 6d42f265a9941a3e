//! Swagger 2.0 in the form of OpenAPI 3, so that one reader serves both.
//!
//! References stay as they are: `#/definitions/Pet` is found where it is.

use super::object::{Object, is_true, reference_of, text_of};
use serde_json::{Value, json};

/// The methods that Swagger 2.0 has.
const METHODS: [&str; 7] = ["get", "put", "post", "delete", "options", "head", "patch"];
/// The keywords of a parameter that are those of its schema.
const SCHEMA_KEYWORDS: [&str; 18] = [
    "type",
    "format",
    "items",
    "default",
    "maximum",
    "exclusiveMaximum",
    "minimum",
    "exclusiveMinimum",
    "maxLength",
    "minLength",
    "pattern",
    "maxItems",
    "minItems",
    "uniqueItems",
    "enum",
    "multipleOf",
    "example",
    "x-example",
];
const FORM: &str = "application/x-www-form-urlencoded";
const MULTIPART: &str = "multipart/form-data";

/// Gives a document of Swagger 2.0 the form of OpenAPI 3.
pub(super) fn upgrade(root: &mut Value) {
    let shared = root.clone();
    let Some(document) = root.as_object_mut() else {
        return;
    };
    let servers = servers(document);
    document.insert("servers".to_owned(), servers);
    let schemes = document.shift_remove("securityDefinitions");
    let schemes = schemes.as_ref().and_then(Value::as_object);
    let schemes: Object = schemes
        .into_iter()
        .flatten()
        .map(|(name, scheme)| (name.clone(), security_scheme(scheme)))
        .collect();
    document.insert(
        "components".to_owned(),
        json!({ "securitySchemes": schemes }),
    );
    let upgrade = Upgrade {
        root: &shared,
        consumes: media_types(document.get("consumes")),
        produces: media_types(document.get("produces")),
    };
    let paths = document.get_mut("paths").and_then(Value::as_object_mut);
    for item in paths.into_iter().flatten().map(|(_, item)| item) {
        if let Some(item) = item.as_object_mut() {
            upgrade.item(item);
        }
    }
}

/// Returns `servers` from the schemes, the host and the base path. Without a host, the URL is
/// relative to that of the document.
fn servers(document: &Object) -> Value {
    let path = text_of(document, "basePath").unwrap_or_default();
    let Some(host) = text_of(document, "host").filter(|host| !host.is_empty()) else {
        let path = if path.is_empty() { "/" } else { path };
        return json!([{ "url": path }]);
    };
    let schemes = media_types(document.get("schemes"));
    let has = |wanted: &str| schemes.iter().any(|scheme| scheme == wanted);
    // HTTPS is first if the server has both.
    let scheme = if has("http") && !has("https") {
        "http"
    } else {
        "https"
    };
    json!([{ "url": format!("{scheme}://{host}{path}") }])
}

fn security_scheme(scheme: &Value) -> Value {
    let kind = scheme
        .get("type")
        .and_then(Value::as_str)
        .unwrap_or_default();
    if kind == "basic" {
        return json!({ "type": "http", "scheme": "basic" });
    }
    scheme.clone()
}

fn media_types(value: Option<&Value>) -> Vec<String> {
    let values = value.and_then(Value::as_array).into_iter().flatten();
    values
        .filter_map(Value::as_str)
        .map(str::to_owned)
        .collect()
}

struct Upgrade<'d> {
    root: &'d Value,
    consumes: Vec<String>,
    produces: Vec<String>,
}

impl Upgrade<'_> {
    fn item(&self, item: &mut Object) {
        let shared = self.resolved(item.shift_remove("parameters"));
        for method in METHODS {
            if let Some(operation) = item.get_mut(method).and_then(Value::as_object_mut) {
                self.operation(operation, &shared);
            }
        }
    }

    /// Returns the parameters of a list, with their references followed once. A parameter in
    /// `#/parameters` is none itself.
    fn resolved(&self, parameters: Option<Value>) -> Vec<Object> {
        let Some(Value::Array(parameters)) = parameters else {
            return Vec::new();
        };
        let resolved = parameters.iter().map(|parameter| self.resolve(parameter));
        resolved
            .filter_map(|parameter| parameter.as_object().cloned())
            .collect()
    }

    fn resolve<'v>(&'v self, value: &'v Value) -> &'v Value {
        let pointer = reference_of(value).and_then(|reference| reference.strip_prefix('#'));
        let target = pointer.and_then(|pointer| self.root.pointer(pointer));
        target.unwrap_or(value)
    }

    fn operation(&self, operation: &mut Object, shared: &[Object]) {
        let mut own = self.resolved(operation.shift_remove("parameters"));
        for parameter in shared {
            let is_replaced = own.iter().any(|one| place(one) == place(parameter));
            if !is_replaced {
                own.push(parameter.clone());
            }
        }
        let consumes = self.own_types(operation, "consumes", &self.consumes);
        let (fields, parameters): (Vec<_>, Vec<_>) = own
            .into_iter()
            .partition(|one| matches!(text_of(one, "in"), Some("body" | "formData")));
        let parameters: Vec<Value> = parameters.into_iter().map(parameter).collect();
        operation.insert("parameters".to_owned(), Value::Array(parameters));
        if let Some(body) = request_body(&fields, &consumes) {
            operation.insert("requestBody".to_owned(), body);
        }
        let produces = self.own_types(operation, "produces", &self.produces);
        let responses = operation
            .get_mut("responses")
            .and_then(Value::as_object_mut);
        for response in responses
            .into_iter()
            .flatten()
            .map(|(_, response)| response)
        {
            let mut resolved = self.resolve(response).clone();
            if let Some(object) = resolved.as_object_mut() {
                response_content(object, &produces);
            }
            *response = resolved;
        }
    }

    fn own_types(&self, operation: &Object, key: &str, shared: &[String]) -> Vec<String> {
        let own = media_types(operation.get(key));
        if own.is_empty() { shared.to_vec() } else { own }
    }
}

/// Two parameters are the same one if both have the same name and place.
fn place(parameter: &Object) -> (Option<&str>, Option<&str>) {
    (text_of(parameter, "in"), text_of(parameter, "name"))
}

/// Returns a parameter with a schema, and with a style for its collection format.
fn parameter(mut parameter: Object) -> Value {
    let (style, explode) = match text_of(&parameter, "collectionFormat") {
        Some("multi") => (None, true),
        Some("ssv") => (Some("spaceDelimited"), false),
        Some("pipes") => (Some("pipeDelimited"), false),
        // `csv` is the default. `tsv` has no style in OpenAPI 3, and is hardly used.
        _ => (None, false),
    };
    if let Some(style) = style {
        parameter.insert("style".to_owned(), style.into());
    }
    parameter.insert("explode".to_owned(), explode.into());
    let schema = schema_of(&mut parameter);
    parameter.insert("schema".to_owned(), schema);
    Value::Object(parameter)
}

/// Takes the keywords of a schema out of a parameter.
fn schema_of(parameter: &mut Object) -> Value {
    let mut schema = Object::new();
    for keyword in SCHEMA_KEYWORDS {
        if let Some(value) = parameter.shift_remove(keyword) {
            let keyword = keyword.strip_prefix("x-").unwrap_or(keyword);
            schema.insert(keyword.to_owned(), value);
        }
    }
    Value::Object(schema)
}

fn request_body(fields: &[Object], consumes: &[String]) -> Option<Value> {
    let is_body = |field: &&Object| text_of(field, "in") == Some("body");
    if let Some(body) = fields.iter().find(is_body) {
        let schema = body.get("schema").cloned().unwrap_or_else(|| json!({}));
        let content = content_of(&schema, consumes);
        let is_required = is_true(body, "required");
        return Some(json!({
            "content": content,
            "required": is_required,
            "description": text_of(body, "description").unwrap_or_default(),
        }));
    }
    if fields.is_empty() {
        return None;
    }
    let mut properties = Object::new();
    let mut required = Vec::new();
    let mut has_file = false;
    for field in fields {
        let Some(name) = text_of(field, "name") else {
            continue;
        };
        has_file |= text_of(field, "type") == Some("file");
        if is_true(field, "required") {
            required.push(Value::from(name));
        }
        let mut field = field.clone();
        let mut schema = schema_of(&mut field);
        if let (Some(description), Value::Object(schema)) = (field.get("description"), &mut schema)
        {
            schema.insert("description".to_owned(), description.clone());
        }
        properties.insert(name.to_owned(), schema);
    }
    let is_multipart = has_file || consumes.iter().any(|media| media == MULTIPART);
    let media = if is_multipart { MULTIPART } else { FORM };
    let is_required = !required.is_empty();
    let schema = json!({ "type": "object", "properties": properties, "required": required });
    Some(json!({ "content": { media: { "schema": schema } }, "required": is_required }))
}

fn response_content(response: &mut Object, produces: &[String]) {
    let Some(schema) = response.shift_remove("schema") else {
        return;
    };
    let content = content_of(&schema, produces);
    response.insert("content".to_owned(), Value::Object(content));
}

/// Returns a schema under each media type; under that of JSON without types.
fn content_of(schema: &Value, types: &[String]) -> Object {
    let json = ["application/json".to_owned()];
    let types = if types.is_empty() { &json } else { types };
    let types = types.iter().cloned();
    types
        .map(|media| (media, json!({ "schema": schema })))
        .collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::indexing_slicing, reason = "a test fails by panicking")]

    use super::*;

    #[test]
    fn a_document_gets_the_form_of_openapi_3() {
        let mut root = json!({
            "swagger": "2.0", "host": "api.example.com", "basePath": "/v1", "schemes": ["http", "https"],
            "securityDefinitions": { "basic": { "type": "basic" } },
            "parameters": { "Limit": { "name": "limit", "in": "query", "type": "integer", "maximum": 9 } },
            "paths": { "/pets": { "parameters": [{ "$ref": "#/parameters/Limit" }], "post": {
                "parameters": [
                    { "name": "tags", "in": "query", "type": "array", "items": { "type": "string" }, "collectionFormat": "pipes" },
                    { "name": "pet", "in": "body", "required": true, "schema": { "$ref": "#/definitions/Pet" } },
                ],
                "responses": { "200": { "description": "ok", "schema": { "$ref": "#/definitions/Pet" } } },
            }, "put": {
                "consumes": ["multipart/form-data"],
                "parameters": [{ "name": "photo", "in": "formData", "type": "file", "required": true, "description": "Its photo" }],
                "responses": {},
            } } },
        });
        upgrade(&mut root);
        assert_eq!(
            root["servers"],
            json!([{ "url": "https://api.example.com/v1" }])
        );
        assert_eq!(
            root["components"]["securitySchemes"]["basic"],
            json!({ "type": "http", "scheme": "basic" })
        );
        let post = &root["paths"]["/pets"]["post"];
        let pet = json!({ "application/json": { "schema": { "$ref": "#/definitions/Pet" } } });
        assert_eq!(
            post["requestBody"],
            json!({ "content": pet, "required": true, "description": "" })
        );
        assert_eq!(post["responses"]["200"]["content"], pet);
        assert_eq!(
            post["parameters"],
            json!([
                { "name": "tags", "in": "query", "collectionFormat": "pipes", "style": "pipeDelimited", "explode": false,
                  "schema": { "type": "array", "items": { "type": "string" } } },
                { "name": "limit", "in": "query", "explode": false, "schema": { "type": "integer", "maximum": 9 } },
            ])
        );
        let put = &root["paths"]["/pets"]["put"]["requestBody"];
        assert_eq!(
            *put,
            json!({ "required": true, "content": { "multipart/form-data": { "schema": {
                "type": "object", "required": ["photo"],
                "properties": { "photo": { "type": "file", "description": "Its photo" } },
            } } } })
        );
    }
}
