//! Machines as sysfs shows them, and which disks are found on them.

use super::{hints::*, *};
use serde_json::json;
use std::os::unix::fs::symlink;

/// A machine as sysfs shows it.
struct Machine(tempfile::TempDir);

impl Machine {
    fn new() -> Self {
        let machine = Self(tempfile::tempdir().unwrap());
        fs::create_dir_all(machine.0.path().join("sys/block")).unwrap();
        machine
    }

    fn write(&self, path: &str, content: impl AsRef<[u8]>) {
        let path = self.0.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    /// A disk at its place under `sys/devices`, whose last name is the disk's.
    fn disk(&self, place: &str, dev: &str, gib: u64, files: &[(&str, &str)]) {
        let name = place.rsplit('/').next().unwrap();
        let base = format!("sys/devices/{place}");
        self.write(&format!("{base}/dev"), dev);
        self.write(&format!("{base}/size"), ((gib << 30) / 512).to_string());
        self.write(&format!("{base}/ro"), "0\n");
        self.write(&format!("{base}/queue/rotational"), "0\n");
        self.write(&format!("{base}/queue/logical_block_size"), "512\n");
        self.write(&format!("{base}/queue/physical_block_size"), "4096\n");
        for (file, content) in files {
            self.write(&format!("{base}/{file}"), content);
        }
        let link = self.0.path().join("sys/block").join(name);
        symlink(format!("../devices/{place}"), link).unwrap();
    }

    fn list(&self) -> Vec<BlockDevice> {
        list(self.0.path())
    }
}

const SATA: &str = "pci0000:00/0000:00:1f.2/ata1/host0/target0:0:0/0:0:0:0/block/sda";

fn server() -> Machine {
    let machine = Machine::new();
    machine.disk(
        "pci0000:00/0000:00:04.0/nvme/nvme0/nvme0n1",
        "259:0",
        8,
        &[
            ("nsid", "1\n"),
            ("wwid", "eui.0025385b71b00001\n"),
            ("device/serial", "NV1   \n"),
            ("device/model", "Fast One                 \n"),
        ],
    );
    machine.disk(
        SATA,
        "8:0",
        10,
        &[
            ("device/vendor", "ATA     \n"),
            ("device/model", "ACME Big\n"),
            ("device/type", "0\n"),
            ("device/scsi_device/0:0:0:0/x", ""),
            ("device/vpd_pg80", "\0\u{1}\0\u{4}S123"),
            ("sda1/partition", "1\n"),
            ("sda1/start", "2048\n"),
            ("sda1/size", "4096\n"),
            ("sda1/holders/md0", ""),
            ("queue/rotational", "1\n"),
        ],
    );
    machine.write(
        "sys/devices/pci0000:00/0000:00:1f.2/ata1/ata_port/ata1/port_no",
        "3\n",
    );
    machine.disk(
        "pci0000:00/0000:00:05.0/virtio2/block/vda",
        "253:0",
        4,
        &[("serial", "v-1")],
    );
    machine.disk(
        "pci0000:00/0000:00:06.0/host2/target2:0:1/2:0:1:5/block/sdb",
        "8:16",
        3,
        &[],
    );
    machine.disk(
        "pci0000:00/0000:00:07.0/usb1/1-2/1-2:1.0/host5/target5:0:0/5:0:0:0/block/sdc",
        "8:32",
        1,
        &[("removable", "1\n")],
    );
    machine.disk(
        "virtual/block/md0",
        "9:0",
        2,
        &[("md/level", "raid1\n"), ("slaves/sda1", "")],
    );
    machine.disk("virtual/block/md9", "9:9", 2, &[("md/level", "\n")]);
    machine.disk("virtual/block/loop0", "7:0", 1, &[]);
    machine.disk("virtual/block/ram0", "1:0", 1, &[]);
    machine.disk("virtual/block/zram0", "252:9", 1, &[]);
    machine.disk("virtual/block/fd0", "2:0", 1, &[]);
    machine.disk("virtual/block/dm-0", "252:0", 1, &[("dm/uuid", "LVM-x\n")]);
    machine.disk(
        "virtual/block/dm-1",
        "252:1",
        1,
        &[("dm/uuid", "mpath-x\n")],
    );
    machine.disk("virtual/block/sdz", "65:0", 0, &[]);
    machine.disk("virtual/block/sr0", "11:0", 1, &[("device/type", "5\n")]);
    machine.disk("virtual/block/mmcblk0boot0", "179:8", 1, &[]);
    machine.disk("virtual/block/nvme0c0n1", "259:1", 1, &[("hidden", "1\n")]);
    machine
}

#[test]
fn only_disks_are_listed_in_the_order_of_their_numbers() {
    let found = server().list();
    let names: Vec<&str> = found.iter().map(|device| device.name.as_str()).collect();
    let expected = ["sda", "sdb", "sdc", "md0", "dm-1", "vda", "nvme0n1"];
    assert_eq!(names, expected.map(|name| format!("/dev/{name}")));
    assert!(list(Path::new("/nowhere/at/all")).is_empty());
}

#[test]
fn a_disk_is_told_in_full() {
    let machine = server();
    let sda = &machine.list()[0];
    assert_eq!(
        sda.to_json(),
        json!({
            "name": "/dev/sda", "model": "ACME Big", "size": 10_u64 << 30, "rotational": true,
            "wwn": null, "serial": "S123", "vendor": "ATA", "wwn_with_extension": null,
            "wwn_vendor_extension": null, "hctl": "0:0:0:0",
            "by_path": "/dev/disk/by-path/pci-0000:00:1f.2-ata-3.0",
            "logical_sectors": 512, "physical_sectors": 4096, "tran": "sata",
        })
    );
    let [partition] = &sda.partitions[..] else {
        panic!("{:?}", sda.partitions);
    };
    assert_eq!((partition.start, partition.size), (1 << 20, 2 << 20));
    assert!(sda.is_held_by_md());
    let nvme = find(machine.0.path(), "/dev/nvme0n1").unwrap();
    assert_eq!(nvme.wwn.as_deref(), Some("eui.0025385b71b00001"));
    assert_eq!(
        (nvme.serial.as_deref(), nvme.model.as_deref()),
        (Some("NV1"), Some("Fast One"))
    );
    assert_eq!(
        find(machine.0.path(), "/dev/md0").unwrap().md_members,
        ["sda1"]
    );
}

#[test]
fn places_are_named_as_udev_names_them() {
    let machine = server();
    let path = |name: &str| {
        let device = find(machine.0.path(), name).unwrap();
        let path = device.by_path.unwrap_or_default();
        (
            path.trim_start_matches("/dev/disk/by-path/").to_owned(),
            device.tran.unwrap_or_default(),
        )
    };
    let told = |path: &str, tran: &str| (path.to_owned(), tran.to_owned());
    assert_eq!(
        path("/dev/nvme0n1"),
        told("pci-0000:00:04.0-nvme-1", "nvme")
    );
    assert_eq!(path("/dev/vda"), told("pci-0000:00:05.0", "virtio"));
    assert_eq!(path("/dev/sdb"), told("pci-0000:00:06.0-scsi-0:0:1:5", ""));
    assert_eq!(
        path("/dev/sdc"),
        told("pci-0000:00:07.0-usb-0:2:1.0-scsi-0:0:0:0", "usb")
    );
    assert_eq!(path("/dev/md0"), told("", ""));
}

#[test]
fn an_nvme_disk_with_several_ways_is_at_its_controller() {
    let machine = Machine::new();
    let place = "virtual/nvme-subsystem/nvme-subsys0/nvme1n2";
    machine.disk(place, "259:3", 8, &[("nsid", "2\n")]);
    let path = || machine.list()[0].by_path.clone();
    assert_eq!(path(), None);
    machine.write("sys/devices/pci0000:00/0000:3b:00.0/nvme/nvme1/address", "");
    let class = machine.0.path().join("sys/class/nvme");
    fs::create_dir_all(&class).unwrap();
    let controller = "../../devices/pci0000:00/0000:3b:00.0/nvme/nvme1";
    symlink(controller, class.join("nvme1")).unwrap();
    assert_eq!(
        path().as_deref(),
        Some("/dev/disk/by-path/pci-0000:3b:00.0-nvme-2")
    );
}

#[test]
fn udev_is_believed_where_it_runs() {
    let machine = server();
    machine.write(
        "run/udev/data/b8:0",
        "S:disk/x\nE:ID_MODEL_ENC=Other\\x20Name\nE:ID_SERIAL=ACME_S9\nE:ID_SERIAL_SHORT=S9\n\
         E:ID_WWN=0x5000c500\nE:ID_WWN_WITH_EXTENSION=0x5000c500aa\n",
    );
    let links = machine.0.path().join("dev/disk/by-path");
    fs::create_dir_all(&links).unwrap();
    symlink("../../sda", links.join("pci-0000:00:1f.2-ata-9")).unwrap();
    symlink("../../sda1", links.join("pci-0000:00:1f.2-ata-9-part1")).unwrap();
    let sda = &machine.list()[0];
    assert_eq!(sda.model.as_deref(), Some("Other Name"));
    assert_eq!(sda.serials, ["S9", "S123", "ACME_S9"]);
    assert_eq!(sda.wwn.as_deref(), Some("0x5000c500aa"));
    assert!(sda.by_path.as_ref().unwrap().ends_with("-ata-9"));
    for serial in ["s9", "ACME_S9"] {
        let node = json!({"properties": {"root_device": {"serial": serial}}});
        assert_eq!(
            root_device(std::slice::from_ref(sda), &node).unwrap().name,
            "/dev/sda"
        );
    }
}

#[test]
fn the_root_device_is_the_hinted_or_the_smallest_that_suffices() {
    let devices = server().list();
    let root = |node: Value| root_device(&devices, &node).map(|device| device.name.clone());
    assert_eq!(root(json!({})).unwrap(), "/dev/vda");
    let mut locked = devices.clone();
    for device in &mut locked {
        device.read_only = device.name == "/dev/vda";
    }
    let other = root_device(&locked, &json!({})).unwrap();
    assert_ne!(other.name, "/dev/vda", "nothing can be written to it");
    let hinted = |hints: Value| json!({"instance_info": {}, "properties": {"root_device": hints}});
    assert_eq!(root(hinted(json!({"size": ">= 9"}))).unwrap(), "/dev/sda");
    assert_eq!(
        root(hinted(json!({"tran": "nvme"}))).unwrap(),
        "/dev/nvme0n1"
    );
    let path = "/dev/disk/by-path/pci-0000:00:1f.2-ata-3";
    assert_eq!(root(hinted(json!({"by_path": path}))).unwrap(), "/dev/sda");
    let mut both = hinted(json!({"name": "/dev/sda"}));
    both["instance_info"]["root_device"] = json!({"name": "/dev/sdb"});
    assert_eq!(root(both.clone()).unwrap(), "/dev/sdb");
    both["properties"]["skip_block_devices"] = json!([{"name": "/dev/sdb"}, {"volume_name": "x"}]);
    let error = root(both.clone()).unwrap_err();
    assert_eq!((error.kind, error.code), ("DeviceNotFound", 404));
    assert_eq!(
        error.details,
        "No suitable device was found for deployment using these hints {'name': '/dev/sdb'}"
    );
    assert_eq!(skipped_volumes(&both), ["x".to_owned()].into());
    let error = root(hinted(json!({"size": "x"}))).unwrap_err();
    assert!(error.details.contains("failed to validate"), "{error}");
    let error = root_device(&devices[1..3], &json!({})).unwrap_err();
    assert!(
        error
            .details
            .ends_with("smaller than 4 GiB, or cannot be written"),
        "{error}"
    );
}
