//! EFI system partitions of systems on arrays: firmware knows no arrays, so each disk gets one of its
//! own, and an array whose metadata is at the end keeps them alike.

use super::{
    array::{self, Array},
    free_numbers, mdadm, nodes, refused,
};
use crate::{
    AgentError,
    config::Config,
    disk::{
        erase, format,
        medium::{Disk, Medium, Window, read},
        probe, sys,
        table::{PartitionEntry, Table},
    },
    safety::Permit,
};
use proto::{
    disk::gpt::kind,
    fat::{Fat, FatReader},
    volume::{Content, Tree},
};
use std::{
    fmt::Display,
    path::{Path, PathBuf},
};

const SIZE: u64 = 550 << 20;
/// The most that is copied.
const MOST_BYTES: u64 = 128 << 20;

/// One of the partitions.
pub(in crate::disk) struct Mirror {
    pub(in crate::disk) disk: PathBuf,
    pub(in crate::disk) number: u32,
}

/// Makes the partitions on all disks of an array and brings the files there from the one that the
/// image has on the array.
pub(in crate::disk) async fn mirror(
    permit: &Permit,
    device: &Path,
    from: &PartitionEntry,
    config: &Config,
) -> Result<Vec<Mirror>, AgentError> {
    let name = device
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    let failed =
        |error: &dyn Display| refused(format!("cannot create EFI partitions for {name}: {error}"));
    let arrays = array::list(config);
    let own = arrays.iter().find(|array| array.name == name);
    let own = own.ok_or_else(|| failed(&"not a RAID array"))?;
    let there = arrays
        .iter()
        .find(|array| array.volume.as_deref() == Some("esp"));
    let mirrors = match there {
        // The machine had a system like this before.
        Some(array) => parts_of(&array.members, &array.disks),
        None => make(permit, &own.disks, config).await?,
    };
    let target = match there {
        Some(array) => array.path(),
        None => {
            let index = free_numbers(&arrays)
                .next()
                .ok_or_else(|| failed(&"no free RAID device number"))?;
            let path = format!("/dev/md{index}");
            let count = mirrors.len().to_string();
            let mut args = vec!["--create", path.as_str(), "--force", "--run"];
            args.extend(["--metadata=1.0", "--level", "1", "--name", "esp"]);
            args.extend(["--raid-devices", count.as_str()]);
            let nodes: Vec<String> = mirrors
                .iter()
                .map(|part| {
                    nodes::path(&part.disk, part.number)
                        .to_string_lossy()
                        .into_owned()
                })
                .collect();
            args.extend(nodes.iter().map(String::as_str));
            mdadm(&args).await?;
            path
        }
    };
    let (permit, device, from) = (permit.clone(), device.to_owned(), from.clone());
    let target = erase::node_of(config, &target);
    // The whole of a new filesystem may have to be written.
    let copied = tokio::task::spawn_blocking(move || {
        copy(&permit, &device, &from, &target).map_err(|error| error.to_string())
    });
    let copied = copied.await.unwrap_or_else(|error| Err(error.to_string()));
    copied.map_err(|error| failed(&error))?;
    Ok(mirrors)
}

fn parts_of(members: &[String], disks: &[String]) -> Vec<Mirror> {
    let part = |member: &String| {
        disks.iter().find_map(|disk| {
            Some(Mirror {
                disk: PathBuf::from(array::node(disk)),
                number: Array::number(member, disk)?,
            })
        })
    };
    members.iter().filter_map(part).collect()
}

async fn make(
    _permit: &Permit,
    disks: &[String],
    config: &Config,
) -> Result<Vec<Mirror>, AgentError> {
    let mut made = Vec::new();
    for (index, name) in disks.iter().enumerate() {
        let path = erase::node_of(config, &array::node(name));
        let failed = |error: &dyn Display| {
            refused(format!("cannot create an EFI partition on {name}: {error}"))
        };
        let mut disk = Disk::open_to_write(&path).map_err(|error| failed(&error))?;
        let table = Table::read(&disk).map_err(|error| failed(&error))?;
        let mut table = table.ok_or_else(|| failed(&"no partition table found"))?;
        let label = format!("uefi-holder-{index}");
        let entry = table
            .add_first(&disk, kind::EFI_SYSTEM, &label, SIZE)
            .map_err(|error| failed(&error))?;
        let mut window =
            Window::new(&mut disk, entry.offset, entry.length).map_err(|error| failed(&error))?;
        erase::wipe_edges(&mut window).map_err(|error| failed(&error))?;
        table
            .write(&mut disk)
            .and_then(|()| Ok(disk.sync()?))
            .map_err(|error| failed(&error))?;
        // The disk is in use, so the kernel does not read its table again.
        sys::tell_partition(
            disk.file(),
            entry.number,
            Some((entry.offset, entry.length)),
        )
        .map_err(|error| failed(&error))?;
        nodes::wait(&path, entry.number).await?;
        made.push(Mirror {
            disk: path,
            number: entry.number,
        });
    }
    Ok(made)
}

/// Copies the files of one EFI partition to a new filesystem of the same id, and clears the old one,
/// so that nobody takes it for the real one.
fn copy(
    _permit: &Permit,
    device: &Path,
    from: &PartitionEntry,
    target: &Path,
) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    let mut disk = Disk::open_to_write(device)?;
    let mut source = Window::new(&mut disk, from.offset, from.length)?;
    let content = probe::probe(&source).unwrap_or_default();
    let mut tree = Tree::new();
    {
        let mut at = |offset: u64, length: usize| read(&source, offset, length);
        let reader = FatReader::open(&mut at)?;
        for file in reader.files(&mut at)? {
            let bytes = reader.read_file(&mut at, &file, MOST_BYTES)?;
            tree.add(&file.path, Content::Bytes(bytes))?;
        }
    }
    let serial = content.uuid.as_deref().unwrap_or_default().replace('-', "");
    let mut to = Disk::open(target)?;
    let fat = Fat {
        label: content.label.unwrap_or_else(|| "esp".to_owned()),
        serial: u32::from_str_radix(&serial, 16).unwrap_or(0),
        size: Some(to.size()),
        sector_size: Some(to.sector_size()),
        ..Fat::default()
    };
    format::put(&mut to, fat.layout(&tree)?.segments(), format::nothing)?;
    to.sync()?;
    source.zero(0, from.length.min(1 << 20))?;
    Ok(source.sync()?)
}
