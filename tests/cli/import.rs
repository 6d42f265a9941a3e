//! `import` of the gateway: the files of clients, one file for the gateway, and what each says.

use super::{Ended, end};
use serde_json::{Value, json};
use std::{fs, path::PathBuf, process::Command};
use tempfile::TempDir;

const SECRET: &str = "s3cr3t-value";

/// The URL that editors get the schema of this version from.
fn schema_url() -> String {
    format!(
        "https://raw.githubusercontent.com/pd-runtime/pd-runtime/v{}/pd-runtime/gateway/schemas/servers.schema.json",
        env!("CARGO_PKG_VERSION")
    )
}

/// The home directory of a user with a project in it.
struct Desk(TempDir);

impl Desk {
    fn new() -> Self {
        let desk = Self(tempfile::tempdir().unwrap());
        fs::create_dir_all(desk.path("project")).unwrap();
        desk
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        fs::create_dir_all(self.path(name).parent().unwrap()).unwrap();
        fs::write(self.path(name), text).unwrap();
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    fn run(&self, arguments: &[&str]) -> Ended {
        self.run_with(arguments, &[])
    }

    /// Runs a command with these variables alone, because an import names well-known ones.
    fn run_with(&self, arguments: &[&str], variables: &[(&str, &str)]) -> Ended {
        let mut command = Command::new(env!("CARGO_BIN_EXE_gateway"));
        command
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.envs(variables.iter().copied());
        end(command
            .env("HOME", self.0.path())
            .current_dir(self.path("project"))
            .args(arguments))
    }

    /// The files below the home directory that are not lists of servers.
    fn files(&self) -> Vec<String> {
        let mut files = Vec::new();
        let mut directories = vec![self.0.path().to_owned()];
        while let Some(directory) = directories.pop() {
            for entry in fs::read_dir(directory)
                .unwrap()
                .map(|entry| entry.unwrap().path())
            {
                let name = entry
                    .strip_prefix(self.0.path())
                    .unwrap()
                    .to_str()
                    .unwrap()
                    .to_owned();
                match entry.is_dir() {
                    true if name == ".cache" => {}
                    true => directories.push(entry),
                    false => files.push(name),
                }
            }
        }
        files.sort();
        files
    }
}

fn library() -> Value {
    json!({ "command": env!("CARGO_BIN_EXE_library"), "args": ["serve", "--listing", "full", "--no-meta-tools"], "env": { "KEY": SECRET } })
}

/// A file of Claude Code with comments: a server, one that is switched off, one that does not start.
fn claude(library: &Value) -> String {
    format!(
        "{{\n  // the team's servers\n  \"mcpServers\": {{\n    \"books\": {library},\n    \
         \"old\": {{ \"disabled\": true, \"url\": \"https://u:{SECRET}@old.example/sse\" }},\n    \
         \"broken\": {{ \"command\": \"/missing/program\", \"env\": {{ \"KEY\": \"{SECRET}\" }} }}\n  }},\n  \"kept\": [1,   2] // as it is\n}}\n"
    )
}

fn assert_no_secret(ended: &Ended) {
    assert!(!format!("{ended:?}").contains(SECRET), "{ended:?}");
}

#[test]
fn a_dry_run_shows_what_would_change_and_changes_nothing() {
    let desk = Desk::new();
    desk.write("project/.mcp.json", &claude(&library()));
    desk.write(
        ".cursor/mcp.json",
        &json!({ "mcpServers": { "books": { "command": "other" } } }).to_string(),
    );
    let files = desk.files();
    let ended = desk.run(&["import", "--dry-run", "--write-client", ".mcp.json"]);
    assert_no_secret(&ended);
    assert_eq!((ended.code, desk.files()), (Some(0), files), "{ended:?}");
    assert!(!desk.path(".cache").exists(), "a server was started");
    for line in [
        "  books   copied\n          /",
        " serve --listing full --no-meta-tools\n          variables: KEY\n",
        "  old     stays here only: it is switched off\n          https://…@old.example/sse\n",
        "  broken  copied\n          /missing/program\n",
        "  books  copied as `books-cursor`: another server has its name\n",
        "servers.json is new, with 3 servers (dry run: nothing is written)\n",
        ".mcp.json gets the entry `gateway` instead of 2 servers (dry run: nothing is written)\n",
    ] {
        assert!(ended.stdout.contains(line), "{line}{}", ended.stdout);
    }
}

#[test]
fn one_command_leads_from_a_clients_file_to_the_saving() {
    let desk = Desk::new();
    let before = claude(&library());
    desk.write("project/.mcp.json", &before);
    // The name of a client is no consent to the file of a project.
    let refused = desk.run(&["import", "--write-client", "claude-code"]);
    assert!(
        refused.code == Some(1) && refused.stderr.contains("that of the project; name it"),
        "{refused:?}"
    );
    let ended = desk.run(&["import", "--write-client", ".mcp.json"]);
    assert_no_secret(&ended);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(
        ended.stdout.contains("2 tools of 1 server: "),
        "{}",
        ended.stdout
    );
    let servers = desk.read(".config/pd-gateway/servers.json");
    // The program of a project runs in it.
    let mut books = library();
    books["cwd"] = json!(fs::canonicalize(desk.path("project")).unwrap());
    assert_eq!(
        serde_json::from_str::<Value>(&servers).unwrap(),
        json!({ "$schema": schema_url(), "mcpServers": { "books": books } })
    );

    let after = desk.read("project/.mcp.json");
    for kept in [
        "  // the team's servers\n",
        "\"old\": {",
        "\"broken\": {",
        "  \"kept\": [1,   2] // as it is\n",
    ] {
        assert!(after.contains(kept), "{after}");
    }
    assert!(
        after.contains("\"gateway\": {\n      \"command\"") && !after.contains("books"),
        "{after}"
    );
    let backups: Vec<_> = desk
        .files()
        .into_iter()
        .filter(|file| file.contains(".bak-"))
        .collect();
    assert_eq!(desk.read(&backups[0]), before);
    assert_eq!(backups.len(), 1, "{backups:?}");

    // The client's entry works as the client would start it, and the gateway is not imported itself.
    let listed = desk.run(&["list"]);
    assert!(
        listed.stdout.contains("books__hours") && listed.stderr.contains("using "),
        "{listed:?}"
    );
    let again = desk.run(&["import", ".mcp.json"]);
    assert!(
        again
            .stdout
            .contains("  gateway  is a gateway, and is not copied\n"),
        "{}",
        again.stdout
    );
}

#[test]
fn servers_that_are_switched_off_in_claude_code_are_neither_started_nor_copied() {
    let desk = Desk::new();
    let touch = |name: &str| json!({ "command": "touch", "args": [desk.path(name)] });
    desk.write(
        "project/.mcp.json",
        &json!({ "mcpServers": { "a": touch("a"), "b": touch("b"), "on": library() } }).to_string(),
    );
    let project = fs::canonicalize(desk.path("project")).unwrap();
    let state = json!({ "mcpServers": { "c": touch("c") }, "projects": { (project.to_str().unwrap()): {
        "disabledMcpjsonServers": ["a"], "disabledMcpServers": ["c"] } } });
    desk.write(".claude.json", &state.to_string());
    desk.write(
        "project/.claude/settings.local.json",
        r#"{"disabledMcpjsonServers": ["b"]}"#,
    );
    let ended = desk.run(&["import", "claude-code", ".mcp.json"]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    for (name, key, file) in [
        ("a", "disabledMcpjsonServers", ".claude.json"),
        ("b", "disabledMcpjsonServers", "settings.local.json"),
        ("c", "disabledMcpServers", ".claude.json"),
    ] {
        let is_of = |line: &&str| {
            line.trim_start().starts_with(&format!("{name} ")) && line.contains("stays here")
        };
        let line = ended
            .stdout
            .lines()
            .find(is_of)
            .unwrap_or_else(|| panic!("{}", ended.stdout));
        let reason = format!("stays here only: it is switched off in Claude Code (`{key}` in ");
        assert!(line.contains(&reason) && line.contains(file), "{line}");
        assert!(!desk.path(name).exists(), "`{name}` was started");
    }
    let servers: Value =
        serde_json::from_str(&desk.read(".config/pd-gateway/servers.json")).unwrap();
    assert_eq!(
        servers["mcpServers"]
            .as_object()
            .unwrap()
            .keys()
            .collect::<Vec<_>>(),
        ["on"]
    );
}

#[test]
fn an_import_names_the_settings_that_it_passes_on_and_no_credentials() {
    let desk = Desk::new();
    desk.write(
        "project/.mcp.json",
        &json!({ "mcpServers": { "books": library() } }).to_string(),
    );
    let variables = [
        ("DOCKER_HOST", "unix:///x"),
        ("HTTPS_PROXY", "http://p"),
        ("PGPASSWORD", SECRET),
        ("FOO", "x"),
    ];
    let ended = desk.run_with(&["import", "--no-start", ".mcp.json"], &variables);
    assert_no_secret(&ended);
    assert!(
        ended
            .stdout
            .contains("all servers get DOCKER_HOST, HTTPS_PROXY (`pd.inheritEnv`)"),
        "{}",
        ended.stdout
    );
    let file =
        || serde_json::from_str::<Value>(&desk.read(".config/pd-gateway/servers.json")).unwrap();
    assert_eq!(
        file()["pd"],
        json!({ "inheritEnv": ["DOCKER_HOST", "HTTPS_PROXY"] })
    );
    // A person's choice stays.
    desk.write(
        ".config/pd-gateway/servers.json",
        r#"{"pd": {"inheritEnv": []}, "mcpServers": {}}"#,
    );
    assert_eq!(
        desk.run_with(&["import", "--no-start", ".mcp.json"], &variables)
            .code,
        Some(0)
    );
    assert_eq!(
        (
            file()["pd"].clone(),
            file()["mcpServers"]["books"]["command"].is_string()
        ),
        (json!({ "inheritEnv": [] }), true)
    );
}

#[cfg(unix)]
#[test]
fn a_script_of_a_project_runs_after_the_import_from_any_directory() {
    use std::os::unix::fs::PermissionsExt;
    let desk = Desk::new();
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/wire/gateway/upstream.py");
    fs::copy(script, desk.path("project/srv.py")).unwrap();
    desk.write("project/run.sh", "#!/bin/sh\nexec python3 srv.py log\n");
    fs::set_permissions(
        desk.path("project/run.sh"),
        fs::Permissions::from_mode(0o755),
    )
    .unwrap();
    let servers = json!({ "a": { "command": "./run.sh" }, "b": { "command": "python3", "args": ["srv.py", "log"] } });
    desk.write(
        "project/.mcp.json",
        &json!({ "mcpServers": servers }).to_string(),
    );
    assert_eq!(
        desk.run(&["import", "--no-start", ".mcp.json"]).code,
        Some(0)
    );
    fs::create_dir_all(desk.path("other")).unwrap();
    for config in [".config/pd-gateway/servers.json", "project/.mcp.json"] {
        let config = desk.path(config);
        let mut command = Command::new(env!("CARGO_BIN_EXE_gateway"));
        command
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", desk.0.path());
        let ended = end(command
            .current_dir(desk.path("other"))
            .arg("--config")
            .arg(&config)
            .arg("doctor"));
        assert_eq!(
            ended.stdout.matches("10 tools").count(),
            2,
            "{config:?} {ended:?}"
        );
    }
}

#[cfg(unix)]
#[test]
fn permissions_and_links_stay() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let desk = Desk::new();
    desk.write(
        "dotfiles/mcp.json",
        &json!({ "mcpServers": { "a": { "command": "a" } } }).to_string(),
    );
    fs::set_permissions(
        desk.path("dotfiles/mcp.json"),
        fs::Permissions::from_mode(0o640),
    )
    .unwrap();
    symlink(
        desk.path("dotfiles/mcp.json"),
        desk.path("project/.mcp.json"),
    )
    .unwrap();
    let ended = desk.run(&[
        "import",
        "--no-start",
        "--to",
        "own.json",
        "--write-client",
        ".mcp.json",
    ]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let mode = |name: &str| fs::metadata(desk.path(name)).unwrap().permissions().mode() & 0o777;
    assert!(desk.path("project/.mcp.json").is_symlink());
    assert!(desk.read("dotfiles/mcp.json").contains("gateway"));
    assert_eq!(
        (mode("dotfiles/mcp.json"), mode("project/own.json")),
        (0o640, 0o600)
    );
}

/// The examples are looked for beside the program, so a link to it decides which there are.
#[cfg(unix)]
#[test]
fn a_tour_without_a_configuration_runs_over_the_examples() {
    let home = TempDir::new().unwrap();
    let program = std::path::Path::new(env!("CARGO_BIN_EXE_gateway"));
    let place = TempDir::new_in(program.parent().unwrap()).unwrap();
    let link = place.path().join("gateway");
    fs::hard_link(program, &link).unwrap();
    let tour = || {
        end(Command::new(&link)
            .env("HOME", home.path())
            .current_dir(&home)
            .args(["tour"]))
    };
    let ended = tour();
    assert_eq!(ended.code, Some(1));
    assert!(
        ended
            .stderr
            .contains("run `cargo build --example git --example alerts --example gateway`"),
        "{ended:?}"
    );

    fs::create_dir(place.path().join("examples")).unwrap();
    fs::hard_link(
        env!("CARGO_BIN_EXE_library"),
        place.path().join("examples/git"),
    )
    .unwrap();
    let ended = tour();
    assert_eq!(ended.code, Some(0), "{ended:?}");
    for step in ["1  list", "2  search", "3  describe", "4  call"] {
        assert!(ended.stdout.contains(step), "{}", ended.stdout);
    }
    assert!(ended.stdout.contains("`git__"), "{}", ended.stdout);
}

#[test]
fn the_file_of_a_project_is_shown_and_imported_only_if_it_is_named() {
    let desk = Desk::new();
    desk.write("project/.mcp.json", &claude(&library()));
    desk.write(
        ".cursor/mcp.json",
        &json!({ "mcpServers": { "mine": { "command": "mine", "args": ["a b"] } } }).to_string(),
    );
    let ended = desk.run(&["import", "--no-start"]);
    assert_no_secret(&ended);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    for line in [
        "  mine  copied\n        mine 'a b'\n",
        "  broken  /missing/program\n",
        "not imported, because the file is that of the project",
    ] {
        assert!(ended.stdout.contains(line), "{line} {}", ended.stdout);
    }
    let servers: Value =
        serde_json::from_str(&desk.read(".config/pd-gateway/servers.json")).unwrap();
    assert_eq!(
        servers["mcpServers"]
            .as_object()
            .unwrap()
            .keys()
            .collect::<Vec<_>>(),
        ["mine"]
    );
    let json = desk.run(&["import", "--dry-run", "--json"]);
    let report: Value = serde_json::from_str(&json.stdout).unwrap();
    assert_eq!(
        report["not_imported"][0]["servers"][2]["runs"]["command"],
        json!(["/missing/program"]),
        "{report}"
    );
    let named = desk.run(&["import", "--no-start", ".mcp.json"]);
    assert!(
        named.code == Some(0)
            && desk
                .read(".config/pd-gateway/servers.json")
                .contains("books"),
        "{named:?}"
    );
}
