//! The places of a definition, and the names and words there that a specification fixes. Such a
//! word brings no text of a server.

use pd_schema::subschemas::holds_schemas;

/// The members of a tool's definition, of the lock, and of a text's definition.
const DEFINITION: &[&str] = &["title", "description", "_meta", "otherKeys"];
/// The annotations of MCP.
const ANNOTATIONS: &[&str] = &[
    "title",
    "readOnlyHint",
    "destructiveHint",
    "idempotentHint",
    "openWorldHint",
];
/// The keywords of JSON Schema for an object of schemas under chosen names. `dependencies` is not
/// among them, because its lists of names are words of the server.
const NAMED_SCHEMAS: &[&str] = &[
    "properties",
    "patternProperties",
    "$defs",
    "definitions",
    "dependentSchemas",
];
/// The keywords of JSON Schema with other values.
const VALUES: &[&str] = &[
    "$anchor",
    "$comment",
    "$dynamicAnchor",
    "$dynamicRef",
    "$id",
    "$ref",
    "const",
    "contentEncoding",
    "contentMediaType",
    "default",
    "dependencies",
    "dependentRequired",
    "deprecated",
    "description",
    "enum",
    "examples",
    "exclusiveMaximum",
    "exclusiveMinimum",
    "format",
    "maxContains",
    "maximum",
    "maxItems",
    "maxLength",
    "maxProperties",
    "minContains",
    "minimum",
    "minItems",
    "minLength",
    "minProperties",
    "multipleOf",
    "nullable",
    "pattern",
    "readOnly",
    "required",
    "title",
    "uniqueItems",
    "writeOnly",
];
/// The values of `type`.
const TYPES: &[&str] = &[
    "array", "boolean", "integer", "null", "number", "object", "string",
];
/// The values of `$schema`, which libraries add when they are updated.
const DIALECTS: &[&str] = &[
    "http://json-schema.org/draft-06/schema#",
    "http://json-schema.org/draft-07/schema",
    "http://json-schema.org/draft-07/schema#",
    "https://json-schema.org/draft/2019-09/schema",
    "https://json-schema.org/draft/2020-12/schema",
];

/// The kind of a value in a definition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DefinitionPlace {
    Definition,
    Annotations,
    Schema,
    /// Schemas under names that the server chose.
    NamedSchemas,
    /// The value of `type`.
    Type,
    /// The value of `$schema`.
    Dialect,
    /// Anything else. All names and strings are the server's.
    Data,
}

impl DefinitionPlace {
    /// Returns the kind of a member's value, and whether a specification fixes the member's name.
    pub(crate) fn member(self, key: &str) -> (Self, bool) {
        match self {
            Self::Definition => match key {
                "inputSchema" | "outputSchema" => (Self::Schema, true),
                "annotations" => (Self::Annotations, true),
                _ => (Self::Data, DEFINITION.contains(&key)),
            },
            Self::Annotations => (Self::Data, ANNOTATIONS.contains(&key)),
            // The name of an argument can be an instruction, too.
            Self::NamedSchemas => (Self::Schema, false),
            Self::Schema => match key {
                "type" => (Self::Type, true),
                "$schema" => (Self::Dialect, true),
                _ if NAMED_SCHEMAS.contains(&key) => (Self::NamedSchemas, true),
                _ if holds_schemas(key) => (Self::Schema, true),
                _ => (Self::Data, VALUES.contains(&key)),
            },
            Self::Type | Self::Dialect | Self::Data => (Self::Data, false),
        }
    }

    /// Returns whether a specification fixes this string here.
    pub(crate) fn is_known_word(self, text: &str) -> bool {
        match self {
            Self::Type => TYPES.contains(&text),
            Self::Dialect => DIALECTS.contains(&text),
            _ => false,
        }
    }
}
