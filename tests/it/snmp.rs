//! Power strips: our driver against snmpsim and against our own simulator, net-snmp's clients
//! against that simulator, and the hardware types that need no BMC through the whole service.

mod peer;
mod service;
mod tools;

use drivers::{
    DriverError, SnmpSettings,
    iface::{Interface, Power},
};
use peer::{Bench, Sim, Snmpsim, USERS, driver_info, settings, users};
use serde_json::{Value, json};
use std::time::Duration;
use types::{PowerState, PowerTarget};

async fn switch(bench: &mut Bench, target: PowerTarget) -> Result<(), DriverError> {
    let (power, lease) = (bench.power.clone(), bench.lease.clone());
    power.set(&lease, &mut bench.machine(), target, None).await
}

async fn state(bench: &mut Bench) -> Result<Option<PowerState>, DriverError> {
    bench.power.clone().get(&bench.machine()).await
}

async fn every_power_action(bench: &mut Bench) {
    assert_eq!(state(bench).await.unwrap(), Some(PowerState::Off));
    for target in [
        PowerTarget::On,
        PowerTarget::Reboot,
        PowerTarget::Off,
        PowerTarget::Reboot,
        PowerTarget::Off,
    ] {
        switch(bench, target).await.unwrap();
        let found = state(bench).await.unwrap();
        assert_eq!(found, Some(target.end_state()), "{target}");
    }
}

#[tokio::test]
async fn every_make_is_switched() {
    for make in sim::pdu::make::MAKES {
        for name in [make.name, "auto"] {
            let sim = Sim::start(make.name, &[]).await;
            let mut bench = sim.bench(json!({"snmp_driver": name, "snmp_outlet": 3}));
            every_power_action(&mut bench).await;
            let orders = sim.agent.strip().orders.clone();
            let expected = [true, false, true, false, false, true, false];
            assert_eq!(orders, expected.map(|on| (3, on)), "{name} {}", make.name);
        }
    }
    // The short name of one of them.
    let sim = Sim::start("apc_masterswitch", &[]).await;
    let mut bench = sim.bench(json!({"snmp_driver": "apc"}));
    every_power_action(&mut bench).await;
}

#[tokio::test]
async fn every_protection_works_with_our_simulator() {
    let sim = Sim::start("apc_rackpdu", &users(&[])).await;
    for user in USERS {
        let mut bench = sim.bench(user.driver_info());
        switch(&mut bench, PowerTarget::On).await.unwrap();
        switch(&mut bench, PowerTarget::Off).await.unwrap();
    }
    let orders = sim.agent.strip().orders.len();
    assert_eq!(orders, 2 * USERS.len());
}

#[tokio::test]
async fn communities_work_with_snmpsim() {
    let Some(peer) = Snmpsim::start(&[]) else {
        return;
    };
    for version in ["1", "2c"] {
        for (driver, outlet) in [("apc_masterswitch", 1), ("auto", 2), ("eatonpower", 1)] {
            let mut bench = peer.bench(json!({
                "snmp_driver": driver, "snmp_outlet": outlet, "snmp_version": version,
                "snmp_community": "public",
            }));
            // Its Eaton only remembers what was written, and never becomes on.
            if driver == "eatonpower" {
                assert_eq!(state(&mut bench).await.unwrap(), Some(PowerState::Off));
                continue;
            }
            every_power_action(&mut bench).await;
        }
        let mut bench = peer.bench(json!({
            "snmp_driver": "apc_rackpdu", "snmp_outlet": 77, "snmp_version": version,
            "snmp_community": "public",
        }));
        let text = types::error::chain(&state(&mut bench).await.unwrap_err());
        assert!(
            text.contains(
                "SNMP operation 'GET' failed: power status of outlet 77 of PDU 127.0.0.1:"
            ) && text.contains("it has no such outlet, or is no apc_rackpdu"),
            "{text}"
        );
    }
}

#[tokio::test]
async fn every_protection_works_with_snmpsim() {
    let Some(peer) = Snmpsim::start(&users(&[])) else {
        return;
    };
    for user in USERS {
        let mut info = user.driver_info();
        info["snmp_context_name"] = json!("public");
        info["snmp_outlet"] = json!(2);
        let mut bench = peer.bench(info);
        switch(&mut bench, PowerTarget::On).await.unwrap();
        assert_eq!(state(&mut bench).await.unwrap(), Some(PowerState::On));
        switch(&mut bench, PowerTarget::Off).await.unwrap();
    }
}

fn user(name: &str, changes: Value) -> Value {
    let mut info = USERS.iter().find(|u| u.name == name).unwrap().driver_info();
    for (key, value) in changes.as_object().unwrap() {
        info[key] = value.clone();
    }
    info
}

