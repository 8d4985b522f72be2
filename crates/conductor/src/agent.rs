//! The agent in a node's ramdisk: its token, and its reports.
//!
//! The token is made for the first ramdisk that asks and told only once; every report must show it.
//! It is sealed at rest like any other secret. What a report means for the steps that wait for it
//! is the deploy interface's business; here it is noted.

use crate::{core::Core, lock, record::ChangeLog};
use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use drivers::iface::{DeployBy, Hardware, Machine};
use ring::{
    digest,
    rand::{SecureRandom, SystemRandom},
};
use serde_json::json;
use std::{net::IpAddr, sync::Arc};
use store::{
    StoreError,
    node::{Fence, Log},
};
use types::{
    Caller, Fault, Node, NodeId, ProvisionState as S, Timestamp, Work,
    event::{EventKind, NewEvent},
    port::MacAddress,
    provision::StateClass,
    rpc::{Heartbeat, WRONG_TOKEN},
};

/// Where a report is expected.
const REPORTING: &[S] = &[
    S::DeployWait,
    S::CleanWait,
    S::RescueWait,
    S::Deploying,
    S::Cleaning,
    S::Rescuing,
    S::DeployHold,
    S::CleanHold,
    S::Servicing,
    S::ServiceWait,
    S::ServiceHold,
];
/// Where it is also welcome when agents are kept running between operations.
const REPORTING_FAST: &[S] = &[S::Manageable, S::Available, S::Enroll];

/// By what a report is believed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Proof {
    Token,
    /// The address that it names was found to be the machine's: enough for an agent of a release
    /// that knows no tokens, as long as nobody was told one.
    Address,
}

impl Core {
    pub(crate) async fn node_for_agent(&self, id: NodeId) -> Result<(Node, Option<String>), Fault> {
        lock::retried(|| self.try_node_for_agent(id, None)).await
    }

    pub(crate) async fn node_for_agent_at(
        &self,
        id: NodeId,
        from: IpAddr,
    ) -> Result<(Node, Option<String>), Fault> {
        lock::retried(|| self.try_node_for_agent(id, Some(from))).await
    }

    async fn try_node_for_agent(
        &self,
        id: NodeId,
        from: Option<IpAddr>,
    ) -> Result<(Node, Option<String>), Fault> {
        let mut node = self.load(id).await?;
        self.check_host(&node.driver, &node.conductor_group)?;
        self.check_origin(&node, "lookup", from)
            .await
            .map_err(|_| Fault::NotFound)?;
        if node.driver_internal_info.agent_token().is_some() {
            // A token that came with the boot is known to whom it is for.
            if !node.driver_internal_info.has_embedded_agent_token() {
                self.warn_of_second_lookup(&node, from).await;
            }
            return Ok((node, None));
        }
        if let Some(host) = node.reservation {
            return Err(Fault::Locked { node: id, host });
        }
        let token = fresh_token()?;
        node.driver_internal_info.give_agent_token(&token);
        let text = match from {
            Some(from) => format!("The agent's token was given to {from}"),
            None => "The agent's token was given to whoever looked the node up".to_owned(),
        };
        let data = json!({"address": from});
        let event = NewEvent::new(&node, EventKind::Updated, text, data, &Caller::service());
        let saved = store::node::save(&self.db, node, Fence::Free, Log::event(event)).await;
        Ok((saved.map_err(|error| lock::fault(error, id))?, Some(token)))
    }

    pub(crate) async fn heartbeat(
        self: &Arc<Self>,
        id: NodeId,
        heartbeat: Heartbeat,
    ) -> Result<(), Fault> {
        match heartbeat.agent_status.is_some() {
            // It is said once: whatever has the node for a moment is waited for.
            true => {
                let take = || self.try_heartbeat(id, heartbeat.clone(), Proof::Token);
                lock::retried(take).await
            }
            false => self.try_heartbeat(id, heartbeat, Proof::Token).await,
        }
    }

    /// A report of an agent that knows no tokens, from an address that is its machine's.
    pub(crate) async fn old_heartbeat(
        self: &Arc<Self>,
        id: NodeId,
        heartbeat: Heartbeat,
    ) -> Result<(), Fault> {
        self.try_heartbeat(id, heartbeat, Proof::Address).await
    }

