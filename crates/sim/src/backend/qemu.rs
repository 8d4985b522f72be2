//! A machine that is a QEMU process.
//!
//! Power on starts the process and power off ends it, so a machine that is off costs nothing. In
//! between it is controlled over QMP; its serial port is the machine's console. The boot device is
//! given as QEMU's boot order, which legacy BIOS obeys. UEFI firmware goes by the place of each
//! device in the order (`bootindex`), which the arguments can ask for with `{boot-net}` and
//! `{boot-disk}`. Those places are given at the start of a process, so a machine that uses them is
//! started anew where another would be reset.

use super::{
    Order,
    qmp::{self, Commands, Event, Events},
};
use crate::{
    Machine, Settings,
    machine::boot::{Device, Firmware},
};
use serde_json::{Value, json};
use std::{
    io,
    path::{Path, PathBuf},
    process::Stdio,
    sync::{Arc, Weak},
    time::Duration,
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{
        UnixStream,
        unix::{OwnedReadHalf, OwnedWriteHalf},
    },
    process::{Child, Command},
    sync::mpsc,
    task::JoinSet,
    time::{Instant, sleep, timeout},
};
use types::port::MacAddress;

/// How the processes are started.
#[derive(Debug, Clone, Default)]
pub struct Qemu {
    pub program: PathBuf,
    /// Arguments beside those that connect the process with us. `{index}`, `{uuid}` and `{mac}`
    /// stand for the machine's own, `{boot-net}` and `{boot-disk}` for the place of its network
    /// card and of its disk in the order of booting.
    pub arguments: Vec<String>,
    /// Firmware for boots by UEFI; without it all boots are legacy ones.
    pub uefi: Option<PathBuf>,
    /// File that everything is added to that the serial port says; `{index}` as above.
    pub serial_log: Option<String>,
    /// Where sockets are made.
    pub folder: PathBuf,
}

/// How long a process may take to begin, and to end.
const PATIENCE: Duration = Duration::from_secs(60);
/// What the socket of the screen is called.
const SCREEN: &str = "vnc";
/// The drive that media go into.
const CD: &str = "cd0";

/// A machine; its process is controlled until the last handle is dropped.
pub fn machine(index: u32, settings: Arc<Settings>, qemu: Qemu) -> Arc<Machine> {
    let (orders, incoming) = mpsc::unbounded_channel();
    let machine = Machine::with_backend(index, settings, Some(orders));
    let machine = Arc::new(machine);
    let mut screen = JoinSet::new();
    match super::screen::begin(qemu.socket(index, SCREEN), &mut screen) {
        Ok(address) => machine.set_screen(address),
        Err(error) => tracing::warn!(machine = machine.name(), %error, "the machine has no screen"),
    }
    let control = Control {
        qemu,
        _screen: screen,
        machine: Arc::downgrade(&machine),
        media: None,
        process: None,
    };
    tokio::spawn(control.run(incoming));
    machine
}

struct Control {
    qemu: Qemu,
    /// Ends with the machine.
    _screen: JoinSet<()>,
    /// Weak, so that the worker ends with the last handle of the machine.
    machine: Weak<Machine>,
    media: Option<PathBuf>,
    process: Option<Process>,
}

/// A process that runs.
struct Process {
    child: Child,
    commands: Commands,
    events: Events,
    serial: OwnedReadHalf,
    typing: OwnedWriteHalf,
}

/// Events of a process.
enum News {
    Ended,
    Event(Event),
    Text(Vec<u8>),
}

impl Process {
    /// Waits for the next thing. Each of the three waits can be given up and begun again.
    async fn next(&mut self) -> News {
        let mut buffer = [0; 1024];
        tokio::select! {
            _ = self.child.wait() => News::Ended,
            event = self.events.next() => match event {
                Ok(Some(event)) => News::Event(event),
                // The process is about to end.
                Ok(None) | Err(_) => {
                    let _ = self.child.wait().await;
                    News::Ended
                }
            },
            read = self.serial.read(&mut buffer) => match read {
                Ok(count) if count > 0 => News::Text(buffer[..count].to_vec()),
                _ => {
                    let _ = self.child.wait().await;
                    News::Ended
                }
            },
        }
    }
}

