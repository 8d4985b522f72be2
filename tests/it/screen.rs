//! Graphical consoles through the whole service: who is let in, what is seen, and how it ends.

use crate::{
    database::Engine,
    ipmi::watching::{Socket, handshake, next},
    lab::{Lab, Machine, Options},
    port,
};
use futures_util::SinkExt;
use serde_json::{Value, json};
use sim::{
    Layout, Machines, Settings,
    backend::qemu,
    redfish::{
        certificate,
        server::{Server, Serving},
    },
};
use std::{
    net::Ipv4Addr,
    process::{Child, Command, Stdio},
    sync::Arc,
    time::Duration,
};
use tokio_tungstenite::tungstenite::Message;
use types::{InterfaceKind as K, ProvisionState as S};

const VERSION: &[u8] = b"RFB 003.008\n";

fn options() -> Options {
    let mut options = Options::default();
    let names = ["fake", "no-console", "fake-graphical"];
    let names = names.map(str::to_owned).into();
    options.hardware.enable_interfaces(K::Console, names);
    options.conductor.screens.expire_interval = Duration::from_millis(50);
    options
}

async fn enroll(lab: &Lab, info: Value) -> Machine<'_> {
    let body = json!({"console_interface": "fake-graphical", "driver_info": info});
    lab.enroll(body).await
}

/// Switches the console, and tells what the node is like then.
async fn switch(lab: &Lab, machine: &Machine<'_>, on: bool) -> Value {
    let path = machine.path("/states/console");
    let body = json!({"enabled": on});
    lab.client.put(&path, body).await.expect(202);
    machine.rests().await
}

/// The address of the console.
async fn url(lab: &Lab, machine: &Machine<'_>) -> String {
    let path = machine.path("/states/console");
    let shown = lab.client.get(&path).await.expect(200).json();
    assert_eq!(shown["console_enabled"], json!(true));
    let info = shown["console_info"].as_object().unwrap();
    let keys: Vec<_> = info.keys().collect();
    assert_eq!(keys, ["type", "url"]);
    assert_eq!(info["type"], "vnc");
    info["url"].as_str().unwrap().to_owned()
}

pub(crate) fn token(url: &str) -> &str {
    url.split_once("%26token%3D").unwrap().1
}

async fn join(lab: &Lab, node: &str, token: &str) -> Result<Socket, (u16, String)> {
    let path = format!("/corten/v1/nodes/{node}/screen?token={token}");
    handshake(lab.client.address, &path, "").await
}

/// So many bytes that come next, all in whole messages.
async fn hear(socket: &mut Socket, count: usize) -> Vec<u8> {
    let mut heard = Vec::new();
    while heard.len() < count {
        match next(socket).await {
            Some(Message::Binary(more)) => heard.extend(more),
            other => panic!("{other:?} after {} bytes", heard.len()),
        }
    }
    heard
}

async fn say(socket: &mut Socket, bytes: &[u8]) {
    let message = Message::Binary(bytes.to_vec().into());
    socket.send(message).await.unwrap();
}

/// What a viewer does before it sees anything; the size of the screen.
pub(crate) async fn greet(socket: &mut Socket) -> [u16; 2] {
    assert_eq!(hear(socket, 12).await, VERSION);
    say(socket, VERSION).await;
    assert_eq!(hear(socket, 2).await, [1, 1]);
    say(socket, &[1]).await;
    assert_eq!(hear(socket, 4).await, [0; 4]);
    say(socket, &[0]).await;
    let init = hear(socket, 24).await;
    [[init[0], init[1]], [init[2], init[3]]].map(u16::from_be_bytes)
}

/// Why it ended.
pub(crate) async fn ended(socket: &mut Socket) -> String {
    loop {
        match next(socket).await {
            Some(Message::Text(text)) => {
                let told: Value = serde_json::from_str(&text).unwrap();
                assert_eq!(told["type"], "ended");
                return told["reason"].as_str().unwrap().to_owned();
            }
            Some(Message::Binary(_)) => {}
            other => panic!("{other:?}"),
        }
    }
}

