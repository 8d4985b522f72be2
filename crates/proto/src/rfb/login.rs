//! The beginning of a conversation with a machine's server (RFC 6143 §7.1, 7.2): which version is
//! spoken, and how to get in.
//!
//! The caller reads as many bytes as [`Login::needs`] says, hands them to [`Login::take`] and sends
//! what that returns, until nothing more is needed. Servers of 3.3 and 3.7, which BMCs still have,
//! are talked to in their versions.

use super::{NONE, PASSWORD, VERSION, VERSION_LENGTH, minor, shown};
use des::{
    Des,
    cipher::{BlockCipherEncrypt, KeyInit},
};
use std::fmt;

/// The longest reason for a refusal that is read.
const LONGEST_REASON: u32 = 4096;
const CHALLENGE: usize = 16;

/// Why a server does not let us in.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LoginError {
    #[error("it does not speak RFB")]
    NotRfb,
    #[error("it speaks RFB {0}, which is not known here")]
    Version(String),
    #[error("it asks for a password, and none is given")]
    NoPassword,
    #[error("it offers the security types {0:?} only, none of which is spoken here")]
    Security(Vec<u8>),
    #[error("it refuses the password")]
    WrongPassword,
    #[error("it refuses the connection: {0}")]
    Refused(String),
    #[error("it answers what RFB does not have: {0}")]
    Nonsense(&'static str),
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Step {
    Version,
    /// How many security types there are.
    Count,
    Types(usize),
    /// The type that a server of 3.3 decides on.
    Decision,
    Challenge,
    Result,
    ReasonLength {
        is_result: bool,
    },
    Reason {
        length: usize,
        is_result: bool,
    },
    Done,
}

/// A conversation with a server up to the point where a viewer would say whether it shares the screen.
pub struct Login {
    password: Option<Vec<u8>>,
    minor: u16,
    chosen: u8,
    step: Step,
}

impl fmt::Debug for Login {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Login")
            .field("step", &self.step)
            .finish_non_exhaustive()
    }
}

impl Login {
    pub fn new(password: Option<&str>) -> Self {
        Self {
            password: password.map(|password| password.as_bytes().to_vec()),
            minor: 8,
            chosen: NONE,
            step: Step::Version,
        }
    }

    /// How many bytes are to be read next; zero when we are in.
    pub fn needs(&self) -> usize {
        match self.step {
            Step::Version => VERSION_LENGTH,
            Step::Count => 1,
            Step::Types(count) => count,
            Step::Decision | Step::Result | Step::ReasonLength { .. } => 4,
            Step::Challenge => CHALLENGE,
            Step::Reason { length, .. } => length,
            Step::Done => 0,
        }
    }

    /// Takes the bytes that were needed, and tells what to send.
    pub fn take(&mut self, bytes: &[u8]) -> Result<Vec<u8>, LoginError> {
        if bytes.len() != self.needs() {
            return Err(LoginError::Nonsense(
                "another number of bytes than announced",
            ));
        }
        match self.step.clone() {
            Step::Version => self.version(bytes),
            Step::Count => {
                let count = bytes.first().copied().unwrap_or_default();
                self.step = match count {
                    0 => Step::ReasonLength { is_result: false },
                    count => Step::Types(usize::from(count)),
                };
                Ok(Vec::new())
            }
            Step::Types(_) => {
                self.choose(bytes)?;
                Ok(vec![self.chosen])
            }
            Step::Decision => {
                match number(bytes) {
                    0 => self.step = Step::ReasonLength { is_result: false },
                    decided => {
                        let decided = u8::try_from(decided);
                        let decided = decided
                            .map_err(|_| LoginError::Nonsense("an unknown security type"))?;
                        self.choose(&[decided])?;
                    }
                }
                Ok(Vec::new())
            }
            Step::Challenge => {
                self.step = Step::Result;
                self.respond(bytes)
            }
            Step::Result => self.judge(number(bytes)),
            Step::ReasonLength { is_result } => {
                let length = number(bytes).min(LONGEST_REASON);
                let length = usize::try_from(length).unwrap_or_default();
                if length == 0 {
                    return Err(self.refused(&[], is_result));
                }
                self.step = Step::Reason { length, is_result };
                Ok(Vec::new())
            }
            Step::Reason { is_result, .. } => Err(self.refused(bytes, is_result)),
            Step::Done => Ok(Vec::new()),
        }
    }

    fn version(&mut self, bytes: &[u8]) -> Result<Vec<u8>, LoginError> {
        let line: &[u8; VERSION_LENGTH] = bytes.try_into().map_err(|_| LoginError::NotRfb)?;
        if !line.starts_with(b"RFB ") {
            return Err(LoginError::NotRfb);
        }
        let unknown = || LoginError::Version(shown(&line[4..]));
        let (minor, line) = match minor(line).ok_or_else(unknown)? {
            ..3 => return Err(unknown()),
            // RFC 6143 §7.1.1: what is not known is 3.3.
            3..7 => (3, b"RFB 003.003\n"),
            7 => (7, b"RFB 003.007\n"),
            8.. => (8, VERSION),
        };
        self.minor = minor;
        self.step = if minor == 3 {
            Step::Decision
        } else {
            Step::Count
        };
        Ok(line.to_vec())
    }

    /// A password that we have is used where it is asked for.
    fn choose(&mut self, offered: &[u8]) -> Result<(), LoginError> {
        let offers = |wanted| offered.contains(&wanted);
        self.chosen = match (offers(PASSWORD), offers(NONE), &self.password) {
            (true, _, Some(_)) => PASSWORD,
            (_, true, _) => NONE,
            (true, false, None) => return Err(LoginError::NoPassword),
            (false, false, _) => return Err(LoginError::Security(offered.to_vec())),
        };
        self.step = match (self.chosen, self.minor) {
            (PASSWORD, _) => Step::Challenge,
            (_, 8) => Step::Result,
            _ => Step::Done,
        };
        Ok(())
    }

    /// RFC 6143 §7.2.2.
    fn respond(&self, challenge: &[u8]) -> Result<Vec<u8>, LoginError> {
        let password = self.password.as_deref().ok_or(LoginError::NoPassword)?;
        let mut key = [0; 8];
        for (place, sign) in key.iter_mut().zip(password) {
            // The first bit of a key of DES is the last one of the standard here.
            *place = sign.reverse_bits();
        }
        let cipher = Des::new(&key.into());
        let mut response = challenge.to_vec();
        for block in response.as_chunks_mut::<8>().0 {
            let mut sealed = (*block).into();
            cipher.encrypt_block(&mut sealed);
            *block = sealed.into();
        }
        Ok(response)
    }

    fn judge(&mut self, result: u32) -> Result<Vec<u8>, LoginError> {
        match (result, self.minor) {
            (0, _) => {
                self.step = Step::Done;
                Ok(Vec::new())
            }
            (1 | 2, 8) => {
                self.step = Step::ReasonLength { is_result: true };
                Ok(Vec::new())
            }
            (1 | 2, _) => Err(self.refused(&[], true)),
            _ => Err(LoginError::Nonsense("an unknown result of the login")),
        }
    }

    fn refused(&self, reason: &[u8], is_result: bool) -> LoginError {
        match is_result && self.chosen == PASSWORD {
            true => LoginError::WrongPassword,
            false => LoginError::Refused(shown(reason)),
        }
    }
}

fn number(bytes: &[u8]) -> u32 {
    bytes
        .first_chunk()
        .copied()
        .map(u32::from_be_bytes)
        .unwrap_or_default()
}
