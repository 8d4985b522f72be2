//! Whether a program keeps to the protocol: what `corten driver test` does.
//!
//! Calls go through the interfaces that the conductor uses, so that an answer which passes here is
//! one that the service understands.

mod machine;

use super::{External, ExternalDriver, ExternalSettings, Feature, load_one};
use crate::{Recorder, Registry, RegistrySettings};
use machine::Bench;
use proto::driver::{self, Code};
use serde_json::json;
use std::{path::Path, time::Duration};
use tokio::time::timeout;
use types::{InterfaceKind, JsonMap};

/// How long a process may take to end after its input was closed.
const LAST_WORDS: Duration = Duration::from_secs(3);
/// How many calls are made at a time.
const CROWD: usize = 32;

/// How a check went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    Passed,
    Failed,
    /// It could not be made.
    Skipped,
}

/// A check and how it went.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    pub check: String,
    pub outcome: Outcome,
    /// Why, for people.
    pub detail: String,
}

/// All checks in their order.
#[derive(Debug, Default)]
pub struct Report(pub Vec<Verdict>);

impl Report {
    pub fn has_failure(&self) -> bool {
        let mut all = self.0.iter();
        all.any(|verdict| verdict.outcome == Outcome::Failed)
    }

    fn add(&mut self, check: impl Into<String>, outcome: Outcome, detail: impl Into<String>) {
        self.0.push(Verdict {
            check: check.into(),
            outcome,
            detail: detail.into(),
        });
    }

    fn passed(&mut self, check: impl Into<String>, detail: impl Into<String>) {
        self.add(check, Outcome::Passed, detail);
    }

    fn failed(&mut self, check: impl Into<String>, detail: impl Into<String>) {
        self.add(check, Outcome::Failed, detail);
    }

    /// Takes a result as the verdict.
    fn judge<T>(&mut self, check: impl Into<String>, result: Result<T, impl std::error::Error>) {
        match result {
            Ok(_) => self.passed(check, ""),
            Err(error) => self.failed(check, types::error::chain(&error)),
        }
    }
}

/// Makes all checks on a program.
pub async fn examine(
    program: &Path,
    settings: &ExternalSettings,
    node_info: Option<JsonMap>,
    may_change: bool,
) -> Report {
    let mut report = Report::default();
    let driver = match load_one(program, settings).await {
        Ok(driver) => driver,
        Err(error) => {
            report.failed("hello", types::error::chain(&error));
            return report;
        }
    };
    let declaration = &driver.declaration;
    let detail = format!(
        "{} {}: {} hardware types, {} interfaces",
        declaration.name,
        declaration.version,
        declaration.hardware_types.len(),
        declaration.interfaces.len()
    );
    report.passed("hello", detail);
    let mut wanted = RegistrySettings::default();
    wanted.external.push(driver.clone());
    report.judge("names are free", Registry::new(&wanted));
    let info = node_info.or_else(|| declaration.example.clone());
    match info {
        None => report.add(
            "calls",
            Outcome::Skipped,
            "there is no machine: give --node-info, or declare an example",
        ),
        Some(info) => {
            let mut bench = Bench::new(info);
            for external in External::all(&driver, &Recorder::default()) {
                bench.read(&external, &mut report).await;
                if may_change {
                    bench.change(&external, settings.timeout, &mut report).await;
                }
            }
        }
    }
    bad_calls(&driver, settings.timeout, &mut report).await;
    behaviour(&driver, &mut report).await;
    report
}

/// Calls of everything declared, with parameters that make no sense.
async fn bad_calls(driver: &ExternalDriver, within: Duration, report: &mut Report) {
    for spec in &driver.declaration.interfaces {
        let name = format!("{} {}", spec.kind, spec.name);
        for method in methods(spec) {
            let check = format!("{name}: {method} without parameters");
            match driver.host.call(method, &JsonMap::new(), &[], within).await {
                Ok(Err(refusal)) => report.passed(check, refusal.code.as_str()),
                Ok(Ok(_)) => report.failed(check, "it was accepted; answer with an error"),
                Err(error) => report.failed(check, types::error::chain(&error)),
            }
        }
    }
    let nothing = JsonMap::new();
    let odd = driver.host.call("no.such.method", &nothing, &[], within);
    match odd.await {
        Ok(Err(refusal)) if refusal.code == Code::Unsupported => {
            report.passed("a method that nobody has", "unsupported");
        }
        Ok(Err(refusal)) => report.failed(
            "a method that nobody has",
            format!("the code is '{}' and must be 'unsupported'", refusal.code),
        ),
        Ok(Ok(_)) => report.failed("a method that nobody has", "it was accepted"),
        Err(error) => report.failed("a method that nobody has", types::error::chain(&error)),
    }
}

