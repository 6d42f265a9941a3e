//! The columns that a type reads, obtained from serde without a schema and without a row.

use crate::selective::table::ROW_ID;
use pd_schema::reader::SchemaRef;
use schemars::{JsonSchema, SchemaGenerator};
use serde::{
    Deserializer,
    de::{DeserializeOwned, Error, Visitor, value},
    forward_to_deserialize_any,
};

/// Returns the names of the fields that a struct reads, or `None` for a map, an enum or a struct
/// with `#[serde(flatten)]`.
pub(super) fn fields<T: DeserializeOwned>() -> Option<&'static [&'static str]> {
    let mut fields = None;
    // The probe always fails. Before that, a struct's derive passes it the names of the fields.
    let _ = T::deserialize(FieldProbe(&mut fields));
    fields
}

/// Returns whether rows of this type have a column for their number.
pub(super) fn is_numbered<T: DeserializeOwned + JsonSchema>(fields: Option<&[&str]>) -> bool {
    // A flattened struct reports no fields to serde, but its schema contains them.
    match fields {
        Some(fields) => fields.contains(&ROW_ID),
        None => {
            let schema = T::json_schema(&mut SchemaGenerator::default());
            has_number(SchemaRef::document(schema.as_value()))
        }
    }
}

fn has_number(schema: SchemaRef<'_>) -> bool {
    schema.property(ROW_ID).is_some() || schema.branches().any(has_number)
}

/// A deserializer that records the requested fields and then fails.
struct FieldProbe<'a>(&'a mut Option<&'static [&'static str]>);

impl<'de> Deserializer<'de> for FieldProbe<'_> {
    type Error = value::Error;

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, value::Error> {
        Err(value::Error::custom("no row"))
    }

    // A newtype around a row reads the columns of the row.
    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        of: V,
    ) -> Result<V::Value, value::Error> {
        of.visit_newtype_struct(self)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, value::Error> {
        *self.0 = Some(fields);
        self.deserialize_any(visitor)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct seq tuple
        tuple_struct map enum identifier ignored_any
    }
}
