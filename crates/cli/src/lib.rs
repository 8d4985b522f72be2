//! The command-line client: `corten node list` and all other commands that call the API.
//!
//! The grammar is that of `baremetal`, the stock client, so that habits and scripts carry over;
//! `corten apply`, `status`, `events`, `batch`, `webhook`, `image`, `user`, `group`, `role`, `token`, `node watch`,
//! `node console NODE`, `node sensors` and
//! `node recorder` are our own. The client before that one, `ironic node-list`, is understood by
//! [`old`]. This crate only knows the service's HTTP API. It shares no code with the service, so
//! whatever works here works for every other client as well.
//!
//! What there is stands in [`leaves`], one line or one table for each command of the stock client;
//! `stock_commands.tsv` lists those, and a test compares.

mod account;
mod apply;
mod attribute;
mod baseline;
mod batch;
#[cfg(test)]
mod canned;
mod certificate;
mod client;
mod command;
mod console;
mod create;
mod driver;
mod endpoint;
mod enrol;
mod error;
mod events;
mod fleet;
mod holdings;
mod image;
mod input;
mod listing;
mod names;
mod network;
mod node;
pub mod old;
mod output;
mod password;
mod patch;
mod recipe;
mod resource;
mod sse;
mod status;
#[cfg(test)]
mod stock;
mod tls;
mod traits;
mod version;
mod watch;
mod webhook;

use std::process::ExitCode;

use serde_json::{Map, Value};

pub use client::{Direct, DirectAnswer, DirectRequest};
pub use command::Command;
pub use endpoint::Global;
pub use error::EXIT_CODES;
pub use names::{Names, names};

use client::Client;
use command::{Group, Leaf};
use console::{Console, Notes};
use endpoint::{Endpoint, Surroundings};
use error::Error;

/// Every command there is.
fn leaves() -> Vec<Leaf> {
    let mut leaves = node::leaves();
    for resource in resource::ALL {
        leaves.extend(resource.leaves());
    }
    leaves.extend(traits::leaves("runbook", "runbooks"));
    leaves.extend(driver::leaves());
    leaves.push(apply::leaf());
    leaves.push(create::leaf());
    leaves.push(enrol::leaf());
    leaves.push(events::leaf());
    leaves.push(status::leaf());
    leaves.extend(fleet::leaves());
    leaves.extend(batch::leaves());
    leaves.extend(webhook::leaves());
    leaves.extend(certificate::leaves());
    leaves.extend(baseline::leaves());
    leaves.extend(image::leaves());
    leaves.extend(holdings::leaves());
    leaves.extend(recipe::leaves());
    leaves.extend(network::leaves());
    leaves.extend(account::leaves());
    leaves
}

/// The words that lead to commands.
const GROUPS: &[Group] = &{
    const fn group(words: &'static str, about: &'static str) -> Group {
        Group {
            words,
            about,
            more: "",
        }
    }
    [
        Group {
            more: node::LIFE,
            ..group("node", "Machines: enroll, provision, power, watch")
        },
        group("fleet", "All machines at once: counts, a map, failures"),
        group("node add", "Add traits (the same as `trait add`)"),
        group("node bios", "BIOS settings"),
        group("node bios setting", "BIOS settings"),
        group("node boot", "What machines boot from, and how"),
        group("node boot device", "The device to boot from"),
        group("node boot mode", "UEFI or BIOS"),
        group("node children", "Nodes that are parts of a machine"),
        group("node console", "The serial or graphical console"),
        group("node firmware", "Firmware of a machine's parts"),
        group("node history", "What went wrong with a machine before"),
        group("node inject", "Interrupt machines"),
        group("node inventory", "What inspection found"),
        group(
            "node maintenance",
            "Keep the service's hands off machines, or let it work again",
        ),
        group("node passthru", "Methods of the vendor's own"),
        group("node power", "Switch machines on and off"),
        group(
            "node recorder",
            "What was said between the service and BMCs",
        ),
        group("node remove", "Remove traits (the same as `trait remove`)"),
        group("node secure", "Secure boot"),
        group("node secure boot", "Secure boot"),
        group("node trait", "Traits: what schedulers may ask of a machine"),
        group(
            "node vif",
            "Virtual interfaces: networks a machine is attached to",
        ),
        group("port", "Network interfaces of machines, and groups of them"),
        group("port group", "Network interfaces that are used as one"),
        group("chassis", "Groups of machines that share a rack or a case"),
        group("volume", "Remote volumes: connectors and targets"),
        group("volume connector", "How a machine reaches volumes"),
        group("volume target", "Volumes a machine is to be connected to"),
        group("allocation", "Find a free machine and reserve it"),
        group("deploy", "Deploy templates"),
        group("deploy template", "Steps that deploying runs for a trait"),
        group("runbook", "Lists of steps for cleaning and servicing"),
        group("runbook trait", "Traits a machine must have for a runbook"),
        group("inspection", "Inspection rules"),
        group("inspection rule", "What to do with what inspection finds"),
        group(
            "shard",
            "Shares of the machines, by which other services divide the work",
        ),
        group("driver", "What the service can drive machines with"),
        group("driver passthru", "Methods of the vendor's own"),
        group(
            "driver property",
            "What a driver wants to know of a machine",
        ),
        group("driver raid", "RAID"),
        group(
            "driver raid property",
            "What a driver can be told of a RAID volume",
        ),
        group("conductor", "The processes that do the work"),
        group(
            "image",
            "Images under names; look at image files, and make them",
        ),
        group("step", "What runbooks and deploy templates are made of"),
        group(
            "network",
            "Networks of the DHCP server: addresses, reservations, leases",
        ),
        group("batch", "One verb for many machines, in waves"),
        group("webhook", "Addresses that events are posted to"),
        group(
            "baseline",
            "Firmware and BIOS settings that a resource class is to have",
        ),
        group("certificate", "Erase certificates: how disks were erased"),
        Group {
            more: account::WHERE,
            ..group("user", "Local users, or the names and passwords of a file")
        },
        Group {
            more: account::WHERE,
            ..group("group", "Groups of local users")
        },
        Group {
            more: account::WHERE,
            ..group("role", "What local users and groups may do, and where")
        },
        Group {
            more: account::WHERE,
            ..group(
                "token",
                "What scripts of local users show in place of a password",
            )
        },
    ]
};

