//! Images written to files that stand for disks, from a server that misbehaves.

use super::*;
use crate::disk::{
    lab::{Lab, MIB, OLD, Server, gpt_image, msdos_image},
    medium::{Medium, Window, read},
    probe,
    table::Table,
};
use image::checksum::{Algorithm, Hasher};

fn sha256(bytes: &[u8]) -> String {
    let mut hasher = Hasher::new(Algorithm::Sha256);
    hasher.update(bytes);
    hasher.finish()
}

fn info(server: &Server, sum: &str) -> JsonMap {
    let info = json!({"id": "image", "urls": [server.url()], "disk_format": "raw",
        "os_hash_algo": "sha256", "os_hash_value": sum, "node_uuid": "n"});
    match info {
        Value::Object(map) => map,
        _ => unreachable!(),
    }
}

async fn run(lab: &Lab, info: &JsonMap) -> Result<Written, AgentError> {
    run_after(lab, info, None).await
}

async fn run_after(
    lab: &Lab,
    info: &JsonMap,
    previous: Option<&Written>,
) -> Result<Written, AgentError> {
    let device = &lab.disk;
    let target = Target { device, previous };
    write(&Permit::from_operator(), info, target, &lab.context()).await
}

/// Neither of the places where firmware looks has anything.
fn is_unfinished(lab: &Lab) -> bool {
    let bytes = lab.read();
    let edges = bytes[..MIB].iter().chain(&bytes[bytes.len() - MIB..]);
    edges.into_iter().all(|byte| *byte == 0)
}

#[tokio::test]
async fn a_whole_disk_is_written_and_nothing_old_is_left_in_it() {
    let lab = Lab::new(96);
    let image = gpt_image(20);
    let server = Server::of(image.clone());
    let mut info = info(&server, &sha256(&image));
    info.insert("configdrive".into(), json!(drive()));
    let written = run(&lab, &info).await.unwrap();
    assert_eq!(
        written.text(),
        format!(
            "image (image) written to device {} root_uuid=0x00000000",
            lab.disk.display()
        )
    );
    assert_eq!(
        Value::Object(written.uuids()),
        json!({"root uuid": "0x00000000"})
    );
    let bytes = lab.read();
    // The body of the image as it was, its holes as zeros.
    assert!(bytes[MIB..19 * MIB] == image[MIB..19 * MIB]);
    assert_eq!(bytes[..440], image[..440], "the boot code is kept");
    assert_eq!(bytes[25 * MIB], OLD, "beyond the image nothing is touched");
    let mut disk = Disk::open(&lab.disk).unwrap();
    let Some(Table::Gpt(gpt)) = Table::read(&disk).unwrap() else {
        panic!("no GPT");
    };
    assert_eq!(gpt.last_usable, 96 * 2048 - 34, "the table spans the disk");
    assert_eq!(gpt.partitions.len(), 2);
    let entry = &Table::Gpt(gpt).entries(&disk)[1];
    assert_eq!(
        (entry.length, entry.offset + entry.length),
        (64 << 20, 95 << 20)
    );
    let window = Window::new(&mut disk, entry.offset, entry.length).unwrap();
    assert_eq!(read(&window, 0, 5).unwrap(), b"drive");
    assert!(read(&window, 5, MIB).unwrap().iter().all(|byte| *byte == 0));
}

/// A config drive of five bytes.
fn drive() -> String {
    use std::io::Write;
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packer.write_all(b"drive").unwrap();
    STANDARD.encode(packer.finish().unwrap())
}

#[tokio::test]
async fn an_old_table_gets_its_config_drive_too() {
    let lab = Lab::new(96);
    let image = msdos_image(5, 3);
    let server = Server::of(image.clone());
    let mut info = info(&server, &sha256(&image));
    info.insert("configdrive".into(), json!(drive()));
    let written = run(&lab, &info).await.unwrap();
    assert_eq!(written.root_uuid.as_deref(), Some("0x1234abcd"));
    let bytes = lab.read();
    assert_eq!(bytes[32 * MIB..32 * MIB + 5], *b"drive");
    let disk = Disk::open(&lab.disk).unwrap();
    let entries = Table::read(&disk).unwrap().unwrap().entries(&disk);
    assert_eq!((entries.len(), entries[3].offset), (4, 32 << 20));

    let full = msdos_image(5, 4);
    server.served.lock().unwrap().bytes.clone_from(&full);
    info.insert("os_hash_value".into(), json!(sha256(&full)));
    let error = run(&lab, &info).await.unwrap_err();
    assert!(
        error.details.contains("already has 4 primary partitions"),
        "{error}"
    );
    assert!(is_unfinished(&lab));
}

