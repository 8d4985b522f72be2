//! Our own simulator, with the ways of every maker and with every fault that it knows.

use super::bench::{Bench, PASSWORD, settings, text};
use drivers::{
    DriverError,
    iface::{Interface, Management, Power},
    redfish::RedfishSettings,
};
use proto::ipmi::command::sel::SelEntry;
use serde_json::{Value, json};
use sim::{
    Layout, Machine, Settings,
    fault::{Faults, HttpFaults, Ignore},
    machine::account::User,
    personality::Personality,
    redfish::{
        Options, certificate,
        server::{Server, Serving},
    },
};
use std::{net::Ipv4Addr, sync::Arc, time::Duration};
use types::{
    InterfaceKind, JsonMap, PowerState, PowerTarget,
    hardware_log::LogSeverity,
    rpc::VirtualMedia,
    step::{Step, StepOutcome},
};

/// A simulated machine behind its service.
struct Sim {
    machine: Arc<Machine>,
    address: String,
    _server: Server,
}

impl Sim {
    async fn of(maker: &str) -> Self {
        Self::with(maker, 1, Options::default()).await
    }

    async fn with(maker: &str, count: u32, options: Options) -> Self {
        let mut made = Settings {
            personality: Personality::of_name(maker).unwrap(),
            users: Arc::new([User::administrator("admin", PASSWORD)]),
            bmc_reboot_time: Duration::from_millis(50),
            ..Settings::default()
        };
        made.seed = 7;
        let machines = sim::machines(count, &Arc::new(made));
        let serving = Serving {
            layout: Layout::Ports {
                address: Ipv4Addr::LOCALHOST.into(),
                first: 0,
            },
            options: Arc::new(options),
            group: machines.len(),
            tls: certificate::self_signed().unwrap(),
        };
        let server = Server::start(&machines, serving).await.unwrap();
        let address = format!("https://{}", server.endpoint(0).unwrap());
        Self {
            machine: Arc::clone(&machines[0]),
            address,
            _server: server,
        }
    }

    fn driver_info(&self) -> JsonMap {
        let Value::Object(info) = json!({
            "redfish_address": self.address, "redfish_verify_ca": false,
            "redfish_username": "admin", "redfish_password": PASSWORD,
        }) else {
            unreachable!()
        };
        info
    }

    fn bench(&self) -> Bench {
        Bench::new(self.driver_info(), settings())
    }

    fn fails(&self, faults: Faults) {
        self.machine.set_faults(Some(faults));
    }

    fn recovers(&self) {
        self.machine.set_faults(None);
    }
}

/// Waits that are over soon where nobody answers.
fn hasty() -> RedfishSettings {
    RedfishSettings {
        connect_timeout: Duration::from_secs(1),
        read_timeout: Duration::from_secs(1),
        attempts: 2,
        ..settings()
    }
}

#[tokio::test]
async fn every_maker_switches_power_and_boots_from_where_it_is_told() {
    for personality in Personality::ALL {
        let maker = personality.name;
        let sim = Sim::of(maker).await;
        let mut bench = sim.bench();
        for target in [
            PowerTarget::On,
            PowerTarget::Reboot,
            PowerTarget::SoftReboot,
            PowerTarget::SoftOff,
        ] {
            let outcome = bench.switch(target).await;
            assert!(outcome.is_ok(), "{maker} {target}: {outcome:?}");
            let found = bench.state().await.unwrap();
            assert_eq!(found, Some(target.end_state()), "{maker} {target}");
        }
        for device in ["pxe", "disk", "cdrom", "bios", "uefihttp"] {
            for persistent in [true, false] {
                let outcome = bench.boot_from(device, persistent).await;
                let warnings = outcome.unwrap_or_else(|error| panic!("{maker} {device}: {error}"));
                assert!(warnings.is_empty(), "{maker} {device}: {warnings:?}");
                let found = bench.management().boot_device(&bench.machine()).await;
                assert_eq!(found.unwrap().device.as_deref(), Some(device), "{maker}");
            }
        }
    }
}

