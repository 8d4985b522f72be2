//! The bash ramdisk of releases up to 5, as far as its conversation goes: it exports its disk, tells
//! where, and waits to be told that it was written.

use super::{
    iscsi::{MIB, OLD, Seen, root, root_uuid},
    place::AgentHome,
};
use crate::{
    database::Engine,
    http::{Answer, Request},
    lab::{Lab, Machine, Options},
    leases::{Dhcp, LEASED},
    port,
};
use agent::{
    disk::export::{self, Export},
    safety::Permit,
};
use serde_json::{Value, json};
use std::{fs, time::Duration};
use tokio::{io::AsyncReadExt, net::TcpListener};
use types::{
    InterfaceKind as K, ProvisionState as S,
    internal_info::bash::{BashRamdisk, LetGo},
};

every_engine!(
    a_bash_ramdisk_takes_a_machine_to_active_by_the_network,
    a_bash_ramdisk_installs_the_boot_loader,
    what_a_bash_ramdisk_complains_about_fails_the_node,
    calls_that_are_not_the_machines_are_refused,
    an_agent_without_a_token_is_found_and_heard,
    an_old_report_does_not_stand_in_for_a_token,
    a_bash_ramdisk_outlives_the_conductor,
    a_bash_ramdisk_hears_only_once_that_it_may_go,
    who_has_the_lease_is_the_bash_ramdisk,
);

const MAC: &str = "52:54:00:dd:00:01";
const DASHED: &str = "52-54-00-dd-00-01";

struct Bash {
    home: AgentHome,
    export: Export,
    iscsi: u16,
    listener: TcpListener,
    /// Where it waits.
    done: u16,
}

impl Bash {
    async fn new() -> Self {
        let home = AgentHome::make().await;
        for name in ["vmlinuz", "initrd"] {
            fs::write(home.path(name), name).unwrap();
        }
        fs::write(home.path("image"), root(7, 5)).unwrap();
        fs::write(home.path("disk"), vec![OLD; 4 * MIB]).unwrap();
        let disk = fs::File::options().write(true).open(home.path("disk"));
        disk.unwrap().set_len(3 << 30).unwrap();
        let listener = TcpListener::bind("0.0.0.0:0").await.unwrap();
        Self {
            home,
            export: Export::default(),
            iscsi: port::free(),
            done: listener.local_addr().unwrap().port(),
            listener,
        }
    }

    fn options(&self) -> Options {
        let mut options = self.home.options();
        let hardware = &mut options.hardware;
        hardware.enable_interfaces(K::Deploy, vec!["direct".into(), "iscsi".into()]);
        hardware.netboot.default_uefi = false;
        options.api.legacy_ramdisk = true;
        let conductor = &mut options.conductor;
        conductor.legacy_ramdisk = true;
        conductor.automated_clean = false;
        conductor.ramdisk.default_uefi = false;
        let iscsi = &mut conductor.ramdisk.iscsi;
        iscsi.verify_pause = Duration::from_millis(5);
        iscsi.ramdisk_pause = Duration::ZERO;
        iscsi.ramdisk_port = Some(self.done);
        options
    }

    /// A machine that boots the ramdisk.
    async fn waiting<'l>(&self, lab: &'l Lab, option: &str) -> Machine<'l> {
        let machine = lab
            .enroll(json!({
                "boot_interface": "ipxe", "deploy_interface": "iscsi",
                "management_interface": "noop",
            }))
            .await;
        let port = json!({"address": MAC, "node_uuid": machine.id.to_string()});
        lab.client.post("/v1/ports", port).await.expect(201);
        machine.asks("manage").await.reaches(S::Manageable).await;
        machine.asks("provide").await.reaches(S::Available).await;
        let instance = json!({
            "image_source": self.home.file("image"), "root_gb": 1,
            "kernel": self.home.file("vmlinuz"), "ramdisk": self.home.file("initrd"),
            "capabilities": {"boot_option": option},
        });
        let change = json!([{"op": "add", "path": "/instance_info", "value": instance}]);
        machine.patch(change).await.expect(200);
        machine.asks("active").await.reaches(S::DeployWait).await;
        machine
    }

    /// A parameter on the kernel's command line.
    async fn parameter(&self, name: &str) -> String {
        let script = self.home.text(&format!("/pxelinux.cfg/{DASHED}")).await;
        parameter(&script.unwrap(), name)
    }

    /// Exports the disk as it was told.
    async fn exports(&self) {
        let asked = json!({
            "iqn": self.parameter("iscsi_target_iqn").await, "portal_port": self.iscsi,
        });
        let request = export::Request::read(asked.as_object().unwrap()).unwrap();
        let disk = self.home.path("disk");
        let permit = Permit::from_operator();
        self.export.start(&permit, &disk, request).await.unwrap();
    }

    async fn report(&self) -> Value {
        json!({
            "address": "127.0.0.1", "key": self.parameter("deployment_key").await,
            "iqn": self.parameter("iscsi_target_iqn").await, "error": "",
            "port": self.iscsi.to_string(),
        })
    }

    /// Waits until it is let go.
    async fn hears(&self) -> String {
        let (mut connection, _) = self.listener.accept().await.unwrap();
        let mut heard = String::new();
        connection.read_to_string(&mut heard).await.unwrap();
        heard
    }
}

