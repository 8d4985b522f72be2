//! The options of the REST API.

use super::{Access, SettingsError, health::health, policy};
use ::api::{
    AgentContainers, AgentMetrics, AgentSettings, Auth, BodyLimits, Settings, ShownOption,
    StreamSettings, WaitLimits,
    audit::Audit,
    auth::{HttpBasic, Keystone, LocalUsers, keystone::KeystoneSettings, oidc::OidcSettings},
    cors::Cors,
    discovery::DiscoveryGate,
    schema::{self, node::NodeShapes},
    webhook::WebhookSettings,
};
use ::outbound::{Network, NotANetwork};
use config::{Config, Mark};
use std::{sync::Arc, time::Duration};
use types::ApiVersion;

/// Reads the files that the rules and the way of authentication need; everything else is only
/// copied.
pub fn api(config: &Config, access: &Access) -> Result<Settings, SettingsError> {
    let (api, general) = (&config.api, &config.default);
    let auth = match access {
        Access::Open => Auth::NoAuth,
        Access::Basic { users } => Auth::HttpBasic(Arc::new(HttpBasic::open(users)?)),
        Access::Local(None) => Auth::Local(Arc::default()),
        Access::Local(Some(oidc)) => Auth::Local(Arc::new(LocalUsers::with_provider(
            OidcSettings::clone(oidc),
        )?)),
        Access::Keystone(settings) => {
            Auth::Keystone(Arc::new(Keystone::new(KeystoneSettings::clone(settings))?))
        }
    };
    Ok(Settings {
        auth,
        policy: Arc::new(policy(config)?),
        cors: cors(config),
        health: health(config)?,
        audit: audit(config),
        limits: BodyLimits {
            general: kibibytes(*api.max_json_body_size),
            provision: kibibytes(*api.max_json_body_size_provision),
            inspection: kibibytes(*api.max_json_body_size_inspection),
            depth: usize::try_from(*api.max_json_body_depth).unwrap_or(usize::MAX),
            time: config.corten.body_timeout.duration(),
        },
        webhooks: WebhookSettings {
            attempts: i64::from(*config.corten.webhook_attempts),
            timeout: config.corten.webhook_timeout.duration(),
            deliveries: usize::try_from(*config.corten.webhook_deliveries).unwrap_or(1),
            outbound: super::outbound::outbound(config)?,
            ..WebhookSettings::default()
        },
        // The other settings of streams are not configurable.
        stream: StreamSettings {
            per_user: usize::try_from(*config.corten.max_streams_per_user).unwrap_or(usize::MAX),
            ..StreamSettings::default()
        },
        readers: Arc::default(),
        // A page that holds nothing would never end.
        configured_networks: super::boot::configured_networks(config),
        max_limit: u32::try_from((*api.max_limit).max(1)).unwrap_or(u32::MAX),
        max_version: ApiVersion::MAX,
        public_endpoint: api
            .public_endpoint
            .as_ref()
            .map(|url| url.as_str().to_owned()),
        allowed_hosts: config.corten.allowed_hosts.to_vec(),
        wait_limits: wait_limits(config),
        session_seconds: i64::from(*config.corten.ui_session_hours) * 3600,
        group_key: (*config.corten.ui_group_key).clone(),
        // Known once the socket is open.
        is_local_only: false,
        tls: *api.enable_ssl_api,
        parse_proxy_headers: *config.oslo_middleware.enable_proxy_headers_parsing,
        project_admin_can_manage_own_nodes: *api.project_admin_can_manage_own_nodes,
        bmc_change_needs_secrets: *config.corten.bmc_change_needs_secrets,
        verify_ca_paths: config.corten.verify_ca_paths.to_vec(),
        node_shapes: node_shapes(config)?,
        default_resource_class: (*general.default_resource_class).clone(),
        default_conductor_group: general.default_conductor_group.to_string(),
        default_portgroup_mode: general.default_portgroup_mode.to_string(),
        disallowed_enrollment_boot_modes: api
            .disallowed_enrollment_boot_modes
            .iter()
            .map(|mode| mode.as_str().to_owned())
            .collect(),
        disallow_clean_steps: api.disallow_clean_steps.to_vec(),
        disallow_deploy_steps: api.disallow_deploy_steps.to_vec(),
        disallow_service_steps: api.disallow_service_steps.to_vec(),
        enable_ramdisk_endpoints: *api.enable_ramdisk_endpoints,
        restrict_lookup: *api.restrict_lookup,
        agent_proxies: agent_proxies(config)?,
        legacy_ramdisk: *config.corten.legacy_ramdisk,
        fast_track: *config.deploy.fast_track,
        auto_discovery: discovery(config),
        discovery: Arc::new(DiscoveryGate::new(*config.corten.auto_discovery_limit)),
        agent: agent(config),
        heartbeat_timeout_s: super::conductor::silence(config).as_secs(),
        host: general.host.to_string(),
        role: "serve".to_owned(),
        shown_options: shown_options(config, access),
    })
}

