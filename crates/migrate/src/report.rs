//! What came of an import.

use crate::finding::Findings;
use store::ironic::ReadCost;

/// The rows of one table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TableCount {
    pub table: &'static str,
    pub read: u64,
    pub taken: u64,
}

/// What an import did, or would do.
#[derive(Debug, Default)]
pub struct Outcome {
    pub tables: Vec<TableCount>,
    pub findings: Findings,
    /// What it cost Ironic's database.
    pub asked: ReadCost,
}

impl Outcome {
    /// How many rows of a table were taken.
    pub fn taken(&self, table: &str) -> u64 {
        let found = self.tables.iter().find(|count| count.table == table);
        found.map_or(0, |count| count.taken)
    }
}
