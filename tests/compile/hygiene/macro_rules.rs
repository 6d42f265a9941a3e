//! Tools that a `macro_rules!` writes: types, docs and names arrive in invisible groups.

#![deny(warnings)]

use pd_runtime::prelude::*;

macro_rules! getter {
    ($(#[doc = $doc:literal])* $name:ident($argument:ident: $ty:ty, $state:ty) -> $returns:ty, $summary:literal) => {
        $(#[doc = $doc])*
        #[pd_tool(summary = $summary)]
        async fn $name(#[doc = "Which one."] $argument: $ty, state: &$state, call: u8) -> $returns {
            let _ = (state, call);
            $argument.to_string()
        }
    };
}

getter! {
    #[doc = "One user."]
    #[doc = ""]
    #[doc = "# Examples"]
    #[doc = ""]
    #[doc = "```json"]
    #[doc = "{ \"id\": 7, \"call\": 1 }"]
    #[doc = "```"]
    user(id: u64, std::sync::Mutex<Vec<String>>) -> String, "Find a user by number"
}

macro_rules! documented {
    ($doc:literal, $name:ident) => {
        #[doc = $doc]
        #[pd_tool]
        fn $name(optional: Option<u8>) {
            let _ = optional;
        }
    };
}

documented!("Say nothing, politely", silence);

macro_rules! listing {
    ($name:ident, $default:expr) => {
        #[pd_tool(summary = "Return the numbers")]
        fn $name(#[arg(default = $default)] numbers: Vec<i8>) -> Json<Vec<i8>> {
            Json(numbers)
        }
    };
}

listing!(some_numbers, [1, -2]);

macro_rules! server {
    ($state:ident in $runtime:path { $($name:ident($($argument:ident: $ty:ty = $default:expr),*), $summary:expr;)* }) => {
        struct $state;

        impl $state {
            $(
                #[pd_tool(summary = $summary, crate = $runtime)]
                fn $name(&self, $(#[arg(default = $default)] $argument: $ty),*) -> Json<($($ty,)*)> {
                    Json(($($argument,)*))
                }
            )*
        }

        fn tools() -> Registry<$state> {
            pd_runtime::registry! {
                /// What a macro wrote.
                written: $state::{$($name),*},
            }
        }
    };
}

server! {
    Repo in ::pd_runtime {
        log(limit: u32 = 20, path: String = "src"), "List commits, newest first";
        status(), "Show what has changed";
    }
}

fn main() {
    assert!(tools().check().is_ok());
    let _: Registry<std::sync::Mutex<Vec<String>>> = pd_runtime::registry! { user, silence };
}
