//! A running conductor on a database of its own, for tests.

use crate::{Service, Settings};
use drivers::{Registry, registry::RegistrySettings};
use std::sync::Arc;
use store::{Db, KeyRing, Location, Upgrade, node::Log};
use types::{InterfaceKind, Node, NodeId};

pub(crate) struct Lab {
    pub(crate) service: Arc<Service>,
    pub(crate) db: Db,
    _dir: tempfile::TempDir,
}

impl Lab {
    pub(crate) async fn new() -> Self {
        let (db, dir) = database();
        let settings = Settings {
            node_locked_retry_attempts: 1,
            ..Settings::default()
        };
        let service = Service::start(db.clone(), fake_hardware(), settings)
            .await
            .unwrap();
        Self {
            service,
            db,
            _dir: dir,
        }
    }

    pub(crate) async fn node(&self, change: impl FnOnce(&mut Node)) -> NodeId {
        let mut node = Node::new(NodeId::generate(), "fake-hardware");
        change(&mut node);
        let stored = store::node::insert(&self.db, node, Log::default()).await;
        stored.unwrap().id
    }
}

/// An empty database, which is there as long as its folder.
pub(crate) fn database() -> (Db, tempfile::TempDir) {
    let dir = tempfile::tempdir().unwrap();
    let place = Location::Sqlite(dir.path().join("db"));
    let db = Db::open(&place, KeyRing::ephemeral().unwrap(), Upgrade::Run).unwrap();
    (db, dir)
}

/// Drivers that pretend, and no others.
pub(crate) fn fake_hardware() -> Registry {
    let mut hardware = RegistrySettings::default();
    hardware.enable_hardware_types(vec!["fake-hardware".into()]);
    for &kind in InterfaceKind::ALL {
        let name = if kind == InterfaceKind::Network {
            "noop"
        } else {
            "fake"
        };
        hardware.enable_interfaces(kind, vec![name.into()]);
    }
    hardware.set_default(InterfaceKind::Storage, None);
    Registry::new(&hardware).unwrap()
}
