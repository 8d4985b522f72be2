//! RAID over Redfish: volumes made of drives, and unmade.
//!
//! A step writes down what it is going to do before it does it, and does one thing at a time, so
//! that a conductor which is restarted in between sees from the machine's volumes how far it was.
//! What was asked for is read back: a volume that is not there, or is of another level, is an
//! error.

mod dell;
mod level;
mod plan;
mod volume;
mod work;

use super::{Redfish, info::PROPERTIES};
use crate::{
    DriverError,
    iface::{Interface, Machine, Raid},
    logical_disk::LOGICAL_DISK_PROPERTIES,
};
use async_trait::async_trait;
use serde_json::Value;
use std::sync::Arc;
use types::{
    JsonMap, LeaseProof,
    step::{ArgSpec, OnRestart, Step, StepKind, StepOutcome, StepSpec},
};
use work::Order;

const fn optional(name: &'static str, description: &'static str) -> ArgSpec {
    ArgSpec {
        name,
        description,
        required: false,
    }
}

const ROOT: ArgSpec = optional(
    "create_root_volume",
    "This specifies whether to create the root volume. Defaults to `True`.",
);
const NONROOT: ArgSpec = optional(
    "create_nonroot_volumes",
    "This specifies whether to create the non-root volumes. Defaults to `True`.",
);
const DELETE: ArgSpec = optional(
    "delete_existing",
    "Setting this to `True` indicates to delete existing RAID configuration prior to creating the new configuration. Default value is `False`.",
);

const CREATE_ARGS: &[ArgSpec] = &[ROOT, NONROOT, DELETE];
const APPLY_ARGS: &[ArgSpec] = &[
    ArgSpec {
        name: "raid_config",
        description: "The RAID configuration to apply.",
        required: true,
    },
    optional(
        "create_root_volume",
        "Setting this to `False` indicates not to create root volume that is specified in `raid_config`. Default value is `True`.",
    ),
    optional(
        "create_nonroot_volumes",
        "Setting this to `False` indicates not to create non-root volumes (all except the root volume) in `raid_config`. Default value is `True`.",
    ),
    optional(
        "delete_existing",
        "Setting this to `True` indicates to delete existing RAID configuration prior to creating the new configuration. Default value is `True`.",
    ),
];

const fn step(
    kind: StepKind,
    step: &'static str,
    args: &'static [ArgSpec],
    requires_ramdisk: bool,
) -> StepSpec {
    StepSpec {
        kind,
        step,
        priority: 0,
        abortable: false,
        requires_ramdisk,
        args,
        on_restart: OnRestart::Repeat,
    }
}

const STEPS: &[StepSpec] = &[
    step(StepKind::Clean, "create_configuration", CREATE_ARGS, true),
    step(StepKind::Clean, "delete_configuration", &[], true),
    step(StepKind::Deploy, "apply_configuration", APPLY_ARGS, true),
    step(StepKind::Deploy, "delete_configuration", &[], true),
    step(StepKind::Service, "apply_configuration", APPLY_ARGS, true),
    step(StepKind::Service, "delete_configuration", &[], true),
];

const DELL_STEPS: &[StepSpec] = &[
    step(StepKind::Clean, "create_configuration", CREATE_ARGS, false),
    step(StepKind::Clean, "delete_configuration", &[], false),
    step(StepKind::Deploy, "apply_configuration", APPLY_ARGS, true),
    step(StepKind::Deploy, "delete_configuration", &[], true),
    step(StepKind::Service, "apply_configuration", APPLY_ARGS, true),
];

/// The `redfish` RAID interface, also under the name of a maker; iDRACs want more done.
#[derive(Debug, Clone)]
pub struct RedfishRaid {
    redfish: Arc<Redfish>,
    name: &'static str,
    is_dell: bool,
}

impl RedfishRaid {
    pub fn new(redfish: &Arc<Redfish>, name: &'static str) -> Self {
        Self {
            redfish: Arc::clone(redfish),
            name,
            is_dell: name == "idrac-redfish",
        }
    }

