//! `pd-gateway serve` in front of many tools: the first list comes from the latest run, before the
//! lists of the servers are read.

use super::gateway::Project;
use serde_json::{Value, json};
use std::{
    fs,
    io::{BufRead, BufReader, Write},
    path::PathBuf,
    process::{Child, ChildStdout, Stdio},
    thread::sleep,
    time::{Duration, Instant},
};

const SERVERS: [&str; 3] = ["archive", "board", "crm"];
const PATIENCE: Duration = Duration::from_secs(30);

/// A configuration of three servers with 300 kB of lists.
fn project(pin: &[&str]) -> Project {
    let project = Project::new();
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/wire/gateway/upstream.py");
    let mut servers = serde_json::Map::new();
    for server in SERVERS {
        let tools: Vec<_> = (0..40)
            .map(|number| {
                json!({
                    "name": format!("read_page_{server}_{number}"),
                    "description": format!("Read page {number} of the {server}. {}", "It is long. ".repeat(200)),
                    "inputSchema": { "type": "object" },
                    "annotations": { "readOnlyHint": number % 2 == 0 },
                })
            })
            .collect();
        let fixed = json!({
            "initialize": { "serverInfo": { "name": server, "version": "1", "description": "Read page after page of a book" } },
            "tools/list": { "tools": tools },
            format!("tools/call read_page_{server}_7"): { "content": [{ "type": "text", "text": "page 7" }] },
        });
        let log = project.0.path().join(server);
        fs::write(log.with_extension("fixed"), fixed.to_string()).unwrap();
        servers.insert(
            server.to_owned(),
            json!({ "command": "python3", "args": [script, log, "fixed"], "pd": { "pin": pin } }),
        );
    }
    project.write(&json!({ "mcpServers": servers }).to_string());
    project
}

/// A running gateway, and a client of it.
struct Session {
    process: Child,
    answers: BufReader<ChildStdout>,
    /// The methods of the notifications that came.
    notified: Vec<String>,
    server: Value,
    /// What each request has in `_meta`, if the client begins without `initialize`.
    meta: Option<Value>,
}

impl Session {
    /// Starts a gateway with a client of 2025-11-25.
    fn start(project: &Project, flags: &[&str]) -> Self {
        let mut session = Self::spawn(project, flags);
        let client = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "cli", "version": "0" } });
        session.server = session.ask("initialize", &client);
        session.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        session
    }

    /// Starts a gateway with a client of 2026-07-28.
    fn start_stateless(project: &Project) -> Self {
        let mut session = Self::spawn(project, &[]);
        session.meta = Some(json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": { "name": "cli", "version": "0" },
            "io.modelcontextprotocol/clientCapabilities": {},
        }));
        session.server = session.ask("server/discover", &json!({}));
        session
    }

    fn spawn(project: &Project, flags: &[&str]) -> Self {
        let mut command = project.command(&["serve"]);
        let mut process = command
            .args(flags)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let answers = BufReader::new(process.stdout.take().unwrap());
        Self {
            process,
            answers,
            notified: Vec::new(),
            server: Value::Null,
            meta: None,
        }
    }

    fn send(&mut self, message: &Value) {
        writeln!(self.process.stdin.as_mut().unwrap(), "{message}").unwrap();
    }

    fn ask(&mut self, method: &str, params: &Value) -> Value {
        let mut params = params.clone();
        if let Some(meta) = &self.meta {
            params["_meta"] = meta.clone();
        }
        self.send(&json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params }));
        loop {
            let mut line = String::new();
            self.answers.read_line(&mut line).unwrap();
            let message: Value = serde_json::from_str(&line).unwrap();
            match message["method"].as_str() {
                Some(method) => self.notified.push(method.to_owned()),
                None => return message["result"].clone(),
            }
        }
    }

    fn list(&mut self) -> String {
        self.ask("tools/list", &json!({})).to_string()
    }

    fn call(&mut self, name: &str, arguments: &Value) -> String {
        self.ask(
            "tools/call",
            &json!({ "name": name, "arguments": arguments }),
        )
        .to_string()
    }

    /// Lists until the list has this text.
    fn until_listed(&mut self, text: &str) -> String {
        let began = Instant::now();
        loop {
            let list = self.list();
            if list.contains(text) || began.elapsed() > PATIENCE {
                assert!(list.contains(text), "{list}");
                return list;
            }
            sleep(Duration::from_millis(50));
        }
    }

    fn end(mut self) {
        drop(self.process.stdin.take());
        self.process.wait().unwrap();
    }
}

/// The file of the first list, once it is there.
fn first_list(project: &Project) -> Option<PathBuf> {
    let files = fs::read_dir(project.0.path().join("cache")).ok()?;
    let mut paths = files.map(|file| file.unwrap().path());
    paths.find(|path| {
        path.file_name()
            .unwrap()
            .to_string_lossy()
            .ends_with(".first-list.json")
    })
}

