//! Virtual media: drives into which images are put over the network.
//!
//! Whether the image can be read is found out by the machine that boots from it; the slot only
//! remembers what was put in.

use super::refusal::Refusal;

/// A virtual drive.
#[derive(Debug, Clone, Copy)]
pub struct Slot {
    /// What it takes, in the words of Redfish.
    pub types: &'static [&'static str],
    pub is_optical: bool,
}

/// The drives that every machine has: an optical one, and one for everything else.
pub const SLOTS: [Slot; 2] = [
    Slot {
        types: &["CD", "DVD"],
        is_optical: true,
    },
    Slot {
        types: &["Floppy", "USBStick"],
        is_optical: false,
    },
];

/// What is in a drive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Disc {
    pub image: String,
    /// Whether the machine sees it; a disc may be known and not inserted.
    pub is_inserted: bool,
    pub is_write_protected: bool,
    pub user_name: Option<String>,
    pub transfer_method: Option<String>,
    pub transfer_protocol: Option<String>,
}

/// The drives of one machine.
#[derive(Debug, Default)]
pub struct Media {
    discs: [Option<Disc>; SLOTS.len()],
    verifies: [bool; SLOTS.len()],
}

impl Media {
    pub fn disc(&self, slot: usize) -> Option<&Disc> {
        self.discs.get(slot)?.as_ref()
    }

    /// Puts a disc in. One that is inserted already has to be taken out first, unless it is
    /// replaced on purpose.
    pub fn insert(&mut self, slot: usize, disc: Disc, replaces: bool) -> Result<(), Refusal> {
        let place = self
            .discs
            .get_mut(slot)
            .ok_or_else(|| Refusal::absent("drive", &slot.to_string()))?;
        if !replaces && place.as_ref().is_some_and(|old| old.is_inserted) {
            return Err(Refusal::State(
                "a medium is inserted already; eject it first".to_owned(),
            ));
        }
        *place = Some(disc);
        Ok(())
    }

    /// Takes the disc out; an empty drive stays empty.
    pub fn eject(&mut self, slot: usize) {
        if let Some(place) = self.discs.get_mut(slot) {
            *place = None;
        }
    }

    /// The image from which a machine boots that is told to boot from an optical drive.
    pub fn optical(&self) -> Option<&Disc> {
        self.discs[0].as_ref().filter(|disc| disc.is_inserted)
    }

    pub fn verifies_certificate(&self, slot: usize) -> bool {
        self.verifies.get(slot).copied().unwrap_or_default()
    }

    pub fn verify_certificate(&mut self, slot: usize, verify: bool) {
        if let Some(place) = self.verifies.get_mut(slot) {
            *place = verify;
        }
    }
}

/// What an image is called: the last part of its address.
pub fn image_name(image: &str) -> &str {
    let path = image.split(['?', '#']).next().unwrap_or(image);
    path.rsplit('/').next().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn disc(image: &str) -> Disc {
        Disc {
            image: image.to_owned(),
            is_inserted: true,
            is_write_protected: true,
            user_name: None,
            transfer_method: None,
            transfer_protocol: None,
        }
    }

    #[test]
    fn a_full_drive_takes_no_second_disc() {
        let mut media = Media::default();
        media
            .insert(0, disc("http://a/one.iso?x=/y"), false)
            .unwrap();
        media
            .insert(0, disc("http://a/two.iso"), false)
            .unwrap_err();
        assert_eq!(image_name(&media.optical().unwrap().image), "one.iso");
        media.insert(0, disc("http://a/two.iso"), true).unwrap();
        media.eject(0);
        assert_eq!(media.optical(), None);
        media
            .insert(7, disc("http://a/two.iso"), false)
            .unwrap_err();
    }
}
