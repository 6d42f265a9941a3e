//! Repositories that are not what one expects: empty, bare, detached, with a submodule, with names that are no UTF-8.

use super::super::{branches::Side, errors::GitError, page::Skip, status::Stage, trees::EntryKind};
use super::fixture::Fixture;
use git2::{ObjectType, Oid};
use pd_runtime::prelude::*;

#[test]
fn an_empty_repository_says_so() {
    let fixture = Fixture::empty();
    let (repo, call) = (fixture.repo(), CallContext::detached());
    let log = repo.log(
        "HEAD".into(),
        None,
        None,
        None,
        None,
        None,
        Skip(0),
        9,
        &call,
    );
    assert!(matches!(log, Err(GitError::EmptyRepository)));
    assert!(matches!(
        repo.resolve("main".into()),
        Err(GitError::EmptyRepository)
    ));
    fixture.write("new.txt", "new\n");
    let standing = repo.status(true, Skip(0), 9).unwrap().0;
    assert_eq!(
        (standing.branch.as_deref(), standing.commit),
        (Some("main"), None)
    );
    assert_eq!(standing.changes.items[0].path, "new.txt");
    assert!(
        repo.branches(Side::All, Skip(0), 9)
            .unwrap()
            .0
            .items
            .is_empty()
    );
    assert!(repo.tags(Skip(0), 9).unwrap().0.items.is_empty());
    assert_eq!(
        repo.uncommitted(Stage::All, None, 0, 9, &call).unwrap(),
        "[nothing]\n"
    );
}

#[test]
fn a_bare_repository_has_no_working_tree() {
    let fixture = Fixture::small();
    let bare = tempfile::tempdir().unwrap();
    let source = fixture.path(".");
    git2::build::RepoBuilder::new()
        .bare(true)
        .clone(source.to_str().unwrap(), bare.path())
        .unwrap();
    let (repo, call) = (
        super::super::Repo::discover(bare.path()).unwrap(),
        CallContext::detached(),
    );
    let standing = repo.status(true, Skip(0), 9).unwrap().0;
    assert!(standing.bare && standing.changes.items.is_empty());
    assert!(matches!(
        repo.uncommitted(Stage::All, None, 0, 9, &call),
        Err(GitError::NoWorkingTree)
    ));
    assert_eq!(
        repo.cat("README.md".into(), "HEAD".into(), 1, 1)
            .unwrap()
            .lines()
            .next(),
        Some("# Small")
    );
    assert!(repo.stashes(Skip(0), 9).unwrap().0.items.is_empty());
}

#[test]
fn a_detached_head_has_no_branch() {
    let fixture = Fixture::small();
    let tip = fixture.git().head().unwrap().target().unwrap();
    fixture.git().set_head_detached(tip).unwrap();
    let standing = fixture.repo().status(false, Skip(0), 9).unwrap().0;
    assert!(standing.branch.is_none() && standing.commit.is_some() && standing.upstream.is_none());
}

#[test]
fn what_is_no_commit_is_named() {
    let fixture = Fixture::small();
    let repo = fixture.repo();
    let error = repo
        .ls(".".into(), "HEAD:README.md".into(), Skip(0), 9)
        .unwrap_err();
    assert!(
        matches!(error, GitError::NotACommit { kind: "blob", .. }),
        "{error}"
    );
    assert!(matches!(
        repo.resolve("".into()),
        Err(GitError::RevisionNotFound { .. })
    ));
    assert!(matches!(
        repo.resolve("a..b".into()),
        Err(GitError::RevisionNotFound { .. })
    ));
}

#[test]
fn histories_without_a_common_commit_are_told() {
    let fixture = Fixture::small();
    commit_tree(&fixture, "refs/heads/other", |_| {});
    let repo = fixture.repo();
    let error = repo.merge_base("main".into(), "other".into()).unwrap_err();
    assert_eq!(error.to_string(), "`main` and `other` share no history");
    assert_eq!(
        repo.ahead_behind("main".into(), "other".into())
            .unwrap()
            .0
            .ahead,
        1
    );
}

