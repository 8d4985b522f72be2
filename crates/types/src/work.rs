//! What a conductor is doing with a node, as stored in the node's row.
//!
//! Written in the same transaction as the transition that starts it, changed with every phase, and
//! cleared with the last write. After a crash the next owner reads it and goes on from there, so
//! there is one code path for a first run, a resume and a takeover.

use crate::{InspectionDataId, PowerTarget, ProvisionState, rpc::VirtualMedia};
use serde::{Deserialize, Serialize};

/// Where a flow with steps stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// Getting the machine ready; the step list may not exist yet.
    Prepare,
    /// Running the step at the stored index.
    Steps,
    /// All steps are done; putting things back.
    Finish,
}

/// A piece of work that somebody must finish.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case")]
pub enum Work {
    Verify,
    Clean {
        phase: Phase,
    },
    Deploy {
        phase: Phase,
    },
    TearDown {
        from: ProvisionState,
    },
    Inspect,
    /// What a ramdisk sent is to be processed. The data is in the inbox under this name; without
    /// one it was processed, and the machine is to be put away.
    ProcessInspection {
        data: Option<InspectionDataId>,
        /// Why processing failed.
        error: Option<String>,
    },
    Adopt,
    Rescue {
        phase: Phase,
    },
    Unrescue,
    Service {
        phase: Phase,
    },
    /// Booting the ramdisk again that a waiting node's machine does not run.
    BootAgain,
    /// Looking how far the step is that a waiting node's hardware works on.
    Poll,
    /// Finding out what the report of an agent means.
    Report,
    /// Putting the machine back after an aborted or timed-out operation of this state.
    CleanUp {
        after: ProvisionState,
    },
    Power {
        target: PowerTarget,
        timeout_s: Option<u64>,
    },
    BootMode {
        target: String,
    },
    SecureBoot {
        target: bool,
    },
    Console {
        enabled: bool,
    },
    /// Making an image look like a medium in one of the machine's drives.
    AttachMedia {
        media: VirtualMedia,
    },
    /// Taking such media out again; no list means all of them.
    DetachMedia {
        devices: Option<Vec<String>>,
    },
    /// Making Neutron's port agree with the row of the port or port group that has it: attached with
    /// the address there, or detached.
    Vif {
        vif: String,
        is_attached: bool,
    },
    /// Changing the password of the BMC. The new one is in the row as pending, if the BMC may know it.
    BmcPassword,
    /// A write that needs the lease for the length of one driver call.
    Exclusive,
}

impl Work {
    /// How people call it.
    pub fn describe(&self) -> &'static str {
        match self {
            Self::Verify => "verifying",
            Self::Clean { .. } => "cleaning",
            Self::Deploy { .. } => "deploying",
            Self::TearDown { .. } => "tearing down",
            Self::Inspect => "inspecting",
            Self::ProcessInspection { .. } => "processing inspection data",
            Self::Adopt => "adopting",
            Self::Rescue { .. } => "rescuing",
            Self::Unrescue => "unrescuing",
            Self::Service { .. } => "servicing",
            Self::BootAgain => "booting again",
            Self::Poll => "watching a step",
            Self::Report => "listening to the agent",
            Self::CleanUp { .. } => "putting things back",
            Self::Power { .. } => "changing power",
            Self::BootMode { .. } => "changing the boot mode",
            Self::SecureBoot { .. } => "changing secure boot",
            Self::Console { .. } => "switching the console",
            Self::AttachMedia { .. } => "attaching virtual media",
            Self::DetachMedia { .. } => "detaching virtual media",
            Self::Vif { .. } => "changing a virtual interface",
            Self::BmcPassword => "changing the password of the BMC",
            Self::Exclusive => "talking to the hardware",
        }
    }
}
