//! The `ipmitool-socat` console interface: a machine's serial line at a TCP port.
//!
//! The name is that of Ironic, which runs socat and ipmitool; here the line ([`sol`]) is
//! bridged in this process ([`bridge`]). A console that is switched on listens; the BMC is only
//! talked to while somebody is connected, or a log is kept. Where the settings allow it, a console
//! without a port is there as well, for those who come by the API.

mod bridge;
mod sol;

use super::{Info, Ipmi, info};
use crate::{
    DriverError, Failure,
    console::Hub,
    iface::{Console, Interface, Machine},
};
use async_trait::async_trait;
use proto::ipmi::command::payload;
use serde_json::{Value, json};
use std::{
    collections::HashMap,
    net::SocketAddr,
    sync::{Arc, LazyLock},
};
use tokio::{
    net::TcpListener,
    sync::{Mutex, watch},
    task::JoinHandle,
};
use types::{
    LeaseProof, NodeId,
    console::{ConsoleLine, ConsoleWish},
    step::OnRestart,
};

static PROPERTIES: LazyLock<Vec<(&'static str, &'static str)>> = LazyLock::new(|| {
    let mut all = info::PROPERTIES.to_vec();
    all.push(info::TERMINAL_PORT);
    all
});

/// A console that listens.
#[derive(Debug)]
struct Listening {
    /// Its TCP port, if it has one.
    address: Option<SocketAddr>,
    hub: Hub,
    stop: watch::Sender<bool>,
    task: JoinHandle<()>,
}

impl Listening {
    async fn end(self) {
        let _ = self.stop.send(true);
        // It ends by itself once it has said good-bye to the BMC.
        let _ = self.task.await;
    }
}

/// Consoles by IPMI.
#[derive(Debug)]
pub struct IpmiConsole {
    ipmi: Arc<Ipmi>,
    listening: Mutex<HashMap<NodeId, Listening>>,
}

impl IpmiConsole {
    pub fn new(ipmi: Arc<Ipmi>) -> Self {
        Self {
            ipmi,
            listening: Mutex::default(),
        }
    }

    /// Listens at the port, or at the first free one of the configured ranges. There is none where
    /// nobody named any.
    async fn bind(&self, port: Option<u16>) -> Result<Option<TcpListener>, DriverError> {
        let address = self.ipmi.settings.console_address;
        if let Some(port) = port {
            let bound = TcpListener::bind((address, port)).await;
            return bound.map(Some).map_err(|error| {
                let place = SocketAddr::from((address, port));
                let tried = format!("the console cannot listen at {place}");
                DriverError::Environment(Failure::because(tried, error))
            });
        }
        let Some(ranges) = self.ipmi.settings.console_ports.as_deref() else {
            return Ok(None);
        };
        for port in ranges.iter().cloned().flatten() {
            if let Ok(listener) = TcpListener::bind((address, port)).await {
                return Ok(Some(listener));
            }
        }
        Err(DriverError::Environment(Failure::new(format!(
            "No available ports found in the [console]port_range for a console at {address}."
        ))))
    }

    /// The port of the console, and the console. One that should and does not, because the service has been
    /// restarted, is made to.
    async fn place(&self, machine: &Machine<'_>) -> Result<(Option<SocketAddr>, Hub), DriverError> {
        let node = machine.node.id;
        let mut listening = self.listening.lock().await;
        if let Some(known) = listening.get(&node) {
            return Ok((known.address, known.hub.clone()));
        }
        let info = self.ipmi.info(machine)?;
        port_of(&info, &self.ipmi)?;
        self.listen(&mut listening, info).await
    }

