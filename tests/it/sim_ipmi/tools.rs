//! ipmitool and FreeIPMI against the simulator.

use super::rack::{PASSWORD, Rack, USER, complaint, printed};
use crate::ipmi::peer::has;
use proto::ipmi::{Privilege, crypto::Key, packet::V15Auth, suite::Suite};
use sim::{
    Layout, Settings,
    ipmi::Options,
    machine::{
        Light,
        account::User,
        boot::{Device, Enabled, Firmware},
        power::Action,
    },
};
use std::{net::Ipv4Addr, process::Stdio, sync::Arc};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    process::Command,
};

fn has_ipmitool() -> bool {
    has("ipmitool")
}

fn has_freeipmi() -> bool {
    has("ipmi-chassis")
}

#[tokio::test]
async fn ipmitool_switches_the_power() {
    if !has_ipmitool() {
        return;
    }
    let rack = Rack::new().await;
    for (asked, action, is_on) in [
        ("on", Action::On, true),
        ("cycle", Action::Cycle, true),
        ("reset", Action::Reset, true),
        ("diag", Action::Nmi, true),
        ("soft", Action::Soft, false),
        ("on", Action::On, true),
        ("off", Action::Off, false),
    ] {
        printed(&rack.ipmitool(&format!("chassis power {asked}")).await);
        assert_eq!(rack.machine().history().last(), Some(&action));
        let state = if is_on { "on" } else { "off" };
        let status = printed(&rack.ipmitool("chassis power status").await);
        assert_eq!(status, format!("Chassis Power is {state}\n"), "{asked}");
        assert_eq!(rack.machine().power().is_on, is_on, "{asked}");
    }
    assert_eq!(rack.machine().power().boots, 4);
}

#[tokio::test]
async fn ipmitool_sets_boot_devices_with_all_flags() {
    if !has_ipmitool() {
        return;
    }
    let rack = Rack::new().await;
    for (name, device, shown) in [
        ("pxe", Device::Pxe, "Force PXE"),
        ("disk", Device::Disk, "Force Boot from default Hard-Drive"),
        (
            "safe",
            Device::SafeDisk,
            "Force Boot from default Hard-Drive, request Safe-Mode",
        ),
        (
            "diag",
            Device::Diagnostic,
            "Force Boot from Diagnostic Partition",
        ),
        ("cdrom", Device::Cdrom, "Force Boot from CD/DVD"),
        ("bios", Device::Setup, "Force Boot into BIOS Setup"),
        (
            "floppy",
            Device::Floppy,
            "Force Boot from Floppy/primary removable media",
        ),
        ("none", Device::None, "No override"),
    ] {
        for (options, enabled, mode) in [
            ("", Enabled::Once, Firmware::Legacy),
            ("options=persistent", Enabled::Continuous, Firmware::Legacy),
            ("options=efiboot", Enabled::Once, Firmware::Uefi),
            (
                "options=persistent,efiboot",
                Enabled::Continuous,
                Firmware::Uefi,
            ),
        ] {
            printed(
                &rack
                    .ipmitool(&format!("chassis bootdev {name} {options}"))
                    .await,
            );
            let boot = rack.machine().boot();
            assert_eq!(
                (boot.device, boot.enabled, boot.mode),
                (device, enabled, mode),
                "{name} {options}"
            );
        }
        let read = printed(&rack.ipmitool("chassis bootparam get 5").await);
        assert!(
            read.contains(&format!("Boot Device Selector : {shown}\n")),
            "{read}"
        );
        for flag in [
            "Boot Flag Valid",
            "Options apply to all future boots",
            "BIOS EFI boot",
        ] {
            assert!(read.contains(flag), "{read}");
        }
    }
    // What a machine boots from once it does.
    printed(&rack.ipmitool("chassis bootdev cdrom options=efiboot").await);
    printed(&rack.ipmitool("chassis power on").await);
    let booted = Some((Firmware::Uefi, Device::Cdrom));
    assert_eq!(rack.machine().last_boot(), booted);
    let read = printed(&rack.ipmitool("chassis bootparam get 5").await);
    assert!(read.contains("Boot Flag Invalid"), "{read}");
    // Other bits of the flags are kept as they were given.
    printed(&rack.ipmitool("raw 0 8 5 0x80 0x45 0x62 0x03 0x07").await);
    let raw = printed(&rack.ipmitool("raw 0 9 5 0 0").await);
    assert_eq!(raw.trim(), "01 05 80 45 62 03 07");
    printed(&rack.ipmitool("raw 0 8 3 8").await);
    let raw = printed(&rack.ipmitool("raw 0 9 3 0 0").await);
    assert_eq!(raw.trim(), "01 03 08");
}

