//! Accepting provision verbs: everything that is checked and written before the answer.
//!
//! The order of checks is Ironic's, because clients see which comes first.

use crate::{autodetect, core::Core, last_error, lock, record::ChangeLog, rescue_password, steps};
use drivers::iface::{DeployBy, Hardware, RamdiskKind};
use serde_json::Value;
use std::sync::Arc;
use types::{
    Caller, Fault, InterfaceKind, Node, NodeId, ProvisionState as S, Timestamp, Verb, Work,
    rpc::ProvisionRequest,
    step::{Step, StepKind, UserStep},
    work::Phase,
};

impl Core {
    /// Accepts a verb, or says why not. `action` is the client's own word for it.
    pub(crate) async fn provision(
        self: &Arc<Self>,
        who: &Caller,
        id: NodeId,
        action: String,
        request: ProvisionRequest,
    ) -> Result<(), Fault> {
        lock::retried(|| Box::pin(self.try_provision(who, id, &action, request.clone()))).await
    }

    async fn try_provision(
        self: &Arc<Self>,
        who: &Caller,
        id: NodeId,
        action: &str,
        request: ProvisionRequest,
    ) -> Result<(), Fault> {
        self.check_limits(&request).await?;
        let node = self.load_free(id).await?;
        self.check_host(&node.driver, &node.conductor_group)?;
        let verb = request.verb();
        match request {
            ProvisionRequest::Abort => return self.abort(who, node, action).await,
            ProvisionRequest::Unhold => return self.unhold(who, node, action).await,
            ProvisionRequest::Manage if node.provision_state != S::Enroll => {
                return self.plain_move(who, node, action, verb).await;
            }
            _ => {}
        }
        let mut node = node;
        self.check_allowed(&node, &request)?;
        check_actionable(&node, verb, action)?;
        self.check_boot_mode(&node, &request)?;
        let from = node.provision_state;
        let work = self.prepare(&mut node, who, &request).await?;
        let place = self.workers.for_request()?;
        let mut story = ChangeLog::new(who);
        // Every action that a user starts forgets what went wrong before.
        last_error::clear(&mut node);
        process(&mut node, verb, action, &mut story)?;
        node.work = Some(match work {
            Work::TearDown { .. } => Work::TearDown { from },
            other => other,
        });
        self.accept(node, who, story, place).await
    }

    /// Refuses when too many machines are in the same kind of operation.
    pub(crate) async fn check_limits(&self, request: &ProvisionRequest) -> Result<(), Fault> {
        let (states, limit, word): (&[S], i64, &'static str) = match request {
            ProvisionRequest::Deploy { .. } | ProvisionRequest::Rebuild { .. } => (
                &[S::Deploying, S::DeployWait],
                self.settings.max_concurrent_deploy,
                "provisioning",
            ),
            ProvisionRequest::TearDown => (
                CLEANING,
                self.settings.max_concurrent_clean,
                "unprovisioning",
            ),
            ProvisionRequest::Clean { .. } => {
                (CLEANING, self.settings.max_concurrent_clean, "cleaning")
            }
            _ => return Ok(()),
        };
        let group = self.settings.conductor_group.as_str();
        let counted = self
            .settings
            .max_concurrent_per_conductor_group
            .then_some(group);
        let busy = store::node::count_in_states(&self.db, states, counted)
            .await
            .map_err(|error| {
                tracing::error!(error = %types::error::chain(&error), "nodes cannot be counted");
                Fault::Unavailable
            })?;
        if busy >= limit {
            Err(Fault::ConcurrentActionLimit(word.into()))
        } else {
            Ok(())
        }
    }