/// The options as administrators may see them.
fn shown_options(config: &Config, access: &Access) -> Arc<[ShownOption]> {
    // Without a file the service is open to this machine, whatever the option's own default says.
    let strategy = match access {
        Access::Open => "noauth",
        Access::Basic { .. } => "http_basic",
        Access::Keystone(_) => "keystone",
        Access::Local(_) => "local",
    };
    let shown = config.rows().into_iter().map(|row| {
        let mut option = shown_option(row);
        if option.name == "auth_strategy" && option.values != [strategy] {
            option.values = vec![strategy.to_owned()];
            option.source = "default here, without a configuration file".to_owned();
        }
        option
    });
    shown.collect()
}

/// An option as administrators may see it.
fn shown_option(row: config::Row) -> ShownOption {
    let definition = row.definition;
    ShownOption {
        section: definition.section.to_owned(),
        name: definition.name.to_owned(),
        is_set: row.source.is_given(),
        source: row.source.to_string(),
        default: definition.default.map(str::to_owned),
        about: definition.help.to_owned(),
        effect: (definition.mark != Mark::Acts).then(|| definition.mark.to_string()),
        values: row.texts,
        is_masked: row.is_masked,
    }
}

/// What nodes look like; a schema of the operator's is read once, as in Ironic.
#[expect(
    clippy::disallowed_methods,
    reason = "only called before anything is served"
)]
fn node_shapes(config: &Config) -> Result<NodeShapes, SettingsError> {
    let option = &config.api.network_data_schema;
    let Some(path) = option.as_deref() else {
        return Ok(NodeShapes::default());
    };
    let unusable = |reason: String| SettingsError::NetworkData {
        place: option.source().clone(),
        reason: format!("{}: {reason}", path.display()),
    };
    let text = std::fs::read_to_string(path).map_err(|error| unusable(error.to_string()))?;
    let shape = schema::file::read(&text).map_err(|error| unusable(error.to_string()))?;
    Ok(NodeShapes::with_network_data(shape))
}

fn agent_proxies(config: &Config) -> Result<Vec<Network>, SettingsError> {
    let option = &config.corten.agent_proxies;
    let read = option.iter().map(|text| {
        text.trim()
            .parse()
            .map_err(|error: NotANetwork| SettingsError::Boot {
                place: option.source().clone(),
                option: "agent_proxies",
                reason: error.to_string(),
            })
    });
    read.collect()
}

/// The hardware type of discovered machines, if discovery is enabled.
fn discovery(config: &Config) -> Option<String> {
    let options = &config.auto_discovery;
    (*options.driver).clone().filter(|_| *options.enabled)
}

fn agent(config: &Config) -> AgentSettings {
    let (metrics, statsd) = (&config.metrics, &config.metrics_statsd);
    let containers = &config.agent_containers;
    AgentSettings {
        heartbeat_timeout: config.api.ramdisk_heartbeat_timeout.duration().as_secs(),
        allow_md5_checksum: *config.agent.allow_md5_checksum,
        disable_deep_image_inspection: *config.conductor.disable_deep_image_inspection,
        permitted_image_formats: config.conductor.permitted_image_formats.to_vec(),
        enable_bios_bootloader_install: *config.agent.enable_bios_bootloader_install,
        tls_minimum_version: config.agent.tls_minimum_version.as_str().to_owned(),
        tls_ciphers: (*config.agent.tls_ciphers).clone(),
        metrics: AgentMetrics {
            backend: metrics.agent_backend.to_string(),
            prepend_host: *metrics.agent_prepend_host,
            prepend_uuid: *metrics.agent_prepend_uuid,
            prepend_host_reverse: *metrics.agent_prepend_host_reverse,
            global_prefix: (*metrics.agent_global_prefix).clone(),
            statsd_host: statsd.agent_statsd_host.to_string(),
            statsd_port: *statsd.agent_statsd_port,
        },
        containers: AgentContainers {
            allow_arbitrary: *containers.allow_arbitrary_containers,
            allowed: containers.allowed_containers.to_vec(),
            steps_file: containers.container_steps_file.display().to_string(),
            runner: containers.runner.as_str().to_owned(),
            pull_options: containers.pull_options.to_vec(),
            run_options: containers.run_options.to_vec(),
        },
    }
}

