//! Builds a server's crate with cargo, and measures each build.

use super::{BenchError, servers::ServerSource, workspace};
use std::{
    collections::BTreeSet,
    env, fs,
    path::{Path, PathBuf},
    process::{Command, Output},
};

/// The costs of one server.
#[derive(Debug, Clone, Copy)]
pub(super) struct BuildCosts {
    /// The number of crates, with those that only macros and build scripts use.
    pub(super) crates: usize,
    /// CPU seconds of builds from an empty target directory.
    pub(super) debug: f64,
    pub(super) release: f64,
    /// CPU seconds of a debug build after a change in one tool.
    pub(super) rebuild: f64,
    /// Bytes of the release binary, with symbols and stripped.
    pub(super) unstripped: u64,
    pub(super) stripped: u64,
}

/// Measures a server. Its target directory is removed before and after, because it takes gigabytes.
pub(super) fn measure(server: &ServerSource, is_offline: bool) -> Result<BuildCosts, BenchError> {
    let package = Package::write(server, is_offline)?;
    let crates = package.crate_count()?;
    let debug = package.build("debug build", "build", &[])?;
    // The text of one tool, so that rustc compiles the tool and not only the file's positions.
    fs::write(
        package.source(),
        server.source.replace("That is note", "This is note"),
    )?;
    let rebuild = package.build("rebuild", "build", &[])?;
    fs::remove_dir_all(package.target())?;
    let release = package.build("release build", "build", &["--release"])?;
    let unstripped = package.binary_len()?;
    // `cargo rustc` strips the binary alone. A setting of the profile would build everything again.
    package.build(
        "stripped binary",
        "rustc",
        &["--release", "--", "-Cstrip=symbols"],
    )?;
    let stripped = package.binary_len()?;
    fs::remove_dir_all(package.target())?;
    Ok(BuildCosts {
        crates,
        debug,
        release,
        rebuild,
        unstripped,
        stripped,
    })
}

/// The generated crate of a server.
struct Package {
    name: &'static str,
    directory: PathBuf,
    is_offline: bool,
}

impl Package {
    fn write(server: &ServerSource, is_offline: bool) -> Result<Self, BenchError> {
        let directory = workspace().join("target/weight").join(server.name);
        let package = Self {
            name: server.name,
            directory,
            is_offline,
        };
        if package.target().exists() {
            fs::remove_dir_all(package.target())?;
        }
        fs::create_dir_all(package.directory.join("src"))?;
        // Cargo keeps the versions of a lock file that fit a manifest, and drops the rest.
        fs::copy(
            workspace().join("Cargo.lock"),
            package.directory.join("Cargo.lock"),
        )?;
        let runtime = format!("{:?}", workspace().join("pd-runtime"));
        let dependencies = server.dependencies.replace("PD_RUNTIME", &runtime);
        let head = format!(
            "[package]\nname = \"{}\"\nedition = \"2024\"\n\n[workspace]\n",
            server.name
        );
        fs::write(
            package.directory.join("Cargo.toml"),
            format!("{head}\n[dependencies]\n{dependencies}"),
        )?;
        fs::write(package.source(), server.source)?;
        Ok(package)
    }

    fn source(&self) -> PathBuf {
        self.directory.join("src/main.rs")
    }

    fn target(&self) -> PathBuf {
        self.directory.join("build")
    }

    /// Runs cargo outside of the workspace, whose `.cargo/config.toml` sets profiles that users do
    /// not have, and without the profiles and flags of this process' environment.
    fn cargo(&self, subcommand: &str, arguments: &[&str]) -> Result<Output, BenchError> {
        let mut cargo = Command::new(env!("CARGO"));
        let overrides = env::vars()
            .map(|(key, _)| key)
            .filter(|key| is_build_setting(key));
        overrides.for_each(|key| _ = cargo.env_remove(key));
        cargo
            .current_dir(env::temp_dir())
            .arg(subcommand)
            .args(self.is_offline.then_some("--offline"));
        cargo
            .arg("--manifest-path")
            .arg(self.directory.join("Cargo.toml"))
            .args(arguments);
        let output = cargo.output()?;
        if output.status.success() {
            return Ok(output);
        }
        Err(format!(
            "{cargo:?} failed:\n{}",
            String::from_utf8_lossy(&output.stderr)
        )
        .into())
    }

    /// Returns the CPU seconds of a build, and reports them as progress.
    fn build(&self, what: &str, subcommand: &str, arguments: &[&str]) -> Result<f64, BenchError> {
        eprint!("{}: {what} … ", self.name);
        let target = self.target().display().to_string();
        let before = child_cpu_seconds()?;
        self.cargo(
            subcommand,
            &[&["--quiet", "--target-dir", &target], arguments].concat(),
        )?;
        let seconds = child_cpu_seconds()? - before;
        eprintln!("{seconds:.1} CPU s");
        Ok(seconds)
    }

    fn crate_count(&self) -> Result<usize, BenchError> {
        let output = self.cargo(
            "tree",
            &[
                "--edges",
                "normal,build",
                "--prefix",
                "none",
                "--format",
                "{p}",
            ],
        )?;
        let listed = String::from_utf8(output.stdout)?;
        let packages = listed
            .lines()
            .map(|line| line.trim_end_matches(" (*)"))
            .filter(|line| !line.is_empty());
        Ok(packages.collect::<BTreeSet<_>>().len())
    }

    fn binary_len(&self) -> Result<u64, BenchError> {
        let name = format!("{}{}", self.name, env::consts::EXE_SUFFIX);
        let path: &Path = &self.target().join("release").join(name);
        Ok(fs::metadata(path)?.len())
    }
}

fn is_build_setting(key: &str) -> bool {
    key.starts_with("CARGO_PROFILE_")
        || ["CARGO_INCREMENTAL", "CARGO_TARGET_DIR", "RUSTFLAGS"].contains(&key)
}

/// Returns the CPU seconds of all processes that this one has started and waited for.
#[cfg(unix)]
fn child_cpu_seconds() -> Result<f64, BenchError> {
    use nix::sys::resource::{UsageWho, getrusage};
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN)?;
    let seconds =
        |time: nix::sys::time::TimeVal| time.tv_sec() as f64 + time.tv_usec() as f64 / 1e6;
    Ok(seconds(usage.user_time()) + seconds(usage.system_time()))
}

#[cfg(not(unix))]
fn child_cpu_seconds() -> Result<f64, BenchError> {
    Err("the CPU time of other processes is known on Unix only".into())
}
