//! Files that stand for disks, erased or left alone.

use super::*;
use crate::disk::{
    lab::{Lab, OLD, gpt_image},
    probe,
};
use serde_json::json;
use std::path::PathBuf;

/// A machine with one disk, `sda`, that is the lab's file.
fn machine(lab: &Lab, files: &[(&str, &str)]) -> (Config, PathBuf) {
    let config = lab.config();
    let sys = config.root.join("sys/block/sda");
    let size = (fs::metadata(&lab.disk).unwrap().len() / 512).to_string();
    let usual = [("dev", "8:0"), ("size", size.as_str()), ("ro", "0")];
    for (file, content) in usual.iter().chain(files) {
        let path = sys.join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }
    let dev = config.root.join("dev");
    fs::create_dir_all(&dev).unwrap();
    fs::hard_link(&lab.disk, dev.join("sda")).unwrap();
    (config, dev.join("sda"))
}

fn permit() -> Permit {
    Permit::from_operator()
}

/// How the only disk was erased.
fn how(report: &ErasureReport) -> Erasure {
    assert_eq!(report.disks.len(), 1);
    match &report.disks[0].outcome {
        DiskOutcome::Erased(erasure) => erasure.clone(),
        DiskOutcome::Skipped { reason } => panic!("it was skipped: {reason}"),
    }
}

/// Why the only disk was not.
fn why_not(report: &ErasureReport) -> &str {
    match &report.disks[0].outcome {
        DiskOutcome::Skipped { reason } => reason,
        DiskOutcome::Erased(erasure) => panic!("it was erased: {erasure:?}"),
    }
}

#[tokio::test]
async fn metadata_of_disk_and_partitions_is_gone_and_data_stays() {
    let lab = Lab::new(16);
    let mut image = gpt_image(16);
    // A filesystem in the partition, and data in its middle.
    image[(1 << 20) + 1024 + 56..][..2].copy_from_slice(&[0x53, 0xef]);
    image[8 << 20..9 << 20].fill(OLD);
    fs::write(&lab.disk, image).unwrap();
    let (config, path) = machine(&lab, &[]);
    let progress = Progress::default();
    let report = metadata(&permit(), &json!({}), &config, &progress)
        .await
        .unwrap();
    let done = how(&report);
    assert_eq!(
        (done.method, done.verification),
        (ErasureMethod::Metadata, None)
    );
    let disk = Disk::open(&path).unwrap();
    assert!(Table::read(&disk).unwrap().is_none());
    assert_eq!(probe::probe(&disk), None);
    let bytes = lab.read();
    assert!(bytes[..5 << 20].iter().all(|byte| *byte == 0));
    assert!(bytes[15 << 20..].iter().all(|byte| *byte == 0));
    assert_eq!(bytes[8 << 20], OLD);
}

#[tokio::test]
async fn everything_is_overwritten_where_the_disk_cannot_erase_itself() {
    let lab = Lab::new(9);
    let (config, _) = machine(&lab, &[]);
    let progress = Progress::default();
    let mut node = json!({"driver_internal_info": {
        "agent_enable_ata_secure_erase": false, "disk_erasure_concurrency": 4}});
    let report = devices(&permit(), &node, &config, &progress).await.unwrap();
    assert!(lab.read().iter().all(|byte| *byte == 0));
    assert_eq!(progress.watch().borrow().bytes, 18 << 20);
    assert_eq!(
        (report.disks[0].name.as_str(), report.disks[0].size),
        ("/dev/sda", 9 << 20)
    );
    let done = how(&report);
    assert_eq!(
        (done.method, done.random_passes, done.zero_passes),
        (ErasureMethod::Overwrite, Some(1), Some(1))
    );
    let found = done.verification.unwrap();
    assert!(found.samples > 32 && found.blank == found.samples);
    // As the service reads it.
    let again = ErasureReport::of_result(&report.to_result());
    assert_eq!(again.unwrap().unwrap(), report);
    node["driver_internal_info"]["agent_erase_devices_zeroize"] = json!(false);
    let report = devices(&permit(), &node, &config, &progress).await.unwrap();
    let found = how(&report).verification.unwrap();
    assert_eq!((found.changed, found.remaining), (found.samples, 0));
    let bytes = lab.read();
    assert!(bytes.iter().filter(|byte| **byte == 0).count() < bytes.len() / 100);
    node["driver_internal_info"]["agent_erase_devices_iterations"] = json!(0);
    fs::write(&lab.disk, vec![OLD; 9 << 20]).unwrap();
    let report = devices(&permit(), &node, &config, &progress).await.unwrap();
    assert!(
        lab.read().iter().all(|byte| *byte == OLD),
        "nothing was asked for"
    );
    assert!(why_not(&report).contains("no pass"));
}

