//! `branches`, `tags`, `contains`, `resolve`, `describe`, `remotes`, `stashes`.

use super::super::{branches::Side, page::Skip, remotes::without_credentials};
use super::fixture::Fixture;
use pd_runtime::prelude::*;

#[test]
fn branches_come_with_their_commits() {
    let branches = Fixture::small()
        .repo()
        .branches(Side::All, Skip(0), 9)
        .unwrap()
        .0;
    let lines: Vec<_> = branches
        .items
        .iter()
        .map(|line| (line.name.as_str(), line.is_head))
        .collect();
    assert_eq!(lines, [("main", true), ("topic", false)]);
}

#[test]
fn branches_know_their_upstream() {
    let fixture = Fixture::small();
    fixture
        .git()
        .find_branch("main", git2::BranchType::Local)
        .unwrap()
        .set_upstream(Some("topic"))
        .unwrap();
    let branches = fixture.repo().branches(Side::Local, Skip(0), 1).unwrap().0;
    let upstream = branches.items[0].upstream.as_ref().unwrap();
    assert_eq!(
        (upstream.name.as_str(), upstream.ahead, upstream.behind),
        ("topic", 4, 0)
    );
    assert_eq!(
        fixture
            .repo()
            .status(false, Skip(0), 1)
            .unwrap()
            .0
            .upstream
            .unwrap()
            .ahead,
        4
    );
}

#[test]
fn tags_have_messages() {
    let tags = Fixture::small().repo().tags(Skip(0), 9).unwrap().0;
    assert_eq!(tags.items[0].name, "v1.0");
    assert_eq!(tags.items[0].message.as_deref(), Some("The first release."));
    assert_eq!(tags.items[0].commit.subject, "Merge topic");
}

#[test]
fn contains_tells_where_a_commit_has_arrived() {
    let fixture = Fixture::small();
    let (repo, call) = (fixture.repo(), CallContext::detached());
    let found = repo.contains("topic".into(), 9, &call).unwrap().0;
    assert_eq!(
        (found.branches, found.tags),
        (
            vec!["main".to_owned(), "topic".to_owned()],
            vec!["v1.0".to_owned()]
        )
    );
    let found = repo.contains("topic".into(), 1, &call).unwrap().0;
    assert_eq!((found.branches.len(), found.truncated), (1, true));
    assert!(
        repo.contains("HEAD".into(), 9, &call)
            .unwrap()
            .0
            .tags
            .is_empty()
    );
}

#[test]
fn resolve_and_describe_name_commits() {
    let fixture = Fixture::small();
    let repo = fixture.repo();
    let tag = repo.resolve("v1.0".into()).unwrap().0;
    assert_eq!(
        (tag.kind, tag.commit.unwrap().subject.as_str()),
        ("tag", "Merge topic")
    );
    assert_eq!(tag.names, ["v1.0"]);
    let tree = repo.resolve("HEAD^{tree}".into()).unwrap().0;
    assert_eq!((tree.kind, tree.commit.is_none()), ("tree", true));
    assert!(
        repo.describe("HEAD".into())
            .unwrap()
            .starts_with("v1.0-2-g")
    );
    assert_eq!(repo.describe("v1.0".into()).unwrap(), "v1.0");
    assert!(!repo.describe("topic".into()).unwrap().contains('v'));
}

#[test]
fn remotes_show_no_credentials() {
    let fixture = Fixture::small();
    fixture
        .git()
        .remote("origin", "https://me:secret@example.org/a@b.git")
        .unwrap();
    let remotes = fixture.repo().remotes().unwrap().0;
    assert_eq!(
        (remotes[0].name.as_str(), remotes[0].url.as_str()),
        ("origin", "https://example.org/a@b.git")
    );
    assert_eq!(
        without_credentials("git@example.org:a.git"),
        "git@example.org:a.git"
    );
    assert_eq!(without_credentials("ssh://git@host:22"), "ssh://host:22");
}

#[test]
fn stashes_are_revisions() {
    let fixture = Fixture::small();
    let who = git2::Signature::now("Ada", "ada@example.org").unwrap();
    let mut git = git2::Repository::open(fixture.git().path()).unwrap();
    git.stash_save(&who, "later", None).unwrap();
    let stashes = fixture.repo().stashes(Skip(0), 9).unwrap().0;
    assert_eq!(
        (
            stashes.items[0].revision.as_str(),
            stashes.items[0].message.as_str()
        ),
        ("stash@{0}", "On main: later")
    );
    let (repo, call) = (fixture.repo(), CallContext::detached());
    let patch = repo
        .diff(None, "stash@{0}".into(), false, None, 3, 0, 99, &call)
        .unwrap();
    assert!(patch.contains("about to change"), "{patch}");
}
