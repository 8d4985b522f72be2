//! Commands that are used before there is a session: capabilities and cipher suites of a channel.

use crate::ipmi::{
    DecodeError, Privilege, Reader,
    message::{NetFn, Request},
    suite::{Algorithms, Authentication, Confidentiality, Integrity, Suite},
};

/// Get Channel Authentication Capabilities (IPMI 2.0 §22.13).
pub const GET_CAPABILITIES: u8 = 0x38;
/// Get Session Challenge (IPMI 2.0 §22.16).
pub const GET_CHALLENGE: u8 = 0x39;
/// Activate Session (IPMI 2.0 §22.17).
pub const ACTIVATE_SESSION: u8 = 0x3a;
/// Set Session Privilege Level (IPMI 2.0 §22.18).
pub const SET_PRIVILEGE: u8 = 0x3b;
/// Get Channel Cipher Suites (IPMI 2.0 §22.15).
pub const GET_CIPHER_SUITES: u8 = 0x54;
/// The channel on which the request arrives (IPMI 2.0 §6.3).
pub const THIS_CHANNEL: u8 = 0x0e;
/// In Get Channel Authentication Capabilities: include those of version 2.0.
pub const ASK_FOR_V20: u8 = 0x80;
/// In the response to it: packets of a session of version 1.5 carry no AuthCode.
pub const PER_MESSAGE_DISABLED: u8 = 0x10;
const BY_SUITE: u8 = 0x80;

/// The response to Get Channel Authentication Capabilities (IPMI 2.0 §22.13).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Capabilities {
    pub channel: u8,
    /// Authentication types of version 1.5, a bit for each.
    pub v15: u8,
    /// Whether the BMC key K_g is set.
    pub has_bmc_key: bool,
    /// Whether there are users with a name; the next field, whether there is an anonymous one.
    pub has_named: bool,
    pub has_anonymous: bool,
    pub speaks_v15: bool,
    pub speaks_v20: bool,
}

impl Capabilities {
    /// Reads the answer to Get Channel Authentication Capabilities (IPMI 2.0 §22.13).
    pub fn decode(data: &[u8]) -> Result<Self, DecodeError> {
        let mut reader = Reader::new("channel authentication capabilities", data);
        let [channel, kinds, status, versions] = reader.array()?;
        // A BMC that leaves the extended capabilities out speaks version 1.5 only.
        let extended = kinds & ASK_FOR_V20 != 0;
        Ok(Self {
            channel,
            v15: kinds & 0x3f,
            has_bmc_key: extended && status & 0x20 != 0,
            has_named: status & 0x04 != 0,
            has_anonymous: status & 0x03 != 0,
            speaks_v15: !extended || versions & 0x01 != 0,
            speaks_v20: extended && versions & 0x02 != 0,
        })
    }

    /// Encodes the data. `extended`: the request had [`ASK_FOR_V20`].
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

/// Asks how to log in, with the newest version that the BMC speaks.
pub fn capabilities(privilege: Privilege) -> Request {
    let data = [ASK_FOR_V20 | THIS_CHANNEL, privilege.code()];
    Request::new(NetFn::APP, GET_CAPABILITIES, data)
}

/// Get Channel Cipher Suites (IPMI 2.0 §22.15) returns 16 bytes of the list at a time; the last
/// part is shorter.
pub fn cipher_suites(part: u8) -> Request {
    Request::new(
        NetFn::APP,
        GET_CIPHER_SUITES,
        [THIS_CHANNEL, 0, BY_SUITE | part & 0x3f],
    )
}

/// The length of a part, except the last.
pub const PART: usize = 16;

const STANDARD: u8 = 0xc0;
const OEM: u8 = 0xc1;

/// Decodes the list, concatenated from its parts (cipher suite records, IPMI 2.0 Table 22-18).
/// Unknown suites are left out.
pub fn parse_suites(list: &[u8]) -> Vec<Suite> {
    let mut suites = Vec::new();
    let mut rest = list;
    while let Some((&start, tail)) = rest.split_first() {
        rest = tail;
        let head = match start {
            STANDARD => 1,
            // An OEM suite: its number and the maker's enterprise number.
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

/// Whether a record offers the algorithms that its suite number stands for: some BMCs list a suite
/// without them.
fn offers(record: &[u8], algorithms: Algorithms) -> bool {
    let has = |tag: u8, code: u8| {
        code == 0 && !record.iter().any(|byte| byte & STANDARD == tag)
            || record.contains(&(tag | code))
    };
    has(0x00, algorithms.authentication as u8)
        && has(0x40, algorithms.integrity as u8)
        && has(0x80, algorithms.confidentiality as u8)
}

/// Encodes the list of a BMC with these suites.
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
    fn capabilities_survive_the_wire() {
        let told = Capabilities {
            channel: 1,
            v15: 0x14,
            has_bmc_key: true,
            has_named: true,
            has_anonymous: false,
            speaks_v15: true,
            speaks_v20: true,
        };
        assert_eq!(Capabilities::decode(&told.encode(true)), Ok(told));
        let older = Capabilities::decode(&told.encode(false)).unwrap();
        assert!(older.speaks_v15 && !older.speaks_v20 && !older.has_bmc_key);
        assert!(Capabilities::decode(&[1, 0x80]).is_err());
    }

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
