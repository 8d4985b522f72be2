//! How much a template may do: it is somebody else's, and what it is rendered with may be large.
//!
//! A template of some kilobytes can name a text of many megabytes a thousand times. What it writes,
//! compares and changes is counted in bytes, and each value it asks for as one more.

/// More than the files of the largest config drive have, as the scripts of a kickstart file.
pub(super) const MOST: usize = 128 << 20;

/// A template does too much.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TooMuch;

/// What is left to be done.
#[derive(Debug)]
pub(super) struct Work(usize);

impl Default for Work {
    fn default() -> Self {
        Self(MOST)
    }
}

impl Work {
    pub(super) fn spend(&mut self, bytes: usize) -> Result<(), TooMuch> {
        self.0 = self.0.checked_sub(bytes).ok_or(TooMuch)?;
        Ok(())
    }
}
