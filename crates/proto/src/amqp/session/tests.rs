//! The conversation with a server that is played here, frame by frame.

use super::*;

fn login() -> Login {
    Login {
        user: "corten".into(),
        password: "hunter2".into(),
        vhost: "/".into(),
        heartbeat: 60,
        name: "test".into(),
    }
}

/// All frames of `bytes`.
fn frames(mut bytes: &[u8]) -> Vec<Frame> {
    let mut frames = Vec::new();
    while let Some((frame, length)) = Frame::decode(bytes, FRAME_MAX).unwrap() {
        frames.push(frame);
        bytes = &bytes[length..];
    }
    assert!(bytes.is_empty());
    frames
}

/// What the client says when it hears `method`.
fn heard(session: &mut Session, channel: u16, method: Method) -> Vec<Method> {
    let mut bytes = Vec::new();
    Frame::Method { channel, method }.encode(&mut bytes);
    // In two pieces, as streams arrive.
    let (first, second) = bytes.split_at(bytes.len() / 2);
    session.received(first).unwrap();
    session.received(second).unwrap();
    said(session)
}

fn said(session: &mut Session) -> Vec<Method> {
    let only_methods = |frame| match frame {
        Frame::Method { method, .. } => Some(method),
        _ => None,
    };
    frames(&session.output())
        .into_iter()
        .filter_map(only_methods)
        .collect()
}

fn start(mechanisms: &str) -> Method {
    Method::ConnectionStart {
        major: 0,
        minor: 9,
        properties: Table::new(),
        mechanisms: mechanisms.into(),
        locales: b"en_US".to_vec(),
    }
}

fn ready(frame_max: u32) -> Session {
    let mut session = Session::new(login());
    assert_eq!(session.output(), PROTOCOL_HEADER);
    heard(&mut session, 0, start("AMQPLAIN PLAIN"));
    let tune = Method::ConnectionTune {
        channel_max: 2047,
        frame_max,
        heartbeat: 20,
    };
    let answers = heard(&mut session, 0, tune);
    assert_eq!(answers.len(), 2, "tune-ok and open: {answers:?}");
    heard(
        &mut session,
        0,
        Method::ConnectionOpenOk {
            reserved: String::new(),
        },
    );
    heard(
        &mut session,
        1,
        Method::ChannelOpenOk {
            reserved: Vec::new(),
        },
    );
    assert_eq!(session.event(), None);
    heard(&mut session, 1, Method::ConfirmSelectOk {});
    assert_eq!(session.event(), Some(Event::Ready));
    session
}

#[test]
fn it_logs_in_by_what_the_server_offers() {
    for (offered, wanted, response) in [
        ("PLAIN AMQPLAIN", "PLAIN", b"\0corten\0hunter2".to_vec()),
        (
            "AMQPLAIN",
            "AMQPLAIN",
            b"\x05LOGINS\0\0\0\x06corten\x08PASSWORDS\0\0\0\x07hunter2".to_vec(),
        ),
    ] {
        let mut session = Session::new(login());
        session.output();
        let answers = heard(&mut session, 0, start(offered));
        let [
            Method::ConnectionStartOk {
                mechanism,
                response: given,
                ..
            },
        ] = &answers[..]
        else {
            panic!("{answers:?}");
        };
        assert_eq!((mechanism.as_str(), given), (wanted, &response));
    }
    let mut session = Session::new(login());
    let mut bytes = Vec::new();
    let method = start("EXTERNAL");
    Frame::Method { channel: 0, method }.encode(&mut bytes);
    let refused = session.received(&bytes).unwrap_err();
    assert_eq!(refused, SessionError::NoMechanism("EXTERNAL".into()));
}

#[test]
fn the_password_is_not_shown() {
    let session = Session::new(login());
    assert!(!format!("{session:?}").contains("hunter2"));
}

