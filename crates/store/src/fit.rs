//! Whether what a client sent fits into the columns it is meant for.
//!
//! SQLite takes any text of any length, servers do not; a value is refused on all of them alike,
//! before it can fail in the middle of something.

use crate::{StoreError, conn::P, migrate};
use std::{collections::HashMap, sync::LazyLock};

/// A table's widths.
pub(crate) struct Widths(HashMap<&'static str, usize>);

pub(crate) static NODES: LazyLock<Widths> = LazyLock::new(|| Widths::of("nodes"));
pub(crate) static CHASSIS: LazyLock<Widths> = LazyLock::new(|| Widths::of("chassis"));

impl Widths {
    pub(crate) fn of(table: &str) -> Self {
        Self(migrate::widths(table))
    }

    /// Checks values against the columns they are written to, in order.
    pub(crate) fn check(
        &self,
        columns: &'static [&'static str],
        values: &[P<'_>],
    ) -> Result<(), StoreError> {
        for (&column, value) in columns.iter().zip(values) {
            let P::Text(text) = value else { continue };
            if text.contains('\0') {
                let reason = "it contains a NUL character".to_owned();
                return Err(StoreError::DoesNotFit { column, reason });
            }
            let Some(&most) = self.0.get(column) else {
                continue;
            };
            // Bytes first: counting characters is only needed for texts that might be too long.
            if text.len() > most && text.chars().count() > most {
                let length = text.chars().count();
                let reason = format!("it has {length} characters, and at most {most} are allowed");
                return Err(StoreError::DoesNotFit { column, reason });
            }
        }
        Ok(())
    }
}

/// A text of ours cut to what a column of 255 characters holds.
pub(crate) fn cut(text: Option<&str>) -> Option<String> {
    const MOST: usize = 255;
    text.map(|text| text.chars().take(MOST).collect())
}
