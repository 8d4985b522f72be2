//! The server over real sockets, with a client made of [`proto::tftp::receiver`].

use super::*;
use proto::tftp::{
    Mode,
    receiver::{Receiver, ReceiverStep},
};
use std::{fs, net::Ipv4Addr, time::Duration};
use tokio::time::timeout;

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

async fn place(limits: Limits, transfers: usize) -> TestServer {
    let dir = tempfile::tempdir().unwrap();
    let log = Arc::new(BootLog::default());
    log.learn(Ipv4Addr::LOCALHOST.into(), &[2; 6].into());
    let root = Root::new(dir.path(), vec!["/tftpboot".into()], Vec::new());
    let listeners = vec![SocketAddr::from(([127, 0, 0, 1], 0))];
    let settings = Settings {
        listeners,
        limits,
        transfers,
    };
    let tftp = Tftp::bind(settings, root, log.clone(), "pxelinux.cfg")
        .await
        .unwrap();
    let server = tftp.addresses()[0];
    let stop = CancellationToken::new();
    tokio::spawn(tftp.run(stop.clone()));
    TestServer {
        dir,
        server,
        log,
        stop,
    }
}

fn request(file: &str, options: &[(&str, &str)]) -> Request {
    let options = options
        .iter()
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    Request {
        write: false,
        file: file.to_owned(),
        mode: Mode::Octet,
        options: options.collect(),
    }
}

/// A client that loses every `lossy`th packet that it receives.
async fn fetch(server: SocketAddr, request: &Request, lossy: usize) -> Result<Vec<u8>, String> {
    let socket = UdpSocket::bind("127.0.0.1:0").await.unwrap();
    let first = Packet::Request(request.clone()).encode();
    socket.send_to(&first, server).await.unwrap();
    let mut receiver = Receiver::new();
    let (mut got, mut buffer, mut peer, mut count) = (Vec::new(), vec![0; 70_000], None, 0);
    loop {
        // Where nothing is lost on purpose, an answer that is late is not asked for again.
        let patience = Duration::from_millis(if lossy > 0 { 300 } else { 1000 });
        let Ok(received) = timeout(patience, socket.recv_from(&mut buffer)).await else {
            match (receiver.repeat(), peer) {
                (Some(block), Some(peer)) => {
                    socket.send_to(&Packet::Ack { block }.encode(), peer).await
                }
                _ => socket.send_to(&first, server).await,
            }
            .unwrap();
            continue;
        };
        let (length, from) = received.unwrap();
        count += 1;
        if lossy > 0 && count % lossy == 0 {
            continue;
        }
        let from = *peer.get_or_insert(from);
        let packet = Packet::decode(&buffer[..length]).unwrap();
        let answer = match receiver.receive(request, &packet) {
            ReceiverStep::Ignored => continue,
            ReceiverStep::Refused(why) => return Err(why),
            ReceiverStep::Answer(block) => block,
            ReceiverStep::Bytes { answer, last } => {
                let Packet::Data { bytes, .. } = packet else {
                    unreachable!()
                };
                got.extend_from_slice(bytes);
                if last {
                    let block = answer.unwrap();
                    socket
                        .send_to(&Packet::Ack { block }.encode(), from)
                        .await
                        .unwrap();
                    return Ok(got);
                }
                let Some(block) = answer else { continue };
                block
            }
        };
        socket
            .send_to(&Packet::Ack { block: answer }.encode(), from)
            .await
            .unwrap();
    }
}

fn content(size: usize) -> Vec<u8> {
    (0..size)
        .map(|index| u8::try_from(index % 251).unwrap())
        .collect()
}

#[tokio::test]
async fn files_arrive_with_and_without_options_and_over_bad_networks() {
    // What is lost comes again soon, and nobody is given up who is only slow.
    let limits = Limits {
        timeout: Duration::from_millis(50),
        retries: 1000,
        ..Limits::default()
    };
    let place = place(limits, 10).await;
    let file = content(300_001);
    fs::write(place.dir.path().join("kernel"), &file).unwrap();
    for (options, lossy) in [
        (vec![], 0),
        (vec![("blksize", "1432"), ("tsize", "0")], 0),
        (vec![("blksize", "1432"), ("windowsize", "8")], 0),
        (vec![("blksize", "1432"), ("windowsize", "8")], 7),
        (vec![("blksize", "65464"), ("windowsize", "64")], 0),
    ] {
        let got = fetch(place.server, &request("/tftpboot/kernel", &options), lossy)
            .await
            .unwrap();
        assert!(got == file, "{options:?}");
    }
}

