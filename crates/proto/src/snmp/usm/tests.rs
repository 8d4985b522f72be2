//! Known answers: of the standards where they give any, of pysnmp 7.1 for the rest.

use super::*;
use crate::snmp::{Pdu, PduKind, message::Message};
use proptest::prelude::*;

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn bytes(hex: &str) -> Vec<u8> {
    hex.as_bytes()
        .chunks(2)
        .map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap())
        .collect()
}

/// RFC 3414, appendix A.3.
#[test]
fn keys_are_those_of_the_standard() {
    let engine = bytes("000000000000000000000002");
    let cases = [
        (
            Auth::Md5,
            "9faf3283884e92834ebc9847d8edd963",
            "526f5eed9fcce26f8964c2930787d82b",
        ),
        (
            Auth::Sha1,
            "9fb5cc0381497b3793528939ff788d5d79145211",
            "6695febc9288e36282235fc7151f128497b38f3f",
        ),
    ];
    for (auth, master, local) in cases {
        let key = auth.key_of_password(b"maplesyrup");
        assert_eq!(hex(&key), master);
        assert_eq!(hex(&auth.localize(&key, &engine)), local);
    }
}

const ENGINE: &str = "800000020109840301";

#[test]
fn keys_of_the_longer_hashes_are_those_of_others() {
    let cases = [
        (
            Auth::Sha224,
            "ad86c9f8193a798f897d176938199053bedef871218a964487d5c677",
        ),
        (
            Auth::Sha256,
            "e73c7e5a6384ad18b7795a6853057dfd626ae9b4c8dd801c438e7059a5766241",
        ),
        (
            Auth::Sha384,
            "6569fd306bbbde4f37dc6228196a95f8b25f2d1160ae50e2b17527c5d219b83b6451461e587033f3ba7b9b314579f8bc",
        ),
        (
            Auth::Sha512,
            "697d4ea3e8c21a5079b4ddf26bc79b5344fc713ba7c4c31b0ede3f122b71c919cabdca0b9e611bb54da4855dcf731aa6c0cdc3b5f6a5bb0a65be4de0b94589ed",
        ),
    ];
    for (auth, local) in cases {
        let key = auth.key_of_password(b"maplesyrup");
        assert_eq!(hex(&auth.localize(&key, &bytes(ENGINE))), local);
    }
}

fn privacy_key(auth: Auth, privacy: Privacy) -> Vec<u8> {
    let key = auth.localize(&auth.key_of_password(b"pancakes"), &bytes(ENGINE));
    privacy.extend(auth, key, &bytes(ENGINE))
}

#[test]
fn keys_are_stretched_by_two_drafts() {
    let md5 = "8091b1bf140d466648a34ffd60e78ed5";
    let sha = "87869829a096eca9097f927f9059419f";
    let cases = [
        (Auth::Md5, Privacy::Des, md5, ""),
        (Auth::Sha1, Privacy::Des, sha, ""),
        (Auth::Sha1, Privacy::Aes128, sha, ""),
        (
            Auth::Md5,
            Privacy::TripleDes,
            md5,
            "96a0cdbb57abc09f25c8a075845977ba",
        ),
        (Auth::Md5, Privacy::Aes192Reeder, md5, "96a0cdbb57abc09f"),
        (
            Auth::Sha1,
            Privacy::Aes256Reeder,
            sha,
            "ed380682114bfe637e44372a026b1ef4",
        ),
        (
            Auth::Md5,
            Privacy::Aes192Blumenthal,
            md5,
            "805b88f2ef316d0e",
        ),
        (
            Auth::Sha1,
            Privacy::Aes256Blumenthal,
            sha,
            "ed380682435aa90c2e7e314ea44728ba",
        ),
    ];
    for (auth, privacy, first, rest) in cases {
        let key = hex(&privacy_key(auth, privacy));
        assert_eq!(key, format!("{first}{rest}"), "{auth:?} {privacy:?}");
    }
}

/// Boots 7, time 1234, the numbers from 0 to 39.
#[test]
fn ciphers_are_those_of_others() {
    let cases = [
        (
            Privacy::Des,
            "0000000739583160",
            "6225a703d26bbae90b07435bfed431e7c44fc8b58ad80006568b12a21776c00c631d05d311c2f9ab",
        ),
        (
            Privacy::TripleDes,
            "00000007f7f677ad",
            "f2721e03fbf844c299e1dd0ff2fe6d5ed02865f33637a210846e8105b37ebf68e7e89cbc01509182",
        ),
        (
            Privacy::Aes128,
            "5f231b716fe1a1bf",
            "6ac22451b8a5c21afdd25b3b5962750607ffe36b804e485fdf51b8ee525d4cc956ac48267d200c95",
        ),
        (
            Privacy::Aes192Reeder,
            "5f231b716fe1a1bf",
            "c341b4f927507c685af937fd5a83c607c51e3d1cd3b42967178b609b8b49432a0253a59a2d5fcbaf",
        ),
        (
            Privacy::Aes256Reeder,
            "5f231b716fe1a1bf",
            "bf84df7c4e8f2acafd913ae28d645a2052ea63984d5b9c3d2e8de8c446d30c2dc68ea462b115c760",
        ),
        (
            Privacy::Aes192Blumenthal,
            "5f231b716fe1a1bf",
            "52a33f12b69a8a43c23a2d86e11fb8445822e49f6ac1005b6cc64bde7e5e2a347a5056ff9742a19a",
        ),
        (
            Privacy::Aes256Blumenthal,
            "5f231b716fe1a1bf",
            "7427c10527a41a493202cabe6050005b8d895543fc08238cfa8357455c7c23147520c95f43bb7598",
        ),
    ];
    let text: Vec<u8> = (0..40).collect();
    for (privacy, salt, expected) in cases {
        let key = privacy_key(Auth::Sha1, privacy);
        let salt = bytes(salt).try_into().unwrap();
        let hidden = privacy.encrypt(&key, salt, (7, 1234), &text);
        assert_eq!(hex(&hidden), expected, "{privacy:?}");
        let found = privacy.decrypt(&key, &salt, (7, 1234), &hidden);
        assert_eq!(found.as_deref(), Some(&text[..]), "{privacy:?}");
    }
}

