//! Lists: pages of a collection, and the few lists that are made of something else.

use reqwest::Method;
use serde_json::{Map, Value};

use super::{node_call, truth};
use crate::client::Call;
use crate::old::Failure;
use crate::old::ask::Context;
use crate::old::fields::{DRIVER, DRIVER_NAME, METHOD, OldResource, heading};
use crate::old::grammar::{Detail, Filter, Step};
use crate::old::parse::Given;
use crate::old::pretty::Table;
use crate::old::python;

/// A list of things of one kind.
pub(super) struct List<'a> {
    pub(super) kind: &'a OldResource,
    pub(super) path: &'a [Step],
    pub(super) detail: Detail,
    pub(super) filters: &'a [Filter],
}

impl List<'_> {
    pub(super) async fn run(&self, context: &mut Context, given: &Given) -> Result<(), Failure> {
        let filters = self.filters(given)?;
        let asked = asked_fields(self.kind, given)?;
        let has_detail = given.has("detail");
        let fields: Vec<&str> = match (&asked, has_detail) {
            (_, true) => self.kind.all.to_vec(),
            (Some(fields), false) => fields.clone(),
            (None, false) => self.kind.brief.to_vec(),
        };
        let limit = limit(given)?;
        let sort_key = self.sort_key(given)?;
        if has_detail && asked.is_some() {
            return Err(Failure::failed(
                "Can't fetch a subset of fields with 'detail' set",
            ));
        }
        let mut path = self.path.to_vec();
        if has_detail && self.detail == Detail::Segment {
            path.push(Step::Word("detail"));
        }
        let mut call = super::call(Method::GET, &path, given)?
            .query_if("limit", limit.filter(|limit| *limit > 0))
            .query_if("marker", given.text("marker"))
            .query_if("sort_key", sort_key)
            .query_if("sort_dir", given.text("sort_dir"))
            .fields(&asked.unwrap_or_default());
        if has_detail && self.detail == Detail::Query {
            call = call.query("detail", "True");
        }
        for (name, value) in filters {
            call = call.query(name, value);
        }
        let things = pages(context, call, self.kind.key, limit).await?;
        print(context, &fields, &things, false)
    }

    fn filters(&self, given: &Given) -> Result<Vec<(&'static str, String)>, Failure> {
        let mut found = Vec::new();
        for filter in self.filters {
            let (Filter::Text(name) | Filter::Truth(name)) = *filter;
            let Some(word) = given.text(name) else {
                continue;
            };
            let value = match filter {
                Filter::Text(_) => word.to_owned(),
                Filter::Truth(_) => {
                    let truth = truth(&format!("--{}", name.replace('_', "-")), word)?;
                    python::repr(&truth.into())
                }
            };
            found.push((name, value));
        }
        Ok(found)
    }

    /// The field to sort by, which may be named by its heading.
    fn sort_key(&self, given: &Given) -> Result<Option<&'static str>, Failure> {
        let Some(word) = given.text("sort_key") else {
            return Ok(None);
        };
        let mut sortable = self.kind.sortable();
        if let Some(field) = sortable.find(|field| *field == word || heading(field) == word) {
            return Ok(Some(field));
        }
        let headings = self.kind.sortable().map(heading);
        let fields = self.kind.sortable().map(str::to_owned);
        let valid: Value = headings.chain(fields).collect();
        Err(Failure::usage(format!(
            "{word} is an invalid field for sorting, valid values for --sort-key are: {}",
            python::repr(&valid)
        )))
    }
}

/// The fields that were asked for, which must be fields of the kind.
pub(super) fn asked_fields<'a>(
    kind: &OldResource,
    given: &'a Given,
) -> Result<Option<Vec<&'a str>>, Failure> {
    if !given.has("fields") {
        return Ok(None);
    }
    let fields: Vec<&str> = given.all("fields").iter().map(String::as_str).collect();
    let known = |field: &&str| kind.all.contains(field);
    let invalid: Vec<&str> = fields
        .iter()
        .copied()
        .filter(|field| !known(field))
        .collect();
    if invalid.is_empty() {
        return Ok(Some(fields));
    }
    Err(Failure::usage(format!(
        "Invalid field(s) requested: {}. Valid fields are: {}.",
        invalid.join(", "),
        kind.all.join(", ")
    )))
}

fn limit(given: &Given) -> Result<Option<usize>, Failure> {
    let Some(limit) = given.number("limit") else {
        return Ok(None);
    };
    usize::try_from(limit)
        .map(Some)
        .map_err(|_| Failure::usage(format!("Expected non-negative --limit, got {limit}")))
}

