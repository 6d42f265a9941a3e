//! The page of mistakes, `pd-runtime/docs/mistakes.md`: written from the UI cases, so that it is true, and with a proof that
//! every mend on it compiles. `UPDATE_EXPECT=1 cargo test -p pd-compile-tests --test mistakes` rewrites it.
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
//! hunk removes and keeps stands in the case exactly once. A case of a new subject needs a place in `page::SUBJECTS`.

mod case;
mod page;
mod proof;
mod said;

use case::Case;
use expect_test::expect_file;
use std::error::Error;

type Outcome = Result<(), Box<dyn Error>>;

#[test]
fn the_page_says_what_the_compiler_says() -> Outcome {
    let page = page::write(&case::read_all()?)?;
    expect_file![concat!(env!("CARGO_MANIFEST_DIR"), "/../../pd-runtime/docs/mistakes.md")].assert_eq(&page);
    Ok(())
}

/// One crate holds all mended cases, a module each; only what needs a crate of its own gets one.
#[test]
fn every_mended_case_compiles() -> Outcome {
    let (alone, together): (Vec<_>, Vec<_>) = case::read_all()?.into_iter().partition(Case::stands_alone);
    let cases = trybuild::TestCases::new();
    cases.pass(proof::write_modules(&together)?);
    for case in &alone {
        cases.pass(proof::write(case)?);
    }
    Ok(())
}
