//! Wearing machines in before they are used, by the programs that are made for it.
//!
//! They are large and rarely wanted, so ramdisks have them only if whoever built one put them in;
//! without them the step fails and says so. Pairs of machines for the network must be told to each
//! of the two: there is no coordination service here. What the programs measured is returned.

mod figures;

use crate::{AgentError, config::Config, exec, safety::Permit};
use serde_json::Value;
use std::{
    env, fs,
    path::{Path, PathBuf},
    process,
    time::Duration,
};
use tokio::{
    process::Command,
    time::{self, Instant},
};
use types::{
    burnin::{BurninReport, Figure},
    pyrepr,
};

const DAY: u64 = 86_400;
/// Beyond what was asked for, before a program is taken for stuck.
const GRACE: u64 = 3600;
/// The exit code of `fio` if the other side is not there yet, and how long to wait then.
const NOT_READY: i32 = 16;
const READER_PAUSE: Duration = Duration::from_secs(30);
const READER_ATTEMPTS: u32 = 480;
/// Disks take as long as they take.
const NO_LIMIT: Duration = Duration::from_secs(30 * DAY);

/// What the node says, as text or as the usual value.
struct Info<'n>(Option<&'n Value>);

impl<'n> Info<'n> {
    fn of(node: &'n Value) -> Self {
        Self(node.get("driver_info"))
    }

    fn value(&self, key: &str) -> Option<&'n Value> {
        self.0?.get(key).filter(|value| !value.is_null())
    }

    fn text(&self, key: &str, usual: &str) -> String {
        self.value(key)
            .map_or_else(|| usual.to_owned(), pyrepr::to_str)
    }

    fn number(&self, key: &str, usual: u64) -> Result<u64, AgentError> {
        let text = self.text(key, &usual.to_string());
        text.trim().parse().map_err(|_| {
            AgentError::refused(
                "InvalidCommandParamsError",
                "Invalid command parameters",
                format!("invalid driver_info/{key} '{text}': expected a number"),
            )
        })
    }
}

/// A test that has begun.
struct Begun(Instant);

impl Begun {
    fn now() -> Self {
        Self(Instant::now())
    }

    fn ended(self, figures: Vec<Figure>) -> BurninReport {
        BurninReport {
            seconds: self.0.elapsed().as_secs(),
            figures,
        }
    }
}

pub async fn cpu(_permit: &Permit, node: &Value) -> Result<BurninReport, AgentError> {
    stress(node, "cpu", "agent_burnin_cpu_cpu", &[]).await
}

pub async fn memory(_permit: &Permit, node: &Value) -> Result<BurninReport, AgentError> {
    let bytes = Info::of(node).text("agent_burnin_vm_vm-bytes", "98%");
    stress(node, "vm", "agent_burnin_vm_vm", &["--vm-bytes", &bytes]).await
}

/// A file for what a program measured, which is there as long as this value. What the program prints is
/// left for its errors.
struct Metrics(PathBuf);

impl Metrics {
    fn of(test: &str) -> Self {
        let name = format!("corten-burnin-{}-{test}", process::id());
        Self(env::temp_dir().join(name))
    }

    /// Its path, unless the node names another file.
    fn unless_named(&self, named: String) -> String {
        match named.is_empty() {
            true => self.0.to_string_lossy().into_owned(),
            false => named,
        }
    }
}

impl Drop for Metrics {
    fn drop(&mut self) {
        // A program that failed may not have written it.
        let _ = fs::remove_file(&self.0);
    }
}

async fn stress(
    node: &Value,
    kind: &str,
    count: &str,
    more: &[&str],
) -> Result<BurninReport, AgentError> {
    let info = Info::of(node);
    let seconds = info.number(&format!("agent_burnin_{kind}_timeout"), DAY)?;
    let (count, time) = (info.number(count, 0)?.to_string(), seconds.to_string());
    let switch = format!("--{kind}");
    let mut args = vec![switch.as_str(), &count, "--timeout", &time];
    args.extend(more);
    let metrics = Metrics::of(kind);
    let file = metrics.0.to_string_lossy();
    args.extend(["--metrics-brief", "--yaml", &*file]);
    let log = info.text(&format!("agent_burnin_{kind}_outputfile"), "");
    if !log.is_empty() {
        args.extend(["--log-file", &log]);
    }
    let begun = Begun::now();
    run(
        &format!("stress-ng ({kind})"),
        "stress-ng",
        &args,
        limit(seconds),
    )
    .await?;
    let measured = fs::read_to_string(&metrics.0).unwrap_or_default();
    Ok(begun.ended(figures::of_stress_ng(&measured)))
}

