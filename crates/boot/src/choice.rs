//! Which file for which firmware: the one place that decides it.
//!
//! Names come from the options of `[pxe]`, first by `cpu_arch-boot_mode`, then by `cpu_arch`, then
//! by boot mode. Where the machine says what it is, that counts more than what the node says: a
//! loader for another processor cannot run. For UEFI on anything but a 64-bit PC the options have
//! no name of their own; the standard names of removable media stand in.

use crate::{
    client::Client,
    node::{BootMethod, BootMode, NodeBoot},
    settings::{BOOT_SCRIPT, BootFiles},
};
use proto::dhcp::pxe::{Cpu, Firmware};

/// What a machine is told to fetch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Offer {
    /// A file from our TFTP server.
    Tftp(String),
    /// An address for iPXE.
    Script(String),
    /// An address for UEFI's HTTP boot.
    Http(String),
}

impl Offer {
    /// The name as it is logged.
    pub fn name(&self) -> &str {
        match self {
            Self::Tftp(name) | Self::Script(name) | Self::Http(name) => name,
        }
    }
}

/// What to offer a client, if it boots; `node` is what is published for it.
pub fn offer(files: &BootFiles, client: &Client, node: Option<&NodeBoot>) -> Option<Offer> {
    if !client.boots() {
        return None;
    }
    let way = node.map_or(BootMethod::Ipxe, |node| node.way);
    if client.ipxe && way.by_ipxe() {
        let url = files.http_url.as_ref()?;
        return Some(Offer::Script(format!("{url}/{BOOT_SCRIPT}")));
    }
    let loader = loader_for(files, way, client, node);
    if client.http {
        let url = files.http_url.as_ref()?;
        return Some(Offer::Http(format!("{url}/{loader}")));
    }
    Some(Offer::Tftp(loader))
}

/// Whether the machine's firmware is not what the node is set to.
pub fn is_mismatch(client: &Client, node: &NodeBoot) -> bool {
    match client.arch.map(|arch| arch.firmware()) {
        Some(Firmware::Bios) => node.mode == BootMode::Uefi,
        Some(Firmware::Uefi) => node.mode == BootMode::Bios,
        Some(Firmware::Other) | None => false,
    }
}

fn loader_for(
    files: &BootFiles,
    way: BootMethod,
    client: &Client,
    node: Option<&NodeBoot>,
) -> String {
    let told = client.arch.filter(|arch| arch.cpu() != Cpu::Other);
    let mode = match told.map(|arch| arch.firmware()) {
        Some(Firmware::Bios) => BootMode::Bios,
        Some(Firmware::Uefi) => BootMode::Uefi,
        Some(Firmware::Other) | None => node.map_or(BootMode::Bios, |node| node.mode),
    };
    let cpu = match told {
        // BIOS clients say the same whether they are 32 or 64 bits wide.
        Some(arch) if arch.firmware() != Firmware::Bios => Some(arch.cpu().name()),
        _ => node.and_then(|node| node.cpu_arch.as_deref()),
    };
    if let Some(name) = configured(files, way, cpu, mode) {
        return name.clone();
    }
    match told.map(|arch| (arch.firmware(), arch.cpu())) {
        Some((Firmware::Uefi, cpu)) if cpu != Cpu::X86_64 => standard(way, cpu),
        _ => by_mode(files, way, mode).clone(),
    }
}

/// The loader of a node, for a DHCP server that cannot ask the machine.
pub fn loader(files: &BootFiles, way: BootMethod, cpu: Option<&str>, mode: BootMode) -> String {
    configured(files, way, cpu, mode)
        .unwrap_or_else(|| by_mode(files, way, mode))
        .clone()
}

fn configured<'a>(
    files: &'a BootFiles,
    way: BootMethod,
    cpu: Option<&str>,
    mode: BootMode,
) -> Option<&'a String> {
    let by_arch = if way.by_ipxe() {
        &files.ipxe_loader_by_arch
    } else {
        &files.pxe_loader_by_arch
    };
    let cpu = cpu?;
    by_arch
        .get(&format!("{cpu}-{}", mode.name()))
        .or_else(|| by_arch.get(cpu))
}

fn by_mode(files: &BootFiles, way: BootMethod, mode: BootMode) -> &String {
    match (way.by_ipxe(), mode) {
        (true, BootMode::Bios) => &files.ipxe_loader,
        (true, BootMode::Uefi) => &files.uefi_ipxe_loader,
        (false, BootMode::Bios) => &files.pxe_loader,
        (false, BootMode::Uefi) => &files.uefi_pxe_loader,
    }
}

