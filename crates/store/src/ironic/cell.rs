//! One value of a foreign row, from whichever engine.

use super::ColumnType;
use crate::{StoreError, conn::Row};
use postgres::types::{FromSql, Type};
use rusqlite::types::ValueRef;
use std::borrow::Cow;

/// A value.
#[derive(Debug, Clone, PartialEq)]
pub enum Cell {
    Null,
    Int(i64),
    /// Only SQLite keeps such numbers where others are expected.
    Real(f64),
    Text(String),
    /// Bytes that are not UTF-8, with what does not fit replaced.
    Damaged(String),
}

impl Cell {
    /// How many bytes it takes, roughly.
    pub(super) fn size(&self) -> usize {
        let text = match self {
            Self::Text(text) | Self::Damaged(text) => text.len(),
            Self::Null | Self::Int(_) | Self::Real(_) => 0,
        };
        size_of::<Self>() + text
    }

    /// The value as a text, if there is one.
    pub(super) fn into_text(self) -> Option<String> {
        match self {
            Self::Null => None,
            Self::Int(number) => Some(number.to_string()),
            Self::Real(number) => Some(number.to_string()),
            Self::Text(text) | Self::Damaged(text) => Some(text),
        }
    }

    fn of_bytes(bytes: &[u8]) -> Self {
        match String::from_utf8_lossy(bytes) {
            Cow::Borrowed(text) => Self::Text(text.to_owned()),
            Cow::Owned(text) => Self::Damaged(text),
        }
    }

    /// The value at a position of a row.
    pub(super) fn read(row: &Row<'_>, at: usize, kind: ColumnType) -> Result<Self, StoreError> {
        match row {
            Row::Sqlite(row) => Ok(match row.get_ref(at)? {
                ValueRef::Null => Self::Null,
                ValueRef::Integer(value) => Self::Int(value),
                ValueRef::Real(value) => Self::Real(value),
                ValueRef::Text(bytes) | ValueRef::Blob(bytes) => Self::of_bytes(bytes),
            }),
            Row::Postgres(row) => match kind {
                ColumnType::Int | ColumnType::Bool => {
                    let value: Option<i64> = row.try_get(at)?;
                    Ok(value.map_or(Self::Null, Self::Int))
                }
                ColumnType::Text | ColumnType::Time => {
                    let value: Option<Bytes<'_>> = row.try_get(at)?;
                    Ok(value.map_or(Self::Null, |Bytes(bytes)| Self::of_bytes(bytes)))
                }
            },
            Row::MariaDb(row) => {
                use mysql_async::Value as V;
                match row.as_ref(at) {
                    None | Some(V::NULL) => Ok(Self::Null),
                    Some(V::Int(value)) => Ok(Self::Int(*value)),
                    Some(V::UInt(value)) => Ok(i64::try_from(*value)
                        .map_or_else(|_| Self::Text(value.to_string()), Self::Int)),
                    Some(V::Bytes(bytes)) => Ok(Self::of_bytes(bytes)),
                    Some(V::Float(value)) => Ok(Self::Real(f64::from(*value))),
                    Some(V::Double(value)) => Ok(Self::Real(*value)),
                    Some(V::Date(..) | V::Time(..)) => Err(StoreError::Sql(
                        format!("column {at} holds a time where none is expected").into(),
                    )),
                }
            }
        }
    }
}

/// The bytes of a text, whatever their encoding.
struct Bytes<'a>(&'a [u8]);

impl<'a> FromSql<'a> for Bytes<'a> {
    fn from_sql(_: &Type, raw: &'a [u8]) -> Result<Self, Box<dyn std::error::Error + Sync + Send>> {
        Ok(Self(raw))
    }

    fn accepts(_: &Type) -> bool {
        true
    }
}
