//! RAID configurations, good and bad.

use super::*;
use crate::disk::lab::{Machine, RAID_MEMBER, gpt_image};
use serde_json::json;
use std::fs;

fn disk(name: &str, gib: u64) -> BlockDevice {
    BlockDevice {
        kernel_name: name.to_owned(),
        name: format!("/dev/{name}"),
        size: gib << 30,
        ..BlockDevice::default()
    }
}

fn logical(size: Value, level: &str) -> Value {
    json!({"controller": "software", "size_gb": size, "raid_level": level})
}

#[test]
fn every_reason_against_a_configuration_is_told() {
    let devices = [disk("sda", 100), disk("sdb", 100)];
    let node = json!({"uuid": "u"});
    let check = |disks: Value| {
        plan::validate(&json!({ "logical_disks": disks }), &node, &devices)
            .map_err(|error| error.details)
    };
    check(json!([logical(json!(10), "1"), logical(json!("MAX"), "0")])).unwrap();
    assert_eq!(
        check(json!([])).unwrap_err(),
        "RAID config contains no logical disks"
    );
    let error = check(json!([
        {"size_gb": "MAX", "raid_level": "0", "physical_disks": [{}], "volume_name": "a"},
        {"size_gb": "MAX", "raid_level": "5", "controller": "software", "volume_name": "a"},
    ]));
    let error = error.unwrap_err();
    for reason in [
        "Could not validate Software RAID config for u: ",
        "to have 'controller'='software'",
        "at least 2 items",
        "Duplicate software RAID device name a detected",
        "requires RAID-1 for the first logical disk",
        "only one RAID device with size 'MAX'",
        "RAID level 5 with only 2 block devices found.",
    ] {
        assert!(error.contains(reason), "{reason}: {error}");
    }
    let error = check(json!([logical(json!(0), "1"), logical(json!(1), "7"), {}]));
    let error = error.unwrap_err();
    assert!(
        error.contains("requires one or two logical disks"),
        "{error}"
    );
    let error = check(json!([logical(json!(1), "1"), logical(json!(1), "7")])).unwrap_err();
    assert!(error.ends_with("does not support RAID level 7"), "{error}");
}

#[test]
fn partitions_end_on_whole_gib_and_the_rest_comes_last() {
    let devices = [disk("sda", 100), disk("nvme0n1", 50)];
    let config = json!({"logical_disks": [
        logical(json!("MAX"), "1"), logical(json!("10"), "1+0")]});
    let volumes = plan::volumes(&config, &devices).unwrap();
    let (order, places) = plan::places(&volumes, &devices, true, true).unwrap();
    assert_eq!(
        order.iter().map(|v| v.size).collect::<Vec<_>>(),
        [Some(10), None]
    );
    let mib = |(offset, length): (u64, u64)| (offset >> 20, (offset + length) >> 20);
    let found: Vec<_> = places["/dev/sda"].iter().copied().map(mib).collect();
    assert_eq!(found, [(551, 10 << 10), (10 << 10, (100 << 10) - 1)]);
    let (_, places) = plan::places(&volumes, &devices, false, false).unwrap();
    assert_eq!(mib(places["/dev/nvme0n1"][0]), (1, 10 << 10));
    let large = json!({"logical_disks": [logical(json!(60), "1")]});
    let volumes = plan::volumes(&large, &devices).unwrap();
    assert!(plan::places(&volumes, &devices, false, true).is_err());
}

#[test]
fn disks_are_chosen_by_hints_each_once() {
    let devices = [disk("sda", 100), disk("sdb", 50), disk("sdc", 50)];
    let mut one = logical(json!(10), "1");
    one["physical_disks"] = json!([{"size": "< 60"}, {"size": "< 60"}]);
    let config = json!({"logical_disks": [one.clone()]});
    assert_eq!(
        plan::volumes(&config, &devices).unwrap()[0].disks,
        ["/dev/sdb", "/dev/sdc"]
    );
    one["physical_disks"] = json!([{"size": "> 60"}, {"size": "> 60"}]);
    let error = plan::volumes(&json!({"logical_disks": [one]}), &devices).unwrap_err();
    assert!(
        error
            .details
            .starts_with("No candidates left for physical disk"),
        "{error}"
    );
}

