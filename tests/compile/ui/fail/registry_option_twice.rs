//! An option is given twice.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

fn registry() -> Registry<()> {
    pd_runtime::registry! {
        #![budget = 900]
        #![budget = 1200]
    }
}

fn main() {}

/* mend
-        #![budget = 900]
-        #![budget = 1200]
+        #![budget = 1200]
*/
