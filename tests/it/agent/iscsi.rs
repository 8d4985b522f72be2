//! Disks that are written over iSCSI: by the conductor, to a file that the agent exports.

use super::{
    Puppet, names,
    netboot::qcow2,
    place::AgentHome,
    portal::{Moment, Portal},
    puppet,
    restart::carries_on,
};
use crate::{
    database::Engine,
    lab::{Lab, Machine, Options},
    port,
};
use drivers::BootOption;
use image::disk::{medium::Medium, table::Table};
use serde_json::{Value, json};
use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    time::Duration,
};
use types::{InterfaceKind as K, ProvisionState as S};

every_engine!(
    a_partition_image_is_written_and_starts_from_the_disk,
    an_instance_gets_its_kernel_from_the_network,
    an_ephemeral_partition_survives_a_rebuild,
    a_whole_disk_is_written_and_known_by_its_number,
    a_whole_disk_is_started_by_way_of_the_network,
    what_goes_wrong_with_the_disk_fails_the_node,
    a_target_that_does_not_take_leave_spoils_nothing,
    what_cannot_be_written_leaves_the_machine_alone,
    a_conductor_that_is_stopped_in_the_middle_writes_again,
    a_deployment_survives_the_conductor_at_each_command,
);

const MAC: &str = "52:54:00:cc:00:01";
const DASHED: &str = "52-54-00-cc-00-01";
pub(super) const MIB: usize = 1 << 20;
/// What is on the disk before.
pub(super) const OLD: u8 = 0xa5;
/// The versions of an agent of ours and of another.
pub(super) const OURS: &str = "1.0.0+corten";

/// A place to boot from, a disk, and an agent that exports it.
struct Bench {
    home: AgentHome,
    agent: Puppet,
    port: u16,
}

impl Bench {
    async fn new() -> Self {
        let home = AgentHome::make().await;
        let agent = puppet().await;
        agent.is(OURS);
        let bench = Self {
            agent,
            port: port::free(),
            home,
        };
        bench.disk_of(3 << 30);
        bench.agent.exports(bench.disk());
        for name in ["vmlinuz", "initrd"] {
            fs::write(bench.home.path(name), name).unwrap();
        }
        bench
    }

    fn disk(&self) -> PathBuf {
        self.home.path("disk")
    }

    /// A disk with something at its start.
    fn disk_of(&self, size: u64) {
        fs::write(self.disk(), vec![OLD; 4 * MIB]).unwrap();
        let disk = fs::File::options().write(true).open(self.disk()).unwrap();
        disk.set_len(size).unwrap();
    }

    fn options(&self) -> Options {
        let mut options = self.home.options();
        let hardware = &mut options.hardware;
        hardware.enable_interfaces(K::Deploy, vec!["direct".into(), "iscsi".into()]);
        hardware.netboot.default_uefi = false;
        let conductor = &mut options.conductor;
        conductor.automated_clean = false;
        conductor.graceful_shutdown_timeout = Duration::from_millis(10);
        conductor.ramdisk.default_uefi = false;
        let iscsi = &mut conductor.ramdisk.iscsi;
        iscsi.portal_port = self.port;
        iscsi.verify_attempts = 2;
        iscsi.verify_pause = Duration::from_millis(5);
        iscsi.timeouts.login = Duration::from_secs(5);
        iscsi.timeouts.command = Duration::from_secs(5);
        iscsi.timeouts.recovery = Duration::from_millis(200);
        options
    }

