//! The division of a volume into reserved sectors, FATs, root directory and clusters.

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Geometry {
    pub(super) bits: u32,
    /// Bytes of a sector.
    pub(super) sector: u64,
    pub(super) sectors: u64,
    pub(super) cluster_sectors: u64,
    pub(super) reserved: u64,
    /// Sectors of one FAT; there are two.
    pub(super) table_sectors: u64,
    /// Sectors of the root directory on FAT12 and FAT16; zero on FAT32.
    pub(super) root_sectors: u64,
    pub(super) clusters: u64,
}

/// FAT width, possible sectors of a cluster, and the range of cluster counts. Readers tell the
/// widths apart by the count alone: FAT12 has fewer than 4,085 clusters, FAT16 fewer than 65,525.
/// Microsoft's specification ("FAT Volume Initialization") advises to keep 16 clusters away from these
/// limits, since many drivers are off by a few.
const KINDS: &[(u32, &[u64], u64, u64)] = &[
    (12, &[1, 2, 4, 8], 1, 4068),
    (16, &[1, 2, 4, 8, 16], 4101, 65_508),
    (32, &[1, 2, 4, 8, 16, 32, 64], 65_541, 0x0fff_ff00),
    (16, &[32, 64], 4101, 65_508),
];
/// From this size on FAT32 is used, as mkfs.fat does.
const LARGE: u64 = 512 << 20;

/// The size of the root directory on FAT12 and FAT16: 512 entries.
const ROOT: u64 = 16 << 10;

impl Geometry {
    pub(super) fn of(size: u64, sector: u64) -> Option<Self> {
        if !matches!(sector, 512 | 1024 | 2048 | 4096) {
            return None;
        }
        let sectors = size / sector;
        u32::try_from(sectors).ok()?;
        KINDS
            .iter()
            .filter(|(bits, ..)| size < LARGE || *bits == 32)
            .flat_map(|(bits, clusters, least, most)| {
                clusters
                    .iter()
                    .map(move |sectors| (*bits, *sectors, *least..=*most))
            })
            // Clusters of at least 4 KiB on large volumes, as is usual.
            .filter(|(bits, cluster, _)| *bits != 32 || *cluster * sector >= 4096 || size < LARGE)
            .find_map(|(bits, cluster, range)| {
                let found = Self::with(bits, sectors, cluster, sector)?;
                range.contains(&found.clusters).then_some(found)
            })
    }

    fn with(bits: u32, sectors: u64, cluster_sectors: u64, sector: u64) -> Option<Self> {
        let (reserved, root_sectors) = if bits == 32 {
            (32, 0)
        } else {
            (1, ROOT / sector)
        };
        let rest = sectors.checked_sub(reserved + root_sectors)?;
        // The FAT is sized as if it took no room itself: a few sectors too many do no harm.
        let most = rest / cluster_sectors;
        let table_sectors = ((most + 2) * u64::from(bits)).div_ceil(8 * sector);
        let data = rest.checked_sub(2 * table_sectors)?;
        Some(Self {
            bits,
            sector,
            sectors,
            cluster_sectors,
            reserved,
            table_sectors,
            root_sectors,
            clusters: data / cluster_sectors,
        })
    }

    pub(super) fn cluster_bytes(&self) -> u64 {
        self.cluster_sectors * self.sector
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_size_has_a_kind_whose_number_of_clusters_is_right() {
        for mib in (1..600).chain([1024, 4096, 100_000]) {
            let found = Geometry::of(mib << 20, 512).unwrap();
            let table = found.table_sectors * 512 * 8 / u64::from(found.bits);
            assert!(table >= found.clusters + 2, "{mib} MiB");
            let right = match found.bits {
                12 => found.clusters < 4085,
                16 => (4085..65_525).contains(&found.clusters),
                _ => found.clusters >= 65_525,
            };
            assert!(right, "{mib} MiB: {found:?}");
        }
        assert_eq!(Geometry::of(550 << 20, 4096).unwrap().bits, 32);
        assert_eq!(Geometry::of(1 << 20, 600), None);
    }
}
