//! The bus against servers that are played here: over real sockets, with our own frames.

use super::*;
use proto::amqp::{Frame, Method, PROTOCOL_HEADER, method};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
};

const LIMIT: u32 = 131_072;

/// One side of a conversation, frame by frame.
pub(crate) struct Peer {
    stream: TcpStream,
    bytes: Vec<u8>,
}

impl Peer {
    pub(crate) async fn accept(listener: &TcpListener) -> Self {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut header = [0; 8];
        stream.read_exact(&mut header).await.unwrap();
        assert_eq!(header, PROTOCOL_HEADER);
        let bytes = Vec::new();
        Self { stream, bytes }
    }

    pub(crate) async fn say(&mut self, channel: u16, method: Method) {
        let mut out = Vec::new();
        Frame::Method { channel, method }.encode(&mut out);
        self.stream.write_all(&out).await.unwrap();
    }

    /// The next frame; `None` when the other side hung up.
    async fn hear(&mut self) -> Option<Frame> {
        loop {
            if let Some((frame, length)) = Frame::decode(&self.bytes, LIMIT).unwrap() {
                self.bytes.drain(..length);
                return Some(frame);
            }
            let mut buffer = [0; 4096];
            match self.stream.read(&mut buffer).await.unwrap_or(0) {
                0 => return None,
                read => self.bytes.extend_from_slice(&buffer[..read]),
            }
        }
    }

    async fn method(&mut self) -> Method {
        loop {
            match self.hear().await {
                Some(Frame::Method { method, .. }) => return method,
                Some(_) => {}
                None => panic!("the connection ended"),
            }
        }
    }

    /// Lets a client in.
    pub(crate) async fn welcome(&mut self, heartbeat: u16) {
        let start = Method::ConnectionStart {
            major: 0,
            minor: 9,
            properties: Table::new(),
            mechanisms: b"PLAIN".to_vec(),
            locales: b"en_US".to_vec(),
        };
        self.say(0, start).await;
        let Method::ConnectionStartOk { response, .. } = self.method().await else {
            panic!("no login");
        };
        assert_eq!(response, b"\0u\0p");
        let tune = Method::ConnectionTune {
            channel_max: 0,
            frame_max: LIMIT,
            heartbeat,
        };
        self.say(0, tune).await;
        self.method().await;
        let Method::ConnectionOpen { vhost, .. } = self.method().await else {
            panic!("nothing opened");
        };
        assert_eq!(vhost, "v");
        let reserved = String::new();
        self.say(0, Method::ConnectionOpenOk { reserved }).await;
        self.method().await;
        let reserved = Vec::new();
        self.say(1, Method::ChannelOpenOk { reserved }).await;
        self.method().await;
        self.say(1, Method::ConfirmSelectOk {}).await;
    }

    /// Reads to the end of a message; returns its key and its text.
    pub(crate) async fn message(&mut self) -> (String, String) {
        let routing_key = loop {
            match self.method().await {
                Method::BasicPublish { routing_key, .. } => break routing_key,
                Method::ExchangeDeclare { .. } => {
                    self.say(1, Method::ExchangeDeclareOk {}).await;
                }
                Method::QueueDeclare { queue, .. } => {
                    let (messages, consumers) = (0, 0);
                    let ok = Method::QueueDeclareOk {
                        queue,
                        messages,
                        consumers,
                    };
                    self.say(1, ok).await;
                }
                Method::QueueBind { .. } => self.say(1, Method::QueueBindOk {}).await,
                other => panic!("{other:?}"),
            }
        };
        let Some(Frame::Header { size, .. }) = self.hear().await else {
            panic!("no header");
        };
        let mut body = Vec::new();
        while (body.len() as u64) < size {
            let Some(Frame::Body { bytes, .. }) = self.hear().await else {
                panic!("no body");
            };
            body.extend(bytes);
        }
        (routing_key, String::from_utf8(body).unwrap())
    }
}

fn settings(addresses: &str) -> BusSettings {
    BusSettings {
        address: Address::parse(addresses).unwrap(),
        tls: None,
        exchange: "ironic".into(),
        durable: false,
        auto_delete: false,
        quorum: false,
        heartbeat: Duration::from_secs(60),
        name: "test".into(),
    }
}