#[test]
fn submodules_links_and_raw_names_do_no_harm() {
    let fixture = Fixture::small();
    let blob = fixture.git().blob(b"TODO\xff\n").unwrap();
    let foreign = Oid::from_str("1234567890123456789012345678901234567890").unwrap();
    commit_tree(&fixture, "refs/heads/odd", |tree| {
        tree.insert("link", blob, 0o120000).unwrap();
        tree.insert("sub", foreign, 0o160000).unwrap();
        tree.insert(&b"raw-\xff"[..], blob, 0o100755).unwrap();
    });
    let (repo, call) = (fixture.repo(), CallContext::detached());
    let listed = repo.ls(".".into(), "odd".into(), Skip(0), 9).unwrap().0;
    let kinds: Vec<_> = listed
        .items
        .iter()
        .map(|entry| (entry.path.as_str(), entry.kind))
        .collect();
    assert_eq!(
        kinds,
        [
            ("link", EntryKind::Link),
            ("raw-\u{fffd}", EntryKind::Executable),
            ("sub", EntryKind::Submodule)
        ]
    );
    let submodule = repo.cat("sub".into(), "odd".into(), 1, 9).unwrap_err();
    assert!(
        matches!(
            submodule,
            GitError::NotAFile {
                kind: "submodule",
                ..
            }
        ),
        "{submodule}"
    );
    assert_eq!(
        repo.grep("TODO".into(), "odd".into(), ".".into(), Skip(0), 9, &call)
            .unwrap()
            .0
            .items
            .len(),
        2
    );
    assert_eq!(
        repo.sizes("odd".into(), ".".into(), Skip(0), 9, &call)
            .unwrap()
            .0
            .files,
        2
    );
    assert_eq!(
        repo.diff_stat(None, "odd".into(), false, None, Skip(0), 9, &call)
            .unwrap()
            .0
            .files_changed,
        3
    );
    assert_eq!(
        repo.churn("odd".into(), None, 9, Skip(0), 9, &call)
            .unwrap()
            .0
            .items
            .len(),
        3
    );
}

#[test]
fn very_long_lines_are_cut() {
    let mut fixture = Fixture::empty();
    fixture.write("long.txt", &"ü".repeat(5000));
    fixture.commit("Ada", "A long line", None);
    let text = fixture
        .repo()
        .cat("long.txt".into(), "HEAD".into(), 1, 9)
        .unwrap();
    assert!(text.ends_with("ü [… cut]\n") && text.chars().count() < 1100);
}

#[test]
fn huge_files_are_not_read() {
    let mut fixture = Fixture::empty();
    fixture.write("huge.txt", &"line\n".repeat(7 << 20));
    fixture.commit("Ada", "A huge file", None);
    let error = fixture
        .repo()
        .cat("huge.txt".into(), "HEAD".into(), 1, 9)
        .unwrap_err();
    assert!(
        matches!(
            error,
            GitError::FileTooLarge {
                bytes: 36_700_160,
                ..
            }
        ),
        "{error}"
    );
    let stat = fixture.repo().diff_stat(
        None,
        "HEAD".into(),
        false,
        None,
        Skip(0),
        9,
        &CallContext::detached(),
    );
    assert_eq!(stat.unwrap().0.files_changed, 1);
}

#[test]
fn a_tag_of_a_tree_is_left_out() {
    let fixture = Fixture::small();
    let tree = fixture.git().revparse_single("HEAD^{tree}").unwrap();
    assert_eq!(tree.kind(), Some(ObjectType::Tree));
    fixture
        .git()
        .tag_lightweight("files", &tree, false)
        .unwrap();
    assert_eq!(fixture.repo().tags(Skip(0), 9).unwrap().0.items.len(), 1);
}

/// Commits a tree made by hand, so that it can hold what no working tree can.
fn commit_tree(fixture: &Fixture, reference: &str, fill: impl FnOnce(&mut git2::TreeBuilder<'_>)) {
    let git = fixture.git();
    let mut builder = git.treebuilder(None).unwrap();
    fill(&mut builder);
    let tree = git.find_tree(builder.write().unwrap()).unwrap();
    let who = git2::Signature::now("Ada", "ada@example.org").unwrap();
    git.commit(Some(reference), &who, &who, "By hand", &tree, &[])
        .unwrap();
}
