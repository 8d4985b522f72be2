//! Watching a machine through the whole service: its console, its sensors, and what was said to
//! its BMC.

use super::{
    peer::{Bmc, driver_info},
    settings,
};
use crate::{
    database::Engine,
    lab::{Lab, Machine, Options},
    program,
};
use futures_util::{SinkExt, StreamExt};
use rustix::{
    pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt},
    termios::tcgetattr,
};
use serde_json::{Value, json};
use std::{
    fs::OpenOptions,
    io::{Read, Write},
    net::SocketAddr,
    process::{Command, Output, Stdio},
    time::Duration,
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};
use tokio_tungstenite::{
    WebSocketStream,
    tungstenite::{Message, protocol::Role},
};
use types::{InterfaceKind as K, ProvisionState as S};

/// Must not be found anywhere but in the database.
const CANARY: &str = "c4nary-passw0rd";
const LONG: Duration = Duration::from_secs(60);

fn options() -> Options {
    let mut options = Options::default();
    options.hardware.ipmi = settings();
    let ports = 43000..43999;
    options.hardware.ipmi.console_ports = Some(vec![ports]);
    for (kind, name) in [
        (K::Power, "ipmitool"),
        (K::Management, "ipmitool"),
        (K::Vendor, "ipmitool"),
        (K::Console, "ipmitool-socat"),
    ] {
        let names = vec!["fake".to_owned(), name.to_owned()];
        options.hardware.enable_interfaces(kind, names);
    }
    options
}

async fn enroll<'l>(lab: &'l Lab, bmc: &Bmc) -> Machine<'l> {
    let mut info = driver_info(bmc.port, bmc.user);
    info.insert("ipmi_password".into(), json!(CANARY));
    let machine = lab
        .enroll(json!({
            "driver_info": info, "power_interface": "ipmitool",
            "management_interface": "ipmitool", "vendor_interface": "ipmitool",
            "console_interface": "ipmitool-socat",
        }))
        .await;
    machine.asks("manage").await.reaches(S::Manageable).await;
    machine
}

async fn enable(lab: &Lab, machine: &Machine<'_>, on: bool) {
    let path = machine.path("/states/console");
    let body = json!({"enabled": on});
    lab.client.put(&path, body).await.expect(202);
    let node = machine.rests().await;
    assert_eq!(node["last_error"], json!(null));
    assert_eq!(node["console_enabled"], json!(on));
}

fn own(machine: &Machine<'_>, what: &str) -> String {
    format!("/corten/v1/nodes/{}/{what}", machine.id)
}

/// The client's command line, about this service.
fn corten(lab: &Lab, arguments: &[&str]) -> Command {
    let mut command = Command::new(program::path());
    command
        .args(arguments)
        .env("OS_ENDPOINT", format!("http://{}", lab.client.address))
        .env("TZ", "UTC");
    command
}

/// How a client command ends. The service needs this thread meanwhile.
async fn run(lab: &Lab, arguments: &[&str]) -> Output {
    let mut command = corten(lab, arguments);
    let output = tokio::task::spawn_blocking(move || command.output().unwrap());
    output.await.unwrap()
}

