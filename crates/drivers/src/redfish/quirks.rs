//! What some makes of BMC do differently, as data.
//!
//! A row names makers, optionally a model and a range of firmware versions of the BMC, and what is
//! different there. All rows that fit are looked up once for each BMC. What is not in the table
//! behaves as the standard says.

use super::{RedfishError, Resource, Talk};
use types::{Node, pyrepr};

/// What is different. The default is nothing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Quirks {
    /// A change of the boot device must name how long it holds, even if that does not change.
    pub names_enabled: bool,
    /// A change of the boot device must name the boot mode, and a change of the mode the device.
    pub names_all: bool,
    /// A change of the boot device resets the boot mode, which must be set again.
    pub loses_mode: bool,
    /// Virtual media boots as a CD of its own on the USB.
    pub usb_cd: bool,
    /// The only drive that takes virtual media.
    pub media_slot: Option<&'static str>,
}

impl Quirks {
    const NONE: Self = Self {
        names_enabled: false,
        names_all: false,
        loses_mode: false,
        usb_cd: false,
        media_slot: None,
    };

    fn and(self, other: Self) -> Self {
        Self {
            names_enabled: self.names_enabled || other.names_enabled,
            names_all: self.names_all || other.names_all,
            loses_mode: self.loses_mode || other.loses_mode,
            usb_cd: self.usb_cd || other.usb_cd,
            media_slot: other.media_slot.or(self.media_slot),
        }
    }
}

/// How the name of a maker is compared; names are in lower case.
#[derive(Debug, Clone, Copy)]
enum Maker {
    Is(&'static str),
    /// Some of these is a part of the name.
    Has(&'static [&'static str]),
}

impl Maker {
    fn fits(self, name: &str) -> bool {
        match self {
            Self::Is(maker) => name == maker,
            Self::Has(parts) => parts.iter().any(|part| name.contains(part)),
        }
    }
}

/// Firmware versions of the BMC, from the first up to but not including the second.
type Range = (Option<&'static str>, Option<&'static str>);

#[derive(Debug, Clone, Copy)]
struct Row {
    maker: Maker,
    /// What the model of the BMC begins with.
    model: &'static [&'static str],
    firmware: Range,
    quirks: Quirks,
}

const ANY: Range = (None, None);

const TABLE: &[Row] = &[
    Row {
        maker: Maker::Is("supermicro"),
        model: &[],
        firmware: ANY,
        quirks: Quirks {
            names_enabled: true,
            loses_mode: true,
            usb_cd: true,
            ..Quirks::NONE
        },
    },
    Row {
        maker: Maker::Has(&[
            "american megatrends international",
            "ami",
            "asrockrack",
            "redfish_compatible",
        ]),
        model: &[],
        firmware: ANY,
        quirks: Quirks {
            names_enabled: true,
            names_all: true,
            ..Quirks::NONE
        },
    },
    // iDRAC 10, which names the generation of its machines.
    Row {
        maker: Maker::Has(&["dell"]),
        model: &["17", "18", "19"],
        firmware: ANY,
        quirks: Quirks {
            media_slot: Some("1"),
            ..Quirks::NONE
        },
    },
];

/// What a BMC calls itself.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Make {
    maker: String,
    model: String,
    firmware: String,
}

fn of(make: &Make) -> Quirks {
    let fits = |row: &&Row| {
        let is_model = row.model.is_empty() || row.model.iter().any(|m| make.model.starts_with(m));
        row.maker.fits(&make.maker) && is_model && is_within(row.firmware, &make.firmware)
    };
    let fitting = TABLE.iter().filter(fits);
    fitting.fold(Quirks::NONE, |all, row| all.and(row.quirks))
}

/// Whether a row for this maker asks for more than the maker.
fn needs_more(maker: &str) -> bool {
    let is_narrow = |row: &Row| !row.model.is_empty() || row.firmware != ANY;
    TABLE
        .iter()
        .any(|row| row.maker.fits(maker) && is_narrow(row))
}

/// The numbers of a version: `7.10.30.00` is 7, 10, 30, 0, and `iLO 5 v2.72` is 2, 72.
fn numbers(version: &str) -> Vec<u64> {
    let words = version.split_whitespace().rev();
    let mut words = words.filter(|word| word.contains(|c: char| c.is_ascii_digit()));
    let version = words.next().unwrap_or_default();
    let parts = version.split(|c: char| !c.is_ascii_digit());
    parts.filter_map(|part| part.parse().ok()).collect()
}

fn is_within((from, below): Range, version: &str) -> bool {
    let version = numbers(version);
    let is_from = from.is_none_or(|from| !version.is_empty() && version >= numbers(from));
    let is_below = below.is_none_or(|below| !version.is_empty() && version < numbers(below));
    is_from && is_below
}

impl Talk<'_> {
    /// What is different about this BMC. What the node says about its maker counts more than what
    /// the BMC says, and is looked up each time: operators correct it.
    pub async fn quirks(&self, node: &Node, system: &Resource) -> Result<Quirks, RedfishError> {
        let named = node.properties.get("vendor").map(pyrepr::to_str);
        let known = self.bmc.memory().quirks;
        if let (None, Some(known)) = (&named, known) {
            return Ok(known);
        }
        let maker = match &named {
            Some(named) => Some(named.clone()),
            None => self.maker(system).await?,
        };
        let mut make = Make {
            maker: maker.unwrap_or_default().to_lowercase(),
            ..Make::default()
        };
        if needs_more(&make.maker) {
            let manager = self.manager(system).await?;
            let text = |place: &str| manager.str(place).unwrap_or_default().to_owned();
            make.model = text("Model");
            make.firmware = text("FirmwareVersion");
        }
        let quirks = of(&make);
        if named.is_none() {
            self.bmc.memory().quirks = Some(quirks);
        }
        Ok(quirks)
    }

    /// Who made the BMC, or else the machine.
    pub async fn maker(&self, system: &Resource) -> Result<Option<String>, RedfishError> {
        let root = self.root().await?;
        let maker = root.str("Vendor").filter(|maker| !maker.is_empty());
        Ok(maker
            .or_else(|| system.str("Manufacturer"))
            .map(str::to_owned))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn make(maker: &str, model: &str, firmware: &str) -> Make {
        Make {
            maker: maker.into(),
            model: model.into(),
            firmware: firmware.into(),
        }
    }

    #[test]
    fn makers_are_known_by_name_and_model() {
        assert!(of(&make("supermicro", "", "")).loses_mode);
        assert_eq!(of(&make("super", "", "")), Quirks::NONE);
        assert!(of(&make("asrockrack inc", "", "")).names_all);
        assert_eq!(of(&make("dell inc.", "14G Monolithic", "")), Quirks::NONE);
        let ten = of(&make("dell inc.", "17G Monolithic", ""));
        assert_eq!(ten.media_slot, Some("1"));
        assert!(needs_more("dell") && !needs_more("supermicro") && !needs_more("hpe"));
    }

    #[test]
    fn versions_are_compared_by_number() {
        let range = (Some("2.9"), Some("7.10.30.00"));
        for (version, expected) in [
            ("2.9.1", true),
            ("2.10", true),
            ("7.10.29.99", true),
            ("7.10.30.00", false),
            ("2.8.9", false),
            ("", false),
            ("iLO 5 v2.72", true),
            ("iLO 5 v2.8", false),
        ] {
            assert_eq!(is_within(range, version), expected, "{version}");
        }
        assert!(is_within(ANY, ""));
    }
}
