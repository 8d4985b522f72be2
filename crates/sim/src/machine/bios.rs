//! BIOS settings: what can be set, what is set, and what waits for the next start.
//!
//! Only what differs from the defaults is stored. A change is staged and takes effect when the
//! machine is started the next time, as firmware does it; a request with one bad value stages
//! nothing.

use super::refusal::Refusal;
use serde_json::{Map, Value, json};
use std::{collections::BTreeMap, time::Duration};

/// A setting of the firmware.
#[derive(Debug)]
pub struct Attribute {
    pub name: &'static str,
    pub shown: &'static str,
    pub kind: SettingKind,
    pub is_read_only: bool,
}

/// What values a setting may have, and which it has at first.
#[derive(Debug, Clone, Copy)]
pub enum SettingKind {
    /// The first is the default.
    Choice(&'static [&'static str]),
    Number {
        low: i64,
        high: i64,
        step: i64,
        default: i64,
    },
    Flag(bool),
    Text {
        longest: usize,
        default: &'static str,
    },
}

/// The setting that says how the machine boots; it is a view of the boot mode of the machine.
pub const BOOT_MODE: &str = "BootMode";

const fn choice(name: &'static str, shown: &'static str, of: &'static [&'static str]) -> Attribute {
    Attribute {
        name,
        shown,
        kind: SettingKind::Choice(of),
        is_read_only: false,
    }
}

const SWITCH: &[&str] = &["Enabled", "Disabled"];
const SWITCH_OFF: &[&str] = &["Disabled", "Enabled"];

/// Everything that can be set, ordered by name.
pub const ATTRIBUTES: &[Attribute] = &[
    Attribute {
        name: "AcPwrRcvryUserDelay",
        shown: "User defined delay after the return of power (s)",
        kind: SettingKind::Number {
            low: 60,
            high: 240,
            step: 1,
            default: 60,
        },
        is_read_only: false,
    },
    Attribute {
        name: "AssetTag",
        shown: "Asset tag",
        kind: SettingKind::Text {
            longest: 63,
            default: "",
        },
        is_read_only: false,
    },
    choice(BOOT_MODE, "Boot mode", &["Uefi", "Bios"]),
    choice("BootSeqRetry", "Retry the boot sequence", SWITCH),
    choice("EmbNic1", "Embedded NIC 1", SWITCH),
    choice("LogicalProc", "Logical processors", SWITCH),
    Attribute {
        name: "NumLock",
        shown: "Keyboard NumLock",
        kind: SettingKind::Flag(true),
        is_read_only: false,
    },
    choice("ProcTurboMode", "Turbo mode", SWITCH),
    choice("ProcVirtualization", "Virtualization technology", SWITCH),
    choice("PxeDev1EnDis", "PXE device 1", SWITCH),
    choice("SriovGlobalEnable", "SR-IOV", SWITCH_OFF),
    choice(
        "SysProfile",
        "System profile",
        &["PerfPerWattOptimizedOs", "PerfOptimized", "Custom"],
    ),
    Attribute {
        name: "SystemBiosVersion",
        shown: "Version of the BIOS",
        kind: SettingKind::Text {
            longest: 32,
            default: "",
        },
        is_read_only: true,
    },
    choice("TpmSecurity", "TPM security", &["On", "Off"]),
];

/// The passwords that the firmware knows.
pub const PASSWORDS: &[&str] = &["AdministratorPassword", "UserPassword"];

/// The settings of one machine.
#[derive(Debug, Default)]
pub struct Bios {
    set: BTreeMap<&'static str, Value>,
    staged: BTreeMap<&'static str, Value>,
    defaults_wait: bool,
    passwords: BTreeMap<&'static str, String>,
    applied: Option<Duration>,
}

impl Bios {
    /// What is in effect.
    pub fn current(&self) -> Map<String, Value> {
        ATTRIBUTES
            .iter()
            .map(|attribute| {
                let value = self.set.get(attribute.name).cloned();
                let value = value.unwrap_or_else(|| attribute.kind.default());
                (attribute.name.to_owned(), value)
            })
            .collect()
    }

    /// What takes effect at the next start.
    pub fn staged(&self) -> Map<String, Value> {
        let mut staged = Map::new();
        if self.defaults_wait {
            for attribute in ATTRIBUTES
                .iter()
                .filter(|known| self.set.contains_key(known.name))
            {
                staged.insert(attribute.name.to_owned(), attribute.kind.default());
            }
        }
        for (name, value) in &self.staged {
            staged.insert((*name).to_owned(), value.clone());
        }
        staged
    }

    /// Whether the next start changes anything.
    pub fn is_staged(&self) -> bool {
        self.defaults_wait || !self.staged.is_empty()
    }

    /// When settings last took effect.
    pub fn applied(&self) -> Option<Duration> {
        self.applied
    }

    /// Stages changes: all of them, or none when one of them cannot be.
    pub fn stage(&mut self, wanted: &Map<String, Value>) -> Result<(), Refusal> {
        let mut checked = Vec::with_capacity(wanted.len());
        for (name, value) in wanted {
            let attribute = attribute(name).ok_or_else(|| Refusal::Unknown(name.clone()))?;
            if attribute.is_read_only {
                return Err(Refusal::ReadOnly(name.clone()));
            }
            attribute.kind.check(name, value)?;
            checked.push((attribute.name, value.clone()));
        }
        self.staged.extend(checked);
        Ok(())
    }

