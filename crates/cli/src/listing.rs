//! What the list commands have in common: paging, order and the fields shown.
//!
//! Sorting is done here and not by the service, as in the stock client: it then works for every
//! field that is shown. It orders what was fetched, so with a limit it orders one page.

use std::cmp::Ordering;
use std::str::FromStr;

use clap::Args;
use clap::builder::PossibleValuesParser;
use serde_json::Value;

use crate::Session;
use crate::client::Call;
use crate::error::Error;
use crate::output::{self, Column, OutputArgs};

#[derive(Debug, Args)]
pub(crate) struct PageArgs {
    /// How many to list at most; 0 for all. The service decides if not given
    #[arg(long, value_name = "NUMBER")]
    limit: Option<usize>,
    /// Start after this one: the last of an earlier list
    #[arg(long, value_name = "ID")]
    marker: Option<String>,
    /// Sort by fields, each with its direction, such as name:desc,uuid
    #[arg(long, value_name = "FIELD[:asc|desc]", value_delimiter = ',')]
    sort: Vec<SortKey>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct SortKey {
    field: String,
    descending: bool,
}

impl FromStr for SortKey {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (field, direction) = text.split_once(':').unwrap_or((text, "asc"));
        let descending = match direction {
            "asc" => false,
            "desc" => true,
            other => return Err(format!("'{other}' is no direction; use asc or desc")),
        };
        if field.is_empty() {
            return Err("a field to sort by is missing".to_owned());
        }
        Ok(Self {
            field: field.to_owned(),
            descending,
        })
    }
}

/// Accepts the names of fields; a wrong one is answered with all of them.
pub(crate) fn field_names(names: &'static [&'static str]) -> PossibleValuesParser {
    PossibleValuesParser::new(names)
}

/// Fetches a collection and prints it.
pub(crate) async fn fetch_and_print(
    session: &mut Session,
    call: Call,
    key: &str,
    page: &PageArgs,
    fields: &[&str],
    output: &OutputArgs,
) -> Result<(), Error> {
    let call = call.query_if("marker", page.marker.as_ref());
    let mut items = session.client.list(&call, key, page.limit).await?;
    sort(&mut items, &page.sort)?;
    let columns: Vec<Column> = fields.iter().map(|field| Column::field(field)).collect();
    print_items(session, output, &columns, &items)
}

/// Prints the fields of items under columns. A field the service did not send is empty.
pub(crate) fn print_items(
    session: &mut Session,
    output: &OutputArgs,
    columns: &[Column],
    items: &[Value],
) -> Result<(), Error> {
    let cell = |item: &Value, column: &Column| {
        item.get(column.key())
            .cloned()
            .unwrap_or_else(|| Value::String(String::new()))
    };
    let rows: Vec<Vec<Value>> = items
        .iter()
        .map(|item| columns.iter().map(|column| cell(item, column)).collect())
        .collect();
    output::print_list(&mut session.console, output, columns, &rows)
}

fn sort(items: &mut [Value], keys: &[SortKey]) -> Result<(), Error> {
    let unknown = keys
        .iter()
        .find(|key| items.iter().all(|item| item.get(&key.field).is_none()));
    if let (Some(unknown), Some(Value::Object(first))) = (unknown, items.first()) {
        let known: Vec<&str> = first
            .keys()
            .map(String::as_str)
            .filter(|key| *key != "links")
            .collect();
        return Err(Error::usage(format!(
            "cannot sort by {}, which is not among the fields listed: {}",
            unknown.field,
            known.join(", ")
        )));
    }
    // The least important key first: the sort is stable, so the more important ones, sorted by later, win.
    for key in keys.iter().rev() {
        items.sort_by(|left, right| {
            let order = compare(left.get(&key.field), right.get(&key.field));
            if key.descending {
                order.reverse()
            } else {
                order
            }
        });
    }
    Ok(())
}

/// What is not set comes last.
fn compare(left: Option<&Value>, right: Option<&Value>) -> Ordering {
    let unset = |value: Option<&Value>| value.is_none_or(Value::is_null);
    match (unset(left), unset(right)) {
        (true, true) => return Ordering::Equal,
        (true, false) => return Ordering::Greater,
        (false, true) => return Ordering::Less,
        (false, false) => {}
    }
    match (left, right) {
        (Some(Value::Number(left)), Some(Value::Number(right))) => left
            .as_f64()
            .partial_cmp(&right.as_f64())
            .unwrap_or(Ordering::Equal),
        (Some(Value::String(left)), Some(Value::String(right))) => left.cmp(right),
        (Some(left), Some(right)) => left.to_string().cmp(&right.to_string()),
        _ => Ordering::Equal,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn sorted(by: &str) -> Result<Vec<i64>, Error> {
        let mut items = vec![
            json!({"id": 1, "name": "b", "n": 10}),
            json!({"id": 2, "name": null, "n": 9}),
            json!({"id": 3, "name": "a", "n": 9}),
        ];
        let keys: Vec<SortKey> = by.split(',').map(|key| key.parse().unwrap()).collect();
        sort(&mut items, &keys)?;
        Ok(items
            .iter()
            .map(|item| item["id"].as_i64().unwrap())
            .collect())
    }

    #[test]
    fn sorts_by_several_fields_and_what_is_unset_last() {
        assert_eq!(sorted("name").unwrap(), [3, 1, 2]);
        assert_eq!(sorted("n,name").unwrap(), [3, 2, 1]);
        assert_eq!(sorted("n:desc,id:desc").unwrap(), [1, 3, 2]);
    }

    #[test]
    fn a_field_that_is_not_listed_is_a_usage_error() {
        assert_eq!(sorted("owner").unwrap_err().exit_code(), 2);
        assert!(sort(&mut [], &["owner".parse().unwrap()]).is_ok());
    }

    #[test]
    fn directions_are_checked() {
        for wrong in ["name:down", "name:", ":asc", ""] {
            assert!(wrong.parse::<SortKey>().is_err(), "{wrong}");
        }
    }
}
