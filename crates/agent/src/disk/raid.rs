//! Arrays of Linux: made as the node's RAID configuration says, and taken apart again.
//!
//! Tables and signatures are written here; arrays themselves are the business of `mdadm`. There is
//! no udev in our ramdisks, which `mdadm` has to be told, or it would wait for it.

mod array;
pub(super) mod esp;
mod plan;

use super::{
    erase,
    medium::{Disk, Medium, Window},
    nodes, probe,
    table::Table,
};
use crate::{
    AgentError,
    block::{self, BlockDevice, hints},
    config::Config,
    exec,
    progress::Progress,
    safety::Permit,
};
use array::{Array, ArrayAction};
use plan::Volume;
use serde_json::Value;
use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
    time::Duration,
};
use tokio::process::Command;

const PATIENCE: Duration = Duration::from_secs(300);
/// How often arrays are looked for that came up again.
const PASSES: usize = 2;

/// What was made.
#[derive(Debug, Clone, PartialEq)]
pub struct Created {
    /// The configuration in the usual format.
    pub raid_config: Value,
    /// The array that the configuration calls the root volume.
    pub root_device: Option<String>,
}

/// Starts the arrays that are on the disks, so that a system on one is found. A machine without any,
/// or a ramdisk without `mdadm`, is none the worse for it.
pub async fn assemble(_permit: &Permit, config: &Config) {
    // The program knows only the machine that it runs on, not one that a folder stands for.
    if config.root != Path::new("/") {
        return;
    }
    if let Err(error) = mdadm(&["--assemble", "--scan"]).await {
        tracing::debug!(%error, "mdadm assembled no array");
    }
}

/// Stops the arrays that an earlier owner had on a disk which is to be written as a whole.
pub(crate) async fn release(_permit: &Permit, device: &Path, config: &Config) {
    let name = device.to_string_lossy();
    let Some(disk) = block::find(&config.root, &name) else {
        return;
    };
    let parts = disk.partitions.iter().flat_map(|part| &part.holders);
    for holder in disk.holders.iter().chain(parts) {
        if holder.starts_with("md")
            && let Err(error) = mdadm(&["--stop", &format!("/dev/{holder}")]).await
        {
            tracing::warn!(array = holder, %error, "cannot stop a RAID array");
        }
    }
}

/// The names of the arrays that the node wants left alone, and of the disks that these are on.
pub(crate) fn kept(node: &Value, config: &Config) -> Result<BTreeSet<String>, AgentError> {
    let (arrays, actions) = judge(node, config)?;
    let stays = |array: &&Array| actions.get(&array.name) == Some(&ArrayAction::Keep);
    let nodes = arrays
        .iter()
        .filter(stays)
        .flat_map(|array| array.disks.iter().chain([&array.name]));
    Ok(nodes.map(|name| array::node(name)).collect())
}

/// The arrays that there are, and what is to become of each.
fn judge(
    node: &Value,
    config: &Config,
) -> Result<(Vec<Array>, BTreeMap<String, ArrayAction>), AgentError> {
    let arrays = array::list(config);
    let devices = hints::skip_list(&block::list(&config.root), node)?;
    let actions = array::actions(&arrays, &hints::skipped_volumes(node), &devices);
    Ok((arrays, actions))
}

/// Makes the arrays of `target_raid_config`; nothing without one.
pub async fn create(
    permit: &Permit,
    node: &Value,
    config: &Config,
    progress: &Progress,
) -> Result<Option<Created>, AgentError> {
    match node
        .get("target_raid_config")
        .filter(|raid| is_something(raid))
    {
        Some(raid) => make(permit, node, raid, config, progress).await,
        None => Ok(None),
    }
}

/// Makes the arrays of a configuration, by default after all others were taken apart.
pub async fn apply(
    permit: &Permit,
    node: &Value,
    raid_config: &Value,
    delete_existing: bool,
    config: &Config,
    progress: &Progress,
) -> Result<Option<Created>, AgentError> {
    plan::validate(raid_config, node, &block::list(&config.root))?;
    if delete_existing {
        delete(permit, node, config, progress).await?;
    }
    make(permit, node, raid_config, config, progress).await
}

