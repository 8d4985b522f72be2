//! Power, the light, and where the machine boots from.

use super::{Call, Outcome, byte_at};
use crate::machine::{
    Light,
    boot::{Device, Enabled, Firmware, Override},
    power::{Action, RestartCause},
};
use proto::ipmi::{
    command::{
        boot::{self, Flags, Parameter},
        chassis::{self, Blink, Control, Light as Shown, Status},
    },
    message::Completion,
};
use std::time::{Duration, Instant};

const GET_CAPABILITIES: u8 = 0x00;
const SET_POWER_POLICY: u8 = 0x06;
const GET_RESTART_CAUSE: u8 = 0x07;
const GET_HOURS: u8 = 0x0f;

pub(super) fn answer(call: &mut Call<'_>, command: u8, data: &[u8]) -> Outcome {
    match command {
        // An interrupt and a front panel can be locked; everything is at the BMC's address.
        GET_CAPABILITIES => Ok(vec![0x0b, 0x20, 0x20, 0x20, 0x20]),
        chassis::GET_STATUS => Ok(status(call)),
        chassis::CONTROL => control(call, data),
        chassis::IDENTIFY => {
            call.machine.set_light(match Blink::decode(data) {
                Blink::Off => Light::Off,
                Blink::Forever => Light::Forever,
                Blink::Seconds(seconds) => {
                    Light::Until(Instant::now() + Duration::from_secs(seconds.into()))
                }
            });
            Ok(Vec::new())
        }
        SET_POWER_POLICY => {
            let policy = byte_at(data, 0)? & 7;
            // Three asks only what there is.
            if policy < 3 {
                call.memory.power_policy = policy;
            }
            Ok(vec![0x07])
        }
        GET_RESTART_CAUSE => Ok(vec![
            match call.machine.power().cause {
                RestartCause::Unknown => 0,
                RestartCause::Command => 1,
                RestartCause::Reset => 2,
            },
            super::CHANNEL,
        ]),
        GET_HOURS => {
            let mut answer = vec![60];
            answer.extend(call.machine.power().boots.to_le_bytes());
            Ok(answer)
        }
        boot::SET_OPTIONS => set_options(call, data),
        boot::GET_OPTIONS => get_options(call, byte_at(data, 0)?),
        _ => Err(Completion::INVALID_COMMAND),
    }
}

fn status(call: &Call<'_>) -> Vec<u8> {
    let status = Status {
        is_on: call.machine.power().is_on,
        faults: 0,
        light: match call.machine.light() {
            Light::Off => Shown::Off,
            Light::Until(_) => Shown::Temporary,
            Light::Forever => Shown::Indefinite,
        },
    };
    let mut bytes = status.encode();
    bytes[0] |= call.memory.power_policy << 5;
    bytes
}

fn control(call: &Call<'_>, data: &[u8]) -> Outcome {
    let control = Control::of_code(byte_at(data, 0)? & 0x0f).ok_or(Completion::INVALID_FIELD)?;
    let action = match control {
        Control::Off => Action::Off,
        Control::On => Action::On,
        Control::Cycle => Action::Cycle,
        Control::Reset => Action::Reset,
        Control::Diagnostic => Action::Nmi,
        Control::Soft => Action::Soft,
    };
    match call.machine.control(action) {
        Ok(()) => Ok(Vec::new()),
        Err(_) => Err(Completion::WRONG_STATE),
    }
}

/// Devices by their number in the flags.
const DEVICES: &[(u8, Device)] = &[
    (0, Device::None),
    (1, Device::Pxe),
    (2, Device::Disk),
    (3, Device::SafeDisk),
    (4, Device::Diagnostic),
    (5, Device::Cdrom),
    (6, Device::Setup),
    (7, Device::Usb),
    (8, Device::RemoteCdrom),
    (9, Device::RemoteDisk),
    (11, Device::RemoteDisk),
    (15, Device::Floppy),
];

fn device_of(number: u8) -> Option<Device> {
    let known = DEVICES.iter().find(|(known, _)| *known == number);
    known.map(|(_, device)| *device)
}

fn number_of(device: Device) -> u8 {
    let known = DEVICES.iter().find(|(_, known)| *known == device);
    // What only other protocols know is a boot from the network here.
    known.map_or(boot::Device::PXE.0, |(number, _)| *number)
}