/// Reads and writes all disks but those that are to be left alone. What is on them is lost.
pub async fn disk(
    _permit: &Permit,
    node: &Value,
    config: &Config,
) -> Result<BurninReport, AgentError> {
    let info = Info::of(node);
    let loops = info.number("agent_burnin_fio_disk_loops", 4)?.to_string();
    let runtime = info.number("agent_burnin_fio_disk_runtime", 0)?.to_string();
    let metrics = Metrics::of("disk");
    let output = metrics.unless_named(info.text("agent_burnin_fio_disk_outputfile", ""));
    let mut args = vec![
        "--rw",
        "readwrite",
        "--bs",
        "4k",
        "--direct",
        "1",
        "--ioengine",
        "libaio",
        "--iodepth",
        "32",
        "--verify",
        "crc32c",
        "--verify_dump",
        "1",
        "--continue_on_error",
        "verify",
        "--loops",
        &loops,
        "--runtime",
        &runtime,
        "--time_based",
        "--output-format",
        "json",
        "--output",
        &output,
    ];
    let devices = super::erase::disks(node, config)?;
    if devices.is_empty() {
        return Err(cleaning("fio (disk): there is no disk to test".to_owned()));
    }
    for device in &devices {
        args.extend(["--name", &device.name]);
    }
    let begun = Begun::now();
    run("fio (disk)", "fio", &args, NO_LIMIT).await?;
    let figures = figures::of_fio(&fs::read_to_string(&output).unwrap_or_default());
    let smart = info.value("agent_burnin_fio_disk_smart_test");
    if smart.and_then(Value::as_bool) == Some(true) {
        for device in &devices {
            run(
                "smartctl",
                "smartctl",
                &["-t", "long", "-C", &device.name],
                NO_LIMIT,
            )
            .await?;
        }
    }
    Ok(begun.ended(figures))
}

/// Sends to a partner, then receives, or the other way round.
pub async fn network(_permit: &Permit, node: &Value) -> Result<BurninReport, AgentError> {
    let info = Info::of(node);
    let seconds = info.number("agent_burnin_fio_network_runtime", 21_600)?;
    let Some(pair) = info.value("agent_burnin_fio_network_config") else {
        return Err(cleaning(
            "fio (network): agent_burnin_fio_network_config with role and partner is missing; \
             partners are not looked for"
                .to_owned(),
        ));
    };
    let part = |key: &str| pair.get(key).and_then(Value::as_str).unwrap_or_default();
    let is_writer = match part("role") {
        "writer" => true,
        "reader" => false,
        other => {
            return Err(cleaning(format!(
                "fio (network) found an unknown role: {other}"
            )));
        }
    };
    let partner = part("partner");
    if partner.is_empty() {
        return Err(cleaning("fio (network) failed to find partner".to_owned()));
    }
    let log = info.text("agent_burnin_fio_network_outputfile", "");
    let begun = Begun::now();
    let mut figures = Vec::new();
    for writes in [is_writer, !is_writer] {
        let said = one_way(writes, partner, seconds, &log).await?;
        figures.extend(figures::of_fio(&said));
    }
    Ok(begun.ended(figures))
}

