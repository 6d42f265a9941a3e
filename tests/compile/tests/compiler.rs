//! What this project takes for granted of rustc, a tiny crate each: when a new release behaves otherwise, this shows what
//! moved and who relied on it. `TRYBUILD=overwrite cargo test -p pd-compile-tests --test compiler` rewrites the `.stderr` files.

use std::{env, error::Error, fs, io, path::Path, process::Command};
use trybuild::TestCases;

/// By `cargo check`, which is all that editors run.
#[test]
fn check_refuses() {
    TestCases::new().compile_fail("compiler/fail/*.rs");
}

/// What `cargo check` lets through and `cargo build` does not.
#[test]
fn only_build_refuses() -> Result<(), Box<dyn Error>> {
    for entry in fs::read_dir("compiler/late")? {
        let case = entry?.path();
        let name = case.display();
        let (checks, said) = compile(&case, "metadata")?;
        assert!(checks, "{name} is judged by check now:\n{said}");
        let (builds, said) = compile(&case, "link")?;
        assert!(
            !builds && said.contains("only a build sees this"),
            "{name} is judged by nobody now:\n{said}"
        );
    }
    Ok(())
}

/// Whether it compiles, and what rustc says.
fn compile(case: &Path, emit: &str) -> io::Result<(bool, String)> {
    let output = Command::new(env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()))
        .args([
            "--edition=2024",
            &format!("--emit={emit}"),
            "--out-dir",
            env!("CARGO_TARGET_TMPDIR"),
        ])
        .arg(case)
        .output()?;
    Ok((
        output.status.success(),
        String::from_utf8_lossy(&output.stderr).into_owned(),
    ))
}
