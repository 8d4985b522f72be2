//! IPMI hardware against BMCs that others wrote, over networks that are not always good.

pub(crate) mod peer;
mod relay;
mod replay;
mod service;
pub(crate) mod watching;

use drivers::{
    DriverError,
    iface::{Console, Interface, Management, Power, Vendor},
    ipmi::{IpmiConsole, IpmiManagement, IpmiSettings, IpmiVendor},
};
use peer::{Bench, Bmc, PASSWORD, driver_info, settings};
use relay::{Faults, Relay};
use serde_json::{Value, json};
use std::{sync::Arc, time::Duration};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpStream, UdpSocket},
};
use types::{PowerState, PowerTarget};

async fn switch(bench: &mut Bench, target: PowerTarget) -> Result<(), DriverError> {
    let (power, lease) = (bench.power(), bench.lease.clone());
    power.set(&lease, &mut bench.machine(), target, None).await
}

async fn state(bench: &mut Bench) -> Result<Option<PowerState>, DriverError> {
    bench.power().get(&bench.machine()).await
}

async fn boot_from(
    bench: &mut Bench,
    device: &str,
    persistent: bool,
) -> Result<Vec<String>, DriverError> {
    let (management, lease) = (bench.management(), bench.lease.clone());
    let machine = &mut bench.machine();
    management
        .set_boot_device(&lease, machine, device, persistent)
        .await?;
    Ok(std::mem::take(&mut machine.found.warnings))
}

async fn every_power_action(bmc: &Bmc) {
    let mut bench = bmc.bench();
    assert_eq!(state(&mut bench).await.unwrap(), Some(PowerState::Off));
    for target in [
        PowerTarget::On,
        PowerTarget::Off,
        PowerTarget::On,
        PowerTarget::Reboot,
        PowerTarget::SoftReboot,
        PowerTarget::SoftOff,
        PowerTarget::Reboot,
    ] {
        switch(&mut bench, target).await.unwrap();
        let found = state(&mut bench).await.unwrap();
        assert_eq!(found, Some(target.end_state()), "{target}");
    }
}

#[tokio::test]
async fn power_of_ipmi_sim() {
    let Some(mut bmc) = Bmc::sim() else { return };
    every_power_action(&bmc).await;
    let told = bmc.told();
    assert_eq!(
        told,
        [
            "power 1",
            "power 0",
            "power 1",
            "power 0",
            "power 1",
            "shutdown 1",
            "power 1",
            "shutdown 1",
            "power 1"
        ]
    );
}

#[tokio::test]
async fn power_of_pyghmi() {
    let Some(mut bmc) = Bmc::pyghmi(&[]) else {
        return;
    };
    every_power_action(&bmc).await;
    bmc.told();
    // A machine that must not lose its power is reset instead.
    let mut bench = bmc.bench();
    bench.node.disable_power_off = Some(true);
    switch(&mut bench, PowerTarget::Reboot).await.unwrap();
    assert_eq!(bmc.told(), ["power reset"]);
    let refused = switch(&mut bench, PowerTarget::SoftReboot).await;
    let text = types::error::chain(&refused.unwrap_err());
    assert!(
        text.contains("does not support feature soft power off"),
        "{text}"
    );
}

#[tokio::test]
async fn a_version_that_is_old_works_too() {
    let Some(bmc) = Bmc::sim() else { return };
    let mut info = bmc.driver_info();
    info.remove("ipmi_cipher_suite");
    info.insert("ipmi_protocol_version".into(), json!("1.5"));
    let mut bench = Bench::new(info, settings());
    switch(&mut bench, PowerTarget::On).await.unwrap();
    assert_eq!(state(&mut bench).await.unwrap(), Some(PowerState::On));
}

#[tokio::test]
async fn a_suite_that_the_bmc_lacks_is_followed_by_the_next() {
    let Some(bmc) = Bmc::sim() else { return };
    let mut info = bmc.driver_info();
    info.remove("ipmi_cipher_suite");
    let mut bench = Bench::new(info, settings());
    assert_eq!(state(&mut bench).await.unwrap(), Some(PowerState::Off));
}

