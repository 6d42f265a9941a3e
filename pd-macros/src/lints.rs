//! The lints of taste, by the names that `allow(…)` takes. What each finds is `pd_runtime::check::Lint`'s to say; a test there
//! compiles this file to see that both lists agree.

/// Every lint, in the order of `pd_runtime::check::Lint::ALL`.
pub(crate) const LINTS: &[&str] = &[
    "summary_filler",
    "summary_full_stop",
    "summary_lists_arguments",
    "summary_repeats_group",
    "same_summary",
    "undocumented_argument",
    "argument_repeats_name",
    "no_usage",
    "unhinted_read",
    "read_only_writes",
    "names_scoped_tool",
    "internal_path",
    "internal_host",
    "long_skill",
    "small_listing",
    "number_keys",
];
