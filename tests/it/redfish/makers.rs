//! What makers add to Redfish: Dell's services, and drives for virtual media with ideas of their
//! own.

use super::{
    bench::{Bench, text},
    script::{SYSTEM, Script, refusal},
};
use axum::{http::StatusCode, response::IntoResponse};
use drivers::{
    DriverError,
    iface::{Interface, Management},
};
use serde_json::{Value, json};
use types::{
    InterfaceKind, ProvisionState,
    rpc::VirtualMedia,
    step::{Step, StepKind, StepOutcome},
};

async fn run(bench: &mut Bench, name: &str) -> Result<StepOutcome, DriverError> {
    let idrac = bench.idrac();
    let mut steps = idrac.steps().iter();
    let spec = steps.find(|spec| spec.step == name && spec.kind == StepKind::Clean);
    let spec = spec.unwrap();
    assert!(!spec.requires_ramdisk);
    let step = Step::offered(InterfaceKind::Management, spec);
    let lease = bench.lease.clone();
    idrac.run_step(&lease, &mut bench.machine(), &step).await
}

#[tokio::test]
async fn dells_job_queue_is_cleared() {
    const CLEAR: &str = "/redfish/v1/Dell/Jobs/Clear";
    let script = Script::start(|seen, _| {
        seen.is("POST", CLEAR).then(|| {
            assert_eq!(seen.body, json!({"JobID": "JID_CLEARALL"}));
            StatusCode::OK.into_response()
        })
    })
    .await;
    let mut bench = script.bench();
    // A controller without the service says so; while a node is verified that is no failure.
    let error = text(run(&mut bench, "clear_job_queue").await);
    assert!(
        error.contains("The attribute Links/Oem/Dell/DellJobService is missing"),
        "{error}"
    );
    bench.node.provision_state = ProvisionState::Verifying;
    let left_out = run(&mut bench, "clear_job_queue").await;
    assert_eq!(left_out.unwrap(), StepOutcome::Done);
    script.with(|world| {
        let manager = world.resources.get_mut("/redfish/v1/Managers/1").unwrap();
        manager["Links"] = json!({"Oem": {"Dell": {
            "DellJobService": {"@odata.id": "/redfish/v1/Dell/Jobs"},
        }}});
        let jobs = json!({"Actions": {
            "#DellJobService.DeleteJobQueue": {"target": CLEAR},
        }});
        world.resources.insert("/redfish/v1/Dell/Jobs".into(), jobs);
    });
    bench.node.provision_state = ProvisionState::Cleaning;
    let cleared = run(&mut bench, "clear_job_queue").await;
    assert_eq!(cleared.unwrap(), StepOutcome::Done);
    assert_eq!(script.count(&format!("POST {CLEAR}")), 1);
}

#[tokio::test]
async fn secure_boot_keys_are_reset() {
    const RESET: &str = "/redfish/v1/Systems/1/SecureBoot/Reset";
    let script = Script::good().await;
    script.with(|world| {
        let place = "/redfish/v1/Systems/1/SecureBoot";
        world.resources.get_mut(place).unwrap()["Actions"] = json!({
            "#SecureBoot.ResetKeys": {
                "target": RESET,
                "ResetKeysType@Redfish.AllowableValues": ["ResetAllKeysToDefault"],
            },
        });
    });
    let mut bench = script.bench();
    let (management, lease) = (bench.management(), bench.lease.clone());
    for (name, is_there) in [
        ("reset_secure_boot_keys_to_default", true),
        ("clear_secure_boot_keys", false),
    ] {
        let spec = management.steps().iter().find(|spec| spec.step == name);
        let step = Step::offered(InterfaceKind::Management, spec.unwrap());
        let machine = &mut bench.machine();
        let outcome = management.run_step(&lease, machine, &step).await;
        if is_there {
            outcome.unwrap();
        } else {
            let error = text(outcome);
            assert!(error.contains("\"DeleteAllKeys\" is invalid"), "{error}");
        }
    }
    assert_eq!(script.count(&format!("POST {RESET}")), 1);
}

const DRIVES: &str = "/redfish/v1/Systems/1/VirtualMedia";

fn drive(world: &mut super::script::World, name: &str, body: Value) {
    let path = format!("{DRIVES}/{name}");
    let all = world
        .resources
        .entry(DRIVES.into())
        .or_insert_with(|| json!({"Members": []}));
    let member = json!({"@odata.id": path});
    all["Members"].as_array_mut().unwrap().push(member);
    world.resources.insert(path, body);
    world.resources.get_mut(SYSTEM).unwrap()["VirtualMedia"] = json!({"@odata.id": DRIVES});
}

