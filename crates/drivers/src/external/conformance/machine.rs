//! A machine to try an interface on, as the conductor would show it.

use super::{Outcome, Report};
use crate::{
    DriverError,
    external::{External, Feature},
    iface::{Bios, Firmware, Inspect, Interface, Machine, Management, Power, Vendor},
};
use std::time::Duration;
use tokio::time::Instant;
use types::{
    InterfaceKind, JsonMap, LeaseProof, Node, NodeId,
    step::{Step, StepOutcome},
};

pub(super) struct Bench {
    node: Node,
    info: JsonMap,
    lease: LeaseProof,
}

impl Bench {
    pub(super) fn new(info: JsonMap) -> Self {
        let id = NodeId::generate();
        let mut node = Node::new(id, "conformance");
        node.driver_info = info.clone();
        Self {
            node,
            info,
            lease: LeaseProof::granted(id, 1),
        }
    }

    /// All that an interface can be asked without changing anything.
    pub(super) async fn read(&mut self, external: &External, report: &mut Report) {
        let spec = external.spec();
        let name = format!("{} {}", spec.kind, spec.name);
        let mut machine = Machine::new(&mut self.node, &self.info, &[]);
        let valid = external.validate(&machine).await;
        let is_valid = valid.is_ok();
        report.judge(format!("{name}: the machine is described well"), valid);
        if !is_valid {
            return;
        }
        let call = |what: &str| format!("{name}: {what}");
        match spec.kind {
            InterfaceKind::Power => {
                report.judge(call("power.get"), external.get(&machine).await);
            }
            InterfaceKind::Management => {
                let device = external.boot_device(&machine).await;
                report.judge(call("management.boot_device"), device);
                self.features(external, &name, report).await;
            }
            InterfaceKind::Bios => {
                let read = external.cache_settings(&mut machine).await;
                report.judge(call("bios.settings"), read);
            }
            InterfaceKind::Firmware => {
                let read = external.cache_components(&mut machine).await;
                report.judge(call("firmware.components"), read);
            }
            InterfaceKind::Inspect => {
                let read = external.inspect(&self.lease, &mut machine).await;
                report.judge(call("inspect"), read);
            }
            InterfaceKind::Vendor => {
                for method in external.methods() {
                    let is_reading = method.http_methods == ["GET"];
                    let nothing = JsonMap::new();
                    if !is_reading || Vendor::check(external, &method.name, &nothing).is_err() {
                        continue;
                    }
                    let called = Vendor::call(external, None, &mut machine, &method.name, &nothing);
                    report.judge(call(&method.name), called.await);
                }
            }
            _ => {}
        }
    }

    async fn features(&mut self, external: &External, name: &str, report: &mut Report) {
        let machine = Machine::new(&mut self.node, &self.info, &[]);
        for feature in &external.spec().features {
            let read: Result<(), DriverError> = match feature {
                Feature::BootMode => external.boot_mode(&machine).await.map(drop),
                Feature::SecureBoot => external.secure_boot(&machine).await.map(drop),
                Feature::Indicators => external.indicators(&machine).await.map(drop),
                Feature::Sensors => external.sensors(&machine).await.map(drop),
                Feature::Health => external.health(&machine).await.map(drop),
                Feature::Vendor => external.vendor(&machine).await.map(drop),
                Feature::MacAddresses => external.mac_addresses(&machine).await.map(drop),
                Feature::Validate
                | Feature::SetBootMode
                | Feature::SetSecureBoot
                | Feature::InjectNmi => continue,
            };
            report.judge(format!("{name}: management.{feature}"), read);
        }
    }

    /// Switches the machine, sets its boot device, and carries out the steps that need no arguments.
    pub(super) async fn change(
        &mut self,
        external: &External,
        within: Duration,
        report: &mut Report,
    ) {
        let spec = external.spec();
        let name = format!("{} {}", spec.kind, spec.name);
        for &target in spec.targets {
            let mut machine = Machine::new(&mut self.node, &self.info, &[]);
            let check = format!("{name}: {target}");
            let set = external.set(&self.lease, &mut machine, target, None).await;
            let Ok(()) = set else {
                report.judge(check, set);
                continue;
            };
            match external.get(&machine).await {
                Ok(Some(state)) if state == target.end_state() => report.passed(check, ""),
                Ok(None) => report.passed(check, "the machine does not tell its state"),
                Ok(Some(state)) => report.failed(check, format!("afterwards it is {state}")),
                Err(error) => report.failed(check, types::error::chain(&error)),
            }
        }
        for device in spec.boot_devices {
            let mut machine = Machine::new(&mut self.node, &self.info, &[]);
            let set = external.set_boot_device(&self.lease, &mut machine, device, false);
            report.judge(format!("{name}: boot from {device}"), set.await);
        }
        for step in spec.steps {
            let check = format!("{name}: {} step {}", step.kind, step.step);
            if step.args.iter().any(|arg| arg.required) {
                report.add(check, Outcome::Skipped, "it needs arguments");
                continue;
            }
            let step = Step::offered(spec.kind, step);
            let done = self.carry_out(external, &step, within).await;
            report.judge(check, done);
        }
    }

    async fn carry_out(
        &mut self,
        external: &External,
        step: &Step,
        within: Duration,
    ) -> Result<(), DriverError> {
        let end = Instant::now() + within;
        self.node.driver_internal_info.forget_step_poll();
        loop {
            let mut machine = Machine::new(&mut self.node, &self.info, &[]);
            match external.run_step(&self.lease, &mut machine, step).await? {
                StepOutcome::Done | StepOutcome::Wait { .. } => return Ok(()),
                StepOutcome::Again { reason, after, .. } => {
                    if Instant::now() + after > end {
                        return Err(DriverError::Unfinished(
                            format!("after {} s it waits: {reason}", within.as_secs()).into(),
                        ));
                    }
                    tokio::time::sleep(after).await;
                }
            }
        }
    }
}
