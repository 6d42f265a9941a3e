//! The names of the lints, as `allow(…)` takes them. `pd_runtime::check::Lint` documents what each
//! lint reports. A test in pd-runtime includes this file and compares both lists.

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
    "refused_schema",
    "long_name",
];
