//! Hypervisors over SSH: a real OpenSSH server on loopback, behind which a stand-in answers for the
//! commands of each hypervisor.
//!
//! Where there is no such server the tests say so and do nothing, except in CI, where they fail.

use crate::{
    database::Engine,
    ipmi::peer::missing,
    lab::{Lab, Options},
    sshd::{self, Sshd},
};
use drivers::{
    DriverError, Recorder, RecorderSettings, SshSettings,
    iface::{Interface, Machine, Management, Power},
    ssh::{Ssh, SshGuest},
};
use outbound::{Network, Policy};
use serde_json::{Value, json};
use std::{
    fs,
    os::unix::fs::{PermissionsExt, symlink},
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};
use tempfile::TempDir;
use types::{
    InterfaceKind as K, JsonMap, LeaseProof, Node, NodeId, Port, PortId, PowerState, PowerTarget,
    ProvisionState as S, rpc::BootDevice,
};

const MAC: &str = "52:54:00:ab:cd:02";
const FAMILIES: [&str; 4] = ["virsh", "vbox", "vmware", "parallels"];
const PROGRAMS: [&str; 4] = ["virsh", "VBoxManage", "vim-cmd", "prlctl"];
/// Of the screen of a machine; the password of somebody else.
const SCREEN: &str = "hunter3";

/// A hypervisor with three machines, of which the one in the middle is ours.
struct Host {
    folder: TempDir,
    server: Sshd,
}

impl Host {
    /// `None` where no server can be had.
    async fn start() -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let machine = |number: u8, name: &str| {
            let mac = format!("52:54:00:ab:cd:0{number}");
            json!({
                "name": name, "uuid": format!("0000-{number}"), "id": number, "mac": mac,
                "on": false, "boot": "odd",
                "xml": format!(
                    "<domain type='kvm'>\n<name>{name}</name><!-- kept -->\n<os><type>hvm</type>\
                     <boot dev='fd'/></os><devices><interface><mac address='{mac}'/></interface>\
                     <graphics passwd='{SCREEN}'/></devices></domain>"
                ),
            })
        };
        // The first has a name that a shell would stumble over.
        let touched = path("touched");
        let evil = format!("a'; touch {}; '", touched.display());
        let machines = [machine(1, &evil), machine(2, "web 2"), machine(3, "web")];
        let state = json!({"machines": machines, "log": []});
        fs::write(path("state"), state.to_string()).unwrap();
        let peer = Path::new(env!("CARGO_MANIFEST_DIR")).join("peers/hypervisor");
        for program in PROGRAMS {
            symlink(&peer, path(program)).unwrap();
        }
        // What is asked for is read by a shell, with our programs in the place of those of the system.
        let here = folder.path().display();
        let script = format!(
            "#!/bin/sh\nexport HYPERVISOR_STATE={here}/state\n\
             exec sh -c \"$(printf %s \"$SSH_ORIGINAL_COMMAND\" |\n\
             sed -e 's,LC_ALL=C /usr/bin/,LC_ALL=C {here}/,g' -e 's,LC_ALL=C /bin/,LC_ALL=C {here}/,g')\"\n"
        );
        fs::write(path("run"), script).unwrap();
        fs::set_permissions(path("run"), fs::Permissions::from_mode(0o755)).unwrap();
        let Some(server) = sshd::start(folder.path(), &format!("ForceCommand {here}/run\n")).await
        else {
            missing("sshd (Debian: openssh-server)");
            return None;
        };
        Some(Self { folder, server })
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn text(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    fn driver_info(&self, family: &str) -> Value {
        json!({
            "ssh_address": "127.0.0.1", "ssh_port": self.server.port, "ssh_username": sshd::user(),
            "ssh_virt_type": family, "ssh_key_contents": self.text("user"),
            "ssh_host_key": self.text("host.pub"),
        })
    }

    fn settings(&self) -> SshSettings {
        let mut settings = SshSettings {
            state: self.path("secrets"),
            look_every: Duration::from_millis(5),
            ..SshSettings::default()
        };
        settings.gate.interval = Duration::ZERO;
        settings
    }

    fn bench(&self, family: &str, changes: Value) -> Guest {
        self.bench_with(family, changes, self.settings())
    }

    fn bench_with(&self, family: &str, changes: Value, settings: SshSettings) -> Guest {
        let mut info = self.driver_info(family);
        for (key, value) in changes.as_object().unwrap() {
            info[key] = value.clone();
        }
        let recorder = Recorder::new(RecorderSettings::default());
        let node = Node::new(NodeId::generate(), "test");
        Guest {
            driver: SshGuest(Arc::new(Ssh::new(settings, &recorder))),
            port: Port::new(PortId::generate(), node.id, MAC.parse().unwrap()),
            node,
            info: info.as_object().cloned().unwrap(),
            recorder,
        }
    }

    fn state(&self) -> Value {
        serde_json::from_str(&self.text("state")).unwrap()
    }

    /// What the hypervisor knows about our machine.
    fn machine(&self, key: &str) -> Value {
        self.state()["machines"][1][key].clone()
    }

    fn breaks_with(&self, fault: &str) {
        let mut state = self.state();
        state["fault"] = fault.into();
        fs::write(self.path("state"), state.to_string()).unwrap();
    }

    /// The words of every command that changed something.
    fn orders(&self) -> Vec<String> {
        let state = self.state();
        let words = |one: &Value| {
            let words = one.as_array().unwrap().iter();
            let words: Vec<&str> = words.map(|word| word.as_str().unwrap()).collect();
            words.join(" ")
        };
        let looks = [
            "list",
            "dumpxml",
            "showvminfo",
            "getallvms",
            "getstate",
            "getdevices",
        ];
        let log = state["log"].as_array().unwrap().iter().map(words);
        log.filter(|words| !looks.iter().any(|look| words.contains(look)))
            .collect()
    }
}

/// A node for a virtual machine, without a service around it.
struct Guest {
    driver: SshGuest,
    node: Node,
    port: Port,
    info: JsonMap,
    recorder: Recorder,
}

impl Guest {
    fn told(&self, error: &DriverError) -> String {
        let text = types::error::chain(error);
        assert!(
            !text.contains("PRIVATE KEY") && !text.contains(SCREEN),
            "{text}"
        );
        text
    }

