//! Our own client against the simulator: what no other peer offers, and every fault.

use super::rack::{PASSWORD, Rack, USER, printed};
use crate::{
    ipmi::peer::{self, Bench, has},
    port,
};
use drivers::{
    DriverError,
    iface::{Console, Interface, Management, Power, Vendor},
    ipmi::{IpmiConsole, IpmiSettings, IpmiVendor},
};
use proto::ipmi::{command::sel::SelEntry, crypto::Key, suite::Suite};
use serde_json::json;
use sim::{
    Settings,
    fault::{Faults, Ignore},
    ipmi::Options,
    machine::{
        Light,
        boot::{Device, Enabled, Firmware},
        power::Action,
    },
};
use std::{sync::Arc, time::Duration};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};
use types::{
    PowerState, PowerTarget,
    console::{ConsoleOutput, ConsoleWish},
    hardware_log::LogSeverity,
};

async fn state(bench: &mut Bench) -> Result<Option<PowerState>, DriverError> {
    bench.power().get(&bench.machine()).await
}

async fn switch(bench: &mut Bench, target: PowerTarget) -> Result<(), DriverError> {
    let (power, lease) = (bench.power(), bench.lease.clone());
    power.set(&lease, &mut bench.machine(), target, None).await
}

async fn boot_from(bench: &mut Bench, device: &str) -> Result<Vec<String>, DriverError> {
    let (management, lease) = (bench.management(), bench.lease.clone());
    let machine = &mut bench.machine();
    management
        .set_boot_device(&lease, machine, device, true)
        .await?;
    Ok(std::mem::take(&mut machine.found.warnings))
}

#[tokio::test]
async fn every_suite_with_and_without_a_key() {
    for key in [None, Some("00112233445566778899aabbccddeeff00112233")] {
        let bytes: Vec<u8> = (0..key.map_or(0, |key| key.len() / 2))
            .map(|at| u8::from_str_radix(&key.unwrap()[2 * at..2 * at + 2], 16).unwrap())
            .collect();
        let options = Options {
            suites: Suite::ALL.to_vec(),
            bmc_key: Key::new(&bytes).unwrap(),
            ..Options::default()
        };
        let rack = Rack::with(Settings::default(), options).await;
        for suite in [1, 2, 3, 6, 7, 8, 15, 16, 17] {
            let mut info = rack.driver_info();
            info.insert("ipmi_cipher_suite".into(), json!(suite));
            if let Some(key) = key {
                info.insert("ipmi_hex_kg_key".into(), json!(key));
            }
            let mut bench = Bench::new(info, peer::settings());
            let found = state(&mut bench).await.unwrap();
            assert_eq!(found, Some(PowerState::Off), "suite {suite}");
        }
    }
}

#[tokio::test]
async fn a_wrong_key_is_named() {
    let options = Options {
        bmc_key: Key::new(b"right").unwrap(),
        ..Options::default()
    };
    let rack = Rack::with(Settings::default(), options).await;
    let mut info = rack.driver_info();
    info.insert("ipmi_hex_kg_key".into(), json!("11".repeat(20)));
    let mut bench = Bench::new(info, peer::settings());
    let text = types::error::chain(&state(&mut bench).await.unwrap_err());
    assert!(text.contains("the BMC key (K_g) is wrong"), "{text}");
    assert!(!text.contains("1111"), "{text}");
}

#[tokio::test]
async fn the_old_version_and_bridges() {
    let rack = Rack::new().await;
    for change in [
        json!({"ipmi_protocol_version": "1.5"}),
        json!({"ipmi_bridging": "single", "ipmi_target_channel": "0", "ipmi_target_address": "0x72"}),
        json!({
            "ipmi_bridging": "dual", "ipmi_transit_channel": "0", "ipmi_transit_address": "0x82",
            "ipmi_target_channel": "7", "ipmi_target_address": "0x72",
        }),
    ] {
        let mut info = rack.driver_info();
        info.extend(change.as_object().unwrap().clone());
        let mut bench = Bench::new(info, peer::settings());
        switch(&mut bench, PowerTarget::On).await.unwrap();
        assert_eq!(state(&mut bench).await.unwrap(), Some(PowerState::On));
        switch(&mut bench, PowerTarget::Off).await.unwrap();
        assert_eq!(state(&mut bench).await.unwrap(), Some(PowerState::Off));
    }
    let mut info = rack.driver_info();
    info.extend(
        json!({"ipmi_bridging": "single", "ipmi_target_channel": "0", "ipmi_target_address": "0xf2"})
            .as_object()
            .unwrap()
            .clone(),
    );
    let text = state(&mut Bench::new(info, peer::settings())).await;
    let text = types::error::chain(&text.unwrap_err());
    assert!(text.contains("completion code 0x83"), "{text}");
}