#[tokio::test]
async fn ipmitool_reads_everything_else() {
    if !has_ipmitool() {
        return;
    }
    let settings = Settings {
        personality: sim::personality::Personality::of_name("dell").unwrap(),
        is_on_at_first: true,
        ..Settings::default()
    };
    let rack = Rack::with(settings, Options::default()).await;
    let machine = rack.machine();
    for (question, lines) in [
        (
            "mc info",
            vec![
                "Manufacturer ID           : 674".to_owned(),
                "IPMI Version              : 2.0".to_owned(),
            ],
        ),
        ("mc selftest", vec!["Selftest: passed".to_owned()]),
        ("mc guid", vec![machine.uuid().to_string()]),
        (
            "fru print",
            vec![
                "Product Manufacturer  : Dell Inc.".to_owned(),
                format!("Product Serial        : {}", machine.serial()),
                "Chassis Type          : Rack Mount Chassis".to_owned(),
                "Product Asset Tag     : asset-0".to_owned(),
            ],
        ),
        (
            "lan print 1",
            vec![
                "IP Address              : 127.0.0.1".to_owned(),
                "RMCP+ Cipher Suites     : 3,17".to_owned(),
                format!("Cipher Suite Priv Max   : aa{}", "X".repeat(13)),
            ],
        ),
        (
            "user list 1",
            vec!["2   admin            true    true       true       ADMINISTRATOR".to_owned()],
        ),
        ("session info active", vec!["IPMIv2/RMCP+".to_owned()]),
        ("channel info 1", vec!["802.3 LAN".to_owned()]),
        (
            "channel getciphers ipmi 1",
            vec!["17   N/A     hmac_sha256     sha256_128      aes_cbc_128".to_owned()],
        ),
        ("sol info 1", vec!["115.2".to_owned()]),
        ("sol payload status 1 2", vec!["User 2".to_owned()]),
        ("chassis restart_cause", vec!["unknown".to_owned()]),
        ("chassis policy list", vec!["always-on".to_owned()]),
    ] {
        let text = printed(&rack.ipmitool(question).await);
        for line in lines {
            assert!(text.contains(&line), "{question}: {line} is not in {text}");
        }
    }
    printed(&rack.ipmitool("chassis identify force").await);
    assert_eq!(machine.light(), Light::Forever);
    printed(&rack.ipmitool("chassis identify 200").await);
    assert!(matches!(machine.light(), Light::Until(_)));
    printed(&rack.ipmitool("chassis identify 0").await);
    assert_eq!(machine.light(), Light::Off);
    // The inventory can be written and is then what was written.
    let file = tempfile::NamedTempFile::new().unwrap();
    let path = file.path().display();
    printed(&rack.ipmitool(&format!("fru read 0 {path}")).await);
    let mut bytes = std::fs::read(file.path()).unwrap();
    assert_eq!(bytes, machine.fru());
    *bytes.last_mut().unwrap() = 7;
    std::fs::write(file.path(), &bytes).unwrap();
    printed(&rack.ipmitool(&format!("fru write 0 {path}")).await);
    assert_eq!(machine.fru(), bytes);
}

#[tokio::test]
async fn ipmitool_reads_sensors_and_moves_their_limits() {
    if !has_ipmitool() {
        return;
    }
    let rack = Rack::new().await;
    let machine = rack.machine();
    let line = async |name: &str| {
        let text = printed(&rack.ipmitool("sdr elist").await);
        let found = text.lines().find(|line| line.starts_with(name));
        found.unwrap().to_owned()
    };
    assert!(line("FAN1").await.contains("No Reading"));
    assert!(line("5VSB").await.ends_with("Volts"));
    machine.control(Action::On).unwrap();
    let fan = sim::machine::sensor::Sensor::of_number(0x10).unwrap();
    machine.set_reading(fan, Some(50));
    assert!(line("FAN1").await.contains("| ok  |"));
    assert!(line("FAN1").await.ends_with("5000 RPM"));
    machine.set_reading(fan, Some(5));
    assert!(line("FAN1").await.contains("| lcr |"));
    assert!(line("PS1 Status").await.ends_with("Presence detected"));
    printed(&rack.ipmitool("sensor thresh FAN1 lower 100 200 300").await);
    assert_eq!(machine.limits(fan).lower, [Some(3), Some(2), Some(1)]);
    let text = printed(&rack.ipmitool("sensor get FAN1").await);
    assert!(text.contains("Lower Critical        : 200.000"), "{text}");
    let all = printed(&rack.ipmitool("sdr list full").await);
    assert_eq!(all.lines().count(), 11, "{all}");
}