/// What a client command prints.
async fn printed(lab: &Lab, arguments: &[&str]) -> String {
    let output = run(lab, arguments).await;
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

#[tokio::test]
async fn what_was_said_to_a_bmc_is_kept_without_its_secrets() {
    let Some(bmc) = Bmc::pyghmi(&["--password", CANARY]) else {
        return;
    };
    let lab = Lab::with(Engine::Sqlite, options()).await;
    let machine = enroll(&lab, &bmc).await;
    let path = machine.path("/states/power");
    let on = json!({"target": "power on"});
    lab.client.put(&path, on).await.expect(202);
    machine.rests().await;
    let raw = machine.path("/vendor_passthru/send_raw");
    // Sets the password of user 3, to what is no secret of this conversation.
    let other = "0x06 0x47 0x03 0x02 0x78 0x79 0x7a";
    let body = json!({"raw_bytes": other});
    lab.client.post(&raw, body).await.expect(202);
    machine.rests().await;

    let answer = lab.client.get(&own(&machine, "recorder")).await.expect(200);
    let shown = answer.json();
    let text = shown.to_string();
    let hex: String = CANARY.bytes().map(|byte| format!("{byte:02x}")).collect();
    assert!(!text.contains(CANARY) && !text.contains(&hex), "{text}");
    assert!(!text.contains("78797a"), "{text}");
    let summaries: Vec<&str> = shown["exchanges"]
        .as_array()
        .unwrap()
        .iter()
        .map(|exchange| exchange["summary"].as_str().unwrap())
        .collect();
    for part in [
        "log in as \"admin\", ADMINISTRATOR, IPMI 2.0 suite 3 → ok",
        "Get Chassis Status → power is off",
        "Chassis Control: power on → ok",
        "Get Chassis Status → power is on",
        "Set User Password (with a secret)",
    ] {
        let found = summaries.iter().any(|summary| summary.starts_with(part));
        assert!(found, "{part}: {summaries:#?}");
    }

    let id = machine.id.to_string();
    let lines = printed(&lab, &["node", "recorder", "show", &id]).await;
    assert!(lines.contains("Chassis Control: power on → ok"), "{lines}");
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("m1.jsonl");
    let name = file.to_str().unwrap();
    printed(&lab, &["node", "recorder", "export", &id, name]).await;
    let exported = std::fs::read_to_string(&file).unwrap();
    let mut lines = exported
        .lines()
        .map(|line| serde_json::from_str(line).unwrap());
    let header: Value = lines.next().unwrap();
    assert_eq!(header["format"], "corten-recording");
    assert_eq!(
        (&header["version"], &header["node"]),
        (&json!(1), &json!(id))
    );
    assert!(lines.count() >= summaries.len(), "{exported}");
    assert!(!exported.contains(CANARY) && !exported.contains(&hex));
    // A file that is there is not written over.
    let again = run(&lab, &["node", "recorder", "export", &id, name]).await;
    assert_eq!(again.status.code(), Some(1));

    lab.client.delete(&machine.path("")).await.expect(204);
    let answer = lab.client.get(&own(&machine, "recorder")).await;
    answer.expect(404);
    lab.stop().await;
}

#[tokio::test]
async fn sensors_are_read_through_the_service() {
    let Some(bmc) = Bmc::pyghmi(&["--password", CANARY]) else {
        return;
    };
    let lab = Lab::with(Engine::Sqlite, options()).await;
    let machine = enroll(&lab, &bmc).await;
    let answer = lab.client.get(&own(&machine, "sensors")).await.expect(200);
    let sensors = answer.json()["sensors"].clone();
    let cpu = &sensors["Temperature"]["CPU Temp (0x1)"];
    assert_eq!(cpu["Sensor Reading"], "42 (+/- 0) degrees C", "{sensors}");
    let id = machine.id.to_string();
    let table = printed(&lab, &["node", "sensors", &id]).await;
    assert!(table.contains("42 (+/- 0) degrees C"), "{table}");
    let json = printed(&lab, &["node", "sensors", &id, "-f", "json"]).await;
    let json: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json, sensors);
    // The driver of a machine without a BMC has none.
    let fake = lab.enroll(json!({})).await;
    lab.client.get(&own(&fake, "sensors")).await.expect(400);
    lab.stop().await;
}

#[tokio::test]
async fn the_event_log_is_shown_and_cleared_through_the_service() {
    let Some(bmc) = Bmc::sim() else { return };
    if !super::peer::has("ipmitool") {
        return;
    }
    let lab = Lab::with(Engine::Sqlite, options()).await;
    let info = driver_info(bmc.port, bmc.user);
    let machine = lab
        .enroll(json!({
            "driver_info": info, "power_interface": "ipmitool",
            "management_interface": "ipmitool",
        }))
        .await;
    let folder = tempfile::tempdir().unwrap();
    let records = folder.path().join("records");
    std::fs::write(&records, "0x04 0x08 0x02 0x6f 0x03 0xff 0xff # no input\n").unwrap();
    bmc.ipmitool(&["sel", "add", records.to_str().unwrap()]);
    let id = machine.id.to_string();
    let table = printed(&lab, &["node", "sel", "list", &id]).await;
    assert!(table.contains("power supply input lost"), "{table}");
    let path = own(&machine, "sel");
    let log = lab.client.get(&path).await.expect(200).json();
    assert_eq!(log["entries"].as_array().unwrap().len(), 1, "{log}");
    printed(&lab, &["node", "sel", "clear", &id]).await;
    let log = lab.client.get(&path).await.expect(200).json();
    assert_eq!(log["entries"], json!([]));
    let told = lab.client.get("/corten/v1/events").await.expect(200).json();
    assert!(
        told.to_string()
            .contains("the system event log was cleared"),
        "{told}"
    );
    // The driver of a machine without a BMC has none.
    let fake = lab.enroll(json!({})).await;
    let path = own(&fake, "sel");
    lab.client.get(&path).await.expect(400);
    lab.client.delete(&path).await.expect(400);
    lab.stop().await;
}

pub(crate) type Socket = WebSocketStream<TcpStream>;

