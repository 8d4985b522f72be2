//! The calls that [`Service`] answers: each has a handler of its name in [`Core`], in the module of
//! what it is about.

use super::Service;
use std::net::IpAddr;
use types::{
    Allocation, AllocationId, Caller, Conductor, Fault, ImageId, Inventory, JsonMap, Node, NodeId,
    Port, PortId, Portgroup, PortgroupId, PowerTarget, VolumeConnector, VolumeConnectorId,
    VolumeTarget, VolumeTargetId,
    bmc_password::PasswordLength,
    console::{ConsoleLine, ConsoleWish, ScreenToken},
    hardware_log::HardwareLog,
    progress::{Live, Progress},
    recording::Recording,
    rpc::{
        BootDevice, ConsoleState, Consoles, DriverName, Heartbeat, HostName, Indicator, Membership,
        NodeUpdate, Plan, ProvisionRequest, Validation, VendorAnswer, VendorMethod, VirtualMedia,
        holdings::{BootReport, BootWish, ImageCaches},
        recipe::{OfferedStep, RuleTrial, TrialReport},
    },
    status::ConductorReport,
};

macro_rules! handlers {
    ($(
        $(#[$doc:meta])*
        $(by $who:ident)? fn $name:ident($($arg:ident: $Arg:ty),*)
            -> $Answer:ty $(, $repeatable:ident)?;
    )*) => {
        #[async_trait::async_trait]
        impl Conductor for Service {
            $(
                async fn $name(&self, $($who: &Caller,)? $($arg: $Arg),*) -> Result<$Answer, Fault> {
                    self.core.$name($($who,)? $($arg),*).await
                }
            )*
        }
    };
}

types::conductor_calls!(handlers);

#[async_trait::async_trait]
impl Membership for Service {
    fn owner(&self, node: NodeId, driver: &str, group: &str) -> Option<String> {
        self.core.owner_of(node, driver, group)
    }

    fn is_alive(&self, host: &str) -> Option<bool> {
        self.core.view.is_alive(host)
    }

    fn shares(&self, driver: &str, group: &str) -> Vec<(String, f64)> {
        self.core.view.shares(driver, group)
    }

    fn revision(&self) -> u64 {
        self.core.view.revision()
    }
}

#[async_trait::async_trait]
impl Consoles for Service {
    async fn join_console(
        &self,
        who: &Caller,
        node: NodeId,
        wish: ConsoleWish,
    ) -> Result<ConsoleLine, Fault> {
        self.core.join_console(who, node, wish).await
    }

    async fn join_screen(
        &self,
        who: &Caller,
        node: NodeId,
        token: ScreenToken,
    ) -> Result<ConsoleLine, Fault> {
        self.core.join_screen(who, node, token).await
    }
}