    /// A machine whose instance has this root image.
    async fn available<'l>(&self, lab: &'l Lab, image: &[u8], more: Value) -> Machine<'l> {
        let machine = lab
            .enroll(json!({
                "boot_interface": "ipxe", "deploy_interface": "iscsi",
                "management_interface": "noop",
            }))
            .await;
        let port = json!({"address": MAC, "node_uuid": machine.id.to_string()});
        lab.client.post("/v1/ports", port).await.expect(201);
        machine.asks("manage").await.reaches(S::Manageable).await;
        machine.asks("provide").await.reaches(S::Available).await;
        fs::write(self.home.path("image"), image).unwrap();
        let mut instance = json!({"image_source": self.home.file("image")});
        for (key, value) in more.as_object().unwrap() {
            instance[key] = value.clone();
        }
        let change = json!([{"op": "add", "path": "/instance_info", "value": instance}]);
        machine.patch(change).await.expect(200);
        machine
    }

    /// The same with what a partition image needs.
    async fn with_root<'l>(&self, lab: &'l Lab, id: u8, more: Value) -> Machine<'l> {
        let mut instance = json!({
            "kernel": self.home.file("vmlinuz"), "ramdisk": self.home.file("initrd"),
            "root_gb": 1, "swap_mb": 8,
        });
        for (key, value) in more.as_object().unwrap() {
            instance[key] = value.clone();
        }
        self.available(lab, &root(id, 5), instance).await
    }

    async fn boots(&self, lab: &Lab, machine: Machine<'_>) {
        machine.reaches(S::DeployWait).await;
        self.agent.told();
        self.agent.boots(lab, machine).await;
    }

    async fn deployed(&self, lab: &Lab, machine: Machine<'_>) -> Value {
        machine.asks("active").await;
        self.boots(lab, machine).await;
        machine.reaches(S::Active).await
    }
}

/// A root that has an id.
pub(super) fn root(id: u8, mib: usize) -> Vec<u8> {
    let mut image = vec![id; mib * MIB];
    image[..4096].fill(0);
    image[1024 + 56..1024 + 58].copy_from_slice(&0xef53u16.to_le_bytes());
    image[1024 + 104..1024 + 120].fill(id);
    image
}

pub(super) fn root_uuid(id: u8) -> String {
    uuid::Uuid::from_bytes([id; 16]).to_string()
}

/// A file as a disk, for looking at it.
pub(super) struct Seen(fs::File);

impl Seen {
    pub(super) fn open(path: &Path) -> Self {
        Self(fs::File::open(path).unwrap())
    }

    pub(super) fn read(&self, offset: usize, length: usize) -> Vec<u8> {
        image::disk::medium::read(self, offset as u64, length).unwrap()
    }

    /// The partitions: start and length in MiB.
    fn partitions(&self) -> Vec<(usize, usize)> {
        let table = Table::read(self).unwrap().unwrap();
        let mib = |bytes: u64| usize::try_from(bytes).unwrap() / MIB;
        let entries = table.entries(self);
        entries
            .iter()
            .map(|e| (mib(e.offset), mib(e.length)))
            .collect()
    }
}

impl Medium for Seen {
    fn size(&self) -> u64 {
        self.0.metadata().unwrap().len()
    }

    fn sector_size(&self) -> u32 {
        512
    }

    fn read_at(&self, offset: u64, bytes: &mut [u8]) -> std::io::Result<()> {
        std::os::unix::fs::FileExt::read_exact_at(&self.0, bytes, offset)
    }

    fn write_at(&mut self, _: u64, _: &[u8]) -> std::io::Result<()> {
        unreachable!()
    }

    fn zero(&mut self, _: u64, _: u64) -> std::io::Result<()> {
        unreachable!()
    }

    fn sync(&mut self) -> std::io::Result<()> {
        unreachable!()
    }
}

fn text(node: &Value) -> &str {
    node["last_error"].as_str().unwrap_or_default()
}