async fn make(
    permit: &Permit,
    node: &Value,
    raid_config: &Value,
    config: &Config,
    progress: &Progress,
) -> Result<Option<Created>, AgentError> {
    let disks = raid_config.get("logical_disks").and_then(Value::as_array);
    let is_software =
        |disk: &Value| disk.get("controller").and_then(Value::as_str) == Some("software");
    if !disks.is_some_and(|disks| disks.iter().any(is_software)) {
        return Ok(None);
    }
    progress.phase("creating arrays");
    let devices = block::list(&config.root);
    plan::validate(raid_config, node, &devices)?;
    let skipped = hints::skip_list(&devices, node)?;
    let (there, actions) = judge(node, config)?;
    let disks: Vec<BlockDevice> = devices
        .into_iter()
        .filter(|device| !device.is_md() && !skipped.contains(&device.name))
        .collect();
    let volumes = plan::volumes(raid_config, &disks)?;
    // What was kept on purpose, or beside what was, is not made again.
    let is_kept = |volume: &Volume| {
        volume.name.is_some()
            && there.iter().any(|array| {
                array.volume == volume.name
                    && actions.get(&array.name) != Some(&ArrayAction::Delete)
            })
    };
    let volumes: Vec<Volume> = volumes.into_iter().filter(|v| !is_kept(v)).collect();
    let is_uefi = plan::is_uefi(node, config);
    let is_gpt = is_uefi || plan::wants_gpt(node);
    let (order, places) = plan::places(&volumes, &disks, is_uefi, is_gpt)?;
    refuse_partitions(config, places.keys().map(String::as_str))?;
    for (name, places) in &places {
        let path = erase::node_of(config, name);
        let mut disk = Disk::open(&path).map_err(|error| failed(name, &error))?;
        let table = Table::create(&disk, is_gpt, places).map_err(|error| failed(name, &error))?;
        for (offset, length) in places {
            // What an earlier array left there would be taken for a member.
            let mut window =
                Window::new(&mut disk, *offset, *length).map_err(|error| failed(name, &error))?;
            erase::wipe_edges(&mut window).map_err(|error| failed(name, &error))?;
        }
        table
            .write(&mut disk)
            .and_then(|()| Ok(disk.sync()?))
            .map_err(|error| failed(name, &error))?;
        nodes::reread(&disk).await?;
        for number in (1..).take(places.len()) {
            nodes::wait(&path, number).await?;
        }
    }
    let mut next: BTreeMap<&str, u32> = BTreeMap::new();
    let mut root_device = None;
    for (volume, index) in order.into_iter().zip(free_numbers(&there)) {
        let mut members = Vec::new();
        for disk in &volume.disks {
            let number = next.entry(disk.as_str()).or_insert(0);
            *number += 1;
            let member = nodes::path(Path::new(disk), *number);
            members.push(member.to_string_lossy().into_owned());
        }
        let device = make_array(permit, volume, index, &members).await?;
        if volume.is_root {
            root_device = Some(device);
        }
    }
    Ok(Some(Created {
        raid_config: raid_config.clone(),
        root_device,
    }))
}

fn free_numbers(there: &[Array]) -> impl Iterator<Item = u32> {
    let taken: Vec<String> = there.iter().map(|array| array.name.clone()).collect();
    (0..128).filter(move |index| !taken.contains(&format!("md{index}")))
}

async fn make_array(
    _permit: &Permit,
    volume: &Volume,
    index: u32,
    members: &[String],
) -> Result<String, AgentError> {
    let device = format!("/dev/md{index}");
    let name = volume.name.clone().unwrap_or_else(|| format!("md{index}"));
    let level = if volume.level == "1+0" {
        "10"
    } else {
        volume.level.as_str()
    };
    let count = members.len().to_string();
    let mut args = vec![
        "--create",
        &device,
        "--force",
        "--run",
        "--metadata=1",
        "--level",
        level,
        "--name",
        &name,
        "--raid-devices",
        &count,
    ];
    args.extend(members.iter().map(String::as_str));
    let made = mdadm(&args).await;
    made.map_err(|error| {
        refused(format!(
            "Failed to create md device {device} on {}: {error}",
            members.join(" ")
        ))
    })?;
    Ok(device)
}

