//! `status`, `uncommitted`, `search`, `ls`, `cat`, `find`, `grep`, `diff`, `diff_stat`, `merge_base`, `ahead_behind`.

use super::super::{
    changes::Change, errors::GitError, page::Skip, status::Stage, trees::EntryKind,
};
use super::fixture::Fixture;
use pd_runtime::prelude::*;

#[test]
fn status_tells_branch_and_changes() {
    let standing = Fixture::small().repo().status(true, Skip(0), 9).unwrap().0;
    assert_eq!(standing.branch.as_deref(), Some("main"));
    assert!(standing.commit.is_some() && !standing.bare && standing.in_progress.is_none());
    let changes = standing
        .changes
        .items
        .iter()
        .map(|change| (change.path.as_str(), change.unstaged));
    assert_eq!(
        changes.collect::<Vec<_>>(),
        [
            ("README.md", Some(Change::Modified)),
            ("notes.txt", Some(Change::Untracked))
        ]
    );
}

#[test]
fn uncommitted_is_a_patch_in_excerpts() {
    let fixture = Fixture::small();
    let (repo, call) = (fixture.repo(), CallContext::detached());
    let patch = repo.uncommitted(Stage::All, None, 0, 99, &call).unwrap();
    assert!(
        patch.contains("\n-A small repository.\n+A small repository, about to change.\n"),
        "{patch}"
    );
    assert_eq!(
        repo.uncommitted(Stage::Staged, None, 0, 99, &call).unwrap(),
        "[nothing]\n"
    );
    assert_eq!(
        repo.uncommitted(Stage::Unstaged, Some("src".into()), 0, 99, &call)
            .unwrap(),
        "[nothing]\n"
    );
    assert_eq!(
        repo.uncommitted(Stage::All, None, 50, 99, &call).unwrap(),
        "[there are only 9 lines]\n"
    );
    let start = repo.uncommitted(Stage::All, None, 0, 2, &call).unwrap();
    assert!(
        start.ends_with("[… more follows: call again with `skip` = 2]\n"),
        "{start}"
    );
    assert_eq!(start.lines().count(), 3);
}

#[test]
fn search_looks_everywhere() {
    let fixture = Fixture::small();
    let found = fixture
        .repo()
        .search("TOPIC".into(), "HEAD".into(), 9, &CallContext::detached())
        .unwrap()
        .0;
    assert_eq!(
        (found.refs, found.files),
        (vec!["topic".to_owned()], vec!["src/topic.rs".to_owned()])
    );
    assert_eq!(found.commits.len(), 2);
}

#[test]
fn ls_lists_one_directory() {
    let repo = Fixture::small();
    let listed = repo
        .repo()
        .ls(".".into(), "HEAD".into(), Skip(0), 9)
        .unwrap()
        .0;
    let entries: Vec<_> = listed
        .items
        .iter()
        .map(|entry| (entry.path.as_str(), entry.kind, entry.bytes))
        .collect();
    assert_eq!(entries[0], ("Cargo.toml", EntryKind::File, Some(43)));
    assert_eq!(entries[3], ("src", EntryKind::Directory, None));
    let below = repo
        .repo()
        .ls("src/".into(), "v1.0".into(), Skip(1), 9)
        .unwrap()
        .0;
    assert_eq!(below.items[0].path, "src/topic.rs");
}

#[test]
fn cat_reads_lines_of_any_revision() {
    let fixture = Fixture::small();
    let repo = fixture.repo();
    let cat = |path: &str, revision: &str, line, limit| {
        repo.cat(path.into(), revision.into(), line, limit)
    };
    assert_eq!(
        cat("src/lib.rs", "v1.0", 3, 2).unwrap(),
        "pub fn one() -> u32 {\n    1\n[… more follows: call again with `first_line` = 5]\n"
    );
    assert_eq!(cat("src/core.rs", "HEAD", 7, 2).unwrap(), "// TODO: two\n");
    assert!(matches!(
        cat("src/core.rs", "HEAD", 8, 2),
        Err(GitError::LineNotFound {
            line: 8,
            lines: 7,
            ..
        })
    ));
    assert!(matches!(
        cat("logo.png", "HEAD", 1, 2),
        Err(GitError::BinaryFile(_))
    ));
    assert!(matches!(
        cat("src", "HEAD", 1, 2),
        Err(GitError::NotAFile {
            kind: "directory",
            ..
        })
    ));
    assert!(matches!(
        cat(".", "HEAD", 1, 2),
        Err(GitError::NotAFile {
            kind: "directory",
            ..
        })
    ));
}

