//! What firmware and BIOS settings the machines of a resource class are to have, and how a machine
//! compares.
//!
//! Compared is what is stored of a machine, so nothing is asked of it; what was never read of it is
//! unknown, and neither right nor wrong.

use crate::{BiosSetting, FirmwareComponent, Timestamp};
use serde::Serialize;
use std::collections::BTreeMap;

/// Texts by name.
pub type Values = BTreeMap<String, String>;

/// What the machines of a resource class are to have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Baseline {
    pub resource_class: String,
    pub description: Option<String>,
    /// Versions by component, as `bmc` or `nic:NIC.1`.
    pub firmware: Values,
    pub bios_settings: Values,
    pub created_at: Timestamp,
    pub updated_at: Option<Timestamp>,
}

crate::wire_enum! {
    /// How a machine compares with its baseline.
    pub enum BaselineVerdict {
        Matches = "matches",
        Differs = "differs",
        /// What is known of it matches, and something is not known.
        Unknown = "unknown",
    }
}

crate::wire_enum! {
    /// What a baseline says something about.
    pub enum BaselinePart {
        Firmware = "firmware",
        BiosSetting = "bios_setting",
    }
}

/// Something about a machine that is not known to be as its baseline says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Deviation {
    pub part: BaselinePart,
    pub name: String,
    pub wanted: String,
    /// Nothing if it was never read.
    pub found: Option<String>,
}

/// How a machine compares.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Comparison {
    pub verdict: BaselineVerdict,
    pub deviations: Vec<Deviation>,
}

impl Baseline {
    /// Compares what is stored of a machine.
    pub fn compare(&self, firmware: &[FirmwareComponent], settings: &[BiosSetting]) -> Comparison {
        let firmware: BTreeMap<&str, &str> = firmware
            .iter()
            .filter_map(|part| Some((part.component.as_str(), part.current_version.as_deref()?)))
            .collect();
        let settings: BTreeMap<&str, &str> = settings
            .iter()
            .filter_map(|setting| Some((setting.name.as_str(), setting.value.as_deref()?)))
            .collect();
        let mut deviations = deviations(BaselinePart::Firmware, &self.firmware, &firmware);
        deviations.extend(self::deviations(
            BaselinePart::BiosSetting,
            &self.bios_settings,
            &settings,
        ));
        let verdict = if deviations.is_empty() {
            BaselineVerdict::Matches
        } else if deviations.iter().any(|one| one.found.is_some()) {
            BaselineVerdict::Differs
        } else {
            BaselineVerdict::Unknown
        };
        Comparison {
            verdict,
            deviations,
        }
    }
}

fn deviations(part: BaselinePart, wanted: &Values, found: &BTreeMap<&str, &str>) -> Vec<Deviation> {
    let others = wanted.iter().filter_map(|(name, wanted)| {
        let found = found.get(name.as_str()).copied();
        // Firmware pads its texts at times.
        let is_same = found.is_some_and(|found| found.trim() == wanted.trim());
        (!is_same).then(|| Deviation {
            part,
            name: name.clone(),
            wanted: wanted.clone(),
            found: found.map(str::to_owned),
        })
    });
    others.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn baseline() -> Baseline {
        let values = |pairs: &[(&str, &str)]| {
            let pairs = pairs.iter();
            let pairs = pairs.map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
            pairs.collect::<Values>()
        };
        Baseline {
            resource_class: "gold".into(),
            description: None,
            firmware: values(&[("bmc", "2.0")]),
            bios_settings: values(&[("Virtualization", "Enabled")]),
            created_at: Timestamp::now(),
            updated_at: None,
        }
    }

    #[test]
    fn what_was_never_read_is_neither_right_nor_wrong() {
        let baseline = baseline();
        let part = |version: &str| vec![FirmwareComponent::new("bmc", Some(version.into()))];
        let setting =
            |value: Option<&str>| vec![BiosSetting::new("Virtualization", value.map(Into::into))];
        for (firmware, settings, verdict, count) in [
            (
                part("2.0"),
                setting(Some("Enabled ")),
                BaselineVerdict::Matches,
                0,
            ),
            (
                part("2.0"),
                setting(Some("Disabled")),
                BaselineVerdict::Differs,
                1,
            ),
            (part("2.0"), setting(None), BaselineVerdict::Unknown, 1),
            (Vec::new(), Vec::new(), BaselineVerdict::Unknown, 2),
            (part("1.9"), Vec::new(), BaselineVerdict::Differs, 2),
        ] {
            let found = baseline.compare(&firmware, &settings);
            assert_eq!((found.verdict, found.deviations.len()), (verdict, count));
        }
        let found = baseline.compare(&part("1.9"), &setting(Some("Enabled")));
        let expected = Deviation {
            part: BaselinePart::Firmware,
            name: "bmc".into(),
            wanted: "2.0".into(),
            found: Some("1.9".into()),
        };
        assert_eq!(found.deviations, [expected]);
    }
}
