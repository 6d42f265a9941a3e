//! The Skills extension (SEP-2640): groups with instructions and bundles as skills, with digests that hold.

mod files;
mod own;

use crate::harness::{
    client::{Era, connect},
    code,
    line::Line,
    names,
    post::Post,
    shop::{self, saying},
    site::Site,
};
use own::Own;
use pd_runtime::{
    Bundle, GateMode, Group, Listing, PdServer, Registry, ServerBuilder, Tool, config::MetaTools,
};
use rmcp::model::{Skill, SkillResource, SkillResources, validate_skills};
use serde_json::{Value, json};

const SKILLS: &str = "io.modelcontextprotocol/skills";
const HISTORY: &str = "skill://history/SKILL.md";

/// `history` is a skill, `blame` in it one by itself; `tidy` in it and `plain` are none. `vault` takes a scope.
fn registry() -> Registry<()> {
    let blame = Group::new("blame", "Who wrote what")
        .instructions("Be kind.")
        .tool(saying("blame_line", "Ada"));
    let tidy = Group::new("tidy", "Tidy up").tool(saying("gc", "tidied"));
    let log = saying("log", "a commit")
        .description("All commits.")
        .related("reflog")
        .related("gc");
    let reflog = saying("reflog", "lost and found").scope("vault");
    let history = Group::new("history", "Read history: commits, authors, blame")
        .instructions("Start with `log`.");
    let vault = Group::new("vault", "Hidden")
        .instructions("Shh.")
        .tool(saying("vault", "open").scope("vault"));
    let mine = Registry::builder()
        .group(history.tool(log).tool(reflog).group(blame).group(tidy))
        .group(Group::new("plain", "Nothing to say").tool(saying("plain_tool", "said")))
        .tool(saying("prices", "cheap").output_schema(json!({ "type": "array" })))
        .group(vault)
        .bundle(Bundle::new("who-broke-it", "Find who broke a line").tools([
            "vault",
            "blame_line",
            "log",
        ]))
        .bundle(Bundle::new("2026", "A \"year\" --- no: number").tools(["prices"]))
        .bundle(Bundle::new("keys", "Hidden").tools(["vault"]));
    mine.build().unwrap()
}

fn server() -> ServerBuilder<()> {
    PdServer::builder(registry(), ()).listing(Listing::Minimal)
}

fn shared() -> PdServer<()> {
    server().build().unwrap()
}

fn uris(listed: &Value) -> Vec<&str> {
    listed["skills"]
        .as_array()
        .unwrap()
        .iter()
        .map(|skill| skill["uri"].as_str().unwrap())
        .collect()
}

/// What a listing says, read as rmcp reads it, and judged by its rules.
fn skills(listed: &Value) -> Vec<Skill> {
    let skills: Vec<Skill> = serde_json::from_value(listed["skills"].clone()).unwrap();
    validate_skills(&skills).unwrap();
    skills
}

fn files(skill: &Skill) -> &[SkillResource] {
    match &skill.resources {
        SkillResources::Files(files) => files,
        other => panic!("no files: {other:?}"),
    }
}

fn contents(read: &Value) -> &str {
    read["contents"][0]["text"].as_str().unwrap()
}

#[tokio::test]
async fn a_server_with_skills_declares_them_in_both_generations() {
    let shared = shared();
    let (_, initialized) = Line::session_with(&shared, json!({})).await;
    assert_eq!(
        initialized["capabilities"]["extensions"][SKILLS],
        json!({ "directoryRead": true })
    );
    let discovered = Line::inline(&shared, json!({}))
        .result("server/discover", json!({}))
        .await;
    assert_eq!(
        discovered["capabilities"]["extensions"][SKILLS],
        json!({ "directoryRead": true })
    );
    let (mut line, initialized) =
        Line::session_with(&shop::server().build().unwrap(), json!({})).await;
    assert_eq!(
        initialized["capabilities"]["extensions"].get(SKILLS),
        None,
        "its groups have no instructions"
    );
    for method in ["skills/list", "skills/get", "resources/directory/read"] {
        let answer = line.request(method, json!({ "uri": HISTORY })).await;
        assert_eq!(answer["error"]["code"], -32601, "{method}");
    }
}

