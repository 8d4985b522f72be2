//! The `ucsm` power and management interfaces: servers as service profiles of UCS Manager.
//!
//! The boot order is a policy, which others may share. So each node gets one of its own, named as its
//! service profile, when its boot device is first set; the profile is told to use that.

mod boot;

use super::{CiscoSettings, Login, login, session::Session, unknown_device};
use crate::{
    DriverError,
    chassis::{ManagerAddress, ManagerProtocol, Managers},
    iface::{Interface, Machine, Management, Power},
    power::wait_for_state,
    recorder::Recorder,
};
use async_trait::async_trait;
use boot::{Policy, device_of, entries};
use proto::{
    nuova::{self, Reply},
    xml::Element,
};
use std::{sync::Arc, time::Duration};
use types::{LeaseProof, PowerState, PowerTarget, pyrepr, rpc::BootDevice, step::OnRestart};

const NAME: &str = "ucsm";

const KIND: ManagerProtocol = ManagerProtocol {
    protocol: NAME,
    noun: "UCS Manager",
    address: "ucs_address",
    verify: "ucs_verify_ca",
};

const PROPERTIES: &[(&str, &str)] = &[
    (
        "ucs_address",
        "IP or hostname of the UCS Manager; https is assumed. Required.",
    ),
    (
        "ucs_username",
        "UCS Manager admin/server-profile username. Required.",
    ),
    ("ucs_password", "UCS Manager password. Required."),
    (
        "ucs_service_profile",
        "UCS Manager service-profile name, as its distinguished name: org-root/ls-NAME. Required.",
    ),
    (
        "ucs_verify_ca",
        "Whom to trust: True, False, or the path of a file or folder of certificates. Defaults to True. Optional.",
    ),
];

const REQUIRED: [&str; 4] = [
    "ucs_address",
    "ucs_username",
    "ucs_password",
    "ucs_service_profile",
];

/// What all UCS Managers share.
#[derive(Debug)]
pub struct Ucsm {
    managers: Managers,
    settings: CiscoSettings,
}

impl Ucsm {
    pub fn new(settings: &CiscoSettings, recorder: &Recorder) -> Self {
        Self {
            managers: Managers::new(&KIND, &settings.chassis, recorder),
            settings: settings.clone(),
        }
    }
}

/// A server, and how its manager is reached.
struct Info {
    place: ManagerAddress,
    login: Login,
    profile: Profile,
}

/// The name of a service profile.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Profile {
    /// Distinguished.
    dn: String,
    organisation: String,
    name: String,
}

impl Profile {
    fn parse(dn: &str) -> Option<Self> {
        let (organisation, name) = dn.split_once("/ls-")?;
        let is_good = !organisation.is_empty() && !name.is_empty() && !name.contains('/');
        is_good.then(|| Self {
            dn: dn.to_owned(),
            organisation: organisation.to_owned(),
            name: name.to_owned(),
        })
    }
}

/// Power and boot device of a server.
#[derive(Debug, Clone)]
pub struct UcsServer(pub Arc<Ucsm>);

impl UcsServer {
    fn info(&self, machine: &Machine<'_>) -> Result<Info, DriverError> {
        let login = login(machine, &REQUIRED)?;
        let given = machine.driver_info.get("ucs_service_profile");
        let dn = given.map(pyrepr::to_str).unwrap_or_default();
        let Some(profile) = Profile::parse(dn.trim()) else {
            return Err(DriverError::InvalidParameter(format!(
                "ucs_service_profile \"{dn}\" is not the distinguished name of a service profile, as in org-root/ls-NAME."
            )));
        };
        Ok(Info {
            place: self.0.managers.place(machine)?,
            login,
            profile,
        })
    }