#[tokio::test]
async fn everything_that_a_node_can_be_asked() {
    let settings = Settings {
        personality: sim::personality::Personality::of_name("supermicro").unwrap(),
        ..Settings::default()
    };
    let rack = Rack::with(settings, Options::default()).await;
    let mut bench = rack.bench();
    let machine = rack.machine();
    for (target, action) in [
        (PowerTarget::On, Action::On),
        (PowerTarget::SoftReboot, Action::On),
        (PowerTarget::SoftOff, Action::Soft),
        (PowerTarget::Reboot, Action::On),
    ] {
        switch(&mut bench, target).await.unwrap();
        assert_eq!(machine.history().last(), Some(&action), "{target}");
    }
    for (name, device) in [
        ("pxe", Device::Pxe),
        ("cdrom", Device::Cdrom),
        ("safe", Device::SafeDisk),
        ("bios", Device::Setup),
    ] {
        assert_eq!(boot_from(&mut bench, name).await.unwrap(), [""; 0]);
        let boot = machine.boot();
        assert_eq!((boot.device, boot.enabled), (device, Enabled::Continuous));
        assert_eq!(boot.mode, Firmware::Uefi);
        let found = bench.management().boot_device(&bench.machine()).await;
        assert_eq!(found.unwrap().device.as_deref(), Some(name));
    }
    let (management, lease) = (bench.management(), bench.lease.clone());
    management
        .set_indicator(&lease, &mut bench.machine(), "chassis", "identify", "on")
        .await
        .unwrap();
    assert_eq!(machine.light(), Light::Forever);
    management
        .inject_nmi(&lease, &mut bench.machine())
        .await
        .unwrap();
    assert_eq!(machine.history().last(), Some(&Action::Nmi));
    let vendor = management.vendor(&bench.machine()).await.unwrap();
    assert_eq!(vendor.as_deref(), Some("supermicro"));
    let sensors = management.sensors(&bench.machine()).await.unwrap();
    assert_eq!(sensors["Temperature"].as_object().unwrap().len(), 4);
    assert_eq!(sensors["Fan"].as_object().unwrap().len(), 4);
    if has("ipmitool") {
        // The same numbers as ipmitool sees.
        let theirs = printed(&rack.ipmitool("-v sdr get FAN1").await);
        let field = |name: &str| {
            let line = theirs.lines().find(|line| line.trim().starts_with(name));
            line.unwrap().split_once(": ").unwrap().1.trim().to_owned()
        };
        let ours = &sensors["Fan"]["FAN1 (0x10)"];
        assert_eq!(ours["Sensor Reading"], field("Sensor Reading"), "{ours}");
        let theirs = printed(&rack.ipmitool("dcmi power reading").await);
        let line = theirs.lines().find(|line| line.contains("Instantaneous"));
        let watts = line.unwrap().split_whitespace().rev().nth(1).unwrap();
        let ours = &sensors["Power"]["DCMI Power Reading"]["Sensor Reading"];
        assert_eq!(*ours, format!("{watts} Watts"), "{theirs}");
    }
}

fn upper_critical(sensor: u8) -> SelEntry {
    SelEntry {
        id: 0,
        kind: SelEntry::SYSTEM_EVENT,
        time: 0,
        generator: 0x20,
        sensor_kind: 1,
        sensor,
        is_deassertion: false,
        event_kind: 1,
        data: [0x59, 91, 90],
    }
}