async fn a_partition_image_is_written_and_starts_from_the_disk(engine: Engine) {
    let bench = Bench::new().await;
    let lab = Lab::with(engine, bench.options()).await;
    let machine = bench.with_root(&lab, 7, json!({})).await;
    let node = bench.deployed(&lab, machine).await;
    assert_eq!(node["power_state"], "power on");
    let told = bench.agent.told();
    assert_eq!(
        names(&told),
        [
            "deploy.get_deploy_steps",
            "iscsi.start_iscsi_target",
            "iscsi.stop_iscsi_target",
            "image.install_bootloader",
            "standby.power_off",
        ],
    );
    let exported = &told[1].1;
    let iqn = format!("iqn.2008-10.org.openstack:{}", machine.id);
    assert_eq!(exported["iqn"], json!(iqn));
    assert_eq!(exported["portal_port"], bench.port);
    assert_eq!(exported["wipe_disk_metadata"], false);
    let loader = &told[3].1;
    assert_eq!(loader["root_uuid"], root_uuid(7));
    assert_eq!(loader["target_boot_mode"], "bios");
    let known = &node["driver_internal_info"];
    assert_eq!(known["root_uuid_or_disk_id"], root_uuid(7));
    assert_eq!(known["deployment_uuids"]["root uuid"], root_uuid(7));
    assert_eq!(
        known["instance"],
        json!({"root_gb": 1, "swap_mb": 8, "ephemeral_gb": 0})
    );
    // Neither the password of the target nor the image is left.
    let secret = exported["chap_password"].as_str().unwrap();
    assert!(!node.to_string().contains(secret));
    assert!(!bench.home.exists(&format!("images/{}", machine.id)));
    let events = lab.told(machine.id).await;
    assert!(
        events
            .iter()
            .any(|text| text.contains("the conductor: writing image"))
    );
    let disk = Seen::open(&bench.disk());
    assert_eq!(disk.partitions(), [(1, 8), (9, 1024)]);
    assert!(disk.read(9 * MIB, 5 * MIB) == root(7, 5));
    lab.stop().await;
}

async fn an_instance_gets_its_kernel_from_the_network(engine: Engine) {
    let bench = Bench::new().await;
    let netboot = json!({"capabilities": {"boot_option": "netboot"}});
    let lab = Lab::with(engine, bench.options()).await;
    let machine = bench.with_root(&lab, 7, netboot).await;
    let node = bench.deployed(&lab, machine).await;
    let told = names(&bench.agent.told());
    assert!(
        !told.iter().any(|name| name.contains("bootloader")),
        "{told:?}"
    );
    let config = format!("/pxelinux.cfg/{DASHED}");
    let wanted = format!("root=UUID={} ro text", root_uuid(7));
    let script = bench.home.text(&config).await.unwrap();
    assert!(script.contains("\ngoto boot_partition\n"), "{script}");
    assert!(script.contains(&wanted), "{script}");
    let kernel = bench.home.get(&format!("/{}/kernel", machine.id)).await;
    assert_eq!(kernel.as_deref(), Some(&b"vmlinuz"[..]));
    assert_eq!(
        node["driver_internal_info"]["root_uuid_or_disk_id"],
        root_uuid(7)
    );
    // The disk has nothing for firmware.
    assert_eq!(Seen::open(&bench.disk()).partitions(), [(1, 8), (9, 1024)]);
    assert!(
        Seen::open(&bench.disk())
            .read(446, 64)
            .chunks(16)
            .all(|entry| entry[0] == 0)
    );

    // A restart leaves it as it is; another conductor makes it again.
    let id = machine.id.to_string();
    let database = lab.stop().await;
    let other = AgentHome::make().await;
    let mut options = bench.options();
    options.conductor.host = "another-host".into();
    options.hardware.boot = Some(other.boot.clone());
    let lab = Lab::on(database, options).await;
    let machine = lab.machine(&id);
    loop {
        let seen = store::event::newest(&lab.db).await.unwrap();
        let told = lab.told(machine.id).await;
        if told
            .iter()
            .any(|text| text.contains("taken over by conductor another-host"))
        {
            break;
        }
        let pause = Duration::from_millis(200);
        store::event::wait(&lab.db, seen, pause).await.unwrap();
    }
    let script = other.text(&config).await.unwrap();
    assert!(script.contains(&wanted), "{script}");
    machine.rests().await;
    machine.asks("deleted").await.reaches(S::Available).await;
    assert!(other.text(&config).await.is_none());
    lab.stop().await;
}

