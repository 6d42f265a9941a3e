//! Types of other crates, by name. Tool authors cannot derive traits for them, and schemars
//! describes some of them under a feature. Another type may have the same name, so a match changes
//! only the text of an error.

use crate::ty::{generics, inner_types, last_segment, peel};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote_spanned};
use syn::Type;

/// The crate of a type. The value is a module of `pd_runtime::__private::foreign`, named after the
/// schemars feature for that crate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct ForeignCrate(&'static str);

/// Dates and times of several crates, with or without a schemars feature.
const DATE: ForeignCrate = ForeignCrate("date");
/// A type without a schemars description, from a crate whose other types have one.
const UNDESCRIBED: ForeignCrate = ForeignCrate("undescribed");

/// A crate, its schemars feature, and the types that the feature describes.
struct DescribedCrate {
    name: &'static str,
    feature: &'static str,
    types: &'static [&'static str],
}

const fn described(
    name: &'static str,
    feature: &'static str,
    types: &'static [&'static str],
) -> DescribedCrate {
    DescribedCrate {
        name,
        feature,
        types,
    }
}

const DESCRIBED: &[DescribedCrate] = &[
    described("arrayvec", "arrayvec07", &["ArrayString", "ArrayVec"]),
    described("bigdecimal", "bigdecimal04", &["BigDecimal"]),
    described("bytes", "bytes1", &["Bytes", "BytesMut"]),
    described(
        "chrono",
        "chrono04",
        &[
            "DateTime",
            "NaiveDate",
            "NaiveDateTime",
            "NaiveTime",
            "TimeDelta",
            "Weekday",
        ],
    ),
    described("either", "either1", &["Either"]),
    described("indexmap", "indexmap2", &["IndexMap", "IndexSet"]),
    described(
        "jiff",
        "jiff02",
        &[
            "Date",
            "DateTime",
            "SignedDuration",
            "Span",
            "Time",
            "Timestamp",
            "Zoned",
        ],
    ),
    described("rust_decimal", "rust_decimal1", &["Decimal"]),
    described("semver", "semver1", &["Version"]),
    described("smallvec", "smallvec1", &["SmallVec"]),
    described("smol_str", "smol_str03", &["SmolStr"]),
    described("url", "url2", &["Url"]),
    described("uuid", "uuid1", &["Uuid"]),
];

/// Names of dates and times that several crates define, or that only `time` defines.
const DATES: &[&str] = &[
    "Date",
    "DateTime",
    "OffsetDateTime",
    "PrimitiveDateTime",
    "Time",
    "UtcDateTime",
];

impl ForeignCrate {
    /// Finds the first type of another crate inside a type.
    pub(crate) fn find(ty: &Type) -> Option<Self> {
        let ty = peel(ty);
        Self::from_type(ty).or_else(|| inner_types(ty).into_iter().find_map(Self::find))
    }

    fn from_type(ty: &Type) -> Option<Self> {
        let Type::Path(path) = ty else { return None };
        let name = last_segment(ty)?.ident.to_string();
        // A bare name has no crate before it.
        let root = path
            .path
            .segments
            .first()
            .filter(|_| path.path.segments.len() > 1)
            .map(|root| root.ident.to_string());
        let is = |types: &[&str]| types.contains(&name.as_str());
        // A path that begins with the crate's name is certain; the other rules guess by the last
        // segment.
        if let Some(described) = root
            .as_ref()
            .and_then(|root| DESCRIBED.iter().find(|one| one.name == root))
        {
            return Some(if is(described.types) {
                Self(described.feature)
            } else {
                UNDESCRIBED
            });
        }
        // `DateTime` with parameters is chrono's, which has a feature.
        if root.is_some_and(|root| root == "time") || (is(DATES) && generics(ty).next().is_none()) {
            return Some(DATE);
        }
        DESCRIBED
            .iter()
            .find(|one| is(one.types))
            .map(|one| Self(one.feature))
    }

    /// Emits `__pd::foreign::uuid1::take::<uuid::Uuid>`. `verb` is `take` or `argument`.
    pub(crate) fn emit(self, verb: &str, ty: &impl ToTokens, span: Span) -> TokenStream {
        let [module, function] = [self.0, verb].map(|name| Ident::new(name, span));
        quote_spanned!(span=> __pd::foreign::#module::#function::<#ty>)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;
    use std::collections::BTreeSet;
    use syn::parse_quote;

    /// A name without its module in the runtime would cause an error about generated code.
    #[test]
    fn each_crate_has_its_module_in_the_runtime_and_each_module_its_crate() {
        // A path from this file: `tests/fuzz` compiles it, too, in another package.
        let source = include_str!("../../pd-runtime/src/__private/foreign.rs");
        let (_, list) = source.split_once("\ncrates! {").unwrap();
        let modules: BTreeSet<&str> = list
            .lines()
            .filter_map(|line| line.trim().strip_suffix(':'))
            .collect();
        let known = DESCRIBED
            .iter()
            .map(|described| described.feature)
            .chain([DATE.0, UNDESCRIBED.0]);
        assert_eq!(modules, known.collect());
    }

    #[test]
    fn types_of_other_crates_are_known_by_their_names() {
        let cases: [(Type, Option<ForeignCrate>); 13] = [
            (parse_quote!(uuid::Uuid), Some(ForeignCrate("uuid1"))),
            (parse_quote!(Option<Uuid>), Some(ForeignCrate("uuid1"))),
            (
                parse_quote!(Vec<(String, reqwest::Url)>),
                Some(ForeignCrate("url2")),
            ),
            (
                parse_quote!(jiff::civil::Date),
                Some(ForeignCrate("jiff02")),
            ),
            (parse_quote!(DateTime<Utc>), Some(ForeignCrate("chrono04"))),
            (parse_quote!(Decimal), Some(ForeignCrate("rust_decimal1"))),
            (parse_quote!(DateTime), Some(DATE)),
            (parse_quote!(time::Month), Some(DATE)),
            (parse_quote!(semver::VersionReq), Some(UNDESCRIBED)),
            (parse_quote!(std::time::Duration), None),
            (parse_quote!(String), None),
            (parse_quote!(Query), None),
            (parse_quote!((u8, [Uuid; 2])), Some(ForeignCrate("uuid1"))),
        ];
        for (ty, foreign) in cases {
            assert_eq!(ForeignCrate::find(&ty), foreign, "{}", ty.to_token_stream());
        }
    }
}