#[tokio::test]
async fn the_event_log_is_read_in_parts_and_cleared() {
    let rack = Rack::new().await;
    let mut bench = rack.bench();
    let machine = rack.machine();
    let (management, lease) = (bench.management(), bench.lease.clone());
    let empty = management.event_log(&bench.machine()).await.unwrap();
    assert_eq!(empty.entries, []);
    assert_eq!(empty.has_overflown, Some(false));
    // Nothing to do is done.
    let mut node = bench.machine();
    management.clear_event_log(&lease, &mut node).await.unwrap();
    for sensor in [0x02, 0x77] {
        machine.log_event(upper_critical(sensor)).unwrap();
    }
    for small_answers in [false, true] {
        rack.set_faults(Faults {
            small_answers,
            ..Faults::default()
        });
        let log = management.event_log(&bench.machine()).await.unwrap();
        assert_eq!(log.entries.len(), 2, "{log:?}");
        let (known, unknown) = (&log.entries[0], &log.entries[1]);
        assert_eq!(known.sensor.as_deref(), Some("CPU1 Temp"));
        assert_eq!(
            known.text,
            "upper critical, going high: 91 degrees C, limit 90 degrees C"
        );
        assert_eq!(known.severity, Some(LogSeverity::Critical));
        assert!(known.at.is_some());
        assert_eq!(unknown.sensor.as_deref(), Some("#0x77"));
        assert!(!log.is_cut);
    }
    rack.set_faults(Faults {
        ignore: Ignore::Everything,
        ..Faults::default()
    });
    let mut node = bench.machine();
    let error = management
        .clear_event_log(&lease, &mut node)
        .await
        .unwrap_err();
    assert!(matches!(error, DriverError::NotKept { .. }), "{error}");
    rack.set_faults(Faults::default());
    let mut node = bench.machine();
    management.clear_event_log(&lease, &mut node).await.unwrap();
    assert!(machine.event_log().entries.is_empty());
}

#[tokio::test]
async fn a_full_log_says_so() {
    let rack = Rack::new().await;
    let mut bench = rack.bench();
    while rack.machine().log_event(upper_critical(2)).is_some() {}
    let management = bench.management();
    let log = management.event_log(&bench.machine()).await.unwrap();
    assert_eq!(log.entries.len(), sim::machine::log::CAPACITY);
    assert_eq!(log.has_overflown, Some(true));
}

#[tokio::test]
async fn the_console_prints_and_echoes() {
    let settings = Settings {
        is_on_at_first: true,
        ..Settings::default()
    };
    let rack = Rack::with(settings, Options::default()).await;
    let mut bench = rack.bench();
    bench
        .info
        .insert("ipmi_terminal_port".into(), json!(port::free()));
    let console = IpmiConsole::new(Arc::clone(&bench.ipmi));
    let lease = bench.lease.clone();
    console.start(&lease, &mut bench.machine()).await.unwrap();
    let shown = console.info(&bench.machine()).await.unwrap();
    let address = shown["url"].as_str().unwrap();
    let address = address.strip_prefix("tcp://").unwrap();
    let mut client = TcpStream::connect(address).await.unwrap();
    let mut heard = Vec::new();
    let hear = async |client: &mut TcpStream, heard: &mut Vec<u8>, end: &[u8]| {
        while !heard.ends_with(end) {
            heard.push(client.read_u8().await.unwrap());
        }
    };
    hear(&mut client, &mut heard, b"sim-0 login: ").await;
    client.write_all(b"who\r").await.unwrap();
    hear(&mut client, &mut heard, b"who\r\nsim-0 login: ").await;
    // A reset is seen on the line.
    rack.machine().control(Action::Reset).unwrap();
    hear(&mut client, &mut heard, b"from Disk\r\nsim-0 login: ").await;
    console.stop(&lease, &mut bench.machine()).await.unwrap();
}

