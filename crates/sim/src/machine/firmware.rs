//! Firmware: which versions the parts of a machine run, and how new ones get there.
//!
//! The version of an image is read from its name (`bios-2.5.1.bin` holds 2.5.1), so that a test can
//! say what it expects; an image with `corrupt` in its name is found to be so when it is installed.

use super::{media::image_name, refusal::Refusal};

/// A part with firmware of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Component {
    Bios,
    Bmc,
    Nic,
}

impl Component {
    pub const ALL: [Self; 3] = [Self::Bios, Self::Bmc, Self::Nic];

    pub fn id(self) -> &'static str {
        match self {
            Self::Bios => "BIOS",
            Self::Bmc => "BMC",
            Self::Nic => "NIC.1",
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Self::Bios => "BIOS Firmware",
            Self::Bmc => "BMC Firmware",
            Self::Nic => "Network Adapter Firmware",
        }
    }

    pub fn of_id(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|component| component.id() == id)
    }

    /// What an image seems to be for.
    fn of_image(image: &str) -> Self {
        let name = image_name(image).to_ascii_lowercase();
        let has = |words: &[&str]| words.iter().any(|word| name.contains(word));
        if has(&["bmc", "idrac", "ilo", "irmc", "xcc"]) {
            Self::Bmc
        } else if has(&["nic", "network"]) {
            Self::Nic
        } else {
            Self::Bios
        }
    }
}

/// An image to be installed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Install {
    pub component: Component,
    pub image: String,
}

impl Install {
    /// An installation into a component, or into the one for which the image seems to be.
    pub fn new(image: &str, component: Option<Component>) -> Self {
        Self {
            component: component.unwrap_or_else(|| Component::of_image(image)),
            image: image.to_owned(),
        }
    }
}

/// The versions of one machine, as far as they are no longer the factory's.
#[derive(Debug, Default)]
pub struct Firmware {
    installed: Vec<(Component, String)>,
}

impl Firmware {
    pub fn version(&self, component: Component) -> Option<&str> {
        let found = self.installed.iter().find(|(known, _)| *known == component);
        found.map(|(_, version)| version.as_str())
    }

    pub fn install(&mut self, install: &Install) -> Result<(), Refusal> {
        let name = image_name(&install.image);
        if name.contains("corrupt") {
            return Err(Refusal::State(format!("the image {name} is corrupt")));
        }
        self.installed
            .retain(|(known, _)| *known != install.component);
        self.installed.push((install.component, version_in(name)));
        Ok(())
    }
}

/// The last part of a name that looks like a version, or the whole name.
fn version_in(name: &str) -> String {
    let is_part = |c: char| c.is_ascii_digit() || c == '.';
    let mut versions = name
        .split(|c| !is_part(c))
        .map(|part| part.trim_matches('.'))
        .filter(|part| part.contains('.'));
    versions.next_back().unwrap_or(name).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_image_says_what_it_is_for_and_its_version() {
        let mut firmware = Firmware::default();
        for (image, component, version) in [
            ("http://h/bios-2.5.1.bin", Component::Bios, "2.5.1"),
            (
                "http://h/x/iDRAC_7.10.30.00_A00.exe?a=b",
                Component::Bmc,
                "7.10.30.00",
            ),
            ("https://h/nic.bin", Component::Nic, "nic.bin"),
        ] {
            let install = Install::new(image, None);
            assert_eq!(install.component, component, "{image}");
            firmware.install(&install).unwrap();
            assert_eq!(firmware.version(component), Some(version), "{image}");
        }
        firmware
            .install(&Install::new("http://h/corrupt-9.9.bin", None))
            .unwrap_err();
        assert_eq!(firmware.version(Component::Bios), Some("2.5.1"));
    }
}
