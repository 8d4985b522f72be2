//! One `corten serve`, and what is asked of it.

use super::TestBed;
use crate::{
    http::{self, Request},
    network::run,
    process::Process,
};
use anyhow::{Context, Result, bail, ensure};
use rustix::process::Signal;
use scenario::Answer;
use serde_json::{Value, json};
use std::{path::Path, time::Duration};
use tokio::time::{Instant, sleep};
use types::NodeId;

const PORT: u16 = 6385;
/// What has to happen by itself happens within this.
const PATIENCE: Duration = Duration::from_secs(90);

#[derive(Debug)]
pub(super) struct Single {
    process: Process,
    endpoint: String,
    /// Words that every command about this database needs.
    pub(super) common: Vec<String>,
}

impl Single {
    /// A service with its files in `data`, on SQLite there unless a database is named.
    pub(super) fn new(place: &TestBed, leg: &str, data: &Path, database: Option<&str>) -> Self {
        let address = place.host.address();
        let mut settings = vec![
            format!("api.host_ip={address}"),
            format!("api.port={PORT}"),
            "conductor.automated_clean=true".to_owned(),
            "conductor.heartbeat_interval=1".to_owned(),
            "corten.membership_ttl=10".to_owned(),
            "fake.deploy_delay=0.2".to_owned(),
        ];
        settings.extend(database.map(|url| format!("database.connection={url}")));
        let mut common = vec!["--data-dir".to_owned(), data.display().to_string()];
        for setting in settings {
            common.extend(["--set".to_owned(), setting]);
        }
        let mut words = vec![
            place.corten.display().to_string(),
            "serve".to_owned(),
            "--insecure".to_owned(),
        ];
        words.extend(common.iter().cloned());
        let log = place.folder.join(format!("{leg}.log"));
        Self {
            process: Process::new(leg, place.host.clone(), words, log),
            endpoint: format!("{address}:{PORT}"),
            common,
        }
    }

    /// A service on a database server, with its keys and schema.
    pub(super) async fn prepared(place: &TestBed, leg: &str, url: &str) -> Result<Self> {
        let data = place.folder.join("server");
        std::fs::create_dir_all(&data)?;
        let service = Self::new(place, leg, &data, Some(url));
        let words: &[&str] = if data.join("keys").exists() {
            &["db", "upgrade"]
        } else {
            &["db", "rotate-key"]
        };
        let started = Instant::now();
        loop {
            let mut prepare = place.host.command(&place.corten);
            match run(prepare.args(words).args(&service.common)).await {
                Ok(_) => return Ok(service),
                // The server may not listen yet.
                Err(error) if started.elapsed() > PATIENCE => return Err(error),
                Err(_) => sleep(Duration::from_millis(200)).await,
            }
        }
    }

