//! A machine that is a QEMU process: what it is made of, what is on its disks, and what it says.
//!
//! Who starts the process is the BMC's business ([`crate::bmc`]).

use crate::{
    lan::tap,
    leg::{Bus, Card, Firmware, Leg},
    program::{command, output, wait},
};
use anyhow::{Context, Result, bail, ensure};
use std::{
    fs::{self, File},
    io::{Read, Write},
    path::{Path, PathBuf},
    time::Duration,
};

/// What disks are full of before a machine is enrolled.
const OLD: &[u8; 16] = b"OLD-DATA-OLD-DAT";
const MEBIBYTE: usize = 1024 * 1024;
const OVMF: &str = "/usr/share/OVMF";
/// Of the second card, where there is one.
pub(crate) const SECOND_MAC: &str = "52:54:00:e2:e0:02";

#[derive(Debug)]
pub(crate) struct Machine {
    folder: PathBuf,
    disks: Vec<PathBuf>,
    pub(crate) serial: PathBuf,
    /// Arguments of QEMU, with `{mac}`, `{boot-net}` and `{boot-disk}` left open.
    pub(crate) arguments: Vec<String>,
}

impl Machine {
    pub(crate) fn new(leg: &Leg, folder: &Path) -> Result<Self> {
        let disks = (0..leg.disks()).map(|index| folder.join(format!("disk{index}.raw")));
        let mut machine = Self {
            disks: disks.collect(),
            serial: folder.join("serial.log"),
            folder: folder.to_owned(),
            arguments: Vec::new(),
        };
        for disk in &machine.disks {
            fill(disk, leg.disk_size())?;
        }
        machine.arguments = machine.describe(leg)?;
        Ok(machine)
    }

    fn describe(&self, leg: &Leg) -> Result<Vec<String>> {
        // A program was once killed where TCG seems to read 32 bytes for the AVX2 instruction that
        // inserts 16; without AVX2 it was not seen again.
        let mut words = String::from(
            "-accel tcg,thread=multi -cpu max,avx2=off -smp 1 -nodefaults -device virtio-rng-pci",
        );
        words += &format!(" -m {}", leg.memory);
        match leg.firmware {
            Firmware::Bios => words += " -machine pc,graphics=off",
            Firmware::Uefi => words += " -machine q35",
            Firmware::SecureUefi => {
                words +=
                    " -machine q35,smm=on -global driver=cfi.pflash01,property=secure,value=on";
            }
        }
        if leg.is_uefi() {
            words += &self.firmware(leg)?;
        }
        for card in 0..leg.cards() {
            words += &format!(
                " -netdev tap,id=n{card},ifname={},script=no,downscript=no",
                tap(card)
            );
            // A switch in user space is not told which checksums are still to be made.
            if leg.is_bonded() {
                words += ",vnet_hdr=off";
            }
            words += " -device ";
            words += match leg.card {
                Card::Virtio => "virtio-net-pci",
                Card::E1000e => "e1000e",
            };
            let mac = if card == 0 { "{mac}" } else { SECOND_MAC };
            words += &format!(",netdev=n{card},mac={mac}");
            if leg.boots_by_network() {
                words += ",bootindex={boot-net}";
            }
            // Linux speaks LACP on links that say they are full duplex.
            if leg.is_bonded() {
                words += ",speed=1000,duplex=full";
            }
            // What OVMF has for network booting is to be used, not what the card brings.
            if leg.is_uefi() && leg.card == Card::Virtio {
                words += ",romfile=";
            }
        }
        match leg.bus {
            Bus::Virtio => {}
            Bus::Ahci => words += " -device ahci,id=ahci0",
            Bus::Megasas => words += " -device megasas,id=raid0",
        }
        for (index, disk) in self.disks.iter().enumerate() {
            let model = match leg.bus {
                Bus::Virtio => "virtio-blk-pci".to_owned(),
                Bus::Ahci => format!("ide-hd,bus=ahci0.{index}"),
                Bus::Megasas => format!("scsi-hd,bus=raid0.0,scsi-id={index}"),
            };
            words += &format!(
                " -drive file={},format=raw,if=none,id=d{index},cache=unsafe,discard=unmap,detect-zeroes=unmap \
                 -device {model},drive=d{index},serial=E2E{index}",
                disk.display()
            );
            if index == 0 {
                words += ",bootindex={boot-disk}";
            }
        }
        Ok(words.split(' ').map(str::to_owned).collect())
    }

