//! `export`: files for where no server runs, and what of a directory stays as it is.

use super::{Ended, run};
use std::{fs, path::Path};
use tempfile::TempDir;

fn export(directory: &Path, arguments: &[&str]) -> Ended {
    run(directory, ["export"].iter().chain(arguments))
}

fn told(ended: &Ended) -> (Option<i32>, &str, &str) {
    (ended.code, &ended.stdout, &ended.stderr)
}

#[test]
fn every_format_is_written_once() {
    let folder = TempDir::new().unwrap();
    for (format, files, one) in [
        ("tool-descriptions", 2, "list.json"),
        ("tree", 4, "library/schemas/hours.json"),
        ("typescript", 5, "house/hours.ts"),
        ("skills", 7, "fetch-a-book/SKILL.md"),
        ("anthropic", 1, "tools.json"),
        ("openai", 1, "tools.json"),
    ] {
        let counted = format!("{files} file{}", if files == 1 { "" } else { "s" });
        let first = export(folder.path(), &["--format", format, format]);
        let line =
            format!("ok {counted} in {format}: {files} written, 0 unchanged, 0 removed, 0 kept\n");
        assert_eq!(told(&first), (Some(0), line.as_str(), ""));
        assert!(folder.path().join(format).join(one).is_file(), "{one}");
        let second = export(folder.path(), &["--format", format, format]);
        let line =
            format!("ok {counted} in {format}: 0 written, {files} unchanged, 0 removed, 0 kept\n");
        assert_eq!(told(&second), (Some(0), line.as_str(), ""));
    }
}

/// What is exported is an overlay that changes nothing.
#[test]
fn exported_descriptions_can_be_laid_over_the_registry_again() {
    let folder = TempDir::new().unwrap();
    assert_eq!(
        export(folder.path(), &["--format", "tool-descriptions", "out"]).code,
        Some(0)
    );
    assert_eq!(
        run(folder.path(), ["check", "--lock", "tools.lock"]).code,
        Some(0)
    );
    let plain = run(folder.path(), ["check", "--lock", "tools.lock"]);
    let overlaid = run(
        folder.path(),
        ["check", "--lock", "tools.lock", "--overlay", "out"],
    );
    assert_eq!(told(&overlaid), told(&plain));
    assert_eq!(overlaid.code, Some(0));
    let again = export(folder.path(), &["--format", "tool-descriptions", "out"]);
    assert_eq!(
        again.stdout,
        "ok 2 files in out: 0 written, 2 unchanged, 0 removed, 0 kept\n"
    );
    // A check that looked at nothing would pass, too.
    let path = folder.path().join("out/list.json");
    fs::write(
        &path,
        fs::read_to_string(&path).unwrap().replacen(
            "\"description\": \"",
            "\"description\": \"Edited. ",
            1,
        ),
    )
    .unwrap();
    assert_eq!(
        run(
            folder.path(),
            ["check", "--lock", "tools.lock", "--overlay", "out"]
        )
        .code,
        Some(1)
    );
}

#[test]
fn edited_files_are_kept_until_they_are_forced() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("out/list.json");
    export(folder.path(), &["--format", "tool-descriptions", "out"]);
    let written = fs::read_to_string(&path).unwrap();
    fs::write(&path, "mine").unwrap();
    let kept = export(folder.path(), &["--format", "tool-descriptions", "out"]);
    let shown = Path::new("out").join("list.json");
    let why = format!(
        "warning: {} was edited since it was written, and is kept; `--force` overwrites it\n",
        shown.display()
    );
    let line = "ok 2 files in out: 0 written, 1 unchanged, 0 removed, 1 kept\n";
    assert_eq!(told(&kept), (Some(0), line, why.as_str()));
    assert_eq!(fs::read_to_string(&path).unwrap(), "mine");

    let forced = export(
        folder.path(),
        &["--format", "tool-descriptions", "--force", "out"],
    );
    let line = "ok 2 files in out: 1 written, 1 unchanged, 0 removed, 0 kept\n";
    assert_eq!(
        (told(&forced), fs::read_to_string(&path).unwrap()),
        ((Some(0), line, ""), written)
    );
}

