//! `check`: remarks, and the lock.

use super::{Ended, run, run_in_ci};
use std::{
    fs,
    path::{Path, PathBuf},
};
use tempfile::TempDir;

const OK: &str = "ok 2 tools, 1 fitting example (";

fn check(arguments: &[&str]) -> Ended {
    run(Path::new("."), ["check"].iter().chain(arguments))
}

#[test]
fn remarks_are_warnings_at_their_place() {
    let ended = check(&[]);
    assert_eq!((ended.code, ended.stderr.as_str()), (Some(0), ""));
    let lines: Vec<_> = ended.stdout.lines().collect();
    assert!(lines[0].starts_with(OK), "{ended:?}");
    let [remarks @ .., small, sum, found] = &lines[1..] else {
        panic!("{ended:?}")
    };
    assert_eq!(*found, "ok 1 request finds its tool among the first 5");
    assert_eq!(
        remarks,
        [
            "tests/cli/server.rs:13: warning: `list`: its summary begins with \"This tool\"; begin with the verb: \"Lists books\" \
             [summary_filler]",
            "tests/cli/server.rs:23: warning: `hours`: its summary ends with a full stop; write \"Tell when the library opens\" \
             [summary_full_stop]",
        ]
    );
    assert!(
        small.starts_with("warning: disclosure does not pay here: "),
        "{small}"
    );
    assert_eq!(
        *sum,
        "taste 3 remarks; `allow(NAME)` at the tool silences one; `--deny taste` makes them fail"
    );
}

/// Two small tools are below the break-even of disclosure.
#[test]
fn a_small_server_is_advised_to_list_in_full() {
    for arguments in [&["check"][..], &["tokens"], &["tour"]] {
        let ended = run(Path::new("."), arguments);
        let advice = "set `.listing(pd_runtime::Listing::AUTO)`, which lists small servers in full";
        assert!(ended.stdout.contains(advice), "{arguments:?}: {ended:?}");
    }
    assert_eq!(check(&["--deny", "small_listing"]).code, Some(1));
}

#[test]
fn denied_remarks_fail() {
    let all = check(&["--deny", "taste"]);
    assert_eq!(all.code, Some(1));
    assert_eq!(
        all.stderr,
        "error: 3 remarks are denied; fix each, or silence it at the tool with `allow(NAME)`\n"
    );
    assert_eq!(all.stdout.matches(": error: `").count(), 2, "{all:?}");

    let one = check(&["--deny", "summary_full_stop", "--deny", "no_usage"]);
    assert_eq!(one.code, Some(1));
    assert!(
        one.stderr
            .starts_with("error: 1 remark is denied; fix it, or silence it"),
        "{one:?}"
    );
    assert!(
        one.stdout.contains(": warning: `list`") && one.stdout.contains(": error: `hours`"),
        "{one:?}"
    );

    assert_eq!(check(&["--deny", "same_summary"]).code, Some(0));
}

#[test]
fn what_cannot_be_denied_is_explained() {
    let unknown = check(&["--deny", "tast"]);
    assert_eq!(unknown.code, Some(2));
    assert!(
        unknown.stderr.contains("a similar value exists: 'taste'"),
        "{unknown:?}"
    );
    let breaking = check(&["--deny", "breaking"]);
    assert_eq!(breaking.code, Some(1));
    assert!(
        breaking
            .stderr
            .contains("name their file with `--lock FILE`"),
        "{breaking:?}"
    );
    assert_eq!(check(&["--update"]).code, Some(2));
}

/// A directory with a lock of the server's contracts.
struct Locked(TempDir);

impl Locked {
    fn new() -> Self {
        let locked = Self(TempDir::new().unwrap());
        let ended = locked.check(&[]);
        assert_eq!((ended.code, ended.stderr.as_str()), (Some(0), ""));
        assert!(
            ended
                .stdout
                .ends_with("ok 2 contracts written to tools.lock; keep it under version control\n")
        );
        locked
    }

    fn path(&self) -> PathBuf {
        self.0.path().join("tools.lock")
    }

    fn text(&self) -> String {
        fs::read_to_string(self.path()).unwrap()
    }

    /// Makes the lock one of an earlier server.
    fn was(&self, now: &str, then: &str) -> String {
        let text = self.text();
        assert!(text.contains(now), "{text}");
        let text = text.replace(now, then);
        fs::write(self.path(), &text).unwrap();
        text
    }