/// The bits of the second byte of the flags that are the device.
const DEVICE: u8 = 0x3c;

const UNSUPPORTED: Completion = Completion(0x80);
const SET_IN_PROGRESS: Completion = Completion(0x81);

fn set_options(call: &Call<'_>, data: &[u8]) -> Outcome {
    let Some((&number, data)) = data.split_first() else {
        return Err(Completion::WRONG_LENGTH);
    };
    let machine = call.machine;
    let value = data.first().copied().unwrap_or_default();
    let options = machine.ipmi_boot_options();
    match number & 0x7f {
        0 if value & 3 == 1 && options.set_in_progress == 1 => return Err(SET_IN_PROGRESS),
        0 => machine.set_ipmi_boot_options(|options| options.set_in_progress = value & 3),
        1 => machine.set_ipmi_boot_options(|options| options.service_partition = value),
        2 => machine.set_ipmi_boot_options(|options| options.partition_scan = value),
        3 if machine.personality().oddities.refuses_boot_timeout => return Err(UNSUPPORTED),
        3 => machine.set_ipmi_boot_options(|options| options.keep = value & 0x1f),
        4 => {
            let &[mask, value, ..] = data else {
                return Err(Completion::WRONG_LENGTH);
            };
            machine.set_ipmi_boot_options(|options| {
                options.acknowledged = options.acknowledged & !mask | value & mask;
            });
        }
        5 => set_flags(call, data)?,
        // Nobody has to have the others.
        _ => return Err(UNSUPPORTED),
    }
    Ok(Vec::new())
}

fn set_flags(call: &Call<'_>, data: &[u8]) -> Result<(), Completion> {
    let &[_, second, third, fourth, fifth, ..] = data else {
        return Err(Completion::WRONG_LENGTH);
    };
    let flags = Flags::decode(data).map_err(|_| Completion::WRONG_LENGTH)?;
    let device = device_of(flags.device.0).ok_or(Completion::INVALID_FIELD)?;
    let wanted = Override {
        enabled: match (flags.is_valid, flags.is_persistent) {
            (false, _) => Enabled::Disabled,
            (true, false) => Enabled::Once,
            (true, true) => Enabled::Continuous,
        },
        device,
        mode: if flags.is_efi {
            Firmware::Uefi
        } else {
            Firmware::Legacy
        },
    };
    let mut rest = [second & !DEVICE, third, fourth, fifth];
    // The number is kept where two mean the same device.
    if number_of(device) != flags.device.0 {
        rest[0] |= flags.device.0 << 2;
    }
    call.machine.set_boot_flags(wanted, rest);
    Ok(())
}

fn get_options(call: &Call<'_>, number: u8) -> Outcome {
    let options = call.machine.ipmi_boot_options();
    let number = number & 0x7f;
    let data = match number {
        0 => vec![options.set_in_progress],
        1 => vec![options.service_partition],
        2 => vec![options.partition_scan],
        3 => vec![options.keep],
        // The mask of what may be written is not kept.
        4 => vec![0, options.acknowledged],
        5 => flags(call).to_vec(),
        6 => vec![super::CHANNEL, 0, 0, 0, 0, 0, 0, 0, 0],
        7 => vec![0; 2],
        _ => return Err(UNSUPPORTED),
    };
    let answer = Parameter {
        number,
        is_invalid: false,
        data,
    };
    Ok(answer.encode())
}

fn flags(call: &Call<'_>) -> [u8; 5] {
    let boot = call.machine.boot();
    let [second, third, fourth, fifth] = call.machine.ipmi_boot_options().flags;
    let kept = second & DEVICE;
    let is_same = kept != 0 && device_of(kept >> 2) == Some(boot.device);
    let number = if is_same {
        kept >> 2
    } else {
        number_of(boot.device)
    };
    let flags = Flags {
        is_valid: boot.enabled != Enabled::Disabled,
        is_persistent: boot.enabled == Enabled::Continuous,
        is_efi: boot.mode == Firmware::Uefi,
        device: boot::Device(number),
        instance: 0,
    };
    let [first, device, ..] = flags.encode();
    [first, device | second & !DEVICE, third, fourth, fifth]
}