#[tokio::test]
async fn some_disks_are_left_alone() {
    let progress = Progress::default();
    let skip = json!({"properties": {"skip_block_devices": [{"name": "/dev/sda"}]}});
    let raid = |lab: &Lab| {
        let mut bytes = lab.read();
        bytes[..512].fill(0);
        bytes[4096..4104].copy_from_slice(&[0xfc, 0x4e, 0x2b, 0xa9, 1, 0, 0, 0]);
        fs::write(&lab.disk, bytes).unwrap();
    };
    let none: &[(&str, &str)] = &[];
    let cases = [
        (skip, none, false, "wants it left alone"),
        (json!({}), &[("holders/md0", "")], false, "RAID array"),
        (json!({}), &[("ro", "1")], false, "read-only"),
        (json!({}), &[], true, "RAID array"),
    ];
    for (node, files, is_member, told) in cases {
        let lab = Lab::new(8);
        if is_member {
            raid(&lab);
        }
        let (config, _) = machine(&lab, files);
        let before = lab.read();
        let report = metadata(&permit(), &node, &config, &progress).await;
        let report = report.unwrap();
        assert!(!report.has_erased(), "{report:?}");
        assert!(why_not(&report).contains(told), "{report:?}");
        express(&permit(), &node, &config, &progress).await.unwrap();
        let erased = devices(&permit(), &node, &config, &progress).await;
        if files == [("ro", "1")] {
            assert_eq!(erased.unwrap_err().kind, "BlockDeviceEraseError");
        } else {
            erased.unwrap();
        }
        assert!(lab.read() == before, "{node} {files:?}");
    }
}

#[tokio::test]
async fn filesystems_of_several_machines_are_protected() {
    let lab = Lab::new(8);
    let mut bytes = lab.read();
    bytes[..4 << 20].fill(0);
    bytes[65536..65540].copy_from_slice(&[1, 0x16, 0x19, 0x70]);
    fs::write(&lab.disk, &bytes).unwrap();
    let (mut config, _) = machine(&lab, &[]);
    let (node, progress) = (json!({}), Progress::default());
    let errors = [
        metadata(&permit(), &node, &config, &progress).await,
        express(&permit(), &node, &config, &progress).await,
        devices(&permit(), &node, &config, &progress).await,
    ];
    for error in errors {
        let error = error.unwrap_err();
        assert_eq!(error.kind, "ProtectedDeviceError");
        assert!(
            error
                .details
                .contains("Global File System 2 located on device /dev/sda")
        );
    }
    assert!(lab.read() == bytes);
    config.guard_special_filesystems = false;
    metadata(&permit(), &node, &config, &progress)
        .await
        .unwrap();
    assert!(lab.read() != bytes);
}

#[tokio::test]
async fn what_kernels_left_behind_is_removed() {
    let lab = Lab::new(8);
    let config = lab.config();
    pstore(&permit(), &config).await.unwrap();
    let place = config.root.join("sys/fs/pstore");
    fs::create_dir_all(place.join("folder/deep")).unwrap();
    fs::write(place.join("dmesg"), "oops").unwrap();
    fs::create_dir_all(config.root.join("proc")).unwrap();
    fs::write(
        config.root.join("proc/mounts"),
        "none /sys/fs/pstore pstore rw 0 0\n",
    )
    .unwrap();
    pstore(&permit(), &config).await.unwrap();
    assert_eq!(fs::read_dir(&place).unwrap().count(), 0);
}