#[tokio::test]
async fn boot_flags_are_written_and_read_back() {
    let Some(mut bmc) = Bmc::pyghmi(&[]) else {
        return;
    };
    let mut bench = bmc.bench();
    for (mode, efi) in [("uefi", 0x20), ("bios", 0)] {
        bench.node.properties = json!({"capabilities": format!("boot_mode:{mode}")})
            .as_object()
            .cloned()
            .unwrap();
        for (device, number) in [
            ("pxe", 1u8),
            ("disk", 2),
            ("safe", 3),
            ("cdrom", 5),
            ("bios", 6),
        ] {
            for persistent in [false, true] {
                let warnings = boot_from(&mut bench, device, persistent).await.unwrap();
                assert!(warnings.is_empty(), "{warnings:?}");
                let first = 0x80 | efi | if persistent { 0x40 } else { 0 };
                let flags = format!("boot option 05 {first:02x} {:02x} 00 00 00", number << 2);
                let told = bmc.told();
                assert_eq!(told[0], "boot option 03 08", "the time-out is switched off");
                assert_eq!(told.last(), Some(&flags), "{told:?}");
                let found = bench.management().boot_device(&bench.machine()).await;
                let found = found.unwrap();
                assert_eq!(found.device.as_deref(), Some(device));
                assert_eq!(found.persistent, Some(persistent));
            }
        }
    }
    bench
        .info
        .insert("ipmi_disable_boot_timeout".into(), json!("False"));
    boot_from(&mut bench, "pxe", false).await.unwrap();
    assert!(!bmc.told().contains(&"boot option 03 08".to_owned()));
    let wrong = boot_from(&mut bench, "floppy", false).await.unwrap_err();
    assert_eq!(wrong.to_string(), "Invalid boot device floppy specified.");
    // Supermicro's disk has another number.
    bench.node.properties = json!({"vendor": "Supermicro"})
        .as_object()
        .cloned()
        .unwrap();
    boot_from(&mut bench, "disk", true).await.unwrap();
    assert_eq!(bmc.told().last().unwrap(), "boot option 05 e0 24 00 00 00");
    let found = bench.management().boot_device(&bench.machine()).await;
    assert_eq!(found.unwrap().device.as_deref(), Some("disk"));
}

#[tokio::test]
async fn lost_flags_are_warned_about() {
    let Some(bmc) = Bmc::sim() else { return };
    let mut bench = bmc.bench();
    let warnings = boot_from(&mut bench, "pxe", true).await.unwrap();
    let text = format!(
        "BMC 127.0.0.1:{} took boot device pxe, but not that it is valid and for every boot and by UEFI",
        bmc.port
    );
    assert_eq!(warnings, std::slice::from_ref(&text));
    assert_eq!(
        bench.node.driver_internal_info.raw_json()["boot_device_warning"],
        text
    );
    let found = bench.management().boot_device(&bench.machine()).await;
    assert_eq!(found.unwrap().device.as_deref(), Some("pxe"));
}

#[tokio::test]
async fn a_wrong_boot_device_is_an_error() {
    let Some(bmc) = Bmc::pyghmi(&["--wrong-boot"]) else {
        return;
    };
    let mut bench = bmc.bench();
    let error = boot_from(&mut bench, "pxe", true).await.unwrap_err();
    assert!(matches!(error, DriverError::NotKept { .. }));
    assert_eq!(
        error.to_string(),
        format!(
            "BMC 127.0.0.1:{} accepted a new boot device and did not keep it: asked for pxe, found disk",
            bmc.port
        )
    );
}

#[tokio::test]
async fn a_forgetful_bmc_is_told_at_every_power_on() {
    let Some(mut bmc) = Bmc::pyghmi(&[]) else {
        return;
    };
    let mut bench = bmc.bench();
    bench
        .info
        .insert("ipmi_force_boot_device".into(), json!(true));
    boot_from(&mut bench, "pxe", true).await.unwrap();
    let once = "boot option 05 a0 04 00 00 00".to_owned();
    assert_eq!(bmc.told().last(), Some(&once), "each time as the only one");
    for _ in 0..2 {
        switch(&mut bench, PowerTarget::Reboot).await.unwrap();
        assert!(bmc.told().contains(&once));
    }
    let found = bench.management().boot_device(&bench.machine()).await;
    assert_eq!(found.unwrap().persistent, Some(true));
    // Something else, this once.
    boot_from(&mut bench, "cdrom", false).await.unwrap();
    bmc.told();
    switch(&mut bench, PowerTarget::Reboot).await.unwrap();
    assert!(!bmc.told().contains(&once));
    switch(&mut bench, PowerTarget::Reboot).await.unwrap();
    assert!(bmc.told().contains(&once));
}