#[tokio::test]
async fn every_maker_is_managed() {
    for personality in Personality::ALL {
        let maker = personality.name;
        let sim = Sim::of(maker).await;
        let mut bench = sim.bench();
        let (management, lease) = (bench.management(), bench.lease.clone());
        let machine = &mut bench.machine();
        let health = management.health(machine).await.unwrap();
        assert_eq!(health.as_deref(), Some("OK"), "{maker}");
        assert!(management.vendor(machine).await.unwrap().is_some());
        management.inject_nmi(&lease, machine).await.unwrap();
        let sensors = management.sensors(machine).await.unwrap();
        for kind in ["Fan", "Temperature", "Power", "Drive"] {
            let found = sensors[kind].as_object().unwrap();
            assert!(!found.is_empty(), "{maker} {kind}: {sensors:?}");
        }
        let lights = management.indicators(machine).await.unwrap();
        let light = lights.iter().find(|one| one.component == "system");
        let name = light.unwrap().name.clone();
        for state in ["on", "off"] {
            let set = management.set_indicator(&lease, machine, "system", &name, state);
            set.await.unwrap_or_else(|error| panic!("{maker}: {error}"));
            let found = management.indicator(machine, "system", &name).await;
            assert_eq!(found.unwrap(), state, "{maker}");
        }
        if personality.oddities.is_legacy_only {
            let refused = management.set_secure_boot(&lease, machine, true).await;
            assert!(text(refused).contains("requires UEFI"), "{maker}");
            continue;
        }
        for on in [true, false] {
            let set = management.set_secure_boot(&lease, machine, on).await;
            set.unwrap_or_else(|error| panic!("{maker}: {error}"));
            assert_eq!(management.secure_boot(machine).await.unwrap(), Some(on));
        }
        for mode in ["bios", "uefi"] {
            match management.set_boot_mode(&lease, machine, mode).await {
                Ok(()) => {
                    let found = management.boot_mode(machine).await.unwrap();
                    assert_eq!(found.as_deref(), Some(mode), "{maker}");
                }
                // It is a BIOS setting there.
                Err(error) => {
                    assert_eq!(maker, "dell", "{error}");
                    assert!(text(Err::<(), _>(error)).contains("setting the boot mode failed"));
                }
            }
        }
        for device in ["cdrom", "disk"] {
            let media = VirtualMedia {
                device: device.into(),
                image_url: "http://127.0.0.1/boot.iso".into(),
                source: "http".into(),
            };
            let outcome = management.attach_virtual_media(&lease, machine, &media);
            let outcome = outcome.await;
            outcome.unwrap_or_else(|error| panic!("{maker} {device}: {error}"));
            let found = management.virtual_media(machine).await.unwrap();
            let full = found.iter().filter(|drive| drive["inserted"] == true);
            assert_eq!(full.count(), 1, "{maker} {device}: {found:?}");
            management
                .detach_virtual_media(&lease, machine, None)
                .await
                .unwrap();
            let found = management.virtual_media(machine).await.unwrap();
            assert!(
                found.iter().all(|drive| drive["inserted"] != true),
                "{maker}"
            );
        }
    }
}

fn no_input() -> SelEntry {
    SelEntry {
        id: 0,
        kind: SelEntry::SYSTEM_EVENT,
        time: 0,
        generator: 0x20,
        sensor_kind: 8,
        sensor: 0x77,
        is_deassertion: false,
        event_kind: 0x6f,
        data: [3, 0, 0],
    }
}

#[tokio::test]
async fn every_makers_event_log_is_read_over_pages_and_cleared() {
    for personality in Personality::ALL {
        let maker = personality.name;
        let options = Options {
            page: Some(2),
            ..Options::default()
        };
        let sim = Sim::with(maker, 1, options).await;
        for _ in 0..5 {
            sim.machine.log_event(no_input()).unwrap();
        }
        let mut bench = sim.bench();
        let (management, lease) = (bench.management(), bench.lease.clone());
        let log = management.event_log(&bench.machine()).await.unwrap();
        assert_eq!(log.entries.len(), 5, "{maker}: {log:?}");
        let first = &log.entries[0];
        assert_eq!(first.text, "Sensor 0x77: power supply input lost");
        assert_eq!(first.severity, Some(LogSeverity::Critical));
        assert_eq!(first.log, "SEL");
        assert!(first.at.is_some() && first.is_asserted == Some(true));
        sim.fails(Faults {
            ignore: Ignore::Everything,
            ..Faults::default()
        });
        let mut machine = bench.machine();
        let error = management
            .clear_event_log(&lease, &mut machine)
            .await
            .unwrap_err();
        assert!(
            matches!(error, DriverError::NotKept { .. }),
            "{maker}: {error}"
        );
        sim.recovers();
        let mut machine = bench.machine();
        management
            .clear_event_log(&lease, &mut machine)
            .await
            .unwrap();
        assert!(sim.machine.event_log().entries.is_empty(), "{maker}");
        let log = management.event_log(&bench.machine()).await.unwrap();
        assert_eq!(log.entries, [], "{maker}");
    }
}

