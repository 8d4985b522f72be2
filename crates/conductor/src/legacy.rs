//! What ramdisks of releases up to 6 call: `pass_deploy_info` and `pass_bootloader_install_info` of
//! the bash ramdisk, `lookup` and `heartbeat` of agents from before the API had endpoints for them.
//!
//! Anybody may call them, and the first of them tells the conductor where to connect to. So they are
//! there only where an operator switched them on, the bash ramdisk has to show the key that came
//! with what it booted, and nothing is connected to but the address that the call came from, or that
//! our own DHCP server gave to the machine.

use crate::{core::Core, record::ChangeLog};
use drivers::iface::ImageWriter;
use ring::digest;
use serde_json::Value;
use std::{net::IpAddr, sync::Arc};
use types::{
    Caller, Fault, JsonMap, Node, ProvisionState as S, Timestamp, Work,
    internal_info::bash::{BashRamdisk, LoaderReport},
    pyrepr,
    rpc::{Heartbeat, LEGACY_PEER, VendorAnswer},
};

/// The port of a target that names none, and the unit.
const PORT: u16 = 3260;
const LUN: u16 = 1;
/// What is noted as the version of agents that do not tell theirs.
const OLD_AGENT: &str = "1.0.0";
/// The longest text that is kept of what a ramdisk complains about.
const LONGEST: usize = 1000;

/// A method of such ramdisks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Method {
    DeployInfo,
    BootLoaderInfo,
    Heartbeat,
}

impl Method {
    fn named(name: &str) -> Option<Self> {
        match name {
            "pass_deploy_info" => Some(Self::DeployInfo),
            "pass_bootloader_install_info" => Some(Self::BootLoaderInfo),
            "heartbeat" => Some(Self::Heartbeat),
            _ => None,
        }
    }
}

impl Core {
    /// The method of this name, where nodes like this one have it.
    pub(crate) fn legacy_method(&self, node: &Node, name: &str) -> Option<Method> {
        if !self.settings.legacy_ramdisk {
            return None;
        }
        let hardware = self.hardware(node).ok()?;
        match (Method::named(name)?, hardware.deploy.image_writer()) {
            (method, ImageWriter::Conductor) => Some(method),
            (Method::Heartbeat, ImageWriter::Agent) => Some(Method::Heartbeat),
            _ => None,
        }
    }

    pub(crate) async fn legacy_call(
        self: &Arc<Self>,
        node: Node,
        method: Method,
        verb: &str,
        arguments: &JsonMap,
    ) -> Result<VendorAnswer, Fault> {
        if verb != "POST" {
            let name = match method {
                Method::DeployInfo => "pass_deploy_info",
                Method::BootLoaderInfo => "pass_bootloader_install_info",
                Method::Heartbeat => "heartbeat",
            };
            return Err(Fault::InvalidParameter(format!(
                "The method {name} does not support HTTP {verb}"
            )));
        }
        match method {
            Method::DeployInfo => self.deploy_info(node, arguments).await?,
            Method::BootLoaderInfo => self.boot_loader_info(node, arguments).await?,
            Method::Heartbeat => self.legacy_heartbeat(node, arguments).await?,
        }
        Ok(VendorAnswer::Accepted)
    }

    async fn deploy_info(
        self: &Arc<Self>,
        mut node: Node,
        arguments: &JsonMap,
    ) -> Result<(), Fault> {
        let error = text(arguments, "error");
        let wanted: &[&str] = match error {
            Some(_) => &["address", "key"],
            None => &["address", "key", "iqn"],
        };
        if let Some(missing) = missing(arguments, wanted) {
            return Err(Fault::InvalidParameter(format!(
                "Parameters {missing} were not passed to ironic for deploy."
            )));
        }
        self.check_key(&node, arguments, "Deploy key does not match")?;
        let address = self.check_address(&node, arguments).await?;
        let odd = |what: &str| Fault::InvalidParameter(format!("{what} is not a number"));
        let number = |key: &str, usual: u16| match text(arguments, key) {
            None => Ok(usual),
            Some(given) => given.trim().parse().map_err(|_| odd(key)),
        };
        node.driver_internal_info.set_bash_ramdisk(&BashRamdisk {
            address,
            port: number("port", PORT)?,
            target: text(arguments, "iqn").unwrap_or_default(),
            lun: number("lun", LUN)?,
            error,
            loader: None,
            let_go: None,
        });
        self.take_report(node).await
    }

    async fn boot_loader_info(
        self: &Arc<Self>,
        mut node: Node,
        arguments: &JsonMap,
    ) -> Result<(), Fault> {
        if let Some(missing) = missing(arguments, &["address", "key", "status"]) {
            return Err(Fault::InvalidParameter(format!(
                "Some mandatory input missing in 'pass_bootloader_info' vendor passthru from ramdisk.. Missing are: {missing}"
            )));
        }
        self.check_key(&node, arguments, "Deploy key does not match")?;
        let address = self.check_address(&node, arguments).await?;
        let known = node.driver_internal_info.bash_ramdisk();
        let Some(known) = known.filter(|known| known.address == address) else {
            tracing::warn!(node = %node.id, %address, "a boot loader is reported by a ramdisk that is not known");
            return Ok(());
        };
        let loader = match text(arguments, "status").as_deref() {
            Some("SUCCEEDED") => LoaderReport::Installed,
            _ => LoaderReport::Failed(text(arguments, "error").unwrap_or_default()),
        };
        node.driver_internal_info.set_bash_ramdisk(&BashRamdisk {
            loader: Some(loader),
            ..known
        });
        self.take_report(node).await
    }

