//! Images from Debian's packages, built twice and booted by QEMU: `make e2e-image`.
//!
//! Skipped unless `CORTEN_TEST_FIRMWARE` is set: it fetches packages and takes minutes.

#![allow(
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a test may wait, and says what it waits for"
)]

use clap::Parser;
use ramdisk::BuildImage;
use serde_json::json;
use std::{
    env, fs,
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::mpsc,
    thread,
    time::Duration,
};

const KEY: &str =
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIB5Pmk3U6ZTbhHVi0xXaX0ojDk8VQmtp3XN0yWxSXT2y a\n";
/// Emulated machines on a busy host take their time.
const PATIENCE: Duration = Duration::from_secs(400);
const OVMF: &str = "/usr/share/OVMF/OVMF_CODE_4M.fd";
/// Firmware that starts nothing but what Microsoft's key vouches for, and its variables.
const SECURE: [&str; 2] = [
    "/usr/share/OVMF/OVMF_CODE_4M.secboot.fd",
    "/usr/share/OVMF/OVMF_VARS_4M.ms.fd",
];

#[derive(Debug, Parser)]
struct Program {
    #[command(flatten)]
    build: BuildImage,
}

fn build(folder: &Path, cache: &Path, parameters: &str) {
    let parameters = format!("--parameters={parameters}");
    let words = [
        "--profile=virt",
        "--format=raw",
        "--format=qcow2",
        &parameters,
    ];
    let [output, cache] = [("output", folder), ("cache", cache)]
        .map(|(name, path)| format!("--{name}={}", path.display()));
    let words = ["build"].into_iter().chain(words);
    let program = Program::parse_from(words.chain([&*output, &*cache]));
    ramdisk::build_image(&program.build, |line| println!("{line}")).unwrap();
}

/// A machine, ended with the test.
struct Machine {
    name: &'static str,
    child: Child,
    said: mpsc::Receiver<String>,
}

impl Drop for Machine {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Machine {
    fn start(name: &'static str, arguments: &[String]) -> Self {
        let mut child = Command::new("qemu-system-x86_64")
            .args("-accel tcg -cpu max -m 512 -display none -nodefaults -serial stdio".split(' '))
            .args("-no-reboot -netdev user,id=n -device virtio-net-pci,netdev=n".split(' '))
            .args(["-device", "virtio-rng-pci"])
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).split(b'\n');
        let (sender, said) = mpsc::channel();
        thread::spawn(move || {
            for line in lines.map_while(Result::ok) {
                let _ = sender.send(String::from_utf8_lossy(&line).trim().to_owned());
            }
        });
        Self { name, child, said }
    }

    /// The first line with this text.
    #[track_caller]
    fn says(&self, text: &str) -> String {
        let mut before = Vec::new();
        loop {
            match self.said.recv_timeout(PATIENCE) {
                Ok(line) if line.contains(text) => {
                    println!("{}: {line}", self.name);
                    return line;
                }
                Ok(line) => before.push(line),
                Err(error) => panic!("{}: {error}: no {text:?} in {before:#?}", self.name),
            }
        }
    }
}

fn drive(file: &Path, format: &str) -> [String; 2] {
    let file = file.display();
    [
        "-drive".to_owned(),
        format!("if=virtio,file={file},format={format},snapshot=on"),
    ]
}

/// A config drive with a name, a key and a fixed address.
fn config_drive(folder: &Path, mac: &str) -> PathBuf {
    let object = json!({
        "meta_data": {"hostname": "web-1.example", "public_keys": {"mine": KEY}},
        "network_data": {
            "links": [{"id": "l0", "type": "phy", "ethernet_mac_address": mac}],
            "networks": [{
                "id": "n0", "link": "l0", "type": "ipv4", "ip_address": "10.0.2.77",
                "netmask": "255.255.255.0",
                "routes": [{"network": "0.0.0.0", "netmask": "0.0.0.0", "gateway": "10.0.2.2"}],
            }],
        },
    });
    let object = object.as_object().unwrap().clone();
    let bytes = image::configdrive::build(object, "u", None, Default::default()).unwrap();
    let path = folder.join("drive.iso");
    fs::write(&path, bytes).unwrap();
    path
}

