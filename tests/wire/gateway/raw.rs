//! Upstreams whose bytes are those of a test, over each transport.

use super::*;
use rmcp::ErrorData;

/// The longest time in which a call is settled that must not wait for its timeout.
const AT_ONCE: Duration = Duration::from_secs(8);

/// A gateway in front of a script that writes what its arguments say.
pub(super) struct RawUpstream {
    pub(super) gateway: Gateway,
    pub(super) client: Client,
    pub(super) desk: Desk,
    /// The process of a script over HTTP.
    _script: Option<tokio::process::Child>,
}

pub(super) const TRANSPORTS: [&str; 3] = ["stdio", "http", "sse"];

impl RawUpstream {
    pub(super) async fn open(transport: &str) -> Self {
        Self::with(transport, json!({}), &json!({})).await
    }

    /// Opens a gateway whose entry has these settings, in front of a server with these fixed answers.
    pub(super) async fn with(transport: &str, pd: Value, fixed: &Value) -> Self {
        let desk = Desk::new();
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/wire/gateway/raw_upstream.py");
        let answers = desk.0.path().join("fixed.json");
        fs::write(&answers, fixed.to_string()).unwrap();
        let log = desk.log_file("s");
        let args = [
            script,
            transport,
            log.to_str().unwrap(),
            answers.to_str().unwrap(),
        ];
        let (child, mut entry) = if transport == "stdio" {
            (None, json!({ "command": "python3", "args": args }))
        } else {
            let mut child = tokio::process::Command::new("python3")
                .args(args)
                .stdout(std::process::Stdio::piped())
                .kill_on_drop(true)
                .spawn()
                .unwrap();
            let port = BufReader::new(child.stdout.take().unwrap())
                .lines()
                .next_line()
                .await
                .unwrap()
                .unwrap();
            let path = if transport == "sse" { "sse" } else { "mcp" };
            (
                Some(child),
                json!({ "url": format!("http://127.0.0.1:{port}/{path}") }),
            )
        };
        entry["pd"] = pd;
        let gateway = desk.gateway([("s".to_owned(), entry)]);
        gateway.refresh().await;
        let server = gateway
            .builder()
            .gate(GateMode::Off)
            .listing(Listing::Full)
            .build()
            .unwrap();
        let client = connect(Era::Session, &server).await;
        Self {
            gateway,
            client,
            desk,
            _script: child,
        }
    }

    /// Calls the tool, which must answer at once. Returns the result, or the error as one.
    pub(super) async fn call(&self, arguments: Value) -> Value {
        let began = Instant::now();
        let called = tokio::time::timeout(
            Duration::from_secs(60),
            self.client.try_call("s__raw", arguments.clone()),
        );
        let result = called.await.expect("the call is settled");
        assert!(
            began.elapsed() < AT_ONCE,
            "{:?}: {:.300}",
            began.elapsed(),
            arguments.to_string()
        );
        match result {
            Ok(result) => result,
            Err(error) => {
                let ErrorData {
                    code,
                    message,
                    data,
                    ..
                } = crate::harness::client::error_of::<Value>(Err(error));
                json!({ "error": { "code": code.0, "message": message, "data": data } })
            }
        }
    }

    /// Calls the tool with a message of a result that is written as it is.
    pub(super) async fn result(&self, result: &str) -> Value {
        let message = format!(r#"{{"jsonrpc":"2.0","id":$ID,"result":{result}}}"#);
        self.call(json!({ "lines": [message] })).await
    }
}
