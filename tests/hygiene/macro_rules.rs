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
    user(id: u64, Vec<String>) -> String, "Find a user by number"
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

fn main() {
    let _: Registry<Vec<String>> = pd_runtime::registry! { user, silence };
}
