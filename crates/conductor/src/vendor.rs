//! Vendor passthru: methods that only one driver has.

use crate::{core::Core, flow, task::Task};
use drivers::iface::Machine;
use serde_json::Value;
use std::sync::Arc;
use types::{
    Caller, Fault, JsonMap, NodeId,
    rpc::{VendorAnswer, VendorMethod},
};

impl Core {
    pub(crate) async fn vendor_methods(&self, id: NodeId) -> Result<Vec<VendorMethod>, Fault> {
        let node = self.load(id).await?;
        Ok(self.hardware(&node)?.vendor.methods())
    }

    pub(crate) async fn vendor_call(
        self: &Arc<Self>,
        who: &Caller,
        id: NodeId,
        method: String,
        verb: String,
        arguments: JsonMap,
    ) -> Result<VendorAnswer, Fault> {
        let mut node = self.load(id).await?;
        self.check_host(&node.driver, &node.conductor_group)?;
        if let Some(known) = self.legacy_method(&node, &method) {
            return self.legacy_call(node, known, &verb, &arguments).await;
        }
        let hardware = self.hardware(&node)?;
        let known = find(hardware.vendor.methods(), &method, &verb)?;
        hardware
            .vendor
            .check(&method, &arguments)
            .map_err(|error| flow::fault(&node, &error))?;
        if !known.require_exclusive_lock {
            let ports = self.ports(id).await?;
            let driver_info = self.opened_driver_info(&node)?;
            let mut machine = Machine::new(&mut node, &driver_info, &ports);
            let answer = hardware
                .vendor
                .call(None, &mut machine, &method, &arguments)
                .await;
            let value = answer.map_err(|error| flow::fault(&node, &error))?;
            return Ok(answered(&known, value));
        }
        if known.r#async {
            let talk = move |task| async move {
                let (task, answer) = converse(task, &method, &arguments).await;
                if let Err(fault) = &answer {
                    tracing::warn!(node = %id, method, %fault, "a vendor method failed");
                }
                (task, answer.map(|_| ()))
            };
            self.exclusively_in_background(id, who, talk).await?;
            return Ok(VendorAnswer::Accepted);
        }
        let talk = move |task| async move { converse(task, &method, &arguments).await };
        Ok(VendorAnswer::Done(self.exclusively(id, who, talk).await?))
    }
}

async fn converse(
    mut task: Task,
    method: &str,
    arguments: &JsonMap,
) -> (Task, Result<Value, Fault>) {
    let hardware = task.hardware.clone();
    let outcome = match task.hands() {
        Ok((lease, mut machine)) => {
            hardware
                .vendor
                .call(Some(lease), &mut machine, method, arguments)
                .await
        }
        Err(error) => Err(error),
    };
    let answer = outcome.map_err(|error| flow::fault(&task.node, &error));
    (task, answer)
}

fn answered(method: &VendorMethod, value: Value) -> VendorAnswer {
    if method.r#async {
        VendorAnswer::Accepted
    } else {
        VendorAnswer::Done(value)
    }
}

fn find(methods: Vec<VendorMethod>, name: &str, verb: &str) -> Result<VendorMethod, Fault> {
    let found = methods.into_iter().find(|method| method.name == name);
    let method =
        found.ok_or_else(|| Fault::InvalidParameter(format!("No handler for method {name}")))?;
    if !method.http_methods.iter().any(|allowed| allowed == verb) {
        return Err(Fault::InvalidParameter(format!(
            "The method {name} does not support HTTP {verb}"
        )));
    }
    Ok(method)
}
