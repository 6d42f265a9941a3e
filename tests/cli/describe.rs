//! What is known of a tool, as a model reads it in few tokens.

use super::run;
use expect_test::expect;
use std::path::Path;

#[test]
fn a_signature_is_told_as_models_read_it() {
    let ended = run(Path::new("."), ["describe", "--signature", "list", "hours"]);
    assert_eq!((ended.code, ended.stderr.as_str()), (Some(0), ""));
    expect![[r#"
        // Books by title, the newest first.
        list({
         limit?: int(0..500) = 20 // How many books to list
        })
        // e.g. {"limit":3}

        // In days and hours.
        hours({})

    "#]]
    .assert_eq(&ended.stdout);
}