impl Control {
    async fn run(mut self, mut orders: mpsc::UnboundedReceiver<Order>) {
        loop {
            let news = async {
                match &mut self.process {
                    Some(process) => process.next().await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                order = orders.recv() => match order {
                    Some(order) => {
                        if let Err(error) = self.obey(order).await {
                            let machine = self.machine.upgrade();
                            let machine = machine.map(|machine| machine.name());
                            tracing::error!(machine, %error, "QEMU failed");
                        }
                    }
                    None => return self.stop().await,
                },
                news = news => self.hear(news),
            }
        }
    }

    fn tell(&self, what: impl FnOnce(&Machine)) {
        if let Some(machine) = self.machine.upgrade() {
            what(&machine);
        }
    }

    fn hear(&mut self, news: News) {
        match news {
            News::Ended => {
                self.process = None;
                self.tell(|machine| machine.report_power(false));
            }
            News::Event(Event::Reset) => self.tell(Machine::report_reset),
            News::Event(Event::Other) => {}
            News::Text(text) => self.tell(|machine| machine.report_text(&text)),
        }
    }

    async fn obey(&mut self, order: Order) -> io::Result<()> {
        match order {
            Order::On(firmware, device) => self.start(firmware, device).await,
            Order::Off => {
                self.stop().await;
                Ok(())
            }
            Order::Cycle(firmware, device) => {
                self.stop().await;
                self.start(firmware, device).await
            }
            Order::Reset(firmware, device) if self.process.is_none() || self.qemu.has_places() => {
                self.stop().await;
                self.start(firmware, device).await
            }
            Order::Reset(_, device) => {
                let choice = json!({"command-line": format!("boot_set {}", letters(device))});
                self.command("human-monitor-command", choice).await?;
                self.command("system_reset", Value::Null).await
            }
            Order::Soft => self.command("system_powerdown", Value::Null).await,
            Order::Nmi => self.command("inject-nmi", Value::Null).await,
            Order::Type(characters) => match &mut self.process {
                Some(process) => process.typing.write_all(&characters).await,
                None => Ok(()),
            },
            Order::Media(media) => {
                self.media = media;
                let inserted = self
                    .media
                    .as_ref()
                    .map(|path| json!({"device": CD, "filename": path, "force": true}));
                match inserted {
                    Some(change) => self.command("blockdev-change-medium", change).await,
                    None => {
                        let change = json!({"device": CD, "force": true});
                        self.command("eject", change).await
                    }
                }
            }
        }
    }

    async fn command(&mut self, name: &str, arguments: Value) -> io::Result<()> {
        match &mut self.process {
            Some(process) => process.commands.send(name, arguments).await,
            None => Ok(()),
        }
    }

    async fn stop(&mut self) {
        let Some(mut process) = self.process.take() else {
            return;
        };
        // A process that does not listen is killed when it is dropped.
        let _ = process.commands.send("quit", Value::Null).await;
        let _ = timeout(PATIENCE, process.child.wait()).await;
        self.tell(|machine| machine.report_power(false));
    }

    async fn start(&mut self, firmware: Firmware, device: Device) -> io::Result<()> {
        let Some(machine) = self.machine.upgrade() else {
            return Ok(());
        };
        if self.process.is_some() {
            return Ok(());
        }
        let socket = |name: &str| self.qemu.socket(machine.index(), name);
        let (monitor, serial, screen) = (socket("qmp"), socket("serial"), socket(SCREEN));
        for path in [&monitor, &serial, &screen] {
            // Left over from the process before.
            let _ = std::fs::remove_file(path);
        }
        let listen = |path: &Path| format!("unix:{},server=on,wait=off", path.display());
        let mut port = format!(
            "socket,id=serial0,path={},server=on,wait=off",
            escaped(&serial.display().to_string())
        );
        if let Some(file) = &self.qemu.serial_log {
            let file = filled(file, &machine, device);
            port += &format!(",logfile={},logappend=on", escaped(&file));
        }
        let mut command = Command::new(&self.qemu.program);
        command
            .args(["-display", "none", "-qmp", &listen(&monitor)])
            .args(["-chardev", &port, "-serial", "chardev:serial0"])
            .args(["-object", &secret(&machine), "-vnc", &screen_of(&screen)])
            .args(["-uuid", &machine.uuid().to_string()])
            .args(["-boot", &format!("order={}", letters(device))])
            .args(["-drive", &cd(self.media.as_deref())])
            .args(["-device", &self.qemu.cd_drive(device)])
            .args(
                self.qemu
                    .arguments
                    .iter()
                    .map(|text| filled(text, &machine, device)),
            )
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .kill_on_drop(true);
        if let (Firmware::Uefi, Some(file)) = (firmware, &self.qemu.uefi) {
            command.arg("-bios").arg(file);
        }
        let program = self.qemu.program.display();
        let mut child = command.spawn().map_err(|error| {
            io::Error::new(error.kind(), format!("cannot start {program}: {error}"))
        })?;
        let until = Instant::now() + PATIENCE;
        let connect = async || {
            let serial = UnixStream::connect(&serial).await?;
            io::Result::Ok((qmp::connect(&monitor).await?, serial))
        };
        let ((commands, events), serial) = loop {
            // The sockets appear one after the other, some time after the start.
            match connect().await {
                Ok(connected) => break connected,
                Err(error) if Instant::now() > until => return Err(error),
                Err(_) => {}
            }
            if let Some(status) = child.try_wait()? {
                // Its own message is on standard error already.
                let firmware = match firmware == Firmware::Uefi && self.qemu.uefi.is_some() {
                    true => "; the firmware file must hold code and variables in one",
                    false => "",
                };
                let text = format!("{program} ended at its start, {status}{firmware}");
                return Err(io::Error::other(text));
            }
            sleep(Duration::from_millis(20)).await;
        };
        let (serial, typing) = serial.into_split();
        self.process = Some(Process {
            child,
            commands,
            events,
            serial,
            typing,
        });
        machine.report_power(true);
        Ok(())
    }
}

/// The boot order of QEMU for a device.
fn letters(device: Device) -> &'static str {
    match device {
        Device::Pxe | Device::UefiHttp => "n",
        Device::Cdrom | Device::RemoteCdrom => "d",
        Device::Floppy | Device::Usb => "a",
        _ => "c",
    }
}