#[tokio::test]
async fn groups_with_instructions_and_bundles_are_skills() {
    let shared = shared();
    for era in Era::ALL {
        let client = connect(era, &shared).await;
        let listed =
            serde_json::to_value(client.running.peer().list_skills(None).await.unwrap()).unwrap();
        let skills = skills(&listed);
        let names: Vec<_> = skills.iter().map(Skill::name).collect();
        let seen = names.join(" ").replace(" vault", "").replace(" keys", "");
        assert_eq!(seen, "history blame who-broke-it 2026", "{era:?}");
        let history = &skills[0].frontmatter;
        assert!(
            history
                .description
                .starts_with("Read history: commits, authors, blame. Use it for tasks"),
            "{history:?}"
        );
        assert!(
            history.description.contains("log") && history.description.contains("gc"),
            "{history:?}"
        );
        // `reflog` needs a scope.
        let tools = if era.is_http() {
            "log gc"
        } else {
            "log reflog gc"
        };
        assert_eq!(
            history.extra["metadata"],
            json!({ "io.modelcontextprotocol/tools": tools }),
            "{era:?}"
        );
    }
}

/// Every file that a listing promises is there, with the size and the digest that were promised, in both generations.
#[tokio::test]
async fn every_file_is_readable_and_as_promised() {
    for policy in [
        server(),
        server().gate(GateMode::Off),
        server().listing(Listing::Full),
        server().listing(Listing::Grouped),
    ] {
        let shared = policy.build().unwrap();
        let (mut session, _) = Line::session_with(&shared, json!({})).await;
        for line in [&mut session, &mut Line::inline(&shared, json!({}))] {
            let listed = line.result("skills/list", json!({})).await;
            for skill in skills(&listed) {
                let got = line.result("skills/get", json!({ "uri": skill.uri })).await;
                assert_eq!(
                    got["skill"],
                    serde_json::to_value(&skill).unwrap(),
                    "a listing and `skills/get` say the same"
                );
                for file in files(&skill) {
                    let read = line.read(&file.uri).await;
                    file.verify(contents(&read).as_bytes()).unwrap();
                    assert_eq!(read["contents"][0]["uri"], file.uri);
                }
            }
        }
    }
}

/// Before 2026-07-28 an output schema that is no object is wrapped; so the file is another one.
#[tokio::test]
async fn a_file_is_of_its_readers_generation() {
    let shared = shared();
    let (mut session, _) = Line::session_with(&shared, json!({})).await;
    let mut inline = Line::inline(&shared, json!({}));
    let mut types = Vec::new();
    for line in [&mut session, &mut inline] {
        let read = line.read("skill://2026/references/prices.json").await;
        let described: Value = serde_json::from_str(contents(&read)).unwrap();
        types.push(described["outputSchema"]["type"].clone());
    }
    assert_eq!(types, ["object", "array"]);
}

#[tokio::test]
async fn a_manual_says_what_it_is_for_and_how_to_use_its_tools() {
    let shared = server().meta_tools(MetaTools::all()).build().unwrap();
    let mut line = Line::inline(&shared, json!({}));
    let read = line.read(HISTORY).await;
    assert_eq!(read["contents"][0]["mimeType"], "text/markdown");
    let description = "Read history: commits, authors, blame. Use it for tasks that need: log, reflog, gc, blame.";
    let expected = format!(
        "---\nname: \"history\"\ndescription: \"{description}\"\nmetadata:\n  io.modelcontextprotocol/tools: \"log reflog gc\"\n---\n\n\
         # history\n\nRead history: commits, authors, blame\n\nStart with `log`.\n\n\
         ## Narrower skills\n\n- `blame` (skill://blame/SKILL.md): Who wrote what\n\n\
         ## Tools\n\n\
         - [`log`](references/log.json): Say one text\n\
         - [`reflog`](references/reflog.json): Say one text\n\
         - [`gc`](references/gc.json): Say one text\n\n\
         ## How to use a tool\n\n\
         1. Read its file in `references/` for its arguments, examples and errors, or call `describe_tools` with its name.\n\
         2. Call it by its name on the server of this skill, through `call_read_only_tool` (or `call_tool`, if it may write) if it is not among your tools.\n"
    );
    assert_eq!(contents(&read), expected);
    let listed = line.result("skills/list", json!({})).await;
    assert_eq!(skills(&listed)[0].frontmatter.description, description);
    let year = line.read("skill://2026/SKILL.md").await;
    let escaped = r#"description: "A \"year\" -\u002d\u002d no: number. Use it"#;
    assert!(
        contents(&year).starts_with("---\nname: \"2026\"\n") && contents(&year).contains(escaped),
        "{year}"
    );
}