/// Runs a gateway until it has read all lists and kept the first one. Returns that list.
fn keep(project: &Project) -> String {
    if let Some(path) = first_list(project) {
        fs::remove_file(path).unwrap();
    }
    let mut session = Session::start(project, &[]);
    for server in SERVERS {
        session.until_listed(&format!("{server}: Read page"));
    }
    let list = session.list();
    let began = Instant::now();
    // The file is kept at a check of files, and once more after the lock was written.
    while began.elapsed() < PATIENCE && !is_current(project) {
        sleep(Duration::from_millis(100));
    }
    assert!(is_current(project));
    session.end();
    list
}

/// Whether the file of the first list is newer than the lock.
fn is_current(project: &Project) -> bool {
    let changed = |path: PathBuf| fs::metadata(path).and_then(|file| file.modified()).ok();
    let lock = changed(project.0.path().join("upstreams.lock"));
    first_list(project)
        .and_then(changed)
        .zip(lock)
        .is_some_and(|(list, lock)| list > lock)
}

/// Writes another line into the file, so that a list shows whether it came from there.
fn mark(project: &Project) {
    let path = first_list(project).unwrap();
    let kept = fs::read_to_string(&path).unwrap();
    assert!(kept.contains("page"), "{kept}");
    fs::write(path, kept.replace("Read page", "Marked page")).unwrap();
}

#[test]
fn the_first_list_of_the_latest_run_is_the_list_of_all_tools() {
    let project = project(&[]);
    let list = keep(&project);
    let mut session = Session::start(&project, &[]);
    assert_eq!(session.list(), list);
    // The first run began before it knew the servers, so another one reads everything first.
    fs::remove_file(first_list(&project).unwrap()).unwrap();
    let slow = Session::start(&project, &[]);
    assert_eq!(session.server, slow.server);
    slow.end();
    // Whatever needs a tool waits until it is there.
    let found = session.call("find_tools", &json!({ "query": "page 7 of the board" }));
    assert!(found.contains("board__read_page_board_7"), "{found}");
    let called = session.call(
        "call_tool",
        &json!({ "name": "crm__read_page_crm_7", "arguments": {} }),
    );
    assert!(called.contains("page 7"), "{called}");
    assert_eq!(session.list(), list);
    // Its tools are new, which a client hears once.
    let changes = session
        .notified
        .iter()
        .filter(|method| method.contains("tools"));
    assert!(changes.count() <= 1, "{:?}", session.notified);
    session.end();
}

#[test]
fn a_client_that_begins_without_initialize_gets_the_first_list() {
    let project = project(&[]);
    keep(&project);
    let mut slow = Session::start_stateless(&project);
    slow.call("find_tools", &json!({ "query": "page 7 of the board" }));
    let list = slow.list();
    slow.end();
    mark_or_keep(&project);
    let mut session = Session::start_stateless(&project);
    assert_eq!(session.list(), list.replace("Read page", "Marked page"));
    let corrected = session.until_listed("board: Read page");
    assert_eq!(corrected, list);
    let server = session.server.to_string();
    assert!(server.contains("Marked page"), "{server}");
    let slow = slow_server(&project).to_string();
    assert_eq!(server.replace("Marked page", "Read page"), slow);
    let called = session.call(
        "call_tool",
        &json!({ "name": "crm__read_page_crm_7", "arguments": {} }),
    );
    assert!(called.contains("page 7"), "{called}");
    session.end();
}

/// What a gateway that reads everything first answers to `server/discover`.
fn slow_server(project: &Project) -> Value {
    fs::remove_file(first_list(project).unwrap()).unwrap();
    let session = Session::start_stateless(project);
    let server = session.server.clone();
    session.end();
    server
}

#[test]
fn what_comes_before_the_lists_are_read_waits() {
    let project = project(&[]);
    keep(&project);
    let requests = [
        (
            "tools/call",
            json!({ "name": "call_tool", "arguments": { "name": "crm__read_page_crm_7", "arguments": {} } }),
            "page 7",
        ),
        (
            "tools/call",
            json!({ "name": "archive__read_page_archive_7", "arguments": {} }),
            "page 7",
        ),
        (
            "tools/call",
            json!({ "name": "describe_tools", "arguments": { "names": ["board__read_page_board_3"] } }),
            "It is long",
        ),
        (
            "tools/call",
            json!({ "name": "find_tools", "arguments": { "query": "page 9 of the archive" } }),
            "archive__read_page_archive_9",
        ),
        (
            "tools/call",
            json!({ "name": "call_tool", "arguments": { "arguments": { "name": "find_tools", "arguments": { "query": "page 8 of the board" } } } }),
            "board__read_page_board_8",
        ),
        (
            "tools/call",
            json!({ "name": "call_read_only_tool", "arguments": { "name": "describe_tools", "arguments": "{\"names\": [\"board__read_page_board_4\"]}" } }),
            "It is long",
        ),
        (
            "tools/call",
            json!({ "name": "call_tool", "arguments": { "uri": "resource:///tool_descriptions?tools=crm__read_page_crm_5" } }),
            "page 5",
        ),
        ("prompts/list", json!({}), "crm__greet"),
    ];
    for (method, params, text) in requests {
        mark_or_keep(&project);
        let mut session = Session::start(&project, &[]);
        let answer = session.ask(method, &params).to_string();
        assert!(answer.contains(text), "{method} {params}: {answer}");
        session.end();
    }
}

