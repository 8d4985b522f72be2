//! Numbers that look random and are always the same: everything that tells machines apart.

/// What a number is for; the same machine has another number for every purpose.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Purpose {
    Uuid = 1,
    Serial = 2,
    Mac = 3,
    Sensor = 4,
    Inventory = 5,
}

/// A number for a purpose and a detail of it (the third interface, the fourth sensor).
pub(crate) fn number(seed: u64, machine: u32, purpose: Purpose, detail: u32) -> u64 {
    let place = u64::from(machine) << 32 | u64::from(detail);
    mix(mix(seed ^ mix(purpose as u64)) ^ place)
}

/// One round of splitmix64: cheap, and every bit of the input reaches every bit of the result.
pub(crate) fn mix(value: u64) -> u64 {
    let value = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let value = (value ^ value >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ value >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ value >> 31
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn numbers_differ_in_everything_and_never_change() {
        let mut seen = HashSet::new();
        for seed in 0..4 {
            for machine in 0..100 {
                for purpose in [Purpose::Uuid, Purpose::Serial, Purpose::Mac] {
                    for detail in 0..4 {
                        assert!(seen.insert(number(seed, machine, purpose, detail)));
                    }
                }
            }
        }
        assert_eq!(
            number(1, 2, Purpose::Uuid, 3),
            number(1, 2, Purpose::Uuid, 3)
        );
    }
}
