//! Running cargo, and what it cost.

use super::{Failure, package::Package};
use std::{
    env, fs,
    path::{Path, PathBuf},
    process::{Command, Output},
    time::SystemTime,
};

/// What is kept between runs: generated crates and what was built of their dependencies.
pub(crate) fn kept() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("compile")
}

/// Cargo on this package, with a target directory of this name.
///
/// It runs outside of the workspace, whose `.cargo/config.toml` would set profiles that users do not have.
fn cargo(package: &Package, target: &Path, arguments: &[&str]) -> Command {
    let (subcommand, rest) = arguments.split_first().unwrap_or((&"check", &[]));
    let (options, compiler) = rest.split_at(
        rest.iter()
            .position(|argument| *argument == "--")
            .unwrap_or(rest.len()),
    );
    let mut cargo = Command::new(env!("CARGO"));
    cargo
        .current_dir(env::temp_dir())
        .env("CARGO_INCREMENTAL", "0")
        .env("CARGO_TERM_COLOR", "never");
    cargo
        .args([subcommand, "--offline", "--quiet"])
        .args(options);
    cargo
        .arg("--manifest-path")
        .arg(package.manifest())
        .arg("--target-dir")
        .arg(target)
        .args(compiler);
    cargo
}

/// Runs it to its end.
fn run(mut command: Command) -> Result<Output, Failure> {
    let output = command.output()?;
    if output.status.success() {
        return Ok(output);
    }
    Err(format!(
        "{command:?} failed:\n{}",
        String::from_utf8_lossy(&output.stderr)
    )
    .into())
}

/// Builds what is not built yet, so that the package alone is left to measure.
pub(crate) fn prepare(package: &Package, arguments: &[&str]) -> Result<(), Failure> {
    run(cargo(package, &kept().join("target"), arguments)).map(drop)
}

/// Compiles the package alone; gives back CPU seconds.
pub(crate) fn cost_of(package: &Package, arguments: &[&str]) -> Result<f64, Failure> {
    let source = fs::File::options().append(true).open(package.source())?;
    source.set_modified(SystemTime::now())?;
    let before = spent()?;
    prepare(package, arguments)?;
    Ok(spent()? - before)
}

/// Builds one dependency of the package, with all that it depends on, from nothing; gives back CPU seconds.
pub(crate) fn clean_cost_of(package: &Package, dependency: &str) -> Result<f64, Failure> {
    let target = tempfile::tempdir()?;
    let before = spent()?;
    run(cargo(package, target.path(), &["build", "-p", dependency]))?;
    Ok(spent()? - before)
}

/// How many lines the package expands to, as rustc prints them.
///
/// In a target directory of its own: dependencies are built anew where `RUSTC_BOOTSTRAP` changes.
pub(crate) fn expanded_lines(package: &Package) -> Result<usize, Failure> {
    let arguments = ["rustc", "--profile=check", "--", "-Zunpretty=expanded"];
    let mut command = cargo(package, &kept().join("expanded"), &arguments);
    command.env("RUSTC_BOOTSTRAP", "1");
    Ok(String::from_utf8(run(command)?.stdout)?.lines().count())
}

/// The size of the package's binary in bytes, built before.
pub(crate) fn size_of(package: &Package, profile: &str) -> Result<u64, Failure> {
    let name = format!("{}{}", package.name, env::consts::EXE_SUFFIX);
    Ok(fs::metadata(kept().join("target").join(profile).join(name))?.len())
}

/// CPU seconds, user's and system's, of all processes that this one started and waited for, and of theirs.
#[cfg(unix)]
fn spent() -> Result<f64, Failure> {
    use nix::sys::{
        resource::{UsageWho, getrusage},
        time::{TimeVal, TimeValLike},
    };
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN)?;
    let seconds = |time: TimeVal| time.num_microseconds() as f64 / 1e6;
    Ok(seconds(usage.user_time()) + seconds(usage.system_time()))
}

#[cfg(not(unix))]
fn spent() -> Result<f64, Failure> {
    Err("what other processes cost is known on Unix only".into())
}
