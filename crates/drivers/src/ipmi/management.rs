//! The `ipmitool` management interface.
//!
//! Everything that is written is read back. A BMC that boots from somewhere else than it was asked
//! to is an error; one that only forgets that it is for ever, or by UEFI, does most of what was
//! asked, and gets a warning.

use super::{Info, Ipmi, Talk, event_log, intel, maker, sensors, talk::Again};
use crate::{
    DriverError,
    bmc_account::BmcAccount,
    boot_mode,
    iface::{Interface, Machine, Management},
};
use async_trait::async_trait;
use proto::ipmi::{
    command::{
        boot::{self, Device, Flags},
        chassis::{self, Blink, Control, Light},
        device::{self, DeviceId},
    },
    message::Completion,
};
use std::sync::Arc;
use types::{
    JsonMap, LeaseProof, Node,
    hardware_log::HardwareLog,
    pyrepr,
    rpc::{BootDevice, Indicator},
    step::{OnRestart, Step, StepOutcome, StepSpec},
};

const PXE: &str = "pxe";
const DISK: &str = "disk";
const CDROM: &str = "cdrom";
const BIOS: &str = "bios";
const SAFE: &str = "safe";
const BOOT_DEVICES: &[&str] = &[PXE, DISK, CDROM, BIOS, SAFE];

/// What Supermicro calls the disk when it boots by UEFI.
const PRIMARY_REMOTE: Device = Device(9);
const REMOTE_CDROM: Device = Device(8);

/// The light that tells which machine it is.
const COMPONENT: &str = "chassis";
const LIGHT: &str = "identify";

/// Management by IPMI.
#[derive(Debug, Clone)]
pub struct IpmiManagement {
    ipmi: Arc<Ipmi>,
    maker: Maker,
}

/// Whose machine it is, where that adds steps.
#[derive(Debug, Clone, Copy)]
enum Maker {
    Any,
    Intel,
}

impl IpmiManagement {
    pub fn new(ipmi: &Arc<Ipmi>) -> Self {
        Self {
            ipmi: Arc::clone(ipmi),
            maker: Maker::Any,
        }
    }

    /// The same with steps for Intel's processors: `intel-ipmitool`.
    pub fn intel(ipmi: &Arc<Ipmi>) -> Self {
        Self {
            maker: Maker::Intel,
            ..Self::new(ipmi)
        }
    }
}

fn number(device: &str, is_quirky: bool) -> Option<Device> {
    Some(match device {
        PXE => Device::PXE,
        DISK if is_quirky => PRIMARY_REMOTE,
        DISK => Device::DISK,
        CDROM => Device::CDROM,
        BIOS => Device::SETUP,
        SAFE => Device::SAFE,
        _ => return None,
    })
}

fn name(device: Device, is_supermicro: bool) -> Option<&'static str> {
    Some(match device {
        Device::PXE => PXE,
        Device::DISK | Device::REMOTE_DISK => DISK,
        PRIMARY_REMOTE if is_supermicro => DISK,
        Device::SAFE => SAFE,
        Device::CDROM | REMOTE_CDROM => CDROM,
        Device::SETUP => BIOS,
        _ => return None,
    })
}

fn is_supermicro(node: &Node) -> bool {
    let vendor = node.properties.get("vendor").map(pyrepr::to_str);
    // Newer registries of makers spell it differently.
    vendor.is_some_and(|vendor| {
        let vendor = vendor.to_lowercase();
        vendor == "supermicro" || vendor.starts_with("super micro computer")
    })
}

