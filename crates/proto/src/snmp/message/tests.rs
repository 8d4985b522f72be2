//! Messages on the wire.

use super::*;
use crate::snmp::{ErrorStatus, Oid, PduKind, Value};
use proptest::prelude::*;

/// The question for `sysObjectID.0` in version 1.
const GET: &[u8] =
    b"\x30\x29\x02\x01\x00\x04\x06public\xa0\x1c\x02\x04\x2b\x1a\x5c\x04\x02\x01\x00\
    \x02\x01\x00\x30\x0e\x30\x0c\x06\x08\x2b\x06\x01\x02\x01\x01\x02\x00\x05\x00";

#[test]
fn a_known_question_is_read_and_written() {
    let message = Message::decode(GET).unwrap();
    let Message::Community(message) = message else {
        panic!("another version");
    };
    assert_eq!(message.version, Version::V1);
    assert_eq!(message.community.0, b"public");
    let oid = "1.3.6.1.2.1.1.2.0".parse().unwrap();
    assert_eq!(message.pdu, Pdu::ask(PduKind::Get, 0x2b1a_5c04, [oid]));
    assert_eq!(message.encode(), GET);
    assert!(!format!("{message:?}").contains("public"));
}

#[test]
fn what_is_cut_short_or_too_long_is_refused() {
    for length in 0..GET.len() {
        assert!(Message::decode(&GET[..length]).is_err(), "{length}");
    }
    assert!(Message::decode(&[GET, &[0]].concat()).is_err());
    let mut other = GET.to_vec();
    other[4] = 2;
    assert_eq!(Message::decode(&other), Err(DecodeError::Version(2)));
}

fn any_oid() -> impl Strategy<Value = Oid> {
    proptest::collection::vec(any::<u32>(), 0..20)
        .prop_map(|rest| Oid::new(&[&[1, 3], &rest[..]].concat()).unwrap())
}

fn any_value() -> impl Strategy<Value = Value> {
    let octets = || proptest::collection::vec(any::<u8>(), 0..150);
    prop_oneof![
        any::<i32>().prop_map(Value::Integer),
        octets().prop_map(Value::Octets),
        any_oid().prop_map(Value::ObjectId),
        any::<[u8; 4]>().prop_map(Value::IpAddress),
        any::<u32>().prop_map(Value::Counter32),
        any::<u32>().prop_map(Value::Gauge32),
        any::<u32>().prop_map(Value::TimeTicks),
        octets().prop_map(Value::Opaque),
        any::<u64>().prop_map(Value::Counter64),
        Just(Value::Null),
        Just(Value::NoSuchObject),
        Just(Value::NoSuchInstance),
        Just(Value::EndOfMib),
    ]
}

fn any_pdu() -> impl Strategy<Value = Pdu> {
    let kinds = vec![
        PduKind::Get,
        PduKind::GetNext,
        PduKind::Response,
        PduKind::Set,
        PduKind::GetBulk,
        PduKind::Inform,
        PduKind::Trap,
        PduKind::Report,
    ];
    let bindings = proptest::collection::vec((any_oid(), any_value()), 0..5);
    let kind = proptest::sample::select(kinds);
    (kind, any::<i32>(), any::<i32>(), any::<i32>(), bindings).prop_map(
        |(kind, id, status, index, bindings)| Pdu {
            kind,
            id,
            status: ErrorStatus(status),
            index,
            bindings,
        },
    )
}

proptest! {
    #[test]
    fn messages_come_back(
        is_v1: bool, community in proptest::collection::vec(any::<u8>(), 0..40), pdu in any_pdu()
    ) {
        let message = CommunityMessage {
            version: if is_v1 { Version::V1 } else { Version::V2c },
            community: Community(community),
            pdu,
        };
        let decoded = Message::decode(&message.encode());
        prop_assert_eq!(decoded, Ok(Message::Community(message)));
    }

    #[test]
    fn garbage_does_no_harm(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let _ = Message::decode(&bytes);
    }

    #[test]
    fn a_broken_message_does_no_harm(pdu in any_pdu(), place: proptest::sample::Index, byte: u8) {
        let message = CommunityMessage {
            version: Version::V1,
            community: Community(b"public".to_vec()),
            pdu,
        };
        let mut bytes = message.encode();
        let place = place.index(bytes.len());
        bytes[place] = byte;
        let _ = Message::decode(&bytes);
    }
}
