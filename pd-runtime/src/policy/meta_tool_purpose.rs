//! The purposes of meta-tools. Presets have meta-tools for the same purposes.

/// The purpose of a meta-tool, independent of its arguments and results.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MetaToolPurpose {
    Find,
    List,
    Describe,
    Call,
    CallReadOnly,
    #[cfg(feature = "code")]
    RunCode,
}