    fn check(&self, arguments: &[&str]) -> Ended {
        run(
            self.0.path(),
            ["check", "--lock", "tools.lock"].iter().chain(arguments),
        )
    }
}

#[test]
fn a_lock_holds_until_a_contract_changes() {
    let locked = Locked::new();
    let same = locked.check(&[]);
    assert!(
        same.code == Some(0)
            && same
                .stdout
                .ends_with("ok 2 contracts unchanged since tools.lock\n"),
        "{same:?}"
    );

    let old = locked.was("\"maximum\": 500", "\"maximum\": 900");
    let changed = locked.check(&[]);
    assert_eq!(changed.code, Some(1));
    assert!(
        changed
            .stdout
            .ends_with("\nlist\n  breaking    argument `limit`: at most 900 → at most 500\n"),
        "{changed:?}"
    );
    assert_eq!(
        changed.stderr,
        "error: 1 contract changed, with 1 breaking change; review this, then accept it with \
         `check --lock tools.lock --update`\n"
    );
    assert_eq!(locked.text(), old, "only `--update` writes");
}

#[test]
fn an_update_accepts_what_changed() {
    let locked = Locked::new();
    let new = locked.text();
    locked.was("\"maximum\": 500", "\"maximum\": 900");
    let updated = locked.check(&["--update"]);
    assert_eq!((updated.code, updated.stderr.as_str()), (Some(0), ""));
    let told = "  breaking    argument `limit`: at most 900 → at most 500\n\
                ok tools.lock is up to date: 1 contract changed, with 1 breaking change\n";
    assert!(updated.stdout.ends_with(told), "{updated:?}");
    assert_eq!(locked.text(), new);
}

#[test]
fn an_update_may_be_kept_from_breaking() {
    let locked = Locked::new();
    let old = locked.was("\"maximum\": 500", "\"maximum\": 900");
    let refused = locked.check(&["--update", "--deny", "breaking"]);
    assert_eq!(refused.code, Some(1));
    let why =
        "error: 1 contract changed, with 1 breaking change, which is denied; nothing was written\n";
    assert_eq!((refused.stderr.as_str(), locked.text()), (why, old));

    locked.was("\"maximum\": 900", "\"maximum\": 400");
    assert_eq!(
        locked.check(&["--update", "--deny", "breaking"]).code,
        Some(0)
    );
    assert_eq!(locked.check(&[]).code, Some(0));
}

#[test]
fn a_missing_lock_fails_where_nobody_would_commit_it() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("tools.lock");
    let check = |more: &[&str]| {
        run_in_ci(
            folder.path(),
            ["check", "--lock", "tools.lock"].iter().chain(more),
        )
    };
    for _again in 0..2 {
        let missing = check(&[]);
        let why = "error: tools.lock does not exist, and `check` does not create it if `CI` is set; create it \
                   locally with `check --lock tools.lock` and commit it\n";
        assert_eq!(
            (missing.code, missing.stderr.as_str(), path.exists()),
            (Some(1), why, false)
        );
    }
    assert_eq!(check(&["--update"]).code, Some(0));
    assert_eq!(check(&[]).code, Some(0));
}

#[test]
fn what_is_no_lock_is_kept() {
    let locked = Locked::new();
    fs::write(locked.path(), "precious").unwrap();
    for arguments in [&[][..], &["--update"]] {
        let refused = locked.check(arguments);
        assert_eq!(refused.code, Some(1));
        assert!(
            refused
                .stderr
                .starts_with("error: tools.lock is not a lock of tools: expected value at line 1"),
            "{refused:?}"
        );
        assert_eq!(locked.text(), "precious");
    }
    let nowhere = run(locked.0.path(), ["check", "--lock", "no/tools.lock"]);
    assert!(
        nowhere
            .stderr
            .contains("no such directory: no; create it first"),
        "{nowhere:?}"
    );
}

#[test]
fn remarks_and_changes_fail_together() {
    let locked = Locked::new();
    locked.was("This tool lists books", "List books");
    let ended = locked.check(&["--deny", "taste"]);
    assert_eq!(ended.code, Some(1));
    assert!(
        ended.stderr.contains("3 remarks are denied")
            && ended.stderr.contains("; 1 contract changed, none"),
        "{ended:?}"
    );
}
