//! Random lives: whatever is asked for, whatever the hardware does, no node is left in a transient
//! state with nobody working on it.

use crate::{
    Service, Settings,
    lab::{database, fake_hardware},
    passes,
};
use proptest::{prelude::*, test_runner::TestRunner};
use serde_json::json;
use std::{
    collections::BTreeSet,
    sync::{Arc, Mutex},
    time::Duration,
};
use store::Db;
use types::{
    Caller, Conductor, InterfaceKind, JsonMap, Node, NodeId, PowerTarget, ProvisionState,
    provision::StateClass,
    rpc::{NodeUpdate, ProvisionRequest, VirtualMedia},
    step::UserStep,
};

/// One thing that happens to the node.
#[derive(Debug, Clone)]
enum Act {
    /// Asks for something that fits the node's state, or (rarely) for anything.
    Ask {
        any: bool,
        choice: prop::sample::Index,
    },
    /// From now on these operations of the hardware fail or wait.
    Hardware {
        fail: Option<&'static str>,
        wait: Option<&'static str>,
        poll: Option<&'static str>,
    },
    /// Steps that want to be called again are called.
    Poll,
    Power(PowerTarget),
    /// A medium is put into a virtual drive, or all are taken out.
    Media {
        attach: bool,
    },
    Maintenance(bool),
    /// Time passes: everything that waits has waited too long.
    TimeOut,
    /// The conductor stops and a new one starts on the same database.
    Restart,
}

#[derive(Debug, Clone, Copy)]
enum Ask {
    Manage,
    Provide,
    Deploy,
    Rebuild,
    TearDown,
    Inspect,
    Abort,
    Adopt,
    Unhold,
    Rescue,
    Unrescue,
    Clean,
    CleanHold,
    Service,
    ServiceWait,
    ServiceHold,
    DeployHold,
}

const ASKS: &[Ask] = &[
    Ask::Manage,
    Ask::Provide,
    Ask::Deploy,
    Ask::Rebuild,
    Ask::TearDown,
    Ask::Inspect,
    Ask::Abort,
    Ask::Adopt,
    Ask::Unhold,
    Ask::Rescue,
    Ask::Unrescue,
    Ask::Clean,
    Ask::CleanHold,
    Ask::Service,
    Ask::ServiceWait,
    Ask::ServiceHold,
    Ask::DeployHold,
];
const FAILURES: &[&str] = &[
    "deploy.take_over",
    "power.get",
    "power.set",
    "deploy.prepare",
    "deploy.deploy",
    "deploy.tear_down",
    "deploy.clean_up",
    "deploy.prepare_cleaning",
    "deploy.tear_down_cleaning",
    "deploy.tear_down_service",
    "clean.log_passthrough",
    "inspect.inspect",
    "inspect.abort",
    "rescue.rescue",
    "rescue.unrescue",
    "rescue.clean_up",
    "power.validate",
    "deploy.validate",
];
const POLLS: &[&str] = &[
    "clean.log_passthrough",
    "service.log_passthrough",
    "deploy.deploy",
];
const WAITS: &[&str] = &[
    "clean.log_passthrough",
    "deploy.deploy",
    "inspect.inspect",
    "rescue.rescue",
    "deploy.prepare_cleaning",
    "deploy.prepare_service",
];

fn act() -> impl Strategy<Value = Act> {
    prop_oneof![
        12 => (prop::bool::weighted(0.1), any::<prop::sample::Index>())
            .prop_map(|(any, choice)| Act::Ask { any, choice }),
        4 => (prop::option::of(prop::sample::select(FAILURES)), prop::option::of(prop::sample::select(WAITS)), prop::option::weighted(0.2, prop::sample::select(POLLS)))
            .prop_map(|(fail, wait, poll)| Act::Hardware { fail, wait, poll }),
        1 => Just(Act::Poll),
        1 => prop::sample::select(PowerTarget::ALL).prop_map(Act::Power),
        1 => any::<bool>().prop_map(Act::Maintenance),
        1 => any::<bool>().prop_map(|attach| Act::Media { attach }),
        2 => Just(Act::TimeOut),
        1 => Just(Act::Restart),
    ]
}

fn step(interface: InterfaceKind, name: &str) -> UserStep {
    let given = json!({"interface": interface, "step": name});
    UserStep {
        interface,
        step: name.into(),
        args: JsonMap::new(),
        priority: None,
        execute_on_child_nodes: false,
        limit_child_node_execution: Vec::new(),
        given: given.as_object().unwrap().clone(),
    }
}

fn request(ask: Ask) -> ProvisionRequest {
    use ProvisionRequest as R;
    let log = step(InterfaceKind::Vendor, "log_passthrough");
    let clean = |steps| R::Clean {
        steps,
        disable_ramdisk: false,
    };
    let service = |steps| R::Service {
        steps,
        disable_ramdisk: false,
    };
    match ask {
        Ask::Manage => R::Manage,
        Ask::Provide => R::Provide,
        Ask::Deploy => R::Deploy {
            configdrive: None,
            steps: Vec::new(),
        },
        Ask::DeployHold => {
            let mut hold = step(InterfaceKind::Deploy, "hold");
            hold.priority = Some(50);
            R::Deploy {
                configdrive: None,
                steps: vec![hold],
            }
        }
        Ask::Rebuild => R::Rebuild {
            configdrive: None,
            steps: Vec::new(),
        },
        Ask::TearDown => R::TearDown,
        Ask::Inspect => R::Inspect,
        Ask::Abort => R::Abort,
        Ask::Adopt => R::Adopt,
        Ask::Unhold => R::Unhold,
        Ask::Rescue => R::Rescue {
            password: "pw".into(),
        },
        Ask::Unrescue => R::Unrescue,
        Ask::Clean => clean(vec![log]),
        Ask::CleanHold => clean(vec![log.clone(), step(InterfaceKind::Deploy, "hold"), log]),
        Ask::Service => service(vec![log, step(InterfaceKind::Power, "reboot")]),
        Ask::ServiceWait => service(vec![
            step(InterfaceKind::Vendor, "trigger_servicewait"),
            log,
        ]),
        Ask::ServiceHold => service(vec![step(InterfaceKind::Deploy, "hold"), log]),
    }
}

