//! What the first process says, for people in front of the machine and for its log.
//!
//! Lines go to the kernel's log, which every console shows and which is collected with the other
//! logs. A kernel told to be quiet shows them nowhere; then they go to the console as well.

use rustix::stdio::{dup2_stderr, dup2_stdin, dup2_stdout};
use std::{
    fs::{self, File, OpenOptions},
    io::{self, Write as _},
    os::unix::fs::OpenOptionsExt,
};

/// The kernel's level for what people should see: notice.
const LEVEL: u32 = 5;

/// Makes the console what this process and its children read and write.
pub(super) fn open() {
    // The kernel lets few lines through otherwise.
    let _ = fs::write("/proc/sys/kernel/printk_devkmsg", "on");
    // A console that must not become the controlling terminal of the first process.
    let console = OpenOptions::new()
        .read(true)
        .write(true)
        .custom_flags(rustix::fs::OFlags::NOCTTY.bits().cast_signed())
        .open("/dev/console");
    let console = console.or_else(|_| {
        let mut options = OpenOptions::new();
        options.read(true).write(true).open("/dev/null")
    });
    if let Ok(console) = console {
        let _ = dup2_stdin(&console);
        let _ = dup2_stdout(&console);
        let _ = dup2_stderr(&console);
    }
}

/// Says a line.
pub(super) fn say(line: &str) {
    let logged = OpenOptions::new()
        .write(true)
        .open("/dev/kmsg")
        .and_then(|mut log: File| log.write_all(format!("<{LEVEL}>corten: {line}\n").as_bytes()));
    if logged.is_err() || !shown() {
        let _ = writeln!(io::stderr(), "corten: {line}");
    }
}

/// Whether the kernel puts our lines on its consoles.
fn shown() -> bool {
    let levels = fs::read_to_string("/proc/sys/kernel/printk").unwrap_or_default();
    let level = levels.split_whitespace().next();
    level.and_then(|level| level.parse::<u32>().ok()) > Some(LEVEL)
}
