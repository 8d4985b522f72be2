//! `states/provision`: the verbs that move a node through its life.
//!
//! The checks stand in the order of Ironic, because clients see which one comes first: the
//! verb's version, maintenance, the transition table, then arguments that do not belong to the
//! verb, and only at the end those that the verb needs. Whether the node may really move is the
//! conductor's decision; what is refused here would be refused there too.

mod many;
mod runbook;

pub(crate) use many::for_many;

use crate::{
    args::{Args, PyType},
    body::aside,
    call::Call,
    check::{
        configdrive,
        steps::{self, StepList},
        target::{Meaning, Target as T},
    },
    error::ApiError,
    lookup,
    policy::{Rule, Target},
    reply::Reply,
    v1::subject,
};
use axum::http::StatusCode;
use serde_json::Value;
use store::config_drive::{self, DriveRef};
use types::{
    ApiVersion, Fault, Node, NodeId, ProvisionState, Verb,
    rpc::{Plan, ProvisionRequest, is_actionable},
    step::UserStep,
    version::since,
};

const ARGUMENTS: &[&str] = &[
    "target",
    "configdrive",
    "clean_steps",
    "deploy_steps",
    "rescue_password",
    "disable_ramdisk",
    "service_steps",
    "runbook",
];

/// What the client asks for, before any of it is judged.
struct ProvisionArgs<'a> {
    /// The word that the client used, as messages quote it.
    word: &'a str,
    target: Meaning,
    version: ApiVersion,
    configdrive: Option<&'a Value>,
    clean_steps: Option<&'a Vec<Value>>,
    deploy_steps: Option<&'a Vec<Value>>,
    service_steps: Option<&'a Vec<Value>>,
    rescue_password: Option<&'a str>,
    disable_ramdisk: Option<bool>,
    runbook: Option<&'a str>,
}

pub(crate) async fn put(mut call: Call) -> Result<Reply, ApiError> {
    if call.body.is_large() {
        // A config drive is not even looked at for somebody who may not deploy the node.
        subject::node_for(&call, Rule::NodeSetProvisionState).await?;
        call.prepare_body().await?;
    }
    let mut args = call.args(ARGUMENTS)?;
    call.body.forget_text();
    ProvisionArgs::read(&args, call.version())?;
    let node = subject::node_for(&call, Rule::NodeSetProvisionState).await?;
    let (word, mut request) = ready(&call, &args, &node).await?;
    // A config drive may be large: it is moved, never copied, and from here on a reference to it.
    let stored = match (args.take("configdrive"), request.configdrive_mut()) {
        (Some(drive), Some(place)) if configdrive::is_given(&drive) => {
            let kept = config_drive::put(&call.state.db, node.id, drive).await?;
            let stored = DriveRef::of(&kept);
            *place = Some(kept);
            stored
        }
        _ => None,
    };
    let conductor = &call.state.conductor;
    let accepted = conductor
        .provision(&call.ctx.caller, node.id, word, request)
        .await;
    if let (Err(fault), Some(drive)) = (&accepted, stored) {
        forget_drive(&call, node.id, &drive, fault).await;
    }
    accepted?;
    Ok(Reply::accepted().at(subject::states_url(&call)))
}

/// What is asked of a node, with the word that the client used, if the API lets it through; without
/// its config drive.
async fn ready(
    call: &Call,
    args: &Args,
    node: &Node,
) -> Result<(String, ProvisionRequest), ApiError> {
    let plan;
    let mut asked = ProvisionArgs::read(args, call.version())?;
    asked.needs(asked.target.first_version())?;
    if asked.runbook.is_none() {
        asked.permit_steps(call, &Target::node(node))?;
    }
    asked.check(node)?;
    if let Some(runbook) = asked.runbook {
        let usable = runbook::usable(call, &asked, runbook).await?;
        plan = runbook::plan(call, node, &asked, &usable)?;
        asked.adopt(&plan);
    }
    asked.check_arguments(node)?;
    subject::served(call, node).await?;
    let request = asked.request(call)?;
    children_exist(call, &request).await?;
    Ok((asked.word.to_owned(), request))
}

/// What a request would do.
pub(crate) struct Planned {
    pub(crate) node: Node,
    /// The word that the client used, and the verb that it stands for.
    pub(crate) word: String,
    pub(crate) verb: Option<Verb>,
    pub(crate) plan: Result<Plan, ApiError>,
}

