//! Lives of machines while conductors are killed, stand still, leave and come back.

use super::{
    journal::check_order,
    team::{Frozen, Member, Team},
};
use crate::database::Engine;
use scenario::random::Random;
use serde_json::{Value, json};
use std::time::Duration;
use types::{InterfaceKind as K, Node, NodeId, ProvisionState as S, provision::StateClass};

every_engine!(no_machine_is_left_alone);

const HOSTS: [&str; 3] = ["a", "b", "c"];
const MACHINES: usize = 12;
const ROUNDS: usize = 6;
/// Short, so that much happens: whoever is taken for dead by mistake is one more trouble.
const TTL: Duration = Duration::from_secs(5);

/// What may be asked of a machine that rests in a state.
fn wish(node: &Node, random: &mut Random) -> Option<Value> {
    let step = json!({"interface": "vendor", "step": "log_passthrough"});
    let clean = json!({"target": "clean", "clean_steps": [step.clone(), step.clone()]});
    let wishes = match node.provision_state {
        S::Enroll => vec![json!({"target": "manage"})],
        S::Manageable => vec![
            json!({"target": "provide"}),
            json!({"target": "inspect"}),
            clean,
        ],
        S::Available => vec![json!({"target": "active"}), json!({"target": "manage"})],
        S::Active => vec![
            json!({"target": "deleted"}),
            json!({"target": "rebuild"}),
            json!({"target": "rescue", "rescue_password": "pw"}),
            json!({"target": "service", "service_steps": [step]}),
        ],
        S::Rescue => vec![json!({"target": "unrescue"})],
        _ => return None,
    };
    Some(random.pick(&wishes).clone())
}

/// Asks every machine that rests for something; refusals are answers too.
async fn stir(team: &Team, members: &[Option<Member>], machines: &[NodeId], random: &mut Random) {
    for &id in machines {
        let node = team.node(id).await;
        let (Some(wish), Some(member)) = (wish(&node, random), random.pick(members)) else {
            continue;
        };
        let asked = member.put(id, "/states/provision", wish);
        // Nobody answers for a member that stands still.
        if let Ok(answer) = tokio::time::timeout(Duration::from_millis(500), asked).await {
            assert!(matches!(answer.status, 202 | 400 | 409 | 503), "{answer:?}");
        }
    }
}

async fn join(team: &Team, host: &'static str) -> Member {
    let mut options = team.options(host);
    options.conductor.heartbeat_timeout = TTL;
    for kind in [K::Deploy, K::Vendor, K::Inspect, K::Rescue, K::Power] {
        options
            .hardware
            .fake
            .set_delay(kind, "0.05,0.4".parse().unwrap());
    }
    team.join_with(host, options).await
}

async fn no_machine_is_left_alone(engine: Engine) {
    let mut random = Random::new();
    let team = Team::new(engine);
    let mut members = Vec::new();
    for host in HOSTS {
        members.push(Some(join(&team, host).await));
    }
    let mut machines = Vec::new();
    for _ in 0..MACHINES {
        machines.push(members[0].as_ref().unwrap().enroll(json!({})).await);
    }
    for _ in 0..ROUNDS {
        stir(&team, &members, &machines, &mut random).await;
        let moment = Duration::from_millis(random.below(500) as u64);
        tokio::time::sleep(moment).await;
        let which = random.below(HOSTS.len());
        let mut frozen: Option<Frozen> = None;
        match random.below(3) {
            0 => members[which].as_mut().unwrap().kill(),
            1 => frozen = Some(members[which].as_ref().unwrap().freeze()),
            _ => members[which].as_mut().unwrap().stop().await,
        }
        let standing = frozen.is_some();
        if !standing {
            members[which] = None;
        }
        stir(&team, &members, &machines, &mut random).await;
        // Long enough for the others to notice, or not.
        let moment = TTL.as_millis() as usize * 3 / 2;
        tokio::time::sleep(Duration::from_millis(random.below(moment) as u64)).await;
        drop(frozen);
        if !standing {
            members[which] = Some(join(&team, HOSTS[which]).await);
        }
    }
    for &id in &machines {
        let node = team
            .until(id, "rest", |node| {
                let moving = node.provision_state.class() == StateClass::Transient;
                Some(node.reservation.is_none() && !moving)
            })
            .await;
        assert_eq!(node.work, None, "{node:#?}");
        assert_eq!(node.target_power_state, None, "{node:#?}");
    }
    check_order(&team.journal());
}
