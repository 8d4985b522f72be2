//! Servers of all kinds, and viewers that behave and that do not.

use super::*;
use crate::iface::{Console, Machine};
use proto::rfb::VERSION;
use serde_json::json;
use std::time::Duration;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    sync::oneshot,
};
use types::{JsonMap, LeaseProof, Node};

const LONG: Duration = Duration::from_secs(600);

fn screens() -> Screens {
    Screens::new(ScreenSettings {
        wait: Duration::from_secs(1),
        ..ScreenSettings::default()
    })
}

/// The bytes that come next, so many of them.
struct Viewer {
    line: ConsoleLine,
    heard: Vec<u8>,
}

impl Viewer {
    fn new(line: ConsoleLine) -> Self {
        Self {
            line,
            heard: Vec::new(),
        }
    }

    async fn hear(&mut self, count: usize) -> Vec<u8> {
        while self.heard.len() < count {
            match self.line.reader.next().await {
                Some(ConsoleOutput::Characters(more)) => self.heard.extend(more),
                other => panic!("{other:?}"),
            }
        }
        self.heard.drain(..count).collect()
    }

    async fn say(&mut self, bytes: &[u8]) {
        let said = ConsoleInput::Characters(bytes.to_vec());
        assert!(self.line.writer.send(said).await);
    }

    async fn greet(&mut self) {
        assert_eq!(self.hear(12).await, VERSION);
        self.say(VERSION).await;
        assert_eq!(self.hear(2).await, [1, 1]);
        self.say(&[1]).await;
        assert_eq!(self.hear(4).await, [0; 4]);
    }

    /// Why it ended.
    async fn end(&mut self) -> String {
        loop {
            match self.line.reader.next().await {
                Some(ConsoleOutput::Ended(reason)) => return reason,
                Some(_) => {}
                None => panic!("there is no reason"),
            }
        }
    }
}

const ALL: [u8; 10] = [3, 0, 0, 0, 0, 0, 2, 0x80, 1, 0x90];
const CHANGES: [u8; 10] = [3, 1, 0, 0, 0, 0, 2, 0x80, 1, 0x90];

#[tokio::test]
async fn a_picture_shows_what_is_typed() {
    let screens = screens();
    let node = NodeId::generate();
    let server = Server::Picture("m1".into());
    let screen = screens.join(node, &server, LONG).await.unwrap();
    let mut viewer = Viewer::new(screen.line);
    viewer.greet().await;
    viewer.say(&[0]).await;
    let init = viewer.hear(24 + 2).await;
    assert_eq!(init[..4], [2, 0x80, 1, 0x90]);
    assert_eq!(&init[24..], b"m1");
    viewer.say(&ALL).await;
    let head = viewer.hear(16).await;
    assert_eq!(head, [0, 0, 0, 1, 0, 0, 0, 0, 2, 0x80, 1, 0x90, 0, 0, 0, 0]);
    let first = viewer.hear(640 * 400 * 4).await;
    viewer.say(&CHANGES).await;
    viewer.say(&[4, 1, 0, 0, 0, 0, 0, b'a']).await;
    let head = viewer.hear(16).await;
    let (y, height) = (usize::from(head[7]), usize::from(head[11]));
    assert_eq!((head[6], height), (0, 18), "{head:?}");
    let rows = viewer.hear(640 * height * 4).await;
    assert_ne!(rows, first[y * 640 * 4..][..rows.len()]);
    screens.close(node);
    assert_eq!(viewer.end().await, "the console was switched off");
    assert_eq!(screen.ended.await.unwrap(), "the console was switched off");
}

