//! The six messages that open a session of version 2.0 (IPMI 2.0 §13.17 to §13.23), and the keys
//! derived from them (§13.31, §13.32).
//!
//! Both sides are here: what a console encodes, a BMC decodes, and the other way round. Names
//! follow the standard where it has short ones: the *console* opens the session, the *system* is
//! the BMC.

use super::{
    DecodeError, Privilege, Reader,
    crypto::{self, Key},
    suite::{Algorithms, Authentication, Confidentiality, Integrity},
};

/// RMCP+ and RAKP status codes (IPMI 2.0 §13.24, Table 13-15).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Status(pub u8);

impl Status {
    pub const OK: Self = Self(0x00);
    pub const NO_RESOURCES: Self = Self(0x01);
    pub const INVALID_SESSION: Self = Self(0x02);
    pub const INVALID_AUTHENTICATION: Self = Self(0x04);
    pub const INVALID_INTEGRITY: Self = Self(0x05);
    pub const INVALID_ROLE: Self = Self(0x09);
    pub const UNAUTHORIZED_ROLE: Self = Self(0x0a);
    pub const NO_RESOURCES_FOR_ROLE: Self = Self(0x0b);
    pub const INVALID_NAME_LENGTH: Self = Self(0x0c);
    pub const UNAUTHORIZED_NAME: Self = Self(0x0d);
    pub const INVALID_CHECK_VALUE: Self = Self(0x0f);
    pub const INVALID_CONFIDENTIALITY: Self = Self(0x10);
    pub const NO_SUITE: Self = Self(0x11);
}

impl std::fmt::Display for Status {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match *self {
            Self::OK => "no errors",
            Self::NO_RESOURCES => "insufficient resources to create a session",
            Self::INVALID_SESSION => "invalid session id",
            Self(0x03) => "invalid payload type",
            Self::INVALID_AUTHENTICATION => "invalid authentication algorithm",
            Self::INVALID_INTEGRITY => "invalid integrity algorithm",
            Self(0x06) => "no matching authentication payload",
            Self(0x07) => "no matching integrity payload",
            Self(0x08) => "inactive session id",
            Self::INVALID_ROLE => "invalid role",
            Self::UNAUTHORIZED_ROLE => "unauthorized role or privilege level",
            Self::NO_RESOURCES_FOR_ROLE => {
                "insufficient resources to create a session at the requested role"
            }
            Self::INVALID_NAME_LENGTH => "invalid name length",
            Self::UNAUTHORIZED_NAME => "unauthorized name",
            Self(0x0e) => "unauthorized GUID",
            Self::INVALID_CHECK_VALUE => "invalid integrity check value",
            Self::INVALID_CONFIDENTIALITY => "invalid confidentiality algorithm",
            Self::NO_SUITE => "no cipher suite match with the proposed security algorithms",
            Self(0x12) => "illegal or unrecognized parameter",
            Self(code) => return write!(f, "status {code:#04x}"),
        })
    }
}

/// A user's name: at most sixteen bytes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct UserName(Vec<u8>);

impl UserName {
    /// The longest name.
    pub const SIZE: usize = 16;

    /// `None` if the name is too long.
    pub fn new(name: &[u8]) -> Option<Self> {
        (name.len() <= Self::SIZE).then(|| Self(name.to_vec()))
    }

    /// The name without padding.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    fn length(&self) -> u8 {
        // The constructor limits the length, so the conversion cannot fail.
        u8::try_from(self.0.len()).unwrap_or(0)
    }
}

/// RMCP+ Open Session Request (IPMI 2.0 §13.17).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenRequest {
    pub tag: u8,
    /// `None` asks for the highest level that the suite allows.
    pub privilege: Option<Privilege>,
    pub console: u32,
    pub algorithms: Algorithms,
}

/// RMCP+ Open Session Response (IPMI 2.0 §13.18).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenResponse {
    pub tag: u8,
    pub console: u32,
    pub outcome: Result<Opened, Status>,
}

/// What a successful Open Session Response grants.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Opened {
    pub privilege: u8,
    pub system: u32,
    pub algorithms: Algorithms,
}

fn algorithm_payload(kind: u8, code: u8) -> [u8; 8] {
    [kind, 0, 0, 8, code, 0, 0, 0]
}