    async fn state(&self) -> Result<Option<PowerState>, DriverError> {
        let (mut node, ports) = (self.node.clone(), [self.port.clone()]);
        let machine = Machine::new(&mut node, &self.info, &ports);
        self.driver.get(&machine).await
    }

    async fn switch(&mut self, target: PowerTarget) -> Result<(), DriverError> {
        let (lease, ports) = (LeaseProof::granted(self.node.id, 1), [self.port.clone()]);
        let mut machine = Machine::new(&mut self.node, &self.info, &ports);
        // Programs are started for each look, and the machine may be busy.
        let limit = Some(20);
        self.driver.set(&lease, &mut machine, target, limit).await
    }

    async fn device(&self) -> Result<BootDevice, DriverError> {
        let (mut node, ports) = (self.node.clone(), [self.port.clone()]);
        let machine = Machine::new(&mut node, &self.info, &ports);
        self.driver.boot_device(&machine).await
    }

    async fn boot_from(&mut self, device: &str) -> Result<(), DriverError> {
        let (lease, ports) = (LeaseProof::granted(self.node.id, 1), [self.port.clone()]);
        let mut machine = Machine::new(&mut self.node, &self.info, &ports);
        let driver = self.driver.clone();
        driver
            .set_boot_device(&lease, &mut machine, device, true)
            .await
    }

