//! No project ever learns of another one's things, nor changes them.
//!
//! Random callers send random requests over every route, about anybody's things. After each one:
//!
//! - the answer holds none of the texts that were planted in what the caller may not see,
//! - rows that are not the caller's are as they were, and no event tells of them,
//! - a request that names something foreign is answered as one that names nothing at all.
//!
//! Exempt is what Ironic's rules allow on purpose: services may read and change every
//! runbook, and a runbook that is not the caller's is 403, not 404. That a name, UUID or address is
//! taken shows in a 409; such requests are not made here.

mod request;
mod world;

use crate::{
    database::Engine,
    http::{Answer, Request},
    lab::{Lab, Options},
};
use api::policy::{Policy, PolicyOptions};
use request::{Author, RandomRequest};
use scenario::random::Random;
use std::{sync::Arc, time::Duration};
use types::NodeId;
use world::{PROJECTS, Readers, Row, Snapshot, Thing, ThingKind, World, address, marker};

every_engine!(projects_neither_see_nor_change_what_is_not_theirs);

const NODES: usize = 9;
const PLANS: usize = 6;
const REQUESTS: usize = 600;
/// So many complaints tell what is wrong.
const ENOUGH: usize = 10;

/// Who asks.
#[derive(Debug, Clone, Copy)]
struct Persona {
    role: &'static str,
    project: &'static str,
}

const ROLES: [&str; 6] = ["admin", "manager", "member", "reader", "service", "nothing"];

impl Persona {
    fn roles(self) -> &'static str {
        match self.role {
            "admin" => "admin,manager,member,reader",
            "manager" => "manager,member,reader",
            "member" => "member,reader",
            other => other,
        }
    }

    fn is(self, project: Option<&str>) -> bool {
        project == Some(self.project)
    }

    /// Whether a row is this caller's to change, as far as it is a matter of projects.
    fn has(self, row: &Row, key: &str, rows: &Snapshot) -> bool {
        let node = row.node.as_ref().and_then(|node| rows.0.get(node));
        let of_node = node
            .is_some_and(|node| self.is(node.owner.as_deref()) || self.is(node.lessee.as_deref()));
        let service = self.role == "service" && key.starts_with("runbook ");
        of_node || self.is(row.owner.as_deref()) || service
    }

    /// Whether this caller may read a text of a thing.
    fn reads(self, thing: &Thing, readers: Readers, rows: &Snapshot) -> bool {
        let Some(row) = rows.0.get(&thing.key) else {
            return false;
        };
        if thing.kind == ThingKind::Runbook {
            return row.public || self.role == "service" || self.is(row.owner.as_deref());
        }
        if self.role == "nothing" {
            return false;
        }
        let node = row.node.as_ref().or(thing.shown_by.as_ref());
        let node = node.and_then(|node| rows.0.get(node));
        let owns = node.is_some_and(|node| self.is(node.owner.as_deref()));
        let leases = node.is_some_and(|node| self.is(node.lessee.as_deref()));
        let claims = self.is(row.owner.as_deref());
        match readers {
            Readers::Parties => owns || leases,
            Readers::Administrators => (owns || leases) && self.role == "admin",
            Readers::Owner => owns,
            Readers::Claimant => claims,
            Readers::ClaimantAndParties => claims || owns || leases,
            Readers::Author | Readers::Nobody => false,
        }
    }

    /// Whether this caller may know that a thing exists.
    fn sees(self, thing: &Thing, rows: &Snapshot) -> bool {
        let readers = match thing.kind {
            ThingKind::History => Readers::Owner,
            ThingKind::Allocation => Readers::Claimant,
            ThingKind::Template | ThingKind::Rule => Readers::Nobody,
            _ => Readers::Parties,
        };
        self.reads(thing, readers, rows)
    }
}

