//! What can be known about a BMC before there is a session.

use crate::ipmi::{
    message::{NetFn, Request},
    suite::{Algorithms, Authentication, Confidentiality, Integrity, Suite},
};

pub const GET_CIPHER_SUITES: u8 = 0x54;
const THIS_CHANNEL: u8 = 0x0e;
const BY_SUITE: u8 = 0x80;

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