fn push_algorithms(bytes: &mut Vec<u8>, algorithms: &Algorithms) {
    bytes.extend(algorithm_payload(0, algorithms.authentication as u8));
    bytes.extend(algorithm_payload(1, algorithms.integrity as u8));
    bytes.extend(algorithm_payload(2, algorithms.confidentiality as u8));
}

/// Decodes the three algorithm payloads: authentication, integrity, confidentiality.
fn read_algorithms(reader: &mut Reader<'_>) -> Result<[u8; 3], DecodeError> {
    let mut codes = [0; 3];
    for (kind, code) in codes.iter_mut().enumerate() {
        let payload: [u8; 8] = reader.array()?;
        if usize::from(payload[0]) != kind {
            return Err(DecodeError::Value {
                what: "kind of algorithm",
                value: payload[0],
            });
        }
        *code = payload[4];
    }
    Ok(codes)
}

/// The algorithms with these codes, or the status to reject them with.
fn known_algorithms(codes: [u8; 3]) -> Result<Algorithms, Status> {
    Ok(Algorithms {
        authentication: Authentication::of_code(codes[0] & 0x3f)
            .ok_or(Status::INVALID_AUTHENTICATION)?,
        integrity: Integrity::of_code(codes[1] & 0x3f).ok_or(Status::INVALID_INTEGRITY)?,
        confidentiality: Confidentiality::of_code(codes[2] & 0x3f)
            .ok_or(Status::INVALID_CONFIDENTIALITY)?,
    })
}

impl OpenRequest {
    /// Encodes the payload.
    pub fn encode(&self) -> Vec<u8> {
        let privilege = self.privilege.map_or(0, Privilege::code);
        let mut bytes = vec![self.tag, privilege, 0, 0];
        bytes.extend(self.console.to_le_bytes());
        push_algorithms(&mut bytes, &self.algorithms);
        bytes
    }

    /// Decodes a request. The inner error is for a well-formed request for something that is not
    /// implemented; the response needs the tag and the console's id.
    #[allow(clippy::type_complexity)]
    pub fn decode(bytes: &[u8]) -> Result<Result<Self, (u8, u32, Status)>, DecodeError> {
        let mut reader = Reader::new("open session request", bytes);
        let [tag, privilege, _, _] = reader.array()?;
        let console = reader.u32_le()?;
        let codes = read_algorithms(&mut reader)?;
        let privilege = match privilege & 0x0f {
            0 => None,
            code => match Privilege::of_code(code) {
                Some(privilege) => Some(privilege),
                None => return Ok(Err((tag, console, Status::INVALID_ROLE))),
            },
        };
        Ok(match known_algorithms(codes) {
            Ok(algorithms) => Ok(Self {
                tag,
                privilege,
                console,
                algorithms,
            }),
            Err(status) => Err((tag, console, status)),
        })
    }
}

impl OpenResponse {
    /// Encodes the payload.
    pub fn encode(&self) -> Vec<u8> {
        match &self.outcome {
            Ok(opened) => {
                let mut bytes = vec![self.tag, 0, opened.privilege, 0];
                bytes.extend(self.console.to_le_bytes());
                bytes.extend(opened.system.to_le_bytes());
                push_algorithms(&mut bytes, &opened.algorithms);
                bytes
            }
            Err(status) => {
                let mut bytes = vec![self.tag, status.0, 0, 0];
                bytes.extend(self.console.to_le_bytes());
                bytes
            }
        }
    }

    /// Decodes the payload.
    pub fn decode(bytes: &[u8]) -> Result<Self, DecodeError> {
        let mut reader = Reader::new("open session response", bytes);
        let [tag, status] = reader.array()?;
        if status != Status::OK.0 {
            // Some BMCs send only these two bytes with an error.
            let console = reader.bytes(2).and_then(|_| reader.u32_le()).unwrap_or(0);
            return Ok(Self {
                tag,
                console,
                outcome: Err(Status(status)),
            });
        }
        let [privilege, _] = reader.array()?;
        let console = reader.u32_le()?;
        let system = reader.u32_le()?;
        let codes = read_algorithms(&mut reader)?;
        Ok(Self {
            tag,
            console,
            outcome: known_algorithms(codes).map(|algorithms| Opened {
                privilege,
                system,
                algorithms,
            }),
        })
    }
}

/// RAKP Message 1 (IPMI 2.0 §13.20): the console names the user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rakp1 {
    pub tag: u8,
    pub system: u32,
    pub console_random: [u8; 16],
    /// The requested privilege level, and [`NAME_ONLY`].
    pub role: u8,
    pub user: UserName,
}

