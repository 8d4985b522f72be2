//! Users of a BMC: how many there can be, their names, and their passwords.

use crate::ipmi::{
    DecodeError, Reader,
    message::{NetFn, Request},
};

/// Get User Access (IPMI 2.0 §22.27).
pub const GET_ACCESS: u8 = 0x44;
/// Get User Name (IPMI 2.0 §22.29).
pub const GET_NAME: u8 = 0x46;
/// Set User Password (IPMI 2.0 §22.30).
pub const SET_PASSWORD: u8 = 0x47;

/// The channel that a request comes by.
const THIS_CHANNEL: u8 = 0x0e;
/// Of Set User Password; the others disable, enable and test.
const SET: u8 = 2;
/// The password has twenty bytes.
const IS_LONG: u8 = 0x80;

/// How many bytes a password has in IPMI 1.5, and may have in every version.
pub const SHORT_PASSWORD: usize = 16;
/// How many bytes it has at most in IPMI 2.0.
pub const LONG_PASSWORD: usize = 20;

/// The number of a user.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UserId(u8);

impl UserId {
    /// The user without a name, who is always the first.
    pub const NAMELESS: Self = Self(1);

    pub fn new(number: u8) -> Option<Self> {
        (1..=63).contains(&number).then_some(Self(number))
    }

    /// All users up to a number.
    pub fn up_to(last: u8) -> impl Iterator<Item = Self> {
        (1..=last).map_while(Self::new)
    }
}

/// Asks for the rights of a user, and how many users there can be.
pub fn get_access(user: UserId) -> Request {
    Request::new(NetFn::APP, GET_ACCESS, [THIS_CHANNEL, user.0])
}

/// How many users there can be, from the response to Get User Access.
pub fn decode_limit(data: &[u8]) -> Result<u8, DecodeError> {
    Ok(Reader::new("user access", data).u8()? & 0x3f)
}

/// Asks for the name of a user.
pub fn get_name(user: UserId) -> Request {
    Request::new(NetFn::APP, GET_NAME, [user.0])
}

/// The name in the response to Get User Name, which is filled up with zeros.
pub fn decode_name(data: &[u8]) -> &[u8] {
    let end = data.iter().position(|byte| *byte == 0);
    data.get(..end.unwrap_or(data.len())).unwrap_or_default()
}

/// Gives a user another password; `None` where it is empty or longer than twenty bytes.
///
/// One that fits into sixteen bytes is sent as such: a BMC may take a user whose password was set
/// with twenty for one who must not log in by IPMI 1.5.
pub fn set_password(user: UserId, password: &[u8]) -> Option<Request> {
    let (flag, length) = match password.len() {
        1..=SHORT_PASSWORD => (0, SHORT_PASSWORD),
        17..=LONG_PASSWORD => (IS_LONG, LONG_PASSWORD),
        _ => return None,
    };
    let mut data = vec![user.0 | flag, SET];
    data.extend(password);
    data.resize(2 + length, 0);
    Some(Request::new(NetFn::APP, SET_PASSWORD, data))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_are_sent_with_the_length_that_they_need() {
        let user = UserId::new(5).unwrap();
        let data = |password: &[u8]| set_password(user, password).map(|request| request.data);
        let short = data(b"secret").unwrap();
        assert_eq!((short.len(), &short[..8]), (18, &b"\x05\x02secret"[..]));
        assert_eq!(data(&[b'x'; 16]).unwrap().len(), 18);
        let long = data(&[b'x'; 17]).unwrap();
        assert_eq!((long.len(), long[0], long[21]), (22, 0x85, 0));
        assert_eq!(data(&[b'x'; 20]).unwrap().len(), 22);
        assert_eq!(data(&[b'x'; 21]), None);
        assert_eq!(data(b""), None);
    }

    #[test]
    fn users_have_numbers_and_names() {
        assert_eq!(UserId::new(0), None);
        assert_eq!(UserId::new(64), None);
        assert_eq!(UserId::up_to(200).count(), 63);
        assert_eq!(UserId::up_to(1).next(), Some(UserId::NAMELESS));
        assert_eq!(decode_name(b"admin\0\0\0x"), b"admin");
        assert_eq!(decode_name(b"sixteen-bytes-16"), b"sixteen-bytes-16");
        assert_eq!(decode_name(b""), b"");
        assert_eq!(decode_limit(&[0xca, 1]), Ok(10));
        assert!(decode_limit(&[]).is_err());
    }
}
