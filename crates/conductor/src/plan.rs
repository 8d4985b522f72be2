//! What a provision verb would do, without doing any of it.
//!
//! The checks are those of the verb itself, on a copy of the node that is dropped again. The states
//! and steps are those of an operation in which nothing goes wrong; steps of an agent are not known
//! before it runs.

use crate::{
    core::Core,
    flow::clean,
    inband::{self, steps::Offer},
    provision::check_actionable,
    steps,
};
use drivers::iface::{DeployBy, Hardware};
use std::sync::Arc;
use types::{
    Caller, Fault, Node, NodeId, ProvisionState as S, mask,
    rpc::{Plan, PlannedStep, ProvisionRequest as R, StepSource},
    step::{Step, StepKind, UserStep},
};

impl Core {
    pub(crate) async fn plan(
        self: &Arc<Self>,
        who: &Caller,
        id: NodeId,
        action: String,
        request: R,
    ) -> Result<Plan, Fault> {
        let node = self.load(id).await?;
        let mut prepared = node.clone();
        let refusal = self.judge(who, &mut prepared, &action, &request).await;
        let refusal = match refusal {
            Ok(()) => None,
            // Whether it would be refused is not known then.
            Err(fault @ (Fault::Unavailable | Fault::Internal(_))) => return Err(fault),
            Err(fault) => Some(fault),
        };
        let mut plan = Plan {
            refusal,
            ..Plan::default()
        };
        if node.provision_state.after(request.verb()).is_none() {
            return Ok(plan);
        }
        let Ok(hardware) = self.hardware(&prepared) else {
            return Ok(plan);
        };
        plan.states = self.states(&node, &hardware, &request);
        if let Some(kind) = self.kind(&node, &request) {
            plan.steps = self.planned(&prepared, &hardware, kind, &request).await?;
            let offer = inband::steps::offer(&prepared, &hardware, &self.settings, kind);
            plan.has_more_steps = matches!(offer, Offer::Later) && adds_steps(&request);
        }
        Ok(plan)
    }

    /// What the verb is checked for, in its order.
    async fn judge(
        self: &Arc<Self>,
        who: &Caller,
        node: &mut Node,
        action: &str,
        request: &R,
    ) -> Result<(), Fault> {
        self.check_limits(request).await?;
        if let Some(host) = node.reservation.clone() {
            return Err(Fault::Locked {
                node: node.id,
                host,
            });
        }
        self.check_host(&node.driver, &node.conductor_group)?;
        let verb = request.verb();
        match request {
            R::Abort | R::Unhold => return check_actionable(node, verb, action),
            R::Manage if node.provision_state != S::Enroll => {
                return check_actionable(node, verb, action);
            }
            _ => {}
        }
        self.check_allowed(node, request)?;
        check_actionable(node, verb, action)?;
        self.check_boot_mode(node, request)?;
        self.prepare(node, who, request).await.map(|_| ())
    }

    /// The steps that a verb runs, if it runs any.
    fn kind(&self, node: &Node, request: &R) -> Option<StepKind> {
        let cleans = clean::applies(node, &self.settings);
        match request {
            R::Deploy { .. } | R::Rebuild { .. } => Some(StepKind::Deploy),
            R::Clean { .. } => Some(StepKind::Clean),
            R::Provide | R::TearDown if cleans => Some(StepKind::Clean),
            R::Service { .. } => Some(StepKind::Service),
            R::Manage if node.provision_state == S::Enroll => Some(StepKind::Verify),
            _ => None,
        }
    }

