//! What a server of a small screen of ours says (RFC 6143 §7.3.2, 7.6.1): enough for pictures that
//! are drawn here.

use super::client::PixelFormat;

/// The first words after the greeting: how large the screen is and what it is called.
pub fn init(size: [u16; 2], name: &str) -> Vec<u8> {
    let name = name.as_bytes();
    let name = name.get(..255).unwrap_or(name);
    let mut bytes = Vec::with_capacity(24 + name.len());
    for side in size {
        bytes.extend(side.to_be_bytes());
    }
    bytes.extend(PixelFormat::USUAL.encode());
    bytes.extend(u32::try_from(name.len()).unwrap_or_default().to_be_bytes());
    bytes.extend(name);
    bytes
}

/// An update of one area; the pixels follow, row by row, as they are (encoding 0).
pub fn update(area: [u16; 4]) -> Vec<u8> {
    // One rectangle.
    let mut bytes = vec![0, 0, 0, 1];
    for side in area {
        bytes.extend(side.to_be_bytes());
    }
    bytes.extend([0; 4]);
    bytes
}
