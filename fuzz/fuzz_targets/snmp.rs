//! Datagrams as an SNMP agent, or somebody who pretends to be one, may send them.
//!
//! The first byte chooses what reads them. Nothing may panic, and what is understood must survive
//! being written and read again.

#![cfg_attr(fuzzing, no_main)]

use corten_fuzz::fuzz_target;
use drivers::alert::Alert;
use proto::{
    ipmi::pet::PlatformEvent,
    snmp::{
        Pdu, PduKind,
        client::{Access, Client},
        message::{Message, ScopedPdu},
        trap::Trap,
        usm::{self, Auth, Hiding, Keys, Privacy, Secret, Signing, User},
    },
    wol,
};
use std::sync::LazyLock;

const ENGINE: &[u8] = b"\x80\x00\x1f\x88\x04agent";

/// Keys for every cipher, each with another hash.
static KEYS: LazyLock<Vec<Keys>> = LazyLock::new(|| {
    let auths = Auth::ALL.into_iter().cycle();
    let pairs = Privacy::ALL.into_iter().zip(auths);
    pairs
        .map(|(privacy, auth)| signing(auth, privacy).master().for_engine(ENGINE))
        .collect()
});

fn signing(auth: Auth, privacy: Privacy) -> Signing {
    Signing {
        auth,
        password: Secret(b"maplesyrup".to_vec()),
        hiding: Some(Hiding {
            privacy,
            password: Secret(b"pancakes".to_vec()),
        }),
    }
}

fuzz_target!(|input: &[u8]| {
    let Some((choice, bytes)) = input.split_first() else {
        return;
    };
    match choice % 4 {
        0 => message(bytes),
        1 => open(bytes),
        2 => hear(bytes),
        _ => {
            let _ = ScopedPdu::decode_prefix(bytes);
            let _ = wol::woken(bytes);
        }
    }
});

fn message(bytes: &[u8]) {
    if let Ok(trap) = Trap::decode(bytes) {
        assert!(Trap::decode(&trap.encode(1)).is_ok());
        if let Ok(Some(told)) = PlatformEvent::of(&trap) {
            assert!(!told.event.text(None).is_empty());
        }
    }
    if let Ok(alert) = Alert::decode(bytes) {
        // An event of the service: whatever was sent, it is short.
        assert!(alert.text.len() < 4096);
    }
    match Message::decode(bytes) {
        Ok(Message::Community(message)) => {
            let again = Message::decode(&message.encode());
            assert_eq!(again, Ok(Message::Community(message)));
        }
        Ok(Message::Usm(message)) => {
            let again = Message::decode(&message.encode());
            assert_eq!(again, Ok(Message::Usm(message)));
        }
        Err(_) => {}
    }
}

fn open(bytes: &[u8]) {
    let Some((choice, datagram)) = bytes.split_first() else {
        return;
    };
    let keys = &KEYS[usize::from(*choice) % KEYS.len()];
    if let Ok(Message::Usm(mut message)) = Message::decode(datagram) {
        let _ = usm::open(datagram, &message, Some(keys));
        // As if the code had been right, so that the ciphers are reached.
        message.flags.is_signed = false;
        let _ = usm::open(datagram, &message, Some(keys));
    }
}

/// The first two bytes are how long the first of two datagrams is.
fn hear(bytes: &[u8]) {
    let Some((length, rest)) = bytes.split_first_chunk::<2>() else {
        return;
    };
    let (first, second) = rest.split_at(usize::from(u16::from_be_bytes(*length)).min(rest.len()));
    let user = User {
        name: b"admin".to_vec(),
        signing: None,
    };
    let mut client = Client::new(Access::User {
        user,
        engine_id: None,
        context: Vec::new(),
    });
    let oid = "1.3.6.1.2.1.1.2.0".parse();
    let asked = Pdu::ask(PduKind::Get, 77, oid);
    for datagram in [first, second] {
        let _ = client.ask(&asked, 1, 1);
        let _ = client.hear(&asked, datagram, 1);
    }
    let _ = client.ask(&asked, u64::MAX, 1);
}
