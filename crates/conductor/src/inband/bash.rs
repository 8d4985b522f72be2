//! Deployments with the bash ramdisk of releases up to 5.
//!
//! It is no agent: it exports its disk by itself, tells where ([`crate::legacy`]), and waits on a port
//! until somebody connects and says `done`. Then it restarts its machine; for an instance that starts
//! from the disk it installs a boot loader first, reports, and waits once more. Nobody switches the
//! power of the machine meanwhile.

use super::{iscsi, report};
use crate::{
    flow::deploy,
    steps::{StepResult, current, index_of, set_index},
    task::{Attempt, Stop, Task},
};
use drivers::{BootOption, DriverError, Failure, boot_mode, iface::Awaited};
use serde_json::Value;
use std::{net::SocketAddr, time::Duration};
use tokio::{io::AsyncWriteExt, net::TcpStream, time::timeout};
use types::{
    JsonMap, Timestamp,
    internal_info::bash::{BashRamdisk, LetGo, LoaderReport},
    pyrepr,
    step::StepKind,
};

/// Where it waits.
const PORT: u16 = 10_000;
/// How long it may take to be connected to.
const PATIENCE: Duration = Duration::from_secs(30);
const KIND: StepKind = StepKind::Deploy;

/// The ramdisk of the node, if it is of this kind.
pub(super) fn of(task: &Task) -> Option<BashRamdisk> {
    task.node.driver_internal_info.bash_ramdisk()
}

/// Makes the key that a ramdisk of this kind has to show, where one may boot.
pub(super) fn make_key(task: &mut Task) -> Result<(), DriverError> {
    if task.settings().legacy_ramdisk && iscsi::is_writer(task) {
        let key = crate::agent::fresh_token();
        let key = key.map_err(|fault| DriverError::Environment(Failure::new(fault.to_string())))?;
        // As many letters and digits as Ironic's, and nothing that its shell minds.
        let key: String = key
            .chars()
            .filter(char::is_ascii_alphanumeric)
            .take(32)
            .collect();
        task.node.driver_internal_info.set_deploy_key(&key);
    }
    Ok(())
}

/// What such a ramdisk is told on its kernel's command line.
pub(super) fn parameters(task: &Task, api: &str) -> Result<Vec<(String, String)>, DriverError> {
    let settings = &task.settings().ramdisk;
    let Some(sealed) = task.node.driver_internal_info.deploy_key() else {
        return Ok(Vec::new());
    };
    let id = task.id().to_string();
    // What was just made is not sealed yet.
    let key = match sealed {
        Value::String(key) => Ok(Value::String(key.clone())),
        sealed => task.core.db.keys().open(sealed, &id),
    };
    let key = key.map_err(|error| task.closed("the deployment", &error))?;
    let uefi = boot_mode::is_uefi(&task.node, settings.default_uefi)?;
    let option = match installs_loader(task) {
        true => BootOption::Local,
        false => BootOption::Network,
    };
    let mut parameters = vec![
        ("disk", "cciss/c0d0,sda,hda,vda".to_owned()),
        (
            "iscsi_target_iqn",
            format!("iqn.2008-10.org.openstack:{id}"),
        ),
        ("deployment_id", id),
        ("deployment_key", pyrepr::to_str(&key)),
        ("ironic_api_url", api.to_owned()),
        ("ipa-driver-name", task.node.driver.clone()),
        ("boot_option", option.word().to_owned()),
        ("boot_mode", if uefi { "uefi" } else { "bios" }.to_owned()),
        ("coreos.configdrive", "0".to_owned()),
    ];
    if let Some(Value::Object(hints)) = task.node.properties.get("root_device") {
        let hints = hints.iter().map(|(key, value)| {
            let value = pyrepr::to_str(value);
            let quoted: String = value.bytes().map(quoted).collect();
            format!("{key}={quoted}")
        });
        parameters.push(("root_device", hints.collect::<Vec<_>>().join(",")));
    }
    let named = parameters.into_iter();
    Ok(named.map(|(key, value)| (key.to_owned(), value)).collect())
}

/// A byte as addresses have it.
fn quoted(byte: u8) -> String {
    match byte {
        b if b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.' | b'~' | b'/') => {
            char::from(b).to_string()
        }
        other => format!("%{other:02X}"),
    }
}

/// What its report leads to.
pub(super) async fn run(task: &mut Task, ramdisk: BashRamdisk) -> Result<(), Stop> {
    let step = current(&task.node, KIND);
    match step.as_ref().map(|step| step.step.as_str()) {
        None | Some("deploy") => begin(task, ramdisk).await,
        Some("prepare_instance_boot") => match ramdisk.loader.clone() {
            Some(loader) => go_on(task, &ramdisk, loader).await,
            None => report::run_steps(task, KIND).await,
        },
        Some(_) => report::run_steps(task, KIND).await,
    }
}

