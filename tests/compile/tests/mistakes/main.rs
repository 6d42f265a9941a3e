//! The pages of mistakes, `pd-runtime/docs/mistakes/*.md` and their index: written from the UI cases, so that they are
//! true. The test `accepted` compiles every mend. `UPDATE_EXPECT=1 cargo test -p pd-compile-tests --test mistakes`
//! rewrites them.
//!
//! A case ends with its mend, a diff below `fn main() {}`, where it moves no line that the `.stderr` names:
//!
//! ```text
//! /* mend
//! -#[pd_tool(summary = " ")]
//! +#[pd_tool(summary = "Show what has changed")]
//! */
//! ```
//!
//! `-` removes a line, `+` adds one, and a space keeps one that says where. An empty line begins the next hunk. What a
//! hunk removes and keeps stands in the case exactly once.
//!
//! The prefix of a case's name gives its topic (`topic::TOPICS`), so a new case needs no other place.

mod case;
mod index;
mod page;
mod said;
mod topic;

use expect_test::expect_file;
use index::Links;
use std::{collections::BTreeSet, error::Error, fs, path::Path};
use topic::{TOPICS, Topic};

type Outcome = Result<(), Box<dyn Error>>;

const DOCS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../pd-runtime/docs");

#[test]
fn each_page_shows_what_the_compiler_prints() -> Outcome {
    let cases = case::read_all()?;
    page::check_titles(&cases)?;
    cases
        .iter()
        .try_for_each(|case| Topic::find(case).map(drop))?;
    for topic in TOPICS {
        expect_file![format!("{DOCS}/mistakes/{}.md", topic.page)]
            .assert_eq(&page::render(topic, &cases));
    }
    Ok(())
}

/// rustdoc knows pages by module and not by file, so it has an index of its own.
#[test]
fn the_index_links_each_message_to_its_entry() -> Outcome {
    let cases = case::read_all()?;
    expect_file![format!("{DOCS}/mistakes.md")].assert_eq(&index::render(&cases, Links::Files));
    expect_file![format!("{DOCS}/mistakes/index.md")]
        .assert_eq(&index::render(&cases, Links::Modules));
    Ok(())
}

#[test]
fn no_page_is_left_over() -> Outcome {
    let files = fs::read_dir(Path::new(DOCS).join("mistakes"))?
        .map(|entry| entry.map(|entry| entry.file_name()));
    let files: BTreeSet<_> = files.collect::<Result<_, _>>()?;
    let pages = TOPICS.iter().map(|topic| topic.page).chain(["index"]);
    assert_eq!(
        files,
        pages.map(|page| format!("{page}.md").into()).collect()
    );
    Ok(())
}