/// The names that UEFI has for loaders of other processors.
fn standard(way: BootMethod, cpu: Cpu) -> String {
    let cpu = match cpu {
        Cpu::X86 => "ia32",
        Cpu::Arm => "arm",
        Cpu::Aarch64 => "aa64",
        Cpu::Riscv64 => "riscv64",
        Cpu::Loongarch64 => "loongarch64",
        Cpu::X86_64 | Cpu::Ppc64le | Cpu::S390x | Cpu::Other => "x64",
    };
    let stem = if way.by_ipxe() { "snponly" } else { "boot" };
    format!("{stem}{cpu}.efi")
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::node::{Artifact, BootPort, Start};
    use proto::dhcp::pxe::Arch;

    pub(crate) fn node(way: BootMethod, mode: BootMode) -> NodeBoot {
        let artifact = |name: &str| Artifact::Url(format!("http://images/{name}"));
        NodeBoot {
            node: "11111111-2222-4333-8444-555555555555".parse().unwrap(),
            ports: vec![BootPort::new("52:54:00:01:02:03".parse().unwrap())],
            system_uuid: None,
            way,
            mode,
            cpu_arch: Some("x86_64".to_owned()),
            start: Start::Agent {
                kernel: artifact("kernel"),
                ramdisk: artifact("ramdisk"),
            },
            append: "nofb vga=normal ipa-api-url=http://api:6385".to_owned(),
            addresses: Vec::new(),
            tells_address: false,
        }
    }

    fn files() -> BootFiles {
        BootFiles {
            http_url: Some("http://10.0.0.1:8080".to_owned()),
            ..BootFiles::default()
        }
    }

    fn pxe(arch: u16) -> Client {
        Client {
            arch: Some(Arch(arch)),
            pxe: true,
            ..Client::default()
        }
    }

    fn tftp(name: &str) -> Option<Offer> {
        Some(Offer::Tftp(name.to_owned()))
    }

    #[test]
    fn each_architecture_gets_its_loader() {
        let node = node(BootMethod::Pxe, BootMode::Uefi);
        let table = [
            (0, "pxelinux.0"),
            (6, "bootia32.efi"),
            (7, "bootx64.efi"),
            (9, "bootx64.efi"),
            (10, "bootarm.efi"),
            (11, "bootaa64.efi"),
            (27, "bootriscv64.efi"),
            (41, "bootloongarch64.efi"),
        ];
        for (arch, loader) in table {
            assert_eq!(
                offer(&files(), &pxe(arch), Some(&node)),
                tftp(loader),
                "{arch}"
            );
        }
        for (arch, loader) in [
            (15, "bootia32.efi"),
            (16, "bootx64.efi"),
            (19, "bootaa64.efi"),
        ] {
            let client = Client {
                arch: Some(Arch(arch)),
                http: true,
                ..Client::default()
            };
            let url = format!("http://10.0.0.1:8080/{loader}");
            assert_eq!(
                offer(&files(), &client, Some(&node)),
                Some(Offer::Http(url)),
                "{arch}"
            );
        }
    }

    #[test]
    fn ipxe_gets_the_script_unless_the_node_boots_without_it() {
        let client = Client {
            ipxe: true,
            ..pxe(7)
        };
        let script = Some(Offer::Script("http://10.0.0.1:8080/boot.ipxe".to_owned()));
        assert_eq!(
            offer(
                &files(),
                &client,
                Some(&node(BootMethod::Ipxe, BootMode::Uefi))
            ),
            script
        );
        assert_eq!(offer(&files(), &client, None), script);
        assert_eq!(
            offer(
                &files(),
                &client,
                Some(&node(BootMethod::Pxe, BootMode::Uefi))
            ),
            tftp("bootx64.efi")
        );
        assert_eq!(
            offer(
                &files(),
                &pxe(0),
                Some(&node(BootMethod::Ipxe, BootMode::Bios))
            ),
            tftp("undionly.kpxe")
        );
        assert_eq!(offer(&files(), &pxe(7), None), tftp("snponly.efi"));
        assert_eq!(offer(&files(), &Client::default(), None), None);
        // Without a place to fetch from, nothing is promised.
        assert_eq!(offer(&BootFiles::default(), &client, None), None);
    }

    #[test]
    fn configured_names_come_before_standard_ones() {
        let mut files = files();
        files
            .pxe_loader_by_arch
            .insert("aarch64".to_owned(), "arm.efi".to_owned());
        files
            .pxe_loader_by_arch
            .insert("x86_64-uefi".to_owned(), "shim.efi".to_owned());
        let node = node(BootMethod::Pxe, BootMode::Bios);
        assert_eq!(offer(&files, &pxe(11), Some(&node)), tftp("arm.efi"));
        assert_eq!(offer(&files, &pxe(7), Some(&node)), tftp("shim.efi"));
        assert_eq!(offer(&files, &pxe(0), Some(&node)), tftp("pxelinux.0"));
        assert_eq!(
            loader(&files, BootMethod::Pxe, Some("x86_64"), BootMode::Uefi),
            "shim.efi"
        );
        assert_eq!(
            loader(&files, BootMethod::Pxe, None, BootMode::Uefi),
            "bootx64.efi"
        );
        // Firmware that does not say what it is gets what the node says.
        let mute = Client {
            pxe: true,
            ..Client::default()
        };
        assert_eq!(offer(&files, &mute, Some(&node)), tftp("pxelinux.0"));
    }

    #[test]
    fn firmware_of_the_other_kind_is_noticed() {
        assert!(is_mismatch(&pxe(0), &node(BootMethod::Pxe, BootMode::Uefi)));
        assert!(is_mismatch(&pxe(7), &node(BootMethod::Pxe, BootMode::Bios)));
        assert!(!is_mismatch(
            &pxe(7),
            &node(BootMethod::Pxe, BootMode::Uefi)
        ));
        assert!(!is_mismatch(
            &Client::default(),
            &node(BootMethod::Pxe, BootMode::Uefi)
        ));
    }
}
