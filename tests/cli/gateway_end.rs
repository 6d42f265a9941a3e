//! `pd-gateway serve` ends within two seconds, whatever its servers do, and leaves no process.

use super::gateway::Project;
use serde_json::json;
use std::{
    fs,
    io::Write,
    process::{Child, Command, Stdio},
    thread::sleep,
    time::{Duration, Instant},
};

/// A server that ignores SIGTERM, and writes its process id. `delay` is the length of its start.
fn serve(project: &Project, delay: u32, arguments: &[&str]) -> Child {
    let script = "trap '' TERM; echo $$ >pid; sleep \"$0\" & wait; while :; do sleep 1; done";
    let entry = json!({ "command": "sh", "args": ["-c", script, delay.to_string()], "cwd": project.0.path() });
    project.write(&json!({ "mcpServers": { "slow": entry } }).to_string());
    let mut command = project.command(&[&["serve"], arguments].concat());
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

fn signal(name: &str, process: u32) -> bool {
    let sent = Command::new("kill")
        .args(["-s", name, &process.to_string()])
        .stderr(Stdio::null())
        .status();
    sent.unwrap().success()
}

/// Whether a process runs. One that nobody has waited for yet has ended all the same.
fn is_alive(process: u32) -> bool {
    fs::read_to_string(format!("/proc/{process}/stat")).is_ok_and(|stat| !stat.contains(") Z "))
}

fn pid(project: &Project) -> u32 {
    let began = Instant::now();
    loop {
        let text = fs::read_to_string(project.0.path().join("pid")).unwrap_or_default();
        if let Ok(pid) = text.trim().parse() {
            return pid;
        }
        assert!(
            began.elapsed() < Duration::from_secs(20),
            "the server was not started"
        );
        sleep(Duration::from_millis(20));
    }
}

fn assert_ends(mut gateway: Child, limit: Duration, how: &str) {
    let began = Instant::now();
    while gateway.try_wait().unwrap().is_none() {
        assert!(began.elapsed() < limit, "{how}");
        sleep(Duration::from_millis(10));
    }
}

#[test]
fn the_gateway_ends_while_a_stubborn_server_starts() {
    for (how, arguments) in [
        ("eof", &[][..]),
        ("TERM", &[]),
        ("INT", &["--http", "127.0.0.1:0"]),
        ("INT INT", &[]),
    ] {
        let project = Project::new();
        let mut gateway = serve(&project, 40, arguments);
        let server = pid(&project);
        if how == "eof" {
            let mut input = gateway.stdin.take().unwrap();
            input.flush().unwrap();
        }
        for name in how.split(' ').filter(|name| *name != "eof") {
            assert!(signal(name, gateway.id()));
            sleep(Duration::from_millis(50));
        }
        let limit = if how == "INT INT" { 500 } else { 2_000 };
        assert_ends(gateway, Duration::from_millis(limit), how);
        let began = Instant::now();
        while is_alive(server) {
            assert!(
                began.elapsed() < Duration::from_secs(1),
                "{how}: the server is left over"
            );
            sleep(Duration::from_millis(10));
        }
    }
}
