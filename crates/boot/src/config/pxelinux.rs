//! The language of PXELINUX.

use super::{Menu, anaconda, on_disk};

pub(super) fn render(menu: &Menu<'_>) -> String {
    let Menu {
        default,
        deploy,
        instance,
        append,
        ramdisk_arguments,
        ..
    } = menu;
    let disk = match (*default, menu.disk) {
        // Without an identifier the firmware's own first disk is as good a guess as any.
        ("boot_whole_disk", None) => "localboot 0".to_owned(),
        (_, id) => format!(
            "COM32 chain.c32\nappend mbr:{}",
            id.unwrap_or("{{ DISK_IDENTIFIER }}")
        ),
    };
    let anaconda = anaconda(menu);
    // The card that booted, and with the first bit the address that it has.
    let appended = if menu.tells_address { 3 } else { 2 };
    let root_entry = menu.root.map_or_else(String::new, |root| {
        let (kernel, ramdisk) = (&instance.kernel, &instance.ramdisk);
        let words = on_disk(root, append);
        format!("\nlabel boot_partition\nkernel {kernel}\nappend initrd={ramdisk} {words}\n")
    });
    format!(
        "default {default}

label deploy
kernel {deploy_kernel}
append initrd={deploy_ramdisk} selinux=0 troubleshoot=0 text {append}
ipappend {appended}

label boot_whole_disk
{disk}

label boot_ramdisk
kernel {kernel}
append initrd={ramdisk} root=/dev/ram0 text {append} {ramdisk_arguments}

label boot_anaconda
kernel {kernel}
append initrd={ramdisk} {anaconda}
ipappend 2
{root_entry}",
        deploy_kernel = deploy.kernel,
        deploy_ramdisk = deploy.ramdisk,
        kernel = instance.kernel,
        ramdisk = instance.ramdisk,
    )
}