fn parameter(script: &str, name: &str) -> String {
    let start = format!("{name}=");
    let mut words = script.split_whitespace();
    let found = words.find_map(|word| word.strip_prefix(&start));
    found
        .unwrap_or_else(|| panic!("{name}: {script}"))
        .to_owned()
}

/// What is known of the ramdisk.
async fn bash_ramdisk(lab: &Lab, machine: Machine<'_>) -> BashRamdisk {
    let node = store::node::find(&lab.db, machine.id).await.unwrap();
    let info = node.unwrap().driver_internal_info;
    info.bash_ramdisk().unwrap()
}

async fn post(lab: &Lab, machine: Machine<'_>, method: &str, body: Value) -> Answer {
    // The oldest of them leave the version out.
    let path = format!("/nodes/{}/vendor_passthru/{method}", machine.id);
    from_machine(lab, &path, body).await
}

/// A call by way of a proxy, which says where it came from.
async fn from_machine(lab: &Lab, path: &str, body: Value) -> Answer {
    let request = Request::new("POST", path).header("x-forwarded-for", "127.0.0.1");
    lab.client.send(request.json(&body)).await
}

async fn a_bash_ramdisk_takes_a_machine_to_active_by_the_network(engine: Engine) {
    let bash = Bash::new().await;
    let lab = Lab::with(engine, bash.options()).await;
    let machine = bash.waiting(&lab, "netboot").await;
    assert_eq!(
        bash.parameter("deployment_id").await,
        machine.id.to_string()
    );
    assert_eq!(bash.parameter("boot_option").await, "netboot");
    assert_eq!(bash.parameter("boot_mode").await, "bios");
    assert_eq!(
        bash.parameter("ip").await,
        "${ip}:${next-server}:${gateway}:${netmask}"
    );
    let key = bash.parameter("deployment_key").await;
    assert_eq!(key.len(), 32);
    let shown = machine.show().await.to_string();
    assert!(!shown.contains(&key), "the key is shown");
    bash.exports().await;
    let powered = machine.show().await["power_state"].clone();
    post(&lab, machine, "pass_deploy_info", bash.report().await)
        .await
        .expect(202);
    assert_eq!(bash.hears().await, "done");
    let node = machine.reaches(S::Active).await;
    assert_eq!(
        node["power_state"], powered,
        "the ramdisk restarts its machine"
    );
    assert_eq!(
        node["driver_internal_info"]["root_uuid_or_disk_id"],
        root_uuid(7)
    );
    assert!(
        node["driver_internal_info"]
            .get("corten_bash_ramdisk")
            .is_none()
    );
    let disk = Seen::open(&bash.home.path("disk"));
    assert!(disk.read(MIB, 5 * MIB) == root(7, 5));
    let script = bash
        .home
        .text(&format!("/pxelinux.cfg/{DASHED}"))
        .await
        .unwrap();
    assert!(script.contains("goto boot_partition"), "{script}");

    // Who comes too late is passed over, also with the right key: nobody is connected to.
    let log = lab.told(machine.id).await;
    let late = json!({
        "address": "127.0.0.1", "key": key, "iqn": "iqn.x", "error": "", "port": bash.done.to_string(),
    });
    post(&lab, machine, "pass_deploy_info", late)
        .await
        .expect(202);
    let node = machine.show().await;
    assert_eq!(node["provision_state"], "active");
    assert_eq!(node["reservation"], json!(null));
    assert_eq!(lab.told(machine.id).await, log);
    lab.stop().await;
}