#[tokio::test]
async fn failures_say_who_what_and_why_and_no_secret() {
    let sim = Sim::start("apc_rackpdu", &users(&["sha-aes", "md5"])).await;
    let cases = [
        (
            json!({"snmp_community": "covert-word"}),
            "no answer within 3.0 s; it may be off, or not accept the community",
        ),
        (
            json!({"snmp_driver": "raritan_pdu2"}),
            "it has no such outlet, or is no raritan_pdu2",
        ),
        (
            user("sha-aes", json!({"snmp_user": "nobody"})),
            "it does not know the user",
        ),
        (
            user("sha-aes", json!({"snmp_auth_key": "covert-word"})),
            "authentication key or protocol do not fit",
        ),
        (
            user("sha-aes", json!({"snmp_priv_key": "covert-word"})),
            "privacy key or protocol do not fit",
        ),
        (
            user("md5", json!({"snmp_priv_key": "covert-word"})),
            "it does not allow this user the protocols",
        ),
        (
            user("sha-aes", json!({"snmp_priv_protocol": "none"})),
            "it answered authorizationError for 1.3.6.1.4.1.318.1.1.12.3.3.1.1.4.1",
        ),
    ];
    for (info, expected) in cases {
        let mut bench = sim.bench(info);
        let text = types::error::chain(&state(&mut bench).await.unwrap_err());
        let head = format!(
            "SNMP operation 'GET' failed: power status of outlet 1 of PDU 127.0.0.1:{}: ",
            sim.port
        );
        assert!(text.starts_with(&head) && text.contains(expected), "{text}");
        for secret in ["covert", "maplesyrup", "pancakes", "private"] {
            assert!(!text.contains(secret), "{text}");
        }
    }
    // What may be read need not be writable.
    let mut bench = sim.bench(json!({"snmp_community": "public"}));
    assert_eq!(state(&mut bench).await.unwrap(), Some(PowerState::Off));
    let text = types::error::chain(&switch(&mut bench, PowerTarget::On).await.unwrap_err());
    assert!(
        text.contains("SNMP operation 'SET' failed: power on of outlet 1")
            && text.contains("it answered noSuchName"),
        "{text}"
    );
    assert!(sim.agent.strip().orders.is_empty());
}

#[tokio::test]
async fn strips_that_lie_are_found_out() {
    let sim = Sim::start("apc_rackpdu", &[]).await;
    let mut bench = sim.bench(json!({}));
    sim.agent.strip().faults.ignores_orders = true;
    let text = types::error::chain(&switch(&mut bench, PowerTarget::On).await.unwrap_err());
    let port = sim.port;
    assert_eq!(
        text,
        format!(
            "Failed to set node power state to power on. Outlet 1 of PDU 127.0.0.1:{port} still reports power off after 0 s"
        )
    );
    assert_eq!(sim.agent.strip().orders, [(1, true)]);
    sim.agent.strip().faults.odd_state = true;
    assert_eq!(state(&mut bench).await.unwrap(), Some(PowerState::Error));
    sim.agent.strip().faults = sim::pdu::Faults::default();
    switch(&mut bench, PowerTarget::On).await.unwrap();
    assert!(sim.agent.strip().is_on(1) && !sim.agent.strip().is_on(2));
}

#[tokio::test]
async fn a_silent_strip_is_left_alone_for_a_while() {
    let sim = Sim::start("apc_rackpdu", &[]).await;
    let hasty = SnmpSettings {
        timeout: Duration::from_millis(50),
        ..settings()
    };
    let mut bench = Bench::new(driver_info(sim.port, json!({})), hasty);
    sim.agent.strip().faults.silent = true;
    let mut failures = Vec::new();
    for _ in 0..4 {
        failures.push(types::error::chain(&state(&mut bench).await.unwrap_err()));
    }
    assert!(
        failures[0].ends_with("not accept the community"),
        "{failures:?}"
    );
    assert!(failures[2].contains("is left alone"), "{failures:?}");
    assert!(
        failures[3].contains("it was silent 3 times in a row") && !failures[3].contains("within"),
        "{failures:?}"
    );
}

#[tokio::test]
async fn an_engine_that_was_replaced_is_found_out_anew() {
    let users = users(&["sha-aes"]);
    let mut sim = Sim::start("apc_rackpdu", &users).await;
    let mut bench = sim.bench(user("sha-aes", json!({})));
    assert_eq!(state(&mut bench).await.unwrap(), Some(PowerState::Off));
    // A restart, then another device with another engine at the same address, then one that lost
    // count of its restarts.
    for (engine, boots) in [
        (peer::ENGINE, 9),
        (b"another-engine", 5),
        (b"another-engine", 1),
    ] {
        sim.replace("apc_rackpdu", &users, engine, boots).await;
        // One that is behind its own past is only believed after a silence.
        let found = match state(&mut bench).await {
            Ok(found) => found,
            Err(error) => {
                let text = types::error::chain(&error);
                assert!(boots == 1 && text.contains("no answer within"), "{text}");
                state(&mut bench).await.unwrap()
            }
        };
        assert_eq!(found, Some(PowerState::Off));
    }
}

#[tokio::test]
async fn what_a_strip_cannot_do_is_refused() {
    let sim = Sim::start("apc_rackpdu", &[]).await;
    let mut bench = sim.bench(json!({}));
    bench.node.disable_power_off = Some(true);
    let text = types::error::chain(&switch(&mut bench, PowerTarget::Reboot).await.unwrap_err());
    assert!(text.contains("must never be without power"), "{text}");
    assert_eq!(
        bench.power.supported(),
        [PowerTarget::On, PowerTarget::Off, PowerTarget::Reboot]
    );
    assert_eq!(bench.power.name(), "snmp");
    assert!(sim.agent.strip().orders.is_empty());
}

#[tokio::test]
async fn delays_are_kept() {
    let sim = Sim::start("apc_rackpdu", &[]).await;
    let mut slow = settings();
    slow.reboot_delay = Duration::from_millis(120);
    slow.action_delay = Duration::from_millis(60);
    let mut bench = Bench::new(driver_info(sim.port, json!({})), slow);
    let begun = tokio::time::Instant::now();
    switch(&mut bench, PowerTarget::Reboot).await.unwrap();
    assert!(begun.elapsed() >= Duration::from_millis(240));
}
