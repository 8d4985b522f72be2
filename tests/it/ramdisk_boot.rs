//! A ramdisk of ours in a real virtual machine, as far as its first words to a service.
//!
//! It takes QEMU and a ramdisk: `scripts/ramdisk virt`, then these tests under
//! `scripts/with-firmware` with `CORTEN_RAMDISK` naming the folder. Everything after the first words
//! is tested by whole deployments.

use std::{
    env, fs,
    io::{BufRead, BufReader, Read, Write},
    net::TcpListener,
    os::unix::net::UnixStream,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::mpsc,
    thread,
    time::Duration,
};

const MAC: &str = "52:54:00:12:34:56";
/// An emulated processor on a busy machine takes its time.
const PATIENCE: Duration = Duration::from_secs(240);

struct Machine {
    process: Child,
    folder: tempfile::TempDir,
}

impl Machine {
    fn start(ramdisk: &Path, memory: u32, port: u16, devices: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name).display().to_string();
        let process = Command::new("qemu-system-x86_64")
            .args(["-accel", "tcg", "-cpu", "max", "-machine", "q35", "-nodefaults"])
            .args(["-display", "none", "-m", &memory.to_string()])
            .arg("-kernel")
            .arg(ramdisk.join("kernel"))
            .arg("-initrd")
            .arg(ramdisk.join("initramfs"))
            .arg("-append")
            .arg(format!(
                "console=ttyS0 no_timer_check panic=5 BOOTIF=01-{} ipa-api-url=http://10.0.2.2:{port}",
                MAC.replace(':', "-")
            ))
            .args(["-netdev", "user,id=net"])
            .args(["-serial", &format!("file:{}", at("serial.log"))])
            .args(["-qmp", &format!("unix:{},server=on,wait=off", at("qmp"))])
            .args(devices)
            .stdin(Stdio::null())
            .spawn()
            .unwrap();
        Self { process, folder }
    }

    fn serial(&self) -> String {
        let log = fs::read(self.folder.path().join("serial.log"));
        String::from_utf8_lossy(&log.unwrap_or_default()).into_owned()
    }

    /// What a BMC does when somebody asks it to switch off gently.
    fn press_button(&self) {
        let mut socket = UnixStream::connect(self.folder.path().join("qmp")).unwrap();
        let mut answers = BufReader::new(socket.try_clone().unwrap()).lines();
        answers.next().unwrap().unwrap();
        for command in ["qmp_capabilities", "system_powerdown"] {
            writeln!(socket, "{{\"execute\": \"{command}\"}}").unwrap();
            answers.next().unwrap().unwrap();
        }
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// The folder of a ramdisk, or a loud reason why there is none.
fn ramdisk() -> Option<PathBuf> {
    let folder = env::var_os("CORTEN_RAMDISK").map(PathBuf::from);
    if env::var_os("CORTEN_TEST_FIRMWARE").is_none() || folder.is_none() {
        println!("SKIPPED: CORTEN_TEST_FIRMWARE and CORTEN_RAMDISK are not both set");
        return None;
    }
    folder
}

/// Somebody who writes down what is asked, and knows nobody.
fn listener() -> (u16, mpsc::Receiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let (heard, asked) = mpsc::channel();
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let mut stream = stream;
            let mut bytes = [0; 4096];
            let count = stream.read(&mut bytes).unwrap_or(0);
            let line = String::from_utf8_lossy(&bytes[..count]);
            let line = line.lines().next().unwrap_or_default().to_owned();
            let answer = "HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
            let _ = stream.write_all(answer.as_bytes());
            if heard.send(line).is_err() {
                return;
            }
        }
    });
    (port, asked)
}

fn boots(memory: u32, devices: &[&str]) {
    let Some(ramdisk) = ramdisk() else { return };
    let (port, asked) = listener();
    let mut machine = Machine::start(&ramdisk, memory, port, devices);
    loop {
        let Ok(line) = asked.recv_timeout(PATIENCE) else {
            panic!("nothing was asked; the console says:\n{}", machine.serial());
        };
        let line = line.to_lowercase().replace("%3a", ":");
        if line.contains("/v1/lookup") {
            assert!(line.contains(MAC), "{line}");
            break;
        }
    }
    machine.press_button();
    let (ended, end) = mpsc::channel();
    thread::scope(|scope| {
        scope.spawn(|| ended.send(machine.process.wait()));
        let status = end.recv_timeout(PATIENCE);
        assert!(status.expect("it does not switch off").unwrap().success());
    });
    println!("{}", machine.serial());
}

#[test]
fn a_virtual_machine_with_little_memory_asks_who_it_is() {
    let device = format!("virtio-net-pci,netdev=net,mac={MAC}");
    boots(256, &["-device", &device]);
}
