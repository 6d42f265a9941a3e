//! Tests of several servers in the index of one tree: each export keeps its own entry and files,
//! and does not change the others'.

use super::{
    super::{ExportError, ExportReport, Format},
    Folder, tool,
};
use crate::Registry;
use serde_json::{Value, json};
use std::path::PathBuf;

fn server(name: &'static str, instructions: &'static str, tools: &[&'static str]) -> Registry<()> {
    let tools = tools.iter().map(|name| tool(name));
    Registry::builder()
        .name(name)
        .instructions(instructions)
        .tools(tools)
        .build()
        .unwrap()
}

fn export(
    folder: &Folder,
    name: &'static str,
    instructions: &'static str,
    tools: &[&'static str],
) -> ExportReport {
    server(name, instructions, tools)
        .export(Format::Tree, &folder.0)
        .unwrap()
}

fn servers(folder: &Folder) -> Value {
    serde_json::from_str::<Value>(&folder.read("index.json")).unwrap()["servers"].take()
}

fn entry(name: &str, description: &str) -> Value {
    json!({ "name": name, "description": description })
}

fn files_of(folder: &Folder, server: &str) -> Vec<(String, String)> {
    folder
        .files()
        .into_iter()
        .filter(|(path, _)| path.contains(server))
        .collect()
}

#[test]
fn a_second_server_is_added_to_the_index() {
    let folder = Folder::new("tree-two");
    let turned = Folder::new("tree-two-turned");
    export(&folder, "shop", "A shop.", &["buy"]);
    let first = files_of(&folder, "shop");
    export(&folder, "bank", "A bank.", &["pay"]);
    assert_eq!(
        servers(&folder),
        json!([entry("bank", "A bank."), entry("shop", "A shop.")])
    );
    assert_eq!(files_of(&folder, "shop"), first);
    export(&turned, "bank", "A bank.", &["pay"]);
    export(&turned, "shop", "A shop.", &["buy"]);
    assert_eq!(
        folder.files(),
        turned.files(),
        "the order makes no difference"
    );
}

#[test]
fn an_update_of_one_server_leaves_the_other_alone() {
    let folder = Folder::new("tree-update");
    export(&folder, "shop", "A shop.", &["buy", "sell"]);
    export(&folder, "bank", "A bank.", &["pay"]);
    let bank = files_of(&folder, "bank");
    let exported = export(&folder, "shop", "A better shop.", &["buy"]);
    assert_eq!(exported.removed, [PathBuf::from("shop/schemas/sell.json")]);
    assert!(
        exported.written.contains(&PathBuf::from("index.json")),
        "{exported:?}"
    );
    assert_eq!(
        servers(&folder),
        json!([entry("bank", "A bank."), entry("shop", "A better shop.")])
    );
    assert_eq!(files_of(&folder, "bank"), bank);
    let again = export(&folder, "bank", "A bank.", &["pay"]);
    assert_eq!((again.written.len(), again.unchanged.len()), (0, 3));
}

#[test]
fn entries_that_somebody_wrote_stay() {
    let folder = Folder::new("tree-edited");
    export(&folder, "shop", "A shop.", &["buy"]);
    let mine = json!({ "servers": [entry("mine", "By hand."), entry("shop", "My words.")] });
    folder.write("index.json", &mine.to_string());
    let kept = export(&folder, "shop", "A better shop.", &["buy"]);
    assert_eq!(
        (kept.kept, servers(&folder)),
        (vec![PathBuf::from("index.json")], mine["servers"].clone())
    );
    export(&folder, "bank", "A bank.", &["pay"]);
    let three = json!([
        entry("bank", "A bank."),
        entry("mine", "By hand."),
        entry("shop", "My words.")
    ]);
    assert_eq!(servers(&folder), three);
    server("shop", "A better shop.", &["buy"])
        .export_over_edits(Format::Tree, &folder.0)
        .unwrap();
    let forced = json!([
        entry("bank", "A bank."),
        entry("mine", "By hand."),
        entry("shop", "A better shop.")
    ]);
    assert_eq!(servers(&folder), forced);
}

#[test]
fn an_index_that_no_export_wrote_is_left_alone() {
    let folder = Folder::new("tree-foreign");
    for (index, why) in [
        (
            r#"{"servers":[{"name":"mine"}]}"#,
            "not written by an export: ",
        ),
        ("[]", "the array `servers` is missing"),
        ("{", "index.json is not a valid index of servers: EOF"),
    ] {
        folder.write("index.json", index);
        let told = server("shop", "A shop.", &["buy"])
            .export(Format::Tree, &folder.0)
            .unwrap_err()
            .to_string();
        assert!(told.contains(why), "{told}");
        assert_eq!(
            folder.files(),
            [("index.json".to_owned(), index.to_owned())],
            "nothing was written"
        );
    }
}

#[test]
fn other_formats_and_other_servers_of_the_name_are_refused() {
    let folder = Folder::new("tree-other");
    export(&folder, "shop", "A shop.", &["buy"]);
    export(&folder, "bank", "A bank.", &["pay"]);
    let before = folder.files();
    let told = server("shop", "", &["buy"])
        .export(Format::Skills, &folder.0)
        .unwrap_err();
    assert!(matches!(told, ExportError::OtherExport { .. }), "{told}");
    assert_eq!(folder.files(), before);
    let other = Folder::new("tree-other-format");
    server("shop", "", &["buy"])
        .export(Format::ToolDescriptions, &other.0)
        .unwrap();
    let told = server("bank", "", &["pay"])
        .export(Format::Tree, &other.0)
        .unwrap_err();
    assert!(matches!(told, ExportError::OtherExport { .. }), "{told}");
}

#[test]
fn servers_that_are_exported_at_the_same_time_are_all_in_the_index() {
    const NAMES: [&str; 6] = ["a", "b", "c", "d", "e", "f"];
    for _ in 0..20 {
        let folder = Folder::new("tree-at-once");
        std::thread::scope(|scope| {
            let exporting = NAMES.map(|name| scope.spawn(|| export(&folder, name, name, &["buy"])));
            exporting
                .into_iter()
                .for_each(|exporting| drop(exporting.join().unwrap()));
        });
        let entries: Vec<Value> = NAMES.iter().map(|name| entry(name, name)).collect();
        assert_eq!(servers(&folder), json!(entries));
    }
}
