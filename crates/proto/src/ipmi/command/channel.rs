//! What can be known about a BMC before there is a session.

use crate::ipmi::{
    message::{NetFn, Request},
    suite::{Algorithms, Authentication, Confidentiality, Integrity, Suite},
};

pub const GET_CAPABILITIES: u8 = 0x38;
pub const GET_CHALLENGE: u8 = 0x39;
pub const ACTIVATE_SESSION: u8 = 0x3a;
pub const SET_PRIVILEGE: u8 = 0x3b;
pub const GET_CIPHER_SUITES: u8 = 0x54;
/// The channel over which the question came.
pub const THIS_CHANNEL: u8 = 0x0e;
/// In a question for capabilities: those of version 2.0 as well.
pub const ASK_FOR_V20: u8 = 0x80;
const BY_SUITE: u8 = 0x80;

/// The answer to a question for capabilities.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Capabilities {
    pub channel: u8,
    /// Ways of authentication of version 1.5: a bit each, by their number.
    pub v15: u8,
    /// Whether there is a key of the BMC (K_g).
    pub has_bmc_key: bool,
    /// Whether there are users with a name, and one without.
    pub has_named: bool,
    pub has_anonymous: bool,
    pub speaks_v15: bool,
    pub speaks_v20: bool,
}

impl Capabilities {
    /// `extended` answers a question for version 2.0.
    pub fn encode(&self, extended: bool) -> Vec<u8> {
        let bit = |is_set: bool, bit: u8| u8::from(is_set) << bit;
        let status = bit(self.has_bmc_key && extended, 5)
            | bit(self.has_named, 2)
            | bit(self.has_anonymous, 1);
        let versions = bit(self.speaks_v20, 1) | bit(self.speaks_v15, 0);
        vec![
            self.channel,
            self.v15 | bit(extended, 7),
            status,
            if extended { versions } else { 0 },
            0,
            0,
            0,
            0,
        ]
    }
}

/// Asks for a part of the list; parts have sixteen bytes, the last one fewer.
pub fn cipher_suites(part: u8) -> Request {
    Request::new(
        NetFn::APP,
        GET_CIPHER_SUITES,
        [THIS_CHANNEL, 0, BY_SUITE | part & 0x3f],
    )
}

/// How long a part is unless it is the last.
pub const PART: usize = 16;

const STANDARD: u8 = 0xc0;
const OEM: u8 = 0xc1;

/// The suites in a list that was put together from its parts. What is not known is left out.
pub fn parse_suites(list: &[u8]) -> Vec<Suite> {
    let mut suites = Vec::new();
    let mut rest = list;
    while let Some((&start, tail)) = rest.split_first() {
        rest = tail;
        let head = match start {
            STANDARD => 1,
            // A suite of the maker's own, after its number.
            OEM => 4,
            _ => continue,
        };
        let Some((head, tail)) = rest.split_at_checked(head) else {
            break;
        };
        let length = tail.iter().take_while(|byte| **byte < STANDARD).count();
        let (algorithms, tail) = tail.split_at(length);
        rest = tail;
        if start == STANDARD
            && let Some(known) = Suite::of_id(head[0])
            && offers(algorithms, known.algorithms)
        {
            suites.push(known);
        }
    }
    suites
}

/// Whether a record offers the algorithms that its number stands for.
fn offers(record: &[u8], algorithms: Algorithms) -> bool {
    let has = |tag: u8, code: u8| {
        code == 0 && !record.iter().any(|byte| byte & STANDARD == tag)
            || record.contains(&(tag | code))
    };
    has(0x00, algorithms.authentication as u8)
        && has(0x40, algorithms.integrity as u8)
        && has(0x80, algorithms.confidentiality as u8)
}

/// The list that a BMC with these suites gives.
pub fn list_suites(suites: &[Suite]) -> Vec<u8> {
    suites
        .iter()
        .flat_map(|suite| {
            let Algorithms {
                authentication,
                integrity,
                confidentiality,
            } = suite.algorithms;
            let mut record = vec![STANDARD, suite.id, authentication as u8];
            if authentication != Authentication::None || integrity != Integrity::None {
                record.push(0x40 | integrity as u8);
            } else {
                record.push(0x40);
            }
            match confidentiality {
                Confidentiality::None => record.push(0x80),
                other => record.push(0x80 | other as u8),
            }
            record
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn lists_survive_the_wire() {
        assert_eq!(parse_suites(&list_suites(Suite::ALL)), Suite::ALL);
    }

    #[test]
    fn foreign_suites_are_skipped() {
        let mut list = vec![OEM, 0x55, 1, 2, 3, 0x01, 0x41];
        list.extend([STANDARD, 99, 1]);
        list.extend([STANDARD, 3, 0x01, 0x41, 0x81]);
        // Says that it is suite 17, and is not.
        list.extend([STANDARD, 17, 0x01, 0x41, 0x81]);
        let ids: Vec<u8> = parse_suites(&list).iter().map(|suite| suite.id).collect();
        assert_eq!(ids, [3]);
    }

    proptest! {
        #[test]
        fn any_bytes_are_a_list(bytes in proptest::collection::vec(any::<u8>(), 0..80)) {
            let _ = parse_suites(&bytes);
        }
    }
}
