//! A whole disk: GPT, GRUB for BIOS, and an EFI system partition that holds everything else.
//!
//! UEFI starts the signed shim and GRUB of Debian, so that the same image boots with and without
//! secure boot. For BIOS, GRUB's two parts are put where its installer would put them.

use super::KERNEL_PARAMETERS;
use crate::program::{command, output};
use anyhow::{Context, Result, ensure};
use std::{
    fs::{self, File, OpenOptions},
    io::{Seek, SeekFrom, Write},
    path::Path,
    process::Stdio,
};

const SECTOR: u64 = 512;
/// Where GRUB's larger part lies, and how much room it has.
const BIOS_AT: u64 = 2048;
const BIOS_SECTORS: u64 = 2048;
const ESP_AT: u64 = BIOS_AT + BIOS_SECTORS;
const SHIM: &str = "/usr/lib/shim/shimx64.efi.signed";
const SIGNED_GRUB: &str = "/usr/lib/grub/x86_64-efi-signed/grubx64.efi.signed";

pub(super) fn write(disk: &Path, kernel: &Path, initrd: &Path) -> Result<()> {
    let size = |path: &Path| fs::metadata(path).map(|data| data.len());
    let mebibytes = (size(kernel)? + size(initrd)?) / 1_048_576 + 8;
    let esp_sectors = mebibytes * 2048;
    let file = File::create(disk)?;
    // The second copy of the table takes the last 33 sectors.
    file.set_len((ESP_AT + esp_sectors + 2048) * SECTOR)?;
    drop(file);
    partition(disk, esp_sectors)?;

    let folder = disk.with_extension("files");
    fs::create_dir_all(&folder)?;
    let esp = format!("{}@@{}", disk.display(), ESP_AT * SECTOR);
    let config = folder.join("grub.cfg");
    fs::write(
        &config,
        format!(
            "search --file --set=root /e2e-image\n\
             linux /vmlinuz {KERNEL_PARAMETERS} e2e.raid\n\
             initrd /initrd\n\
             boot\n"
        ),
    )?;
    let mark = folder.join("e2e-image");
    fs::write(&mark, "")?;
    mtools(
        "mformat",
        &esp,
        &["-v", "E2E", "-T", &esp_sectors.to_string()],
        &["::"],
    )?;
    mtools(
        "mmd",
        &esp,
        &[],
        &["::/EFI", "::/EFI/BOOT", "::/EFI/debian", "::/grub"],
    )?;
    for (from, to) in [
        (Path::new(SHIM), "::/EFI/BOOT/BOOTX64.EFI"),
        (Path::new(SIGNED_GRUB), "::/EFI/BOOT/grubx64.efi"),
        (&config, "::/EFI/debian/grub.cfg"),
        (&config, "::/grub/grub.cfg"),
        (kernel, "::/vmlinuz"),
        (initrd, "::/initrd"),
        (&mark, "::/e2e-image"),
    ] {
        let from = from.display().to_string();
        mtools("mcopy", &esp, &[], &[&from, to])?;
    }
    install_for_bios(disk, &folder)?;
    fs::remove_dir_all(folder)?;
    Ok(())
}

fn partition(disk: &Path, esp_sectors: u64) -> Result<()> {
    let mut child = command("sfdisk")
        .arg("--quiet")
        .arg(disk)
        .stdin(Stdio::piped())
        .spawn()
        .context("sfdisk cannot be started")?;
    let layout = format!(
        "label: gpt\n\
         start={BIOS_AT}, size={BIOS_SECTORS}, type=21686148-6449-6E6F-744E-656564454649\n\
         start={ESP_AT}, size={esp_sectors}, type=C12A7328-F81F-11D2-BA4B-00A0C93EC93B\n"
    );
    child
        .stdin
        .take()
        .context("sfdisk does not listen")?
        .write_all(layout.as_bytes())?;
    ensure!(child.wait()?.success(), "sfdisk failed");
    Ok(())
}

fn mtools(program: &str, esp: &str, options: &[&str], rest: &[&str]) -> Result<String> {
    let mut command = command(program);
    // The sizes are those of a partition, not of a floppy.
    command.env("MTOOLS_SKIP_CHECK", "1");
    command.args(["-i", esp]).args(options);
    if program == "mformat" {
        command.args(["-h", "16", "-s", "63"]);
    }
    output(command.args(rest))
}

fn install_for_bios(disk: &Path, folder: &Path) -> Result<()> {
    let (early, core) = (folder.join("early.cfg"), folder.join("core.img"));
    fs::write(
        &early,
        "search.file /e2e-image root\n\
         set prefix=($root)/grub\n\
         configfile ($root)/grub/grub.cfg\n",
    )?;
    output(
        command("grub-mkimage")
            .args(["-O", "i386-pc", "-p", "/grub", "-c"])
            .arg(&early)
            .arg("-o")
            .arg(&core)
            .args([
                "biosdisk",
                "part_gpt",
                "fat",
                "normal",
                "linux",
                "search",
                "search_fs_file",
                "configfile",
                "boot",
            ]),
    )?;
    let mut core = fs::read(core)?;
    let room = usize::try_from(BIOS_SECTORS * SECTOR)?;
    ensure!(core.len() <= room, "GRUB is too large");
    // The first sector of it loads the rest, and is told where that lies.
    core[0x1f4..0x1fc].copy_from_slice(&(BIOS_AT + 1).to_le_bytes());
    let mut boot = fs::read("/usr/lib/grub/i386-pc/boot.img")
        .context("GRUB for BIOS is needed (on Debian: apt-get install grub-pc-bin)")?;
    boot.truncate(440);
    boot[0x5c..0x64].copy_from_slice(&BIOS_AT.to_le_bytes());
    // The drive is the one that the BIOS names.
    boot[0x66..0x68].copy_from_slice(&[0x90, 0x90]);
    let mut file = OpenOptions::new().write(true).open(disk)?;
    file.write_all(&boot)?;
    file.seek(SeekFrom::Start(BIOS_AT * SECTOR))?;
    file.write_all(&core)?;
    Ok(())
}
