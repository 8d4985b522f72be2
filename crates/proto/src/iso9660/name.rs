//! File identifiers of ISO 9660: capitals, digits, underscores, one dot, 31 characters (ECMA-119 §7.4.1,
//! §7.5.1 for files and §7.6.1 for folders).

use std::collections::BTreeSet;

const LONGEST: usize = 31;
const LONGEST_EXTENSION: usize = 8;

/// Makes unique identifiers for the names of one folder.
#[derive(Default)]
pub(super) struct Identifiers {
    taken: BTreeSet<String>,
}

impl Identifiers {
    pub(super) fn folder(&mut self, name: &str) -> String {
        self.unique(&letters(name), "")
    }

    pub(super) fn file(&mut self, name: &str) -> String {
        let (stem, extension) = match name.rsplit_once('.') {
            Some((stem, extension)) if !stem.is_empty() => (stem, extension),
            _ => (name, ""),
        };
        let extension: String = letters(extension).chars().take(LONGEST_EXTENSION).collect();
        let unique = self.unique(&letters(stem), &format!(".{extension}"));
        format!("{unique};1")
    }

    fn unique(&mut self, stem: &str, ending: &str) -> String {
        let room = LONGEST.saturating_sub(ending.len());
        let plain: String = stem.chars().take(room).collect();
        let numbered = (0u32..).map(|number| {
            let number = format!("_{number}");
            let stem: String = stem
                .chars()
                .take(room.saturating_sub(number.len()))
                .collect();
            stem + &number
        });
        let found = std::iter::once(plain)
            .chain(numbered)
            .map(|stem| format!("{stem}{ending}"))
            .find(|name| !self.taken.contains(name))
            .unwrap_or_default();
        self.taken.insert(found.clone());
        found
    }
}

fn letters(name: &str) -> String {
    name.chars()
        .map(|c| match c.to_ascii_uppercase() {
            c if c.is_ascii_uppercase() || c.is_ascii_digit() => c,
            _ => '_',
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_identifiers() {
        let mut ids = Identifiers::default();
        assert_eq!(ids.file("meta_data.json"), "META_DATA.JSON;1");
        assert_eq!(ids.file("vmlinuz"), "VMLINUZ.;1");
        assert_eq!(ids.file(".disk"), "_DISK.;1");
        assert_eq!(ids.file("a.b.c"), "A_B.C;1");
        assert_eq!(ids.folder("2012-08-10"), "2012_08_10");
        let long = "a-name-much-longer-than-a-disc-allows";
        let first = ids.file(&format!("{long}.conf"));
        let second = ids.file(&format!("{long}.conf"));
        assert_ne!(first, second);
        assert!(first.len() <= 33 && second.len() <= 33);
    }
}
