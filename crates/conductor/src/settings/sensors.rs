//! `[sensor_data]`: whose sensors are read, how often, and where the readings go.

use std::{sync::Arc, time::Duration};
use types::sensor::SensorSink;

/// Names and defaults follow the options of Ironic.
#[derive(Debug, Clone)]
pub struct SensorSettings {
    /// `send_sensor_data`.
    pub is_on: bool,
    pub interval: Duration,
    pub workers: usize,
    /// How long one machine may take; a round that takes longer is told of.
    pub wait_timeout: Duration,
    /// Types of sensors, or `ALL`.
    pub data_types: Vec<String>,
    pub enable_for_undeployed_nodes: bool,
    pub enable_for_conductor: bool,
    pub enable_for_nodes: bool,
    /// `[metrics]backend = collector`: this conductor has something to tell about itself.
    pub conductor_metrics: bool,
    /// Where messages go; without it readings are only kept for the metrics.
    pub sink: Option<Arc<dyn SensorSink>>,
}

impl Default for SensorSettings {
    fn default() -> Self {
        Self {
            is_on: false,
            interval: Duration::from_secs(600),
            workers: 4,
            wait_timeout: Duration::from_secs(300),
            data_types: vec!["ALL".into()],
            enable_for_undeployed_nodes: false,
            enable_for_conductor: true,
            enable_for_nodes: true,
            conductor_metrics: false,
            sink: None,
        }
    }
}
