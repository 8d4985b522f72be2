//! Discs: their label, and what their boot catalog offers.

use super::{Guest, Verdict, uefi};
use proto::{
    iso9660::catalog::{self, Platform},
    program::Machine,
};

const DESCRIPTOR: u64 = 16 * 2048;
const LABEL: usize = 40;

/// The label, the verdicts for BIOS and UEFI, and the processors that UEFI would find a program for.
pub(super) fn look(guest: &mut Guest<'_>) -> (Option<String>, Verdict, Verdict, Vec<Machine>) {
    let label = guest.read(DESCRIPTOR, 128).unwrap_or_default();
    let label = label.get(LABEL..LABEL + 32).unwrap_or_default();
    let label = String::from_utf8_lossy(label)
        .trim_end_matches(['\0', ' '])
        .to_owned();
    let mut bios = Verdict::fails("the disc has no boot image for a BIOS");
    let mut uefi = Verdict::fails("the disc has no boot image for UEFI");
    let mut machines = Vec::new();
    let read = catalog::boot_entries(&mut |offset, length| guest.read(offset, length));
    let entries = match read {
        Ok(entries) => entries,
        Err(error) => {
            let why = error.to_string();
            let why = Verdict::Fails(why);
            return (None, why.clone(), why, Vec::new());
        }
    };
    let size = guest.size();
    for entry in entries {
        match entry.platform {
            Platform::Bios => {
                let image = guest.read(entry.offset, 512).unwrap_or_default();
                bios = if image.iter().any(|byte| *byte != 0) {
                    Verdict::Boots("a boot image of the disc".to_owned())
                } else {
                    Verdict::fails("the boot image for a BIOS is empty")
                };
            }
            Platform::Uefi => {
                (uefi, machines) =
                    uefi::volume(guest, entry.offset, size.saturating_sub(entry.offset));
            }
            Platform::Other(_) => {}
        }
    }
    ((!label.is_empty()).then_some(label), bios, uefi, machines)
}
