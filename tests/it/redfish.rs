//! Redfish hardware: against sushy-tools, which others wrote, and against a service that does
//! wrong on purpose.

mod bench;
mod faults;
mod http_boot;
mod interfaces;
mod makers;
mod script;
mod service;
mod simulator;
mod sushy;

use bench::{Bench, text};
use drivers::{
    DriverError,
    iface::{Interface, Management},
};
use serde_json::json;
use sushy::Sushy;
use types::{PowerState, PowerTarget, rpc::VirtualMedia};

#[tokio::test]
async fn sushy_tools_switches_power() {
    let Some(mut sushy) = Sushy::guarded() else {
        return;
    };
    let mut bench = sushy.bench();
    assert_eq!(bench.state().await.unwrap(), Some(PowerState::Off));
    for target in [
        PowerTarget::On,
        PowerTarget::Reboot,
        PowerTarget::SoftReboot,
        PowerTarget::SoftOff,
        PowerTarget::Reboot,
        PowerTarget::Off,
    ] {
        bench.switch(target).await.unwrap();
        let found = bench.state().await.unwrap();
        assert_eq!(found, Some(target.end_state()), "{target}");
    }
    bench.node.disable_power_off = Some(true);
    bench.switch(PowerTarget::On).await.unwrap();
    bench.switch(PowerTarget::Reboot).await.unwrap();
    let expected = [
        "On",
        "ForceOff",
        "On",
        "GracefulRestart",
        "GracefulShutdown",
        "On",
        "ForceOff",
        "On",
        "ForceRestart",
    ];
    assert_eq!(sushy.told(), expected.map(|kind| format!("reset {kind}")));
    let (management, lease) = (bench.management(), bench.lease.clone());
    let nmi = management.inject_nmi(&lease, &mut bench.machine()).await;
    nmi.unwrap();
    assert_eq!(sushy.told(), ["reset Nmi"]);
}

#[tokio::test]
async fn sushy_tools_keeps_the_boot_device_and_not_that_it_is_for_once() {
    let Some(mut sushy) = Sushy::guarded() else {
        return;
    };
    let mut bench = sushy.bench();
    assert_eq!(
        bench.boot_from("pxe", true).await.unwrap(),
        Vec::<String>::new()
    );
    let found = bench
        .management()
        .boot_device(&bench.machine())
        .await
        .unwrap();
    assert_eq!(found.device.as_deref(), Some("pxe"));
    assert_eq!(found.persistent, Some(true));
    let warnings = bench.boot_from("cdrom", false).await.unwrap();
    assert_eq!(warnings.len(), 1);
    assert!(
        warnings[0].ends_with("took boot device cdrom, but not that it is for the next boot only"),
        "{warnings:?}"
    );
    // It boots from the network when it is told to boot by HTTP, which is not the same.
    let wrong = bench.boot_from("uefihttp", true).await.unwrap_err();
    assert!(
        matches!(&wrong, DriverError::NotKept { what: "boot device", asked, found, .. }
            if asked == "uefihttp" && found == "pxe"),
        "{wrong}"
    );
    let refused = text(bench.boot_from("bios", true).await);
    assert!(
        refused.contains("value \"BiosSetup\" is invalid. Valid values are: Pxe, Cd, Hdd"),
        "{refused}"
    );
    assert_eq!(
        sushy.told(),
        ["boot device Pxe", "boot device Cd", "boot device Pxe"]
    );
}

#[tokio::test]
async fn sushy_tools_is_managed() {
    let Some(mut sushy) = Sushy::guarded() else {
        return;
    };
    let mut bench = sushy.bench();
    let (management, lease) = (bench.management(), bench.lease.clone());
    let machine = &mut bench.machine();
    let mode = management.boot_mode(machine).await.unwrap();
    assert_eq!(mode.as_deref(), Some("uefi"));
    management
        .set_boot_mode(&lease, machine, "bios")
        .await
        .unwrap();
    let mode = management.boot_mode(machine).await.unwrap();
    assert_eq!(mode.as_deref(), Some("bios"));
    let refused = management.set_secure_boot(&lease, machine, true).await;
    assert!(text(refused).contains("requires UEFI"));
    management
        .set_boot_mode(&lease, machine, "uefi")
        .await
        .unwrap();
    assert_eq!(management.secure_boot(machine).await.unwrap(), Some(false));
    management
        .set_secure_boot(&lease, machine, true)
        .await
        .unwrap();
    assert_eq!(management.secure_boot(machine).await.unwrap(), Some(true));
    assert_eq!(
        sushy.told(),
        ["boot mode Legacy", "boot mode UEFI", "secure boot True"]
    );
    let health = management.health(machine).await.unwrap();
    assert_eq!(health.as_deref(), Some("OK"));
    let vendor = management.vendor(machine).await.unwrap();
    assert_eq!(vendor.as_deref(), Some("Sushy Emulator"));

    let indicators = management.indicators(machine).await.unwrap();
    let system = indicators.iter().find(|one| one.component == "system");
    let system = system.unwrap().name.clone();
    assert!(indicators.iter().any(|one| one.component == "chassis"));
    for state in ["off", "blinking", "on"] {
        management
            .set_indicator(&lease, machine, "system", &system, state)
            .await
            .unwrap();
        let found = management.indicator(machine, "system", &system).await;
        assert_eq!(found.unwrap(), state);
    }
    let unknown = text(management.indicator(machine, "disk", "x").await);
    assert!(unknown.starts_with("Unknown indicator x for component disk of node"));

    let sensors = management.sensors(machine).await.unwrap();
    let fans = sensors["Fan"].as_object().unwrap();
    assert!(!fans.is_empty(), "{sensors:?}");
    assert_eq!(sensors["Extra"]["Manufacturer"], json!("Sushy Emulator"));
    let fan = fans.values().next().unwrap();
    assert!(
        fan["reading"].is_i64() && fan["reading_units"] == "RPM",
        "{fan}"
    );
}