#[tokio::test]
async fn viewers_that_misbehave_or_stay_too_long_are_sent_away() {
    let screens = screens();
    let server = Server::Picture("m1".into());
    let join = async |left| {
        let screen = screens.join(NodeId::generate(), &server, left).await;
        Viewer::new(screen.unwrap().line)
    };
    let mut viewer = join(LONG).await;
    viewer.say(b"GET / HTTP/1").await;
    let reason = viewer.end().await;
    assert!(reason.contains("RFB protocol version 3.8"), "{reason}");
    let mut viewer = join(LONG).await;
    viewer.greet().await;
    viewer.say(&[1, 99]).await;
    let reason = viewer.end().await;
    assert!(reason.contains("type 99"), "{reason}");
    let mut viewer = join(Duration::from_millis(1)).await;
    let reason = viewer.end().await;
    assert_eq!(reason, "the token of the console has ended");
}

#[tokio::test(start_paused = true)]
async fn silence_ends_it() {
    let screens = screens();
    let server = Server::Picture("m1".into());
    let node = NodeId::generate();
    let long = Duration::from_secs(3600);
    let screen = screens.join(node, &server, long).await.unwrap();
    let mut viewer = Viewer::new(screen.line);
    viewer.greet().await;
    assert_eq!(viewer.end().await, "nothing happened for a long time");
    let screen = screens.join(node, &server, long).await.unwrap();
    let mut viewer = Viewer::new(screen.line);
    let reason = viewer.end().await;
    assert_eq!(reason, "the viewer did not say what it speaks");
}

#[tokio::test]
async fn a_screen_has_room_for_some() {
    let screens = screens();
    let server = Server::Picture("m1".into());
    let node = NodeId::generate();
    let mut all = Vec::new();
    for _ in 0..VIEWERS {
        all.push(screens.join(node, &server, LONG).await.unwrap());
    }
    let full = screens.join(node, &server, LONG).await;
    assert!(matches!(full, Err(DriverError::Busy(_))));
    let last = all.pop().unwrap();
    drop(last.line);
    last.ended.await.unwrap();
    screens.join(node, &server, LONG).await.unwrap();
}

/// A server that says this to everybody, and then waits or closes.
async fn hostile(words: &'static [u8], closes: bool) -> VncServer {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        let mut kept = Vec::new();
        while let Ok((mut stream, _)) = listener.accept().await {
            stream.write_all(words).await.unwrap();
            if !closes {
                kept.push(stream);
            }
        }
    });
    VncServer {
        host: "127.0.0.1".into(),
        port,
        password: Some("s3cret".into()),
    }
}

async fn refusal(place: VncServer) -> DriverError {
    let screens = screens();
    let server = Server::Machine(place);
    let joined = screens.join(NodeId::generate(), &server, LONG).await;
    let error = joined.unwrap_err();
    assert!(!types::error::chain(&error).contains("s3cret"));
    error
}

#[tokio::test]
async fn servers_that_are_none_are_told_apart() {
    for (words, closes, expected) in [
        (&b"HTTP/1.1 400 Bad Request\r\n"[..], true, "Protocol"),
        (b"RFB 009.000\n", false, "Protocol"),
        (b"RFB 003.008\n\x01\x13", false, "Rejected"),
        (b"RFB 003.008\n\x00\xff\xff\xff\xff", true, "Unreachable"),
        (b"RFB 003.008\n\x00\x00\x00\x00\x04full", false, "Rejected"),
        (b"", true, "Unreachable"),
    ] {
        let error = refusal(hostile(words, closes).await).await;
        let said = format!("{error:?}");
        assert!(said.starts_with(expected), "{words:?}: {said}");
    }
    let closed = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let port = closed.local_addr().unwrap().port();
    drop(closed);
    let nobody = VncServer {
        host: "127.0.0.1".into(),
        port,
        password: None,
    };
    assert!(matches!(refusal(nobody).await, DriverError::Unreachable(_)));
}

#[tokio::test(start_paused = true)]
async fn a_silent_server_is_given_up() {
    let error = refusal(hostile(b"", false).await).await;
    let said = error.to_string();
    assert!(
        said.starts_with("RFB data not returned by 127.0.0.1:"),
        "{said}"
    );
}

