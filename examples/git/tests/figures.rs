//! `contributors`, `activity`, `churn`, `coupling`, `sizes`, `file_types`.

use super::super::page::Skip;
use super::fixture::Fixture;
use jiff::civil::date;
use pd_runtime::prelude::*;

#[test]
fn contributors_follow_the_mailmap() {
    let fixture = Fixture::small();
    let (repo, call) = (fixture.repo(), CallContext::detached());
    let count = || {
        let people = repo
            .contributors("HEAD".into(), None, None, Skip(0), 9, &call)
            .unwrap()
            .0;
        people
            .items
            .into_iter()
            .map(|person| (person.name, person.commits))
            .collect::<Vec<_>>()
    };
    assert_eq!(count(), [("Ada".to_owned(), 4), ("Grace".to_owned(), 3)]);
    fixture.write(".mailmap", "Grace Hopper <grace@example.org>\n");
    assert_eq!(count()[1].0, "Grace Hopper");
    let lately = repo.contributors(
        "HEAD".into(),
        Some("src".into()),
        Some(date(2025, 1, 8)),
        Skip(0),
        9,
        &call,
    );
    assert_eq!(lately.unwrap().0.items.len(), 2);
}

#[test]
fn activity_lists_quiet_weeks_too() {
    let fixture = Fixture::small();
    let weeks = fixture
        .repo()
        .activity("HEAD".into(), 2, &CallContext::detached())
        .unwrap()
        .0;
    assert_eq!(weeks.len(), 2);
    assert_eq!(
        (weeks[0].week, weeks[0].commits, weeks[0].authors),
        (date(2025, 1, 6), 7, 2)
    );
    assert_eq!((weeks[1].week, weeks[1].commits), (date(2024, 12, 30), 0));
}

#[test]
fn churn_ranks_files() {
    let fixture = Fixture::small();
    let call = CallContext::detached();
    let files = fixture
        .repo()
        .churn("HEAD".into(), None, 99, Skip(0), 2, &call)
        .unwrap()
        .0;
    let ranks: Vec<_> = files
        .items
        .iter()
        .map(|file| (file.path.as_str(), file.commits, file.added))
        .collect();
    assert_eq!(ranks, [("src/lib.rs", 3, 7), ("Cargo.toml", 2, 3)]);
    assert_eq!(
        (
            files.items[0].removed,
            files.items[0].authors,
            files.next_skip
        ),
        (7, 2, Some(2))
    );
}

#[test]
fn coupling_finds_companions() {
    let fixture = Fixture::small();
    let call = CallContext::detached();
    let files = fixture
        .repo()
        .coupling("Cargo.toml".into(), "HEAD".into(), 99, Skip(0), 9, &call)
        .unwrap()
        .0;
    let first = &files.items[0];
    assert_eq!(
        (first.path.as_str(), first.together, first.percent),
        ("README.md", 2, 100)
    );
    assert_eq!(
        (files.items[1].path.as_str(), files.items[1].percent),
        ("src/lib.rs", 50)
    );
}

#[test]
fn sizes_add_up() {
    let fixture = Fixture::small();
    let (repo, call) = (fixture.repo(), CallContext::detached());
    let sizes = repo
        .sizes("HEAD".into(), ".".into(), Skip(0), 1, &call)
        .unwrap()
        .0;
    assert_eq!(
        (sizes.files, sizes.largest.items[0].path.as_str()),
        (5, "src/core.rs")
    );
    let types = repo
        .file_types("HEAD".into(), ".".into(), Skip(0), 9, &call)
        .unwrap()
        .0;
    assert_eq!(
        (types.items[0].extension.as_str(), types.items[0].files),
        ("rs", 2)
    );
    assert_eq!(
        types.items.iter().map(|kind| kind.bytes).sum::<usize>(),
        sizes.bytes
    );
}