#[tokio::test]
async fn the_console_is_told_as_ironic_does() {
    let mut options = options();
    options.conductor.screens.public_url = Some("https://metal.example/vnc_auto.html".into());
    let lab = Lab::with(Engine::Sqlite, options).await;
    let machine = enroll(&lab, json!({})).await;
    let node = switch(&lab, &machine, true).await;
    assert_eq!(node["console_enabled"], json!(true), "{node}");
    let noted = &node["driver_internal_info"];
    assert_eq!(noted["vnc_host"], "192.0.2.1");
    assert_eq!(noted["vnc_port"], 5900);
    assert_eq!(noted["novnc_secret_token"], "******");
    let first = url(&lab, &machine).await;
    let expected = format!(
        "https://metal.example/vnc_auto.html?path=websockify%3Fnode%3D{}%26token%3D",
        machine.id
    );
    assert!(first.starts_with(&expected), "{first}");
    assert_eq!(token(&first).len(), 43);
    // The token is sealed in the database.
    let stored = store::node::find(&lab.db, machine.id)
        .await
        .unwrap()
        .unwrap();
    let (sealed, _) = stored.driver_internal_info.screen_token().unwrap();
    assert!(!sealed.to_string().contains(token(&first)));

    // On is on; a new token comes with a new start.
    switch(&lab, &machine, true).await;
    assert_eq!(url(&lab, &machine).await, first);
    let node = switch(&lab, &machine, false).await;
    let noted = node["driver_internal_info"].as_object().unwrap();
    assert!(noted.keys().all(|key| !key.contains("vnc")), "{noted:?}");
    let shown = lab.client.get(&machine.path("/states/console")).await;
    let off = json!({"console_enabled": false, "console_info": null});
    assert_eq!(shown.expect(200).json(), off);
    switch(&lab, &machine, true).await;
    assert_ne!(url(&lab, &machine).await, first);
    lab.stop().await;
}

#[tokio::test]
async fn who_has_the_token_sees_the_screen_and_nobody_else() {
    let lab = Lab::with(Engine::Sqlite, options()).await;
    let machine = enroll(&lab, json!({})).await;
    let other = enroll(&lab, json!({})).await;
    switch(&lab, &machine, true).await;
    switch(&lab, &other, true).await;
    let (mine, others) = (url(&lab, &machine).await, url(&lab, &other).await);
    let page = format!("http://{}/ui/vnc?path=websockify", lab.client.address);
    assert!(mine.starts_with(&page), "{mine}");
    let id = machine.id.to_string();
    let id = id.as_str();
    let unknown = "1be26c0b-03f2-4d2e-ae87-c02d7f33c123";
    for (node, wrong) in [
        (id, ""),
        (id, "x"),
        (id, token(&others)),
        (id, &token(&mine)[1..]),
        (unknown, token(&mine)),
    ] {
        let (status, text) = join(&lab, node, wrong).await.unwrap_err();
        assert_eq!(status, 403, "{node} {wrong}: {text}");
        assert!(text.contains("token of this console is wrong"), "{text}");
    }
    let elsewhere = "origin: https://evil.example\r\n";
    let path = format!("/corten/v1/nodes/{id}/screen?token={}", token(&mine));
    let refused = handshake(lab.client.address, &path, elsewhere).await;
    assert_eq!(refused.unwrap_err().0, 403);

    let mut socket = join(&lab, id, token(&mine)).await.unwrap();
    assert_eq!(greet(&mut socket).await, [640, 400]);
    let mut second = join(&lab, id, token(&mine)).await.unwrap();
    greet(&mut second).await;
    switch(&lab, &machine, false).await;
    for socket in [&mut socket, &mut second] {
        assert_eq!(ended(socket).await, "the console was switched off");
    }
    let (status, _) = join(&lab, id, token(&mine)).await.unwrap_err();
    assert_eq!(status, 403);
    // The end is told a moment after it.
    let told = loop {
        let told = lab.told(machine.id).await;
        if told.iter().filter(|line| line.contains("viewer")).count() >= 4 {
            break told;
        }
        tokio::task::yield_now().await;
    };
    let viewers: Vec<_> = told.iter().filter(|line| line.contains("viewer")).collect();
    let came = "console a viewer of the graphical console came";
    let left = "console a viewer of the graphical console left: the console was switched off";
    assert_eq!(viewers, [came, came, left, left]);
    assert!(told.iter().all(|line| !line.contains(token(&mine))));
    lab.stop().await;
}

#[tokio::test]
async fn a_console_ends_with_its_token() {
    let mut options = options();
    options.conductor.screens.token_timeout = Duration::from_secs(1);
    let lab = Lab::with(Engine::Sqlite, options).await;
    let machine = enroll(&lab, json!({})).await;
    switch(&lab, &machine, true).await;
    let path = machine.path("/states/console");
    let shown = lab.client.get(&path).await.expect(200).json();
    if let Some(url) = shown["console_info"]["url"].as_str()
        && let Ok(mut socket) = join(&lab, &machine.id.to_string(), token(url)).await
    {
        let reason = ended(&mut socket).await;
        let known = [
            "the token of the console has ended",
            "the console was switched off",
        ];
        assert!(known.contains(&reason.as_str()), "{reason}");
    }
    let is_off = |node: &Value| Some(node["console_enabled"] == json!(false));
    let node = machine.until("the console goes off", is_off).await;
    assert_eq!(node["driver_internal_info"].get("novnc_secret_token"), None);
    lab.stop().await;
}

