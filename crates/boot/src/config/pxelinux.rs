//! The language of PXELINUX.

use super::{Menu, anaconda};

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
    format!(
        "default {default}

label deploy
kernel {deploy_kernel}
append initrd={deploy_ramdisk} selinux=0 troubleshoot=0 text {append}
ipappend 2

label boot_whole_disk
{disk}

label boot_ramdisk
kernel {kernel}
append initrd={ramdisk} root=/dev/ram0 text {append} {ramdisk_arguments}

label boot_anaconda
kernel {kernel}
append initrd={ramdisk} {anaconda}
ipappend 2
",
        deploy_kernel = deploy.kernel,
        deploy_ramdisk = deploy.ramdisk,
        kernel = instance.kernel,
        ramdisk = instance.ramdisk,
    )
}