#[tokio::test]
async fn ipmitool_keeps_the_event_log() {
    if !has_ipmitool() {
        return;
    }
    let rack = Rack::new().await;
    let log = async || printed(&rack.ipmitool("sel list").await);
    for number in [1, 2, 3] {
        printed(&rack.ipmitool(&format!("event {number}")).await);
    }
    let text = log().await;
    assert_eq!(text.lines().count(), 3, "{text}");
    assert!(
        text.contains("Temperature #0x30 | Upper Critical going high | Asserted"),
        "{text}"
    );
    let info = printed(&rack.ipmitool("sel info").await);
    assert!(info.contains("Entries          : 3"), "{info}");
    printed(&rack.ipmitool("sel delete 2").await);
    assert_eq!(rack.machine().event_log().entries.len(), 2);
    printed(&rack.ipmitool("sel clear").await);
    assert!(rack.machine().event_log().entries.is_empty());
}

fn every_suite() -> Options {
    Options {
        suites: Suite::ALL.to_vec(),
        ..Options::default()
    }
}

#[tokio::test]
async fn every_cipher_suite_is_spoken() {
    if !has_ipmitool() || !has_freeipmi() {
        return;
    }
    let key = "11223344556677889900aabbccddeeff01020304";
    let bytes: Vec<u8> = (0..20)
        .map(|at| u8::from_str_radix(&key[2 * at..2 * at + 2], 16).unwrap())
        .collect();
    let rack = Rack::with(Settings::default(), every_suite()).await;
    let keyed = Options {
        bmc_key: Key::new(&bytes).unwrap(),
        ..every_suite()
    };
    let keyed = Rack::with(Settings::default(), keyed).await;
    for suite in Suite::ALL {
        let id = suite.id;
        let status = printed(&rack.ipmitool(&format!("-C {id} power status")).await);
        assert_eq!(status, "Chassis Power is off\n", "suite {id}");
        let status = printed(
            &keyed
                .ipmitool(&format!("-C {id} -y {key} power status"))
                .await,
        );
        assert_eq!(status, "Chassis Power is off\n", "suite {id} with K_g");
        let status = rack.freeipmi("ipmipower", &format!("-I {id} --stat")).await;
        assert_eq!(printed(&status), "127.0.0.1: off\n", "suite {id}");
        let asked = format!("-I {id} -k 0x{key} --stat");
        let status = keyed.freeipmi("ipmipower", &asked).await;
        assert_eq!(printed(&status), "127.0.0.1: off\n", "suite {id} with K_g");
    }
}

#[tokio::test]
async fn a_suite_that_is_not_offered_is_refused() {
    if !has_ipmitool() {
        return;
    }
    let only = |id| Options {
        suites: vec![Suite::of_id(id).unwrap()],
        ..Options::default()
    };
    let rack = Rack::with(Settings::default(), only(17)).await;
    let text = complaint(&rack.ipmitool("-v -C 3 power status").await);
    assert!(
        text.contains("no matching cipher suite") || text.contains("cipher suite"),
        "{text}"
    );
    // Left to itself, ipmitool takes what there is.
    printed(&rack.ipmitool("power status").await);
}

