//! What the list commands have in common: paging, order and the fields shown.
//!
//! Sorting is done here and not by the service, as in the stock client: it then works for every
//! field that is shown. It orders what was fetched, so with a limit it orders one page.

use std::cmp::Ordering;
use std::str::FromStr;

use clap::{Arg, ArgAction, ArgMatches, Args};
use serde_json::Value;

use crate::Session;
use crate::client::Call;
use crate::error::Error;
use crate::output::{self, ListOutput};

#[derive(Debug, Default, Args)]
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

impl PageArgs {
    /// Whether any of it was given.
    pub(crate) fn is_given(&self) -> bool {
        self.limit.is_some() || self.marker.is_some() || !self.sort.is_empty()
    }
}

/// An option that leaves things out of a list.
pub(crate) struct Filter {
    option: &'static str,
    /// What the service calls it.
    query: &'static str,
    kind: FilterKind,
    help: &'static str,
    /// An option that cannot be given as well.
    excludes: Option<&'static str>,
}

#[derive(Debug, Clone, Copy)]
enum FilterKind {
    Text(&'static str),
    /// One or more words, sent with commas between them.
    Words(&'static str),
    OneOf(&'static [&'static str]),
    /// A switch, and what it says.
    Says(&'static str),
}

impl Filter {
    const fn new(
        option: &'static str,
        query: &'static str,
        kind: FilterKind,
        help: &'static str,
    ) -> Self {
        Self {
            option,
            query,
            kind,
            help,
            excludes: None,
        }
    }

    pub(crate) const fn text(
        option: &'static str,
        query: &'static str,
        metavar: &'static str,
        help: &'static str,
    ) -> Self {
        Self::new(option, query, FilterKind::Text(metavar), help)
    }

    pub(crate) const fn words(
        option: &'static str,
        query: &'static str,
        metavar: &'static str,
        help: &'static str,
    ) -> Self {
        Self::new(option, query, FilterKind::Words(metavar), help)
    }

    pub(crate) const fn one_of(
        option: &'static str,
        query: &'static str,
        choices: &'static [&'static str],
        help: &'static str,
    ) -> Self {
        Self::new(option, query, FilterKind::OneOf(choices), help)
    }

    /// A switch that asks for those of which something is so.
    pub(crate) const fn yes(option: &'static str, query: &'static str, help: &'static str) -> Self {
        Self::new(option, query, FilterKind::Says("True"), help)
    }

    /// A switch that asks for those of which something is not so.
    pub(crate) const fn no(option: &'static str, query: &'static str, help: &'static str) -> Self {
        Self::new(option, query, FilterKind::Says("False"), help)
    }

    pub(crate) const fn but_not(mut self, option: &'static str) -> Self {
        self.excludes = Some(option);
        self
    }

    pub(crate) fn arg(&self) -> Arg {
        let arg = Arg::new(self.option)
            .long(self.option)
            .help(self.help)
            .help_heading("Filters")
            .conflicts_with_all(self.excludes);
        match self.kind {
            FilterKind::Text(metavar) => arg.value_name(metavar),
            FilterKind::Words(metavar) => arg.value_name(metavar).num_args(1..),
            FilterKind::OneOf(choices) => {
                arg.value_parser(clap::builder::PossibleValuesParser::new(choices))
            }
            FilterKind::Says(_) => arg.action(ArgAction::SetTrue),
        }
    }

    /// The filter as the service knows it, if it was given.
    pub(crate) fn read(&self, matches: &ArgMatches) -> Option<(&'static str, String)> {
        let value = match self.kind {
            FilterKind::Says(what) => matches.get_flag(self.option).then(|| what.to_owned()),
            FilterKind::Text(_) | FilterKind::Words(_) | FilterKind::OneOf(_) => {
                let words = matches.get_many::<String>(self.option)?;
                Some(words.cloned().collect::<Vec<_>>().join(","))
            }
        };
        value.map(|value| (self.query, value))
    }
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

/// Fetches a collection, in the order asked for.
pub(crate) async fn fetch(
    session: &Session,
    call: Call,
    key: &str,
    page: &PageArgs,
) -> Result<Vec<Value>, Error> {
    let call = call.query_if("marker", page.marker.as_ref());
    let mut items = session.client.list(&call, key, page.limit).await?;
    sort(&mut items, &page.sort)?;
    Ok(items)
}

/// A row of these fields for each item. A field that the service did not send is empty.
pub(crate) fn rows(fields: &[&str], items: &[Value]) -> Vec<Vec<Value>> {
    let cell = |item: &Value, field: &str| {
        item.get(field)
            .cloned()
            .unwrap_or_else(|| Value::String(String::new()))
    };
    items
        .iter()
        .map(|item| fields.iter().map(|field| cell(item, field)).collect())
        .collect()
}

/// Prints fields of items.
pub(crate) fn print(
    session: &mut Session,
    output: &ListOutput,
    fields: &[&str],
    items: &[Value],
) -> Result<(), Error> {
    output::print_list(&mut session.console, output, fields, rows(fields, items))
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
pub(crate) fn compare(left: Option<&Value>, right: Option<&Value>) -> Ordering {
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
