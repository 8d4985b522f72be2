//! Conversations with servers and viewers, byte by byte.

use super::{
    client::{ClientError, ClientMessage, Filter, PixelFormat},
    greeting::{Greeting, GreetingError},
    login::{Login, LoginError},
};
use proptest::prelude::*;

/// Says the parts one after the other, and collects the answers.
fn converse(password: Option<&str>, parts: &[&[u8]]) -> Result<Vec<u8>, LoginError> {
    let mut login = Login::new(password);
    let mut said = Vec::new();
    for part in parts {
        assert_eq!(login.needs(), part.len());
        said.extend(login.take(part)?);
    }
    assert_eq!(login.needs(), 0, "{login:?}");
    Ok(said)
}

const V8: &[u8] = b"RFB 003.008\n";
const GOOD: &[u8] = &[0, 0, 0, 0];
const BAD: &[u8] = &[0, 0, 0, 1];

#[test]
fn servers_without_a_password_let_us_in() {
    let said = converse(None, &[V8, &[1], &[1], GOOD]);
    assert_eq!(said, Ok(b"RFB 003.008\n\x01".to_vec()));
    let said = converse(None, &[b"RFB 003.007\n", &[2], &[16, 1]]);
    assert_eq!(said, Ok(b"RFB 003.007\n\x01".to_vec()));
    for old in [b"RFB 003.003\n", b"RFB 003.005\n"] {
        let said = converse(None, &[old, &[0, 0, 0, 1]]);
        assert_eq!(said, Ok(b"RFB 003.003\n".to_vec()));
    }
    // Apple's servers.
    let said = converse(None, &[b"RFB 003.889\n", &[1], &[1], GOOD]);
    assert_eq!(said, Ok(b"RFB 003.008\n\x01".to_vec()));
}

#[test]
fn a_challenge_is_answered_with_the_password_as_the_key() {
    let challenge: Vec<u8> = (0..16).collect();
    let said = converse(Some("COWabunga"), &[V8, &[2], &[1, 2], &challenge, GOOD]).unwrap();
    assert_eq!(said[12], 2);
    // By OpenSSL: DES-ECB with the first eight characters, the bits of each reversed.
    let expected = [
        0xfd, 0x92, 0xa6, 0xa4, 0x45, 0x88, 0xe4, 0xbc, 0x09, 0xf7, 0xb2, 0xa1, 0x66, 0x85, 0x11,
        0xb7,
    ];
    assert_eq!(said[13..], expected);
    let said = converse(
        Some("x"),
        &[b"RFB 003.003\n", &[0, 0, 0, 2], &challenge, GOOD],
    );
    assert_eq!(said.unwrap().len(), 12 + 16);
}

#[test]
fn servers_that_refuse_are_understood() {
    let challenge = [7; 16];
    let reason: &[&[u8]] = &[&[0, 0, 0, 4], b"no\x1b!"];
    let mut wrong: Vec<&[u8]> = vec![V8, &[1], &[2], &challenge, BAD];
    wrong.extend(reason);
    assert_eq!(converse(Some("p"), &wrong), Err(LoginError::WrongPassword));
    let old = [b"RFB 003.007\n", &[1][..], &[2], &challenge, BAD];
    assert_eq!(converse(Some("p"), &old), Err(LoginError::WrongPassword));
    let mut full: Vec<&[u8]> = vec![V8, &[0]];
    full.extend(reason);
    let refused = Err(LoginError::Refused("no!".into()));
    assert_eq!(converse(None, &full), refused);
    assert_eq!(
        converse(None, &[V8, &[1], &[2]]),
        Err(LoginError::NoPassword)
    );
    let others = Err(LoginError::Security(vec![5, 19]));
    assert_eq!(converse(Some("p"), &[V8, &[2], &[5, 19]]), others);
}

#[test]
fn what_is_no_server_is_noticed_at_once() {
    assert_eq!(converse(None, &[b"HTTP/1.1 400"]), Err(LoginError::NotRfb));
    for odd in [
        b"RFB 004.001\n",
        b"RFB 003.00x\n",
        b"RFB 003.-08\n",
        b"RFB 003.002\n",
    ] {
        let refused = converse(None, &[odd]);
        assert!(matches!(refused, Err(LoginError::Version(_))), "{odd:?}");
    }
    let nonsense = converse(None, &[V8, &[1], &[1], &[0, 0, 0, 9]]);
    assert!(matches!(nonsense, Err(LoginError::Nonsense(_))));
    // However long a reason is said to be.
    let mut login = Login::new(None);
    for part in [V8, &[0], &[0xff; 4]] {
        login.take(part).unwrap();
    }
    assert_eq!(login.needs(), 4096);
}

