//! `corten db check`: whether everything in the database can be read.
//!
//! Nodes are read one by one, so that one bad row does not hide the others. Leases of conductors
//! that are gone are told too: the next start takes them up, so they are a remark, not a fault.

use super::{DatabaseConfig, Lock};
use crate::console::print;
use config::Config;
use std::{collections::HashMap, process::ExitCode};
use store::{
    Db, KeyRing, Page, StoreError, config_drive,
    lease::Held,
    node::{Columns, NodeFilter},
};
use types::{Node, NodeId, error::chain};

/// How many rows are looked at in one go.
const BATCH: u32 = 500;

pub(super) fn run(config: &Config) -> anyhow::Result<ExitCode> {
    let place = DatabaseConfig::of(config)?;
    let db = place.open_existing()?;
    let is_idle = Lock::is_free(&place.location);
    let report = crate::serve::in_runtime(async { Ok(Report::of(&db, is_idle).await?) })?;
    for line in report.faults.iter().chain(&report.remarks) {
        print(line)?;
    }
    let verdict = match report.faults.len() {
        0 => "everything can be read".to_owned(),
        1 => "1 fault".to_owned(),
        faults => format!("{faults} faults"),
    };
    print(&format!("{place}: {} nodes, {verdict}", report.nodes))?;
    Ok(match report.faults.is_empty() {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    })
}

/// What was found.
#[derive(Debug, Default, PartialEq, Eq)]
struct Report {
    nodes: usize,
    faults: Vec<String>,
    remarks: Vec<String>,
}

impl Report {
    /// `is_idle`: no service uses the database.
    async fn of(db: &Db, is_idle: bool) -> Result<Self, StoreError> {
        let mut report = Self::default();
        let damage = db.damage().await?;
        report.faults.extend(
            damage
                .iter()
                .map(|what| format!("the file is damaged: {what}")),
        );
        let mut page = Page::first(BATCH);
        loop {
            let batch = store::node::list(db, NodeFilter::all(), page.clone(), Columns::Summary);
            let batch = batch.await?;
            let Some(last) = batch.last() else { break };
            page.marker = Some(last.id.to_string());
            for node in &batch {
                report.nodes += 1;
                report.look_at(db, node.id).await?;
            }
        }
        report.look_at_leases(db, is_idle).await?;
        Ok(report)
    }

    async fn look_at(&mut self, db: &Db, id: NodeId) -> Result<(), StoreError> {
        match store::node::find(db, id).await {
            Ok(Some(node)) => {
                self.faults.extend(closed_secrets(db.keys(), &node));
                if let Ok(Some(drive)) = config_drive::referred(db.keys(), &node)
                    && let Err(error) = config_drive::check(db, id, &drive).await
                {
                    self.faults.push(format!("node {id}: {}", chain(&error)));
                }
            }
            // Deleted meanwhile.
            Ok(None) => {}
            Err(error @ StoreError::Corrupt { .. }) => {
                self.faults.push(format!("node {id}: {}", chain(&error)));
            }
            Err(error) => return Err(error),
        }
        Ok(())
    }

    async fn look_at_leases(&mut self, db: &Db, is_idle: bool) -> Result<(), StoreError> {
        let held = store::lease::held(db).await?;
        let mut epochs: HashMap<String, Option<i64>> = HashMap::new();
        for Held { node, holder, .. } in held {
            if !epochs.contains_key(&holder.host) {
                let member = store::member::find(db, &holder.host).await?;
                let epoch = member
                    .filter(|member| member.online)
                    .map(|member| member.epoch);
                epochs.insert(holder.host.clone(), epoch);
            }
            if is_idle || epochs.get(&holder.host) != Some(&Some(holder.epoch)) {
                self.remarks.push(format!(
                    "node {node}: reserved by a process of conductor {} that has ended; the next \
                     start takes its work up",
                    holder.host
                ));
            }
        }
        Ok(())
    }
}