#[tokio::test]
async fn a_broken_connection_is_taken_up_again() {
    let lab = Lab::new(32);
    let image = gpt_image(20);
    let server = Server::of(image.clone());
    server.served.lock().unwrap().cuts = (0..10).map(|n| n * 777_777 % (3 * MIB)).collect();
    run(&lab, &info(&server, &sha256(&image))).await.unwrap();
    assert!(lab.read()[MIB..19 * MIB] == image[MIB..19 * MIB]);
    assert!(server.served.lock().unwrap().requests.len() > 10);
}

#[tokio::test]
async fn whatever_goes_wrong_on_the_way_leaves_no_table() {
    let image = gpt_image(20);
    let sum = sha256(&image);
    // Another image than was promised.
    let lab = Lab::new(32);
    let mut other = image.clone();
    other[5 * MIB] ^= 1;
    let error = run(&lab, &info(&Server::of(other), &sum))
        .await
        .unwrap_err();
    assert_eq!(error.kind, "ImageChecksumError");
    assert!(is_unfinished(&lab));
    // A server that goes away for good.
    let lab = Lab::new(32);
    let server = Server::of(image.clone());
    server.served.lock().unwrap().cuts = vec![0, 0, 0, 0, 9 * MIB];
    let error = run(&lab, &info(&server, &sum)).await.unwrap_err();
    assert_eq!(error.kind, "ImageDownloadError", "{error}");
    assert!(is_unfinished(&lab));
    // An image that is another one half way.
    let lab = Lab::new(32);
    let server = Server::of(image.clone());
    {
        let mut served = server.served.lock().unwrap();
        served.cuts = vec![9 * MIB];
        served.changes_after_cut = true;
    }
    let error = run(&lab, &info(&server, &sum)).await.unwrap_err();
    assert!(
        error.details.contains("changed while it was read"),
        "{error}"
    );
    assert!(is_unfinished(&lab));
    // No partitions at all.
    let lab = Lab::new(32);
    let nothing = vec![0; 4 * MIB];
    let error = run(&lab, &info(&Server::of(nothing.clone()), &sha256(&nothing))).await;
    assert!(
        error
            .unwrap_err()
            .details
            .starts_with("No partitions found")
    );
    assert!(is_unfinished(&lab));
}

#[tokio::test]
async fn what_can_be_refused_before_is_refused_before() {
    let lab = Lab::new(8);
    let before = lab.read();
    let image = gpt_image(20);
    let server = Server::of(image.clone());
    let good = info(&server, &sha256(&image));
    let error = run(&lab, &good).await.unwrap_err();
    assert_eq!(error.kind, "ImageWriteError");
    assert!(
        error
            .details
            .contains("needs 20971520 bytes; the disk has 8388608"),
        "{error}"
    );
    let changed = |key: &str, value: Value| {
        let mut info = good.clone();
        info.insert(key.to_owned(), value);
        info
    };
    for (wrong, kind) in [
        (changed("urls", json!([])), "InvalidCommandParamsError"),
        (changed("urls", json!("x")), "InvalidCommandParamsError"),
        (
            changed("os_hash_value", json!(5)),
            "InvalidCommandParamsError",
        ),
        (
            changed("os_hash_algo", json!("sha7")),
            "InvalidCommandParamsError",
        ),
        (
            changed("configdrive", json!("not base64!")),
            "DeploymentError",
        ),
        (changed("disk_format", json!("qcow2")), "InvalidImage"),
        (
            changed("image_request_authorization", json!("!")),
            "InvalidCommandParamsError",
        ),
        (
            changed("urls", json!(["http://127.0.0.1:1/x"])),
            "ImageDownloadError",
        ),
    ] {
        let error = run(&lab, &wrong).await.unwrap_err();
        assert_eq!(error.kind, kind, "{error}");
    }
    server.served.lock().unwrap().failures = vec![404];
    let error = run(&lab, &good).await.unwrap_err();
    assert_eq!(error.kind, "ImageDownloadFatalError");
    let mut without = good.clone();
    without.retain(|key, _| !key.starts_with("os_hash"));
    let error = run(&lab, &without).await.unwrap_err();
    assert!(
        error.details.starts_with("Image checksum is not available"),
        "{error}"
    );
    assert!(lab.read() == before, "nothing was written");
}

#[tokio::test]
async fn the_next_address_is_tried_and_secrets_are_sent() {
    let lab = Lab::new(32);
    let image = gpt_image(20);
    let server = Server::of(image.clone());
    let mut info = info(&server, &sha256(&image));
    info.insert("urls".into(), json!(["http://127.0.0.1:1/x", server.url()]));
    info.insert(
        "image_request_authorization".into(),
        json!(STANDARD.encode("Bearer abc")),
    );
    run(&lab, &info).await.unwrap();
    let requests = server.served.lock().unwrap().requests.join("");
    assert!(
        requests.contains("authorization: bearer abc\r\n"),
        "{requests}"
    );
}