    /// Maintenance, protection, retirement.
    pub(crate) fn check_allowed(
        &self,
        node: &Node,
        request: &ProvisionRequest,
    ) -> Result<(), Fault> {
        use ProvisionRequest as R;
        let in_maintenance = |operation: &'static str| {
            Err(Fault::InMaintenance {
                operation: operation.into(),
                node: node.id,
            })
        };
        match request {
            R::Deploy { .. } | R::Rebuild { .. } if node.maintenance => {
                in_maintenance("provisioning")
            }
            R::Rebuild { .. } | R::TearDown if node.protected => Err(Fault::Protected(node.id)),
            R::Clean { .. } if node.maintenance => in_maintenance("cleaning"),
            R::Service { .. } if node.maintenance => in_maintenance("service"),
            R::Rescue { .. } if node.maintenance => in_maintenance("rescuing"),
            R::Unrescue if node.maintenance => in_maintenance("unrescuing"),
            R::Provide if node.maintenance && !self.settings.allow_provisioning_in_maintenance => {
                in_maintenance("providing")
            }
            R::Provide if node.is_retired() => Err(Fault::Retired {
                operation: "providing".into(),
                node: node.id,
            }),
            _ => Ok(()),
        }
    }

    /// Boot modes that operators want no instance to have.
    pub(crate) fn check_boot_mode(
        &self,
        node: &Node,
        request: &ProvisionRequest,
    ) -> Result<(), Fault> {
        use ProvisionRequest as R;
        if !matches!(request, R::Deploy { .. } | R::Rebuild { .. }) {
            return Ok(());
        }
        let mode = node.properties.get("boot_mode").and_then(Value::as_str);
        let mode = mode.unwrap_or_default().to_lowercase();
        let disallowed = &self.settings.disallowed_deployment_boot_modes;
        if disallowed.iter().any(|bad| bad == mode.trim()) {
            return Err(Fault::InvalidParameter(format!(
                "'{mode}' boot mode is not allowed for provisioning operation."
            )));
        }
        Ok(())
    }

    /// Validates through the driver and writes the request's arguments into the node.
    pub(crate) async fn prepare(
        &self,
        node: &mut Node,
        who: &Caller,
        request: &ProvisionRequest,
    ) -> Result<Work, Fault> {
        self.choose_deploy(node, request);
        let hardware = self.hardware(node)?;
        match request {
            ProvisionRequest::Deploy { configdrive, steps } => {
                self.prepare_deploy(node, who, &hardware, configdrive, steps, false)
                    .await?;
                Ok(Work::Deploy {
                    phase: Phase::Prepare,
                })
            }
            ProvisionRequest::Rebuild { configdrive, steps } => {
                self.prepare_deploy(node, who, &hardware, configdrive, steps, true)
                    .await?;
                Ok(Work::Deploy {
                    phase: Phase::Prepare,
                })
            }
            ProvisionRequest::TearDown => {
                self.validate_power(
                    who,
                    node,
                    &hardware,
                    "Failed to validate power driver interface",
                )
                .await?;
                node.driver_internal_info.forget_agent_url();
                Ok(Work::TearDown {
                    from: node.provision_state,
                })
            }
            ProvisionRequest::Inspect => {
                self.ask_for(who, node, async |machine| {
                    hardware.power.validate(machine).await
                })
                .await?;
                self.ask_for(who, node, async |machine| {
                    let boots = self.settings.ramdisk.manages_boot;
                    let kind = InterfaceKind::Inspect;
                    hardware.validate(kind, machine, boots).await
                })
                .await?;
                Ok(Work::Inspect)
            }
            ProvisionRequest::Clean {
                steps,
                disable_ramdisk,
            } => {
                let boots = self.boots_agent(node, &hardware, StepKind::Clean, steps);
                let boots = boots && !disable_ramdisk;
                self.validate_for(who, node, &hardware, "cleaning", boots)
                    .await?;
                let list: Vec<Value> = steps
                    .iter()
                    .map(|s| Value::Object(s.given.clone()))
                    .collect();
                node.driver_internal_info
                    .request_clean_steps(list, *disable_ramdisk);
                Ok(Work::Clean {
                    phase: Phase::Prepare,
                })
            }
            ProvisionRequest::Service {
                steps,
                disable_ramdisk,
            } => {
                let boots = self.boots_agent(node, &hardware, StepKind::Service, steps);
                let boots = boots && !disable_ramdisk;
                self.validate_for(who, node, &hardware, "servicing", boots)
                    .await?;
                let list: Vec<Step> = steps
                    .iter()
                    .map(|s| {
                        let spec = steps::find(&hardware, StepKind::Service, s.interface, &s.step);
                        Step::asked(s, spec)
                    })
                    .collect();
                steps::store_list(node, StepKind::Service, &list);
                // Null means that nobody asked: the list itself then tells.
                let unneeded = list.iter().all(|step| !step.requires_ramdisk);
                let disabled = (*disable_ramdisk || unneeded).then_some(true);
                node.driver_internal_info
                    .set_services_without_ramdisk(disabled);
                Ok(Work::Service {
                    phase: Phase::Prepare,
                })
            }
            ProvisionRequest::Rescue { password } => {
                self.prepare_rescue(who, node, &hardware, password).await?;
                Ok(Work::Rescue {
                    phase: Phase::Prepare,
                })
            }
            ProvisionRequest::Unrescue => {
                self.validate_power(
                    who,
                    node,
                    &hardware,
                    "Failed to unrescue: validation failed",
                )
                .await?;
                Ok(Work::Unrescue)
            }
            ProvisionRequest::Manage => Ok(Work::Verify),
            ProvisionRequest::Provide => {
                // The steps are chosen when cleaning begins; here only so that whoever asks is told.
                self.cleaning_runbook(node).await?;
                let is_cleaned = node
                    .automated_clean
                    .unwrap_or(self.settings.automated_clean);
                if is_cleaned && hardware.network.uses_neutron() {
                    self.validate_for(who, node, &hardware, "cleaning", false)
                        .await?;
                }
                Ok(Work::Clean {
                    phase: Phase::Prepare,
                })
            }
            ProvisionRequest::Adopt => Ok(Work::Adopt),
            // Answered before.
            ProvisionRequest::Abort | ProvisionRequest::Unhold => Ok(Work::Exclusive),
        }
    }

    async fn prepare_rescue(
        &self,
        who: &Caller,
        node: &mut Node,
        hardware: &Hardware,
        password: &str,
    ) -> Result<(), Fault> {
        let (id, instance) = (node.id, node.instance_uuid.clone());
        // The rescue interface wants to see it; a request that is refused leaves the row as it is.
        node.instance_info
            .insert("rescue_password".into(), password.into());
        let validated = self.ask_for(who, node, async |machine| {
            hardware.power.validate(machine).await?;
            let boots = self.settings.ramdisk.manages_boot;
            hardware
                .validate(InterfaceKind::Rescue, machine, boots)
                .await
        });
        validated.await.map_err(|fault| match fault {
            // Nobody's parameters are wrong when this service cannot ask.
            Fault::Unavailable | Fault::Internal(_) => fault,
            other => Fault::InvalidParameter(format!(
                "Failed to rescue instance {} for node {id}: Validation failed: {other}",
                instance.as_deref().unwrap_or("None")
            )),
        })?;
        let hashed = rescue_password::hashed(password, self.settings.rescue_password_sha512)?;
        node.instance_info
            .insert("hashed_rescue_password".into(), hashed.into());
        node.driver_internal_info.forget_agent();
        Ok(())
    }

    /// Whether steps need an agent that this service boots: not where one may be running still, nor
    /// where no step needs any.
    fn boots_agent(
        &self,
        node: &Node,
        hardware: &Hardware,
        kind: StepKind,
        asked: &[UserStep],
    ) -> bool {
        let is_managed = match hardware.deploy.by() {
            DeployBy::Itself => false,
            DeployBy::Agent => self.settings.ramdisk.manages_boot,
            DeployBy::Ramdisk | DeployBy::Installer => true,
        };
        let needs_none = |step: &UserStep| {
            let spec = steps::find(hardware, kind, step.interface, &step.step);
            spec.is_some_and(|spec| !spec.requires_ramdisk)
        };
        is_managed && !self.is_fast_track(node) && !asked.iter().all(needs_none)
    }

    /// Power and network, which every machine needs that steps are carried out on, and the ramdisk
    /// where one is booted for them: whoever asks is told at once. Ironic looks at the ramdisk only
    /// when it prepares the machine, and the node ends up in a failed state.
    async fn validate_for(
        &self,
        who: &Caller,
        node: &mut Node,
        hardware: &Hardware,
        what: &str,
        boots_agent: bool,
    ) -> Result<(), Fault> {
        let id = node.id;
        let validated = self
            .ask_for(who, node, async |machine| {
                hardware.power.validate(machine).await?;
                hardware.network.validate(machine).await?;
                if boots_agent {
                    let kind = RamdiskKind::Deploy;
                    hardware.boot.validate_ramdisk(machine, kind).await?;
                }
                Ok(())
            })
            .await;
        validated.map_err(|fault| match fault {
            Fault::InvalidParameter(why) => {
                Fault::InvalidParameter(format!("Validation of node {id} for {what} failed: {why}"))
            }
            other => other,
        })
    }

    async fn validate_power(
        &self,
        who: &Caller,
        node: &mut Node,
        hardware: &Hardware,
        text: &str,
    ) -> Result<(), Fault> {
        let validated = self
            .ask_for(who, node, async |machine| {
                hardware.power.validate(machine).await
            })
            .await;
        validated.map_err(|fault| match fault {
            // Nobody's parameters are wrong when the database is away.
            Fault::Unavailable => fault,
            other => Fault::InvalidParameter(format!("{text}. Error: {other}")),
        })
    }

    /// A move that needs no worker: `manage` of a node that was verified before.
    async fn plain_move(
        &self,
        who: &Caller,
        node: Node,
        action: &str,
        verb: Verb,
    ) -> Result<(), Fault> {
        let action = action.to_owned();
        self.change(node.id, |node, log| {
            let mut story = ChangeLog::new(who);
            process(node, verb, &action, &mut story)?;
            *log = story.into_log();
            Ok(())
        })
        .await
        .map(|_| ())
    }
}

const CLEANING: &[S] = &[S::Deleting, S::Cleaning, S::CleanWait];

pub(crate) fn check_actionable(node: &Node, verb: Verb, action: &str) -> Result<(), Fault> {
    match node.provision_state.after(verb) {
        Some(_) => Ok(()),
        None => Err(not_in_this_state(node, action)),
    }
}

fn not_in_this_state(node: &Node, action: &str) -> Fault {
    Fault::InvalidStateRequested {
        action: action.to_owned(),
        node: node.id.to_string(),
        state: node.provision_state.to_string(),
    }
}

pub(crate) fn process(
    node: &mut Node,
    verb: Verb,
    action: &str,
    story: &mut ChangeLog,
) -> Result<(), Fault> {
    let from = node.provision_state;
    node.process(verb, Timestamp::now())
        .map_err(|_| not_in_this_state(node, action))?;
    autodetect::restore(node, from);
    story.moved(node, from, verb);
    Ok(())
}
