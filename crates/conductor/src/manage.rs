//! Requests that ask the hardware something while the client waits.

use crate::{
    core::Core,
    flow, last_error, lock,
    misspelt::{Slip, slips},
    record::ChangeLog,
    task::Task,
};
use drivers::{
    DriverError,
    iface::{Hardware, Machine},
    storage::NO_VOLUMES,
};
use serde_json::{Value, json};
use std::sync::Arc;
use types::{
    Caller, Fault, InterfaceKind, Node, NodeId, PowerTarget, ProvisionState as S, Work,
    event::EventKind,
    provision::StateClass,
    rpc::{BootDevice, ConsoleState, Indicator, Validation},
};

/// Changes something about a machine under its lease, while the client waits for the answer.
///
/// A macro, because the future of a closure that borrows the machine cannot be named, and so cannot
/// be asked to be `Send`.
macro_rules! while_asked {
    ($core:ident, $who:ident, $id:ident, |$hardware:ident, $lease:ident, $machine:ident| $call:expr) => {
        $core
            .exclusively($id, $who, move |mut task| async move {
                let $hardware = task.hardware.clone();
                let outcome = match task.hands() {
                    Ok(($lease, mut $machine)) => $call.await,
                    Err(error) => Err(error),
                };
                answer(task, outcome)
            })
            .await
    };
}

impl Core {
    pub(crate) async fn set_power(
        self: &Arc<Self>,
        who: &Caller,
        id: NodeId,
        target: PowerTarget,
        timeout_s: Option<u64>,
    ) -> Result<(), Fault> {
        lock::retried(|| self.try_set_power(who, id, target, timeout_s)).await
    }

    async fn try_set_power(
        self: &Arc<Self>,
        who: &Caller,
        id: NodeId,
        target: PowerTarget,
        timeout_s: Option<u64>,
    ) -> Result<(), Fault> {
        let mut node = self.load_free(id).await?;
        self.check_host(&node.driver, &node.conductor_group)?;
        if matches!(node.provision_state, S::Cleaning | S::CleanWait) {
            return Err(Fault::InvalidStateRequested {
                action: target.to_string(),
                node: id.to_string(),
                state: node.provision_state.to_string(),
            });
        }
        let hardware = self.hardware(&node)?;
        if node.stays_on() && matches!(target, PowerTarget::Off | PowerTarget::SoftOff) {
            return Err(Fault::PowerOffDisabled(target));
        }
        self.ask(&mut node, async |machine| {
            hardware.power.validate(machine).await
        })
        .await?;
        if !hardware.power.supported().contains(&target) {
            return Err(Fault::InvalidParameter(format!(
                "The driver {} does not support the power state, {target}",
                node.driver
            )));
        }
        let place = self.workers.for_request()?;
        let mut story = ChangeLog::new(who);
        node.target_power_state = Some(target.shown());
        // Why an operation failed is what people look for next, also after they switched the machine
        // off and on.
        if node.provision_state.class() != StateClass::Failed {
            last_error::clear(&mut node);
        }
        node.work = Some(Work::Power { target, timeout_s });
        let data = json!({"asked": target, "was": node.power_state});
        story.tell(
            &node,
            EventKind::Power,
            format!("{target} was asked for"),
            data,
        );
        self.accept(node, who, story, place).await
    }

    pub(crate) async fn set_boot_mode(
        self: &Arc<Self>,
        who: &Caller,
        id: NodeId,
        mode: String,
    ) -> Result<(), Fault> {
        let work = Work::BootMode { target: mode };
        lock::retried(|| self.switch(who, id, work.clone(), None)).await
    }

    pub(crate) async fn set_secure_boot(
        self: &Arc<Self>,
        who: &Caller,
        id: NodeId,
        on: bool,
    ) -> Result<(), Fault> {
        let work = Work::SecureBoot { target: on };
        lock::retried(|| self.switch(who, id, work.clone(), None)).await
    }

    pub(crate) async fn set_console(
        self: &Arc<Self>,
        who: &Caller,
        id: NodeId,
        on: bool,
    ) -> Result<(), Fault> {
        let work = Work::Console { enabled: on };
        lock::retried(|| self.switch(who, id, work.clone(), Some(on))).await
    }

