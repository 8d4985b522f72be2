//! A serial line against a BMC that is not always willing.

use super::*;
use crate::ipmi::{
    link::{Patience, Peer},
    wire::Wire,
};
use proto::ipmi::{
    Privilege,
    client::Credentials,
    crypto::Key,
    handshake::{Exchange, UserName},
    session::V20Session,
    sol::{BREAK, ENDED, REFUSED, UNAVAILABLE},
    suite::Suite,
};
use std::net::SocketAddr;
use tokio::{net::UdpSocket, time::timeout};

/// The other end of a line.
struct Bmc {
    socket: UdpSocket,
    peer: Option<SocketAddr>,
    session: Session,
}

/// A line in a session that is open already, and its other end.
async fn line() -> (Line, Bmc) {
    let exchange = Exchange {
        algorithms: Suite::of_id(17).unwrap().algorithms,
        console: 1,
        system: 2,
        console_random: [3; 16],
        system_random: [4; 16],
        guid: [5; 16],
        role: 4,
        user: UserName::new(b"u").unwrap(),
        password: Key::new(b"p").unwrap(),
        bmc_key: Key::default(),
    };
    let end = |ours, theirs| {
        let keys = exchange.keys();
        Session::V20(V20Session::new(ours, theirs, exchange.algorithms, keys))
    };
    let socket = UdpSocket::bind("127.0.0.1:0").await.unwrap();
    let peer = Peer {
        address: socket.local_addr().unwrap(),
        credentials: Credentials {
            user: exchange.user.clone(),
            password: exchange.password.clone(),
            bmc_key: Key::default(),
            privilege: Privilege::Administrator,
        },
        versions: Vec::new(),
    };
    let wire = Arc::new(Wire::default());
    let conversation = wire.talk(peer.address).await.unwrap();
    let line = Line {
        link: Link::new(wire, peer, Patience::default()),
        scribe: Scribe::idle(),
        live: Live::begun(conversation, end(1, 2)),
        end: SolEnd::new(100),
        sent: 0,
        resend: never(),
        hold: None,
        keep_alive: Duration::from_secs(20),
        ask: Instant::now() + Duration::from_secs(20),
        unanswered: 0,
        reply: None,
        heard: Vec::new(),
    };
    let bmc = Bmc {
        socket,
        peer: None,
        session: end(2, 1),
    };
    (line, bmc)
}

impl Bmc {
    async fn hears(&mut self) -> SolPacket {
        let mut buffer = [0; 1024];
        let received = self.socket.recv_from(&mut buffer);
        let received = timeout(Duration::from_secs(30), received).await;
        let (length, peer) = received.expect("a packet").unwrap();
        self.peer = Some(peer);
        let (kind, payload) = self.session.open(&buffer[..length]).unwrap();
        assert_eq!(kind, PayloadType::Sol);
        SolPacket::decode(&payload).unwrap()
    }

    async fn says(&mut self, packet: SolPacket) {
        let Session::V20(session) = &mut self.session else {
            panic!("an old session")
        };
        let datagram = session.seal(PayloadType::Sol, &packet.encode(), [7; 16]);
        let peer = self.peer.expect("somebody to talk to");
        self.socket.send_to(&datagram, peer).await.unwrap();
    }

    /// Takes so many characters of a packet, and says so.
    async fn takes(&mut self, packet: &SolPacket, count: usize, flags: u8) {
        let reply = SolPacket {
            acknowledged: packet.number,
            accepted: u8::try_from(count).unwrap(),
            flags,
            ..SolPacket::default()
        };
        self.says(reply).await;
    }
}

#[tokio::test]
async fn what_the_machine_does_not_take_waits_and_a_break_keeps_its_place() {
    let (mut line, mut bmc) = line().await;
    line.push(b"hello");
    line.send_break();
    line.push(b" there");
    let talk = async {
        let first = bmc.hears().await;
        assert_eq!(first.characters, b"hello");
        bmc.takes(&first, 2, REFUSED | UNAVAILABLE).await;
        let second = bmc.hears().await;
        assert_eq!(second.characters, b"llo");
        assert_ne!(second.number, first.number);
        bmc.takes(&second, 3, 0).await;
        let broken = bmc.hears().await;
        assert_eq!((broken.flags, broken.characters.len()), (BREAK, 0));
        bmc.takes(&broken, 0, 0).await;
        let last = bmc.hears().await;
        assert_eq!((last.flags, &*last.characters), (0, &b" there"[..]));
        bmc.takes(&last, 6, 0).await;
    };
    tokio::select! {
        () = talk => {}
        heard = line.next() => panic!("{heard:?}"),
    }
}

#[tokio::test]
async fn a_wait_that_is_abandoned_loses_nothing() {
    let (mut line, mut bmc) = line().await;
    line.push(b"x");
    let talk = async {
        let first = bmc.hears().await;
        bmc.takes(&first, 1, 0).await;
        for number in 1..=9 {
            let packet = SolPacket {
                number,
                characters: vec![b'0' + number],
                ..SolPacket::default()
            };
            bmc.says(packet.clone()).await;
            // As if the acknowledgement had been lost.
            assert_eq!(bmc.hears().await.acknowledged, number);
            bmc.says(packet).await;
            assert_eq!(bmc.hears().await.acknowledged, number);
        }
        bmc
    };
    let listen = async {
        let mut heard = Vec::new();
        while heard.len() < 9 {
            let next = line.next();
            if let Ok(characters) = timeout(Duration::from_micros(50), next).await {
                heard.extend(characters.unwrap());
            }
        }
        // The last acknowledgement is still to be given.
        let rest = timeout(Duration::from_millis(200), line.next()).await;
        assert!(rest.is_err(), "{rest:?}");
        heard
    };
    let (_bmc, heard) = tokio::join!(talk, listen);
    assert_eq!(heard, b"123456789");
}

#[tokio::test]
async fn a_bmc_may_end_it() {
    let (mut line, mut bmc) = line().await;
    line.push(b"x");
    let talk = async {
        let packet = bmc.hears().await;
        bmc.takes(&packet, 1, ENDED).await;
        std::future::pending::<()>().await;
    };
    tokio::select! {
        () = talk => {}
        ended = line.next() => {
            assert_eq!(ended.unwrap_err().to_string(), "the BMC ended it");
        }
    }
}
