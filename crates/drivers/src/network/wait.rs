//! Waiting for what Neutron does after it answered.

use super::{NodeNetwork, failed, refused};
use crate::{DriverError, iface::Machine};
use openstack::{Caller, neutron::BindingProgress};
use types::words;

impl NodeNetwork {
    /// Whether a port that cannot be bound is a failure. Then it is also waited for.
    pub(super) fn fails_on_binding_failure(&self, machine: &Machine<'_>) -> bool {
        let own = machine.driver_info.get("fail_on_binding_failure");
        let own = own.and_then(words::boolean_value);
        own.unwrap_or(self.settings.fail_on_binding_failure)
    }

    /// Returns when a port carries traffic. One that will never do so is told from one that does not
    /// yet. A port of ours is looked at in our own name: no user need see it.
    pub(super) async fn active(&self, id: &str, caller: &Caller) -> Result<(), DriverError> {
        let mut attempt = 1;
        loop {
            let port = self.neutron.port(id, caller, self.deadline()).await;
            let port = port.map_err(|error| {
                failed(&format!("Could not retrieve neutron port {id}:"), &error)
            })?;
            match port.binding_progress() {
                BindingProgress::Active => return Ok(()),
                BindingProgress::Failed => {
                    return Err(refused(format!(
                        "Binding failed for neutron port {id}: no mechanism driver of Neutron can \
                         plug it in; compare local_link_connection and physical_network of the \
                         node's ports with the switches that Neutron knows, and see Neutron's log"
                    )));
                }
                BindingProgress::Waiting => {}
            }
            if attempt >= self.settings.max_attempts {
                return Err(refused(format!(
                    "Port {id} failed to reach status ACTIVE; see the log of Neutron and of the \
                     switch"
                )));
            }
            attempt += 1;
            tokio::time::sleep(self.settings.retry_interval).await;
        }
    }

    /// Returns when the agent of a smart NIC's host is there.
    pub(super) async fn agent_up(&self, host: &str) -> Result<(), DriverError> {
        let mut attempt = 1;
        loop {
            let agents = self.neutron.agents(host, self.deadline()).await;
            let agents = agents.map_err(|error| {
                failed(
                    &format!("Could not list the agents of host {host}:"),
                    &error,
                )
            })?;
            if agents.iter().any(|agent| agent.alive) {
                return Ok(());
            }
            if attempt >= self.settings.max_attempts {
                return Err(refused(format!(
                    "Agent on host {host} failed to reach state up; see what `openstack network \
                     agent list --host {host}` says"
                )));
            }
            attempt += 1;
            tokio::time::sleep(self.settings.retry_interval).await;
        }
    }

    /// The agent of a smart NIC must be there before its ports are changed.
    pub(super) async fn ready(&self, wire: &super::wire::Wire<'_>) -> Result<(), DriverError> {
        match wire.smart_host() {
            Some(host) => self.agent_up(&host).await,
            None => Ok(()),
        }
    }
}
