//! `card`: three documents, and what is missing or has no place in one.

use super::{Ended, end, http::Server, run};
use expect_test::expect;
use serde_json::{Value, json};
use std::{
    fs,
    io::{Read, Write},
    net::TcpStream,
    path::Path,
    process::Command,
};
use tempfile::TempDir;

const SHARED: [&str; 2] = ["--description", "Books of a library."];

fn card(arguments: &[&str]) -> Ended {
    run(
        Path::new("."),
        ["card"].iter().chain(&SHARED).chain(arguments),
    )
}

fn printed(ended: &Ended) -> Value {
    assert_eq!((ended.code, ended.stderr.as_str()), (Some(0), ""));
    serde_json::from_str(&ended.stdout).unwrap()
}

#[test]
fn a_server_card_is_a_file_to_publish() {
    let ended = card(&[
        "--name",
        "io.github.me/library",
        "--title",
        "Library",
        "--remote",
        "https://library.example/mcp",
        "--repository",
        "https://github.com/me/library",
    ]);
    printed(&ended);
    expect![[r#"
        {
          "$schema": "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json",
          "name": "io.github.me/library",
          "title": "Library",
          "description": "Books of a library.",
          "version": "0.1.0",
          "repository": {
            "url": "https://github.com/me/library",
            "source": "github"
          },
          "remotes": [
            {
              "type": "streamable-http",
              "url": "https://library.example/mcp",
              "supportedProtocolVersions": [
                "2024-11-05",
                "2025-03-26",
                "2025-06-18",
                "2025-11-25",
                "2026-07-28"
              ]
            }
          ]
        }
    "#]]
    .assert_eq(&ended.stdout);
}

#[test]
fn server_json_has_packages_and_remotes() {
    let hash = "0".repeat(64);
    let ended = card(&[
        "--as",
        "server.json",
        "--name",
        "io.github.me/library",
        "--website",
        "https://library.example",
        "--remote",
        "https://library.example/mcp",
        "--package",
        "npm:@me/library@1.0.0",
        "--package",
        &format!(
            "mcpb:https://github.com/me/library/releases/download/v1/library-mcp.mcpb#sha256={hash}"
        ),
    ]);
    let transport = json!({ "type": "stdio" });
    let wanted = json!({
        "$schema": "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
        "name": "io.github.me/library",
        "description": "Books of a library.",
        "version": "0.1.0",
        "websiteUrl": "https://library.example",
        "packages": [
            {
                "registryType": "npm",
                "identifier": "@me/library",
                "version": "1.0.0",
                "runtimeHint": "npx",
                "transport": transport,
                "packageArguments": [{ "type": "positional", "value": "serve" }],
            },
            {
                "registryType": "mcpb",
                "identifier": "https://github.com/me/library/releases/download/v1/library-mcp.mcpb",
                "fileSha256": hash,
                "transport": transport,
            },
        ],
        "remotes": [{ "type": "streamable-http", "url": "https://library.example/mcp" }],
    });
    assert_eq!(printed(&ended), wanted);
}

#[test]
fn a_manifest_has_the_tools_with_their_summaries() {
    let ended = card(&[
        "--as",
        "mcpb",
        "--author",
        "Ada",
        "--author-email",
        "ada@library.example",
        "--license",
        "MIT",
        "--platform",
        "linux,win32",
        "--argument",
        "serve",
        "--argument",
        "--no-meta-tools",
    ]);
    let wanted = json!({
        "manifest_version": "0.3",
        "name": "library",
        "version": "0.1.0",
        "description": "Books of a library.",
        "author": { "name": "Ada", "email": "ada@library.example" },
        "license": "MIT",
        "server": {
            "type": "binary",
            "entry_point": "server/library",
            "mcp_config": {
                "command": "${__dirname}/server/library",
                "args": ["serve", "--no-meta-tools"],
                "env": {},
            },
        },
        "tools": [
            { "name": "list", "description": "This tool lists books" },
            { "name": "hours", "description": "Tell when the library opens." },
        ],
        "compatibility": { "platforms": ["linux", "win32"] },
    });
    assert_eq!(printed(&ended), wanted);
    let moved = card(&[
        "--as",
        "mcpb",
        "--author",
        "Ada",
        "--name",
        "books",
        "--entry-point",
        "bin/books",
        "--command",
        "${__dirname}/run",
    ]);
    let moved = printed(&moved);
    assert_eq!(moved["name"], "books");
    assert_eq!(moved["server"]["entry_point"], "bin/books");
    assert_eq!(moved["server"]["mcp_config"]["command"], "${__dirname}/run");
}

#[test]
fn what_is_missing_is_named_with_its_flag() {
    let name = ["--name", "io.github.me/library"];
    let entry = ["--as", "server.json", "--name", "io.github.me/library"];
    for (arguments, words) in [
        (&[][..], "write `--name NAMESPACE/NAME`"),
        (
            &["--name", "library"],
            "`library` is not a name for registries; write NAMESPACE/NAME",
        ),
        (
            &entry,
            "write `--remote URL` for a server that you run, or `--package",
        ),
        (
            &["--as", "mcpb"],
            "a bundle needs an author; write `--author NAME`",
        ),
        (
            &[
                "--as",
                "mcpb",
                "--author",
                "A",
                "--remote",
                "https://a.example",
            ],
            "`--remote` has no place in `mcpb`",
        ),
        (
            &[&name[..], &["--package", "npm:a"]].concat(),
            "leave it out, or write `--as server.json`",
        ),
        (
            &[&name[..], &["--argument", "x"]].concat(),
            "write `--as server.json` or `--as mcpb`",
        ),
        (
            &[&name[..], &["--remote", "http://a.example"]].concat(),
            "`http://a.example` has no TLS",
        ),
        (
            &[&name[..], &["--repository", "https://code.example/a"]].concat(),
            "`card --repository-source`",
        ),
    ] {
        let ended = card(arguments);
        assert_eq!(
            (ended.code, ended.stdout.as_str()),
            (Some(1), ""),
            "{arguments:?}"
        );
        assert!(
            ended.stderr.starts_with("error: ") && ended.stderr.contains(words),
            "{}",
            ended.stderr
        );
    }
    let nothing = run(Path::new("."), ["card", "--name", "io.github.me/library"]);
    assert_eq!(nothing.code, Some(1));
    assert!(
        nothing.stderr.contains("`card --description`"),
        "{}",
        nothing.stderr
    );
    for (flag, value, advice) in [
        (
            "--package",
            "cargo:library",
            "npm, pypi, nuget, oci or mcpb",
        ),
        ("--entry-point", "../library", "from the top of the bundle"),
        ("--platform", "macos", "darwin"),
        ("--author-email", "ada", "me@example.com"),
    ] {
        let ended = card(&["--author", "A", flag, value]);
        assert!(
            ended.code == Some(2) && ended.stderr.contains(advice),
            "{}",
            ended.stderr
        );
    }
}

#[test]
fn the_gateway_describes_itself_and_no_server_of_a_file() {
    let folder = TempDir::new().unwrap();
    let servers = json!({ "mcpServers": { "payroll": {
        "command": "touch", "args": ["started"], "env": { "TOKEN": "s3cret" },
    } } });
    fs::write(folder.path().join(".mcp.json"), servers.to_string()).unwrap();
    let gateway = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_gateway"));
        command
            .current_dir(folder.path())
            .env("HOME", folder.path());
        let ended = end(command
            .args(["--config", ".mcp.json", "card"])
            .args(arguments));
        for word in ["payroll", "s3cret", "touch"] {
            assert!(!ended.stdout.contains(word), "{}", ended.stdout);
        }
        printed(&ended)
    };
    let manifest = gateway(&["--as", "mcpb", "--author", "A"]);
    assert_eq!(manifest["name"], "pd-gateway");
    assert_eq!(
        (
            &manifest["tools_generated"],
            &manifest["tools"],
            &manifest["user_config"]
        ),
        (&json!(true), &Value::Null, &Value::Null)
    );
    let name = ["--name", "io.github.me/gateway"];
    let description =
        "The MCP servers that you already have, as one server with progressive disclosure.";
    assert_eq!(gateway(&name)["description"], description);
    let entry = gateway(
        &[
            &name[..],
            &["--as", "server.json", "--package", "pypi:pd-gateway"],
        ]
        .concat(),
    );
    assert_eq!(entry["packages"][0]["identifier"], "pd-gateway");
    assert!(!folder.path().join("started").exists());
}

#[test]
fn serve_publishes_the_card() {
    let mut server = Server::start(&[
        "--http",
        "127.0.0.1:0",
        "--card-name",
        "io.github.me/library",
        "--card-description",
        "Books of a library.",
        "--card-url",
        "https://library.example/mcp",
    ]);
    let url = server.printed();
    let host = url.trim_start_matches("http://").trim_end_matches("/mcp");
    let mut stream = TcpStream::connect(host).unwrap();
    write!(
        stream,
        "GET /mcp/server-card HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"
    )
    .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    assert!(
        head.starts_with("HTTP/1.1 200 ") && head.contains("application/mcp-server-card+json"),
        "{head}"
    );
    let written = printed(&card(&[
        "--name",
        "io.github.me/library",
        "--remote",
        "https://library.example/mcp",
    ]));
    assert_eq!(
        serde_json::from_str::<Value>(body).unwrap(),
        written,
        "the same by both ways"
    );

    let nothing = run(
        Path::new("."),
        [
            "serve",
            "--http",
            "127.0.0.1:0",
            "--card-name",
            "io.github.me/library",
        ],
    );
    assert_eq!(nothing.code, Some(1));
    assert!(
        nothing.stderr.contains("`serve --card-description`"),
        "{}",
        nothing.stderr
    );
    let alone = run(
        Path::new("."),
        ["serve", "--card-name", "io.github.me/library"],
    );
    assert_eq!(alone.code, Some(2));
}