/// One page without a limit; up to the limit with one, and everything if it is 0.
async fn pages(
    context: &Context,
    call: Call,
    key: &str,
    limit: Option<usize>,
) -> Result<Vec<Value>, Failure> {
    let mut things = Vec::new();
    let mut page = call;
    loop {
        let mut answer = context.ask(&page).await?;
        if let Some(Value::Array(found)) = answer.get_mut(key).map(Value::take) {
            things.extend(found);
        }
        let Some(limit) = limit else {
            return Ok(things);
        };
        let next = answer.get("next").and_then(Value::as_str);
        match next.and_then(|link| page.at(link)) {
            Some(next) if limit == 0 || things.len() < limit => page = next,
            _ => {
                if limit > 0 {
                    things.truncate(limit);
                }
                return Ok(things);
            }
        }
    }
}

/// A table with a column for each field.
fn print(
    context: &mut Context,
    fields: &[&str],
    things: &[Value],
    sorted: bool,
) -> Result<(), Failure> {
    let headings = fields.iter().map(|field| heading(field)).collect();
    print_under(context, headings, fields, things, sorted)
}

fn print_under(
    context: &mut Context,
    headings: Vec<String>,
    fields: &[&str],
    things: &[Value],
    sorted: bool,
) -> Result<(), Failure> {
    let missing = Value::from("");
    let mut table = Table::new(headings);
    let mut documents = Vec::new();
    for thing in things {
        let values = fields
            .iter()
            .map(|field| thing.get(field).unwrap_or(&missing));
        table.row(values.clone().map(python::text));
        let names = fields.iter().map(|field| (*field).to_owned());
        let document: Map<String, Value> = names.zip(values.cloned()).collect();
        documents.push(Value::Object(document));
    }
    if sorted {
        table.sort_by_first();
    }
    context.show(&Value::Array(documents), &table)
}

/// Drivers, of which lists are printed without Python's brackets.
pub(super) async fn drivers(context: &mut Context, given: &Given) -> Result<(), Failure> {
    let has_detail = given.has("detail");
    let call = Call::get(&["drivers"])?
        .query_if("type", given.text("type"))
        .query_if("detail", has_detail.then_some("True"));
    let mut drivers = pages(context, call, DRIVER.key, None).await?;
    for driver in &mut drivers {
        for (_, value) in driver.as_object_mut().into_iter().flatten() {
            if let Value::Array(items) = value {
                *value = joined(items, ", ");
            }
        }
    }
    let fields = if has_detail { DRIVER.all } else { DRIVER.brief };
    let title = |field: &&str| match *field {
        "name" => DRIVER_NAME.to_owned(),
        field => heading(field),
    };
    let headings = fields.iter().map(title).collect();
    print_under(context, headings, fields, &drivers, true)
}

pub(super) fn joined(items: &[Value], separator: &str) -> Value {
    let words: Vec<String> = items.iter().map(python::text).collect();
    words.join(separator).into()
}

/// The vendor methods of a node or driver.
pub(super) async fn methods(context: &mut Context, call: &Call) -> Result<(), Failure> {
    let answer = context.ask(call).await?;
    let methods: Vec<Value> = members(answer)
        .map(|(name, mut method)| {
            if let Some(method) = method.as_object_mut() {
                method.insert("name".to_owned(), name.into());
                if let Some(Value::Array(verbs)) = method.get("http_methods") {
                    let verbs = joined(verbs, ",");
                    method.insert("http_methods".to_owned(), verbs);
                }
            }
            method
        })
        .collect();
    print(context, METHOD, &methods, false)
}

pub(super) async fn validate(context: &mut Context, given: &Given) -> Result<(), Failure> {
    let call = node_call(Method::GET, given, &["validate"])?;
    let answer = context.ask(&call).await?;
    let interfaces: Vec<Value> = members(answer)
        .map(|(name, mut outcome)| {
            if let Some(outcome) = outcome.as_object_mut() {
                outcome.insert("interface".to_owned(), name.into());
            }
            outcome
        })
        .collect();
    print(
        context,
        &["interface", "result", "reason"],
        &interfaces,
        true,
    )
}

pub(super) async fn vifs(context: &mut Context, given: &Given) -> Result<(), Failure> {
    let call = node_call(Method::GET, given, &["vifs"])?;
    let vifs = pages(context, call, "vifs", None).await?;
    print(context, &["id"], &vifs, false)
}

fn members(answer: Value) -> impl Iterator<Item = (String, Value)> {
    let members = match answer {
        Value::Object(members) => members,
        _ => Map::new(),
    };
    members.into_iter()
}
