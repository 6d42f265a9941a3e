//! A schema cut at its references, so that the errors of one value can be collected without those
//! of all inner values.
//!
//! jsonschema collects the errors of every branch of a union at every level. Where branches share a
//! recursive field, that takes 2 to the power of the depth. A unit is the target of one reference,
//! in which a custom keyword replaces every further reference. That keyword reports one error for
//! the whole value, and the error names the unit to continue with.

use super::{super::subschemas::visit_mut, options};
use crate::text::percent;
use jsonschema::{Keyword, ValidationError, Validator, error::ValidationErrorKind};
use rmcp::model::JsonObject;
use serde_json::{Value, json};
use std::{
    cell::RefCell,
    collections::HashMap,
    sync::{Arc, OnceLock, Weak},
};

/// The keyword that replaces a reference; its value is the unit's number.
const UNIT: &str = "x-pd-runtime-unit";
/// Drafts before 2019-09, which ignore the siblings of `$ref`.
const OLD_DRAFTS: [&str; 4] = ["draft-03", "draft-04", "draft-06", "draft-07"];
/// Keywords whose meaning a cut would change: they depend on the results of a reference, or on the
/// schema that referred to it.
const INSEPARABLE: [&str; 5] =
    ["$dynamicRef", "$recursiveRef", "unevaluatedItems", "unevaluatedProperties", "$recursiveAnchor"];

/// The units of one schema; the first is the whole schema.
#[derive(Debug)]
pub(super) struct SchemaUnits(Arc<OnceLock<Vec<Validator>>>);

impl SchemaUnits {
    /// Cuts and compiles a schema. Returns `None` if that would change its meaning.
    pub(super) fn new(schema: &Value) -> Option<Self> {
        let cuts = SchemaCutter::new(schema)?;
        // The keyword needs the compiled units, and compiling them needs the keyword. The keyword
        // holds a weak reference to a cell that is filled last.
        let units = Arc::new(OnceLock::new());
        let options = || {
            let units = Arc::downgrade(&units);
            options().with_keyword(UNIT, move |_, unit, _| {
                let unit = unit.as_u64().and_then(|unit| usize::try_from(unit).ok()).unwrap_or_default();
                Ok(Box::new(UnitReference { unit, units: units.clone() }))
            })
        };
        let compiled: Result<Vec<_>, _> = cuts.schemas.iter().map(|schema| options().build(schema)).collect();
        units.set(compiled.ok()?).ok()?;
        Some(Self(units))
    }

    pub(super) fn get(&self, unit: usize) -> Option<&Validator> {
        self.0.get()?.get(unit)
    }

    /// Returns the unit that an error refers to.
    pub(super) fn unit_of(error: &ValidationError<'_>) -> Option<usize> {
        match error.kind() {
            ValidationErrorKind::Custom { keyword, message } if keyword == UNIT => message.parse().ok(),
            _ => None,
        }
    }
}

/// The units of a schema before they are compiled.
struct SchemaCutter<'a> {
    root: &'a Value,
    is_old: bool,
    numbers: HashMap<String, usize>,
    waiting: Vec<&'a Value>,
    schemas: Vec<Value>,
}

impl<'a> SchemaCutter<'a> {
    fn new(root: &'a Value) -> Option<Self> {
        let draft = root.get("$schema").and_then(Value::as_str).unwrap_or_default();
        let is_old = OLD_DRAFTS.iter().any(|old| draft.contains(old));
        let numbers = HashMap::from([("#".to_owned(), 0)]);
        let mut cuts = Self { root, is_old, numbers, waiting: vec![root], schemas: Vec::new() };
        // Units are numbered in the order of `waiting`, so the next one to cut is at the number of
        // those that are done.
        while let Some(target) = cuts.waiting.get(cuts.schemas.len()).copied() {
            let unit = cuts.cut(target)?;
            cuts.schemas.push(unit);
        }
        Some(cuts)
    }

