//! What the compiler refuses, and what it prints. `TRYBUILD=overwrite cargo test --test ui` rewrites the `.stderr`
//! files, which belong to one toolchain.

use std::{error::Error, fs, path::Path};
use trybuild::TestCases;

#[test]
fn refusals_say_what_to_type() -> Result<(), Box<dyn Error>> {
    copy_pages()?;
    TestCases::new().compile_fail("ui/fail/*.rs");
    Ok(())
}

/// The cases are compiled with default features.
#[test]
fn a_method_of_a_feature_that_is_off_names_it() {
    TestCases::new().compile_fail("ui/features/*.rs");
}

/// What names generics is judged when it is built; a case that passes makes trybuild build them all.
#[test]
#[ignore = "it builds all dependencies once more, which takes minutes; `just ui-build` runs it"]
fn a_build_refuses_what_a_check_cannot_see() {
    let cases = TestCases::new();
    cases.pass("ui/pass/mutual.rs");
    cases.compile_fail("ui/fail/built/*.rs");
}

/// Copies the pages of views to the package in which trybuild compiles the cases: a page is a file of
/// the package.
fn copy_pages() -> Result<(), Box<dyn Error>> {
    let package = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .with_file_name("tests")
        .join("trybuild")
        .join(env!("CARGO_PKG_NAME"))
        .join("pages");
    fs::create_dir_all(&package)?;
    for page in fs::read_dir("pages")? {
        let page = page?;
        fs::copy(page.path(), package.join(page.file_name()))?;
    }
    Ok(())
}