    fn recorded(&self) -> String {
        serde_json::to_string(&self.recorder.read(self.node.id)).unwrap()
    }
}

#[tokio::test]
async fn machines_of_every_hypervisor_are_switched_and_booted() {
    let Some(host) = Host::start().await else {
        return;
    };
    for (number, family) in FAMILIES.into_iter().enumerate() {
        let mut guest = host.bench(family, json!({}));
        for target in [PowerTarget::On, PowerTarget::Reboot, PowerTarget::Off] {
            let state = target.end_state();
            assert!(guest.driver.supported().contains(&target));
            guest.switch(target).await.unwrap();
            assert_eq!(
                guest.state().await.unwrap(),
                Some(state),
                "{family} {target}"
            );
        }
        let orders = host.orders();
        let starts = |word: &str| orders.iter().filter(|order| order.contains(word)).count();
        assert!(starts("start") + starts("power.on") > number, "{orders:?}");
        for (device, words) in [
            ("pxe", ["network", "net", "", "net0"]),
            ("cdrom", ["cdrom", "dvd", "", "cdrom0"]),
            ("disk", ["hd", "disk", "", "hdd0"]),
        ] {
            if family == "vmware" {
                let refused = guest.boot_from(device).await.unwrap_err();
                assert_eq!(refused.kind(), "unsupported");
                assert_eq!(guest.device().await.unwrap().device, None);
                continue;
            }
            guest.boot_from(device).await.unwrap();
            let found = guest.device().await.unwrap();
            assert_eq!(
                (found.device.as_deref(), found.persistent),
                (Some(device), None)
            );
            let kept = match family {
                "virsh" => {
                    let xml = host.machine("xml");
                    let xml = xml.as_str().unwrap();
                    // All else is as it was, with the password of the screen.
                    assert!(
                        xml.contains("<!-- kept -->") && xml.contains(SCREEN),
                        "{xml}"
                    );
                    assert_eq!(xml.matches("<boot").count(), 1, "{xml}");
                    xml.contains(&format!("<boot dev=\"{}\"/>", words[number]))
                }
                _ => host.machine("boot") == words[number],
            };
            assert!(kept, "{family} {device}");
        }
        assert_eq!(guest.boot_from("bios").await.unwrap_err().kind(), "invalid");
        let kept = guest.recorded();
        assert!(kept.contains(PROGRAMS[number]), "{kept}");
        assert!(
            !kept.contains("PRIVATE KEY") && !kept.contains(SCREEN),
            "{kept}"
        );
    }
    // The other machines are as they were, and nothing that their names say was done.
    for other in [0, 2] {
        assert_eq!(host.state()["machines"][other]["on"], false);
        assert_eq!(host.state()["machines"][other]["boot"], "odd");
    }
    assert!(!host.path("touched").exists());
    let left = fs::read_dir(host.path("secrets")).unwrap().count();
    assert_eq!(left, 0, "files with secrets are left");
}

#[tokio::test]
async fn machines_of_virtualbox_without_a_window_are_stopped_for_a_change() {
    let Some(host) = Host::start().await else {
        return;
    };
    let mut guest = host.bench("vbox", json!({"vbox_use_headless": true}));
    guest.switch(PowerTarget::On).await.unwrap();
    assert_eq!(host.machine("headless"), true);
    guest.boot_from("pxe").await.unwrap();
    assert_eq!(host.machine("on"), false);
    let mut guest = host.bench("vbox", json!({}));
    guest.switch(PowerTarget::On).await.unwrap();
    let error = guest.boot_from("disk").await.unwrap_err();
    assert_eq!(error.kind(), "rejected");
    let text = guest.told(&error);
    assert!(text.contains("already locked for a session"), "{text}");
    guest.node.disable_power_off = Some(true);
    let refused = guest.switch(PowerTarget::Reboot).await.unwrap_err();
    assert!(refused.to_string().contains("must never be without power"));
}

#[tokio::test]
async fn only_known_hosts_are_logged_in_to() {
    let Some(host) = Host::start().await else {
        return;
    };
    let other = host.text("user.pub");
    for unknown in [json!(null), json!(other)] {
        let mut settings = host.settings();
        settings.known_hosts = Some("/dev/null".into());
        let guest = host.bench_with("virsh", json!({"ssh_host_key": unknown}), settings);
        let error = guest.state().await.unwrap_err();
        assert_eq!(error.kind(), "refused");
        let text = guest.told(&error);
        assert!(text.contains("Host key verification failed"), "{text}");
    }
    assert!(host.orders().is_empty());
    let line = format!("[127.0.0.1]:{} {}", host.server.port, host.text("host.pub"));
    fs::write(host.path("known hosts"), line).unwrap();
    let mut settings = host.settings();
    settings.known_hosts = Some(host.path("known hosts"));
    let guest = host.bench_with("virsh", json!({"ssh_host_key": null}), settings);
    assert_eq!(guest.state().await.unwrap(), Some(PowerState::Off));
    let any = json!({"ssh_host_key": null, "ssh_verify_host_key": false});
    let guest = host.bench("virsh", any);
    assert_eq!(guest.state().await.unwrap(), Some(PowerState::Off));
}

#[tokio::test]
async fn keys_may_be_files_where_the_configuration_says_so() {
    let Some(host) = Host::start().await else {
        return;
    };
    let key = host.path("user");
    let named = json!({"ssh_key_contents": null, "ssh_key_filename": key});
    let guest = host.bench("virsh", named.clone());
    assert_eq!(guest.state().await.unwrap_err().kind(), "invalid");
    let mut settings = host.settings();
    settings.key_folders = vec![host.folder.path().to_owned()];
    let guest = host.bench_with("virsh", named, settings);
    assert_eq!(guest.state().await.unwrap(), Some(PowerState::Off));
    // The host's own key is one that nobody lets in.
    let wrong = json!({"ssh_key_contents": host.text("host")});
    let guest = host.bench("virsh", wrong);
    let error = guest.state().await.unwrap_err();
    assert_eq!(error.kind(), "refused");
    assert!(guest.told(&error).contains("Permission denied"));
}

#[tokio::test]
async fn hosts_that_do_wrong_are_noticed() {
    let Some(host) = Host::start().await else {
        return;
    };
    for (fault, kind, why) in [
        ("endless", "protocol", "its answer is longer than 1024 KiB"),
        ("garbage", "rejected", "none of its 0 virtual machines has"),
        (
            "refuses",
            "rejected",
            "ended with 1: error: it does not work today",
        ),
    ] {
        host.breaks_with(fault);
        let guest = host.bench("virsh", json!({}));
        let error = guest.state().await.unwrap_err();
        let text = guest.told(&error);
        assert_eq!(error.kind(), kind, "{fault}: {text}");
        assert!(text.contains(why), "{fault}: {text}");
    }
    host.breaks_with("stuck");
    let mut guest = host.bench("virsh", json!({}));
    let lease = LeaseProof::granted(guest.node.id, 1);
    let ports = [guest.port.clone()];
    let mut machine = Machine::new(&mut guest.node, &guest.info, &ports);
    let driver = guest.driver.clone();
    let done = driver
        .set(&lease, &mut machine, PowerTarget::On, Some(1))
        .await;
    assert_eq!(done.unwrap_err().kind(), "unfinished");
    // One that hangs is given up, and its client is gone.
    host.breaks_with("hangs");
    let mut settings = host.settings();
    settings.gate.deadline = Duration::from_secs(2);
    let guest = host.bench_with("virsh", json!({}), settings);
    let error = guest.state().await.unwrap_err();
    assert_eq!(error.kind(), "unreachable");
    assert!(guest.told(&error).contains("was not done within 2 s"));
    assert_eq!(fs::read_dir(host.path("secrets")).unwrap().count(), 0);
}

#[tokio::test]
async fn nobody_is_asked_where_nobody_is_or_may_be() {
    let Some(host) = Host::start().await else {
        return;
    };
    let nobody = json!({"ssh_port": crate::port::free()});
    let guest = host.bench("virsh", nobody);
    let error = guest.state().await.unwrap_err();
    assert_eq!(error.kind(), "unreachable");
    assert!(guest.told(&error).contains("Connection refused"));
    let mut settings = host.settings();
    let denied = Network::parse("loopback").unwrap();
    settings.outbound = Policy::new(denied, Vec::new(), Vec::new());
    let guest = host.bench_with("virsh", json!({}), settings);
    let text = guest.told(&guest.state().await.unwrap_err());
    assert!(text.contains("networks_denied"), "{text}");
    let mut settings = host.settings();
    settings.program = host.path("no-such-client");
    let guest = host.bench_with("virsh", json!({}), settings);
    let error = guest.state().await.unwrap_err();
    assert_eq!(error.kind(), "environment");
    assert!(guest.told(&error).contains("openssh-client"));
    assert!(host.orders().is_empty());
    // A machine that the hypervisor does not have, and a node without a port.
    let mut guest = host.bench("virsh", json!({}));
    guest.port.address = "52:54:00:ab:cd:09".parse().unwrap();
    let text = guest.told(&guest.state().await.unwrap_err());
    assert!(
        text.contains("none of its 2 virtual machines has"),
        "{text}"
    );
    let mut node = guest.node.clone();
    let machine = Machine::new(&mut node, &guest.info, &[]);
    let refused = guest.driver.validate(&machine).await.unwrap_err();
    assert!(refused.to_string().contains("does not have any port"));
}

/// libvirt's own client, with the driver that it has for tests: a machine that runs in each connection
/// anew, so that what is changed is taken and forgotten.
#[tokio::test]
async fn the_real_virsh_understands_what_it_is_told() {
    if !Path::new("/usr/bin/virsh").exists() {
        return missing("virsh (Debian: libvirt-clients)");
    }
    let folder = tempfile::tempdir().unwrap();
    let Some(server) = sshd::start(folder.path(), "").await else {
        return missing("sshd (Debian: openssh-server)");
    };
    let host = Host { folder, server };
    let mut settings = host.settings();
    settings.libvirt_uri = "test:///default".to_owned();
    let mut guest = host.bench_with("virsh", json!({}), settings);
    guest.port.address = "aa:bb:cc:dd:ee:ff".parse().unwrap();
    assert_eq!(guest.state().await.unwrap(), Some(PowerState::On));
    guest.boot_from("pxe").await.unwrap();
    let device = guest.device().await.unwrap().device;
    assert_eq!(device.as_deref(), Some("disk"));
    let kept = guest.recorded();
    assert!(
        kept.contains("define /dev/stdin") && !kept.contains("error:"),
        "{kept}"
    );
}

/// The client as a script, which says what it was told and asks for the password as OpenSSH's does.
#[tokio::test]
async fn a_password_is_told_to_the_client_and_to_nobody_else() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let script = |name: &str, text: String| {
        fs::write(path(name), text).unwrap();
        fs::set_permissions(path(name), fs::Permissions::from_mode(0o755)).unwrap();
    };
    let here = folder.path().display();
    script(
        "askpass",
        "#!/bin/sh\ncat \"$CORTEN_SSH_PASSWORD_FILE\"\n".into(),
    );
    script(
        "client",
        format!(
            "#!/bin/sh\nprintf '%s\\n' \"$@\" >> {here}/arguments\nenv >> {here}/environment\n\
             \"$SSH_ASKPASS\" \"me@127.0.0.1's password: \" > {here}/password\n\
             echo web\necho 'Permission denied' >&2\nexit 1\n"
        ),
    );
    let settings = SshSettings {
        program: path("client"),
        askpass: Some(path("askpass")),
        state: path("secrets"),
        ..SshSettings::default()
    };
    let recorder = Recorder::new(RecorderSettings::default());
    let driver = SshGuest(Arc::new(Ssh::new(settings, &recorder)));
    let password = "hunter2 'x' \"y\" %h";
    let info = json!({
        "ssh_address": "127.0.0.1", "ssh_username": "me", "ssh_virt_type": "virsh",
        "ssh_password": password,
    });
    let mut node = Node::new(NodeId::generate(), "test");
    let ports = [Port::new(PortId::generate(), node.id, MAC.parse().unwrap())];
    let machine = Machine::new(&mut node, info.as_object().unwrap(), &ports);
    let error = driver.get(&machine).await.unwrap_err();
    let text = types::error::chain(&error);
    assert!(
        text.contains("Permission denied") && !text.contains("hunter2"),
        "{text}"
    );
    assert_eq!(fs::read_to_string(path("password")).unwrap(), password);
    for seen in ["arguments", "environment"] {
        let seen = fs::read_to_string(path(seen)).unwrap();
        assert!(!seen.contains("hunter2"), "{seen}");
    }
    assert_eq!(fs::read_dir(path("secrets")).unwrap().count(), 0);
    let kept = serde_json::to_string(&recorder.read(node.id)).unwrap();
    assert!(
        kept.contains("list --all --name") && !kept.contains("hunter2"),
        "{kept}"
    );
}

