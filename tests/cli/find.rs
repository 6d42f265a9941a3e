//! `find`, and the requests that must find their tools.

use super::{Ended, run};
use serde_json::Value;
use std::{fs, path::Path};
use tempfile::TempDir;

fn find(arguments: &[&str]) -> Ended {
    run(Path::new("."), ["find"].iter().chain(arguments))
}

/// Runs `check --requests` on a file with these lines.
fn check(lines: &str, arguments: &[&str]) -> Ended {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("requests.jsonl"), lines).unwrap();
    run(
        folder.path(),
        ["check", "--requests", "requests.jsonl"]
            .iter()
            .chain(arguments),
    )
}

#[test]
fn hits_are_listed_and_explained() {
    let plain = find(&["when", "library", "opens"]);
    assert_eq!((plain.code, plain.stderr.as_str()), (Some(0), ""));
    assert_eq!(
        plain.stdout,
        "hours  Tell when the library opens.  stands out\n"
    );

    let explained = find(&["opening zebra", "--explain"]).stdout;
    let lines: Vec<&str> = explained.lines().collect();
    assert!(
        lines[0].starts_with("hours  Tell when the library opens.  0."),
        "{explained}"
    );
    assert_eq!(
        lines[1..],
        [
            "   100 %  opening → opens: summary",
            "          no match for: zebra"
        ]
    );

    let nothing = find(&["zebra"]);
    assert_eq!(
        nothing.stdout,
        "nothing matches; write other words, or see all tools with `list`\n"
    );
    assert_eq!(find(&[]).code, Some(2));
    assert_eq!(find(&["x", "--limit", "0"]).code, Some(2));
}

#[test]
fn shares_sum_to_the_score() {
    let json =
        |arguments: &[&str]| -> Value { serde_json::from_str(&find(arguments).stdout).unwrap() };
    let found = json(&["list books of the library", "--json", "--explain"]);
    for tool in found["tools"].as_array().unwrap() {
        let explanation = &tool["explanation"];
        let matches = explanation["matches"].as_array().unwrap();
        let shares: f64 = matches
            .iter()
            .map(|one| one["share"].as_f64().unwrap())
            .sum();
        let sum = shares
            + explanation["name"].as_f64().unwrap()
            + explanation["meaning"].as_f64().unwrap();
        assert!(
            (sum - tool["score"].as_f64().unwrap()).abs() < 1e-4,
            "{tool:#}"
        );
    }
    assert_eq!(found["tools"].as_array().unwrap().len(), 2);
    let first = &json(&["list books", "--json", "--limit", "1"])["tools"];
    assert_eq!(
        (first[0]["name"].as_str(), first[1].is_null()),
        (Some("list"), true)
    );
    assert!(first[0].get("explanation").is_none());
}

#[test]
fn a_file_of_requests_is_checked() {
    let found = check(
        "{\"text\": \"newest books\", \"relevant\": [\"list\"]}\n\n",
        &[],
    );
    assert_eq!(found.code, Some(0), "{found:?}");
    assert!(
        found
            .stdout
            .ends_with("ok 2 requests find their tool among the first 5\n"),
        "{found:?}"
    );
    // One of the tools is enough, as one is enough for a caller.
    let either = check(
        "{\"query\": \"newest books\", \"relevant\": [\"hours\", \"list\"], \"id\": 1}",
        &[],
    );
    assert_eq!(either.code, Some(0), "{either:?}");

    let missed = check(
        "{\"text\": \"books in the library\", \"relevant\": [\"hours\"]}",
        &["--within", "1"],
    );
    assert_eq!(missed.code, Some(1));
    assert_eq!(
        missed.stderr,
        "error: 1 of 2 requests does not find its tool; use the words that callers use in summaries, descriptions and aliases\n"
    );
    let start = "requests.jsonl:1: error: `hours` is not the first hit for \"books in the library\": it is number 2\n   \
                 1  list  ";
    let (_, report) = missed
        .stdout
        .split_once(start)
        .unwrap_or_else(|| panic!("{missed:?}"));
    let lines: Vec<&str> = report.lines().collect();
    assert!(
        lines[0].contains("  books (") && lines[0].contains("summary "),
        "{report}"
    );
    assert!(
        lines[1].starts_with("   2  hours  ") && lines[1].contains("  library (summary "),
        "{report}"
    );
    assert_eq!(lines[2..], ["     without a match for: books"]);

    let missed = check(
        "{\"text\": \"books in the library\", \"relevant\": [\"hours\"]}",
        &["--within", "1", "--json"],
    );
    let summary: Value = serde_json::from_str(&missed.stdout).unwrap();
    let miss = &summary["requests"]["missed"][0];
    let expected = ["books in the library", "hours", "requests.jsonl:1"].map(Value::from);
    assert_eq!(
        [&miss["request"], &miss["tool"], &miss["origin"]],
        expected.each_ref()
    );
    assert_eq!(
        (&miss["rank"], &summary["ok"]),
        (&Value::from(2), &Value::from(false)),
        "{summary}"
    );
}

