//! README's promise that nothing here can corrupt memory: the workspace forbids unsafe code, which no attribute in a source
//! undoes (E0453). A crate would escape only by not taking the workspace's lints, and that is looked at here.

const WORKSPACE: &str = include_str!("../../../Cargo.toml");
const CRATES: [(&str, &str); 4] = [
    (
        "pd-gateway",
        include_str!("../../../pd-runtime/gateway/Cargo.toml"),
    ),
    ("pd-macros", include_str!("../../../pd-macros/Cargo.toml")),
    ("pd-runtime", include_str!("../../../pd-runtime/Cargo.toml")),
    (
        "pd-schema",
        include_str!("../../../pd-runtime/schema/Cargo.toml"),
    ),
];

/// The lines of a table, up to the next.
fn table<'a>(manifest: &'a str, name: &str) -> Vec<&'a str> {
    let lines = manifest
        .lines()
        .skip_while(|line| line.trim() != format!("[{name}]"))
        .skip(1);
    lines
        .take_while(|line| !line.starts_with('['))
        .map(str::trim)
        .collect()
}

#[test]
fn every_crate_forbids_unsafe_code() {
    assert!(table(WORKSPACE, "workspace.lints.rust").contains(&"unsafe_code = \"forbid\""));
    for (name, manifest) in CRATES {
        assert!(
            table(manifest, "lints").contains(&"workspace = true"),
            "{name} does not take the workspace's lints"
        );
    }
}