async fn a_bash_ramdisk_installs_the_boot_loader(engine: Engine) {
    for (status, error) in [("SUCCEEDED", ""), ("FAILED", "no+grub")] {
        let bash = Bash::new().await;
        let lab = Lab::with(engine, bash.options()).await;
        let machine = bash.waiting(&lab, "local").await;
        bash.exports().await;
        let key = bash.parameter("deployment_key").await;
        post(&lab, machine, "pass_deploy_info", bash.report().await)
            .await
            .expect(202);
        assert_eq!(bash.hears().await, "done");
        machine.reaches(S::DeployWait).await;
        let known = bash_ramdisk(&lab, machine).await;
        assert_eq!(known.let_go, Some(LetGo::Write));
        let told = json!({"address": "127.0.0.1", "key": key, "status": status, "error": error});
        let report = post(&lab, machine, "pass_bootloader_install_info", told);
        report.await.expect(202);
        if status == "SUCCEEDED" {
            assert_eq!(bash.hears().await, "done");
            machine.reaches(S::Active).await;
        } else {
            let node = machine.reaches(S::DeployFailed).await;
            let expected = format!(
                "Failed to install bootloader on node {}. Error: no+grub.",
                machine.id
            );
            assert_eq!(node["last_error"], json!(expected));
            assert_eq!(node["power_state"], "power off");
        }
        lab.stop().await;
    }
}

async fn what_a_bash_ramdisk_complains_about_fails_the_node(engine: Engine) {
    let bash = Bash::new().await;
    let lab = Lab::with(engine, bash.options()).await;
    let machine = bash.waiting(&lab, "netboot").await;
    let mut report = bash.report().await;
    report["error"] = json!("Could+not+find+disk+to+use.");
    post(&lab, machine, "pass_deploy_info", report)
        .await
        .expect(202);
    let node = machine.reaches(S::DeployFailed).await;
    assert_eq!(
        node["last_error"],
        "Error returned from deploy ramdisk: Could+not+find+disk+to+use."
    );
    assert_eq!(node["power_state"], "power off");
    lab.stop().await;
}

async fn calls_that_are_not_the_machines_are_refused(engine: Engine) {
    let bash = Bash::new().await;
    let lab = Lab::with(engine, bash.options()).await;
    let machine = bash.waiting(&lab, "netboot").await;
    let good = bash.report().await;
    let changed = |key: &str, value: Value| {
        let mut report = good.clone();
        report[key] = value;
        report
    };
    for (report, said) in [
        (changed("key", json!("x")), "Deploy key does not match"),
        (
            changed("key", json!("")),
            "Parameters ['key'] were not passed to ironic for deploy.",
        ),
        (
            changed("iqn", json!(null)),
            "Parameters ['iqn'] were not passed to ironic for deploy.",
        ),
        (
            changed("address", json!("127.0.0.2")),
            "is not the address of the machine",
        ),
        (
            changed("address", json!("localhost")),
            "address is not an IP address",
        ),
        (changed("corten_peer", json!("127.0.0.2")), ""),
    ] {
        if said.is_empty() {
            continue;
        }
        let answer = post(&lab, machine, "pass_deploy_info", report).await;
        let text = answer.expect(400).json().to_string();
        assert!(text.contains(said), "{said}: {text}");
    }
    // Whoever says where they are from is not believed.
    let mut forged = changed("address", json!("127.0.0.2"));
    forged["corten_peer"] = json!("127.0.0.2");
    post(&lab, machine, "pass_deploy_info", forged)
        .await
        .expect(400);
    let path = machine.path("/vendor_passthru/pass_deploy_info");
    let text = lab.client.get(&path).await.expect(400).json().to_string();
    assert!(
        text.contains("The method pass_deploy_info does not support HTTP GET"),
        "{text}"
    );
    // In another state nothing happens.
    machine.asks("deleted").await.reaches(S::Available).await;
    post(&lab, machine, "pass_deploy_info", good.clone())
        .await
        .expect(400);
    assert_eq!(Seen::open(&bash.home.path("disk")).read(0, 16), [OLD; 16]);
    lab.stop().await;

    // Nor is any of it there unless it is switched on.
    let bash = Bash::new().await;
    let mut options = bash.options();
    options.api.legacy_ramdisk = false;
    options.conductor.legacy_ramdisk = false;
    let lab = Lab::with(engine, options).await;
    let machine = bash.waiting(&lab, "netboot").await;
    let script = bash
        .home
        .text(&format!("/pxelinux.cfg/{DASHED}"))
        .await
        .unwrap();
    assert!(!script.contains("deployment_key"), "{script}");
    let text = post(&lab, machine, "pass_deploy_info", good)
        .await
        .expect(400)
        .json();
    assert!(
        text.to_string()
            .contains("No handler for method pass_deploy_info"),
        "{text}"
    );
    lab.stop().await;
}

