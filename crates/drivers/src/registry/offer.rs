//! The steps that nodes of a hardware type can have, for people who write runbooks and templates.
//!
//! Drivers declare theirs. The conductor's own have whatever interface one likes and stand here under
//! `power`. An agent tells its steps when it runs; those of a stock ironic-python-agent are listed
//! here so that they can be offered before.

use super::Registry;
use crate::{catalog::InterfaceError, iface::DeployBy};
use types::{
    InterfaceKind,
    rpc::recipe::{OfferedStep, StepArgument},
    step::{StepKind, StepSpec},
};

/// Steps that the conductor carries out itself, and what their argument is.
const OF_CONDUCTOR: &[(&str, Option<(&str, &str)>)] = &[
    ("power_on", None),
    ("power_off", None),
    ("reboot", None),
    ("hold", None),
    (
        "wait",
        Some((
            "seconds",
            "How long to wait; without it, until the next heartbeat.",
        )),
    ),
];

/// Steps of an agent: name, interface, priority, the flows that have it.
const OF_AGENT: &[(&str, InterfaceKind, i64, &[StepKind])] = {
    use InterfaceKind::{Deploy, Raid};
    use StepKind as K;
    &[
        ("erase_devices", Deploy, 10, &[K::Clean]),
        ("erase_devices_metadata", Deploy, 99, &[K::Clean, K::Deploy]),
        ("erase_devices_express", Deploy, 0, &[K::Clean]),
        ("erase_pstore", Deploy, 0, &[K::Clean]),
        ("clean_uefi_nvram", Deploy, 0, &[K::Clean, K::Deploy]),
        ("delete_configuration", Raid, 0, &[K::Clean, K::Service]),
        ("create_configuration", Raid, 0, &[K::Clean, K::Service]),
        ("apply_configuration", Raid, 0, &[K::Deploy, K::Service]),
        ("burnin_cpu", Deploy, 0, &[K::Clean, K::Service]),
        ("burnin_gpu", Deploy, 0, &[K::Clean, K::Service]),
        ("burnin_disk", Deploy, 0, &[K::Clean]),
        ("burnin_memory", Deploy, 0, &[K::Clean, K::Service]),
        ("burnin_network", Deploy, 0, &[K::Clean, K::Service]),
        ("inject_files", Deploy, 0, &[K::Deploy, K::Service]),
        ("execute_bootc_install", Deploy, 0, &[K::Deploy, K::Service]),
    ]
};

impl Registry {
    /// The steps of all implementations that nodes of this type may use here.
    pub fn offered_steps(&self, driver: &str) -> Result<Vec<OfferedStep>, InterfaceError> {
        let hardware_type = self.catalog.hardware_type(driver)?;
        let mut all = Vec::new();
        let mut by_agent = false;
        for &kind in InterfaceKind::ALL {
            let default = self.catalog.default_interface(hardware_type, kind, None)?;
            let names = self.catalog.enabled(kind).iter();
            for name in names.filter(|name| self.catalog.check(hardware_type, kind, name).is_ok()) {
                let found = self.implementations.interface(kind, name);
                for spec in found.map_or(&[][..], |found| found.steps()) {
                    all.push(declared(kind, name, name == default, spec));
                }
                let deploy = self.implementations.deploy(name);
                by_agent |= kind == InterfaceKind::Deploy
                    && deploy.is_some_and(|deploy| deploy.by() == DeployBy::Agent);
            }
        }
        all.extend(of_conductor());
        if by_agent {
            all.extend(of_agent());
        }
        Ok(all)
    }
}

fn declared(kind: InterfaceKind, name: &str, is_default: bool, spec: &StepSpec) -> OfferedStep {
    let args = spec.args.iter().map(|arg| StepArgument {
        name: arg.name.to_owned(),
        description: arg.description.to_owned(),
        required: arg.required,
    });
    OfferedStep {
        interface: kind,
        implementation: name.to_owned(),
        is_default,
        kind: spec.kind,
        step: spec.step.to_owned(),
        priority: spec.priority,
        abortable: spec.abortable,
        requires_ramdisk: spec.requires_ramdisk,
        args: args.collect(),
    }
}

fn of_conductor() -> impl Iterator<Item = OfferedStep> {
    let kinds = [StepKind::Clean, StepKind::Deploy, StepKind::Service];
    OF_CONDUCTOR.iter().flat_map(move |(step, arg)| {
        kinds.map(|kind| OfferedStep {
            interface: InterfaceKind::Power,
            implementation: "conductor".to_owned(),
            is_default: true,
            kind,
            step: (*step).to_owned(),
            priority: 0,
            abortable: false,
            requires_ramdisk: false,
            args: arg
                .iter()
                .map(|(name, description)| StepArgument {
                    name: (*name).to_owned(),
                    description: (*description).to_owned(),
                    required: false,
                })
                .collect(),
        })
    })
}

fn of_agent() -> impl Iterator<Item = OfferedStep> {
    OF_AGENT
        .iter()
        .flat_map(|(step, interface, priority, kinds)| {
            kinds.iter().map(|kind| OfferedStep {
                interface: *interface,
                implementation: "agent".to_owned(),
                is_default: true,
                kind: *kind,
                step: (*step).to_owned(),
                priority: if *kind == StepKind::Clean {
                    *priority
                } else {
                    0
                },
                abortable: *kind != StepKind::Deploy,
                requires_ramdisk: true,
                args: Vec::new(),
            })
        })
}
