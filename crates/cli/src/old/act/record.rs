//! One thing at a time: shown, made, changed, deleted.

use reqwest::Method;
use serde_json::{Map, Value, json};

use super::list::asked_fields;
use super::{pair, pairs};
use crate::client::Call;
use crate::old::Failure;
use crate::old::ask::Context;
use crate::old::fields::OldResource;
use crate::old::grammar::{Command, Field, Json, OnFailure, Wrap};
use crate::old::parse::Given;
use crate::old::pretty::Table;

/// Where values are wrapped.
const WIDTH: usize = 72;

fn call(method: Method, kind: &OldResource, rest: &[&str]) -> Result<Call, Failure> {
    let segments: Vec<&str> = kind.path.iter().chain(rest).copied().collect();
    Ok(Call::new(method, &segments)?)
}

pub(super) async fn show(
    context: &mut Context,
    command: &Command,
    given: &Given,
    kind: &OldResource,
    id: &str,
    by: Option<(&str, &str)>,
) -> Result<(), Failure> {
    let fields = asked_fields(kind, given)?;
    let word = given.text(id).unwrap_or_default();
    if word.trim().is_empty() {
        let argument = command.arguments().find(|argument| argument.key == id);
        let metavar = argument.map_or("", |argument| argument.metavar);
        return Err(Failure::usage(format!(
            "{metavar} cannot be empty or only have blank spaces"
        )));
    }
    let asked = fields.clone().unwrap_or_default();
    let thing = match by.filter(|(flag, _)| given.has(flag)) {
        None => {
            context
                .ask(&call(Method::GET, kind, &[word])?.fields(&asked))
                .await?
        }
        Some((_, filter)) => {
            let rest: &[&str] = if fields.is_some() { &[] } else { &["detail"] };
            let call = call(Method::GET, kind, rest)?;
            let answer = context
                .ask(&call.query(filter, word).fields(&asked))
                .await?;
            match answer
                .get(kind.key)
                .and_then(Value::as_array)
                .map(Vec::as_slice)
            {
                Some([thing]) => thing.clone(),
                _ => return Err(Failure::not_found()),
            }
        }
    };
    print(
        context,
        &thing,
        &fields.unwrap_or_else(|| kind.all.to_vec()),
    )
}

/// Prints these fields of a thing; what it does not have is empty.
fn print(context: &mut Context, thing: &Value, fields: &[&str]) -> Result<(), Failure> {
    let value = |field: &str| thing.get(field).cloned().unwrap_or_else(|| "".into());
    let record: Map<String, Value> = fields
        .iter()
        .map(|field| ((*field).to_owned(), value(field)))
        .collect();
    print_record(context, &record, "Value", WIDTH)
}

/// Prints a document member by member.
pub(super) fn print_record(
    context: &mut Context,
    record: &Map<String, Value>,
    title: &str,
    wrap: usize,
) -> Result<(), Failure> {
    let table = Table::of_record(record, title, wrap);
    context.show(&Value::Object(record.clone()), &table)
}

pub(super) async fn document(
    context: &mut Context,
    given: &Given,
    call: &Call,
    title: &str,
    wrap: Wrap,
    json: Json,
) -> Result<(), Failure> {
    let wrap = match wrap {
        Wrap::Default => WIDTH,
        Wrap::Asked => usize::try_from(given.number("wrap").unwrap_or(0))
            .map_err(|_| Failure::failed("wrap argument should be a non-negative integer"))?,
    };
    let record = object(context.ask(call).await?);
    let table = Table::of_record(&record, title, wrap);
    match json {
        Json::Obeyed => context.show(&Value::Object(record), &table),
        Json::Ignored => context.print(&table.draw()),
    }
}

pub(super) fn object(answer: Value) -> Map<String, Value> {
    match answer {
        Value::Object(members) => members,
        _ => Map::new(),
    }
}

pub(super) async fn create(
    context: &mut Context,
    given: &Given,
    kind: &OldResource,
    fields: &[Field],
) -> Result<(), Failure> {
    let mut body = Map::new();
    for field in fields.iter().filter(|field| given.has(field.name())) {
        let value = match field {
            Field::Text(name) => given.text(name).unwrap_or_default().into(),
            Field::Pairs(name) => Value::Object(pairs(given.all(name))?),
        };
        body.insert(field.name().to_owned(), value);
    }
    let made = context
        .ask(&call(Method::POST, kind, &[])?.body(body))
        .await?;
    let names: Vec<&str> = fields.iter().map(|field| field.name()).collect();
    print(context, &made, &names)
}

pub(super) async fn update(
    context: &mut Context,
    given: &Given,
    kind: &OldResource,
    id: &str,
) -> Result<(), Failure> {
    let operation = given.text("op").unwrap_or_default();
    let patch = patch(operation, given.all("attributes"))?;
    let call = call(Method::PATCH, kind, &[given.text(id).unwrap_or_default()])?;
    let changed = context.ask(&call.body(patch)).await?;
    print(context, &changed, kind.all)
}

/// The same operation on each of the attributes.
fn patch(operation: &str, attributes: &[String]) -> Result<Value, Failure> {
    let operations = attributes.iter().map(|attribute| {
        let attribute = match attribute.starts_with('/') {
            true => attribute.clone(),
            false => format!("/{attribute}"),
        };
        if operation == "remove" {
            return Ok(json!({"op": operation, "path": attribute}));
        }
        let (path, value) = pair(&attribute)?;
        Ok(json!({"op": operation, "path": path, "value": value}))
    });
    operations.collect()
}

pub(super) async fn delete(
    context: &mut Context,
    ids: &[String],
    kind: &OldResource,
    on_failure: OnFailure,
) -> Result<(), Failure> {
    let noun = kind.noun;
    let mut failures = Vec::new();
    for id in ids {
        match context.ask(&call(Method::DELETE, kind, &[id])?).await {
            Ok(_) => {
                let line = format!("Deleted {noun} {}\n", crate::console::printable(id));
                context.print(&line)?;
            }
            Err(failure) if on_failure == OnFailure::Stop => return Err(failure),
            Err(failure) => failures.push(format!(
                "Failed to delete {noun} {id}: {}",
                failure.detail()
            )),
        }
    }
    match failures.is_empty() {
        true => Ok(()),
        false => Err(Failure::failed(failures.join("\n"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_attributes_of_a_patch_have_one_operation() {
        let words = |words: &[&str]| {
            words
                .iter()
                .map(|&word| word.into())
                .collect::<Vec<String>>()
        };
        assert_eq!(
            patch(
                "add",
                &words(&["properties/cpus=4", "/name=x=y", "extra={\"a\": true}"])
            )
            .unwrap(),
            json!([
                {"op": "add", "path": "/properties/cpus", "value": 4},
                {"op": "add", "path": "/name", "value": "x=y"},
                {"op": "add", "path": "/extra", "value": {"a": true}},
            ])
        );
        assert_eq!(
            patch("remove", &words(&["extra/a", "/instance_uuid"])).unwrap(),
            json!([
                {"op": "remove", "path": "/extra/a"},
                {"op": "remove", "path": "/instance_uuid"},
            ])
        );
        let error = patch("replace", &words(&["name"])).unwrap_err();
        assert_eq!(
            error.text(),
            "Attributes must be a list of PATH=VALUE not \"/name\""
        );
    }
}
