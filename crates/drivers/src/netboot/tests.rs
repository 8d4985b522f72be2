//! What the boot services are told, for nodes of every kind.

use super::*;
use crate::boot_image::{BootImageSettings, Configured};
use boot::BootFiles;
use image::{
    inspect::Rules,
    library::LibrarySettings,
    source::{FileRules, HttpSettings},
    store::{ImageStore, Shelf, StoreSettings},
};
use serde_json::{Value, json};
use std::{fs, path::Path, time::Duration};
use types::{InterfaceKind, JsonMap, Node, NodeId, Port};

struct Fixture {
    dir: tempfile::TempDir,
    boot: boot::Boot,
    images: BootImages,
}

fn here() -> Fixture {
    let dir = tempfile::tempdir().unwrap();
    for name in ["dk", "dr", "rk", "rr", "uk", "ur"] {
        fs::write(dir.path().join(name), name).unwrap();
    }
    let files = BootFiles {
        tftp_root: dir.path().join("tftp"),
        http_root: dir.path().join("http"),
        http_url: Some("http://h".to_owned()),
        ..BootFiles::default()
    };
    let boot = boot::Boot::open(files, &dir.path().join("state")).unwrap();
    let shelf = |name: &str| Shelf {
        folder: dir.path().join("masters").join(name),
        most_bytes: 1 << 20,
        ttl: Duration::from_secs(60),
    };
    let store = ImageStore::new(StoreSettings {
        boot: shelf("boot"),
        instance: shelf("instance"),
        iso: shelf("iso"),
        library: LibrarySettings {
            folder: dir.path().join("library"),
            most_bytes: 1 << 30,
        },
        http: HttpSettings::default(),
        files: FileRules {
            allowed: vec![dir.path().to_owned()],
            ..FileRules::default()
        },
        reserve: 0,
        downloads: 2,
        growth: 2.0,
        rules: Rules::default(),
        unpack: true,
    });
    let path = |name: &str| Some(dir.path().join(name).display().to_string());
    let pair = |kernel: &str, ramdisk: &str| Configured {
        kernel: path(kernel),
        ramdisk: path(ramdisk),
        ..Configured::default()
    };
    let settings = BootImageSettings {
        deploy: pair("dk", "dr"),
        rescue: pair("rk", "rr"),
        ..BootImageSettings::default()
    };
    let images = BootImages::new(Some(Arc::new(store.unwrap())), settings);
    Fixture { dir, boot, images }
}

impl Fixture {
    fn interface(&self, way: BootMethod, settings: NetbootSettings) -> Netboot {
        Netboot {
            way,
            name: "test",
            services: Some(self.boot.clone()),
            images: self.images.clone(),
            settings: Arc::new(settings),
        }
    }

    fn read(&self, path: &str) -> String {
        fs::read_to_string(self.dir.path().join(path)).unwrap_or_default()
    }
}

fn node(deploy: &str) -> Node {
    let mut node = Node::new(NodeId::generate(), "ipmi");
    node.interfaces.set(InterfaceKind::Deploy, deploy);
    node
}

fn port(node: &Node, address: &str, pxe: bool) -> Port {
    let mut port = Port::new(types::PortId::generate(), node.id, address.parse().unwrap());
    port.pxe_enabled = pxe;
    port
}

fn lease(node: &Node) -> LeaseProof {
    LeaseProof::granted(node.id, 1)
}

fn ramdisk(kind: RamdiskKind) -> Ramdisk {
    let pair = |key: &str, value: &str| (key.to_owned(), value.to_owned());
    Ramdisk {
        tells_address: false,
        kind,
        parameters: vec![
            pair("ipa-api-url", "http://api:6385"),
            pair("ipa-debug", "1"),
        ],
    }
}

const MAC: &str = "52:54:00:aa:00:01";

