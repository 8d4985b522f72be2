//! Secure boot: whether it is asked for, whether this start has it, and which keys there are.

use super::refusal::Refusal;

/// The databases of keys, and whether each has a twin that holds the factory's keys.
pub const DATABASES: &[&str] = &["PK", "KEK", "db", "dbx"];

/// What keys there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Keys {
    #[default]
    Factory,
    /// All keys but the platform key: setup mode, in which the first user may enrol one.
    WithoutPlatform,
    None,
}

/// The state of one machine.
#[derive(Debug, Default)]
pub struct SecureBoot {
    pub is_asked_for: bool,
    is_in_effect: bool,
    keys: Keys,
}

impl SecureBoot {
    /// Whether the running start was a secure one.
    pub fn is_in_effect(&self) -> bool {
        self.is_in_effect
    }

    /// The mode in the words of Redfish.
    pub fn mode(&self) -> &'static str {
        match self.keys {
            Keys::Factory => "UserMode",
            Keys::WithoutPlatform | Keys::None => "SetupMode",
        }
    }

    /// How many keys a database holds.
    pub fn keys_in(&self, database: &str) -> u32 {
        match (self.keys, database) {
            (Keys::None, _) | (Keys::WithoutPlatform, "PK") => 0,
            (_, "db") => 2,
            _ => 1,
        }
    }

    /// The action ResetKeys, in the words of Redfish.
    pub fn reset_keys(&mut self, kind: &str) -> Result<(), Refusal> {
        self.keys = match kind {
            "ResetAllKeysToDefault" => Keys::Factory,
            "DeleteAllKeys" => Keys::None,
            "DeletePK" if self.keys == Keys::Factory => Keys::WithoutPlatform,
            "DeletePK" => self.keys,
            _ => return Err(Refusal::not_in_list("ResetKeysType", kind)),
        };
        Ok(())
    }

    /// The machine starts.
    pub fn start(&mut self, by_uefi: bool) {
        self.is_in_effect = self.is_asked_for && by_uefi && self.keys == Keys::Factory;
    }
}

/// What [`SecureBoot::reset_keys`] knows.
pub const RESET_KEYS: &[&str] = &["ResetAllKeysToDefault", "DeleteAllKeys", "DeletePK"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_start_is_secure_with_keys_and_uefi_only() {
        let mut state = SecureBoot {
            is_asked_for: true,
            ..SecureBoot::default()
        };
        assert!(!state.is_in_effect());
        state.start(false);
        assert!(!state.is_in_effect());
        state.start(true);
        assert!(state.is_in_effect());
        state.reset_keys("DeletePK").unwrap();
        assert_eq!(
            (state.mode(), state.keys_in("PK"), state.keys_in("db")),
            ("SetupMode", 0, 2)
        );
        state.start(true);
        assert!(!state.is_in_effect());
        state.reset_keys("All").unwrap_err();
    }
}