#[tokio::test]
async fn nodes_of_all_names_stand_for_virtual_machines() {
    let Some(host) = Host::start().await else {
        return;
    };
    let owned = |names: &[&str]| names.iter().map(|&n| n.to_owned()).collect::<Vec<_>>();
    let mut options = Options::default();
    let hardware = &mut options.hardware;
    hardware.enable_hardware_types(owned(&["ssh"]));
    hardware.enable_old_names(owned(&["pxe_ssh", "agent_ssh", "fake_ssh"]));
    for (kind, names) in [
        (K::Power, &["ssh"][..]),
        (K::Management, &["noop", "ssh"]),
        (K::Boot, &["fake", "pxe"]),
        (K::Deploy, &["fake", "direct", "iscsi"]),
        (K::Inspect, &["no-inspect", "fake"]),
    ] {
        hardware.enable_interfaces(kind, owned(names));
    }
    hardware.ssh = host.settings();
    options.conductor.sync_power_state_interval = Duration::from_millis(20);
    let lab = Lab::with(Engine::Sqlite, options).await;
    for (number, name) in ["ssh", "pxe_ssh", "agent_ssh", "fake_ssh"]
        .into_iter()
        .enumerate()
    {
        let family = FAMILIES[number];
        let info = host.driver_info(family);
        let path = format!("/v1/drivers/{name}/properties");
        let properties = lab.client.get(&path).await.expect(200).json();
        for key in info.as_object().unwrap().keys() {
            assert!(properties[key].is_string(), "{name}: {key}");
        }
        let body = json!({"driver": name, "driver_info": info});
        let created = lab.client.post("/v1/nodes", body).await.expect(201).json();
        assert!(!created.to_string().contains("PRIVATE KEY"), "{created}");
        let machine = lab.machine(created["uuid"].as_str().unwrap());
        let valid = lab.client.get(&machine.path("/validate")).await.expect(200);
        let reason = valid.json()["power"]["reason"].to_string();
        assert!(reason.contains("does not have any port"), "{reason}");
        // One port is one machine's: those before have given theirs up.
        let port = json!({"node_uuid": created["uuid"], "address": MAC});
        let port = lab.client.post("/v1/ports", port).await.expect(201).json();
        machine.asks("manage").await.reaches(S::Manageable).await;
        for (target, state) in [
            ("power on", "power on"),
            ("rebooting", "power on"),
            ("power off", "power off"),
        ] {
            let path = machine.path("/states/power");
            let body = json!({"target": target});
            lab.client.put(&path, body).await.expect(202);
            let node = machine.rests().await;
            assert_eq!(node["last_error"], json!(null), "{name}: {target}");
            assert_eq!(node["power_state"], state, "{name}: {target}");
        }
        if family != "vmware" {
            let path = machine.path("/management/boot_device");
            let device = json!({"boot_device": "pxe", "persistent": true});
            lab.client.put(&path, device).await.expect(204);
            let found = lab.client.get(&path).await.expect(200).json();
            assert_eq!(found["boot_device"], "pxe", "{name}");
        }
        // Whoever asks all machines finds this one by its port, too.
        lab.has_round("power_sync", 1, 0).await;
        let path = format!("/v1/ports/{}", port["uuid"].as_str().unwrap());
        let maintenance = json!([{"op": "add", "path": "/maintenance", "value": true}]);
        machine.patch(maintenance).await.expect(200);
        lab.client.delete(&path).await.expect(204);
    }
    lab.stop().await;
}