#[tokio::test]
async fn the_light_and_the_interrupt() {
    let Some(mut bmc) = Bmc::pyghmi(&[]) else {
        return;
    };
    let mut bench = bmc.bench();
    let (management, lease) = (bench.management(), bench.lease.clone());
    for state in ["on", "off", "blinking"] {
        let machine = &mut bench.machine();
        management
            .set_indicator(&lease, machine, "chassis", "identify", state)
            .await
            .unwrap();
        let found = management.indicator(machine, "chassis", "identify").await;
        assert_eq!(found.unwrap(), state);
    }
    assert_eq!(bmc.told(), ["identify 2", "identify 0", "identify 1"]);
    let machine = &mut bench.machine();
    for (component, name) in [("system", "identify"), ("chassis", "led")] {
        let wrong = management.indicator(machine, component, name).await;
        assert!(matches!(wrong, Err(DriverError::InvalidParameter(_))));
    }
    management.inject_nmi(&lease, machine).await.unwrap();
    assert_eq!(bmc.told(), ["power diag"]);
    let vendor = management.vendor(machine).await.unwrap();
    assert_eq!(vendor.as_deref(), Some("supermicro"));
}

#[tokio::test]
async fn raw_requests_resets_and_speed_select() {
    let Some(mut bmc) = Bmc::pyghmi(&[]) else {
        return;
    };
    let mut bench = bmc.bench();
    let vendor = IpmiVendor(Arc::clone(&bench.ipmi));
    let lease = bench.lease.clone();
    let call = async |bench: &mut Bench, method: &str, arguments: Value| {
        let arguments = arguments.as_object().unwrap().clone();
        let machine = &mut bench.machine();
        vendor.call(Some(&lease), machine, method, &arguments).await
    };
    let raw = json!({"raw_bytes": "0x00 0x08 0x03 0x08"});
    call(&mut bench, "send_raw", raw).await.unwrap();
    assert_eq!(bmc.told(), ["boot option 03 08"]);
    let unknown = call(&mut bench, "send_raw", json!({"raw_bytes": "0x30 0x99"})).await;
    assert_eq!(
        types::error::chain(&unknown.unwrap_err()),
        format!(
            "IPMI call failed: raw. BMC 127.0.0.1:{}: the BMC answered: invalid command (completion code 0xc1)",
            bmc.port
        )
    );
    for (warm, told) in [("true", "warm"), ("false", "cold")] {
        call(&mut bench, "bmc_reset", json!({"warm": warm}))
            .await
            .unwrap();
        assert_eq!(bmc.told(), [format!("bmc reset {told}")]);
    }
    let intel = IpmiManagement::intel(&bench.ipmi);
    let spec = intel.steps()[0];
    let mut step = types::step::Step::offered(types::InterfaceKind::Management, &spec);
    step.args = json!({"intel_speedselect_config": "0x02", "socket_count": 2})
        .as_object()
        .cloned()
        .unwrap();
    intel
        .run_step(&lease, &mut bench.machine(), &step)
        .await
        .unwrap();
    assert_eq!(
        bmc.told(),
        ["speed select 04 00 00 02", "speed select 04 00 01 02"]
    );
}

/// What ipmitool prints, by sensor, as Ironic reads it.
fn as_ipmitool(text: &str) -> Vec<Vec<(String, String)>> {
    let blocks = text.split("\n\n").map(|block| {
        let fields = block.lines().filter_map(|line| line.split_once(':'));
        let fields = fields.filter(|(_, value)| !value.contains(':'));
        fields
            .map(|(key, value)| (key.trim().to_owned(), value.trim().to_owned()))
            .collect::<Vec<_>>()
    });
    blocks.filter(|fields| !fields.is_empty()).collect()
}

