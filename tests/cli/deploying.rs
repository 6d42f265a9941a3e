//! The files of `examples/deploy`, with a server, ports and directories of the tests' own: what a page tells administrators to
//! install works.
#![cfg(unix)]

use super::http::{Server, fetch, initialize};
use nix::{
    sys::signal::{Signal, kill},
    unistd::Pid,
};
use serde_json::json;
use std::{
    fs,
    io::{Read, Write},
    net::{TcpListener, TcpStream},
    path::Path,
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};
use tempfile::TempDir;

const UNIT: &str = include_str!("../../examples/deploy/shop.service");
const DOCKERFILE: &str = include_str!("../../examples/deploy/Dockerfile");
const NGINX: &str = include_str!("../../examples/deploy/nginx.conf");
const CADDY: &str = include_str!("../../examples/deploy/Caddyfile");
const LOGROTATE: &str = include_str!("../../examples/deploy/shop.logrotate");
const HOST: &str = "mcp.example.com";

/// Returns the flags behind `serve` in the unit file, with a directory and free ports in place of the machine's.
fn unit_flags(directory: &Path) -> Vec<String> {
    let (_, command) = UNIT
        .split_once("ExecStart=/usr/local/bin/shop serve ")
        .unwrap();
    let command = command.replace("\\\n", " ");
    let directory = directory.to_str().unwrap();
    let command = command
        .lines()
        .next()
        .unwrap()
        .replace("/var/log/shop", directory)
        .replace("%d", directory);
    command
        .replace(":8000", ":0")
        .replace(":9000", ":0")
        .split_whitespace()
        .map(str::to_owned)
        .collect()
}

/// Starts a server as the unit file does.
fn start(directory: &Path, more: &[&str]) -> Server {
    fs::write(directory.join("ticket-key"), "0a".repeat(32)).unwrap();
    let flags = unit_flags(directory);
    Server::start(
        &flags
            .iter()
            .map(String::as_str)
            .chain(more.iter().copied())
            .collect::<Vec<_>>(),
    )
}

fn until(mut is_so: impl FnMut() -> bool) {
    let began = Instant::now();
    while !is_so() {
        assert!(
            began.elapsed() < Duration::from_secs(20),
            "it takes too long"
        );
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Opens a session as a client of the public host, and returns its id.
fn session(url: &str, forwarded_for: &str) -> Result<String, String> {
    let head = format!("POST\nhost: {HOST}\nx-forwarded-for: {forwarded_for}");
    let answer = fetch(url, &head, &initialize().to_string());
    let id = answer.lines().find_map(|line| {
        line.to_lowercase()
            .strip_prefix("mcp-session-id: ")
            .map(str::to_owned)
    });
    id.ok_or(answer)
}

fn list(url: &str, session: &str) -> String {
    let message = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {} });
    fetch(
        url,
        &format!("POST\nhost: {HOST}\nmcp-session-id: {session}"),
        &message.to_string(),
    )
}

#[test]
fn the_unit_file_serves_rotates_its_audit_file_and_ends_with_0() {
    let directory = tempfile::tempdir().unwrap();
    let mut server = start(directory.path(), &[]);
    let [url, metrics] = [server.printed(), server.printed()];
    let audit = directory.path().join("audit.jsonl");
    assert!(list(&url, &session(&url, "").unwrap()).contains("\"hours\""));
    assert!(fetch(&metrics, "GET", "").contains("pd_sessions_open 1"));
    assert!(fetch(&url.replace("/mcp", "/health"), "GET", "").starts_with("HTTP/1.1 200"));
    until(|| fs::metadata(&audit).is_ok_and(|file| file.len() > 0));
    fs::rename(&audit, directory.path().join("audit.jsonl.1")).unwrap();
    assert!(UNIT.contains("ExecReload=/bin/kill -HUP $MAINPID"));
    kill(
        Pid::from_raw(server.process.id().try_into().unwrap()),
        Signal::SIGHUP,
    )
    .unwrap();
    until(|| audit.exists());
    assert_eq!(server.terminate(), Some(0));
}