    /// What a step is to do, from its arguments and the node.
    fn order(&self, machine: &Machine<'_>, step: &Step) -> Result<Order, DriverError> {
        let node = machine.node.id;
        let flag = |name: &str, default: bool| match step.args.get(name) {
            None | Some(Value::Null) => Ok(default),
            Some(Value::Bool(on)) => Ok(*on),
            Some(_) => Err(DriverError::InvalidParameter(format!(
                "{name} must be true or false"
            ))),
        };
        let (target, nonroot, delete) = match step.step.as_str() {
            "delete_configuration" => return Ok(Order::deletion(self.is_dell)),
            "create_configuration" => (
                machine.node.target_raid_config.clone(),
                flag("create_nonroot_volumes", true)?,
                flag("delete_existing", false)?,
            ),
            "apply_configuration" => {
                let given = step.args.get("raid_config").and_then(Value::as_object);
                (
                    given.cloned().unwrap_or_default(),
                    // Not what its description says, but what Ironic does.
                    flag("create_nonroot_volumes", false)?,
                    flag("delete_existing", false)?,
                )
            }
            _ => {
                let name = step.name();
                return Err(DriverError::InvalidParameter(format!(
                    "there is no step {name}"
                )));
            }
        };
        let root = flag("create_root_volume", true)?;
        let wishes = chosen(&target, root, nonroot).map_err(|why| {
            DriverError::InvalidParameter(match why {
                None => format!("Node {node} has no target RAID configuration."),
                Some(why) => {
                    format!("Node {node} has empty target RAID configuration after {why}.")
                }
            })
        })?;
        Order::creation(node, wishes, delete, self.is_dell).map_err(DriverError::InvalidParameter)
    }
}

/// The logical disks of a configuration that are wanted, or why there are none.
fn chosen(
    target: &JsonMap,
    root: bool,
    nonroot: bool,
) -> Result<Vec<JsonMap>, Option<&'static str>> {
    let disks = target.get("logical_disks").and_then(Value::as_array);
    let all: Vec<&JsonMap> = disks
        .into_iter()
        .flatten()
        .filter_map(Value::as_object)
        .collect();
    if all.is_empty() {
        return Err(None);
    }
    let is_root = |disk: &JsonMap| disk.get("is_root_volume") == Some(&Value::Bool(true));
    let wanted = |disk: &&JsonMap| if is_root(disk) { root } else { nonroot };
    let chosen: Vec<JsonMap> = all.into_iter().filter(wanted).cloned().collect();
    if chosen.is_empty() {
        return Err(Some(match (root, nonroot) {
            (false, false) => "skipping root volume and skipping non-root volumes",
            (false, true) => "skipping root volume",
            _ => "skipping non-root volumes",
        }));
    }
    Ok(chosen)
}

#[async_trait]
impl Interface for RedfishRaid {
    fn name(&self) -> &'static str {
        self.name
    }

    fn properties(&self) -> &'static [(&'static str, &'static str)] {
        PROPERTIES
    }

    async fn validate(&self, _machine: &Machine<'_>) -> Result<(), DriverError> {
        // As Ironic: the address is looked at when it is needed.
        Ok(())
    }

    fn steps(&self) -> &'static [StepSpec] {
        if self.is_dell { DELL_STEPS } else { STEPS }
    }

    async fn run_step(
        &self,
        _lease: &LeaseProof,
        machine: &mut Machine<'_>,
        step: &Step,
    ) -> Result<StepOutcome, DriverError> {
        let info = self.redfish.info(machine)?;
        let mut order = match machine.step_state() {
            Some(state) => Order::read(state)?,
            None => self.order(machine, step)?,
        };
        let talk = self.redfish.talk(&info, "RAID configuration").await?;
        let outcome = order.go_on(&talk, machine).await?;
        if matches!(outcome, StepOutcome::Again { .. }) {
            machine.set_step_state(order.write()?);
        }
        Ok(outcome)
    }
}

#[async_trait]
impl Raid for RedfishRaid {
    fn logical_disk_properties(&self) -> &'static [(&'static str, &'static str)] {
        LOGICAL_DISK_PROPERTIES
    }
}