#[tokio::test]
async fn dells_controller_is_put_into_order() {
    let sim = Sim::of("dell").await;
    let mut bench = sim.bench();
    let idrac = bench.idrac();
    let addresses = idrac.mac_addresses(&bench.machine()).await.unwrap();
    assert!(!addresses.is_empty());
    for name in ["clear_job_queue", "reset_idrac", "known_good_state"] {
        let before = sim.machine.epoch();
        let spec = idrac.steps().iter().find(|spec| spec.step == name);
        let step = Step::offered(InterfaceKind::Management, spec.unwrap());
        let lease = bench.lease.clone();
        let done = idrac.run_step(&lease, &mut bench.machine(), &step).await;
        assert_eq!(done.unwrap(), StepOutcome::Done, "{name}");
        let was_reset = sim.machine.epoch() != before;
        assert_eq!(was_reset, name != "clear_job_queue", "{name}");
    }
}

#[tokio::test]
async fn one_of_many_machines_is_found_by_its_path_over_pages() {
    let options = Options {
        page: Some(2),
        ..Options::default()
    };
    let sim = Sim::with("generic", 5, options).await;
    let mut bench = sim.bench();
    let error = text(bench.state().await);
    assert!(error.contains("count is not exactly one but 5"), "{error}");
    let info = bench.redfish.clone().info(&bench.machine()).unwrap();
    let talk = bench.redfish.talk(&info, "listing").await.unwrap();
    let systems = talk.members("/redfish/v1/Systems").await.unwrap();
    drop(talk);
    assert_eq!(systems.len(), 5);
    let path = systems[0].clone();
    bench.info.insert("redfish_system_id".into(), path.into());
    bench.switch(PowerTarget::On).await.unwrap();
    assert!(sim.machine.summary().power);
}

#[tokio::test]
async fn sessions_that_are_lost_are_renewed() {
    let sim = Sim::of("generic").await;
    let mut bench = sim.bench();
    sim.fails(Faults {
        http: HttpFaults {
            forget_tokens_every: 5,
            ..HttpFaults::default()
        },
        ..Faults::default()
    });
    for target in [PowerTarget::On, PowerTarget::Reboot, PowerTarget::Off] {
        bench.switch(target).await.unwrap();
    }
    sim.recovers();
    // A BMC that restarts forgets them too, and is away for a moment.
    sim.machine.restart_bmc();
    let mut patient = Bench::new(
        sim.driver_info(),
        RedfishSettings {
            attempts: 100,
            attempt_pause: Duration::from_millis(20),
            gate: drivers::GateSettings {
                silences: 1000,
                ..settings().gate
            },
            ..settings()
        },
    );
    assert_eq!(patient.state().await.unwrap(), Some(PowerState::Off));
    bench.switch(PowerTarget::On).await.unwrap();
}

#[tokio::test]
async fn a_service_without_room_for_sessions_gets_the_password() {
    let sim = Sim::of("generic").await;
    sim.fails(Faults {
        session_limit: Some(0),
        ..Faults::default()
    });
    let mut bench = sim.bench();
    assert_eq!(bench.state().await.unwrap(), Some(PowerState::Off));
    let mut bench = sim.bench();
    let info = &mut bench.info;
    info.insert("redfish_auth_type".into(), "session".into());
    let error = text(bench.state().await);
    assert!(
        error.contains("HTTP POST /redfish/v1/SessionService/Sessions"),
        "{error}"
    );
}

#[tokio::test]
async fn a_locked_account_is_told() {
    let sim = Sim::of("generic").await;
    sim.fails(Faults {
        lockout_after: Some(2),
        lockout_seconds: 0,
        ..Faults::default()
    });
    let mut wrong = sim.bench();
    wrong
        .info
        .insert("redfish_password".into(), "mistaken".into());
    let error = text(wrong.state().await);
    assert!(
        error.contains("the user name or the password is wrong") && !error.contains("mistaken"),
        "{error}"
    );
    let error = text(sim.bench().state().await);
    assert!(error.contains("returned code 40"), "{error}");
}

