//! Machines that boot from virtual media: what is on their discs, and that the drives are emptied.

use super::{place::AgentHome, puppet, waits_for};
use crate::{
    cloud::{Cloud, Outage, Peer},
    database::Engine,
    http::Client,
    lab::{Lab, Machine, Options},
};
use drivers::redfish::DiscContainer;
use serde_json::{Value, json};
use sim::{
    Layout, Machines, Settings,
    machine::account::User,
    personality::Personality,
    redfish::{
        Options as RedfishOptions, certificate,
        server::{Server, Serving},
    },
};
use std::{fs, net::Ipv4Addr, path::Path, process::Command, sync::Arc, time::Duration};
use types::{InterfaceKind as K, ProvisionState as S};

every_engine!(
    a_machine_boots_from_its_disc,
    an_instance_can_be_a_disc_with_a_config_drive,
    a_disc_of_the_operator_is_passed_on,
    a_disc_moves_with_its_machine,
    ports_are_made_of_what_the_bmc_knows_before_an_inspection,
    a_misspelt_key_is_named_where_its_absence_is_told,
    discs_can_be_objects_in_swift,
);

/// A simulated machine behind its Redfish service.
pub(crate) struct Bmc {
    pub(crate) machines: Machines,
    pub(crate) address: String,
    _server: Server,
}

impl Bmc {
    pub(crate) async fn start() -> Self {
        Self::made_by("generic").await
    }

    pub(crate) async fn made_by(maker: &str) -> Self {
        let settings = Settings {
            personality: Personality::of_name(maker).unwrap(),
            users: Arc::new([User::administrator("admin", "secret")]),
            ..Settings::default()
        };
        let machines = sim::machines(1, &Arc::new(settings));
        let serving = Serving {
            layout: Layout::Ports {
                address: Ipv4Addr::LOCALHOST.into(),
                first: 0,
            },
            options: Arc::new(RedfishOptions::default()),
            group: 1,
            tls: certificate::self_signed().unwrap(),
        };
        let server = Server::start(&machines, serving).await.unwrap();
        Self {
            address: format!("https://{}", server.endpoint(0).unwrap()),
            machines,
            _server: server,
        }
    }

    /// The address of one of the machine's network interfaces.
    fn mac(&self, interface: u32) -> String {
        let bytes = self.machines[0].mac(interface);
        bytes.map(|byte| format!("{byte:02x}")).join(":")
    }
}

/// The address of what is in the drive for a kind of medium.
async fn inserted(lab: &Lab, machine: Machine<'_>, kind: &str) -> Option<String> {
    let drives = lab
        .client
        .get(&machine.path("/vmedia"))
        .await
        .expect(200)
        .json();
    let drives = drives.as_array().unwrap().clone();
    let is_meant = |drive: &&Value| {
        drive["media_types"]
            .as_array()
            .unwrap()
            .contains(&json!(kind))
    };
    let drive = drives.iter().find(is_meant).unwrap();
    (drive["inserted"] == true).then(|| drive["image"].as_str().unwrap().to_owned())
}

/// The path of what is in a drive, below the address of the place that serves it.
async fn in_drive(lab: &Lab, place: &AgentHome, machine: Machine<'_>, kind: &str) -> String {
    let url = inserted(lab, machine, kind).await.unwrap();
    let path = url.strip_prefix(&format!("{}/", place.url()));
    path.unwrap_or_else(|| panic!("{url}")).to_owned()
}

