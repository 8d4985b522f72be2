//! Frames against bytes that pika wrote, and everything against itself.

use super::*;
use super::{field::Wire, method::*};
use proptest::prelude::*;

const LIMIT: u32 = 131_072;

fn bytes(hex: &str) -> Vec<u8> {
    (0..hex.len())
        .step_by(2)
        .map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap())
        .collect()
}

#[track_caller]
fn check(channel: u16, method: Method, hex: &str) {
    let frame = Frame::Method { channel, method };
    let known = bytes(hex);
    let mut out = Vec::new();
    frame.encode(&mut out);
    assert_eq!(out, known);
    assert_eq!(Frame::decode(&known, LIMIT), Ok(Some((frame, known.len()))));
}

fn text(value: &str) -> String {
    value.to_owned()
}

#[test]
fn methods_of_the_connection_are_those_of_pika() {
    let nack: Table = vec![(text("basic.nack"), true.into())];
    let properties = vec![
        (text("product"), "RabbitMQ".into()),
        (text("capabilities"), Value::Table(nack)),
    ];
    check(
        0,
        Method::ConnectionStart {
            major: 0,
            minor: 9,
            properties,
            mechanisms: b"PLAIN AMQPLAIN".to_vec(),
            locales: b"en_US".to_vec(),
        },
        "01000000000059000a000a0009000000340770726f6475637453000000085261626269744d510c6361706162696c6974696573460000000d0a62617369632e6e61636b74010000000e504c41494e20414d51504c41494e00000005656e5f5553ce",
    );
    check(
        0,
        Method::ConnectionStartOk {
            properties: vec![(text("product"), "Corten".into())],
            mechanism: text("PLAIN"),
            response: b"\0u\0p".to_vec(),
            locale: text("en_US"),
        },
        "0100000000002f000a000b000000130770726f647563745300000006436f7274656e05504c41494e000000040075007005656e5f5553ce",
    );
    let (channel_max, frame_max, heartbeat) = (2047, LIMIT, 60);
    check(
        0,
        Method::ConnectionTune {
            channel_max,
            frame_max,
            heartbeat,
        },
        "0100000000000c000a001e07ff00020000003cce",
    );
    check(
        0,
        Method::ConnectionTuneOk {
            channel_max,
            frame_max,
            heartbeat,
        },
        "0100000000000c000a001f07ff00020000003cce",
    );
    check(
        0,
        Method::ConnectionOpen {
            vhost: text("/"),
            reserved_1: text(""),
            reserved_2: 0,
        },
        "01000000000008000a0028012f0000ce",
    );
    let reserved = text("");
    check(
        0,
        Method::ConnectionOpenOk { reserved },
        "01000000000005000a002900ce",
    );
    check(
        0,
        Method::ConnectionClose {
            code: 320,
            text: text("CONNECTION_FORCED"),
            class: 10,
            method: 40,
        },
        "0100000000001c000a0032014011434f4e4e454354494f4e5f464f52434544000a0028ce",
    );
    check(0, Method::ConnectionCloseOk {}, "01000000000004000a0033ce");
    let reason = text("low on memory");
    check(
        0,
        Method::ConnectionBlocked { reason },
        "01000000000012000a003c0d6c6f77206f6e206d656d6f7279ce",
    );
    check(
        0,
        Method::ConnectionUnblocked {},
        "01000000000004000a003dce",
    );
}

#[test]
fn methods_of_the_channel_are_those_of_pika() {
    let reserved = text("");
    check(
        1,
        Method::ChannelOpen { reserved },
        "010001000000050014000a00ce",
    );
    let reserved = Vec::new();
    check(
        1,
        Method::ChannelOpenOk { reserved },
        "010001000000080014000b00000000ce",
    );
    check(
        1,
        Method::ChannelFlow { active: 1 },
        "010001000000050014001401ce",
    );
    check(
        1,
        Method::ChannelClose {
            code: 406,
            text: text("PRECONDITION_FAILED"),
            class: 40,
            method: 10,
        },
        "0100010000001e00140028019613505245434f4e444954494f4e5f4641494c45440028000ace",
    );
    check(1, Method::ChannelCloseOk {}, "0100010000000400140029ce");
    check(
        1,
        Method::ExchangeDeclare {
            reserved: 0,
            exchange: text("ironic"),
            kind: text("topic"),
            flags: DURABLE | EXCHANGE_AUTO_DELETE,
            arguments: Table::new(),
        },
        "010001000000180028000a00000669726f6e696305746f7069630600000000ce",
    );
    check(1, Method::ExchangeDeclareOk {}, "010001000000040028000bce");
    check(
        1,
        Method::QueueDeclare {
            reserved: 0,
            queue: text("q.info"),
            flags: DURABLE | QUEUE_AUTO_DELETE,
            arguments: vec![(text("x-queue-type"), "quorum".into())],
        },
        "0100010000002a0032000a000006712e696e666f0a000000180c782d71756575652d74797065530000000671756f72756dce",
    );
    check(
        1,
        Method::QueueDeclareOk {
            queue: text("q.info"),
            messages: 3,
            consumers: 1,
        },
        "010001000000130032000b06712e696e666f0000000300000001ce",
    );
    check(
        1,
        Method::QueueBind {
            reserved: 0,
            queue: text("q.info"),
            exchange: text("ironic"),
            routing_key: text("q.info"),
            no_wait: 0,
            arguments: Table::new(),
        },
        "0100010000002000320014000006712e696e666f0669726f6e696306712e696e666f0000000000ce",
    );
    check(1, Method::QueueBindOk {}, "0100010000000400320015ce");
    check(
        1,
        Method::BasicPublish {
            reserved: 0,
            exchange: text("ironic"),
            routing_key: text("q.info"),
            flags: MANDATORY,
        },
        "01000100000015003c002800000669726f6e696306712e696e666f01ce",
    );
    check(
        1,
        Method::BasicReturn {
            code: 312,
            text: text("NO_ROUTE"),
            exchange: text("ironic"),
            routing_key: text("q.info"),
        },
        "0100010000001d003c00320138084e4f5f524f5554450669726f6e696306712e696e666fce",
    );
    let flags = MULTIPLE;
    check(
        1,
        Method::BasicAck { tag: 7, flags },
        "0100010000000d003c0050000000000000000701ce",
    );
    check(
        1,
        Method::BasicNack { tag: 8, flags: 0 },
        "0100010000000d003c0078000000000000000800ce",
    );
    check(
        1,
        Method::ConfirmSelect { no_wait: 0 },
        "010001000000050055000a00ce",
    );
    check(1, Method::ConfirmSelectOk {}, "010001000000040055000bce");
}

