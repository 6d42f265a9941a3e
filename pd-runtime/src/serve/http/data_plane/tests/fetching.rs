//! Queries and their answers.

use super::*;

#[tokio::test]
async fn rows_are_given_once() {
    let site = TestDataPlane::open(DataPlane::default()).await;
    let path = site.keep(days()).await;
    let answer = site
        .fetch(&path, r#"{"row_ids": [2, 0], "columns": ["high"]}"#)
        .await;
    let rows = json!({ "body": [{ "_row_id": 0, "high": 21 }, { "_row_id": 2, "high": 23 }], "total_rows": 2 });
    assert_eq!((answer.status, &answer.body), (200, &rows), "{answer:?}");
    let length = rows.to_string().len();
    for header in [
        &format!("content-length: {length}"),
        "content-type: application/json",
        "cache-control: no-store",
    ] {
        assert!(answer.head.contains(header), "{header}: {}", answer.head);
    }
    let again = site.fetch(&path, "{}").await;
    assert_eq!(
        (again.status, again.body),
        (404, json!({ "error": "Unknown or expired resource" }))
    );
}

#[tokio::test]
async fn an_object_that_names_nothing_gets_all() {
    let site = TestDataPlane::open(DataPlane::default()).await;
    let path = site.keep(days()).await;
    let all = site.fetch(&path, "{}").await;
    assert_eq!((all.status, &all.body["total_rows"]), (200, &json!(3)));
    assert_eq!(
        all.body["body"][1],
        json!({ "_row_id": 1, "city": "Oslo", "high": 22 })
    );
}

#[tokio::test]
async fn who_gets_nothing_leaves_all_to_the_next() {
    let site = TestDataPlane::open(DataPlane::default()).await;
    let path = site.keep(days()).await;
    for none in [r#"{"row_ids": []}"#, r#"{"row_ids": [7]}"#] {
        let answer = site.fetch(&path, none).await;
        assert_eq!(
            (answer.status, answer.body),
            (200, json!({ "body": [], "total_rows": 0 }))
        );
    }
    for bad in [
        "",
        "null",
        "[]",
        "{",
        r#"{"row_ids": null}"#,
        r#"{"row_ids": ["0"]}"#,
        r#"{"columns": ["low"]}"#,
    ] {
        let answer = site.fetch(&path, bad).await;
        assert_eq!(answer.status, 400, "{bad}: {answer:?}");
        assert!(
            answer.body["error"]
                .as_str()
                .is_some_and(|told| !told.contains(&path[11..])),
            "{answer:?}"
        );
    }
    let unknown = site.fetch(&path, r#"{"columns": ["low"]}"#).await;
    assert_eq!(
        unknown.body["error"],
        "no such column: `low`; available: city, high"
    );
    for method in ["GET", "PUT", "DELETE", "OPTIONS", "PATCH"] {
        let answer = site.ask(method, &path, "{}").await;
        assert_eq!(answer.status, 405, "{method}");
        assert!(
            answer.head.contains("allow: post") && !answer.head.contains("access-control"),
            "{}",
            answer.head
        );
        assert!(answer.body["error"].is_string());
    }
    assert_eq!(site.fetch(&path, "{}").await.status, 200);
}

#[tokio::test]
async fn a_request_that_is_too_large_takes_nothing() {
    let options = HttpOptions {
        max_request_bytes: 1_000,
        ..HttpOptions::default()
    };
    let site = TestDataPlane::open_with(DataPlane::default(), options).await;
    let path = site.keep(days()).await;
    let large = format!(r#"{{"row_ids": [{}0]}}"#, "0,".repeat(1_000));
    let answer = site.fetch(&path, &large).await;
    assert!(
        answer.status == 413 && answer.body["error"].is_string(),
        "{answer:?}"
    );
    assert_eq!(site.fetch(&path, "{}").await.status, 200);
}

#[tokio::test]
async fn a_question_is_smaller_than_other_requests_and_a_strangers_is_not_read() {
    let site = TestDataPlane::open(DataPlane::default()).await;
    let path = site.keep(days()).await;
    for (path, length, status) in [
        (&*path, 256 * 1024 + 1, "413"),
        ("/s2sp/data/x", 1_000, "404"),
    ] {
        let mut client = TcpStream::connect(&site.address).await.unwrap();
        // What is announced never comes.
        let head = format!("POST {path} HTTP/1.1\r\nhost: x\r\ncontent-length: {length}\r\n\r\n");
        client.write_all(head.as_bytes()).await.unwrap();
        let mut begin = [0; 12];
        let answered =
            tokio::time::timeout(Duration::from_secs(5), client.read_exact(&mut begin)).await;
        assert!(answered.is_ok_and(|read| read.is_ok()), "{status}");
        assert!(
            begin.ends_with(status.as_bytes()),
            "{}",
            String::from_utf8_lossy(&begin)
        );
    }
    assert_eq!(site.fetch(&path, "{}").await.status, 200);
}

#[tokio::test]
async fn what_is_guessed_is_as_unknown_as_what_was_read() {
    let site = TestDataPlane::open(DataPlane::default()).await;
    let path = site.keep(days()).await;
    let (before, token) = path.split_at(path.len() - 43);
    assert_eq!(before, "/s2sp/data/");
    let other = if token.starts_with('A') { "B" } else { "A" };
    let bad = ["x", "%FF", &"%00".repeat(43)].map(str::to_owned);
    let near = [
        format!("{other}{}", &token[1..]),
        format!("{token}A"),
        "A".repeat(43),
    ];
    let guesses = bad.into_iter().chain(near);
    let unknown = json!({ "error": "Unknown or expired resource" });
    for guess in guesses {
        let answer = site.fetch(&format!("{before}{guess}"), "{}").await;
        assert_eq!(
            (answer.status, answer.body),
            (404, unknown.clone()),
            "{guess}"
        );
    }
    assert_eq!(site.fetch(&path, "{}").await.status, 200);
}

#[tokio::test]
async fn rows_wait_for_their_time_and_no_longer() {
    let site = TestDataPlane::open(DataPlane::default().ttl(Duration::from_millis(100))).await;
    let path = site.keep(days()).await;
    sleep(Duration::from_millis(150)).await;
    assert_eq!(site.fetch(&path, "{}").await.status, 404);
}

#[tokio::test]
async fn it_says_that_it_is_there_and_only_where_it_is() {
    let on = TestDataPlane::open(DataPlane::default()).await;
    let health = on.ask("GET", "/s2sp/health", "").await;
    assert_eq!(
        (health.status, health.body),
        (200, json!({ "status": "ok" }))
    );
    let off = TestDataPlane::open(DataPlane::off()).await;
    assert_eq!(off.ask("GET", "/s2sp/health", "").await.status, 404);
    let refused = off.server.store_rows(days()).await.unwrap_err();
    assert!(
        refused.code == "NO_DATA_PLANE" && refused.message.contains("`sync`"),
        "{refused}"
    );
}

#[tokio::test]
async fn what_is_too_much_is_refused_with_what_to_do() {
    let plane = DataPlane::default()
        .max_body_bytes(10_000)
        .max_bytes(1_500_000)
        .max_bodies(2);
    let site = TestDataPlane::open(plane).await;
    let path = site.keep(days()).await;
    let large = site.server.store_rows(megabytes(1)).await.unwrap_err();
    assert_eq!(large.code, "DATA_TOO_LARGE");
    site.keep(days()).await;
    let full = site.server.store_rows(days()).await.unwrap_err();
    assert!(
        full.code == "DATA_PLANE_FULL" && full.message.contains("`sync`"),
        "{full}"
    );
    assert_eq!(site.fetch(&path, "{}").await.status, 200);
    site.keep(days()).await;
}
