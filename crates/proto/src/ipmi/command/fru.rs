//! The inventory of field-replaceable units (FRU): makers, part numbers and serial numbers.
//!
//! The commands are in IPMI 2.0 §34, the format in the "Platform Management FRU Information Storage
//! Definition".

use super::sdr::{latin, packed, six_bit};
use crate::ipmi::{
    DecodeError, Reader,
    message::{NetFn, Request, checksum},
};

/// Get FRU Inventory Area Info (IPMI 2.0 §34.1).
pub const GET_INFO: u8 = 0x10;
/// Read FRU Data (IPMI 2.0 §34.2).
pub const READ: u8 = 0x11;
/// Write FRU Data (IPMI 2.0 §34.3).
pub const WRITE: u8 = 0x12;

/// Asks for the size of an inventory.
pub fn info(device: u8) -> Request {
    Request::new(NetFn::STORAGE, GET_INFO, [device])
}

/// Asks for a part of an inventory.
pub fn read(device: u8, offset: u16, count: u8) -> Request {
    let [low, high] = offset.to_le_bytes();
    Request::new(NetFn::STORAGE, READ, [device, low, high, count])
}

/// Decodes the response to [`info`]: the size of the inventory, and whether it is read in words.
pub fn size(data: &[u8]) -> Result<(u16, bool), DecodeError> {
    let mut reader = Reader::new("FRU info", data);
    let size = reader.u16_le()?;
    Ok((size, reader.u8()? & 1 != 0))
}

/// Decodes the response to [`read`].
pub fn part(data: &[u8]) -> Result<&[u8], DecodeError> {
    let mut reader = Reader::new("part of an FRU inventory", data);
    let count = reader.u8()?;
    Ok(reader.bytes(usize::from(count))?)
}

/// A decoded inventory. Areas that are missing or have a wrong checksum are left out.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Inventory {
    pub chassis: Option<ChassisArea>,
    pub board: Option<BoardArea>,
    pub product: Option<ProductArea>,
}

/// The chassis info area.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ChassisArea {
    pub kind: u8,
    pub part_number: String,
    pub serial: String,
    pub extra: Vec<String>,
}

/// The board info area.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct BoardArea {
    /// Minutes since 1996; zero on the wire means unspecified.
    pub made: Option<u32>,
    pub manufacturer: String,
    pub product: String,
    pub serial: String,
    pub part_number: String,
    pub extra: Vec<String>,
}

/// The product info area.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ProductArea {
    pub manufacturer: String,
    pub name: String,
    pub part_number: String,
    pub version: String,
    pub serial: String,
    pub asset_tag: String,
    pub extra: Vec<String>,
}

const HEADER: usize = 8;
const UNIT: usize = 8;

impl Inventory {
    /// Decodes a whole inventory.
    pub fn decode(bytes: &[u8]) -> Result<Self, DecodeError> {
        let mut reader = Reader::new("FRU inventory", bytes);
        let header: [u8; HEADER] = reader.array()?;
        if checksum(&header) != 0 {
            return Err(DecodeError::Checksum {
                what: "FRU inventory",
            });
        }
        let area = |offset: u8| area(bytes, offset);
        Ok(Self {
            chassis: area(header[2]).and_then(chassis),
            board: area(header[3]).and_then(board),
            product: area(header[4]).and_then(product),
        })
    }
}

/// An area without version, length and checksum; `None` if it is cut or its checksum is wrong.
fn area(bytes: &[u8], offset: u8) -> Option<&[u8]> {
    if offset == 0 {
        return None;
    }
    let area = bytes.get(usize::from(offset) * UNIT..)?;
    let length = usize::from(*area.get(1)?) * UNIT;
    let area = area.get(..length).filter(|_| length > 3)?;
    (checksum(area) == 0).then(|| &area[2..length - 1])
}

fn chassis(area: &[u8]) -> Option<ChassisArea> {
    let (kind, rest) = area.split_first()?;
    let mut fields = Fields(rest);
    Some(ChassisArea {
        kind: *kind,
        part_number: fields.text(),
        serial: fields.text(),
        extra: fields.collect(),
    })
}

fn board(area: &[u8]) -> Option<BoardArea> {
    let ([_language, a, b, c], rest) = area.split_first_chunk()?;
    let made = u32::from_le_bytes([*a, *b, *c, 0]);
    let mut fields = Fields(rest);
    let mut area = BoardArea {
        made: (made != 0).then_some(made),
        manufacturer: fields.text(),
        product: fields.text(),
        serial: fields.text(),
        part_number: fields.text(),
        extra: Vec::new(),
    };
    let _file = fields.text();
    area.extra = fields.collect();
    Some(area)
}

fn product(area: &[u8]) -> Option<ProductArea> {
    let (_language, rest) = area.split_first()?;
    let mut fields = Fields(rest);
    let mut area = ProductArea {
        manufacturer: fields.text(),
        name: fields.text(),
        part_number: fields.text(),
        version: fields.text(),
        serial: fields.text(),
        asset_tag: fields.text(),
        extra: Vec::new(),
    };
    let _file = fields.text();
    area.extra = fields.collect();
    Some(area)
}