#[tokio::test]
async fn a_ramdisk_is_published_and_taken_away() {
    let place = here();
    let boot = place.interface(BootMethod::Ipxe, NetbootSettings::default());
    let mut node = node("direct");
    node.driver_info.insert(
        "kernel_append_params".into(),
        "console=ttyS0 %default%".into(),
    );
    let driver_info = node.driver_info.clone();
    let ports = [
        port(&node, MAC, true),
        port(&node, "52:54:00:aa:00:02", false),
    ];
    let (lease, id) = (lease(&node), node.id);
    let mut machine = Machine::new(&mut node, &driver_info, &ports);
    boot.validate(&machine).await.unwrap();
    let from = boot
        .prepare_ramdisk(&lease, &mut machine, &ramdisk(RamdiskKind::Deploy))
        .await;
    assert_eq!(
        from.unwrap(),
        Some(BootFrom {
            device: "pxe",
            instead: None,
            persistent: false
        })
    );
    let config = place.read("http/pxelinux.cfg/52-54-00-aa-00-01");
    let line = "text console=ttyS0 nofb vga=normal ipa-debug=1 ipa-api-url=http://api:6385";
    assert!(config.contains(line), "{config}");
    assert_eq!(place.read(&format!("http/{id}/deploy_kernel")), "dk");
    assert_eq!(place.read("http/pxelinux.cfg/52-54-00-aa-00-02"), "");

    // From here on the machine boots its disk, and nothing is left.
    let from = boot.prepare_instance(&lease, &mut machine).await.unwrap();
    assert_eq!(from.map(|from| from.device), Some("disk"));
    assert!(!place.dir.path().join(format!("http/{id}")).exists());
    boot.clean_up_instance(&lease, &mut machine).await.unwrap();

    let rescue = ramdisk(RamdiskKind::Rescue);
    boot.prepare_ramdisk(&lease, &mut machine, &rescue)
        .await
        .unwrap();
    assert_eq!(place.read(&format!("http/{id}/rescue_ramdisk")), "rr");
    boot.clean_up_ramdisk(&lease, &mut machine).await.unwrap();
    assert_eq!(place.read("http/pxelinux.cfg/52-54-00-aa-00-01"), "");
}

#[tokio::test]
async fn a_ramdisk_is_made_available_by_another_process() {
    let (first, second) = (here(), here());
    let mut node = node("direct");
    let driver_info = node.driver_info.clone();
    let ports = [port(&node, MAC, true)];
    let (lease, id) = (lease(&node), node.id);
    let mut machine = Machine::new(&mut node, &driver_info, &ports);
    let of = |place: &Fixture| place.interface(BootMethod::Ipxe, NetbootSettings::default());
    let (dead, next) = (of(&first), of(&second));
    let ramdisk = ramdisk(RamdiskKind::Deploy);
    let made = dead.prepare_ramdisk(&lease, &mut machine, &ramdisk);
    made.await.unwrap();
    assert!(dead.keeps_ramdisk(&machine).await);
    assert!(!next.keeps_ramdisk(&machine).await);
    for _ in 0..2 {
        let now = Timestamp::now();
        let restored = next.restore_ramdisk(&lease, &mut machine, &ramdisk, now);
        assert!(restored.await.unwrap());
        assert!(next.keeps_ramdisk(&machine).await);
    }
    let config = "http/pxelinux.cfg/52-54-00-aa-00-01";
    assert_eq!(second.read(config), first.read(config));
    assert_eq!(second.read(&format!("http/{id}/deploy_kernel")), "dk");
    fs::remove_file(second.dir.path().join(format!("http/{id}/deploy_ramdisk"))).unwrap();
    assert!(!next.keeps_ramdisk(&machine).await);
}

#[tokio::test]
async fn a_machine_that_insists_on_the_network_is_sent_to_its_disk() {
    let place = here();
    let settings = NetbootSettings {
        fallback: true,
        ..NetbootSettings::default()
    };
    let boot = place.interface(BootMethod::HttpIpxe, settings);
    let mut node = node("direct");
    let info = JsonMap::new();
    let ports = [port(&node, MAC, true)];
    let lease = lease(&node);
    let mut machine = Machine::new(&mut node, &info, &ports);
    let from = boot
        .prepare_ramdisk(&lease, &mut machine, &ramdisk(RamdiskKind::Deploy))
        .await;
    assert_eq!(from.unwrap().and_then(|from| from.instead), Some("pxe"));
    boot.prepare_instance(&lease, &mut machine).await.unwrap();
    let config = place.read("http/pxelinux.cfg/52-54-00-aa-00-01");
    assert!(config.contains("\ngoto boot_whole_disk\n"), "{config}");
}

