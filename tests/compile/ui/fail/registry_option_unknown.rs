//! An option is misspelt.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

fn registry() -> Registry<()> {
    pd_runtime::registry! {
        #![budgt = 900]
    }
}

fn main() {}

/* mend
-        #![budgt = 900]
+        #![budget = 900]
*/