async fn conductor(db: &Db) -> Arc<Service> {
    let instant = Duration::from_nanos(1);
    let settings = Settings {
        node_locked_retry_attempts: 1,
        deploy_callback_timeout: instant,
        clean_callback_timeout: instant,
        service_callback_timeout: instant,
        rescue_callback_timeout: instant,
        inspect_wait_timeout: instant,
        step_poll_interval: Duration::ZERO,
        ..Settings::default()
    };
    Service::start(db.clone(), fake_hardware(), settings)
        .await
        .unwrap()
}

/// What must hold whenever no worker is at work.
fn check(node: &Node, acts: &[Act]) {
    assert_eq!(
        node.reservation, None,
        "reserved with nobody at work after {acts:?}"
    );
    assert_eq!(node.work, None, "{acts:?}");
    assert_ne!(
        node.provision_state.class(),
        StateClass::Transient,
        "{} after {acts:?}",
        node.provision_state
    );
    assert_eq!(node.target_power_state, None, "{acts:?}");
    assert_eq!(
        node.target_provision_state.is_none(),
        node.provision_state.is_stable(),
        "{acts:?}"
    );
}

/// Lets a node live, and returns the states it rested in.
async fn live(acts: Vec<Act>) -> BTreeSet<ProvisionState> {
    let (db, _dir) = database();
    let mut service = conductor(&db).await;
    let who = Caller::default();
    let id = NodeId::generate();
    service
        .create_node(&who, Node::new(id, "fake-hardware"))
        .await
        .unwrap();
    let mut seen = BTreeSet::new();
    for (i, act) in acts.iter().enumerate() {
        // Refusals are answers like any other; what counts is the state that is left.
        match act {
            Act::Ask { any, choice } => {
                let state = store::node::find(&db, id)
                    .await
                    .unwrap()
                    .unwrap()
                    .provision_state;
                let fits = |ask: &Ask| *any || state.after(request(*ask).verb()).is_some();
                let asks: Vec<Ask> = ASKS.iter().copied().filter(fits).collect();
                let ask = asks[choice.index(asks.len())];
                let _ = service
                    .provision(&who, id, "verb".into(), request(ask))
                    .await;
            }
            Act::Power(target) => {
                let _ = service.set_power(&who, id, *target, None).await;
            }
            Act::Media { attach: true } => {
                let media = VirtualMedia {
                    device: "cdrom".into(),
                    image_url: "http://h/i".into(),
                    source: "local".into(),
                };
                let _ = service.attach_virtual_media(&who, id, media).await;
            }
            Act::Media { attach: false } => {
                let _ = service.detach_virtual_media(&who, id, None).await;
            }
            Act::Maintenance(on) => {
                let _ = service.set_maintenance(&who, id, *on, None).await;
            }
            Act::Hardware { fail, wait, poll } => {
                let mut node = store::node::find(&db, id).await.unwrap().unwrap();
                node.driver_info
                    .insert("fake_fail".into(), json!(fail.unwrap_or("")));
                node.driver_info
                    .insert("fake_wait".into(), json!(wait.unwrap_or("")));
                node.driver_info
                    .insert("fake_poll".into(), json!(poll.unwrap_or("")));
                let update = NodeUpdate {
                    base_version: node.version,
                    node,
                    reset_interfaces: false,
                };
                service.update_node(&who, update).await.unwrap();
            }
            Act::Poll => {
                passes::poll::pass(Arc::clone(&service.core)).await;
            }
            Act::TimeOut => {
                passes::timeout::pass(Arc::clone(&service.core)).await;
                passes::timeout::rescue_pass(Arc::clone(&service.core)).await;
            }
            Act::Restart => {
                service.stop().await;
                service = conductor(&db).await;
            }
        }
        service.core.workers.idle().await;
        let node = store::node::find(&db, id).await.unwrap().unwrap();
        check(&node, &acts[..=i]);
        seen.insert(node.provision_state);
    }
    service.stop().await;
    seen
}

#[test]
fn no_walk_leaves_a_node_without_a_worker() {
    let config = ProptestConfig {
        cases: 150,
        ..ProptestConfig::default()
    };
    let mut runner = TestRunner::new(config);
    let seen = Mutex::new(BTreeSet::new());
    let walks = proptest::collection::vec(act(), 1..44);
    runner
        .run(&walks, |acts| {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()
                .unwrap();
            seen.lock().unwrap().extend(runtime.block_on(live(acts)));
            Ok(())
        })
        .unwrap();
    // Walks that never get anywhere prove nothing. Rescue lies at the end of a long road and some
    // runs miss all of it, so only a good part of the states is asked for.
    let seen = seen.into_inner().unwrap();
    let (visited, missed): (Vec<_>, Vec<ProvisionState>) = ProvisionState::ALL
        .iter()
        .copied()
        .filter(|s| s.class() != StateClass::Transient)
        .partition(|s| seen.contains(s));
    assert!(
        visited.len() > 2 * missed.len(),
        "never visited: {missed:?}"
    );
}