/// Where the settings allow it, a console is there without a port for those who come by the API.
#[tokio::test]
async fn a_console_needs_no_port() {
    let settings = Settings {
        is_on_at_first: true,
        ..Settings::default()
    };
    let rack = Rack::with(settings, Options::default()).await;
    let with_port = rack.bench().ipmi.settings.clone();
    assert!(with_port.console_needs_port);
    let settings = IpmiSettings {
        console_needs_port: false,
        ..with_port
    };
    let mut bench = Bench::new(rack.driver_info(), settings);
    let console = IpmiConsole::new(Arc::clone(&bench.ipmi));
    console.validate(&bench.machine()).await.unwrap();
    let lease = bench.lease.clone();
    console.start(&lease, &mut bench.machine()).await.unwrap();
    let shown = console.info(&bench.machine()).await.unwrap();
    assert_eq!(shown["type"], "websocket");
    let wish = ConsoleWish {
        write: false,
        take_over: false,
    };
    let mut line = console.join(&bench.machine(), wish).await.unwrap();
    let mut heard = Vec::new();
    while !heard.ends_with(b"sim-0 login: ") {
        match line.reader.next().await {
            Some(ConsoleOutput::Characters(said)) => heard.extend(said),
            Some(_) => {}
            None => panic!("the console ended: {}", String::from_utf8_lossy(&heard)),
        }
    }
    console.stop(&lease, &mut bench.machine()).await.unwrap();
}

/// A rack whose BMC has faults, and a client that does not wait long for an answer.
async fn faulty(faults: Faults) -> (Rack, Bench) {
    let rack = Rack::new().await;
    rack.set_faults(faults);
    let settings = IpmiSettings {
        first_wait: Duration::from_millis(100),
        tries: 3,
        power_wait: Duration::from_millis(500),
        ..peer::settings()
    };
    let bench = Bench::new(rack.driver_info(), settings);
    (rack, bench)
}

async fn failure(faults: Faults) -> String {
    let (rack, bench) = faulty(faults).await;
    // What stays as it is need not be asked for often.
    let settings = IpmiSettings {
        retry_for: Duration::from_millis(1500),
        ..bench.ipmi.settings.clone()
    };
    let mut bench = Bench::new(rack.driver_info(), settings);
    let text = types::error::chain(&state(&mut bench).await.unwrap_err());
    let begin = format!(
        "IPMI call failed: power status. BMC 127.0.0.1:{}: ",
        rack.port()
    );
    assert!(
        !text.contains(PASSWORD) || text.contains("name or the password"),
        "{text}"
    );
    text.strip_prefix(&begin).expect(&text).to_owned()
}

#[tokio::test]
async fn silence_and_garbage_are_no_answer() {
    let silent = failure(Faults {
        silent: true,
        ..Faults::default()
    });
    let garbage = failure(Faults {
        garbage: true,
        ..Faults::default()
    });
    let (silent, garbage) = tokio::join!(silent, garbage);
    for text in [silent, garbage] {
        assert!(
            text.contains("did not answer Get Channel Authentication Capabilities"),
            "{text}"
        );
    }
}

#[tokio::test]
async fn slow_and_lossy_bmcs_are_waited_for() {
    for faults in [
        Faults {
            latency_ms: 150,
            ..Faults::default()
        },
        Faults {
            lose_every: 3,
            ..Faults::default()
        },
        Faults {
            slow_every: 2,
            slow_ms: 250,
            ..Faults::default()
        },
    ] {
        let (_rack, mut bench) = faulty(faults.clone()).await;
        for _ in 0..3 {
            let found = state(&mut bench).await;
            assert_eq!(found.unwrap(), Some(PowerState::Off), "{faults:?}");
        }
    }
}

#[tokio::test]
async fn wrong_completion_codes_are_told() {
    for (code, said) in [
        (0xc0, "the BMC answered: "),
        (
            0xc1,
            "the BMC answered: invalid command (completion code 0xc1)",
        ),
        (0xd4, "insufficient privilege level"),
        (0xff, "unspecified error (completion code 0xff)"),
    ] {
        let text = failure(Faults {
            completion: Some(code),
            ..Faults::default()
        })
        .await;
        assert!(text.contains(said), "{code:#x}: {text}");
    }
}

