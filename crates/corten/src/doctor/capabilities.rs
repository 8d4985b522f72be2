//! The rights that the boot services need: those that the unit of the service grants, or those of this
//! process where no unit serves the configuration.

use super::{Finding, ports, unit::Unit};
use ::boot::Settings as BootSettings;
use config::Config;
use std::fs;

const CHECK: &str = "capabilities";

/// Bits of `CapEff` in /proc/self/status (linux/capability.h).
const NET_BIND_SERVICE: u32 = 10;
const NET_RAW: u32 = 13;
/// From here on a process may keep to one interface without a right of its own.
const KERNEL_WITHOUT_RAW: (u32, u32) = (5, 7);

pub(super) fn check(
    config: &Config,
    boot: Option<&BootSettings>,
    unit: Option<&Unit>,
) -> Vec<Finding> {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let rights = match (unit, effective(&status)) {
        (Some(unit), _) => Rights::Unit(unit),
        (None, Some(bits)) => Rights::Process(bits),
        (None, None) => return vec![Finding::note(CHECK, "cannot be read here")],
    };
    let mut findings = Vec::new();
    let first_free = fs::read_to_string("/proc/sys/net/ipv4/ip_unprivileged_port_start");
    let first_free = first_free.ok().and_then(|text| text.trim().parse().ok());
    let first_free: u16 = first_free.unwrap_or(1024);
    let low = ports::wanted(config, boot)
        .into_iter()
        .any(|wanted| (1..first_free).contains(&wanted.address.port()));
    if low {
        findings.push(one(
            &rights,
            ("CAP_NET_BIND_SERVICE", NET_BIND_SERVICE),
            "ports below 1024",
        ));
    }
    let keeps_to_interface = boot.is_some_and(|boot| boot.dhcp4.is_some());
    let release = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    if keeps_to_interface && release_of(&release) < KERNEL_WITHOUT_RAW {
        findings.push(one(
            &rights,
            ("CAP_NET_RAW", NET_RAW),
            "DHCP on one interface",
        ));
    }
    findings
}

/// Whose rights count.
enum Rights<'a> {
    Unit(&'a Unit),
    Process(u64),
}

fn one(rights: &Rights<'_>, (name, bit): (&str, u32), why: &str) -> Finding {
    match rights {
        Rights::Unit(unit) if unit.grants(name) => Finding::well(
            CHECK,
            format!("{name}, for {why}: granted by {}", unit.name),
        ),
        Rights::Unit(unit) => Finding::broken(
            CHECK,
            format!("{} does not grant {name}, which {why} need", unit.name),
            format!(
                "systemctl edit {}, and under [Service] add {name} to AmbientCapabilities= and \
                 CapabilityBoundingSet=",
                unit.name
            ),
        ),
        Rights::Process(bits) if bits >> bit & 1 == 1 => {
            Finding::well(CHECK, format!("{name}, for {why}: this user has it"))
        }
        Rights::Process(_) => Finding::broken(
            CHECK,
            format!("{name} is missing, which {why} need"),
            format!(
                "serve as root, by a unit that grants it, or after: setcap {}+ep $(command -v corten)",
                name.to_lowercase()
            ),
        ),
    }
}

fn effective(status: &str) -> Option<u64> {
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("CapEff:"))?;
    u64::from_str_radix(line.trim(), 16).ok()
}

/// `6.1.0-54-amd64` as (6, 1).
fn release_of(text: &str) -> (u32, u32) {
    let mut numbers = text.split(|c: char| !c.is_ascii_digit());
    let mut number = || {
        numbers
            .next()
            .and_then(|text| text.parse().ok())
            .unwrap_or(0)
    };
    (number(), number())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rights_and_releases_are_read_as_the_kernel_writes_them() {
        let status = "Name:\tx\nCapInh:\t0\nCapEff:\t0000000000002400\n";
        assert_eq!(
            effective(status),
            Some(1 << NET_BIND_SERVICE | 1 << NET_RAW)
        );
        assert_eq!(effective("nothing"), None);
        assert_eq!(release_of("6.1.0-54-amd64\n"), (6, 1));
        assert_eq!(release_of(""), (0, 0));
    }
}