#[tokio::test]
async fn the_same_image_is_not_written_twice() {
    let lab = Lab::new(96);
    let image = gpt_image(20);
    let server = Server::of(image.clone());
    let mut info = info(&server, &sha256(&image));
    let first = run(&lab, &info).await.unwrap();
    let asked = server.served.lock().unwrap().requests.len();
    info.insert("configdrive".into(), json!(drive()));
    let again = run_after(&lab, &info, Some(&first)).await;
    assert_eq!(again.unwrap(), first);
    assert_eq!(server.served.lock().unwrap().requests.len(), asked);
    let disk = Disk::open(&lab.disk).unwrap();
    assert_eq!(Table::read(&disk).unwrap().unwrap().entries(&disk).len(), 2);
}

#[tokio::test]
async fn another_image_of_the_same_name_is_written() {
    let lab = Lab::new(96);
    let image = gpt_image(20);
    let first = run(&lab, &info(&Server::of(image.clone()), &sha256(&image)))
        .await
        .unwrap();
    let mut other = gpt_image(20);
    other[4 << 20..5 << 20].fill(0x77);
    let info = info(&Server::of(other.clone()), &sha256(&other));
    run_after(&lab, &info, Some(&first)).await.unwrap();
    assert!(
        lab.read()[4 << 20..5 << 20]
            .iter()
            .all(|byte| *byte == 0x77)
    );
}

#[tokio::test]
async fn a_partition_image_gets_the_partitions_around_it() {
    let lab = Lab::sparse(700);
    let mut image = vec![0; 3 * MIB];
    // What makes it an ext filesystem with an id and a label.
    image[1024 + 56..1024 + 58].copy_from_slice(&[0x53, 0xef]);
    image[1024 + 104..1024 + 120].fill(0x11);
    image[2 * MIB..].fill(7);
    let server = Server::of(image.clone());
    let mut info = info(&server, &sha256(&image));
    for (key, value) in [
        ("image_type", json!("partition")),
        ("deploy_boot_mode", json!("uefi")),
        ("root_mb", json!(20)),
        ("swap_mb", json!("4")),
        ("ephemeral_mb", json!(0)),
        ("configdrive", json!(drive())),
    ] {
        info.insert(key.to_owned(), value);
    }
    let written = run(&lab, &info).await.unwrap();
    assert_eq!(
        written.root_uuid.as_deref(),
        Some("11111111-1111-1111-1111-111111111111")
    );
    let root = format!("{}4", lab.disk.display());
    assert_eq!(written.partitions["root"], root);
    assert!(written.text().contains(&format!(
        "efi_system_partition_uuid={}",
        written.efi_uuid.as_ref().unwrap()
    )));
    let mut disk = Disk::open(&lab.disk).unwrap();
    let entries = Table::read(&disk).unwrap().unwrap().entries(&disk);
    let kinds: Vec<_> = entries
        .iter()
        .map(|entry| {
            let window = Window::new(&mut disk, entry.offset, entry.length).unwrap();
            let found = probe::probe(&window).unwrap_or_default();
            (
                found.kind,
                found.label.unwrap_or_default(),
                entry.length >> 20,
            )
        })
        .collect();
    assert_eq!(
        kinds,
        [
            ("vfat", "efi-part".to_owned(), 550),
            ("swap", "swap1".to_owned(), 4),
            ("", String::new(), 1),
            ("ext2", String::new(), 20),
        ]
    );
    let mut content = vec![0; 3 * MIB];
    disk.read_at(entries[3].offset, &mut content).unwrap();
    assert!(content == image);
    drop(disk);

    // Too small a root, found before anything is written.
    let start = || read(&Disk::open_to_read(&lab.disk).unwrap(), 0, MIB).unwrap();
    let before = start();
    info.insert("root_mb".into(), json!(2));
    let error = run(&lab, &info).await.unwrap_err();
    assert_eq!(
        error.details,
        "Root partition is too small for requested image. Image virtual size: 3 MB, Root size: 2 MB"
    );
    // Another layout where something is to be preserved.
    info.insert("preserve_ephemeral".into(), json!(true));
    let error = run(&lab, &info).await.unwrap_err();
    assert!(error.details.contains("cannot be preserved"), "{error}");
    assert!(start() == before);
    // The same layout: the table stays, the root is new.
    info.insert("root_mb".into(), json!(20));
    let again = run(&lab, &info).await.unwrap();
    assert_eq!(again.root_uuid, written.root_uuid);
    let disk = Disk::open(&lab.disk).unwrap();
    assert_eq!(Table::read(&disk).unwrap().unwrap().entries(&disk), entries);
}
