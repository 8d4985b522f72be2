//! Why a machine did not boot: a guess, from its timeline alone.
//!
//! A boot is a row of stations. The doctor looks how far the machine came since it was last
//! published, and whether something there went wrong; each station where a boot can end has a cause
//! in the [table](Cause) and a sentence about what to look at. Nothing is asked and nothing is
//! changed, so the same timeline always has the same answer.

mod journey;

use crate::log::{BootLogEntry, Role, Unanswered};
use journey::Journey;
use serde::Serialize;
use types::time::Timestamp;

/// How long a machine may be silent before that is a finding. Firmware and kernels take their time
/// between two requests.
const PATIENCE_SECONDS: i64 = 60;
/// A ramdisk has more to do until it calls.
const AGENT_PATIENCE_SECONDS: i64 = 240;

/// What is the matter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Cause {
    /// The agent called: nothing is the matter.
    Booted,
    /// The machine is told to boot from its disk.
    FromDisk,
    /// It is on its way.
    UnderWay,
    NothingSeen,
    NotOurs,
    NothingToBoot,
    NoAddress,
    OtherServer,
    OfferNotTaken,
    WrongFirmware,
    LoaderNotAsked,
    LoaderMissing,
    LoaderStalled,
    LoaderDoesNotRun,
    ScriptNotAsked,
    ScriptMissing,
    ConfigNotAsked,
    ConfigMissing,
    KernelNotAsked,
    KernelMissing,
    RamdiskNotAsked,
    RamdiskMissing,
    FileStalled,
    AgentSilent,
}

/// A finding.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Diagnosis {
    pub cause: Cause,
    /// What happened.
    pub finding: String,
    /// What to look at.
    pub advice: &'static str,
}

/// Names the likely cause.
pub fn diagnose(timeline: &[BootLogEntry], now: Timestamp) -> Diagnosis {
    let journey = Journey::of(timeline);
    let (cause, finding) = find(&journey, now);
    Diagnosis {
        cause,
        finding,
        advice: cause.advice(),
    }
}

/// Whether a machine that is to boot has not made itself heard at all.
pub fn is_silent(timeline: &[BootLogEntry]) -> bool {
    let journey = Journey::of(timeline);
    journey.published.is_some() && !journey.seen && !journey.to_disk && !journey.withdrawn
}

fn find(journey: &Journey<'_>, now: Timestamp) -> (Cause, String) {
    if let Some(what) = journey.agent
        && journey.ignored.is_none()
    {
        return (Cause::Booted, format!("The ramdisk called ({what})."));
    }
    if journey.to_disk && journey.ignored.is_none() {
        return (
            Cause::FromDisk,
            "The machine is told to boot from its disk.".to_owned(),
        );
    }
    let failure = failure(journey);
    let silent = journey.last.map(|last| now.seconds_since(last));
    let waited = journey.published.map(|at| now.seconds_since(at));
    let patience = match journey.reached(Role::Ramdisk) {
        true => AGENT_PATIENCE_SECONDS,
        false => PATIENCE_SECONDS,
    };
    match (failure, silent.or(waited)) {
        // What is certainly wrong does not get better by waiting.
        (Some((cause, text)), _) if cause.is_certain() => (cause, text),
        // Nobody waits for it any more: how far it came is how far it got.
        (_, Some(seconds)) if seconds < patience && !journey.withdrawn => {
            let text = match silent {
                Some(_) => format!("The machine is booting; its last sign was {seconds} s ago."),
                None => "The machine has not asked for anything yet.".to_owned(),
            };
            (Cause::UnderWay, text)
        }
        (Some((cause, text)), _) => (cause, text),
        (None, _) => silence(journey),
    }
}

/// Something went wrong that the machine or a server noticed.
fn failure(journey: &Journey<'_>) -> Option<(Cause, String)> {
    if let Some((path, role)) = journey.missing {
        let cause = match role {
            Role::Config => Cause::ConfigMissing,
            Role::Kernel => Cause::KernelMissing,
            Role::Ramdisk => Cause::RamdiskMissing,
            Role::Script => Cause::ScriptMissing,
            Role::Loader | Role::Other => Cause::LoaderMissing,
        };
        return Some((
            cause,
            format!("The machine asked for {path}, which is not there."),
        ));
    }
    if let Some(stall) = &journey.stalled {
        let cause = if stall.role == Role::Loader {
            Cause::LoaderStalled
        } else {
            Cause::FileStalled
        };
        return Some((
            cause,
            format!(
                "The transfer of {} stopped after {} of {} bytes (blocks of {}).",
                stall.path, stall.bytes, stall.size, stall.block_size
            ),
        ));
    }
    if journey.asked.is_empty()
        && let Some(server) = journey.other_server
    {
        return Some((
            Cause::OtherServer,
            format!("The machine took the offer of {server}, not ours."),
        ));
    }
    let why = journey.ignored?;
    let cause = match why {
        Unanswered::NotEnrolled => Cause::NotOurs,
        Unanswered::NothingToBoot => Cause::NothingToBoot,
        Unanswered::NoAddress | Unanswered::NoAddressForOthers => Cause::NoAddress,
    };
    let text = format!("The machine asked for an address and was not answered: {why}.");
    Some((cause, text))
}