/// Runs a command to its end. Starts a runtime of its own, so call it from a plain thread.
pub fn run(command: Command, global: &Global) -> ExitCode {
    let console = Console::standard();
    let notes = console.notes();
    let runtime = match tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
    {
        Ok(runtime) => runtime,
        Err(error) => {
            notes.say(&format!("error: cannot start: {error}"));
            return ExitCode::FAILURE;
        }
    };
    let around = Surroundings::real();
    ExitCode::from(runtime.block_on(execute(command, global, &around, console)))
}

/// Enrols machines that were found by other means, as `corten node enrol` does: each is a place to
/// name it by, and its columns. With `provide` those that are in `enroll` then become available. Starts
/// a runtime of its own, so call it from a plain thread.
pub fn enrol(
    machines: Vec<(String, Map<String, Value>)>,
    provide: bool,
    global: &Global,
) -> ExitCode {
    let then = match provide {
        true => enrol::Then::Provide,
        false => enrol::Then::Leave,
    };
    let rows = machines.into_iter();
    let rows = rows.map(|(place, fields)| enrol::Row { place, fields });
    let command = Command::of("node enrol", async move |session: &mut Session| {
        enrol::enrol(session, rows.collect(), then, None).await
    });
    run(command, global)
}

/// A command under way: whom it talks to, and where it prints.
pub(crate) struct Session {
    client: Client,
    console: Console,
}

async fn execute(
    command: Command,
    global: &Global,
    around: &Surroundings<'_>,
    console: Console,
) -> u8 {
    let notes = console.notes();
    // Boxed because the futures of all commands together are too large for the stack's liking.
    let outcome = Box::pin(attempt(command, global, around, console)).await;
    told(&notes, outcome)
}

/// Says what went wrong; the exit code that tells it.
fn told(notes: &Notes, outcome: Result<(), Error>) -> u8 {
    match outcome {
        Ok(()) => 0,
        Err(error) => {
            for line in error.lines() {
                notes.complain(&console::printable(&line));
            }
            error.exit_code()
        }
    }
}

async fn attempt(
    command: Command,
    global: &Global,
    around: &Surroundings<'_>,
    console: Console,
) -> Result<(), Error> {
    let endpoint = Endpoint::find(global, around)?;
    let client = Client::new(endpoint, global, console.notes()).await?;
    let session = &mut Session { client, console };
    (command.act)(session).await
}

/// Runs a command whose requests are answered in this process, on a runtime that is there already.
pub async fn run_directly(command: Command, direct: Direct) -> ExitCode {
    let console = Console::standard();
    let notes = console.notes();
    let outcome = match Client::direct(direct, console.notes()) {
        Ok(client) => (command.act)(&mut Session { client, console }).await,
        Err(error) => Err(error),
    };
    ExitCode::from(told(&notes, outcome))
}

/// What the help of a kind of resource ends with.
fn help_footer() -> String {
    format!("{}\n\n{EXIT_CODES}", endpoint::CONNECTION_HELP)
}

/// An answer as the object it should be, without the members that only lead elsewhere.
fn record(answer: Value, leave_out: &[&str]) -> Result<serde_json::Map<String, Value>, Error> {
    match answer {
        Value::Object(mut record) => {
            record.retain(|key, _| !leave_out.contains(&key.as_str()));
            Ok(record)
        }
        _ => Err(Error::failed(
            "the service answered with something that is no object",
        )),
    }
}

#[cfg(test)]
mod tests;