#[tokio::test]
async fn a_machine_that_is_torn_down_has_no_viewers() {
    let lab = Lab::with(Engine::Sqlite, options()).await;
    let machine = enroll(&lab, json!({})).await;
    machine.asks("manage").await.reaches(S::Manageable).await;
    machine.asks("provide").await.reaches(S::Available).await;
    machine.asks("active").await.reaches(S::Active).await;
    switch(&lab, &machine, true).await;
    let url = url(&lab, &machine).await;
    let joined = join(&lab, &machine.id.to_string(), token(&url)).await;
    let mut socket = joined.unwrap();
    greet(&mut socket).await;
    machine.asks("deleted").await.reaches(S::Available).await;
    assert_eq!(ended(&mut socket).await, "the console was switched off");
    lab.stop().await;
}

#[tokio::test]
async fn a_restart_makes_a_new_token() {
    let lab = Lab::with(Engine::Sqlite, options()).await;
    let machine = enroll(&lab, json!({})).await;
    switch(&lab, &machine, true).await;
    let id = machine.id.to_string();
    let before = url(&lab, &machine).await;
    let database = lab.stop().await;
    let lab = Lab::on(database, options()).await;
    let machine = lab.machine(&id);
    let is_new = async || {
        let node = machine.rests().await;
        assert_eq!(node["console_enabled"], json!(true), "{node}");
        token(&url(&lab, &machine).await) != token(&before)
    };
    while !is_new().await {
        tokio::task::yield_now().await;
    }
    let (status, _) = join(&lab, &id, token(&before)).await.unwrap_err();
    assert_eq!(status, 403);
    let after = url(&lab, &machine).await;
    let mut socket = join(&lab, &id, token(&after)).await.unwrap();
    greet(&mut socket).await;
    lab.stop().await;
}

#[tokio::test]
async fn where_consoles_are_not_served_none_is_switched_on() {
    let mut options = options();
    options.hardware.screens.is_on = false;
    let lab = Lab::with(Engine::Sqlite, options).await;
    let machine = enroll(&lab, json!({})).await;
    let path = machine.path("/states/console");
    let refused = lab.client.put(&path, json!({"enabled": true})).await;
    let text = refused.expect(400).fault();
    assert!(text.contains("[vnc]enabled"), "{text}");
    lab.stop().await;
}

const PROGRAM: &str = "qemu-system-x86_64";

/// Whether there is QEMU; in CI there must be.
fn has_qemu() -> bool {
    let has = Command::new(PROGRAM).arg("--version").output().is_ok();
    if !has {
        assert!(std::env::var_os("CI").is_none(), "QEMU is not installed");
        println!("SKIPPED: QEMU is not installed");
    }
    has
}

/// QEMU without a machine that runs, for its VNC server.
struct Qemu {
    child: Child,
    port: u16,
}

impl Drop for Qemu {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Qemu {
    fn start(password: Option<&str>) -> Option<Self> {
        if !has_qemu() {
            return None;
        }
        let port = port::free();
        let place = format!("127.0.0.1:{}", port - 5900);
        let mut command = Command::new(PROGRAM);
        command.args(["-S", "-accel", "tcg", "-m", "16", "-nic", "none"]);
        match password {
            Some(password) => {
                let secret = format!("secret,id=s,data={password}");
                let place = format!("{place},password-secret=s");
                command.args(["-object", &secret, "-vnc", &place]);
            }
            None => {
                command.args(["-vnc", &place]);
            }
        }
        let child = command
            .args(["-display", "none", "-monitor", "none", "-serial", "none"])
            .stdin(Stdio::null())
            .spawn()
            .unwrap();
        Some(Self { child, port })
    }