/// Refuses disks that already have partitions: they hold data.
fn refuse_partitions<'a>(
    config: &Config,
    disks: impl Iterator<Item = &'a str>,
) -> Result<(), AgentError> {
    let divided: Vec<&str> = disks
        .filter(|name| {
            let disk = Disk::open_to_read(&erase::node_of(config, name));
            disk.is_ok_and(|disk| {
                let table = Table::read(&disk).ok().flatten();
                table.is_some_and(|table| !table.entries(&disk).is_empty())
            })
        })
        .collect();
    if divided.is_empty() {
        return Ok(());
    }
    Err(refused(format!(
        "Partitions detected on devices {} during RAID config",
        divided.join(", ")
    )))
}

/// Takes all arrays apart, but those that the node wants left alone.
pub async fn delete(
    permit: &Permit,
    node: &Value,
    config: &Config,
    progress: &Progress,
) -> Result<(), AgentError> {
    progress.phase("deleting arrays");
    let mut pass = 0;
    loop {
        // Arrays that do not run could not be found; that there are none is no failure.
        assemble(permit, config).await;
        let (arrays, actions) = judge(node, config)?;
        let condemned = |array: &&Array| actions.get(&array.name) == Some(&ArrayAction::Delete);
        let left: Vec<String> = arrays.iter().filter(condemned).map(Array::path).collect();
        if pass > 0 && left.is_empty() {
            return sweep(permit, node, config, &arrays).await;
        }
        if pass == PASSES {
            return Err(refused(format!(
                "Unable to clean all softraid correctly. Remaining {left:?}"
            )));
        }
        take_apart(permit, config, &arrays, &actions).await?;
        pass += 1;
    }
}

/// Does to each array what was decided.
async fn take_apart(
    permit: &Permit,
    config: &Config,
    arrays: &[Array],
    actions: &BTreeMap<String, ArrayAction>,
) -> Result<(), AgentError> {
    for array in arrays {
        let path = erase::node_of(config, &array.path());
        match actions.get(&array.name) {
            Some(ArrayAction::Keep) | None => continue,
            Some(ArrayAction::Wipe) => {
                tracing::warn!(
                    array = array.name,
                    "array shares disks with an array that must be kept: wiping its contents, not deleting it"
                );
                erase::wipe(permit, &path).await?;
            }
            Some(ArrayAction::Delete) => {
                if let Err(error) = erase::wipe(permit, &path).await {
                    tracing::warn!(array = array.name, %error, "cannot wipe a RAID array");
                }
                if let Err(error) = mdadm(&["--stop", &array.path()]).await {
                    tracing::warn!(array = array.name, %error, "cannot stop a RAID array");
                }
            }
        }
    }
    clear_members(permit, config, arrays, actions).await
}

/// Clears the disks of arrays that are gone; where another array stays, only its own partitions.
async fn clear_members(
    permit: &Permit,
    config: &Config,
    arrays: &[Array],
    actions: &BTreeMap<String, ArrayAction>,
) -> Result<(), AgentError> {
    let stays = |array: &&Array| actions.get(&array.name) != Some(&ArrayAction::Delete);
    let busy: Vec<&String> = arrays.iter().filter(stays).flat_map(|a| &a.disks).collect();
    for array in arrays.iter().filter(|array| !stays(array)) {
        for disk in &array.disks {
            let path = erase::node_of(config, &array::node(disk));
            if !busy.contains(&disk) {
                erase::wipe(permit, &path).await?;
                continue;
            }
            let members = array.members.iter();
            let own = members.filter_map(|member| Array::number(member, disk));
            remove_partitions(permit, &path, &own.collect::<Vec<_>>())?;
        }
    }
    Ok(())
}