#[test]
fn images_are_reproducible_and_boot_by_bios_by_uefi_and_from_the_network() {
    if env::var_os("CORTEN_TEST_FIRMWARE").is_none() {
        println!("SKIPPED: run it by scripts/with-firmware");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let cache = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/ramdisk/packages");
    let [one, two] = ["one", "two"].map(|name| folder.path().join(name));
    build(&one, &cache, "no_timer_check quiet");
    build(&two, &cache, "no_timer_check quiet");
    let mut names = 0;
    for file in fs::read_dir(&one).unwrap() {
        let name = file.unwrap().file_name();
        let [one, two] = [&one, &two].map(|folder| fs::read(folder.join(&name)).unwrap());
        assert!(one == two, "{} differs", name.display());
        names += 1;
    }
    assert_eq!(
        names, 7,
        "two images in two formats, kernel, initramfs, manifest"
    );

    let iso = config_drive(folder.path(), "52:54:00:12:34:56");
    let iso = drive(&iso, "raw");
    let kernel = ["kernel", "initramfs"].map(|name| one.join(name).display().to_string());
    let manifest = fs::read(one.join("manifest.json")).unwrap();
    let manifest: serde_json::Value = serde_json::from_slice(&manifest).unwrap();
    let root = manifest["root_uuid"].as_str().unwrap();
    let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
    let bios = [
        &words("-machine pc")[..],
        &drive(&one.join("disk.raw"), "raw"),
        &iso,
    ]
    .concat();
    let uefi = [
        &words("-machine q35 -drive")[..],
        &[format!("if=pflash,format=raw,readonly=on,file={OVMF}")],
        &drive(&one.join("disk.qcow2"), "qcow2"),
        &iso,
    ]
    .concat();
    let netboot = [
        words("-machine pc -kernel"),
        vec![kernel[0].clone(), "-initrd".to_owned(), kernel[1].clone()],
        vec!["-append".to_owned()],
        vec![format!(
            "root=UUID={root} ro text console=ttyS0 no_timer_check quiet"
        )],
        drive(&one.join("partition.qcow2"), "qcow2").to_vec(),
    ]
    .concat();
    for (name, arguments, firmware, disk) in [
        ("bios", bios, "bios", "vda3"),
        ("uefi", uefi, "uefi", "vda3"),
        ("netboot", netboot, "bios", "vda"),
    ] {
        let machine = Machine::start(name, &arguments);
        if name == "netboot" {
            let up = format!(
                "up firmware={firmware} hostname=corten root=/dev/{disk} drive=none keys=0"
            );
            machine.says(&up);
            machine.says("network eth0 address=10.0.2.15");
            continue;
        }
        let up = format!(
            "up firmware={firmware} hostname=web-1.example root=/dev/{disk} drive=/dev/vdb keys=1"
        );
        // Both come at about the same time, in either order.
        let (mut is_up, mut has_network) = (false, false);
        while !(is_up && has_network) {
            let line = machine.says("corten-image: ");
            is_up |= line.contains(&up);
            has_network |= line.contains("network eth0 address=10.0.2.77/24");
        }
    }
}

#[test]
fn images_boot_where_only_signed_programs_run() {
    if env::var_os("CORTEN_TEST_FIRMWARE").is_none() {
        println!("SKIPPED: run it by scripts/with-firmware");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let cache = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/ramdisk/packages");
    let image = folder.path().join("image");
    // The kernel has to say what it thinks of its firmware.
    build(&image, &cache, "no_timer_check");
    let variables = folder.path().join("variables");
    fs::copy(SECURE[1], &variables).unwrap();
    let arguments = [
        "-machine q35,smm=on -global driver=cfi.pflash01,property=secure,value=on"
            .split(' ')
            .map(str::to_owned)
            .collect(),
        vec!["-drive".to_owned()],
        vec![format!(
            "if=pflash,format=raw,readonly=on,file={}",
            SECURE[0]
        )],
        vec!["-drive".to_owned()],
        vec![format!("if=pflash,format=raw,file={}", variables.display())],
        drive(&image.join("disk.qcow2"), "qcow2").to_vec(),
    ]
    .concat();
    let machine = Machine::start("secure", &arguments);
    machine.says("Secure boot enabled");
    machine.says("corten-image: up firmware=uefi");
}
