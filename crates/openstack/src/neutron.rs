//! Neutron: networks, and the ports that machines boot and work with.
//!
//! Ports are read with the caller's token and written with ours (see `caller`), so a user who may
//! not see a port cannot have it changed: [`Neutron::change_port`] does both in this order.

pub mod body;
pub mod dhcp;
mod network;
pub mod port;

pub use network::{Agent, Network, Segment, Subnet};
pub use port::{BindingProgress, Port, PortStatus, VifType};

use crate::{Caller, Deadline, Error, Reason, call::Call, endpoint::is_id, session::Session};
use body::PortBody;
use reqwest::Method;
use serde::{Deserialize, de::DeserializeOwned};
use std::sync::Arc;
use types::port::MacAddress;

/// Lists of ports of one node are far shorter.
const LIST_LIMIT: usize = 8 << 20;

/// A client of Neutron.
#[derive(Debug, Clone)]
pub struct Neutron {
    pub(crate) session: Arc<Session>,
}

/// Which ports are listed. What is empty matches everything.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PortFilter {
    pub mac_addresses: Vec<MacAddress>,
    pub network: Option<String>,
    pub device: Option<String>,
}

/// What unbinding a port led to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unbinding {
    Done,
    /// There is no such port any more.
    Gone,
    /// This host has it now, and nothing was changed.
    Elsewhere(String),
}

#[derive(Deserialize)]
struct PortDocument {
    port: Port,
}

#[derive(Deserialize)]
struct PortList {
    ports: Vec<Port>,
}

#[derive(Deserialize)]
struct NetworkDocument {
    network: Network,
}

#[derive(Deserialize)]
struct NetworkList {
    networks: Vec<Network>,
}

#[derive(Deserialize)]
struct SubnetDocument {
    subnet: Subnet,
}

#[derive(Deserialize)]
struct SegmentDocument {
    segment: Segment,
}

#[derive(Deserialize)]
struct AgentList {
    agents: Vec<Agent>,
}

#[derive(Deserialize)]
struct SecurityGroupList {
    security_groups: Vec<SecurityGroup>,
}

#[derive(Deserialize)]
struct SecurityGroup {
    id: String,
}

impl Neutron {
    pub(crate) fn new(session: Arc<Session>) -> Self {
        Self { session }
    }

    /// A network by UUID or name. Nothing of that name is [`Reason::NotFound`], several networks are
    /// [`Reason::Ambiguous`].
    pub async fn network(
        &self,
        name_or_id: &str,
        caller: &Caller,
        deadline: Deadline,
    ) -> Result<Network, Error> {
        let mut not_found = None;
        if is_id(name_or_id) {
            let action = format!("show network {name_or_id}");
            let call = Call::about(Method::GET, "networks", name_or_id, "", action);
            match self.get(call, caller, deadline).await {
                Ok(NetworkDocument { network }) => return Ok(network),
                Err(error) if error.is_not_found() => not_found = Some(error),
                Err(error) => return Err(error),
            }
        }
        let action = format!("find network {name_or_id}");
        let call = Call::fixed(Method::GET, "/networks", action.clone()).query("name", name_or_id);
        let call = Ok(call.limit(LIST_LIMIT));
        let NetworkList { networks } = self.get(call, caller, deadline).await?;
        let failed = |reason| Error::new(&self.session.context(action.clone(), false), reason);
        let ids = || networks.iter().map(|network| network.id.clone()).collect();
        match networks.as_slice() {
            [network] => Ok(network.clone()),
            [] => {
                Err(not_found.unwrap_or_else(|| failed(Reason::InvalidId(shortened(name_or_id)))))
            }
            _ => Err(failed(Reason::Ambiguous(ids()))),
        }
    }

    /// Those of the security groups that are not there.
    pub async fn missing_security_groups(
        &self,
        ids: &[String],
        deadline: Deadline,
    ) -> Result<Vec<String>, Error> {
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let call = Call::fixed(Method::GET, "/security-groups", "list security groups");
        let call = ids.iter().fold(call, |call, id| call.query("id", id));
        let call = Ok(call.limit(LIST_LIMIT));
        let SecurityGroupList { security_groups } =
            self.get(call, &Caller::service(), deadline).await?;
        let is_there = |id: &&String| security_groups.iter().any(|group| group.id == **id);
        Ok(ids.iter().filter(|id| !is_there(id)).cloned().collect())
    }

    pub async fn port(&self, id: &str, caller: &Caller, deadline: Deadline) -> Result<Port, Error> {
        let call = Call::about(Method::GET, "ports", id, "", format!("show port {id}"));
        let PortDocument { port } = self.get(call, caller, deadline).await?;
        Ok(port)
    }

    /// A port that is about to be changed, with its binding. Users who may see a port may not see
    /// that, so it is then read again as the service.
    pub async fn port_with_binding(
        &self,
        id: &str,
        caller: &Caller,
        deadline: Deadline,
    ) -> Result<Port, Error> {
        let port = self.port(id, caller, deadline).await?;
        if port.host_id.is_some() || !caller.is_limited_user() {
            return Ok(port);
        }
        self.port(id, &Caller::service(), deadline).await
    }