    fn firmware(&self, leg: &Leg) -> Result<String> {
        let (code, initial) = match leg.firmware {
            Firmware::SecureUefi => ("OVMF_CODE_4M.secboot.fd", "OVMF_VARS_4M.ms.fd"),
            _ => ("OVMF_CODE_4M.fd", "OVMF_VARS_4M.fd"),
        };
        let variables = self.folder.join("vars.fd");
        fs::copy(format!("{OVMF}/{initial}"), &variables)
            .context("UEFI firmware is needed (on Debian: apt-get install ovmf)")?;
        let mut words = format!(
            " -drive if=pflash,format=raw,readonly=on,file={OVMF}/{code} \
             -drive if=pflash,format=raw,file={}",
            variables.display()
        );
        if leg.boot.starts_with("http") {
            for version in ["IPv4", "IPv6"] {
                words += &format!(" -fw_cfg name=opt/org.tianocore/{version}PXESupport,string=n");
            }
        }
        Ok(words)
    }

    /// Puts an image onto the first disk, as the agent would.
    pub(crate) fn write(&self, image: &Path) -> Result<()> {
        output(
            command("qemu-img")
                .args(["convert", "-n", "-O", "raw"])
                .args([image, &self.disks[0]]),
        )?;
        Ok(())
    }

    /// How much the console has said so far.
    pub(crate) fn said(&self) -> usize {
        fs::metadata(&self.serial).map_or(0, |data| usize::try_from(data.len()).unwrap_or(0))
    }

    /// Waits for a line on the console, after `from` bytes, and returns what was said until then.
    pub(crate) fn says(&self, line: &str, from: usize, patience: Duration) -> Result<String> {
        let heard = wait(patience, || {
            let all = fs::read(&self.serial).unwrap_or_default();
            let new = String::from_utf8_lossy(all.get(from..).unwrap_or_default()).into_owned();
            let at = new
                .find(line)
                .and_then(|at| Some(at + new[at..].find('\n')?));
            Ok(at.map(|end| new[..end].to_owned()))
        });
        heard.with_context(|| format!("the console does not say '{line}'"))
    }

    /// Fails if what was on the first disk before is found in its first bytes.
    pub(crate) fn has_no_old_data(&self, size: u64) -> Result<()> {
        let disk = &self.disks[0];
        let found = scan(disk, size, |block| {
            block.windows(OLD.len()).position(|bytes| bytes == OLD)
        })?;
        match found {
            Some(at) => bail!("old data is at byte {at} of {}", disk.display()),
            None => Ok(()),
        }
    }

    /// Fails if there is anything but zeros on any disk.
    pub(crate) fn is_empty(&self) -> Result<()> {
        for disk in &self.disks {
            let found = scan(disk, u64::MAX, |block| {
                block.iter().position(|&byte| byte != 0)
            })?;
            if let Some(at) = found {
                bail!("byte {at} of {} is not zero", disk.display());
            }
        }
        Ok(())
    }

    /// Fails unless the partition tables, and with them all filesystems, are out of reach.
    pub(crate) fn has_no_metadata(&self) -> Result<()> {
        for disk in &self.disks {
            let mut head = vec![0; MEBIBYTE];
            File::open(disk)?.read_exact(&mut head)?;
            ensure!(
                head[512..520] != *b"EFI PART" && head[510..512] != [0x55, 0xaa],
                "{} has a partition table",
                disk.display()
            );
        }
        Ok(())
    }

    /// Removes what takes room; what explains a failure stays.
    pub(crate) fn remove_disks(&self) {
        for disk in &self.disks {
            let _ = fs::remove_file(disk);
        }
    }
}

fn fill(disk: &Path, size: u64) -> Result<()> {
    let mut file = File::create(disk).with_context(|| disk.display().to_string())?;
    let block = OLD.repeat(MEBIBYTE / OLD.len());
    // What is beyond would only cost time: nothing that the legs look at lies there.
    for _ in 0..(size / u64::try_from(MEBIBYTE)?).min(2048) {
        file.write_all(&block)?;
    }
    file.set_len(size)?;
    Ok(())
}

/// Where something is first found, block by block; what lies across two blocks is not seen, which
/// matters little for a pattern that is everywhere.
fn scan(disk: &Path, size: u64, look: impl Fn(&[u8]) -> Option<usize>) -> Result<Option<u64>> {
    let mut file = File::open(disk)?.take(size);
    let mut block = vec![0; MEBIBYTE];
    let mut before = 0;
    loop {
        let count = file.read(&mut block)?;
        if count == 0 {
            return Ok(None);
        }
        if let Some(at) = look(&block[..count]) {
            return Ok(Some(before + u64::try_from(at)?));
        }
        before += u64::try_from(count)?;
    }
}