/// Name-only lookup: the BMC finds the user by name alone, whatever level was requested.
pub const NAME_ONLY: u8 = 0x10;

impl Rakp1 {
    /// Encodes the payload.
    pub fn encode(&self) -> Vec<u8> {
        let mut bytes = vec![self.tag, 0, 0, 0];
        bytes.extend(self.system.to_le_bytes());
        bytes.extend(self.console_random);
        bytes.extend([self.role, 0, 0, self.user.length()]);
        bytes.extend(self.user.as_bytes());
        bytes
    }

    /// Decodes the payload.
    pub fn decode(bytes: &[u8]) -> Result<Self, DecodeError> {
        let mut reader = Reader::new("RAKP 1", bytes);
        let [tag, _, _, _] = reader.array()?;
        let system = reader.u32_le()?;
        let console_random = reader.array()?;
        let [role, _, _, length] = reader.array()?;
        let user = reader.bytes(usize::from(length))?;
        Ok(Self {
            tag,
            system,
            console_random,
            role,
            user: UserName::new(user).ok_or(DecodeError::Value {
                what: "length of the user's name",
                value: length,
            })?,
        })
    }
}

/// RAKP Message 2 (IPMI 2.0 §13.21): the BMC proves that it knows the password.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rakp2 {
    pub tag: u8,
    pub console: u32,
    pub outcome: Result<SystemProof, Status>,
}

/// The contents of a successful RAKP Message 2.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SystemProof {
    pub random: [u8; 16],
    pub guid: [u8; 16],
    pub code: Vec<u8>,
}

impl Rakp2 {
    /// Encodes the payload.
    pub fn encode(&self) -> Vec<u8> {
        let status = self.outcome.as_ref().err().unwrap_or(&Status::OK);
        let mut bytes = vec![self.tag, status.0, 0, 0];
        bytes.extend(self.console.to_le_bytes());
        if let Ok(proof) = &self.outcome {
            bytes.extend(proof.random);
            bytes.extend(proof.guid);
            bytes.extend(&proof.code);
        }
        bytes
    }

    /// Decodes the payload.
    pub fn decode(bytes: &[u8]) -> Result<Self, DecodeError> {
        let mut reader = Reader::new("RAKP 2", bytes);
        let [tag, status, _, _] = reader.array()?;
        let console = reader.u32_le()?;
        let outcome = if status == Status::OK.0 {
            Ok(SystemProof {
                random: reader.array()?,
                guid: reader.array()?,
                code: reader.rest().to_vec(),
            })
        } else {
            Err(Status(status))
        };
        Ok(Self {
            tag,
            console,
            outcome,
        })
    }
}

/// RAKP Message 3 (IPMI 2.0 §13.22): the console proves it as well, or aborts with a status.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rakp3 {
    pub tag: u8,
    pub system: u32,
    pub outcome: Result<Vec<u8>, Status>,
}

/// RAKP Message 4 (IPMI 2.0 §13.23): the BMC proves that it has derived the same session key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rakp4 {
    pub tag: u8,
    pub console: u32,
    pub outcome: Result<Vec<u8>, Status>,
}

fn encode_last(tag: u8, id: u32, outcome: &Result<Vec<u8>, Status>) -> Vec<u8> {
    let status = outcome.as_ref().err().unwrap_or(&Status::OK);
    let mut bytes = vec![tag, status.0, 0, 0];
    bytes.extend(id.to_le_bytes());
    if let Ok(code) = outcome {
        bytes.extend(code);
    }
    bytes
}

type FinalMessage = (u8, u32, Result<Vec<u8>, Status>);

fn decode_last(what: &'static str, bytes: &[u8]) -> Result<FinalMessage, DecodeError> {
    let mut reader = Reader::new(what, bytes);
    let [tag, status, _, _] = reader.array()?;
    let id = reader.u32_le()?;
    let outcome = if status == Status::OK.0 {
        Ok(reader.rest().to_vec())
    } else {
        Err(Status(status))
    };
    Ok((tag, id, outcome))
}

impl Rakp3 {
    /// Encodes the payload.
    pub fn encode(&self) -> Vec<u8> {
        encode_last(self.tag, self.system, &self.outcome)
    }

