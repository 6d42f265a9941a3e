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
#[allow(non_camel_case_types)]
pub(crate) struct __PD_TOOL_ALERTS;
impl ::pd_runtime::__private::FreeTool<()> for __PD_TOOL_ALERTS {
    const NAME: &'static str = "alerts";
    const DECLARED: ::pd_runtime::__private::DeclaredTool<()> = {
        use ::pd_runtime::__private as __pd;
        __pd::DeclaredTool {
            facts: __pd::ToolFacts {
                summary: "List weather alerts",
                description: "Weather alerts of an area.",
                arguments: &[__pd::argument::<String>("area")],
                examples: &[
                    __pd::DeclaredExample {
                        description: "What kinds there are:",
                        input: r#"{ "area": "CA", "abstract_domains": "event", "mode": "sync" }"#,
                        explanation: "",
                    },
                    __pd::DeclaredExample {
                        description: "",
                        input: r#"{ "area": "CA" }"#,
                        explanation: "",
                    },
                ],
                hints: __pd::ToolAnnotations {
                    read_only: __pd::Some(true),
                    ..__pd::ToolAnnotations::NONE
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
}
#[doc(hidden)]
const __PD_FREE_ALERTS: () = ::pd_runtime::__private::in_module(|__PD_TOOL_ALERTS| {
    loop {}
});
/// Run a stored query.
fn query() -> Table {
    Table::default()
}
#[doc(hidden)]
#[allow(non_camel_case_types)]
pub(crate) struct __PD_TOOL_QUERY;
impl ::pd_runtime::__private::FreeTool<()> for __PD_TOOL_QUERY {
    const NAME: &'static str = "query";
    const DECLARED: ::pd_runtime::__private::DeclaredTool<()> = {
        use ::pd_runtime::__private as __pd;
        __pd::DeclaredTool {
            facts: __pd::ToolFacts {
                summary: "Run a stored query",
                description: "Run a stored query.",
                blocking: true,
                location: ::core::concat!(::core::file!(), ":", ::core::line!()),
                ..__pd::facts_of_rows::<Table>("query")
            },
            handler: |call| __pd::run(async move { __pd::rows(call.context, query()) }),
        }
    };
}
#[doc(hidden)]
const __PD_FREE_QUERY: () = ::pd_runtime::__private::in_module(|__PD_TOOL_QUERY| {
    loop {}
});
/// Count what there is.
fn count(mode: String) -> Json<Vec<usize>> {
    Json(vec![mode.len()])
}
#[doc(hidden)]
#[allow(non_camel_case_types)]
pub(crate) struct __PD_TOOL_COUNT;
impl ::pd_runtime::__private::FreeTool<()> for __PD_TOOL_COUNT {
    const NAME: &'static str = "count";
    const DECLARED: ::pd_runtime::__private::DeclaredTool<()> = {
        use ::pd_runtime::__private as __pd;
        __pd::DeclaredTool {
            facts: __pd::ToolFacts {
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
}
#[doc(hidden)]
const __PD_FREE_COUNT: () = ::pd_runtime::__private::in_module(|__PD_TOOL_COUNT| {
    loop {}
});
fn main() {}