    async fn try_heartbeat(
        self: &Arc<Self>,
        id: NodeId,
        heartbeat: Heartbeat,
        proof: Proof,
    ) -> Result<(), Fault> {
        heartbeat.check_version()?;
        let mut node = self.load(id).await?;
        self.check_host(&node.driver, &node.conductor_group)?;
        if proof == Proof::Token || node.driver_internal_info.is_agent_token_told() {
            self.check_token(&node, heartbeat.agent_token.as_deref())?;
        }
        self.check_origin(&node, "heartbeat", heartbeat.from)
            .await
            .map_err(|()| refused("It comes from an address that is not the machine's."))?;
        if node
            .driver_internal_info
            .agent_url()
            .is_some_and(|known| known != heartbeat.callback_url)
        {
            return Err(refused(
                "Detected change in ramdisk provided \"callback_url\"",
            ));
        }
        if let Some(boot) = self.registry.boot() {
            boot.note_agent(id, "heartbeat");
        }
        // An installer listens nowhere.
        let listens = !heartbeat.callback_url.is_empty();
        if self.settings.agent_require_tls && listens && !is_https(&heartbeat.callback_url) {
            return Err(refused("TLS is required by configuration"));
        }
        if let Some(host) = &node.reservation {
            // A worker has the node. An agent that is known reports again soon; a new one must
            // hear that it was not noted.
            let host = host.clone();
            // An installer says everything once.
            let repeats = heartbeat.agent_status.is_none();
            return if repeats && node.driver_internal_info.has_agent() {
                Ok(())
            } else {
                Err(Fault::Locked { node: id, host })
            };
        }
        let hardware = self.hardware(&node)?;
        if !hardware.deploy.takes_heartbeats(&node) {
            tracing::warn!(node = %id, "the deploy interface has no use for reports");
            return Ok(());
        }
        if !self.expects_report(&node) {
            tracing::debug!(node = %id, state = %node.provision_state, "a report was not expected");
            return Ok(());
        }
        if !node.driver_internal_info.has_agent() {
            let boot = &hardware.boot;
            let called = async |machine: &Machine<'_>| boot.ramdisk_called(machine).await;
            if let Err(fault) = self.ask(&mut node, called).await {
                tracing::warn!(node = %id, %fault, "what the ramdisk booted from is still there");
            }
        }
        if node.driver_internal_info.agent_token().is_none() {
            let token = fresh_token()?;
            node.driver_internal_info.withhold_agent_token(&token);
        }
        note(&mut node, &heartbeat);
        let place = match self.waits_for_report(&node, &hardware) {
            false => None,
            // An installer must hear that its report was not taken.
            true if heartbeat.agent_status.is_some() => Some(self.workers.for_request()?),
            // Without a free worker the report is only noted; the agent reports again.
            true => self.workers.for_request().ok(),
        };
        if let Some(place) = place {
            node.work = Some(Work::Report);
            let caller = Caller::service();
            let accepted = self.accept(node, &caller, ChangeLog::new(&caller), place);
            return match accepted.await {
                Err(Fault::Locked { .. } | Fault::Stale(_)) if heartbeat.agent_status.is_none() => {
                    Ok(())
                }
                other => other,
            };
        }
        match store::node::save(&self.db, node, Fence::Free, Log::default()).await {
            // Somebody was faster; the next report is due soon.
            Ok(_) | Err(StoreError::Stale | StoreError::Locked { .. }) => Ok(()),
            Err(error) => Err(lock::fault(error, id)),
        }
    }

    /// Whether a ramdisk speaks from an address that our own DHCP server gave to its machine, where
    /// that is what gives addresses. In a cluster no conductor knows all leases: the calling API
    /// process has asked all of them.
    async fn check_origin(&self, node: &Node, what: &str, from: Option<IpAddr>) -> Result<(), ()> {
        let (Some(from), None) = (from, &self.settings.url) else {
            return Ok(());
        };
        let leased = self.leased_addresses(node.id).await;
        match self.origins.judge(node, what, from, leased).await {
            true => Ok(()),
            false => Err(()),
        }
    }

