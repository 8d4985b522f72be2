//! The console interfaces `fake-graphical` and `redfish-graphical`.
//!
//! The names and what is noted of a console are Ironic's. The RFB server is the one that the node's
//! `driver_info` names (`vnc_address`, `vnc_port`, `vnc_password`; not among the properties, which
//! clients compare with Ironic's). Without that, `fake-graphical` shows a picture, and
//! `redfish-graphical` asks the BMC where its KVM over IP is.

use super::{Screen, Screens, Server, place::Given};
use crate::{
    DriverError,
    iface::{Console, Interface, Machine},
    redfish::{Redfish, Resource, Talk, info},
    screen::VncServer,
};
use async_trait::async_trait;
use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD};
use serde_json::Value;
use std::{io, sync::Arc, time::Duration};
use types::{LeaseProof, NodeId, Timestamp, step::OnRestart};

/// What Ironic's provider of fakes notes as the place of a server.
const NOWHERE: (&str, u16) = ("192.0.2.1", 5900);

/// 32 random bytes as 43 characters that need no escapes in a URL.
fn fresh_token() -> Result<String, DriverError> {
    let mut bytes = [0; 32];
    let filled = getrandom::fill(&mut bytes).map_err(io::Error::other);
    filled.map_err(|error| {
        let tried = "making a token for the console";
        DriverError::Environment(crate::Failure::because(tried, error))
    })?;
    Ok(BASE64_URL_SAFE_NO_PAD.encode(bytes))
}

/// Switches a console on whose server is known.
async fn start(
    screens: &Screens,
    machine: &mut Machine<'_>,
    server: Server,
) -> Result<(), DriverError> {
    screens.check_on()?;
    // Who has an older token is not to stay.
    screens.close(machine.node.id);
    screens.try_out(&server).await?;
    let (host, port) = match &server {
        Server::Machine(place) => (place.host.as_str(), place.port),
        Server::Picture(_) => NOWHERE,
    };
    let token = fresh_token()?;
    let noted = &mut machine.node.driver_internal_info;
    noted.begin_screen(host, port, &token, Timestamp::now());
    Ok(())
}

fn stop(screens: &Screens, machine: &mut Machine<'_>) {
    screens.close(machine.node.id);
    machine.node.driver_internal_info.end_screen();
}

/// A picture, or the server that the node names, whatever its hardware type is.
#[derive(Debug)]
pub struct FakeGraphical(pub Arc<Screens>);

impl FakeGraphical {
    fn server(machine: &Machine<'_>) -> Result<Server, DriverError> {
        Ok(match Given::of(machine.driver_info)?.place() {
            Some(place) => Server::Machine(place),
            None => Server::Picture(machine.node.id.to_string()),
        })
    }
}

#[async_trait]
impl Interface for FakeGraphical {
    fn name(&self) -> &'static str {
        "fake-graphical"
    }

    async fn validate(&self, machine: &Machine<'_>) -> Result<(), DriverError> {
        Self::server(machine)?;
        self.0.check_on()
    }

    fn on_restart(&self) -> OnRestart {
        OnRestart::Repeat
    }
}

#[async_trait]
impl Console for FakeGraphical {
    async fn start(
        &self,
        _lease: &LeaseProof,
        machine: &mut Machine<'_>,
    ) -> Result<(), DriverError> {
        let server = Self::server(machine)?;
        start(&self.0, machine, server).await
    }

    async fn stop(
        &self,
        _lease: &LeaseProof,
        machine: &mut Machine<'_>,
    ) -> Result<(), DriverError> {
        stop(&self.0, machine);
        Ok(())
    }

    async fn forget(&self, node: NodeId) {
        self.0.close(node);
    }

    async fn info(&self, _machine: &Machine<'_>) -> Result<Value, DriverError> {
        Ok(Value::Null)
    }

    fn is_graphical(&self) -> bool {
        true
    }

    async fn join_screen(
        &self,
        machine: &Machine<'_>,
        left: Duration,
    ) -> Result<Screen, DriverError> {
        self.0.check_on()?;
        let server = Self::server(machine)?;
        self.0.join(machine.node.id, &server, left).await
    }
}

/// The screen that the BMC of a machine with Redfish shows.
#[derive(Debug)]
pub struct RedfishGraphical {
    pub screens: Arc<Screens>,
    pub redfish: Arc<Redfish>,
}

