//! Packets of TFTP (RFC 1350 §5), with the option acknowledgement of RFC 2347.

use std::fmt;

/// Bytes that are no TFTP packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum DecodeError {
    #[error("the {0} is cut short")]
    Short(&'static str),
    #[error("there is no operation {0}")]
    Operation(u16),
    #[error("the {0} is no text")]
    Text(&'static str),
    #[error("there is no mode of transfer of that name")]
    Mode,
}

/// The transfer mode. RFC 1350 also has `mail`, which is obsolete and refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    Octet,
    /// Lines end in CR LF on the wire.
    Netascii,
}

impl Mode {
    fn name(self) -> &'static str {
        match self {
            Self::Octet => "octet",
            Self::Netascii => "netascii",
        }
    }
}

/// Error codes: RFC 1350 appendix, and 8 of RFC 2347.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorCode {
    Undefined = 0,
    NotFound = 1,
    AccessViolation = 2,
    DiskFull = 3,
    IllegalOperation = 4,
    UnknownTransfer = 5,
    Exists = 6,
    NoSuchUser = 7,
    Options = 8,
}

impl ErrorCode {
    fn of_code(code: u16) -> Self {
        [
            Self::NotFound,
            Self::AccessViolation,
            Self::DiskFull,
            Self::IllegalOperation,
            Self::UnknownTransfer,
            Self::Exists,
            Self::NoSuchUser,
            Self::Options,
        ]
        .into_iter()
        .find(|known| *known as u16 == code)
        .unwrap_or(Self::Undefined)
    }
}

/// A read or write request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    pub write: bool,
    pub file: String,
    pub mode: Mode,
    /// Names in lower case, since RFC 2347 compares them without case; values as received.
    pub options: Vec<(String, String)>,
}

impl Request {
    /// The value of an option that the client sent.
    pub fn option(&self, name: &str) -> Option<&str> {
        let found = self.options.iter().find(|(known, _)| known == name)?;
        Some(&found.1)
    }
}

/// A packet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Packet<'a> {
    Request(Request),
    Data { block: u16, bytes: &'a [u8] },
    Ack { block: u16 },
    Error { code: ErrorCode, message: String },
    OptionAck(Vec<(String, String)>),
}

const READ: u16 = 1;
const WRITE: u16 = 2;
const DATA: u16 = 3;
const ACK: u16 = 4;
const ERROR: u16 = 5;
const OPTION_ACK: u16 = 6;

impl<'a> Packet<'a> {
    /// Decodes a datagram.
    pub fn decode(bytes: &'a [u8]) -> Result<Self, DecodeError> {
        let (operation, rest) = number("packet", bytes)?;
        Ok(match operation {
            READ | WRITE => {
                let (file, rest) = text("file name", rest)?;
                let (mode, rest) = text("mode", rest)?;
                let mode = match mode.to_ascii_lowercase().as_str() {
                    "octet" => Mode::Octet,
                    "netascii" => Mode::Netascii,
                    _ => return Err(DecodeError::Mode),
                };
                Self::Request(Request {
                    write: operation == WRITE,
                    file: file.to_owned(),
                    mode,
                    options: options(rest)?,
                })
            }
            DATA => {
                let (block, bytes) = number("data", rest)?;
                Self::Data { block, bytes }
            }
            ACK => Self::Ack {
                block: number("acknowledgement", rest)?.0,
            },
            ERROR => {
                let (code, rest) = number("error", rest)?;
                // Some firmware omits the terminating zero, or the whole text.
                let message = rest.split(|byte| *byte == 0).next().unwrap_or_default();
                Self::Error {
                    code: ErrorCode::of_code(code),
                    message: String::from_utf8_lossy(message).into_owned(),
                }
            }
            OPTION_ACK => Self::OptionAck(options(rest)?),
            operation => return Err(DecodeError::Operation(operation)),
        })
    }

    /// Encodes a datagram.
    pub fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        let put = |bytes: &mut Vec<u8>, number: u16| bytes.extend(number.to_be_bytes());
        match self {
            Self::Request(request) => {
                put(&mut bytes, if request.write { WRITE } else { READ });
                put_text(&mut bytes, &request.file);
                put_text(&mut bytes, request.mode.name());
                put_options(&mut bytes, &request.options);
            }
            Self::Data { block, bytes: data } => {
                put(&mut bytes, DATA);
                put(&mut bytes, *block);
                bytes.extend_from_slice(data);
            }
            Self::Ack { block } => {
                put(&mut bytes, ACK);
                put(&mut bytes, *block);
            }
            Self::Error { code, message } => {
                put(&mut bytes, ERROR);
                put(&mut bytes, *code as u16);
                put_text(&mut bytes, message);
            }
            Self::OptionAck(options) => {
                put(&mut bytes, OPTION_ACK);
                put_options(&mut bytes, options);
            }
        }
        bytes
    }
}