#[test]
#[cfg_attr(not(systemd_analyze), ignore = "needs systemd-analyze")]
fn systemd_finds_no_mistake_in_the_unit_file() {
    let directory = tempfile::tempdir().unwrap();
    let unit = directory.path().join("shop.service");
    // systemd checks that the program exists.
    fs::write(
        &unit,
        UNIT.replace("/usr/local/bin/shop", env!("CARGO_BIN_EXE_library")),
    )
    .unwrap();
    let program = option_env!("SYSTEMD_ANALYZE").unwrap_or_default();
    let checked = Command::new(program)
        .args(["verify", "--man=no"])
        .arg(&unit)
        .output()
        .unwrap();
    let report = String::from_utf8(checked.stderr).unwrap();
    let ours: Vec<&str> = report
        .lines()
        .filter(|line| line.contains("shop.service"))
        .collect();
    assert!(checked.status.success() && ours.is_empty(), "{report}");
}

/// logrotate moves the file, and the server opens another one by the signal that `systemctl reload` sends.
#[test]
#[cfg_attr(not(logrotate), ignore = "needs logrotate")]
fn logrotate_loses_no_event() {
    let directory = tempfile::tempdir().unwrap();
    let mut server = start(directory.path(), &[]);
    let [url, _] = [server.printed(), server.printed()];
    let audit = directory.path().join("audit.jsonl");
    let events = || {
        fs::read_to_string(&audit)
            .unwrap_or_default()
            .lines()
            .count()
    };
    session(&url, "").unwrap();
    list(&url, &session(&url, "").unwrap());
    until(|| events() > 0);
    let before = events();
    let reload = format!("kill -HUP {}", server.process.id());
    let rules = LOGROTATE.replace("/var/log/shop/audit.jsonl", audit.to_str().unwrap());
    let rules = rules.replace("systemctl reload shop.service", &reload);
    assert!(rules.contains(&reload));
    let [file, state] = ["rules", "state"].map(|name| directory.path().join(name));
    fs::write(&file, rules).unwrap();
    let program = option_env!("LOGROTATE").unwrap_or_default();
    let rotated = Command::new(program)
        .arg("--force")
        .arg("--state")
        .args([&state, &file])
        .output()
        .unwrap();
    assert!(
        rotated.status.success() && rotated.stderr.is_empty(),
        "{rotated:?}"
    );
    let old = fs::read_to_string(directory.path().join("audit.jsonl.1")).unwrap();
    assert!(old.lines().count() >= before, "{old}");
    until(|| audit.exists());
    list(&url, &session(&url, "").unwrap());
    until(|| events() > 0);
    assert_eq!(server.terminate(), Some(0));
}

/// The words behind an instruction of the Dockerfile, which occurs once.
fn instruction(name: &str) -> Vec<String> {
    let prefix = format!("{name} [");
    let line = DOCKERFILE
        .lines()
        .find(|line| line.starts_with(&prefix))
        .unwrap();
    serde_json::from_str(&line[name.len()..]).unwrap()
}