    async fn session(
        &self,
        machine: &Machine<'_>,
        info: &Info,
        operation: &str,
    ) -> Result<Session<'_>, DriverError> {
        let operation = format!("{operation} of service profile {}", info.profile.dn);
        let place = info.place.clone();
        Session::open(&self.0.managers, machine, place, operation, &info.login).await
    }

    /// Asks for one thing, in a session of its own.
    async fn ask(
        &self,
        machine: &Machine<'_>,
        info: &Info,
        operation: &str,
        ask: impl Fn(&str) -> Element,
    ) -> Result<Reply, DriverError> {
        let session = self.session(machine, info, operation).await?;
        let reply = session.ask(ask).await;
        session.close().await;
        reply
    }

    async fn state(&self, machine: &Machine<'_>, info: &Info) -> Result<PowerState, DriverError> {
        let session = self.session(machine, info, "power status").await?;
        let dn = format!("{}/power", info.profile.dn);
        let reply = session.ask(|cookie| nuova::resolve_dn(cookie, &dn)).await;
        let state = reply.and_then(|reply| {
            let objects = reply.objects();
            let power = objects
                .first()
                .ok_or_else(|| session.error(DriverError::Rejected, NO_PROFILE))?;
            Ok(match power.attribute("state") {
                Some("up") => PowerState::On,
                Some("down") => PowerState::Off,
                odd => {
                    let odd = odd.map(|odd| session.quoted(odd));
                    tracing::warn!(node = %machine.node.id, state = odd, "a server is neither up nor down");
                    PowerState::Error
                }
            })
        });
        session.close().await;
        state
    }

    async fn order(
        &self,
        machine: &Machine<'_>,
        info: &Info,
        operation: &str,
        state: &str,
    ) -> Result<(), DriverError> {
        let dn = format!("{}/power", info.profile.dn);
        let asked = |cookie: &str| {
            let power = Element::new("lsPower")
                .with("dn", &dn)
                .with("state", state)
                .with("status", "modified");
            nuova::change_all(cookie, vec![power])
        };
        self.ask(machine, info, operation, asked).await.map(|_| ())
    }
}

const NO_PROFILE: &str = "it has no such service profile";

#[async_trait]
impl Interface for UcsServer {
    fn name(&self) -> &'static str {
        NAME
    }

    fn properties(&self) -> &'static [(&'static str, &'static str)] {
        PROPERTIES
    }

    async fn validate(&self, machine: &Machine<'_>) -> Result<(), DriverError> {
        self.info(machine).map(|_| ())
    }

    fn on_restart(&self) -> OnRestart {
        OnRestart::Repeat
    }
}

#[async_trait]
impl Power for UcsServer {
    async fn get(&self, machine: &Machine<'_>) -> Result<Option<PowerState>, DriverError> {
        let info = self.info(machine)?;
        self.state(machine, &info).await.map(Some)
    }

    async fn set(
        &self,
        _lease: &LeaseProof,
        machine: &mut Machine<'_>,
        target: PowerTarget,
        timeout_s: Option<u64>,
    ) -> Result<(), DriverError> {
        let pause = self.0.settings.ucs_pause;
        let usual = pause.saturating_mul(self.0.settings.ucs_looks);
        let limit = timeout_s.map_or(usual, Duration::from_secs);
        let machine: &Machine<'_> = machine;
        let info = self.info(machine)?;
        let now = self.state(machine, &info).await?;
        let (operation, order) = match target {
            PowerTarget::On | PowerTarget::Off if now == target.end_state() => return Ok(()),
            PowerTarget::On => ("power on", "up"),
            PowerTarget::Off => ("power off", "down"),
            PowerTarget::Reboot if now == PowerState::Off => ("reboot", "up"),
            PowerTarget::Reboot => ("reboot", "hard-reset-immediate"),
            PowerTarget::SoftOff | PowerTarget::SoftReboot => {
                return Err(DriverError::no_power_target(target));
            }
        };
        self.order(machine, &info, operation, order).await?;
        // It tells for a moment what was.
        tokio::time::sleep(pause).await;
        let look = || self.state(machine, &info);
        let named = format!("Service profile {}", info.profile.dn);
        wait_for_state(&named, target.end_state(), limit, pause, look).await
    }

