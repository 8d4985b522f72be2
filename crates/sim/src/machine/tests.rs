//! The model without any protocol.

use super::{
    boot::{Device, Enabled, Firmware, Override},
    power::{Action, Refused},
    *,
};
use crate::fault::Ignore;

fn machine(change: impl FnOnce(&mut Settings)) -> Machine {
    let mut settings = Settings::default();
    change(&mut settings);
    Machine::new(7, Arc::new(settings))
}

fn pxe(enabled: Enabled) -> Override {
    Override {
        enabled,
        device: Device::Pxe,
        mode: Firmware::Uefi,
    }
}

#[test]
fn a_machine_costs_little() {
    assert!(size_of::<Machine>() <= 320, "{}", size_of::<Machine>());
}

#[test]
fn an_override_that_counts_once_is_used_up() {
    let machine = machine(|_| {});
    machine.set_boot(pxe(Enabled::Once));
    machine.control(Action::On).unwrap();
    assert_eq!(machine.last_boot(), Some((Firmware::Uefi, Device::Pxe)));
    assert_eq!(machine.boot().enabled, Enabled::Disabled);
    machine.control(Action::Reset).unwrap();
    assert_eq!(machine.last_boot().map(|boot| boot.1), Some(Device::Disk));
    machine.set_boot(pxe(Enabled::Continuous));
    machine.control(Action::Cycle).unwrap();
    machine.control(Action::Cycle).unwrap();
    assert_eq!(machine.last_boot().map(|boot| boot.1), Some(Device::Pxe));
    assert_eq!(machine.power().boots, 4);
}

#[test]
fn power_takes_its_time() {
    let machine = machine(|settings| settings.power_time = Duration::from_secs(3600));
    machine.control(Action::On).unwrap();
    let power = machine.power();
    assert_eq!((power.is_on, power.target()), (false, Some(true)));
    // The opposite order cancels.
    machine.control(Action::Off).unwrap();
    assert_eq!(machine.power().target(), None);
}

#[test]
fn faults_hit_writes() {
    let machine = machine(|settings| settings.is_on_at_first = true);
    machine.set_faults(Some(Faults {
        ignore: Ignore::Power,
        lose_efi: true,
        lose_persistence: true,
        ..Faults::default()
    }));
    machine.control(Action::Off).unwrap();
    assert!(machine.power().is_on);
    assert_eq!(machine.history(), [Action::Off]);
    machine.set_boot(pxe(Enabled::Continuous));
    let boot = machine.boot();
    assert_eq!((boot.enabled, boot.mode), (Enabled::Once, Firmware::Legacy));
    machine.set_faults(None);
    machine.control(Action::Off).unwrap();
    assert!(!machine.power().is_on);
}

#[test]
fn flags_are_forgotten_unless_a_command_follows() {
    let forgetful = |settings: &mut Settings| settings.boot_flags_time = Duration::ZERO;
    let machine = machine(forgetful);
    machine.set_boot_flags(pxe(Enabled::Continuous), [0; 4]);
    assert_eq!(machine.boot().enabled, Enabled::Disabled);
    machine.set_ipmi_boot_options(|options| options.keep = 8);
    machine.set_boot_flags(pxe(Enabled::Continuous), [0; 4]);
    assert_eq!(machine.boot().enabled, Enabled::Continuous);
}

#[test]
fn some_makers_refuse_to_cycle_what_is_off() {
    let machine = machine(|settings| {
        settings.personality = Personality::of_name("dell").unwrap();
    });
    assert_eq!(machine.control(Action::Cycle), Err(Refused::IsOff));
    machine.control(Action::On).unwrap();
    assert_eq!(machine.control(Action::Cycle), Ok(()));
}

#[test]
fn accounts_are_locked_after_wrong_passwords() {
    let machine = machine(|_| {});
    machine.set_faults(Some(Faults {
        lockout_after: Some(2),
        ..Faults::default()
    }));
    use account::Denied;
    assert_eq!(machine.log_in("nobody", "x"), Err(Denied::Unknown));
    assert_eq!(machine.log_in("admin", "x"), Err(Denied::Password));
    assert!(machine.log_in("admin", "password").is_ok());
    for _ in 0..2 {
        assert_eq!(machine.log_in("admin", "x"), Err(Denied::Password));
    }
    assert_eq!(machine.log_in("admin", "password"), Err(Denied::Locked));
}

#[test]
fn a_restarting_bmc_hears_nothing_and_forgets_sessions() {
    let machine = machine(|settings| settings.bmc_reboot_time = Duration::from_secs(3600));
    let before = machine.epoch();
    machine.restart_bmc();
    assert_ne!(machine.epoch(), before);
    assert!(machine.is_bmc_away());
    assert_eq!(machine.delivery(), crate::fault::Delivery::Lost);
}

#[test]
fn machines_of_a_seed_are_the_same_machines() {
    let of = |seed| machine(|settings| settings.seed = seed);
    assert_eq!(of(1).uuid(), of(1).uuid());
    assert_ne!(of(1).uuid(), of(2).uuid());
    assert_ne!(of(1).mac(0), of(1).mac(1));
    assert_ne!(of(1).mac(1), of(1).bmc_mac());
    assert!(of(1).fru().len() == inventory::SIZE);
}

#[test]
fn sensors_follow_the_power() {
    let machine = machine(|_| {});
    let fan = sensor::Sensor::of_number(0x10).unwrap();
    assert_eq!(machine.reading(fan), None);
    machine.control(Action::On).unwrap();
    let shown = machine.raw_reading(fan).unwrap();
    assert_eq!(machine.limits(fan).crossed(shown), 0);
    machine.set_reading(fan, Some(5));
    assert_eq!(machine.limits(fan).crossed(5), 0b11);
}