/// The methods of the protocol that an interface must answer.
fn methods(spec: &super::InterfaceSpec) -> Vec<&'static str> {
    let mut methods = match spec.kind {
        InterfaceKind::Power => vec!["power.get", "power.set"],
        InterfaceKind::Management => vec!["management.boot_device", "management.set_boot_device"],
        InterfaceKind::Vendor => vec!["vendor.call"],
        InterfaceKind::Bios => vec!["bios.settings"],
        InterfaceKind::Firmware => vec!["firmware.components"],
        InterfaceKind::Inspect => vec!["inspect"],
        _ => Vec::new(),
    };
    if !spec.steps.is_empty() {
        methods.push("step.run");
    }
    methods.extend(spec.features.iter().map(|feature| match feature {
        Feature::Validate => "validate",
        Feature::BootMode => "management.boot_mode",
        Feature::SetBootMode => "management.set_boot_mode",
        Feature::SecureBoot => "management.secure_boot",
        Feature::SetSecureBoot => "management.set_secure_boot",
        Feature::InjectNmi => "management.inject_nmi",
        Feature::Indicators => "management.indicators",
        Feature::Sensors => "management.sensors",
        Feature::Health => "management.health",
        Feature::Vendor => "management.vendor",
        Feature::MacAddresses => "management.mac_addresses",
    }));
    methods
}

/// What a process does when it is not simply called.
async fn behaviour(driver: &ExternalDriver, report: &mut Report) {
    let (link, said) = match driver.host.start().await {
        Ok(started) => started,
        Err(error) => return report.failed("a second process", types::error::chain(&error)),
    };
    match said == driver.declaration.said {
        true => report.passed("a second process declares the same", ""),
        false => report.failed("a second process declares the same", "it differs"),
    }
    let nothing = JsonMap::new();
    let second = Duration::from_secs(5);
    let ping = || link.call(driver::PING, &nothing, second);
    report.judge("ping", ping().await);
    let crowd: Vec<_> = (0..CROWD).map(|_| ping()).collect();
    let crowd = futures_util::future::join_all(crowd).await;
    let answered = crowd.iter().filter(|one| one.is_ok()).count();
    match answered {
        CROWD => report.passed(format!("{CROWD} calls at a time"), ""),
        _ => report.failed(
            format!("{CROWD} calls at a time"),
            format!("{answered} were answered"),
        ),
    }
    for garbage in [
        &b"hello?\n"[..],
        b"{\"id\":\n",
        b"[]\n",
        b"\xff\xfe\n",
        b"{}\n",
    ] {
        link.say(garbage);
    }
    report.judge("lines that are no calls are passed over", ping().await);
    let late = link.call(driver::PING, &nothing, Duration::ZERO).await;
    link.say(&driver::cancel(u64::MAX));
    let name = "a cancelled call does no harm";
    match (late, ping().await) {
        (_, Ok(_)) => report.passed(name, ""),
        (_, Err(silence)) => report.failed(name, silence.to_string()),
    }
    link.say(b"");
    let name = "it ends when its input is closed";
    match timeout(LAST_WORDS, link.process().ended()).await {
        Ok(Some(status)) if status.success() => report.passed(name, ""),
        Ok(Some(status)) => report.failed(name, status.to_string()),
        Ok(None) | Err(_) => {
            report.failed(name, format!("it runs {} s later", LAST_WORDS.as_secs()))
        }
    }
    let unknown = json!({"protocol": 1000}).as_object().cloned();
    let unknown = unknown.unwrap_or_default();
    let (link, _) = match driver.host.start().await {
        Ok(started) => started,
        Err(error) => return report.failed("a third process", types::error::chain(&error)),
    };
    let name = "a version that it does not speak";
    let hello = link.call(driver::HELLO, &unknown, second);
    match hello.await {
        Ok(Err(refusal)) => report.passed(name, refusal.code.as_str()),
        Ok(Ok(said)) if said.get("protocol") == driver.declaration.said.get("protocol") => {
            report.passed(name, "it names its own");
        }
        Ok(Ok(_)) => report.failed(name, "it claims to speak version 1000"),
        Err(silence) => report.failed(name, silence.to_string()),
    }
}