fn remove_partitions(_permit: &Permit, path: &Path, numbers: &[u32]) -> Result<(), AgentError> {
    let name = path.to_string_lossy();
    let failed = |error: &dyn std::fmt::Display| failed(&name, error);
    let mut disk = Disk::open_to_write(path).map_err(|error| failed(&error))?;
    let Some(mut table) = Table::read(&disk).map_err(|error| failed(&error))? else {
        return Ok(());
    };
    for entry in table.entries(&disk) {
        if !numbers.contains(&entry.number) {
            continue;
        }
        let mut window =
            Window::new(&mut disk, entry.offset, entry.length).map_err(|error| failed(&error))?;
        erase::wipe_edges(&mut window).map_err(|error| failed(&error))?;
        table.remove(entry.number);
        if let Err(error) = super::sys::tell_partition(disk.file(), entry.number, None) {
            tracing::warn!(%error, number = entry.number, "the kernel did not remove a partition");
        }
    }
    table
        .write(&mut disk)
        .and_then(|()| Ok(disk.sync()?))
        .map_err(|error| failed(&error))
}

/// Clears the superblocks of arrays that could not be assembled.
async fn sweep(
    permit: &Permit,
    node: &Value,
    config: &Config,
    arrays: &[Array],
) -> Result<(), AgentError> {
    let busy: Vec<&String> = arrays.iter().flat_map(|array| &array.disks).collect();
    let devices = block::list(&config.root);
    let skipped = hints::skip_list(&devices, node)?;
    for device in devices {
        let is_left = device.is_md()
            || device.read_only
            || busy.contains(&&device.kernel_name)
            || skipped.contains(&device.name);
        if !is_left {
            clear_remains(permit, config, &device).await?;
        }
    }
    Ok(())
}

/// Clears what made a disk, or partitions of it, parts of an array. The disk's table goes as well
/// if it describes nothing else; otherwise whatever else it describes is somebody's.
async fn clear_remains(
    permit: &Permit,
    config: &Config,
    device: &BlockDevice,
) -> Result<(), AgentError> {
    let path = erase::node_of(config, &device.name);
    let Ok(mut disk) = Disk::open_to_read(&path) else {
        return Ok(());
    };
    let is_member = |medium: &dyn Medium| {
        probe::probe(medium).is_some_and(|found| found.kind == "linux_raid_member")
    };
    let table = Table::read(&disk).ok().flatten();
    let entries = table.map_or_else(Vec::new, |table| table.entries(&disk));
    let mut members = Vec::new();
    for entry in &entries {
        let window = Window::new(&mut disk, entry.offset, entry.length);
        if window.is_ok_and(|window| is_member(&window)) {
            members.push(entry);
        }
    }
    // What ends where its disk ends has its mark where that of the disk would be.
    let is_whole = device.partitions.is_empty() && entries.is_empty() && is_member(&disk);
    if is_whole || !members.is_empty() && members.len() == entries.len() {
        drop(disk);
        return erase::wipe(permit, &path).await;
    }
    if members.is_empty() {
        return Ok(());
    }
    let failed = |error: &dyn std::fmt::Display| failed(&device.name, error);
    let mut disk = Disk::open(&path).map_err(|error| failed(&error))?;
    for member in members {
        Window::new(&mut disk, member.offset, member.length)
            .and_then(|mut window| erase::wipe_edges(&mut window))
            .map_err(|error| failed(&error))?;
    }
    disk.sync().map_err(|error| failed(&error))
}

async fn mdadm(args: &[&str]) -> Result<String, AgentError> {
    let mut command = Command::new("mdadm");
    command
        .args(args)
        .env("MDADM_NO_UDEV", "1")
        .env("LC_ALL", "C");
    exec::run_prepared(command, &format!("mdadm {}", args.join(" ")), PATIENCE).await
}

fn is_something(value: &Value) -> bool {
    value.as_object().is_some_and(|map| !map.is_empty())
}

fn failed(device: &str, error: &dyn std::fmt::Display) -> AgentError {
    refused(format!("{device} cannot be used: {error}"))
}

fn refused(details: String) -> AgentError {
    AgentError::failed(
        "SoftwareRAIDError",
        "Software RAID caused unknown error",
        details,
    )
}

#[cfg(test)]
mod tests;