/// A dry run of [`put`]. Only a caller without the right to ask gets an error; every other refusal is
/// a part of the plan.
pub(crate) async fn plan(call: &Call) -> Result<Planned, ApiError> {
    let mut args = call.args(ARGUMENTS)?;
    let asked = ProvisionArgs::read(&args, call.version())?;
    let (word, verb) = (asked.word.to_owned(), asked.target.verb());
    let node = subject::node_for(call, Rule::NodeSetProvisionState).await?;
    let planned = |plan| Planned {
        node: node.clone(),
        word: word.clone(),
        verb,
        plan,
    };
    let mut request = match ready(call, &args, &node).await {
        Ok((_, request)) => request,
        Err(refusal) if refusal.status().is_client_error() => return Ok(planned(Err(refusal))),
        Err(error) => return Err(error),
    };
    // A large one was looked at above; that there is one is enough for the rest.
    let drive = args.take("configdrive").filter(configdrive::is_given);
    if let (Some(drive), Some(place)) = (drive, request.configdrive_mut()) {
        let is_small = drive
            .as_str()
            .is_some_and(|text| text.len() <= config_drive::INLINE);
        *place = Some(if is_small {
            drive
        } else {
            Value::String(String::new())
        });
    }
    let conductor = &call.state.conductor;
    let plan = conductor.plan(&call.ctx.caller, node.id, word.clone(), request);
    match plan.await {
        Ok(plan) => Ok(planned(Ok(plan))),
        Err(fault) => Err(fault.into()),
    }
}

/// Removes the stored drive of a request that was refused. After a failure that leaves open whether
/// the conductor has accepted it, the drive stays; if no node has it, it is purged later.
async fn forget_drive(call: &Call, node: NodeId, drive: &DriveRef, fault: &Fault) {
    if matches!(
        fault,
        Fault::Unavailable | Fault::NotNow(_) | Fault::Internal(_)
    ) {
        return;
    }
    if let Err(error) = config_drive::remove(&call.state.db, node, drive).await {
        tracing::warn!(%node, error = %types::error::chain(&error), "the config drive of a refused request was not removed");
    }
}

impl<'a> ProvisionArgs<'a> {
    fn read(args: &'a Args, version: ApiVersion) -> Result<Self, ApiError> {
        args.require("target")?;
        let list = |name| {
            let value = args.of_types(name, &[PyType::None, PyType::List])?;
            Ok::<_, ApiError>(value.and_then(Value::as_array).filter(|l| !l.is_empty()))
        };
        let drive_types = [PyType::None, PyType::Dict, PyType::Str];
        // Python's word for an explicit null.
        let word = args.string("target")?.unwrap_or("None");
        Ok(Self {
            word,
            target: Meaning::of(word),
            version,
            configdrive: args.of_types("configdrive", &drive_types)?,
            clean_steps: list("clean_steps")?,
            deploy_steps: list("deploy_steps")?,
            rescue_password: args.string("rescue_password")?,
            disable_ramdisk: args.boolean("disable_ramdisk")?,
            service_steps: list("service_steps")?,
            runbook: args
                .of_types("runbook", &[PyType::None, PyType::Str])?
                .and_then(Value::as_str)
                .filter(|name| !name.is_empty()),
        })
    }

    fn is(&self, target: T) -> bool {
        self.target == Meaning::Target(target)
    }

    /// 403 unless the caller may name steps for this node, and every one of these.
    fn permit_steps(&self, call: &Call, target: &Target<'_>) -> Result<(), ApiError> {
        if self.clean_steps.is_some() {
            call.permit(Rule::NodeSetProvisionStateCleanSteps, target)?;
        }
        if self.service_steps.is_some() {
            call.permit(Rule::NodeSetProvisionStateServiceSteps, target)?;
        }
        let lists = [self.deploy_steps, self.clean_steps, self.service_steps];
        let steps = lists.into_iter().flatten().flatten();
        // What is no step at all is refused later, when the lists are read.
        let named =
            steps.filter_map(|step| Some((step["interface"].as_str()?, step["step"].as_str()?)));
        policy_steps(call, named, target)
    }

    /// Takes a runbook's steps for those of the request.
    fn adopt(&mut self, plan: &'a runbook::Plan) {
        self.disable_ramdisk = Some(plan.disable_ramdisk);
        let steps = Some(&plan.steps).filter(|steps| !steps.is_empty());
        match self.target {
            Meaning::Target(T::Clean) => self.clean_steps = steps,
            Meaning::Target(T::Service) => self.service_steps = steps,
            _ => {}
        }
    }

