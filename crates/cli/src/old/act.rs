//! What each sub-command asks of the service, and what it prints of the answer.

mod config_drive;
mod list;
mod node;
mod provision;
mod record;

use std::path::PathBuf;

use reqwest::Method;
use serde_json::{Map, Value};

use super::Failure;
use super::ask::Context;
use super::grammar::{Act, Command, Step};
use super::parse::Given;
use crate::client::Call;
use crate::create;
use crate::patch;

/// Does what a sub-command says.
pub(super) async fn run(
    context: &mut Context,
    command: &Command,
    given: &Given,
) -> Result<(), Failure> {
    match &command.act {
        Act::List {
            kind,
            path,
            detail,
            filters,
        } => {
            let list = list::List {
                kind,
                path,
                detail: *detail,
                filters,
            };
            list.run(context, given).await
        }
        Act::Show { kind, id, by } => record::show(context, command, given, kind, id, *by).await,
        Act::Create { kind, fields } => record::create(context, given, kind, fields).await,
        Act::Update { kind, id } => record::update(context, given, kind, id).await,
        Act::Delete {
            kind,
            ids,
            on_failure,
        } => record::delete(context, given.all(ids), kind, *on_failure).await,
        Act::Record {
            path,
            title,
            wrap,
            json,
        } => {
            let call = call(Method::GET, path, given)?;
            record::document(context, given, &call, title, *wrap, *json).await
        }
        Act::Methods { path } => list::methods(context, &call(Method::GET, path, given)?).await,
        Act::Passthru { path } => node::passthru(context, given, path).await,
        Act::Drivers => list::drivers(context, given).await,
        Act::Validate => list::validate(context, given).await,
        Act::VifList => list::vifs(context, given).await,
        Act::SupportedBootDevices => node::supported_boot_devices(context, given).await,
        Act::SetBootDevice => node::set_boot_device(context, given).await,
        Act::SetConsole => node::set_console(context, given).await,
        Act::SetMaintenance => node::set_maintenance(context, given).await,
        Act::SetPower => node::set_power(context, given).await,
        Act::SetTargetRaid => node::set_target_raid(context, given).await,
        Act::InjectNmi => node::inject_nmi(context, given).await,
        Act::VifAttach => node::vif_attach(context, given).await,
        Act::VifDetach => node::vif_detach(context, given).await,
        Act::SetProvision => provision::run(context, given).await,
        Act::CreateFromFiles => {
            let files: Vec<PathBuf> = given.all("resource_files").iter().map(Into::into).collect();
            Ok(create::create_from_files(&context.session, &files).await?)
        }
        // Those are done before anybody is asked.
        Act::Help | Act::Completion | Act::Version => Ok(()),
    }
}

/// A request about something that a path leads to.
fn call(method: Method, path: &[Step], given: &Given) -> Result<Call, Failure> {
    let segments: Vec<&str> = path
        .iter()
        .map(|step| match step {
            Step::Word(word) => word,
            Step::Of(key) => given.text(key).unwrap_or_default(),
        })
        .collect();
    Ok(Call::new(method, &segments)?)
}

/// A request about the node that a command names.
fn node_call(method: Method, given: &Given, rest: &[&str]) -> Result<Call, Failure> {
    let node = given.text("node").unwrap_or_default();
    let segments: Vec<&str> = ["nodes", node].iter().chain(rest).copied().collect();
    Ok(Call::new(method, &segments)?)
}

/// `key=value` words as an object.
fn pairs(words: &[String]) -> Result<Map<String, Value>, Failure> {
    words.iter().map(|word| pair(word)).collect()
}

fn pair(word: &str) -> Result<(String, Value), Failure> {
    match word.split_once('=') {
        Some((key, text)) => Ok((key.to_owned(), patch::value(text))),
        None => Err(Failure::usage(format!(
            "Attributes must be a list of PATH=VALUE not \"{word}\""
        ))),
    }
}

/// A word that means yes or no.
fn truth(argument: &str, word: &str) -> Result<bool, Failure> {
    match word.trim().to_lowercase().as_str() {
        "1" | "on" | "t" | "true" | "y" | "yes" => Ok(true),
        "0" | "f" | "false" | "n" | "no" | "off" => Ok(false),
        _ => Err(Failure::usage(format!(
            "argument {argument}: Unrecognized value '{word}', acceptable values are: '0', '1', 'f', \
             'false', 'n', 'no', 'off', 'on', 't', 'true', 'y', 'yes'."
        ))),
    }
}

/// JSON from the word itself, from the file it names, or from standard input for `-`.
fn document(word: &str) -> Result<Value, Failure> {
    let cannot = |from: &str, error: std::io::Error| {
        Failure::failed(format!("Cannot get JSON from {from}. Error: {error}"))
    };
    let text = if word == "-" {
        std::io::read_to_string(std::io::stdin())
            .map_err(|error| cannot("standard input", error))?
    } else if std::path::Path::new(word).is_file() {
        std::fs::read_to_string(word).map_err(|error| cannot(&format!("file '{word}'"), error))?
    } else {
        word.to_owned()
    };
    let text = text.trim();
    serde_json::from_str(text)
        .map_err(|error| Failure::failed(format!("For JSON: '{text}', error: '{error}'")))
}
