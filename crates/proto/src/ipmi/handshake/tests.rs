//! Messages on the wire, and keys that both sides come to.

use super::*;
use crate::ipmi::suite::Suite;
use proptest::prelude::*;

fn exchange(suite: u8) -> Exchange {
    Exchange {
        algorithms: Suite::of_id(suite).unwrap().algorithms,
        console: 0x0403_0201,
        system: 0x0807_0605,
        console_random: [0x11; 16],
        system_random: [0x22; 16],
        guid: [0x33; 16],
        role: 0x14,
        user: UserName::new(b"admin").unwrap(),
        password: Key::new(b"password").unwrap(),
        bmc_key: Key::default(),
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn messages_survive_the_wire() {
    let algorithms = Suite::of_id(17).unwrap().algorithms;
    let open = OpenRequest {
        tag: 1,
        privilege: Some(Privilege::Operator),
        console: 7,
        algorithms,
    };
    assert_eq!(OpenRequest::decode(&open.encode()), Ok(Ok(open)));
    for outcome in [
        Ok(Opened {
            privilege: 4,
            system: 9,
            algorithms,
        }),
        Err(Status::NO_SUITE),
    ] {
        let answer = OpenResponse {
            tag: 1,
            console: 7,
            outcome,
        };
        assert_eq!(OpenResponse::decode(&answer.encode()), Ok(answer));
    }
    let first = Rakp1 {
        tag: 2,
        system: 9,
        console_random: [5; 16],
        role: 4,
        user: UserName::new(b"root").unwrap(),
    };
    assert_eq!(Rakp1::decode(&first.encode()), Ok(first));
    let second = Rakp2 {
        tag: 2,
        console: 7,
        outcome: Ok(SystemProof {
            random: [6; 16],
            guid: [7; 16],
            code: vec![8; 20],
        }),
    };
    assert_eq!(Rakp2::decode(&second.encode()), Ok(second));
    let third = Rakp3 {
        tag: 3,
        system: 9,
        outcome: Ok(vec![1; 20]),
    };
    assert_eq!(Rakp3::decode(&third.encode()), Ok(third));
    let fourth = Rakp4 {
        tag: 3,
        console: 7,
        outcome: Err(Status::INVALID_CHECK_VALUE),
    };
    assert_eq!(Rakp4::decode(&fourth.encode()), Ok(fourth));
}

#[test]
fn short_refusals_are_understood() {
    let refused = OpenResponse::decode(&[3, 0x11]).unwrap();
    assert_eq!(refused.outcome, Err(Status::NO_SUITE));
}

#[test]
fn unknown_algorithms_are_refused_by_name() {
    let mut bytes = OpenRequest {
        tag: 1,
        privilege: None,
        console: 7,
        algorithms: Suite::of_id(3).unwrap().algorithms,
    }
    .encode();
    bytes[8 + 4] = 9;
    let refused = OpenRequest::decode(&bytes).unwrap().unwrap_err();
    assert_eq!(refused, (1, 7, Status::INVALID_AUTHENTICATION));
}

/// Computed from the formulas of the standard (13.28, 13.31, 13.32) with Python's hmac.
#[test]
fn codes_and_keys_are_those_of_the_standard() {
    let cases = [
        (3, include!("known/suite_3.in")),
        (8, include!("known/suite_8.in")),
        (17, include!("known/suite_17.in")),
    ];
    for (suite, [system, console, check, k1, k2]) in cases {
        let exchange = exchange(suite);
        assert_eq!(
            hex(&exchange.system_code()),
            system,
            "RAKP 2, suite {suite}"
        );
        assert_eq!(
            hex(&exchange.console_code()),
            console,
            "RAKP 3, suite {suite}"
        );
        assert_eq!(hex(&exchange.check_value()), check, "RAKP 4, suite {suite}");
        let keys = exchange.keys();
        assert_eq!(hex(&keys.integrity), k1, "K1, suite {suite}");
        assert_eq!(hex(&keys.confidentiality), k2, "K2, suite {suite}");
    }
}

#[test]
fn a_key_of_the_bmc_changes_the_session_but_not_the_proofs() {
    let plain = exchange(3);
    let keyed = Exchange {
        bmc_key: Key::new(b"kg").unwrap(),
        ..plain.clone()
    };
    assert_eq!(plain.system_code(), keyed.system_code());
    assert_eq!(plain.console_code(), keyed.console_code());
    assert_ne!(plain.check_value(), keyed.check_value());
    assert_ne!(plain.keys().integrity, keyed.keys().integrity);
}

proptest! {
    #[test]
    fn any_bytes_are_a_message_or_an_error(bytes in proptest::collection::vec(any::<u8>(), 0..80)) {
        let _ = OpenRequest::decode(&bytes);
        let _ = OpenResponse::decode(&bytes);
        let _ = Rakp1::decode(&bytes);
        let _ = Rakp2::decode(&bytes);
        let _ = Rakp3::decode(&bytes);
        let _ = Rakp4::decode(&bytes);
    }
}