#[test]
fn what_stands_in_the_way_is_named() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("out/hours.json");
    fs::create_dir(folder.path().join("out")).unwrap();
    fs::write(&path, "precious").unwrap();
    let refused = export(
        folder.path(),
        &["--format", "tool-descriptions", "--force", "out"],
    );
    let shown = Path::new("out").join("hours.json");
    let why = format!(
        "error: not written by an export: {}; move these files away, or name another directory\n",
        shown.display()
    );
    assert_eq!(told(&refused), (Some(1), "", why.as_str()));
    assert_eq!(fs::read_to_string(&path).unwrap(), "precious");
    assert_eq!(
        fs::read_dir(folder.path().join("out")).unwrap().count(),
        1,
        "nothing was written"
    );

    fs::remove_file(&path).unwrap();
    export(folder.path(), &["--format", "tree", "out"]);
    let other = export(folder.path(), &["--format", "skills", "out"]);
    let why = "error: out holds an export of `library` as tree; name another directory, or remove this one\n";
    assert_eq!(told(&other), (Some(1), "", why));
}

/// The implementation guide's loader takes every `*.json` of a directory for a tool, hidden ones
/// too.
#[test]
fn every_json_file_of_exported_descriptions_is_a_tool() {
    let folder = TempDir::new().unwrap();
    export(folder.path(), &["--format", "tool-descriptions", "out"]);
    let names = fs::read_dir(folder.path().join("out"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name());
    let mut offered: Vec<String> = names
        .filter_map(|name| name.to_str()?.strip_suffix(".json").map(str::to_owned))
        .collect();
    offered.sort();
    assert_eq!(offered, ["hours", "list"]);
}

#[test]
fn servers_share_the_index_of_a_tree() {
    let folder = TempDir::new().unwrap();
    fs::write(
        folder.path().join("tools.json"),
        r#"{ "name": "desk", "instructions": "A desk.", "tools": [] }"#,
    )
    .unwrap();
    let catalog = |flags: &[&str]| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_catalog"));
        command
            .current_dir(folder.path())
            .args(["tools.json", "export", "--format", "tree", "out"])
            .args(flags);
        super::end(&mut command)
    };
    assert_eq!(
        export(folder.path(), &["--format", "tree", "out"]).code,
        Some(0)
    );
    let second = catalog(&[]);
    assert_eq!(
        told(&second),
        (
            Some(0),
            "ok 2 files in out: 2 written, 0 unchanged, 0 removed, 0 kept\n",
            ""
        )
    );
    let index = || fs::read_to_string(folder.path().join("out/index.json")).unwrap();
    let both = index();
    assert!(
        both.contains("\"desk\"") && both.contains("\"library\""),
        "{both}"
    );
    for _again in 0..2 {
        assert!(
            export(folder.path(), &["--format", "tree", "out"])
                .stdout
                .contains(": 0 written, 4 unchanged")
        );
        assert!(
            catalog(&["--force"])
                .stdout
                .contains(": 0 written, 2 unchanged")
        );
        assert_eq!(index(), both);
    }
}

#[test]
fn formats_are_listed() {
    let folder = TempDir::new().unwrap();
    let unknown = export(folder.path(), &["--format", "skill", "out"]);
    assert_eq!(unknown.code, Some(2));
    assert!(
        unknown
            .stderr
            .contains("tool-descriptions, tree, typescript, skills, anthropic, openai"),
        "{unknown:?}"
    );
    assert!(
        unknown.stderr.contains("a similar value exists: 'skills'"),
        "{unknown:?}"
    );
    assert_eq!(export(folder.path(), &["out"]).code, Some(2));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}
