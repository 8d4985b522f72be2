//! The language of iPXE, and the script that every iPXE starts with.

use super::{Menu, anaconda, on_disk};
use crate::node::{ChapLogin, IscsiVolume, VolumeBoot};

pub(super) fn render(menu: &Menu<'_>) -> String {
    let Menu {
        default,
        deploy,
        instance,
        append,
        ramdisk_arguments,
        initrd,
        ..
    } = menu;
    let timeout = match menu.timeout.as_millis() {
        0 => String::new(),
        milliseconds => format!("--timeout {milliseconds} "),
    };
    let (kernel, ramdisk) = (&instance.kernel, &instance.ramdisk);
    let ramdisk_entry = match &menu.iso {
        Some(iso) => format!("sanboot {iso}"),
        None => format!(
            "kernel {timeout}{kernel} root=/dev/ram0 text {append} {ramdisk_arguments} \
             initrd=ramdisk || goto boot_ramdisk\n\
             initrd {timeout}{ramdisk} || goto boot_ramdisk\nboot"
        ),
    };
    let anaconda = anaconda(menu);
    let volumes = menu.volume.map(volumes).unwrap_or_default();
    let address = if menu.tells_address {
        "ip=${ip}:${next-server}:${gateway}:${netmask} "
    } else {
        ""
    };
    let root_entry = menu.root.map_or_else(String::new, |root| {
        let words = on_disk(root, append);
        format!(
            "\n:boot_partition\nimgfree\n\
             kernel {timeout}{kernel} {words} initrd=ramdisk || goto retry\n\
             initrd {timeout}{ramdisk} || goto retry\nboot\n"
        )
    });
    format!(
        "#!ipxe

set attempts:int32 10
set i:int32 0

goto {default}

:deploy
imgfree
kernel {timeout}{deploy_kernel} selinux=0 troubleshoot=0 text {append} {address}BOOTIF=${{mac}} initrd={initrd} || goto retry
initrd {timeout}{deploy_ramdisk} || goto retry
boot

:retry
iseq ${{i}} ${{attempts}} && goto fail ||
inc i
echo The files did not come, next try in ${{i}} seconds
sleep ${{i}}
goto {default}

:fail
echo The files did not come in ${{attempts}} attempts
echo This machine turns itself off in 30 seconds
sleep 30
poweroff

:boot_anaconda
imgfree
kernel {timeout}{kernel} {anaconda} initrd=ramdisk || goto boot_anaconda
initrd {timeout}{ramdisk} || goto boot_anaconda
boot

:boot_ramdisk
imgfree
{ramdisk_entry}

:boot_whole_disk
sanboot --no-describe || exit 0
{root_entry}{volumes}",
        deploy_kernel = deploy.kernel,
        deploy_ramdisk = deploy.ramdisk,
    )
}

/// The entry that boots from a volume: all volumes are hooked, then the first is booted. iPXE looks
/// the login up again when it boots, so that of the first is set once more at the end.
fn volumes(boot: &VolumeBoot) -> String {
    let mut commands = Vec::new();
    let login = |commands: &mut Vec<String>, login: Option<&ChapLogin>| match login {
        Some(ChapLogin { username, password }) => {
            commands.push(format!("set username {username}"));
            commands.push(format!("set password {password}"));
        }
        None => commands.extend(["clear username", "clear password"].map(str::to_owned)),
    };
    if boot.root.login.is_some() {
        login(&mut commands, boot.root.login.as_ref());
    }
    if let Some(initiator) = &boot.initiator {
        commands.push(format!("set initiator-iqn {initiator}"));
    }
    let hook = |drive: usize, volume: &IscsiVolume| {
        let urls = volume.urls.join(" ");
        format!("sanhook --drive {drive:#x} {urls} || goto fail_iscsi_retry")
    };
    commands.push(hook(0x80, &boot.root));
    for (drive, volume) in (0x81..).zip(&boot.others) {
        login(&mut commands, volume.login.as_ref());
        commands.push(hook(drive, volume));
    }
    if !boot.others.is_empty() {
        login(&mut commands, boot.root.login.as_ref());
    }
    format!(
        "
:boot_iscsi
imgfree
{}
sanboot --no-describe || goto fail_iscsi_retry

:fail_iscsi_retry
echo The iSCSI volumes cannot be reached, next try in 10 seconds
sleep 10
goto boot_iscsi
",
        commands.join("\n")
    )
}

/// The script that every iPXE starts with: it looks for a configuration of each of its interfaces.
///
/// A configuration that ends without starting anything has tried the disk; the firmware then goes
/// on with its next choice. A very old iPXE cannot count and only looks for the one it uses.
pub fn boot_script(config_subdir: &str, fallback: Option<&str>) -> String {
    let fall_back = match fallback {
        Some(script) => format!("chain {script} || echo {script} did not come\n"),
        None => String::new(),
    };
    format!(
        "#!ipxe

set netid:int32 -1
:loop
inc netid || chain {config_subdir}/${{mac:hexhyp}} || goto old_rom
isset ${{net${{netid}}/mac}} || goto loop_done
echo Looking for the configuration of ${{net${{netid}}/mac:hexhyp}}
chain {config_subdir}/${{net${{netid}}/mac:hexhyp}} || goto loop
echo Nothing was started, the firmware goes on with its next device
exit 0

:loop_done
{fall_back}echo No interface of this machine has a configuration
goto give_up

:old_rom
{fall_back}echo Interface ${{mac:hexhyp}} has no configuration, and this iPXE is too old to try others

:give_up
echo Press a key to restart
prompt --timeout 180
reboot
"
    )
}

/// The script for machines that nobody enrolled: a ramdisk that looks at them and tells what it found.
pub fn discovery_script(kernel: &str, ramdisk: &str, append: &str) -> String {
    format!(
        "#!ipxe

echo This machine is not enrolled: it is looked at, and enrolled
imgfree
kernel {kernel} {append} BOOTIF=${{mac}} initrd=ramdisk || goto fail
initrd --name ramdisk {ramdisk} || goto fail
boot

:fail
echo The files did not come
exit 1
"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_script_looks_for_every_interface() {
        let script = boot_script("pxelinux.cfg", None);
        assert!(script.starts_with("#!ipxe\n"));
        assert!(script.contains("chain pxelinux.cfg/${net${netid}/mac:hexhyp} || goto loop\n"));
        assert!(!script.contains("did not come"));
        let script = boot_script("pxelinux.cfg", Some("http://h/f.ipxe"));
        assert_eq!(script.matches("chain http://h/f.ipxe ||").count(), 2);
    }
}
