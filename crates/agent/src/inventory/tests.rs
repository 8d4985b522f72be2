//! Inventories of machines that are nothing but files, and of this one beside other programs.

use super::*;
use std::{net::Ipv4Addr, os::unix::fs::symlink, process::Command};

/// A machine with two processors of two threads each, an interface and some memory.
fn machine() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path();
    let put = |path: &str, text: &[u8]| {
        let path = root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    let mut processors = String::new();
    for number in 0..4 {
        processors.push_str(&format!(
            "processor\t: {number}\nmodel name\t: Fast CPU\ncpu MHz\t\t: 1999.5\nflags\t\t: fpu vmx\n\n"
        ));
        let topology = format!("sys/devices/system/cpu/cpu{number}/topology");
        put(
            &format!("{topology}/physical_package_id"),
            format!("{}\n", number / 2).as_bytes(),
        );
        let node = format!("sys/devices/system/node/node{}", number / 2);
        put(&format!("{node}/cpu{number}/topology/core_id"), b"0\n");
    }
    for node in 0..2 {
        let text = format!("Node {node} MemTotal:  1024 kB\nNode {node} MemFree: 1 kB\n");
        put(
            &format!("sys/devices/system/node/node{node}/meminfo"),
            text.as_bytes(),
        );
    }
    put("proc/cpuinfo", processors.as_bytes());
    put("proc/meminfo", b"MemTotal:        2048 kB\nMemFree: 1 kB\n");
    put("proc/sys/kernel/hostname", b"node-1\n");
    put("sys/class/dmi/id/sys_vendor", b"Maker\n");
    put("sys/class/dmi/id/product_name", b"Server 1\n");
    put("sys/class/dmi/id/product_serial", b"S1\n");
    put("sys/class/dmi/id/bios_version", b"1.0\n");
    put("sys/firmware/dmi/tables/DMI", &smbios::tests::slot(4096, 0));

    let pci = "sys/devices/pci0000:00/0000:00:03.0";
    for (file, text) in [
        ("vendor", "0x1af4\n"),
        ("device", "0x1000\n"),
        ("class", "0x020000\n"),
        ("revision", "0x00\n"),
        ("numa_node", "1\n"),
    ] {
        put(&format!("{pci}/{file}"), text.as_bytes());
        put(&format!("{pci}/virtio0/{file}"), text.as_bytes());
    }
    put("sys/bus/virtio/drivers/virtio_net/x", b"");
    let link = |target: &str, path: &str| {
        let path = root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        symlink(root.join(target), path).unwrap();
    };
    link(
        "sys/bus/virtio/drivers/virtio_net",
        &format!("{pci}/virtio0/driver"),
    );
    link(pci, "sys/bus/pci/devices/0000:00:03.0");
    let net = format!("{pci}/virtio0/net/eth0");
    put(&format!("{net}/address"), b"52:54:00:AA:BB:CC\n");
    put(&format!("{net}/carrier"), b"1\n");
    put(&format!("{net}/speed"), b"-1\n");
    link(&format!("{pci}/virtio0"), &format!("{net}/device"));
    link(&net, "sys/class/net/eth0");
    put("sys/class/net/lo/address", b"00:00:00:00:00:00\n");
    put("sys/class/net/eth1/address", b"fa:00:00:00:00:01\n");
    put("sys/class/net/eth1/device/vendor", b"0x1\n");
    dir
}

fn facts() -> Facts {
    let ip = |text: &str| text.parse::<IpAddr>().unwrap();
    Facts {
        addresses: vec![
            ("eth0".to_owned(), ip("fe80::1")),
            ("eth0".to_owned(), ip("10.0.0.9")),
            ("eth0".to_owned(), ip("2001:db8::9")),
            ("lo".to_owned(), ip("127.0.0.1")),
        ],
        lldp: Some([("eth0".to_owned(), vec![(1, vec![4, 0xaa])])].into()),
        bmc: Some(Bmc {
            v4: Ipv4Addr::new(10, 1, 0, 1),
            v6: None,
            mac: Some([1, 2, 3, 4, 5, 6]),
        }),
        bootif: Some("01-52-54-00-aa-bb-cc".to_owned()),
        ..Facts::default()
    }
}