async fn an_ephemeral_partition_survives_a_rebuild(engine: Engine) {
    let has_program = ["/usr/sbin", "/sbin"]
        .iter()
        .any(|folder| Path::new(folder).join("mkfs.ext4").is_file());
    if !has_program {
        assert!(
            std::env::var_os("CI").is_none(),
            "mkfs.ext4 is not installed"
        );
        println!("SKIPPED: mkfs.ext4 is not installed");
        return;
    }
    let bench = Bench::new().await;
    let mut options = bench.options();
    options.conductor.ramdisk.iscsi.boot_option = BootOption::Network;
    options.hardware.boot_images.boot_option = BootOption::Network;
    let lab = Lab::with(engine, options).await;
    let machine = bench.with_root(&lab, 7, json!({"ephemeral_gb": 1})).await;
    bench.deployed(&lab, machine).await;
    let disk = Seen::open(&bench.disk());
    assert_eq!(disk.partitions(), [(1, 1024), (1025, 8), (1033, 1024)]);
    let partition = bench.home.path("ephemeral");
    let dumped = fs::File::create(&partition).unwrap();
    dumped.set_len(1 << 30).unwrap();
    drop(dumped);
    let (file, of) = (
        partition.to_str().unwrap(),
        format!("of={}", partition.display()),
    );
    let input = format!("if={}", bench.disk().display());
    let copied = Command::new("dd")
        .args([
            input.as_str(),
            of.as_str(),
            "bs=1M",
            "skip=1",
            "count=1024",
            "conv=sparse",
            "status=none",
        ])
        .status()
        .unwrap();
    assert!(copied.success());
    let checked = Command::new("/sbin/e2fsck")
        .args(["-f", "-n", file])
        .output()
        .unwrap();
    assert!(
        checked.status.success(),
        "{}",
        String::from_utf8_lossy(&checked.stdout)
    );
    let label = Command::new("/sbin/e2label").arg(file).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&label.stdout).trim(), "ephemeral0");

    // Something of the owner, in the middle of it.
    let writer = fs::File::options().write(true).open(bench.disk()).unwrap();
    std::os::unix::fs::FileExt::write_all_at(&writer, b"kept", 500 * MIB as u64).unwrap();
    fs::write(bench.home.path("image2"), root(8, 5)).unwrap();
    let change = json!([
        {"op": "add", "path": "/instance_info/preserve_ephemeral", "value": true},
        {"op": "replace", "path": "/instance_info/image_source", "value": bench.home.file("image2")},
    ]);
    machine.patch(change).await.expect(200);
    machine.asks("rebuild").await;
    bench.boots(&lab, machine).await;
    let node = machine.reaches(S::Active).await;
    assert_eq!(
        node["driver_internal_info"]["root_uuid_or_disk_id"],
        root_uuid(8)
    );
    let told = bench.agent.told();
    assert_eq!(told[1].1["wipe_disk_metadata"], false);
    assert_eq!(disk.read(500 * MIB, 4), b"kept");
    assert!(disk.read(1033 * MIB, 5 * MIB) == root(8, 5));
    assert_eq!(disk.partitions(), [(1, 1024), (1025, 8), (1033, 1024)]);

    // Another size cannot keep it: refused, and the instance goes on.
    let change = json!([{"op": "replace", "path": "/instance_info/root_gb", "value": 2}]);
    machine.patch(change).await.expect(200);
    let refused = machine.provision(json!({"target": "rebuild"})).await;
    let said = refused.json().to_string();
    assert!(
        said.contains("Deployed value of root_gb was 1 but requested value is 2."),
        "{said}"
    );
    lab.stop().await;
}

/// An image of a disk with a number and one partition.
pub(super) fn whole_disk() -> Vec<u8> {
    let mut image = vec![0; 2 * MIB];
    image[440..444].copy_from_slice(&0x1234_abcdu32.to_le_bytes());
    image[510..512].copy_from_slice(&[0x55, 0xaa]);
    image[446..462].copy_from_slice(&[0x80, 0, 0, 0, 0x83, 0, 0, 0, 0, 8, 0, 0, 0, 8, 0, 0]);
    image[1024..65536].fill(7);
    image
}

