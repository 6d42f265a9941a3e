//! The exact text of each mistake.

use super::{super::*, SECRET, input, parse_at, variable};
use std::fs;

/// Returns the mistakes in a file, without its path.
fn mistakes_at(path: &str, text: &str) -> Vec<String> {
    let found = match parse_at(path, text).and_then(GatewayConfig::without_mistakes) {
        Ok(config) => config.warnings,
        Err(error) => error.iter().cloned().collect(),
    };
    let mistakes: Vec<_> = found
        .iter()
        .map(|mistake| mistake.to_string().strip_prefix(path).unwrap().to_owned())
        .collect();
    assert!(!mistakes.concat().contains(SECRET), "{mistakes:?}");
    mistakes
}

fn mistakes(text: &str) -> Vec<String> {
    mistakes_at("/x/m.json", text)
}

/// Returns the only mistake in an entry on its own line, without place and server.
fn mistake_in(entry: &str) -> String {
    let found = mistakes(&format!("{{\"mcpServers\": {{\"it\":\n{entry}}}}}"));
    let [mistake] = found.as_slice() else {
        panic!("{found:#?}")
    };
    mistake.split_once(" server `it`").unwrap().1.to_owned()
}

#[test]
fn files() {
    for (text, expected) in [
        (
            "{\"a\": \n  b}",
            ":2:3: the file is not valid JSON: unexpected token; correct the syntax here",
        ),
        (
            "{'a': 1}",
            ":1:2: the file is not valid JSON: single-quoted strings are not allowed; correct the syntax here",
        ),
        (
            "{}",
            ":1:1: the file has no servers; add one of `mcpServers`, `servers`, `mcp_servers`",
        ),
        (
            "",
            ":1:1: the file has no servers; add one of `mcpServers`, `servers`, `mcp_servers`",
        ),
        (
            "{\"mcpServer\": {}}",
            ":1:2: the file has no servers; `mcpServer` is not read; did you mean `mcpServers`?",
        ),
        ("[]", ":1:1: this must be an object, but it is an array"),
        (
            "{\"mcpServers\": []}",
            ":1:2: key `mcpServers`: this must be an object, but it is an array",
        ),
        (
            "{\"mcpServers\": {}, \"servers\": {}}",
            ":1:20: the file has both `mcpServers` and `servers`; move all entries to one of them",
        ),
        (
            "{\"servers\": {}, \"servers\": {}}",
            ":1:17: `servers` occurs twice; remove one of them",
        ),
    ] {
        assert_eq!(mistakes(text), [expected]);
    }
    assert_eq!(
        mistakes_at("/x/c.toml", "[mcp_servers.a]\ncommand = "),
        [
            ":2:11: the file is not valid TOML: string values must be quoted, expected literal string; correct the syntax here"
        ]
    );
    assert_eq!(
        mistakes_at("/x/c.toml", "[mcp_servers.a]\nargs = [1]\n"),
        [
            ":1:14: server `a`: the entry has no `command` and no `url`; add `command` for a program, `url` for a remote server, or `openapi` for an API"
        ]
    );
    assert_eq!(
        mistakes_at(
            "/x/c.toml",
            "[mcp_servers.a]\ncommand = 'a'\nargs = ['b', 1979-05-27]\n"
        ),
        [":3:14: server `a`, key `args[1]`: this must be a string, but it is a date"]
    );
}

