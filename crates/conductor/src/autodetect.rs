//! Deploy interfaces that are chosen by what the instance is.
//!
//! A node may leave its deploy interface to us. Before a flow that could need one it gets the one
//! that suits; when the machine was cleaned or serviced it has the choice back. In between, rows and
//! clients see what was chosen.

use crate::core::Core;
use drivers::autodetect::NAME;
use types::{InterfaceKind, Node, ProvisionState as S, rpc::ProvisionRequest};

const KIND: InterfaceKind = InterfaceKind::Deploy;

impl Core {
    /// Chooses for a node that leaves the choice, if the request leads to a flow that needs one.
    pub(crate) fn choose_deploy(&self, node: &mut Node, request: &ProvisionRequest) {
        use ProvisionRequest as R;
        let needs_one = match request {
            R::Deploy { .. }
            | R::Rebuild { .. }
            | R::TearDown
            | R::Clean { .. }
            | R::Service { .. }
            | R::Provide
            | R::Adopt => true,
            R::Inspect | R::Rescue { .. } | R::Unrescue | R::Manage | R::Abort | R::Unhold => false,
        };
        if needs_one {
            self.detect_deploy(node);
        }
    }

    /// Chooses for a node that leaves the choice.
    pub(crate) fn detect_deploy(&self, node: &mut Node) {
        let Some(chosen) = self.registry.detected(node) else {
            return;
        };
        tracing::info!(node = %node.id, chosen, "the deploy interface was chosen by the instance");
        // What the instance brought goes with the instance.
        if let Some(overridden) = node.instance_info.get_mut(KIND.field()) {
            *overridden = chosen.into();
            return;
        }
        node.driver_internal_info
            .set_original_deploy_interface(NAME);
        node.interfaces.set(KIND, chosen);
    }
}

/// Gives a node its choice back when it moved out of what needed one.
pub(crate) fn restore(node: &mut Node, from: S) {
    let flow = |state: S| {
        matches!(
            state,
            S::Cleaning
                | S::CleanWait
                | S::CleanHold
                | S::Servicing
                | S::ServiceWait
                | S::ServiceHold
        )
    };
    let over = flow(from) && !flow(node.provision_state)
        || from == S::Adopting && node.provision_state == S::AdoptFailed;
    if !over {
        return;
    }
    if let Some(name) = node.driver_internal_info.take_original_deploy_interface() {
        node.interfaces.set(KIND, name);
    }
}
