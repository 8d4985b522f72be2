//! The options of the conductor.

use super::{SettingsError, inspection::inspection, sensors::sensors};
use ::conductor::{CleaningSource, LesseeSource, Settings};
use config::{
    Config, Multi, Seconds,
    choice::{self, RescueHash},
};
use std::{collections::BTreeMap, time::Duration};

const SECOND: Duration = Duration::from_secs(1);
const DAY_S: u64 = 86_400;

pub fn conductor(config: &Config) -> Result<Settings, SettingsError> {
    let (general, conductor, api) = (&config.default, &config.conductor, &config.api);
    Ok(Settings {
        host: general.host.to_string(),
        conductor_group: conductor.conductor_group.to_lowercase(),
        workers_pool_size: size(i64::from(*conductor.workers_pool_size)),
        reserved_workers_pool_percentage: size(i64::from(
            *conductor.reserved_workers_pool_percentage,
        )),
        // Without a pause the sign of life would be all there is.
        heartbeat_interval: conductor.heartbeat_interval.duration().max(SECOND),
        heartbeat_timeout: silence(config),
        // Set where a cluster is configured.
        url: None,
        ring_max_age: general.hash_ring_reset_interval.duration(),
        ring_shape: types::ring::Shape::default(),
        node_locked_retry_attempts: u32::try_from((*conductor.node_locked_retry_attempts).max(0))
            .unwrap_or(u32::MAX),
        node_locked_retry_interval: conductor.node_locked_retry_interval.duration(),
        automated_clean: *conductor.automated_clean,
        allow_provisioning_in_maintenance: *conductor.allow_provisioning_in_maintenance,
        allow_deleting_available_nodes: *conductor.allow_deleting_available_nodes,
        max_concurrent_deploy: i64::from(*conductor.max_concurrent_deploy),
        max_concurrent_clean: i64::from(*conductor.max_concurrent_clean),
        max_concurrent_per_conductor_group: *conductor.max_concurrent_per_conductor_group,
        disallowed_deployment_boot_modes: conductor
            .disallowed_deployment_boot_modes
            .iter()
            .map(|mode| mode.as_str().to_owned())
            .collect(),
        poweroff_in_cleanfail: *conductor.poweroff_in_cleanfail,
        poweroff_in_servicefail: *conductor.poweroff_in_servicefail,
        step_poll_interval: config.corten.step_poll_interval.duration(),
        sync_power_state_interval: conductor.sync_power_state_interval.duration(),
        sync_power_state_workers: size(i64::from(*conductor.sync_power_state_workers)),
        force_power_state_during_sync: *conductor.force_power_state_during_sync,
        power_state_sync_max_retries: u32::try_from(
            (*conductor.power_state_sync_max_retries).max(0),
        )
        .unwrap_or(u32::MAX),
        power_failure_recovery_interval: conductor.power_failure_recovery_interval.duration(),
        send_power_notifications: *config.nova.send_power_notifications,
        check_provision_state_interval: conductor.check_provision_state_interval.duration(),
        check_rescue_state_interval: conductor.check_rescue_state_interval.duration(),
        deploy_callback_timeout: conductor.deploy_callback_timeout.duration(),
        boot_silence_timeout: boot_silence(config),
        clean_callback_timeout: conductor.clean_callback_timeout.duration(),
        service_callback_timeout: conductor.service_callback_timeout.duration(),
        rescue_callback_timeout: conductor.rescue_callback_timeout.duration(),
        inspect_wait_timeout: conductor.inspect_wait_timeout.duration(),
        boot_retry_timeout: config
            .pxe
            .boot_retry_timeout
            .map_or(Duration::ZERO, Seconds::duration),
        boot_retry_check_interval: config.pxe.boot_retry_check_interval.duration(),
        periodic_max_workers: size(*conductor.periodic_max_workers).max(1),
        node_history: *conductor.node_history,
        node_history_max_entries: i64::from(*conductor.node_history_max_entries),
        node_history_cleanup_interval: conductor.node_history_cleanup_interval.duration(),
        node_history_cleanup_batch_count: i64::from(*conductor.node_history_cleanup_batch_count),
        node_history_minimum_days: i64::from(*conductor.node_history_minimum_days),
        check_allocations_interval: conductor.check_allocations_interval.duration(),
        clear_image_cache_on_deploy_failure: *conductor.clear_image_cache_on_deploy_failure,
        cache_clean_up_interval: conductor.cache_clean_up_interval.duration(),
        conductor_cleanup_interval: conductor.conductor_cleanup_interval.duration(),
        conductor_cleanup_timeout: conductor.conductor_cleanup_timeout.duration(),
        conductor_cleanup_batch_size: i64::from(*conductor.conductor_cleanup_batch_size),
        sensors: sensors(config),
        networks_interval: Duration::from_secs(2),
        names: super::names::names(config)?,
        spread_passes: *config.corten.spread_passes,
        record_step_flows_in_history: *conductor.record_step_flows_in_history,
        log_step_flows: *conductor.log_step_flows_to_syslog,
        log_in_db_max_size: size(*general.log_in_db_max_size),
        max_conductor_wait_step_seconds: conductor
            .max_conductor_wait_step_seconds
            .duration()
            .as_secs(),
        clean_step_priority_override: pairs(&conductor.clean_step_priority_override),
        verify_step_priority_override: pairs(&conductor.verify_step_priority_override),
        disallow_clean_steps: api.disallow_clean_steps.to_vec(),
        disallow_deploy_steps: api.disallow_deploy_steps.to_vec(),
        automatic_lessee: *conductor.automatic_lessee,
        automatic_lessee_source: match *conductor.automatic_lessee_source {
            choice::LesseeSource::Instance => LesseeSource::Instance,
            choice::LesseeSource::Request => LesseeSource::Request,
            choice::LesseeSource::None => LesseeSource::None,
        },
        automated_cleaning_step_source: match *conductor.automated_cleaning_step_source {
            choice::CleaningStepSource::Autogenerated => CleaningSource::Autogenerated,
            choice::CleaningStepSource::Runbook => CleaningSource::Runbook,
            choice::CleaningStepSource::Hybrid => CleaningSource::Hybrid,
        },
        automated_cleaning_runbook: (*conductor.automated_cleaning_runbook).clone(),
        automated_cleaning_runbook_by_resource_class: (*conductor
            .automated_cleaning_runbook_by_resource_class)
            .clone(),
        automated_cleaning_runbook_from_node: *conductor.automated_cleaning_runbook_from_node,
        automated_cleaning_runbook_validate_traits: *conductor
            .automated_cleaning_runbook_validate_traits,
        permit_child_node_step_async_result: *conductor.permit_child_node_step_async_result,
        rescue_password_sha512: *conductor.rescue_password_hash_algorithm == RescueHash::Sha512,
        health_monitoring: *conductor.enable_health_monitoring,
        legacy_ramdisk: *config.corten.legacy_ramdisk,
        agent_require_tls: *config.agent.require_tls,
        fast_track: *config.deploy.fast_track,
        ramdisk: super::ramdisk::ramdisk(config)?,
        images: super::image::publishing(config),
        objects: super::objects::objects(config),
        inspection: inspection(config)?,
        sync_local_state_interval: conductor.sync_local_state_interval.duration(),
        graceful_shutdown_timeout: conductor.graceful_shutdown_timeout.duration(),
        drain_shutdown_timeout: general.drain_shutdown_timeout.duration(),
        event_retention: Duration::from_secs(
            u64::from(*config.corten.event_retention_days).saturating_mul(DAY_S),
        ),
        screens: super::screen::tokens(config),
    })
}

