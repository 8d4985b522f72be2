//! RAID configurations, good and bad.

use super::*;
use serde_json::json;

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
