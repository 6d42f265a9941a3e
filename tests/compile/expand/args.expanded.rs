//! All arguments as one struct, by name and by pattern.
use pd_runtime::Args as Parameters;
use pd_runtime::prelude::*;
#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Sum {
    numbers: Vec<i64>,
}
fn sum(Args(Sum { numbers }): Args<Sum>) -> String {
    numbers.iter().sum::<i64>().to_string()
}
#[doc(hidden)]
#[allow(non_camel_case_types)]
pub(crate) struct __PD_TOOL_SUM;
impl ::pd_runtime::__private::FreeTool<()> for __PD_TOOL_SUM {
    const NAME: &'static str = "sum";
    const DECLARED: ::pd_runtime::__private::DeclaredTool<()> = {
        use ::pd_runtime::__private as __pd;
        const __PD_ARGUMENTS: &[__pd::Field] = {
            #[allow(unused_imports)]
            use __pd::ShapeFallback as _;
            &[
                __pd::Field::new("arguments", __pd::ShapeProbe::<Args<Sum>>::SHAPE)
                    .alone(),
            ]
        };
        const _: () = __pd::check_root("sum", __PD_ARGUMENTS);
        __pd::DeclaredTool {
            facts: __pd::ToolFacts {
                summary: "Add numbers",
                arguments: &[__pd::argument::<Args<Sum>>("arguments")],
                unproven: __PD_ARGUMENTS,
                location: ::core::concat!(::core::file!(), ":", ::core::line!()),
                ..__pd::facts::<String>("sum")
            },
            handler: |mut call| __pd::run(async move {
                let arguments = __pd::take::<
                    Args<Sum>,
                >(&mut call.arguments, "arguments")?;
                __pd::output(sum(arguments))
            }),
        }
    };
}
#[doc(hidden)]
const __PD_FREE_SUM: () = ::pd_runtime::__private::in_module(|__PD_TOOL_SUM| loop {});
async fn product(Parameters(all): Parameters<Sum>, call: &CallContext) -> String {
    let _ = call;
    all.numbers.iter().product::<i64>().to_string()
}
#[doc(hidden)]
#[allow(non_camel_case_types)]
pub(crate) struct __PD_TOOL_PRODUCT;
impl ::pd_runtime::__private::FreeTool<()> for __PD_TOOL_PRODUCT {
    const NAME: &'static str = "product";
    const DECLARED: ::pd_runtime::__private::DeclaredTool<()> = {
        use ::pd_runtime::__private as __pd;
        const _: () = __pd::check_wrapper(
            "product",
            {
                #[allow(unused_imports)]
                use __pd::ShapeFallback as _;
                &__pd::ShapeProbe::<Parameters<__pd::UnknownType>>::SHAPE
            },
            {
                #[allow(unused_imports)]
                use __pd::ShapeFallback as _;
                __pd::ShapeProbe::<Parameters<__pd::UnknownType>>::IS_WHOLE
            },
            true,
            "this is rmcp's `Parameters`; write `use pd_runtime::Args as Parameters`",
        );
        __pd::DeclaredTool {
            facts: __pd::ToolFacts {
                summary: "Multiply numbers",
                arguments: &[__pd::argument::<Parameters<Sum>>("arguments")],
                location: ::core::concat!(::core::file!(), ":", ::core::line!()),
                ..__pd::facts::<String>("product")
            },
            handler: |mut call| __pd::run(async move {
                let arguments = __pd::take::<
                    Parameters<Sum>,
                >(&mut call.arguments, "arguments")?;
                __pd::output(product(arguments, call.context).await)
            }),
        }
    };
}
#[doc(hidden)]
const __PD_FREE_PRODUCT: () = ::pd_runtime::__private::in_module(|__PD_TOOL_PRODUCT| {
    loop {}
});
fn main() {}