    /// Decodes the payload.
    pub fn decode(bytes: &[u8]) -> Result<Self, DecodeError> {
        let (tag, system, outcome) = decode_last("RAKP 3", bytes)?;
        Ok(Self {
            tag,
            system,
            outcome,
        })
    }
}

impl Rakp4 {
    /// Encodes the payload.
    pub fn encode(&self) -> Vec<u8> {
        encode_last(self.tag, self.console, &self.outcome)
    }

    /// Decodes the payload.
    pub fn decode(bytes: &[u8]) -> Result<Self, DecodeError> {
        let (tag, console, outcome) = decode_last("RAKP 4", bytes)?;
        Ok(Self {
            tag,
            console,
            outcome,
        })
    }
}

/// Everything that both sides know after RAKP Message 2, from which all codes and keys are computed
/// (IPMI 2.0 §13.31).
#[derive(Debug, Clone)]
pub struct Exchange {
    pub algorithms: Algorithms,
    pub console: u32,
    pub system: u32,
    pub console_random: [u8; 16],
    pub system_random: [u8; 16],
    pub guid: [u8; 16],
    pub role: u8,
    pub user: UserName,
    pub password: Key,
    /// The BMC key K_g; where it is empty, the password takes its place.
    pub bmc_key: Key,
}

impl Exchange {
    fn code(&self, key: &[u8], parts: &[&[u8]]) -> Vec<u8> {
        crypto::code(self.algorithms.authentication, key, parts)
    }

    fn name(&self) -> [&[u8]; 2] {
        [
            std::slice::from_ref(&self.role),
            // Callers put the length before it.
            self.user.as_bytes(),
        ]
    }

    /// The key exchange authentication code of RAKP Message 2.
    pub fn system_code(&self) -> Vec<u8> {
        let [role, user] = self.name();
        self.code(
            self.password.as_bytes(),
            &[
                &self.console.to_le_bytes(),
                &self.system.to_le_bytes(),
                &self.console_random,
                &self.system_random,
                &self.guid,
                role,
                &[self.user.length()],
                user,
            ],
        )
    }

    /// The key exchange authentication code of RAKP Message 3.
    pub fn console_code(&self) -> Vec<u8> {
        let [role, user] = self.name();
        self.code(
            self.password.as_bytes(),
            &[
                &self.system_random,
                &self.console.to_le_bytes(),
                role,
                &[self.user.length()],
                user,
            ],
        )
    }

    /// The session integrity key (SIK), from which the other keys are derived.
    fn session_key(&self) -> Vec<u8> {
        let key = if self.bmc_key.is_empty() {
            &self.password
        } else {
            &self.bmc_key
        };
        let [role, user] = self.name();
        self.code(
            key.as_bytes(),
            &[
                &self.console_random,
                &self.system_random,
                role,
                &[self.user.length()],
                user,
            ],
        )
    }

    /// The integrity check value of RAKP Message 4: a truncated HMAC, unlike those of messages 2
    /// and 3.
    pub fn check_value(&self) -> Vec<u8> {
        let mut code = self.code(
            &self.session_key(),
            &[&self.console_random, &self.system.to_le_bytes(), &self.guid],
        );
        let length = match self.algorithms.authentication {
            Authentication::None => 0,
            Authentication::HmacSha1 => 12,
            Authentication::HmacMd5 | Authentication::HmacSha256 => 16,
        };
        code.truncate(length);
        code
    }

    /// The session's keys K1 and K2 (IPMI 2.0 §13.32).
    pub fn keys(&self) -> Keys {
        let session = self.session_key();
        // §13.32 says that the constants are as long as the HMAC's block, but BMCs and ipmitool use
        // 20 bytes with every hash.
        let derived = |number: u8| self.code(&session, &[&[number; 20]]);
        let mut confidentiality = [0; 16];
        if let Some(bytes) = derived(2).first_chunk() {
            confidentiality = *bytes;
        }
        Keys {
            integrity: derived(1),
            confidentiality,
        }
    }
}

/// The keys of a session.
#[derive(Clone)]
pub struct Keys {
    /// K1.
    pub(super) integrity: Vec<u8>,
    /// The first 128 bits of K2.
    pub(super) confidentiality: [u8; 16],
}

impl std::fmt::Debug for Keys {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Keys(…)")
    }
}

#[cfg(test)]
#[path = "handshake/tests.rs"]
mod tests;