#[tokio::test]
async fn where_no_connection_may_lead_none_is_made() {
    let loopback = outbound::Network::parse("loopback").unwrap();
    let screens = Screens::new(ScreenSettings {
        outbound: Policy::new(loopback, Vec::new(), Vec::new()),
        ..ScreenSettings::default()
    });
    let place = hostile(b"RFB 003.008\n", false).await;
    let refused = screens.reach(&Server::Machine(place)).await;
    let error = refused.err().unwrap();
    let text = types::error::chain(&error);
    assert!(text.contains("networks_denied"), "{text}");
}

/// A server that lets us in without a password, and passes what it hears on.
async fn open_server() -> (u16, oneshot::Receiver<TcpStream>) {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let (entered, enters) = oneshot::channel();
    tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        stream.write_all(VERSION).await.unwrap();
        let mut version = [0; 12];
        stream.read_exact(&mut version).await.unwrap();
        stream.write_all(&[1, 1]).await.unwrap();
        assert_eq!(stream.read_u8().await.unwrap(), 1);
        stream.write_all(&[0; 4]).await.unwrap();
        // Some tests only want to get in.
        let _ = entered.send(stream);
    });
    (port, enters)
}

#[tokio::test]
async fn who_may_only_watch_does_not_reach_the_machine() {
    let screens = Screens::new(ScreenSettings {
        is_read_only: true,
        ..ScreenSettings::default()
    });
    let (port, enters) = open_server().await;
    let server = Server::Machine(VncServer {
        host: "127.0.0.1".into(),
        port,
        password: None,
    });
    let screen = screens
        .join(NodeId::generate(), &server, LONG)
        .await
        .unwrap();
    let mut machine = enters.await.unwrap();
    let mut viewer = Viewer::new(screen.line);
    viewer.greet().await;
    let key = [4, 1, 0, 0, 0, 0, 0, b'a'];
    viewer.say(&[&[0][..], &key, &CHANGES].concat()).await;
    let mut heard = [0; 11];
    machine.read_exact(&mut heard).await.unwrap();
    assert_eq!(heard[0], 1);
    assert_eq!(heard[1..], CHANGES);
    drop(machine);
    let reason = viewer.end().await;
    assert_eq!(reason, "the VNC server closed the connection");
}

#[tokio::test]
async fn the_interface_notes_the_place_and_a_token() {
    let console = FakeGraphical(Arc::new(screens()));
    let mut node = Node::new(NodeId::generate(), "fake-hardware");
    let lease = LeaseProof::granted(node.id, 1);
    let info = JsonMap::new();
    let mut machine = Machine::new(&mut node, &info, &[]);
    console.start(&lease, &mut machine).await.unwrap();
    let noted = &machine.node.driver_internal_info;
    assert_eq!(noted.screen_place(), Some(("192.0.2.1", 5900)));
    let (token, created) = noted.screen_token().unwrap();
    assert_eq!(token.as_str().unwrap().len(), 43);
    assert!(types::Timestamp::from_naive(created.as_str().unwrap()).is_some());
    console.join_screen(&machine, LONG).await.unwrap();
    console.stop(&lease, &mut machine).await.unwrap();
    assert_eq!(machine.node.driver_internal_info.screen_token(), None);

    let (port, enters) = open_server().await;
    let info = json!({"vnc_address": "127.0.0.1", "vnc_port": port});
    let info = info.as_object().unwrap().clone();
    let mut machine = Machine::new(&mut node, &info, &[]);
    console.start(&lease, &mut machine).await.unwrap();
    drop(enters);
    let place = machine.node.driver_internal_info.screen_place();
    assert_eq!(place, Some(("127.0.0.1", port)));
    let off = Screens::new(ScreenSettings {
        is_on: false,
        ..ScreenSettings::default()
    });
    let refused = FakeGraphical(Arc::new(off))
        .start(&lease, &mut machine)
        .await;
    assert!(matches!(refused, Err(DriverError::InvalidParameter(_))));
}