async fn sensors_equal_those_of_ipmitool(bmc: &Bmc) -> usize {
    let mut bench = bmc.bench();
    let ours = bench.management().sensors(&bench.machine()).await.unwrap();
    let mut count = 0;
    for theirs in as_ipmitool(&bmc.ipmitool(&["sdr", "-v"])) {
        let field = |name: &str| {
            let found = theirs.iter().find(|(key, _)| key.starts_with(name));
            found.map(|(_, value)| value.as_str()).unwrap()
        };
        let kind = field("Sensor Type").split(' ').next().unwrap();
        let ours = ours[kind][field("Sensor ID")].as_object().unwrap();
        for (key, value) in ours {
            let found = theirs.iter().find(|(name, _)| name == key);
            let found = found.map(|(_, value)| value.as_str());
            assert_eq!(found, value.as_str(), "{key} of {ours:#?}");
        }
        count += 1;
    }
    let all: usize = ours
        .values()
        .map(|kind| kind.as_object().unwrap().len())
        .sum();
    assert_eq!(all, count);
    count
}

#[tokio::test]
async fn sensors_of_pyghmi() {
    let Some(bmc) = Bmc::pyghmi(&[]) else { return };
    if peer::has("ipmitool") {
        assert_eq!(sensors_equal_those_of_ipmitool(&bmc).await, 4);
    }
}

#[tokio::test]
async fn sensors_of_ipmi_sim() {
    let Some(bmc) = Bmc::sim() else { return };
    if peer::has("ipmitool") {
        let mut bench = bmc.bench();
        state(&mut bench).await.unwrap();
        assert_eq!(sensors_equal_those_of_ipmitool(&bmc).await, 1);
    }
}

/// Records as ipmitool's `sel add` takes them: a temperature, a power supply, memory.
const RECORDS: &str = "0x04 0x01 0x01 0x01 0x59 0x5b 0x5a # too hot\n\
    0x04 0x08 0x02 0x6f 0x03 0xff 0xff # no input\n\
    0x04 0x0c 0x03 0xef 0x31 0xff 0x04 # an error that is gone\n";

#[tokio::test]
async fn the_event_log_of_ipmi_sim() {
    let Some(bmc) = Bmc::sim() else { return };
    if !peer::has("ipmitool") {
        return;
    }
    let mut bench = bmc.bench();
    state(&mut bench).await.unwrap();
    let folder = tempfile::tempdir().unwrap();
    let records = folder.path().join("records");
    std::fs::write(&records, RECORDS).unwrap();
    bmc.ipmitool(&["sel", "add", records.to_str().unwrap()]);
    let theirs = bmc.ipmitool(&["sel", "list"]);
    assert_eq!(theirs.lines().count(), 3, "{theirs}");
    let (management, lease) = (bench.management(), bench.lease.clone());
    let log = management.event_log(&bench.machine()).await.unwrap();
    let told: Vec<_> = log
        .entries
        .iter()
        .map(|entry| {
            let kind = entry.sensor_type.as_deref().unwrap();
            let severity = entry.severity.unwrap().as_str();
            (
                kind,
                entry.text.as_str(),
                severity,
                entry.is_asserted.unwrap(),
            )
        })
        .collect();
    assert_eq!(
        told,
        [
            (
                "Temperature",
                "upper critical, going high: raw 0x5b, limit raw 0x5a",
                "Critical",
                true
            ),
            ("Power Supply", "power supply input lost", "Critical", true),
            (
                "Memory",
                "uncorrectable memory error: module 4 (no longer)",
                "OK",
                false
            ),
        ]
    );
    // ipmitool agrees on the entries' ids, which it writes in hexadecimal digits.
    for (entry, line) in log.entries.iter().zip(theirs.lines()) {
        let id = line.split('|').next().unwrap().trim();
        assert_eq!(u16::from_str_radix(id, 16).unwrap().to_string(), entry.id);
    }
    management
        .clear_event_log(&lease, &mut bench.machine())
        .await
        .unwrap();
    let info = bmc.ipmitool(&["sel", "info"]);
    assert!(info.contains("Entries          : 0"), "{info}");
    let log = management.event_log(&bench.machine()).await.unwrap();
    assert_eq!(log.entries, []);
}

