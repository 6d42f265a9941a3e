//! Consumers that are killed before, during and after reading, and those that do not read.

use super::*;

/// More than kernels buffer for one connection.
const MANY: usize = 64;

#[tokio::test]
async fn who_is_killed_before_the_request_was_sent_takes_nothing() {
    let site = TestDataPlane::open(DataPlane::default()).await;
    let path = site.keep(days()).await;
    let mut client = TcpStream::connect(&site.address).await.unwrap();
    client
        .write_all(
            format!("POST {path} HTTP/1.1\r\nhost: x\r\ncontent-length: 10\r\n\r\n{{").as_bytes(),
        )
        .await
        .unwrap();
    sleep(Duration::from_millis(50)).await;
    drop(client);
    assert_eq!(site.fetch(&path, "{}").await.status, 200);
}

#[tokio::test]
async fn who_is_killed_before_reading_gives_the_rows_back() {
    let site = TestDataPlane::open(large()).await;
    let path = site.keep(megabytes(MANY)).await;
    drop(site.send("POST", &path, "{}").await);
    let again = site.fetch_when_free(&path, "{}").await;
    assert_eq!(
        (again.status, &again.body["total_rows"]),
        (200, &json!(MANY))
    );
}

#[tokio::test]
async fn who_is_killed_while_reading_gives_the_rows_back() {
    let site = TestDataPlane::open(large()).await;
    let path = site.keep(megabytes(MANY)).await;
    for _ in 0..3 {
        let mut client = site.send("POST", &path, "{}").await;
        let mut part = vec![0; 5 << 20];
        client.read_exact(&mut part).await.unwrap();
        assert_eq!(
            site.fetch(&path, "{}").await.status,
            409,
            "while one reads, another has to wait"
        );
        drop(client);
    }
    let again = site.fetch_when_free(&path, "{}").await;
    assert_eq!(
        (again.status, &again.body["total_rows"]),
        (200, &json!(MANY))
    );
    assert_eq!(site.fetch(&path, "{}").await.status, 404);
}

/// Resets the connection, as a crashed machine does, instead of closing it.
#[tokio::test]
async fn who_is_cut_off_gives_the_rows_back() {
    let site = TestDataPlane::open(large()).await;
    let path = site.keep(megabytes(MANY)).await;
    let mut client = site.send("POST", &path, r#"{"columns": ["text"]}"#).await;
    client.read_exact(&mut [0; 200]).await.unwrap();
    client.set_zero_linger().unwrap();
    drop(client);
    assert_eq!(site.fetch_when_free(&path, "{}").await.status, 200);
}

#[tokio::test]
async fn who_is_killed_after_reading_has_read() {
    let site = TestDataPlane::open(large()).await;
    for table in [days(), megabytes(8)] {
        let path = site.keep(table).await;
        let mut client = site.send("POST", &path, "{}").await;
        let mut text = Vec::new();
        client.read_to_end(&mut text).await.unwrap();
        drop(client);
        assert_eq!(site.fetch(&path, "{}").await.status, 404);
    }
}

#[tokio::test]
async fn who_does_not_read_loses_the_rows_to_others() {
    let options = HttpOptions {
        write_timeout: Duration::from_millis(300),
        ..HttpOptions::default()
    };
    let site = TestDataPlane::open_with(large(), options).await;
    let path = site.keep(megabytes(MANY)).await;
    let stalled = site.send("POST", &path, "{}").await;
    sleep(Duration::from_millis(100)).await;
    let busy = site.fetch(&path, "{}").await;
    assert!(
        busy.status == 409 && busy.head.contains("retry-after: 1"),
        "{busy:?}"
    );
    assert_eq!(site.fetch_when_free(&path, "{}").await.status, 200);
    drop(stalled);
}

#[tokio::test]
async fn two_answers_on_one_connection_are_told_apart() {
    let site = TestDataPlane::open(DataPlane::default()).await;
    let paths = [site.keep(days()).await, site.keep(days()).await];
    let mut client = TcpStream::connect(&site.address).await.unwrap();
    for path in &paths {
        let request = format!("POST {path} HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\n\r\n{{}}");
        client.write_all(request.as_bytes()).await.unwrap();
        let mut part = vec![0; 4_096];
        let read = client.read(&mut part).await.unwrap();
        assert!(part[..read].starts_with(b"HTTP/1.1 200"));
    }
    for path in &paths {
        assert_eq!(site.fetch(path, "{}").await.status, 404);
    }
}
