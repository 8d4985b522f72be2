//! What viewers say (RFC 6143 §7.5, and the extensions that noVNC has).
//!
//! Viewers are listened to message by message: an unknown one ends the conversation, long ones
//! are refused, and a viewer that only watches cannot type.

use crate::reader::{Reader, Short};

/// The longest text that a viewer may put into the clipboard of the machine.
pub const LONGEST_TEXT: usize = 64 * 1024;
/// How many encodings a viewer may name.
pub const MOST_ENCODINGS: usize = 256;

/// Pseudo encodings that are withheld from the server: messages of a form that cannot be told from
/// another one (extended pointer events), power control behind the back of the service (xvp), and sound.
const WITHHELD: [i32; 3] = [-316, -309, -259];

/// Why a viewer is not listened to any longer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ClientError {
    #[error("the viewer sent a message of type {0}, which is not known here")]
    Unknown(u8),
    #[error("the viewer sent a message that is too long")]
    TooLong,
}

/// How pixels are written (RFC 6143 §7.4).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PixelFormat {
    pub bits: u8,
    pub depth: u8,
    pub is_big_endian: bool,
    pub is_true_colour: bool,
    /// Of red, green and blue.
    pub most: [u16; 3],
    pub shift: [u8; 3],
}

impl PixelFormat {
    pub const LENGTH: usize = 16;
    /// Blue in the lowest byte.
    pub const USUAL: Self = Self {
        bits: 32,
        depth: 24,
        is_big_endian: false,
        is_true_colour: true,
        most: [255; 3],
        shift: [16, 8, 0],
    };

    pub fn encode(&self) -> [u8; Self::LENGTH] {
        let mut bytes = [0; Self::LENGTH];
        bytes[0] = self.bits;
        bytes[1] = self.depth;
        bytes[2] = self.is_big_endian.into();
        bytes[3] = self.is_true_colour.into();
        for (place, most) in bytes[4..10]
            .as_chunks_mut::<2>()
            .0
            .iter_mut()
            .zip(self.most)
        {
            *place = most.to_be_bytes();
        }
        bytes[10..13].copy_from_slice(&self.shift);
        bytes
    }

    fn read(reader: &mut Reader<'_>) -> Result<Self, Short> {
        let [bits, depth, is_big_endian, is_true_colour] = reader.array()?;
        let most = [reader.u16_be()?, reader.u16_be()?, reader.u16_be()?];
        let shift = reader.array()?;
        reader.bytes(3)?;
        Ok(Self {
            bits,
            depth,
            is_big_endian: is_big_endian != 0,
            is_true_colour: is_true_colour != 0,
            most,
            shift,
        })
    }

    /// A colour of one byte each for red, green and blue, as it is written. Formats without true colour
    /// get the brightness.
    pub fn write(&self, colour: [u8; 3], to: &mut Vec<u8>) {
        let value = if self.is_true_colour {
            let parts = colour.iter().zip(self.most).zip(self.shift);
            parts.fold(0, |value: u32, ((&part, most), shift)| {
                let scaled = u32::from(part) * u32::from(most) / 255;
                value | scaled.checked_shl(shift.into()).unwrap_or_default()
            })
        } else {
            u32::from(colour[1])
        };
        let bytes = value.to_be_bytes();
        let width = usize::from(self.bits / 8).clamp(1, 4);
        let bytes = &bytes[4 - width..];
        match self.is_big_endian {
            true => to.extend(bytes),
            false => to.extend(bytes.iter().rev()),
        }
    }
}

/// One message of a viewer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ClientMessage {
    PixelFormat(PixelFormat),
    Encodings(Vec<i32>),
    /// The part of the screen that it wants to see, and whether only changes of it.
    Update {
        is_incremental: bool,
        area: [u16; 4],
    },
    Key {
        is_down: bool,
        symbol: u32,
    },
    Pointer {
        buttons: u8,
        at: [u16; 2],
    },
    /// Text for the clipboard.
    Text,
    /// Anything else that is known and changes nothing in the machine.
    Other,
}

impl ClientMessage {
    /// Whether it does something to the machine, and not only to how its screen is shown.
    pub fn is_input(&self) -> bool {
        matches!(self, Self::Key { .. } | Self::Pointer { .. } | Self::Text)
    }

    /// The first message of a stretch and its length; `None` while it has not come as a whole.
    pub fn first(bytes: &[u8]) -> Result<Option<(Self, usize)>, ClientError> {
        let Some(&kind) = bytes.first() else {
            return Ok(None);
        };
        let Some(length) = length(kind, bytes)? else {
            return Ok(None);
        };
        let Some(message) = bytes.get(1..length) else {
            return Ok(None);
        };
        // The length was judged, so that nothing is short.
        let message = read(kind, Reader::new("a message", message));
        let message = message.map_err(|_| ClientError::Unknown(kind))?;
        Ok(Some((message, length)))
    }
}