    fn info(&self, password: Option<&str>) -> Value {
        json!({"vnc_address": "127.0.0.1", "vnc_port": self.port, "vnc_password": password})
    }
}

/// Sees the screen of a machine, down to its pixels.
async fn sees(lab: &Lab, machine: &Machine<'_>) {
    let url = url(lab, machine).await;
    let joined = join(lab, &machine.id.to_string(), token(&url)).await;
    let mut socket = joined.unwrap();
    let [width, height] = greet(&mut socket).await;
    assert!(width > 100 && height > 100, "{width} {height}");
    // Raw pixels, all of them.
    say(&mut socket, &[2, 0, 0, 1, 0, 0, 0, 0]).await;
    let size = [width.to_be_bytes(), height.to_be_bytes()].concat();
    say(&mut socket, &[&[3, 0, 0, 0, 0, 0][..], &size].concat()).await;
    let pixels = usize::from(width) * usize::from(height) * 4;
    hear(&mut socket, pixels).await;
}

#[tokio::test]
async fn the_screen_of_qemu_is_seen_with_and_without_a_password() {
    for password in [None, Some("hunter2!")] {
        let Some(qemu) = Qemu::start(password) else {
            return;
        };
        let lab = Lab::with(Engine::Sqlite, options()).await;
        let machine = enroll(&lab, qemu.info(password)).await;
        let node = switch(&lab, &machine, true).await;
        assert_eq!(node["last_error"], Value::Null, "{node}");
        let noted = &node["driver_internal_info"];
        assert_eq!(noted["vnc_host"], "127.0.0.1");
        assert_eq!(noted["vnc_port"], qemu.port);
        sees(&lab, &machine).await;
        lab.stop().await;
    }
}

#[tokio::test]
async fn a_wrong_password_is_told_and_the_console_stays_off() {
    let Some(qemu) = Qemu::start(Some("hunter2!")) else {
        return;
    };
    let lab = Lab::with(Engine::Sqlite, options()).await;
    for (password, words) in [
        (Some("c4nary"), "it refuses the password"),
        (None, "it asks for a password, and none is given"),
    ] {
        let machine = enroll(&lab, qemu.info(password)).await;
        let node = switch(&lab, &machine, true).await;
        assert_eq!(node["console_enabled"], json!(false));
        let error = node["last_error"].as_str().unwrap();
        assert!(error.starts_with("Error enabling the console"), "{error}");
        assert!(
            error.contains(words) && !error.contains("c4nary"),
            "{error}"
        );
    }
    lab.stop().await;
}

/// A node whose BMC is a simulated one.
async fn behind_redfish<'l>(lab: &'l Lab, server: &Server) -> Machine<'l> {
    let address = format!("https://{}", server.endpoint(0).unwrap());
    let body = json!({
        "driver": "redfish", "power_interface": "redfish",
        "console_interface": "redfish-graphical",
        "driver_info": {
            "redfish_address": address, "redfish_verify_ca": false,
            "redfish_username": "admin", "redfish_password": "password",
            "vnc_password": "password",
        },
    });
    lab.enroll(body).await
}

async fn served(machines: &Machines) -> Server {
    let serving = Serving {
        layout: Layout::Ports {
            address: Ipv4Addr::LOCALHOST.into(),
            first: 0,
        },
        options: Arc::default(),
        group: 1,
        tls: certificate::self_signed().unwrap(),
    };
    Server::start(machines, serving).await.unwrap()
}

fn with_redfish() -> Options {
    let mut options = options();
    let named = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
    let hardware = &mut options.hardware;
    hardware.enable_hardware_types(named(&["fake-hardware", "redfish"]));
    hardware.enable_interfaces(K::Power, named(&["fake", "redfish"]));
    hardware.enable_interfaces(K::Management, named(&["fake", "redfish"]));
    hardware.enable_interfaces(K::Boot, named(&["fake", "ipxe"]));
    hardware.enable_interfaces(K::Deploy, named(&["fake", "direct"]));
    hardware.enable_interfaces(K::Console, named(&["fake", "redfish-graphical"]));
    options
}

#[tokio::test]
async fn a_bmc_that_tells_no_port_is_refused_with_advice() {
    let machines = sim::machines(1, &Arc::new(Settings::default()));
    let server = served(&machines).await;
    let lab = Lab::with(Engine::Sqlite, with_redfish()).await;
    let machine = behind_redfish(&lab, &server).await;
    let node = switch(&lab, &machine, true).await;
    assert_eq!(node["console_enabled"], json!(false));
    let error = node["last_error"].as_str().unwrap();
    assert!(error.contains("set vnc_address, vnc_port and"), "{error}");
    lab.stop().await;
}

#[tokio::test]
async fn the_screen_of_a_simulated_machine_is_found_by_redfish() {
    if !has_qemu() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let process = qemu::Qemu {
        program: PROGRAM.into(),
        arguments: ["-accel", "tcg", "-m", "16", "-nic", "none"]
            .map(str::to_owned)
            .into(),
        folder: folder.path().to_owned(),
        ..qemu::Qemu::default()
    };
    let machines: Machines = Arc::new([qemu::machine(0, Arc::default(), process)]);
    let server = served(&machines).await;
    let lab = Lab::with(Engine::Sqlite, with_redfish()).await;
    let machine = behind_redfish(&lab, &server).await;
    let power = machine.path("/states/power");
    let on = json!({"target": "power on"});
    lab.client.put(&power, on).await.expect(202);
    assert_eq!(machine.rests().await["power_state"], "power on");
    let node = switch(&lab, &machine, true).await;
    assert_eq!(node["last_error"], Value::Null, "{node}");
    let port = machines[0].screen().unwrap().port();
    assert_eq!(node["driver_internal_info"]["vnc_port"], port);
    sees(&lab, &machine).await;
    lab.stop().await;
}