#[tokio::test]
async fn silence_garbage_and_refusals_are_told_apart() {
    let sim = Sim::of("generic").await;
    let aimed = |http: HttpFaults| Faults {
        http: HttpFaults {
            path: Some("Systems".into()),
            ..http
        },
        ..Faults::default()
    };
    let cases = [
        (
            Faults {
                silent: true,
                ..Faults::default()
            },
            "no answer within 2 s",
        ),
        (
            Faults {
                garbage: true,
                ..Faults::default()
            },
            "",
        ),
        (
            Faults {
                completion: Some(0xc0),
                ..Faults::default()
            },
            "returned code 503",
        ),
        (
            aimed(HttpFaults {
                status: Some(500),
                ..HttpFaults::default()
            }),
            "returned code 500",
        ),
        (
            aimed(HttpFaults {
                truncate: true,
                ..HttpFaults::default()
            }),
            "breaks off",
        ),
        (
            aimed(HttpFaults {
                hang: true,
                ..HttpFaults::default()
            }),
            "no answer within 2 s",
        ),
    ];
    for (faults, expected) in cases {
        sim.fails(faults.clone());
        let mut bench = Bench::new(sim.driver_info(), hasty());
        let error = text(bench.state().await);
        assert!(
            error.contains(&format!("BMC {}", sim.address)),
            "{faults:?}: {error}"
        );
        assert!(
            error.contains("reading the power state failed"),
            "{faults:?}: {error}"
        );
        assert!(error.contains(expected), "{faults:?}: {error}");
        sim.recovers();
        let mut bench = sim.bench();
        assert_eq!(bench.state().await.unwrap(), Some(PowerState::Off));
    }
}

#[tokio::test]
async fn lost_and_late_answers_are_coped_with() {
    let sim = Sim::of("generic").await;
    sim.fails(Faults {
        lose_every: 4,
        slow_every: 3,
        slow_ms: 50,
        latency_ms: 5,
        ..Faults::default()
    });
    let mut bench = sim.bench();
    for _ in 0..10 {
        assert_eq!(bench.state().await.unwrap(), Some(PowerState::Off));
    }
}

#[tokio::test]
async fn changes_that_are_not_made_are_errors() {
    let sim = Sim::of("generic").await;
    let settings = RedfishSettings {
        power_wait: Duration::from_millis(400),
        ..settings()
    };
    let mut bench = Bench::new(sim.driver_info(), settings);
    let ignores = |ignore| {
        sim.fails(Faults {
            ignore,
            ..Faults::default()
        });
    };
    ignores(Ignore::Power);
    let error = text(bench.switch(PowerTarget::On).await);
    assert!(error.contains("still reports power off"), "{error}");
    ignores(Ignore::Boot);
    let error = bench.boot_from("pxe", true).await.unwrap_err();
    assert!(
        matches!(
            error,
            DriverError::NotKept {
                what: "boot device",
                ..
            }
        ),
        "{error}"
    );
    ignores(Ignore::Everything);
    let (management, lease) = (bench.management(), bench.lease.clone());
    let machine = &mut bench.machine();
    let lights = management.indicators(machine).await.unwrap();
    let light = lights.iter().find(|one| one.component == "system").unwrap();
    let outcome = management
        .set_indicator(&lease, machine, "system", &light.name, "on")
        .await;
    assert!(
        matches!(
            outcome,
            Err(DriverError::NotKept {
                what: "indicator",
                ..
            })
        ),
        "{outcome:?}"
    );
}

#[tokio::test]
async fn a_device_that_does_not_stay_is_remembered() {
    let sim = Sim::of("generic").await;
    sim.fails(Faults {
        lose_persistence: true,
        ..Faults::default()
    });
    let mut bench = sim.bench();
    let warnings = bench.boot_from("disk", true).await.unwrap();
    assert!(
        warnings[0].ends_with("but not that it is for every boot"),
        "{warnings:?}"
    );
    let noted = &bench.node.driver_internal_info;
    assert_eq!(noted.redfish_boot_device(), Some("disk"));
    for _ in 0..2 {
        bench.switch(PowerTarget::Reboot).await.unwrap();
        let booted = sim.machine.summary().last_boot.unwrap();
        assert_eq!(booted.device, sim::machine::boot::Device::Disk);
    }
}

#[tokio::test]
async fn machines_that_are_starting_and_bmcs_that_are_not_ready_are_waited_for_in_vain() {
    let sim = Sim::of("hpe").await;
    let mut bench = sim.bench();
    let http = |http| {
        sim.fails(Faults {
            http,
            ..Faults::default()
        });
    };
    http(HttpFaults {
        busy_in_post: true,
        ..HttpFaults::default()
    });
    let error = text(bench.boot_from("pxe", false).await);
    assert!(error.contains("UnableToModifyDuringSystemPOST"), "{error}");
    http(HttpFaults {
        refuse_on: true,
        ..HttpFaults::default()
    });
    let error = text(bench.switch(PowerTarget::On).await);
    assert!(
        error.contains("power on failed") && error.contains("409"),
        "{error}"
    );
    sim.recovers();
    bench.boot_from("pxe", false).await.unwrap();
    bench.switch(PowerTarget::On).await.unwrap();
    assert_eq!(
        bench.power().get(&bench.machine()).await.unwrap(),
        Some(PowerState::On)
    );
}