/// Fields one after the other, each after its type/length byte.
struct Fields<'a>(&'a [u8]);

const END: u8 = 0xc1;

impl Fields<'_> {
    /// The next text; empty when there is none.
    fn text(&mut self) -> String {
        self.next().unwrap_or_default()
    }
}

impl Iterator for Fields<'_> {
    type Item = String;

    fn next(&mut self) -> Option<String> {
        let (head, rest) = self.0.split_first()?;
        if *head == END {
            return None;
        }
        let length = usize::from(head & 0x3f);
        let (bytes, rest) = rest.split_at_checked(length)?;
        self.0 = rest;
        Some(match head >> 6 {
            0 => packed(bytes, |nibble| {
                char::from(b"0123456789abcdef"[usize::from(nibble)])
            }),
            1 => packed(bytes, |nibble| {
                char::from(b"0123456789 -.:,_"[usize::from(nibble)])
            }),
            2 => six_bit(bytes),
            _ => latin(bytes),
        })
    }
}

/// Encodes an inventory with a chassis, a board and a product area, for simulators.
pub fn encode(chassis: &ChassisArea, board: &BoardArea, product: &ProductArea) -> Vec<u8> {
    let texts = |all: &[&str]| {
        let mut bytes = Vec::new();
        for text in all {
            let text = &text.as_bytes()[..text.len().min(0x3f)];
            bytes.push(0xc0 | u8::try_from(text.len()).unwrap_or(0));
            // 0xc1 (8-bit text, length one) marks the end of the fields, so a text of one character
            // is padded.
            match text {
                [one] => {
                    bytes.pop();
                    bytes.extend([0xc2, *one, 0]);
                }
                text => bytes.extend(text),
            }
        }
        bytes.push(END);
        bytes
    };
    let made = board.made.unwrap_or(0).to_le_bytes();
    let areas = [
        [
            vec![chassis.kind],
            texts(&[&chassis.part_number, &chassis.serial]),
        ]
        .concat(),
        [
            vec![0, made[0], made[1], made[2]],
            texts(&[
                &board.manufacturer,
                &board.product,
                &board.serial,
                &board.part_number,
                "",
            ]),
        ]
        .concat(),
        [
            vec![0],
            texts(&[
                &product.manufacturer,
                &product.name,
                &product.part_number,
                &product.version,
                &product.serial,
                &product.asset_tag,
                "",
            ]),
        ]
        .concat(),
    ];
    let mut header = vec![1, 0, 0, 0, 0, 0, 0];
    let mut body = Vec::new();
    for (index, content) in areas.into_iter().enumerate() {
        let offset = (HEADER + body.len()) / UNIT;
        header[2 + index] = u8::try_from(offset).unwrap_or(0);
        // Plus version, length and checksum; the length is in units of eight bytes.
        let length = (content.len() + 3).div_ceil(UNIT);
        let mut area = vec![1, u8::try_from(length).unwrap_or(0)];
        area.extend(content);
        area.resize(length * UNIT - 1, 0);
        area.push(checksum(&area));
        body.extend(area);
    }
    header.push(checksum(&header));
    header.extend(body);
    header
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn sample() -> Inventory {
        Inventory {
            chassis: Some(ChassisArea {
                kind: 23,
                part_number: "CSE-815".into(),
                serial: "C815".into(),
                extra: vec![],
            }),
            board: Some(BoardArea {
                made: Some(12_345_678),
                manufacturer: "Supermicro".into(),
                product: "X11".into(),
                serial: "OM18".into(),
                part_number: "X11DPi".into(),
                extra: vec![],
            }),
            product: Some(ProductArea {
                manufacturer: "Supermicro".into(),
                name: "SYS-6019".into(),
                part_number: "6019P".into(),
                version: "0123".into(),
                serial: "S287".into(),
                asset_tag: "rack-7".into(),
                extra: vec![],
            }),
        }
    }

    fn encoded(inventory: &Inventory) -> Vec<u8> {
        encode(
            inventory.chassis.as_ref().unwrap(),
            inventory.board.as_ref().unwrap(),
            inventory.product.as_ref().unwrap(),
        )
    }

    #[test]
    fn inventories_survive_the_wire() {
        let inventory = sample();
        assert_eq!(Inventory::decode(&encoded(&inventory)), Ok(inventory));
    }

    #[test]
    fn a_damaged_area_is_left_out() {
        let mut bytes = encoded(&sample());
        let last = bytes.len() - 3;
        bytes[last] ^= 1;
        let read = Inventory::decode(&bytes).unwrap();
        assert_eq!(read.product, None);
        assert_eq!(read.board, sample().board);
    }

    proptest! {
        #[test]
        fn any_bytes_are_an_inventory_or_an_error(bytes in proptest::collection::vec(any::<u8>(), 0..80)) {
            let _ = Inventory::decode(&bytes);
            let _ = size(&bytes);
            let _ = part(&bytes);
            let mut sound = bytes.clone();
            if let Some(header) = sound.get_mut(..HEADER) {
                header[7] = checksum(&header[..7]);
                prop_assert!(Inventory::decode(&sound).is_ok());
            }
        }
    }
}
