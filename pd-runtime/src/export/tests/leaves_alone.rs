//! Tests of the files that an export does not change: files that are up to date, that were edited,
//! or that no export wrote.

use super::{
    super::{
        EditedFiles, ExportError, ExportFile, ExportReport, Format, directory::ExportDirectory,
        record,
    },
    Folder, registry,
};
use std::{fs, path::PathBuf, time::SystemTime};

const FORMAT: Format = Format::ToolDescriptions;

fn paths(names: &[&str]) -> Vec<PathBuf> {
    names.iter().map(PathBuf::from).collect()
}

/// Makes a file older than all files that this test writes.
fn age(folder: &Folder, file: &str) -> SystemTime {
    let old = SystemTime::UNIX_EPOCH;
    fs::File::options()
        .write(true)
        .open(folder.path(file))
        .unwrap()
        .set_modified(old)
        .unwrap();
    old
}

fn modified(folder: &Folder, file: &str) -> SystemTime {
    fs::metadata(folder.path(file)).unwrap().modified().unwrap()
}

fn failure(result: Result<ExportReport, ExportError>) -> String {
    result.unwrap_err().to_string()
}

#[test]
fn unchanged_files_are_not_written() {
    let folder = Folder::new("unchanged");
    registry(["a", "b"]).export(FORMAT, &folder.0).unwrap();
    let old = ["a.json", "b.json", record::NAME].map(|file| age(&folder, file));
    fs::remove_file(folder.path("b.json")).unwrap();
    let exported = registry(["a", "b", "c"]).export(FORMAT, &folder.0).unwrap();
    assert_eq!(
        (exported.written, exported.unchanged),
        (paths(&["b.json", "c.json"]), paths(&["a.json"]))
    );
    assert_eq!(modified(&folder, "a.json"), old[0]);
    age(&folder, record::NAME);
    registry(["a", "b", "c"]).export(FORMAT, &folder.0).unwrap();
    assert_eq!(modified(&folder, record::NAME), old[2], "the record, too");
    assert!(
        folder
            .paths()
            .iter()
            .all(|path| !path.contains(".pd-export")),
        "nothing unfinished: {:?}",
        folder.paths()
    );
}

#[test]
fn files_of_tools_that_are_no_more_are_removed() {
    let folder = Folder::new("stale");
    let grouped = super::formats::shop();
    grouped.export(Format::TypeScript, &folder.0).unwrap();
    folder.write("stock/rare/notes.md", "mine");
    let exported = registry(["a"]).export(Format::TypeScript, &folder.0);
    let exported = exported.unwrap();
    assert!(
        exported
            .removed
            .contains(&PathBuf::from("stock/rare/delete_.ts")),
        "{exported:?}"
    );
    assert_eq!(
        folder.paths(),
        ["a.ts", "client.ts", "index.ts", "stock/rare/notes.md"]
    );
    assert!(
        !folder.path("orders").exists(),
        "an empty directory goes, too"
    );
}

#[test]
fn edited_files_are_kept_unless_they_are_to_be_overwritten() {
    let folder = Folder::new("edited");
    registry(["a", "b"]).export(FORMAT, &folder.0).unwrap();
    let written = folder.read("a.json");
    folder.write("a.json", "mine");
    folder.write("b.json", "mine, too");
    for _again in 0..2 {
        let exported = registry(["a"]).export(FORMAT, &folder.0).unwrap();
        assert_eq!(exported.kept, paths(&["b.json", "a.json"]));
        assert_eq!(
            (folder.read("a.json"), folder.read("b.json")),
            ("mine".to_owned(), "mine, too".to_owned())
        );
    }
    let exported = registry(["a"])
        .export_over_edits(FORMAT, &folder.0)
        .unwrap();
    assert_eq!(
        (exported.written, exported.removed),
        (paths(&["a.json"]), paths(&["b.json"]))
    );
    assert_eq!(
        (folder.read("a.json"), folder.paths()),
        (written, vec!["a.json".to_owned()])
    );
}

