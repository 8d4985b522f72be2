//! The remote framebuffer protocol, by which screens are shown (RFC 6143), for a proxy between a
//! machine and those who look at it.
//!
//! [`login`] is the beginning of a conversation with a machine's server, [`greeting`] the same with
//! a viewer, [`client`] what viewers say afterwards. What a server shows is not looked into: it is
//! for the viewer, and the proxy passes it on.

pub mod client;
pub mod greeting;
pub mod login;
pub mod server;

/// The version that is spoken.
pub const VERSION: &[u8; VERSION_LENGTH] = b"RFB 003.008\n";
/// The length of a line that names a version.
pub const VERSION_LENGTH: usize = 12;

/// The security type that asks for nothing.
pub const NONE: u8 = 1;
/// The one that asks for a password, by a challenge.
pub const PASSWORD: u8 = 2;

/// The minor version that a line names; all known ones are of version 3.
fn minor(line: &[u8; VERSION_LENGTH]) -> Option<u16> {
    let [b'R', b'F', b'B', b' ', major @ .., b'\n'] = line else {
        return None;
    };
    let (b"003.", minor) = major.split_first_chunk::<4>()? else {
        return None;
    };
    let minor = std::str::from_utf8(minor).ok()?;
    let is_number = minor.bytes().all(|digit| digit.is_ascii_digit());
    is_number.then(|| minor.parse().ok()).flatten()
}

/// What of a text of the other side may be shown: printable, and not long.
fn shown(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let text = text.chars().filter(|sign| !sign.is_control());
    text.take(256).collect()
}

#[cfg(test)]
mod tests;
