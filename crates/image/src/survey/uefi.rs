//! Whether UEFI would start something: a program with a known name in an EFI system partition.
//!
//! On a disk that no entry of the firmware's list names, that is `\EFI\BOOT\BOOT….EFI`, one for each
//! architecture (UEFI 2.10 §3.5.1.1). The name alone is not enough: the program must be one for that
//! architecture.

use super::{Disk, Guest, Verdict};
use proto::{
    fat::{FatError, FatFile, FatReader, ReadAt},
    program::{self, Machine},
};

/// The most names that a reason lists.
const MOST_NAMED: usize = 4;

/// The verdict, and the processors that a program is for.
pub(super) fn verdict(guest: &mut Guest<'_>, disk: &Disk) -> (Verdict, Vec<Machine>) {
    let mut worst = Verdict::fails("there is no EFI system partition");
    for part in disk.partitions.iter().filter(|part| part.entry.is_efi) {
        let entry = &part.entry;
        match volume(guest, entry.offset, entry.length) {
            (Verdict::Boots(how), machines) => {
                let how = format!("{how} in partition {}", entry.number);
                return (Verdict::Boots(how), machines);
            }
            (Verdict::Fails(why), _) => {
                worst = Verdict::Fails(format!("EFI system partition {}: {why}", entry.number));
            }
            (other, _) => worst = other,
        }
    }
    (worst, Vec::new())
}

/// A partition, or the image of one.
pub(super) fn volume(guest: &mut Guest<'_>, offset: u64, length: u64) -> (Verdict, Vec<Machine>) {
    guest.part(offset, length, |_, read| {
        look(read).unwrap_or_else(|error| (Verdict::Fails(error.to_string()), Vec::new()))
    })
}

fn look(read: ReadAt<'_>) -> Result<(Verdict, Vec<Machine>), FatError> {
    let reader = FatReader::open(read)?;
    let files = reader.files(read)?;
    let (mut found, mut machines) = (Vec::new(), Vec::new());
    let mut wrong = None;
    for machine in Machine::ALL {
        let path = format!("EFI/BOOT/BOOT{}.EFI", machine.suffix());
        let file = files
            .iter()
            .find(|file| file.path.eq_ignore_ascii_case(&path));
        let Some(file) = file else { continue };
        let start = reader.read_start(read, file, program::PREFIX)?;
        match Machine::of_efi_program(&start) {
            Some(real) if real == machine => {
                found.push(format!("{path} ({})", machine.as_str()));
                machines.push(machine);
            }
            Some(real) => wrong = Some(format!("{path} is a program for {}", real.as_str())),
            None => wrong = Some(format!("{path} is no EFI program")),
        }
    }
    let verdict = match (found.is_empty(), wrong) {
        (false, _) => Verdict::Boots(found.join(", ")),
        (true, Some(wrong)) => Verdict::Fails(wrong),
        (true, None) => Verdict::Fails(format!("it has no EFI/BOOT/BOOT….EFI{}", others(&files))),
    };
    Ok((verdict, machines))
}

/// Programs that firmware would start only if it were told of them.
fn others(files: &[FatFile]) -> String {
    let is_program = |file: &&FatFile| {
        let path = file.path.to_ascii_lowercase();
        path.starts_with("efi/") && path.ends_with(".efi")
    };
    let names: Vec<&str> = files
        .iter()
        .filter(is_program)
        .take(MOST_NAMED)
        .map(|file| &*file.path)
        .collect();
    if names.is_empty() {
        String::new()
    } else {
        format!("; there are {}", names.join(", "))
    }
}
