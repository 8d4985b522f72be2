//! The beginning of a conversation with a viewer: version 3.8 and no password, because a viewer
//! that comes this far has shown a token.
//!
//! The caller sends [`Greeting::begin`], then reads as [`Greeting::needs`] says, as for
//! [`super::login::Login`].

use super::{NONE, VERSION, VERSION_LENGTH, shown};

/// What a viewer wants that is not served. The texts are Ironic's.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GreetingError {
    #[error("Security proxying requires RFB protocol version 3.8, but client requested {0}")]
    Version(String),
    #[error("Only the security type 1 (NONE) is supported")]
    Security,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    Version,
    Security,
    Done,
}

#[derive(Debug)]
pub struct Greeting(Step);

impl Default for Greeting {
    fn default() -> Self {
        Self(Step::Version)
    }
}

impl Greeting {
    /// What is sent first.
    pub fn begin(&self) -> &'static [u8] {
        VERSION
    }

    /// How many bytes are to be read next; zero when the viewer is in.
    pub fn needs(&self) -> usize {
        match self.0 {
            Step::Version => VERSION_LENGTH,
            Step::Security => 1,
            Step::Done => 0,
        }
    }

    /// Takes the bytes that were needed, and tells what to send.
    pub fn take(&mut self, bytes: &[u8]) -> Result<&'static [u8], GreetingError> {
        match self.0 {
            Step::Version if bytes == VERSION => {
                self.0 = Step::Security;
                // One type, and which.
                Ok(&[1, NONE])
            }
            Step::Version => {
                let named = bytes.get(4..).unwrap_or_default();
                Err(GreetingError::Version(shown(named)))
            }
            Step::Security if bytes == [NONE] => {
                self.0 = Step::Done;
                // All is well.
                Ok(&[0, 0, 0, 0])
            }
            Step::Security => Err(GreetingError::Security),
            Step::Done => Ok(&[]),
        }
    }
}
