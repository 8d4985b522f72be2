//! Plans for machines with few drives, by hand.

use super::*;
use proptest::prelude::*;
use serde_json::json;
use types::NodeId;

fn drive(id: &str, medium: &str, protocol: &str, gib: u64) -> Drive {
    Drive {
        id: id.into(),
        path: format!("/drives/{id}"),
        controller: "RAID.1".into(),
        medium: Some(medium.into()),
        protocol: Some(protocol.into()),
        bytes: gib * GIB,
    }
}

fn wish(disk: Value) -> Result<Wish, String> {
    let id: NodeId = "1be26c0b-03f2-4d2e-ae87-c02d7f33c123".parse().unwrap();
    Wish::read(id, disk.as_object().unwrap())
}

fn planned(disks: Value, drives: &[Drive]) -> Result<Vec<Volume>, String> {
    let wishes: Result<Vec<Wish>, String> = disks
        .as_array()
        .unwrap()
        .iter()
        .cloned()
        .map(wish)
        .collect();
    plan(&wishes?, drives)
}

fn ids(volume: &Volume) -> Vec<&str> {
    volume.physical_disks.iter().map(String::as_str).collect()
}

fn hdds(count: usize) -> Vec<Drive> {
    (0..count)
        .map(|i| drive(&format!("h{i}"), "HDD", "SAS", 100))
        .collect()
}

#[test]
fn a_volume_takes_as_few_drives_as_its_size_needs() {
    let made = |gib: u64| {
        let disks = json!([{"raid_level": "5", "size_gb": gib}]);
        planned(disks, &hdds(5)).map(|volumes| volumes[0].physical_disks.len())
    };
    assert_eq!(made(200), Ok(3));
    assert_eq!(made(201), Ok(4));
    assert_eq!(made(400), Ok(5));
    assert!(made(401).is_err());
}

#[test]
fn hints_choose_the_drives() {
    let mut drives = hdds(2);
    drives.push(drive("s0", "SSD", "SATA", 50));
    drives.push(drive("s1", "SSD", "SATA", 50));
    let one = |hint: Value| {
        let mut disk = json!({"raid_level": "1", "size_gb": 10});
        disk.as_object_mut()
            .unwrap()
            .extend(hint.as_object().unwrap().clone());
        planned(json!([disk]), &drives).map(|volumes| ids(&volumes[0]).join(" "))
    };
    assert_eq!(one(json!({})).unwrap(), "h0 h1");
    assert_eq!(one(json!({"disk_type": "ssd"})).unwrap(), "s0 s1");
    assert_eq!(one(json!({"interface_type": "sata"})).unwrap(), "s0 s1");
    assert_eq!(one(json!({"controller": "RAID.1"})).unwrap(), "h0 h1");
    assert!(one(json!({"controller": "RAID.2"})).is_err());
    assert!(one(json!({"number_of_physical_disks": 3})).is_err());
    let scsi = one(json!({"interface_type": "scsi"})).unwrap_err();
    assert_eq!(scsi, "interface type `scsi` not supported by Redfish RAID");
}

#[test]
fn drives_of_one_volume_are_not_given_to_another_unless_it_shares() {
    let two = |shares: bool| {
        let disk = json!({"raid_level": "1", "size_gb": 40, "share_physical_disks": shares});
        planned(json!([disk, disk]), &hdds(2))
    };
    assert_eq!(
        two(false).unwrap_err(),
        "failed to find matching physical disks for all logical disks"
    );
    let both = two(true).unwrap();
    assert_eq!(ids(&both[0]), ids(&both[1]));
}

#[test]
fn a_choice_that_leaves_nothing_for_others_is_taken_back() {
    // The first wish would take the two small drives, which the second needs.
    let drives = [
        drive("a", "SSD", "SATA", 50),
        drive("b", "SSD", "SATA", 50),
        drive("c", "HDD", "SAS", 100),
        drive("d", "HDD", "SAS", 100),
    ];
    let disks = json!([
        {"raid_level": "1", "size_gb": 20},
        {"raid_level": "1", "size_gb": 40, "disk_type": "ssd"},
    ]);
    let volumes = planned(disks, &drives).unwrap();
    assert_eq!(ids(&volumes[0]), ["c", "d"]);
    assert_eq!(ids(&volumes[1]), ["a", "b"]);
}

