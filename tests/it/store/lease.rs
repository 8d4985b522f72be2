//! The lease statements against the pure protocol of `types::lease`: the same operations on both,
//! the same answers.

use super::{holder, insert, new_node, stored};
use crate::database::{Database, Engine};
use scenario::random::Random;
use store::{
    StoreError,
    member::Registration,
    node::{Fence, Log},
};
use types::{
    Node, NodeId,
    lease::{Holder, LeaseRow, SIGNED_OFF, Verdict},
};

every_engine!(
    sql_and_model_agree,
    of_many_who_take_over_exactly_one_wins,
    orphans_and_held_leases_are_found,
);

const HOSTS: [&str; 3] = ["a", "b", "c"];

struct Pair {
    db: store::Db,
    id: NodeId,
    row: LeaseRow,
    /// (epoch, counter) as the model has them.
    members: [(i64, i64); 3],
    /// Grants that were ever given: (holder, node as it was granted).
    grants: Vec<Node>,
    /// (epoch, counter) pairs that somebody may have looked at, by host.
    sightings: Vec<(usize, i64, i64)>,
}

async fn register(db: &store::Db, host: &str) -> Holder {
    let new = Registration {
        hostname: host.to_owned(),
        conductor_group: String::new(),
        drivers: vec!["fake-hardware".into()],
        interfaces: Vec::new(),
        url: None,
    };
    store::member::register(db, new).await.unwrap()
}

impl Pair {
    async fn step(&mut self, random: &mut Random) -> &'static str {
        let who = random.below(HOSTS.len());
        let me = holder(HOSTS[who], self.members[who].0);
        match random.below(10) {
            0 => {
                let now = register(&self.db, HOSTS[who]).await;
                self.members[who] = (self.members[who].0 + 1, 0);
                assert_eq!(now, holder(HOSTS[who], self.members[who].0));
                "register"
            }
            1 => {
                // Sometimes an earlier incarnation wakes up and tries.
                let epoch = me.epoch - i64::from(random.chance(30));
                let renewed =
                    store::member::renew(&self.db, &holder(HOSTS[who], epoch), true).await;
                if epoch == me.epoch {
                    renewed.unwrap();
                    self.members[who].1 += 1;
                } else {
                    assert!(matches!(renewed, Err(StoreError::Superseded { .. })));
                }
                "renew"
            }
            2 => {
                let (epoch, counter) = self.members[who];
                self.sightings.push((who, epoch, counter));
                "look"
            }
            3 => {
                let node = stored(&self.db, self.id).await;
                let taken = store::lease::take(&self.db, node, &me).await;
                match self.row.acquire(&me) {
                    Some(generation) => {
                        let node = taken.unwrap();
                        assert_eq!(node.lease_generation, generation);
                        self.grants.push(node);
                    }
                    None => assert!(matches!(taken, Err(StoreError::Locked { .. }))),
                }
                "acquire"
            }
            4 | 5 => {
                self.take_over(random, &me).await;
                "take over"
            }
            6 => {
                let Some(node) = self.any_grant(random) else {
                    return "nothing";
                };
                let written =
                    store::node::save(&self.db, node.clone(), Fence::Held, Log::default()).await;
                let admitted = self.row.admits(node.lease_generation);
                assert_eq!(written.is_ok(), admitted, "{written:?}");
                "write"
            }
            7 => {
                // Also by who never held it, and by a grant that is no more.
                let generation = self.row.generation - i64::from(random.chance(20));
                let taken = store::lease::reclaim(&self.db, self.id, generation, &me)
                    .await
                    .unwrap();
                let granted = self.row.reclaim(&me, generation);
                assert_eq!(taken.as_ref().map(|n| n.lease_generation), granted);
                self.grants.extend(taken);
                "reclaim"
            }
            8 => {
                store::member::sign_off(&self.db, &me).await.unwrap();
                self.members[who] = (self.members[who].0 + 1, SIGNED_OFF);
                "sign off"
            }
            _ => {
                let Some(node) = self.any_grant(random) else {
                    return "nothing";
                };
                let generation = node.lease_generation;
                let released = if random.chance(50) {
                    let save = store::node::save(&self.db, node, Fence::Release, Log::default());
                    save.await.map(|_| ())
                } else {
                    store::lease::release(&self.db, self.id, generation).await
                };
                assert_eq!(
                    released.is_ok(),
                    self.row.release(generation),
                    "{released:?}"
                );
                "release"
            }
        }
    }

    /// The latest grant most of the time, an older one now and then.
    fn any_grant(&self, random: &mut Random) -> Option<Node> {
        match self.grants.len() {
            0 => None,
            n if random.chance(60) => Some(self.grants[n - 1].clone()),
            n => Some(self.grants[random.below(n)].clone()),
        }
    }

    async fn take_over(&mut self, random: &mut Random, me: &Holder) {
        if self.sightings.is_empty() {
            return;
        }
        // A look at who holds the lease now or, sometimes, at somebody else.
        let current = self.row.holder.clone().filter(|_| random.chance(80));
        let dead = current.unwrap_or_else(|| holder(HOSTS[random.below(HOSTS.len())], 1));
        let &(_, epoch, counter) = match self
            .sightings
            .iter()
            .rev()
            .find(|s| HOSTS[s.0] == dead.host)
        {
            Some(latest) if random.chance(80) => latest,
            _ => random.pick(&self.sightings),
        };
        let verdict = Verdict {
            dead,
            epoch,
            counter,
        };
        let taken = store::lease::take_over(&self.db, self.id, &verdict, me)
            .await
            .unwrap();
        let host = HOSTS.iter().position(|h| *h == verdict.dead.host).unwrap();
        let granted = self.row.take_over(&verdict, self.members[host], me);
        assert_eq!(taken.as_ref().map(|n| n.lease_generation), granted);
        self.grants.extend(taken);
    }

    async fn compare(&self) {
        let node = stored(&self.db, self.id).await;
        let held_by = node.reservation.map(|host| Holder {
            host,
            epoch: node.lease_epoch,
        });
        let found = LeaseRow {
            holder: held_by,
            generation: node.lease_generation,
        };
        assert_eq!(found, self.row);
        for (who, host) in HOSTS.iter().enumerate() {
            let member = store::member::find(&self.db, host).await.unwrap().unwrap();
            assert_eq!((member.epoch, member.counter), self.members[who], "{host}");
        }
    }
}