#[tokio::test]
async fn wrong_credentials_are_named_and_not_repeated() {
    for bmc in [Bmc::sim(), Bmc::pyghmi(&[])].into_iter().flatten() {
        for (key, value) in [("ipmi_password", "hidden"), ("ipmi_username", "nobody")] {
            let relay = Relay::to(bmc.port, Faults::default()).await;
            state(&mut bmc.bench()).await.unwrap();
            let mut info = driver_info(relay.port, bmc.user);
            info.insert(key.into(), json!(value));
            let mut bench = Bench::new(info, settings());
            let text = types::error::chain(&state(&mut bench).await.unwrap_err());
            let begin = format!(
                "IPMI call failed: power status. BMC 127.0.0.1:{}: ",
                relay.port
            );
            assert!(text.starts_with(&begin), "{text}");
            let is_named = text.contains("the user name or the password is wrong")
                || text.contains("the BMC refused")
                || text.contains("it may not know the user");
            assert!(is_named, "{key}: {text}");
            assert!(
                !text.contains("hidden") && !text.contains(PASSWORD),
                "{text}"
            );
            assert!(relay.seen() < 10, "each try may lock the account");
        }
    }
}

#[tokio::test]
async fn a_silent_bmc_is_left_alone() {
    let deaf = UdpSocket::bind("127.0.0.1:0").await.unwrap();
    let port = deaf.local_addr().unwrap().port();
    let mut settings = IpmiSettings {
        first_wait: Duration::from_millis(5),
        tries: 2,
        retry_pause: Duration::from_millis(1),
        ..settings()
    };
    settings.gate.silences = 3;
    let mut bench = Bench::new(driver_info(port, "admin"), settings);
    let text = types::error::chain(&state(&mut bench).await.unwrap_err());
    let named = format!("IPMI call failed: power status. BMC 127.0.0.1:{port}: ");
    let silent = format!(
        "{named}the BMC did not answer Get Channel Authentication Capabilities (asked 2 times); \
         it was silent 3 times in a row and is left alone; the next try is in 15 s"
    );
    assert_eq!(text, silent);
    // At once, and without a datagram.
    let mut buffer = [0; 100];
    while deaf.try_recv(&mut buffer).is_ok() {}
    let text = types::error::chain(&state(&mut bench).await.unwrap_err());
    assert!(
        text.starts_with(&format!("{named}it was silent 3 times in a row")),
        "{text}"
    );
    assert!(deaf.try_recv(&mut buffer).is_err());
}

#[tokio::test]
async fn a_name_without_address_is_told() {
    let mut info = driver_info(623, "admin");
    info.insert("ipmi_address".into(), json!("no-such-host.invalid"));
    let mut bench = Bench::new(info, settings());
    let text = types::error::chain(&state(&mut bench).await.unwrap_err());
    let begin = "IPMI call failed: power status. BMC no-such-host.invalid:623: ";
    assert!(text.starts_with(begin), "{text}");
}

#[tokio::test]
async fn a_bmc_that_restarts_is_logged_in_to_anew() {
    let Some(bmc) = Bmc::pyghmi(&[]) else { return };
    // The one that is gone is waited for.
    let mut bench = Bench::new(bmc.driver_info(), settings());
    switch(&mut bench, PowerTarget::On).await.unwrap();
    let port = bmc.port;
    drop(bmc);
    let Some(bmc) = Bmc::pyghmi_at(port, &[]) else {
        return;
    };
    // The new one knows neither the session nor the power.
    assert_eq!(state(&mut bench).await.unwrap(), Some(PowerState::Off));
    drop(bmc);
    let Some(mut bmc) = Bmc::pyghmi_at(port, &[]) else {
        return;
    };
    // What must not happen twice arrives once.
    let (management, lease) = (bench.management(), bench.lease.clone());
    management
        .inject_nmi(&lease, &mut bench.machine())
        .await
        .unwrap();
    assert_eq!(bmc.told(), ["power diag"]);
}

#[tokio::test]
async fn a_busy_bmc_is_asked_again() {
    let Some(bmc) = Bmc::pyghmi(&["--busy", "3"]) else {
        return;
    };
    let mut bench = bmc.bench();
    assert_eq!(state(&mut bench).await.unwrap(), Some(PowerState::Off));
    let Some(bmc) = Bmc::pyghmi(&["--busy", "1000"]) else {
        return;
    };
    let short = IpmiSettings {
        retry_for: Duration::from_millis(200),
        ..settings()
    };
    let mut bench = Bench::new(bmc.driver_info(), short);
    let text = types::error::chain(&state(&mut bench).await.unwrap_err());
    assert!(
        text.ends_with("answered: node busy (completion code 0xc0)"),
        "{text}"
    );
}

