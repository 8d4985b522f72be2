//! What an import has to say about single rows: what was left out, and what was changed on the way.
//!
//! Texts never hold the value of a column that may be a secret.

use std::{collections::BTreeMap, fmt};

/// What is the matter with a row or one of its columns.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RowProblem {
    // The row is left out.
    #[error("left out: it has no UUID")]
    NoUuid,
    #[error("left out: '{0}' is not a UUID")]
    BadUuid(String),
    #[error("left out: it belongs to no {0}")]
    NoOwner(&'static str),
    #[error("left out: '{0}' is not a MAC address")]
    BadAddress(String),
    #[error("left out: it has no {0}")]
    Lacks(&'static str),
    #[error("left out: {0}")]
    Refused(String),
    #[error("left out: the node that it belongs to was left out")]
    NodeLeftOut,
    // The column is changed.
    #[error("not readable as JSON, {0}; taken as empty")]
    NotJson(String),
    #[error("JSON, but not {wanted}; taken as empty")]
    WrongJson { wanted: &'static str },
    #[error("has numbers that are none (NaN, Infinity); taken as texts")]
    NotFinite,
    #[error("has half a character (a lone surrogate); replaced by U+FFFD")]
    HalfSurrogate,
    #[error("has an integer beyond 64 bits; taken as the nearest floating-point number")]
    BigInteger,
    #[error("is not valid UTF-8; what cannot be read is replaced by U+FFFD")]
    BadEncoding,
    #[error("has NUL characters; replaced by U+FFFD")]
    Nul,
    #[error("is longer than {0} characters; cut")]
    TooLong(usize),
    #[error("is not {wanted}; taken as {instead}")]
    WrongKind {
        wanted: &'static str,
        instead: &'static str,
    },
    #[error("is not set; taken as {0}")]
    Unset(&'static str),
    #[error("'{value}' is not known here; taken as {instead}")]
    Unknown { value: String, instead: String },
    #[error("is taken as {0}")]
    Spelled(String),
    #[error("step {0} names an interface that does not exist; the step is left out")]
    BadStep(usize),
    #[error("names {0}, which does not agree; the link is dropped")]
    BrokenLink(&'static str),
    #[error("names {0} that was left out; the link is dropped")]
    LinkLeftOut(&'static str),
    #[error("names '{0}', which is no node here; kept as it is")]
    NoParent(String),
    #[error("has no traits: no node may run it until it has one")]
    NoTraits,
}

impl RowProblem {
    /// Whether the row is not imported.
    pub fn leaves_out(&self) -> bool {
        matches!(
            self,
            Self::NoUuid
                | Self::BadUuid(_)
                | Self::NoOwner(_)
                | Self::BadAddress(_)
                | Self::Lacks(_)
                | Self::Refused(_)
                | Self::NodeLeftOut
        )
    }
}

/// A row, what is the matter with it, and in which column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    pub table: &'static str,
    /// The UUID, or the number of a row without one.
    pub row: String,
    pub column: Option<&'static str>,
    pub trouble: RowProblem,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            table,
            row,
            column,
            trouble,
        } = self;
        match column {
            Some(column) => write!(f, "{table} {row}: {column} {trouble}"),
            None => write!(f, "{table} {row}: {trouble}"),
        }
    }
}

/// Findings, of which only the first ones are kept in words.
#[derive(Debug, Default)]
pub struct Findings {
    kept: Vec<Finding>,
    /// Rows left out, and columns changed, by table.
    counts: BTreeMap<&'static str, (u64, u64)>,
}

/// So many are kept: a damaged database of any size must not fill the memory.
const MOST: usize = 1000;

impl Findings {
    pub fn add(&mut self, finding: Finding) {
        let (left_out, changed) = self.counts.entry(finding.table).or_default();
        *(if finding.trouble.leaves_out() {
            left_out
        } else {
            changed
        }) += 1;
        if self.kept.len() < MOST {
            self.kept.push(finding);
        }
    }

    /// Counts rows that were left out without a word for each.
    pub fn add_left_out(&mut self, table: &'static str, rows: u64) {
        self.counts.entry(table).or_default().0 += rows;
    }

    /// Counts columns that were changed without a word for each.
    pub fn add_changed(&mut self, table: &'static str, columns: u64) {
        self.counts.entry(table).or_default().1 += columns;
    }

    /// The first findings.
    pub fn kept(&self) -> &[Finding] {
        &self.kept
    }

    /// How many findings there are besides those that are kept.
    pub fn more(&self) -> u64 {
        let all: u64 = self.counts.values().map(|(a, b)| a + b).sum();
        all.saturating_sub(self.kept.len() as u64)
    }

    /// The tables that have findings.
    pub fn tables(&self) -> impl Iterator<Item = &'static str> {
        self.counts.keys().copied()
    }

    /// How many rows of a table were left out.
    pub fn left_out(&self, table: &str) -> u64 {
        self.counts.get(table).map_or(0, |(left_out, _)| *left_out)
    }

    /// How many columns of a table were changed.
    pub fn changed(&self, table: &str) -> u64 {
        self.counts.get(table).map_or(0, |(_, changed)| *changed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_kept_in_words_is_counted() {
        let mut findings = Findings::default();
        for row in 0..MOST + 5 {
            let is_left_out = row % 2 == 0;
            findings.add(Finding {
                table: "ports",
                row: format!("id {row}"),
                column: None,
                trouble: if is_left_out {
                    RowProblem::NoOwner("node")
                } else {
                    RowProblem::Nul
                },
            });
        }
        findings.add_left_out("bios_settings", 7);
        assert_eq!((findings.kept().len(), findings.more()), (MOST, 12));
        assert_eq!(findings.left_out("ports") + findings.changed("ports"), 1005);
        assert_eq!(findings.left_out("bios_settings"), 7);
    }
}
