//! Which disk, by which names, and how long things may take.

use proto::iscsi::{
    chap::Credentials, initiator::LoginSettings, negotiation::Offer, scsi::DISK_LUN,
};
use std::{net::SocketAddr, time::Duration};

/// Where a disk is, and how to reach it.
#[derive(Debug, Clone)]
pub struct InitiatorSettings {
    /// Our name (IQN).
    pub initiator: String,
    pub portal: SocketAddr,
    /// The target's name (IQN).
    pub target: String,
    pub lun: u16,
    /// What we prove; with it a target that does not ask for it is refused.
    pub chap: Option<Credentials>,
    /// What the target has to prove.
    pub mutual_chap: Option<Credentials>,
    /// Whether digests are proposed.
    pub digests: bool,
    /// Commands that are under way at a time. Each may hold a megabyte.
    pub queue_depth: usize,
    pub timeouts: InitiatorTimeouts,
}

/// How long things may take.
#[derive(Debug, Clone, Copy)]
pub struct InitiatorTimeouts {
    /// The connection, and the login; also each part of the farewell.
    pub login: Duration,
    /// One command, with the time that a lost session takes to come back.
    pub command: Duration,
    /// How long the target may be silent before it is pinged, and then before the connection is
    /// given up.
    pub silence: Duration,
    /// How long a lost session is tried to be restored.
    pub recovery: Duration,
}

impl Default for InitiatorTimeouts {
    fn default() -> Self {
        Self {
            login: Duration::from_secs(15),
            command: Duration::from_secs(180),
            silence: Duration::from_secs(5),
            recovery: Duration::from_secs(120),
        }
    }
}

impl InitiatorSettings {
    pub fn new(initiator: &str, portal: SocketAddr, target: &str) -> Self {
        Self {
            initiator: initiator.to_owned(),
            portal,
            target: target.to_owned(),
            lun: DISK_LUN,
            chap: None,
            mutual_chap: None,
            digests: false,
            queue_depth: 32,
            timeouts: InitiatorTimeouts::default(),
        }
    }

    pub(super) fn login(&self, isid: [u8; 6], discovery: bool) -> LoginSettings {
        LoginSettings {
            initiator: self.initiator.clone(),
            target: (!discovery).then(|| self.target.clone()),
            isid,
            chap: self.chap.clone(),
            mutual_chap: self.mutual_chap.clone(),
            offer: Offer {
                header_digest: self.digests,
                data_digest: self.digests,
                ..Offer::default()
            },
        }
    }
}
