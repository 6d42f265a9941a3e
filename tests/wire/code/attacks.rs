//! Programs that try to break out, or to keep the server busy.

use super::{builder, client_of, error, message, mode, run, run_with, texts};
use crate::harness::client::{Era, connect};
use pd_runtime::code::CodeMode;
use serde_json::json;
use std::time::{Duration, Instant};

fn short() -> CodeMode {
    mode()
        .cpu_time(Duration::from_millis(300))
        .run_timeout(Duration::from_secs(20))
}

#[tokio::test]
async fn loops_and_bombs_end_at_the_limits() {
    for (code, expected) in [
        ("for (;;);", "CpuLimit"),
        ("while (true) try { for (;;); } catch {}", "CpuLimit"),
        ("return /^(a+)+$/.test('a'.repeat(40) + 'b')", "CpuLimit"),
        ("return [3, 1, 2].sort(() => { for (;;); })", "CpuLimit"),
        ("return { toJSON() { for (;;); } }", "CpuLimit"),
        ("const f = () => f() + 1; return f()", "RangeError"),
        ("new Proxy({}, { get: (_, k, r) => r[k] }).x", "RangeError"),
        (
            "return JSON.parse('['.repeat(1e5) + ']'.repeat(1e5))",
            "RangeError",
        ),
        (
            "let a = []; for (let i = 0; i < 1e5; i++) a = [a]; return a",
            "RangeError",
        ),
        (
            "const a = []; for (;;) a.push(new Array(1000).fill(1.5))",
            "InternalError: out of memory",
        ),
        ("return new ArrayBuffer(2 ** 31)", ""),
        ("return 'a'.repeat(2 ** 29)", "InternalError: out of memory"),
        ("await new Promise(() => {})", "NeverSettles"),
        ("const f = () => Promise.resolve().then(f); await f()", ""),
        (
            "const f = async () => { await null; return f() }; await f()",
            "",
        ),
    ] {
        let begun = Instant::now();
        // Bombs may need longer than loops on a busy machine.
        let mode = if expected == "CpuLimit" {
            short()
        } else {
            short().cpu_time(Duration::from_secs(8))
        };
        let result = run_with(mode, code).await;
        assert!(message(&result).starts_with(expected), "{code}: {result}");
        assert!(begun.elapsed() < Duration::from_secs(15), "{code}");
    }
}

#[tokio::test]
async fn time_in_the_engines_own_code_counts_too() {
    // The engine checks no limit while it writes JSON, so the system ends the worker, after two seconds.
    let mode = mode()
        .cpu_time(Duration::from_millis(300))
        .memory_bytes(1 << 30);
    let begun = Instant::now();
    let result = run_with(mode, "return new Array(4e9)").await;
    assert!(message(&result).starts_with("CpuLimit"), "{result}");
    assert!(
        begun.elapsed() > Duration::from_secs(1),
        "the engine ended it: {:?}",
        begun.elapsed()
    );
}

#[tokio::test]
async fn nothing_of_the_system_is_within_reach() {
    let client = client_of(builder().code_mode(mode())).await;
    let absent = "return ['process', 'require', 'fetch', 'Deno', 'Bun', 'std', 'os', 'eval', 'WebAssembly', 'Worker', \
                  'XMLHttpRequest', 'SharedArrayBuffer', 'Atomics', 'setTimeout', 'module', 'exports', 'WeakRef'] \
                  .filter((name) => name in globalThis)";
    assert_eq!(texts(&run(&client, absent).await), ["[]"]);
    for code in [
        "return Function('return 1')()",
        "return new Function('return 1')()",
        "return (() => {}).constructor('return 1')()",
        "return (async () => {}).constructor('return 1')()",
        "return (function* () {}).constructor('return 1')()",
        "return (async function* () {}).constructor('return 1')()",
        "return tools.constructor('return 1')()",
        "return tools.orders.constructor('return 1')()",
        "return console.log.constructor('return 1')()",
        "return Reflect.construct(Object.getPrototypeOf(() => {}).constructor, ['return 1'])()",
        "return eval('1')",
        "return (0, eval)('1')",
        "return import('fs')",
        "return import('/etc/passwd')",
        "return require('fs')",
    ] {
        error(&run(&client, code).await);
    }
}

