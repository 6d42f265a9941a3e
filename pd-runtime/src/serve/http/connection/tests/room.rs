//! More connections than the limit allows.

use super::*;

const PATIENT: Duration = Duration::from_secs(60);

#[tokio::test]
async fn a_flood_of_connections_waits_and_is_served_in_the_end() {
    let site = TestServer::open(HttpOptions {
        max_connections: 2,
        ..options()
    })
    .await;
    let mut clients = Vec::new();
    for _ in 0..20 {
        let mut client = site.connect().await;
        client
            .write_all(b"GET / HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n")
            .await
            .unwrap();
        clients.push(client);
    }
    for mut client in clients {
        let mut answer = String::new();
        timeout(Duration::from_secs(10), client.read_to_string(&mut answer))
            .await
            .unwrap()
            .unwrap();
        assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    }
}

#[tokio::test]
async fn no_more_connections_are_served_than_there_may_be() {
    let site = TestServer::open(HttpOptions {
        max_connections: 2,
        ..options()
    })
    .await;
    let mut kept = [site.connect().await, site.connect().await];
    for client in &mut kept {
        client
            .write_all(b"GET /slow HTTP/1.1\r\nhost: localhost\r\n\r\n")
            .await
            .unwrap();
    }
    let mut third = site.connect().await;
    third.write_all(GET).await.unwrap();
    sleep(Duration::from_millis(700)).await;
    assert_eq!(read(&mut third).await, "", "it waits");
    let mut first = [0];
    for client in &mut kept {
        // A request under way ends with its answer.
        timeout(Duration::from_secs(5), client.read_exact(&mut first))
            .await
            .unwrap()
            .unwrap();
    }
    timeout(Duration::from_secs(5), third.read_exact(&mut first))
        .await
        .unwrap()
        .unwrap();
}

/// At the limit, silent clients make room: those that never sent anything, that stopped within a
/// head, and that have had their answer.
#[tokio::test]
async fn a_client_takes_the_place_of_a_silent_one() {
    let patient = HttpOptions {
        header_timeout: PATIENT,
        idle_timeout: PATIENT,
        ..options()
    };
    for before in [&b""[..], b"GET / HT", GET] {
        let site = TestServer::open(HttpOptions {
            max_connections: 80,
            ..patient.clone()
        })
        .await;
        let mut silent = Vec::new();
        for _ in 0..80 {
            let mut client = site.connect().await;
            client.write_all(before).await.unwrap();
            silent.push(client);
        }
        for _ in 0..12 {
            let mut client = site.connect().await;
            client.write_all(GET).await.unwrap();
            let mut first = [0];
            timeout(Duration::from_secs(3), client.read_exact(&mut first))
                .await
                .unwrap()
                .unwrap();
            silent.push(client);
        }
    }
}

#[tokio::test]
async fn nobody_makes_room_for_nobody() {
    let patient = HttpOptions {
        header_timeout: PATIENT,
        idle_timeout: PATIENT,
        ..options()
    };
    let site = TestServer::open(HttpOptions {
        max_connections: 2,
        ..patient
    })
    .await;
    let mut kept = [site.connect().await, site.connect().await];
    for _ in 0..2 {
        for client in &mut kept {
            client.write_all(GET).await.unwrap();
            assert!(read(client).await.starts_with("HTTP/1.1 200"));
        }
        sleep(Duration::from_millis(1_200)).await;
    }
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
    accept_next(accept).await;
    assert_eq!(tries.load(SeqCst), 3);
    assert!(began.elapsed() >= PAUSE, "one pause, for the lack of files");
}