/// How long a conductor may be silent before it counts as dead. Our own option wins where it is
/// set, because it says more exactly what we do.
pub(crate) fn silence(config: &Config) -> Duration {
    let seconds: Seconds = if config.corten.membership_ttl.is_set() {
        *config.corten.membership_ttl
    } else {
        *config.conductor.heartbeat_timeout
    };
    seconds.duration().max(SECOND)
}

/// A number; negative values count as zero.
pub(super) fn size(number: i64) -> usize {
    usize::try_from(number.max(0)).unwrap_or(usize::MAX)
}

/// The pairs of all assignments, of which later ones win.
fn pairs(assignments: &Multi<BTreeMap<String, i64>>) -> Vec<(String, i64)> {
    let mut all = BTreeMap::new();
    for assignment in assignments.iter() {
        all.extend(assignment.clone());
    }
    all.into_iter().collect()
}

/// How long a machine that boots from here may be silent. Whoever wrote a file has Ironic's patience,
/// unless the file says otherwise.
fn boot_silence(config: &Config) -> Duration {
    const WITHOUT_FILE: Duration = Duration::from_secs(600);
    let option = &config.corten.boot_silence_timeout;
    match config.has_files() || option.is_set() {
        true => option.duration(),
        false => WITHOUT_FILE,
    }
}