    /// A node that waits goes on; others are left alone, and whoever called is none the wiser.
    async fn take_report(self: &Arc<Self>, mut node: Node) -> Result<(), Fault> {
        if node.provision_state != S::DeployWait || node.maintenance {
            tracing::warn!(node = %node.id, state = %node.provision_state, "a ramdisk reports that was not expected");
            return Ok(());
        }
        if let Some(host) = node.reservation {
            return Err(Fault::Locked {
                node: node.id,
                host,
            });
        }
        node.provision_updated_at = Some(Timestamp::now());
        node.work = Some(Work::Report);
        let caller = Caller::service();
        let place = self.workers.for_request()?;
        self.accept(node, &caller, ChangeLog::new(&caller), place)
            .await
    }

    /// An agent that knows no tokens: it is only heard where it calls from, and not where another
    /// one was told a token.
    async fn legacy_heartbeat(
        self: &Arc<Self>,
        node: Node,
        arguments: &JsonMap,
    ) -> Result<(), Fault> {
        let Some(url) = text(arguments, "agent_url") else {
            tracing::warn!(node = %node.id, "For heartbeat operation, \"agent_url\" must be specified.");
            return Ok(());
        };
        let Some(host) = host_of(&url) else {
            return Err(Fault::InvalidParameter(format!("{url} is not an address")));
        };
        self.check_peer(&node, host, peer(arguments)).await?;
        let id = node.id;
        // Somebody else than the agent that is at work.
        let known = node.driver_internal_info.agent_url().and_then(host_of);
        if known.is_some_and(|known| known != host) {
            tracing::warn!(node = %id, address = %host, "a heartbeat without a token comes from another address than the agent's");
            return Err(Fault::InvalidParameter(format!(
                "{host} is not the address of the agent of node {id}"
            )));
        }
        let heartbeat = Heartbeat {
            callback_url: url,
            agent_version: Some(OLD_AGENT.to_owned()),
            agent_token: text(arguments, "agent_token"),
            ..Heartbeat::default()
        };
        self.old_heartbeat(id, heartbeat).await
    }

    fn check_key(&self, node: &Node, arguments: &JsonMap, refusal: &str) -> Result<(), Fault> {
        let refused = || {
            tracing::warn!(node = %node.id, "a ramdisk showed a wrong deploy key");
            Fault::InvalidParameter(refusal.to_owned())
        };
        let sealed = node.driver_internal_info.deploy_key().ok_or_else(refused)?;
        let opened = self.db.keys().open(sealed, &node.id.to_string());
        let opened = opened.map_err(|_| refused())?;
        let given = text(arguments, "key").unwrap_or_default();
        // Digests are compared, so that the time it takes says nothing about the key.
        let hashed = |text: &str| digest::digest(&digest::SHA256, text.as_bytes());
        let stored = opened.as_str().unwrap_or_default();
        match !stored.is_empty() && hashed(stored).as_ref() == hashed(&given).as_ref() {
            true => Ok(()),
            false => Err(refused()),
        }
    }

    async fn check_address(&self, node: &Node, arguments: &JsonMap) -> Result<IpAddr, Fault> {
        let given = text(arguments, "address").unwrap_or_default();
        let address = given.trim().parse::<IpAddr>();
        let address = address
            .map_err(|_| Fault::InvalidParameter("address is not an IP address".to_owned()))?
            .to_canonical();
        self.check_peer(node, address, peer(arguments)).await?;
        Ok(address)
    }

    /// Whether an address is that of the machine: what our DHCP server gave to it, or what the call
    /// came from where the machine has its address from somebody else.
    async fn check_peer(
        &self,
        node: &Node,
        address: IpAddr,
        peer: Option<IpAddr>,
    ) -> Result<(), Fault> {
        let is_its = match self.leases(node.id).await? {
            // It has its address from us, and no other one.
            Some(leased) => leased.contains(&address),
            None => peer == Some(address),
        };
        if is_its {
            return Ok(());
        }
        tracing::warn!(node = %node.id, %address, ?peer, "a ramdisk names an address that is not its machine's");
        Err(Fault::InvalidParameter(format!(
            "{address} is not the address of the machine"
        )))
    }
}

/// Where the call came from; the API puts it there.
fn peer(arguments: &JsonMap) -> Option<IpAddr> {
    text(arguments, LEGACY_PEER)?.parse().ok()
}

/// The address in an agent's URL.
fn host_of(url: &str) -> Option<IpAddr> {
    let url = reqwest::Url::parse(url).ok()?;
    let host = url.host_str()?.trim_matches(['[', ']']).parse::<IpAddr>();
    host.ok().map(|host| host.to_canonical())
}

fn text(arguments: &JsonMap, key: &str) -> Option<String> {
    let value = arguments.get(key).filter(|value| pyrepr::truth(value))?;
    let text = match value {
        Value::String(text) => text.clone(),
        other => pyrepr::to_str(other),
    };
    Some(text.chars().take(LONGEST).collect())
}

fn missing(arguments: &JsonMap, wanted: &[&str]) -> Option<String> {
    let lacking = wanted.iter().filter(|key| text(arguments, key).is_none());
    let lacking: Vec<&str> = lacking.copied().collect();
    (!lacking.is_empty()).then(|| pyrepr::repr_list(lacking))
}