    pub(crate) async fn leases(&self, node: NodeId) -> Result<Option<Vec<IpAddr>>, Fault> {
        Ok(self.leased_addresses(node).await)
    }

    /// The addresses that the DHCP servers of this process gave to the ports of a node, if they are
    /// what its ramdisk has its address from.
    async fn leased_addresses(&self, node: NodeId) -> Option<Vec<IpAddr>> {
        let boot = self.registry.boot()?;
        let ports = store::port::of_node(&self.db, node).await;
        let ports = ports.unwrap_or_else(|error| {
            let error = types::error::chain(&error);
            tracing::warn!(%node, error, "the ports of a node cannot be read");
            Vec::new()
        });
        let macs: Vec<MacAddress> = ports.into_iter().map(|port| port.address).collect();
        boot.addresses_of(node, &macs)
    }

    async fn warn_of_second_lookup(&self, node: &Node, from: Option<IpAddr>) {
        let Some(from) = from else { return };
        let text = format!(
            "A ramdisk at {from} looked the node up and was not told the agent's token, which was \
             given away before: two ramdisks ask, or one was restarted"
        );
        self.origins.warn(node, text, from).await;
    }

    /// Whether the flow that a node is in goes on by reports of its agent.
    fn waits_for_report(&self, node: &Node, hardware: &Hardware) -> bool {
        let by_agent = match node.provision_state {
            S::RescueWait => hardware.rescue.by_agent(),
            S::DeployWait if hardware.deploy.by() == DeployBy::Installer => true,
            S::DeployWait | S::CleanWait | S::ServiceWait => {
                let kind = crate::inband::steps::kind_of(node);
                hardware.deploy.by().has_agent(kind)
            }
            _ => false,
        };
        // A step that looks after its hardware by itself is not disturbed.
        by_agent && !node.maintenance && !node.driver_internal_info.has_step_poll()
    }

    pub(crate) fn expects_report(&self, node: &Node) -> bool {
        let state = node.provision_state;
        REPORTING.contains(&state) || (self.is_fast_track(node) && REPORTING_FAST.contains(&state))
    }

    /// Whether agents of this node stay up between operations.
    pub(crate) fn is_fast_track(&self, node: &Node) -> bool {
        node.fast_track(self.settings.fast_track)
    }

    pub(crate) fn check_token(&self, node: &Node, given: Option<&str>) -> Result<(), Fault> {
        let wrong = || refused(WRONG_TOKEN);
        let given = given.filter(|given| !given.is_empty()).ok_or_else(wrong)?;
        let stored = node.driver_internal_info.agent_token().ok_or_else(wrong)?;
        let stored = self
            .db
            .keys()
            .open(stored, &node.id.to_string())
            .map_err(|_| wrong())?;
        // Digests are compared, so that the time it takes says nothing about the token.
        let hashed = |text: &str| digest::digest(&digest::SHA256, text.as_bytes());
        let same = hashed(stored.as_str().unwrap_or_default()).as_ref() == hashed(given).as_ref();
        if same { Ok(()) } else { Err(wrong()) }
    }
}

fn is_https(url: &str) -> bool {
    reqwest::Url::parse(url).is_ok_and(|url| url.scheme() == "https")
}

fn note(node: &mut Node, heartbeat: &Heartbeat) {
    let now = Timestamp::now();
    if node.provision_state.class() == StateClass::Waiting {
        // What keeps the time-out away.
        node.provision_updated_at = Some(now);
    }
    node.driver_internal_info.note_heartbeat(heartbeat, now);
}

fn refused(text: &str) -> Fault {
    Fault::InvalidParameter(text.to_owned())
}

/// 32 random bytes as 43 characters that need no escapes in a URL.
pub(crate) fn fresh_token() -> Result<String, Fault> {
    let mut bytes = [0; 32];
    SystemRandom::new()
        .fill(&mut bytes)
        .map_err(|_| Fault::Internal("There is no randomness for a token.".into()))?;
    Ok(URL_SAFE_NO_PAD.encode(bytes))
}
