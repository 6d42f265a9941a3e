//! A name that no tool has: what was meant is suggested, whichever command it was given to.

use super::run;
use std::path::Path;

#[test]
fn what_was_meant_is_suggested() {
    for arguments in [
        &["describe", "lst"][..],
        &["call", "lst"],
        &["tour", "--tool", "lst"],
    ] {
        let ended = run(Path::new("."), arguments);
        assert_eq!((ended.code, ended.stdout.as_str()), (Some(1), ""));
        assert_eq!(
            ended.stderr, "error: no such tool: `lst`; the nearest are list, hours\n",
            "{arguments:?}"
        );
    }
}
