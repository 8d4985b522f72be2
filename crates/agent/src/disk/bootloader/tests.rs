//! Disks whose loaders firmware is to start.

use super::*;
use crate::disk::{
    lab::{Lab, fat_image, gpt_image},
    medium::{Disk, Medium},
};
use std::fs;

fn utf16(text: &str) -> Vec<u8> {
    let units = text.encode_utf16();
    [0xff, 0xfe]
        .into_iter()
        .chain(units.flat_map(u16::to_le_bytes))
        .collect()
}

/// A disk whose only partition, of the EFI kind, has these files.
fn disk(files: &[(&str, &[u8])]) -> Lab {
    let lab = Lab::new(12);
    let mut image = gpt_image(12);
    let volume = fat_image(10 << 20, files);
    image[1 << 20..11 << 20].copy_from_slice(&volume);
    fs::write(&lab.disk, image).unwrap();
    lab
}

async fn install_on(lab: &Lab, request: &Request) -> Result<Vec<(String, String)>, AgentError> {
    let config = lab.config();
    fs::create_dir_all(config.root.join("sys/firmware/efi/efivars")).unwrap();
    install(&Permit::from_operator(), &lab.disk, request, &config).await?;
    let variables = Variables::open(&config.root).unwrap();
    let entries = variables.entries().unwrap();
    Ok(variables
        .order()
        .unwrap()
        .iter()
        .map(|number| {
            let path = entries[number].path_text();
            let file = path.rsplit_once('/').unwrap().1.to_owned();
            (entries[number].label.clone(), file)
        })
        .collect())
}

fn told(label: &str, file: &str) -> (String, String) {
    (label.to_owned(), format!("File({file})"))
}

#[tokio::test]
async fn a_table_beside_the_loader_counts_alone() {
    let csv = utf16("shimx64.efi,debian,,This is the boot entry for debian\n");
    let lab = disk(&[
        ("EFI/BOOT/BOOTX64.EFI", b"x"),
        ("EFI/debian/BOOTX64.CSV", &csv),
        ("EFI/debian/shimx64.efi", b"y"),
    ]);
    let request = Request::default();
    let expected = [told("debian", r"\EFI\debian\shimx64.efi")];
    assert_eq!(install_on(&lab, &request).await.unwrap(), expected);
    // Again: the entry is replaced, not doubled.
    assert_eq!(install_on(&lab, &request).await.unwrap(), expected);
}

#[tokio::test]
async fn without_a_table_every_default_loader_counts() {
    let lab = disk(&[("EFI/BOOT/BOOTX64.EFI", b"x"), ("EFI/BOOT/other.efi", b"y")]);
    assert_eq!(
        install_on(&lab, &Request::default()).await.unwrap(),
        [told("ironic1", r"\EFI\BOOT\BOOTX64.EFI")]
    );
}

#[tokio::test]
async fn what_cannot_start_is_told_unless_it_is_to_be_ignored() {
    let empty = disk(&[]);
    let mut request = Request::default();
    let error = install_on(&empty, &request).await.unwrap_err();
    assert!(error.details.contains("has no boot loader"), "{error}");
    request.ignore_failure = Some(true);
    assert!(install_on(&empty, &request).await.unwrap().is_empty());
    let lab = Lab::new(12);
    let error = install_on(&lab, &Request::default()).await.unwrap_err();
    assert_eq!(error.kind, "DeviceNotFound");
}

#[tokio::test]
async fn an_old_bios_needs_the_operators_word_for_partition_images() {
    let lab = Lab::new(12);
    let permit = Permit::from_operator();
    let mut request = Request::default();
    let config = lab.config();
    for whole in [None, Some("0x00000000".to_owned())] {
        request.root_uuid = whole;
        install(&permit, &lab.disk, &request, &config)
            .await
            .unwrap();
    }
    request.root_uuid = Some("11111111-1111-1111-1111-111111111111".to_owned());
    let error = install(&permit, &lab.disk, &request, &config).await;
    let error = error.unwrap_err();
    assert_eq!(error.kind, "InvalidImage");
    assert!(error.details.contains("CVE-2026-43003"));
    assert_eq!(Disk::open(&lab.disk).unwrap().size(), 12 << 20);
}
