//! Posts events to their subscribers.
//!
//! A BMC that has subscribers is watched by a task of its own, which ends when they are gone; one
//! without costs nothing.

use super::call::{Site, View};
use crate::machine::{
    Change, Event,
    event::{Letter, News},
    parts,
};
use std::{
    sync::{Arc, LazyLock},
    time::Duration,
};
use tokio::{
    runtime::Handle,
    sync::broadcast::{Receiver, error::RecvError},
    time::sleep,
};

/// How often a letter is tried, and how long after each time.
pub(crate) const ATTEMPTS: u32 = 3;
pub(crate) const PAUSE: Duration = Duration::from_secs(1);
/// How long a destination may say nothing.
const PATIENCE: Duration = Duration::from_secs(10);

/// Destinations are test servers with certificates of their own making, so none is checked.
static CLIENT: LazyLock<Option<reqwest::Client>> = LazyLock::new(|| {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    // The first caller sets the client of the process; all of them would set the same.
    let _ = rustls::crypto::CryptoProvider::install_default(Arc::unwrap_or_clone(provider));
    #[expect(
        clippy::disallowed_methods,
        reason = "the simulator shares no code with what it tests"
    )]
    let builder = reqwest::Client::builder();
    let client = builder
        .connect_timeout(PATIENCE)
        .read_timeout(PATIENCE)
        .tls_danger_accept_invalid_certs(true)
        .no_proxy()
        .build();
    client.ok()
});

/// The HTTP client; `None` if it cannot be set up.
pub(crate) fn client() -> Option<&'static reqwest::Client> {
    CLIENT.as_ref()
}

/// Posts letters, in their order for each destination.
pub(crate) fn send(letters: Vec<Letter>) {
    let Ok(runtime) = Handle::try_current() else {
        return;
    };
    if !letters.is_empty() {
        runtime.spawn(async move {
            for letter in &letters {
                deliver(letter).await;
            }
        });
    }
}

async fn deliver(letter: &Letter) {
    let Some(client) = client() else {
        return;
    };
    for _ in 0..ATTEMPTS {
        let mut request = client.post(&letter.destination).body(letter.body.clone());
        request = request.header("content-type", "application/json");
        for (name, value) in &letter.headers {
            request = request.header(name, value);
        }
        match request.send().await {
            Ok(answer) if answer.status().is_success() => return,
            Ok(answer) => tracing::debug!("{}: {}", letter.destination, answer.status()),
            Err(error) => tracing::debug!("{}: {}", letter.destination, error.without_url()),
        }
        sleep(PAUSE).await;
    }
    tracing::warn!("giving up on delivering an event to {}", letter.destination);
}

/// Starts watching the machines of a service, unless that task is running.
pub(crate) fn watch(site: &Site) {
    let is_new = site.host().parts(|parts| !parts.subscriptions.is_watched());
    if let Ok(runtime) = Handle::try_current()
        && is_new
    {
        site.host()
            .parts(|parts| parts.subscriptions.set_watched(true));
        let events = site.host().settings().events.subscribe();
        runtime.spawn(report(site.clone(), events));
    }
}

async fn report(site: Site, mut events: Receiver<Event>) {
    loop {
        let event = match events.recv().await {
            Ok(event) => event,
            // The channel overflowed and some events were lost; continue with the next.
            Err(RecvError::Lagged(_)) => continue,
            Err(RecvError::Closed) => break,
        };
        let is_over = site.host().parts(|parts| {
            let is_over = parts.subscriptions.all().is_empty();
            if is_over {
                parts.subscriptions.set_watched(false);
            }
            is_over
        });
        if is_over {
            break;
        }
        for letter in letters(&site, &event) {
            deliver(&letter).await;
        }
    }
}

fn letters(site: &Site, event: &Event) -> Vec<Letter> {
    let mut machines = site.machines.iter();
    let Some(machine) = machines.find(|machine| machine.index() == event.machine) else {
        return Vec::new();
    };
    let system = site.uri(machine, View::System);
    let manager = site.uri(machine, View::Manager);
    let told = match event.change {
        Change::Power(is_on) => EventContent {
            kind: "StatusChange",
            message_id: "ResourceEvent.1.3.ResourcePowerStateChanged",
            message: format!("The power state of {system} is {}.", power(is_on)),
            args: vec![system.clone(), power(is_on).to_owned()],
            origin: system,
            resource_type: "ComputerSystem",
        },
        Change::Booted(..) => EventContent::changed("Alert", system, "ComputerSystem"),
        Change::BootOverride | Change::Light => {
            EventContent::changed("ResourceUpdated", system, "ComputerSystem")
        }
        Change::BmcRestarted => EventContent::changed("Alert", manager, "Manager"),
        _ => return Vec::new(),
    };
    let news = News {
        kind: told.kind,
        message_id: told.message_id,
        message: &told.message,
        args: &told.args,
        severity: "OK",
        origin: &told.origin,
        resource_type: told.resource_type,
    };
    site.host()
        .parts(|parts| parts.subscriptions.letters(&news, parts::now()))
}

fn power(is_on: bool) -> &'static str {
    if is_on { "On" } else { "Off" }
}

/// The content of an event about a change.
struct EventContent {
    kind: &'static str,
    message_id: &'static str,
    message: String,
    args: Vec<String>,
    origin: String,
    resource_type: &'static str,
}

impl EventContent {
    fn changed(kind: &'static str, origin: String, resource_type: &'static str) -> Self {
        Self {
            kind,
            message_id: "ResourceEvent.1.3.ResourceChanged",
            message: "One or more resource properties have changed.".to_owned(),
            args: Vec::new(),
            origin,
            resource_type,
        }
    }
}
