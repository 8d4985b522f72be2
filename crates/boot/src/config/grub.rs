//! The language of GRUB, and the file that GRUB reads first.

use super::{Menu, anaconda, on_disk};
use std::path::Path;

pub(super) fn render(menu: &Menu<'_>) -> String {
    let Menu {
        default,
        deploy,
        instance,
        append,
        ramdisk_arguments,
        tftp_server,
        ..
    } = menu;
    let anaconda = anaconda(menu);
    let root_entry = menu.root.map_or_else(String::new, |root| {
        let (kernel, ramdisk) = (&instance.kernel, &instance.ramdisk);
        let words = on_disk(root, append);
        format!(
            "\nmenuentry \"boot_partition\" {{\n    linux {kernel} {words} boot_server={tftp_server}\n    initrd {ramdisk}\n}}\n"
        )
    });
    // The agent has to know which of its cards booted it: ports of all others are not for booting,
    // and without a name those of all are not. The last choice is back to the firmware, whose next
    // one is the disk.
    format!(
        "set default={default}
set timeout=5
set hidden_timeout_quiet=false

menuentry \"deploy\" {{
    linux {deploy_kernel} selinux=0 troubleshoot=0 text {append} boot_server={tftp_server} BOOTIF=$net_default_mac
    initrd {deploy_ramdisk}
}}

menuentry \"boot_ramdisk\" {{
    linux {kernel} root=/dev/ram0 text {append} {ramdisk_arguments}
    initrd {ramdisk}
}}

menuentry \"boot_whole_disk\" {{
    exit
}}

menuentry \"boot_anaconda\" {{
    linux {kernel} {anaconda}
    initrd {ramdisk}
}}
{root_entry}",
        deploy_kernel = deploy.kernel,
        deploy_ramdisk = deploy.ramdisk,
        kernel = instance.kernel,
        ramdisk = instance.ramdisk,
    )
}

/// The file that is the same for all: it goes on with the one for the MAC address.
///
/// The path is that of the folder on this machine; both our servers take it for the root.
pub fn first_stage(tftp_root: &Path) -> String {
    let root = tftp_root.display();
    format!("echo Booting from $prefix\n\nsource {root}/$net_default_mac.conf\n")
}
