//! The schemas of Ironic that can be read, by the migrations that made them.

/// A migration, and the release that had it first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Revision {
    /// Its place in [`KNOWN`]: later migrations have a higher one.
    pub place: usize,
    pub id: &'static str,
    pub release: &'static str,
}

/// Migrations since 2023.1, oldest first. Since then Ironic has only added tables and columns.
const KNOWN: &[(&str, &str)] = &[
    ("4dbec778866e", "21.4 (2023.1)"),
    ("fe222f476baf", "22.0"),
    ("163040c5513f", "22.0"),
    ("d163df1bab88", "22.1"),
    ("aa2384fee727", "23.0 (2023.2)"),
    ("01f21d5e5195", "24.1 (2024.1)"),
    ("66bd9c5604d5", "26.1 (2024.2)"),
    ("6e9cf6acce0b", "27.0"),
    ("21c48150dea9", "29.0 (2025.1)"),
    ("1c14278d6e33", "30.0"),
    ("e4827561979d", "32.0 (2025.2)"),
    ("3ef27505c9fb", "32.0 (2025.2)"),
    ("d0821744f9e2", "33.0"),
    ("763b2f62d215", "33.0"),
    ("15e9d00367b0", "33.0"),
    ("9f8c7d6e5b4a", "34.0"),
    ("9c0446cb6bc3", "35.0 (2026.1)"),
    ("c1fd28861bb9", "35.0 (2026.1)"),
    ("2a3b4c5d6e7f", "35.0 (2026.1)"),
    ("e2d316b60d9e", "36.0"),
    ("16990309ad9d", "38.0"),
    ("772c0e7e8299", "39.0 (2026.2)"),
    ("9fb44677ef15", "39.0 (2026.2)"),
];

/// The migration that made the newest schema that is known.
pub const NEWEST: &str = "9fb44677ef15";

/// A schema that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "the schema is at revision '{0}', which is none of Ironic 2023.1 to 2026.2 (21.4 to 39). Bring an \
     older database to one of those with Ironic's own 'ironic-dbsync upgrade' first"
)]
pub struct UnknownRevision(pub String);

/// The migration of this id.
pub(crate) fn find(id: &str) -> Result<Revision, UnknownRevision> {
    let place = KNOWN.iter().position(|(known, _)| *known == id);
    let place = place.ok_or_else(|| UnknownRevision(id.chars().take(40).collect()))?;
    let (id, release) = KNOWN[place];
    Ok(Revision { place, id, release })
}

/// The place of a migration that the layout of tables names.
pub(crate) const fn since(id: &str) -> usize {
    let mut place = 0;
    while place < KNOWN.len() {
        if is_equal(KNOWN[place].0.as_bytes(), id.as_bytes()) {
            return place;
        }
        place += 1;
    }
    panic!("no such revision")
}

const fn is_equal(a: &[u8], b: &[u8]) -> bool {
    let mut at = 0;
    while at < a.len() && at < b.len() && a[at] == b[at] {
        at += 1;
    }
    at == a.len() && at == b.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn releases_are_known_by_their_migrations_and_others_are_refused() {
        assert_eq!(find("01f21d5e5195").unwrap().release, "24.1 (2024.1)");
        assert_eq!(find(NEWEST).unwrap().place, KNOWN.len() - 1);
        let refused = find("9ef41f07cb58").unwrap_err().to_string();
        assert!(refused.contains("ironic-dbsync upgrade"), "{refused}");
    }
}