pub(crate) fn options(place: &AgentHome) -> Options {
    let mut options = place.options();
    let hardware = &mut options.hardware;
    hardware.enable_hardware_types(vec!["redfish".into()]);
    let named = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
    hardware.enable_interfaces(K::Power, named(&["redfish"]));
    hardware.enable_interfaces(K::Management, named(&["redfish"]));
    hardware.enable_interfaces(K::Bios, named(&["no-bios"]));
    hardware.enable_interfaces(K::Boot, named(&["redfish-virtual-media"]));
    hardware.enable_interfaces(K::Console, named(&["no-console"]));
    hardware.enable_interfaces(K::Firmware, named(&["no-firmware"]));
    hardware.enable_interfaces(K::Inspect, named(&["no-inspect"]));
    hardware.enable_interfaces(K::Raid, named(&["no-raid"]));
    hardware.enable_interfaces(K::Rescue, named(&["no-rescue"]));
    hardware.enable_interfaces(K::Vendor, named(&["no-vendor"]));
    // Stand-ins for loaders: nothing starts them here.
    let discs = &mut hardware.discs;
    for name in ["grub.efi", "shim.efi", "isolinux.bin", "ca.pem"] {
        fs::write(place.path(name), vec![7; 4096]).unwrap();
    }
    let of = |name| [("x86_64".to_owned(), place.path(name))].into();
    discs.grub_by_arch = of("grub.efi");
    discs.shim_by_arch = of("shim.efi");
    discs.isolinux = place.path("isolinux.bin");
    discs.ca_file = Some(place.path("ca.pem"));
    options
}

pub(super) async fn enrolled<'a>(
    lab: &'a Lab,
    bmc: &Bmc,
    deploy: &str,
    more: Value,
) -> Machine<'a> {
    let mut body = json!({
        "driver": "redfish", "deploy_interface": deploy,
        "driver_info": {
            "redfish_address": bmc.address, "redfish_username": "admin",
            "redfish_password": "secret", "redfish_verify_ca": false,
        },
        "network_data": {"links": [], "networks": [], "services": []},
    });
    for (key, value) in more.as_object().unwrap() {
        for (name, value) in value.as_object().unwrap() {
            body[key][name] = value.clone();
        }
    }
    let machine = lab.enroll(body).await;
    machine.asks("manage").await.reaches(S::Manageable).await;
    machine
}

/// A file of a disc, read by a program that others wrote; nothing if that is not installed.
fn on_disc(disc: &Path, path: &str) -> Option<Vec<u8>> {
    let out = tempfile::tempdir().unwrap();
    let to = out.path().join("file");
    let done = Command::new("xorriso")
        .args(["-osirrox", "on", "-indev"])
        .arg(disc)
        .args(["-extract", path])
        .arg(&to)
        .output();
    let Ok(done) = done else {
        assert!(std::env::var_os("CI").is_none(), "xorriso is not installed");
        println!("SKIPPED: xorriso is not installed");
        return None;
    };
    assert!(
        done.status.success(),
        "{path}: {}",
        String::from_utf8_lossy(&done.stderr)
    );
    Some(fs::read(to).unwrap())
}

pub(super) fn text(disc: &Path, path: &str) -> Option<String> {
    Some(String::from_utf8(on_disc(disc, path)?).unwrap())
}