#[tokio::test]
async fn whoever_is_wrong_does_not_get_in() {
    if !has_ipmitool() || !has_freeipmi() {
        return;
    }
    let users = [
        User::administrator(USER, PASSWORD),
        User::new("looker", PASSWORD, Privilege::User),
    ];
    let settings = Settings {
        users: Arc::new(users),
        ..Settings::default()
    };
    let keyed = Options {
        bmc_key: Key::new(b"the key of the BMC").unwrap(),
        ..Options::default()
    };
    let rack = Rack::with(settings.clone(), Options::default()).await;
    let keyed = Rack::with(settings, keyed).await;
    for suite in [3, 17] {
        let tool = async |user: &str, password: &str, what: &str| {
            let account = format!("-I lanplus -v -C {suite} -U {user} -P {password}");
            rack.ipmitool_as(&account, what).await
        };
        let text = complaint(&tool(USER, "wrong", "power status").await);
        assert!(text.contains("RAKP 2 HMAC is invalid"), "{text}");
        let text = complaint(&tool("nobody", PASSWORD, "power status").await);
        assert!(text.contains("unauthorized name"), "{text}");
        let text = complaint(&tool("looker", PASSWORD, "power status").await);
        assert!(text.contains("unauthorized role"), "{text}");
        printed(&tool("looker", PASSWORD, "-L USER power status").await);
        let text = complaint(&tool("looker", PASSWORD, "-L USER power on").await);
        assert!(text.contains("Insufficient privilege level"), "{text}");
        assert!(!rack.machine().power().is_on);
        let right = format!("-I lanplus -v -C {suite} -U {USER} -P {PASSWORD}");
        for wrong in ["", "-y 1122"] {
            let asked = format!("{right} {wrong}");
            // It does not always exit with a failure then.
            let output = keyed.ipmitool_as(&asked, "power status").await;
            let text = String::from_utf8(output.stderr).unwrap();
            assert!(
                text.contains("RAKP 4 message has invalid integrity check value"),
                "{text}"
            );
        }
    }
    for (account, said) in [
        ("-u admin -p wrong", "password invalid"),
        ("-u nobody -p password", "username invalid"),
        (
            "-u looker -p password",
            "privilege level cannot be obtained",
        ),
    ] {
        let text = String::from_utf8(
            rack.freeipmi("ipmipower", &format!("{account} --stat"))
                .await
                .stdout,
        );
        let text = text.unwrap();
        assert!(text.contains(said), "{account}: {text}");
    }
    let text = keyed.freeipmi("ipmipower", "-k 0x1122 --stat").await;
    let text = String::from_utf8(text.stdout).unwrap();
    assert!(text.contains("k_g invalid"), "{text}");
}

#[tokio::test]
async fn sessions_of_the_old_version() {
    if !has_ipmitool() || !has_freeipmi() {
        return;
    }
    let options = Options {
        v15: vec![V15Auth::None, V15Auth::Md5, V15Auth::Straight],
        ..Options::default()
    };
    let rack = Rack::with(Settings::default(), options).await;
    for kind in ["NONE", "MD5", "PASSWORD"] {
        let account = format!("-I lan -A {kind} -U {USER} -P {PASSWORD}");
        printed(&rack.ipmitool_as(&account, "power on").await);
        let status = printed(&rack.ipmitool_as(&account, "power status").await);
        assert_eq!(status, "Chassis Power is on\n", "{kind}");
    }
    let account = format!("-I lan -A MD5 -U {USER} -P wrong -N 1");
    complaint(&rack.ipmitool_as(&account, "power status").await);
    let account = format!("-I lan -U nobody -P {PASSWORD}");
    let text = complaint(&rack.ipmitool_as(&account, "power status").await);
    assert!(text.contains("Invalid user name"), "{text}");
    for kind in ["MD5", "STRAIGHT_PASSWORD_KEY"] {
        let asked = format!("-D LAN -a {kind} --get-chassis-status");
        let status = printed(&rack.freeipmi("ipmi-chassis", &asked).await);
        let first = status.lines().next();
        assert!(first.unwrap().ends_with(": on"), "{kind}: {status}");
    }
}

#[tokio::test]
async fn requests_are_bridged() {
    if !has_ipmitool() {
        return;
    }
    let rack = Rack::new().await;
    let single = printed(&rack.ipmitool("-t 0x72 -b 0 mc info").await);
    assert!(
        single.contains("Device ID                 : 114"),
        "{single}"
    );
    let dual = printed(&rack.ipmitool("-T 0x82 -B 0 -t 0x24 -b 7 mc info").await);
    assert!(dual.contains("Device ID                 : 36"), "{dual}");
    let nobody = complaint(&rack.ipmitool("-t 0xf2 -b 0 mc info").await);
    assert!(nobody.contains("0x83"), "{nobody}");
}