#[tokio::test]
async fn an_instance_can_be_a_ramdisk() {
    let place = here();
    let boot = place.interface(BootMethod::Pxe, NetbootSettings::default());
    let mut node = node("ramdisk");
    let path = |name: &str| Value::from(place.dir.path().join(name).display().to_string());
    node.instance_info = json!({
        "kernel": path("uk"), "ramdisk": path("ur"), "ramdisk_kernel_arguments": "splash",
    })
    .as_object()
    .cloned()
    .unwrap();
    let info = JsonMap::new();
    let ports = [port(&node, MAC, true)];
    let (lease, id) = (lease(&node), node.id);
    let mut machine = Machine::new(&mut node, &info, &ports);
    boot.validate(&machine).await.unwrap();
    let from = boot.prepare_instance(&lease, &mut machine).await.unwrap();
    assert!(from.is_some_and(|from| from.persistent && from.device == "pxe"));
    let config = place.read(&format!("tftp/{MAC}.conf"));
    assert!(
        config.contains(&format!("{id}/kernel")) && config.contains("splash"),
        "{config}"
    );
    assert_eq!(place.read(&format!("tftp/{id}/ramdisk")), "ur");
}

#[tokio::test]
async fn what_is_missing_is_named_before_anything_is_done() {
    let place = here();
    let boot = place.interface(BootMethod::Ipxe, NetbootSettings::default());
    let mut node = node("direct");
    let id = node.id;
    let refused = async |boot: &Netboot, node: &mut Node, info: Value, ports: &[Port]| {
        let info = info.as_object().cloned().unwrap();
        let machine = Machine::new(node, &info, ports);
        boot.validate(&machine).await.unwrap_err().to_string()
    };
    let none = refused(&boot, &mut node, json!({}), &[]).await;
    assert_eq!(
        none,
        format!("Node {id} does not have any port associated with it")
    );
    let off = [port(&node, MAC, false)];
    let off = refused(&boot, &mut node, json!({}), &off).await;
    assert!(off.contains("enabled for PXE"), "{off}");
    let ports = [port(&node, MAC, true)];
    let by_name = json!({"deploy_kernel": "lab-kernel", "deploy_ramdisk": "/r"});
    let by_name = refused(&boot, &mut node, by_name, &ports).await;
    assert!(by_name.contains("is not a UUID"), "{by_name}");
    let bare = Netboot {
        images: BootImages::new(None, BootImageSettings::default()),
        services: None,
        ..boot.clone()
    };
    let missing = refused(&bare, &mut node, json!({}), &ports).await;
    let begin = format!("{INCOMPLETE}. Missing are: ['deploy_kernel', 'deploy_ramdisk']. ");
    assert!(missing.starts_with(&begin), "{missing}");
    let given = json!({"deploy_kernel": "/k", "deploy_ramdisk": "/r"});
    let alone = refused(&bare, &mut node, given, &ports).await;
    assert!(alone.contains("[corten]http_listen"), "{alone}");
}

#[tokio::test]
async fn dnsmasq_is_told() {
    let place = here();
    let folder = |name: &str| {
        let path: &Path = &place.dir.path().join(name);
        fs::create_dir_all(path).unwrap();
        path.to_owned()
    };
    let settings = NetbootSettings {
        dnsmasq: Some(Dnsmasq {
            options_dir: folder("opts"),
            hosts_dir: folder("hosts"),
            lease_file: place.dir.path().join("leases"),
        }),
        ..NetbootSettings::default()
    };
    let boot = place.interface(BootMethod::Ipxe, settings);
    let mut node = node("direct");
    let (id, lease) = (node.id, lease(&node));
    let (info, ports) = (JsonMap::new(), [port(&node, MAC, true)]);
    let mut machine = Machine::new(&mut node, &info, &ports);
    let deploy = ramdisk(RamdiskKind::Deploy);
    boot.prepare_ramdisk(&lease, &mut machine, &deploy)
        .await
        .unwrap();
    let tag = machine
        .node
        .driver_internal_info
        .dnsmasq_tag()
        .unwrap()
        .to_owned();
    let options = place.read(&format!("opts/ironic-{id}.conf"));
    assert!(
        options.starts_with(&format!("tag:{tag},tag:!ipxe,67,")),
        "{options}"
    );
    boot.clean_up_ramdisk(&lease, &mut machine).await.unwrap();
    assert_eq!(
        place.read(&format!("hosts/ironic-{MAC}.conf")),
        format!("{MAC},ignore\n")
    );
    assert!(machine.node.driver_internal_info.dnsmasq_tag().is_none());
}