#[test]
fn an_edit_that_was_undone_is_no_edit() {
    let folder = Folder::new("undone");
    registry(["a"]).export(FORMAT, &folder.0).unwrap();
    let written = folder.read("a.json");
    folder.write("a.json", "mine");
    assert_eq!(
        registry(["a"])
            .export(FORMAT, &folder.0)
            .unwrap()
            .kept
            .len(),
        1
    );
    folder.write("a.json", &written);
    assert_eq!(
        registry(["a"])
            .export(FORMAT, &folder.0)
            .unwrap()
            .unchanged
            .len(),
        1
    );
}

#[test]
fn what_no_export_wrote_is_never_replaced() {
    let folder = Folder::new("foreign");
    folder.write("b.json", "precious");
    folder.write("notes.md", "precious");
    for exported in [
        registry(["a", "b"]).export(FORMAT, &folder.0),
        registry(["a", "b"]).export_over_edits(FORMAT, &folder.0),
    ] {
        let why = failure(exported);
        let named = format!(
            "not written by an export: {}; move these files away",
            folder.path("b.json").display()
        );
        assert!(why.starts_with(&named), "{why}");
    }
    assert_eq!(
        folder.paths(),
        ["b.json", "notes.md"],
        "nothing was written"
    );
    let exported = registry(["a"])
        .export_over_edits(FORMAT, &folder.0)
        .unwrap();
    assert_eq!(
        (exported.written, exported.removed),
        (paths(&["a.json"]), paths(&[]))
    );
    assert_eq!(folder.read("notes.md"), "precious");
}

#[test]
fn another_case_of_a_foreign_file_is_foreign() {
    let folder = Folder::new("case");
    registry(["Log"]).export(FORMAT, &folder.0).unwrap();
    folder.write("log.json", "precious");
    // On a case-insensitive file system, this edited the exported file.
    assert!(
        failure(registry(["log"]).export_over_edits(FORMAT, &folder.0))
            .starts_with("not written by an export")
    );
    assert_eq!(folder.read("log.json"), "precious");
}

#[test]
fn a_directory_is_of_one_server_and_one_format() {
    let folder = Folder::new("other");
    registry(["a"]).export(FORMAT, &folder.0).unwrap();
    let before = folder.files();
    let other = crate::Registry::builder()
        .name("bank")
        .tool(super::tool("a"))
        .build()
        .unwrap();
    for exported in [
        registry(["a"]).export(Format::Tree, &folder.0),
        other.export(FORMAT, &folder.0),
    ] {
        assert!(
            failure(exported).ends_with(
                "holds an export of `shop` as tool-descriptions; name another directory, or remove this one"
            )
        );
    }
    assert_eq!(folder.files(), before);
}

#[test]
fn a_record_that_names_files_elsewhere_is_refused() {
    let folder = Folder::new("record");
    folder.write("outside.json", "precious");
    let digest = crate::store::Digest::from_bytes(b"precious").to_string();
    let inner = folder.path("inner");
    for (file, version, why) in [
        (
            "../outside.json",
            1,
            "\"../outside.json\" is not a path in this directory",
        ),
        (
            "/etc/hosts",
            1,
            "\"/etc/hosts\" is not a path in this directory",
        ),
        ("a\\..\\b", 1, "is not a path in this directory"),
        (
            "a.json",
            2,
            "is of version 2, and this pd-runtime reads version 1",
        ),
    ] {
        let record = serde_json::json!({
            "version": version, "server": "shop", "format": "tool-descriptions", "files": { file: digest },
        });
        folder.write("inner/.pd-export.record", &record.to_string());
        let message = failure(registry(["a"]).export_over_edits(FORMAT, &inner));
        assert!(message.contains(why), "{message}");
    }
    folder.write("inner/.pd-export.record", "{}");
    assert!(
        failure(registry(["a"]).export(FORMAT, &inner))
            .contains("is not a valid record of an export: missing field")
    );
    assert_eq!(folder.read("outside.json"), "precious");
}

