//! RAID levels: their names, and how much of so many drives is data.

/// How a volume is spread over drives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    Raid0,
    Raid1,
    Raid5,
    Raid6,
    Raid10,
    Raid50,
    Raid60,
}

impl Level {
    pub const ALL: &[Self] = &[
        Self::Raid0,
        Self::Raid1,
        Self::Raid5,
        Self::Raid6,
        Self::Raid10,
        Self::Raid50,
        Self::Raid60,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Self::Raid0 => "RAID0",
            Self::Raid1 => "RAID1",
            Self::Raid5 => "RAID5",
            Self::Raid6 => "RAID6",
            Self::Raid10 => "RAID10",
            Self::Raid50 => "RAID50",
            Self::Raid60 => "RAID60",
        }
    }

    /// The name that older firmware has for it (`VolumeType`).
    pub fn old_name(self) -> &'static str {
        match self {
            Self::Raid0 => "NonRedundant",
            Self::Raid1 => "Mirrored",
            Self::Raid5 | Self::Raid6 => "StripedWithParity",
            Self::Raid10 => "SpannedMirrors",
            Self::Raid50 | Self::Raid60 => "SpannedStripesWithParity",
        }
    }

    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|level| level.name() == name)
    }

    pub fn of_old_name(name: &str) -> Option<Self> {
        Self::ALL
            .iter()
            .copied()
            .find(|level| level.old_name() == name)
    }

    /// How few drives it can be made of.
    pub fn fewest(self) -> usize {
        match self {
            Self::Raid0 => 1,
            Self::Raid1 => 2,
            Self::Raid5 => 3,
            Self::Raid6 | Self::Raid10 => 4,
            Self::Raid50 => 6,
            Self::Raid60 => 8,
        }
    }

    /// How many of so many drives hold data, or nothing if it cannot be made of so many.
    pub fn data_drives(self, drives: usize) -> Option<u64> {
        if drives < self.fewest() {
            return None;
        }
        let data = match self {
            Self::Raid0 => drives,
            Self::Raid1 if drives == 2 => 1,
            Self::Raid5 => drives - 1,
            Self::Raid6 => drives - 2,
            Self::Raid10 if drives.is_multiple_of(2) => drives / 2,
            Self::Raid50 if drives.is_multiple_of(2) => drives - 2,
            Self::Raid60 if drives.is_multiple_of(2) => drives - 4,
            Self::Raid1 | Self::Raid10 | Self::Raid50 | Self::Raid60 => return None,
        };
        u64::try_from(data).ok()
    }
}