fn medium(device: &str) -> VirtualMedia {
    VirtualMedia {
        device: device.into(),
        image_url: "https://images.example/boot.iso".into(),
        source: "http".into(),
    }
}

async fn attach(bench: &mut Bench, device: &str) -> Result<(), DriverError> {
    let (management, lease) = (bench.management(), bench.lease.clone());
    let machine = &mut bench.machine();
    let medium = medium(device);
    management
        .attach_virtual_media(&lease, machine, &medium)
        .await
}

#[tokio::test]
async fn the_drive_that_takes_an_image_is_found() {
    // The first is for the maker's console only, the second wants to know more than it must.
    let script = Script::start(|seen, world| {
        if seen.is("POST", "/console") {
            return Some(refusal(400, "Base.1.0.ActionNotSupported", "Not for you."));
        }
        if !seen.is("POST", "/insert") {
            return None;
        }
        for key in ["TransferProtocolType", "TransferMethod", "UserName"] {
            if seen.body.get(key).is_none() {
                let text = format!("It requires the parameter {key}.");
                return Some(refusal(400, "Base.1.0.ActionParameterMissing", &text));
            }
        }
        assert_eq!(seen.body["TransferProtocolType"], "HTTPS");
        let drive = world
            .resources
            .get_mut("/redfish/v1/Systems/1/VirtualMedia/2");
        drive.unwrap()["Inserted"] = json!(true);
        Some(StatusCode::NO_CONTENT.into_response())
    })
    .await;
    let insert = |target: &str| json!({"#VirtualMedia.InsertMedia": {"target": target}});
    script.with(|world| {
        for (name, types, target) in [
            ("1", json!(["CD"]), "/console"),
            ("2", json!(["DVD"]), "/insert"),
        ] {
            let body = json!({"Id": name, "MediaTypes": types, "Inserted": false,
                              "Actions": insert(target)});
            drive(world, name, body);
        }
    });
    let mut bench = script.bench();
    attach(&mut bench, "cdrom").await.unwrap();
    assert_eq!(script.count("POST /console"), 1);
    assert_eq!(script.count("POST /insert"), 4);
    let error = text(attach(&mut bench, "floppy").await);
    assert!(
        error.contains("No suitable virtual media device found"),
        "{error}"
    );
}

#[tokio::test]
async fn a_drive_without_actions_is_written_to() {
    let script = Script::good().await;
    let path = format!("{DRIVES}/1");
    script.with(|world| {
        let body = json!({"Id": "1", "MediaTypes": ["USBStick"], "Inserted": false, "Image": null});
        drive(world, "1", body);
    });
    let mut bench = script.bench();
    attach(&mut bench, "disk").await.unwrap();
    let found = script.with(|world| world.resources[&path].clone());
    assert_eq!(found["Image"], "https://images.example/boot.iso");
    assert_eq!(found["Inserted"], true);
    let (management, lease) = (bench.management(), bench.lease.clone());
    let machine = &mut bench.machine();
    management
        .detach_virtual_media(&lease, machine, None)
        .await
        .unwrap();
    let found = script.with(|world| world.resources[&path].clone());
    assert_eq!(found["Inserted"], false);
}

#[tokio::test]
async fn a_drive_that_stays_empty_is_an_error() {
    let script = Script::start(|seen, _| {
        seen.is("POST", "/insert")
            .then(|| StatusCode::NO_CONTENT.into_response())
    })
    .await;
    script.with(|world| {
        let actions = json!({"#VirtualMedia.InsertMedia": {"target": "/insert"}});
        let body = json!({"Id": "Cd", "MediaTypes": ["CD"], "Inserted": false,
                          "Actions": actions});
        drive(world, "Cd", body);
    });
    let error = text(attach(&mut script.bench(), "cdrom").await);
    assert!(
        error.contains("asked for an image in Cd, found an empty drive"),
        "{error}"
    );
    assert!(!error.contains("images.example"), "{error}");
}

#[tokio::test]
async fn lights_without_words_are_on_or_off() {
    let script = Script::good().await;
    script.with(|world| {
        world.resources.get_mut(SYSTEM).unwrap()["LocationIndicatorActive"] = json!(false);
    });
    let mut bench = script.bench();
    let (management, lease) = (bench.management(), bench.lease.clone());
    let machine = &mut bench.machine();
    let all = management.indicators(machine).await.unwrap();
    assert_eq!(all[0].states, ["off", "on"]);
    management
        .set_indicator(&lease, machine, "system", "u-1", "on")
        .await
        .unwrap();
    let state = management.indicator(machine, "system", "u-1").await;
    assert_eq!(state.unwrap(), "on");
    let refused = management
        .set_indicator(&lease, machine, "system", "u-1", "blinking")
        .await;
    assert!(text(refused).contains("has off, on"));
}