#[test]
fn entries() {
    for (entry, expected) in [
        ("7", ": this must be an object, but it is a number"),
        (
            "{}",
            ": the entry has no `command` and no `url`; add `command` for a program, `url` for a remote server, or `openapi` for an API",
        ),
        (
            r#"{"command": "a", "url": "https://a"}"#,
            ", key `url`: `command` and `url` exclude each other; remove one of them",
        ),
        (
            r#"{"url": "https://a", "httpUrl": "https://a"}"#,
            ", key `httpUrl`: `url` and `httpUrl` exclude each other; remove one of them",
        ),
        (
            r#"{"type": "stdio", "url": "https://a"}"#,
            ", key `type`: `type` is `stdio`, which needs `command`; add `command`, or correct `type`",
        ),
        (
            r#"{"type": "sse", "command": "a"}"#,
            ", key `type`: `type` is `sse`, which needs `url`; add `url`, or correct `type`",
        ),
        (
            r#"{"type": "ws", "url": "https://a"}"#,
            ", key `type`: `ws` is not a kind of server that the gateway runs; write the server's `http://` or \
             `https://` URL, with `\"type\": \"http\"`",
        ),
        (
            r#"{"command": ""}"#,
            ", key `command`: this must not be empty; write a value, or remove the key",
        ),
        (
            r#"{"command": ["a"]}"#,
            ", key `command`: this must be a string, but it is an array",
        ),
        (
            r#"{"command": "a", "command": "b"}"#,
            ", key `command`: `command` occurs twice; remove one of them",
        ),
        (
            r#"{"command": "a", "args": "b"}"#,
            ", key `args`: this must be an array with a string for each argument, such as `[\"-y\", \"PACKAGE\"]`, but it is a string",
        ),
        (
            r#"{"command": "a", "args": ["b", null]}"#,
            ", key `args[1]`: this must be a string, but it is null",
        ),
        (
            r#"{"command": "a", "env": ["A=1"]}"#,
            ", key `env`: this must be an object, but it is an array",
        ),
        (
            r#"{"command": "a", "env": {"A=B": "1"}}"#,
            ", key `env.A=B`: this is not the name of an environment variable; write a name without `=`",
        ),
        (
            r#"{"command": "a", "args": ["\u0000"]}"#,
            ", key `args[0]`: the value contains a control character, such as a line break; remove it",
        ),
        (
            r#"{"command": "a", "disabled": "yes"}"#,
            ", key `disabled`: this must be true or false, but it is a string",
        ),
        (
            r#"{"command": "a", "timeout": 0}"#,
            ", key `timeout`: this must be a number of seconds above 0, and at most 31622400",
        ),
        (
            r#"{"url": "ftp://${TOKEN}"}"#,
            ", key `url`: the URL must begin with `http://` or `https://`; correct it",
        ),
        (
            r#"{"url": "https:///mcp"}"#,
            ", key `url`: the URL has no valid host; write it as `https://host/path`",
        ),
        (
            r#"{"url": "https://a/b c"}"#,
            ", key `url`: the URL contains a space, a backslash or a control character; remove it, or write it as `%20`",
        ),
        (
            r#"{"url": "https://a", "headers": {"A:": ""}}"#,
            ", key `headers.A:`: this is not the name of an HTTP header; use letters, digits and `-`",
        ),
        (
            r#"{"url": "https://a", "headers": {"A": "${LINES}"}}"#,
            ", key `headers.A`: the value contains a control character, such as a line break; remove it",
        ),
        (
            r#"{"url": "https://a", "headers": {"A": "1", "a": "2"}}"#,
            ", key `headers.a`: `A` occurs twice; remove one of them",
        ),
        (
            r#"{"command": "a", "envFile": "/missing/.env"}"#,
            ", key `envFile`: the environment file /missing/.env cannot be read: No such file or directory (os error 2); \
             create it, or correct `envFile`",
        ),
    ] {
        assert_eq!(mistake_in(entry), expected, "{entry}");
    }
}

