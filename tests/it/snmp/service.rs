//! Machines without a BMC, through the whole service.

use super::peer::{Sim, driver_info, settings};
use crate::{
    database::Engine,
    lab::{Lab, Machine, Options},
};
use serde_json::{Value, json};
use tokio::net::UdpSocket;
use types::{InterfaceKind as K, ProvisionState as S};

every_engine!(
    an_outlet_is_switched_over_the_api,
    a_machine_is_woken_by_a_broadcast,
    a_machine_is_managed_by_hand,
    old_names_are_kept_or_refused_with_the_reason,
);

fn options(types: &[&str], interfaces: &[(K, &[&str])]) -> Options {
    let owned = |names: &[&str]| names.iter().map(|&n| n.to_owned()).collect::<Vec<_>>();
    let mut options = Options::default();
    options.hardware.enable_hardware_types(owned(types));
    options.hardware.snmp = settings();
    let usual: &[(K, &[&str])] = &[
        (K::Boot, &["fake", "pxe"]),
        (K::Deploy, &["fake", "direct", "noop"]),
        (K::Inspect, &["no-inspect", "fake"]),
    ];
    for (kind, names) in usual.iter().chain(interfaces) {
        options.hardware.enable_interfaces(*kind, owned(names));
    }
    options
}

async fn create<'a>(lab: &'a Lab, body: Value) -> Machine<'a> {
    let created = lab.client.post("/v1/nodes", body).await.expect(201).json();
    lab.machine(created["uuid"].as_str().unwrap())
}

async fn asks_for(lab: &Lab, machine: &Machine<'_>, target: &str) -> Value {
    let path = machine.path("/states/power");
    let body = json!({"target": target});
    lab.client.put(&path, body).await.expect(202);
    machine.rests().await
}

async fn an_outlet_is_switched_over_the_api(engine: Engine) {
    let sim = Sim::start("servertech_sentry3", &[]).await;
    let lab = Lab::with(
        engine,
        options(
            &["snmp"],
            &[(K::Power, &["snmp"]), (K::Management, &["noop"])],
        ),
    )
    .await;
    let properties = lab.client.get("/v1/drivers/snmp/properties").await;
    let properties = properties.expect(200).json();
    assert!(properties["snmp_outlet"].is_string(), "{properties}");
    assert!(properties["snmp_priv_protocol"].is_string());

    let machine = create(&lab, json!({"driver": "snmp", "driver_info": {}})).await;
    let path = machine.path("/validate");
    let found = lab.client.get(&path).await.expect(200).json();
    assert_eq!(
        found["power"]["reason"],
        "SNMP driver requires the following parameters to be set in node's driver_info: ['snmp_driver', 'snmp_address', 'snmp_outlet']."
    );
    let info = driver_info(sim.port, json!({"snmp_driver": "auto", "snmp_outlet": "2"}));
    let change = json!([{"op": "add", "path": "/driver_info", "value": info}]);
    machine.patch(change).await.expect(200);
    machine.asks("manage").await.reaches(S::Manageable).await;
    for (target, state) in [
        ("power on", "power on"),
        ("rebooting", "power on"),
        ("power off", "power off"),
    ] {
        let node = asks_for(&lab, &machine, target).await;
        assert_eq!(node["last_error"], json!(null), "{target}");
        assert_eq!(node["power_state"], state, "{target}");
    }
    let orders = sim.agent.strip().orders.clone();
    assert_eq!(orders, [(2, true), (2, false), (2, true), (2, false)]);
    let path = machine.path("/states/power");
    let soft = json!({"target": "soft power off"});
    let refused = lab.client.put(&path, soft).await.expect(400).fault();
    assert!(
        refused.contains("does not support the power state"),
        "{refused}"
    );

    sim.agent.strip().faults.ignores_orders = true;
    let node = asks_for(&lab, &machine, "power on").await;
    let error = node["last_error"].as_str().unwrap();
    assert!(
        error.contains(&format!(
            "Outlet 2 of PDU 127.0.0.1:{} still reports power off",
            sim.port
        )),
        "{error}"
    );
    sim.agent.strip().faults.silent = true;
    let node = asks_for(&lab, &machine, "power on").await;
    let error = node["last_error"].as_str().unwrap();
    assert!(
        error.contains("power status of outlet 2 of PDU 127.0.0.1:")
            && error.contains("no answer within")
            && !error.contains("private"),
        "{error}"
    );
    lab.stop().await;
}

async fn a_machine_is_woken_by_a_broadcast(engine: Engine) {
    // The broadcast address of the loopback network: only a socket that may broadcast can send
    // there.
    let ear = UdpSocket::bind("127.255.255.255:0").await.unwrap();
    let port = ear.local_addr().unwrap().port();
    let lab = Lab::with(
        engine,
        options(
            &["staging-wol"],
            &[(K::Power, &["staging-wol"]), (K::Management, &["noop"])],
        ),
    )
    .await;
    let machine = create(
        &lab,
        json!({
            "driver": "staging-wol",
            "driver_info": {"wol_host": "127.255.255.255", "wol_port": port},
        }),
    )
    .await;
    let path = machine.path("/validate");
    let found = lab.client.get(&path).await.expect(200).json();
    assert_eq!(
        found["power"]["reason"],
        "Wake-On-Lan needs at least one port resource to be registered in the node"
    );
    for address in ["52:54:00:00:00:0a", "52:54:00:00:00:0b"] {
        let body = json!({"node_uuid": machine.id.to_string(), "address": address});
        lab.client.post("/v1/ports", body).await.expect(201);
    }
    machine.asks("manage").await.reaches(S::Manageable).await;
    let node = asks_for(&lab, &machine, "power on").await;
    assert_eq!(node["power_state"], "power on");
    assert_eq!(node["last_error"], json!(null));
    let mut frame = [0; 200];
    for last in [0x0a, 0x0b] {
        let length = ear.recv(&mut frame).await.unwrap();
        let mut expected = vec![0xff; 6];
        expected.extend([0x52, 0x54, 0, 0, 0, last].repeat(16));
        assert_eq!(frame[..length], expected);
    }
    // Nobody can switch it off from here; the event says so.
    let node = asks_for(&lab, &machine, "power off").await;
    assert_eq!(node["power_state"], "power off");
    let told = lab.told(machine.id).await.join("\n");
    assert!(told.contains("must be switched off by hand"), "{told}");
    lab.stop().await;
}