impl RedfishGraphical {
    /// The server by what the node says, and else by what its BMC does.
    async fn find(&self, machine: &Machine<'_>) -> Result<VncServer, DriverError> {
        let given = Given::of(machine.driver_info)?;
        if let Some(place) = given.clone().place() {
            return Ok(place);
        }
        let info = self.redfish.info(machine)?;
        let talk = self
            .redfish
            .talk(&info, "finding the graphical console")
            .await?;
        let port = match given.port {
            Some(port) => port,
            None => port_of(&talk).await?,
        };
        Ok(VncServer {
            host: info.origin.host().trim_matches(['[', ']']).to_owned(),
            port,
            password: given.password,
        })
    }
}

/// What a BMC tells about KVM over IP: the system names a port of its own, or the network services
/// of the manager do.
async fn port_of(talk: &Talk<'_>) -> Result<u16, DriverError> {
    let system = talk.system().await?;
    judge(talk, &system)?;
    if let Some(port) = port_at(&system, "GraphicalConsole/Port") {
        return Ok(port);
    }
    let manager = talk.manager(&system).await?;
    judge(talk, &manager)?;
    if manager.link("NetworkProtocol").is_some() {
        let protocols = talk.follow(&manager, "NetworkProtocol").await?;
        if protocols.bool("KVMIP/ProtocolEnabled") == Some(false) {
            return Err(talk.rejected(OFF));
        }
        if let Some(port) = port_at(&protocols, "KVMIP/Port") {
            return Ok(port);
        }
    }
    Err(talk.rejected(
        "the BMC does not tell the port of its graphical console; set vnc_address, vnc_port and \
         vnc_password in driver_info if it has a VNC server",
    ))
}

const OFF: &str = "the graphical console is switched off in the BMC (KVM over IP)";

/// Refuses a console that the BMC says is off, or which can be seen in its own page only.
fn judge(talk: &Talk<'_>, resource: &Resource) -> Result<(), DriverError> {
    if resource.bool("GraphicalConsole/ServiceEnabled") == Some(false) {
        return Err(talk.rejected(OFF));
    }
    let kinds = resource.texts("GraphicalConsole/ConnectTypesSupported");
    if !kinds.is_empty() && !kinds.contains(&"KVMIP") {
        let text = "the BMC shows its graphical console in its own page only, which cannot be passed \
            on; set vnc_address, vnc_port and vnc_password in driver_info if it has a VNC server";
        return Err(talk.rejected(text));
    }
    Ok(())
}

fn port_at(resource: &Resource, place: &str) -> Option<u16> {
    let port = u16::try_from(resource.u64(place)?).ok()?;
    (port > 0).then_some(port)
}

#[async_trait]
impl Interface for RedfishGraphical {
    fn name(&self) -> &'static str {
        "redfish-graphical"
    }

    fn properties(&self) -> &'static [(&'static str, &'static str)] {
        info::PROPERTIES
    }

    async fn validate(&self, machine: &Machine<'_>) -> Result<(), DriverError> {
        self.redfish.info(machine)?;
        Given::of(machine.driver_info)?;
        self.screens.check_on()
    }

    fn on_restart(&self) -> OnRestart {
        OnRestart::Repeat
    }
}

#[async_trait]
impl Console for RedfishGraphical {
    async fn start(
        &self,
        _lease: &LeaseProof,
        machine: &mut Machine<'_>,
    ) -> Result<(), DriverError> {
        self.screens.check_on()?;
        let place = self.find(machine).await?;
        start(&self.screens, machine, Server::Machine(place)).await
    }

    async fn stop(
        &self,
        _lease: &LeaseProof,
        machine: &mut Machine<'_>,
    ) -> Result<(), DriverError> {
        stop(&self.screens, machine);
        Ok(())
    }

    async fn forget(&self, node: NodeId) {
        self.screens.close(node);
    }

    async fn info(&self, _machine: &Machine<'_>) -> Result<Value, DriverError> {
        Ok(Value::Null)
    }

    fn is_graphical(&self) -> bool {
        true
    }

    async fn join_screen(
        &self,
        machine: &Machine<'_>,
        left: Duration,
    ) -> Result<Screen, DriverError> {
        self.screens.check_on()?;
        // Where it was when the console was switched on; the BMC is not asked for each viewer.
        let noted = machine.node.driver_internal_info.screen_place();
        let place = match noted {
            Some((host, port)) => VncServer {
                host: host.to_owned(),
                port,
                password: Given::of(machine.driver_info)?.password,
            },
            None => self.find(machine).await?,
        };
        let server = Server::Machine(place);
        self.screens.join(machine.node.id, &server, left).await
    }
}