#[test]
fn viewers_get_in_without_a_password_and_with_3_8_only() {
    let mut greeting = Greeting::default();
    assert_eq!(greeting.begin(), V8);
    assert_eq!(greeting.take(V8), Ok(&[1, 1][..]));
    assert_eq!(greeting.take(&[1]), Ok(&[0, 0, 0, 0][..]));
    assert_eq!(greeting.needs(), 0);
    let refused = Greeting::default().take(b"RFB 003.003\n").unwrap_err();
    assert_eq!(
        refused.to_string(),
        "Security proxying requires RFB protocol version 3.8, but client requested 003.003"
    );
    let mut greeting = Greeting::default();
    greeting.take(V8).unwrap();
    assert_eq!(greeting.take(&[2]), Err(GreetingError::Security));
}

const KEY: [u8; 8] = [4, 1, 0, 0, 0, 0, 0, 0x61];
const ASK: [u8; 10] = [3, 1, 0, 0, 0, 0, 2, 0x80, 1, 0xe0];
const TEXT: [u8; 10] = [6, 0, 0, 0, 0, 0, 0, 2, b'h', b'i'];
const POINT: [u8; 6] = [5, 1, 0, 9, 0, 8];

#[test]
fn who_only_watches_does_not_type() {
    let all = [&[0][..], &ASK, &KEY, &POINT, &TEXT, &ASK].concat();
    let mut filter = Filter::new(true);
    let passed = filter.pass(&all).unwrap();
    assert_eq!(passed, [&[1][..], &ASK, &ASK].concat());
    let mut filter = Filter::new(false);
    // Wherever it is cut.
    let mut passed = Vec::new();
    for byte in &all {
        passed.extend(filter.pass(&[*byte]).unwrap());
    }
    assert_eq!(passed[0], 1);
    assert_eq!(passed[1..], all[1..]);
}

#[test]
fn messages_that_are_unknown_or_long_end_it() {
    let refuse = |bytes: &[u8]| ClientMessage::first(bytes).unwrap_err();
    assert_eq!(refuse(&[250, 0, 0, 0]), ClientError::Unknown(250));
    assert_eq!(refuse(&[255, 1]), ClientError::Unknown(255));
    assert_eq!(refuse(&[2, 0, 0xff, 0xff]), ClientError::TooLong);
    for length in [[0x7f, 0xff, 0xff, 0xff], [0x80, 0, 0, 0]] {
        let cut = [&[6, 0, 0, 0][..], &length].concat();
        assert_eq!(refuse(&cut), ClientError::TooLong);
    }
}

#[test]
fn encodings_that_would_let_unknown_messages_in_are_withheld() {
    let asked = [
        &[2, 0, 0, 3][..],
        &7i32.to_be_bytes(),
        &(-316i32).to_be_bytes(),
        &(-239i32).to_be_bytes(),
    ]
    .concat();
    let mut filter = Filter::new(false);
    filter.pass(&[0]).unwrap();
    let passed = filter.pass(&asked).unwrap();
    assert_eq!(passed[..4], [2, 0, 0, 2]);
    assert_eq!(
        passed[4..],
        [7i32.to_be_bytes(), (-239i32).to_be_bytes()].concat()
    );
}

#[test]
fn colours_are_written_as_the_viewer_wants() {
    let mut bytes = Vec::new();
    PixelFormat::USUAL.write([1, 2, 3], &mut bytes);
    assert_eq!(bytes, [3, 2, 1, 0]);
    let small = PixelFormat {
        bits: 16,
        is_big_endian: true,
        most: [31, 63, 31],
        shift: [11, 5, 0],
        ..PixelFormat::USUAL
    };
    bytes.clear();
    small.write([255, 0, 255], &mut bytes);
    assert_eq!(bytes, [0xf8, 0x1f]);
    let said = [&[0, 0, 0, 0][..], &small.encode()].concat();
    let read = ClientMessage::first(&said).unwrap();
    assert_eq!(read, Some((ClientMessage::PixelFormat(small), 20)));
}

proptest! {
    #[test]
    fn what_is_passed_on_can_be_read_and_is_no_longer(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        let mut filter = Filter::new(true);
        if let Ok(passed) = filter.pass(&bytes) {
            prop_assert!(passed.len() <= bytes.len());
            let mut rest = passed.get(1..).unwrap_or_default();
            while let Some((message, length)) = ClientMessage::first(rest).unwrap() {
                prop_assert!(!message.is_input());
                rest = &rest[length..];
            }
            prop_assert!(rest.is_empty());
        }
    }
}
