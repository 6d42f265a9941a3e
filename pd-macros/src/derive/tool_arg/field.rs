//! The fields of a struct as serde reads them. Each field is read once, and everything that depends
//! on it uses this result.

use super::{super::serde::SerdeAttributes, parameters, unknown};
use crate::{errors::Errors, keys};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::{Data, DeriveInput, Field, Type, spanned::Spanned};

/// A field that serde does not skip.
pub(super) struct FieldPlan<'a> {
    field: &'a Field,
    pub(super) serde: SerdeAttributes,
    source: ShapeSource,
    /// True if the field's JSON is not determined by its type.
    is_hidden: bool,
}

/// The source of a field's shape.
enum ShapeSource {
    /// The shape is unknown.
    Unknown,
    /// The type is probed, and may have no shape.
    Probe,
    /// The type has a shape if these type parameters have one.
    Parameters(Vec<Ident>),
}

/// Reads each field of a struct, without the skipped ones.
pub(super) fn plan<'a>(input: &'a DeriveInput, errors: &mut Errors) -> Vec<FieldPlan<'a>> {
    let Data::Struct(data) = &input.data else {
        return Vec::new();
    };
    let plans = data
        .fields
        .iter()
        .map(|field| FieldPlan::read(field, input, errors));
    // Skipped fields are read as well, so that mistakes in their attributes are reported.
    plans.filter(|plan| !plan.serde.is_skipped).collect()
}

impl<'a> FieldPlan<'a> {
    fn read(field: &'a Field, input: &DeriveInput, errors: &mut Errors) -> Self {
        let serde = SerdeAttributes::read(&field.attrs);
        // The JSON of a flattened field is part of the struct's JSON, so the field's own type
        // determines nothing at this place.
        let is_hidden = read_unchecked(field, errors)
            || serde.is_foreign
            || serde.is_flattened
            || serde.is_skipped;
        let source = if is_hidden {
            ShapeSource::Unknown
        } else {
            ShapeSource::from_type(&field.ty, input)
        };
        Self {
            field,
            serde,
            source,
            is_hidden,
        }
    }

    /// Returns the field's type, if the type determines the field's JSON.
    pub(super) fn read_type(&self) -> Option<&'a Type> {
        (!self.is_hidden).then_some(&self.field.ty)
    }

    /// Returns whether serde may choose this field as the content of a transparent struct.
    pub(super) fn may_be_the_whole(&self) -> bool {
        !self.serde.has_default && !parameters::is_marker(&self.field.ty)
    }

    /// Returns whether the field needs the shape of this type parameter.
    pub(super) fn needs_shape_of(&self, parameter: &Ident) -> bool {
        matches!(&self.source, ShapeSource::Parameters(needed) if needed.contains(parameter))
    }

    /// `__pd::Field::new("pageSize", __pd::ShapeProbe::<u32>::SHAPE).aliases(&["size"]).or_default()`
    pub(super) fn emit(&self, all: &SerdeAttributes) -> TokenStream {
        let name = self.field.ident.as_ref().map(|ident| {
            let cased = all.rename_all.map(|case| case.apply_to_field(ident));
            self.serde.name(cased, ident)
        });
        let shape = self.emit_shape();
        let aliases = &self.serde.aliases;
        let aliases = (!aliases.is_empty()).then(|| quote!(.aliases(&[#(#aliases),*])));
        let or_default = (self.serde.has_default || all.has_default).then(|| quote!(.or_default()));
        quote!(__pd::Field::new(#name, #shape) #aliases #or_default)
    }

    /// Emits `__pd::ShapeProbe::<u32>::SHAPE` with the type's span, so that rustc's errors point at
    /// the type.
    pub(super) fn emit_shape(&self) -> TokenStream {
        let ty = &self.field.ty;
        let span = Span::mixed_site().located_at(ty.span());
        match self.source {
            ShapeSource::Unknown => unknown(),
            ShapeSource::Probe => quote_spanned!(span=> __pd::ShapeProbe::<#ty>::SHAPE),
            ShapeSource::Parameters(_) => quote_spanned!(span=> <#ty as __pd::ToolArg>::SHAPE),
        }
    }
}

impl ShapeSource {
    /// Chooses the source. A type that contains itself is unknown, because its constant would
    /// depend on itself.
    fn from_type(ty: &Type, input: &DeriveInput) -> Self {
        let parameters: Vec<_> = input
            .generics
            .type_params()
            .map(|parameter| parameter.ident.clone())
            .collect();
        if parameters::mentions(
            ty,
            &[input.ident.clone(), Ident::new("Self", input.ident.span())],
        ) {
            Self::Unknown
        } else if parameters::mentions(ty, &parameters) {
            parameters::shape_parameters(ty, &parameters).map_or(Self::Unknown, Self::Parameters)
        } else {
            Self::Probe
        }
    }
}

/// Parses `#[tool_arg(unchecked)]`, which breaks cycles between types that contain one another.
fn read_unchecked(field: &Field, errors: &mut Errors) -> bool {
    let mut unchecked = false;
    let lists = keys::lists(&field.attrs, "tool_arg", "unchecked", errors);
    keys::read(lists, errors, |key, input| match key.to_string().as_str() {
        "unchecked" => {
            unchecked = keys::flag(key, input)?;
            Ok(())
        }
        _ => Err(keys::unknown(key, "`#[tool_arg]` key", &["unchecked"])),
    });
    unchecked
}
