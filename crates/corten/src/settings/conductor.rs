//! The options of the conductor.

use crate::config::{Config, Multi, Seconds, choice::RescueHash};
use ::conductor::Settings;
use std::{collections::BTreeMap, time::Duration};

const SECOND: Duration = Duration::from_secs(1);
const DAY_S: u64 = 86_400;

pub fn conductor(config: &Config) -> Settings {
    let (general, conductor, api) = (&config.default, &config.conductor, &config.api);
    Settings {
        host: general.host.to_string(),
        conductor_group: conductor.conductor_group.to_lowercase(),
        workers_pool_size: size(i64::from(*conductor.workers_pool_size)),
        reserved_workers_pool_percentage: size(i64::from(
            *conductor.reserved_workers_pool_percentage,
        )),
        // Without a pause the sign of life would be all there is.
        heartbeat_interval: conductor.heartbeat_interval.duration().max(SECOND),
        heartbeat_timeout: silence(config),
        node_locked_retry_attempts: u32::try_from((*conductor.node_locked_retry_attempts).max(0))
            .unwrap_or(u32::MAX),
        node_locked_retry_interval: conductor.node_locked_retry_interval.duration(),
        automated_clean: *conductor.automated_clean,
        allow_provisioning_in_maintenance: *conductor.allow_provisioning_in_maintenance,
        allow_deleting_available_nodes: *conductor.allow_deleting_available_nodes,
        max_concurrent_deploy: i64::from(*conductor.max_concurrent_deploy),
        max_concurrent_clean: i64::from(*conductor.max_concurrent_clean),
        check_provision_state_interval: conductor.check_provision_state_interval.duration(),
        check_rescue_state_interval: conductor.check_rescue_state_interval.duration(),
        deploy_callback_timeout: conductor.deploy_callback_timeout.duration(),
        clean_callback_timeout: conductor.clean_callback_timeout.duration(),
        service_callback_timeout: conductor.service_callback_timeout.duration(),
        rescue_callback_timeout: conductor.rescue_callback_timeout.duration(),
        inspect_wait_timeout: conductor.inspect_wait_timeout.duration(),
        periodic_max_workers: size(*conductor.periodic_max_workers).max(1),
        node_history: *conductor.node_history,
        node_history_max_entries: i64::from(*conductor.node_history_max_entries),
        node_history_cleanup_interval: conductor.node_history_cleanup_interval.duration(),
        node_history_cleanup_batch_count: i64::from(*conductor.node_history_cleanup_batch_count),
        record_step_flows_in_history: *conductor.record_step_flows_in_history,
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
        rescue_password_sha512: *conductor.rescue_password_hash_algorithm == RescueHash::Sha512,
        agent_require_tls: *config.agent.require_tls,
        fast_track: *config.deploy.fast_track,
        graceful_shutdown_timeout: conductor.graceful_shutdown_timeout.duration(),
        event_retention: Duration::from_secs(
            u64::from(*config.corten.event_retention_days).saturating_mul(DAY_S),
        ),
    }
}

/// How long a conductor may be silent before it counts as dead. Our own option wins where it is
/// set, because it says more exactly what we do.
pub(super) fn silence(config: &Config) -> Duration {
    let seconds: Seconds = if config.corten.membership_ttl.is_set() {
        *config.corten.membership_ttl
    } else {
        *config.conductor.heartbeat_timeout
    };
    seconds.duration().max(SECOND)
}

/// A number of things; less than none is none.
fn size(number: i64) -> usize {
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

#[cfg(test)]
mod tests {
    use super::{
        super::tests::{alone, filed},
        *,
    };

    #[test]
    fn the_defaults_of_both_sides_agree() {
        let (ours, theirs) = (conductor(&alone(&[])), Settings::default());
        assert_eq!(format!("{ours:?}"), format!("{theirs:?}"));
    }

    #[test]
    fn options_reach_their_settings() {
        let settings = conductor(&filed(
            "[DEFAULT]\nhost = h1\n[conductor]\nconductor_group = Rack-A\nheartbeat_interval = 0\n\
             periodic_max_workers = -1\nrescue_password_hash_algorithm = sha512\n\
             clean_step_priority_override = a.b:1,c.d:2\nclean_step_priority_override = a.b:3\n\
             [corten]\nevent_retention_days = 2\nmembership_ttl = 5\n",
        ));
        assert_eq!(settings.host, "h1");
        assert_eq!(settings.conductor_group, "rack-a");
        assert_eq!(settings.heartbeat_interval, SECOND);
        assert_eq!(settings.periodic_max_workers, 1);
        assert!(settings.rescue_password_sha512);
        assert_eq!(
            settings.clean_step_priority_override,
            [("a.b".to_owned(), 3), ("c.d".to_owned(), 2)]
        );
        assert_eq!(settings.event_retention, Duration::from_secs(2 * DAY_S));
        assert_eq!(settings.heartbeat_timeout, Duration::from_secs(5));
    }
}
