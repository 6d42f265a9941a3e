//! `log`, `show`, `file_history`, `pickaxe`, `blame`, `owners`.

use super::super::{
    Repo,
    changes::Change,
    commits::CommitLine,
    errors::GitError,
    page::{Page, Skip},
};
use super::fixture::Fixture;
use jiff::civil::date;
use pd_runtime::prelude::*;

fn subjects(page: &Page<CommitLine>) -> Vec<&str> {
    page.items
        .iter()
        .map(|commit| commit.subject.as_str())
        .collect()
}

/// A log with the arguments that differ between the tests.
fn log(
    repo: &Repo,
    path: Option<&str>,
    author: Option<&str>,
    skip: u32,
    limit: u32,
) -> Page<CommitLine> {
    let author = author.map(str::to_owned);
    let call = CallContext::detached();
    let log = repo.log(
        "HEAD".into(),
        None,
        path.map(Into::into),
        author,
        None,
        None,
        Skip(skip),
        limit,
        &call,
    );
    log.unwrap().0
}

#[test]
fn log_lists_newest_first_in_pages() {
    let fixture = Fixture::small();
    let first = log(&fixture.repo(), None, None, 0, 2);
    assert_eq!(subjects(&first), ["Add a logo", "Rename lib.rs"]);
    assert_eq!(first.next_skip, Some(2));
    let rest = log(&fixture.repo(), None, None, 2, 5);
    assert_eq!(
        subjects(&rest),
        [
            "Merge topic",
            "Say more",
            "Add a topic",
            "Mark what is missing",
            "Begin"
        ]
    );
    assert_eq!(rest.next_skip, None);
}

#[test]
fn log_filters_by_path_and_author() {
    let fixture = Fixture::small();
    let repo = fixture.repo();
    assert_eq!(
        subjects(&log(&repo, Some("src/topic.rs"), None, 0, 9)),
        ["Add a topic"]
    );
    assert_eq!(
        subjects(&log(&repo, Some("./src/"), Some("ADA"), 0, 9)),
        ["Rename lib.rs", "Begin"]
    );
    assert!(log(&repo, Some("../src"), None, 0, 9).items.is_empty());
}

#[test]
fn log_filters_by_date_and_leaves_out_what_another_has() {
    let fixture = Fixture::small();
    let (repo, call) = (fixture.repo(), CallContext::detached());
    let (since, until) = (Some(date(2025, 1, 7)), Some(date(2025, 1, 8)));
    let some = repo
        .log(
            "HEAD".into(),
            None,
            None,
            None,
            since,
            until,
            Skip(0),
            9,
            &call,
        )
        .unwrap()
        .0;
    assert_eq!(subjects(&some), ["Add a topic", "Mark what is missing"]);
    let new = repo
        .log(
            "main".into(),
            Some("v1.0".into()),
            None,
            None,
            None,
            None,
            Skip(0),
            9,
            &call,
        )
        .unwrap()
        .0;
    assert_eq!(subjects(&new), ["Add a logo", "Rename lib.rs"]);
}

#[test]
fn show_tells_message_parents_and_files() {
    let fixture = Fixture::small();
    let (repo, call) = (fixture.repo(), CallContext::detached());
    let begin = repo.show("v1.0~1^^".into(), Skip(0), 2, &call).unwrap().0;
    assert_eq!(begin.message, "Begin\n\nWith a library.");
    assert_eq!(
        (
            begin.parents.len(),
            begin.files.items.len(),
            begin.files.next_skip
        ),
        (0, 2, Some(2))
    );
    let merge = repo.show("v1.0".into(), Skip(0), 9, &call).unwrap().0;
    assert_eq!(
        (merge.parents.len(), merge.files.items[0].path.as_str()),
        (2, "src/topic.rs")
    );
}

#[test]
fn file_history_follows_a_renaming() {
    let fixture = Fixture::small();
    let call = CallContext::detached();
    let past = fixture
        .repo()
        .file_history("src/core.rs".into(), "HEAD".into(), Skip(0), 9, &call)
        .unwrap()
        .0;
    let events: Vec<_> = past
        .items
        .iter()
        .map(|event| (event.commit.subject.as_str(), event.file.change))
        .collect();
    assert_eq!(
        events,
        [
            ("Rename lib.rs", Change::Renamed),
            ("Mark what is missing", Change::Modified),
            ("Begin", Change::Added)
        ]
    );
    assert_eq!(past.items[0].file.old_path.as_deref(), Some("src/lib.rs"));
    assert_eq!(past.next_skip, None);
}