/// The answer to a handshake: a WebSocket, or what was said instead.
pub(crate) async fn handshake(
    address: SocketAddr,
    path: &str,
    more: &str,
) -> Result<Socket, (u16, String)> {
    let mut stream = TcpStream::connect(address).await.unwrap();
    let request = format!(
        "GET {path} HTTP/1.1\r\nhost: {address}\r\nconnection: Upgrade\r\nupgrade: websocket\r\n\
         sec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\
         x-openstack-ironic-api-version: 1.115\r\n{more}\r\n"
    );
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await.unwrap());
    }
    let head = String::from_utf8(head).unwrap();
    let status: u16 = head[9..12].parse().unwrap();
    if status != 101 {
        let length = head
            .lines()
            .find_map(|line| line.strip_prefix("content-length: "));
        let mut body = vec![0; length.unwrap().parse().unwrap()];
        stream.read_exact(&mut body).await.unwrap();
        return Err((status, String::from_utf8(body).unwrap()));
    }
    let proof = "sec-websocket-accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=";
    assert!(head.contains(proof), "{head}");
    Ok(WebSocketStream::from_raw_socket(stream, Role::Client, None).await)
}

/// The next message that means something.
pub(crate) async fn next(socket: &mut Socket) -> Option<Message> {
    let next = async {
        loop {
            match socket.next().await? {
                Ok(Message::Ping(_) | Message::Pong(_)) => {}
                Ok(message) => return Some(message),
                Err(error) => panic!("{error}"),
            }
        }
    };
    tokio::time::timeout(LONG, next).await.expect("a message")
}

pub(crate) async fn notice(socket: &mut Socket) -> Value {
    match next(socket).await {
        Some(Message::Text(text)) => serde_json::from_str(&text).unwrap(),
        other => panic!("{other:?}"),
    }
}

/// Waits until all of a text was said.
async fn hears(socket: &mut Socket, text: &str) {
    let mut heard = Vec::new();
    while heard.len() < text.len() {
        match next(socket).await {
            Some(Message::Binary(characters)) => heard.extend(characters),
            other => panic!("{other:?} after {heard:?}"),
        }
    }
    assert_eq!(String::from_utf8_lossy(&heard), text);
}

pub(crate) async fn types(socket: &mut Socket, text: &str) {
    let message = Message::Binary(text.as_bytes().to_vec().into());
    socket.send(message).await.unwrap();
}

#[tokio::test]
async fn a_console_is_shared_by_websocket() {
    let Some(bmc) = Bmc::pyghmi(&["--password", CANARY]) else {
        return;
    };
    let lab = Lab::with(Engine::Sqlite, options()).await;
    let machine = enroll(&lab, &bmc).await;
    let (address, path) = (lab.client.address, own(&machine, "console"));
    let (status, text) = handshake(address, &path, "").await.unwrap_err();
    assert_eq!(status, 409, "{text}");
    assert!(text.contains("is off"), "{text}");
    enable(&lab, &machine, true).await;
    lab.client.get(&path).await.expect(426);
    let evil = handshake(address, &path, "origin: http://evil\r\n").await;
    let (status, text) = evil.unwrap_err();
    assert!(status == 403 && text.contains("http://evil"), "{text}");

    let mut first = handshake(address, &path, "").await.unwrap();
    let writer = |is: bool| json!({"type": "writer", "writer": is});
    assert_eq!(notice(&mut first).await, writer(true));
    types(&mut first, "hello").await;
    hears(&mut first, "hello").await;
    let ours = format!("origin: http://{address}\r\n");
    let mut second = handshake(address, &path, &ours).await.unwrap();
    assert_eq!(notice(&mut second).await, writer(false));
    types(&mut second, "nobody hears this").await;
    types(&mut first, "both hear this").await;
    hears(&mut first, "both hear this").await;
    hears(&mut second, "both hear this").await;
    let take_over = Message::Text(r#"{"type":"take_over"}"#.into());
    second.send(take_over).await.unwrap();
    assert_eq!(notice(&mut first).await, writer(false));
    assert_eq!(notice(&mut second).await, writer(true));
    types(&mut second, "mine now").await;
    hears(&mut first, "mine now").await;
    hears(&mut second, "mine now").await;
    let third = handshake(address, &format!("{path}?take_over=true"), "").await;
    let mut third = third.unwrap();
    assert_eq!(notice(&mut third).await, writer(true));
    assert_eq!(notice(&mut second).await, writer(false));
    // What makes no sense ends the connection of whoever sends it.
    third.send(Message::Text("{}".into())).await.unwrap();
    assert!(matches!(next(&mut third).await, Some(Message::Close(_))));

    enable(&lab, &machine, false).await;
    for socket in [&mut first, &mut second] {
        let ended = notice(socket).await;
        assert_eq!(ended["type"], "ended", "{ended}");
        assert!(ended["reason"].as_str().unwrap().contains("switched off"));
        assert!(matches!(next(socket).await, Some(Message::Close(_))));
    }
    lab.stop().await;
}

#[tokio::test]
async fn a_bmc_that_dies_ends_its_console() {
    let Some(bmc) = Bmc::pyghmi(&["--password", CANARY]) else {
        return;
    };
    let mut options = options();
    options.hardware.ipmi.console_keep_alive = Duration::from_secs(1);
    let lab = Lab::with(Engine::Sqlite, options).await;
    let machine = enroll(&lab, &bmc).await;
    enable(&lab, &machine, true).await;
    let (address, path) = (lab.client.address, own(&machine, "console"));
    let mut socket = handshake(address, &path, "").await.unwrap();
    notice(&mut socket).await;
    types(&mut socket, "x").await;
    hears(&mut socket, "x").await;
    drop(bmc);
    // Nobody types; the silence is noticed all the same.
    let ended = notice(&mut socket).await;
    let reason = ended["reason"].as_str().unwrap();
    assert!(reason.contains("does not answer"), "{ended}");
    let (status, text) = handshake(address, &path, "").await.unwrap_err();
    assert!(status >= 400 && text.contains("sol activate"), "{text}");
    assert!(!text.contains(CANARY), "{text}");
    lab.stop().await;
}

/// A terminal of our own: the end that a person sits at, and the end that programs have.
fn terminal() -> (std::fs::File, std::fs::File) {
    let person = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&person).unwrap();
    unlockpt(&person).unwrap();
    let name = ptsname(&person, Vec::new()).unwrap();
    let mut options = OpenOptions::new();
    let program = options.read(true).write(true).open(name.to_str().unwrap());
    (person.into(), program.unwrap())
}