#[async_trait]
impl Interface for IpmiManagement {
    fn name(&self) -> &'static str {
        match self.maker {
            Maker::Any => "ipmitool",
            Maker::Intel => "intel-ipmitool",
        }
    }

    fn properties(&self) -> &'static [(&'static str, &'static str)] {
        super::info::PROPERTIES
    }

    async fn validate(&self, machine: &Machine<'_>) -> Result<(), DriverError> {
        self.ipmi.info(machine).map(|_| ())
    }

    fn steps(&self) -> &'static [StepSpec] {
        match self.maker {
            Maker::Any => &[],
            Maker::Intel => intel::STEPS,
        }
    }

    async fn run_step(
        &self,
        _lease: &LeaseProof,
        machine: &mut Machine<'_>,
        step: &Step,
    ) -> Result<StepOutcome, DriverError> {
        match self.maker {
            Maker::Any => Err(DriverError::no_step(step)),
            Maker::Intel => intel::run_step(&self.ipmi, machine, step).await,
        }
    }

    fn on_restart(&self) -> OnRestart {
        OnRestart::Repeat
    }
}

#[async_trait]
impl Management for IpmiManagement {
    fn supported_boot_devices(&self) -> &'static [&'static str] {
        BOOT_DEVICES
    }

    async fn boot_device(&self, machine: &Machine<'_>) -> Result<BootDevice, DriverError> {
        let info = self.ipmi.info(machine)?;
        let noted = &machine.node.driver_internal_info;
        if info.force_boot_device
            && noted.is_next_boot_persistent()
            && let Some(device) = noted.persistent_boot_device()
        {
            return Ok(BootDevice {
                device: Some(device.to_owned()),
                persistent: Some(true),
            });
        }
        let talk = self.ipmi.talk(&info, "chassis bootparam get 5").await?;
        let flags = read_flags(&talk).await?;
        let device = name(flags.device, is_supermicro(machine.node));
        Ok(BootDevice {
            device: device.map(str::to_owned),
            persistent: Some(flags.is_persistent),
        })
    }

    async fn set_boot_device(
        &self,
        _lease: &LeaseProof,
        machine: &mut Machine<'_>,
        device: &str,
        persistent: bool,
    ) -> Result<(), DriverError> {
        if !BOOT_DEVICES.contains(&device) {
            return Err(DriverError::InvalidParameter(format!(
                "Invalid boot device {device} specified."
            )));
        }
        let info = self.ipmi.info(machine)?;
        if !info.force_boot_device {
            return set_device(&self.ipmi, machine, &info, device, persistent).await;
        }
        // The BMC does not remember, so the node does; each boot is asked for as the only one.
        set_device(&self.ipmi, machine, &info, device, false).await?;
        let noted = &mut machine.node.driver_internal_info;
        if persistent {
            noted.set_persistent_boot_device(device);
        } else {
            noted.set_next_boot_once();
        }
        Ok(())
    }

    async fn inject_nmi(
        &self,
        _lease: &LeaseProof,
        machine: &mut Machine<'_>,
    ) -> Result<(), DriverError> {
        let info = self.ipmi.info(machine)?;
        let talk = self.ipmi.talk(&info, "power diag").await?;
        let request = chassis::control(Control::Diagnostic);
        talk.ask_once(&request).await.map(|_| ())
    }

    async fn indicators(&self, _machine: &Machine<'_>) -> Result<Vec<Indicator>, DriverError> {
        Ok(vec![Indicator {
            component: COMPONENT.to_owned(),
            name: LIGHT.to_owned(),
            readonly: false,
            states: ["blinking", "off", "on"].map(str::to_owned).to_vec(),
        }])
    }

    async fn indicator(
        &self,
        machine: &Machine<'_>,
        component: &str,
        name: &str,
    ) -> Result<String, DriverError> {
        check_light(component, name)?;
        let info = self.ipmi.info(machine)?;
        let talk = self.ipmi.talk(&info, "chassis status").await?;
        let status = talk
            .read(&chassis::status(), chassis::Status::decode)
            .await?;
        Ok(match status.light {
            Light::Off => "off",
            Light::Temporary => "blinking",
            Light::Indefinite => "on",
            Light::Unknown => "unknown",
        }
        .to_owned())
    }

    async fn set_indicator(
        &self,
        _lease: &LeaseProof,
        machine: &mut Machine<'_>,
        component: &str,
        name: &str,
        state: &str,
    ) -> Result<(), DriverError> {
        check_light(component, name)?;
        let (blink, expected) = match state.to_lowercase().as_str() {
            "on" => (Blink::Forever, Light::Indefinite),
            // The longest that one request can ask for: over four minutes.
            "blinking" => (Blink::Seconds(u8::MAX), Light::Temporary),
            "off" => (Blink::Off, Light::Off),
            _ => {
                return Err(DriverError::InvalidParameter(format!(
                    "Invalid indicator state {state} specified."
                )));
            }
        };
        let info = self.ipmi.info(machine)?;
        let talk = self.ipmi.talk(&info, "chassis identify").await?;
        talk.ask(&chassis::identify(blink)).await?;
        let status = talk
            .read(&chassis::status(), chassis::Status::decode)
            .await?;
        // Many BMCs do not tell, and some do not know a light without a limit.
        let is_lit = |light| matches!(light, Light::Temporary | Light::Indefinite);
        let is_kept = status.light == expected || is_lit(status.light) && is_lit(expected);
        if is_kept || status.light == Light::Unknown {
            return Ok(());
        }
        Err(DriverError::NotKept {
            peer: talk.peer().to_owned(),
            what: "indicator",
            asked: state.to_lowercase(),
            found: format!("{:?}", status.light).to_lowercase(),
        })
    }

    async fn sensors(&self, machine: &Machine<'_>) -> Result<JsonMap, DriverError> {
        let info = self.ipmi.info(machine)?;
        let talk = self.ipmi.talk(&info, "sdr -v").await?;
        sensors::read(&talk, machine.node).await
    }

    async fn event_log(&self, machine: &Machine<'_>) -> Result<HardwareLog, DriverError> {
        let info = self.ipmi.info(machine)?;
        let talk = self.ipmi.talk(&info, "sel list").await?;
        event_log::read(&talk).await
    }

    async fn clear_event_log(
        &self,
        _lease: &LeaseProof,
        machine: &mut Machine<'_>,
    ) -> Result<(), DriverError> {
        let info = self.ipmi.info(machine)?;
        let talk = self.ipmi.talk(&info, "sel clear").await?;
        event_log::clear(&talk).await
    }

    fn bmc_account(&self) -> Option<&dyn BmcAccount> {
        Some(&*self.ipmi)
    }

    async fn vendor(&self, machine: &Machine<'_>) -> Result<Option<String>, DriverError> {
        let info = self.ipmi.info(machine)?;
        let talk = self.ipmi.talk(&info, "mc info").await?;
        let id = talk.read(&device::id(), DeviceId::decode).await?;
        Ok(Some(maker::name(id.manufacturer)))
    }
}