async fn a_machine_boots_from_its_disc(engine: Engine) {
    let (place, bmc) = (AgentHome::make().await, Bmc::start().await);
    let lab = Lab::with(engine, options(&place)).await;
    let more = json!({"driver_info": {"config_via_removable": true}});
    let machine = enrolled(&lab, &bmc, "direct", more).await;
    let agent = puppet().await;
    machine.asks("provide").await.reaches(S::CleanWait).await;
    let name = in_drive(&lab, &place, machine, "CD").await;
    assert!(name.starts_with(&format!("redfish/boot-{}-", machine.id)));
    let image = in_drive(&lab, &place, machine, "USBStick").await;
    assert!(image.starts_with(&format!("redfish/image-{}-", machine.id)));
    // Whoever knows the machine does not know the name.
    for guess in ["boot-{}.iso", "image-{}.img"] {
        let guess = guess.replace("{}", &machine.id.to_string());
        assert_eq!(place.get(&format!("/redfish/{guess}")).await, None);
    }

    // The BMC reads the disc by HTTP; the token on it is the one that the service takes.
    let disc = place.path("fetched.iso");
    fs::write(&disc, place.get(&format!("/{name}")).await.unwrap()).unwrap();
    let floppy = place.get(&format!("/{image}")).await.unwrap();
    let floppy = String::from_utf8_lossy(&floppy).into_owned();
    let (_, rest) = floppy.split_once("ipa-agent-token=").unwrap();
    let token: String = rest.chars().take(43).collect();
    if let Some(config) = text(&disc, "/EFI/BOOT/grub.cfg") {
        for word in [
            "ipa-api-url=http://127.0.0.1:1",
            "boot_method=vmedia",
            &format!("ipa-agent-token={token}"),
            "ir_pub_id=",
        ] {
            assert!(config.contains(word), "{word} in {config}");
        }
        assert_eq!(text(&disc, "/vmlinuz").unwrap(), "the kernel");
        assert_eq!(text(&disc, "/initrd").unwrap(), "the ramdisk");
        let network = text(&disc, "/openstack/latest/network_data.json").unwrap();
        assert!(network.contains("services"), "{network}");
        let trust = text(&disc, "/etc/ironic-python-agent.d/ironic-tls.conf").unwrap();
        assert!(trust.contains("cafile = /etc/ironic-python-agent/ironic.crt"));
    }
    let path = format!("/v1/lookup?node_uuid={}", machine.id);
    let found = lab.client.get(&path).await.expect(200).json();
    assert_eq!(found["config"]["agent_token"], "******");
    agent.knows(token);
    agent.reports(&lab, machine).await;
    // It is all in memory now, and nobody else is to read the token.
    assert!(!place.exists(&format!("http/{name}")) && !place.exists(&format!("http/{image}")));
    for step in ["erase_devices_metadata", "erase_devices"] {
        waits_for(machine, "clean_step", step).await;
        agent.ends(Ok(json!({})));
        agent.reports(&lab, machine).await;
    }
    machine.reaches(S::Available).await;
    assert_eq!(
        (
            inserted(&lab, machine, "CD").await,
            inserted(&lab, machine, "USBStick").await
        ),
        (None, None)
    );
    assert!(!place.exists(&format!("http/{name}")) && !place.exists(&format!("http/{image}")));
    lab.stop().await;
}

/// `[redfish]use_swift`: the BMC needs to reach Swift, and nothing else.
async fn discs_can_be_objects_in_swift(engine: Engine) {
    let (place, bmc, cloud) = (
        AgentHome::make().await,
        Bmc::start().await,
        Cloud::start().await,
    );
    let mut options = options(&place);
    options.hardware.openstack = Some(cloud.services());
    options.hardware.discs.url = None;
    options.hardware.discs.swift = Some(DiscContainer {
        name: "ironic_redfish_container".into(),
        lifetime: Duration::from_secs(900),
    });
    let lab = Lab::with(engine, options).await;
    let more = json!({"driver_info": {"config_via_removable": true}});
    let machine = enrolled(&lab, &bmc, "direct", more).await;
    let agent = puppet().await;
    machine.asks("provide").await.reaches(S::CleanWait).await;
    let (disc, floppy) = (
        format!("boot-{}.iso", machine.id),
        format!("image-{}.img", machine.id),
    );
    let stored = |name: &str| cloud.object("ironic_redfish_container", name);
    assert_eq!(stored(&disc).unwrap().delete_after.as_deref(), Some("900"));
    let url = inserted(&lab, machine, "CD").await.unwrap();
    assert!(url.contains(&format!("/{disc}?temp_url_sig=")), "{url}");
    assert!(url.ends_with(&format!("&filename={disc}")), "{url}");
    // The BMC has no token.
    let path = url.strip_prefix(&cloud.url).unwrap();
    let address = cloud.url.strip_prefix("http://").unwrap().parse().unwrap();
    let fetched = Client { address }.get(path).await.expect(200);
    assert_eq!(fetched.body, stored(&disc).unwrap().contents);
    let parameters = stored(&floppy).unwrap().contents;
    let parameters = String::from_utf8_lossy(&parameters).into_owned();
    let (_, rest) = parameters.split_once("ipa-agent-token=").unwrap();
    let token: String = rest.chars().take(43).collect();
    let folder = fs::read_dir(place.path("http/redfish")).unwrap();
    assert_eq!(
        folder.count(),
        0,
        "there is no copy beside the one in Swift"
    );
    let noted = async |machine: Machine<'_>| {
        let node = store::node::find(&lab.db, machine.id).await.unwrap();
        node.unwrap().driver_internal_info.stored_objects().len()
    };
    assert_eq!(noted(machine).await, 2);

    agent.knows(token);
    agent.reports(&lab, machine).await;
    assert_eq!(
        cloud.objects(),
        Vec::<String>::new(),
        "nobody else is to read the token"
    );
    for step in ["erase_devices_metadata", "erase_devices"] {
        waits_for(machine, "clean_step", step).await;
        agent.ends(Ok(json!({})));
        agent.reports(&lab, machine).await;
    }
    machine.reaches(S::Available).await;
    assert_eq!(inserted(&lab, machine, "CD").await, None);
    assert_eq!((cloud.objects(), noted(machine).await), (Vec::new(), 0));

    // Without Swift nothing is begun, and afterwards nothing is left.
    machine.asks("manage").await.reaches(S::Manageable).await;
    cloud.fail(Peer::Swift, Outage::Status(507));
    machine.asks("provide").await;
    let node = machine
        .until("clean failed", |node| {
            Some(node["provision_state"] == "clean failed" && node["reservation"].is_null())
        })
        .await;
    let error = node["last_error"].as_str().unwrap();
    for part in [
        "Swift operation 'put object' failed: ",
        &format!("object ironic_redfish_container/{floppy}"),
        "HTTP 507",
        "check the health and the logs of Swift",
    ] {
        assert!(error.contains(part), "{part}: {error}");
    }
    cloud.heal(Peer::Swift);
    machine.asks("manage").await.reaches(S::Manageable).await;
    assert_eq!(cloud.objects(), Vec::<String>::new());
    let told = lab.told(machine.id).await.join("\n");
    assert!(!told.contains("temp_url_sig="), "{told}");
    lab.stop().await;
}

