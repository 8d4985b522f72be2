//! The disk as the agent exports it.
//!
//! Agents of ours are told who may log in and with which password, which is made anew each time;
//! those of other makers serve whoever comes. An agent of ours that is asked again ends what it
//! exported before, and with it the session of whoever asked then. The others cannot: what they
//! export already is used as it is.

use crate::{
    inband::{self, bash, failed},
    task::Task,
};
use drivers::{
    DriverError, Failure,
    agent::{AgentError, Command, CommandStatus},
    iscsi::Credentials,
};
use reqwest::Url;
use serde_json::{Value, json};
use std::net::SocketAddr;
use types::JsonMap;

/// The port that agents of all ages use.
const USUAL_PORT: u16 = 3260;
const COMMAND: &str = "iscsi.start_iscsi_target";
const SHORT: &str = "start_iscsi_target";

/// Where a disk is, and how to get in.
#[derive(Debug)]
pub(super) struct Exported {
    pub(super) portal: SocketAddr,
    pub(super) target: String,
    /// Our own name.
    pub(super) initiator: String,
    pub(super) chap: Option<Credentials>,
    pub(super) lun: u16,
}

/// The unit that agents export.
const LUN: u16 = 1;

/// Has the agent export its disk, and leave it as it is: what is on it is cleared by the write, when
/// it is known that everything fits.
pub(super) async fn start(task: &Task) -> Result<Exported, DriverError> {
    let node = task.id();
    let target = format!("iqn.2008-10.org.openstack:{node}");
    let initiator = format!("iqn.2008-10.org.openstack:conductor.{node}");
    if let Some(ramdisk) = bash::of(task) {
        // It exports its disk already.
        let portal = SocketAddr::from((ramdisk.address, ramdisk.port));
        return Ok(Exported {
            portal: judged(task, portal)?,
            target: ramdisk.target,
            initiator,
            chap: None,
            lun: ramdisk.lun,
        });
    }
    let port = task.settings().ramdisk.iscsi.portal_port;
    let mut params = JsonMap::from_iter([
        ("iqn".to_owned(), json!(target)),
        ("portal_port".to_owned(), json!(port)),
        ("wipe_disk_metadata".to_owned(), json!(false)),
    ]);
    let is_ours = is_ours(task);
    let chap = match is_ours {
        true => Some(credentials()?),
        false => None,
    };
    if let Some(chap) = &chap {
        params.insert("initiator".to_owned(), json!(initiator));
        params.insert("chap_username".to_owned(), json!(chap.name));
        params.insert("chap_password".to_owned(), json!(chap.secret));
    }
    let started = match is_ours {
        true => command(task, params).await,
        false => foreign(task, params, &target, port).await,
    };
    let complaint = |why: String| {
        DriverError::Rejected(Failure::new(format!(
            "Failed to start the iSCSI target to deploy the node {node}. Error: {why}"
        )))
    };
    match started {
        Ok(answer) if answer.status == CommandStatus::Failed => Err(complaint(answer.complaint())),
        Ok(_) => Ok(Exported {
            portal: portal(task, port).await?,
            target,
            initiator,
            chap,
            lun: LUN,
        }),
        Err(error) => Err(complaint(types::error::chain(&error))),
    }
}

fn is_ours(task: &Task) -> bool {
    let version = task.node.driver_internal_info.agent_version();
    version.is_some_and(|version| version.contains("corten"))
}

async fn command(task: &Task, params: JsonMap) -> Result<Command, AgentError> {
    let agent = inband::agent(task).await?;
    agent.command(COMMAND, params, true).await
}

/// An agent of another maker: it may have been told before, and may be too old for some of it.
async fn foreign(
    task: &Task,
    params: JsonMap,
    target: &str,
    port: u16,
) -> Result<Command, AgentError> {
    let told = inband::agent(task).await?.commands().await?;
    let exports = |command: &Command| {
        let exported = command.result.get("iscsi_target_iqn");
        command.name == SHORT
            && command.status == CommandStatus::Succeeded
            && exported.and_then(Value::as_str) == Some(target)
    };
    if let Some(before) = told.into_iter().rev().find(exports) {
        return Ok(before);
    }
    let name = params.get("iqn").cloned().unwrap_or_default();
    let answer = command(task, params).await?;
    let unknown = answer.error.get("type").and_then(Value::as_str) == Some("TypeError");
    if answer.status == CommandStatus::Failed && unknown && port == USUAL_PORT {
        let oldest = JsonMap::from_iter([("iqn".to_owned(), name)]);
        return command(task, oldest).await;
    }
    Ok(answer)
}

/// A login that nobody else knows.
fn credentials() -> Result<Credentials, DriverError> {
    let secret = crate::agent::fresh_token();
    let secret = secret.map_err(|fault| DriverError::Environment(Failure::new(fault.to_string())));
    Ok(Credentials {
        name: "conductor".to_owned(),
        secret: secret?,
    })
}

/// Where the agent is, on the port of its target.
async fn portal(task: &Task, port: u16) -> Result<SocketAddr, DriverError> {
    let unknown = || {
        DriverError::Environment(Failure::new(
            "it is not known under which address the agent exports its disk",
        ))
    };
    let url = task.node.driver_internal_info.agent_url();
    let url = url
        .and_then(|url| Url::parse(url).ok())
        .ok_or_else(unknown)?;
    let host = url.host_str().ok_or_else(unknown)?.trim_matches(['[', ']']);
    let mut found = tokio::net::lookup_host((host, port))
        .await
        .map_err(|_| unknown())?;
    judged(task, found.next().ok_or_else(unknown)?)
}

/// A portal that may be connected to.
fn judged(task: &Task, portal: SocketAddr) -> Result<SocketAddr, DriverError> {
    let outbound = &task.settings().ramdisk.client.outbound;
    outbound.judge(portal).map_err(|refused| {
        DriverError::InvalidParameter(format!("the agent's disk cannot be written: {refused}"))
    })?;
    Ok(portal)
}

/// The disk is the agent's again. Those of other makers have no word for it; their target ends when
/// a boot loader is installed, or with the power.
pub(super) async fn stop(task: &Task, exported: &Exported) {
    // What is exported by now may be what another conductor asked for.
    let is_ours = task.core.may_act(task.node.lease_epoch);
    if exported.chap.is_none() || !is_ours {
        return;
    }
    let told = match inband::agent(task).await {
        Ok(agent) => {
            let command = "iscsi.stop_iscsi_target";
            agent.command(command, JsonMap::new(), true).await
        }
        Err(error) => Err(error),
    };
    let why = match told {
        Ok(answer) if answer.status == CommandStatus::Failed => answer.complaint(),
        Ok(_) => return,
        Err(error) => failed(&error).to_string(),
    };
    tracing::warn!(node = %task.id(), error = why, "the agent may still export its disk");
}
