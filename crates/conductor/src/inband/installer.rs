//! Deployments by the installer of an operating system.
//!
//! The installer is booted with a kickstart file that was made for the machine, and a token in it. It
//! says by itself that it has begun, failed or ended, and says it once: a report that cannot be taken
//! is refused, so that it is sent again. At the end the machine is put on its own networks and started
//! from its disk. Nothing re-arms the installer for a machine in use, as Ironic does when a conductor
//! takes such a machine over.

use super::{drive, glance, publish, ramdisk, report, restore, steps};
use crate::{
    Download,
    flow::{deploy, networks, reason},
    steps::{StepResult, current},
    task::{Stop, Task},
};
use drivers::{
    DriverError, Failure,
    glance::Reference,
    iface::{Awaited, BootFrom, InstallerOrder, InstallerSource, NetworkPurpose},
};
use types::{Timestamp, internal_info::InstallerStatus, pyrepr, step::StepKind};

/// What a deployment waits for when it has booted an installer.
pub(crate) const REPORT: &str = "the installer's report";

/// Everything that can be found out while the machine is left alone.
pub(super) async fn check(task: &mut Task) -> Result<(), DriverError> {
    drive::files(task).await?;
    ramdisk::api_url(task).await?;
    let source = source(task).await?;
    let hardware = task.hardware.clone();
    let addresses = task.instance_addresses()?;
    let (_, mut machine) = task.hands()?;
    machine.instance_addresses = Some(addresses);
    hardware.boot.fetch_installer(&mut machine, &source).await
}

/// What is installed. Whether it is a tree of packages is asked of its server and noted.
async fn source(task: &mut Task) -> Result<InstallerSource, DriverError> {
    let info = task.instance_addresses()?;
    let named = info
        .get("image_source")
        .filter(|value| pyrepr::truth(value));
    let named = named.map(pyrepr::to_str).ok_or_else(|| {
        DriverError::InvalidParameter("the instance has no image_source".to_owned())
    })?;
    let download = publish::download(task)?;
    let href = match Reference::read(&named)? {
        Reference::Glance(id) if download == Download::Swift => {
            let url = glance::temp_url(task, &id).await?;
            return Ok(InstallerSource::Url(url.expose().to_owned()));
        }
        Reference::Glance(_) => return Ok(InstallerSource::Published),
        Reference::Stored(_) => {
            return Err(DriverError::InvalidParameter(format!(
                "an installer does not take images of the image store, such as {named}: name an address or an image of Glance"
            )));
        }
        Reference::Address(href) => href,
    };
    if !(href.starts_with("http://") || href.starts_with("https://")) {
        return Ok(InstallerSource::Published);
    }
    let Some(store) = task.core.registry.images().cloned() else {
        return Ok(InstallerSource::Url(href));
    };
    let looked = match store.http().look(&href).await {
        Ok(looked) => Some(looked),
        Err(error) => {
            let error = types::error::chain(&error);
            tracing::warn!(node = %task.id(), error, "it cannot be told whether the image is a tree, so it is taken for a file");
            None
        }
    };
    let is_tree = looked.as_ref().map(|looked| looked.is_folder());
    task.node.driver_internal_info.set_source_a_path(is_tree);
    Ok(match (looked, is_tree) {
        // Where it led is what the installer is told.
        (Some(looked), Some(true)) => InstallerSource::Tree(looked.url),
        _ if download == Download::Local => InstallerSource::Published,
        _ => InstallerSource::Url(href),
    })
}

async fn order(task: &mut Task, token: String) -> Result<InstallerOrder, DriverError> {
    let api = ramdisk::api_url(task).await?;
    Ok(InstallerOrder {
        source: source(task).await?,
        token,
        heartbeat_url: format!("{}/v1/heartbeat/{}", api.trim_end_matches('/'), task.id()),
        config_drive: drive::files(task).await?,
    })
}

/// Publishes the installer. What the machine is to boot from.
async fn prepare(task: &mut Task, order: &InstallerOrder) -> Result<Option<BootFrom>, DriverError> {
    let hardware = task.hardware.clone();
    let addresses = task.instance_addresses()?;
    let (lease, mut machine) = task.hands()?;
    machine.instance_addresses = Some(addresses);
    let boot = &hardware.boot;
    boot.prepare_installer(lease, &mut machine, order).await
}

/// Boots the installer. It reports when it has begun.
pub(super) async fn boot(task: &mut Task) -> Result<StepResult, DriverError> {
    ramdisk::switch_off(task).await?;
    ramdisk::sync_boot_mode(task).await?;
    let token = crate::agent::fresh_token()
        .map_err(|fault| DriverError::Environment(Failure::new(fault.to_string())))?;
    let info = &mut task.node.driver_internal_info;
    info.forget_installer_status();
    info.embed_agent_token(&token);
    let began = Timestamp::now();
    let order = order(task, token).await?;
    let from = prepare(task, &order).await?;
    restore::note(task, NetworkPurpose::Provisioning, began);
    if let Some(from) = from {
        ramdisk::boot_from(task, from).await?;
    }
    ramdisk::start(task).await?;
    Ok(StepResult::Wait(Awaited::Ramdisk(REPORT)))
}

/// Serves an installer again that a conductor before served, with the token that it shows.
pub(super) async fn restore(task: &mut Task) -> Result<bool, DriverError> {
    let token = ramdisk::kept_token(task)?
        .ok_or_else(|| DriverError::Environment(Failure::new("the installer was told no token")))?;
    let order = order(task, token).await?;
    prepare(task, &order).await?;
    Ok(true)
}

/// What a report of the installer leads to.
pub(super) async fn report(task: &mut Task) -> Result<(), Stop> {
    match task.node.driver_internal_info.installer_status() {
        InstallerStatus::Started => {
            let story = task.story();
            task.end(story).await
        }
        InstallerStatus::Failed => {
            let said = task.node.driver_internal_info.installer_message();
            let text = said.unwrap_or("The installer reported neither its start nor its end");
            let text = text.to_owned();
            deploy::failed(task, "deploying", &text, None).await
        }
        InstallerStatus::Ended => finish(task).await,
    }
}

async fn finish(task: &mut Task) -> Result<(), Stop> {
    report::resume(task).await?;
    let Err(error) = start_instance(task).await else {
        return report::go_on(task, StepKind::Deploy).await;
    };
    let step = current(&task.node, steps::kind_of(&task.node));
    let name = step.as_ref().map(|step| step.name());
    let text = format!(
        "Deploy step {} failed: An error occurred after deployment, while preparing to reboot the node {}: {}",
        name.as_deref().unwrap_or("deploy.deploy"),
        task.id(),
        reason(&task.node, &error)
    );
    deploy::failed(task, "deploying", &text, step.as_ref()).await
}

/// From the installer to what it installed. Every part may be done twice.
async fn start_instance(task: &mut Task) -> Result<(), DriverError> {
    restore::forget(&mut task.node);
    let hardware = task.hardware.clone();
    {
        let (lease, mut machine) = task.hands()?;
        // First: the token and the user's data are served no longer than they are needed.
        hardware.boot.clean_up_instance(lease, &mut machine).await?;
    }
    task.node.driver_internal_info.forget_installer();
    ramdisk::switch_off(task).await?;
    ramdisk::boot_from(task, BootFrom::DISK).await?;
    ramdisk::sync_secure_boot(task, true).await?;
    networks::leave(task, NetworkPurpose::Provisioning).await?;
    networks::join(task, NetworkPurpose::Tenant).await?;
    ramdisk::start(task).await
}