async fn projects_neither_see_nor_change_what_is_not_theirs(engine: Engine) {
    let mut options = Options::default();
    let policy = Policy::load(None, &PolicyOptions::default()).unwrap();
    options.api.policy = Arc::new(policy);
    // The sign of life would change the database while we compare it.
    options.conductor.heartbeat_interval = Duration::from_secs(3600);
    options.conductor.heartbeat_timeout = Duration::from_secs(36_000);
    let lab = Lab::with(engine, options).await;
    let mut random = Random::new();
    let mut world = World::default();
    for _ in 0..NODES {
        world.add_node(&lab.db, &mut random).await;
    }
    for _ in 0..PLANS {
        world.add_plans(&lab.db, &mut random).await;
    }
    let rows = lab.rests().await;
    let mut judge = Judge {
        known: rows.clone(),
        rows,
        cursor: lab.newest().await,
        lab,
        world,
        random,
        complaints: Vec::new(),
        served: 0,
        compared: 0,
        read: 0,
    };
    for round in 0..REQUESTS {
        judge.round().await;
        if round % 100 == 99 {
            // Projects may delete what is theirs; there must always be something to find.
            judge.refill().await;
        }
        if judge.complaints.len() >= ENOUGH {
            break;
        }
    }
    assert!(
        judge.complaints.is_empty(),
        "{}",
        judge.complaints.join("\n\n")
    );
    let Judge {
        served,
        compared,
        read,
        ..
    } = judge;
    println!("{served} served, {compared} compared, {read} times something of one's own was read");
    assert!(
        served > REQUESTS / 8,
        "hardly anything was served: {served}"
    );
    assert!(
        compared > REQUESTS / 8,
        "hardly anything foreign was named: {compared}"
    );
    assert!(read > REQUESTS / 20, "hardly anything was read: {read}");
}

impl Lab {
    /// All rows once nobody works on anything any more. The log settles after that: the last write
    /// of a worker brings events which the sequencer of a database server has yet to number, and
    /// which would be blamed on the next request.
    async fn rests(&self) -> Snapshot {
        loop {
            let seen = self.newest().await;
            let rows = Snapshot::take(&self.db).await;
            if !rows.is_busy() {
                self.log_settles().await;
                return rows;
            }
            store::event::wait(&self.db, seen, Duration::from_millis(50))
                .await
                .unwrap();
        }
    }

    async fn newest(&self) -> i64 {
        store::event::newest(&self.db).await.unwrap()
    }
}

struct Judge {
    lab: Lab,
    world: World,
    random: Random,
    rows: Snapshot,
    /// The last that was known of every row, be it deleted by now: logs still tell of it.
    known: Snapshot,
    cursor: i64,
    complaints: Vec<String>,
    served: usize,
    compared: usize,
    read: usize,
}

impl Judge {
    async fn round(&mut self) {
        let persona = Persona {
            role: ROLES[self.random.below(ROLES.len())],
            project: PROJECTS[self.random.below(PROJECTS.len())],
        };
        let things = self.world.things.iter();
        let seen = things
            .map(|thing| persona.sees(thing, &self.rows))
            .collect();
        let asked = Author::new(&self.world, &mut self.random, seen).request();
        // Before, because afterwards something may be the caller's that was not.
        let foreign: Vec<(ThingKind, String)> = asked
            .named
            .iter()
            .map(|(index, ident)| (&self.world.things[*index], ident))
            .filter(|(thing, _)| !persona.sees(thing, &self.rows))
            .filter(|(thing, ident)| {
                // Somebody's allocation is told by the caller's machine that it took.
                let told = |(key, row): (&String, &Row)| {
                    key.starts_with("node ")
                        && row.content.contains(ident.as_str())
                        && persona.has(row, key, &self.rows)
                };
                thing.kind != ThingKind::Allocation || !self.rows.0.iter().any(told)
            })
            .map(|(thing, ident)| (thing.kind, ident.clone()))
            .collect();
        let answer = self.send(persona, &asked).await;
        self.served += usize::from(answer.status < 300);
        self.check_rows(persona, &asked, &answer).await;
        self.check_secrets(persona, &asked, &answer);
        for (kind, ident) in foreign {
            self.check_twin(persona, &asked, &answer, kind, &ident)
                .await;
        }
    }

    async fn refill(&mut self) {
        self.world.add_node(&self.lab.db, &mut self.random).await;
        self.world.add_plans(&self.lab.db, &mut self.random).await;
        self.rows = self.lab.rests().await;
        self.cursor = self.lab.newest().await;
    }