    /// Ports that match, by our own token: leftovers belong to nobody.
    pub async fn ports(&self, filter: &PortFilter, deadline: Deadline) -> Result<Vec<Port>, Error> {
        let mut call = Call::fixed(Method::GET, "/ports", "list ports").limit(LIST_LIMIT);
        for address in &filter.mac_addresses {
            call = call.query("mac_address", address.to_string());
        }
        if let Some(network) = &filter.network {
            call = call.query("network_id", network);
        }
        if let Some(device) = &filter.device {
            call = call.query("device_id", device);
        }
        let PortList { ports } = self.get(Ok(call), &Caller::service(), deadline).await?;
        Ok(ports)
    }

    /// Creates a port. When the answer is lost, the port is found again by its device and network.
    pub async fn create_port(&self, body: &PortBody, deadline: Deadline) -> Result<Port, Error> {
        let call = Call::fixed(Method::POST, "/ports", "create a port").json(&body.document());
        let PortDocument { port } = self.get(Ok(call), &Caller::service(), deadline).await?;
        Ok(port)
    }

    /// Changes a port that the caller may see. Repeating it changes nothing more.
    pub async fn change_port(
        &self,
        id: &str,
        body: &PortBody,
        caller: &Caller,
        deadline: Deadline,
    ) -> Result<Port, Error> {
        self.port(id, caller, deadline).await?;
        self.update_port(id, body, deadline).await
    }

    /// Changes a port that we made ourselves, or that was just read for the caller.
    pub async fn update_port(
        &self,
        id: &str,
        body: &PortBody,
        deadline: Deadline,
    ) -> Result<Port, Error> {
        let call = Call::about(Method::PUT, "ports", id, "", format!("update port {id}"));
        let call = call.map(|call| call.json(&body.document()));
        let PortDocument { port } = self.get(call, &Caller::service(), deadline).await?;
        Ok(port)
    }

    /// Unbinds a port from a host. If that had given it a MAC address, Neutron chooses another, in a
    /// request of its own: a bound port refuses a new address (409 PortBound). A port that another
    /// host has meanwhile is left alone.
    pub async fn unbind_port(
        &self,
        id: &str,
        host: &str,
        mac: Option<MacAddress>,
        caller: &Caller,
        deadline: Deadline,
    ) -> Result<Unbinding, Error> {
        let done = self.try_to_unbind(id, host, mac, caller, deadline).await;
        match done {
            Err(error) if error.is_not_found() => Ok(Unbinding::Gone),
            done => done,
        }
    }

    async fn try_to_unbind(
        &self,
        id: &str,
        host: &str,
        mac: Option<MacAddress>,
        caller: &Caller,
        deadline: Deadline,
    ) -> Result<Unbinding, Error> {
        let port = self.port_with_binding(id, caller, deadline).await?;
        if let Some(other) = port.other_host(host, mac) {
            return Ok(Unbinding::Elsewhere(other.to_owned()));
        }
        self.update_port(id, &body::unbind(), deadline).await?;
        if mac.is_some() {
            self.update_port(id, &body::reset_mac(), deadline).await?;
        }
        Ok(Unbinding::Done)
    }

    /// Deletes a port; says whether it was there.
    pub async fn delete_port(&self, id: &str, deadline: Deadline) -> Result<bool, Error> {
        let call = Call::about(Method::DELETE, "ports", id, "", format!("delete port {id}"));
        match self.session.send(call, &Caller::service(), deadline).await {
            Ok(_) => Ok(true),
            Err(error) if error.is_not_found() => Ok(false),
            Err(error) => Err(error),
        }
    }

    pub async fn subnet(
        &self,
        id: &str,
        caller: &Caller,
        deadline: Deadline,
    ) -> Result<Subnet, Error> {
        let call = Call::about(Method::GET, "subnets", id, "", format!("show subnet {id}"));
        let SubnetDocument { subnet } = self.get(call, caller, deadline).await?;
        Ok(subnet)
    }

    pub async fn segment(
        &self,
        id: &str,
        caller: &Caller,
        deadline: Deadline,
    ) -> Result<Segment, Error> {
        let call = Call::about(
            Method::GET,
            "segments",
            id,
            "",
            format!("show segment {id}"),
        );
        let SegmentDocument { segment } = self.get(call, caller, deadline).await?;
        Ok(segment)
    }

    /// The agents of a host, for smart NICs.
    pub async fn agents(&self, host: &str, deadline: Deadline) -> Result<Vec<Agent>, Error> {
        let call = Call::fixed(
            Method::GET,
            "/agents",
            format!("list agents of host {host}"),
        );
        let call = Ok(call.query("host", host).limit(LIST_LIMIT));
        let AgentList { agents } = self.get(call, &Caller::service(), deadline).await?;
        Ok(agents)
    }

    async fn get<T>(
        &self,
        call: Result<Call, (String, Reason)>,
        caller: &Caller,
        deadline: Deadline,
    ) -> Result<T, Error>
    where
        T: DeserializeOwned + Send + 'static,
    {
        let answer = self.session.send(call, caller, deadline).await?;
        answer.json().await
    }
}

fn shortened(name: &str) -> String {
    name.chars().filter(|c| !c.is_control()).take(64).collect()
}