async fn a_misspelt_key_is_named_where_its_absence_is_told(engine: Engine) {
    let place = AgentHome::make().await;
    let lab = Lab::with(engine, options(&place)).await;
    let info = json!({"redfish_adress": "https://192.0.2.1"});
    let body = json!({"driver": "redfish", "driver_info": info});
    let machine = lab.enroll(body).await;
    let verdicts = lab.client.get(&machine.path("/validate")).await;
    let verdicts = verdicts.expect(200).json();
    let reason = verdicts["power"]["reason"].as_str().unwrap();
    let hint = "driver_info has redfish_adress: did you mean redfish_address?";
    assert!(reason.ends_with(hint), "{reason}");
    let info = json!({"op": "add", "path": "/instance_info/image_sorce", "value": "http://h/i"});
    let size = json!({"op": "add", "path": "/properties/memory_gb", "value": 4});
    machine.patch(json!([info, size])).await.expect(200);
    let again = json!([{"op": "add", "path": "/properties/rack", "value": 4}]);
    machine.patch(again).await.expect(200);
    let told = lab.told(machine.id).await.join("\n");
    for meant in ["redfish_address", "image_source", "memory_mb"] {
        let hint = format!("did you mean {meant}?");
        assert_eq!(told.matches(&hint).count(), 1, "{told}");
    }
    lab.stop().await;
}

/// `[inspector]pre_create_ports`: the machine is known when its ramdisk calls.
async fn ports_are_made_of_what_the_bmc_knows_before_an_inspection(engine: Engine) {
    for wanted in [false, true] {
        let (place, bmc) = (AgentHome::make().await, Bmc::start().await);
        let mut options = options(&place);
        let inspect = vec!["agent".to_owned()];
        options.hardware.enable_interfaces(K::Inspect, inspect);
        options.conductor.inspection.pre_create_ports = wanted;
        let lab = Lab::with(engine, options).await;
        let more = json!({});
        let machine = enrolled(&lab, &bmc, "direct", more).await;
        for _ in 0..2 {
            machine.asks("inspect").await.reaches(S::InspectWait).await;
            let path = format!("/v1/ports?node={}&sort_key=address", machine.id);
            let ports = lab.client.get(&path).await.expect(200).json();
            let addresses: Vec<&str> = ports["ports"]
                .as_array()
                .unwrap()
                .iter()
                .map(|port| port["address"].as_str().unwrap())
                .collect();
            let known: Vec<String> = (0..2).map(|index| bmc.mac(index)).collect();
            let expected = if wanted { known } else { Vec::new() };
            assert_eq!(addresses, expected);
            // The second time they are there already.
            machine.asks("abort").await.reaches(S::InspectFailed).await;
        }
        lab.stop().await;
    }
}

