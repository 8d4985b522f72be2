//! Looking at machines: sensors, the serial console, what was said to their BMCs, and how they boot.

use crate::{core::Core, flow};
use types::{
    Caller, Fault, JsonMap, NodeId,
    console::{ConsoleLine, ConsoleWish},
    recording::Recording,
};

impl Core {
    pub(crate) async fn sensors(&self, id: NodeId) -> Result<JsonMap, Fault> {
        let mut node = self.load(id).await?;
        self.check_host(&node.driver, &node.conductor_group)?;
        let hardware = self.hardware(&node)?;
        self.ask(&mut node, async |machine| {
            hardware.management.sensors(machine).await
        })
        .await
    }

    pub(crate) async fn recording(&self, id: NodeId) -> Result<Recording, Fault> {
        let node = self.load(id).await?;
        self.check_host(&node.driver, &node.conductor_group)?;
        Ok(self.registry.recorder().read(id))
    }

    pub(crate) async fn boot_log(&self, id: NodeId) -> Result<JsonMap, Fault> {
        let node = self.load(id).await?;
        self.check_host(&node.driver, &node.conductor_group)?;
        let Some(boot) = self.registry.boot() else {
            return Err(Fault::InvalidState(
                "No boot services run here, so nothing is known about how machines boot. Set \
                 [corten]http_listen, tftp_listen or dhcp to run them."
                    .to_owned(),
            ));
        };
        let ports = store::port::of_node(&self.db, id).await;
        let ports = ports.map_err(|error| crate::lock::fault(error, id))?;
        let ports: Vec<_> = ports.into_iter().map(|port| port.address).collect();
        Ok(boot.report(&ports))
    }

    pub(crate) async fn join_console(
        &self,
        who: &Caller,
        id: NodeId,
        wish: ConsoleWish,
    ) -> Result<ConsoleLine, Fault> {
        let mut node = self.load(id).await?;
        self.check_host(&node.driver, &node.conductor_group)?;
        if !node.console_enabled {
            return Err(Fault::InvalidState(format!(
                "The console of node {id} is off. Enable it first."
            )));
        }
        let hardware = self.hardware(&node)?;
        let driver_info = self.opened_driver_info(&node)?;
        let machine = drivers::iface::Machine::new(&mut node, &driver_info, &[]);
        let joined = hardware.console.join(&machine, wish).await;
        let user = who.user.as_deref().unwrap_or("somebody");
        match &joined {
            Ok(_) => tracing::info!(node = %id, user, ?wish, "joined the console"),
            Err(error) => {
                let error = types::error::chain(error);
                tracing::warn!(node = %id, user, error, "the console cannot be joined");
            }
        }
        joined.map_err(|error| flow::fault(&node, &error))
    }
}