#[tokio::test]
async fn what_has_no_summary_is_told_by_the_first_line_of_its_instructions() {
    let bundle = Bundle::new("greeting", "")
        .instructions("\nGreet first!\nThen ask.")
        .tool("said");
    let registry = Registry::builder()
        .tool(saying("said", "said"))
        .bundle(bundle)
        .build()
        .unwrap();
    let mut line = Line::inline(
        &PdServer::builder(registry, ())
            .listing(Listing::Minimal)
            .build()
            .unwrap(),
        json!({}),
    );
    let listed = line.result("skills/list", json!({})).await;
    assert_eq!(
        skills(&listed)[0].frontmatter.description,
        "Greet first! Use it for tasks that need: said."
    );
    let manual = line.read("skill://greeting/SKILL.md").await;
    assert!(
        contents(&manual).contains("---\n\n# greeting\n\nGreet first!\nThen ask.\n\n## Tools"),
        "{manual}"
    );
}

#[tokio::test]
async fn a_description_fits_into_1024_characters() {
    let many = (0..200).map(|number| numbered(&format!("tool_with_a_long_name_{number}")));
    let long = Group::new("long", "ü".repeat(2_000)).instructions("Do.");
    let group = many.fold(long, Group::tool);
    let registry = Registry::builder().group(group).build().unwrap();
    let mut line = Line::inline(
        &PdServer::builder(registry, ())
            .listing(Listing::Minimal)
            .build()
            .unwrap(),
        json!({}),
    );
    let listed = line.result("skills/list", json!({})).await;
    let description = skills(&listed)[0].frontmatter.description.clone();
    assert!(
        (1_000..=1_024).contains(&description.chars().count()),
        "{description}"
    );
    assert!(description.ends_with(" and more."), "{description}");
}

/// SEP-2640, "Limits": 512 files are what every host accepts.
#[tokio::test]
async fn a_skill_has_at_most_512_files() {
    let big = (0..600).fold(
        Group::new("big", "Many tools").instructions("Do."),
        |group, number| group.tool(numbered(&format!("tool_{number}"))),
    );
    let registry = Registry::builder().group(big).build().unwrap();
    let mut line = Line::inline(
        &PdServer::builder(registry, ())
            .listing(Listing::Minimal)
            .build()
            .unwrap(),
        json!({}),
    );
    let listed = line.result("skills/list", json!({})).await;
    assert_eq!(files(&skills(&listed)[0]).len(), 512);
    let manual = line.read("skill://big/SKILL.md").await;
    assert!(
        contents(&manual).contains("- `tool_599`: Say one text"),
        "the rest is named"
    );
    let unlisted = line
        .request(
            "resources/read",
            json!({ "uri": "skill://big/references/tool_599.json" }),
        )
        .await;
    assert_eq!(
        unlisted["error"]["code"], -32602,
        "what no manifest lists is no file"
    );
    let (mut seen, mut params) = (0, json!({ "uri": "skill://big/references" }));
    loop {
        let page = line
            .result("resources/directory/read", params.clone())
            .await;
        seen += page["resources"].as_array().unwrap().len();
        let Some(cursor) = page.get("nextCursor") else {
            break;
        };
        params["cursor"] = cursor.clone();
    }
    assert_eq!(seen, 511);
}

#[tokio::test]
async fn reading_a_tools_file_discloses_it() {
    for (era, shared) in [(Era::Session, shared()), (Era::HttpSession, shared())] {
        let client = connect(era, &shared).await;
        client.read(HISTORY).await;
        assert_eq!(
            code(&client.call("log", json!({})).await),
            "TOOL_DESCRIPTION_REQUIRED",
            "a manual describes no tool"
        );
        let shared = self::shared();
        let client = connect(era, &shared).await;
        let read = client.read("skill://history/references/log.json").await;
        assert_eq!(read.get("_meta"), None);
        assert_eq!(
            client.call("log", json!({})).await["content"][0]["text"],
            "a commit",
            "{era:?}"
        );
        assert_eq!(
            code(&client.call("gc", json!({})).await),
            "TOOL_DESCRIPTION_REQUIRED",
            "{era:?}"
        );
    }
}

