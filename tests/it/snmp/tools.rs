//! net-snmp's clients against our simulator.

use super::peer::{Sim, USERS, users};
use std::process::{Command, Output};

/// The outlet's object of an `apc_rackpdu`.
const OUTLET: &str = "1.3.6.1.4.1.318.1.1.12.3.3.1.1.4.2";

async fn run(sim: &Sim, program: &'static str, options: &[&str], objects: &[&str]) -> Output {
    let mut command = Command::new(program);
    command
        .args(["-On", "-Oe", "-r", "1", "-t", "5"])
        .args(options)
        .arg(format!("127.0.0.1:{}", sim.port))
        .args(objects)
        // It keeps what it knows about engines there.
        .env("SNMP_PERSISTENT_DIR", std::env::temp_dir())
        .env("MIBS", "");
    let output = tokio::task::spawn_blocking(move || command.output()).await;
    output.unwrap().unwrap()
}

async fn says(sim: &Sim, program: &'static str, options: &[&str], objects: &[&str]) -> String {
    let output = run(sim, program, options, objects).await;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{options:?}: {output:?}");
    text
}

#[tokio::test]
async fn both_communities() {
    if !crate::ipmi::peer::has("snmpset") {
        return;
    }
    let sim = Sim::start("apc_rackpdu", &[]).await;
    for version in ["-v1", "-v2c"] {
        let (read, write) = ([version, "-c", "public"], [version, "-c", "private"]);
        let text = says(&sim, "snmpget", &read, &[OUTLET]).await;
        assert_eq!(text, format!(".{OUTLET} = INTEGER: 2\n"));
        let text = says(&sim, "snmpset", &write, &[OUTLET, "i", "1"]).await;
        assert_eq!(text, format!(".{OUTLET} = INTEGER: 1\n"));
        assert!(sim.agent.strip().is_on(2));
        says(&sim, "snmpset", &write, &[OUTLET, "i", "2"]).await;
        assert!(!sim.agent.strip().is_on(2));

        let walk = if version == "-v1" {
            "snmpwalk"
        } else {
            "snmpbulkwalk"
        };
        let text = says(&sim, walk, &read, &["1.3.6.1"]).await;
        let objects = text
            .lines()
            .filter(|line| !line.contains("No more variables"));
        let objects = objects.filter(|line| line.contains(" = "));
        assert_eq!(objects.count(), 3 + 4, "{text}");
        assert!(text.contains(".1.3.6.1.2.1.1.2.0 = OID: .1.3.6.1.4.1.318.1.3.4.5"));

        let refused = run(&sim, "snmpset", &read, &[OUTLET, "i", "1"]).await;
        let text = String::from_utf8_lossy(&refused.stderr).into_owned();
        let word = if version == "-v1" {
            "noSuchName"
        } else {
            "noAccess"
        };
        assert!(!refused.status.success() && text.contains(word), "{text}");
        let refused = run(&sim, "snmpset", &write, &[OUTLET, "i", "7"]).await;
        let text = String::from_utf8_lossy(&refused.stderr).into_owned();
        let word = if version == "-v1" {
            "badValue"
        } else {
            "wrongValue"
        };
        assert!(!refused.status.success() && text.contains(word), "{text}");
    }
}

#[tokio::test]
async fn every_user() {
    if !crate::ipmi::peer::has("snmpset") {
        return;
    }
    let sim = Sim::start("apc_rackpdu", &users(&[])).await;
    let mut tried = 0;
    for options in USERS.iter().filter_map(|user| user.options()) {
        let mut options: Vec<&str> = options.iter().map(String::as_str).collect();
        let text = says(&sim, "snmpset", &options, &[OUTLET, "i", "1"]).await;
        assert_eq!(text, format!(".{OUTLET} = INTEGER: 1\n"), "{options:?}");
        let text = says(&sim, "snmpget", &options, &[OUTLET]).await;
        assert_eq!(text, format!(".{OUTLET} = INTEGER: 1\n"), "{options:?}");
        tried += 1;
        for key in ["-A", "-X"] {
            if let Some(place) = options.iter().position(|option| *option == key) {
                let right = std::mem::replace(&mut options[place + 1], "not-the-key");
                let refused = run(&sim, "snmpget", &options, &[OUTLET]).await;
                assert!(!refused.status.success(), "{options:?}");
                options[place + 1] = right;
            }
        }
    }
    assert!(tried >= 12, "{tried}");
}