async fn an_agent_without_a_token_is_found_and_heard(engine: Engine) {
    let bash = Bash::new().await;
    let mut options = bash.options();
    options.conductor.ramdisk.iscsi.portal_port = bash.iscsi;
    let lab = Lab::with(engine, options).await;
    let machine = bash.waiting(&lab, "netboot").await;
    let path = "/v1/drivers/fake-hardware/vendor_passthru/lookup";
    let asked =
        |mac: &str| json!({"version": "2", "inventory": {"interfaces": [{"mac_address": mac}]}});
    let found = lab.client.post(path, asked(MAC)).await.expect(200).json();
    assert_eq!(found["node"]["uuid"], machine.id.to_string());
    assert_eq!(found["heartbeat_timeout"], 300);
    lab.client
        .post(path, asked("52:54:00:00:00:99"))
        .await
        .expect(404);
    let text = lab
        .client
        .post(path, json!({}))
        .await
        .expect(400)
        .json()
        .to_string();
    assert!(text.contains("Missing parameter version"), "{text}");

    let agent = super::puppet().await;
    agent.is("1.0.5");
    agent.exports(bash.home.path("disk"));
    let beat = |url: &str| json!({"agent_url": url});
    let path = machine.path("/vendor_passthru/heartbeat");
    from_machine(&lab, &path, beat("http://127.0.0.9:9999"))
        .await
        .expect(400);
    agent.knows_no_tokens();
    let url = agent.url().to_owned();
    loop {
        let heard = from_machine(&lab, &path, beat(&url)).await;
        let said = String::from_utf8_lossy(&heard.body).into_owned();
        assert!(matches!(heard.status, 202 | 409), "{said}");
        let node = machine.rests().await;
        if node["provision_state"] != "wait call-back" {
            assert_eq!(node["provision_state"], "active", "{node:#}");
            break;
        }
    }
    lab.stop().await;
}

async fn an_old_report_does_not_stand_in_for_a_token(engine: Engine) {
    let bash = Bash::new().await;
    let lab = Lab::with(engine, bash.options()).await;
    let machine = bash.waiting(&lab, "netboot").await;
    let path = machine.path("/vendor_passthru/heartbeat");
    let url = "http://127.0.0.1:9";
    let internal = async || machine.show().await["driver_internal_info"].clone();
    // What is refused leaves nothing behind, a token least of all.
    for refused in ["http://127.0.0.9:9", "http://machine:9"] {
        let answer = from_machine(&lab, &path, json!({"agent_url": refused})).await;
        answer.expect(400);
    }
    assert!(internal().await.get("agent_secret_token").is_none());

    let lookup = format!("/v1/lookup?node_uuid={}", machine.id);
    let found = lab.client.get(&lookup).await.expect(200).json();
    let token = found["config"]["agent_token"].as_str().unwrap().to_owned();
    for beat in [
        json!({"agent_url": url}),
        json!({"agent_url": url, "agent_token": ""}),
        json!({"agent_url": url, "agent_token": format!("{token}x")}),
    ] {
        let answer = from_machine(&lab, &path, beat).await;
        let text = answer.expect(400).json().to_string();
        assert!(text.contains("Invalid or missing agent token"), "{text}");
    }
    assert!(internal().await.get("agent_url").is_none());
    let beat = json!({"agent_url": url, "agent_token": token});
    from_machine(&lab, &path, beat).await.expect(202);
    assert_eq!(internal().await["agent_url"], url);
    lab.stop().await;
}

/// The conductor ends while it writes; the next one writes again, and lets the ramdisk go.
async fn a_bash_ramdisk_outlives_the_conductor(engine: Engine) {
    let bash = Bash::new().await;
    let image = root(9, 160);
    fs::write(bash.home.path("image"), &image).unwrap();
    let options = || {
        let mut options = bash.options();
        options.conductor.graceful_shutdown_timeout = Duration::from_millis(10);
        options
    };
    let lab = Lab::with(engine, options()).await;
    let machine = bash.waiting(&lab, "netboot").await;
    let id = machine.id.to_string();
    bash.exports().await;
    post(&lab, machine, "pass_deploy_info", bash.report().await)
        .await
        .expect(202);
    let disk = Seen::open(&bash.home.path("disk"));
    while disk.read(0, 1) == [OLD] || disk.read(10 * MIB, 1) == [0] {
        tokio::task::yield_now().await;
    }
    let database = lab.stop().await;
    let lab = Lab::on(database, options()).await;
    let machine = lab.machine(&id);
    assert_eq!(bash.hears().await, "done");
    let node = machine.reaches(S::Active).await;
    assert_eq!(
        node["driver_internal_info"]["root_uuid_or_disk_id"],
        root_uuid(9)
    );
    assert!(disk.read(MIB, image.len()) == image);
    lab.stop().await;
}