fn cors(config: &Config) -> Cors {
    let cors = &config.cors;
    Cors {
        allowed_origin: cors.allowed_origin.to_vec(),
        allow_credentials: *cors.allow_credentials,
        expose_headers: cors.expose_headers.to_vec(),
        max_age: *cors.max_age,
        allow_methods: cors.allow_methods.to_vec(),
        allow_headers: cors.allow_headers.to_vec(),
    }
}

fn audit(config: &Config) -> Audit {
    let ignored = config.audit.ignore_req_list.split(',');
    let ignored = ignored.map(|name| name.trim().to_ascii_uppercase());
    Audit {
        reads: *config.audit.enabled,
        ignored_methods: ignored.filter(|name| !name.is_empty()).collect(),
    }
}

fn kibibytes(number: u32) -> usize {
    usize::try_from(number)
        .unwrap_or(usize::MAX)
        .saturating_mul(1024)
}

/// After how many seconds the conductor fails a node that waits.
fn wait_limits(config: &Config) -> WaitLimits {
    use types::ProvisionState as S;
    let conductor = &config.conductor;
    let limits = [
        (S::DeployWait, &conductor.deploy_callback_timeout),
        (S::CleanWait, &conductor.clean_callback_timeout),
        (S::ServiceWait, &conductor.service_callback_timeout),
        (S::InspectWait, &conductor.inspect_wait_timeout),
        (S::RescueWait, &conductor.rescue_callback_timeout),
    ];
    let seconds = |limit: Duration| i64::try_from(limit.as_secs()).unwrap_or(i64::MAX);
    let limits = limits.map(|(state, limit)| (state, seconds(limit.duration())));
    WaitLimits(limits.into())
}

#[cfg(test)]
mod tests {
    use super::{super::tests::alone, *};

    fn settings(sets: &[&str]) -> Settings {
        api(&alone(sets), &Access::Open).unwrap()
    }

    #[test]
    fn the_defaults_of_both_sides_agree() {
        let (mut ours, mut theirs) = (settings(&[]), Settings::default());
        // Only here are the rules of the policy read, though an open one asks few of them.
        assert!(ours.policy.is_open());
        ours.policy = Arc::clone(&theirs.policy);
        // And only here is it known which machine this is.
        assert!(!std::mem::take(&mut ours.host).is_empty());
        // Nor is it known elsewhere where connections may lead, and which authorities there are.
        theirs.webhooks.outbound = ours.webhooks.outbound.clone();
        theirs.verify_ca_paths = ours.verify_ca_paths.clone();
        // Nor what options there are, for the page that shows them.
        assert!(!std::mem::take(&mut ours.shown_options).is_empty());
        // Nor how long the conductor lets nodes wait.
        theirs.wait_limits = ours.wait_limits.clone();
        assert_eq!(format!("{ours:?}"), format!("{theirs:?}"));
    }

    #[test]
    fn options_reach_their_settings() {
        let settings = settings(&[
            "api.max_limit=-5",
            "api.max_json_body_size=8",
            "api.public_endpoint=https://here/",
            "api.project_admin_can_manage_own_nodes=false",
            "DEFAULT.default_resource_class=big",
            "conductor.heartbeat_timeout=7",
            "cors.allowed_origin=https://a,https://b",
            "cors.allow_methods=GET",
            "audit.enabled=true",
            "audit.ignore_req_list= get, HEAD,",
        ]);
        assert_eq!(settings.max_limit, 1);
        assert_eq!(settings.limits.general, 8192);
        assert_eq!(settings.public_endpoint.as_deref(), Some("https://here/"));
        assert_eq!(settings.default_resource_class.as_deref(), Some("big"));
        assert_eq!(settings.heartbeat_timeout_s, 7);
        assert!(!settings.project_admin_can_manage_own_nodes);
        assert_eq!(settings.cors.allowed_origin, ["https://a", "https://b"]);
        assert_eq!(settings.cors.allow_methods, ["GET"]);
        assert!(settings.audit.reads);
        assert_eq!(settings.audit.ignored_methods, ["GET", "HEAD"]);
    }

    #[test]
    fn a_missing_file_of_users_stops_the_start() {
        let access = Access::Basic {
            users: "/nonexistent/users".into(),
        };
        assert!(api(&alone(&[]), &access).is_err());
    }
}
