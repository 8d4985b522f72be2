//! Booting a disc by HTTP against sushy-tools, which fetches the disc itself.

use super::{
    bench::{Bench, text},
    sushy::Sushy,
};
use crate::agent::place::AgentHome;
use drivers::{
    BootImageSettings,
    boot_image::BootImages,
    iface::{Boot, BootFrom, Interface, Management, Ramdisk, RamdiskKind},
    redfish::{DiscSettings, RedfishHttpBoot, RedfishMediaBoot},
};
use std::{fs, sync::Arc};

fn boot(bench: &Bench, place: &AgentHome) -> RedfishHttpBoot {
    RedfishHttpBoot(RedfishMediaBoot {
        redfish: Arc::clone(&bench.redfish),
        images: BootImages::new(None, BootImageSettings::default()),
        settings: Arc::new(DiscSettings {
            http_root: place.path("http"),
            url: Some(place.url()),
            local: false,
            ..DiscSettings::default()
        }),
        openstack: None,
        name: "redfish-https",
    })
}

#[tokio::test]
async fn sushy_tools_fetches_what_is_to_be_booted_by_http() {
    let Some(mut sushy) = Sushy::guarded() else {
        return;
    };
    let place = AgentHome::make().await;
    fs::create_dir_all(place.path("http")).unwrap();
    fs::write(place.path("http/own.iso"), "a disc").unwrap();
    let url = format!("{}/own.iso", place.url());
    let mut bench = sushy.bench();
    bench.info.insert("deploy_iso".into(), url.clone().into());
    let boot = boot(&bench, &place);
    boot.validate(&bench.machine()).await.unwrap();
    let ramdisk = Ramdisk {
        kind: RamdiskKind::Deploy,
        parameters: Vec::new(),
        tells_address: false,
    };
    let lease = bench.lease.clone();
    let machine = &mut bench.machine();
    let from = boot.prepare_ramdisk(&lease, machine, &ramdisk).await;
    assert_eq!(from.unwrap(), Some(BootFrom::once("uefihttp")));
    sushy.told();
    bench.boot_from("uefihttp", false).await.unwrap();
    // It boots a virtual machine from the disc that it fetched, and says where that was.
    let told = sushy.told();
    for line in ["media Cd in", "boot address", "boot device Cd"] {
        assert!(told.iter().any(|told| told == line), "{line}: {told:?}");
    }
    assert_eq!(bench.node.driver_internal_info.redfish_http_url(), None);

    // An address that leads nowhere is the BMC's refusal, not a success.
    fs::remove_file(place.path("http/own.iso")).unwrap();
    let lease = bench.lease.clone();
    let machine = &mut bench.machine();
    let again = boot.prepare_ramdisk(&lease, machine, &ramdisk).await;
    again.unwrap();
    let refused = text(bench.boot_from("uefihttp", false).await);
    assert!(refused.contains("returned code 400"), "{refused}");

    // Afterwards the disk is what it boots from.
    bench.boot_from("disk", true).await.unwrap();
    let found = bench.management();
    let found = found.boot_device(&bench.machine()).await.unwrap();
    assert_eq!(found.device.as_deref(), Some("disk"));
}

#[tokio::test]
async fn firmware_that_cannot_boot_by_http_is_told_in_the_words_of_ironic() {
    let Some(sushy) = Sushy::guarded() else {
        return;
    };
    let place = AgentHome::make().await;
    let mut bench = sushy.bench();
    let url = format!("{}/own.iso", place.url());
    bench.info.insert("deploy_iso".into(), url.into());
    // A machine in the other mode offers nothing of the kind.
    let (management, lease) = (bench.management(), bench.lease.clone());
    let machine = &mut bench.machine();
    let set = management.set_boot_mode(&lease, machine, "bios").await;
    set.unwrap();
    let boot = boot(&bench, &place);
    let refused = text(boot.validate(&bench.machine()).await);
    assert_eq!(
        refused,
        format!(
            "Node {} hardware does not support feature UefiHttp boot, which is required based upon the requested configuration.",
            bench.node.id
        )
    );
}
