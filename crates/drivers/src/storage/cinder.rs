//! The `cinder` storage interface.
//!
//! Cinder knows three states between a free and an attached volume, and none of its calls can be
//! repeated blindly. So what is about to be attached is in the node's row before the first call
//! ([`VolumeAttachments`]), and each volume is looked at before it is touched.

use super::{attach, detach, requirements};
use crate::{
    DriverError, Failure,
    iface::{Interface, Machine, Storage},
};
use async_trait::async_trait;
use openstack::{
    Caller, Deadline, Error, Services,
    cinder::{Cinder, Connector, ConnectorRecord, VolumeAction},
};
use serde_json::Value;
use std::{sync::Arc, time::Duration};
use types::{
    LeaseProof, NodeId,
    internal_info::{AttachProgress, VolumeAttachments},
    step::OnRestart,
};

/// For each request: storage arrays take their time to export a volume.
const PATIENCE: Duration = Duration::from_secs(120);

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CinderSettings {
    /// How many times detaching is tried again, and after which pause.
    pub action_retries: u32,
    pub action_retry_interval: Duration,
}

impl Default for CinderSettings {
    fn default() -> Self {
        Self {
            action_retries: 3,
            action_retry_interval: Duration::from_secs(5),
        }
    }
}

#[derive(Debug, Clone)]
pub struct CinderStorage {
    pub services: Option<Arc<Services>>,
    pub settings: CinderSettings,
}

/// The volumes of one node, as Cinder is asked about them.
#[derive(Debug, Clone)]
pub(super) struct NodeVolumes {
    pub(super) cinder: Cinder,
    pub(super) caller: Caller,
    pub(super) node: NodeId,
    /// Whom volumes are attached to.
    pub(super) server: String,
    /// Whom they may be attached to as well: the node, and an instance that it has by now.
    pub(super) servers: Vec<String>,
    pub(super) connector: Result<Connector, String>,
}

impl CinderStorage {
    fn volumes(
        &self,
        machine: &Machine<'_>,
        recorded: Option<&VolumeAttachments>,
    ) -> Result<NodeVolumes, DriverError> {
        let services = self.services.as_ref().ok_or_else(|| {
            DriverError::Environment("this process has no clients of OpenStack services".into())
        })?;
        let server = match recorded {
            Some(recorded) => recorded.server.clone(),
            None => server_of(machine),
        };
        let mut servers = vec![server.clone(), server_of(machine)];
        servers.push(machine.node.id.to_string());
        let recorded = recorded.and_then(|recorded| {
            let connector = Value::Object(recorded.connector.clone());
            serde_json::from_value(connector).ok()
        });
        Ok(NodeVolumes {
            cinder: services.cinder().clone(),
            caller: machine.caller.clone(),
            node: machine.node.id,
            server,
            servers,
            connector: recorded.map_or_else(|| connector_of(machine), Ok),
        })
    }
}

impl NodeVolumes {
    pub(super) fn deadline(&self) -> Deadline {
        Deadline::after(PATIENCE)
    }

    pub(super) fn connector(&self) -> Result<&Connector, DriverError> {
        let usable = self.connector.as_ref();
        usable.map_err(|why| DriverError::Environment(Failure::new(why.clone())))
    }

    /// Leaves word with the volume, for people. It is no failure of ours that it could not be left.
    pub(super) async fn note(&self, volume: &str, action: VolumeAction) {
        let node = self.node.to_string();
        let noted = self.cinder.note(
            volume,
            &node,
            &self.server,
            action,
            &self.caller,
            self.deadline(),
        );
        if let Err(error) = noted.await {
            let error = types::error::chain(&error);
            tracing::warn!(%node, volume, error, "the metadata of a volume were not set");
        }
    }
}

/// What an attempt failed at: in Ironic's words, then what can be done about it.
pub(super) fn failed(tried: &str, error: &Error) -> DriverError {
    failed_with(tried, error, "")
}

pub(super) fn failed_with(tried: &str, error: &Error, end: &str) -> DriverError {
    let (why, remedy) = (error.sdk_text(), error.remedy());
    DriverError::Environment(Failure::new(format!("{tried}: {why}{end}; {remedy}")))
}

/// Whom Cinder is told that a volume is attached to.
fn server_of(machine: &Machine<'_>) -> String {
    let instance = machine.node.instance_uuid.as_ref();
    instance.map_or_else(|| machine.node.id.to_string(), ToString::to_string)
}

fn connector_of(machine: &Machine<'_>) -> Result<Connector, String> {
    let node = machine.node.id;
    for ignored in &machine.volumes.connectors {
        if !["iqn", "ip", "wwpn", "wwnn"].contains(&ignored.kind.as_str()) {
            tracing::warn!(%node, connector = %ignored.id, kind = ignored.kind, "a volume connector is of a type that Cinder does not use");
        }
    }
    let records: Vec<ConnectorRecord<'_>> = machine
        .volumes
        .connectors
        .iter()
        .map(|connector| ConnectorRecord {
            connector_type: &connector.kind,
            connector_id: &connector.connector_id,
        })
        .collect();
    Connector::of(&node.to_string(), &records).map_err(|error| error.to_string())
}

#[async_trait]
impl Interface for CinderStorage {
    fn name(&self) -> &'static str {
        "cinder"
    }

    async fn validate(&self, machine: &Machine<'_>) -> Result<(), DriverError> {
        requirements::check(machine)
    }

    fn on_restart(&self) -> OnRestart {
        OnRestart::Repeat
    }
}

#[async_trait]
impl Storage for CinderStorage {
    fn uses_volumes(&self) -> bool {
        true
    }

    fn attachments(&self, machine: &Machine<'_>) -> Result<Option<VolumeAttachments>, DriverError> {
        let targets = &machine.volumes.targets;
        if targets.is_empty() {
            return Ok(None);
        }
        let connector = connector_of(machine);
        let connector = connector.map_err(|why| DriverError::Environment(Failure::new(why)))?;
        let connector = match serde_json::to_value(connector) {
            Ok(Value::Object(connector)) => connector,
            _ => types::JsonMap::new(),
        };
        let mut volumes: Vec<String> = Vec::new();
        for target in targets {
            if !volumes.contains(&target.volume_id) {
                volumes.push(target.volume_id.clone());
            }
        }
        Ok(Some(VolumeAttachments {
            server: server_of(machine),
            connector,
            volumes,
            progress: AttachProgress::Attaching,
        }))
    }

    async fn attach_volumes(
        &self,
        _lease: &LeaseProof,
        machine: &mut Machine<'_>,
    ) -> Result<(), DriverError> {
        let Some(recorded) = machine.node.driver_internal_info.volume_attachments() else {
            return Ok(());
        };
        let volumes = self.volumes(machine, Some(&recorded))?;
        attach::all(&volumes, machine, recorded).await
    }

    async fn detach_volumes(
        &self,
        _lease: &LeaseProof,
        machine: &mut Machine<'_>,
    ) -> Result<(), DriverError> {
        let recorded = machine.node.driver_internal_info.volume_attachments();
        if recorded.is_none() && machine.volumes.targets.is_empty() {
            return Ok(());
        }
        let volumes = self.volumes(machine, recorded.as_ref())?;
        detach::all(&volumes, machine, recorded.as_ref(), &self.settings).await?;
        machine
            .node
            .driver_internal_info
            .forget_volume_attachments();
        Ok(())
    }

    fn should_write_image(&self, machine: &Machine<'_>) -> bool {
        machine.root_volume().is_none()
    }
}
