//! Stopping what waits, and letting go on what is held.

use crate::{
    core::Core,
    flow::{self, rescue::forget_password},
    inspection::process,
    last_error,
    provision::{check_actionable, process},
    record::{ChangeLog, truncated},
    steps,
};
use std::sync::Arc;
use types::{Caller, Fault, Node, ProvisionState as S, Verb, Work, step::StepKind, work::Phase};

impl Core {
    pub(crate) async fn abort(
        self: &Arc<Self>,
        who: &Caller,
        mut node: Node,
        action: &str,
    ) -> Result<(), Fault> {
        let from = node.provision_state;
        check_actionable(&node, Verb::Abort, action)?;
        if from == S::ServiceFailed && node.maintenance {
            return Err(Fault::InvalidState(format!(
                "Can not abort service on node \"{}\" while it is in maintenance mode. Please remove the node from maintenance prior to issuing the request to abort the service operation.",
                node.id
            )));
        }
        if from == S::InspectWait {
            return self.abort_inspection(who, node).await;
        }
        let kind = match from {
            S::CleanWait | S::CleanHold => Some((StepKind::Clean, "clean")),
            S::DeployWait | S::DeployHold => Some((StepKind::Deploy, "deploy")),
            S::ServiceWait | S::ServiceHold => Some((StepKind::Service, "service")),
            _ => None,
        };
        let mut during = String::new();
        if let Some((kind, _)) = kind
            && let Some(mut step) = steps::current(&node, kind)
        {
            if !step.abortable && step.reserved().is_none() {
                // Stopping here could leave the machine in pieces: stop after the step.
                step.abort_after = true;
                return self
                    .change(node.id, |node, _| {
                        steps::set_current(node, kind, Some(&step));
                        Ok(())
                    })
                    .await
                    .map(|_| ());
            }
            during = format!(
                " during or after the completion of step \"{}\"",
                step.name()
            );
        }
        let mut story = ChangeLog::new(who);
        match (from, kind) {
            (S::RescueWait, _) => {
                forget_password(&mut node);
                last_error::clear(&mut node);
                let text = "By request, the rescue operation was aborted.";
                story.note(&self.settings, &node, "rescue", text);
            }
            (S::ServiceFailed, _) => {
                let text = "By request, the service operation was aborted";
                last_error::set(&mut node, text.into());
            }
            (_, Some((_, word))) => {
                let text = format!("By request, the {word} operation was aborted{during}");
                let text = truncated(&text, self.settings.log_in_db_max_size);
                last_error::set(&mut node, text);
            }
            _ => {}
        }
        process(&mut node, Verb::Abort, action, &mut story)?;
        if matches!(from, S::ServiceWait | S::ServiceHold) {
            // As Ironic does it: an aborted service ends where it began.
            process(&mut node, Verb::Abort, action, &mut story)?;
        }
        node.work = Some(Work::CleanUp { after: from });
        let place = self.workers.for_request()?;
        self.accept(node, who, story, place).await
    }

    async fn abort_inspection(self: &Arc<Self>, who: &Caller, node: Node) -> Result<(), Fault> {
        self.exclusively(node.id, who, |mut task| async move {
            let hardware = task.hardware.clone();
            let outcome = match task.hands() {
                Ok((lease, mut machine)) => hardware.inspect.abort(lease, &mut machine).await,
                Err(error) => Err(error),
            };
            if let Err(error) = outcome {
                let fault = flow::fault(&task.node, &error);
                return (task, Err(fault));
            }
            if let Err(why) = process::put_away(&mut task).await {
                tracing::warn!(node = %task.id(), error = why, "an aborted inspection left the machine on");
            }
            task.node.driver_internal_info.forget_agent();
            task.node.driver_internal_info.forget_bmc_addresses();
            let mut story = task.story();
            let text = "Inspection was aborted by request.";
            task.error(&mut story, "introspection", text);
            task.process(Verb::Abort, &mut story);
            let saved = task.save(story).await;
            (task, saved.map_err(|_| Fault::Unavailable))
        })
        .await
    }

    /// Lets a held flow go on.
    pub(crate) async fn unhold(
        self: &Arc<Self>,
        who: &Caller,
        mut node: Node,
        action: &str,
    ) -> Result<(), Fault> {
        check_actionable(&node, Verb::Unhold, action)?;
        let from = node.provision_state;
        let kind = match from {
            S::CleanHold => StepKind::Clean,
            S::DeployHold => StepKind::Deploy,
            _ => StepKind::Service,
        };
        let mut story = ChangeLog::new(who);
        process(&mut node, Verb::Unhold, action, &mut story)?;
        // With an agent on the line its next report goes on; without one nobody would.
        if from != S::ServiceHold && node.driver_internal_info.has_agent() {
            let id = node.id;
            let log = story.into_log();
            let saved = store::node::save(&self.db, node, store::node::Fence::Free, log).await;
            return saved.map(|_| ()).map_err(|e| crate::lock::fault(e, id));
        }
        process(&mut node, Verb::Resume, action, &mut story)?;
        steps::advance(&mut node, kind);
        node.work = Some(steps::work(kind, Phase::Steps));
        let place = self.workers.for_request()?;
        self.accept(node, who, story, place).await
    }
}
