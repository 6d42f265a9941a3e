//! An author's own files of a skill: served with their digests, to callers who see the skill.

use super::{contents, files, skills};
use crate::harness::{line::Line, names, post::Post, shop::saying, site::Site};
use pd_runtime::{Bundle, Group, Limits, PdServer, Registry, SkillFile, config::Rate};
use serde_json::{Value, json};

const BYTES: &[u8] = b"\x89PNG\r\n\x1a\n\xff\0";

/// `history` has files of every kind and no instructions; `vault` takes a scope; `task` is a bundle.
fn registry() -> Registry<()> {
    let history = Group::new("history", "Read history")
        .tool(saying("log", "a commit"))
        .file(
            "references/units.md",
            "# Units\n\nSizes are in bytes. \u{feff}é\n",
        )
        .file("scripts/more/run.sh", "#!/bin/sh\necho")
        .file("assets/logo.png", BYTES)
        .file("LICENSE", "free");
    let vault = Group::new("vault", "Hidden")
        .file("gold.md", "where")
        .tool(saying("dig", "gold").scope("vault"));
    let task = Bundle::new("task", "Do it")
        .tool("log")
        .files([SkillFile::new("notes.txt", "first `log`")]);
    Registry::builder()
        .group(history)
        .group(vault)
        .bundle(task)
        .build()
        .unwrap()
}

fn shared() -> PdServer<()> {
    PdServer::builder(registry(), ())
        .listing(pd_runtime::Listing::Minimal)
        .build()
        .unwrap()
}

/// What a read gave, as bytes.
fn bytes(read: &Value) -> Vec<u8> {
    use base64::{Engine as _, engine::general_purpose::STANDARD};
    let contents = &read["contents"][0];
    match contents["text"].as_str() {
        Some(text) => text.as_bytes().to_vec(),
        None => STANDARD.decode(contents["blob"].as_str().unwrap()).unwrap(),
    }
}

#[tokio::test]
async fn own_files_are_listed_served_and_as_promised() {
    let shared = shared();
    let (mut session, _) = Line::session_with(&shared, json!({})).await;
    for line in [&mut session, &mut Line::inline(&shared, json!({}))] {
        let listed = line.result("skills/list", json!({})).await;
        let skills = skills(&listed);
        let history = skills
            .iter()
            .find(|skill| skill.name() == "history")
            .expect("a group with files is a skill");
        let uris: Vec<&str> = files(history)
            .iter()
            .map(|file| file.uri.as_str())
            .collect();
        let paths = [
            "SKILL.md",
            "references/log.json",
            "references/units.md",
            "scripts/more/run.sh",
            "assets/logo.png",
            "LICENSE",
        ];
        assert_eq!(uris, paths.map(|path| format!("skill://history/{path}")));
        for skill in &skills {
            for file in files(skill) {
                file.verify(&bytes(&line.read(&file.uri).await)).unwrap();
            }
        }
        for (path, media_type, key) in [
            ("references/units.md", "text/markdown", "text"),
            ("scripts/more/run.sh", "text/x-shellscript", "text"),
            ("assets/logo.png", "image/png", "blob"),
            ("LICENSE", "text/plain", "text"),
        ] {
            let read = line.read(&format!("skill://history/{path}")).await;
            assert_eq!(read["contents"][0]["mimeType"], media_type, "{path}");
            assert!(read["contents"][0].get(key).is_some(), "{read}");
        }
        let manual = line.read("skill://history/SKILL.md").await;
        assert!(
            contents(&manual)
                .contains("## Files\n\n- [`references/units.md`](references/units.md)\n"),
            "{manual}"
        );
        assert!(
            contents(&line.read("skill://task/SKILL.md").await)
                .contains("- [`notes.txt`](notes.txt)")
        );
    }
}