#[cfg(unix)]
#[test]
fn no_link_is_followed() {
    let folder = Folder::new("links");
    folder.write("outside/kept.md", "precious");
    folder.write("inner/notes.md", "");
    std::os::unix::fs::symlink(folder.path("outside"), folder.path("inner/stock")).unwrap();
    let inner = folder.path("inner");
    let message = failure(super::formats::shop().export(Format::TypeScript, &inner));
    assert!(
        message.starts_with(&format!("{} is in the way", inner.join("stock").display())),
        "{message}"
    );
    fs::remove_file(inner.join("stock")).unwrap();
    std::os::unix::fs::symlink(folder.path("outside/kept.md"), inner.join("client.ts")).unwrap();
    let message = failure(super::formats::shop().export_over_edits(Format::TypeScript, &inner));
    assert!(
        message.starts_with(&format!(
            "{} is in the way",
            inner.join("client.ts").display()
        )),
        "{message}"
    );
    assert_eq!(
        (
            folder.read("outside/kept.md").as_str(),
            fs::read_dir(folder.path("outside")).unwrap().count()
        ),
        ("precious", 1)
    );
}

#[test]
fn what_the_system_refuses_is_told_with_its_path() {
    let folder = Folder::new("refused");
    folder.write("file", "");
    let inside = folder.path("file").join("inside");
    let message = failure(registry(["a"]).export(FORMAT, &inside));
    assert!(
        message.starts_with(&inside.display().to_string()),
        "{message}"
    );
    fs::create_dir(folder.path("a.json")).unwrap();
    let message = failure(registry(["a"]).export(FORMAT, &folder.0));
    assert!(
        message.starts_with(&format!(
            "{} is in the way",
            folder.path("a.json").display()
        )),
        "{message}"
    );
}

#[test]
fn what_was_written_before_a_failure_is_recorded() {
    let folder = Folder::new("half");
    // A file and a directory cannot have the same path. Neither existed when the export was
    // planned.
    let files = ["a.json", "a.json/inside.json"].map(|path| ExportFile::new(path, "{}"));
    let record = record::ExportRecord::read(&folder.0, "shop", FORMAT).unwrap();
    let mut target = ExportDirectory {
        directory: &folder.0,
        record,
        edited: EditedFiles::Keep,
    };
    let message = failure(target.sync(&files));
    assert!(
        message.starts_with(&folder.path("a.json/inside.json").display().to_string()),
        "{message}"
    );
    assert!(message.contains("cannot be written: "), "{message}");
    // The next export recognizes its own files, though it has other tools.
    let exported = registry(["b"]).export(FORMAT, &folder.0).unwrap();
    assert_eq!(
        (exported.removed, folder.paths()),
        (paths(&["a.json"]), vec!["b.json".to_owned()])
    );
}

#[test]
fn exports_at_the_same_time_do_not_disturb_each_other() {
    let folder = Folder::new("at-once");
    std::thread::scope(|scope| {
        let exporting: Vec<_> = (0..8)
            .map(|_| scope.spawn(|| registry(["a", "b", "c"]).export(FORMAT, &folder.0)))
            .collect();
        exporting
            .into_iter()
            .for_each(|exporting| drop(exporting.join().unwrap().unwrap()));
    });
    assert_eq!(
        folder.files().len(),
        4,
        "nothing unfinished: {:?}",
        folder.files()
    );
}

#[test]
fn a_file_that_held_the_same_counts_as_written() {
    let folder = Folder::new("same");
    let other = Folder::new("same-other");
    registry(["a"]).export(FORMAT, &other.0).unwrap();
    folder.write("a.json", &other.read("a.json"));
    assert_eq!(
        registry(["a"]).export(FORMAT, &folder.0).unwrap().unchanged,
        paths(&["a.json"])
    );
    assert_eq!(
        registry(["b"]).export(FORMAT, &folder.0).unwrap().removed,
        paths(&["a.json"])
    );
}

#[test]
fn an_unsound_registry_is_not_exported() {
    let folder = Folder::new("unsound");
    let unsound = crate::Registry::builder()
        .tool(super::tool("not a name"))
        .freeze();
    assert!(matches!(
        unsound.export(FORMAT, folder.path("inner")),
        Err(ExportError::Unsound(_))
    ));
    assert!(!folder.path("inner").exists());
}