async fn sql_and_model_agree(engine: Engine) {
    const STEPS: usize = 1500;
    let mut random = Random::new();
    let database = Database::create(engine);
    let db = database.open();
    for host in HOSTS {
        register(&db, host).await;
    }
    let mut pair = Pair {
        id: insert(&db, new_node()).await.id,
        db,
        row: LeaseRow::default(),
        members: [(1, 0); 3],
        grants: Vec::new(),
        sightings: Vec::new(),
    };
    let mut path = Vec::new();
    for _ in 0..STEPS {
        path.push(pair.step(&mut random).await);
        pair.compare().await;
    }
    // A walk on which nothing is ever granted proves nothing.
    assert!(pair.grants.len() > 50, "{} grants", pair.grants.len());
}

async fn of_many_who_take_over_exactly_one_wins(engine: Engine) {
    const ROUNDS: usize = 15;
    let database = Database::create(engine);
    let processes = [database.open(), database.open()];
    let mut dead = register(&processes[0], "dead").await;
    let node = insert(&processes[0], new_node()).await;
    let id = node.id;
    let mut node = store::lease::take(&processes[0], node, &dead)
        .await
        .unwrap();
    for round in 0..ROUNDS {
        let member = store::member::find(&processes[0], "dead").await.unwrap();
        let verdict = Verdict {
            dead: dead.clone(),
            epoch: member.as_ref().unwrap().epoch,
            counter: member.unwrap().counter,
        };
        let mut tasks = tokio::task::JoinSet::new();
        for taker in 0..16 {
            let (db, verdict) = (processes[taker % 2].clone(), verdict.clone());
            tasks.spawn(async move {
                let me = holder(&format!("taker-{taker}"), 1);
                store::lease::take_over(&db, id, &verdict, &me)
                    .await
                    .unwrap()
            });
        }
        let winners: Vec<Node> = tasks.join_all().await.into_iter().flatten().collect();
        assert_eq!(winners.len(), 1, "in round {round}");
        let old = store::node::save(&processes[0], node, Fence::Held, Log::default()).await;
        assert!(
            matches!(old, Err(StoreError::LeaseLost)),
            "the old holder still writes"
        );
        // The dead one comes back and takes the node again for the next round.
        let released = winners[0].clone();
        let free = store::node::save(&processes[0], released, Fence::Release, Log::default())
            .await
            .unwrap();
        dead = register(&processes[0], "dead").await;
        node = store::lease::take(&processes[0], free, &dead)
            .await
            .unwrap();
    }
}

async fn orphans_and_held_leases_are_found(engine: Engine) {
    let database = Database::create(engine);
    let db = database.open();
    let mut ids = Vec::new();
    for (host, epoch) in [("a", 1), ("a", 2), ("b", 1), ("a", 3)] {
        let node = insert(&db, new_node()).await;
        ids.push(node.id);
        store::lease::take(&db, node, &holder(host, epoch))
            .await
            .unwrap();
    }
    insert(&db, new_node()).await;
    assert_eq!(store::lease::orphans(&db, "a", 3).await.unwrap(), ids[..2]);
    assert_eq!(store::lease::orphans(&db, "a", 1).await.unwrap(), []);
    assert_eq!(store::lease::orphans(&db, "c", 9).await.unwrap(), []);
    let mut held = store::lease::held(&db).await.unwrap();
    held.sort_by_key(|held| ids.iter().position(|i| *i == held.node));
    let holders: Vec<_> = held
        .iter()
        .map(|held| (held.holder.host.as_str(), held.holder.epoch))
        .collect();
    assert_eq!(holders, [("a", 1), ("a", 2), ("b", 1), ("a", 3)]);
}