#[tokio::test]
async fn sushy_tools_takes_virtual_media() {
    let Some(mut sushy) = Sushy::guarded() else {
        return;
    };
    let image = script::Script::start(|seen, _| {
        let name = ("content-disposition", "attachment; filename=boot.iso");
        let answer = ([name], "image");
        seen.is("GET", "/boot.iso")
            .then(|| axum::response::IntoResponse::into_response(answer))
    })
    .await;
    let url = image.driver_info()["redfish_address"]
        .as_str()
        .unwrap()
        .to_owned();
    let mut bench = sushy.bench();
    let (management, lease) = (bench.management(), bench.lease.clone());
    let machine = &mut bench.machine();
    let media = VirtualMedia {
        device: "cdrom".into(),
        image_url: format!("{url}/boot.iso"),
        source: "http".into(),
    };
    for _ in 0..2 {
        // The second time what is there has to go first.
        management
            .attach_virtual_media(&lease, machine, &media)
            .await
            .unwrap();
    }
    let found = management.virtual_media(machine).await.unwrap();
    let drive = found
        .iter()
        .find(|drive| drive["inserted"] == true)
        .unwrap();
    assert!(
        drive["media_types"]
            .as_array()
            .unwrap()
            .contains(&json!("CD"))
    );
    let floppies = ["floppy".to_owned()];
    management
        .detach_virtual_media(&lease, machine, Some(&floppies))
        .await
        .unwrap();
    assert_eq!(sushy.told(), ["media Cd in", "media Cd out", "media Cd in"]);
    management
        .detach_virtual_media(&lease, machine, None)
        .await
        .unwrap();
    assert_eq!(sushy.told(), ["media Cd out"]);
    let found = management.virtual_media(machine).await.unwrap();
    assert!(found.iter().all(|drive| drive["inserted"] == false));
    let unfit = VirtualMedia {
        image_url: "file:///etc/passwd".into(),
        ..media
    };
    let refused = management
        .attach_virtual_media(&lease, machine, &unfit)
        .await;
    assert!(text(refused).starts_with("Publishing images is not supported"));
}

#[tokio::test]
async fn a_wrong_password_is_told_and_not_shown() {
    let Some(sushy) = Sushy::guarded() else {
        return;
    };
    for auth in ["auto", "basic"] {
        let mut info = sushy.driver_info();
        info.insert("redfish_password".into(), "mistaken".into());
        info.insert("redfish_auth_type".into(), auth.into());
        let mut bench = Bench::new(info, bench::settings());
        let error = text(bench.state().await);
        assert!(
            error.contains("reading the power state failed. BMC http://127.0.0.1:")
                && error.contains("returned code 401"),
            "{error}"
        );
        assert!(!error.contains("mistaken"), "{error}");
    }
}

#[tokio::test]
async fn the_clock_is_set() {
    let Some(sushy) = Sushy::guarded() else {
        return;
    };
    let mut bench = sushy.bench();
    let (management, lease) = (bench.management(), bench.lease.clone());
    let spec = management
        .steps()
        .iter()
        .find(|spec| spec.step == "set_bmc_clock");
    let mut step = types::step::Step::offered(types::InterfaceKind::Management, spec.unwrap());
    let when = "2030-01-02T03:04:05+00:00";
    step.args.insert("target_datetime".into(), when.into());
    step.args
        .insert("datetime_local_offset".into(), "+00:00".into());
    let machine = &mut bench.machine();
    management.run_step(&lease, machine, &step).await.unwrap();
    step.args.insert("target_datetime".into(), "soon".into());
    let refused = management.run_step(&lease, machine, &step).await;
    assert!(text(refused).contains("target_datetime \"soon\" is not a date"));
}
