//! The agent as the first process of its ramdisk.
//!
//! There is nothing else in the ramdisk that could start it: this mounts what the kernel offers,
//! loads modules for the devices there are, brings the network up and keeps the agent running as a
//! process of its own, so that an agent that dies is started again and a machine in the field
//! does not stop for good. Everything is done by threads that wait in the kernel: the first process
//! must reap every orphan, and one that does so with `wait` cannot share its children with a
//! runtime.
//!
//! What the ramdisk does not do: mount disks, run services of a distribution, or log to a disk.

mod button;
mod console;
mod dhcp;
mod dhcp6;
mod layout;
mod lease;
mod link;
mod module;
mod mounts;
mod rescue;
mod uevent;

pub use module::modprobe;

use crate::{
    config::{has_medium, network_data},
    safety::Permit,
};
use layout::Layout;
use rustix::{
    process::{Pid, Signal, WaitOptions, kill_process, wait},
    system::{RebootCommand, reboot},
};
use std::{
    fs, io,
    os::unix::process::{CommandExt as _, ExitStatusExt as _},
    path::Path,
    process::{Command, ExitStatus},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

/// How the kernel and programs find programs.
const SEARCH: &str = "/usr/sbin:/usr/bin:/sbin:/bin";

/// How long an agent must have run for its end to be no reason to wait before the next start.
const STEADY: Duration = Duration::from_secs(60);
const PAUSE: Duration = Duration::from_secs(5);
/// How long the reason is shown before the machine reboots.
const LAST_WORDS: Duration = Duration::from_secs(30);
/// How long programs have to end when the machine is to be switched off.
const FAREWELL: Duration = Duration::from_secs(3);
/// How long to wait for the network before the agent is started without it.
const NETWORK: Duration = Duration::from_secs(60);
/// How long to wait for the medium that the machine was booted from.
const MEDIUM: Duration = Duration::from_secs(15);

/// The machine is shutting down: start no more processes.
static ENDING: AtomicBool = AtomicBool::new(false);

/// Words of the kernel's command line.
#[derive(Debug, Clone, Default)]
pub(crate) struct Parameters(Vec<String>);

impl Parameters {
    fn read() -> Self {
        Self::parse(&fs::read_to_string("/proc/cmdline").unwrap_or_default())
    }

    fn parse(line: &str) -> Self {
        Self(line.split_whitespace().map(str::to_owned).collect())
    }

    /// The last value given, as the kernel itself decides.
    fn get(&self, name: &str) -> Option<&str> {
        let value = |word: &'_ String| word.strip_prefix(name)?.strip_prefix('=').map(str::len);
        let (word, length) = self
            .0
            .iter()
            .rev()
            .find_map(|word| Some((word, value(word)?)))?;
        word.get(word.len() - length..)
    }

    fn has(&self, word: &str) -> bool {
        self.0.iter().any(|other| other == word)
    }

    /// The address of the link that the machine was booted from.
    fn boot_link(&self) -> Option<[u8; 6]> {
        let text = self.get("BOOTIF")?;
        let digits = text.replace(['-', ':'], "");
        let digits = digits.get(digits.len().checked_sub(12)?..)?;
        let mut mac = [0; 6];
        for (index, byte) in mac.iter_mut().enumerate() {
            *byte = u8::from_str_radix(digits.get(index * 2..index * 2 + 2)?, 16).ok()?;
        }
        Some(mac)
    }
}

/// Runs as the first process, for as long as the machine is up.
pub fn run() -> ! {
    if let Err(error) = start() {
        console::say(&format!("fatal error: {error}"));
    }
    console::say(&format!("rebooting in {} s", LAST_WORDS.as_secs()));
    thread::park_timeout(LAST_WORDS);
    end(RebootCommand::Restart)
}

fn start() -> io::Result<()> {
    mounts::mount_all();
    console::open();
    console::say("init");
    // A default until another one is set.
    let _ = rustix::system::sethostname(b"localhost");
    let parameters = Parameters::read();
    let modules = Arc::new(module::Loader::open(&parameters));
    uevent::spawn(Arc::clone(&modules))?;
    modules.load_always();
    uevent::coldplug(&modules, Path::new("/sys/devices"));
    mounts::mount_late();
    console::say("devices detected, modules loaded");
    let network = link::spawn(&parameters, layout_of(&parameters))?;
    button::spawn()?;
    rescue::spawn(Arc::clone(&network))?;
    spawn("signals", signals)?;
    if parameters.has("corten.shell") {
        rescue::shell_on_console();
    }
    network.wait(NETWORK);
    supervise()
}

/// What was said about the network: by the command line, else by the medium that was booted.
fn layout_of(parameters: &Parameters) -> Layout {
    let layout = Layout::of_words(parameters.0.iter().map(String::as_str));
    for mistake in &layout.mistakes {
        console::say(&format!("kernel parameter not understood: {mistake}"));
    }
    if !layout.is_empty() || parameters.get("boot_method") != Some("vmedia") {
        return layout;
    }
    let root = Path::new("/");
    let Some(permit) = Permit::from_marks(root) else {
        return layout;
    };
    // Drives behind USB appear some seconds after the kernel has started.
    let until = Instant::now() + MEDIUM;
    loop {
        if let Some(text) = network_data(root, &permit, layout::LARGEST) {
            return layout::read(&text).unwrap_or_else(|error| {
                let error = types::error::chain(&error);
                console::say(&format!("{error}: every link asks for an address by DHCP"));
                Layout::default()
            });
        }
        if Instant::now() >= until || has_medium(root) {
            return layout;
        }
        thread::park_timeout(Duration::from_millis(500));
    }
}

/// Keeps the agent running for as long as it does not say that it is done.
fn supervise() -> io::Result<()> {
    loop {
        let started = Instant::now();
        let agent = Command::new("/init")
            .arg0("corten-agent")
            .env_clear()
            .env("PATH", SEARCH)
            .env("HOME", "/root")
            .current_dir("/")
            .spawn()?;
        let pid = i32::try_from(agent.id()).ok().and_then(Pid::from_raw);
        rescue::agent_is(pid);
        let Some(status) = reap_until(pid) else {
            continue;
        };
        rescue::agent_is(None);
        // The agent is finished with this machine: rescue, lockdown or shutdown.
        if ENDING.load(Ordering::SeqCst) {
            reap_until(None);
        }
        if status.success() || rescue::asked() {
            console::say("agent finished");
            reap_until(None);
        }
        console::say(&format!("agent exited ({status}): restarting it"));
        if started.elapsed() < STEADY {
            thread::park_timeout(PAUSE);
        }
    }
}

/// Reaps whatever ends, until this one does; without one, for ever.
fn reap_until(awaited: Option<Pid>) -> Option<ExitStatus> {
    loop {
        match wait(WaitOptions::empty()) {
            Ok(Some((pid, status))) if Some(pid) == awaited => {
                return Some(ExitStatus::from_raw(status.as_raw()));
            }
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(_) if awaited.is_some() => return None,
            // No children at all: the next may come at any time.
            Err(_) => thread::park_timeout(PAUSE),
        }
    }
}

/// What programs such as `reboot` send to the first process.
fn signals() {
    use tokio::signal::unix::{SignalKind, signal};
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_io()
        .build();
    let Ok(runtime) = runtime else { return };
    let heard = runtime.block_on(async {
        let mut restart = signal(SignalKind::terminate())?;
        let mut keys = signal(SignalKind::interrupt())?;
        let mut halt = signal(SignalKind::user_defined1())?;
        let mut off = signal(SignalKind::user_defined2())?;
        io::Result::Ok(tokio::select! {
            _ = restart.recv() => RebootCommand::Restart,
            _ = keys.recv() => RebootCommand::Restart,
            _ = halt.recv() => RebootCommand::Halt,
            _ = off.recv() => RebootCommand::PowerOff,
        })
    });
    if let Ok(command) = heard {
        end(command);
    }
}

/// Ends all programs and then the machine's run.
fn end(command: RebootCommand) -> ! {
    ENDING.store(true, Ordering::SeqCst);
    let others = || {
        let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
        let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
        // Threads of the kernel have no program, and do not mind.
        pids.filter(|pid| *pid != 1)
            .filter(|pid| fs::read_link(format!("/proc/{pid}/exe")).is_ok())
            .filter_map(Pid::from_raw)
    };
    let tell_all = |signal| {
        for pid in others() {
            let _ = kill_process(pid, signal);
        }
    };
    tell_all(Signal::TERM);
    let until = Instant::now() + FAREWELL;
    while others().next().is_some() && Instant::now() < until {
        thread::park_timeout(Duration::from_millis(50));
    }
    tell_all(Signal::KILL);
    rustix::fs::sync();
    loop {
        if let Err(error) = reboot(command) {
            console::say(&format!("reboot or power-off failed: {error}"));
        }
        thread::park_timeout(PAUSE);
    }
}

fn spawn(name: &str, body: impl FnOnce() + Send + 'static) -> io::Result<()> {
    thread::Builder::new().name(name.to_owned()).spawn(body)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_of_the_kernel() {
        let line = "quiet BOOTIF=01-52-54-00-aa-bb-0c a=1 a=2=3 corten.shell\n";
        let parameters = Parameters::parse(line);
        assert_eq!(parameters.get("a"), Some("2=3"));
        assert_eq!(parameters.get("b"), None);
        assert!(parameters.has("corten.shell") && !parameters.has("a"));
        let mac = [0x52, 0x54, 0, 0xaa, 0xbb, 0x0c];
        assert_eq!(parameters.boot_link(), Some(mac));
        let colons = Parameters::parse("BOOTIF=52:54:00:aa:bb:0c");
        assert_eq!(colons.boot_link(), Some(mac));
        for wrong in [
            "BOOTIF=",
            "BOOTIF=01",
            "BOOTIF=zz-zz-zz-zz-zz-zz",
            "BOOTIF=éééééé",
        ] {
            assert_eq!(Parameters::parse(wrong).boot_link(), None, "{wrong}");
        }
    }
}
