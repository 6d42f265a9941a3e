//! Tools may be related to each other, in a generic impl as well.

#![deny(warnings)]

use pd_runtime::prelude::*;

struct Users<T>(T);

impl<T: Send + Sync + 'static> Users<T> {
    #[pd_tool(summary = "Find a user by number", related(Self::list, Users::<u8>::list))]
    fn find(&self, id: u64) -> String {
        let _ = &self.0;
        id.to_string()
    }

    #[pd_tool(summary = "List users by name", related(Self::find, <Users<u8>>::find))]
    fn list(&self) {}
}

fn main() {
    let _: Registry<Users<u16>> = pd_runtime::registry! { Users::<u16>::{find}, <Users<u16>>::list };
}
