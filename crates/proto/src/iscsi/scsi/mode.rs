//! MODE SENSE and MODE SELECT: the caching and the control page (SPC-4 §7.5, SBC-3 §6.4).

use super::{Refused, Sense, unit::Geometry};
use crate::field;

const CACHING: u8 = 0x08;
const CONTROL: u8 = 0x0a;
const INFORMATIONAL_EXCEPTIONS: u8 = 0x1c;
const ALL: u8 = 0x3f;

const DESCRIPTOR_SENSE: u8 = 0x04;
const WRITE_PROTECT: u8 = 0x08;

/// What initiators can change, until the target ends.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) struct Control {
    /// Sense data in descriptor format.
    pub(super) descriptor_sense: bool,
    pub(super) write_protect: bool,
}

/// Which values of a page are asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Values {
    Current,
    Changeable,
    Default,
}

/// The answer to MODE SENSE; `long` for that with ten bytes.
pub(super) fn sense(
    cdb: &[u8; 16],
    long: bool,
    geometry: &Geometry,
    control: Control,
) -> Result<Vec<u8>, Refused> {
    let values = match cdb[2] >> 6 {
        0 => Values::Current,
        1 => Values::Changeable,
        2 => Values::Default,
        _ => return Err(Refused::Check(Sense::SAVING_NOT_SUPPORTED)),
    };
    let (page, subpage) = (cdb[2] & 0x3f, cdb[3]);
    let all = page == ALL;
    if subpage != 0 && !(all && subpage == 0xff) {
        return Err(Refused::Check(Sense::INVALID_FIELD));
    }
    let mut pages = Vec::new();
    for number in [CACHING, CONTROL, INFORMATIONAL_EXCEPTIONS] {
        if all || page == number {
            pages.extend_from_slice(&page_bytes(number, values, control));
        }
    }
    if pages.is_empty() {
        return Err(Refused::Check(Sense::INVALID_FIELD));
    }
    let descriptor = if cdb[1] & 0x08 == 0 {
        block_descriptor(geometry)
    } else {
        Vec::new()
    };
    // Reads and writes past the cache are supported (DPOFUA).
    let protected = geometry.read_only || control.write_protect;
    let device = 0x10 | if protected { 0x80 } else { 0 };
    let rest = descriptor.len() + pages.len();
    let mut data = if long {
        let mut header = vec![0, 0, 0, device, 0, 0, 0, length(descriptor.len())];
        let total = u16::try_from(rest + 6).unwrap_or(u16::MAX);
        field::put(&mut header, 0, &total.to_be_bytes());
        header
    } else {
        vec![length(rest + 3), 0, device, length(descriptor.len())]
    };
    data.extend_from_slice(&descriptor);
    data.extend_from_slice(&pages);
    Ok(data)
}

fn length(length: usize) -> u8 {
    u8::try_from(length).unwrap_or(u8::MAX)
}

/// The short form (SBC-3 §6.4.2.2): 0xffffffff stands for more blocks than fit.
fn block_descriptor(geometry: &Geometry) -> Vec<u8> {
    let mut data = vec![0; 8];
    let blocks = u32::try_from(geometry.blocks).unwrap_or(u32::MAX);
    field::put(&mut data, 0, &blocks.to_be_bytes());
    let [_, length @ ..] = geometry.block_size.to_be_bytes();
    field::put(&mut data, 5, &length);
    data
}

fn page_bytes(number: u8, values: Values, control: Control) -> Vec<u8> {
    let mut page = match number {
        CACHING => vec![0; 20],
        _ => vec![0; 12],
    };
    page[0] = number;
    page[1] = length(page.len() - 2);
    let changeable = values == Values::Changeable;
    match number {
        // There is a write cache (WCE): the kernel's.
        CACHING if !changeable => page[2] = 0x04,
        CONTROL => {
            let control = match values {
                Values::Default => Control::default(),
                Values::Current => control,
                Values::Changeable => Control {
                    descriptor_sense: true,
                    write_protect: true,
                },
            };
            page[2] = if control.descriptor_sense {
                DESCRIPTOR_SENSE
            } else {
                0
            };
            page[4] = if control.write_protect {
                WRITE_PROTECT
            } else {
                0
            };
            if !changeable {
                // Commands may be executed in another order.
                page[3] = 0x10;
            }
        }
        _ => {}
    }
    page
}

/// Reads the parameters of MODE SELECT.
pub(super) fn select(data: &[u8], long: bool, before: Control) -> Result<Control, Refused> {
    let short = || Refused::Check(Sense::PARAMETER_LENGTH);
    let wrong = || Refused::Check(Sense::INVALID_PARAMETER);
    if data.is_empty() {
        return Ok(before);
    }
    let (header, descriptors) = match long {
        true => (8, usize::from(field::be16(data, 6).ok_or_else(short)?)),
        false => (4, usize::from(*data.get(3).ok_or_else(short)?)),
    };
    let mut rest = data.get(header + descriptors..).ok_or_else(short)?;
    let mut control = before;
    while let [first, length, ..] = *rest {
        let (number, length) = (first & 0x3f, usize::from(length) + 2);
        let page = rest.get(..length).ok_or_else(short)?;
        if ![CACHING, CONTROL, INFORMATIONAL_EXCEPTIONS].contains(&number) || first & 0x40 != 0 {
            return Err(wrong());
        }
        let mut expected = page_bytes(number, Values::Current, before);
        if expected.len() != page.len() {
            return Err(short());
        }
        if let (CONTROL, [_, _, sense, _, protect, ..]) = (number, page) {
            control = Control {
                descriptor_sense: sense & DESCRIPTOR_SENSE != 0,
                write_protect: protect & WRITE_PROTECT != 0,
            };
            expected = page_bytes(number, Values::Current, control);
        }
        // Nothing else can be changed. The first byte of a page may have PS set.
        if expected.get(1..) != page.get(1..) {
            return Err(wrong());
        }
        rest = rest.get(length..).unwrap_or_default();
    }
    if !rest.is_empty() {
        return Err(short());
    }
    Ok(control)
}