#[test]
fn given_drives_are_used_and_all_space_is_left_to_the_controller() {
    let disks = json!([
        {"raid_level": "0", "size_gb": "MAX", "controller": "RAID.1",
         "physical_disks": ["h1", "h2"], "volume_name": "data"},
        {"raid_level": "1", "size_gb": 10, "is_root_volume": true},
    ]);
    let volumes = planned(disks, &hdds(4)).unwrap();
    assert_eq!(ids(&volumes[0]), ["h0", "h3"]);
    assert!(volumes[0].is_root_volume);
    assert_eq!(volumes[0].size_bytes, Some(10 * GIB));
    assert_eq!(ids(&volumes[1]), ["h1", "h2"]);
    assert_eq!(volumes[1].size_bytes, None);
    assert_eq!(volumes[1].volume_name.as_deref(), Some("data"));
    assert_eq!(volumes[1].paths, ["/drives/h1", "/drives/h2"]);
}

#[test]
fn what_cannot_be_is_said() {
    let error = |disk: Value| planned(json!([disk]), &hdds(4)).unwrap_err();
    let max = error(json!({"raid_level": "1", "size_gb": "MAX"}));
    assert!(
        max.contains("'physical_disks' is missing from logical_disk while 'size_gb'='MAX'"),
        "{max}"
    );
    let unknown = error(json!({"raid_level": "1", "size_gb": 1, "physical_disks": ["h0", "x"]}));
    assert_eq!(
        unknown,
        "there is no physical disk x; there are h0, h1, h2, h3"
    );
    let few = error(json!({"raid_level": "5", "size_gb": 1, "physical_disks": ["h0", "h1"]}));
    assert!(
        few.contains("made of 3 to 1000 physical disks, not of 2"),
        "{few}"
    );
    let large = error(json!({"raid_level": "1", "size_gb": 101, "physical_disks": ["h0", "h1"]}));
    assert!(
        large.contains("is not enough for the size of the logical disk"),
        "{large}"
    );
    let level = error(json!({"raid_level": "JBOD", "size_gb": 1}));
    assert!(
        level.contains("RAID level JBOD is not supported"),
        "{level}"
    );
    let spans =
        error(json!({"raid_level": "1+0", "size_gb": 1, "physical_disks": ["h0", "h1", "h2"]}));
    assert!(
        spans.contains("Spanned RAID volumes") || spans.contains("multiple of the spans"),
        "{spans}"
    );
}

#[test]
fn shared_rest_is_used_only_when_nothing_else_is_left() {
    let disks = |level: &str| {
        json!([
            {"raid_level": "1", "size_gb": "MAX", "share_physical_disks": true,
             "physical_disks": ["h0", "h1"]},
            {"raid_level": level, "size_gb": 10, "share_physical_disks": true},
        ])
    };
    let volumes = planned(disks("1"), &hdds(4)).unwrap();
    assert_eq!(ids(&volumes[0]), ["h2", "h3"]);
    let volumes = planned(disks("6"), &hdds(4)).unwrap();
    assert_eq!(volumes[0].physical_disks.len(), 4);
}

proptest! {
    /// No plan gives out more space than there is, nor a drive twice without leave.
    #[test]
    fn plans_fit_on_their_drives(
        sizes in proptest::collection::vec(1u64..200, 1..8),
        wanted in proptest::collection::vec((0usize..7, 1u64..300, any::<bool>()), 1..4),
    ) {
        let drives: Vec<Drive> = sizes.iter().enumerate()
            .map(|(i, gib)| drive(&i.to_string(), "HDD", "SAS", *gib)).collect();
        let levels = ["0", "1", "5", "6", "1+0", "5+0", "6+0"];
        let disks: Vec<Value> = wanted.iter().map(|(level, gib, shares)| json!({
            "raid_level": levels[*level], "size_gb": gib, "share_physical_disks": shares,
        })).collect();
        if let Ok(volumes) = planned(json!(disks), &drives) {
            prop_assert_eq!(volumes.len(), wanted.len());
            let mut used = vec![0u64; drives.len()];
            for volume in &volumes {
                let data = Level::named(&volume.raid_level).unwrap()
                    .data_drives(volume.physical_disks.len()).unwrap();
                let each = volume.size_bytes.unwrap().div_ceil(u64::try_from(data).unwrap());
                for id in &volume.physical_disks {
                    used[id.parse::<usize>().unwrap()] += each;
                }
            }
            for (used, drive) in used.iter().zip(&drives) {
                prop_assert!(*used <= drive.bytes);
            }
        }
    }
}
