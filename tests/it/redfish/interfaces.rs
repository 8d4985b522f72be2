//! BIOS settings, firmware and inspection against sushy-tools.

use super::{
    bench::{Bench, settings},
    sushy::Sushy,
};
use drivers::{
    DriverError,
    iface::{Bios, Firmware, Inspect, Inspection, Interface},
    redfish::{RedfishBios, RedfishFirmware, RedfishInspect},
};
use serde_json::{Value, json};
use std::time::Duration;
use types::{
    InterfaceKind, PowerTarget,
    step::{Step, StepOutcome, UserStep},
};

fn step(interface: InterfaceKind, name: &str, args: Value) -> Step {
    let given = json!({"interface": interface, "step": name, "args": args});
    let user = UserStep::from_map(given.as_object().unwrap().clone()).unwrap();
    Step::asked(&user, None)
}

/// Runs a step as the conductor would, and counts the reboots.
async fn run(
    bench: &mut Bench,
    interface: &dyn Interface,
    step: &Step,
) -> Result<usize, DriverError> {
    let mut reboots = 0;
    bench.node.driver_internal_info.forget_step_poll();
    for _ in 0..50 {
        let lease = bench.lease.clone();
        let outcome = interface
            .run_step(&lease, &mut bench.machine(), step)
            .await?;
        match outcome {
            StepOutcome::Done => return Ok(reboots),
            StepOutcome::Again { reboot, .. } => {
                if reboot {
                    bench.switch(PowerTarget::Reboot).await?;
                    reboots += 1;
                }
            }
            other => panic!("{other:?}"),
        }
    }
    panic!("the step has no end");
}

fn bench(sushy: &Sushy) -> Bench {
    let mut settings = settings();
    settings.steps.required_successes = 1;
    settings.steps.validation_interval = Duration::from_millis(1);
    Bench::new(sushy.driver_info(), settings)
}

#[tokio::test]
async fn sushy_tools_takes_bios_settings() {
    let Some(mut sushy) = Sushy::guarded() else {
        return;
    };
    let mut bench = bench(&sushy);
    let bios = RedfishBios::new(&bench.redfish, "redfish");
    let mut machine = bench.machine();
    bios.cache_settings(&mut machine).await.unwrap();
    let found = machine.found.bios.unwrap();
    let turbo = found.iter().find(|s| s.name == "ProcTurboMode").unwrap();
    assert_eq!(turbo.value.as_deref(), Some("Enabled"));
    assert_eq!(turbo.attribute_type.as_deref(), Some("Enumeration"));
    let allowed = ["Enabled".to_owned(), "Disabled".to_owned()];
    assert_eq!(turbo.allowable_values.as_deref(), Some(&allowed[..]));

    let args = |value: &str| json!({"settings": [{"name": "ProcTurboMode", "value": value}]});
    let apply = step(InterfaceKind::Bios, "apply_configuration", args("Disabled"));
    assert_eq!(run(&mut bench, &bios, &apply).await.unwrap(), 1);
    assert_eq!(
        run(&mut bench, &bios, &apply).await.unwrap(),
        0,
        "it is so already"
    );
    let told = sushy.told();
    assert_eq!(told, ["bios ProcTurboMode", "reset On"]);
    let odd = step(InterfaceKind::Bios, "apply_configuration", args("Perhaps"));
    let refused = run(&mut bench, &bios, &odd).await.unwrap_err();
    let text = refused.to_string();
    assert!(
        text.contains("setting(s): ProcTurboMode (allowed: "),
        "{text}"
    );

    let reset = step(InterfaceKind::Bios, "factory_reset", json!({}));
    assert_eq!(run(&mut bench, &bios, &reset).await.unwrap(), 1);
    assert_eq!(sushy.told()[0], "bios reset");
}

#[tokio::test]
async fn sushy_tools_takes_firmware() {
    let Some(mut sushy) = Sushy::start(&["--password", super::bench::PASSWORD, "--second"]) else {
        return;
    };
    let mut bench = bench(&sushy);
    // Of two machines one must be named, and then the update names it too.
    let path = "/redfish/v1/Systems/11111111-2222-3333-4444-555555555555";
    bench.info.insert("redfish_system_id".into(), path.into());
    let firmware = RedfishFirmware(bench.redfish.clone());
    let args = json!({"settings": [{"component": "bios", "url": "http://h/bios.bin"}]});
    let update = step(InterfaceKind::Firmware, "update", args);
    assert_eq!(run(&mut bench, &firmware, &update).await.unwrap(), 1);
    assert_eq!(sushy.told(), ["versions 1.1.0", "reset On"]);
    let mut machine = bench.machine();
    firmware.cache_components(&mut machine).await.unwrap();
    let found = machine.found.firmware.unwrap();
    let bios = found.iter().find(|c| c.component == "bios").unwrap();
    assert_eq!(bios.current_version.as_deref(), Some("1.1.0"));
}

#[tokio::test]
async fn sushy_tools_is_inspected() {
    let Some(sushy) = Sushy::guarded() else {
        return;
    };
    let mut bench = bench(&sushy);
    let inspect = RedfishInspect::new(&bench.redfish, "redfish");
    let lease = bench.lease.clone();
    let mut machine = bench.machine();
    let outcome = inspect.inspect(&lease, &mut machine).await.unwrap();
    assert_eq!(outcome, Inspection::Done);
    let found = machine.found.inventory.unwrap();
    let interfaces = &found.inventory["interfaces"];
    assert_eq!(
        interfaces[0]["mac_address"], "00:5c:52:31:3a:9c",
        "{interfaces}"
    );
}