#[test]
fn variables() {
    for (text, expected) in [
        (
            "${NOPE}",
            "the environment variable `NOPE` is not set; set it, or write a default: `${NOPE:-default}`",
        ),
        (
            "${env:NOPE}",
            "the environment variable `NOPE` is not set; set it, or write a default: `${NOPE:-default}`",
        ),
        (
            "${input:api key}",
            "the input `api key` has no value; set the environment variable `PD_INPUT_API_KEY`",
        ),
        (
            "${config:s3cr3t-value}",
            "`${config:…}` is not supported; write the value itself, or use an environment variable: `${NAME}`",
        ),
        (
            "${TOKEN-s3cr3t-value}",
            "`${TOKEN…}` is not supported; write the value itself, or use an environment variable: `${NAME}`",
        ),
        (
            "${TOKEN:-${s3cr3t-value}}",
            "the default of `TOKEN` contains another variable; write a plain text as the default",
        ),
    ] {
        let entry = format!(r#"{{"command": "a", "env": {{"A": "{text}"}}}}"#);
        assert_eq!(mistake_in(&entry), format!(", key `env.A`: {expected}"));
    }
    assert_eq!(
        mistake_in(r#"{"url": "https://a", "bearer_token_env_var": "NOPE"}"#),
        ", key `bearer_token_env_var`: the environment variable `NOPE` is not set; set it before the gateway starts"
    );
}

#[test]
fn settings() {
    let tool_keys = "the settings are `timeout`, `concurrency`, `rate`, `scopes`, `summary`, `resultTokens`, `selective`";
    for (pd, expected) in [
        ("[]", "`: this must be an object, but it is an array"),
        (
            r#"{"sumary": ""}"#,
            ".sumary`: `sumary` is not a valid setting here; did you mean `summary`?",
        ),
        (
            r#"{"start_timeout": 1}"#,
            ".start_timeout`: `start_timeout` is not a valid setting here; did you mean `startTimeout`?",
        ),
        (
            r#"{"tools": {"t": {"frobnicate": 1}}}"#,
            &format!(".tools.t.frobnicate`: `frobnicate` is not a valid setting here; {tool_keys}"),
        ),
        (
            r#"{"prefix": "a b"}"#,
            ".prefix`: this must have at most 64 letters, digits, `_` and `-`; write a shorter or simpler prefix, or \
             `\"\"` for none",
        ),
        (
            r#"{"summary": "a\nb"}"#,
            ".summary`: this must be one line; remove the line breaks",
        ),
        (
            r#"{"include": ["a*b"]}"#,
            ".include[0]`: `*` is allowed at the end of a name only; write the whole name, or its beginning and `*`",
        ),
        (
            r#"{"timeout": -1}"#,
            ".timeout`: this must be a number of seconds above 0, and at most 31622400",
        ),
        (
            r#"{"timeout": "5s"}"#,
            ".timeout`: this must be a number, but it is a string",
        ),
        (
            r#"{"idle": 1e300}"#,
            ".idle`: this must be a number of seconds from 0, and at most 31622400",
        ),
        (
            r#"{"concurrency": 1.5}"#,
            ".concurrency`: this must be a whole number from 1 to 1000000",
        ),
        (
            r#"{"rate": "60/day"}"#,
            ".rate`: this is not a rate; write calls per unit of time, such as `10/s`, `60/min` or `1000/h`",
        ),
        (
            r#"{"trust": "some"}"#,
            ".trust`: `some` is not a valid value here; write one of `new`, `all`",
        ),
        (
            r#"{"selective": "some"}"#,
            ".selective`: `some` is not a valid value here; write one of `true`, `false`, `\"auto\"`",
        ),
        (
            r#"{"selective": 1}"#,
            ".selective`: this must be true, false or \"auto\", but it is a number",
        ),
        (
            r#"{"groups": 1}"#,
            ".groups`: this must be true, false or an object, but it is a number",
        ),
        (
            r#"{"eager": "yes"}"#,
            ".eager`: this must be true or false, but it is a string",
        ),
        (
            r#"{"pin": [""]}"#,
            ".pin[0]`: this must not be empty; write a value, or remove the key",
        ),
    ] {
        assert_eq!(
            mistake_in(&format!(r#"{{"command": "a", "pd": {pd}}}"#)),
            format!(", key `pd{expected}"),
            "{pd}"
        );
    }
}

#[test]
fn oauth() {
    for (oauth, expected) in [
        (
            r#"{"clientID": "c"}"#,
            ".clientID`: `clientID` is not a valid setting here; did you mean `clientId`?",
        ),
        (
            r#"{"clientId": ""}"#,
            ".clientId`: this must not be empty; write a value, or remove the key",
        ),
        (
            r#"{"clientSecret": "s"}"#,
            ".clientSecret`: this needs `clientId`; add `clientId`, or remove it here",
        ),
        (
            r#"{"clientId": "c", "grant": "client_credentials"}"#,
            ".grant`: this needs `clientSecret`; add `clientSecret`, or remove it here",
        ),
        (
            r#"{"grant": "password"}"#,
            ".grant`: `password` is not a valid value here; write one of `authorization_code`, `client_credentials`",
        ),
        (
            r#"{"redirectPort": 65536}"#,
            ".redirectPort`: this must be a whole number from 1 to 65535",
        ),
        (
            r#"{"clientId": "c", "clientSecret": "${NOPE}"}"#,
            ".clientSecret`: the environment variable `NOPE` is not set; set it, or write a default: `${NOPE:-default}`",
        ),
    ] {
        let entry = format!(r#"{{"url": "https://h.example/mcp", "pd": {{"oauth": {oauth}}}}}"#);
        assert_eq!(
            mistake_in(&entry),
            format!(", key `pd.oauth{expected}"),
            "{oauth}"
        );
    }
    assert_eq!(
        mistake_in(r#"{"command": "a", "pd": {"oauth": {}}}"#),
        ", key `pd.oauth`: this needs `url`; add `url`, or remove it here"
    );
    for transport in ["http", "sse"] {
        let entry = format!(
            r#"{{"type": "{transport}", "url": "https://h.example/mcp", "headers": {{"authorization": "x"}}, "pd": {{"oauth": {{}}}}}}"#
        );
        assert_eq!(
            mistake_in(&entry),
            ", key `pd.oauth`: `headers.Authorization` and `pd.oauth` exclude each other; remove one of them"
        );
    }
}

#[test]
fn names() {
    let long = "n".repeat(65);
    let text = format!(
        "{{\"mcpServers\": {{\n\"\": {{\"command\": \"a\"}},\n\"{long}\": {{\"command\": \"a\"}},\n\"a b\": {{\"command\": \"a\"}},\n\"a.b\": {{\"command\": \"a\"}}}}}}"
    );
    assert_eq!(
        mistakes(&text),
        [
            ":2:1: server ``: the name of the server is empty; give it a name".to_owned(),
            format!(":3:1: server `{long}`: the name of the server has 65 characters, and the limit is 64; shorten it"),
            ":5:1: server `a.b`: the server has the same name as `a b` in line 4: both become `a_b`; rename one of them"
                .to_owned(),
        ]
    );
}

#[test]
fn a_server_without_its_values_is_left_out_and_the_others_run() {
    let text = r#"{"mcpServers": {"a": {"command": "a", "env": {"K": "${NOPE}"}}, "b": {"command": "b"}}}"#;
    let config = parse_at("/x/m.json", text).unwrap();
    assert_eq!(
        config
            .servers
            .iter()
            .map(|entry| entry.name.as_str())
            .collect::<Vec<_>>(),
        ["b"]
    );
    assert!(matches!(config.warnings.as_slice(), [warning] if warning.kind.is_missing_value()));
}

#[test]
fn all_mistakes_are_reported_by_line() {
    let text = "{\"mcpServers\": {\n  \"a\": {\"command\": \"${A}\", \"args\": [\"${B} ${C}\"],\n    \"pd\": {\"prefix\": \"ä\"}},\n  \"ü\\n\": {}}}";
    assert_eq!(
        parse_at("/x/m.json", text)
            .unwrap()
            .without_mistakes()
            .unwrap_err()
            .to_string(),
        "the configuration /x/m.json has 5 mistakes:\n\
         /x/m.json:2:9: server `a`, key `command`: the environment variable `A` is not set; set it, or write a default: `${A:-default}`\n\
         /x/m.json:2:37: server `a`, key `args[0]`: the environment variable `B` is not set; set it, or write a default: `${B:-default}`\n\
         /x/m.json:2:37: server `a`, key `args[0]`: the environment variable `C` is not set; set it, or write a default: `${C:-default}`\n\
         /x/m.json:3:12: server `a`, key `pd.prefix`: this must have at most 64 letters, digits, `_` and `-`; write a shorter or simpler prefix, or `\"\"` for none\n\
         /x/m.json:4:3: server `ü\\n`: the entry has no `command` and no `url`; add `command` for a program, `url` for a remote server, or `openapi` for an API"
    );
}

#[test]
fn bounds() {
    let entries = |count: usize| {
        let entries: Vec<_> = (0..count)
            .map(|index| format!("\"s{index}\": {{\"command\": \"a\"}}"))
            .collect();
        format!("{{\"mcpServers\": {{{}}}}}", entries.join(","))
    };
    assert_eq!(
        parse_at("/x/m.json", &entries(1_024))
            .unwrap()
            .servers
            .len(),
        1_024
    );
    assert_eq!(
        mistakes(&entries(1_025)),
        [":1:2: there are more than 1024 servers; remove some of them, or divide the file"]
    );
    let args = |count: usize| {
        format!(
            "{{\"command\": \"a\", \"args\": [{}]}}",
            vec!["\"b\""; count].join(",")
        )
    };
    assert!(
        parse_at(
            "/x/m.json",
            &format!("{{\"servers\": {{\"a\": {}}}}}", args(1024))
        )
        .is_ok()
    );
    assert_eq!(
        mistake_in(&args(1025)),
        ", key `args`: there are more than 1024 arguments; remove some of them, or pass them in a file"
    );
    let large = " ".repeat((1 << 20) + 1);
    let too_large =
        ": the file has more than 1048576 bytes; move the servers to a file of their own";
    assert_eq!(mistakes(&large), [too_large]);
    let many = entries(120).replace("\"a\"", "1");
    let error = parse_at("/x/m.json", &many)
        .and_then(GatewayConfig::without_mistakes)
        .unwrap_err();
    assert_eq!(error.iter().count(), 100);
    assert!(
        error
            .to_string()
            .starts_with("the configuration /x/m.json has 120 mistakes:\n")
    );
    assert!(
        error
            .to_string()
            .ends_with("\nand 20 more; correct these first")
    );
}

#[test]
fn files_that_cannot_be_read() {
    let directory = std::env::temp_dir().join(format!("gwconfig-read-{}", std::process::id()));
    fs::create_dir_all(&directory).unwrap();
    let file = directory.join("m.json");
    let context = ReadContext::new(&variable, &input);
    let read = || {
        let error = GatewayConfig::read(&file, &context).unwrap_err();
        let mistake = error.iter().next().unwrap().to_string();
        mistake
            .strip_prefix(file.to_str().unwrap())
            .unwrap()
            .to_owned()
    };
    assert_eq!(
        read(),
        ": the file cannot be read: No such file or directory (os error 2); check its path and permissions"
    );
    fs::write(&file, b"{\n  \xff").unwrap();
    assert_eq!(read(), ":2:3: a byte is not UTF-8; save the file as UTF-8");
    fs::write(&file, vec![b' '; (1 << 20) + 1]).unwrap();
    assert_eq!(
        read(),
        ": the file has more than 1048576 bytes; move the servers to a file of their own"
    );
    fs::write(&file, r#"{"theme": "dark"}"#).unwrap();
    assert!(
        GatewayConfig::read(&file, &context)
            .unwrap_err()
            .is_without_servers()
    );
    fs::write(&file, r#"{"servers": {"a": {"command": "a"}}}"#).unwrap();
    assert_eq!(
        GatewayConfig::read(&file, &context).unwrap().servers.len(),
        1
    );
    fs::remove_file(&file).unwrap();
    fs::create_dir(&file).unwrap();
    assert_eq!(
        read(),
        ": the file cannot be read: it is a directory, not a file; check its path and permissions"
    );
    fs::remove_dir_all(&directory).unwrap();
}

#[test]
fn deep_nesting_is_an_error() {
    let deep = format!("{{\"a\": {}", "[".repeat(100_000));
    assert!(mistakes(&deep)[0].contains("maximum nesting depth exceeded"));
    let deep = format!("a = {}", "[".repeat(100_000));
    assert!(mistakes_at("/x/c.toml", &deep)[0].contains("is not valid TOML"));
}

#[test]
fn no_beginning_of_a_file_panics() {
    let json = "// ü\n{\"inputs\": [{\"id\": \"a\", \"default\": \"é\"}], \"servers\": {\"a\": {\"command\": \"~/a\", \"args\": [\"${TOKEN:-ü}\", \"${\"], \
                \"env\": {\"A\": 1e3}, \"pd\": {\"rate\": \"1/s\", \"tools\": {\"t\": {\"scopes\": [\"s\"]}}}}, \"b\": {\"url\": \"https://u@h/é?a#b\"}}}";
    let toml = "# ü\n[mcp_servers.a]\ncommand = 'é'\nargs = [\"a\", 1]\nenv = { A = \"${TOKEN}\" }\n[[mcp_servers.b]]\nx = 1979-05-27\n";
    for (path, text) in [("/x/m.json", json), ("/x/c.toml", toml)] {
        for end in (0..=text.len()).filter(|end| text.is_char_boundary(*end)) {
            let result = parse_at(path, &text[..end]);
            assert!(!format!("{result:?}").contains(SECRET));
        }
    }
    assert!(parse_at("/x/m.json", json).is_ok());
}
