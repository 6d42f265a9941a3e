//! The checks, compiled once for all fuzz targets.
//!
//! `just fuzz TARGET` looks for bytes that break one; what breaks lands in `artifacts`, and is kept in `corpus` under a name that
//! says what it was. `just fuzz-keep TARGET` keeps of a run what reaches further. The tests `corpus` of pd-tests and of pd-macros
//! replay both.
//! There is no address sanitizer: the product forbids `unsafe`. Debug assertions and overflow checks are on.

pub mod checks;
#[path = "checks/macros/mod.rs"]
pub mod macros;

// A proc-macro crate exports nothing but its macros, so their modules are compiled here once more.
#[path = "../../pd-macros/src"]
mod stages {
    pub(crate) mod args;
    pub(crate) mod attributes;
    pub(crate) mod check;
    pub(crate) mod const_assert;
    pub(crate) mod constraint;
    pub(crate) mod derive;
    pub(crate) mod doc;
    pub(crate) mod duration;
    pub(crate) mod editor;
    pub(crate) mod emit;
    pub(crate) mod errors;
    pub(crate) mod expand;
    pub(crate) mod fallback;
    pub(crate) mod foreign;
    pub(crate) mod icons;
    pub(crate) mod item;
    pub(crate) mod json;
    pub(crate) mod keys;
    pub(crate) mod lent;
    pub(crate) mod lints;
    pub(crate) mod map_keys;
    pub(crate) mod model;
    pub(crate) mod nearest;
    pub(crate) mod parameter;
    pub(crate) mod paths;
    pub(crate) mod registry;
    pub(crate) mod rmcp;
    pub(crate) mod selected;
    pub(crate) mod std_types;
    pub(crate) mod ty;
}
use stages::*;
