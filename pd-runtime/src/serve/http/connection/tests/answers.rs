//! Answers that are read slowly or not at all, and other properties of answers.

use super::*;

#[tokio::test]
async fn an_answer_may_take_its_time() {
    let site = TestServer::open(options()).await;
    let mut client = site.connect().await;
    client
        .write_all(b"GET /slow HTTP/1.1\r\nhost: localhost\r\n\r\n")
        .await
        .unwrap();
    sleep(Duration::from_millis(1_100)).await;
    assert!(read(&mut client).await.starts_with("HTTP/1.1 200"));
}

#[tokio::test]
async fn a_client_that_takes_nothing_of_an_answer_gives_its_place_to_another() {
    let site = TestServer::open(HttpOptions {
        max_connections: 1,
        ..options()
    })
    .await;
    let mut stalled = site.connect().await;
    stalled
        .write_all(b"GET /large HTTP/1.1\r\nhost: localhost\r\n\r\n")
        .await
        .unwrap();
    let mut next = site.connect().await;
    next.write_all(GET).await.unwrap();
    let began = Instant::now();
    let mut first = [0];
    timeout(Duration::from_secs(10), next.read_exact(&mut first))
        .await
        .expect("it waits for ever")
        .unwrap();
    assert!(about(began.elapsed(), 400), "{:?}", began.elapsed());
}

#[tokio::test]
async fn a_slow_reader_that_goes_on_reading_gets_all() {
    let site = TestServer::open(options()).await;
    let mut client = site.connect().await;
    client
        .write_all(b"GET /large HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n")
        .await
        .unwrap();
    let mut total = 0;
    let mut part = vec![0; 2 * 1024 * 1024];
    loop {
        let read = client.read(&mut part).await.unwrap();
        total += read;
        if read == 0 {
            break;
        }
        sleep(Duration::from_millis(20)).await;
    }
    assert!(total > LARGE, "{total}");
}

/// Reads often enough that no single write waits for long.
#[tokio::test]
async fn a_reader_that_takes_too_little_now_and_then_does_not_hold_an_answer() {
    let site = TestServer::open(HttpOptions {
        min_write_rate: 64 * 1024 * 1024,
        ..options()
    })
    .await;
    let mut client = site.connect().await;
    client
        .write_all(b"GET /large HTTP/1.1\r\nhost: localhost\r\n\r\n")
        .await
        .unwrap();
    let mut total = 0;
    let mut part = vec![0; 512 * 1024];
    while let Ok(read @ 1..) = client.read(&mut part).await {
        total += read;
        sleep(Duration::from_millis(100)).await;
    }
    assert!(total < LARGE, "{total}");
}

#[tokio::test]
async fn a_stream_that_nobody_reads_is_dropped() {
    struct Open(Arc<AtomicUsize>);
    impl Drop for Open {
        fn drop(&mut self) {
            self.0.fetch_sub(1, SeqCst);
        }
    }
    let open = Arc::new(AtomicUsize::new(0));
    let seen = open.clone();
    let events = move || {
        seen.fetch_add(1, SeqCst);
        let guard = Open(seen.clone());
        let events = futures::stream::repeat(Bytes::from(vec![b'x'; 64 * 1024]));
        Body::from_stream(events.map(move |part| Ok::<_, Infallible>((part, &guard).0)))
    };
    let site = TestServer::serve(
        Router::new().route("/", get(|| async move { events() })),
        options(),
    )
    .await;
    let mut client = site.connect().await;
    client.write_all(GET).await.unwrap();
    sleep(Duration::from_millis(200)).await;
    assert_eq!(open.load(SeqCst), 1);
    sleep(Duration::from_millis(800)).await;
    assert_eq!(open.load(SeqCst), 0);
}

#[tokio::test]
async fn who_answers_knows_the_peer() {
    let site = TestServer::open(options()).await;
    let mut client = site.connect().await;
    client.write_all(GET).await.unwrap();
    let own = client.local_addr().unwrap().to_string();
    assert!(read(&mut client).await.ends_with(&own));
}

#[tokio::test]
async fn what_is_under_way_is_answered_before_the_end() {
    let site = TestServer::open(options()).await;
    let mut busy = site.connect().await;
    let mut idle = site.connect().await;
    busy.write_all(b"GET /slow HTTP/1.1\r\nhost: localhost\r\n\r\n")
        .await
        .unwrap();
    idle.write_all(GET).await.unwrap();
    assert!(read(&mut idle).await.starts_with("HTTP/1.1 200"));
    site.quiet.cancel();
    assert!(closed_after(&mut idle).await < Duration::from_millis(300));
    assert!(
        TcpStream::connect(site.address).await.is_err(),
        "no new ones"
    );
    assert!(!site.serving.is_finished());
    let mut answer = String::new();
    busy.read_to_string(&mut answer).await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    timeout(Duration::from_secs(1), site.serving)
        .await
        .unwrap()
        .unwrap();
}
