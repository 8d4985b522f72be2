//! The server over real sockets, with requests written by hand.

use super::*;
use std::{fs, net::Ipv4Addr};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

struct TestServer {
    dir: tempfile::TempDir,
    server: SocketAddr,
    log: Arc<BootLog>,
    stop: CancellationToken,
}

impl Drop for TestServer {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

async fn place(patience: Duration) -> TestServer {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("kernel"), (0..=255).collect::<Vec<u8>>()).unwrap();
    fs::write(dir.path().join("big"), vec![7; 8 << 20]).unwrap();
    let log = Arc::new(BootLog::default());
    log.learn(Ipv4Addr::LOCALHOST.into(), &[2; 6].into());
    let root = Root::new(dir.path(), vec!["/tftpboot".into()], Vec::new());
    let listeners = vec![SocketAddr::from(([127, 0, 0, 1], 0))];
    let settings = Settings {
        listeners,
        patience,
        ..Settings::default()
    };
    let http = Http::bind(settings, root, log.clone(), "pxelinux.cfg")
        .await
        .unwrap();
    let server = http.addresses()[0];
    let stop = CancellationToken::new();
    tokio::spawn(http.run(stop.clone()));
    TestServer {
        dir,
        server,
        log,
        stop,
    }
}

/// Sends a request and gives the head and the body of the answer.
async fn ask(place: &TestServer, request: &str, more: &str) -> (String, Vec<u8>) {
    let mut stream = TcpStream::connect(place.server).await.unwrap();
    let request = format!("{request} HTTP/1.1\r\nhost: h\r\nconnection: close\r\n{more}\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await.unwrap();
    let end = answer
        .windows(4)
        .position(|part| part == b"\r\n\r\n")
        .unwrap();
    let head = String::from_utf8(answer[..end].to_vec())
        .unwrap()
        .to_lowercase();
    (head, answer[end + 4..].to_vec())
}

const PATIENCE: Duration = Duration::from_secs(60);

#[tokio::test]
async fn files_and_parts_of_them_are_sent() {
    let place = place(PATIENCE).await;
    let whole: Vec<u8> = (0..=255).collect();
    let (head, body) = ask(&place, "GET /kernel", "").await;
    assert!(
        head.starts_with("http/1.1 200") && head.contains("content-length: 256"),
        "{head}"
    );
    assert_eq!(body, whole);
    let (head, body) = ask(&place, "GET /tftpboot/kernel", "range: bytes=250-\r\n").await;
    assert!(
        head.starts_with("http/1.1 206") && head.contains("content-range: bytes 250-255/256"),
        "{head}"
    );
    assert_eq!(body, whole[250..]);
    let (head, body) = ask(&place, "HEAD /kernel", "").await;
    assert!(head.contains("content-length: 256") && body.is_empty());
    let (head, _) = ask(&place, "GET /kernel", "range: bytes=256-\r\n").await;
    assert!(
        head.starts_with("http/1.1 416") && head.contains("bytes */256"),
        "{head}"
    );
    let (_, body) = ask(&place, "GET /big", "").await;
    assert_eq!(body.len(), 8 << 20);
}

#[tokio::test]
async fn a_changed_file_is_sent_whole() {
    let place = place(PATIENCE).await;
    let (head, _) = ask(&place, "HEAD /kernel", "").await;
    let tag = head
        .lines()
        .find_map(|line| line.strip_prefix("etag: "))
        .unwrap()
        .to_owned();
    let part = |tag: &str| format!("range: bytes=0-0\r\nif-range: {tag}\r\n");
    let (head, _) = ask(&place, "GET /kernel", &part(&tag)).await;
    assert!(head.starts_with("http/1.1 206"), "{head}");
    let (head, _) = ask(&place, "GET /kernel", &format!("if-none-match: {tag}\r\n")).await;
    assert!(head.starts_with("http/1.1 304"), "{head}");
    fs::write(place.dir.path().join("kernel"), "new").unwrap();
    let (head, body) = ask(&place, "GET /kernel", &part(&tag)).await;
    assert!(head.starts_with("http/1.1 200") && body == b"new", "{head}");
}

#[tokio::test]
async fn nothing_else_is_sent() {
    let place = place(PATIENCE).await;
    for (request, status) in [
        ("GET /none", 404),
        ("GET /", 404),
        ("GET /%2e%2e/secret", 403),
        ("GET /..%2fsecret", 403),
        ("GET /%zz", 400),
        ("GET /%ff", 400),
        ("PUT /kernel", 405),
    ] {
        let (head, _) = ask(&place, request, "").await;
        assert!(
            head.starts_with(&format!("http/1.1 {status}")),
            "{request}: {head}"
        );
    }
}

#[tokio::test]
async fn a_connection_that_stands_still_is_closed_and_logged() {
    let place = place(Duration::from_millis(100)).await;
    let mut stream = TcpStream::connect(place.server).await.unwrap();
    stream
        .write_all(b"GET /big HTTP/1.1\r\nhost: h\r\n\r\n")
        .await
        .unwrap();
    // Nothing is read, so at some point nothing more can be written.
    let aborted = |event: &Event| matches!(event, Event::Aborted { path, .. } if path == "big");
    let waiting = async {
        while !place
            .log
            .timeline(&[2; 6].into())
            .iter()
            .any(|entry| aborted(&entry.event))
        {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(30), waiting)
        .await
        .unwrap();
}
