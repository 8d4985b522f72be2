//! The networks that a machine may be on.
//!
//! Ports of Neutron are made and bound by calls whose answers can get lost. So the row says which
//! networks a machine may be on before it is put there, and until it is certainly off: whoever goes on
//! after a crash finds what was made, and puts the machine on no second network before it is off the
//! first.

use super::{InternalInfo, key};
use crate::network::NetworkPurpose;
use serde::{Deserialize, Serialize};

/// What the row says about networks.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NetworkNotes {
    /// Where ports for ramdisks were made.
    #[serde(default)]
    pub boot: Vec<BootNetwork>,
    /// Whether the ports of the instance may be bound.
    #[serde(default)]
    pub is_tenant_bound: bool,
}

/// A network on which ports for a ramdisk are, or are being made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BootNetwork {
    pub purpose: NetworkPurpose,
    /// UUID.
    pub network: String,
    /// What the ports have as their device: the instance or the node, as it was then.
    pub device: String,
    pub progress: BootPortProgress,
}

/// How far making ports came.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum BootPortProgress {
    /// Any of them may be there by now.
    Making,
    /// The same, and an earlier attempt was interrupted: there may be ports that have nothing of ours
    /// but their device.
    Resumed,
    /// All that there are have addresses of the machine.
    Made,
}

impl NetworkNotes {
    /// The networks for a purpose. More than one if the configuration changed meanwhile.
    pub fn boot_networks(&self, purpose: NetworkPurpose) -> impl Iterator<Item = &BootNetwork> {
        let networks = self.boot.iter();
        networks.filter(move |network| network.purpose == purpose)
    }

    /// Notes a network, in place of what was noted about it.
    pub fn set_boot_network(&mut self, network: BootNetwork) {
        self.forget_boot_network(&network);
        self.boot.push(network);
    }

    pub fn forget_boot_network(&mut self, gone: &BootNetwork) {
        let is_gone =
            |known: &BootNetwork| known.purpose == gone.purpose && known.network == gone.network;
        self.boot.retain(|known| !is_gone(known));
    }
}

impl InternalInfo {
    pub fn networks(&self) -> NetworkNotes {
        let noted = self.0.get(key::NETWORKS);
        let noted = noted.and_then(|noted| NetworkNotes::deserialize(noted).ok());
        noted.unwrap_or_default()
    }

    pub fn set_networks(&mut self, notes: &NetworkNotes) {
        match serde_json::to_value(notes) {
            Ok(value) if *notes != NetworkNotes::default() => self.set(key::NETWORKS, value),
            _ => {
                self.remove(key::NETWORKS);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_survive_a_restart_and_leave_nothing_when_they_are_empty() {
        let mut info = InternalInfo::default();
        let network = |network: &str, progress| BootNetwork {
            purpose: NetworkPurpose::Cleaning,
            network: network.into(),
            device: "d".into(),
            progress,
        };
        let mut notes = info.networks();
        notes.set_boot_network(network("a", BootPortProgress::Making));
        notes.set_boot_network(network("b", BootPortProgress::Making));
        notes.set_boot_network(network("a", BootPortProgress::Made));
        notes.is_tenant_bound = true;
        info.set_networks(&notes);
        let text = serde_json::to_string(&info).unwrap();
        let again: InternalInfo = serde_json::from_str(&text).unwrap();
        assert_eq!(again.networks(), notes);
        let cleaning: Vec<_> = notes.boot_networks(NetworkPurpose::Cleaning).collect();
        assert_eq!(cleaning.len(), 2);
        assert_eq!(cleaning[1].progress, BootPortProgress::Made);
        for noted in notes.boot.clone() {
            notes.forget_boot_network(&noted);
        }
        notes.is_tenant_bound = false;
        info.set_networks(&notes);
        assert_eq!(info, InternalInfo::default());
    }
}
