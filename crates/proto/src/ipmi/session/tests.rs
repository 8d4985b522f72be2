//! Sealing and opening, between two ends of one session.

use super::*;
use crate::ipmi::{
    handshake::{Exchange, UserName},
    suite::Suite,
};
use proptest::prelude::*;

fn pair(suite: u8) -> (V20Session, V20Session) {
    let exchange = Exchange {
        algorithms: Suite::of_id(suite).unwrap().algorithms,
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
    let side = |ours, theirs| V20Session::new(ours, theirs, exchange.algorithms, exchange.keys());
    (side(1, 2), side(2, 1))
}

#[test]
fn every_suite_brings_payloads_across() {
    for suite in Suite::ALL {
        let (console, system) = pair(suite.id);
        let (mut console, mut system) = (Session::V20(console), Session::V20(system));
        for text in [&b"hello"[..], b"", &[7; 100]] {
            let datagram = console.seal(text, [9; 16]);
            let (kind, payload) = system.open(&datagram).unwrap();
            assert_eq!(kind, PayloadType::Ipmi);
            assert_eq!(&*payload, text, "suite {}", suite.id);
            let again = system.open(&datagram).unwrap_err();
            assert_eq!(again, DecodeError::Replayed, "suite {}", suite.id);
        }
    }
}

#[test]
fn nothing_unprotected_enters_a_protected_session() {
    let (mut plain, _) = pair(0);
    let (_, mut system) = pair(3);
    let datagram = plain.seal(PayloadType::Ipmi, b"power off", [0; 16]);
    let Ok(Packet::V20(packet)) = Packet::decode(&datagram) else {
        panic!("not understood");
    };
    assert_eq!(system.open(&packet), Err(DecodeError::Forged));
}

#[test]
fn nothing_unhidden_enters_a_hidden_session() {
    let (mut console, _) = pair(2);
    let (_, mut system) = pair(3);
    // The keys are the same, only the cipher is missing.
    let datagram = console.seal(PayloadType::Ipmi, b"power off", [0; 16]);
    let Ok(Packet::V20(packet)) = Packet::decode(&datagram) else {
        panic!("not understood");
    };
    assert_eq!(system.open(&packet), Err(DecodeError::Forged));
}

#[test]
fn version_1_5_brings_messages_across() {
    for auth in [V15Auth::None, V15Auth::Md5, V15Auth::Straight] {
        let password = Key::new(b"0123456789abcdef").unwrap();
        let side =
            |next, expected| Session::V15(V15Session::new(8, auth, &password, next, expected));
        let (mut console, mut system) = (side(5, 90), side(90, 5));
        for text in [&b"one"[..], b"two"] {
            let datagram = console.seal(text, [0; 16]);
            assert_eq!(&*system.open(&datagram).unwrap().1, text);
            assert_eq!(system.open(&datagram), Err(DecodeError::Replayed));
        }
        let mut stranger = Session::V15(V15Session::new(8, auth, &Key::new(b"x").unwrap(), 7, 90));
        let datagram = stranger.seal(b"three", [0; 16]);
        let taken = system.open(&datagram);
        assert_eq!(taken.is_ok(), auth == V15Auth::None, "{auth:?}");
    }
}

proptest! {
    #[test]
    fn a_changed_packet_is_refused(suite in prop_oneof![Just(2u8), Just(3), Just(8), Just(17)], at: prop::sample::Index, change in 1u8..) {
        let (mut console, system) = pair(suite);
        let mut datagram = console.seal(PayloadType::Ipmi, b"chassis power off", [1; 16]);
        // The RMCP header is not protected.
        let at = 4 + at.index(datagram.len() - 4);
        datagram[at] ^= change;
        prop_assert!(Session::V20(system).open(&datagram).is_err());
    }

    #[test]
    fn each_number_is_new_once(numbers in proptest::collection::vec(1u32..60, 1..200)) {
        let mut window = Window::default();
        let mut seen = std::collections::BTreeSet::new();
        let mut newest = 0;
        for number in numbers {
            let admitted = window.admit(number);
            let expected = !seen.contains(&number) && number + Window::REACH > newest;
            prop_assert_eq!(admitted, expected, "{} after {}", number, newest);
            if admitted {
                seen.insert(number);
                newest = newest.max(number);
            }
        }
    }

    #[test]
    fn numbers_go_on_after_the_last(start in u32::MAX - 40..) {
        let mut window = Window::from(start);
        let mut number = start;
        for _ in 0..100 {
            number = match number.wrapping_add(1) { 0 => 1, next => next };
            prop_assert!(window.admit(number));
            prop_assert!(!window.admit(number));
        }
    }
}