#[tokio::test]
async fn the_first_datagrams_may_get_lost() {
    let Some(bmc) = Bmc::sim() else { return };
    let first = 3;
    let faults = Faults {
        first,
        ..Faults::default()
    };
    let relay = Relay::to(bmc.port, faults).await;
    let mut bench = Bench::new(driver_info(relay.port, bmc.user), settings());
    assert_eq!(state(&mut bench).await.unwrap(), Some(PowerState::Off));
    assert!(relay.seen() > first);
}

#[tokio::test]
async fn a_bad_network_only_takes_longer() {
    let Some(bmc) = Bmc::sim() else { return };
    let (mut on, mut patient) = (false, settings());
    patient.first_wait = Duration::from_millis(40);
    patient.tries = 12;
    for seed in 1..6 {
        let faults = Faults {
            seed: 0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(seed),
            lost: 15,
            twice: 15,
            late: 15,
            first: 0,
        };
        let relay = Relay::to(bmc.port, faults).await;
        let mut bench = Bench::new(driver_info(relay.port, bmc.user), patient.clone());
        for _ in 0..4 {
            on = !on;
            let target = if on {
                PowerTarget::On
            } else {
                PowerTarget::Off
            };
            let done = switch(&mut bench, target).await;
            assert!(done.is_ok(), "seed {seed}: {done:?}");
            let found = state(&mut bench).await.unwrap();
            assert_eq!(found, Some(target.end_state()), "seed {seed}");
        }
    }
}

#[tokio::test]
async fn a_network_that_comes_back_is_used_again() {
    let Some(bmc) = Bmc::sim() else { return };
    let relay = Relay::to(bmc.port, Faults::default()).await;
    let quick = IpmiSettings {
        first_wait: Duration::from_millis(500),
        tries: 3,
        retry_for: Duration::from_millis(10),
        ..settings()
    };
    let mut bench = Bench::new(driver_info(relay.port, bmc.user), quick);
    state(&mut bench).await.unwrap();
    relay.cut(true);
    let text = types::error::chain(&state(&mut bench).await.unwrap_err());
    assert!(text.contains("did not answer"), "{text}");
    relay.cut(false);
    assert_eq!(state(&mut bench).await.unwrap(), Some(PowerState::Off));
}

#[tokio::test]
async fn the_serial_line_is_at_a_port() {
    let Some(bmc) = Bmc::pyghmi(&[]) else { return };
    let mut bench = bmc.bench();
    let console = IpmiConsole::new(Arc::clone(&bench.ipmi));
    let missing = console.validate(&bench.machine()).await.unwrap_err();
    assert!(
        missing
            .to_string()
            .starts_with("Either missing 'ipmi_terminal_port'")
    );
    bench
        .info
        .insert("ipmi_terminal_port".into(), json!(crate::port::free()));
    console.validate(&bench.machine()).await.unwrap();
    let lease = bench.lease.clone();
    console.start(&lease, &mut bench.machine()).await.unwrap();
    let shown = console.info(&bench.machine()).await.unwrap();
    assert_eq!(shown["type"], "socat");
    let address = shown["url"]
        .as_str()
        .unwrap()
        .strip_prefix("tcp://")
        .unwrap();
    let mut client = TcpStream::connect(address).await.unwrap();
    let text = b"hello, serial line";
    client.write_all(text).await.unwrap();
    let mut heard = vec![0; text.len()];
    let reading = client.read_exact(&mut heard);
    tokio::time::timeout(Duration::from_secs(30), reading)
        .await
        .expect("the line answers")
        .unwrap();
    assert_eq!(heard, text);
    // One at a time.
    let mut second = TcpStream::connect(address).await.unwrap();
    let mut refusal = String::new();
    second.read_to_string(&mut refusal).await.unwrap();
    assert_eq!(refusal, "The console is in use.\r\n");
    console.stop(&lease, &mut bench.machine()).await.unwrap();
    let mut rest = Vec::new();
    client.read_to_end(&mut rest).await.unwrap();
    assert!(TcpStream::connect(address).await.is_err());
}
