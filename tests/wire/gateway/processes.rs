//! The processes of upstreams: what they inherit, how they fail and how they end.

use super::*;

#[tokio::test]
async fn an_upstream_that_crashes_fails_its_call_and_starts_again_after_a_pause() {
    let desk = Desk::new();
    let gateway = desk.one(&[], json!({})).await;
    let client = connect(Era::Session, &serve(&gateway)).await;
    client.describe("s__crash,s__echo").await;
    let result = client.call("s__crash", json!({})).await;
    let lost = text(&result);
    assert!(
        lost.contains("UPSTREAM_LOST_CALL") && lost.contains("exit status: 7"),
        "{lost}"
    );
    // Without the escape, which would color the terminal of whoever reads it.
    assert!(
        lost.contains("out of memory") && !lost.contains('\u{1b}'),
        "{lost}"
    );
    until("the end", || !gateway.status()[0].is_running).await;
    // The first pause is short enough for a caller to wait.
    assert_succeeded(&client.call("s__echo", json!({})).await);
    client.call("s__crash", json!({})).await;
    until("the end", || !gateway.status()[0].is_running).await;
    let refused = client.call("s__echo", json!({})).await;
    assert!(
        text(&refused).contains("UPSTREAM_UNAVAILABLE")
            && text(&refused).contains("next try is in 2 s"),
        "{refused}"
    );
    assert_eq!(
        desk.log("s")
            .lines()
            .filter(|line| *line == "started")
            .count(),
        2
    );
}

#[tokio::test]
async fn a_child_has_the_variables_of_its_entry_and_few_others() {
    let desk = Desk::new();
    let gateway = desk
        .one(&[], json!({ "inheritEnv": ["CARGO_MANIFEST_DIR"] }))
        .await;
    let client = connect(Era::Session, &serve(&gateway)).await;
    let variables = told(&client.call_described("s__environment", json!({})).await);
    let variables: Vec<&str> = variables
        .as_array()
        .unwrap()
        .iter()
        .filter_map(Value::as_str)
        .collect();
    assert!(
        variables.contains(&"TOKEN")
            && variables.contains(&"CARGO_MANIFEST_DIR")
            && variables.contains(&"PATH")
    );
    // Cargo sets many variables for this process, of which the entry names one.
    let of_cargo: Vec<_> = variables
        .iter()
        .filter(|name| name.starts_with("CARGO_"))
        .collect();
    assert_eq!(of_cargo, [&"CARGO_MANIFEST_DIR"], "{variables:?}");
    let cached: Vec<_> = fs::read_dir(desk.0.path().join("cache"))
        .unwrap()
        .map(|file| file.unwrap().path())
        .collect();
    assert!(
        !cached.is_empty()
            && cached
                .iter()
                .all(|file| !fs::read_to_string(file).unwrap().contains("secret-value"))
    );
}

/// The process ids of a stubborn script and of its child.
#[cfg(target_os = "linux")]
fn pids(desk: &Desk) -> Vec<String> {
    let log = desk.log("s");
    let pids = log.lines().find_map(|line| line.strip_prefix("pids "));
    pids.unwrap_or_default()
        .split_whitespace()
        .map(str::to_owned)
        .collect()
}

#[cfg(target_os = "linux")]
fn lives(pid: &String) -> bool {
    // A zombie has ended; only its parent has not asked yet.
    fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|stat| !stat.contains(") Z "))
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_process_that_ignores_its_end_is_killed_with_its_children() {
    for mode in ["stubborn", "parent"] {
        let desk = Desk::new();
        let gateway = desk.one(&[mode], json!({})).await;
        let pids = pids(&desk);
        assert_eq!(pids.iter().filter(|pid| lives(pid)).count(), 2, "{mode}");
        gateway.stop().await;
        until("the end of both", || !pids.iter().any(lives)).await;
    }
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_killed_gateway_leaves_no_process_behind() {
    let desk = Desk::new();
    drop(desk.gateway([desk.script("s", &["stubborn"], &json!({}))]));
    let directory = desk.0.path();
    let mut gateway = tokio::process::Command::new(env!("CARGO_BIN_EXE_gateway"))
        .arg("--config")
        .arg(directory.join("mcp.json"))
        .arg("--cache")
        .arg(directory.join("cache"))
        .arg("--upstream-lock")
        .arg(directory.join("upstreams.lock"))
        .arg("serve")
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap();
    until("the start", || desk.log("s").contains("tools/list")).await;
    let pids = pids(&desk);
    assert_eq!(pids.iter().filter(|pid| lives(pid)).count(), 2);
    // SIGKILL: the gateway has no time to end anything.
    gateway.kill().await.unwrap();
    let began = Instant::now();
    until("the end of both", || !pids.iter().any(lives)).await;
    assert!(
        began.elapsed() < Duration::from_secs(5),
        "{:?}",
        began.elapsed()
    );
}
