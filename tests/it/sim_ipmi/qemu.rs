//! A machine that is a QEMU process, over IPMI.

use super::rack::Rack;
use crate::{
    http::{Client, Request},
    ipmi::peer::has,
    program,
};
use serde_json::json;
use sim::{
    Layout, Settings,
    backend::qemu::{self, Qemu},
    ipmi::{Options, server::Server},
    machine::{Change, boot::Device},
};
use std::{net::Ipv4Addr, path::Path, process::Stdio, sync::Arc};
use tokio::{
    io::{AsyncBufReadExt, BufReader},
    process::Command,
};

/// A boot sector that writes a text to the serial port and then echoes what comes in.
fn boot_sector(text: &str) -> Vec<u8> {
    let mut sector = vec![
        0x31, 0xc0, // xor ax, ax
        0x8e, 0xd8, // mov ds, ax
        0xbe, 0x21, 0x7c, // mov si, text
        0xba, 0xf8, 0x03, // mov dx, 0x3f8
        0xac, // lodsb
        0x08, 0xc0, // or al, al
        0x74, 0x03, // jz echo
        0xee, // out dx, al
        0xeb, 0xf8, // jmp lodsb
        0xba, 0xfd, 0x03, // echo: mov dx, 0x3fd
        0xec, // in al, dx
        0xa8, 0x01, // test al, 1
        0x74, 0xfb, // jz in
        0xba, 0xf8, 0x03, // mov dx, 0x3f8
        0xec, // in al, dx
        0xee, // out dx, al
        0xeb, 0xf1, // jmp echo
    ];
    sector.extend(text.as_bytes());
    sector.resize(510, 0);
    sector.extend([0x55, 0xaa]);
    sector
}

fn image(folder: &Path, name: &str, size: usize) -> String {
    let mut bytes = boot_sector(&format!("booted from {name}\r\n"));
    bytes.resize(size, 0);
    let path = folder.join(name);
    std::fs::write(&path, bytes).unwrap();
    path.display().to_string()
}

async fn rack(folder: &Path) -> Rack {
    let disk = image(folder, "disk", 1 << 20);
    let floppy = image(folder, "floppy", 1440 * 1024);
    let arguments = [
        "-accel".to_owned(),
        "tcg".to_owned(),
        "-m".to_owned(),
        "16".to_owned(),
        "-nic".to_owned(),
        "none".to_owned(),
        "-drive".to_owned(),
        format!("file={disk},format=raw,if=ide,index=0"),
        "-drive".to_owned(),
        format!("file={floppy},format=raw,if=floppy"),
    ];
    let qemu = Qemu {
        program: "qemu-system-x86_64".into(),
        arguments: arguments.into(),
        uefi: None,
        serial_log: None,
        folder: folder.to_owned(),
    };
    let machine = qemu::machine(0, Arc::new(Settings::default()), qemu);
    let machines: sim::Machines = Arc::new([machine]);
    let layout = Layout::Ports {
        address: Ipv4Addr::LOCALHOST.into(),
        first: 0,
    };
    let server = Server::start(&machines, Options::default(), layout)
        .await
        .unwrap();
    Rack { machines, server }
}

#[tokio::test]
async fn a_process_has_power_boot_devices_and_a_console() {
    if !has("qemu-system-x86_64") || !has("ipmitool") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let rack = rack(folder.path()).await;
    let machine = rack.machine();
    let (mut place, bell) = machine.open_console();
    let mut heard = String::new();
    let mut hear = async |text: &str| {
        loop {
            let rung = bell.notified();
            heard += &String::from_utf8_lossy(&machine.read_console(&mut place, 4096));
            if let Some(at) = heard.find(text) {
                heard.drain(..at + text.len());
                return;
            }
            rung.await;
        }
    };
    let mut events = machine.settings().events.subscribe();
    let mut power = async |is_on: bool| {
        while events.recv().await.unwrap().change != Change::Power(is_on) {}
    };
    let ask = async |what: &str| super::rack::printed(&rack.ipmitool(what).await);
    assert_eq!(ask("power status").await, "Chassis Power is off\n");
    ask("power on").await;
    power(true).await;
    hear("booted from disk").await;
    assert_eq!(ask("power status").await, "Chassis Power is on\n");
    machine.type_in(b"echo");
    hear("echo").await;
    ask("chassis bootdev floppy").await;
    ask("power reset").await;
    hear("booted from floppy").await;
    assert_eq!(machine.last_boot().unwrap().1, Device::Floppy);
    ask("power cycle").await;
    hear("booted from disk").await;
    ask("power diag").await;
    ask("power off").await;
    // What the cycle did, and then the end.
    for is_on in [false, true, false] {
        power(is_on).await;
    }
    assert_eq!(ask("power status").await, "Chassis Power is off\n");
}

/// A simulator whose QEMU ends at once, as with firmware that it cannot load, says so.
#[tokio::test]
async fn a_qemu_that_does_not_start_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let firmware = folder.path().join("half.fd");
    let sim = |qemu: &str| {
        let mut command = Command::new(program::path());
        command
            .args(["sim", "--machines", "1", "--format", "json"])
            .args(["--ipmi-port", "0", "--redfish-port", "0"])
            .args(["--qemu", qemu, "--qemu-uefi"])
            .arg(&firmware)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        command
    };
    let refused = sim("false").output().await.unwrap();
    assert_eq!(refused.status.code(), Some(1));
    let text = String::from_utf8(refused.stderr).unwrap();
    assert!(
        text.contains("invalid --qemu-uefi: file not found: "),
        "{text}"
    );

    std::fs::write(&firmware, "code only").unwrap();
    for (qemu, expected) in [
        (
            "false",
            "false ended at its start, exit status: 1; the firmware file must hold",
        ),
        ("no-such-qemu", "cannot start no-such-qemu: "),
    ] {
        let mut running = sim(qemu).spawn().unwrap();
        let out = running.stdout.take().unwrap();
        let first = BufReader::new(out).lines().next_line().await.unwrap();
        let told: serde_json::Value = serde_json::from_str(&first.unwrap()).unwrap();
        let machine = &told["machines"][0];
        let address = machine["redfish_address"].as_str().unwrap();
        let client = Client {
            address: address.trim_start_matches("http://").parse().unwrap(),
        };
        let system = "/redfish/v1/Systems/1";
        let put = |method: &str, path: String, body: serde_json::Value| {
            // admin:password
            let login = "Basic YWRtaW46cGFzc3dvcmQ=";
            let request = Request::bare(method, &path).header("authorization", login);
            client.send(request.json(&body))
        };
        let boot = json!({"Boot": {"BootSourceOverrideEnabled": "Once",
            "BootSourceOverrideTarget": "Pxe", "BootSourceOverrideMode": "UEFI"}});
        let set = put("PATCH", system.to_owned(), boot).await;
        assert!((200..300).contains(&set.status), "{}", set.text());
        let on = json!({"ResetType": "On"});
        let path = format!("{system}/Actions/ComputerSystem.Reset");
        let done = put("POST", path, on).await;
        assert!((200..300).contains(&done.status), "{}", done.text());
        let mut notes = BufReader::new(running.stderr.take().unwrap()).lines();
        loop {
            let note = notes.next_line().await.unwrap().unwrap();
            if note.contains("QEMU failed") {
                assert!(note.contains(expected), "{note}");
                assert!(note.contains("sim-0"), "{note}");
                break;
            }
        }
    }
}
