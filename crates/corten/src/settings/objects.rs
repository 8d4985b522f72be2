//! What is kept in Swift: config drives, logs of ramdisks, and what inspection found.

use ::conductor::objects::{Container, ObjectSettings};
use config::{
    Config,
    choice::{InventoryBackend, LogStorage},
};
use std::time::Duration;

const DAY: u64 = 24 * 3600;
/// How long a config drive is kept where deployments may take for ever.
const CONFIG_DRIVE: Duration = Duration::from_secs(1800);
/// What the end of a deployment may take after its last sign of life.
const AFTER_CALLBACK: Duration = Duration::from_secs(120);

pub(crate) fn objects(config: &Config) -> ObjectSettings {
    let (agent, conductor) = (&config.agent, &config.conductor);
    let callback = conductor.deploy_callback_timeout.duration();
    let of_deploy = match callback.is_zero() {
        true => CONFIG_DRIVE,
        false => callback.saturating_add(AFTER_CALLBACK),
    };
    let chosen = conductor
        .configdrive_swift_temp_url_duration
        .map(|time| time.duration());
    let days = u64::from(*agent.deploy_logs_swift_days_to_expire);
    ObjectSettings {
        config_drives: config
            .deploy
            .configdrive_use_object_store
            .then(|| Container {
                name: conductor.configdrive_swift_container.to_string(),
                lifetime: chosen.unwrap_or(of_deploy),
            }),
        logs: (*agent.deploy_logs_storage_backend == LogStorage::Swift).then(|| Container {
            name: agent.deploy_logs_swift_container.to_string(),
            lifetime: Duration::from_secs(days * DAY),
        }),
        inspection_data: inspection_data(config),
    }
}

/// The container that has what inspection found.
pub fn inspection_data(config: &Config) -> Option<String> {
    let inventory = &config.inventory;
    let in_swift = *inventory.data_backend == InventoryBackend::Swift;
    in_swift.then(|| inventory.swift_data_container.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use config::Sources;

    fn read(sets: &[&str]) -> ObjectSettings {
        let sources = Sources {
            sets: sets.iter().map(|&set| set.to_owned()).collect(),
            ..Sources::default()
        };
        objects(&Config::load(sources).unwrap().0)
    }

    #[test]
    fn containers_and_lifetimes_are_those_of_ironic() {
        assert_eq!(read(&[]), ObjectSettings::default());
        let kept = read(&[
            "deploy.configdrive_use_object_store=true",
            "agent.deploy_logs_storage_backend=swift",
            "inventory.data_backend=swift",
        ]);
        let container = |name: &str, seconds| {
            Some(Container {
                name: name.to_owned(),
                lifetime: Duration::from_secs(seconds),
            })
        };
        assert_eq!(
            kept,
            ObjectSettings {
                config_drives: container("ironic_configdrive_container", 1920),
                logs: container("ironic_deploy_logs_container", 2_592_000),
                inspection_data: Some("introspection_data_container".to_owned()),
            }
        );
        for (set, seconds) in [
            ("conductor.deploy_callback_timeout=0", 1800),
            ("conductor.configdrive_swift_temp_url_duration=60", 60),
        ] {
            let kept = read(&["deploy.configdrive_use_object_store=true", set]);
            let drives = kept.config_drives.unwrap();
            assert_eq!(drives.lifetime, Duration::from_secs(seconds), "{set}");
        }
    }
}