    /// A variable of the service's environment.
    pub(super) fn env(mut self, name: &str, value: &str) -> Self {
        self.process.env.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Starts the service and waits until it answers.
    pub(super) async fn start(&self) -> Result<()> {
        self.process.start()?;
        let started = Instant::now();
        while self.send("GET", "/v1", None).await.is_err() {
            if let Some(how) = self.process.has_ended()? {
                bail!("the service exited unexpectedly: {how}");
            }
            ensure!(
                started.elapsed() < PATIENCE,
                "timeout: the service does not answer"
            );
            sleep(Duration::from_millis(100)).await;
        }
        Ok(())
    }

    /// What the service told its operator, which must have one of these words in it.
    pub(super) fn has_told(&self, words: &[&str]) -> Result<()> {
        let log = std::fs::read_to_string(&self.process.log)?;
        ensure!(
            words.iter().any(|word| log.contains(word)),
            "the log contains none of {words:?}"
        );
        Ok(())
    }

    /// Starts the service, which must refuse; returns the status it ended with.
    pub(super) async fn refuses(&self) -> Result<String> {
        self.process.start()?;
        let started = Instant::now();
        loop {
            if let Some(how) = self.process.has_ended()? {
                return Ok(how);
            }
            ensure!(
                started.elapsed() < PATIENCE,
                "the service started although it should have refused"
            );
            sleep(Duration::from_millis(50)).await;
        }
    }

    pub(super) async fn stop(&self) -> Result<()> {
        let gently = self.process.end(Signal::TERM, PATIENCE).await?;
        ensure!(gently, "the service did not stop");
        Ok(())
    }

    /// Verifies everything in the database, by the program's own command.
    pub(super) async fn check(&self, place: &TestBed) -> Result<()> {
        let mut check = place.host.command(&place.corten);
        run(check.args(["db", "check"]).args(&self.common))
            .await
            .map(|_| ())
    }

    pub(super) async fn send(
        &self,
        method: &'static str,
        path: &str,
        body: Option<Value>,
    ) -> Result<Answer> {
        let mut request = Request::new(method, path);
        request.body = body;
        let asked = http::send(&self.endpoint, &request).await;
        asked.with_context(|| format!("{method} {path}"))
    }

    /// As [`Single::send`], for an answer that takes its time.
    pub(super) async fn send_patiently(
        &self,
        method: &'static str,
        path: &str,
        patience: Duration,
    ) -> Result<Answer> {
        let request = Request::new(method, path);
        let asked = http::send_within(&self.endpoint, &request, patience).await;
        asked.with_context(|| format!("{method} {path}"))
    }

    /// Creates a node; the answer may be anything.
    pub(super) async fn create(&self, id: NodeId, extra: Value) -> Result<Answer> {
        let body = json!({"uuid": id, "driver": "fake-hardware", "extra": extra});
        self.send("POST", "/v1/nodes", Some(body)).await
    }

    /// Asks until the service accepts: that it does again is what is waited for.
    pub(super) async fn create_at_last(&self) -> Result<NodeId> {
        let id = NodeId::generate();
        let started = Instant::now();
        loop {
            let why_not = match self.create(id, json!({})).await {
                // The answer to an earlier attempt may have got lost.
                Ok(answer) if matches!(answer.status, 201 | 409) => return Ok(id),
                Ok(answer) => format!("{} {}", answer.status, answer.text()),
                Err(error) => format!("{error:#}"),
            };
            ensure!(started.elapsed() < PATIENCE, "timeout: {why_not}");
            sleep(Duration::from_millis(200)).await;
        }
    }

    /// Leads a node to a state; asks again while it is refused for reasons that pass.
    pub(super) async fn lead(&self, id: NodeId, verb: &str, goal: &str) -> Result<()> {
        let started = Instant::now();
        let path = format!("/v1/nodes/{id}/states/provision");
        loop {
            let ask = self.send("PUT", &path, Some(json!({"target": verb})));
            let answer = ask.await?;
            match answer.status {
                202 => break,
                409 | 503 if started.elapsed() < PATIENCE => {
                    sleep(Duration::from_millis(200)).await;
                }
                status => bail!("{verb}: {status} {}", answer.text()),
            }
        }
        self.reaches(id, goal).await
    }

    pub(super) async fn reaches(&self, id: NodeId, goal: &str) -> Result<()> {
        let started = Instant::now();
        loop {
            let node = self.node(id).await?;
            if node["provision_state"] == goal && node["reservation"].is_null() {
                return Ok(());
            }
            ensure!(
                started.elapsed() < PATIENCE,
                "timeout: node {id} does not become {goal}: it is {}, reserved by {}, {}",
                node["provision_state"],
                node["reservation"],
                node["last_error"]
            );
            sleep(Duration::from_millis(100)).await;
        }
    }

    /// Waits until a node is not reserved; returns its provision state.
    pub(super) async fn rests(&self, id: NodeId) -> Result<String> {
        let started = Instant::now();
        loop {
            let node = self.node(id).await?;
            let state = node["provision_state"].as_str().unwrap_or_default();
            let is_busy = state.ends_with("ing") || !node["reservation"].is_null();
            if !is_busy {
                let failed = state.contains("failed");
                ensure!(
                    !failed || node["last_error"].is_string(),
                    "node {id} failed without last_error"
                );
                return Ok(state.to_owned());
            }
            ensure!(
                started.elapsed() < PATIENCE,
                "timeout: node {id} stays {state}"
            );
            sleep(Duration::from_millis(100)).await;
        }
    }

    /// A deployment and its end, of a node that is available.
    pub(super) async fn live_again(&self, id: NodeId) -> Result<()> {
        self.lead(id, "active", "active").await?;
        self.lead(id, "deleted", "available").await
    }

    /// A whole life, after which the node is available.
    pub(super) async fn live(&self, id: NodeId) -> Result<()> {
        self.lead(id, "manage", "manageable").await?;
        self.lead(id, "provide", "available").await?;
        self.live_again(id).await
    }

    pub(super) async fn node(&self, id: NodeId) -> Result<Value> {
        let answer = self.send("GET", &format!("/v1/nodes/{id}"), None).await?;
        ensure!(
            answer.status == 200,
            "{id}: {} {}",
            answer.status,
            answer.text()
        );
        Ok(serde_json::from_slice(&answer.body)?)
    }
}

/// A 503 that tells clients to retry; the reason is in the log.
pub(super) fn is_clear(answer: &Answer) -> Result<()> {
    let text = answer.text();
    ensure!(answer.status == 503, "{} {text}", answer.status);
    ensure!(
        text.contains("error_message") && text.contains("temporarily unavailable"),
        "the answer does not tell the client to retry: {text}"
    );
    Ok(())
}
