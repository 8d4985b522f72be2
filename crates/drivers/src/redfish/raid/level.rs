//! RAID levels: what they are called on both sides, and how many drives they take.

/// A level that can be made of drives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Level {
    /// The name in `target_raid_config`.
    pub(super) name: &'static str,
    /// The name in a volume's `RAIDType`.
    pub(super) raid_type: &'static str,
    /// Least and most drives of one span.
    span: (usize, usize),
    /// Drives of one span that hold no data of their own.
    overhead: usize,
    spans: Spans,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Spans {
    One,
    Two,
    /// As many pairs as there are.
    Pairs,
}

const MANY: usize = 1000;

const fn level(
    name: &'static str,
    raid_type: &'static str,
    span: (usize, usize),
    overhead: usize,
    spans: Spans,
) -> Level {
    Level {
        name,
        raid_type,
        span,
        overhead,
        spans,
    }
}

const LEVELS: &[Level] = &[
    level("0", "RAID0", (1, MANY), 0, Spans::One),
    level("1", "RAID1", (2, 2), 1, Spans::One),
    level("5", "RAID5", (3, MANY), 1, Spans::One),
    level("6", "RAID6", (4, MANY), 2, Spans::One),
    level("1+0", "RAID10", (2, 2), 1, Spans::Pairs),
    level("5+0", "RAID50", (3, MANY), 1, Spans::Two),
    level("6+0", "RAID60", (4, MANY), 2, Spans::Two),
];

impl Level {
    /// The level of this name in a configuration.
    pub(super) fn named(name: &str) -> Result<Self, String> {
        let found = LEVELS.iter().find(|level| level.name == name);
        found.copied().ok_or_else(|| {
            let all: Vec<_> = LEVELS.iter().map(|level| level.name).collect();
            format!(
                "RAID level {name} is not supported by the driver. Supported RAID levels: {}",
                all.join(", ")
            )
        })
    }

    /// The level of a volume.
    pub(super) fn of_volume(raid_type: &str) -> Option<Self> {
        let found = LEVELS.iter().find(|level| level.raid_type == raid_type);
        found.copied()
    }

    /// How many spans a number of drives is made into.
    fn spans(self, drives: usize) -> usize {
        match self.spans {
            Spans::One => 1,
            Spans::Two => 2,
            Spans::Pairs => drives / 2,
        }
    }

    /// The numbers of drives out of `available` that this level can be made of, least first.
    pub(super) fn choices(self, available: usize) -> Vec<usize> {
        let most = self.spans(available).max(1) * self.span.1;
        let least = self.spans(self.span.0 * 2).max(1) * self.span.0;
        (least..=most.min(available))
            .filter(|&count| self.data_drives(count).is_ok())
            .collect()
    }

    /// How many of a number of drives hold data, or why the number does not fit.
    pub(super) fn data_drives(self, drives: usize) -> Result<usize, String> {
        let spans = self.spans(drives);
        if spans == 0 || !drives.is_multiple_of(spans) {
            return Err(format!(
                "For RAID level {}, the number of physical disks provided ({drives}) must be a multiple of the spans count ({spans})",
                self.name
            ));
        }
        if self.spans != Spans::One && spans < 2 {
            return Err("Spanned RAID volumes cannot contain a single span".into());
        }
        let overhead = self.overhead * spans;
        if drives <= overhead {
            return Err(format!(
                "The number of physical drives ({drives}) is too few for the required number of overhead drives ({overhead})"
            ));
        }
        let (least, most) = (self.span.0 * spans, self.span.1 * spans);
        if drives < least || drives > most {
            return Err(format!(
                "RAID level {} is made of {least} to {most} physical disks, not of {drives}",
                self.name
            ));
        }
        Ok(drives - overhead)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn data(level: &str, drives: usize) -> Option<usize> {
        Level::named(level).unwrap().data_drives(drives).ok()
    }

    #[test]
    fn each_level_knows_its_drives() {
        assert_eq!(data("0", 1), Some(1));
        assert_eq!(data("1", 2), Some(1));
        assert_eq!(data("1", 3), None);
        assert_eq!(data("5", 2), None);
        assert_eq!(data("5", 4), Some(3));
        assert_eq!(data("6", 4), Some(2));
        assert_eq!(data("1+0", 2), None);
        assert_eq!(data("1+0", 6), Some(3));
        assert_eq!(data("1+0", 5), None);
        assert_eq!(data("5+0", 6), Some(4));
        assert_eq!(data("6+0", 8), Some(4));
    }

    #[test]
    fn choices_start_with_the_fewest() {
        let choices = |name, available| Level::named(name).unwrap().choices(available);
        assert_eq!(choices("0", 3), [1, 2, 3]);
        assert_eq!(choices("1", 5), [2]);
        assert_eq!(choices("1+0", 7), [4, 6]);
        assert_eq!(choices("5+0", 8), [6, 8]);
        assert_eq!(choices("6", 3), Vec::<usize>::new());
    }

    #[test]
    fn an_unknown_level_names_the_known_ones() {
        let error = Level::named("JBOD").unwrap_err();
        assert!(error.contains("JBOD is not supported"), "{error}");
        assert!(error.ends_with("0, 1, 5, 6, 1+0, 5+0, 6+0"), "{error}");
        assert_eq!(Level::of_volume("RAID60").unwrap().name, "6+0");
    }
}
