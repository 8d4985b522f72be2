//! Datagrams and answers as a BMC, or somebody who pretends to be one, may send them.
//!
//! The first byte chooses the decoder. Nothing may panic, and what is understood must survive being
//! written and read again where there is a writer.

#![cfg_attr(fuzzing, no_main)]

use corten_fuzz::fuzz_target;
use proto::ipmi::{
    Privilege,
    client::{Credentials, Login, Nonce, Version},
    command::{
        boot, channel, chassis, dcmi,
        device::DeviceId,
        fru::Inventory,
        payload::Activated,
        sdr::{self, Record},
        sel,
        sensor::{Reading, Thresholds},
    },
    crypto::Key,
    handshake::{OpenRequest, OpenResponse, Rakp1, Rakp2, Rakp3, Rakp4, UserName},
    message::{Message, bridged_answer},
    packet::Packet,
    sol::{SolEnd, SolPacket},
    suite::Suite,
};

fuzz_target!(|input: &[u8]| {
    let Some((choice, bytes)) = input.split_first() else {
        return;
    };
    match choice % 8 {
        0 => packet(bytes),
        1 => message(bytes),
        2 => handshake(bytes),
        3 => records(bytes),
        4 => {
            let _ = Inventory::decode(bytes);
        }
        5 => serial(bytes),
        6 => answers(bytes),
        _ => login(bytes),
    }
});

fn packet(bytes: &[u8]) {
    if let Ok(Packet::V15(packet)) = Packet::decode(bytes) {
        let _ = packet.encode();
    }
}

fn message(bytes: &[u8]) {
    if let Ok(message) = Message::decode(bytes) {
        let again = message.encode();
        assert_eq!(Message::decode(&again), Ok(message.clone()));
        let _ = message.answer();
        let _ = bridged_answer(&message);
    }
}

fn handshake(bytes: &[u8]) {
    let _ = OpenRequest::decode(bytes);
    let _ = Rakp1::decode(bytes);
    let _ = Rakp3::decode(bytes);
    let _ = OpenResponse::decode(bytes);
    let _ = Rakp2::decode(bytes);
    let _ = Rakp4::decode(bytes);
}

fn records(bytes: &[u8]) {
    let _ = sdr::part(bytes);
    let _ = sdr::body_length(bytes);
    if let Ok(Record::Sensor(sensor)) = Record::decode(bytes)
        && let Some(conversion) = sensor.conversion
    {
        for raw in 0..=u8::MAX {
            let _ = conversion.value(raw);
        }
    }
}

fn serial(bytes: &[u8]) {
    let mut end = SolEnd::new(32);
    end.push(b"some characters that wait");
    for part in bytes.chunks(12) {
        let _ = end.take();
        if let Ok(packet) = SolPacket::decode(part) {
            let _ = end.receive(&packet, part.len() % 2 == 0);
        }
    }
}

fn answers(bytes: &[u8]) {
    let _ = channel::Capabilities::decode(bytes);
    let _ = chassis::Status::decode(bytes);
    let _ = chassis::Blink::decode(bytes);
    let _ = boot::Parameter::decode(bytes).and_then(|parameter| parameter.flags());
    let _ = channel::parse_suites(bytes);
    let _ = DeviceId::decode(bytes);
    let _ = Activated::decode(bytes);
    let _ = Reading::decode(bytes);
    let _ = Thresholds::decode(bytes);
    let _ = dcmi::PowerReading::decode(bytes);
    let _ = sel::LogInfo::decode(bytes);
    let _ = sel::SelEntry::decode(bytes);
    let _ = sel::part(bytes);
    let _ = sel::is_erased(bytes);
    if let Some(record) = bytes.first_chunk().copied()
        && let Ok(sel::Record::Event(entry)) = sel::Record::from_bytes(record)
    {
        let event = entry.event();
        assert!(!event.text(None).is_empty());
        // A state that has a severity is a known one.
        let _ = event.severity();
        let again = sel::SelEntry::from_bytes(entry.to_bytes().try_into().unwrap());
        assert_eq!(again, Ok(entry));
    }
}

/// A whole conversation: each datagram is preceded by its length.
fn login(bytes: &[u8]) {
    let credentials = Credentials {
        user: UserName::default(),
        password: Key::default(),
        bmc_key: Key::default(),
        privilege: Privilege::Administrator,
    };
    let nonce = Nonce {
        session: 1,
        random: [0; 16],
        tag: 0,
        iv: [0; 16],
    };
    for suite in [None, Suite::of_id(0), Suite::of_id(3), Suite::of_id(17)] {
        let version = suite.map_or(Version::V15, Version::V20);
        let (mut login, _) = Login::start(credentials.clone(), version, nonce);
        let mut rest = bytes;
        while let Some((&length, tail)) = rest.split_first() {
            let (datagram, tail) = tail.split_at(usize::from(length).min(tail.len()));
            rest = tail;
            if login.receive(datagram).is_err() {
                break;
            }
        }
    }
}
