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
#[allow(non_camel_case_types)]
pub(crate) struct __PD_TOOL_DRAW;
impl ::pd_runtime::__private::FreeTool<()> for __PD_TOOL_DRAW {
    const NAME: &'static str = "draw";
    const DECLARED: ::pd_runtime::__private::DeclaredTool<()> = {
        use ::pd_runtime::__private as __pd;
        const __PD_ARGUMENTS: &[__pd::Field] = {
            #[allow(unused_imports)]
            use __pd::ShapeFallback as _;
            &[
                __pd::Field::new("abstract_data", __pd::Shape::Unknown),
                __pd::Field::new("resource_url", __pd::Shape::Unknown),
                __pd::Field::new("body_data", __pd::Shape::Unknown),
                __pd::Field::new("column_mapping", __pd::Shape::Unknown),
            ]
        };
        __pd::DeclaredTool {
            facts: __pd::ToolFacts {
                summary: "Draw alerts as bars",
                description: "Draw alerts as bars.",
                arguments: &[
                    __pd::selected::<Alert>("alerts"),
                    __pd::argument::<u32>("width"),
                ],
                unproven: __PD_ARGUMENTS,
                examples: &[
                    __pd::DeclaredExample {
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
}
#[doc(hidden)]
const __PD_FREE_DRAW: () = ::pd_runtime::__private::in_module(|__PD_TOOL_DRAW| loop {});
fn count(alerts: Selected<Alert>) -> String {
    alerts.len().to_string()
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
}
#[doc(hidden)]
const __PD_FREE_COUNT: () = ::pd_runtime::__private::in_module(|__PD_TOOL_COUNT| {
    loop {}
});
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
        #[allow(deprecated)]
        const __PD_FACTS_DRAW: &__pd::ToolFacts = &__pd::tool(
                &draw,
                |__PD_TOOL_DRAW| loop {},
            )
            .facts;
        #[allow(deprecated)]
        const __PD_FACTS_COUNT: &__pd::ToolFacts = &__pd::tool(
                &count,
                |__PD_TOOL_COUNT| loop {},
            )
            .facts;
        const __PD_CONTENTS: &__pd::RegistryContents<'_, 2> = &__pd::contents([
            ("draw", __PD_FACTS_DRAW),
            ("count", __PD_FACTS_COUNT),
        ]);
        const _: () = __pd::judge(__PD_CONTENTS, 0);
        const _: () = __pd::judge(__PD_CONTENTS, 1);
        #[allow(deprecated)]
        let registry = __pd::registry(
            __pd::options(
                ::core::env!("CARGO_PKG_NAME"),
                ::core::env!("CARGO_PKG_VERSION"),
            ),
            [
                __pd::Declaration::node(__pd::tool(&draw, |__PD_TOOL_DRAW| loop {})),
                __pd::Declaration::node(__pd::tool(&count, |__PD_TOOL_COUNT| loop {})),
            ],
        );
        registry
    };
    registry.check().unwrap();
}
