//! Notifications that agents send by themselves: traps of version 1 (RFC 1157 §4.1.6) and of version 2c
//! (RFC 3416 §4.2.6).
//!
//! Both become one form: a trap of version 1 gets the name that RFC 3584 §3.1 gives it in version 2.
//! Informs, which want an answer, and version 3, whose traps need keys, are left out.

use super::{
    DecodeError, Oid, PduKind, Value,
    ber::{self, Reader},
    message::{Community, CommunityMessage, Message, Version},
};

/// How many values a trap may have.
const MOST_VALUES: usize = 64;
/// The tag of a PDU of version 1, whose form no other has.
const TRAP_V1: u8 = 0xa4;
const V1: i32 = 0;
/// `snmpTrapOID.0` (RFC 3418 §2).
const TRAP_OID: [u32; 11] = [1, 3, 6, 1, 6, 3, 1, 1, 4, 1, 0];
/// `sysUpTime.0` (RFC 3418 §2).
const UPTIME: [u32; 9] = [1, 3, 6, 1, 2, 1, 1, 3, 0];
/// `snmpTraps` (RFC 3418 §2): below it are the traps that every agent has.
const STANDARD_TRAPS: [u32; 9] = [1, 3, 6, 1, 6, 3, 1, 1, 5];
/// `enterpriseSpecific` of version 1.
const SPECIFIC: i32 = 6;
/// The tag of `NetworkAddress` (RFC 1155).
const IP_ADDRESS: u8 = 0x40;

/// A trap of either version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trap {
    pub community: Community,
    /// What happened, by its name in version 2.
    pub id: Oid,
    /// Without the two values that every trap of version 2 begins with.
    pub values: Vec<(Oid, Value)>,
}

impl Trap {
    /// Decodes a datagram.
    pub fn decode(datagram: &[u8]) -> Result<Self, DecodeError> {
        if let Some(trap) = Self::read_v1(datagram)? {
            return Ok(trap);
        }
        let Message::Community(CommunityMessage { community, pdu, .. }) =
            Message::decode(datagram)?
        else {
            return Err(DecodeError::Version(3));
        };
        if pdu.kind != PduKind::Trap {
            return Err(DecodeError::Value { what: "PDU" });
        }
        let is = |oid: &Oid, path: &[u32]| oid.path() == path;
        let mut values = pdu.bindings;
        // It stands second, but nothing is lost by looking for it.
        let id = values.iter().find_map(|(oid, value)| match value {
            Value::ObjectId(id) if is(oid, &TRAP_OID) => Some(id.clone()),
            _ => None,
        });
        let id = id.ok_or(DecodeError::Value {
            what: "trap's name",
        })?;
        values.retain(|(oid, _)| !is(oid, &TRAP_OID) && !is(oid, &UPTIME));
        bounded(values).map(|values| Self {
            community,
            id,
            values,
        })
    }

    /// A trap of version 1; none if the datagram is something else.
    fn read_v1(datagram: &[u8]) -> Result<Option<Self>, DecodeError> {
        let mut reader = Reader::new(datagram);
        let mut message = reader.sequence("message")?;
        reader.end("message")?;
        if message.integer("version")? != V1 {
            return Ok(None);
        }
        let community = Community(message.octets("community")?.to_vec());
        if message.peek("PDU")? != TRAP_V1 {
            return Ok(None);
        }
        let mut pdu = message.expect(TRAP_V1, "trap")?;
        message.end("message")?;
        let enterprise = pdu.expect(ber::OBJECT_ID, "enterprise")?;
        let enterprise = Oid::decode(enterprise.rest())?;
        // Where the agent says it is, which may be behind a translator of addresses.
        pdu.expect(IP_ADDRESS, "agent address")?;
        let generic = pdu.integer("generic trap")?;
        let specific = pdu.integer("specific trap")?;
        pdu.element("time stamp")?;
        let values = super::pdu::read_values(&mut pdu)?;
        pdu.end("trap")?;
        let id = name(&enterprise, generic, specific)?;
        bounded(values).map(|values| {
            Some(Self {
                community,
                id,
                values,
            })
        })
    }

    /// Encodes a datagram of version 2c.
    pub fn encode(&self, uptime: u32) -> Vec<u8> {
        let oid = |path: &[u32]| Oid::new(path);
        let first = [
            oid(&UPTIME).map(|oid| (oid, Value::TimeTicks(uptime))),
            oid(&TRAP_OID).map(|oid| (oid, Value::ObjectId(self.id.clone()))),
        ];
        let message = CommunityMessage {
            version: Version::V2c,
            community: self.community.clone(),
            pdu: super::Pdu {
                bindings: first
                    .into_iter()
                    .flatten()
                    .chain(self.values.iter().cloned())
                    .collect(),
                ..super::Pdu::ask(PduKind::Trap, 1, [])
            },
        };
        message.encode()
    }

