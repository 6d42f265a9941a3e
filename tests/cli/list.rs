//! `list`: the table of contents as people read it.

use super::run;
use std::path::Path;

#[test]
fn bundles_stand_behind_the_groups() {
    let ended = run(Path::new("."), ["list"]);
    let contents = "list   This tool lists books
house/  The building
  hours  Tell when the library opens.
fetch-a-book:  Fetch a book before the library closes
  hours, list
";
    assert_eq!((ended.code, ended.stdout.as_str()), (Some(0), contents));
}
