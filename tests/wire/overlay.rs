//! `Shared::overlay` and `watch_overlay`: edited descriptions reach clients, mistakes do not.

use crate::harness::{
    client::{Client, Era, connect},
    code,
    post::Post,
    shop::saying,
    site::Site,
    told,
};
use pd_runtime::{PdServer, Registry};
use serde_json::{Value, json};
use std::{
    fs::{self, File},
    io::Write,
    path::{Path, PathBuf},
    time::Duration,
};
use tempfile::TempDir;

fn registry() -> Registry<()> {
    let schema = json!({ "type": "object", "properties": { "day": { "type": "integer" } } });
    let note = saying::<()>("note", "said")
        .description("compiled")
        .input_schema(schema);
    let vault = saying("vault", "open").scope("shop:vault");
    Registry::builder()
        .tool(note)
        .tool(saying("stays", "said"))
        .tool(vault)
        .build()
        .unwrap()
}

fn shared() -> PdServer<()> {
    PdServer::builder(registry(), ())
        .listing(pd_runtime::Listing::Minimal)
        .ticket_key([3; 32])
        .build()
        .unwrap()
}

/// A directory of descriptions.
struct Folder(TempDir);

impl Folder {
    fn new() -> Self {
        Self(TempDir::new().unwrap())
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn file(&self, tool: &str) -> PathBuf {
        self.path().join(tool).with_extension("json")
    }

    fn describe(&self, tool: &str, description: &str) {
        fs::write(
            self.file(tool),
            json!({ "description": description }).to_string(),
        )
        .unwrap();
    }
}

async fn description(client: &Client, tool: &str) -> Value {
    client.describe(tool).await[tool]["description"].clone()
}

/// Waits until a tool is described so.
async fn becomes(client: &Client, tool: &str, text: &str) {
    let waited = async {
        while description(client, tool).await != text {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    let waited = tokio::time::timeout(Duration::from_secs(10), waited).await;
    assert!(
        waited.is_ok(),
        "{} is not {text}",
        description(client, tool).await
    );
}

#[tokio::test]
async fn an_edited_description_is_told_and_must_be_read_again() {
    for era in [Era::Session, Era::HttpSession] {
        let (shared, folder) = (shared(), Folder::new());
        let client = connect(era, &shared).await;
        client.describe("note,stays").await;
        fs::write(
            folder.file("note"),
            r#"{ "description": "edited", "summary": "Say a note" }"#,
        )
        .unwrap();
        assert_eq!(shared.overlay(folder.path()).unwrap(), 1);
        client.hears_changes(1).await;
        assert_eq!(client.list().await["tools"][0]["description"], "Say a note");
        assert_eq!(
            client.call("stays", json!({})).await["content"][0]["text"],
            "said",
            "{era:?}"
        );
        let refused = client.call("note", json!({})).await;
        assert_eq!(code(&refused), "TOOL_DESCRIPTION_REQUIRED", "{era:?}");
        let refused = told(&refused);
        assert_eq!(
            refused["error"]["reason"],
            "the description has changed since it was read"
        );
        assert_eq!(
            refused["tool_description"]["description"], "edited",
            "{refused}"
        );
        assert_eq!(
            client.call("note", json!({})).await["content"][0]["text"],
            "said",
            "the refusal described it"
        );
    }
}

#[tokio::test]
async fn a_removed_file_brings_back_what_was_compiled() {
    let (shared, folder) = (shared(), Folder::new());
    let client = connect(Era::Session, &shared).await;
    client.describe("note").await;
    folder.describe("note", "edited");
    assert_eq!(shared.overlay(folder.path()).unwrap(), 1);
    fs::remove_file(folder.file("note")).unwrap();
    assert_eq!(shared.overlay(folder.path()).unwrap(), 1);
    assert_eq!(
        client.call("note", json!({})).await["content"][0]["text"],
        "said",
        "this description was read"
    );
    assert_eq!(description(&client, "note").await, "compiled");
}

#[tokio::test]
async fn texts_that_say_the_same_tell_nobody() {
    let (shared, folder) = (shared(), Folder::new());
    let client = connect(Era::Session, &shared).await;
    folder.describe("note", "compiled");
    assert_eq!(shared.overlay(folder.path()).unwrap(), 0);
    folder.describe("note", "edited");
    assert_eq!(shared.overlay(folder.path()).unwrap(), 1);
    assert_eq!(
        shared.overlay(folder.path()).unwrap(),
        0,
        "nothing changed since"
    );
    client.hears_changes(1).await;
    assert_eq!(
        client
            .noticed
            .list_changes
            .load(std::sync::atomic::Ordering::SeqCst),
        1
    );
}

#[tokio::test]
async fn a_mistake_in_one_file_changes_nothing() {
    let (shared, folder) = (shared(), Folder::new());
    let client = connect(Era::Session, &shared).await;
    folder.describe("note", "good");
    shared.overlay(folder.path()).unwrap();
    folder.describe("note", "better");
    fs::write(
        folder.file("stays"),
        "{\n  \"examples\": [{ \"input\": 5 }],\n  \"inputSchema\": { \"type\": \"array\" }\n}",
    )
    .unwrap();
    let error = shared.overlay(folder.path()).unwrap_err();
    let places: Vec<_> = error
        .iter()
        .map(|mistake| (mistake.path.clone(), mistake.position))
        .collect();
    assert_eq!(
        places,
        [
            (folder.file("stays"), Some((2, 18))),
            (folder.file("stays"), Some((3, 20)))
        ],
        "{error}"
    );
    assert_eq!(description(&client, "note").await, "good");
    fs::remove_file(folder.file("stays")).unwrap();
    assert_eq!(shared.overlay(folder.path()).unwrap(), 1);
    assert_eq!(description(&client, "note").await, "better");
}

#[tokio::test]
async fn texts_outlive_a_new_registry_where_they_fit() {
    let (shared, folder) = (shared(), Folder::new());
    let client = connect(Era::Session, &shared).await;
    ["note", "stays"]
        .into_iter()
        .for_each(|tool| folder.describe(tool, "edited"));
    assert_eq!(shared.overlay(folder.path()).unwrap(), 2);
    shared
        .replace(
            Registry::builder()
                .tool(saying("new", "said"))
                .tool(saying("note", "said"))
                .build()
                .unwrap(),
        )
        .unwrap();
    assert_eq!(description(&client, "note").await, "edited");
    assert_eq!(description(&client, "new").await, "Say one text");
    let error = shared.overlay(folder.path()).unwrap_err().to_string();
    assert!(
        error.contains("stays.json:1:1: no such tool: `stays`"),
        "{error}"
    );
    assert_eq!(description(&client, "note").await, "edited");
}

/// Tickets are made over the digest, so one for the old text is stale.
#[tokio::test]
async fn without_sessions_a_ticket_for_the_old_text_is_stale() {
    let (shared, folder) = (shared(), Folder::new());
    let site = Site::open(&shared, false).await;
    let post = Post::inline(&site.url);
    let described = told(
        &post
            .result(
                "resources/read",
                json!({ "uri": "resource:///tool_descriptions?tools=note" }),
            )
            .await,
    );
    let ticket =
        described["note"]["inputSchema"]["properties"]["disclosure_ticket"]["const"].clone();
    let call = json!({ "name": "note", "arguments": { "disclosure_ticket": ticket } });
    assert_eq!(
        post.result("tools/call", call.clone()).await["content"][0]["text"],
        "said"
    );
    folder.describe("note", "edited");
    shared.overlay(folder.path()).unwrap();
    let refused = told(&post.result("tools/call", call).await);
    assert_eq!(
        refused["tool_description"]["description"], "edited",
        "{refused}"
    );
}

/// To whoever may not see a tool, an overlay of it is not there.
#[tokio::test]
async fn hidden_tools_stay_hidden() {
    let plain = shared();
    let (edited, folder) = (shared(), Folder::new());
    let everything = r#"{ "summary": "Open it", "description": "Gold.", "related": ["note"] }"#;
    fs::write(folder.file("vault"), everything).unwrap();
    assert_eq!(edited.overlay(folder.path()).unwrap(), 1);
    let requests = [
        ("tools/list", json!({})),
        (
            "resources/read",
            json!({ "uri": "resource:///tool_descriptions?tools=vault,note" }),
        ),
        (
            "tools/call",
            json!({ "name": "describe_tools", "arguments": { "names": ["vault"] } }),
        ),
        ("tools/call", json!({ "name": "vault", "arguments": {} })),
    ];
    let (plain, edited) = (
        Site::open(&plain, false).await,
        Site::open(&edited, false).await,
    );
    for (method, params) in requests {
        let [before, after] = [&plain, &edited].map(|site| Post::inline(&site.url));
        let [before, after] = [
            before.send(method, params.clone()).await,
            after.send(method, params).await,
        ];
        assert_eq!(
            (before.status, before.body),
            (after.status, after.body),
            "{method}"
        );
    }
}

fn at_once(path: &Path, text: &str) {
    fs::write(path, text).unwrap();
}

fn in_pieces(path: &Path, text: &str) {
    let mut file = File::create(path).unwrap();
    for piece in text.as_bytes().chunks(text.len() / 8 + 1) {
        file.write_all(piece).unwrap();
        file.sync_all().unwrap();
    }
}

fn by_rename(path: &Path, text: &str) {
    let beside = path.with_extension("swp");
    fs::write(&beside, text).unwrap();
    fs::rename(beside, path).unwrap();
}

fn by_deleting(path: &Path, text: &str) {
    fs::remove_file(path).unwrap();
    fs::write(path, text).unwrap();
}

#[tokio::test]
async fn a_watched_directory_is_followed_however_files_are_written() {
    let (shared, folder) = (shared(), Folder::new());
    folder.describe("note", "at first");
    assert_eq!(shared.watch_overlay(folder.path()).unwrap(), 1);
    let client = connect(Era::Session, &shared).await;
    assert_eq!(description(&client, "note").await, "at first");
    let ways: [fn(&Path, &str); 4] = [at_once, in_pieces, by_rename, by_deleting];
    for (round, way) in ways.into_iter().enumerate() {
        let text = format!("edition {round}");
        way(
            &folder.file("note"),
            &json!({ "description": text }).to_string(),
        );
        becomes(&client, "note", &text).await;
        client.hears_changes(round + 1).await;
    }
    at_once(&folder.file("note"), "{ \"description\": \"half");
    folder.describe("stays", "edited, too");
    tokio::time::sleep(Duration::from_millis(400)).await;
    assert_eq!(description(&client, "note").await, "edition 3");
    folder.describe("note", "whole");
    becomes(&client, "note", "whole").await;
    assert_eq!(description(&client, "stays").await, "edited, too");
}

#[tokio::test]
async fn a_directory_that_is_replaced_as_a_whole_is_followed() {
    let (shared, around) = (shared(), TempDir::new().unwrap());
    let release = |number: u32| {
        let made = around.path().join(format!("release{number}"));
        fs::create_dir(&made).unwrap();
        fs::write(
            made.join("note.json"),
            format!("{{ \"description\": \"release {number}\" }}"),
        )
        .unwrap();
        made
    };
    let current = around.path().join("tool_descriptions");
    fs::rename(release(1), &current).unwrap();
    shared.watch_overlay(&current).unwrap();
    let client = connect(Era::Session, &shared).await;
    for number in 2..4 {
        let next = release(number);
        fs::rename(&current, around.path().join(format!("old{number}"))).unwrap();
        fs::rename(next, &current).unwrap();
        becomes(&client, "note", &format!("release {number}")).await;
    }
    fs::write(
        current.join("note.json"),
        r#"{ "description": "edited in place" }"#,
    )
    .unwrap();
    becomes(&client, "note", "edited in place").await;
}

#[tokio::test]
async fn what_cannot_be_watched_or_read_is_told_at_once() {
    let (shared, folder) = (shared(), Folder::new());
    let nowhere = shared
        .watch_overlay(folder.path().join("no"))
        .unwrap_err()
        .to_string();
    assert!(nowhere.contains("no: it cannot be watched: "), "{nowhere}");
    fs::write(folder.file("note"), "[]").unwrap();
    let faulty = shared.watch_overlay(folder.path()).unwrap_err().to_string();
    assert!(
        faulty.contains("note.json:1:1: this must be an object, and is an array"),
        "{faulty}"
    );
    folder.describe("note", "mended");
    tokio::time::sleep(Duration::from_millis(400)).await;
    let client = connect(Era::Session, &shared).await;
    assert_eq!(
        description(&client, "note").await,
        "compiled",
        "a failed watch follows nothing"
    );
}

#[tokio::test]
async fn what_is_laid_next_ends_a_watch() {
    let (watched, other, faulty) = (Folder::new(), Folder::new(), Folder::new());
    other.describe("note", "other");
    fs::write(faulty.file("note"), "[]").unwrap();
    let ends: [fn(&PdServer<()>, &Path) -> bool; 2] = [
        |shared, path| shared.overlay(path).is_ok(),
        |shared, path| shared.watch_overlay(path).is_ok(),
    ];
    for (end, next) in ends.iter().flat_map(|end| [(end, &other), (end, &faulty)]) {
        let shared = shared();
        watched.describe("note", "watched");
        shared.watch_overlay(watched.path()).unwrap();
        assert_eq!(end(&shared, next.path()), next.path() == other.path());
        let client = connect(Era::Session, &shared).await;
        let before = description(&client, "note").await;
        watched.describe("note", "edited");
        tokio::time::sleep(Duration::from_millis(400)).await;
        assert_eq!(description(&client, "note").await, before);
    }
}

#[tokio::test]
async fn the_directory_that_was_watched_last_is_followed() {
    let (shared, first, second) = (shared(), Folder::new(), Folder::new());
    first.describe("note", "first");
    second.describe("note", "second");
    let client = connect(Era::Session, &shared).await;
    shared.watch_overlay(first.path()).unwrap();
    shared.watch_overlay(second.path()).unwrap();
    first.describe("note", "first, edited");
    second.describe("stays", "second, edited");
    becomes(&client, "stays", "second, edited").await;
    assert_eq!(description(&client, "note").await, "second");
}

/// While editors truncate, rewrite and rename, and the directory is read as fast as it can be, clients see whole files only: what
/// a file says, it says three times.
#[tokio::test(flavor = "multi_thread", worker_threads = 3)]
async fn half_written_files_are_never_served() {
    let (shared, folder) = (shared(), Folder::new());
    let edition = |number: u32| {
        let text = format!("edition {number} {}", "of a long text ".repeat(200));
        json!({ "description": text, "usage_guidance": { "common_patterns": [text], "important_notes": [text] } })
    };
    let write = |number: u32| {
        let ways: [fn(&Path, &str); 4] = [at_once, in_pieces, by_rename, by_deleting];
        ways[number as usize % 4](&folder.file("note"), &edition(number).to_string());
    };
    at_once(&folder.file("note"), "{}");
    let client = connect(Era::Session, &shared).await;
    let (mut laid, mut seen) = (0, 0);
    std::thread::scope(|scope| {
        let writer = scope.spawn(|| {
            for number in 0..200 {
                write(number);
                std::thread::sleep(Duration::from_millis(u64::from(number % 3) * 5));
            }
        });
        tokio::task::block_in_place(|| {
            while !writer.is_finished() {
                laid += u32::from(
                    shared
                        .overlay(folder.path())
                        .is_ok_and(|changed| changed > 0),
                );
                let now = tokio::runtime::Handle::current().block_on(client.describe("note"));
                let (now, text) = (&now["note"], &now["note"]["description"]);
                if text == "compiled" {
                    continue;
                }
                seen += 1;
                assert!(
                    text.as_str().unwrap().ends_with("of a long text "),
                    "{text}"
                );
                assert_eq!(
                    now["usage_guidance"],
                    json!({ "common_patterns": [text], "important_notes": [text] })
                );
            }
        });
    });
    assert!(laid > 10 && seen > 10, "{laid} editions laid, {seen} seen");
    shared.overlay(folder.path()).unwrap();
    assert_eq!(
        client.describe("note").await["note"]["description"],
        edition(199)["description"]
    );
}
