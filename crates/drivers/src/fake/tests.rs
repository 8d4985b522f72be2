//! What the fake machines do, as it was seen on Ironic's.

use super::*;
use crate::{
    Registry, RegistrySettings,
    iface::{Hardware, Inspection, Readiness},
};
use InterfaceKind as K;
use serde_json::{Value, json};
use types::{InternalInfo, JsonMap, Node, NodeId, PowerState, PowerTarget, ProvisionState};

struct Lab {
    hardware: Hardware,
    node: Node,
    driver_info: JsonMap,
    lease: LeaseProof,
}

impl Lab {
    fn new(driver_info: Value) -> Self {
        Self::with(driver_info, FakeSettings::default())
    }

    fn with(driver_info: Value, fake: FakeSettings) -> Self {
        let mut settings = RegistrySettings::default();
        settings.fake = fake;
        settings.enable_hardware_types(vec!["fake-hardware".to_owned()]);
        for &kind in K::ALL {
            if !matches!(kind, K::Network | K::Storage) {
                settings.enable_interfaces(kind, vec!["fake".to_owned()]);
            }
        }
        let mut node = Node::new(NodeId::generate(), "fake-hardware");
        let registry = Registry::new(&settings).unwrap();
        registry.fill_interfaces(&mut node).unwrap();
        node.driver_info = driver_info.as_object().cloned().unwrap();
        Self {
            hardware: registry.hardware(&node).unwrap(),
            lease: LeaseProof::granted(node.id, 7),
            driver_info: node.driver_info.clone(),
            node,
        }
    }

    /// The parts of a call: the machine must be borrowed apart from the rest.
    fn parts(&mut self) -> (&Hardware, &LeaseProof, Machine<'_>) {
        let machine = Machine::new(&mut self.node, &self.driver_info, &[]);
        (&self.hardware, &self.lease, machine)
    }

    async fn power(&mut self, target: PowerTarget) -> Result<Option<PowerState>, DriverError> {
        let (hardware, lease, mut machine) = self.parts();
        hardware
            .power
            .set(lease, &mut machine, target, None)
            .await?;
        hardware.power.get(&machine).await
    }

    async fn step(
        &mut self,
        interface: K,
        step: &str,
        args: Value,
    ) -> Result<StepOutcome, DriverError> {
        let stored = json!({"interface": interface, "step": step, "args": args});
        let step = stored.as_object().and_then(Step::from_map).unwrap();
        let (hardware, lease, mut machine) = self.parts();
        let interface = hardware.interface(interface);
        interface.run_step(lease, &mut machine, &step).await
    }
}

#[tokio::test]
async fn power_is_unknown_until_it_is_set_and_lives_in_the_row() {
    let mut lab = Lab::new(json!({}));
    let (hardware, _, machine) = lab.parts();
    assert_eq!(hardware.power.get(&machine).await.unwrap(), None);
    for &target in PowerTarget::ALL {
        let state = lab.power(target).await.unwrap();
        assert_eq!(state, Some(target.end_state()));
        assert_eq!(lab.node.power_state, state);
    }
}

#[tokio::test]
async fn a_lease_on_another_node_opens_nothing() {
    let mut lab = Lab::new(json!({}));
    lab.lease = LeaseProof::granted(NodeId::generate(), 1);
    lab.power(PowerTarget::On).await.unwrap_err();
    assert_eq!(lab.node.power_state, None);
}

#[test]
fn the_steps_are_those_of_the_original() {
    let lab = Lab::new(json!({}));
    let steps: Vec<_> = K::ALL
        .iter()
        .flat_map(|&kind| {
            let steps = lab.hardware.interface(kind).steps();
            steps.iter().map(move |step| (kind, step))
        })
        .map(|(kind, s)| {
            assert_eq!(s.on_restart, OnRestart::Repeat);
            (
                s.kind,
                kind,
                s.step,
                s.priority,
                s.abortable,
                s.requires_ramdisk,
            )
        })
        .collect();
    use StepKind::{Clean, Deploy, Service};
    assert_eq!(
        steps,
        [
            (Clean, K::Bios, "apply_configuration", 0, false, true),
            (Clean, K::Bios, "cache_bios_settings", 0, false, true),
            (Clean, K::Bios, "factory_reset", 0, false, true),
            (Deploy, K::Deploy, "deploy", 100, true, true),
            (Clean, K::Firmware, "update", 0, false, true),
            (Clean, K::Vendor, "log_passthrough", 1, false, true),
            (Service, K::Vendor, "log_passthrough", 0, false, false),
            (Service, K::Vendor, "trigger_servicewait", 0, false, false),
        ]
    );
}

#[tokio::test]
async fn every_interface_validates_and_may_be_repeated() {
    let mut lab = Lab::new(json!({}));
    let (hardware, _, machine) = lab.parts();
    for &kind in K::ALL {
        let interface = hardware.interface(kind);
        interface.validate(&machine).await.unwrap();
        assert_eq!(interface.on_restart(), OnRestart::Repeat);
    }
}

