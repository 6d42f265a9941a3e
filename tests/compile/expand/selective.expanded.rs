//! Selective tools: callers choose which columns of their rows they are shown.
use pd_runtime::{Table, prelude::*};
#[derive(serde::Serialize, schemars::JsonSchema)]
struct Alert {
    /// What kind of weather.
    event: String,
    severity: u8,
}
/// Weather alerts of an area.
///
/// # Examples
///
/// What kinds there are:
///
/// ```json
/// { "area": "CA", "abstract_domains": "event", "mode": "sync" }
/// ```
///
/// ```json
/// { "area": "CA" }
/// ```
async fn alerts(area: String) -> Result<Json<Vec<Alert>>, ToolError> {
    Ok(Json(vec![Alert { event : area, severity : 1 }]))
}
#[doc(hidden)]
const __PD_NAME_ALERTS: &'static str = "alerts";
#[doc(hidden)]
const __PD_NAMING_ALERTS: ::pd_runtime::__private::Naming = ::pd_runtime::__private::Naming::AsFunction;
#[doc(hidden)]
#[allow(private_interfaces)]
const __PD_TOOL_ALERTS: ::pd_runtime::__private::Declared<()> = {
    use ::pd_runtime::__private as __pd;
    const _: () = match __pd::Naming::Absent {
        __PD_NAMING_ALERTS => __pd::refuse_function("alerts"),
        _ => {}
    };
    __pd::Declared {
        facts: __pd::Facts {
            summary: "List weather alerts",
            description: "Weather alerts of an area.",
            arguments: &[__pd::argument::<String>("area")],
            examples: &[
                __pd::Example {
                    description: "What kinds there are:",
                    input: r#"{ "area": "CA", "abstract_domains": "event", "mode": "sync" }"#,
                    explanation: "",
                },
                __pd::Example {
                    description: "",
                    input: r#"{ "area": "CA" }"#,
                    explanation: "",
                },
            ],
            hints: __pd::Hints {
                read_only: __pd::Some(true),
                ..__pd::Hints::NONE
            },
            location: ::core::concat!(::core::file!(), ":", ::core::line!()),
            ..__pd::facts_of_rows::<Result<Json<Vec<Alert>>, ToolError>>("alerts")
        },
        handler: |mut call| __pd::run(async move {
            let area = __pd::take::<String>(&mut call.arguments, "area")?;
            __pd::rows(call.context, alerts(area).await)
        }),
    }
};
#[doc(hidden)]
#[allow(non_camel_case_types)]
pub(crate) struct __PD_KEY_ALERTS;
#[diagnostic::do_not_recommend]
impl<F> ::pd_runtime::__private::ToolKey<F, ()> for __PD_KEY_ALERTS {
    const DECLARED: ::pd_runtime::__private::Declared<()> = __PD_TOOL_ALERTS;
}
/// Run a stored query.
fn query() -> Table {
    Table::default()
}
#[doc(hidden)]
const __PD_NAME_QUERY: &'static str = "query";
#[doc(hidden)]
const __PD_NAMING_QUERY: ::pd_runtime::__private::Naming = ::pd_runtime::__private::Naming::AsFunction;
#[doc(hidden)]
#[allow(private_interfaces)]
const __PD_TOOL_QUERY: ::pd_runtime::__private::Declared<()> = {
    use ::pd_runtime::__private as __pd;
    const _: () = match __pd::Naming::Absent {
        __PD_NAMING_QUERY => __pd::refuse_function("query"),
        _ => {}
    };
    __pd::Declared {
        facts: __pd::Facts {
            summary: "Run a stored query",
            description: "Run a stored query.",
            blocking: true,
            location: ::core::concat!(::core::file!(), ":", ::core::line!()),
            ..__pd::facts_of_rows::<Table>("query")
        },
        handler: |call| __pd::run(async move { __pd::rows(call.context, query()) }),
    }
};
#[doc(hidden)]
#[allow(non_camel_case_types)]
pub(crate) struct __PD_KEY_QUERY;
#[diagnostic::do_not_recommend]
impl<F> ::pd_runtime::__private::ToolKey<F, ()> for __PD_KEY_QUERY {
    const DECLARED: ::pd_runtime::__private::Declared<()> = __PD_TOOL_QUERY;
}
/// Count what there is.
fn count(mode: String) -> Json<Vec<usize>> {
    Json(vec![mode.len()])
}
#[doc(hidden)]
const __PD_NAME_COUNT: &'static str = "count";
#[doc(hidden)]
const __PD_NAMING_COUNT: ::pd_runtime::__private::Naming = ::pd_runtime::__private::Naming::AsFunction;
#[doc(hidden)]
#[allow(private_interfaces)]
const __PD_TOOL_COUNT: ::pd_runtime::__private::Declared<()> = {
    use ::pd_runtime::__private as __pd;
    const _: () = match __pd::Naming::Absent {
        __PD_NAMING_COUNT => __pd::refuse_function("count"),
        _ => {}
    };
    __pd::Declared {
        facts: __pd::Facts {
            summary: "Count what there is",
            description: "Count what there is.",
            arguments: &[__pd::argument::<String>("mode")],
            location: ::core::concat!(::core::file!(), ":", ::core::line!()),
            ..__pd::facts::<Json<Vec<usize>>>("count")
        },
        handler: |mut call| __pd::run(async move {
            let mode = __pd::take::<String>(&mut call.arguments, "mode")?;
            __pd::output(count(mode))
        }),
    }
};
#[doc(hidden)]
#[allow(non_camel_case_types)]
pub(crate) struct __PD_KEY_COUNT;
#[diagnostic::do_not_recommend]
impl<F> ::pd_runtime::__private::ToolKey<F, ()> for __PD_KEY_COUNT {
    const DECLARED: ::pd_runtime::__private::Declared<()> = __PD_TOOL_COUNT;
}
fn main() {}
