//! Whether an instance starts from its disk, or gets its kernel from the network every time
//! (`boot_option`).
//!
//! Ironic knew both until version 20 and forgot the second then. Here it is there for the deploy
//! interface of that time, `iscsi`; all others start from the disk, whatever is asked for.

use crate::{agent::AgentDeploy, boot_image, boot_mode, iface::Interface};
use types::{Node, pyrepr};

/// Where an instance gets its kernel.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum BootOption {
    #[default]
    Local,
    Network,
}

impl BootOption {
    /// By the word in capabilities.
    pub fn named(word: &str) -> Option<Self> {
        match word {
            "local" => Some(Self::Local),
            "netboot" => Some(Self::Network),
            _ => None,
        }
    }

    pub const fn word(self) -> &'static str {
        match self {
            Self::Local => "local",
            Self::Network => "netboot",
        }
    }
}

/// What the instance asks for.
pub(crate) fn asked(node: &Node) -> Option<BootOption> {
    let asked = boot_mode::instance_capabilities(node);
    BootOption::named(&pyrepr::to_str(asked.get("boot_option")?))
}

/// Where the instance of a node gets its kernel.
pub fn of(node: &Node, default: BootOption) -> BootOption {
    match boot_image::deploy_interface(node) == AgentDeploy::ISCSI.name() {
        true => asked(node).unwrap_or(default),
        false => BootOption::Local,
    }
}