#[tokio::test]
async fn directories_list_own_files_and_directories() {
    let mut line = Line::inline(&shared(), json!({}));
    for (directory, expected) in [
        (
            "",
            &["history", "references", "scripts", "assets", "LICENSE"][..],
        ),
        ("/references", &["log.json", "units.md"]),
        ("/scripts", &["more"]),
        ("/scripts/more", &["run.sh"]),
        ("/assets", &["logo.png"]),
    ] {
        let uri = format!("skill://history{directory}");
        let listed = line
            .result("resources/directory/read", json!({ "uri": uri }))
            .await;
        assert_eq!(names(&listed["resources"]), expected, "{directory}");
        for child in listed["resources"].as_array().unwrap() {
            let uri = child["uri"].as_str().unwrap();
            let is_directory = child["mimeType"] == "inode/directory";
            assert!(
                is_directory || uri.starts_with(&format!("skill://history{directory}/")),
                "{child}"
            );
        }
    }
    for path in [
        "/",
        "/script",
        "/scripts/",
        "/scripts/mor",
        "/LICENSE",
        "/scripts/more/run.sh",
        "/..",
        "/scripts/..",
    ] {
        let uri = format!("skill://history{path}");
        let answer = line
            .request("resources/directory/read", json!({ "uri": uri }))
            .await;
        assert_eq!(answer["error"]["code"], -32602, "{path}");
        if !path.ends_with("LICENSE") && !path.ends_with("run.sh") {
            let answer = line.request("resources/read", json!({ "uri": uri })).await;
            assert_eq!(answer["error"]["code"], -32602, "{path}");
        }
    }
}

/// Reading a file of the author's own describes no tool, and is charged like a search.
#[tokio::test]
async fn a_file_discloses_nothing_and_is_counted() {
    let limits = Limits::default()
        .owner(true)
        .searches(Rate::per_minute(1).burst(1));
    let shared = PdServer::builder(registry(), ())
        .listing(pd_runtime::Listing::Minimal)
        .limits(limits)
        .build()
        .unwrap();
    let mut line = Line::session(&shared).await;
    assert_eq!(bytes(&line.read("skill://history/LICENSE").await), b"free");
    let refused = line.read("skill://history/LICENSE").await;
    assert!(contents(&refused).contains("RATE_LIMITED"), "{refused}");
    assert_eq!(
        crate::harness::code(&line.call("log", json!({})).await),
        "TOOL_DESCRIPTION_REQUIRED"
    );
}

/// Who sees no tool of a group sees none of its files: the bytes are those of a skill that does not exist.
#[tokio::test]
async fn files_of_a_hidden_group_are_unknown() {
    let site = Site::open(&shared(), false).await;
    let [alice, keeper] =
        ["alice", "keeper vault"].map(|bearer| Post::inline(&site.url).bearer(bearer));
    for (method, path) in [
        ("resources/read", "/gold.md"),
        ("resources/read", "/SKILL.md"),
        ("resources/directory/read", ""),
    ] {
        let [hidden, absent] = ["vault", "absent"].map(|skill| format!("skill://{skill}{path}"));
        let hidden_answer = alice
            .send(method, json!({ "uri": hidden }))
            .await
            .body
            .to_string();
        let absent_answer = alice
            .send(method, json!({ "uri": absent }))
            .await
            .body
            .to_string();
        assert_eq!(
            hidden_answer.replace(&hidden, &absent),
            absent_answer,
            "{method} {path}"
        );
        assert_ne!(
            keeper
                .send(method, json!({ "uri": hidden }))
                .await
                .body
                .to_string(),
            hidden_answer
        );
    }
    let listed = alice.result("skills/list", json!({})).await;
    assert!(!listed.to_string().contains("gold"), "{listed}");
    assert_eq!(
        bytes(
            &keeper
                .result("resources/read", json!({ "uri": "skill://vault/gold.md" }))
                .await
        ),
        b"where"
    );
}

/// SEP-2640: 512 files are what every host accepts, an author's own among them.
#[tokio::test]
async fn own_files_count_among_the_512() {
    let tools = (0..600).map(|number| super::numbered(&format!("tool_{number}")));
    let files = (0..100).map(|number| SkillFile::new(format!("notes/{number}.md"), "x"));
    let big = tools.fold(Group::new("big", "Many tools").files(files), Group::tool);
    let registry = Registry::builder().group(big).build().unwrap();
    let mut line = Line::inline(
        &PdServer::builder(registry, ())
            .listing(pd_runtime::Listing::Minimal)
            .build()
            .unwrap(),
        json!({}),
    );
    let listed = line.result("skills/list", json!({})).await;
    assert_eq!(files_of(&listed), 512);
    let manual = line.read("skill://big/SKILL.md").await;
    assert!(
        contents(&manual).contains("(references/tool_410.json)"),
        "the last that has a file"
    );
    assert!(
        contents(&manual).contains("- `tool_411`: Say one text"),
        "the rest is named"
    );
}

fn files_of(listed: &Value) -> usize {
    files(&skills(listed)[0]).len()
}