/// Nothing went wrong that anybody noticed: how far did it come?
fn silence(journey: &Journey<'_>) -> (Cause, String) {
    let mismatch = journey.mismatch.map(|(machine, node)| {
        (
            Cause::WrongFirmware,
            format!("The machine's firmware is {machine}, the node is set to {node}."),
        )
    });
    let got = |role| journey.reached(role);
    let table: [(bool, Cause, &str); 11] = [
        (
            !journey.seen,
            Cause::NothingSeen,
            "Nothing was heard from the machine.",
        ),
        (
            !journey.offered,
            Cause::NotOurs,
            "The machine asked for an address and got none from us.",
        ),
        (
            got(Role::Ramdisk),
            Cause::AgentSilent,
            "Kernel and ramdisk were fetched, but the agent never called.",
        ),
        (
            got(Role::Kernel),
            Cause::RamdiskNotAsked,
            "The kernel was fetched, but not the ramdisk.",
        ),
        (
            got(Role::Config),
            Cause::KernelNotAsked,
            "The configuration was read, but no kernel asked for.",
        ),
        (
            got(Role::Script),
            Cause::ConfigNotAsked,
            "The boot script was read, but no configuration asked for.",
        ),
        (
            journey.ipxe && !journey.taken,
            Cause::OfferNotTaken,
            "iPXE asked for an address and did not take ours.",
        ),
        (
            journey.ipxe,
            Cause::ScriptNotAsked,
            "iPXE has its address, but never fetched the boot script.",
        ),
        (
            got(Role::Loader),
            Cause::LoaderDoesNotRun,
            "The loader was fetched, and nothing came after it.",
        ),
        (
            !journey.taken,
            Cause::OfferNotTaken,
            "An address was offered, and the machine did not take it.",
        ),
        (
            true,
            Cause::LoaderNotAsked,
            "The machine has its address, but never asked for a loader.",
        ),
    ];
    let (_, cause, text) = table
        .iter()
        .find(|(holds, ..)| *holds)
        .unwrap_or(&table[10]);
    match (cause, mismatch) {
        // Firmware of the other kind explains best why a loader or its configuration is of no use.
        (
            Cause::LoaderDoesNotRun | Cause::LoaderNotAsked | Cause::KernelNotAsked,
            Some(mismatch),
        ) => mismatch,
        _ => (*cause, (*text).to_owned()),
    }
}

impl Cause {
    /// Whether waiting cannot help.
    fn is_certain(self) -> bool {
        matches!(
            self,
            Self::LoaderMissing
                | Self::ConfigMissing
                | Self::KernelMissing
                | Self::RamdiskMissing
                | Self::ScriptMissing
                | Self::OtherServer
                | Self::NoAddress
                | Self::NotOurs
                | Self::NothingToBoot
        )
    }

    /// What to look at.
    pub fn advice(self) -> &'static str {
        match self {
            Self::Booted | Self::FromDisk => "Nothing to do.",
            Self::UnderWay => "Wait, and look again.",
            Self::NothingSeen => {
                "Is the machine on, does it boot from the network first, is the cable in, is the \
                 port in the right VLAN, and does a relay forward DHCP from there to this service?"
            }
            Self::NotOurs => {
                "Every port of a node gets an address, so this MAC address is none of a node's ports: \
                 does `corten port list` show it? Machines that are not enrolled are answered with \
                 [corten]dhcp_others = address, or boot to discover them."
            }
            Self::NothingToBoot => {
                "Is the MAC address that of a port with pxe_enabled, and is its node being deployed, \
                 cleaned, inspected or rescued?"
            }
            Self::NoAddress => {
                "The range of addresses is used up: widen it in [corten]dhcp_networks, or shorten \
                 its leases."
            }
            Self::OtherServer => {
                "Another DHCP server is on the network. Turn it off there, or run ours as a proxy \
                 beside it."
            }
            Self::OfferNotTaken => {
                "Answers may not reach the machine: look at VLANs, DHCP snooping and relays, and \
                 whether another server answers too."
            }
            Self::WrongFirmware => {
                "Set the boot mode of the node (capabilities boot_mode) to what the firmware uses, \
                 or change it in the firmware."
            }
            Self::LoaderNotAsked => {
                "Does a firewall let UDP port 69 (or the HTTP port) through to [pxe]tftp_server, \
                 and is that address right?"
            }
            Self::LoaderMissing => {
                "Put the loader into the root, or name it in [pxe]loader_file_paths; on Debian it \
                 is in the packages ipxe, pxelinux, shim-signed and grub-efi-amd64-signed."
            }
            Self::LoaderStalled | Self::FileStalled => {
                "Large packets may be lost on the way (MTU, block size), or a firewall may let the \
                 request through and not the transfer, which uses a port of its own."
            }
            Self::LoaderDoesNotRun => {
                "Secure boot refuses loaders that are not signed, and a loader for another \
                 processor cannot run; the machine's screen says which."
            }
            Self::ScriptNotAsked => "Can the machine reach [deploy]http_url?",
            Self::ScriptMissing => "Is [deploy]http_root the folder that [deploy]http_url shows?",
            Self::ConfigNotAsked => "Does the machine's screen show an error of iPXE or GRUB?",
            Self::ConfigMissing => {
                "The port that booted has no configuration: is it among the node's ports with \
                 pxe_enabled?"
            }
            Self::KernelNotAsked => {
                "The loader stopped after its configuration; the machine's screen says why."
            }
            Self::KernelMissing | Self::RamdiskMissing => {
                "Are deploy_kernel and deploy_ramdisk right, and could they be fetched?"
            }
            Self::RamdiskNotAsked => "Has the machine enough memory? Its screen may say more.",
            Self::AgentSilent => {
                "Look at the console: has the ramdisk a driver for the network card, did it get an \
                 address, and can it reach the API at ipa-api-url?"
            }
        }
    }
}

#[cfg(test)]
mod tests;