/// A call starts a server, which lists once more, so the file may have to be kept again.
fn mark_or_keep(project: &Project) {
    let mut session = Session::start(project, &[]);
    let is_first = session.list().contains("Marked page");
    session.end();
    if !is_first {
        keep(project);
        mark(project);
    }
}

#[test]
fn other_lists_are_those_of_all_tools() {
    let project = project(&[]);
    keep(&project);
    for method in [
        "resources/list",
        "resources/templates/list",
        "prompts/list",
        "skills/list",
    ] {
        mark_or_keep(&project);
        let mut session = Session::start(&project, &[]);
        let early = session.ask(method, &json!({}));
        session.call("find_tools", &json!({ "query": "page 9 of the archive" }));
        assert_eq!(early, session.ask(method, &json!({})), "{method}");
        session.end();
    }
}

#[test]
fn a_first_list_that_holds_no_more_is_corrected() {
    let project = project(&[]);
    let list = keep(&project);
    mark(&project);
    let mut session = Session::start(&project, &[]);
    let marked = session.list();
    assert_eq!(marked, list.replace("Read page", "Marked page"));
    let corrected = session.until_listed("board: Read page");
    assert!(!corrected.contains("Marked"), "{corrected}");
    assert!(
        session
            .notified
            .contains(&"notifications/tools/list_changed".to_owned())
    );
    session.end();
}

#[test]
fn a_change_of_anything_it_is_made_of_outdates_the_first_list() {
    let project = project(&[]);
    let list = keep(&project);
    let path = |name: &str| project.0.path().join(name);
    let touch = |path: PathBuf| {
        let text = fs::read(&path).unwrap();
        fs::write(path, text).unwrap();
    };
    let lists = fs::read_dir(path("cache"))
        .unwrap()
        .map(|file| file.unwrap().path());
    let lists = lists.filter(|path| {
        path.file_name()
            .unwrap()
            .to_string_lossy()
            .starts_with("board-")
    });
    let lists = lists
        .filter(|path| !path.to_string_lossy().ends_with("era.json"))
        .last()
        .unwrap();
    let is_first = |flags: &[&str]| {
        let mut session = Session::start(&project, flags);
        let is_first = session.list().contains("Marked page");
        session.end();
        is_first
    };
    mark(&project);
    assert!(is_first(&[]));
    assert!(!is_first(&["--listing", "outline"]));
    assert!(!is_first(&["--without", "board"]));
    for changed in [lists, path("upstreams.lock"), path(".mcp.json")] {
        assert!(is_first(&[]));
        // The configuration is compared by its text, and other files by their times.
        let text = fs::read_to_string(&changed).unwrap();
        match changed.ends_with(".mcp.json") {
            true => fs::write(&changed, format!("{text}\n")).unwrap(),
            false => touch(changed.clone()),
        }
        assert!(!is_first(&[]), "{changed:?}");
        fs::write(&changed, text).unwrap();
        assert_eq!(keep(&project), list);
        mark(&project);
    }
}

#[test]
fn what_is_held_stays_held() {
    let project = project(&[]);
    keep(&project);
    let fixed = project.0.path().join("board.fixed");
    let changed = fs::read_to_string(&fixed)
        .unwrap()
        .replace("Read page 3 of", "Send page 3 of");
    fs::write(fixed, changed).unwrap();
    let call =
        |page: u8| json!({ "name": format!("board__read_page_board_{page}"), "arguments": {} });
    let mut session = Session::start(&project, &[]);
    // The call starts the server, which lists the changed tool.
    let called = session.call("call_tool", &call(7));
    assert!(called.contains("page 7"), "{called}");
    session.end();
    keep(&project);
    mark(&project);
    let mut session = Session::start(&project, &[]);
    let list = session.list();
    assert!(list.contains("Marked page"), "{list}");
    let called = session.call("call_tool", &call(3));
    assert!(called.contains("approve"), "{called}");
    session.end();
}

#[test]
fn a_list_with_tools_is_not_kept() {
    let project = project(&["read_page_board_3"]);
    let mut session = Session::start(&project, &[]);
    session.until_listed("board__read_page_board_3");
    sleep(Duration::from_secs(5));
    assert_eq!(first_list(&project), None);
    session.end();
}