    /// What can be judged before anything else than the node is known.
    fn check(&self, node: &Node) -> Result<(), ApiError> {
        if (self.is(T::Active) || self.is(T::Rebuild)) && node.maintenance {
            let operation = "provisioning".into();
            let node = node.id;
            return Err(Fault::InMaintenance { operation, node }.into());
        }
        self.check_transition(node)?;
        let check = || configdrive::check(self.configdrive, self.target, self.version);
        let is_large = |drive: &Value| match drive {
            Value::String(text) => text.len() > config_drive::INLINE,
            _ => true,
        };
        let checked = match self.configdrive {
            Some(drive) if is_large(drive) => aside(check),
            _ => check(),
        };
        checked.map_err(ApiError::invalid)
    }

    /// Arguments that do not belong to the verb.
    fn check_arguments(&self, node: &Node) -> Result<(), ApiError> {
        self.check_disable_ramdisk()?;
        let clean = self.clean_steps.is_some();
        self.only_with(clean, "clean_steps", T::Clean)?;
        self.check_deploy_steps()?;
        let password = self.rescue_password.is_some();
        if password && !self.is(T::Rescue) {
            return Err(misplaced("rescue_password", T::Rescue.as_str()));
        }
        match (self.target, node.provision_state) {
            (Meaning::Target(T::Abort), ProvisionState::InspectWait) => {
                self.needs(since::ABORT_INSPECTION)?;
            }
            (Meaning::Target(T::Abort), ProvisionState::DeployWait) => {
                self.needs(since::ABORT_DEPLOY)?;
            }
            (Meaning::Target(T::Unhold), _) => self.needs(since::UNHOLD_VERB)?,
            _ => {}
        }
        let service = self.service_steps.is_some();
        self.only_with(service, "service_steps", T::Service)?;
        if self.is(T::Service) {
            self.needs(since::SERVICE)?;
        }
        Ok(())
    }

    fn check_transition(&self, node: &Node) -> Result<(), ApiError> {
        let state = node.provision_state;
        let verb = self.target.verb();
        if verb.is_some_and(|verb| is_actionable(state, verb)) {
            return Ok(());
        }
        // Whoever works on the node will have moved it by the time the client tries again.
        Err(match &node.reservation {
            Some(host) => Fault::Locked {
                node: node.id,
                host: host.clone(),
            },
            None => Fault::InvalidStateRequested {
                action: self.word.to_owned(),
                node: node.id.to_string(),
                state: state.to_string(),
            },
        }
        .into())
    }

    fn check_disable_ramdisk(&self) -> Result<(), ApiError> {
        if self.disable_ramdisk.is_none() {
            return Ok(());
        }
        let first = match self.target {
            Meaning::Target(T::Clean) => since::DISABLE_RAMDISK,
            Meaning::Target(T::Service) => since::DISABLE_RAMDISK_SERVICE,
            _ => {
                return Err(ApiError::invalid(
                    "disable_ramdisk is supported only with manual cleaning or servicing",
                ));
            }
        };
        if self.version < first {
            return Err(ApiError::service(
                StatusCode::NOT_ACCEPTABLE,
                "disable_ramdisk is not acceptable in this API version",
            ));
        }
        Ok(())
    }

    fn check_deploy_steps(&self) -> Result<(), ApiError> {
        if self.deploy_steps.is_none() {
            return Ok(());
        }
        if self.version < since::DEPLOY_STEPS_ARGUMENT {
            return Err(ApiError::needs_version(since::DEPLOY_STEPS_ARGUMENT));
        }
        if !self.is(T::Active) && !self.is(T::Rebuild) {
            return Err(ApiError::invalid(
                "\"deploy_steps\" is only valid when setting target provision state to active or rebuild",
            ));
        }
        Ok(())
    }

    /// Steps go with their verb only.
    fn only_with(&self, given: bool, name: &str, target: T) -> Result<(), ApiError> {
        if !given || self.is(target) {
            return Ok(());
        }
        Err(if self.runbook.is_some() {
            misplaced("runbooks", "any of ['clean', 'service']")
        } else {
            misplaced(name, target.as_str())
        })
    }

