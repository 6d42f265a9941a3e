//! Finds numbers that JSON lacks. serde_json writes them as `null`, which a reader takes for a
//! missing value.

use serde::{
    Serialize, Serializer,
    ser::{
        Error as _, SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant,
        SerializeTuple, SerializeTupleStruct, SerializeTupleVariant,
    },
};
use serde_json::Value;
use std::fmt::Display;

/// Converts a value to JSON.
///
/// # Errors
///
/// Returns an error as serde_json does, and for a number that JSON lacks.
pub(crate) fn to_value<T: Serialize + ?Sized>(value: &T) -> Result<Value, serde_json::Error> {
    let written = serde_json::to_value(value)?;
    // Only a null can have been such a number, and few results have one.
    if has_null(&written) {
        check(value).map(|()| written)
    } else {
        Ok(written)
    }
}

/// Writes a value as JSON.
///
/// # Errors
///
/// Returns the errors of [`to_value`].
pub(crate) fn to_string<T: Serialize + ?Sized>(value: &T) -> Result<String, serde_json::Error> {
    let text = serde_json::to_string(value)?;
    // A string may contain "null", too. The check then runs without need, which is harmless.
    if text.contains("null") {
        check(value).map(|()| text)
    } else {
        Ok(text)
    }
}

fn has_null(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(items) => items.iter().any(has_null),
        Value::Object(members) => members.values().any(has_null),
        Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

/// Checks that a value contains no infinite number and no NaN.
fn check<T: Serialize + ?Sized>(value: &T) -> Result<(), serde_json::Error> {
    value.serialize(FiniteCheck)
}

/// A serializer that writes nothing.
#[derive(Debug, Clone, Copy)]
struct FiniteCheck;

fn check_number(number: f64) -> Result<(), serde_json::Error> {
    if number.is_finite() {
        return Ok(());
    }
    Err(serde_json::Error::custom(format_args!(
        "JSON has no number for {number}; return an `Option` or a text for it"
    )))
}

/// Methods for values without parts.
macro_rules! accepted {
    ($($method:ident($($value:ty),*)),* $(,)?) => {$(
        fn $method(self, $(_: $value),*) -> Result<(), serde_json::Error> {
            Ok(())
        }
    )*};
}

/// Methods that begin a value with parts.
macro_rules! compound {
    ($($method:ident($($part:ty),*): $compound:ident),* $(,)?) => {$(
        fn $method(self, $(_: $part),*) -> Result<Self::$compound, serde_json::Error> {
            Ok(self)
        }
    )*};
}

impl Serializer for FiniteCheck {
    type Ok = ();
    type Error = serde_json::Error;
    type SerializeSeq = Self;
    type SerializeTuple = Self;
    type SerializeTupleStruct = Self;
    type SerializeTupleVariant = Self;
    type SerializeMap = Self;
    type SerializeStruct = Self;
    type SerializeStructVariant = Self;

    accepted! {
        serialize_bool(bool), serialize_i8(i8), serialize_i16(i16), serialize_i32(i32), serialize_i64(i64),
        serialize_i128(i128), serialize_u8(u8), serialize_u16(u16), serialize_u32(u32), serialize_u64(u64),
        serialize_u128(u128), serialize_char(char), serialize_str(&str), serialize_bytes(&[u8]), serialize_none(),
        serialize_unit(), serialize_unit_struct(&'static str), serialize_unit_variant(&'static str, u32, &'static str),
    }

    fn serialize_f32(self, value: f32) -> Result<(), serde_json::Error> {
        check_number(f64::from(value))
    }

    fn serialize_f64(self, value: f64) -> Result<(), serde_json::Error> {
        check_number(value)
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), serde_json::Error> {
        value.serialize(self)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        value: &T,
    ) -> Result<(), serde_json::Error> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        value: &T,
    ) -> Result<(), serde_json::Error> {
        value.serialize(self)
    }

    fn collect_str<T: Display + ?Sized>(self, _: &T) -> Result<(), serde_json::Error> {
        Ok(())
    }

    compound! {
        serialize_seq(Option<usize>): SerializeSeq,
        serialize_tuple(usize): SerializeTuple,
        serialize_tuple_struct(&'static str, usize): SerializeTupleStruct,
        serialize_tuple_variant(&'static str, u32, &'static str, usize): SerializeTupleVariant,
        serialize_map(Option<usize>): SerializeMap,
        serialize_struct(&'static str, usize): SerializeStruct,
        serialize_struct_variant(&'static str, u32, &'static str, usize): SerializeStructVariant,
    }
}

/// The parts of lists and tuples.
macro_rules! elements {
    ($($compound:ident::$method:ident),* $(,)?) => {$(
        impl $compound for FiniteCheck {
            type Ok = ();
            type Error = serde_json::Error;

            fn $method<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), serde_json::Error> {
                check(value)
            }

            fn end(self) -> Result<(), serde_json::Error> {
                Ok(())
            }
        }
    )*};
}

elements! {
    SerializeSeq::serialize_element,
    SerializeTuple::serialize_element,
    SerializeTupleStruct::serialize_field,
    SerializeTupleVariant::serialize_field,
}

/// The fields of structs.
macro_rules! fields {
    ($($compound:ident),* $(,)?) => {$(
        impl $compound for FiniteCheck {
            type Ok = ();
            type Error = serde_json::Error;

            fn serialize_field<T: Serialize + ?Sized>(
                &mut self,
                _: &'static str,
                value: &T,
            ) -> Result<(), serde_json::Error> {
                check(value)
            }

            fn end(self) -> Result<(), serde_json::Error> {
                Ok(())
            }
        }
    )*};
}

fields! { SerializeStruct, SerializeStructVariant }

impl SerializeMap for FiniteCheck {
    type Ok = ();
    type Error = serde_json::Error;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, _: &T) -> Result<(), serde_json::Error> {
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(
        &mut self,
        value: &T,
    ) -> Result<(), serde_json::Error> {
        check(value)
    }

    fn end(self) -> Result<(), serde_json::Error> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[derive(Serialize)]
    enum Measured {
        One(f64),
        Two(f64, f64),
        Named { value: Option<f64> },
        Nothing,
    }

    #[test]
    fn a_number_is_found_wherever_it_is() {
        for number in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            let found = [
                check(&number),
                check(&vec![1.0, number]),
                check(&(1.0, number)),
                check(&Some(number)),
                check(&BTreeMap::from([("a", number)])),
                check(&Measured::One(number)),
                check(&Measured::Two(1.0, number)),
                check(&[Measured::Named {
                    value: Some(number),
                }]),
            ];
            for error in found {
                assert!(error.is_err_and(|error| error.to_string().contains(&number.to_string())));
            }
        }
        assert!(check(&f32::NAN).is_err());
    }

    #[test]
    fn what_json_has_is_accepted() {
        for one in [
            Measured::One(1.5),
            Measured::Two(0.0, -1.0),
            Measured::Named { value: None },
            Measured::Nothing,
        ] {
            assert!(check(&one).is_ok());
        }
        assert!(check(&(f64::MAX, u128::MAX, 'a', "b", [0_u8; 3], ())).is_ok());
    }
}