/// The length of a message, once its beginning says so.
fn length(kind: u8, bytes: &[u8]) -> Result<Option<usize>, ClientError> {
    Ok(match kind {
        0 => Some(20),
        2 => match bytes.get(2..4).and_then(|count| count.first_chunk()) {
            None => None,
            Some(count) => {
                let count = usize::from(u16::from_be_bytes(*count));
                if count > MOST_ENCODINGS {
                    return Err(ClientError::TooLong);
                }
                Some(4 + 4 * count)
            }
        },
        3 | 150 => Some(10),
        4 => Some(8),
        5 => Some(6),
        6 => match bytes.get(4..8).and_then(|length| length.first_chunk()) {
            None => None,
            Some(length) => {
                // Negative lengths are those of the extended clipboard.
                let length = i32::from_be_bytes(*length).unsigned_abs();
                let length = usize::try_from(length).unwrap_or(usize::MAX);
                if length > LONGEST_TEXT {
                    return Err(ClientError::TooLong);
                }
                Some(8 + length)
            }
        },
        248 => match bytes.get(8) {
            None => None,
            Some(&length) if length > 64 => return Err(ClientError::TooLong),
            Some(&length) => Some(9 + usize::from(length)),
        },
        251 => bytes.get(6).map(|&screens| 8 + 16 * usize::from(screens)),
        255 => match bytes.get(1) {
            None => None,
            Some(0) => Some(12),
            Some(_) => return Err(ClientError::Unknown(kind)),
        },
        other => return Err(ClientError::Unknown(other)),
    })
}

fn read(kind: u8, mut from: Reader<'_>) -> Result<ClientMessage, Short> {
    Ok(match kind {
        0 => {
            from.bytes(3)?;
            ClientMessage::PixelFormat(PixelFormat::read(&mut from)?)
        }
        2 => {
            from.bytes(3)?;
            let (words, _) = from.rest().as_chunks::<4>();
            ClientMessage::Encodings(words.iter().map(|word| i32::from_be_bytes(*word)).collect())
        }
        3 => ClientMessage::Update {
            is_incremental: from.u8()? != 0,
            area: [
                from.u16_be()?,
                from.u16_be()?,
                from.u16_be()?,
                from.u16_be()?,
            ],
        },
        4 => {
            let is_down = from.u8()? != 0;
            from.bytes(2)?;
            let symbol = from.u32_be()?;
            ClientMessage::Key { is_down, symbol }
        }
        5 => ClientMessage::Pointer {
            buttons: from.u8()?,
            at: [from.u16_be()?, from.u16_be()?],
        },
        6 => ClientMessage::Text,
        // A key with the place that it has on the keyboard.
        255 => {
            from.u8()?;
            let is_down = from.u16_be()? != 0;
            let symbol = from.u32_be()?;
            ClientMessage::Key { is_down, symbol }
        }
        _ => ClientMessage::Other,
    })
}

/// What a viewer may say to a machine.
#[derive(Debug)]
pub struct Filter {
    is_read_only: bool,
    /// Whether the viewer has said if it shares the screen.
    has_begun: bool,
    waiting: Vec<u8>,
}

impl Filter {
    pub fn new(is_read_only: bool) -> Self {
        Self {
            is_read_only,
            has_begun: false,
            waiting: Vec::new(),
        }
    }

    /// Takes what a viewer says, and returns what is passed on.
    pub fn pass(&mut self, bytes: &[u8]) -> Result<Vec<u8>, ClientError> {
        self.waiting.extend(bytes);
        let mut passed = Vec::with_capacity(bytes.len());
        let mut done = 0;
        if !self.has_begun && !self.waiting.is_empty() {
            self.has_begun = true;
            done = 1;
            // Always shared, so that no viewer disconnects the others (RFC 6143 §7.3.1).
            passed.push(1);
        }
        while let Some(rest) = self.waiting.get(done..)
            && let Some((message, length)) = ClientMessage::first(rest)?
        {
            match &message {
                ClientMessage::Encodings(all) => write_encodings(all, &mut passed),
                input if self.is_read_only && input.is_input() => {}
                _ => passed.extend(&rest[..length]),
            }
            done += length;
        }
        self.waiting.drain(..done);
        Ok(passed)
    }
}

fn write_encodings(all: &[i32], to: &mut Vec<u8>) {
    let kept: Vec<i32> = all
        .iter()
        .copied()
        .filter(|encoding| !WITHHELD.contains(encoding))
        .collect();
    let count = u16::try_from(kept.len()).unwrap_or(u16::MAX);
    to.extend([2, 0]);
    to.extend(count.to_be_bytes());
    to.extend(kept.iter().flat_map(|encoding| encoding.to_be_bytes()));
}