/// Runs the Dockerfile's steps as a script, where no builder is: a directory for each stage in place of its file system. The crate
/// has no dependencies, so that this takes a second, and its program prints its arguments.
#[test]
fn the_steps_of_the_image_build_and_start_a_program() {
    let directory = tempfile::tempdir().unwrap();
    let [source, image] = ["source", "image"].map(|name| directory.path().join(name));
    fs::create_dir_all(source.join("src")).unwrap();
    fs::write(
        source.join("Cargo.toml"),
        "[package]\nname = \"shop\"\nedition = \"2024\"\n",
    )
    .unwrap();
    fs::write(
        source.join("src/main.rs"),
        "fn main() { std::env::args().skip(1).for_each(|word| println!(\"{word}\")) }",
    )
    .unwrap();
    let cargo = |command: &mut Command| {
        let output = command
            .current_dir(&source)
            .env_remove("CARGO_TARGET_DIR")
            .output()
            .unwrap();
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
    };
    // The page asks authors to commit this file.
    cargo(Command::new(env!("CARGO")).args(["generate-lockfile", "--offline"]));
    assert!(DOCKERFILE.contains("\nWORKDIR /source\nCOPY . .\nRUN "));
    let run = DOCKERFILE
        .lines()
        .find_map(|line| line.strip_prefix("RUN "))
        .unwrap();
    cargo(Command::new("sh").args(["-c", run]));
    let copy = DOCKERFILE
        .lines()
        .find_map(|line| line.strip_prefix("COPY --from=build /source/"))
        .unwrap();
    let (built, target) = copy.split_once(' ').unwrap();
    let target = image.join(target.trim_start_matches('/'));
    fs::create_dir_all(target.parent().unwrap()).unwrap();
    fs::copy(source.join(built), target).unwrap();
    let entry = &instruction("ENTRYPOINT")[0];
    let started = Command::new(image.join(entry.trim_start_matches('/')))
        .args(instruction("CMD"))
        .output()
        .unwrap();
    assert_eq!(
        String::from_utf8(started.stdout)
            .unwrap()
            .lines()
            .collect::<Vec<_>>(),
        instruction("CMD")
    );
}

/// The second stage has libraries of C and GCC alone.
#[test]
#[cfg(all(target_os = "linux", target_env = "gnu"))]
fn a_server_needs_no_library_that_the_image_lacks() {
    assert!(DOCKERFILE.contains("\nFROM gcr.io/distroless/cc-debian12:nonroot\n"));
    let libraries = Command::new("ldd")
        .arg(env!("CARGO_BIN_EXE_library"))
        .output()
        .unwrap();
    let libraries = String::from_utf8(libraries.stdout).unwrap();
    let names = libraries
        .lines()
        .filter_map(|line| line.split_whitespace().next()?.rsplit('/').next());
    let has = |name: &&str| {
        let known = [
            "linux-vdso.so.",
            "ld-linux",
            "libc.so.6",
            "libm.so.6",
            "libgcc_s.so.1",
            "libpthread.so.0",
        ];
        known.iter().any(|known| name.starts_with(known))
    };
    let (known, missing): (Vec<_>, Vec<_>) = names.partition(has);
    assert!(
        known.contains(&"libc.so.6") && missing.is_empty(),
        "{libraries}"
    );
}

#[test]
fn the_image_starts_a_server_that_others_reach() {
    let command = instruction("CMD");
    assert_eq!(command[0], "serve");
    let flags: Vec<&str> = command[1..]
        .iter()
        .map(|word| {
            if word == "0.0.0.0:8000" {
                "0.0.0.0:0"
            } else {
                word
            }
        })
        .collect();
    let mut server = Server::start(&flags);
    let url = server.printed();
    assert!(session(&url, "").is_ok());
    assert_eq!(server.terminate(), Some(0));
}

/// A proxy, and the server behind it. Both end when this is dropped.
struct Proxied {
    url: String,
    proxy: Child,
    _server: Server,
    _directory: TempDir,
}

impl Drop for Proxied {
    fn drop(&mut self) {
        let _ = self.proxy.kill();
        let _ = self.proxy.wait();
    }
}