#[test]
fn paths_outside_are_just_not_there() {
    let fixture = Fixture::small();
    for path in [
        "/etc/passwd",
        "../Cargo.toml",
        "src/../Cargo.toml",
        "C:\\x",
        "a\0b",
        "//",
    ] {
        let error = fixture
            .repo()
            .cat(path.into(), "HEAD".into(), 1, 1)
            .unwrap_err();
        assert!(
            matches!(
                error,
                GitError::PathNotFound { .. } | GitError::NotAFile { .. }
            ),
            "{path}: {error}"
        );
    }
}

#[test]
fn misspelt_names_get_suggestions() {
    let repo = Fixture::small();
    let path = repo
        .repo()
        .cat("src/cor.rs".into(), "HEAD".into(), 1, 1)
        .unwrap_err();
    assert!(
        path.to_string().contains("did you mean `src/core.rs`"),
        "{path}"
    );
    let revision = repo
        .repo()
        .ls(".".into(), "topik".into(), Skip(0), 1)
        .unwrap_err();
    assert_eq!(
        revision.to_string(),
        "no revision is called `topik`; did you mean `topic`?"
    );
}

#[test]
fn find_and_grep_look_below() {
    let fixture = Fixture::small();
    let (repo, call) = (fixture.repo(), CallContext::detached());
    let found = repo
        .find("*.RS".into(), "HEAD".into(), Skip(0), 1, &call)
        .unwrap()
        .0;
    assert_eq!(
        (found.items, found.next_skip),
        (vec!["src/core.rs".to_owned()], Some(1))
    );
    let found = repo
        .grep(
            "pub fn".into(),
            "HEAD".into(),
            ".".into(),
            Skip(1),
            9,
            &call,
        )
        .unwrap()
        .0;
    assert_eq!(
        (found.items[0].path.as_str(), found.items[0].line),
        ("src/topic.rs", 1)
    );
    let found = repo
        .grep(
            "^//".into(),
            "HEAD".into(),
            "src/core.rs".into(),
            Skip(0),
            9,
            &call,
        )
        .unwrap()
        .0;
    assert_eq!(
        found.items.iter().map(|hit| hit.line).collect::<Vec<_>>(),
        [1, 7]
    );
}

#[test]
fn diff_compares_with_the_parent_a_revision_or_the_merge_base() {
    let fixture = Fixture::small();
    let (repo, call) = (fixture.repo(), CallContext::detached());
    let diff = |from: Option<&str>, to: &str, from_merge_base| {
        repo.diff(
            from.map(Into::into),
            to.into(),
            from_merge_base,
            None,
            0,
            0,
            99,
            &call,
        )
        .unwrap()
    };
    assert!(diff(None, "HEAD~1", false).contains("rename from src/lib.rs\nrename to src/core.rs"));
    assert!(diff(None, "HEAD", false).contains("logo.png"));
    assert!(diff(Some("HEAD~2^1"), "topic", false).contains("-A small repository."));
    assert!(!diff(Some("HEAD~2^1"), "topic", true).contains("-A small repository."));
    assert_eq!(diff(Some("HEAD"), "HEAD", false), "[nothing]\n");
}

#[test]
fn diff_stat_counts_all_and_lists_some() {
    let fixture = Fixture::small();
    let call = CallContext::detached();
    let stat = fixture
        .repo()
        .diff_stat(
            Some("topic".into()),
            "v1.0".into(),
            false,
            None,
            Skip(0),
            1,
            &call,
        )
        .unwrap()
        .0;
    assert_eq!((stat.files_changed, stat.added, stat.removed), (2, 3, 0));
    assert_eq!((stat.files.items.len(), stat.files.next_skip), (1, Some(1)));
}

#[test]
fn merge_base_and_distance() {
    let fixture = Fixture::small();
    let repo = fixture.repo();
    let parted = repo.merge_base("v1.0^1".into(), "topic".into()).unwrap().0;
    assert_eq!(
        (parted.base.subject.as_str(), parted.is_ambiguous),
        ("Mark what is missing", false)
    );
    let distance = repo
        .ahead_behind("topic".into(), "v1.0^1".into())
        .unwrap()
        .0;
    assert_eq!((distance.ahead, distance.behind), (1, 1));
}
