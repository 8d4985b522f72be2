//! What a server boots from.
//!
//! There are several boot lists, of which one is used next: that of the BIOS, that of UEFI, or the one
//! that holds once. A boot source is an entry of a list, and its id tells what kind of device it is.

use super::{DONE, DracServer, class, field, jobs, number, order};
use crate::{
    DriverError,
    iface::{Machine, Management},
    wsman::WsMan,
};
use async_trait::async_trait;
use proto::{wsman::Argument, xml::Element};
use types::{LeaseProof, rpc::BootDevice};

/// Boot devices, and the words in the ids of their sources. The BIOS has one source for all disks
/// (`HardDisk`), and UEFI has them by their controller.
const DEVICES: [(&str, &[&str]); 3] = [
    ("disk", &["Disk", "AHCI", "RAID"]),
    ("pxe", &["NIC"]),
    ("cdrom", &["Optical"]),
];

/// The list of what is used once.
const ONE_TIME: &str = "OneTime";
/// The list of the BIOS, which is used where none is said to be the next.
const USUAL: &str = "IPL";

/// How the lists are.
#[derive(Debug, PartialEq, Eq)]
struct Lists {
    /// The list that is used from now on.
    lasting: String,
    /// Whether another one is used next, and only then.
    has_once: bool,
    /// Sources of all lists, the first of each list first.
    sources: Vec<Source>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Source {
    id: String,
    list: String,
    /// Its place in the list, after the next job and now.
    pending: u32,
    current: u32,
}

impl Source {
    fn of(object: &Element) -> Option<Self> {
        let id = field(object, "InstanceID")?;
        // The eleventh generation says it in the id only.
        let list = match field(object, "BootSourceType") {
            Some(list) => list,
            None => id.split_once(':')?.0.to_owned(),
        };
        let pending = number(object, "PendingAssignedSequence")?;
        Some(Self {
            list,
            pending,
            current: number(object, "CurrentAssignedSequence").unwrap_or(pending),
            id,
        })
    }

    fn device(&self) -> Option<&'static str> {
        let (_, id) = self.id.split_once(':')?;
        let found = DEVICES
            .iter()
            .find(|(_, words)| words.iter().any(|word| id.contains(word)));
        found.map(|(name, _)| *name)
    }
}

impl Lists {
    fn of(lists: &[Element], sources: &[Element]) -> Self {
        let next = |wanted: &str| {
            let mut all = lists.iter().filter_map(|list| {
                let id = field(list, "InstanceID")?;
                (field(list, "IsNext")? == wanted).then_some(id)
            });
            all.find(|id| wanted == "3" || id != ONE_TIME)
        };
        let current = lists.iter().find_map(|list| {
            let id = field(list, "InstanceID").filter(|id| id != ONE_TIME)?;
            (field(list, "IsCurrent")? == "1").then_some(id)
        });
        let mut sources: Vec<Source> = sources.iter().filter_map(Source::of).collect();
        sources.sort_by_key(|source| source.pending);
        let lasting = next("1").or(current);
        Self {
            lasting: lasting.unwrap_or_else(|| USUAL.to_owned()),
            has_once: next("3").is_some(),
            sources,
        }
    }

    fn in_list(&self) -> impl Iterator<Item = &Source> {
        let all = self.sources.iter();
        all.filter(|source| source.list == self.lasting)
    }

    /// What the list begins with, if it is known what that is.
    fn first(&self) -> Option<&'static str> {
        self.in_list().next()?.device()
    }

    /// Whether the list is what it is to be already.
    fn is_taken_over(&self) -> bool {
        self.in_list()
            .all(|source| source.pending == source.current)
    }
}

async fn read(talk: &mut WsMan<'_>) -> Result<Lists, DriverError> {
    let lists = talk
        .enumerate(class!("DCIM_BootConfigSetting"), None)
        .await?;
    let sources = talk
        .enumerate(class!("DCIM_BootSourceSetting"), None)
        .await?;
    Ok(Lists::of(&lists, &sources))
}

impl DracServer {
    /// Tells the iDRAC what the server is to boot from, where it was not told yet. The server has to be
    /// started afterwards.
    pub(super) async fn tell_boot_device(
        &self,
        machine: &mut Machine<'_>,
    ) -> Result<(), DriverError> {
        let kept = machine.node.driver_internal_info.drac_boot_device();
        let Some((device, is_persistent)) = kept else {
            return Ok(());
        };
        self.change(machine, device, is_persistent).await?;
        machine.node.driver_internal_info.forget_drac_boot_device();
        Ok(())
    }

