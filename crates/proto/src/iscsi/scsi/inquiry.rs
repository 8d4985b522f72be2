//! INQUIRY: what the device is (SPC-4 §6.4, §7.8; SBC-3 §6.5).

use super::{DISK_LUN, Refused, Sense, unit::Geometry};
use crate::field;

/// Eight characters, as all vendors have.
const VENDOR: &[u8; 8] = b"CORTEN  ";
const REVISION: &[u8; 4] = b"0001";

/// Peripheral device types (SPC-4 §6.4.2).
const DISK: u8 = 0x00;
const CONTROLLER: u8 = 0x0c;
/// There is no device at this number.
const NOTHING: u8 = 0x7f;

fn device(lun: Option<u16>) -> u8 {
    match lun {
        Some(DISK_LUN) => DISK,
        Some(0) => CONTROLLER,
        _ => NOTHING,
    }
}

/// The standard data.
pub(super) fn standard(lun: Option<u16>) -> Vec<u8> {
    let mut data = vec![0; 96];
    data[0] = device(lun);
    // Version SPC-4; HiSup and response format 2; what follows; command queueing.
    (data[2], data[3], data[4], data[7]) = (0x06, 0x12, 91, 0x02);
    field::put(&mut data, 8, VENDOR);
    let product: &[u8; 16] = match lun {
        Some(0) => b"Controller      ",
        _ => b"Virtual disk    ",
    };
    field::put(&mut data, 16, product);
    field::put(&mut data, 32, REVISION);
    // SAM-5, iSCSI, SPC-4, SBC-3.
    for (at, version) in [0x00a0u16, 0x0960, 0x0460, 0x04c0].into_iter().enumerate() {
        field::put(&mut data, 58 + at * 2, &version.to_be_bytes());
    }
    data
}

/// A page of vital product data.
pub(super) fn page(
    lun: Option<u16>,
    number: u8,
    geometry: &Geometry,
    target: &str,
) -> Result<Vec<u8>, Refused> {
    let disk = lun == Some(DISK_LUN);
    let body = match number {
        0x00 if disk => vec![0x00, 0x80, 0x83, 0xb0, 0xb1, 0xb2],
        0x00 => vec![0x00, 0x80, 0x83],
        0x80 => geometry.serial.clone().into_bytes(),
        0x83 => identification(lun, geometry, target),
        0xb0 if disk => limits(geometry),
        0xb1 if disk => characteristics(geometry),
        0xb2 if disk => provisioning(geometry),
        _ => return Err(Refused::Check(Sense::INVALID_FIELD)),
    };
    let mut data = vec![device(lun), number];
    let length = u16::try_from(body.len()).unwrap_or(u16::MAX);
    data.extend_from_slice(&length.to_be_bytes());
    data.extend_from_slice(&body);
    Ok(data)
}

/// Designators: a name by vendor and serial number, one that is unique in the world, the target's.
fn identification(lun: Option<u16>, geometry: &Geometry, target: &str) -> Vec<u8> {
    let mut data = Vec::new();
    let mut vendor = VENDOR.to_vec();
    vendor.extend_from_slice(geometry.serial.as_bytes());
    if lun != Some(DISK_LUN) {
        vendor.extend_from_slice(b"-0");
    }
    designator(&mut data, 0x02, 0x01, &vendor);
    // NAA 3h, locally assigned: 60 bits out of the serial number.
    let unit = u64::from(lun.unwrap_or(0));
    let number = geometry.identity.wrapping_add(unit) & 0x0fff_ffff_ffff_ffff | 0x3 << 60;
    designator(&mut data, 0x01, 0x03, &number.to_be_bytes());
    // SCSI name string of the target port, padded to four bytes with zeros (SPC-4 §7.8.5.9).
    let mut name = format!("{target},t,0x0001").into_bytes();
    name.push(0);
    name.resize(name.len().next_multiple_of(4), 0);
    designator(&mut data, 0x53, 0x98, &name);
    data
}

fn designator(data: &mut Vec<u8>, code_set: u8, kind: u8, value: &[u8]) {
    let length = u8::try_from(value.len()).unwrap_or(u8::MAX);
    data.extend_from_slice(&[code_set, kind, 0, length]);
    data.extend(value.iter().take(usize::from(length)));
}

/// Block limits (SBC-3 §6.5.3).
fn limits(geometry: &Geometry) -> Vec<u8> {
    let mut data = vec![0; 60];
    // WRITE SAME with no blocks is refused (WSNZ).
    data[0] = 0x01;
    data[1] = geometry.compare_limit();
    let transfer = geometry.transfer_limit();
    field::put(&mut data, 4, &transfer.to_be_bytes());
    if geometry.unmap {
        field::put(&mut data, 16, &geometry.zero_limit().to_be_bytes());
        field::put(&mut data, 20, &geometry.descriptor_limit().to_be_bytes());
        let granularity = 1u32 << geometry.physical_exponent;
        field::put(&mut data, 24, &granularity.to_be_bytes());
    }
    let zero = u64::from(geometry.zero_limit());
    field::put(&mut data, 32, &zero.to_be_bytes());
    data
}

/// Block device characteristics (SBC-3 §6.5.2).
fn characteristics(geometry: &Geometry) -> Vec<u8> {
    let mut data = vec![0; 60];
    // 1 stands for a medium that does not turn, 0 for one that says nothing about it.
    data[1] = u8::from(!geometry.rotational);
    data
}

/// Logical block provisioning (SBC-3 §6.5.4).
fn provisioning(geometry: &Geometry) -> Vec<u8> {
    if !geometry.unmap {
        return vec![0; 4];
    }
    // UNMAP, WRITE SAME (16) and (10) unmap, unmapped blocks read as zeros; thin provisioned.
    vec![0, 0xe4, 0x02, 0]
}