async fn a_whole_disk_is_written_and_known_by_its_number(engine: Engine) {
    let bench = Bench::new().await;
    let lab = Lab::with(engine, bench.options()).await;
    let image = whole_disk();
    // As qcow2 it is converted on its way.
    let machine = bench
        .available(&lab, &qcow2(&image[..65536], false), json!({}))
        .await;
    let node = bench.deployed(&lab, machine).await;
    let known = &node["driver_internal_info"];
    assert_eq!(
        known["deployment_uuids"],
        json!({"disk identifier": "0x1234abcd"})
    );
    let disk = Seen::open(&bench.disk());
    assert!(disk.read(512, 2 * MIB - 512) == image[512..]);
    assert_eq!(disk.partitions(), [(1, 1)]);
    let told = names(&bench.agent.told());
    assert!(
        !told.iter().any(|name| name.contains("bootloader")),
        "{told:?}"
    );
    lab.stop().await;
}

/// PXELINUX looks for the disk by its identifier. Firmware of the new kind has no word for it.
async fn a_whole_disk_is_started_by_way_of_the_network(engine: Engine) {
    let bench = Bench::new().await;
    let lab = Lab::with(engine, bench.options()).await;
    let netboot = json!({"capabilities": {"boot_option": "netboot"}});
    let machine = bench.available(&lab, &whole_disk(), netboot).await;
    let change = json!([{"op": "replace", "path": "/boot_interface", "value": "pxe"}]);
    machine.patch(change).await.expect(200);
    let firmware = async |mode: &str| {
        let value = format!("boot_mode:{mode}");
        let change = json!([{"op": "add", "path": "/properties/capabilities", "value": value}]);
        machine.patch(change).await.expect(200);
    };
    firmware("uefi").await;
    let refused = machine.provision(json!({"target": "active"})).await;
    let said = refused.expect(400).fault();
    let conflict = format!(
        "Conflict: Whole disk image being used for deploy, but cannot be used with node {} configured to use UEFI boot with netboot option",
        machine.id
    );
    assert!(said.contains(&conflict), "{said}");
    firmware("bios").await;
    bench.deployed(&lab, machine).await;
    let config = format!("pxelinux.cfg/01-{DASHED}");
    let config = String::from_utf8(bench.home.tftp(&config).await.unwrap()).unwrap();
    assert!(config.starts_with("default boot_whole_disk\n"), "{config}");
    let entry = "\nlabel boot_whole_disk\nCOM32 chain.c32\nappend mbr:0x1234abcd\n";
    assert!(config.contains(entry), "{config}");
    let told = names(&bench.agent.told());
    assert!(
        !told.iter().any(|name| name.contains("bootloader")),
        "{told:?}"
    );
    lab.stop().await;
}

