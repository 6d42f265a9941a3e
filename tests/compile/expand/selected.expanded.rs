//! Rows that another tool gave, beside an argument of the tool's own.
use pd_runtime::{Selected, prelude::*};
#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Alert {
    /// What is warned of.
    event: String,
    severity: u8,
}
/// Draw alerts as bars.
///
/// # Examples
///
/// The two worst ones:
///
/// ```json
/// {
///   "abstract_data": "[{\"_row_id\": 3, \"event\": \"Gale\"}, {\"_row_id\": 5, \"event\": \"Flood\"}]",
///   "body_data": "[{\"_row_id\": 3, \"severity\": 2}, {\"_row_id\": 5, \"severity\": 4}]",
///   "width": 400
/// }
/// ```
async fn draw(
    alerts: Selected<Alert>,
    width: u32,
    call: &CallContext,
) -> Result<String, ToolError> {
    let worst = alerts.rows(call).await?.iter().map(|alert| alert.severity).max();
    Ok(format!("{worst:?} on {width}"))
}
#[doc(hidden)]
const __PD_NAME_DRAW: &'static str = "draw";
#[doc(hidden)]
const __PD_NAMING_DRAW: ::pd_runtime::__private::Naming = ::pd_runtime::__private::Naming::AsFunction;
#[doc(hidden)]
#[allow(private_interfaces)]
const __PD_TOOL_DRAW: ::pd_runtime::__private::Declared<()> = {
    use ::pd_runtime::__private as __pd;
    const __PD_ARGUMENTS: &[__pd::Field] = {
        #[allow(unused_imports)]
        use __pd::Unshaped as _;
        &[
            __pd::Field::new("abstract_data", __pd::Shape::Unknown),
            __pd::Field::new("resource_url", __pd::Shape::Unknown),
            __pd::Field::new("body_data", __pd::Shape::Unknown),
            __pd::Field::new("column_mapping", __pd::Shape::Unknown),
        ]
    };
    const _: () = match __pd::Naming::Absent {
        __PD_NAMING_DRAW => __pd::refuse_function("draw"),
        _ => {}
    };
    __pd::Declared {
        facts: __pd::Facts {
            summary: "Draw alerts as bars",
            description: "Draw alerts as bars.",
            arguments: &[
                __pd::selected::<Alert>("alerts"),
                __pd::argument::<u32>("width"),
            ],
            unproven: __PD_ARGUMENTS,
            examples: &[
                __pd::Example {
                    description: "The two worst ones:",
                    input: r#"{
  "abstract_data": "[{\"_row_id\": 3, \"event\": \"Gale\"}, {\"_row_id\": 5, \"event\": \"Flood\"}]",
  "body_data": "[{\"_row_id\": 3, \"severity\": 2}, {\"_row_id\": 5, \"severity\": 4}]",
  "width": 400
}"#,
                    explanation: "",
                },
            ],
            location: ::core::concat!(::core::file!(), ":", ::core::line!()),
            ..__pd::facts::<Result<String, ToolError>>("draw")
        },
        handler: |mut call| __pd::run(async move {
            let alerts = __pd::take_selected::<Alert>(&mut call.arguments)?;
            let width = __pd::take::<u32>(&mut call.arguments, "width")?;
            __pd::output(draw(alerts, width, call.context).await)
        }),
    }
};
#[doc(hidden)]
#[allow(non_camel_case_types)]
pub(crate) struct __PD_KEY_DRAW;
#[diagnostic::do_not_recommend]
impl<F> ::pd_runtime::__private::ToolKey<F, ()> for __PD_KEY_DRAW {
    const DECLARED: ::pd_runtime::__private::Declared<()> = __PD_TOOL_DRAW;
}
fn count(alerts: Selected<Alert>) -> String {
    alerts.len().to_string()
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
            summary: "Count alerts",
            arguments: &[
                __pd::ArgumentFacts {
                    doc: "The alerts to count.",
                    ..__pd::selected::<Alert>("alerts")
                },
            ],
            location: ::core::concat!(::core::file!(), ":", ::core::line!()),
            ..__pd::facts::<String>("count")
        },
        handler: |mut call| __pd::run(async move {
            let alerts = __pd::take_selected::<Alert>(&mut call.arguments)?;
            __pd::output(count(alerts))
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
fn main() {
    let registry: Registry<()> = {
        #[allow(unexpected_cfgs, reason = "rust-analyzer sets it")]
        {
            #[cfg(rust_analyzer)]
            {
                let _ = draw;
                let _ = count;
            }
        }
        use ::pd_runtime::__private as __pd;
        const _: &__pd::Facts = &(*{
            #[allow(deprecated, unreachable_code, unused_variables, clippy::all)]
            let tool = __pd::keyed(
                &draw,
                || {
                    let key = loop {};
                    let __PD_KEY_DRAW = key;
                    key
                },
            );
            tool
        })
            .facts;
        const _: &__pd::Facts = &(*{
            #[allow(deprecated, unreachable_code, unused_variables, clippy::all)]
            let tool = __pd::keyed(
                &count,
                || {
                    let key = loop {};
                    let __PD_KEY_COUNT = key;
                    key
                },
            );
            tool
        })
            .facts;
        const __PD_CONTENTS: &__pd::Contents<'_, 2> = &__pd::contents([
            (
                "draw",
                &(*{
                    #[allow(deprecated, unreachable_code, unused_variables, clippy::all)]
                    let tool = __pd::keyed(
                        &draw,
                        || {
                            let key = loop {};
                            let __PD_KEY_DRAW = key;
                            key
                        },
                    );
                    tool
                })
                    .facts,
            ),
            (
                "count",
                &(*{
                    #[allow(deprecated, unreachable_code, unused_variables, clippy::all)]
                    let tool = __pd::keyed(
                        &count,
                        || {
                            let key = loop {};
                            let __PD_KEY_COUNT = key;
                            key
                        },
                    );
                    tool
                })
                    .facts,
            ),
        ]);
        const _: () = __pd::judge(__PD_CONTENTS, 0);
        const _: () = __pd::judge(__PD_CONTENTS, 1);
        __pd::registry(
            __pd::options(
                ::core::env!("CARGO_PKG_NAME"),
                ::core::env!("CARGO_PKG_VERSION"),
            ),
            [
                __pd::Declaration::node(
                    (*{
                        #[allow(
                            deprecated,
                            unreachable_code,
                            unused_variables,
                            clippy::all
                        )]
                        let tool = __pd::keyed(
                            &draw,
                            || {
                                let key = loop {};
                                let __PD_KEY_DRAW = key;
                                key
                            },
                        );
                        tool
                    }),
                ),
                __pd::Declaration::node(
                    (*{
                        #[allow(
                            deprecated,
                            unreachable_code,
                            unused_variables,
                            clippy::all
                        )]
                        let tool = __pd::keyed(
                            &count,
                            || {
                                let key = loop {};
                                let __PD_KEY_COUNT = key;
                                key
                            },
                        );
                        tool
                    }),
                ),
            ],
        )
    };
    registry.check().unwrap();
}