#[test]
fn salts_of_des_begin_with_the_boots() {
    assert_eq!(
        Privacy::Des.salt(u64::MAX, 7),
        [0, 0, 0, 7, 255, 255, 255, 255]
    );
    assert_eq!(Privacy::Aes128.salt(1, 7), [0, 0, 0, 0, 0, 0, 0, 1]);
}

#[test]
fn refusals_have_their_counters() {
    assert_eq!(
        Refusal::Signature.oid().unwrap().to_string(),
        "1.3.6.1.6.3.15.1.1.5.0"
    );
    for (refusal, _) in Refusal::ALL {
        assert_eq!(Refusal::of_oid(&refusal.oid().unwrap()), refusal);
    }
    assert_eq!(Refusal::of_oid(&"1.3.6.1".parse().unwrap()), Refusal::Other);
}

#[test]
fn secrets_do_not_show() {
    let signing = Signing {
        auth: Auth::Md5,
        password: Secret(b"maplesyrup".to_vec()),
        hiding: None,
    };
    let keys = signing.master().for_engine(b"engine");
    for shown in [format!("{signing:?}"), format!("{keys:?}")] {
        assert!(
            !shown.contains("109") && !shown.contains("maple"),
            "{shown}"
        );
    }
}

/// Short keys made directly: the megabyte of hashing is tested above.
fn keys(auth: Auth, privacy: Option<Privacy>) -> Keys {
    Keys {
        auth,
        signing: Secret(vec![1; 20]),
        hiding: privacy.map(|p| (p, Secret(vec![2; p.key_length()]))),
    }
}

fn any_auth() -> impl Strategy<Value = Auth> {
    proptest::sample::select(Auth::ALL.to_vec())
}

fn any_privacy() -> impl Strategy<Value = Option<Privacy>> {
    proptest::option::of(proptest::sample::select(Privacy::ALL.to_vec()))
}

proptest! {
    #[test]
    fn what_is_sealed_can_be_opened_and_not_be_changed(
        auth in any_auth(), privacy in any_privacy(), salt: u64, id: i32,
        boots in 0..i32::MAX, time in 0..i32::MAX,
        context in proptest::collection::vec(any::<u8>(), 0..40), place: proptest::sample::Index,
    ) {
        let keys = keys(auth, privacy);
        let oid = "1.3.6.1.2.1.1.2.0".parse().unwrap();
        let scoped = ScopedPdu {
            engine_id: bytes(ENGINE),
            context,
            pdu: Pdu::ask(PduKind::Get, id, [oid]),
        };
        let security = Security {
            engine_id: bytes(ENGINE),
            boots,
            time,
            user: b"admin".to_vec(),
            ..Security::default()
        };
        let flags = Flags::of_level(keys.level(), true);
        let mut datagram = seal(id, flags, &security, Some(&keys), &scoped, salt);
        let Message::Usm(message) = Message::decode(&datagram).unwrap() else {
            panic!("another version");
        };
        prop_assert_eq!(message.flags, flags);
        prop_assert_eq!(message.encode(), datagram.clone());
        prop_assert_eq!(open(&datagram, &message, Some(&keys)), Ok(scoped));
        prop_assert_eq!(open(&datagram, &message, None), Err(OpenError::NoKeys));
        let place = place.index(datagram.len());
        datagram[place] ^= 1;
        if let Ok(Message::Usm(message)) = Message::decode(&datagram) {
            // A message that claims not to be signed is for the caller to refuse.
            if message.flags.is_signed {
                prop_assert_eq!(open(&datagram, &message, Some(&keys)), Err(OpenError::Forged));
            }
        }
    }

    #[test]
    fn garbage_is_refused_or_opened_without_harm(
        auth in any_auth(), privacy in any_privacy(),
        salt in proptest::collection::vec(any::<u8>(), 0..12),
        text in proptest::collection::vec(any::<u8>(), 0..80),
    ) {
        let keys = keys(auth, privacy);
        if let Some((privacy, key)) = &keys.hiding {
            let _ = privacy.decrypt(&key.0, &salt, (1, 2), &text);
        }
        let _ = ScopedPdu::decode_prefix(&text);
    }
}