#[tokio::test]
async fn ignored_writes_are_noticed() {
    let (rack, mut bench) = faulty(Faults {
        ignore: Ignore::Power,
        ..Faults::default()
    })
    .await;
    let text = switch(&mut bench, PowerTarget::On).await.unwrap_err();
    assert!(text.to_string().contains("power"), "{text}");
    assert_eq!(rack.machine().history().first(), Some(&Action::On));
    assert!(boot_from(&mut bench, "pxe").await.is_ok());
    rack.set_faults(Faults {
        ignore: Ignore::Boot,
        ..Faults::default()
    });
    let error = boot_from(&mut bench, "cdrom").await.unwrap_err();
    assert!(matches!(error, DriverError::NotKept { .. }), "{error}");
    assert!(
        error.to_string().contains("asked for cdrom, found pxe"),
        "{error}"
    );
    switch(&mut bench, PowerTarget::On).await.unwrap();
}

#[tokio::test]
async fn lost_flags_are_warned_about() {
    for (faults, lost) in [
        (
            Faults {
                lose_persistence: true,
                ..Faults::default()
            },
            "for every boot",
        ),
        (
            Faults {
                lose_efi: true,
                ..Faults::default()
            },
            "by UEFI",
        ),
    ] {
        let (_rack, mut bench) = faulty(faults).await;
        let warnings = boot_from(&mut bench, "pxe").await.unwrap();
        assert_eq!(warnings.len(), 1, "{lost}");
        assert!(
            warnings[0].ends_with(&format!("took boot device pxe, but not that it is {lost}")),
            "{warnings:?}"
        );
    }
}

#[tokio::test]
async fn no_room_and_locked_accounts() {
    let text = failure(Faults {
        session_limit: Some(0),
        ..Faults::default()
    })
    .await;
    assert!(
        text.contains("insufficient resources to create a session"),
        "{text}"
    );
    let (rack, mut bench) = faulty(Faults {
        lockout_after: Some(2),
        ..Faults::default()
    })
    .await;
    assert!(state(&mut bench).await.is_ok());
    rack.machine().note_bad_password(USER);
    rack.machine().note_bad_password(USER);
    let mut other = Bench::new(rack.driver_info(), peer::settings());
    let text = types::error::chain(&state(&mut other).await.unwrap_err());
    assert!(
        text.contains("the user name or the password is wrong"),
        "{text}"
    );
    assert_eq!(text.matches("127.0.0.1:").count(), 1, "{text}");
}

#[tokio::test]
async fn a_bmc_that_restarts_is_found_again() {
    let settings = Settings {
        bmc_reboot_time: Duration::from_millis(400),
        ..Settings::default()
    };
    let rack = Rack::with(settings, Options::default()).await;
    let mut bench = rack.bench();
    assert!(state(&mut bench).await.is_ok());
    rack.machine().restart_bmc();
    assert_eq!(state(&mut bench).await.unwrap(), Some(PowerState::Off));
    let vendor = IpmiVendor(Arc::clone(&bench.ipmi));
    let arguments = json!({"warm": "false"}).as_object().unwrap().clone();
    let (lease, epoch) = (bench.lease.clone(), rack.machine().epoch());
    vendor
        .call(Some(&lease), &mut bench.machine(), "bmc_reset", &arguments)
        .await
        .unwrap();
    assert_eq!(rack.machine().epoch(), epoch + 1);
    assert_eq!(state(&mut bench).await.unwrap(), Some(PowerState::Off));
}

#[tokio::test]
async fn many_bmcs_over_one_socket() {
    let first = std::net::Ipv4Addr::new(127, 98, 0, 1);
    let layout = sim::Layout::Addresses { first, port: 0 };
    let rack = Rack::of(300, Settings::default(), Options::default(), layout).await;
    rack.machines[7].control(Action::On).unwrap();
    let mut bench = rack.bench();
    let ipmi = Arc::clone(&bench.ipmi);
    for (index, machine) in (0..).zip(rack.machines.iter()) {
        let address = rack.server.endpoint(index).unwrap().ip().to_string();
        bench.info.insert("ipmi_address".into(), json!(address));
        let power = drivers::ipmi::IpmiPower(Arc::clone(&ipmi));
        let found = power.get(&bench.machine()).await.unwrap();
        let expected = if index == 7 {
            PowerState::On
        } else {
            PowerState::Off
        };
        assert_eq!(found, Some(expected), "{}", machine.name());
    }
}
