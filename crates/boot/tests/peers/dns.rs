//! Dynamic updates, taken by BIND.

use crate::bind::{Bind, KEY, SECRET};
use boot::dns::{DnsError, Updater};
use proto::dns::{response::Outcome, tsig::TsigError};
use std::net::IpAddr;
use types::error::chain;

#[tokio::test]
async fn names_come_and_go() {
    let Some(bind) = Bind::start() else {
        return;
    };
    let updater = Updater::new(bind.settings(KEY, SECRET));
    let (v4, v6): (IpAddr, IpAddr) = ("10.77.0.7".parse().unwrap(), "fd77::7".parse().unwrap());
    let name = updater.full_name("Node-1").unwrap();
    updater.add(&name, v4, false).await.unwrap();
    updater.add(&name, v6, true).await.unwrap();
    assert_eq!(bind.dig(&["node-1.example.org", "A"]), "10.77.0.7");
    assert_eq!(bind.dig(&["node-1.example.org", "AAAA"]), "fd77::7");
    assert_eq!(bind.dig(&["-x", "10.77.0.7"]), "node-1.example.org.");
    assert_eq!(bind.dig(&["-x", "fd77::7"]), "node-1.example.org.");
    // As after a kill between the update and its note.
    updater.add(&name, v4, false).await.unwrap();
    assert_eq!(bind.dig(&["node-1.example.org", "A"]), "10.77.0.7");
    // The address goes to another machine.
    let other = updater.full_name("node-2").unwrap();
    updater.add(&other, v4, false).await.unwrap();
    updater.remove(&name, v4).await.unwrap();
    assert_eq!(bind.dig(&["-x", "10.77.0.7"]), "node-2.example.org.");
    assert_eq!(bind.dig(&["node-1.example.org", "A"]), "");
    assert_eq!(bind.dig(&["node-1.example.org", "AAAA"]), "fd77::7");
    for _ in 0..2 {
        updater.remove(&name, v6).await.unwrap();
        updater.remove(&other, v4).await.unwrap();
    }
    assert_eq!(bind.dig(&["node-1.example.org", "AAAA"]), "");
    assert_eq!(bind.dig(&["-x", "fd77::7"]), "");
    assert_eq!(bind.dig(&["-x", "10.77.0.7"]), "");
}

#[tokio::test]
async fn names_of_others_are_left_alone() {
    let Some(bind) = Bind::start() else {
        return;
    };
    let updater = Updater::new(bind.settings(KEY, SECRET));
    let name = updater.full_name("www").unwrap();
    let refused = updater
        .add(&name, "10.77.0.9".parse().unwrap(), false)
        .await;
    let refused = refused.unwrap_err();
    assert!(refused.is_of_name(), "{refused}");
    assert_eq!(bind.dig(&["www.example.org", "A"]), "192.0.2.1");
    assert_eq!(bind.dig(&["-x", "10.77.0.9"]), "");
}

#[tokio::test]
async fn a_wrong_key_is_refused_and_told_so() {
    let Some(bind) = Bind::start() else {
        return;
    };
    let address = "10.77.0.7".parse().unwrap();
    let other = "b3RoZXI=";
    let cases = [
        (
            Updater::new(bind.settings(KEY, other)),
            TsigError::BadSignature,
        ),
        (
            Updater::new(bind.settings("unknown", SECRET)),
            TsigError::BadKey,
        ),
    ];
    for (updater, expected) in cases {
        let name = updater.full_name("node-1").unwrap();
        let refused = updater.add(&name, address, false).await.unwrap_err();
        let told = chain(&refused);
        let DnsError::Key { source, .. } = refused else {
            panic!("{told}");
        };
        assert_eq!(source, expected, "{told}");
        assert!(told.contains("refuses key"), "{told}");
        assert!(!told.contains(other) && !told.contains(SECRET), "{told}");
    }
    assert_eq!(bind.dig(&["node-1.example.org", "A"]), "");
    // With the right key, for a zone that is not there.
    let updater = Updater::new(bind.settings(KEY, SECRET));
    let refused = updater
        .remove(&"a.example.net".parse().unwrap(), address)
        .await;
    let refused = refused.unwrap_err();
    assert!(
        matches!(
            refused,
            DnsError::Refused {
                outcome: Outcome::NotInZone,
                ..
            }
        ),
        "{refused}"
    );
}
