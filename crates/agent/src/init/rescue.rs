//! Rescue: the ramdisk as a place to log in to.
//!
//! The agent leaves the hash of a password and says that the machine is to be rescued; then the
//! agent ends, and people can log in over SSH and on the consoles as `rescue`. Links ask for
//! addresses anew, since the service has moved the machine to the network of its user.

use super::{ENDING, SEARCH, console, link::Network};
use rustix::{
    fs::inotify,
    process::{Pid, Signal, kill_process},
};
use std::{
    fs, io,
    mem::MaybeUninit,
    os::unix::fs::PermissionsExt,
    path::Path,
    process::{Command, Stdio},
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicI32, Ordering},
    },
    thread,
    time::Duration,
};

const PASSWORD: &str = "/etc/ipa-rescue-config/ipa-rescue-password";
const MARK: &str = "/etc/.rescued";
const USER: &str = "rescue";
/// How long the agent has for the answer to the command that asked for the rescue.
const FAREWELL: Duration = Duration::from_secs(5);

static ASKED: AtomicBool = AtomicBool::new(false);
static AGENT: AtomicI32 = AtomicI32::new(0);

/// Whether the machine is being rescued, so that no agent is wanted.
pub(super) fn asked() -> bool {
    ASKED.load(Ordering::SeqCst)
}

/// Remembers which process is the agent.
pub(super) fn agent_is(pid: Option<Pid>) {
    AGENT.store(pid.map_or(0, Pid::as_raw_pid), Ordering::SeqCst);
}

pub(super) fn spawn(network: Arc<Network>) -> io::Result<()> {
    // Watched before it is looked for, so that it cannot appear in between.
    let events = inotify::init(inotify::CreateFlags::CLOEXEC)?;
    let what = inotify::WatchFlags::CREATE | inotify::WatchFlags::MOVED_TO;
    inotify::add_watch(&events, "/etc", what)?;
    super::spawn("rescue", move || {
        let mut buffer = [MaybeUninit::uninit(); 1024];
        let mut events = inotify::Reader::new(events, &mut buffer);
        while !Path::new(MARK).exists() {
            if events.next().is_err() {
                return;
            }
        }
        ASKED.store(true, Ordering::SeqCst);
        if let Err(error) = rescue(&network) {
            console::say(&format!("cannot set up the rescue login: {error}"));
        }
    })
}

fn rescue(network: &Network) -> io::Result<()> {
    let hash = fs::read_to_string(PASSWORD)?;
    let shadow = with_password(&fs::read_to_string("/etc/shadow")?, hash.trim());
    fs::write("/etc/shadow", shadow)?;
    fs::set_permissions("/etc/shadow", fs::Permissions::from_mode(0o600))?;
    fs::remove_file(PASSWORD)?;
    console::say("rescue: log in as rescue, over SSH or here");
    thread::park_timeout(FAREWELL);
    if let Some(agent) = Pid::from_raw(AGENT.load(Ordering::SeqCst)) {
        let _ = kill_process(agent, Signal::TERM);
    }
    network.start_over();
    for terminal in terminals() {
        keep("/sbin/getty", &["-L", &terminal, "115200", "vt100"])?;
    }
    // Keys are made when the first client comes, so that no two machines have the same.
    keep("/usr/sbin/dropbear", &["-F", "-E", "-R"])
}

/// The line of the user with this hash, and all others as they are.
fn with_password(shadow: &str, hash: &str) -> String {
    let hash = hash.replace([':', '\n'], "");
    let mut text: String = shadow
        .lines()
        .filter(|line| line.split(':').next() != Some(USER))
        .flat_map(|line| [line, "\n"])
        .collect();
    // To busybox, whose login is on the consoles, a line without any limits of age is none at all.
    text.push_str(&format!("{USER}:{hash}::0:99999:7:::\n"));
    text
}

/// Consoles that the kernel writes to, by the names of their device files.
fn terminals() -> Vec<String> {
    let active = fs::read_to_string("/sys/class/tty/console/active").unwrap_or_default();
    let names = active.split_whitespace().map(|name| match name {
        "tty0" => "tty1".to_owned(),
        name => name.to_owned(),
    });
    names.collect()
}

/// A shell on the console, if the kernel's command line asks for one.
pub(super) fn shell_on_console() {
    let name = terminals().pop();
    let terminal = name.unwrap_or_else(|| "console".to_owned());
    let arguments = ["-n", "-L", "-l", "/bin/sh", &terminal, "115200", "vt100"];
    if let Err(error) = keep("/sbin/getty", &arguments) {
        console::say(&format!("cannot start a shell: {error}"));
    }
}

/// Runs a program, and runs it again when it ends. The first process reaps it, so its end is seen
/// in /proc.
fn keep(program: &'static str, arguments: &[&str]) -> io::Result<()> {
    if !Path::new(program).exists() {
        console::say(&format!("{program} is not in this ramdisk"));
        return Ok(());
    }
    let arguments: Vec<String> = arguments.iter().map(|word| (*word).to_owned()).collect();
    super::spawn("keep", move || {
        while !ENDING.load(Ordering::SeqCst) {
            let started = Command::new(program)
                .args(&arguments)
                .env_clear()
                .env("PATH", SEARCH)
                .stdin(Stdio::null())
                .spawn();
            let Ok(child) = started else { return };
            let process = format!("/proc/{}", child.id());
            while Path::new(&process).exists() {
                thread::park_timeout(Duration::from_secs(1));
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_password_replaces_the_old_line_only() {
        let before = "root:*:::::::\nrescue:!:::::::\nrescuer:x:::::::\n";
        let after = "root:*:::::::\nrescuer:x:::::::\nrescue:$6$salt$hash::0:99999:7:::\n";
        assert_eq!(with_password(before, "$6$salt$hash"), after);
        let added = with_password("", "a\nroot::0:0");
        assert_eq!(added, "rescue:aroot00::0:99999:7:::\n");
    }
}
