//! Lifetimes of parameters, written or not, in the forms that compile.

#![deny(warnings)]

use pd_runtime::prelude::*;
use std::borrow::Cow;

struct View<'a> {
    name: &'a str,
}

#[pd_tool(summary = "Name one view")]
fn name(view: &View<'_>) -> String {
    view.name.to_owned()
}

#[pd_tool(summary = "Name two views")]
async fn names<'a>(view: &'a View<'a>, prefix: Cow<'_, str>, call: &'a CallContext) -> String {
    let _ = call;
    format!("{prefix}{}", view.name)
}

impl View<'static> {
    #[pd_tool(summary = "Join two texts")]
    pub fn join<'b>(&'b self, text: Cow<'static, str>) -> String {
        format!("{}{text}", self.name)
    }

    #[pd_tool(summary = "Show all views")]
    fn show(self: &Self) -> String {
        self.name.to_owned()
    }
}

mod bounded {
    use super::*;

    pub(super) struct Bounded<'a>(pub(super) &'a str);

    impl<'a: 'static> Bounded<'a> {
        #[pd_tool(summary = "Tell the bound")]
        pub(super) fn tell(&self) -> String {
            self.0.to_owned()
        }
    }
}

fn main() {
    let _: Registry<View<'static>> =
        pd_runtime::registry! { name, names, View::join, View::show };
    let _: Registry<bounded::Bounded<'static>> = pd_runtime::registry! { bounded::Bounded::tell };
}
