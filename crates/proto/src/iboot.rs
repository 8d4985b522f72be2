//! DxP, which Dataprobe's iBoot power switches speak over TCP.
//!
//! A client says [`HELLO`] and is told a sequence number; each request carries the next one, and each
//! answer uses one up. A request is a header of [`HEADER`] bytes, little-endian, and a payload whose
//! length follows from it. Answers have no header at all: a byte that says whether it was done, or
//! a byte for each relay. There is no encryption, and the password is in every request.
//!
//! Relays are counted from 1, and 1 switches on, as devices have it; the vendor's document of DxP 1
//! counts from 0 and switches on with 1 and off with 2.

use crate::reader::{Reader, Short};
use std::fmt;

/// Where devices listen.
pub const PORT: u16 = 9100;
/// How a client begins.
pub const HELLO: &[u8; 9] = b"hello-000";
/// Of a request without its payload.
pub const HEADER: usize = 47;
/// A user name or a password has no more bytes.
pub const LONGEST_NAME: usize = 20;
/// An answer of a single byte that says that the order was followed.
pub const DONE: u8 = 0;
/// One that says that it was not.
pub const FAILED: u8 = 1;

const NAME: usize = 21;
/// How many relays "change relays" has.
const RELAYS: usize = 32;

/// What a device is asked to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Order {
    /// One relay, to a state.
    Change {
        relay: u8,
        state: u8,
    },
    /// All relays, each to a state.
    ChangeAll([u8; RELAYS]),
    /// How the relays are.
    Get,
    /// One relay, to a state and back after a while.
    Pulse {
        relay: u8,
        state: u8,
        seconds: u16,
    },
    KeepAlive,
}

impl Order {
    /// For [`Order::Change`].
    pub const OFF: u8 = 0;
    pub const ON: u8 = 1;
    pub const AS_IT_IS: u8 = 2;

    /// Class and descriptor.
    const fn kind(&self) -> (u8, u8) {
        match self {
            Self::Change { .. } => (3, 1),
            Self::ChangeAll(_) => (3, 2),
            Self::Get => (3, 4),
            Self::Pulse { .. } => (3, 7),
            Self::KeepAlive => (4, 0),
        }
    }

    fn payload(&self) -> Vec<u8> {
        match self {
            Self::Change { relay, state } => vec![*relay, *state],
            Self::ChangeAll(states) => states.to_vec(),
            Self::Get | Self::KeepAlive => Vec::new(),
            Self::Pulse {
                relay,
                state,
                seconds,
            } => {
                let [low, high] = seconds.to_le_bytes();
                vec![*relay, *state, low, high]
            }
        }
    }
}

/// Who asks.
#[derive(Clone, PartialEq, Eq)]
pub struct Login {
    pub user: Vec<u8>,
    pub password: Vec<u8>,
}

impl fmt::Debug for Login {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Login").finish_non_exhaustive()
    }
}

/// A request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    pub login: Login,
    pub sequence: u16,
    pub order: Order,
}

/// Bytes that are no request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum RequestError {
    #[error("there is no order {0}/{1}")]
    Order(u8, u8),
    #[error("a name does not end")]
    Name,
}

impl Request {
    /// Its bytes. Names are cut at [`LONGEST_NAME`].
    pub fn encode(&self) -> Vec<u8> {
        let (class, descriptor) = self.order.kind();
        let mut bytes = Vec::with_capacity(HEADER + RELAYS);
        bytes.push(class);
        for name in [&self.login.user, &self.login.password] {
            let start = bytes.len();
            bytes.extend(name.iter().take(LONGEST_NAME));
            bytes.resize(start + NAME, 0);
        }
        bytes.extend([descriptor, 0]);
        bytes.extend(self.sequence.to_le_bytes());
        bytes.extend(self.order.payload());
        bytes
    }

