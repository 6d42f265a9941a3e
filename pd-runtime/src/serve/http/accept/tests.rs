#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, reason = "a test fails by panicking")]

//! Clients that are slow, silent, many, or gone.

use super::*;
use axum::{
    body::{Body, Bytes},
    extract::ConnectInfo,
    routing::get,
};
use futures::StreamExt;
use std::{
    sync::atomic::{AtomicUsize, Ordering::SeqCst},
    time::Instant,
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    task::JoinHandle,
    time::{sleep, timeout},
};

const GET: &[u8] = b"GET / HTTP/1.1\r\nhost: localhost\r\n\r\n";
const LARGE: usize = 32 * 1024 * 1024;

/// Short, and all different.
fn options() -> HttpOptions {
    HttpOptions {
        header_timeout: Duration::from_millis(200),
        idle_timeout: Duration::from_millis(800),
        write_timeout: Duration::from_millis(400),
        ..HttpOptions::default()
    }
}

struct Site {
    address: SocketAddr,
    quiet: CancellationToken,
    serving: JoinHandle<()>,
}

impl Site {
    async fn open(options: HttpOptions) -> Self {
        let app = Router::new()
            .route("/", get(|ConnectInfo(peer): ConnectInfo<SocketAddr>| async move { peer.to_string() }))
            .route("/slow", get(async || sleep(Duration::from_millis(1_000)).await))
            .route("/large", get(async || vec![b'x'; LARGE]));
        Self::serve(app, options).await
    }

    async fn serve(app: Router, options: HttpOptions) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let (address, quiet) = (listener.local_addr().unwrap(), CancellationToken::new());
        let stop = quiet.clone();
        let serving = tokio::spawn(async move { serve(listener, app, &options, stop).await });
        Self { address, quiet, serving }
    }

    async fn connect(&self) -> TcpStream {
        TcpStream::connect(self.address).await.unwrap()
    }
}

/// What comes before the connection is closed or silent for a while.
async fn read(client: &mut TcpStream) -> String {
    let (mut all, mut part) = (Vec::new(), [0; 4096]);
    while let Ok(Ok(read @ 1..)) = timeout(Duration::from_millis(100), client.read(&mut part)).await {
        all.extend_from_slice(&part[..read]);
    }
    String::from_utf8(all).unwrap()
}

/// How long it takes until the connection is closed.
async fn closed_after(client: &mut TcpStream) -> Duration {
    let began = Instant::now();
    let mut rest = Vec::new();
    // Closed with an error is closed.
    let _ = timeout(Duration::from_secs(10), client.read_to_end(&mut rest)).await.expect("it stays open");
    began.elapsed()
}

fn about(duration: Duration, millis: u64) -> bool {
    (Duration::from_millis(millis * 9 / 10)..Duration::from_millis(millis + 600)).contains(&duration)
}

#[tokio::test]
async fn a_client_that_says_nothing_is_given_up() {
    let site = Site::open(options()).await;
    let took = closed_after(&mut site.connect().await).await;
    assert!(about(took, 200), "{took:?}");
}