pub(crate) async fn listener() -> (TcpListener, String) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    (listener, format!("u:p@{address}"))
}

fn message(body: &str) -> Outgoing {
    Outgoing {
        queue: "topic.info".into(),
        body: body.into(),
    }
}

pub(crate) fn bus(addresses: &str) -> (Bus, CancellationToken) {
    let stop = CancellationToken::new();
    let bus = Bus::start(settings(addresses), stop.clone()).unwrap();
    (bus, stop)
}

#[tokio::test]
async fn an_order_is_done_when_all_of_it_is_confirmed() {
    let (listener, login) = listener().await;
    let (bus, _stop) = bus(&format!("rabbit://{login}/v"));
    let ordering =
        tokio::spawn(async move { bus.publish(vec![message("one"), message("two")]).await });
    let mut server = Peer::accept(&listener).await;
    server.welcome(0).await;
    assert_eq!(server.message().await, ("topic.info".into(), "one".into()));
    server.say(1, Method::BasicAck { tag: 1, flags: 0 }).await;
    assert_eq!(server.message().await.1, "two");
    assert!(!ordering.is_finished());
    server.say(1, Method::BasicAck { tag: 2, flags: 0 }).await;
    ordering.await.unwrap().unwrap();
}

#[tokio::test]
async fn what_is_left_of_an_order_is_told() {
    let (listener, login) = listener().await;
    let (bus, _stop) = bus(&format!("rabbit://{login}/v"));
    let order = |bus: &Bus| {
        let bus = bus.clone();
        let messages = ["one", "two", "three", "four"].map(message).into();
        tokio::spawn(async move { bus.publish(messages).await })
    };
    let first = order(&bus);
    let mut server = Peer::accept(&listener).await;
    server.welcome(0).await;
    for _ in 0..4 {
        server.message().await;
    }
    // A full queue refuses, which is no reason to repeat what others have taken.
    server.say(1, Method::BasicNack { tag: 2, flags: 0 }).await;
    let flags = method::MULTIPLE;
    server.say(1, Method::BasicAck { tag: 4, flags }).await;
    let undone = first.await.unwrap().unwrap_err();
    assert!(matches!(undone.reason, BusError::NotTaken), "{undone:?}");
    assert_eq!(undone.left, [1].into());

    let second = order(&bus);
    for _ in 0..4 {
        server.message().await;
    }
    server.say(1, Method::BasicAck { tag: 7, flags: 0 }).await;
    drop(server);
    let undone = second.await.unwrap().unwrap_err();
    assert!(
        matches!(undone.reason, BusError::Broken { .. }),
        "{undone:?}"
    );
    assert_eq!(undone.left, [0, 1, 3].into());
}

#[tokio::test]
async fn the_next_host_is_tried_and_a_broken_order_is_told() {
    let (dead, dead_login) = listener().await;
    drop(dead);
    let (live, login) = listener().await;
    let (bus, _stop) = bus(&format!("rabbit://{dead_login},{login}/v"));
    let first = tokio::spawn({
        let bus = bus.clone();
        async move { bus.publish(vec![message("one")]).await }
    });
    let mut server = Peer::accept(&live).await;
    server.welcome(0).await;
    server.message().await;
    drop(server);
    let broken = first.await.unwrap().unwrap_err().reason;
    assert!(matches!(broken, BusError::Broken { .. }), "{broken:?}");

    let again = tokio::spawn(async move { bus.publish(vec![message("one")]).await });
    let mut server = Peer::accept(&live).await;
    server.welcome(0).await;
    server.message().await;
    server.say(1, Method::BasicAck { tag: 1, flags: 0 }).await;
    again.await.unwrap().unwrap();
}

#[tokio::test]
async fn nobody_there_is_an_error_that_shows_no_password() {
    let (dead, login) = listener().await;
    drop(dead);
    let (bus, _stop) = bus(&format!("rabbit://{login}/v"));
    let refused = bus.publish(vec![message("one")]).await;
    let refused = refused.unwrap_err().reason;
    let text = types::error::chain(&refused);
    assert!(matches!(refused, BusError::Unreachable { .. }), "{text}");
    assert!(!text.contains("u:p"), "{text}");
}