#[tokio::test]
async fn an_absent_interface_is_unsupported_by_its_kind() {
    use crate::absent::Absent;
    let mut lab = Lab::new(json!({}));
    let (_, lease, mut machine) = lab.parts();
    for (absent, kind) in [
        (Absent::BIOS, "bios"),
        (Absent::CONSOLE, "console"),
        (Absent::FIRMWARE, "firmware"),
        (Absent::INSPECT, "inspect"),
        (Absent::RAID, "raid"),
        (Absent::RESCUE, "rescue"),
        (Absent::VENDOR, "vendor"),
    ] {
        assert_eq!(absent.name(), format!("no-{kind}"));
        let refused = absent.validate(&machine).await.unwrap_err();
        assert!(matches!(refused, DriverError::Unsupported { what } if what == kind));
    }
    let refused = crate::iface::Inspect::inspect(&Absent::INSPECT, lease, &mut machine).await;
    assert!(matches!(
        refused,
        Err(DriverError::Unsupported { what: "inspect" })
    ));
}

#[tokio::test]
async fn bios_settings_must_be_well_formed() {
    let mut lab = Lab::new(json!({}));
    let args = json!({"settings": [{"name": "virt", "value": "on"}]});
    lab.step(K::Bios, "apply_configuration", args)
        .await
        .unwrap();
    lab.step(K::Bios, "factory_reset", json!({})).await.unwrap();
    assert_eq!(lab.node.driver_internal_info, InternalInfo::default());
    for wrong in [json!(5), json!([1]), json!([{"name": "a"}])] {
        let args = json!({"settings": wrong});
        let refused = lab.step(K::Bios, "apply_configuration", args).await;
        assert!(matches!(refused, Err(DriverError::InvalidParameter(_))));
    }
}

#[tokio::test]
async fn steps_end_at_once_except_the_one_that_waits() {
    let mut lab = Lab::new(json!({}));
    for (kind, step) in [
        (K::Deploy, "deploy"),
        (K::Vendor, "log_passthrough"),
        (K::Firmware, "update"),
    ] {
        let outcome = lab.step(kind, step, json!({})).await.unwrap();
        assert_eq!(outcome, StepOutcome::Done, "{step}");
    }
    let waiting = lab.step(K::Vendor, "trigger_servicewait", json!({})).await;
    assert!(matches!(waiting, Ok(StepOutcome::Wait { .. })));
    let unknown = lab.step(K::Raid, "create_configuration", json!({})).await;
    assert_eq!(
        unknown.unwrap_err().to_string(),
        "there is no step raid.create_configuration"
    );
}

#[tokio::test]
async fn operations_fail_on_request_and_leave_the_machine_alone() {
    let mut lab = Lab::new(json!({"fake_fail": "power.set, clean.log_passthrough ,validate"}));
    let failed = lab.power(PowerTarget::On).await.unwrap_err();
    assert_eq!(
        failed.to_string(),
        "fake hardware was told to fail power.set"
    );
    assert_eq!(lab.node.power_state, None);

    lab.node.provision_state = ProvisionState::Servicing;
    lab.step(K::Vendor, "log_passthrough", json!({}))
        .await
        .unwrap();
    lab.node.provision_state = ProvisionState::Cleaning;
    let failed = lab.step(K::Vendor, "log_passthrough", json!({})).await;
    assert_eq!(
        failed.unwrap_err().to_string(),
        "fake hardware was told to fail clean.log_passthrough"
    );

    let (hardware, _, machine) = lab.parts();
    let refused = hardware.boot.validate(&machine).await;
    assert!(matches!(refused, Err(DriverError::InvalidParameter(_))));
    hardware.power.get(&machine).await.unwrap();
}

#[tokio::test]
async fn operations_wait_on_request() {
    let wanted = json!({"fake_wait": ["inspect", "rescue.rescue", "prepare_cleaning", "vendor.log_passthrough", 3]});
    let mut lab = Lab::new(wanted);
    let step = lab.step(K::Vendor, "log_passthrough", json!({})).await;
    assert!(matches!(step, Ok(StepOutcome::Wait { .. })));
    let (hardware, lease, mut machine) = lab.parts();
    let inspection = hardware.inspect.inspect(lease, &mut machine).await;
    assert!(matches!(inspection, Ok(Inspection::Wait(_))));
    let rescue = hardware.rescue.rescue(lease, &mut machine).await;
    assert!(matches!(rescue, Ok(Readiness::Wait(_))));
    let cleaning = hardware.deploy.prepare_cleaning(lease, &mut machine).await;
    assert!(matches!(cleaning, Ok(Readiness::Wait(_))));
    let service = hardware.deploy.prepare_service(lease, &mut machine).await;
    assert!(matches!(service, Ok(Readiness::Ready)));
    assert!(hardware.deploy.takes_heartbeats(machine.node));
    let mut lab = Lab::new(json!({"fake_wait": "inspect"}));
    let (hardware, _, machine) = lab.parts();
    assert!(!hardware.deploy.takes_heartbeats(machine.node));
}