#[tokio::test]
async fn a_head_that_trickles_in_is_given_up() {
    let site = Site::open(options()).await;
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

/// The head's time begins with its first byte, not with the end of the last answer.
#[tokio::test]
async fn a_connection_rests_between_requests_and_not_for_ever() {
    let site = Site::open(options()).await;
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
    let site = Site::open(options()).await;
    let mut client = site.connect().await;
    client.write_all(GET).await.unwrap();
    assert!(read(&mut client).await.starts_with("HTTP/1.1 200"));
    client.write_all(&GET[..10]).await.unwrap();
    let took = closed_after(&mut client).await;
    assert!(about(took, 200), "{took:?}");
}

#[tokio::test]
async fn an_answer_may_take_its_time() {
    let site = Site::open(options()).await;
    let mut client = site.connect().await;
    client.write_all(b"GET /slow HTTP/1.1\r\nhost: localhost\r\n\r\n").await.unwrap();
    sleep(Duration::from_millis(1_100)).await;
    assert!(read(&mut client).await.starts_with("HTTP/1.1 200"));
}

#[tokio::test]
async fn a_client_that_takes_nothing_of_an_answer_gives_its_place_to_another() {
    let site = Site::open(HttpOptions { max_connections: 1, ..options() }).await;
    let mut stalled = site.connect().await;
    stalled.write_all(b"GET /large HTTP/1.1\r\nhost: localhost\r\n\r\n").await.unwrap();
    let mut next = site.connect().await;
    next.write_all(GET).await.unwrap();
    let began = Instant::now();
    let mut first = [0];
    timeout(Duration::from_secs(10), next.read_exact(&mut first)).await.expect("it waits for ever").unwrap();
    assert!(about(began.elapsed(), 400), "{:?}", began.elapsed());
}

#[tokio::test]
async fn a_slow_reader_that_goes_on_reading_gets_all() {
    let site = Site::open(options()).await;
    let mut client = site.connect().await;
    client.write_all(b"GET /large HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n").await.unwrap();
    let (mut total, mut part) = (0, vec![0; 2 * 1024 * 1024]);
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

/// Often enough that no single write waits for long.
#[tokio::test]
async fn a_reader_that_takes_too_little_now_and_then_does_not_hold_an_answer() {
    let site = Site::open(HttpOptions { min_write_rate: 64 * 1024 * 1024, ..options() }).await;
    let mut client = site.connect().await;
    client.write_all(b"GET /large HTTP/1.1\r\nhost: localhost\r\n\r\n").await.unwrap();
    let (mut total, mut part) = (0, vec![0; 512 * 1024]);
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
    let site = Site::serve(Router::new().route("/", get(|| async move { events() })), options()).await;
    let mut client = site.connect().await;
    client.write_all(GET).await.unwrap();
    sleep(Duration::from_millis(200)).await;
    assert_eq!(open.load(SeqCst), 1);
    sleep(Duration::from_millis(800)).await;
    assert_eq!(open.load(SeqCst), 0);
}

#[tokio::test]
async fn a_flood_of_connections_waits_and_is_served_in_the_end() {
    let site = Site::open(HttpOptions { max_connections: 2, ..options() }).await;
    let mut clients = Vec::new();
    for _ in 0..20 {
        let mut client = site.connect().await;
        client.write_all(b"GET / HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n").await.unwrap();
        clients.push(client);
    }
    for mut client in clients {
        let mut answer = String::new();
        timeout(Duration::from_secs(10), client.read_to_string(&mut answer)).await.unwrap().unwrap();
        assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    }
}

#[tokio::test]
async fn no_more_connections_are_served_than_there_may_be() {
    let site = Site::open(HttpOptions { max_connections: 2, ..options() }).await;
    let mut kept = [site.connect().await, site.connect().await];
    for client in &mut kept {
        client.write_all(GET).await.unwrap();
        assert!(read(client).await.starts_with("HTTP/1.1 200"));
    }
    let mut third = site.connect().await;
    third.write_all(GET).await.unwrap();
    assert_eq!(read(&mut third).await, "", "it waits");
    drop(kept);
    let mut first = [0];
    timeout(Duration::from_secs(5), third.read_exact(&mut first)).await.unwrap().unwrap();
}

#[tokio::test]
async fn a_head_that_is_too_large_is_refused() {
    let site = Site::open(options()).await;
    let mut client = site.connect().await;
    let head = format!("GET / HTTP/1.1\r\nhost: localhost\r\nx: {}\r\n\r\n", "x".repeat(HEAD_MAX));
    client.write_all(head.as_bytes()).await.unwrap();
    assert!(read(&mut client).await.starts_with("HTTP/1.1 431"));
}

#[tokio::test]
async fn who_answers_knows_the_peer() {
    let site = Site::open(options()).await;
    let mut client = site.connect().await;
    client.write_all(GET).await.unwrap();
    let own = client.local_addr().unwrap().to_string();
    assert!(read(&mut client).await.ends_with(&own));
}

#[tokio::test]
async fn what_is_under_way_is_answered_before_the_end() {
    let site = Site::open(options()).await;
    let (mut busy, mut idle) = (site.connect().await, site.connect().await);
    busy.write_all(b"GET /slow HTTP/1.1\r\nhost: localhost\r\n\r\n").await.unwrap();
    idle.write_all(GET).await.unwrap();
    assert!(read(&mut idle).await.starts_with("HTTP/1.1 200"));
    site.quiet.cancel();
    assert!(closed_after(&mut idle).await < Duration::from_millis(300));
    assert!(TcpStream::connect(site.address).await.is_err(), "no new ones");
    assert!(!site.serving.is_finished());
    let mut answer = String::new();
    busy.read_to_string(&mut answer).await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    timeout(Duration::from_secs(1), site.serving).await.unwrap().unwrap();
}

#[tokio::test]
async fn a_lack_of_files_is_waited_out() {
    const EMFILE: i32 = 24;
    let tries = AtomicUsize::new(0);
    let began = Instant::now();
    let accept = || {
        let error = match tries.fetch_add(1, SeqCst) {
            0 => Err(io::ErrorKind::ConnectionAborted.into()),
            1 => Err(io::Error::from_raw_os_error(EMFILE)),
            _ => Ok(()),
        };
        std::future::ready(error)
    };
    accepted(accept).await;
    assert_eq!(tries.load(SeqCst), 3);
    assert!(began.elapsed() >= PAUSE, "one pause, for the lack of files");
}
