//! Resolves `$ref` and chooses the targets that get a type name: targets of several references, and
//! recursive ones.

use pd_schema::reader::{SchemaRef, schema_part::SchemaPart};
use serde_json::Value;

/// The limit on the depth of a schema, references included. A deeper schema is shown verbatim as a
/// whole.
pub(super) const DEPTH_MAX: usize = 48;
/// The length in bytes below which a shared schema is repeated. A shorter one costs less at each
/// use than a type name.
const SHORT: usize = 60;
/// Words that a type name must not be, because signatures use them.
const TAKEN: [&str; 12] = [
    "any", "boolean", "exact", "int", "never", "null", "number", "object", "oneOf", "schema",
    "string", "type",
];

/// The schemas of one document that references point to.
#[derive(Debug)]
pub(super) struct SchemaDefinitions<'a> {
    root: SchemaRef<'a>,
    /// Reference, name and target, in the order of first use.
    pub(super) named: Vec<(&'a str, String, SchemaRef<'a>)>,
}

impl<'a> SchemaDefinitions<'a> {
    /// Collects the definitions. Returns `None` if a reference depends on more than its pointer,
    /// for example on `$id`; then only the verbatim schema is exact.
    pub(super) fn new(root: &'a Value) -> Option<Self> {
        let root = SchemaRef::document(root);
        // The root counts as used once, so that one `$ref: "#"` makes it recursive and gives it a
        // name.
        let met = vec![ReferenceCount {
            reference: "#",
            uses: 1,
            is_shown: false,
        }];
        let mut census = ReferenceCensus {
            root,
            met,
            depth: 0,
            is_plain: true,
        };
        census.visit(root, true);
        if !census.is_plain {
            return None;
        }
        let mut definitions = Self {
            root,
            named: Vec::new(),
        };
        for ReferenceCount {
            reference,
            uses,
            is_shown,
        } in census.met
        {
            match root.resolve(reference) {
                Some(schema) if is_shown || (uses > 1 && !is_short(schema)) => {
                    definitions.assign_name(reference, schema)
                }
                _ => {}
            }
        }
        Some(definitions)
    }

    pub(super) fn root(&self) -> SchemaRef<'a> {
        self.root
    }

    pub(super) fn target(&self, reference: &str) -> Option<SchemaRef<'a>> {
        self.root.resolve(reference)
    }

    pub(super) fn name(&self, reference: &str) -> Option<&str> {
        self.named
            .iter()
            .find(|(known, ..)| *known == reference)
            .map(|(_, name, _)| name.as_str())
    }

    fn assign_name(&mut self, reference: &'a str, schema: SchemaRef<'a>) {
        // The author chose the last segment as the name of the type.
        let last = reference.rsplit(['/', '#']).next().unwrap_or_default();
        let mut name: String = last
            .chars()
            .map(|letter| if is_word(letter) { letter } else { '_' })
            .collect();
        if name.is_empty() {
            // A reference to the root has no last segment.
            name.push_str("Args");
        }
        let is_taken = |name: &str| {
            TAKEN.contains(&name)
                || name.starts_with(|first: char| first.is_ascii_digit())
                || self.named.iter().any(|(_, known, _)| known == name)
        };
        // Prefixes keep the name readable; the loop ends because each round makes the name longer.
        while is_taken(&name) {
            name.insert(0, '_');
        }
        self.named.push((reference, name, schema));
    }
}

fn is_short(schema: SchemaRef<'_>) -> bool {
    let fits = |schema: &Value| references(schema).is_empty() && schema.to_string().len() < SHORT;
    !schema.has_reference() && schema.value().is_some_and(fits)
}

fn is_word(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || letter == '_'
}

/// Counts the references of a document.
struct ReferenceCensus<'a> {
    root: SchemaRef<'a>,
    met: Vec<ReferenceCount<'a>>,
    depth: usize,
    /// Whether every reference is a pointer into this document, and no schema is too deep.
    is_plain: bool,
}

struct ReferenceCount<'a> {
    reference: &'a str,
    uses: usize,
    /// Whether the reference itself is part of the rendered text, which then has to define its
    /// target.
    is_shown: bool,
}

/// Keywords with data, which may look like schemas.
const QUOTES: [&str; 4] = ["const", "enum", "default", "examples"];
/// Keywords that change the base URI of references, or the target of one.
const MOVES_OR_JUMPS: [&str; 5] = [
    "$id",
    "$anchor",
    "$dynamicAnchor",
    "$dynamicRef",
    "$recursiveRef",
];

impl<'a> ReferenceCensus<'a> {
    fn visit(&mut self, schema: SchemaRef<'a>, is_root: bool) {
        if schema.keywords().is_none() {
            return;
        }
        if self.depth >= DEPTH_MAX {
            self.is_plain = false;
            return;
        }
        self.depth += 1;
        self.visit_keywords(schema, is_root);
        self.depth -= 1;
    }

    fn visit_keywords(&mut self, schema: SchemaRef<'a>, is_root: bool) {
        // `$id` at the root only names the document. Anywhere else it changes the base URI of
        // references.
        self.is_plain &= !MOVES_OR_JUMPS
            .iter()
            .any(|key| schema.get(key).is_some() && !(is_root && *key == "$id"));
        for (key, part) in schema.parts() {
            match part {
                SchemaPart::Reference(reference) => self.count_reference(reference, false),
                // A definition counts only if a reference leads to it.
                SchemaPart::Definitions(_) => {}
                _ if QUOTES.contains(&key) => {}
                // The keywords that `lower` renders.
                SchemaPart::Items(_)
                | SchemaPart::AdditionalProperties(_)
                | SchemaPart::Branches(..)
                | SchemaPart::PrefixItems(_)
                | SchemaPart::Properties(_)
                | SchemaPart::PatternProperties(_) => {
                    for inner in part.schemas() {
                        self.visit(inner, false);
                    }
                }
                // This keyword is rendered verbatim, including its references, so their targets
                // need a definition.
                _ => {
                    for reference in schema.get(key).into_iter().flat_map(references) {
                        self.count_reference(reference, true);
                    }
                }
            }
        }
    }

    fn count_reference(&mut self, reference: &'a str, is_shown: bool) {
        if let Some(met) = self.met.iter_mut().find(|met| met.reference == reference) {
            met.uses += 1;
            met.is_shown |= is_shown;
            return;
        }
        // Recorded before the visit, so that a recursive schema ends here at its second occurrence.
        self.met.push(ReferenceCount {
            reference,
            uses: 1,
            is_shown,
        });
        match self.root.resolve(reference) {
            Some(schema) => self.visit(schema, false),
            None => self.is_plain = false,
        }
    }
}

/// Returns all references in a value, at any depth.
fn references(value: &Value) -> Vec<&str> {
    let inside: Box<dyn Iterator<Item = &Value>> = match value {
        Value::Object(object) => Box::new(object.values()),
        Value::Array(items) => Box::new(items.iter()),
        _ => return Vec::new(),
    };
    // Not as subschemas, because a keyword that is rendered verbatim shows the references in its
    // data, too.
    let own = SchemaRef::document(value).reference();
    own.into_iter().chain(inside.flat_map(references)).collect()
}