/// The worker tries it itself, after it was confined: this test holds what it must report.
#[cfg(target_os = "linux")]
#[test]
fn a_confined_worker_opens_no_file_and_no_socket_and_starts_no_process() {
    use std::{
        io::{BufRead, BufReader},
        process::{Command, Stdio},
    };
    let mut command = Command::new(env!("CARGO_BIN_EXE_library"));
    let mut worker = command
        .args(["code-worker", "5", "67108864"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(worker.stdout.take().unwrap())
        .read_line(&mut line)
        .unwrap();
    let status = std::fs::read_to_string(format!("/proc/{}/status", worker.id())).unwrap();
    let limits = std::fs::read_to_string(format!("/proc/{}/limits", worker.id())).unwrap();
    worker.kill().unwrap();
    worker.wait().unwrap();
    let ready: serde_json::Value = serde_json::from_str(&line).unwrap();
    assert_eq!(ready["ready"]["open_ways"], json!([]));
    let means = ready["ready"]["confinement"].as_array().unwrap();
    assert!(
        means.contains(&json!("resource limits")) && means.contains(&json!("seccomp")),
        "{ready}"
    );
    // 2 is a filter.
    assert!(
        status.contains("Seccomp:\t2") && status.contains("NoNewPrivs:\t1"),
        "{status}"
    );
    for limit in [
        "Max open files            0",
        "Max file size             0",
        "Max processes             0",
    ] {
        assert!(limits.contains(limit), "{limits}");
    }
}

#[tokio::test]
async fn a_program_that_tampers_harms_its_own_run_only() {
    let client = client_of(builder().code_mode(mode())).await;
    for code in [
        "Object.prototype.then = 1; Promise.prototype.then = null; return 1",
        "JSON.stringify = () => '{\"forged\":1}'; return 1",
        "Object.prototype.toJSON = () => 'x'; return {}",
        "Array.prototype[Symbol.iterator] = null; return await tools.orders({})",
        "globalThis.Map = null; Map.prototype.get = null; return 1",
        "}); for (const x of [1]) {} (async () => {",
        "tools = null",
        "delete globalThis.tools; tools.orders = () => 1; return 1",
        "Object.freeze(Object.prototype); Object.freeze(globalThis); return await tools.orders({})",
        "const { proxy } = Proxy.revocable({}, {}); return proxy",
    ] {
        run(&client, code).await;
        assert_eq!(
            texts(&run(&client, "return (await tools.orders({ limit: 1 }))[0].id").await),
            ["0"],
            "{code}"
        );
    }
}

#[tokio::test]
async fn nothing_leaks_between_runs() {
    let client = client_of(builder().code_mode(mode())).await;
    run(
        &client,
        "globalThis.secret = 1; Object.prototype.secret = 2; console.secret = 3; return 1",
    )
    .await;
    let read = run(
        &client,
        "return [typeof secret, typeof {}.secret, typeof console.secret]",
    )
    .await;
    assert_eq!(
        texts(&read),
        ["[\"undefined\",\"undefined\",\"undefined\"]"]
    );
}

#[tokio::test]
async fn a_name_that_is_shown_is_no_call_and_one_that_is_no_text_fails_at_once() {
    let client = client_of(builder().code_mode(mode())).await;
    let shown = run(
        &client,
        "console.log(tools.sales.orders); return `${tools.orders}` + tools.orders",
    )
    .await;
    assert_eq!(
        texts(&shown),
        ["tools.orderstools.orders", "Logs:\ntools.sales.orders"]
    );
    let begun = Instant::now();
    for (code, expected) in [
        (
            "await tools['\\ud800']({})",
            "TypeError: a name or an argument is no text in UTF-8",
        ),
        (
            "await tools.orders({ x: 'x'.repeat(3 << 20) })",
            "TypeError: the arguments have 3145736 bytes, over the limit of 2097152",
        ),
        (
            "const x = 'x'.repeat(2000000); await Promise.all(Array(9).fill(0).map(() => tools.wait({ milliseconds: 50, x })))",
            "ToolFailed: ",
        ),
        (
            "return Array(200000).fill({ a: 0 })",
            "AnswerTooLarge: the answer has 1600001 bytes",
        ),
    ] {
        let result = run(&client, code).await;
        assert!(message(&result).starts_with(expected), "{code}: {result}");
    }
    assert!(begun.elapsed() < Duration::from_secs(20));
}

/// An async runtime reserves address space for each of its threads, and may have many.
#[cfg(target_os = "linux")]
#[test]
fn a_worker_with_many_threads_has_the_memory_of_others() {
    use std::{
        io::{BufRead, BufReader, Write},
        process::{Command, Stdio},
    };
    let mut command = Command::new(env!("CARGO_BIN_EXE_library"));
    command
        .args(["code-worker", "20", "67108864"])
        .env("TOKIO_WORKER_THREADS", "64");
    let mut worker = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let code = "const a = []; for (let i = 0; i < 200000; i++) a.push({ i }); return a.length";
    let start = json!({ "start": {
        "code": code, "now": 0.0, "cpu_ms": 20_000, "memory_bytes": 64 << 20, "log_bytes": 100, "thrown_bytes": 100,
        "answer_bytes": 1_000,
    } });
    writeln!(worker.stdin.take().unwrap(), "{start}").unwrap();
    let last = BufReader::new(worker.stdout.take().unwrap())
        .lines()
        .last()
        .unwrap()
        .unwrap();
    worker.wait().unwrap();
    let end: serde_json::Value = serde_json::from_str(&last).unwrap();
    assert_eq!(end["done"]["answer"], 200_000, "{end}");
}

/// A worker that a fault of the engine has taken over: it speaks the protocol, and lies.
fn forged(lines: &str) -> (tempfile::TempDir, CodeMode) {
    use std::os::unix::fs::PermissionsExt;
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("worker");
    let script = format!(
        "#!/bin/sh\necho '{{\"ready\":{{\"confinement\":[],\"open_ways\":[]}}}}'\nread start\n{lines}\n"
    );
    std::fs::write(&path, script).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o700)).unwrap();
    (
        directory,
        CodeMode::new(path).run_timeout(Duration::from_secs(5)),
    )
}