/// Returns what fio measured.
async fn one_way(
    writes: bool,
    partner: &str,
    seconds: u64,
    log: &str,
) -> Result<String, AgentError> {
    let runtime = seconds.to_string();
    let role = if writes { "writer" } else { "reader" };
    let metrics = Metrics::of(role);
    let named_file = match log {
        "" => String::new(),
        log => format!("{log}.{role}"),
    };
    let output = metrics.unless_named(named_file);
    let mut args = vec![
        "--ioengine",
        "net",
        "--port",
        "9000",
        "--fill_device",
        "1",
        "--group_reporting",
        "--gtod_reduce",
        "1",
        "--numjobs",
        "16",
        "--output-format",
        "json",
        "--output",
        &output,
    ];
    args.extend(["--name", role]);
    if writes {
        args.extend([
            "--rw",
            "write",
            "--runtime",
            &runtime,
            "--time_based",
            "--listen",
        ]);
    } else {
        args.extend(["--rw", "read", "--hostname", partner]);
    }
    let mut left = READER_ATTEMPTS;
    loop {
        match exec::try_run("fio", &args, NO_LIMIT).await {
            Err(failure) if !writes && failure.exit_code == Some(NOT_READY) && left > 0 => {
                left -= 1;
                time::sleep(READER_PAUSE).await;
            }
            Err(failure) => return Err(named("fio (network)", failure.error)),
            Ok(_) => return Ok(fs::read_to_string(&output).unwrap_or_default()),
        }
    }
}

/// The program tells no figures that can be read.
pub async fn gpu(_permit: &Permit, node: &Value) -> Result<BurninReport, AgentError> {
    let info = Info::of(node);
    let folder = info.text("agent_burnin_gpu_install_dir", "/opt/gpu-burn");
    let seconds = info.number("agent_burnin_gpu_timeout", DAY)?;
    let memory = info.text("agent_burnin_gpu_memory", "95%");
    let expected = info.number("agent_burnin_gpu_count", 0)?;
    let burn = async |args: &[&str], patience: Duration| {
        let mut command = Command::new(Path::new(&folder).join("gpu_burn"));
        command.args(args).current_dir(&folder);
        let shown = format!("gpu_burn {}", args.join(" "));
        exec::run_prepared(command, &shown, patience).await
    };
    if expected > 0 {
        let said = burn(&["-l"], exec::USUAL).await?;
        let found = said.lines().filter(|line| line.starts_with("ID")).count() as u64;
        if found != expected {
            return Err(cleaning(format!(
                "gpu-burn failed to find the correct number of gpus. {found} found but {expected} \
                 expected."
            )));
        }
    }
    let time = seconds.to_string();
    let begun = Begun::now();
    burn(&["-m", &memory, &time], limit(seconds)).await?;
    Ok(begun.ended(Vec::new()))
}

fn limit(seconds: u64) -> Duration {
    Duration::from_secs(seconds.saturating_add(GRACE))
}

async fn run(what: &str, program: &str, args: &[&str], limit: Duration) -> Result<(), AgentError> {
    let done = exec::run(program, args, limit).await;
    done.map(|_| ()).map_err(|error| named(what, error))
}

fn named(what: &str, error: AgentError) -> AgentError {
    AgentError {
        details: format!("{what} failed with error {}", error.details),
        ..error
    }
}

fn cleaning(details: String) -> AgentError {
    AgentError::failed("CleaningError", "Clean step failed", details)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::disk::lab::Machine;
    use serde_json::json;

    #[tokio::test]
    async fn wrong_settings_are_told_before_anything_runs() {
        let permit = Permit::from_operator();
        let node = |info: Value| json!({ "driver_info": info });
        let error = cpu(&permit, &node(json!({"agent_burnin_cpu_timeout": "long"}))).await;
        assert_eq!(error.unwrap_err().code, 400);
        for (config, text) in [
            (json!(null), "is missing"),
            (json!({"role": "x", "partner": "p"}), "unknown role: x"),
            (json!({"role": "reader"}), "failed to find partner"),
        ] {
            let info = json!({ "agent_burnin_fio_network_config": config });
            let error = network(&permit, &node(info)).await.unwrap_err();
            assert_eq!(error.kind, "CleaningError");
            assert!(error.details.contains(text), "{error}");
        }
        // The one disk there is must stay as it is, so no program may be started.
        let machine = Machine::new();
        machine.disk("sda", 5, &[]);
        let mut node_with_skip = node(json!({}));
        node_with_skip["properties"] = json!({"skip_block_devices": [{"name": "/dev/sda"}]});
        let error = disk(&permit, &node_with_skip, &machine.config()).await;
        let error = error.unwrap_err();
        assert!(error.details.contains("no disk to test"), "{error}");
        let info = json!({"agent_burnin_gpu_install_dir": "/nowhere/at/all"});
        let error = gpu(&permit, &node(info)).await.unwrap_err();
        assert!(error.details.starts_with("gpu_burn"), "{error}");
    }
}