/// The places of network card, disk and CD drive in the order of booting.
fn places(device: Device) -> [u8; 3] {
    match device {
        Device::Pxe | Device::UefiHttp => [1, 2, 3],
        Device::Cdrom | Device::RemoteCdrom => [3, 2, 1],
        _ => [2, 1, 3],
    }
}

/// Who sees the screen says the password of the BMC, of which VNC reads eight characters.
fn secret(machine: &Machine) -> String {
    let users = &machine.settings().users;
    let password = users.first().map_or("", |user| user.password.as_str());
    format!("secret,id=screen,data={}", escaped(password))
}

fn screen_of(socket: &Path) -> String {
    let socket = escaped(&socket.display().to_string());
    format!("unix:{socket},password-secret=screen")
}

impl Qemu {
    fn socket(&self, machine: u32, name: &str) -> PathBuf {
        self.folder.join(format!("{machine}.{name}"))
    }

    /// Whether devices are given places, which then count instead of the letters.
    fn has_places(&self) -> bool {
        self.arguments.iter().any(|text| text.contains("{boot-"))
    }

    fn cd_drive(&self, device: Device) -> String {
        let drive = format!("ide-cd,drive={CD}");
        if self.has_places() {
            format!("{drive},bootindex={}", places(device)[2])
        } else {
            drive
        }
    }
}

fn cd(media: Option<&Path>) -> String {
    let drive = format!("id={CD},if=none,media=cdrom,readonly=on");
    match media {
        Some(path) => format!(
            "{drive},format=raw,file={}",
            escaped(&path.display().to_string())
        ),
        None => drive,
    }
}

/// A comma begins the next option unless there are two.
fn escaped(text: &str) -> String {
    text.replace(',', ",,")
}

fn filled(text: &str, machine: &Machine, device: Device) -> String {
    let mac = MacAddress::from(machine.mac(0)).to_string();
    let [net, disk, _] = places(device);
    text.replace("{index}", &machine.index().to_string())
        .replace("{uuid}", &machine.uuid().to_string())
        .replace("{mac}", &mac)
        .replace("{boot-net}", &net.to_string())
        .replace("{boot-disk}", &disk.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_name_the_machine() {
        let machine = Machine::new(3, Arc::default());
        let text = filled("disk-{index}.img mac={mac}", &machine, Device::Disk);
        assert!(text.starts_with("disk-3.img mac=52:54:00:"), "{text}");
        assert_eq!(
            cd(Some(Path::new("/a,b.iso"))),
            "id=cd0,if=none,media=cdrom,readonly=on,format=raw,file=/a,,b.iso"
        );
    }

    #[test]
    fn devices_that_have_places_change_them_with_the_boot_device() {
        let machine = Machine::new(0, Arc::default());
        let text = "{boot-net}{boot-disk}";
        assert_eq!(filled(text, &machine, Device::Pxe), "12");
        assert_eq!(filled(text, &machine, Device::Disk), "21");
        assert_eq!(filled(text, &machine, Device::Cdrom), "32");
        let mut qemu = Qemu::default();
        assert_eq!(qemu.cd_drive(Device::Cdrom), "ide-cd,drive=cd0");
        qemu.arguments.push(text.to_owned());
        assert_eq!(qemu.cd_drive(Device::Cdrom), "ide-cd,drive=cd0,bootindex=1");
    }
}
