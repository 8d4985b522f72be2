//! Ways out of a running service, from start to stop: notifications and traces.

use crate::settings::Notifications;
use anyhow::Context;
use std::{sync::Arc, time::Duration};
use store::Db;
use telemetry::{Bus, Sender, Sensors, trace::Exporter};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use types::sensor::SensorSink;

/// How long the sender may take to let go; another host takes over anyway.
const FAREWELL: Duration = Duration::from_secs(2);

/// What leads out of the service, if anything does.
#[derive(Default)]
pub(crate) struct Outlets {
    stop: CancellationToken,
    sender: Option<JoinHandle<()>>,
    sensors: Option<Sensors>,
}

impl Outlets {
    /// Has changes written down from now on. Every role that changes something does this; only
    /// conductors send, see [`Outlets::start`].
    pub(crate) fn prepare(db: &Db, wanted: Option<&Notifications>) {
        if let Some((wanted, _)) = wanted.and_then(|wanted| wanted.versioned.as_ref()) {
            db.want_notifications(wanted.clone());
        }
    }

    /// Starts to send.
    pub(crate) fn start(db: &Db, wanted: Option<Notifications>) -> anyhow::Result<Self> {
        let mut outlets = Self::default();
        let Some(wanted) = wanted else {
            return Ok(outlets);
        };
        let bus = Bus::start(wanted.bus, outlets.stop.clone())
            .context("cannot set up the connection to the message bus")?;
        if !wanted.sensor_topics.is_empty() {
            let (topics, enveloped) = (wanted.sensor_topics, wanted.enveloped);
            let sensors = Sensors::start(bus.clone(), &wanted.host, topics, enveloped);
            outlets.sensors = Some(sensors);
        }
        if let Some((_, settings)) = wanted.versioned {
            let sender = Sender::new(db.clone(), bus, settings);
            outlets.sender = Some(tokio::spawn(sender.run(outlets.stop.clone())));
        }
        Ok(outlets)
    }

    /// The sender of sensor readings, if enabled.
    pub(crate) fn sensors(&self) -> Option<Arc<dyn SensorSink>> {
        let sensors = self.sensors.clone()?;
        Some(Arc::new(sensors))
    }

    /// Stops sending. What was not sent stays in the database.
    pub(crate) async fn stop(self) {
        self.stop.cancel();
        if let Some(sender) = self.sender {
            let _ = tokio::time::timeout(FAREWELL, sender).await;
        }
    }
}

/// Traces on their way to a collector, if there is one.
#[derive(Default)]
pub(crate) struct Traces {
    stop: CancellationToken,
    sending: Option<JoinHandle<()>>,
}

impl Traces {
    pub(crate) fn start(exporter: Option<Exporter>) -> Self {
        let stop = CancellationToken::new();
        let sending = exporter.map(|exporter| tokio::spawn(exporter.run(stop.clone())));
        Self { stop, sending }
    }

    /// Sends what is left.
    pub(crate) async fn stop(self) {
        self.stop.cancel();
        if let Some(sending) = self.sending {
            let _ = tokio::time::timeout(FAREWELL, sending).await;
        }
    }
}