    fn needs(&self, first: ApiVersion) -> Result<(), ApiError> {
        if self.version < first {
            return Err(ApiError::not_acceptable());
        }
        Ok(())
    }

    /// The request with the arguments that its verb needs, but for the config drive.
    fn request(&self, call: &Call) -> Result<ProvisionRequest, ApiError> {
        let settings = &call.state.settings;
        let deploy_steps = || {
            let given = self.deploy_steps.map_or(&[][..], Vec::as_slice);
            read_steps(StepList::Deploy, given, &settings.disallow_deploy_steps)
        };
        let disable_ramdisk = self.disable_ramdisk.unwrap_or(false);
        let Meaning::Target(target) = self.target else {
            return Err(ApiError::invalid(format!(
                "The requested action \"{}\" could not be understood.",
                self.word
            )));
        };
        Ok(match target {
            T::Active | T::Deploy => ProvisionRequest::Deploy {
                configdrive: None,
                steps: deploy_steps()?,
            },
            T::Rebuild => ProvisionRequest::Rebuild {
                configdrive: None,
                steps: deploy_steps()?,
            },
            T::Unrescue => ProvisionRequest::Unrescue,
            T::Rescue => ProvisionRequest::Rescue {
                password: self
                    .rescue_password
                    .filter(|password| !password.trim().is_empty())
                    .ok_or_else(|| required("A non-empty \"rescue_password\"", target))?
                    .to_owned(),
            },
            T::Deleted | T::Undeploy => ProvisionRequest::TearDown,
            T::Inspect => ProvisionRequest::Inspect,
            T::Clean => ProvisionRequest::Clean {
                steps: read_steps(
                    StepList::Clean,
                    self.clean_steps
                        .ok_or_else(|| required("\"clean_steps\"", target))?,
                    &settings.disallow_clean_steps,
                )?,
                disable_ramdisk,
            },
            T::Service => ProvisionRequest::Service {
                steps: read_steps(
                    StepList::Service,
                    self.service_steps
                        .ok_or_else(|| required("\"service_steps\"", target))?,
                    &settings.disallow_service_steps,
                )?,
                disable_ramdisk,
            },
            T::Manage => ProvisionRequest::Manage,
            T::Provide => ProvisionRequest::Provide,
            T::Abort => ProvisionRequest::Abort,
            T::Adopt => ProvisionRequest::Adopt,
            T::Unhold => ProvisionRequest::Unhold,
        })
    }
}

fn misplaced(name: &str, verb: &str) -> ApiError {
    ApiError::invalid(format!(
        "\"{name}\" is only valid when setting target provision state to {verb}"
    ))
}

fn required(what: &str, target: T) -> ApiError {
    ApiError::invalid(format!(
        "{what} is required when setting target provision state to {target}"
    ))
}

fn read_steps(
    list: StepList,
    given: &[Value],
    disallowed: &[String],
) -> Result<Vec<UserStep>, ApiError> {
    steps::read(list, given, disallowed).map_err(ApiError::invalid)
}

/// 403 that names every step (`(interface, step)`) which the caller may not have executed.
pub(super) fn policy_steps<'s>(
    call: &Call,
    steps: impl IntoIterator<Item = (&'s str, &'s str)>,
    target: &Target<'_>,
) -> Result<(), ApiError> {
    let (policy, caller) = (&call.state.settings.policy, &call.ctx.credentials);
    let refused: Vec<String> = steps
        .into_iter()
        .filter(|(interface, step)| {
            !policy
                .check_step(interface, step, caller, target)
                .is_allowed()
        })
        .map(|(interface, step)| {
            format!("insufficient privileges to execute step {step} on interface {interface}")
        })
        .collect();
    if refused.is_empty() {
        Ok(())
    } else {
        Err(ApiError::forbidden(refused.join("; ")))
    }
}

/// Refuses steps for child nodes that nobody knows, or that the caller may not have provisioned.
async fn children_exist(call: &Call, request: &ProvisionRequest) -> Result<(), ApiError> {
    let (ProvisionRequest::Clean { steps, .. } | ProvisionRequest::Service { steps, .. }) = request
    else {
        return Ok(());
    };
    let on_children = steps.iter().filter(|step| step.execute_on_child_nodes);
    for child in on_children.flat_map(|step| &step.limit_child_node_execution) {
        let child = lookup::node(call, child).await?;
        call.permit(Rule::NodeSetProvisionState, &Target::node(&child))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
