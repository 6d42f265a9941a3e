//! The page about the command line: its commands, its examples and its JSON. Completions and manual
//! pages.

use super::{Ended, end, gateway::Project};
use serde_json::Value;
use std::{
    collections::BTreeSet,
    fs,
    path::Path,
    process::{Command, Stdio},
};
use tempfile::TempDir;

const PAGE: &str = include_str!("../../pd-runtime/docs/command-line.md");
const GIT: &str = env!("CARGO_BIN_EXE_git");

/// The cells of the rows of the page's tables with a first cell in backticks. The first table of a
/// command line has two columns, that of its JSON has three.
fn rows(columns: usize) -> Vec<Vec<&'static str>> {
    let rows = PAGE
        .lines()
        .filter_map(|line| line.strip_prefix("| `")?.strip_suffix(" |"));
    let cells = rows.map(|row| row.split(" | ").collect::<Vec<_>>());
    cells.filter(|cells| cells.len() == columns).collect()
}

fn first_word(cell: &str) -> String {
    cell.split(['`', ' ']).next().unwrap().to_owned()
}

fn commands_of_help(program: &str) -> BTreeSet<String> {
    let help = end(Command::new(program).arg("--help")).stdout;
    let (_, commands) = help.split_once("Commands:\n").unwrap();
    let names = commands
        .lines()
        .take_while(|line| !line.is_empty())
        .filter_map(|line| line.split_whitespace().next());
    names
        .filter(|name| *name != "help")
        .map(str::to_owned)
        .collect()
}

#[test]
fn the_page_has_every_command() {
    let gateway = env!("CARGO_BIN_EXE_gateway");
    let server = commands_of_help(GIT);
    let both: BTreeSet<_> = server.union(&commands_of_help(gateway)).cloned().collect();
    let page: BTreeSet<_> = rows(2).iter().map(|row| first_word(row[0])).collect();
    assert_eq!(page, both);
    for program in [GIT, gateway] {
        let help = end(Command::new(program).arg("--help")).stdout;
        assert!(
            help.contains("Exit codes:\n  0  Success\n  1  ") && help.contains("\n  2  "),
            "{help}"
        );
    }
}

#[test]
fn the_schema_of_the_gateway_is_printed_without_a_file() {
    let ended = end(Command::new(env!("CARGO_BIN_EXE_gateway")).arg("schema"));
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let golden = include_str!("../../pd-runtime/gateway/schemas/servers.schema.json");
    assert_eq!(ended.stdout, golden);
}

/// A repository with one commit.
fn repository() -> TempDir {
    let folder = TempDir::new().unwrap();
    let git = |arguments: &[&str]| {
        let name = ["-c", "user.name=a", "-c", "user.email=a@example.com"];
        let ended = end(Command::new("git")
            .current_dir(folder.path())
            .args(name)
            .args(arguments));
        assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    };
    git(&["init", "--quiet"]);
    git(&["commit", "--quiet", "--allow-empty", "--message", "Begin"]);
    folder
}

/// Splits a line of a shell. An argument in single quotes may have spaces.
fn words(line: &str) -> Vec<&str> {
    let parts = line.split('\'').enumerate();
    let words = parts.map(|(place, part)| {
        if place % 2 == 1 {
            vec![part]
        } else {
            part.split_whitespace().collect()
        }
    });
    words.flatten().collect()
}

fn run_git(folder: &Path, arguments: &[&str]) -> Ended {
    end(Command::new(GIT)
        .env_remove("CI")
        .current_dir(folder)
        .args(arguments)
        .stdin(Stdio::null()))
}

/// The names in backticks of a cell.
fn members(cell: &str) -> BTreeSet<String> {
    cell.split('`')
        .skip(1)
        .step_by(2)
        .map(str::to_owned)
        .collect()
}

fn assert_members(row: &[&str], ended: &Ended) {
    let document: Value =
        serde_json::from_str(&ended.stdout).unwrap_or_else(|error| panic!("{error}: {ended:?}"));
    assert_eq!(ended.stdout.lines().count(), 1, "{row:?}");
    let keys: BTreeSet<String> = document.as_object().unwrap().keys().cloned().collect();
    assert_eq!(keys, members(row[1]), "{}", row[0]);
}

