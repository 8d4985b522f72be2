//! What programs of schema version 7 wrote to each other, in `testdata/version-7.json`.
//!
//! A field that is added to one of these types is missing in what an earlier program sends: it has
//! to be read all the same, as the default that it has in a new value. So the file is not touched
//! when a field is added. A kind that is new is appended to it.

use serde_json::{Map, Value, json};
use std::collections::BTreeSet;
use types::{
    Allocation, Caller, Fault, InterfaceKind, Inventory, Node, NodeId, Port, Portgroup, Timestamp,
    VolumeConnector, VolumeTarget,
    console::ConsoleWish,
    progress::{Live, Progress},
    recording::Recording,
    rpc::{
        BootDevice, ConsoleState, Heartbeat, Indicator, NodeUpdate, ProvisionRequest, Validation,
        VendorAnswer, VendorMethod, VirtualMedia,
    },
};

const WRITTEN: &str = include_str!("../../testdata/version-7.json");

const ID: &str = "1be26c0b-03f2-4d2e-ae87-c02d7f33c123";

/// Compares what was written with the value that it stands for today.
struct Archive {
    written: Map<String, Value>,
    seen: BTreeSet<String>,
    missing: Map<String, Value>,
}

impl Archive {
    fn holds<T>(&mut self, kind: &str, value: T)
    where
        T: serde::Serialize + serde::de::DeserializeOwned + PartialEq + std::fmt::Debug,
    {
        self.seen.insert(kind.to_owned());
        let today = serde_json::to_value(&value).unwrap();
        match self.written.get(kind) {
            Some(written) => {
                let read: T = serde_json::from_value(written.clone())
                    .unwrap_or_else(|error| panic!("{kind} of version 7: {error}"));
                assert_eq!(read, value, "{kind} of version 7");
            }
            None => {
                self.missing.insert(kind.to_owned(), today);
            }
        }
    }
}

fn node() -> Node {
    let mut node = Node::new(ID.parse().unwrap(), "ipmi");
    node.created_at = Timestamp(1_700_000_000_000_000);
    node.name = Some("n1".into());
    node.driver_info
        .insert("ipmi_address".into(), json!("10.0.0.1"));
    node.traits = vec!["CUSTOM_A".into()];
    node.interfaces.set(InterfaceKind::Power, "ipmitool");
    node
}

fn text(text: &str) -> String {
    text.to_owned()
}

#[test]
fn what_version_7_wrote_can_be_read() {
    let mut archive = Archive {
        written: serde_json::from_str(WRITTEN).unwrap(),
        seen: BTreeSet::new(),
        missing: Map::new(),
    };
    let at = Timestamp(1_700_000_000_000_000);
    let id: NodeId = ID.parse().unwrap();
    archive.holds("node", node());
    archive.holds(
        "update",
        NodeUpdate {
            node: node(),
            base_version: 3,
            reset_interfaces: true,
        },
    );
    let address = "52:54:00:00:00:01".parse().unwrap();
    let mut port = Port::new(ID.parse().unwrap(), id, address);
    port.created_at = at;
    archive.holds("port", port);
    let mut group = Portgroup::new(ID.parse().unwrap(), id);
    group.created_at = at;
    archive.holds("portgroup", group);
    let mut connector = VolumeConnector::new(ID.parse().unwrap(), id, "iqn", "iqn.1");
    connector.created_at = at;
    archive.holds("connector", connector);
    let mut target = VolumeTarget::new(ID.parse().unwrap(), id, "iscsi", 0, "volume");
    target.created_at = at;
    archive.holds("target", target);
    let mut allocation = Allocation::new(ID.parse().unwrap());
    allocation.created_at = at;
    archive.holds("allocation", allocation);
    archive.holds("inventory", Inventory::default());
    archive.holds(
        "caller",
        Caller {
            user: Some(text("u")),
            project: None,
            request_id: text("req-1"),
            token: None,
        },
    );
    archive.holds("heartbeat", Heartbeat::default());
    archive.holds("wish", ConsoleWish::default());
    archive.holds("progress", Progress::default());
    archive.holds("live", Live::default());
    archive.holds("recording", Recording::default());
    archive.holds("provision", provisions());
    archive.holds(
        "media",
        VirtualMedia {
            device: text("cdrom"),
            image_url: text("http://image"),
            source: text("http"),
        },
    );
    answers(&mut archive);
    let known: BTreeSet<String> = archive.written.keys().cloned().collect();
    let missing = Value::Object(archive.missing);
    assert_eq!(missing, json!({}), "append this to the file: {missing}");
    assert_eq!(known, archive.seen, "nobody reads some of the file");
}

fn provisions() -> Vec<ProvisionRequest> {
    use ProvisionRequest as P;
    let steps = vec![
        serde_json::from_value(json!({"interface": "deploy", "step": "erase_devices"})).unwrap(),
    ];
    vec![
        P::Deploy {
            configdrive: Some(json!("http://drive")),
            steps: steps.clone(),
        },
        P::Rebuild {
            configdrive: None,
            steps: Vec::new(),
        },
        P::TearDown,
        P::Manage,
        P::Provide,
        P::Inspect,
        P::Abort,
        P::Adopt,
        P::Unhold,
        P::Clean {
            steps: steps.clone(),
            disable_ramdisk: true,
        },
        P::Rescue {
            password: text("p"),
        },
        P::Unrescue,
        P::Service {
            steps,
            disable_ramdisk: false,
        },
    ]
}

fn answers(archive: &mut Archive) {
    archive.holds(
        "boot_device",
        BootDevice {
            device: Some(text("pxe")),
            persistent: Some(false),
        },
    );
    archive.holds(
        "indicator",
        Indicator {
            component: text("chassis"),
            name: text("led"),
            readonly: false,
            states: vec![text("on")],
        },
    );
    archive.holds(
        "console",
        ConsoleState {
            enabled: false,
            info: Value::Null,
        },
    );
    archive.holds(
        "validation",
        Validation {
            interface: InterfaceKind::Power,
            reason: Some(text("no address")),
        },
    );
    archive.holds(
        "vendor_method",
        VendorMethod {
            name: text("raw"),
            http_methods: vec![text("POST")],
            r#async: true,
            description: text(""),
            attach: false,
            require_exclusive_lock: true,
        },
    );
    let done = VendorAnswer::Done(json!(1));
    archive.holds("vendor_answers", vec![VendorAnswer::Accepted, done]);
    let node = ID.parse().unwrap();
    let locked = Fault::Locked {
        node,
        host: text("c1"),
    };
    archive.holds("faults", vec![Fault::NotFound, locked, Fault::Stale(node)]);
}