    /// Copies a schema, and replaces its references.
    fn cut(&mut self, target: &'a Value) -> Option<Value> {
        let mut copy = target.clone();
        let is_root = std::ptr::eq(target, self.root);
        if let Value::Object(object) = &mut copy {
            // No reference is left that needs the definitions. Copying them into each unit would
            // make the total size quadratic.
            object.shift_remove("$defs");
            object.shift_remove("definitions");
            if let Some(draft) = self.root.get("$schema") {
                object.insert("$schema".to_owned(), draft.clone());
            }
            if is_root {
                object.shift_remove("$id");
            }
        }
        let mut is_separable = true;
        visit_mut(&mut copy, &mut |object| is_separable &= self.replace(object));
        is_separable.then_some(copy)
    }

    /// Replaces the reference of one schema. Returns `false` if the schema cannot be cut.
    fn replace(&mut self, object: &mut JsonObject) -> bool {
        if object.contains_key("$id") || INSEPARABLE.iter().any(|keyword| object.contains_key(*keyword)) {
            return false;
        }
        let Some(reference) = object.get("$ref").and_then(Value::as_str) else { return true };
        let Some(unit) = self.number(reference) else { return false };
        if self.is_old {
            object.clear();
        }
        object.shift_remove("$ref");
        object.insert(UNIT.to_owned(), json!(unit));
        true
    }

    fn number(&mut self, reference: &str) -> Option<usize> {
        if let Some(known) = self.numbers.get(reference) {
            return Some(*known);
        }
        let pointer = reference.strip_prefix('#').filter(|pointer| pointer.starts_with('/'))?;
        let target = self.root.pointer(pointer).or_else(|| self.root.pointer(&percent::decode(pointer)?))?;
        let number = self.waiting.len();
        self.waiting.push(target);
        self.numbers.insert(reference.to_owned(), number);
        Some(number)
    }
}

/// The custom keyword, which validates a value by a unit.
struct UnitReference {
    unit: usize,
    /// Weak, because the units own this keyword: a strong reference would be a cycle and leak.
    units: Weak<OnceLock<Vec<Validator>>>,
}

impl UnitReference {
    fn fits(&self, instance: &Value) -> bool {
        let units = self.units.upgrade();
        units
            .as_deref()
            .and_then(OnceLock::get)
            .and_then(|units| units.get(self.unit))
            .is_none_or(|unit| unit.is_valid(instance))
    }
}

impl<'i> Keyword<'i> for UnitReference {
    fn validate(&self, instance: &'i Value) -> Result<(), ValidationError<'i>> {
        if self.is_valid(instance) { Ok(()) } else { Err(ValidationError::custom(self.unit.to_string())) }
    }

    fn is_valid(&self, instance: &'i Value) -> bool {
        // Results are cached by address. Arrays and objects keep theirs during a validation, but
        // jsonschema copies property names into temporary values.
        if !instance.is_array() && !instance.is_object() {
            return self.fits(instance);
        }
        let key = (self.unit, std::ptr::from_ref(instance).addr());
        if let Some(known) = UnitMemo::get(key) {
            return known;
        }
        let fits = self.fits(instance);
        UnitMemo::insert(key, fits);
        fits
    }
}

/// The cached results of validating values by units, for one call on this thread. Each pair is
/// validated once.
pub(super) struct UnitMemo(());

type MemoKey = (usize, usize);

thread_local! {
    static KNOWN: RefCell<HashMap<MemoKey, bool>> = RefCell::default();
}

impl UnitMemo {
    pub(super) fn new() -> Self {
        KNOWN.with_borrow_mut(HashMap::clear);
        Self(())
    }

    fn get(key: MemoKey) -> Option<bool> {
        KNOWN.with_borrow(|known| known.get(&key).copied())
    }

    fn insert(key: MemoKey, fits: bool) {
        KNOWN.with_borrow_mut(|known| known.insert(key, fits));
    }
}

impl Drop for UnitMemo {
    /// Clears the cache: the addresses are meaningless once the arguments are freed.
    fn drop(&mut self) {
        KNOWN.take();
    }
}