impl Proxied {
    /// Starts a proxy with the file that `configure` makes from the ports of both and a directory.
    fn start(
        program: Option<&str>,
        arguments: &[&str],
        configure: impl Fn(&str, u16, &Path) -> String,
    ) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let mut server = start(directory.path(), &["--max-sessions-per-address", "1"]);
        let upstream = server.printed();
        // Free a moment ago, and the system gives out others first.
        let port = TcpListener::bind("127.0.0.1:0")
            .unwrap()
            .local_addr()
            .unwrap()
            .port();
        let address = upstream
            .trim_start_matches("http://")
            .trim_end_matches("/mcp");
        let path = directory.path();
        fs::write(path.join("proxy.conf"), configure(address, port, path)).unwrap();
        let mut command = Command::new(program.unwrap());
        // Caddy keeps its state below these.
        command
            .current_dir(path)
            .env("HOME", path)
            .env("XDG_DATA_HOME", path)
            .env("XDG_CONFIG_HOME", path);
        let proxy = command
            .args(arguments)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        until(|| TcpStream::connect(("127.0.0.1", port)).is_ok());
        let url = format!("http://127.0.0.1:{port}/mcp");
        Self {
            url,
            proxy,
            _server: server,
            _directory: directory,
        }
    }

    /// Checks what a proxy in front of the server has to do.
    fn check(&self) {
        let id = session(&self.url, "198.51.100.1").unwrap();
        assert!(list(&self.url, &id).contains("\"hours\""));
        let refused = session(&self.url, "198.51.100.2").unwrap_err();
        assert!(
            refused.starts_with("HTTP/1.1 429"),
            "the proxy passes on an address that a client made up: {refused}"
        );
        // The server accepts 4 MiB, and nginx alone 1 MiB.
        let large = fetch(
            &self.url,
            &format!("POST\nhost: {HOST}\nmcp-session-id: {id}"),
            &" ".repeat(2 << 20),
        );
        assert!(!large.starts_with("HTTP/1.1 413"), "{large}");
        assert!(self.begin_stream(&id).contains("text/event-stream"));
    }

    /// Opens the stream of a session, and returns its head, which a proxy that buffers holds back.
    fn begin_stream(&self, session: &str) -> String {
        let address = self
            .url
            .trim_start_matches("http://")
            .trim_end_matches("/mcp");
        let mut stream = TcpStream::connect(address).unwrap();
        stream
            .set_read_timeout(Some(Duration::from_secs(10)))
            .unwrap();
        write!(
            stream,
            "GET /mcp HTTP/1.1\r\nhost: {HOST}\r\naccept: text/event-stream\r\nmcp-session-id: {session}\r\n\r\n"
        )
        .unwrap();
        let mut head = [0; 512];
        // A proxy that buffers lets this time out.
        let length = stream.read(&mut head).unwrap();
        String::from_utf8_lossy(&head[..length]).to_lowercase()
    }
}

#[test]
#[cfg_attr(not(nginx), ignore = "needs nginx")]
fn nginx_passes_on_requests_streams_and_addresses() {
    let arguments = ["-p", ".", "-c", "proxy.conf", "-e", "stderr"];
    let proxied = Proxied::start(
        option_env!("NGINX"),
        &arguments,
        |upstream, port, directory| {
            let site = NGINX
                .replace("127.0.0.1:8000", upstream)
                .replace("listen 443 ssl", &format!("listen 127.0.0.1:{port}"))
                .lines()
                // Tests have no certificate.
                .filter(|line| !line.contains("ssl_certificate"))
                .collect::<Vec<_>>()
                .join("\n");
            let directory = directory.display();
            let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
                .map(|kind| format!("{kind}_temp_path {directory}/{kind};"))
                .join(" ");
            let own = format!("daemon off; master_process off; pid {directory}/pid; events {{}}");
            format!("{own} http {{ access_log off; {temporary}\n{site}\n}}")
        },
    );
    proxied.check();
}

#[test]
#[cfg_attr(not(caddy), ignore = "needs Caddy")]
fn caddy_passes_on_requests_streams_and_addresses() {
    let arguments = ["run", "--config", "proxy.conf", "--adapter", "caddyfile"];
    let proxied = Proxied::start(option_env!("CADDY"), &arguments, |upstream, port, _| {
        // Without TLS, and without the endpoint that changes its settings.
        let site = CADDY.replace("127.0.0.1:8000", upstream).replacen(
            HOST,
            &format!("http://{HOST}:{port}"),
            1,
        );
        format!("{{\n\tadmin off\n}}\n{site}")
    });
    proxied.check();
}