    async fn send(&self, persona: Persona, asked: &RandomRequest) -> Answer {
        let mut request = Request::new(asked.method, &asked.path)
            .header("X-Roles", persona.roles())
            .header("X-Project-Id", persona.project);
        if !asked.body.is_null() {
            request = request.json(&asked.body);
        }
        self.lab.client.send(request).await
    }

    fn complain(&mut self, what: &str, persona: Persona, asked: &RandomRequest, answer: &Answer) {
        let (status, text) = (answer.status, answer.text());
        let line = format!("{what}\n{persona:?}\n{}\n{status} {text}", asked.text());
        self.complaints.push(line);
    }

    /// What is not the caller's is as it was.
    async fn check_rows(&mut self, persona: Persona, asked: &RandomRequest, answer: &Answer) {
        let before = &self.rows;
        let after = if asked.method == "GET" {
            Snapshot::take(&self.lab.db).await
        } else {
            self.lab.rests().await
        };
        let mut touched = Vec::new();
        for (key, row) in &before.0 {
            let changed = after.0.get(key) != Some(row);
            if changed && !persona.has(row, key, before) {
                let now = after.0.get(key).map(|row| &row.content);
                touched.push(format!("{key} was {}\nis {now:?}", row.content));
            }
        }
        for (key, row) in &after.0 {
            if !before.0.contains_key(key) && !persona.has(row, key, &after) {
                touched.push(format!("{key} is new: {}", row.content));
            }
        }
        let events = store::event::after(&self.lab.db, self.cursor, 1000, Default::default())
            .await
            .unwrap();
        for event in &events.events {
            let key = format!("node {}", event.node);
            let row = before.0.get(&key).or(after.0.get(&key));
            if !row
                .is_some_and(|row| persona.has(row, &key, before) || persona.has(row, &key, &after))
            {
                touched.push(format!("there is an event of {key}: {}", event.text));
            }
        }
        self.cursor = events.next;
        for what in touched {
            self.complain(&what, persona, asked, answer);
        }
        self.rows = after;
    }

    /// The answer holds nothing that the caller may not read, but for what it wrote itself.
    fn check_secrets(&mut self, persona: Persona, asked: &RandomRequest, answer: &Answer) {
        let mut text = answer.text();
        for (_, value) in &answer.headers {
            text.push_str(value);
        }
        let written = asked.text();
        self.known.0.extend(self.rows.0.clone());
        let mut leaks = Vec::new();
        for thing in &self.world.things {
            for (secret, readers) in &thing.secrets {
                if !text.contains(secret) || written.contains(secret) {
                    continue;
                }
                if persona.reads(thing, *readers, &self.known) {
                    self.read += 1;
                } else {
                    leaks.push(format!("{secret} of {:?} {} leaked", thing.kind, thing.key));
                }
            }
        }
        for leak in leaks {
            self.complain(&leak, persona, asked, answer);
        }
    }

    /// Something that does not exist is answered the same.
    async fn check_twin(
        &mut self,
        persona: Persona,
        asked: &RandomRequest,
        answer: &Answer,
        kind: ThingKind,
        ident: &str,
    ) {
        if kind == ThingKind::Runbook {
            return;
        }
        let nothing = if ident.parse::<NodeId>().is_ok() {
            NodeId::generate().to_string()
        } else if ident.contains(':') {
            address(&mut self.random)
        } else if let Some(name) = ident.strip_prefix("CUSTOM_") {
            let name = &name[..name.len() - 12];
            format!("CUSTOM_{}", marker(&mut self.random, name).to_uppercase())
        } else {
            let name = &ident[..ident.len() - 12];
            marker(&mut self.random, name)
        };
        let twin = asked.instead(ident, &nothing);
        let other = self.send(persona, &twin).await;
        self.rows = self.lab.rests().await;
        self.cursor = self.lab.newest().await;
        self.compared += 1;
        let same = answer.status == other.status
            && answer.text().replace(ident, "IT") == other.text().replace(&nothing, "IT");
        if !same {
            let what = format!(
                "something foreign can be told from nothing, which is answered\n{} {}",
                other.status,
                other.text()
            );
            self.complain(&what, persona, asked, answer);
        }
    }
}
