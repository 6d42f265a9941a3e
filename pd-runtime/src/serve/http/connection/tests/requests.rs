//! Requests that arrive slowly or not at all.

use super::*;

#[tokio::test]
async fn a_client_that_says_nothing_is_given_up() {
    let site = TestServer::open(options()).await;
    let took = closed_after(&mut site.connect().await).await;
    assert!(about(took, 200), "{took:?}");
}

#[tokio::test]
async fn a_head_that_trickles_in_is_given_up() {
    let site = TestServer::open(options()).await;
    let (mut reader, mut writer) = site.connect().await.into_split();
    let trickling = tokio::spawn(async move {
        for byte in GET.iter().cycle() {
            if writer.write_all(&[*byte]).await.is_err() {
                break;
            }
            sleep(Duration::from_millis(20)).await;
        }
    });
    let began = Instant::now();
    let _ = reader.read_to_end(&mut Vec::new()).await;
    assert!(about(began.elapsed(), 200), "{:?}", began.elapsed());
    trickling.abort();
}

/// The time limit of a head begins with its first byte, not with the end of the last answer.
#[tokio::test]
async fn a_connection_rests_between_requests_and_not_for_ever() {
    let site = TestServer::open(options()).await;
    let mut client = site.connect().await;
    for _ in 0..3 {
        client.write_all(GET).await.unwrap();
        assert!(read(&mut client).await.starts_with("HTTP/1.1 200"));
        sleep(Duration::from_millis(400)).await;
    }
    client.write_all(GET).await.unwrap();
    assert!(read(&mut client).await.starts_with("HTTP/1.1 200"));
    let took = closed_after(&mut client).await;
    assert!(about(took, 700), "{took:?}");
}

#[tokio::test]
async fn a_second_head_that_stops_halfway_is_given_up() {
    let site = TestServer::open(options()).await;
    let mut client = site.connect().await;
    client.write_all(GET).await.unwrap();
    assert!(read(&mut client).await.starts_with("HTTP/1.1 200"));
    client.write_all(&GET[..10]).await.unwrap();
    let took = closed_after(&mut client).await;
    assert!(about(took, 200), "{took:?}");
}

#[tokio::test]
async fn a_head_that_is_too_large_is_refused() {
    let site = TestServer::open(options()).await;
    let mut client = site.connect().await;
    let head = format!(
        "GET / HTTP/1.1\r\nhost: localhost\r\nx: {}\r\n\r\n",
        "x".repeat(HEAD_MAX)
    );
    client.write_all(head.as_bytes()).await.unwrap();
    assert!(read(&mut client).await.starts_with("HTTP/1.1 431"));
}