#[tokio::test]
async fn forged_messages_get_nothing_that_a_program_would_not() {
    let call = |name: &str| {
        format!(
            "echo '{{\"request\":{{\"id\":1,\"operation\":\"call\",\"path\":[\"{name}\"],\"value\":{{}}}}}}'\nread answer\n"
        )
    };
    let done = "echo '{\"done\":{\"answer\":1,\"logs\":\"\"}}'\n";
    for (lines, expected) in [
        ("echo nonsense".to_owned(), "Worker"),
        (
            "echo '{\"ready\":{\"confinement\":[],\"open_ways\":[]}}'".to_owned(),
            "Worker",
        ),
        ("echo '{\"request\":{\"id\":-1}}'".to_owned(), "Worker"),
        (
            "head -c 100000000 /dev/zero | tr '\\0' 'a'; echo".to_owned(),
            "Worker",
        ),
        (
            call("'$(head -c 4000000 /dev/zero | tr '\\0' 'a')'"),
            "Worker",
        ),
        (
            format!("while true; do {} done", call("orders")),
            "CallLimit",
        ),
        ("kill -9 $$".to_owned(), "Worker"),
        ("sleep 100".to_owned(), "Timeout"),
    ] {
        let (_directory, mode) = forged(&lines);
        let result = run_with(mode, "return 1").await;
        assert!(message(&result).starts_with(expected), "{lines}: {result}");
    }
    let long = "'$(head -c 600000 /dev/zero | tr '\\0' 'a')'";
    let lines = format!(
        "echo '{{\"failed\":{{\"error\":{{\"name\":\"{long}\",\"message\":\"{long}\"}},\"logs\":\"{long}\"}}}}'"
    );
    let (_directory, mode) = forged(&lines);
    let result = run_with(mode, "return 1").await;
    assert!(result.to_string().len() < 10_000 && message(&result).starts_with("aaaa"));
    // Tools that are hidden, that write, and that were not described stay out of reach.
    let (_directory, mode) = forged(&format!("{}{}{done}", call("write"), call("nothing")));
    let desk = super::Desk::default();
    let client = client_of(super::builder_with(desk.clone()).code_mode(mode)).await;
    assert_eq!(texts(&run(&client, "return 1").await), ["1"]);
    assert_eq!(desk.written.load(std::sync::atomic::Ordering::SeqCst), 0);
}

#[tokio::test]
async fn an_unconfined_worker_is_refused_unless_the_author_allows_it() {
    use std::os::unix::fs::PermissionsExt;
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("worker");
    let script = "#!/bin/sh\necho '{\"ready\":{\"confinement\":[],\"open_ways\":[\"open files\"]}}'\nread start\n\
                  echo '{\"done\":{\"answer\":1,\"logs\":\"\"}}'\n";
    std::fs::write(&path, script).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o700)).unwrap();
    let refused = run_with(CodeMode::new(&path), "return 1").await;
    assert!(message(&refused).starts_with("Unavailable"), "{refused}");
    assert_eq!(
        texts(&run_with(CodeMode::new(&path).allow_unconfined(true), "return 1").await),
        ["1"]
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_thousand_runs_at_once_leave_the_server_responsive() {
    let limits = pd_runtime::Limits::default().queue_timeout(Duration::from_secs(120));
    let server = builder()
        .code_mode(mode().runs(8).runs_each(8))
        .limits(limits)
        .build()
        .unwrap();
    let client = connect(Era::Session, &server).await;
    client
        .call("describe_tools", json!({ "names": ["orders"] }))
        .await;
    let runs = (0..1_000).map(|_| run(&client, "return (await tools.orders({ limit: 3 })).length"));
    let all = futures::future::join_all(runs);
    let pings = async {
        let mut slowest = Duration::ZERO;
        for _ in 0..20 {
            let begun = Instant::now();
            client.call("orders", json!({ "limit": 1 })).await;
            slowest = slowest.max(begun.elapsed());
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        slowest
    };
    let (results, slowest) = tokio::join!(all, pings);
    assert!(results.iter().all(|result| texts(result) == ["3"]));
    assert!(slowest < Duration::from_secs(5), "{slowest:?}");
}