    fn supported(&self) -> &'static [PowerTarget] {
        &[PowerTarget::On, PowerTarget::Off, PowerTarget::Reboot]
    }
}

#[async_trait]
impl Management for UcsServer {
    fn supported_boot_devices(&self) -> &'static [&'static str] {
        &["pxe", "disk", "cdrom"]
    }

    async fn boot_device(&self, machine: &Machine<'_>) -> Result<BootDevice, DriverError> {
        let info = self.info(machine)?;
        let session = self.session(machine, &info, "boot device").await?;
        let device = first_device(&session, &info.profile).await;
        session.close().await;
        Ok(BootDevice {
            device: device?.map(str::to_owned),
            persistent: None,
        })
    }

    async fn set_boot_device(
        &self,
        _lease: &LeaseProof,
        machine: &mut Machine<'_>,
        device: &str,
        _persistent: bool,
    ) -> Result<(), DriverError> {
        let known = self.supported_boot_devices();
        let Some(device) = known.iter().find(|known| **known == device) else {
            return Err(unknown_device(device));
        };
        let info = self.info(machine)?;
        let session = self.session(machine, &info, "set boot device").await?;
        let done = put_first(&session, &info.profile, device).await;
        session.close().await;
        done
    }
}

async fn first_device(
    session: &Session<'_>,
    profile: &Profile,
) -> Result<Option<&'static str>, DriverError> {
    let found = session
        .ask(|cookie| nuova::resolve_dn(cookie, &profile.dn))
        .await?;
    let objects = found.objects();
    let Some(server) = objects.first() else {
        return Err(session.error(DriverError::Rejected, NO_PROFILE));
    };
    let policy = match server.attribute("bootPolicyName") {
        Some(name) if !name.is_empty() => {
            format!("{}/boot-policy-{name}", profile.organisation)
        }
        _ => format!("{}/boot-policy", profile.dn),
    };
    let found = session
        .ask(|cookie| nuova::resolve_children(cookie, &policy))
        .await?;
    let objects = found.objects();
    let entries = entries(&policy, &objects);
    let first = entries.iter().find(|entry| entry.order == 1);
    Ok(first.and_then(|first| device_of(&first.rn)))
}

async fn put_first(
    session: &Session<'_>,
    profile: &Profile,
    device: &str,
) -> Result<(), DriverError> {
    let found = session
        .ask(|cookie| nuova::resolve_dn(cookie, &profile.dn))
        .await?;
    if found.objects().is_empty() {
        return Err(session.error(DriverError::Rejected, NO_PROFILE));
    }
    let policy = Policy {
        dn: format!("{}/boot-policy-{}", profile.organisation, profile.name),
        name: &profile.name,
    };
    session
        .ask(|cookie| nuova::change_all(cookie, vec![policy.object()]))
        .await?;
    let found = session
        .ask(|cookie| nuova::resolve_children(cookie, &policy.dn))
        .await?;
    let changes = policy.putting_first(device, &entries(&policy.dn, &found.objects()));
    if !changes.is_empty() {
        session
            .ask(|cookie| nuova::change_all(cookie, changes.clone()))
            .await?;
    }
    let server = Element::new("lsServer")
        .with("dn", &profile.dn)
        .with("bootPolicyName", &profile.name)
        .with("status", "modified");
    session
        .ask(|cookie| nuova::change_all(cookie, vec![server.clone()]))
        .await
        .map(|_| ())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_profile_is_named_within_its_organisation() {
        let profile = Profile::parse("org-root/org-a/ls-node7").unwrap();
        assert_eq!(profile.organisation, "org-root/org-a");
        assert_eq!(profile.name, "node7");
        for odd in ["", "node7", "org-root/ls-", "/ls-a", "org-root/ls-a/ls-b"] {
            assert_eq!(Profile::parse(odd), None, "{odd}");
        }
    }
}