/// A file's bytes are the same for everyone, so a ticket stands beside it.
#[tokio::test]
async fn without_a_session_the_ticket_stands_beside_the_file() {
    let shared = shared();
    let mut line = Line::inline(&shared, json!({}));
    let read = line.read("skill://history/references/log.json").await;
    assert!(!contents(&read).contains("disclosure_ticket"));
    assert_eq!(
        (&read["ttlMs"], &read["cacheScope"]),
        (&json!(0), &json!("private"))
    );
    let meta = json!({ "dev.pd-runtime/ticket": read["_meta"]["dev.pd-runtime/tickets"]["log"] });
    let params = json!({ "name": "log", "arguments": {}, "_meta": meta });
    assert_eq!(
        line.result("tools/call", params).await["content"][0]["text"],
        "a commit"
    );
    let refused = line.call("log", json!({})).await;
    assert_eq!(code(&refused), "TOOL_DESCRIPTION_REQUIRED");
    let ticket =
        crate::harness::told(&refused)["tool_description"]["inputSchema"]["properties"]["disclosure_ticket"]["const"]
            .clone();
    let mended = line
        .call("log", json!({ "disclosure_ticket": ticket }))
        .await;
    assert_eq!(
        mended["content"][0]["text"], "a commit",
        "the refusal mends itself"
    );
}

#[tokio::test]
async fn directories_list_their_children() {
    let mut line = Line::inline(&shared(), json!({}));
    let root = line
        .result(
            "resources/directory/read",
            json!({ "uri": "skill://history" }),
        )
        .await;
    assert_eq!(root["resultType"], "complete");
    let expected = [
        ("skill://history/SKILL.md", "text/markdown"),
        ("skill://history/references", "inode/directory"),
    ];
    let children = |listed: &Value| -> Vec<(String, String)> {
        let pair = |child: &Value| {
            (
                child["uri"].as_str().unwrap().to_owned(),
                child["mimeType"].as_str().unwrap().to_owned(),
            )
        };
        listed["resources"]
            .as_array()
            .unwrap()
            .iter()
            .map(pair)
            .collect()
    };
    assert_eq!(
        children(&root),
        expected.map(|(uri, kind)| (uri.to_owned(), kind.to_owned()))
    );
    let references = line
        .result(
            "resources/directory/read",
            json!({ "uri": "skill://history/references" }),
        )
        .await;
    assert_eq!(
        names(&references["resources"]),
        ["log.json", "reflog.json", "gc.json"]
    );
    assert!(
        children(&references)
            .iter()
            .all(|(_, kind)| kind == "application/json")
    );
    for uri in [
        HISTORY,
        "skill://history/",
        "skill://history/references/",
        "skill://history/references/log.json",
        "skill://plain",
        "skill://",
        "resource:///tool_descriptions",
    ] {
        let answer = line
            .request("resources/directory/read", json!({ "uri": uri }))
            .await;
        assert_eq!(answer["error"]["code"], -32602, "{uri}");
    }
}

#[tokio::test]
async fn what_is_no_skill_is_unknown() {
    let shared = shared();
    let (mut session, _) = Line::session_with(&shared, json!({})).await;
    for (line, unknown) in [
        (&mut session, -32002),
        (&mut Line::inline(&shared, json!({})), -32602),
    ] {
        for uri in [
            "skill://plain/SKILL.md",
            "skill://nothing/SKILL.md",
            "skill://history",
            "skill://a/history/SKILL.md",
        ] {
            let answer = line.request("skills/get", json!({ "uri": uri })).await;
            assert_eq!(answer["error"]["code"], -32602, "{uri}");
        }
        for path in [
            "references/plain_tool.json",
            "references/log.md",
            "references/",
            "references",
            "",
            "skill.md",
        ] {
            let answer = line
                .request(
                    "resources/read",
                    json!({ "uri": format!("skill://history/{path}") }),
                )
                .await;
            assert_eq!(answer["error"]["code"], unknown, "{path}");
        }
        let answer = line.request("skills/list", json!({ "cursor": "x" })).await;
        assert_eq!(answer["error"]["code"], -32602);
    }
}