#[test]
fn contents_are_those_of_pika() {
    let inner = vec![(text("y"), false.into())];
    let list = vec![Value::I32(1), "x".into(), Value::Table(inner)];
    let headers = vec![
        (text("t"), true.into()),
        (text("i"), Value::I32(-5)),
        (text("big"), Value::I64(1 << 40)),
        (text("s"), "text".into()),
        (text("n"), Value::Void),
        (
            text("sub"),
            Value::Table(vec![(text("a"), Value::Array(list))]),
        ),
    ];
    let properties = Properties {
        content_type: Some(text("application/json")),
        content_encoding: Some(text("utf-8")),
        headers: Some(headers),
        delivery_mode: Some(2),
        priority: Some(0),
        message_id: Some(text("m")),
        timestamp: Some(1_234_567_890),
        app_id: Some(text("a")),
        ..Properties::default()
    };
    for (frame, hex) in [
        (
            Frame::Header {
                channel: 1,
                size: 5,
                properties,
            },
            "02000100000081003c00000000000000000005f8c8106170706c69636174696f6e2f6a736f6e057574662d380000004a01747401016949fffffffb036269676c00000100000000000173530000000474657874016e5603737562460000001b0161410000001449000000015300000001784600000004017974000200016d00000000499602d20161ce",
        ),
        (
            Frame::Body {
                channel: 1,
                bytes: b"hello".to_vec(),
            },
            "0300010000000568656c6c6fce",
        ),
        (Frame::Heartbeat, "08000000000000ce"),
    ] {
        let known = bytes(hex);
        let mut out = Vec::new();
        frame.encode(&mut out);
        assert_eq!(out, known);
        assert_eq!(Frame::decode(&known, LIMIT), Ok(Some((frame, known.len()))));
    }
}

#[test]
fn frames_that_are_none_are_refused() {
    let heartbeat = "08000000000000ce";
    let decode = |hex: &str| Frame::decode(&bytes(hex), 4096);
    for cut in 0..7 {
        assert_eq!(decode(&heartbeat[..cut * 2]), Ok(None), "{cut}");
    }
    assert_eq!(decode("0800000000000000"), Err(DecodeError::NoEnd));
    assert_eq!(decode("09000000000000ce"), Err(DecodeError::FrameType(9)));
    assert_eq!(decode("0800000000000100ce"), Err(DecodeError::Surplus));
    let large = decode("03000000001000");
    assert_eq!(
        large,
        Err(DecodeError::TooLarge {
            size: 4104,
            limit: 4096
        })
    );
    let unknown = decode("0100000000000400630001ce");
    assert_eq!(
        unknown,
        Err(DecodeError::Method {
            class: 99,
            method: 1
        })
    );
    // Text and its end: `open-ok` with a length beyond the frame, and with something behind it.
    assert_eq!(
        decode("01000000000005000a002905ce"),
        Err(DecodeError::Short)
    );
    assert_eq!(
        decode("01000000000006000a00290000ce"),
        Err(DecodeError::Surplus)
    );
    assert_eq!(
        decode("01000000000006000a002901ffce"),
        Err(DecodeError::Text)
    );
}

#[test]
fn tables_end_somewhere() {
    let mut nested = Value::Void;
    for _ in 0..100 {
        nested = Value::Table(vec![(text("a"), nested)]);
    }
    let mut out = Vec::new();
    nested.put(&mut out);
    let read = Value::take(&mut field::Input::new(&out));
    assert_eq!(read, Err(DecodeError::Depth));
}

#[test]
fn short_texts_are_cut_at_a_character() {
    let long = "ü".repeat(200);
    let mut out = Vec::new();
    long.put(&mut out);
    assert_eq!(out[0], 254);
    let read = String::take(&mut field::Input::new(&out)).unwrap();
    assert_eq!(read, "ü".repeat(127));
}

proptest! {
    #[test]
    fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        if let Ok(Some((frame, length))) = Frame::decode(&bytes, 4096) {
            prop_assert!(length <= bytes.len());
            let mut again = Vec::new();
            frame.encode(&mut again);
            let read = Frame::decode(&again, 4096);
            prop_assert_eq!(read, Ok(Some((frame, again.len()))));
        }
    }
}
