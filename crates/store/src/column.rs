//! How the fields of a row become columns and back, from one list of both.
//!
//! [`columns!`] makes from it what a table writes and what it reads, so that the two cannot
//! disagree about the order. A type that can stand in a column implements [`Column`].

use crate::{
    StoreError,
    conn::{P, Reader, Row},
};
use serde_json::Value;
use types::{
    AllocationId, DeployTemplateId, InspectionRuleId, JsonMap, NodeId, PortId, PortgroupId,
    RunbookId, Timestamp, VolumeConnectorId, VolumeTargetId, allocation::AllocationState,
    deploy_template::TemplateStep, lease::Holder, port::MacAddress, runbook::RunbookStep,
};

/// A value as it is kept in a column, or in several that stand side by side.
pub(crate) trait Column: Sized {
    fn write<'a>(&'a self, values: &mut Vec<P<'a>>);
    fn read(reader: &mut Reader<'_, '_>) -> Result<Self, StoreError>;
}

/// A row that has a UUID and a version and is written whole.
pub(crate) trait Record: Clone + Send + 'static {
    const TABLE: &'static str;
    /// In the order in which rows are read and written; the first is `uuid`, and the last is `id`,
    /// which is never written.
    const COLUMNS: &'static [&'static str];

    fn uuid(&self) -> String;
    fn version(&self) -> i64;
    /// Raises the version and sets the time of the last change.
    fn touch(&mut self);
    fn encode(&self) -> Vec<P<'_>>;
    fn decode(row: &Row<'_>) -> Result<Self, StoreError>;
}

/// Implements [`Record`] from the fields of a row and the columns that hold each of them. Every row
/// begins with its UUID and version and ends with its times and its number, which are not listed.
macro_rules! columns {
    ($Row:ident in $table:literal { $($field:ident: $($column:literal)&+),* $(,)? }) => {
        impl $crate::column::Record for $Row {
            const TABLE: &'static str = $table;
            const COLUMNS: &'static [&'static str] = &[
                "uuid",
                "version",
                $($($column,)+)*
                "created_at",
                "updated_at",
                "id",
            ];

            fn uuid(&self) -> String {
                self.id.to_string()
            }

            fn version(&self) -> i64 {
                self.version
            }

            fn touch(&mut self) {
                self.version += 1;
                self.updated_at = Some(types::Timestamp::now());
            }

            fn encode(&self) -> Vec<$crate::conn::P<'_>> {
                use $crate::column::Column;
                // An update names the row by two values more.
                let mut values = Vec::with_capacity(Self::COLUMNS.len() + 1);
                self.id.write(&mut values);
                self.version.write(&mut values);
                $(self.$field.write(&mut values);)*
                self.created_at.write(&mut values);
                self.updated_at.write(&mut values);
                values
            }

            fn decode(row: &$crate::conn::Row<'_>) -> Result<Self, $crate::StoreError> {
                use $crate::column::Column;
                let reader = &mut $crate::conn::Reader::new(row, Self::TABLE, Self::COLUMNS);
                // Fields are evaluated in the order written here, which is that of the columns.
                Ok(Self {
                    id: Column::read(reader)?,
                    version: Column::read(reader)?,
                    $($field: Column::read(reader)?,)*
                    created_at: Column::read(reader)?,
                    updated_at: Column::read(reader)?,
                    row: Column::read(reader)?,
                })
            }
        }
    };
}
pub(crate) use columns;

/// Types that stand in a column of their own: how each becomes a parameter, and which method of
/// the reader gives it back.
macro_rules! plain {
    ($($T:ty: $value:ident => $param:expr, $read:ident;)*) => {$(
        impl Column for $T {
            fn write<'a>(&'a self, values: &mut Vec<P<'a>>) {
                let $value = self;
                values.push($param);
            }
            fn read(reader: &mut Reader<'_, '_>) -> Result<Self, StoreError> {
                reader.$read()
            }
        }
    )*};
}

plain! {
    i64: value => (*value).into(), int;
    bool: value => (*value).into(), boolean;
    String: value => value.into(), text;
    Option<String>: value => value.as_deref().into(), opt_text;
    Timestamp: value => (*value).into(), time;
    Option<Timestamp>: value => (*value).into(), opt_time;
    JsonMap: value => value.into(), map;
    Vec<String>: value => P::json(value), json;
    Vec<NodeId>: value => P::json(value), json;
    Vec<Value>: value => P::json(value), json;
    Vec<TemplateStep>: value => P::json(value), json;
    Vec<RunbookStep>: value => P::json(value), json;
    AllocationState: value => value.as_str().into(), parsed;
    Option<NodeId>: value => value.map(|id| id.to_string()).into(), opt_parsed;
    MacAddress: value => value.to_string().into(), parsed;
    Option<MacAddress>: value => value.map(String::from).into(), opt_parsed;
    NodeId: value => value.to_string().into(), parsed;
    PortId: value => value.to_string().into(), parsed;
    PortgroupId: value => value.to_string().into(), parsed;
    VolumeConnectorId: value => value.to_string().into(), parsed;
    VolumeTargetId: value => value.to_string().into(), parsed;
    DeployTemplateId: value => value.to_string().into(), parsed;
    RunbookId: value => value.to_string().into(), parsed;
    AllocationId: value => value.as_str().into(), parsed;
    InspectionRuleId: value => value.as_str().into(), parsed;
}

/// A flag that may be unset. Its column cannot be NULL, so another one says that it is unset.
impl Column for Option<bool> {
    fn write<'a>(&'a self, values: &mut Vec<P<'a>>) {
        values.push((*self == Some(true)).into());
        values.push(self.is_none().into());
    }

    fn read(reader: &mut Reader<'_, '_>) -> Result<Self, StoreError> {
        reader.unset_or_boolean()
    }
}

/// Who holds something: a host and its incarnation.
impl Column for Option<Holder> {
    fn write<'a>(&'a self, values: &mut Vec<P<'a>>) {
        let holder = self.as_ref();
        values.push(holder.map(|holder| holder.host.as_str()).into());
        values.push(holder.map(|holder| holder.epoch).into());
    }

    fn read(reader: &mut Reader<'_, '_>) -> Result<Self, StoreError> {
        let (host, epoch) = (reader.opt_text()?, reader.opt_int()?);
        Ok(host.zip(epoch).map(|(host, epoch)| Holder { host, epoch }))
    }
}