    async fn change(
        &self,
        machine: &Machine<'_>,
        device: &str,
        is_persistent: bool,
    ) -> Result<(), DriverError> {
        let mut talk = self.open_ready(machine, "set boot device").await?;
        let lists = read(&mut talk).await?;
        let is_so = lists.first() == Some(device) && !lists.has_once;
        // What is so for good is so the next time as well.
        if is_so && lists.is_taken_over() {
            return Ok(());
        }
        let open = jobs::unfinished(&mut talk).await?;
        if !open.is_empty() {
            // A conductor that ended after it told the iDRAC leaves the job that waits for the start.
            let is_told = match is_persistent {
                true => is_so,
                false => lists.has_once,
            };
            return match is_told && open.iter().any(jobs::Job::is_for_bios) {
                true => Ok(()),
                false => Err(jobs::busy(&talk, &open)),
            };
        }
        let wanted = lists
            .in_list()
            .find(|source| source.device() == Some(device));
        let Some(source) = wanted else {
            let list = talk.quoted(&lists.lasting);
            let text = format!("its boot list {list} has nothing for {device}");
            return Err(talk.error(DriverError::Rejected, text));
        };
        let list = match is_persistent {
            true => lists.lasting.as_str(),
            false => ONE_TIME,
        };
        let selectors = [("InstanceID", list)];
        order(
            &mut talk,
            (class!("DCIM_BootConfigSetting"), &selectors),
            "ChangeBootOrderByInstanceID",
            &[Argument::Text("source", &source.id)],
            DONE,
        )
        .await?;
        let job = jobs::create(&mut talk, false).await?;
        tracing::info!(node = %machine.node.id, job, device, list, "a job of the iDRAC sets the boot device at the next start");
        Ok(())
    }
}

#[async_trait]
impl Management for DracServer {
    fn supported_boot_devices(&self) -> &'static [&'static str] {
        &["pxe", "disk", "cdrom"]
    }

    async fn boot_device(&self, machine: &Machine<'_>) -> Result<BootDevice, DriverError> {
        let kept = machine.node.driver_internal_info.drac_boot_device();
        if let Some((device, is_persistent)) = kept {
            return Ok(BootDevice {
                device: Some(device.to_owned()),
                persistent: Some(is_persistent),
            });
        }
        let mut talk = self.open_ready(machine, "boot device").await?;
        let lists = read(&mut talk).await?;
        // Which source is used once, no list tells.
        Ok(match lists.has_once {
            true => BootDevice {
                device: None,
                persistent: Some(false),
            },
            false => BootDevice {
                device: lists.first().map(str::to_owned),
                persistent: Some(true),
            },
        })
    }

    async fn set_boot_device(
        &self,
        _lease: &LeaseProof,
        machine: &mut Machine<'_>,
        device: &str,
        persistent: bool,
    ) -> Result<(), DriverError> {
        if !DEVICES.iter().any(|(name, _)| *name == device) {
            return Err(DriverError::InvalidParameter(format!(
                "Invalid boot device {device} specified."
            )));
        }
        let info = &mut machine.node.driver_internal_info;
        info.set_drac_boot_device(device, persistent);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn object(fields: &[(&str, &str)]) -> Element {
        fields
            .iter()
            .fold(Element::new("a"), |object, (name, value)| {
                object.holding(Element::new(name).saying(value))
            })
    }

    fn list(id: &str, is_current: &str, is_next: &str) -> Element {
        object(&[
            ("InstanceID", id),
            ("IsCurrent", is_current),
            ("IsNext", is_next),
        ])
    }

    fn source(id: &str, pending: &str, current: &str) -> Element {
        object(&[
            ("InstanceID", id),
            ("PendingAssignedSequence", pending),
            ("CurrentAssignedSequence", current),
        ])
    }

    #[test]
    fn the_first_source_of_the_next_list_counts() {
        let sources = [
            source("UEFI:BIOS.Setup.1-1#UefiBootSeq#Optical.X#1", "0", "0"),
            source("IPL:BIOS.Setup.1-1#BootSeq#HardDisk.List.1-1#2", "1", "1"),
            source("IPL:NIC.Embedded.1-1:3", "0", "0"),
        ];
        let lists = [
            list("OneTime", "2", "2"),
            list("UEFI", "2", "2"),
            list("IPL", "1", "1"),
        ];
        let found = Lists::of(&lists, &sources);
        assert_eq!((found.lasting.as_str(), found.has_once), ("IPL", false));
        assert_eq!(found.first(), Some("pxe"));
        assert!(found.is_taken_over());
        let lists = [
            list("OneTime", "2", "3"),
            list("UEFI", "1", "2"),
            list("IPL", "2", "2"),
        ];
        let found = Lists::of(&lists, &sources);
        assert_eq!((found.lasting.as_str(), found.has_once), ("UEFI", true));
        assert_eq!(found.first(), Some("cdrom"));
        let nothing = Lists::of(&[], &[]);
        assert_eq!((nothing.lasting.as_str(), nothing.first()), ("IPL", None));
    }

    #[test]
    fn an_order_that_no_job_took_over_is_seen() {
        let sources = [
            source("IPL:HardDisk.List.1-1:2", "1", "0"),
            source("IPL:NIC.Embedded.1-1:3", "0", "1"),
            source("IPL:Floppy.X:4", "2", "2"),
            source(
                "IPL:BIOS.Setup.1-1#UefiBootSeq#RAID.Integrated.1-1#5",
                "3",
                "3",
            ),
            source("nonsense", "3", "3"),
            object(&[("InstanceID", "IPL:x")]),
        ];
        let found = Lists::of(&[], &sources);
        assert_eq!(found.first(), Some("pxe"));
        assert!(!found.is_taken_over());
        let devices: Vec<_> = found.in_list().map(Source::device).collect();
        assert_eq!(devices, [Some("pxe"), Some("disk"), None, Some("disk")]);
    }
}
