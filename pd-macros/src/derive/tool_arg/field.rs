//! A field as serde reads it: read once, so that what is known of it is decided in one place.

use super::{super::serde::Serde, parameters, unknown};
use crate::{errors::Errors, keys};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::{Data, DeriveInput, Field, Type, spanned::Spanned};

/// A field that is not skipped.
pub(super) struct FieldPlan<'a> {
    field: &'a Field,
    pub(super) serde: Serde,
    source: Source,
    /// Whether the field is read in another way than its type.
    is_hidden: bool,
}

/// Where its shape comes from.
enum Source {
    /// Nothing is known.
    Unknown,
    /// The type is asked, and may have none.
    Probe,
    /// The type has one as soon as these parameters have.
    Parameters(Vec<Ident>),
}

/// What is known of each field of a struct; of those of which serde reads nothing, nothing is asked.
pub(super) fn plan<'a>(input: &'a DeriveInput, errors: &mut Errors) -> Vec<FieldPlan<'a>> {
    let Data::Struct(data) = &input.data else { return Vec::new() };
    let plans = data.fields.iter().map(|field| FieldPlan::read(field, input, errors));
    plans.filter(|plan| !plan.serde.is_skipped).collect()
}

impl<'a> FieldPlan<'a> {
    fn read(field: &'a Field, input: &DeriveInput, errors: &mut Errors) -> Self {
        let serde = Serde::read(&field.attrs);
        let is_hidden = read_unchecked(field, errors) || serde.is_foreign || serde.is_flattened || serde.is_skipped;
        let source = if is_hidden { Source::Unknown } else { Source::of(&field.ty, input) };
        Self { field, serde, source, is_hidden }
    }

    /// Returns the type that serde reads the field as.
    pub(super) fn read_type(&self) -> Option<&'a Type> {
        (!self.is_hidden).then_some(&self.field.ty)
    }

    /// Whether a transparent type may be this field: as serde chooses it.
    pub(super) fn may_be_the_whole(&self) -> bool {
        !self.serde.has_default && !parameters::is_marker(&self.field.ty)
    }

    /// Whether the shape of this parameter is needed.
    pub(super) fn asks(&self, parameter: &Ident) -> bool {
        matches!(&self.source, Source::Parameters(asked) if asked.contains(parameter))
    }

    /// `__pd::Field::new("pageSize", __pd::ShapeProbe::<u32>::SHAPE).aliases(&["size"]).or_default()`
    pub(super) fn emit(&self, all: &Serde) -> TokenStream {
        let name = self.field.ident.as_ref().map(|ident| {
            let cased = all.rename_all.map(|case| case.of_field(ident));
            self.serde.name(cased, ident)
        });
        let shape = self.emit_shape();
        let aliases = &self.serde.aliases;
        let aliases = (!aliases.is_empty()).then(|| quote!(.aliases(&[#(#aliases),*])));
        let or_default = (self.serde.has_default || all.has_default).then(|| quote!(.or_default()));
        quote!(__pd::Field::new(#name, #shape) #aliases #or_default)
    }

    /// `__pd::ShapeProbe::<u32>::SHAPE`, at the type, for rustc to point at.
    pub(super) fn emit_shape(&self) -> TokenStream {
        let ty = &self.field.ty;
        let span = Span::mixed_site().located_at(ty.span());
        match self.source {
            Source::Unknown => unknown(),
            Source::Probe => quote_spanned!(span=> __pd::ShapeProbe::<#ty>::SHAPE),
            Source::Parameters(_) => quote_spanned!(span=> <#ty as __pd::ToolArg>::SHAPE),
        }
    }
}

impl Source {
    /// A type that holds itself would be asked without end.
    fn of(ty: &Type, input: &DeriveInput) -> Self {
        let parameters: Vec<_> = input.generics.type_params().map(|parameter| parameter.ident.clone()).collect();
        if parameters::mentions(ty, &[input.ident.clone(), Ident::new("Self", input.ident.span())]) {
            Self::Unknown
        } else if parameters::mentions(ty, &parameters) {
            parameters::asked(ty, &parameters).map_or(Self::Unknown, Self::Parameters)
        } else {
            Self::Probe
        }
    }
}

/// `#[tool_arg(unchecked)]`, for types that hold one another.
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