    /// Makes the console listen, and tells at which port, if at any.
    async fn listen(
        &self,
        listening: &mut HashMap<NodeId, Listening>,
        info: Info,
    ) -> Result<(Option<SocketAddr>, Hub), DriverError> {
        let node = info.node;
        if let Some(old) = listening.remove(&node) {
            old.end().await;
        }
        let listener = self.bind(info.terminal_port).await?;
        let address = match &listener {
            None => None,
            Some(listener) => {
                let bound = listener.local_addr();
                Some(bound.map_err(|error| {
                    DriverError::Environment(Failure::because("the console does not listen", error))
                })?)
            }
        };
        let (stop, stopped) = watch::channel(false);
        let ipmi = Arc::clone(&self.ipmi);
        let settings = &self.ipmi.settings;
        let hub = Hub::new(Box::new(sol::Sol { ipmi, info }), settings.console_idle);
        if let Some(log) = &settings.console_log {
            hub.keep_log(log.clone(), node.to_string());
        }
        let task = tokio::spawn(bridge::serve(listener, hub.clone(), stopped));
        let new = Listening {
            address,
            hub: hub.clone(),
            stop,
            task,
        };
        listening.insert(node, new);
        Ok((address, hub))
    }
}

fn port_of(info: &Info, ipmi: &Ipmi) -> Result<(), DriverError> {
    let settings = &ipmi.settings;
    let has_port = info.terminal_port.is_some() || settings.console_ports.is_some();
    if !has_port && settings.console_needs_port {
        return Err(DriverError::InvalidParameter(
            "Either missing 'ipmi_terminal_port' parameter in node's driver_info or [console]port_range is not configured".into(),
        ));
    }
    Ok(())
}

#[async_trait]
impl Interface for IpmiConsole {
    fn name(&self) -> &'static str {
        "ipmitool-socat"
    }

    fn properties(&self) -> &'static [(&'static str, &'static str)] {
        &PROPERTIES
    }

    async fn validate(&self, machine: &Machine<'_>) -> Result<(), DriverError> {
        let info = self.ipmi.info(machine)?;
        port_of(&info, &self.ipmi)?;
        if info.is_version_15() {
            return Err(DriverError::InvalidParameter(
                "Serial over lan only works with IPMI protocol version 2.0. Check the 'ipmi_protocol_version' parameter in node's driver_info".into(),
            ));
        }
        Ok(())
    }

    fn on_restart(&self) -> OnRestart {
        OnRestart::Repeat
    }
}

#[async_trait]
impl Console for IpmiConsole {
    async fn start(
        &self,
        _lease: &LeaseProof,
        machine: &mut Machine<'_>,
    ) -> Result<(), DriverError> {
        machine.node.driver_internal_info.forget_console_port();
        let info = self.ipmi.info(machine)?;
        port_of(&info, &self.ipmi)?;
        let is_chosen = info.terminal_port.is_some();
        let mut listening = self.listening.lock().await;
        let (address, _) = self.listen(&mut listening, info).await?;
        drop(listening);
        if let Some(address) = address.filter(|_| !is_chosen) {
            let noted = &mut machine.node.driver_internal_info;
            noted.set_console_port(address.port());
        }
        Ok(())
    }

    async fn stop(
        &self,
        _lease: &LeaseProof,
        machine: &mut Machine<'_>,
    ) -> Result<(), DriverError> {
        self.forget(machine.node.id).await;
        let info = self.ipmi.info(machine)?;
        machine.node.driver_internal_info.forget_console_port();
        // Whatever its answer is: there may be nothing to switch off.
        let talk = self.ipmi.talk(&info, "sol deactivate").await?;
        let deactivate = payload::deactivate();
        let ended = talk.try_ask(&deactivate, super::talk::Again::Yes).await;
        ended.map(|_| ())
    }

    async fn forget(&self, node: NodeId) {
        let listening = self.listening.lock().await.remove(&node);
        if let Some(listening) = listening {
            listening.end().await;
        }
    }

    async fn info(&self, machine: &Machine<'_>) -> Result<Value, DriverError> {
        let (address, _) = self.place(machine).await?;
        Ok(match address {
            Some(address) => json!({"type": "socat", "url": format!("tcp://{address}")}),
            None => {
                let path = format!("/corten/v1/nodes/{}/console", machine.node.id);
                json!({"type": "websocket", "url": path})
            }
        })
    }

    async fn join(
        &self,
        machine: &Machine<'_>,
        wish: ConsoleWish,
    ) -> Result<ConsoleLine, DriverError> {
        let (_, hub) = self.place(machine).await?;
        hub.join(wish).await
    }
}