#[tokio::test]
async fn accounts_are_kept_over_ipmi() {
    if !has_ipmitool() {
        return;
    }
    let rack = Rack::new().await;
    for asked in [
        "user set name 3 second",
        "user set password 3 other",
        "user enable 3",
        "channel setaccess 1 3 link=on ipmi=on callin=on privilege=3",
    ] {
        printed(&rack.ipmitool(asked).await);
    }
    let second = "-I lanplus -L OPERATOR -U second -P other";
    printed(&rack.ipmitool_as(second, "power on").await);
    assert!(rack.machine().power().is_on);
    printed(&rack.ipmitool("user disable 3").await);
    complaint(&rack.ipmitool_as(second, "power off").await);
    assert!(rack.machine().power().is_on);
}

/// Types into a program as soon as it has shown a text, and waits for the next one.
async fn type_and_hear(mut program: Command, exchange: &[(&str, &str)], last: &str) -> String {
    let mut process = program
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let mut input = process.stdin.take().unwrap();
    let mut output = process.stdout.take().unwrap();
    let mut heard = String::new();
    let mut from = 0;
    let steps = exchange.iter().map(|step| (step.0, Some(step.1)));
    for (awaited, typed) in steps.chain([(last, None)]) {
        let mut buffer = [0; 1024];
        while !heard[from..].contains(awaited) {
            let count = output.read(&mut buffer).await.unwrap();
            assert_ne!(count, 0, "{awaited} is not in {heard}");
            heard += std::str::from_utf8(&buffer[..count]).unwrap();
        }
        from = heard.len();
        if let Some(typed) = typed {
            input.write_all(typed.as_bytes()).await.unwrap();
        }
    }
    heard
}

fn on() -> Settings {
    Settings {
        is_on_at_first: true,
        ..Settings::default()
    }
}

#[tokio::test]
async fn the_serial_console_of_ipmitool() {
    if !has_ipmitool() {
        return;
    }
    for suite in [3, 17] {
        let rack = Rack::with(on(), Options::default()).await;
        let mut program = Command::new("ipmitool");
        program.args([
            "-I",
            "lanplus",
            "-H",
            "127.0.0.1",
            "-U",
            USER,
            "-P",
            PASSWORD,
        ]);
        program.args(["-C", &suite.to_string(), "-p", &rack.port().to_string()]);
        program.args(["sol", "activate"]);
        let exchange = [("sim-0 login: ", "who is there\r"), ("login: ", "~.")];
        let heard = type_and_hear(program, &exchange, "[terminated ipmitool]").await;
        for text in [
            "SOL Session operational",
            "Corten Simulated Machine BIOS",
            "who is there\r\nsim-0 login: ",
        ] {
            assert!(heard.contains(text), "{text} is not in {heard}");
        }
        // It was given back.
        printed(&rack.ipmitool("power status").await);
    }
}

#[tokio::test]
async fn a_console_belongs_to_one_at_a_time() {
    if !has_ipmitool() {
        return;
    }
    let rack = Rack::with(on(), Options::default()).await;
    let none = complaint(&rack.ipmitool("sol deactivate").await);
    assert!(none.contains("already de-activated"), "{none}");
    let mut first = Command::new("ipmitool");
    first.args([
        "-I",
        "lanplus",
        "-H",
        "127.0.0.1",
        "-U",
        USER,
        "-P",
        PASSWORD,
    ]);
    first.args(["-p", &rack.port().to_string(), "sol", "activate"]);
    let ask = async {
        let second = complaint(&rack.ipmitool("sol activate").await);
        assert!(second.contains("already active"), "{second}");
        printed(&rack.ipmitool("sol deactivate").await);
    };
    let mut process = first
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let mut output = process.stdout.take().unwrap();
    let mut heard = Vec::new();
    while !heard.ends_with(b"login: ") {
        heard.push(output.read_u8().await.unwrap());
    }
    ask.await;
}

#[tokio::test]
async fn the_serial_console_of_freeipmi() {
    if !has_freeipmi() || !has("script") {
        return;
    }
    // It takes port numbers for signed ones, and insists on a terminal.
    let rack = Rack::on_low_port(on()).await;
    let command = format!(
        "ipmiconsole -h 127.0.0.1:{} -u {USER} -p {PASSWORD} -l ADMIN -I 17",
        rack.port()
    );
    let mut program = Command::new("script");
    program.args(["-qec", &command, "/dev/null"]);
    let exchange = [("sim-0 login: ", "hello\r"), ("sim-0 login: ", "&.")];
    let heard = type_and_hear(program, &exchange, "[closing the connection]").await;
    assert!(heard.contains("hello\r\nsim-0 login: "), "{heard}");
}

