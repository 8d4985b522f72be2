//! Everything that is there: hosts, one database, conductors and APIs.

use crate::{
    network::{self, Host, command, run},
    postgres::Postgres,
    process::Process,
};
use anyhow::{Context, Result, bail};
use std::{
    fs,
    path::{Path, PathBuf},
    time::Duration,
};
use tokio::time::{Instant, sleep};

/// Seconds after which a silent conductor counts as dead: short, so that much happens in minutes.
pub(crate) const TTL_S: u64 = 6;

const CONDUCTORS: u8 = 3;
const APIS: u8 = 2;
const API_PORT: u16 = 6385;
/// A start on a machine that does much else takes a fraction of this.
const PATIENCE: Duration = Duration::from_secs(180);

#[derive(Debug)]
pub(crate) struct World {
    pub(crate) database: Postgres,
    pub(crate) conductors: Vec<Process>,
    pub(crate) apis: Vec<Process>,
    /// What the fake hardware of all conductors saw.
    pub(crate) journal: PathBuf,
}

impl World {
    /// Makes the hosts and starts everything on them; `alone` is one process that is everything.
    pub(crate) async fn create(folder: &Path, corten: &Path, alone: bool) -> Result<Self> {
        let hosts = |kind: &str, first: u8, count: u8| -> Vec<Host> {
            let numbers = 1..=count;
            numbers
                .map(|n| Host::new(format!("{kind}{n}"), first + n))
                .collect()
        };
        let server = Host::new("db", 2);
        let (conductors, apis) = match alone {
            true => (hosts("s", 10, 1), Vec::new()),
            false => (hosts("c", 10, CONDUCTORS), hosts("a", 20, APIS)),
        };
        let role = if alone { "serve" } else { "conductor" };
        let all = [std::slice::from_ref(&server), &conductors[..], &apis[..]].concat();
        network::set_up(&all).await?;
        let database = Postgres::create(server, &folder.join("database.log")).await?;
        let journal = folder.join("journal");
        for host in conductors.iter().chain(&apis) {
            fs::create_dir_all(folder.join(&host.name))?;
            let mut text = configuration(host, folder, &database.url(), &journal);
            if !alone {
                text += "cluster_secret = chaos-in-a-world-of-its-own\n";
            }
            fs::write(config_file(folder, host), text)?;
        }
        prepare(corten, &config_file(folder, &conductors[0])).await?;
        let process = |role: &str, host: Host| {
            let config = config_file(folder, &host).display().to_string();
            let words = [
                &corten.display().to_string(),
                role,
                "--insecure",
                "--config-file",
                &config,
            ];
            let log = folder.join(format!("{host}.log"));
            Process::new(
                host.name.clone(),
                host,
                words.map(str::to_owned).to_vec(),
                log,
            )
        };
        let world = Self {
            database,
            conductors: conductors
                .into_iter()
                .map(|host| process(role, host))
                .collect(),
            apis: apis.into_iter().map(|host| process("api", host)).collect(),
            journal,
        };
        for process in world.services() {
            process.start()?;
        }
        world.answers().await?;
        Ok(world)
    }

    /// Conductors and APIs.
    pub(crate) fn services(&self) -> impl Iterator<Item = &Process> {
        self.conductors.iter().chain(&self.apis)
    }

    /// Restarts processes that exited: one that is started while the database is unreachable exits.
    pub(crate) fn look_after(&self) -> Result<()> {
        let mut all = self.services().chain([&self.database.process]);
        all.try_for_each(Process::look_after)
    }

    /// Where clients send their requests.
    pub(crate) fn endpoints(&self) -> Vec<String> {
        let address = |process: &Process| format!("{}:{API_PORT}", process.host.address());
        let fronts = if self.apis.is_empty() {
            &self.conductors
        } else {
            &self.apis
        };
        fronts.iter().map(address).collect()
    }

    /// Waits until every API answers and every conductor is alive.
    pub(crate) async fn answers(&self) -> Result<()> {
        let started = Instant::now();
        for endpoint in self.endpoints() {
            loop {
                let why_not = match self.alive(&endpoint).await {
                    Ok(count) if count == self.conductors.len() => break,
                    Ok(count) => format!("{count} conductors are alive"),
                    Err(error) => format!("{error:#}"),
                };
                self.look_after()?;
                if started.elapsed() > PATIENCE {
                    bail!("{endpoint}: {why_not} after {} s", PATIENCE.as_secs());
                }
                sleep(Duration::from_millis(200)).await;
            }
        }
        Ok(())
    }

    async fn alive(&self, endpoint: &str) -> Result<usize> {
        let request = crate::http::Request::new("GET", "/v1/conductors");
        let answer = crate::http::send(endpoint, &request).await?;
        let list: serde_json::Value = serde_json::from_slice(&answer.body)
            .with_context(|| format!("{} {}", answer.status, answer.text()))?;
        let list = list["conductors"]
            .as_array()
            .context("the answer is not a list")?;
        Ok(list.iter().filter(|one| one["alive"] == true).count())
    }
}

fn config_file(folder: &Path, host: &Host) -> PathBuf {
    folder.join(format!("{host}.conf"))
}

/// Makes the schema and the keys, as an operator does before the first start.
async fn prepare(corten: &Path, config: &Path) -> Result<()> {
    let started = Instant::now();
    loop {
        let upgrade = ["db", "upgrade", "--config-file"];
        match run(command(corten).args(upgrade).arg(config)).await {
            Ok(_) => break,
            // The server may not listen yet.
            Err(error) if started.elapsed() > PATIENCE => return Err(error),
            Err(_) => sleep(Duration::from_millis(100)).await,
        }
    }
    let rotate = ["db", "rotate-key", "--config-file"];
    run(command(corten).args(rotate).arg(config)).await?;
    Ok(())
}

fn configuration(host: &Host, folder: &Path, database: &str, journal: &Path) -> String {
    let address = host.address();
    let (folder, journal) = (folder.display(), journal.display());
    let kinds = [
        "bios",
        "boot",
        "console",
        "deploy",
        "firmware",
        "inspect",
        "management",
        "power",
        "raid",
        "rescue",
        "vendor",
    ];
    let fake: String = kinds
        .map(|kind| format!("enabled_{kind}_interfaces = fake\n"))
        .concat();
    // Long enough to see calls overlap, short enough for the third of the time-to-live that a call
    // under way may take after its conductor fell silent.
    let delays: String = kinds
        .iter()
        .filter(|kind| **kind != "console")
        .map(|kind| format!("{kind}_delay = 0.05,0.6\n"))
        .collect();
    format!(
        "\
[DEFAULT]
host = {host}
my_ip = {address}
auth_strategy = noauth
hash_ring_reset_interval = 2
enabled_hardware_types = fake-hardware
enabled_network_interfaces = noop
enabled_storage_interfaces = noop
{fake}
[api]
host_ip = {address}
port = {API_PORT}

[json_rpc]
host_ip = {address}
port = 8089

[database]
connection = {database}

[conductor]
automated_clean = true
heartbeat_interval = 1
node_locked_retry_attempts = 1
max_concurrent_clean = 1000
max_concurrent_deploy = 1000
sync_power_state_interval = 20
check_provision_state_interval = 5
graceful_shutdown_timeout = 10

[fake]
{delays}
[corten]
data_dir = {folder}/{host}
key_file = {folder}/keys
membership_ttl = {TTL_S}
fake_journal = {journal}
"
    )
}