#[test]
fn every_key_of_an_inventory() {
    let machine = machine();
    let found = collect(machine.path(), &facts());
    let expected = json!({
        "interfaces": [{
            "name": "eth0",
            "mac_address": "52:54:00:aa:bb:cc",
            "ipv4_address": "10.0.0.9",
            "ipv6_address": "2001:db8::9",
            "has_carrier": true,
            "lldp": [[1, "04aa"]],
            "vendor": "0x1af4",
            "product": "0x1000",
            "client_id": null,
            "biosdevname": null,
            "speed_mbps": null,
            "pci_address": "0000:00:03.0",
            "driver": "virtio_net",
        }],
        "cpu": {
            "model_name": "Fast CPU",
            "frequency": "1999.5",
            "count": 4,
            "architecture": std::env::consts::ARCH,
            "flags": ["fpu", "vmx"],
            "socket_count": 2,
        },
        "disks": [],
        "memory": {"total": 2048 * 1024, "physical_mb": 4096},
        "bmc_address": "10.1.0.1",
        "bmc_v6address": "::/0",
        "system_vendor": {
            "product_name": "Server 1",
            "serial_number": "S1",
            "manufacturer": "Maker",
            "firmware": {"vendor": "", "version": "1.0", "build_date": ""},
        },
        "boot": {"current_boot_mode": "bios", "pxe_interface": "01-52-54-00-aa-bb-cc"},
        "hostname": "node-1",
        "bmc_mac": "01:02:03:04:05:06",
    });
    assert_eq!(found, expected);
}

#[test]
fn a_machine_that_tells_nothing_has_an_inventory_too() {
    let empty = tempfile::tempdir().unwrap();
    let found = collect(empty.path(), &Facts::default());
    assert_eq!(found["interfaces"], json!([]));
    assert_eq!(found["memory"], json!({"total": null, "physical_mb": null}));
    assert_eq!(found["bmc_address"], Value::Null);
    assert_eq!(found["cpu"]["count"], 0);
    assert_eq!(found["system_vendor"]["product_name"], "");
}

#[test]
fn collectors_by_name() {
    let machine = machine();
    let inventory = collect(machine.path(), &facts());
    let run = |name: &str| {
        let heard = || facts().lldp.unwrap();
        collectors::run(name, machine.path(), &inventory, heard)
    };
    for name in collectors::NAMES {
        assert!(run(name).unwrap().is_ok(), "{name}");
    }
    assert!(run("no-such-collector").is_none());
    let found = |name: &str| run(name).unwrap().unwrap();
    let device = json!({
        "vendor_id": "1af4", "product_id": "1000", "class": "020000", "revision": "00",
        "bus": "0000:00:03.0", "numa_node_id": "1",
    });
    assert_eq!(found("pci-devices"), ("pci_devices", json!([device])));
    assert_eq!(found("lldp"), ("lldp_raw", json!({"eth0": [[1, "04aa"]]})));
    let (_, numa) = found("numa-topology");
    assert_eq!(numa["ram"][1], json!({"numa_node": 1, "size_kb": 1024}));
    let core = json!({"cpu": 0, "numa_node": 1, "thread_siblings": [2, 3]});
    assert_eq!(numa["cpus"][1], core);
    assert_eq!(numa["nics"], json!([{"name": "eth0", "numa_node": 1}]));
    let (key, facts) = found("extra-hardware");
    assert_eq!(key, "data");
    for fact in [
        json!(["cpu", "physical", "number", "2"]),
        json!(["network", "eth0", "link", "yes"]),
        json!(["system", "product", "name", "Server 1"]),
        json!(["memory", "bank:0", "size", "4294967296"]),
    ] {
        assert!(facts.as_array().unwrap().contains(&fact), "{fact}");
    }
    assert_eq!(
        found("dmi-decode").1["memory"]["devices"][0]["Size"],
        "4 GB"
    );
}

/// What lscpu says of the machine that runs the test.
#[test]
fn this_machine_as_lscpu_sees_it() {
    let Ok(output) = Command::new("lscpu").env("LC_ALL", "C").output() else {
        eprintln!("SKIPPED: there is no lscpu to compare with");
        return;
    };
    let text = String::from_utf8(output.stdout).unwrap();
    let field = |name: &str| {
        text.lines().find_map(|line| {
            let (key, value) = line.split_once(':')?;
            (key.trim() == name).then(|| value.trim().to_owned())
        })
    };
    let found = collect(Path::new("/"), &Facts::default());
    assert_eq!(Some(found["cpu"]["count"].to_string()), field("CPU(s)"));
    assert_eq!(
        found["cpu"]["architecture"].as_str(),
        field("Architecture").as_deref()
    );
    if let Some(sockets) = field("Socket(s)").filter(|sockets| sockets != "-") {
        assert_eq!(found["cpu"]["socket_count"].to_string(), sockets);
    }
    if let Some(model) = field("Model name") {
        assert_eq!(found["cpu"]["model_name"], model.as_str());
    }
}
