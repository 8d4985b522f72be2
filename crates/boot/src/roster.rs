//! Who boots from the network now: what is published, by node and by MAC address.
//!
//! It is kept in memory for the servers and in one file a node for the next start. The files hold
//! what the boot configuration says anyway, but are for our eyes only.

#![expect(
    clippy::disallowed_methods,
    reason = "only called before anything is served"
)]

use crate::{error::BootError, node::NodeBoot, place};
use std::{
    collections::HashMap,
    fs,
    path::{Path, PathBuf},
    sync::{Arc, PoisonError, RwLock},
};
use types::{NodeId, port::MacAddress};

/// The published nodes.
#[derive(Debug, Default)]
pub struct Roster {
    dir: Option<PathBuf>,
    maps: RwLock<Maps>,
}

#[derive(Debug, Default)]
struct Maps {
    nodes: HashMap<NodeId, Arc<NodeBoot>>,
    ports: HashMap<MacAddress, Arc<NodeBoot>>,
}

impl Maps {
    fn forget(&mut self, node: NodeId) {
        self.nodes.remove(&node);
        self.ports.retain(|_, boot| boot.node != node);
    }

    fn put(&mut self, boot: NodeBoot) {
        self.forget(boot.node);
        let boot = Arc::new(boot);
        for port in &boot.ports {
            self.ports.insert(port.mac, boot.clone());
        }
        self.nodes.insert(boot.node, boot);
    }
}

impl Roster {
    /// Reads what an earlier run left in a folder.
    ///
    /// A file that cannot be read costs its node a new publication, not the service its start.
    pub fn load(dir: &Path) -> Result<Self, BootError> {
        place::folder(dir, Some(0o700))?;
        let mut maps = Maps::default();
        for entry in fs::read_dir(dir)
            .map_err(BootError::file("read the folder", dir))?
            .flatten()
        {
            let path = entry.path();
            if path.extension().is_none_or(|extension| extension != "json") {
                continue;
            }
            let read = fs::read(&path).map_err(|error| error.to_string());
            let read = read.and_then(|bytes| {
                serde_json::from_slice(&bytes).map_err(|error| error.to_string())
            });
            match read {
                Ok(boot) => maps.put(boot),
                Err(error) => {
                    tracing::warn!(path = %path.display(), %error, "unreadable boot state is passed over")
                }
            }
        }
        Ok(Self {
            dir: Some(dir.to_owned()),
            maps: RwLock::new(maps),
        })
    }

    pub fn by_mac(&self, mac: &MacAddress) -> Option<Arc<NodeBoot>> {
        self.read(|maps| maps.ports.get(mac).cloned())
    }

    pub fn by_node(&self, node: NodeId) -> Option<Arc<NodeBoot>> {
        self.read(|maps| maps.nodes.get(&node).cloned())
    }

    /// The published nodes.
    pub fn nodes(&self) -> Vec<NodeId> {
        self.read(|maps| maps.nodes.keys().copied().collect())
    }

    pub(crate) fn put(&self, boot: NodeBoot) -> Result<(), BootError> {
        if let Some(path) = self.path(boot.node) {
            let bytes = serde_json::to_vec(&boot)
                .map_err(|error| BootError::Settings(error.to_string()))?;
            place::write(&path, &bytes, 0o600)?;
        }
        self.maps
            .write()
            .unwrap_or_else(PoisonError::into_inner)
            .put(boot);
        Ok(())
    }

    pub(crate) fn forget(&self, node: NodeId) -> Result<(), BootError> {
        self.maps
            .write()
            .unwrap_or_else(PoisonError::into_inner)
            .forget(node);
        self.path(node).map_or(Ok(()), |path| place::remove(&path))
    }

    fn path(&self, node: NodeId) -> Option<PathBuf> {
        self.dir
            .as_ref()
            .map(|dir| dir.join(format!("{node}.json")))
    }

    fn read<T>(&self, look: impl FnOnce(&Maps) -> T) -> T {
        look(&self.maps.read().unwrap_or_else(PoisonError::into_inner))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        choice::tests::node,
        node::{BootMethod, BootMode, BootPort},
    };

    #[test]
    fn what_is_published_is_there_after_a_restart() {
        let dir = tempfile::tempdir().unwrap();
        let roster = Roster::load(dir.path()).unwrap();
        let boot = node(BootMethod::Ipxe, BootMode::Uefi);
        roster.put(boot.clone()).unwrap();
        fs::write(dir.path().join("bad.json"), "{").unwrap();
        let again = Roster::load(dir.path()).unwrap();
        assert_eq!(*again.by_mac(&boot.ports[0].mac).unwrap(), boot);
        again.forget(boot.node).unwrap();
        assert!(again.by_node(boot.node).is_none() && again.by_mac(&boot.ports[0].mac).is_none());
        assert!(
            Roster::load(dir.path())
                .unwrap()
                .by_node(boot.node)
                .is_none()
        );
    }

    #[test]
    fn a_port_that_is_no_longer_named_is_forgotten() {
        let roster = Roster::default();
        let mut boot = node(BootMethod::Ipxe, BootMode::Uefi);
        let old = boot.ports[0].mac;
        roster.put(boot.clone()).unwrap();
        boot.ports = vec![BootPort::new([2; 6].into())];
        roster.put(boot).unwrap();
        assert!(roster.by_mac(&old).is_none() && roster.by_mac(&[2; 6].into()).is_some());
    }
}
