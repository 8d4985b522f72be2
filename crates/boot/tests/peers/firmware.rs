//! Real firmware: SeaBIOS with iPXE in its network card, and OVMF, in QEMU.
//!
//! The kernel that is booted is iPXE again, which is small and starts at once; what is shown is the
//! way to it. A machine that has fetched its ramdisk has been led through all stations.

use crate::{
    dhcp::{MAC, mac, node},
    lan::{ip, machine, on_lan, tap},
    site::{Site, command, has, shown, skip},
};
use boot::{
    Artifact, BootFiles, BootMethod, BootMode, BootServices, NodeBoot, Start,
    dhcp4::Role,
    doctor::{Cause, diagnose},
    log::Event,
};
use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    process::{Child, Stdio},
};
use types::time::Timestamp;

/// TCG on a busy machine.
const PATIENCE_SECONDS: u64 = 240;

/// A virtual machine that ends with the test.
struct Vm(Child);

impl Drop for Vm {
    fn drop(&mut self) {
        self.0.kill().ok();
        self.0.wait().ok();
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Firmware {
    /// SeaBIOS, and iPXE in the card.
    Bios,
    /// OVMF's own PXE.
    Uefi,
    /// OVMF's HTTP boot.
    UefiHttp,
}

impl Vm {
    fn start(site: &Site, firmware: Firmware) -> Self {
        let mut command = command("qemu-system-x86_64");
        command.args([
            "-accel",
            "tcg",
            "-cpu",
            "max",
            "-m",
            "512",
            "-display",
            "none",
            "-nodefaults",
        ]);
        command.args(["-serial", &format!("file:{}", shown(&site.path("serial")))]);
        command.args([
            "-netdev",
            "tap,id=n0,ifname=tap0,script=no,downscript=no",
            "-device",
            "virtio-rng-pci",
        ]);
        let card = format!("virtio-net-pci,netdev=n0,mac={MAC},bootindex=1");
        if firmware == Firmware::Bios {
            command.args(["-machine", "pc,graphics=off", "-device", &card]);
        } else {
            let vars = site.path("vars.fd");
            fs::copy("/usr/share/OVMF/OVMF_VARS_4M.fd", &vars).unwrap();
            command.args(["-machine", "q35", "-device", &format!("{card},romfile=")]);
            command.args([
                "-drive",
                "if=pflash,format=raw,readonly=on,file=/usr/share/OVMF/OVMF_CODE_4M.fd",
            ]);
            command.args([
                "-drive",
                &format!("if=pflash,format=raw,file={}", shown(&vars)),
            ]);
        }
        if firmware == Firmware::UefiHttp {
            for version in ["IPv4", "IPv6"] {
                command.args([
                    "-fw_cfg",
                    &format!("name=opt/org.tianocore/{version}PXESupport,string=n"),
                ]);
            }
        }
        Self(command.stdin(Stdio::null()).spawn().unwrap())
    }
}

/// Whether these tests are wanted and can run.
fn wanted() -> bool {
    if std::env::var_os("CORTEN_TEST_FIRMWARE").is_none() {
        println!("SKIPPED: CORTEN_TEST_FIRMWARE is not set");
        return false;
    }
    for file in [
        "/usr/lib/ipxe/ipxe.lkrn",
        "/usr/share/OVMF/OVMF_CODE_4M.fd",
        "/usr/lib/PXELINUX/pxelinux.0",
        "/usr/lib/shim/shimx64.efi.signed",
    ] {
        if !Path::new(file).exists() {
            skip(&format!("{file} is not installed"));
            return false;
        }
    }
    has("qemu-system-x86_64")
}

/// The loaders of Debian's packages.
fn files() -> BootFiles {
    let loaders = [
        ("undionly.kpxe", "/usr/lib/ipxe/undionly.kpxe"),
        ("snponly.efi", "/usr/lib/ipxe/snponly.efi"),
        ("pxelinux.0", "/usr/lib/PXELINUX/pxelinux.0"),
        ("ldlinux.c32", "/usr/lib/syslinux/modules/bios/ldlinux.c32"),
        ("bootx64.efi", "/usr/lib/shim/shimx64.efi.signed"),
        (
            "grubx64.efi",
            "/usr/lib/grub/x86_64-efi-signed/grubnetx64.efi.signed",
        ),
    ];
    let loaders = loaders.map(|(name, path)| (name.to_owned(), PathBuf::from(path)));
    BootFiles {
        loaders: BTreeMap::from(loaders),
        ..BootFiles::default()
    }
}

fn boot_of(way: BootMethod, mode: BootMode) -> NodeBoot {
    let kernel = match mode {
        BootMode::Bios => "/usr/lib/ipxe/ipxe.lkrn",
        BootMode::Uefi if way.by_ipxe() => "/usr/lib/ipxe/snponly.efi",
        BootMode::Uefi => "/usr/lib/ipxe/ipxe.lkrn",
    };
    let file = |path: &str| Artifact::File(path.into());
    let ramdisk = file("/usr/lib/ipxe/undionly.kpxe");
    NodeBoot {
        start: Start::Agent {
            kernel: file(kernel),
            ramdisk,
        },
        ..node(way, mode)
    }
}

/// Boots a machine until it has a file, and shows how it came there.
async fn boots(site: &Site, firmware: Firmware, boot: NodeBoot, until: &str) {
    site.boot.publish(boot).await.unwrap();
    tap("tap0");
    let vm = Vm::start(site, firmware);
    let wanted = |event: &Event| matches!(event, Event::Sent { path, .. } if path.ends_with(until));
    site.wait_for(&mac(), PATIENCE_SECONDS, wanted).await;
    drop(vm);
    println!("{}", site.told(&mac()));
    let diagnosis = diagnose(&site.boot.log().timeline(&mac()), Timestamp::now());
    assert_eq!(diagnosis.cause, Cause::UnderWay, "{diagnosis:?}");
}

#[test]
fn seabios_with_ipxe() {
    if wanted() {
        on_lan("firmware::seabios_with_ipxe", async || {
            let site = Site::on_lan(files(), Role::Server, 8080).await;
            boots(
                &site,
                Firmware::Bios,
                boot_of(BootMethod::Ipxe, BootMode::Bios),
                "deploy_ramdisk",
            )
            .await;
        });
    }
}

#[test]
fn seabios_with_pxelinux() {
    if wanted() {
        on_lan("firmware::seabios_with_pxelinux", async || {
            let site = Site::on_lan(files(), Role::Server, 8080).await;
            boots(
                &site,
                Firmware::Bios,
                boot_of(BootMethod::Pxe, BootMode::Bios),
                "deploy_ramdisk",
            )
            .await;
        });
    }
}

#[test]
fn ovmf_with_ipxe() {
    if wanted() {
        on_lan("firmware::ovmf_with_ipxe", async || {
            let site = Site::on_lan(files(), Role::Server, 8080).await;
            boots(
                &site,
                Firmware::Uefi,
                boot_of(BootMethod::Ipxe, BootMode::Uefi),
                "deploy_ramdisk",
            )
            .await;
        });
    }
}

#[test]
fn ovmf_with_shim_and_grub() {
    if wanted() {
        on_lan("firmware::ovmf_with_shim_and_grub", async || {
            let site = Site::on_lan(files(), Role::Server, 8080).await;
            boots(
                &site,
                Firmware::Uefi,
                boot_of(BootMethod::Pxe, BootMode::Uefi),
                "deploy_ramdisk",
            )
            .await;
        });
    }
}

#[test]
fn ovmf_by_http_with_ipxe() {
    if wanted() {
        on_lan("firmware::ovmf_by_http_with_ipxe", async || {
            let site = Site::on_lan(files(), Role::Server, 8080).await;
            boots(
                &site,
                Firmware::UefiHttp,
                boot_of(BootMethod::HttpIpxe, BootMode::Uefi),
                "deploy_ramdisk",
            )
            .await;
        });
    }
}

/// Debian 12's GRUB does not know where it came from when that was HTTP, and asks for nothing more.
#[test]
fn ovmf_by_http_with_shim() {
    if wanted() {
        on_lan("firmware::ovmf_by_http_with_shim", async || {
            let site = Site::on_lan(files(), Role::Server, 8080).await;
            let boot = boot_of(BootMethod::Http, BootMode::Uefi);
            boots(&site, Firmware::UefiHttp, boot, "grubx64.efi").await;
        });
    }
}

/// dnsmasq on another machine gives the addresses; we only say what to boot.
async fn beside_dnsmasq(firmware: Firmware, boot: NodeBoot) {
    let site = Site::on_lan(files(), Role::Proxy, 8080).await;
    machine("other", "52:54:00:77:00:99");
    ip("-n other addr add 10.77.0.2/24 dev eth0");
    let leases = format!("--dhcp-leasefile={}", shown(&site.path("leases.other")));
    let dnsmasq = command("ip")
        .args([
            "netns",
            "exec",
            "other",
            "dnsmasq",
            "-k",
            "-C",
            "/dev/null",
            "--port=0",
            "--no-ping",
        ])
        .args([
            "--dhcp-range=10.77.0.50,10.77.0.60,1h",
            "--dhcp-authoritative",
            "--user=root",
            "--pid-file=",
            &leases,
        ])
        .args(["--log-facility=/dev/null"])
        .spawn();
    let dnsmasq = Vm(dnsmasq.unwrap());
    boots(&site, firmware, boot, "deploy_ramdisk").await;
    drop(dnsmasq);
    let leased = fs::read_to_string(site.path("leases.other")).unwrap();
    assert!(leased.contains(MAC), "{leased}");
}

#[test]
fn seabios_beside_dnsmasq() {
    if wanted() && has("dnsmasq") {
        on_lan("firmware::seabios_beside_dnsmasq", async || {
            beside_dnsmasq(Firmware::Bios, boot_of(BootMethod::Ipxe, BootMode::Bios)).await;
        });
    }
}

#[test]
fn ovmf_beside_dnsmasq() {
    if wanted() && has("dnsmasq") {
        on_lan("firmware::ovmf_beside_dnsmasq", async || {
            beside_dnsmasq(Firmware::Uefi, boot_of(BootMethod::Ipxe, BootMode::Uefi)).await;
        });
    }
}
