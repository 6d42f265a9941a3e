//! Parameters may be called like anything in generated code, and may be raw identifiers.

#![deny(warnings)]

use pd_runtime::prelude::*;

#[pd_tool(summary = "Echo a few words")]
fn r#match(
    call: String,
    __pd: u32,
    facts: bool,
    arguments: Vec<String>,
    r#type: String,
    context: &CallContext,
) -> String {
    let _ = context;
    format!("{call} {__pd} {facts} {arguments:?} {}", r#type)
}

#[pd_tool(summary = "Match it again", related(r#match))]
fn again(mut returned: String, message: String, code: u32) -> String {
    returned.push_str(&message);
    format!("{returned} {code}")
}

#[pd_tool(summary = "Run one query")]
fn query(query: String) -> String {
    query
}

#[pd_tool(summary = "Translate a text")]
async fn translate(translate: Option<bool>, context: &CallContext) -> String {
    let _ = context;
    format!("{translate:?}")
}

#[pd_tool(summary = "Lend one text")]
fn lend(lend: &Text, r#mut: u8) -> String {
    format!("{} {}", lend.0, r#mut)
}

struct Text(String);

#[pd_tool(summary = "Call one number")]
fn call(call: u8, context: &CallContext) -> String {
    let _ = context;
    call.to_string()
}

macro_rules! named_alike {
    ($name:ident) => {
        #[pd_tool(summary = "Return its argument")]
        fn $name($name: u8) -> String {
            $name.to_string()
        }
    };
}

named_alike!(twice);

fn main() {
    let _: Registry<()> = pd_runtime::registry! { r#match, again, query, translate, call, twice };
    let _: Registry<Text> = pd_runtime::registry! { lend };
}