#[test]
fn the_boot_mode_comes_from_capabilities() {
    let config = Config::from_parameters("ipa-api-url=http://h").unwrap();
    for (node, uefi) in [
        (
            json!({"properties": {"capabilities": "a:b, boot_mode:uefi"}}),
            true,
        ),
        (
            json!({"properties": {"capabilities": "boot_mode:bios"}}),
            false,
        ),
        (
            json!({"instance_info": {"capabilities": {"boot_mode": "uefi"}},
            "properties": {"capabilities": "boot_mode:bios"}}),
            true,
        ),
        (json!({"instance_info": {"deploy_boot_mode": "uefi"}}), true),
    ] {
        assert_eq!(plan::is_uefi(&node, &config), uefi, "{node}");
    }
    assert!(plan::wants_gpt(
        &json!({"properties": {"capabilities": "disk_label:gpt"}})
    ));
}

/// Takes arrays apart. No array is to go here, or a program would be run on this machine.
async fn delete_all(machine: &Machine, node: &Value) {
    let (permit, progress) = (Permit::from_operator(), Progress::default());
    delete(&permit, node, &machine.config(), &progress)
        .await
        .unwrap();
}

#[tokio::test]
async fn neighbours_of_a_kept_array_are_wiped_though_none_is_deleted() {
    let machine = Machine::new();
    machine.disk("sda", 1, &[1, 2]);
    machine.disk("sdb", 1, &[1, 2]);
    machine.array("md0", 1, "data", &["sda1", "sdb1"]);
    machine.array("md1", 1, "root", &["sda2", "sdb2"]);
    let image = gpt_image(16);
    for array in ["md0", "md1"] {
        fs::write(machine.node(array), &image).unwrap();
    }
    let before = fs::read(machine.node("sda1")).unwrap();
    let node = json!({"properties": {"skip_block_devices": [{"volume_name": "data"}]}});
    delete_all(&machine, &node).await;
    assert!(fs::read(machine.node("md0")).unwrap() == image);
    let wiped = fs::read(machine.node("md1")).unwrap();
    assert!(wiped[..4 << 20].iter().all(|byte| *byte == 0));
    assert!(fs::read(machine.node("sda1")).unwrap() == before);
}

/// The bytes of a disk with two partitions: the first has a filesystem unless it is a member too.
fn divided(both: bool) -> Vec<u8> {
    let mut bytes = vec![0; 16 << 20];
    let table = Table::create(&bytes, true, &[(1 << 20, 6 << 20), (7 << 20, 8 << 20)]).unwrap();
    table.write(&mut bytes).unwrap();
    bytes[(7 << 20) + 4096..][..8].copy_from_slice(&RAID_MEMBER);
    if both {
        bytes[(1 << 20) + 4096..][..8].copy_from_slice(&RAID_MEMBER);
    } else {
        bytes[(1 << 20) + 1024 + 56..][..2].copy_from_slice(&[0x53, 0xef]);
    }
    bytes
}

#[tokio::test]
async fn of_arrays_that_are_broken_only_their_parts_go() {
    let machine = Machine::new();
    for (name, both) in [("sda", false), ("sdb", true), ("sdc", true)] {
        machine.disk(name, 1, &[1, 2]);
        fs::write(machine.node(name), divided(both)).unwrap();
    }
    let node = json!({"properties": {"skip_block_devices": [{"name": "/dev/sdc"}]}});
    delete_all(&machine, &node).await;
    // Somebody else's filesystem, and the way to it, are still there.
    let left = fs::read(machine.node("sda")).unwrap();
    assert_eq!(left[(7 << 20) + 4096], 0);
    assert!(left[1 << 20..7 << 20] == divided(false)[1 << 20..7 << 20]);
    let entries = Table::read(&left).unwrap().unwrap().entries(&left);
    assert_eq!(entries.len(), 2);
    assert!(
        Table::read(&fs::read(machine.node("sdb")).unwrap())
            .unwrap()
            .is_none()
    );
    let table = Table::read(&fs::read(machine.node("sdc")).unwrap());
    assert!(table.unwrap().is_some(), "it was to be left alone");
}

#[tokio::test]
async fn disks_that_are_to_be_left_alone_become_no_members() {
    let machine = Machine::new();
    for name in ["sda", "sdb", "sdc"] {
        machine.disk(name, 5, &[]);
        // What makes the others be refused, so that nothing is made here.
        fs::write(machine.node(name), gpt_image(16)).unwrap();
    }
    let node = json!({
        "properties": {"skip_block_devices": [{"name": "/dev/sda"}]},
        "target_raid_config": {"logical_disks": [logical(json!(1), "1")]},
    });
    let (permit, progress) = (Permit::from_operator(), Progress::default());
    let refused = create(&permit, &node, &machine.config(), &progress).await;
    assert_eq!(
        refused.unwrap_err().details,
        "Partitions detected on devices /dev/sdb, /dev/sdc during RAID config"
    );
}
