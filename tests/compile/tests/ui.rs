//! What compiles and what the compiler says otherwise. `TRYBUILD=overwrite cargo test --test ui` rewrites the `.stderr`
//! files, which belong to one toolchain.

use std::{fs, io};
use trybuild::TestCases;

#[test]
fn refusals_say_what_to_type() {
    TestCases::new().compile_fail("ui/fail/*.rs");
}

/// The cases are compiled with default features.
#[test]
fn a_method_of_a_feature_that_is_off_names_it() {
    TestCases::new().compile_fail("ui/features/*.rs");
}

/// What names generics is judged when it is built; a case that passes makes trybuild build them all.
#[test]
fn a_build_refuses_what_a_check_cannot_see() {
    let cases = TestCases::new();
    cases.pass("ui/pass/mutual.rs");
    cases.compile_fail("ui/fail/built/*.rs");
}

#[test]
fn accepted_forms_compile() {
    TestCases::new().pass("ui/pass/*.rs");
}

#[test]
fn expansions_are_hygienic() {
    TestCases::new().pass("hygiene/*.rs");
}

/// A golden's input is an accepted form as well, so what the goldens show compiles.
#[test]
fn golden_inputs_compile() -> io::Result<()> {
    let cases = TestCases::new();
    for entry in fs::read_dir("expand")? {
        let path = entry?.path();
        if !path.to_string_lossy().ends_with(".expanded.rs") {
            cases.pass(path);
        }
    }
    Ok(())
}