#[tokio::test]
async fn freeipmi_does_its_work() {
    if !has_freeipmi() {
        return;
    }
    let rack = Rack::with(on(), Options::default()).await;
    let machine = rack.machine();
    let cache = tempfile::tempdir().unwrap();
    let cache = format!("--sdr-cache-directory={}", cache.path().display());
    let ask =
        async |program: &str, arguments: &str| printed(&rack.freeipmi(program, arguments).await);
    for (asked, action) in [
        ("--off --wait-until-off", Action::Off),
        ("--on --wait-until-on", Action::On),
        ("--cycle", Action::Cycle),
        ("--reset", Action::Reset),
        ("--pulse", Action::Nmi),
        ("--soft --wait-until-off", Action::Soft),
    ] {
        let text = ask("ipmipower", asked).await;
        assert!(text.contains("ok"), "{asked}: {text}");
        assert_eq!(machine.history().last(), Some(&action), "{asked}");
    }
    machine.control(Action::On).unwrap();
    let text = ask("bmc-info", "-I 17").await;
    assert!(text.contains("IPMI Version          : 2.0"), "{text}");
    let text = ask("ipmi-chassis", "--get-chassis-status").await;
    assert!(
        text.contains("System Power                        : on"),
        "{text}"
    );
    ask("ipmi-chassis", "--chassis-identify=FORCE").await;
    assert_eq!(machine.light(), Light::Forever);
    for (name, device) in [
        ("PXE", Device::Pxe),
        ("Hard-Drive", Device::Disk),
        ("CD-DVD", Device::Cdrom),
        ("BIOS-Setup", Device::Setup),
    ] {
        // ipmi-chassis leaves the device out of what it sends, whatever it is told.
        let flags = "-e Chassis_Boot_Flags:Boot_Flags_Persistent=Yes \
                     -e Chassis_Boot_Flags:BIOS_Boot_Type=EFI";
        let asked =
            format!("--category=chassis --commit {flags} -e Chassis_Boot_Flags:Boot_Device={name}");
        ask("ipmi-config", &asked).await;
        let boot = machine.boot();
        assert_eq!(boot.device, device, "{name}");
        assert_eq!(
            (boot.enabled, boot.mode),
            (Enabled::Continuous, Firmware::Uefi)
        );
    }
    let text = ask("ipmi-chassis", "--get-boot-flags").await;
    assert!(text.contains("BIOS boot type"), "{text}");
    let text = ask("ipmi-sensors", &format!("-Q {cache}")).await;
    assert_eq!(text.lines().count(), 14, "{text}");
    assert!(!text.contains("Critical"), "{text}");
    assert!(text.contains("'Presence detected'"), "{text}");
    let text = ask("ipmi-fru", &cache).await;
    assert!(text.contains(&machine.serial()), "{text}");
    let text = ask("ipmi-sel", "--info").await;
    assert!(
        text.contains("Number of log entries                  : 0"),
        "{text}"
    );
    let text = ask("bmc-config", "--checkout --section=User2").await;
    assert!(
        text.contains("Username                                      admin"),
        "{text}"
    );
    let text = ask("bmc-device", "--get-self-test-results").await;
    assert!(text.contains("No Error"), "{text}");
}

#[tokio::test]
async fn one_socket_serves_many_addresses() {
    if !has_ipmitool() {
        return;
    }
    let layout = Layout::Addresses {
        first: Ipv4Addr::new(127, 99, 0, 255),
        port: 0,
    };
    let rack = Rack::of(600, Settings::default(), Options::default(), layout).await;
    for index in [0, 1, 599] {
        let endpoint = rack.server.endpoint(index).unwrap();
        let at = format!(
            "-H {} -p {} -I lanplus -U {USER} -P {PASSWORD}",
            endpoint.ip(),
            endpoint.port()
        );
        // The later host wins.
        printed(&rack.ipmitool_as(&at, "power on").await);
        let place = usize::try_from(index).unwrap();
        assert!(rack.machines[place].power().is_on, "{index}");
        let lan = printed(&rack.ipmitool_as(&at, "lan print 1").await);
        assert!(
            lan.contains(&format!("IP Address              : {}\n", endpoint.ip())),
            "{lan}"
        );
    }
    assert!(!rack.machines[2].power().is_on);
}