#[test]
fn mistakes_of_a_file_are_reported_with_their_lines() {
    let lines = [
        "{\"text\": \"books\", \"relevant\": [\"list\"]}",
        "{\"text\": \"books\", \"relevant\": [\"lst\"]}",
        "{\"text\": \"?!\", \"relevant\": [\"list\"]}",
        "{\"text\": \"books\", \"relevant\": []}",
        "{\"text\": \"books\"}",
        "books",
        &format!(
            "{{\"text\": \"{}\", \"relevant\": [\"list\"]}}",
            "a".repeat(4_097)
        ),
    ];
    let form = "a line is {\"text\": \"what a caller asks for\", \"relevant\": [\"tool\"]}";
    let wrong = check(&lines.join("\n"), &[]);
    assert_eq!(wrong.code, Some(1));
    let expected = [
        "error: requests.jsonl:2: no such tool: `lst`; did you mean `list`?".to_owned(),
        "requests.jsonl:3: the request has no word; write in `text` what a caller asks for"
            .to_owned(),
        "requests.jsonl:4: `relevant` is empty; name the tools that answer the request".to_owned(),
        format!("requests.jsonl:5: missing field `relevant` at column 17; {form}"),
        format!("requests.jsonl:6: expected value at column 1; {form}"),
        "requests.jsonl:7: the request has 4097 bytes, and search reads 4096; shorten `text`"
            .to_owned(),
    ];
    assert_eq!(wrong.stderr.lines().collect::<Vec<_>>(), expected);

    let empty = check("\n", &[]);
    assert_eq!(
        empty.stderr,
        format!(
            "error: requests.jsonl has no requests; write one on each line, as {}\n",
            &form[10..]
        )
    );
    let missing = run(Path::new("."), ["check", "--requests", "nowhere.jsonl"]);
    assert!(
        missing
            .stderr
            .starts_with("error: nowhere.jsonl cannot be read: "),
        "{missing:?}"
    );
}

/// A request that were indexed or listed would find its tool without any other text.
#[test]
fn requests_are_neither_indexed_nor_sent() {
    let folder = TempDir::new().unwrap();
    let formats = [
        "tool-descriptions",
        "tree",
        "typescript",
        "skills",
        "anthropic",
        "openai",
    ];
    for format in formats {
        assert_eq!(
            run(folder.path(), ["export", "--format", format, format]).code,
            Some(0)
        );
    }
    assert_eq!(
        run(folder.path(), ["check", "--lock", "tools.lock"]).code,
        Some(0)
    );
    let mut texts: Vec<String> = Vec::new();
    for arguments in [
        &["list"][..],
        &["list", "--json"],
        &["list", "--full"],
        &["list", "--full", "--json"],
        &["describe", "hours", "list"],
        &["describe", "--signature", "hours"],
        &["tour"],
        &["tour", "--tool", "hours"],
        &["find", "Xanadus"],
    ] {
        let ended = run(Path::new("."), arguments);
        assert_eq!(ended.code, Some(0), "{arguments:?}: {ended:?}");
        texts.push(ended.stdout);
    }
    collect_files(folder.path(), &mut texts);
    assert!(
        texts.len() > 25 && texts.iter().filter(|text| text.contains("hours")).count() > 15,
        "{}",
        texts.len()
    );
    assert!(
        texts
            .iter()
            .all(|text| !text.to_lowercase().contains("xanadu")),
        "{texts:#?}"
    );
}

fn collect_files(directory: &Path, texts: &mut Vec<String>) {
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect_files(&path, texts)
        } else {
            texts.push(fs::read_to_string(path).unwrap())
        }
    }
}