#[tokio::test]
async fn an_exchange_with_other_settings_is_used_as_it_is() {
    let (listener, login) = listener().await;
    let (bus, _stop) = bus(&format!("rabbit://{login}/v"));
    let first = tokio::spawn({
        let bus = bus.clone();
        async move { bus.publish(vec![message("one")]).await }
    });
    let mut server = Peer::accept(&listener).await;
    server.welcome(0).await;
    let Method::ExchangeDeclare { flags: 0, .. } = server.method().await else {
        panic!("the exchange is not declared");
    };
    let close = Method::ChannelClose {
        code: 406,
        text: "PRECONDITION_FAILED".into(),
        class: 40,
        method: 10,
    };
    server.say(1, close).await;
    let refused = first.await.unwrap().unwrap_err().reason;
    assert!(
        matches!(refused, BusError::Refused { code: 406, .. }),
        "{refused:?}"
    );

    let again = tokio::spawn(async move { bus.publish(vec![message("one")]).await });
    let mut server = Peer::accept(&listener).await;
    server.welcome(0).await;
    let Method::ExchangeDeclare { flags, .. } = server.method().await else {
        panic!("the exchange is not declared");
    };
    assert_eq!(flags, method::PASSIVE);
    server.message().await;
    server.say(1, Method::BasicAck { tag: 1, flags: 0 }).await;
    again.await.unwrap().unwrap();
}

#[tokio::test]
async fn a_message_that_found_no_queue_is_not_done() {
    let (listener, login) = listener().await;
    let (bus, _stop) = bus(&format!("rabbit://{login}/v"));
    let ordering = tokio::spawn(async move { bus.publish(vec![message("one")]).await });
    let mut server = Peer::accept(&listener).await;
    server.welcome(0).await;
    server.message().await;
    let back = Method::BasicReturn {
        code: 312,
        text: "NO_ROUTE".into(),
        exchange: "ironic".into(),
        routing_key: "topic.info".into(),
    };
    server.say(1, back).await;
    server.say(1, Method::BasicAck { tag: 1, flags: 0 }).await;
    let returned = ordering.await.unwrap().unwrap_err().reason;
    assert!(matches!(returned, BusError::Returned(_)), "{returned:?}");
}

#[tokio::test]
async fn a_blocked_server_gets_nothing_until_it_asks_for_it() {
    let (listener, login) = listener().await;
    let (bus, _stop) = bus(&format!("rabbit://{login}/v"));
    let first = tokio::spawn({
        let bus = bus.clone();
        async move { bus.publish(vec![message("one")]).await }
    });
    let mut server = Peer::accept(&listener).await;
    server.welcome(0).await;
    server.message().await;
    let reason = "low on memory".to_owned();
    server.say(0, Method::ConnectionBlocked { reason }).await;
    server.say(1, Method::BasicAck { tag: 1, flags: 0 }).await;
    first.await.unwrap().unwrap();

    let second = tokio::spawn(async move { bus.publish(vec![message("two")]).await });
    // Whatever it says now is not a message: our question has to be answered first.
    server.say(1, Method::ChannelFlow { active: 0 }).await;
    assert_eq!(server.method().await, Method::ChannelFlowOk { active: 0 });
    server.say(0, Method::ConnectionUnblocked {}).await;
    assert_eq!(server.message().await.1, "two");
    server.say(1, Method::BasicAck { tag: 2, flags: 0 }).await;
    second.await.unwrap().unwrap();
}

#[tokio::test]
async fn signs_of_life_are_given_and_missed() {
    let (listener, login) = listener().await;
    let (bus, _stop) = bus(&format!("rabbit://{login}/v"));
    let ordering = tokio::spawn(async move { bus.publish(vec![message("one")]).await });
    let mut server = Peer::accept(&listener).await;
    server.welcome(1).await;
    server.message().await;
    assert_eq!(server.hear().await, Some(Frame::Heartbeat));
    // The server says nothing more, so the client takes it for dead.
    while server.hear().await.is_some() {}
    let silent = ordering.await.unwrap().unwrap_err().reason;
    assert!(matches!(silent, BusError::Broken { .. }), "{silent:?}");
}