async fn a_machine_is_managed_by_hand(engine: Engine) {
    let lab = Lab::with(
        engine,
        options(
            &["manual-management"],
            &[
                (K::Power, &["agent", "fake"]),
                (K::Management, &["noop"]),
                (K::Inspect, &["no-inspect"]),
            ],
        ),
    )
    .await;
    let machine = create(
        &lab,
        json!({"driver": "manual-management", "deploy_interface": "noop"}),
    )
    .await;
    let node = machine.show().await;
    assert_eq!(node["power_interface"], "agent");
    let path = machine.path("/validate");
    let found = lab.client.get(&path).await.expect(200).json();
    assert_eq!(
        found["power"]["reason"],
        "Fast track mode must be enabled to use the agent power interface"
    );
    assert_eq!(found["deploy"]["result"], true);

    let change = json!([{"op": "replace", "path": "/power_interface", "value": "fake"}]);
    machine.patch(change).await.expect(200);
    machine.asks("manage").await.reaches(S::Manageable).await;
    machine.asks("provide").await.reaches(S::Available).await;
    let deployed = machine.asks("active").await;
    deployed.reaches(S::Active).await;
    let torn_down = machine.asks("deleted").await;
    torn_down.reaches(S::Available).await;
    lab.stop().await;
}

async fn old_names_are_kept_or_refused_with_the_reason(engine: Engine) {
    let mut options = options(
        &["fake-hardware", "agent_ipmitool", "fake_snmp"],
        &[
            (K::Power, &["fake", "ipmitool", "snmp"]),
            (K::Management, &["fake", "ipmitool"]),
            (K::Boot, &["fake", "ipxe", "pxe"]),
        ],
    );
    // What the operator prefers for other nodes does not change what the name means.
    let hardware = &mut options.hardware;
    hardware.set_default(K::Boot, Some("ipxe".into()));
    hardware.set_default(K::Deploy, Some("fake".into()));
    let lab = Lab::with(engine, options).await;
    let listed = lab.client.get("/v1/drivers").await.expect(200).json();
    let names: Vec<&str> = listed["drivers"]
        .as_array()
        .unwrap()
        .iter()
        .map(|driver| driver["name"].as_str().unwrap())
        .collect();
    assert_eq!(names.len(), 3, "{names:?}");
    assert!(names.contains(&"agent_ipmitool"), "{names:?}");
    let shown = lab.client.get("/v1/drivers/agent_ipmitool").await;
    let shown = shown.expect(200).json();
    assert_eq!(shown["default_boot_interface"], "pxe");
    assert_eq!(shown["default_deploy_interface"], "direct");
    let properties = lab
        .client
        .get("/v1/drivers/agent_ipmitool/properties")
        .await;
    assert!(properties.expect(200).json()["ipmi_address"].is_string());

    let machine = create(&lab, json!({"driver": "agent_ipmitool"})).await;
    let node = machine.show().await;
    assert_eq!(node["driver"], "agent_ipmitool");
    assert_eq!(node["power_interface"], "ipmitool");
    assert_eq!(node["boot_interface"], "pxe");
    assert_eq!(node["deploy_interface"], "direct");
    let filtered = lab.client.get("/v1/nodes?driver=agent_ipmitool").await;
    assert_eq!(
        filtered.expect(200).json()["nodes"]
            .as_array()
            .unwrap()
            .len(),
        1
    );

    let sim = Sim::start("apc_rackpdu", &[]).await;
    let info = driver_info(sim.port, json!({}));
    let switched = create(&lab, json!({"driver": "fake_snmp", "driver_info": info})).await;
    switched.asks("manage").await.reaches(S::Manageable).await;
    asks_for(&lab, &switched, "power on").await;
    assert!(sim.agent.strip().is_on(1));

    for (name, reason) in [
        (
            "pxe_ipmitool",
            "Driver 'pxe_ipmitool' is an old name for hardware type 'ipmi' with deploy interface 'iscsi' and boot interface 'pxe'. It is served where the option enabled_drivers names it.",
        ),
        (
            "agent_vbox",
            "Driver 'agent_vbox' cannot be served: it speaks VirtualBox's web service, which this build does not. Use hardware type 'ipmi' with a virtual BMC.",
        ),
        (
            "agent_pyghmi",
            "Driver 'agent_pyghmi' is an old name for hardware type 'ipmi' with deploy interface 'direct' and boot interface 'pxe'. It is served where the option enabled_drivers names it.",
        ),
    ] {
        let body = json!({"driver": name});
        let refused = lab.client.post("/v1/nodes", body).await.expect(400);
        assert_eq!(refused.fault(), reason);
        let change = json!([{"op": "replace", "path": "/driver", "value": name}]);
        let refused = machine.patch(change).await.expect(400);
        assert_eq!(refused.fault(), reason);
    }
    assert_eq!(machine.show().await["driver"], "agent_ipmitool");
    let refused = lab
        .client
        .post("/v1/nodes", json!({"driver": "pxe_none"}))
        .await;
    assert!(
        refused
            .expect(400)
            .fault()
            .contains("No valid host was found")
    );
    lab.stop().await;
}