/// The fields of a node that hold a secret which no key opens.
fn closed_secrets(keys: &KeyRing, node: &Node) -> Vec<String> {
    let subject = node.id.to_string();
    [
        ("driver_info", &node.driver_info),
        ("instance_info", &node.instance_info),
        ("driver_internal_info", node.driver_internal_info.raw_json()),
    ]
    .into_iter()
    .filter_map(|(field, map)| {
        let error = keys.open_map(map, &subject).err()?;
        Some(format!("node {subject}: {field}: {}", chain(&error)))
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use store::{Location, Upgrade, member::Registration, node::Log};

    struct Fixture {
        folder: tempfile::TempDir,
        db: Db,
    }

    impl Fixture {
        fn new() -> Self {
            let folder = tempfile::tempdir().unwrap();
            let keys = KeyRing::load_or_create(&folder.path().join("keys")).unwrap();
            let location = Location::Sqlite(folder.path().join("db"));
            let db = Db::open(&location, keys, Upgrade::Run).unwrap();
            Self { folder, db }
        }

        /// The same database, with keys that are not its own.
        fn with_other_keys(&self) -> Db {
            let location = Location::Sqlite(self.folder.path().join("db"));
            Db::open(&location, KeyRing::ephemeral().unwrap(), Upgrade::Run).unwrap()
        }

        async fn node(&self, password: &str) -> Node {
            let mut node = Node::new(NodeId::generate(), "fake-hardware");
            node.driver_info.insert("password".into(), json!(password));
            store::node::insert(&self.db, node, Log::default())
                .await
                .unwrap()
        }

        async fn conductor(&self) -> types::lease::Holder {
            let registration = Registration {
                hostname: "c1".into(),
                conductor_group: String::new(),
                drivers: Vec::new(),
                interfaces: Vec::new(),
                url: None,
            };
            store::member::register(&self.db, registration)
                .await
                .unwrap()
        }
    }

    #[tokio::test]
    async fn a_sound_database_has_nothing_to_report() {
        let scene = Fixture::new();
        scene.node("a").await;
        scene.node("b").await;
        let report = Report::of(&scene.db, false).await.unwrap();
        let expected = Report {
            nodes: 2,
            ..Report::default()
        };
        assert_eq!(report, expected);
    }

    #[tokio::test]
    async fn a_clients_text_is_no_secret_however_it_begins() {
        let scene = Fixture::new();
        let mut node = scene.node("a").await;
        node.instance_info
            .insert("foo".into(), json!("corten:sealed:k0:AAAA"));
        let fence = store::node::Fence::Free;
        store::node::save(&scene.db, node, fence, Log::default())
            .await
            .unwrap();
        let report = Report::of(&scene.db, false).await.unwrap();
        assert_eq!(report.faults, Vec::<String>::new());
        scene.db.keys().add_key().unwrap();
        let rotation = store::rotate_secrets(&scene.db).await.unwrap();
        assert_eq!((rotation.rewritten, rotation.failures), (1, Vec::new()));
        let (database, copy) = (
            scene.folder.path().join("db"),
            scene.folder.path().join("c"),
        );
        store::backup::copy(&database, &copy).unwrap();
        let contents = store::backup::examine(&copy).unwrap();
        assert_eq!(contents.keys.len(), 1, "{:?}", contents.keys);
    }

    #[tokio::test]
    async fn every_secret_that_no_key_opens_is_named() {
        let scene = Fixture::new();
        let nodes = [scene.node("a").await, scene.node("b").await];
        let report = Report::of(&scene.with_other_keys(), false).await.unwrap();
        assert_eq!(report.faults.len(), 2);
        for (node, fault) in nodes.iter().zip(&report.faults) {
            assert!(
                fault.starts_with(&format!("node {}: driver_info: ", node.id)),
                "{fault}"
            );
        }
    }

    #[tokio::test]
    async fn a_lease_of_an_earlier_process_is_remarked() {
        let scene = Fixture::new();
        let node = scene.node("a").await;
        let first = scene.conductor().await;
        store::lease::take(&scene.db, node, &first).await.unwrap();
        assert!(
            Report::of(&scene.db, false)
                .await
                .unwrap()
                .remarks
                .is_empty()
        );
        // No conductor is alive, whatever the rows say.
        let idle = Report::of(&scene.db, true).await.unwrap();
        assert_eq!(idle.remarks.len(), 1);
        scene.conductor().await;
        let report = Report::of(&scene.db, false).await.unwrap();
        assert_eq!(report.remarks.len(), 1);
        assert!(report.faults.is_empty());
    }
}
