//! Defaults that depend on how the service is run.
//!
//! Without a configuration file somebody is trying things out, mostly with one machine in sight:
//! its ramdisk speaks on the serial port, and its console needs no port range. With a file, what is
//! unset has the meaning it has in Ironic; and where that file switches none of our boot services
//! on, files for machines go to where other programs expect Ironic to put them.

use super::layers::Layers;

/// What an option is in some situation.
#[derive(Debug, Clone, Copy)]
pub(super) struct Row {
    pub(super) section: &'static str,
    pub(super) option: &'static str,
    pub(super) text: &'static str,
}

const fn row(section: &'static str, option: &'static str, text: &'static str) -> Row {
    Row {
        section,
        option,
        text,
    }
}

/// The serial port comes last: the last one is where the ramdisk's own messages go.
const BOTH_CONSOLES: &str = "nofb vga=normal console=tty0 console=ttyS0";

const NO_FILE: &[Row] = &[
    row("corten", "console_needs_port", "false"),
    row("vnc", "enabled", "true"),
    row("pxe", "kernel_append_params", BOTH_CONSOLES),
    row("redfish", "kernel_append_params", BOTH_CONSOLES),
];

const SERVED_BY_OTHERS: &[Row] = &[
    row("pxe", "tftp_root", "/tftpboot"),
    row("deploy", "http_root", "/httpboot"),
];

pub(super) fn defaults(has_files: bool, said: &Layers) -> &'static [Row] {
    let ours = ["tftp_listen", "http_listen", "dhcp"];
    if !has_files {
        NO_FILE
    } else if ours.iter().all(|name| said.find("corten", name).is_empty()) {
        SERVED_BY_OTHERS
    } else {
        &[]
    }
}
