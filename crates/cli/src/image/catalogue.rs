//! Well-known images of distributions: what they are called here, and where they are.
//!
//! It is a list of addresses and nothing else. Each has a file of checksums beside it, so an image
//! is what its distribution published, or is refused. Addresses that always lead to the newest build
//! are preferred: `corten image refresh` fetches that.

use crate::error::Error;

pub(super) const DEFAULT_ARCH: &str = "x86_64";

const TABLE: &str = include_str!("catalogue.tsv");

/// An image of the catalogue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct CatalogueImage {
    pub(super) name: &'static str,
    pub(super) arch: &'static str,
    pub(super) system: &'static str,
    pub(super) url: &'static str,
    pub(super) checksum_url: &'static str,
}

/// All entries, in the order of the table.
pub(super) fn all() -> impl Iterator<Item = CatalogueImage> {
    let lines = TABLE.lines().filter(|line| !line.starts_with('#'));
    lines.filter_map(|line| {
        let mut cells = line.split('\t');
        Some(CatalogueImage {
            name: cells.next()?,
            arch: cells.next()?,
            system: cells.next()?,
            url: cells.next()?,
            checksum_url: cells.next()?,
        })
    })
}

/// The entry of this name and architecture.
pub(super) fn find(name: &str, arch: &str) -> Result<CatalogueImage, Error> {
    let arch = match arch {
        "amd64" => "x86_64",
        "arm64" => "aarch64",
        other => other,
    };
    if let Some(entry) = all().find(|entry| entry.name == name && entry.arch == arch) {
        return Ok(entry);
    }
    let others: Vec<&str> = all()
        .filter(|entry| entry.name == name)
        .map(|entry| entry.arch)
        .collect();
    let text = match others.is_empty() {
        true => format!("the catalogue has no image '{name}': say where it is"),
        false => format!(
            "the catalogue has '{name}' for {} only",
            others.join(" and ")
        ),
    };
    Err(Error::usage(text).with_hint("`corten image catalogue` lists what it has"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn every_line_is_a_whole_entry_that_stands_once() {
        let lines = TABLE.lines().filter(|line| !line.starts_with('#'));
        assert!(lines.clone().all(|line| line.split('\t').count() == 5));
        assert_eq!(lines.count(), all().count());
        let mut seen = HashSet::new();
        for entry in all() {
            assert!(seen.insert((entry.name, entry.arch)), "{entry:?}");
            assert!(["x86_64", "aarch64"].contains(&entry.arch), "{entry:?}");
            for url in [entry.url, entry.checksum_url] {
                let parsed = reqwest::Url::parse(url).unwrap();
                assert_eq!(parsed.scheme(), "https", "{entry:?}");
                assert!(parsed.query().is_none(), "{entry:?}");
            }
        }
        for name in [
            "debian-12",
            "debian-13",
            "ubuntu-22.04",
            "ubuntu-24.04",
            "rocky-9",
            "almalinux-9",
        ] {
            assert!(find(name, DEFAULT_ARCH).is_ok(), "{name}");
        }
    }

    #[test]
    fn what_is_missing_is_told() {
        assert_eq!(find("debian-13", "arm64").unwrap().arch, "aarch64");
        let unknown = find("windows", DEFAULT_ARCH).unwrap_err();
        assert!(unknown.message().contains("say where it is"));
        let other = find("debian-13", "s390x").unwrap_err();
        assert!(other.message().contains("x86_64 and aarch64"));
    }
}
