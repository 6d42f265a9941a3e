//! A generic impl; the lifetime of a borrowed state type becomes `'static` in the constants.
use pd_runtime::prelude::*;
use std::borrow::Cow;
struct Users<T>(T);
impl<T: Send + Sync + 'static> Users<T> {
    pub fn find<'a>(&self, id: u64, names: &Vec<Cow<'a, str>>) -> Cow<'static, str> {
        let _ = (&self.0, names);
        Cow::Owned(id.to_string())
    }
    #[doc(hidden)]
    pub const __PD_NAME_FIND: &'static str = "find";
    #[doc(hidden)]
    #[allow(private_interfaces)]
    pub const __PD_TOOL_FIND: ::pd_runtime::__private::DeclaredTool<
        (Self, Vec<Cow<'static, str>>),
    > = {
        use ::pd_runtime::__private as __pd;
        #[allow(unused_imports)]
        use __pd::NotShared as _;
        __pd::shared_state::<Self>();
        __pd::shared_state::<Vec<Cow<'static, str>>>();
        __pd::DeclaredTool {
            facts: __pd::ToolFacts {
                summary: "Find a user by number",
                arguments: &[__pd::argument::<u64>("id")],
                location: ::core::concat!(::core::file!(), ":", ::core::line!()),
                ..__pd::facts::<Cow<'static, str>>("find")
            },
            handler: |mut call| __pd::HandlerFuture::<
                (Self, Vec<Cow<'static, str>>),
            >::run(async move {
                let id = __pd::take::<u64>(&mut call.arguments, "id")?;
                __pd::output(Self::find(call.lent.0, id, call.lent.1))
            }),
        }
    };
}
fn main() {}
