//! What cloud-init makes of the document, by its own program for that.
//!
//! `PYTHONPATH` may lead to an unpacked package of Debian. Where there is no cloud-init the test says
//! so and does nothing.

use std::process::Command;

use super::tests::RACK;

#[test]
fn cloud_init_reads_bonds_vlans_and_addresses_as_they_are_meant() {
    let module = "cloudinit.cmd.devel.net_convert";
    let python = || {
        let mut python = Command::new("python3");
        python.args(["-W", "ignore", "-m", module]);
        python
    };
    let is_there = python().arg("--help").output();
    if !is_there.is_ok_and(|output| output.status.success()) {
        println!("SKIPPED: cloud-init is not installed");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let (from, to) = (folder.path().join("in.json"), folder.path().join("out"));
    let value = crate::input::yaml(RACK).unwrap();
    let document = super::read(&value).unwrap().document();
    std::fs::write(&from, document.to_string()).unwrap();
    let converted = python()
        .args([
            "-k",
            "network_data.json",
            "-D",
            "debian",
            "-O",
            "netplan",
            "-p",
        ])
        .arg(&from)
        .arg("-d")
        .arg(&to)
        .args(["-m", "eno1,52:54:00:aa:00:01"])
        .args(["-m", "eno2,52:54:00:aa:00:02"])
        .args(["-m", "eno3,52:54:00:aa:00:03"])
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&converted.stderr);
    assert!(converted.status.success(), "{told}");
    let plan = std::fs::read_to_string(to.join("etc/netplan/50-cloud-init.yaml")).unwrap();
    let plan = crate::input::yaml(&plan).unwrap();
    let network = &plan["network"];
    let bond = &network["bonds"]["bond0"];
    assert_eq!(bond["interfaces"], serde_json::json!(["eno1", "eno2"]));
    assert_eq!(bond["parameters"]["mode"], "802.3ad");
    assert_eq!(bond["mtu"], 9000);
    assert_eq!(network["ethernets"]["eno3"]["dhcp4"], true);
    let vlan = &network["vlans"]["bond0.100"];
    assert_eq!((&vlan["id"], &vlan["link"]), (&100.into(), &"bond0".into()));
    assert_eq!(
        vlan["addresses"],
        serde_json::json!(["10.0.0.17/24", "10.0.0.18/24", "2001:db8::17/64"])
    );
    let routes = vlan["routes"].as_array().unwrap();
    for (to, via) in [
        ("0.0.0.0/0", "10.0.0.1"),
        ("10.1.0.0/16", "10.0.0.254"),
        ("::/0", "fe80::1"),
    ] {
        let route = serde_json::json!({"to": to, "via": via});
        assert!(routes.contains(&route), "{route}: {routes:?}");
    }
    assert_eq!(vlan["nameservers"]["addresses"][0], "10.0.0.53");
}