impl fmt::Display for ErrorCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Undefined => "error",
            Self::NotFound => "file not found",
            Self::AccessViolation => "access violation",
            Self::DiskFull => "disk full",
            Self::IllegalOperation => "illegal operation",
            Self::UnknownTransfer => "unknown transfer",
            Self::Exists => "file exists",
            Self::NoSuchUser => "no such user",
            Self::Options => "options refused",
        })
    }
}

fn number<'a>(what: &'static str, bytes: &'a [u8]) -> Result<(u16, &'a [u8]), DecodeError> {
    let (number, rest) = bytes.split_first_chunk().ok_or(DecodeError::Short(what))?;
    Ok((u16::from_be_bytes(*number), rest))
}

fn text<'a>(what: &'static str, bytes: &'a [u8]) -> Result<(&'a str, &'a [u8]), DecodeError> {
    let end = bytes
        .iter()
        .position(|byte| *byte == 0)
        .ok_or(DecodeError::Short(what))?;
    let text = str::from_utf8(&bytes[..end]).map_err(|_| DecodeError::Text(what))?;
    Ok((text, &bytes[end + 1..]))
}

fn options(mut bytes: &[u8]) -> Result<Vec<(String, String)>, DecodeError> {
    let mut options = Vec::new();
    // Some clients pad their request with zeros.
    while bytes.first().is_some_and(|byte| *byte != 0) {
        let (name, rest) = text("option", bytes)?;
        let (value, rest) = text("option", rest)?;
        options.push((name.to_ascii_lowercase(), value.to_owned()));
        bytes = rest;
    }
    Ok(options)
}

fn put_text(bytes: &mut Vec<u8>, text: &str) {
    bytes.extend(text.bytes().filter(|byte| *byte != 0));
    bytes.push(0);
}

fn put_options(bytes: &mut Vec<u8>, options: &[(String, String)]) {
    for (name, value) in options {
        put_text(bytes, name);
        put_text(bytes, value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::{collection::vec, prelude::*};

    proptest! {
            #[test]
            fn requests_are_read_as_written(
                write in any::<bool>(),
                file in "[^\0]{0,40}",
                octet in any::<bool>(),
                options in vec(("[a-z0-9]{1,9}", "[ -~]{0,9}"), 0..4),
            ) {
                let mode = if octet { Mode::Octet } else { Mode::Netascii };
                let packet = Packet::Request(Request { write, file, mode, options });
                let again = packet.encode();
    prop_assert_eq!(Packet::decode(&again), Ok(packet.clone()));
            }

            #[test]
            fn no_bytes_are_too_strange(operation in 0_u8..8, bytes in vec(any::<u8>(), 0..80)) {
                let _ = Packet::decode(&bytes);
                let mut framed = vec![0, operation];
                framed.extend(bytes);
                if let Ok(packet) = Packet::decode(&framed) {
                    let again = packet.encode();
    prop_assert_eq!(Packet::decode(&again), Ok(packet.clone()));
                }
            }
        }

    #[test]
    fn a_request_as_pxe_roms_send_it() {
        let bytes = b"\0\x01pxelinux.0\0OCTET\0TSIZE\x000\0blksize\x001456\0";
        let Ok(Packet::Request(request)) = Packet::decode(bytes) else {
            panic!("it is a request");
        };
        assert_eq!(
            (request.file.as_str(), request.mode),
            ("pxelinux.0", Mode::Octet)
        );
        assert_eq!(request.option("tsize"), Some("0"));
        assert_eq!(request.option("blksize"), Some("1456"));
        assert_eq!(
            Packet::decode(b"\0\x01pxelinux.0\0mail\0"),
            Err(DecodeError::Mode)
        );
        assert_eq!(Packet::decode(b"\0\x09"), Err(DecodeError::Operation(9)));
    }

    #[test]
    fn an_error_without_an_end_is_still_one() {
        let error = Packet::Error {
            code: ErrorCode::Options,
            message: "no".to_owned(),
        };
        assert_eq!(Packet::decode(b"\0\x05\0\x08no"), Ok(error));
    }
}
