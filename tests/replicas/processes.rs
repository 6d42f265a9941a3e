//! Two processes as they are deployed: the command line's flags make them replicas.

use crate::{
    caller::{Called, Caller, ticket},
    proxy::Proxy,
    redis::Redis,
};
use serde_json::json;
use std::io::{BufRead, BufReader};
use std::{
    path::Path,
    process::{Child, Command, Stdio},
};

/// A server that ends when it is dropped.
struct Process {
    url: String,
    process: Child,
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Process {
    fn start(redis: &Redis, keys: &Path) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_library"));
        command
            .args([
                "serve",
                "--http",
                "127.0.0.1:0",
                "--redis",
                &redis.url(),
                "--ticket-key-file",
            ])
            .arg(keys);
        let mut process = command
            .env("RUST_LOG", "off")
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let url = BufReader::new(process.stderr.take().unwrap())
            .lines()
            .next()
            .unwrap()
            .unwrap();
        Self { url, process }
    }
}

#[tokio::test]
#[cfg_attr(
    not(redis_server),
    ignore = "needs a Redis server; `just redis` fetches one"
)]
async fn flags_make_processes_replicas() {
    let mut redis = Redis::start().await;
    let directory = tempfile::tempdir().unwrap();
    let [old, new] = ["old", "new"].map(|name| directory.path().join(name));
    std::fs::write(&old, "0a".repeat(32)).unwrap();
    std::fs::write(&new, format!("{}\n{}\n", "0b".repeat(32), "0a".repeat(32))).unwrap();
    // The key is being changed: the second process was restarted with the new one, and still accepts the old one.
    let [one, other] = [&old, &new].map(|keys| Process::start(&redis, keys));
    let proxy = Proxy::open(vec![one.url.clone(), other.url.clone()]).await;
    let arguments = json!({ "limit": 3 });
    let ran = Called::Ran("3".to_owned());
    for outage in [false, true] {
        if outage {
            redis.kill();
        }
        let session = Caller::session(&one.url, None).await;
        if !outage {
            session.describe("list").await;
            assert_eq!(
                session.at(&other.url).call("list", arguments.clone()).await,
                ran
            );
        }
        let refused = session.at(&other.url).call("hours", json!({})).await;
        assert!(matches!(refused, Called::Refused(description) if description.is_object()));
        let inline = Caller::inline(&one.url);
        let with_ticket =
            json!({ "limit": 3, "disclosure_ticket": ticket(&inline.describe("list").await) });
        assert_eq!(inline.at(&other.url).call("list", with_ticket).await, ran);
        assert_eq!(
            Caller::session(&proxy.url, None)
                .await
                .at(&proxy.url)
                .status()
                .await,
            200
        );
    }
}

#[test]
fn a_file_without_a_key_and_a_url_without_a_server_are_told() {
    let keys = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(keys.path(), "secret").unwrap();
    let told = |flags: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_library"));
        let ended = command
            .args(["serve", "--http", "127.0.0.1:0"])
            .args(flags)
            .output()
            .unwrap();
        assert!(!ended.status.success());
        String::from_utf8(ended.stderr).unwrap()
    };
    let no_key = told(&["--ticket-key-file", keys.path().to_str().unwrap()]);
    assert!(
        no_key.contains("line 1 is not a key") && !no_key.contains("secret"),
        "{no_key}"
    );
    let no_url = told(&["--redis", "http://user:secret@here"]);
    assert!(
        no_url.contains("redis://HOST:PORT/DATABASE") && !no_url.contains("secret"),
        "{no_url}"
    );
}