/// Reads until a text was seen.
fn sees(person: &mut std::fs::File, text: &str) {
    let mut seen = Vec::new();
    while !String::from_utf8_lossy(&seen).contains(text) {
        let mut byte = [0];
        person.read_exact(&mut byte).unwrap();
        seen.extend(byte);
    }
}

#[tokio::test]
async fn the_command_line_has_the_console_and_gives_the_terminal_back() {
    let Some(bmc) = Bmc::pyghmi(&["--password", CANARY]) else {
        return;
    };
    let lab = Lab::with(Engine::Sqlite, options()).await;
    let machine = enroll(&lab, &bmc).await;
    let id = machine.id.to_string();
    let off = run(&lab, &["node", "console", &id]).await;
    assert_eq!(off.status.code(), Some(1));
    let hint = String::from_utf8_lossy(&off.stderr).into_owned();
    assert!(hint.contains("corten node console enable"), "{hint}");
    enable(&lab, &machine, true).await;

    for way_out in ["typed", "signal", "switched off"] {
        let (mut person, program) = terminal();
        let usual = format!("{:?}", tcgetattr(&program).unwrap());
        let mut command = corten(&lab, &["node", "console", &id]);
        command
            .stdin(Stdio::from(program.try_clone().unwrap()))
            .stdout(Stdio::from(program.try_clone().unwrap()))
            .stderr(Stdio::from(program.try_clone().unwrap()));
        let mut child = tokio::process::Command::from(command)
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let talk = tokio::task::spawn_blocking(move || {
            sees(&mut person, "you type");
            person.write_all(b"hello, line\r").unwrap();
            sees(&mut person, "hello, line");
            person
        });
        let mut person = tokio::time::timeout(LONG, talk).await.unwrap().unwrap();
        let raw = format!("{:?}", tcgetattr(&program).unwrap());
        assert_ne!(raw, usual, "keys are passed on one by one");
        let code = match way_out {
            "typed" => {
                person.write_all(b"~.").unwrap();
                0
            }
            "signal" => {
                let pid = child.id().unwrap().to_string();
                let killed = Command::new("kill").arg(pid).status().unwrap();
                assert!(killed.success());
                0
            }
            _ => {
                enable(&lab, &machine, false).await;
                1
            }
        };
        let ended = tokio::time::timeout(LONG, child.wait()).await.unwrap();
        assert_eq!(ended.unwrap().code(), Some(code), "{way_out}");
        let after = format!("{:?}", tcgetattr(&program).unwrap());
        assert_eq!(after, usual, "{way_out}");
    }
    lab.stop().await;
}
