//! Every word of `#[arg]`.
use pd_runtime::prelude::*;
const REGION: &str = "eu";
#[allow(
    clippy::too_many_arguments,
    reason = "each parameter is an argument of the tool"
)]
fn rent(
    region: String,
    kind: String,
    hours: f64,
    priority: i32,
    note: Option<String>,
    mut tags: Vec<String>,
    labels: std::collections::BTreeMap<String, String>,
    r#use: bool,
) -> String {
    tags.push(kind);
    format!(
        "{region} {tags:?} {hours} {priority} {note:?} {labels:?} {use}", r#use = r#use
    )
}
#[doc(hidden)]
#[allow(non_camel_case_types)]
pub(crate) struct __PD_TOOL_RENT;
impl ::pd_runtime::__private::FreeTool<()> for __PD_TOOL_RENT {
    const NAME: &'static str = "rent";
    const DECLARED: ::pd_runtime::__private::DeclaredTool<()> = {
        use ::pd_runtime::__private as __pd;
        __pd::DeclaredTool {
            facts: __pd::ToolFacts {
                summary: "Rent machines in a region",
                arguments: &[
                    __pd::ArgumentFacts {
                        doc: r#"Where the machines stand.

See `REGION` for the default."#,
                        default: __pd::Some(
                            __pd::DefaultValue::Constant(|| __pd::constant(REGION)),
                        ),
                        keywords: r#"{"x-mcp-header":"Region","pattern":"^[a-z]{2}$","format":"region","title":"Region"}"#,
                        ..__pd::argument::<String>("region")
                    },
                    __pd::ArgumentFacts {
                        default: __pd::Some(__pd::DefaultValue::Literal(r#""small""#)),
                        keywords: r#"{"enum":["small","large"]}"#,
                        ..__pd::argument::<String>("type")
                    },
                    __pd::ArgumentFacts {
                        default: __pd::Some(__pd::DefaultValue::Literal("1.0")),
                        keywords: r#"{"exclusiveMinimum":0,"exclusiveMaximum":10.5,"multipleOf":0.5}"#,
                        ..__pd::argument::<f64>("hours")
                    },
                    __pd::ArgumentFacts {
                        default: __pd::Some(__pd::DefaultValue::Literal("-1")),
                        keywords: r#"{"minimum":-5}"#,
                        ..__pd::argument::<i32>("priority")
                    },
                    __pd::ArgumentFacts {
                        keywords: r#"{"minLength":1,"maxLength":80,"deprecated":true}"#,
                        ..__pd::argument::<Option<String>>("note")
                    },
                    __pd::ArgumentFacts {
                        default: __pd::Some(__pd::DefaultValue::Literal(r#"["a"]"#)),
                        keywords: r#"{"minItems":1,"maxItems":3,"uniqueItems":true}"#,
                        ..__pd::argument::<Vec<String>>("tags")
                    },
                    __pd::ArgumentFacts {
                        keywords: r#"{"minProperties":0,"maxProperties":9}"#,
                        ..__pd::argument::<
                            std::collections::BTreeMap<String, String>,
                        >("labels")
                    },
                    __pd::argument::<bool>("use"),
                ],
                location: ::core::concat!(::core::file!(), ":", ::core::line!()),
                ..__pd::facts::<String>("rent")
            },
            handler: |mut call| __pd::run(async move {
                let region = __pd::take::<String>(&mut call.arguments, "region")?;
                let kind = __pd::take::<String>(&mut call.arguments, "type")?;
                let hours = __pd::take::<f64>(&mut call.arguments, "hours")?;
                let priority = __pd::take::<i32>(&mut call.arguments, "priority")?;
                let note = __pd::take::<Option<String>>(&mut call.arguments, "note")?;
                let tags = __pd::take::<Vec<String>>(&mut call.arguments, "tags")?;
                let labels = __pd::take::<
                    std::collections::BTreeMap<String, String>,
                >(&mut call.arguments, "labels")?;
                let r#use = __pd::take::<bool>(&mut call.arguments, "use")?;
                __pd::output(
                    rent(region, kind, hours, priority, note, tags, labels, r#use),
                )
            }),
        }
    };
}
#[doc(hidden)]
const __PD_FREE_RENT: () = ::pd_runtime::__private::in_module(|__PD_TOOL_RENT| loop {});
fn main() {}