async fn what_goes_wrong_with_the_disk_fails_the_node(engine: Engine) {
    let bench = Bench::new().await;
    #[derive(Debug)]
    enum Fault {
        NeverThere,
        Refused,
        WrongPassword,
        Small,
        SmallerThanTheImage,
        Dies,
    }
    for (fault, expected) in [
        (
            Fault::NeverThere,
            "iSCSI connection did not become active after attempting to verify 2 times.",
        ),
        (
            Fault::Refused,
            "Failed to start the iSCSI target to deploy the node ",
        ),
        (Fault::WrongPassword, "the iSCSI login failed"),
        (
            Fault::Small,
            "Disk partitioning failed: the partitions need ",
        ),
        (
            Fault::SmallerThanTheImage,
            "needs 4194304 bytes; the disk has 3145728",
        ),
        (Fault::Dies, "there is no connection to the iSCSI target"),
    ] {
        let agent = puppet().await;
        agent.is(OURS);
        bench.disk_of(3 << 30);
        let hidden = port::free();
        let portal = Portal::before(hidden).await;
        match fault {
            // It says that it exports the disk, and does not.
            Fault::NeverThere => {}
            Fault::Refused => agent.refuses("start_iscsi_target"),
            Fault::WrongPassword => {
                agent.exports_at(bench.disk(), hidden);
                agent.has_another_password();
            }
            Fault::Small => {
                bench.disk_of(1 << 30);
                agent.exports_at(bench.disk(), hidden);
            }
            Fault::SmallerThanTheImage => {
                bench.disk_of(3 * MIB as u64);
                agent.exports_at(bench.disk(), hidden);
            }
            Fault::Dies => {
                agent.exports_at(bench.disk(), hidden);
                portal.dies_at(Moment::write(4));
            }
        }
        let disk = bench.disk();
        let bench = Bench {
            home: AgentHome::make().await,
            agent,
            port: bench.port,
        };
        for name in ["vmlinuz", "initrd"] {
            fs::write(bench.home.path(name), name).unwrap();
        }
        let mut options = bench.options();
        options.conductor.ramdisk.iscsi.portal_port = match fault {
            Fault::NeverThere => hidden,
            _ => portal.port,
        };
        let lab = Lab::with(engine, options).await;
        let machine = match fault {
            Fault::SmallerThanTheImage => {
                let image = [whole_disk(), vec![7; 2 * MIB]].concat();
                bench.available(&lab, &image, json!({})).await
            }
            _ => bench.with_root(&lab, 7, json!({})).await,
        };
        machine.asks("active").await;
        bench.boots(&lab, machine).await;
        let node = machine.reaches(S::DeployFailed).await;
        assert!(text(&node).contains(expected), "{fault:?}: {}", text(&node));
        assert_eq!(node["power_state"], "power off", "{fault:?}");
        if !matches!(fault, Fault::Refused) {
            let instance = format!("Deploy failed for instance {}. Error: ", machine.id);
            assert!(
                text(&node).contains(&instance),
                "{fault:?}: {}",
                text(&node)
            );
        }
        assert!(
            !bench.home.exists(&format!("images/{}", machine.id)),
            "{fault:?}"
        );
        portal.is_left().await;
        // Whoever was asked to export the disk is asked to stop, also where nobody got in.
        let told = names(&bench.agent.told());
        let stopped = told.iter().any(|name| name == "iscsi.stop_iscsi_target");
        assert_eq!(
            stopped,
            !matches!(fault, Fault::Refused),
            "{fault:?}: {told:?}"
        );
        if !matches!(fault, Fault::Dies) {
            let start = Seen::open(&disk).read(0, 16);
            assert_eq!(start, [OLD; 16], "{fault:?}");
        }
        lab.stop().await;
    }
}

/// The disk is written by then, and that is what counts.
async fn a_target_that_does_not_take_leave_spoils_nothing(engine: Engine) {
    let bench = Bench::new().await;
    let hidden = port::free();
    bench.agent.exports_at(bench.disk(), hidden);
    let portal = Portal::before(hidden).await;
    portal.falls_silent_at(Moment::LOGOUT);
    let mut options = bench.options();
    options.conductor.ramdisk.iscsi.portal_port = portal.port;
    options.conductor.ramdisk.iscsi.timeouts.login = Duration::from_secs(1);
    let lab = Lab::with(engine, options).await;
    let machine = bench.with_root(&lab, 7, json!({})).await;
    let node = bench.deployed(&lab, machine).await;
    assert_eq!(node["last_error"], json!(null));
    portal.is_reached().await;
    portal.is_left().await;
    assert!(Seen::open(&bench.disk()).read(9 * MIB, 5 * MIB) == root(7, 5));
    lab.stop().await;
}