#[test]
fn messages_are_cut_to_the_agreed_size_and_confirmed_by_tag() {
    let mut session = ready(4096);
    assert_eq!(session.heartbeat(), 20);
    let body = vec![7; 10_000];
    let properties = Properties {
        delivery_mode: Some(2),
        ..Properties::default()
    };
    assert_eq!(session.publish("x", "k", &properties, &body), 1);
    assert_eq!(session.publish("x", "k", &properties, b""), 2);
    let sent = frames(&session.output());
    let [
        _,
        Frame::Header { size, .. },
        pieces @ ..,
        _,
        Frame::Header { size: 0, .. },
    ] = &sent[..]
    else {
        panic!("{sent:?}");
    };
    assert_eq!(*size, 10_000);
    let lengths: Vec<usize> = pieces
        .iter()
        .map(|piece| match piece {
            Frame::Body { bytes, .. } => bytes.len(),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(lengths, [4088, 4088, 1824]);

    heard(
        &mut session,
        1,
        Method::BasicAck {
            tag: 2,
            flags: MULTIPLE,
        },
    );
    heard(&mut session, 1, Method::BasicNack { tag: 3, flags: 0 });
    assert_eq!(
        session.event(),
        Some(Event::Confirmed {
            tag: 2,
            multiple: true
        })
    );
    assert_eq!(
        session.event(),
        Some(Event::Refused {
            tag: 3,
            multiple: false
        })
    );
}

#[test]
fn what_comes_back_is_told_and_its_content_skipped() {
    let mut session = ready(0);
    let mut bytes = Vec::new();
    let back = Method::BasicReturn {
        code: 312,
        text: "NO_ROUTE".into(),
        exchange: "x".into(),
        routing_key: "k".into(),
    };
    for frame in [
        Frame::Method {
            channel: 1,
            method: back,
        },
        Frame::Header {
            channel: 1,
            size: 2,
            properties: Properties::default(),
        },
        Frame::Body {
            channel: 1,
            bytes: b"hi".to_vec(),
        },
        Frame::Heartbeat,
    ] {
        frame.encode(&mut bytes);
    }
    session.received(&bytes).unwrap();
    let told = Event::Returned {
        text: "NO_ROUTE".into(),
    };
    assert_eq!(session.event(), Some(told));
    assert_eq!(session.event(), None);
}

#[test]
fn a_closed_channel_and_a_refused_login_say_why() {
    let mut session = ready(0);
    let close = Method::ChannelClose {
        code: 406,
        text: "PRECONDITION_FAILED - inequivalent arg 'durable'".into(),
        class: 40,
        method: 10,
    };
    assert_eq!(heard(&mut session, 1, close), [Method::ChannelCloseOk {}]);
    assert!(matches!(
        session.event(),
        Some(Event::Closed { code: 406, .. })
    ));

    let mut session = Session::new(login());
    session.output();
    heard(&mut session, 0, start("PLAIN"));
    let close = Method::ConnectionClose {
        code: 403,
        text: "ACCESS_REFUSED".into(),
        class: 0,
        method: 0,
    };
    assert_eq!(
        heard(&mut session, 0, close),
        [Method::ConnectionCloseOk {}]
    );
    assert!(matches!(
        session.event(),
        Some(Event::Closed { code: 403, .. })
    ));
}

#[test]
fn words_out_of_turn_and_other_protocols_end_it() {
    let mut session = Session::new(login());
    let mut bytes = Vec::new();
    let method = Method::ConfirmSelectOk {};
    Frame::Method { channel: 1, method }.encode(&mut bytes);
    assert_eq!(
        session.received(&bytes),
        Err(SessionError::OutOfTurn(85, 11))
    );
    let mut session = Session::new(login());
    let other = session.received(b"AMQP\x01\x01\0\x0a").unwrap_err();
    assert_eq!(other, DecodeError::Protocol.into());
    let mut session = Session::new(login());
    let http = session
        .received(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        .unwrap_err();
    assert!(matches!(http, SessionError::Decode(_)), "{http:?}");
}