    /// What every agent calls it; none for traps of makers.
    pub fn standard_name(&self) -> Option<&'static str> {
        let [number] = *self.id.path().strip_prefix(&STANDARD_TRAPS)? else {
            return None;
        };
        Some(match number {
            1 => "cold start",
            2 => "warm start",
            3 => "link down",
            4 => "link up",
            5 => "authentication failure",
            6 => "neighbor lost",
            _ => return None,
        })
    }
}

fn bounded(values: Vec<(Oid, Value)>) -> Result<Vec<(Oid, Value)>, DecodeError> {
    if values.len() > MOST_VALUES {
        return Err(DecodeError::Long { what: "trap" });
    }
    Ok(values)
}

/// The name in version 2 of a trap of version 1 (RFC 3584 §3.1).
fn name(enterprise: &Oid, generic: i32, specific: i32) -> Result<Oid, DecodeError> {
    let what = "trap's name";
    let number = |number: i32| u32::try_from(number).map_err(|_| DecodeError::Value { what });
    let path = match generic {
        SPECIFIC => [enterprise.path(), &[0, number(specific)?]].concat(),
        0..SPECIFIC => [&STANDARD_TRAPS[..], &[number(generic)? + 1]].concat(),
        _ => return Err(DecodeError::Value { what }),
    };
    Oid::new(&path).ok_or(DecodeError::Value { what })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn oid(text: &str) -> Oid {
        text.parse().unwrap()
    }

    /// As `snmptrap -v 1 -c public HOST 1.3.6.1.4.1.3183.1.1 10.0.0.7 6 487173 42` makes it.
    fn version_1(generic: u8) -> Vec<u8> {
        let mut pdu = vec![0x06, 9, 0x2b, 6, 1, 4, 1, 0x98, 0x6f, 1, 1];
        pdu.extend([0x40, 4, 10, 0, 0, 7]);
        pdu.extend([0x02, 1, generic, 0x02, 3, 0x07, 0x6f, 0x05]);
        pdu.extend([0x43, 1, 42, 0x30, 0]);
        let mut message = vec![0x02, 1, 0, 0x04, 6];
        message.extend(b"public");
        message.extend([0xa4, u8::try_from(pdu.len()).unwrap()]);
        message.extend(pdu);
        let mut datagram = vec![0x30, u8::try_from(message.len()).unwrap()];
        datagram.extend(message);
        datagram
    }

    #[test]
    fn traps_of_version_1_get_the_names_of_version_2() {
        let trap = Trap::decode(&version_1(6)).unwrap();
        assert_eq!(trap.id, oid("1.3.6.1.4.1.3183.1.1.0.487173"));
        assert_eq!(trap.community.0, b"public");
        assert_eq!(trap.standard_name(), None);
        let trap = Trap::decode(&version_1(2)).unwrap();
        assert_eq!(trap.standard_name(), Some("link down"));
        assert!(Trap::decode(&version_1(7)).is_err());
    }

    #[test]
    fn traps_of_version_2_survive_the_wire() {
        let trap = Trap {
            community: Community(b"c".to_vec()),
            id: oid("1.3.6.1.4.1.674.1"),
            values: vec![(oid("1.3.6.1.4.1.674.2"), Value::Octets(b"fan".to_vec()))],
        };
        assert_eq!(Trap::decode(&trap.encode(7)), Ok(trap.clone()));
        let crowd = Trap {
            values: vec![trap.values[0].clone(); MOST_VALUES + 1],
            ..trap
        };
        assert!(Trap::decode(&crowd.encode(7)).is_err());
    }

    #[test]
    fn requests_are_no_traps() {
        let request = CommunityMessage {
            version: Version::V2c,
            community: Community(b"public".to_vec()),
            pdu: super::super::Pdu::ask(PduKind::Get, 1, [oid("1.3.6")]),
        };
        assert!(Trap::decode(&request.encode()).is_err());
    }

    proptest! {
        #[test]
        fn any_bytes_are_a_trap_or_an_error(bytes in proptest::collection::vec(any::<u8>(), 0..80)) {
            let _ = Trap::decode(&bytes);
        }

        #[test]
        fn a_damaged_trap_is_a_trap_or_an_error(at in 0usize..50, to: u8) {
            let mut bytes = version_1(6);
            let at = at % bytes.len();
            bytes[at] = to;
            let _ = Trap::decode(&bytes);
        }
    }
}
