//! Looking at machines: sensors, the serial console, what was said to their BMCs, and how they boot.
//! And at the conductor itself: what its drivers know, and how it fares.

use crate::{core::Core, flow};
use types::{
    Caller, Fault, JsonMap, NodeId,
    console::{ConsoleLine, ConsoleWish},
    mask,
    progress::Live,
    recording::Recording,
    rpc::{
        DriverName, HostName,
        holdings::{BootReport, BootWish, ImageCaches},
        recipe::OfferedStep,
    },
    status::{ConductorReport, OutageReport},
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

    pub(crate) async fn live(&self, id: NodeId) -> Result<Live, Fault> {
        Ok(self.live.read(id))
    }

    pub(crate) async fn driver_properties(
        &self,
        driver: DriverName,
    ) -> Result<Vec<(String, String)>, Fault> {
        let properties = self.registry.driver_properties(&driver.0);
        properties.map_err(Fault::from)
    }

    pub(crate) async fn raid_properties(
        &self,
        driver: DriverName,
    ) -> Result<Vec<(String, String)>, Fault> {
        let properties = self.registry.raid_properties(&driver.0);
        properties.map_err(Fault::from)
    }

    pub(crate) async fn offered_steps(
        &self,
        driver: DriverName,
    ) -> Result<Vec<OfferedStep>, Fault> {
        self.registry.offered_steps(&driver.0).map_err(Fault::from)
    }

    pub(crate) async fn image_caches(&self, host: HostName) -> Result<ImageCaches, Fault> {
        self.check_me(&host)?;
        let caches = match self.registry.images() {
            Some(images) => images.caches_report().await,
            None => Vec::new(),
        };
        Ok(ImageCaches { caches })
    }

    pub(crate) async fn boot_services(
        &self,
        host: HostName,
        wish: BootWish,
    ) -> Result<BootReport, Fault> {
        self.check_me(&host)?;
        let boot = self.registry.boot();
        Ok(boot.map(|boot| boot.overview(&wish)).unwrap_or_default())
    }

    fn check_me(&self, host: &HostName) -> Result<(), Fault> {
        let me = &self.settings.host;
        if host.0 == *me {
            return Ok(());
        }
        Err(Fault::NotNow(format!("This is conductor {me}.")))
    }

    fn outages(&self) -> Vec<OutageReport> {
        let services = self.registry.openstack();
        let outages = services.map(|services| services.outages());
        let outages = outages.into_iter().flatten();
        outages
            .map(|outage| OutageReport {
                service: outage.service.to_string(),
                since: outage.since,
                last: outage.last,
                error: mask::text(&outage.error).into_owned(),
                waiting: u64::try_from(outage.waiting).unwrap_or(u64::MAX),
                waiting_for: outage.waiting_for,
            })
            .collect()
    }

    pub(crate) async fn report(&self, host: HostName) -> Result<ConductorReport, Fault> {
        self.check_me(&host)?;
        let incarnation = self.incarnation();
        let (workers_busy, workers) = self.workers.count();
        Ok(ConductorReport {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            epoch: incarnation.holder.epoch,
            uptime_s: self.clock().as_secs_f64(),
            may_act: incarnation.is_open(),
            is_leaving: self.leaving.is_cancelled(),
            workers_busy,
            workers,
            passes: self.ledger.reports(),
            outages: self.outages(),
        })
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
        if hardware.console.is_graphical() {
            return Err(Fault::InvalidState(format!(
                "The console of node {id} is graphical and has no serial line. Open the address that \
                 it shows in a browser."
            )));
        }
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
