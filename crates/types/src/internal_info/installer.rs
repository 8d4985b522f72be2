//! An operating system's own installer: what it is made of, what it installs from, and how far it
//! says that it is.

use super::{InternalInfo, key};

/// What the installer said last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InstallerStatus {
    Started,
    Ended,
    /// It said that it failed, or nothing that it may say.
    Failed,
}

impl InternalInfo {
    /// How far the installer is, by its last report.
    pub fn installer_status(&self) -> InstallerStatus {
        match self.text(key::AGENT_STATUS) {
            Some("start") => InstallerStatus::Started,
            Some("end") => InstallerStatus::Ended,
            _ => InstallerStatus::Failed,
        }
    }

    /// What the installer said besides, for people.
    pub fn installer_message(&self) -> Option<&str> {
        self.text(key::AGENT_STATUS_MESSAGE)
    }

    /// What an installer before said counts no more.
    pub fn forget_installer_status(&mut self) {
        self.remove_all(&[key::AGENT_STATUS, key::AGENT_STATUS_MESSAGE]);
    }

    /// Whether the image of the instance is a tree of files that installers fetch packages from;
    /// `None` if its server could not be asked.
    pub fn is_source_a_path(&self) -> Option<bool> {
        self.0.get(key::IS_SOURCE_A_PATH)?.as_bool()
    }

    pub fn set_source_a_path(&mut self, is_tree: Option<bool>) {
        match is_tree {
            Some(is_tree) => self.set(key::IS_SOURCE_A_PATH, is_tree),
            None => {
                self.remove(key::IS_SOURCE_A_PATH);
            }
        }
    }

    /// The second stage of the installer, as it was when its deployment began.
    pub fn installer_stage2(&self) -> Option<&str> {
        self.text(key::INSTALLER_STAGE2)
    }

    pub fn set_installer_stage2(&mut self, stage2: &str) {
        self.set(key::INSTALLER_STAGE2, stage2);
    }

    /// The kickstart template of the installer, as it was when its deployment began.
    pub fn installer_template(&self) -> Option<&str> {
        self.text(key::INSTALLER_TEMPLATE)
    }

    pub fn set_installer_template(&mut self, template: &str) {
        self.set(key::INSTALLER_TEMPLATE, template);
    }

    /// The next deployment looks for both anew.
    pub fn forget_installer(&mut self) {
        self.remove_all(&[key::INSTALLER_STAGE2, key::INSTALLER_TEMPLATE]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_two_words_are_no_failure() {
        let mut info = InternalInfo::default();
        assert_eq!(info.installer_status(), InstallerStatus::Failed);
        for (word, status) in [
            ("start", InstallerStatus::Started),
            ("end", InstallerStatus::Ended),
            ("error", InstallerStatus::Failed),
            ("Start", InstallerStatus::Failed),
        ] {
            info.set(key::AGENT_STATUS, word);
            assert_eq!(info.installer_status(), status, "{word}");
        }
        info.forget_installer_status();
        assert_eq!(info.installer_status(), InstallerStatus::Failed);
    }
}