async fn an_instance_can_be_a_disc_with_a_config_drive(engine: Engine) {
    let (place, bmc) = (AgentHome::make().await, Bmc::start().await);
    let mut options = options(&place);
    options.conductor.automated_clean = false;
    options.hardware.boot_images.automated_clean = false;
    let lab = Lab::with(engine, options).await;
    let machine = enrolled(&lab, &bmc, "ramdisk", json!({})).await;
    machine.asks("provide").await.reaches(S::Available).await;
    let change = |key: &str, value: String| json!({"op": "add", "path": format!("/instance_info/{key}"), "value": value});
    let changes = json!([
        change("kernel", place.file("kernel")),
        change("ramdisk", place.file("ramdisk")),
        change("ramdisk_kernel_arguments", "quiet".to_owned()),
        change("capabilities", r#"{"secure_boot": "true"}"#.to_owned()),
    ]);
    machine.patch(changes).await.expect(200);
    let drive = json!({"meta_data": {"hostname": "h1"}});
    machine
        .asks_with(json!({"target": "active", "configdrive": drive}))
        .await;
    let node = machine.reaches(S::Active).await;
    assert_eq!(node["power_state"], "power on");
    assert_eq!(node["secure_boot"], true);
    let disc = in_drive(&lab, &place, machine, "CD").await;
    let disc = place.path(&format!("http/{disc}"));
    if let Some(config) = text(&disc, "/EFI/BOOT/grub.cfg") {
        assert!(config.contains("root=/dev/ram0 text quiet"), "{config}");
        assert!(!config.contains("ipa-"), "{config}");
    }
    let drive = in_drive(&lab, &place, machine, "USBStick").await;
    assert!(drive.starts_with(&format!("redfish/configdrive-{}-", machine.id)));
    let drive = place.path(&format!("http/{drive}"));
    if let Some(meta) = text(&drive, "/openstack/latest/meta_data.json") {
        assert!(
            meta.contains("h1") && meta.contains(&machine.id.to_string()),
            "{meta}"
        );
    }
    let node = machine.asks("deleted").await.reaches(S::Available).await;
    assert_eq!(node["secure_boot"], false);
    assert_eq!(
        (
            inserted(&lab, machine, "CD").await,
            inserted(&lab, machine, "USBStick").await
        ),
        (None, None)
    );
    assert!(!disc.exists() && !drive.exists());
    lab.stop().await;
}

async fn a_disc_of_the_operator_is_passed_on(engine: Engine) {
    let (place, bmc) = (AgentHome::make().await, Bmc::start().await);
    let mut options = options(&place);
    options.hardware.boot_images = drivers::BootImageSettings::default();
    let lab = Lab::with(engine, options).await;
    fs::write(place.path("own.iso"), "a disc").unwrap();
    let more = json!({"driver_info": {"deploy_iso": place.file("own.iso")}});
    let machine = enrolled(&lab, &bmc, "direct", more).await;
    let agent = puppet().await;
    machine.asks("provide").await.reaches(S::CleanWait).await;
    let name = in_drive(&lab, &place, machine, "CD").await;
    let name = format!("/{name}");
    assert_eq!(place.text(&name).await.as_deref(), Some("a disc"));
    // Nothing could be told to it, so it asks for its token.
    agent.boots(&lab, machine).await;
    waits_for(machine, "clean_step", "erase_devices_metadata").await;
    lab.stop().await;
}

/// The conductor that made a disc is gone, and another one starts on what it left.
async fn a_disc_moves_with_its_machine(engine: Engine) {
    let bmc = Bmc::start().await;
    let (here, there) = (AgentHome::make().await, AgentHome::make().await);
    let another = |host: &str| {
        let mut options = options(&there);
        options.conductor.host = host.to_owned();
        options
    };
    let lab = Lab::with(engine, options(&here)).await;
    let machine = enrolled(&lab, &bmc, "direct", json!({})).await;
    let (id, agent) = (machine.id, puppet().await);
    machine.asks("provide").await.reaches(S::CleanWait).await;
    let name = in_drive(&lab, &here, machine, "CD").await;
    let name = format!("/{name}");
    let made = place_token(&here, &name).await;
    let served = async |lab: &Lab, by: &str| {
        let machine = lab.machine(&id.to_string());
        let node = machine
            .until("its new conductor", |node| {
                Some(node["reservation"].is_null())
            })
            .await;
        assert_eq!(node["provision_state"], "clean wait");
        lab.told(id).await.join("\n").contains(by)
    };

    // As long as the BMC can read the disc where it is, nobody touches the drive.
    let database = lab.stop().await;
    let lab = Lab::on(database, another("second")).await;
    affinity(&lab, id, "second").await;
    assert!(!served(&lab, "again by conductor second").await);
    let machine = lab.machine(&id.to_string());
    let image = inserted(&lab, machine, "CD").await;
    assert_eq!(image, Some(format!("{}{name}", here.url())));
    assert_eq!(there.get(&name).await, None);

    let database = lab.stop().await;
    here.close();
    unreachable(&here).await;
    assert!(here.exists(&format!("http{name}")), "the files stay");
    let lab = Lab::on(database, another("third")).await;
    affinity(&lab, id, "third").await;
    assert!(served(&lab, "again by conductor third").await);
    let machine = lab.machine(&id.to_string());
    let name = format!("/{}", in_drive(&lab, &there, machine, "CD").await);
    assert_eq!(
        place_token(&there, &name).await,
        made,
        "the ramdisk's token"
    );

    // Once the ramdisk runs, its disc is of no interest.
    agent.knows(made);
    agent.reports(&lab, machine).await;
    waits_for(machine, "clean_step", "erase_devices_metadata").await;
    let database = lab.stop().await;
    there.close();
    unreachable(&there).await;
    assert!(
        !there.exists(&format!("http{name}")),
        "gone with the first report"
    );
    let last = AgentHome::make().await;
    let mut options = options(&last);
    options.conductor.host = "fourth".to_owned();
    let lab = Lab::on(database, options).await;
    affinity(&lab, id, "fourth").await;
    assert!(!served(&lab, "again by conductor fourth").await);
    let machine = lab.machine(&id.to_string());
    assert_eq!(last.get(&name).await, None);
    for step in ["erase_devices_metadata", "erase_devices"] {
        waits_for(machine, "clean_step", step).await;
        agent.ends(Ok(json!({})));
        agent.reports(&lab, machine).await;
    }
    machine.reaches(S::Available).await;
    assert_eq!(inserted(&lab, machine, "CD").await, None);
    lab.stop().await;
}

/// The token on a disc.
pub(super) async fn place_token(place: &AgentHome, name: &str) -> String {
    let disc = place.get(name).await.unwrap();
    let disc = String::from_utf8_lossy(&disc).into_owned();
    let (_, rest) = disc.split_once("ipa-agent-token=").unwrap();
    rest.chars().take(43).collect()
}

/// Waits until a conductor serves the machine, as its row says.
pub(super) async fn affinity(lab: &Lab, id: types::NodeId, host: &str) {
    let deadline = tokio::time::Instant::now() + Duration::from_secs(60);
    loop {
        let seen = store::event::newest(&lab.db).await.unwrap();
        let node = store::node::find(&lab.db, id).await.unwrap().unwrap();
        if node.conductor_affinity.as_deref() == Some(host) && node.reservation.is_none() {
            return;
        }
        let is_over = tokio::time::Instant::now() >= deadline;
        assert!(!is_over, "{host} does not serve it: {node:#?}");
        store::event::wait(&lab.db, seen, Duration::from_millis(100))
            .await
            .unwrap();
    }
}

/// Waits until a place answers nobody any more.
pub(super) async fn unreachable(place: &AgentHome) {
    let address = place.url().replace("http://", "");
    while tokio::net::TcpStream::connect(&address).await.is_ok() {
        tokio::task::yield_now().await;
    }
}
