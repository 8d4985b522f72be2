//! The options of sensor collection.

use super::conductor::size;
use ::conductor::SensorSettings;
use config::{Config, choice::MetricsBackend};

pub(super) fn sensors(config: &Config) -> SensorSettings {
    let sensors = &config.sensor_data;
    SensorSettings {
        is_on: *sensors.send_sensor_data,
        interval: sensors.interval.duration(),
        workers: size(i64::from(*sensors.workers)),
        wait_timeout: sensors.wait_timeout.duration(),
        data_types: sensors.data_types.to_vec(),
        enable_for_undeployed_nodes: *sensors.enable_for_undeployed_nodes,
        enable_for_conductor: *sensors.enable_for_conductor,
        enable_for_nodes: *sensors.enable_for_nodes,
        conductor_metrics: *config.metrics.backend == MetricsBackend::Collector,
        // Set by the sender of notifications, once there is a message bus.
        sink: None,
    }
}