/// A conductor ended between the word and its note of what came of it. The ramdisk restarts its
/// machine and listens no more; so does one that nobody has told anything.
async fn a_bash_ramdisk_hears_only_once_that_it_may_go(engine: Engine) {
    for was_told in [true, false] {
        let bash = Bash::new().await;
        let mut options = bash.options();
        options.conductor.graceful_shutdown_timeout = Duration::from_millis(10);
        // It is stopped while it looks for the disk, which is not there yet.
        options.conductor.ramdisk.iscsi.verify_attempts = u32::MAX;
        let lab = Lab::with(engine, options).await;
        let machine = bash.waiting(&lab, "netboot").await;
        let id = machine.id;
        post(&lab, machine, "pass_deploy_info", bash.report().await)
            .await
            .expect(202);
        machine
            .until("it to be written", |node| {
                Some(node["deploy_step"]["step"] == "write_image")
            })
            .await;
        let database = lab.stop().await;
        if was_told {
            let db = database.open();
            let mut node = store::node::find(&db, id).await.unwrap().unwrap();
            let mut known = node.driver_internal_info.bash_ramdisk().unwrap();
            known.let_go = Some(LetGo::Write);
            node.driver_internal_info.set_bash_ramdisk(&known);
            let fence = match &node.reservation {
                Some(_) => store::node::Fence::Held,
                None => store::node::Fence::Free,
            };
            let saved = store::node::save(&db, node, fence, Default::default());
            saved.await.unwrap();
        }
        bash.exports().await;
        let again = bash.options();
        drop(bash.listener);
        let lab = Lab::on(database, again).await;
        let machine = lab.machine(&id.to_string());
        if was_told {
            let node = machine.reaches(S::Active).await;
            assert_eq!(node["last_error"], json!(null));
            let told = lab.told(id).await;
            let warned = told
                .iter()
                .any(|text| text.contains("The ramdisk does not listen any more."));
            assert!(warned, "{told:#?}");
        } else {
            let node = machine.reaches(S::DeployFailed).await;
            let error = node["last_error"].as_str().unwrap();
            assert!(error.contains("Failed to notify ramdisk"), "{error}");
        }
        lab.stop().await;
    }
}

/// Where our own DHCP server gives the addresses it is the judge, and not where a call comes from.
async fn who_has_the_lease_is_the_bash_ramdisk(engine: Engine) {
    let bash = Bash::new().await;
    let place = tempfile::tempdir().unwrap();
    let dhcp = Dhcp::start(place.path()).await;
    let mut options = bash.options();
    options.hardware.boot = Some(dhcp.boot.clone());
    let lab = Lab::with(engine, options).await;
    let machine = bash.waiting(&lab, "netboot").await;
    let script = place.path().join("http/pxelinux.cfg").join(DASHED);
    let script = fs::read_to_string(script).unwrap();
    let (key, target) = (
        parameter(&script, "deployment_key"),
        parameter(&script, "iscsi_target_iqn"),
    );
    let report = |address: &str| {
        json!({
            "address": address, "key": key, "iqn": target, "error": "",
            "port": bash.iscsi.to_string(),
        })
    };
    let refused = async |address: &str| {
        let answer = post(&lab, machine, "pass_deploy_info", report(address)).await;
        let text = answer.expect(400).fault();
        assert!(text.contains("is not the address of the machine"), "{text}");
    };
    // It calls from this address, and has none yet.
    refused("127.0.0.1").await;
    refused(LEASED).await;
    dhcp.lease(MAC).await;
    refused("127.0.0.1").await;
    let asked = json!({"iqn": target, "portal_port": bash.iscsi});
    let request = export::Request::read(asked.as_object().unwrap()).unwrap();
    let (disk, permit) = (bash.home.path("disk"), Permit::from_operator());
    bash.export.start(&permit, &disk, request).await.unwrap();
    post(&lab, machine, "pass_deploy_info", report(LEASED))
        .await
        .expect(202);
    assert_eq!(bash.hears().await, "done");
    machine.reaches(S::Active).await;
    dhcp.stop.cancel();
    lab.stop().await;
}
