//! Sessions that end behind the gateway's back, redirects, and credentials that a server refuses.

use super::*;

async fn odd_http(status: &str) -> (tokio::process::Child, String) {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/wire/gateway/odd_http.py");
    let mut command = tokio::process::Command::new("python3");
    let mut upstream =
        command.args([script, status]).stdout(std::process::Stdio::piped()).kill_on_drop(true).spawn().unwrap();
    let mut lines = BufReader::new(upstream.stdout.take().unwrap()).lines();
    let url = format!("http://127.0.0.1:{}", lines.next_line().await.unwrap().unwrap());
    (upstream, url)
}

#[tokio::test]
async fn a_lost_session_is_renewed_whatever_status_says_so() {
    for status in ["200", "400", "401", "403", "404", "410", "500", "503"] {
        let (_upstream, url) = odd_http(status).await;
        let desk = Desk::new();
        let gateway = desk.gateway([("web".to_owned(), json!({ "url": format!("{url}/mcp") }))]);
        gateway.refresh().await;
        let client = connect(Era::Session, &serve(&gateway)).await;
        assert_eq!(text(&client.call_described("web__read", json!({})).await), "1", "{status}");
        let refused = text(&client.call_described("web__bad", json!({})).await).to_owned();
        assert!(refused.contains("the tool did not run"), "{refused}");
        let expire = async || reqwest::Client::new().post(format!("{url}/expire")).body("{}").send().await.unwrap();
        expire().await;
        assert_eq!(text(&client.call("web__read", json!({})).await), "1", "{status}");
        client.describe("web__write").await;
        expire().await;
        let write = text(&client.call("web__write", json!({})).await).to_owned();
        let is_known = !matches!(status, "500" | "503");
        assert_eq!(write.contains("unknown whether"), !is_known, "{status}: {write}");
        assert!(!write.contains("Send other arguments"), "{write}");
        assert_eq!(text(&client.call("web__write", json!({})).await), "1", "{status}");
        assert!(gateway.status()[0].last_error.is_none(), "{:?}", gateway.status());
        gateway.stop().await;
    }
}

#[tokio::test]
async fn redirects_within_the_origin_are_followed_and_others_are_named() {
    let (_upstream, url) = odd_http("400").await;
    for (path, reason) in [
        ("moved", ""),
        ("found", "redirects to http://127.0.0.1"),
        ("away", "redirects to http://other.example/mcp; write"),
        ("denied?api_key=k", "check the query of `url`"),
    ] {
        let desk = Desk::new();
        let gateway = desk.gateway([("web".to_owned(), json!({ "url": format!("{url}/{path}") }))]);
        gateway.refresh().await;
        let status = gateway.status().remove(0);
        let error = status.last_error.unwrap_or_default();
        assert_eq!((error.is_empty(), status.needs_login), (reason.is_empty(), false), "{path}: {error}");
        assert!(error.contains(reason) && !error.contains("secret"), "{path}: {error}");
        gateway.stop().await;
    }
}
