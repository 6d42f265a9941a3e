//! Arguments of the author's own types, which the compiler judges.
use pd_runtime::prelude::*;
#[derive(serde::Deserialize, schemars::JsonSchema, ToolArg)]
#[serde(rename_all = "kebab-case")]
enum Order {
    NewestFirst,
    OldestFirst,
}
#[automatically_derived]
impl ::pd_runtime::__private::ToolArg for Order {
    const SHAPE: ::pd_runtime::__private::Shape = {
        use ::pd_runtime::__private as __pd;
        #[allow(unused_imports)]
        use __pd::ShapeFallback as _;
        __pd::Shape::Variants(&["newest-first", "oldest-first"])
    };
}
#[derive(serde::Deserialize, schemars::JsonSchema, ToolArg)]
#[serde(rename_all = "camelCase")]
struct Page<T> {
    #[serde(alias = "size")]
    page_size: u8,
    #[serde(default)]
    after: Option<T>,
}
#[automatically_derived]
impl<T> ::pd_runtime::__private::ToolArg for Page<T>
where
    T: ::pd_runtime::__private::ToolArg,
{
    const SHAPE: ::pd_runtime::__private::Shape = {
        use ::pd_runtime::__private as __pd;
        #[allow(unused_imports)]
        use __pd::ShapeFallback as _;
        __pd::Shape::Struct {
            fields: &[
                __pd::Field::new("pageSize", __pd::ShapeProbe::<u8>::SHAPE)
                    .aliases(&["size"]),
                __pd::Field::new("after", <Option<T> as __pd::ToolArg>::SHAPE)
                    .or_default(),
            ],
            open: false,
        }
    };
}
struct Repo;
const MOST: u32 = 100;
impl Repo {
    /// # Examples
    ///
    /// ```json
    /// { "order": "newest-first", "page": { "pageSize": 10 } }
    /// ```
    fn log(&self, order: Order, page: Page<u64>) {
        let _ = (order, page.page_size, page.after);
    }
    #[doc(hidden)]
    const __PD_NAME_LOG: &'static str = "log";
    #[doc(hidden)]
    #[allow(private_interfaces)]
    const __PD_TOOL_LOG: ::pd_runtime::__private::DeclaredTool<(Self,)> = {
        use ::pd_runtime::__private as __pd;
        #[allow(unused_imports)]
        use __pd::NotShared as _;
        const __PD_ARGUMENTS: &[__pd::Field] = {
            #[allow(dead_code)]
            type Order = __pd::UnknownType;
            {
                #[allow(unused_imports)]
                use {self::*, __pd::ShapeFallback as _};
                &[
                    __pd::Field::new("order", __pd::ShapeProbe::<Order>::SHAPE)
                        .or_default(),
                    __pd::Field::new("page", __pd::ShapeProbe::<Page<u64>>::SHAPE),
                ]
            }
        };
        const _: () = __pd::check_default(
            "log",
            "order",
            r#""oldest-first""#,
            __PD_ARGUMENTS,
        );
        const _: () = __pd::check_example(
            "log",
            1,
            r#"{ "order": "newest-first", "page": { "pageSize": 10 } }"#,
            __PD_ARGUMENTS,
        );
        __pd::shared_state::<Self>();
        __pd::check_wrapper(
            "log",
            {
                #[allow(unused_imports)]
                use __pd::ShapeFallback as _;
                &__pd::ShapeProbe::<Page<u64>>::SHAPE
            },
            {
                #[allow(unused_imports)]
                use __pd::ShapeFallback as _;
                __pd::ShapeProbe::<Page<u64>>::IS_WHOLE
            },
            false,
            "",
        );
        __pd::DeclaredTool {
            facts: __pd::ToolFacts {
                summary: "List commits",
                arguments: &[
                    __pd::ArgumentFacts {
                        default: __pd::Some(
                            __pd::DefaultValue::Literal(r#""oldest-first""#),
                        ),
                        ..__pd::argument::<Order>("order")
                    },
                    __pd::argument::<Page<u64>>("page"),
                ],
                unproven: __PD_ARGUMENTS,
                examples: &[
                    __pd::DeclaredExample {
                        description: "",
                        input: r#"{ "order": "newest-first", "page": { "pageSize": 10 } }"#,
                        explanation: "",
                    },
                ],
                location: ::core::concat!(::core::file!(), ":", ::core::line!()),
                ..__pd::facts::<()>("log")
            },
            handler: |mut call| __pd::HandlerFuture::<
                (Self,),
            >::run(async move {
                let order = __pd::take::<Order>(&mut call.arguments, "order")?;
                let page = __pd::take::<Page<u64>>(&mut call.arguments, "page")?;
                __pd::output(Self::log(call.lent.0, order, page))
            }),
        }
    };
}
fn tags(limit: u32) {
    let _ = limit;
}
#[doc(hidden)]
#[allow(non_camel_case_types)]
pub(crate) struct __PD_TOOL_TAGS;
impl ::pd_runtime::__private::FreeTool<()> for __PD_TOOL_TAGS {
    const NAME: &'static str = "tags";
    const DECLARED: ::pd_runtime::__private::DeclaredTool<()> = {
        use ::pd_runtime::__private as __pd;
        const _: () = __pd::check_constant(
            "tags",
            "limit",
            __pd::ConstantValue::Number(MOST as f64),
            __pd::ConstantBound::AtMost(100.0),
            "maximum = 100",
        );
        __pd::DeclaredTool {
            facts: __pd::ToolFacts {
                summary: "List tags by date",
                arguments: &[
                    __pd::ArgumentFacts {
                        default: __pd::Some(
                            __pd::DefaultValue::Constant(|| __pd::constant(MOST)),
                        ),
                        keywords: r#"{"maximum":100}"#,
                        ..__pd::argument::<u32>("limit")
                    },
                ],
                location: ::core::concat!(::core::file!(), ":", ::core::line!()),
                ..__pd::facts::<()>("tags")
            },
            handler: |mut call| __pd::run(async move {
                let limit = __pd::take::<u32>(&mut call.arguments, "limit")?;
                __pd::output(tags(limit))
            }),
        }
    };
}
#[doc(hidden)]
const __PD_FREE_TAGS: () = ::pd_runtime::__private::in_module(|__PD_TOOL_TAGS| loop {});
fn main() {
    let _ = (Order::NewestFirst, Order::OldestFirst);
}