fn check_light(component: &str, name: &str) -> Result<(), DriverError> {
    let wrong = if component != COMPONENT {
        format!("Invalid component {component} specified.")
    } else if name != LIGHT {
        format!("Invalid indicator {name} specified.")
    } else {
        return Ok(());
    };
    Err(DriverError::InvalidParameter(wrong))
}

async fn read_flags(talk: &Talk<'_>) -> Result<Flags, DriverError> {
    let read = |data: &[u8]| boot::Parameter::decode(data)?.flags();
    talk.read(&boot::get_flags(), read).await
}

/// Before a machine gets power: tells a BMC that forgets what it was told where to boot from.
pub(super) async fn ensure_boot_device(
    ipmi: &Ipmi,
    _lease: &LeaseProof,
    machine: &mut Machine<'_>,
    info: &Info,
) -> Result<(), DriverError> {
    if !info.force_boot_device {
        return Ok(());
    }
    let noted = &mut machine.node.driver_internal_info;
    if !noted.is_next_boot_persistent() {
        // Somebody asked for something else, this once.
        noted.forget_next_boot_once();
        return Ok(());
    }
    let device = noted.persistent_boot_device().map(str::to_owned);
    match device {
        Some(device) => set_device(ipmi, machine, info, &device, false).await,
        None => Ok(()),
    }
}