#[test]
fn pickaxe_finds_the_change_and_says_where_to_go_on() {
    let fixture = Fixture::small();
    let (repo, call) = (fixture.repo(), CallContext::detached());
    let search = |scan, skip| {
        let path = Some("src".into());
        repo.pickaxe(
            "TODO".into(),
            "HEAD".into(),
            path,
            Skip(skip),
            1,
            scan,
            &call,
        )
        .unwrap()
        .0
    };
    let short = search(2, 0);
    assert_eq!(short.next_skip, Some(2));
    // A renamed file's lines are all taken away and added again.
    assert_eq!(short.commits[0].commit.subject, "Rename lib.rs");
    let rest = search(9, 2);
    assert_eq!(rest.commits[0].lines, ["+ src/lib.rs: // TODO: two"]);
}

#[test]
fn patterns_that_are_none_are_explained() {
    let call = CallContext::detached();
    let error = Fixture::small()
        .repo()
        .pickaxe("(".into(), "HEAD".into(), None, Skip(0), 1, 1, &call)
        .unwrap_err();
    assert!(matches!(error, GitError::InvalidPattern(_)), "{error}");
}

#[test]
fn blame_tells_lines_apart_and_where_to_go_on() {
    let fixture = Fixture::small();
    let blamed = fixture
        .repo()
        .blame("src/core.rs".into(), "HEAD".into(), 4, 3)
        .unwrap()
        .0;
    let blocks: Vec<_> = blamed
        .blocks
        .iter()
        .map(|block| (block.line, block.commit.author.as_str()))
        .collect();
    assert_eq!(blocks, [(4, "Ada"), (6, "Grace")]);
    assert_eq!(blamed.blocks[0].text, ["    1", "}"]);
    assert_eq!(blamed.next_line, Some(7));
    let error = fixture
        .repo()
        .blame("src/core.rs".into(), "HEAD".into(), 8, 1)
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "`src/core.rs` has 7 lines, none of them is number 8"
    );
}

/// As the registry's bundle `who-broke-it` says.
#[test]
fn a_broken_line_leads_to_its_author_and_versions() {
    let fixture = Fixture::small();
    let (repo, call) = (fixture.repo(), CallContext::detached());
    let line = repo
        .grep("TODO".into(), "HEAD".into(), ".".into(), Skip(0), 1, &call)
        .unwrap()
        .0
        .items
        .remove(0);
    let number = line.line.try_into().unwrap();
    let commit = repo
        .blame(line.path.as_str().into(), "HEAD".into(), number, 1)
        .unwrap()
        .0
        .blocks
        .remove(0)
        .commit;
    let why = repo
        .show(commit.id.as_str().into(), Skip(0), 9, &call)
        .unwrap()
        .0;
    assert_eq!(
        (why.author.name.as_str(), why.message.as_str()),
        ("Grace", "Mark what is missing")
    );
    let diff = repo
        .diff(
            None,
            commit.id.as_str().into(),
            false,
            None,
            0,
            0,
            99,
            &call,
        )
        .unwrap();
    assert!(diff.contains("\n+// TODO: two\n"), "{diff}");
    assert_eq!(
        repo.contains(commit.id.as_str().into(), 9, &call)
            .unwrap()
            .0
            .tags,
        ["v1.0"]
    );
}

#[test]
fn owners_count_surviving_lines() {
    let owners = Fixture::small()
        .repo()
        .owners("src/core.rs".into(), "HEAD".into())
        .unwrap()
        .0;
    let counts: Vec<_> = owners
        .owners
        .iter()
        .map(|owner| (owner.author.as_str(), owner.lines))
        .collect();
    assert_eq!((owners.lines, counts), (7, vec![("Ada", 5), ("Grace", 2)]));
}

#[test]
fn a_cancelled_call_ends() {
    let call = CallContext::detached();
    call.cancellation().cancel();
    let fixture = Fixture::small();
    let log = fixture.repo().log(
        "HEAD".into(),
        None,
        None,
        None,
        None,
        None,
        Skip(3),
        9,
        &call,
    );
    assert!(matches!(log, Err(GitError::Cancelled)));
}