#[test]
fn the_examples_of_the_page_run() {
    let folder = repository();
    let lines: Vec<_> = PAGE
        .lines()
        .filter_map(|line| line.strip_prefix("cargo run --example git -- "))
        .collect();
    let shown: BTreeSet<_> = lines.iter().map(|line| first_word(line)).collect();
    assert_eq!(shown, commands_of_help(GIT), "an example for each command");
    for line in lines {
        let ended = run_git(folder.path(), &words(line));
        assert_eq!(ended.code, Some(0), "{line}: {}", ended.stderr);
    }
    assert!(folder.path().join("manual/git-serve.1").exists());
    let (server, gateway): (Vec<_>, Vec<_>) =
        rows(3).into_iter().partition(|row| !is_gateway_row(row));
    assert!(
        server.len() >= 9 && gateway.len() >= 5,
        "{server:?} {gateway:?}"
    );
    for row in server {
        let ended = run_git(folder.path(), &words(row[0].trim_end_matches('`')));
        assert_eq!(
            (ended.code, ended.stderr.as_str()),
            (Some(0), ""),
            "{}",
            row[0]
        );
        assert_members(&row, &ended);
    }
    let failed = run_git(folder.path(), &["call", "--json", "log", r#"{"limit": 0}"#]);
    assert_eq!(failed.code, Some(1));
    assert_eq!(
        serde_json::from_str::<Value>(&failed.stdout).unwrap()["isError"],
        true
    );
}

/// Returns whether the row is about the gateway's own commands, or about its `tokens`.
fn is_gateway_row(row: &[&str]) -> bool {
    let name = first_word(row[0]);
    let own = |row: &Vec<&str>| first_word(row[0]) == name;
    rows(2)
        .iter()
        .skip_while(|row| first_word(row[0]) != "import")
        .any(own)
        || row[1].contains("`gateway`")
}

#[test]
fn the_gateway_prints_json() {
    let project = Project::new();
    for row in rows(3).iter().filter(|row| is_gateway_row(row)) {
        let ended = project.run(&words(row[0].trim_end_matches('`')));
        assert_eq!(ended.code, Some(0), "{ended:?}");
        assert_members(row, &ended);
    }
    let doctor: Value = serde_json::from_str(&project.run(&["doctor", "--json"]).stdout).unwrap();
    assert_eq!(
        (&doctor["ok"], &doctor["servers"][0]["state"]),
        (&true.into(), &"ok".into())
    );
    fs::remove_file(project.0.path().join("upstreams.lock")).unwrap();
    project.write(r#"{"mcpServers": {"gone": {"command": "no-such-program"}}}"#);
    let failing = project.run(&["doctor", "--json"]);
    let doctor: Value = serde_json::from_str(&failing.stdout).unwrap();
    assert_eq!(
        (failing.code, &doctor["ok"], &doctor["servers"][0]["state"]),
        (Some(1), &false.into(), &"failed".into())
    );
}

#[test]
fn findings_that_fail_a_check_are_in_its_json() {
    let ended = super::run(Path::new("."), ["check", "--json", "--deny", "taste"]);
    assert_eq!(ended.code, Some(1));
    let document: Value = serde_json::from_str(&ended.stdout).unwrap();
    assert_eq!(document["ok"], false);
    assert_eq!(
        format!("error: {}\n", document["failures"][0].as_str().unwrap()),
        ended.stderr
    );
    assert_eq!(document["remarks"][0]["is_denied"], true);
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("nothing.json"), "{}").unwrap();
    let overlay = super::run(folder.path(), ["check", "--json", "--overlay", "."]);
    let document: Value = serde_json::from_str(&overlay.stdout).unwrap();
    assert!(
        overlay.code == Some(1) && document["registry"].is_null(),
        "{overlay:?}"
    );
    assert!(
        document["problems"][0]
            .as_str()
            .unwrap()
            .contains("nothing.json"),
        "{document}"
    );
}

#[test]
fn exit_codes_are_those_of_the_page() {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("audit.jsonl"), "not an event\n").unwrap();
    fs::write(
        folder.path().join("requests.jsonl"),
        r#"{"text": "zebra", "relevant": ["hours"]}"#,
    )
    .unwrap();
    for (line, code) in [
        ("--help", 0),
        ("check", 0),
        ("find zebra", 0),
        ("audit audit.jsonl", 0),
        ("call list '{\"limit\": 501}'", 1),
        ("call list '{'", 1),
        ("describe lst", 1),
        ("check --deny taste", 1),
        ("check --requests requests.jsonl", 1),
        ("audit gone.jsonl", 1),
        ("report gone/report.html", 1),
        ("list --jsno", 2),
        ("check --within 0", 2),
        ("completions tcsh", 2),
    ] {
        let ended = super::run(folder.path(), words(line));
        assert_eq!(ended.code, Some(code), "{line}: {ended:?}");
        assert!(
            code == 0 || !ended.stderr.is_empty(),
            "{line}: the reason is missing"
        );
    }
}

/// A program under another name, as somebody installs it.
fn installed(program: &str, name: &str) -> TempDir {
    let folder = TempDir::new().unwrap();
    fs::hard_link(program, folder.path().join(name))
        .or_else(|_| fs::copy(program, folder.path().join(name)).map(drop))
        .unwrap();
    folder
}

/// Lets bash complete the last word of a line.
fn complete_in_bash(folder: &Path, name: &str, words: &[&str]) -> Vec<String> {
    let script = r#"
        source <("./$1" completions bash)
        [[ $(complete -p "$1") == *"-F _$1"* ]] || exit 9
        COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
        "_$1" "$1" "${@: -1}" "${@: -2:1}"
        printf '%s\n' "${COMPREPLY[@]}"
    "#;
    let ended = end(Command::new("bash")
        .current_dir(folder)
        .args(["-c", script, "bash", name])
        .args(words));
    assert_eq!(ended.code, Some(0), "{ended:?}");
    ended.stdout.lines().map(str::to_owned).collect()
}

#[test]
fn bash_completes_commands_and_own_options() {
    if Command::new("bash").arg("--version").output().is_err() {
        println!("skipped: there is no bash");
        return;
    }
    let git = installed(GIT, "history");
    let complete = |words: &[&str]| complete_in_bash(git.path(), "history", words);
    assert_eq!(complete(&["li"]), ["list"]);
    assert_eq!(complete(&["list", "--js"]), ["--json"]);
    assert_eq!(complete(&["--re"]), ["--repo"]);
    assert_eq!(complete(&["export", "--format", "ski"]), ["skills"]);
    // Its file is an argument before the command, and `completions` does not need one.
    let catalog = installed(env!("CARGO_BIN_EXE_catalog"), "tools");
    assert_eq!(
        complete_in_bash(catalog.path(), "tools", &["--pr"]),
        ["--principals"]
    );
    let gateway = installed(env!("CARGO_BIN_EXE_gateway"), "gate");
    assert_eq!(
        complete_in_bash(gateway.path(), "gate", &["doc"]),
        ["doctor"]
    );
}

#[test]
fn manual_pages_describe_the_program_by_its_name() {
    let git = installed(GIT, "history");
    let run = |arguments: &[&str]| {
        end(Command::new(git.path().join("history"))
            .current_dir(git.path())
            .args(arguments))
    };
    let page = run(&["man"]);
    assert!(
        page.code == Some(0) && page.stdout.contains(".TH history 1"),
        "{page:?}"
    );
    assert!(
        page.stdout.contains("\\-\\-repo") && page.stdout.contains("history\\-serve(1)"),
        "{}",
        page.stdout
    );
    assert_eq!(run(&["man", "pages/new"]).code, Some(0));
    let names: BTreeSet<_> = fs::read_dir(git.path().join("pages/new"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    let commands = commands_of_help(GIT)
        .into_iter()
        .map(|command| format!("history-{command}.1"));
    assert_eq!(names, commands.chain(["history.1".to_owned()]).collect());
    assert!(
        !page.stdout.contains("history\\-help(1)"),
        "a page that is not written"
    );
    fs::write(git.path().join("file"), "").unwrap();
    let refused = run(&["man", "file"]);
    assert!(
        refused.code == Some(1) && refused.stderr.starts_with("error: file cannot be written"),
        "{refused:?}"
    );
}

/// Texts of help contain characters beyond ASCII, such as "…".
#[test]
#[cfg_attr(not(groff), ignore = "needs groff")]
fn groff_renders_manual_pages_without_warnings() {
    let folder = TempDir::new().unwrap();
    for program in [
        GIT,
        env!("CARGO_BIN_EXE_gateway"),
        env!("CARGO_BIN_EXE_catalog"),
    ] {
        let written = end(Command::new(program)
            .current_dir(folder.path())
            .args(["man", "pages"]));
        assert_eq!(written.code, Some(0), "{written:?}");
    }
    let pages: Vec<_> = fs::read_dir(folder.path().join("pages"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    assert!(pages.len() > 40, "{pages:?}");
    for page in pages {
        let program = option_env!("GROFF").unwrap_or_default();
        let ended = end(Command::new(program)
            .args(["-man", "-ww", "-Tutf8"])
            .arg(&page));
        assert_eq!(
            (ended.code, ended.stderr.as_str()),
            (Some(0), ""),
            "{}",
            page.display()
        );
        let is_check = page.ends_with("git-check.1");
        assert!(
            !is_check || ended.stdout.contains("{\"text\":"),
            "{}",
            ended.stdout
        );
        assert!(!is_check || ended.stdout.contains('…'), "{}", ended.stdout);
    }
}