    /// Hands one of the small switches to a worker.
    async fn switch(
        self: &Arc<Self>,
        who: &Caller,
        id: NodeId,
        work: Work,
        console: Option<bool>,
    ) -> Result<(), Fault> {
        let mut node = self.load_free(id).await?;
        self.check_host(&node.driver, &node.conductor_group)?;
        if let Some(on) = console {
            let hardware = self.hardware(&node)?;
            self.ask(&mut node, async |machine| {
                hardware.console.validate(machine).await
            })
            .await?;
            if node.console_enabled == on {
                return Ok(());
            }
        } else if S::UNSTABLE.contains(&node.provision_state) {
            // The placeholder is not filled in by Ironic either.
            return Err(Fault::InvalidState(
                "Node is in %(state)s state. Since node is transitioning, the boot mode will not be set as this may interfere with ongoing changes and result in erroneous modification. Try again later.".into(),
            ));
        }
        let place = self.workers.for_request()?;
        last_error::clear(&mut node);
        node.work = Some(work);
        self.accept(node, who, ChangeLog::new(who), place).await
    }

    pub(crate) async fn console(&self, id: NodeId) -> Result<ConsoleState, Fault> {
        let mut node = self.load(id).await?;
        if !node.console_enabled {
            return Ok(ConsoleState {
                enabled: false,
                info: Value::Null,
            });
        }
        let hardware = self.hardware(&node)?;
        let info = if hardware.console.is_graphical() {
            self.screen_info(&node)?
        } else {
            self.ask(&mut node, async |machine| {
                hardware.console.info(machine).await
            })
            .await?
        };
        Ok(ConsoleState {
            enabled: true,
            info,
        })
    }

    pub(crate) async fn validate(&self, id: NodeId) -> Result<Vec<Validation>, Fault> {
        use InterfaceKind as K;
        /// The order in which Ironic lists them.
        const ORDER: [K; 12] = [
            K::Boot,
            K::Deploy,
            K::Management,
            K::Network,
            K::Power,
            K::Bios,
            K::Console,
            K::Firmware,
            K::Inspect,
            K::Raid,
            K::Rescue,
            K::Storage,
        ];
        let mut node = self.load(id).await?;
        self.check_host(&node.driver, &node.conductor_group)?;
        self.detect_deploy(&mut node);
        let hardware = self.hardware(&node)?;
        let mut verdicts = Vec::with_capacity(ORDER.len());
        for interface in ORDER {
            let mut asked = self
                .ask(&mut node, async |machine| {
                    let boots = self.settings.ramdisk.manages_boot;
                    hardware.validate(interface, machine, boots).await
                })
                .await;
            if interface == K::Deploy && asked.is_ok() {
                asked = self.check_deployment(&node, &hardware).await;
            }
            let reason = asked.err().map(|fault| fault.to_string());
            verdicts.push(Validation { interface, reason });
        }
        let known = self.registry.driver_properties(&node.driver);
        for Slip { field, key, meant } in slips(&node, &known.unwrap_or_default()) {
            let reasons = verdicts.iter_mut().filter_map(|one| one.reason.as_mut());
            for reason in reasons.filter(|reason| reason.contains(&meant)) {
                reason.push_str(&format!(" {field} has {key}: did you mean {meant}?"));
            }
        }
        Ok(verdicts)
    }

    pub(crate) async fn supported_boot_devices(&self, id: NodeId) -> Result<Vec<String>, Fault> {
        let node = self.load(id).await?;
        let hardware = self.hardware(&node)?;
        let devices = hardware.management.supported_boot_devices();
        Ok(devices.iter().map(|&d| d.to_owned()).collect())
    }

    pub(crate) async fn boot_device(self: &Arc<Self>, id: NodeId) -> Result<BootDevice, Fault> {
        self.exclusively(id, &Caller::service(), |mut task| async move {
            let hardware = task.hardware.clone();
            let answer = hardware.management.boot_device(&task.machine()).await;
            let answer = answer.map_err(|error| flow::fault(&task.node, &error));
            (task, answer)
        })
        .await
    }

    pub(crate) async fn set_boot_device(
        self: &Arc<Self>,
        who: &Caller,
        id: NodeId,
        device: String,
        persistent: bool,
    ) -> Result<(), Fault> {
        self.exclusively(id, who, move |mut task| async move {
            let hardware = task.hardware.clone();
            let (outcome, warnings) = match task.hands() {
                Ok((lease, mut machine)) => {
                    let management = &hardware.management;
                    let outcome = management
                        .set_boot_device(lease, &mut machine, &device, persistent)
                        .await;
                    (outcome, std::mem::take(&mut machine.found.warnings))
                }
                Err(error) => (Err(error), Vec::new()),
            };
            task.warn(warnings);
            answer(task, outcome)
        })
        .await
    }