async fn set_device(
    ipmi: &Ipmi,
    machine: &mut Machine<'_>,
    info: &Info,
    device: &str,
    persistent: bool,
) -> Result<(), DriverError> {
    let is_uefi = boot_mode::is_uefi(machine.node, ipmi.settings.default_uefi)?;
    let is_supermicro = is_supermicro(machine.node);
    let Some(number) = number(device, is_supermicro && is_uefi) else {
        return Err(DriverError::InvalidParameter(format!(
            "Invalid boot device {device} specified."
        )));
    };
    let asked = Flags::new(number, persistent, is_uefi);
    let talk = ipmi.talk(info, "chassis bootdev").await?;
    if info.disable_boot_timeout {
        let (code, _) = talk.try_ask(&boot::keep_flags(), Again::Yes).await?;
        if code != Completion::OK {
            // Such BMCs have no such time-out, as far as they are known.
            tracing::info!(node = %machine.node.id, bmc = talk.peer(), %code, "the BMC does not let its boot time-out be switched off");
        }
    }
    if !is_uefi {
        // As ipmitool does: the BIOS is to see the flags anew. BMCs need not know this.
        talk.try_ask(&boot::forget_acknowledgement(), Again::Yes)
            .await?;
    }
    talk.ask(&boot::set_flags(&asked)).await?;
    let found = read_flags(&talk).await?;
    if found.device != asked.device {
        return Err(DriverError::NotKept {
            peer: talk.peer().to_owned(),
            what: "boot device",
            asked: device.to_owned(),
            found: match name(found.device, is_supermicro) {
                Some(name) => name.to_owned(),
                None if found.device == Device::NONE => "none".to_owned(),
                None => format!("device {}", found.device.0),
            },
        });
    }
    let lost = lost_flags(&asked, &found);
    let noted = &mut machine.node.driver_internal_info;
    if lost.is_empty() {
        noted.forget_boot_device_warning();
        return Ok(());
    }
    let text = format!(
        "BMC {} took boot device {device}, but not that it is {}",
        talk.peer(),
        lost.join(" and ")
    );
    tracing::warn!(node = %machine.node.id, "{text}");
    noted.set_boot_device_warning(&text);
    machine.found.warnings.push(text);
    Ok(())
}

/// What the BMC did not keep, besides the device.
fn lost_flags(asked: &Flags, found: &Flags) -> Vec<&'static str> {
    let mut lost = Vec::new();
    if !found.is_valid {
        lost.push("valid");
    }
    match (asked.is_persistent, found.is_persistent) {
        (true, false) => lost.push("for every boot"),
        (false, true) => lost.push("for the next boot only"),
        _ => {}
    }
    match (asked.is_efi, found.is_efi) {
        (true, false) => lost.push("by UEFI"),
        (false, true) => lost.push("by BIOS"),
        _ => {}
    }
    lost
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boot_devices_have_numbers_and_names() {
        for &device in BOOT_DEVICES {
            for is_quirky in [false, true] {
                let number = number(device, is_quirky).unwrap();
                assert_eq!(name(number, is_quirky), Some(device));
            }
        }
        assert_eq!(number("floppy", false), None);
        assert_eq!(name(PRIMARY_REMOTE, false), None);
        assert_eq!(name(Device::NONE, false), None);
    }

    #[test]
    fn what_was_lost_is_told() {
        let asked = Flags::new(Device::PXE, true, true);
        assert!(lost_flags(&asked, &asked).is_empty());
        let found = Flags::new(Device::PXE, false, false);
        assert_eq!(lost_flags(&asked, &found), ["for every boot", "by UEFI"]);
        assert_eq!(
            lost_flags(&found, &asked),
            ["for the next boot only", "by BIOS"]
        );
    }
}