#[tokio::test]
async fn a_thousand_clients_are_served_at_once() {
    let place = place(Limits::default(), 2000).await;
    let file = content(20_000);
    fs::write(place.dir.path().join("loader"), &file).unwrap();
    let mut clients = tokio::task::JoinSet::new();
    for number in 0..1000 {
        let (server, file) = (place.server, file.clone());
        clients.spawn(async move {
            let options = if number % 2 == 0 {
                vec![("blksize", "1432"), ("windowsize", "4")]
            } else {
                vec![]
            };
            fetch(server, &request("loader", &options), 0)
                .await
                .unwrap()
                == file
        });
    }
    let fine = clients.join_all().await;
    assert!(fine.len() == 1000 && fine.into_iter().all(|fine| fine));
}

#[tokio::test]
async fn names_that_lead_outside_are_refused() {
    let place = place(Limits::default(), 10).await;
    for name in ["../../etc/passwd", "/../etc/passwd", "..\\secret"] {
        let refused = fetch(place.server, &request(name, &[]), 0)
            .await
            .unwrap_err();
        assert!(refused.starts_with("access violation"), "{refused}");
    }
    let missing = fetch(place.server, &request("/etc/passwd", &[]), 0)
        .await
        .unwrap_err();
    assert!(missing.starts_with("file not found"), "{missing}");
    let write = Request {
        write: true,
        ..request("x", &[])
    };
    assert!(
        fetch(place.server, &write, 0)
            .await
            .unwrap_err()
            .contains("nothing can be written")
    );
}

#[tokio::test]
async fn the_log_tells_what_was_sent_and_what_not() {
    let file = |place: &TestServer| {
        fs::write(place.dir.path().join("pxelinux.0"), content(1000)).unwrap();
    };
    let patient = Limits {
        timeout: Duration::from_secs(60),
        ..Limits::default()
    };
    let patient = place(patient, 10).await;
    file(&patient);
    fetch(patient.server, &request("pxelinux.0", &[]), 0)
        .await
        .unwrap();
    fetch(patient.server, &request("ldlinux.c32", &[]), 0)
        .await
        .unwrap_err();
    // A client that asks and is never heard of again.
    let hasty = Limits {
        timeout: Duration::from_millis(10),
        retries: 1,
        ..Limits::default()
    };
    let hasty = place(hasty, 10).await;
    file(&hasty);
    let socket = UdpSocket::bind("127.0.0.1:0").await.unwrap();
    let silent = Packet::Request(request("pxelinux.0", &[("blksize", "512")])).encode();
    socket.send_to(&silent, hasty.server).await.unwrap();
    let seen = |place: &TestServer, wanted: fn(&Event) -> bool| {
        let log = place.log.clone();
        async move {
            while !log
                .timeline(&[2; 6].into())
                .iter()
                .any(|entry| wanted(&entry.event))
            {
                tokio::task::yield_now().await;
            }
        }
    };
    let all = async {
        seen(&patient, |event| {
            matches!(
                event,
                Event::Sent {
                    bytes: 1000,
                    resent: 0,
                    ..
                }
            )
        })
        .await;
        let missing: fn(&Event) -> bool =
            |event| matches!(event, Event::NotFound { path, .. } if path == "ldlinux.c32");
        seen(&patient, missing).await;
        seen(&hasty, |event| {
            matches!(
                event,
                Event::Stalled {
                    bytes: 0,
                    size: 1000,
                    block_size: 512,
                    ..
                }
            )
        })
        .await;
    };
    timeout(Duration::from_secs(30), all).await.unwrap();
}

#[tokio::test]
async fn text_is_converted_when_asked_for() {
    let place = place(Limits::default(), 10).await;
    fs::write(place.dir.path().join("t"), "a\nb\rc").unwrap();
    let text = Request {
        mode: Mode::Netascii,
        ..request("t", &[])
    };
    assert_eq!(fetch(place.server, &text, 0).await.unwrap(), b"a\r\nb\r\0c");
}