    pub(crate) async fn inject_nmi(
        self: &Arc<Self>,
        who: &Caller,
        id: NodeId,
    ) -> Result<(), Fault> {
        while_asked!(self, who, id, |hardware, lease, machine| {
            hardware.management.inject_nmi(lease, &mut machine)
        })
    }

    pub(crate) async fn indicators(&self, id: NodeId) -> Result<Vec<Indicator>, Fault> {
        let mut node = self.load(id).await?;
        let hardware = self.hardware(&node)?;
        self.ask(&mut node, async |machine| {
            hardware.management.indicators(machine).await
        })
        .await
    }

    pub(crate) async fn indicator(
        &self,
        id: NodeId,
        component: String,
        name: String,
    ) -> Result<String, Fault> {
        let mut node = self.load(id).await?;
        let hardware = self.hardware(&node)?;
        let management = &hardware.management;
        self.ask(&mut node, async |machine| {
            management.indicator(machine, &component, &name).await
        })
        .await
    }

    pub(crate) async fn set_indicator(
        self: &Arc<Self>,
        who: &Caller,
        id: NodeId,
        component: String,
        name: String,
        state: String,
    ) -> Result<(), Fault> {
        while_asked!(self, who, id, |hardware, lease, machine| {
            let management = &hardware.management;
            management.set_indicator(lease, &mut machine, &component, &name, &state)
        })
    }

    pub(crate) async fn check_raid(&self, id: NodeId) -> Result<(), Fault> {
        let mut node = self.load(id).await?;
        let hardware = self.hardware(&node)?;
        let asked = self
            .ask(&mut node, async |machine| {
                hardware.raid.validate(machine).await
            })
            .await;
        asked.map_err(|fault| match fault {
            Fault::Unsupported { driver, extension } => Fault::NoSuchFeature { driver, extension },
            other => other,
        })
    }

    /// Asks an interface something that changes nothing, without the lease.
    pub(crate) async fn ask<T>(
        &self,
        node: &mut Node,
        question: impl AsyncFnOnce(&Machine<'_>) -> Result<T, DriverError>,
    ) -> Result<T, Fault> {
        self.ask_for(&Caller::service(), node, question).await
    }

    /// The same in the name of a caller: what a user may not see in another service, a question of
    /// that user does not find there.
    pub(crate) async fn ask_for<T>(
        &self,
        who: &Caller,
        node: &mut Node,
        question: impl AsyncFnOnce(&Machine<'_>) -> Result<T, DriverError>,
    ) -> Result<T, Fault> {
        let driver_info = self.opened_driver_info(node)?;
        let ports = self.ports(node.id).await?;
        let volumes = match self.registry.hardware(node) {
            Ok(hardware) => self.volumes(node.id, &hardware).await?,
            Err(_) => NO_VOLUMES.clone(),
        };
        let (groups, boots_from_network) = match self.registry.hardware(node) {
            Ok(hardware) => (
                self.portgroups(node.id, &hardware).await?,
                hardware.boot.boots_from_network(),
            ),
            Err(_) => (Vec::new(), true),
        };
        let machine = Machine::new(node, &driver_info, &ports)
            .with_volumes(&volumes)
            .with_portgroups(&groups, boots_from_network)
            .asked_for_by(who);
        let answer = question(&machine).await;
        answer.map_err(|error| flow::fault(node, &error))
    }

    /// The port groups of a node, where its network interface looks at them.
    pub(crate) async fn portgroups(
        &self,
        id: NodeId,
        hardware: &Hardware,
    ) -> Result<Vec<types::Portgroup>, Fault> {
        if !hardware.network.uses_neutron() {
            return Ok(Vec::new());
        }
        let found = store::portgroup::of_node(&self.db, id).await;
        found.map_err(|error| lock::fault(error, id))
    }

    /// The ports of a node, which some hardware cannot be validated without.
    pub(crate) async fn ports(&self, id: NodeId) -> Result<Vec<types::Port>, Fault> {
        let found = store::port::of_node(&self.db, id).await;
        found.map_err(|error| lock::fault(error, id))
    }
}

pub(crate) fn answer<T>(task: Task, outcome: Result<T, DriverError>) -> (Task, Result<T, Fault>) {
    let answer = outcome.map_err(|error| flow::fault(&task.node, &error));
    (task, answer)
}