#[tokio::test]
async fn management_boots_from_the_network_and_has_two_lights() {
    let mut lab = Lab::new(json!({}));
    let (hardware, lease, mut machine) = lab.parts();
    let management = &hardware.management;
    management
        .set_boot_device(lease, &mut machine, "pxe", true)
        .await
        .unwrap();
    let refused = management
        .set_boot_device(lease, &mut machine, "disk", false)
        .await;
    assert_eq!(
        refused.unwrap_err().to_string(),
        "Invalid boot device disk specified."
    );
    let device = management.boot_device(&machine).await.unwrap();
    assert_eq!(json!(device), json!({"device": "pxe", "persistent": false}));
    let lights = management.indicators(&machine).await.unwrap();
    let lights: Vec<_> = lights
        .iter()
        .map(|l| (l.component.as_str(), l.name.as_str(), l.readonly))
        .collect();
    assert_eq!(
        lights,
        [("chassis", "led-0", true), ("system", "led", false)]
    );
    let state = |component, name| management.indicator(&machine, component, name);
    assert_eq!(state("system", "led").await.unwrap(), "on");
    for (component, name, text) in [
        ("system", "zz", "Invalid indicator zz specified."),
        ("zz", "led", "Invalid component zz specified."),
    ] {
        assert_eq!(state(component, name).await.unwrap_err().to_string(), text);
    }
    let nmi = management.inject_nmi(lease, &mut machine).await;
    assert!(matches!(
        nmi,
        Err(DriverError::Unsupported { what: "inject_nmi" })
    ));
}

#[tokio::test]
async fn vendor_methods_compare_a_word() {
    let mut lab = Lab::new(json!({}));
    let (hardware, lease, mut machine) = lab.parts();
    let vendor = &hardware.vendor;
    let methods = vendor.methods();
    let names: Vec<_> = methods.iter().map(|m| m.name.as_str()).collect();
    assert_eq!(
        names,
        [
            "fourth_method_shared_lock",
            "log_passthrough",
            "second_method",
            "third_method_sync",
        ]
    );
    let check = [
        ("third_method_sync", json!({"bar": "meow"}), Ok(json!(true))),
        ("third_method_sync", json!({"bar": "x"}), Ok(json!(false))),
        ("log_passthrough", json!({}), Ok(Value::Null)),
        (
            "second_method",
            json!({"bar": ""}),
            Err("Parameter 'bar' not passed to method 'second_method'."),
        ),
        ("nope", json!({}), Err("No handler for method nope")),
    ];
    for (method, arguments, expected) in check {
        let arguments = arguments.as_object().unwrap();
        let answer = vendor
            .call(Some(lease), &mut machine, method, arguments)
            .await
            .map_err(|error| error.to_string());
        assert_eq!(answer, expected.map_err(str::to_owned), "{method}");
    }
}

/// The clock stands still until everybody waits for it, so this takes no time and cannot be late.
#[tokio::test(start_paused = true)]
async fn a_delay_holds_up_its_kind_only() {
    let mut fake = FakeSettings::default();
    fake.set_delay(K::Power, "30".parse().unwrap());
    let mut lab = Lab::with(json!({}), fake);
    let start = tokio::time::Instant::now();
    lab.step(K::Deploy, "deploy", json!({})).await.unwrap();
    assert!(start.elapsed().is_zero());
    lab.power(PowerTarget::On).await.unwrap();
    // One delay for setting and one for asking.
    assert_eq!(start.elapsed().as_secs(), 60);
}

#[tokio::test]
async fn the_journal_has_both_ends_of_every_change() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal");
    let fake = FakeSettings {
        journal: Some(path.clone()),
        host: "c1".to_owned(),
        ..FakeSettings::default()
    };
    let mut lab = Lab::with(json!({"fake_fail": "deploy.deploy"}), fake);
    lab.power(PowerTarget::On).await.unwrap();
    lab.step(K::Deploy, "deploy", json!({})).await.unwrap_err();
    let text = std::fs::read_to_string(&path).unwrap();
    let lines: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let seen: Vec<_> = lines
        .iter()
        .map(|l| {
            (
                l["operation"].as_str().unwrap(),
                l["phase"].as_str().unwrap(),
            )
        })
        .collect();
    assert_eq!(
        seen,
        [
            ("power.set", "begin"),
            ("power.set", "end"),
            ("deploy.deploy", "begin"),
            ("deploy.deploy", "end"),
        ]
    );
    let times = lines.iter().map(|line| line["at_ns"].as_u64().unwrap());
    assert!(times.is_sorted(), "{lines:?}");
    for line in &lines {
        assert_eq!(line["who"], "c1");
        assert_eq!(line["pid"], std::process::id());
        assert_eq!(line["takes_ns"], 0);
        assert_eq!(line["node"], json!(lab.node.id));
        assert_eq!(line["generation"], 7);
    }
}