    /// At the next start everything is as it was at first.
    pub fn stage_defaults(&mut self) {
        self.staged.clear();
        self.defaults_wait = true;
    }

    /// What was staged is forgotten.
    pub fn unstage(&mut self) {
        self.staged.clear();
        self.defaults_wait = false;
    }

    /// Changes a password of the firmware; an empty one removes it.
    pub fn change_password(&mut self, name: &str, old: &str, new: &str) -> Result<(), Refusal> {
        let name = PASSWORDS
            .iter()
            .find(|known| **known == name)
            .ok_or_else(|| Refusal::not_in_list("PasswordName", name))?;
        if self.passwords.get(name).map_or("", String::as_str) != old {
            return Err(Refusal::Password);
        }
        self.passwords.insert(name, new.to_owned());
        Ok(())
    }

    /// The machine starts: what was staged takes effect. Says the boot mode if that changes.
    pub fn start(&mut self, now: Duration) -> Option<BootMode> {
        if !self.is_staged() {
            return None;
        }
        let before = self.boot_mode();
        if self.defaults_wait {
            self.set.clear();
        }
        self.set.append(&mut self.staged);
        self.defaults_wait = false;
        self.applied = Some(now);
        let after = self.boot_mode();
        (before != after).then_some(after)
    }

    /// Another view changed the boot mode.
    pub fn set_boot_mode(&mut self, is_uefi: bool) {
        if is_uefi {
            self.set.remove(BOOT_MODE);
        } else {
            self.set.insert(BOOT_MODE, json!("Bios"));
        }
    }

    fn boot_mode(&self) -> BootMode {
        match self.set.get(BOOT_MODE).and_then(Value::as_str) {
            Some("Bios") => BootMode::Bios,
            _ => BootMode::Uefi,
        }
    }
}

/// How the settings say that the machine boots.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BootMode {
    Uefi,
    Bios,
}

fn attribute(name: &str) -> Option<&'static Attribute> {
    ATTRIBUTES.iter().find(|known| known.name == name)
}

impl SettingKind {
    /// The value it has at first.
    pub fn default(self) -> Value {
        match self {
            Self::Choice(values) => json!(values.first()),
            Self::Number { default, .. } => json!(default),
            Self::Flag(default) => json!(default),
            Self::Text { default, .. } => json!(default),
        }
    }

    fn check(self, name: &str, value: &Value) -> Result<(), Refusal> {
        let wrong_type = || Refusal::type_of(name, value);
        let out_of_range = || Refusal::OutOfRange {
            property: name.to_owned(),
            value: value.clone(),
        };
        match self {
            Self::Choice(values) => {
                let text = value.as_str().ok_or_else(wrong_type)?;
                if !values.contains(&text) {
                    return Err(Refusal::not_in_list(name, text));
                }
            }
            Self::Number {
                low, high, step, ..
            } => {
                let number = value.as_i64().ok_or_else(wrong_type)?;
                if !(low..=high).contains(&number) || (number - low) % step != 0 {
                    return Err(out_of_range());
                }
            }
            Self::Flag(_) => {
                value.as_bool().ok_or_else(wrong_type)?;
            }
            Self::Text { longest, .. } => {
                let text = value.as_str().ok_or_else(wrong_type)?;
                if text.len() > longest {
                    return Err(out_of_range());
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn object(value: Value) -> Map<String, Value> {
        value.as_object().cloned().unwrap()
    }

    #[test]
    fn changes_wait_for_the_next_start() {
        let mut bios = Bios::default();
        let wanted = object(json!({"BootMode": "Bios", "AcPwrRcvryUserDelay": 90}));
        bios.stage(&wanted).unwrap();
        assert_eq!(bios.current()["BootMode"], "Uefi");
        assert_eq!(bios.staged(), wanted);
        assert_eq!(bios.start(Duration::from_secs(3)), Some(BootMode::Bios));
        assert_eq!(bios.current()["BootMode"], "Bios");
        assert!(bios.staged().is_empty());
        assert_eq!(bios.applied(), Some(Duration::from_secs(3)));
        bios.stage_defaults();
        assert_eq!(bios.staged()["AcPwrRcvryUserDelay"], 60);
        assert_eq!(bios.start(Duration::from_secs(4)), Some(BootMode::Uefi));
        assert_eq!(bios.current()["AcPwrRcvryUserDelay"], 60);
    }

    #[test]
    fn one_bad_value_stages_nothing() {
        let mut bios = Bios::default();
        for bad in [
            json!({"EmbNic1": "Disabled", "Nonsense": 1}),
            json!({"EmbNic1": "Disabled", "SystemBiosVersion": "9"}),
            json!({"EmbNic1": "Disabled", "AcPwrRcvryUserDelay": 30}),
            json!({"EmbNic1": "Disabled", "AcPwrRcvryUserDelay": "60"}),
            json!({"EmbNic1": "Disabled", "NumLock": "yes"}),
            json!({"EmbNic1": "Off"}),
        ] {
            bios.stage(&object(bad)).unwrap_err();
            assert!(!bios.is_staged());
        }
    }

    #[test]
    fn a_password_is_changed_by_who_knows_it() {
        let mut bios = Bios::default();
        bios.change_password("UserPassword", "", "one").unwrap();
        assert_eq!(
            bios.change_password("UserPassword", "", "two"),
            Err(Refusal::Password)
        );
        bios.change_password("UserPassword", "one", "").unwrap();
        bios.change_password("Other", "", "x").unwrap_err();
    }
}
