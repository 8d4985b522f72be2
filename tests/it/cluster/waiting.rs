//! A machine that waits for its ramdisk while the process that serves it is killed.

use super::{Cluster, asks, enroll, eventually, reaches};
use crate::{
    database::{Database, Engine},
    http::Client,
    port,
};
use serde_json::{Value, json};
use std::{fs, net::SocketAddr};
use types::ProvisionState as S;

every_server!(boot_files_are_served_by_who_comes_after_a_kill);

const MAC: &str = "52:54:00:dd:00:01";

/// The boot services of one process.
struct Services {
    http: SocketAddr,
    sets: Vec<String>,
}

impl Services {
    fn of(database: &Database, host: &str) -> Self {
        let folder = database.directory().join(format!("{host}-boot"));
        fs::create_dir_all(&folder).unwrap();
        for name in ["kernel", "ramdisk"] {
            fs::write(folder.join(name), format!("the {name} of {host}")).unwrap();
        }
        let at = |name: &str| folder.join(name).display().to_string();
        let http = SocketAddr::from(([127, 0, 0, 1], port::free()));
        let sets = [
            ("corten.http_listen", http.to_string()),
            ("deploy.http_url", format!("http://{http}")),
            ("deploy.http_root", at("http")),
            ("deploy.iso_master_path", at("iso")),
            ("pxe.tftp_root", at("tftp")),
            ("pxe.tftp_master_path", at("masters")),
            ("pxe.images_path", at("images")),
            ("pxe.instance_master_path", at("instances")),
            (
                "conductor.deploy_kernel",
                format!("file://{}", at("kernel")),
            ),
            (
                "conductor.deploy_ramdisk",
                format!("file://{}", at("ramdisk")),
            ),
            ("conductor.file_url_allowed_paths", at("")),
        ];
        let sets = sets.map(|(name, value)| format!("{name}={value}")).into();
        Self { http, sets }
    }

    async fn text(&self, path: &str) -> Option<String> {
        let client = Client { address: self.http };
        let request = crate::http::Request::bare("GET", path);
        let answer = client.try_send(&request).await.ok()?;
        (answer.status == 200).then(|| String::from_utf8(answer.body.clone()).unwrap())
    }
}

async fn boot_files_are_served_by_who_comes_after_a_kill(engine: Engine) {
    let common = [
        "DEFAULT.enabled_hardware_types=fake-hardware",
        "DEFAULT.enabled_boot_interfaces=fake,ipxe",
        "DEFAULT.enabled_deploy_interfaces=fake,direct",
        "DEFAULT.enabled_management_interfaces=fake,noop",
        "conductor.automated_clean=true",
        "corten.membership_ttl=5",
        "service_catalog.endpoint_override=http://127.0.0.1:1",
        "dhcp.dhcp_provider=none",
    ];
    let mut cluster = Cluster::start(engine, &[], &common).await;
    let mut all = Vec::new();
    for host in ["c1", "c2"] {
        let services = Services::of(&cluster.database, host);
        let own = services.sets.iter().map(String::as_str);
        let sets: Vec<&str> = common.into_iter().chain(own).collect();
        cluster.join(host, &sets).await;
        all.push((host, services));
    }
    cluster.sees(&cluster.api, &["c1", "c2"]).await;
    // One that believed to be alone would prepare every machine that waits.
    for (one, other) in [("c1", "c2"), ("c2", "c1")] {
        let joined = format!("conductor joined the hash ring host=\"{other}\"");
        eventually("the conductors know of each other", async || {
            cluster.conductor(one).log().contains(&joined)
        })
        .await;
    }
    let client = cluster.client();
    let node = json!({
        "boot_interface": "ipxe", "deploy_interface": "direct", "management_interface": "noop",
    });
    let node = enroll(client, node).await;
    let port = json!({"address": MAC, "node_uuid": node});
    client.post("/v1/ports", port).await.expect(201);
    asks(client, &node, "manage").await.expect(202);
    reaches(client, &node, S::Manageable).await;
    asks(client, &node, "provide").await.expect(202);
    reaches(client, &node, S::CleanWait).await;

    let path = format!("/v1/nodes/{node}");
    let before = client.get(&path).await.expect(200).json();
    let owner = before["conductor"].as_str().unwrap().to_owned();
    let at = all.iter().position(|(host, _)| *host == owner).unwrap();
    let (_, dead) = all.remove(at);
    let (heir, alive) = all.remove(0);
    let config = format!("/pxelinux.cfg/{}", MAC.replace(':', "-"));
    assert!(dead.text(&config).await.is_some());
    assert_eq!(alive.text(&config).await, None);

    let at = cluster.conductors.iter().position(|one| one.name == owner);
    cluster.conductors.remove(at.unwrap()).kill().await;
    eventually("the boot files are there again", async || {
        alive.text(&config).await.is_some()
    })
    .await;
    let text = alive.text(&config).await.unwrap();
    let kernel = format!("/{node}/deploy_kernel");
    let url = format!("http://{}{kernel}", alive.http);
    assert!(text.contains(&url), "{text}");
    let served = alive.text(&kernel).await;
    assert_eq!(served, Some(format!("the kernel of {heir}")));

    let client = cluster.client();
    eventually("it is in nobody's hands", async || {
        let shown = client.get(&path).await.expect(200).json();
        shown["reservation"].is_null() && shown["conductor"] == json!(heir)
    })
    .await;
    let after = client.get(&path).await.expect(200).json();
    let kept = |shown: &Value| {
        let mut shown = shown.clone();
        for changes in ["conductor", "updated_at"] {
            shown[changes] = Value::Null;
        }
        shown
    };
    assert_eq!(kept(&after), kept(&before));
    let log = cluster.conductor(heir).log();
    assert!(log.contains("ramdisk made available again"), "{log}");
    cluster.stop().await;
}