async fn what_cannot_be_written_leaves_the_machine_alone(engine: Engine) {
    let bench = Bench::new().await;
    let lab = Lab::with(engine, bench.options()).await;
    // A file that says it is larger than the partition.
    let mut large = qcow2(&root(7, 1)[..65536], false);
    large[24..32].copy_from_slice(&(3u64 << 30).to_be_bytes());
    large[36..40].copy_from_slice(&6u32.to_be_bytes());
    let instance = json!({"root_gb": 1, "image_type": "partition"});
    let machine = bench.available(&lab, &large, instance).await;
    machine.asks("active").await;
    let node = machine.reaches(S::DeployFailed).await;
    assert!(
        text(&node).contains("Root partition is too small for requested image. Image virtual size: 3072 MB, Root size: 1024 MB"),
        "{}",
        text(&node)
    );
    let odd = json!([{"op": "add", "path": "/instance_info/swap_mb", "value": "much"}]);
    machine.patch(odd).await.expect(200);
    let refused = machine.provision(json!({"target": "active"})).await;
    let said = refused.json().to_string();
    assert!(
        said.contains("Invalid parameter swap_mb. Reason: much is not an integer value."),
        "{said}"
    );
    assert_eq!(bench.agent.told(), []);
    assert_eq!(Seen::open(&bench.disk()).read(0, 16), [OLD; 16]);
    lab.stop().await;
}

async fn a_conductor_that_is_stopped_in_the_middle_writes_again(engine: Engine) {
    let bench = Bench::new().await;
    let lab = Lab::with(engine, bench.options()).await;
    let machine = bench.with_root(&lab, 7, json!({})).await;
    let image = root(9, 160);
    fs::write(bench.home.path("image"), &image).unwrap();
    let id = machine.id.to_string();
    machine.asks("active").await;
    bench.boots(&lab, machine).await;
    // The first thing that is written makes the disk look like none.
    let disk = Seen::open(&bench.disk());
    while disk.read(0, 1) == [OLD] || disk.read(10 * MIB, 1) == [0] {
        tokio::task::yield_now().await;
    }
    let database = lab.stop().await;
    let lab = Lab::on(database, bench.options()).await;
    let machine = lab.machine(&id);
    let node = machine.reaches(S::Active).await;
    assert_eq!(
        node["driver_internal_info"]["root_uuid_or_disk_id"],
        root_uuid(9)
    );
    assert!(disk.read(9 * MIB, image.len()) == image);
    let events = lab.told(machine.id).await;
    let resumed = events.iter().any(|text| text.contains("after a restart"));
    let writes = bench.agent.told();
    let exports = names(&writes)
        .iter()
        .filter(|name| *name == "iscsi.start_iscsi_target")
        .count();
    assert!(resumed && exports == 2, "{exports} exports: {events:#?}");
    lab.stop().await;
}

/// The agent takes a command and does not answer; the conductor ends with the question open, and
/// another one starts on what it left.
async fn a_deployment_survives_the_conductor_at_each_command(engine: Engine) {
    for command in [
        "get_deploy_steps",
        "start_iscsi_target",
        "stop_iscsi_target",
        "install_bootloader",
        "power_off",
    ] {
        let bench = Bench::new().await;
        let hidden = port::free();
        bench.agent.exports_at(bench.disk(), hidden);
        let portal = Portal::before(hidden).await;
        let options = || {
            let mut options = bench.options();
            options.conductor.ramdisk.iscsi.portal_port = portal.port;
            options
        };
        let lab = Lab::with(engine, options()).await;
        let machine = bench.with_root(&lab, 7, json!({})).await;
        let id = machine.id.to_string();
        bench.agent.falls_silent_at(command);
        machine.asks("active").await;
        bench.boots(&lab, machine).await;
        bench.agent.is_silent().await;
        let database = lab.stop().await;

        let lab = Lab::on(database, options()).await;
        let machine = lab.machine(&id);
        let node = carries_on(&lab, machine, &bench.agent).await;
        assert_eq!(node["provision_state"], "active", "{command}: {node:#}");
        assert_eq!(node["power_state"], "power on", "{command}");
        assert_eq!(node["last_error"], json!(null), "{command}");
        let disk = Seen::open(&bench.disk());
        assert!(disk.read(9 * MIB, 5 * MIB) == root(7, 5), "{command}");
        portal.is_left().await;
        lab.stop().await;
    }
}
