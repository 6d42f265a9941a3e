//! Programs as tools: `check`, and a call.

use crate::run;
use std::fs;
use tempfile::TempDir;

/// A directory with these files in `programs`, which the server loads.
fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = TempDir::new().unwrap();
    fs::create_dir(folder.path().join("programs")).unwrap();
    files.iter().for_each(|(name, text)| {
        fs::write(folder.path().join("programs").join(name), text).unwrap()
    });
    folder
}

const LAST: &str = "/** Show the last hours */\nreturn `last: ${await tools.hours({})}`;\n";

#[test]
fn check_runs_recorded_examples() {
    let recorded =
        r#"[{ "answers": [{ "tool": "hours", "value": "9 to 5" }], "returns": "last: 9 to 5" }]"#;
    let ended = run(
        folder(&[("last.js", LAST), ("last.test.json", recorded)]).path(),
        ["check"],
    );
    assert_eq!(
        (ended.code, ended.stderr.as_str()),
        (Some(0), ""),
        "{ended:?}"
    );
    assert!(
        ended.stdout.ends_with("ok 1 program, 1 recorded example\n"),
        "{ended:?}"
    );

    let other = recorded.replace("last: 9", "last: 10");
    let ended = run(
        folder(&[("last.js", LAST), ("last.test.json", &other)]).path(),
        ["check"],
    );
    assert_eq!(ended.code, Some(1), "{ended:?}");
    let difference =
        r#"recorded example 1: the answer differs: recorded "last: 10 to 5", now "last: 9 to 5""#;
    assert!(ended.stderr.contains(difference), "{ended:?}");
}

#[test]
fn check_reports_a_syntax_error_with_its_line() {
    let ended = run(
        folder(&[("last.js", "/** Show */\n\nreturn (1;\n")]).path(),
        ["check"],
    );
    assert_eq!(ended.code, Some(1), "{ended:?}");
    assert!(
        ended
            .stderr
            .contains("(programs/last.js): its program does not compile: line 3: SyntaxError"),
        "{ended:?}"
    );
}

#[test]
fn check_reports_a_file_that_is_no_program() {
    let files = [
        ("a.js", "return 1"),
        ("b.js", "/** Show\n * @parm {string} a */"),
        ("c.txt", ""),
    ];
    let ended = run(folder(&files).path(), ["check"]);
    assert_eq!(ended.code, Some(1), "{ended:?}");
    for part in [
        "programs/a.js:1: begin the file with a comment",
        "programs/b.js:2: no such tag: `@parm`",
    ] {
        assert!(ended.stderr.contains(part), "{part}: {ended:?}");
    }
}

#[test]
fn a_program_is_called_without_a_flag() {
    let ended = run(folder(&[("last.js", LAST)]).path(), ["call", "last"]);
    assert_eq!(
        (ended.code, ended.stdout.as_str()),
        (Some(0), "last: \n"),
        "{ended:?}"
    );
}