    async fn planned(
        &self,
        node: &Node,
        hardware: &Hardware,
        kind: StepKind,
        request: &R,
    ) -> Result<Vec<PlannedStep>, Fault> {
        let offer = inband::steps::offer(node, hardware, &self.settings, kind);
        let automatic = || steps::automatic(hardware, &self.settings, kind, &offer);
        let by_request = |steps: &[UserStep]| {
            let all = steps.iter().map(|asked| {
                let spec = steps::find(hardware, kind, asked.interface, &asked.step);
                shown(Step::asked(asked, spec), StepSource::Request)
            });
            all.collect()
        };
        Ok(match request {
            R::Clean { steps, .. } | R::Service { steps, .. } => by_request(steps),
            R::Deploy { steps, .. } | R::Rebuild { steps, .. } => {
                let templates = self.template_names(node).await?;
                let source = |step: &Step| {
                    let name = step.name();
                    if steps
                        .iter()
                        .any(|s| format!("{}.{}", s.interface, s.step) == name)
                    {
                        return StepSource::Request;
                    }
                    let template = templates.iter().find(|(known, _)| *known == name);
                    template.map_or(StepSource::Driver, |(_, template)| {
                        StepSource::Template(template.clone())
                    })
                };
                let mut list = node.driver_internal_info.steps(kind);
                if list.is_empty() {
                    // It was refused before its list was made.
                    list = automatic();
                }
                list.into_iter()
                    .map(|step| {
                        let source = source(&step);
                        shown(step, source)
                    })
                    .collect()
            }
            _ => match self.cleaning_runbook(node).await {
                Ok(Some(declared)) if kind == StepKind::Clean => {
                    let steps = declared.steps.iter().filter_map(|step| step.as_object());
                    let steps = steps.filter_map(|step| UserStep::from_map(step.clone()));
                    let steps = steps.map(|asked| {
                        let spec = steps::find(hardware, kind, asked.interface, &asked.step);
                        shown(Step::asked(&asked, spec), StepSource::Runbook)
                    });
                    steps.collect()
                }
                _ => automatic()
                    .into_iter()
                    .map(|step| shown(step, StepSource::Driver))
                    .collect(),
            },
        })
    }

    /// The states of an operation in which nothing goes wrong.
    fn states(&self, node: &Node, hardware: &Hardware, request: &R) -> Vec<S> {
        let from = node.provision_state;
        let boots = hardware.deploy.by() != DeployBy::Itself;
        let mut states = vec![from];
        let mut work = |state: S, wait: S, waits: bool| {
            states.push(state);
            if waits {
                states.extend([wait, state]);
            }
        };
        let without_ramdisk = matches!(
            request,
            R::Clean {
                disable_ramdisk: true,
                ..
            } | R::Service {
                disable_ramdisk: true,
                ..
            }
        );
        let end = match request {
            R::Deploy { .. } | R::Rebuild { .. } => {
                work(S::Deploying, S::DeployWait, boots);
                Some(S::Active)
            }
            R::Provide | R::TearDown => {
                if matches!(request, R::TearDown) {
                    work(S::Deleting, S::Deleting, false);
                }
                let cleans = clean::applies(node, &self.settings);
                work(S::Cleaning, S::CleanWait, boots && cleans);
                Some(S::Available)
            }
            R::Clean { .. } => {
                work(S::Cleaning, S::CleanWait, boots && !without_ramdisk);
                Some(S::Manageable)
            }
            R::Service { .. } => {
                work(S::Servicing, S::ServiceWait, boots && !without_ramdisk);
                Some(S::Active)
            }
            R::Inspect => {
                work(
                    S::Inspecting,
                    S::InspectWait,
                    hardware.inspect.takes_report(),
                );
                Some(S::Manageable)
            }
            R::Rescue { .. } => {
                work(S::Rescuing, S::RescueWait, hardware.rescue.by_agent());
                Some(S::Rescue)
            }
            R::Unrescue => {
                work(S::Unrescuing, S::Unrescuing, false);
                Some(S::Active)
            }
            R::Adopt => {
                work(S::Adopting, S::Adopting, false);
                Some(S::Active)
            }
            R::Manage if from == S::Enroll => {
                work(S::Verifying, S::Verifying, false);
                Some(S::Manageable)
            }
            R::Manage | R::Abort | R::Unhold => from.after(request.verb()),
        };
        states.extend(end);
        states
    }
}

/// Whether an agent may add steps to those that are known.
fn adds_steps(request: &R) -> bool {
    !matches!(request, R::Clean { .. } | R::Service { .. })
}

fn shown(step: Step, source: StepSource) -> PlannedStep {
    PlannedStep {
        interface: step.interface,
        priority: step.priority,
        args: mask::masked(&step.args),
        step: step.step,
        source,
    }
}