    /// The request at the beginning of these bytes; `None` while not all of it is there.
    pub fn decode(bytes: &[u8]) -> Result<Option<Self>, RequestError> {
        let mut reader = Reader::new("a request", bytes);
        let Ok((class, user, password, descriptor, sequence)) = header(&mut reader) else {
            return Ok(None);
        };
        let order = match (class, descriptor) {
            (3, 1) => reader
                .array()
                .map(|[relay, state]| Order::Change { relay, state }),
            (3, 2) => reader.array().map(Order::ChangeAll),
            (3, 4) => Ok(Order::Get),
            (3, 7) => reader
                .array()
                .map(|[relay, state, low, high]| Order::Pulse {
                    relay,
                    state,
                    seconds: u16::from_le_bytes([low, high]),
                }),
            (4, 0) => Ok(Order::KeepAlive),
            (class, descriptor) => return Err(RequestError::Order(class, descriptor)),
        };
        let login = Login {
            user: name(user)?,
            password: name(password)?,
        };
        Ok(order.ok().map(|order| Self {
            login,
            sequence,
            order,
        }))
    }
}

type Header<'b> = (u8, &'b [u8], &'b [u8], u8, u16);

fn header<'b>(reader: &mut Reader<'b>) -> Result<Header<'b>, Short> {
    let class = reader.u8()?;
    let (user, password) = (reader.bytes(NAME)?, reader.bytes(NAME)?);
    let [descriptor, _parameter] = reader.array()?;
    Ok((class, user, password, descriptor, reader.u16_le()?))
}

/// A name without the zeros behind it.
fn name(field: &[u8]) -> Result<Vec<u8>, RequestError> {
    let end = field.iter().position(|byte| *byte == 0);
    let end = end.ok_or(RequestError::Name)?;
    Ok(field.iter().take(end).copied().collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn login(user: &str, password: &str) -> Login {
        Login {
            user: user.into(),
            password: password.into(),
        }
    }

    #[test]
    fn a_request_is_written_byte_by_byte() {
        let request = Request {
            login: login("admin", "secret"),
            sequence: 1235,
            order: Order::Change {
                relay: 1,
                state: Order::ON,
            },
        };
        let mut expected = vec![3];
        expected.extend(b"admin");
        expected.extend([0; 16]);
        expected.extend(b"secret");
        expected.extend([0; 15]);
        expected.extend([1, 0, 0xd3, 0x04, 1, 1]);
        assert_eq!(request.encode(), expected);
        assert_eq!(expected.len(), HEADER + 2);
        assert!(!format!("{request:?}").contains("secret"));
    }

    #[test]
    fn what_has_not_all_arrived_is_waited_for() {
        for order in [
            Order::Change { relay: 9, state: 0 },
            Order::ChangeAll([2; RELAYS]),
            Order::Get,
            Order::Pulse {
                relay: 1,
                state: 1,
                seconds: 700,
            },
            Order::KeepAlive,
        ] {
            let request = Request {
                login: login("u", ""),
                sequence: 0xffff,
                order,
            };
            let bytes = request.encode();
            for end in 0..bytes.len() {
                assert_eq!(Request::decode(&bytes[..end]), Ok(None), "{end}");
            }
            assert_eq!(Request::decode(&bytes), Ok(Some(request)));
        }
    }

    #[test]
    fn nonsense_is_refused() {
        let request = Request {
            login: login("u", "p"),
            sequence: 1,
            order: Order::Get,
        };
        let mut bytes = request.encode();
        bytes[43] = 5;
        assert_eq!(Request::decode(&bytes), Err(RequestError::Order(3, 5)));
        let mut bytes = request.encode();
        bytes[1..22].fill(b'u');
        assert_eq!(Request::decode(&bytes), Err(RequestError::Name));
        // A longer name is cut, and never runs into the next field.
        let long = "x".repeat(50);
        let cut = Request {
            login: login(&long, "p"),
            ..request
        };
        let read = Request::decode(&cut.encode()).unwrap().unwrap();
        assert_eq!(read.login, login(&long[..LONGEST_NAME], "p"));
    }

    proptest! {
        #[test]
        fn any_bytes_are_read(bytes in proptest::collection::vec(any::<u8>(), 0..100)) {
            if let Ok(Some(request)) = Request::decode(&bytes) {
                prop_assert_eq!(Request::decode(&request.encode()), Ok(Some(request)));
            }
        }
    }
}
