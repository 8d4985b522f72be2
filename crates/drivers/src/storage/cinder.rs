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
    cinder::{Cinder, Connector, ConnectorRecord, Volume, VolumeAction},
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
    /// The projects that may write the node's volume targets.
    pub(super) tenants: Vec<String>,
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
            tenants: [&machine.node.owner, &machine.node.lessee]
                .into_iter()
                .flatten()
                .cloned()
                .collect(),
        })
    }
}

impl NodeVolumes {
    pub(super) fn deadline(&self) -> Deadline {
        Deadline::after(PATIENCE)
    }

    /// Whether a volume may be attached that was not before. Cinder judges by the token of whoever
    /// asks. What nobody asked for is done by our own, to which Cinder gives the volumes of all
    /// projects; the targets of a node are written by those that it belongs to.
    pub(super) fn may_attach(&self, volume: &Volume) -> bool {
        let is_of_tenant = |project: &String| self.tenants.contains(project);
        !self.caller.is_service()
            || self.tenants.is_empty()
            || volume.project.as_ref().is_some_and(is_of_tenant)
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
        let granted = match machine.caller.is_service() {
            true => Vec::new(),
            false => volumes.clone(),
        };
        Ok(Some(VolumeAttachments {
            server: server_of(machine),
            connector,
            volumes,
            granted,
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

#[cfg(test)]
mod tests {
    use super::*;
    use openstack::TokenScope;
    use serde_json::json;

    #[test]
    fn in_our_own_name_only_volumes_of_the_nodes_projects_are_attached() {
        let services = Services::from_settings(&openstack::ServicesSettings::default()).unwrap();
        let of = |caller: &Caller, tenants: &[&str]| NodeVolumes {
            cinder: services.cinder().clone(),
            caller: caller.clone(),
            node: NodeId::generate(),
            server: "s".into(),
            servers: vec!["s".into()],
            connector: Err("none".into()),
            tenants: tenants.iter().map(ToString::to_string).collect(),
        };
        let volume = |project: Value| {
            let document = json!({
                "id": "v", "status": "available", "os-vol-tenant-attr:tenant_id": project,
            });
            serde_json::from_value::<Volume>(document).unwrap()
        };
        let (nobody, user) = (
            Caller::service(),
            Caller::user("t".into(), TokenScope::Project),
        );
        let without_keystone = Caller::service().with_request_id("req-1");
        for (caller, tenants, project, expected) in [
            (&nobody, &["owner", "lessee"][..], json!("lessee"), true),
            (&nobody, &["owner", "lessee"], json!("other"), false),
            (&nobody, &["owner"], Value::Null, false),
            // Only the operator writes what belongs to nobody.
            (&nobody, &[], json!("other"), true),
            (&user, &["owner"], json!("other"), true),
            (&without_keystone, &["owner"], json!("other"), true),
        ] {
            let allowed = of(caller, tenants).may_attach(&volume(project.clone()));
            assert_eq!(allowed, expected, "{caller:?} {tenants:?} {project}");
        }
    }
}