async fn begin(task: &mut Task, ramdisk: BashRamdisk) -> Result<(), Stop> {
    report::resume(task).await?;
    if let Some(error) = ramdisk.error {
        let text = format!("Error returned from deploy ramdisk: {error}");
        return deploy::failed(task, "deploying", &text, None).await;
    }
    // It brings no steps of its own.
    let info = &mut task.node.driver_internal_info;
    info.set_agent_steps(KIND, JsonMap::new(), Timestamp::now());
    if let Err(text) = deploy::relist(task).await {
        return deploy::failed(task, "deploying", &text, None).await;
    }
    let after = index_of(&task.node, KIND, "deploy.deploy").map_or(0, |at| at + 1);
    set_index(&mut task.node, KIND, after);
    report::run_steps(task, KIND).await
}

/// The boot loader is installed, or not.
async fn go_on(task: &mut Task, ramdisk: &BashRamdisk, loader: LoaderReport) -> Result<(), Stop> {
    report::resume(task).await?;
    let text = match loader {
        LoaderReport::Failed(why) => Some(format!(
            "Failed to install bootloader on node {}. Error: {why}.",
            task.id()
        )),
        LoaderReport::Installed => match let_go(task, ramdisk, LetGo::BootLoader).await? {
            Ok(()) => None,
            Err(error) => Some(types::error::chain(&error)),
        },
    };
    match text {
        Some(text) => deploy::failed(task, "deploying", &text, None).await,
        None => report::go_on(task, KIND).await,
    }
}

/// The instance is there: the machine may restart, or installs its boot loader first.
pub(super) async fn prepared(task: &mut Task, ramdisk: &BashRamdisk) -> Attempt<StepResult> {
    if !installs_loader(task) {
        return Ok(Ok(StepResult::Done));
    }
    Ok(let_go(task, ramdisk, LetGo::Write)
        .await?
        .map(|()| StepResult::Wait(Awaited::Other("the boot loader of the ramdisk".to_owned()))))
}

/// Lets the ramdisk restart its machine, unless it was let go already.
pub(super) async fn end(task: &mut Task, ramdisk: &BashRamdisk) -> Attempt {
    match installs_loader(task) {
        true => Ok(Ok(())),
        false => let_go(task, ramdisk, LetGo::Write).await,
    }
}

fn installs_loader(task: &Task) -> bool {
    let whole = task.node.driver_internal_info.is_whole_disk_image();
    !whole && !iscsi::boots_from_network(task)
}

/// Tells the ramdisk that it may go on. It hears that once, and listens no more; so it is noted
/// before, and a conductor that comes after one that ended meanwhile does not take silence for a
/// failure.
async fn let_go(task: &mut Task, ramdisk: &BashRamdisk, after: LetGo) -> Attempt {
    let is_repeated = ramdisk.let_go == Some(after);
    if !is_repeated {
        let noted = BashRamdisk {
            let_go: Some(after),
            ..ramdisk.clone()
        };
        task.node.driver_internal_info.set_bash_ramdisk(&noted);
        let story = task.story();
        task.save(story).await?;
    }
    let told = tell_done(task, ramdisk).await?;
    let Err(DriverError::Unreachable(failure)) = told else {
        return Ok(told);
    };
    if !is_repeated {
        return Ok(Err(DriverError::Unreachable(failure)));
    }
    task.warn(vec![format!(
        "The ramdisk does not listen any more. A conductor that ended told it to go on, or was about to: if the machine does not start, deploy it again. ({failure})"
    )]);
    Ok(Ok(()))
}

async fn tell_done(task: &Task, ramdisk: &BashRamdisk) -> Attempt {
    // It begins to listen a moment after its report.
    let pause = tokio::time::sleep(task.settings().ramdisk.iscsi.ramdisk_pause);
    if task.core.stop.run_until_cancelled(pause).await.is_none() {
        return Err(Stop::Shutdown);
    }
    let failed = |why: String| {
        DriverError::Unreachable(Failure::new(format!(
            "Failed to notify ramdisk to reboot after bootloader installation. Error: {why}"
        )))
    };
    let port = task.settings().ramdisk.iscsi.ramdisk_port.unwrap_or(PORT);
    let address = SocketAddr::from((ramdisk.address, port));
    let outbound = &task.settings().ramdisk.client.outbound;
    if let Err(refused) = outbound.judge(address) {
        return Ok(Err(failed(refused.to_string())));
    }
    let told = timeout(PATIENCE, async {
        let mut connection = TcpStream::connect(address).await?;
        connection.write_all(b"done").await?;
        connection.shutdown().await
    });
    Ok(match told.await {
        Ok(Ok(())) => Ok(()),
        Ok(Err(error)) => Err(failed(error.to_string())),
        Err(_) => Err(failed("it does not answer".to_owned())),
    })
}