/// A vault that alice may not see, and none: to her they are the same, digests and all.
#[tokio::test]
async fn hidden_tools_leave_no_trace_in_skills() {
    let site = Site::open(&shared(), false).await;
    let ask = async |bearer: &str| {
        let caller = Post::inline(&site.url).bearer(bearer);
        let listed = caller.result("skills/list", json!({})).await;
        assert_eq!(listed["cacheScope"], "private");
        let mut all = listed.to_string();
        for skill in skills(&listed) {
            for file in files(&skill) {
                let read = caller
                    .result("resources/read", json!({ "uri": file.uri }))
                    .await;
                file.verify(contents(&read).as_bytes()).unwrap();
                all.push_str(contents(&read));
            }
        }
        (listed, all)
    };
    let (listed, all) = ask("alice").await;
    let seen = [
        HISTORY,
        "skill://blame/SKILL.md",
        "skill://who-broke-it/SKILL.md",
        "skill://2026/SKILL.md",
    ];
    assert_eq!(uris(&listed), seen);
    assert!(
        !all.contains("vault") && !all.contains("reflog") && !all.contains("keys"),
        "{all}"
    );
    let (listed, all) = ask("keeper vault").await;
    assert_eq!(uris(&listed).len(), 6);
    assert!(all.contains("vault") && all.contains("reflog"));

    let caller = Post::inline(&site.url).bearer("alice");
    for (method, hidden, absent) in [
        (
            "skills/get",
            "skill://vault/SKILL.md",
            "skill://absent/SKILL.md",
        ),
        (
            "skills/get",
            "skill://keys/SKILL.md",
            "skill://absent/SKILL.md",
        ),
        (
            "resources/read",
            "skill://vault/SKILL.md",
            "skill://absent/SKILL.md",
        ),
        (
            "resources/read",
            "skill://history/references/reflog.json",
            "skill://history/references/absent.json",
        ),
        (
            "resources/directory/read",
            "skill://vault",
            "skill://absent",
        ),
    ] {
        let hidden_answer = caller
            .send(method, json!({ "uri": hidden }))
            .await
            .body
            .to_string();
        let absent_answer = caller
            .send(method, json!({ "uri": absent }))
            .await
            .body
            .to_string();
        assert_eq!(
            hidden_answer.replace(hidden, absent),
            absent_answer,
            "{method}"
        );
    }
}

#[tokio::test]
async fn no_other_list_shows_skills() {
    let mut line = Line::inline(&shared(), json!({}));
    for method in [
        "resources/list",
        "resources/templates/list",
        "tools/list",
        "prompts/list",
    ] {
        let answer = line.request(method, json!({})).await;
        assert!(!answer.to_string().contains("skill"), "{method}: {answer}");
    }
}

#[tokio::test]
async fn many_skills_come_in_pages() {
    let bundle = |number| Bundle::new(format!("task-{number}"), "One of many").tool("said");
    let builder = Registry::builder().tool(saying("said", "said"));
    let registry = (0..230)
        .fold(builder, |builder, number| builder.bundle(bundle(number)))
        .build()
        .unwrap();
    let mut line = Line::inline(
        &PdServer::builder(registry, ())
            .listing(Listing::Minimal)
            .with_handler(Own)
            .build()
            .unwrap(),
        json!({}),
    );
    let (mut seen, mut params) = (Vec::new(), json!({}));
    loop {
        let page = line.result("skills/list", params).await;
        seen.extend(skills(&page));
        let Some(cursor) = page.get("nextCursor") else {
            break;
        };
        params = json!({ "cursor": cursor });
    }
    validate_skills(&seen).unwrap();
    let ours = (0..230).map(|number| format!("task-{number}"));
    let all: Vec<_> = ours.chain(["own", "second"].map(str::to_owned)).collect();
    let names: Vec<_> = seen
        .iter()
        .map(Skill::name)
        .filter(|name| *name != "history")
        .collect();
    assert_eq!(names, all, "the author's own come last");
}

#[tokio::test]
async fn the_authors_own_skills_stand_beside() {
    let (mut line, initialized) =
        Line::session_with(&server().with_handler(Own).build().unwrap(), json!({})).await;
    assert_eq!(
        initialized["capabilities"]["extensions"][SKILLS],
        json!({}),
        "the author's declaration stands"
    );
    let listed = line.result("skills/list", json!({})).await;
    assert_eq!(uris(&listed).last(), Some(&"skill://own/SKILL.md"));
    assert_eq!(
        uris(&listed).iter().filter(|uri| **uri == HISTORY).count(),
        1,
        "ours stands"
    );
    assert!(
        listed["skills"][0]["frontmatter"]["description"]
            .as_str()
            .unwrap()
            .starts_with("Read history")
    );
    let second = line
        .result("skills/list", json!({ "cursor": listed["nextCursor"] }))
        .await;
    assert_eq!(uris(&second), ["skill://second/SKILL.md"]);
    let own = line
        .result("skills/get", json!({ "uri": "skill://own/SKILL.md" }))
        .await;
    assert_eq!(own["skill"]["frontmatter"]["description"], "of the author");
    assert_eq!(contents(&line.read("skill://own/SKILL.md").await), "own");
    assert_eq!(
        line.request("skills/get", json!({ "uri": "skill://no/SKILL.md" }))
            .await["error"]["code"],
        -32602
    );
}

fn numbered(name: &str) -> Tool<()> {
    saying(Box::leak(name.to_owned().into_boxed_str()), "said")
}