#[cfg(test)]
mod tests {
    use super::{
        super::tests::{alone, filed},
        *,
    };

    #[test]
    fn the_defaults_of_both_sides_agree() {
        let (ours, mut theirs) = (conductor(&alone(&[])).unwrap(), Settings::default());
        // Where agents find this host, what they are told, and where files are, only a configuration
        // says.
        theirs.ramdisk.api_url = ours.ramdisk.api_url.clone();
        theirs.ramdisk.logs_folder = ours.ramdisk.logs_folder.clone();
        theirs.images.folder = ours.images.folder.clone();
        theirs.images.http_root = ours.images.http_root.clone();
        theirs.ramdisk.erasure = ours.ramdisk.erasure;
        // Without a configuration file, a silent machine is not waited for half an hour.
        theirs.boot_silence_timeout = Duration::from_secs(600);
        assert!(boot_silence(&filed("")).is_zero());
        theirs.ramdisk.client.outbound = ours.ramdisk.client.outbound.clone();
        theirs.inspection.outbound = ours.inspection.outbound.clone();
        assert_eq!(format!("{ours:?}"), format!("{theirs:?}"));
    }

    #[test]
    fn options_reach_their_settings() {
        let settings = conductor(&filed(
            "[DEFAULT]\nhost = h1\n[conductor]\nconductor_group = Rack-A\nheartbeat_interval = 0\n\
             periodic_max_workers = -1\npower_state_sync_max_retries = -1\nrescue_password_hash_algorithm = sha512\n\
             clean_step_priority_override = a.b:1,c.d:2\nclean_step_priority_override = a.b:3\n\
             [corten]\nevent_retention_days = 2\nmembership_ttl = 5\nspread_passes = false\n\
             [sensor_data]\nsend_sensor_data = true\ndata_types = Fan,Temperature\n\
             [metrics]\nbackend = collector\n",
        ))
        .unwrap();
        assert_eq!(settings.host, "h1");
        assert_eq!(settings.conductor_group, "rack-a");
        assert_eq!(settings.heartbeat_interval, SECOND);
        assert_eq!(settings.periodic_max_workers, 1);
        assert_eq!(settings.power_state_sync_max_retries, 0);
        assert!(settings.rescue_password_sha512);
        assert_eq!(
            settings.clean_step_priority_override,
            [("a.b".to_owned(), 3), ("c.d".to_owned(), 2)]
        );
        assert_eq!(settings.event_retention, Duration::from_secs(2 * DAY_S));
        assert_eq!(settings.heartbeat_timeout, Duration::from_secs(5));
        assert!(!settings.spread_passes);
        assert!(settings.sensors.is_on && settings.sensors.conductor_metrics);
        assert_eq!(settings.sensors.data_types, ["Fan", "Temperature"]);
    }
}
