//! Names that belong to libraries of Ironic rather than to Ironic itself.
//!
//! An operator's file holds options for logging, messaging, the database pool, token checks and so
//! on. They have no meaning here, or not yet, but they are not mistakes, so nothing is said about
//! them. What we do use of such a section has a row in the option tables as any other option.

use super::ini::DEFAULT_SECTION;

/// Sections with credentials for another service: their own options, and those of the client
/// library that logs in.
const SERVICE_SECTIONS: &[&str] = &[
    "cinder",
    "glance",
    "inspector",
    "json_rpc",
    "keystone_authtoken",
    "neutron",
    "nova",
    "service_catalog",
    "swift",
];

const LIBRARY_SECTIONS: &[&str] = &["audit_middleware_notifications"];

const LIBRARY_SECTION_PREFIXES: &[&str] = &["cors.", "oslo_", "profiler"];

/// Logging, messaging, the service loop and the WSGI server, all in `[DEFAULT]`.
const DEFAULT_OPTIONS: &[&str] = &[
    "api_paste_config",
    "backdoor_port",
    "backdoor_socket",
    "client_socket_timeout",
    "config_source",
    "default_log_levels",
    "executor_thread_pool_size",
    "fatal_deprecations",
    "instance_format",
    "instance_uuid_format",
    "log_color",
    "log_config",
    "log_config_append",
    "log_date_format",
    "log_dir",
    "log_file",
    "log_options",
    "log_rotate_interval",
    "log_rotate_interval_type",
    "log_rotation_type",
    "logdir",
    "logfile",
    "logging_context_format_string",
    "logging_debug_format_suffix",
    "logging_default_format_string",
    "logging_exception_prefix",
    "logging_user_identity_format",
    "max_header_line",
    "max_logfile_count",
    "max_logfile_size_mb",
    "publish_errors",
    "rate_limit_burst",
    "rate_limit_except_level",
    "rate_limit_interval",
    "rpc_ping_enabled",
    "rpc_response_timeout",
    "rpc_thread_pool_size",
    "run_external_periodic_tasks",
    "syslog_log_facility",
    "tcp_keepidle",
    "use_eventlog",
    "use_journal",
    "use_json",
    "use_stderr",
    "use_syslog",
    "watch_log_file",
    "wsgi_default_pool_size",
    "wsgi_keep_alive",
    "wsgi_log_format",
    "wsgi_server_debug",
];

const DATABASE_OPTIONS: &[&str] = &[
    "asyncio_connection",
    "asyncio_slave_connection",
    "backend",
    "connection_debug",
    "connection_parameters",
    "connection_recycle_time",
    "connection_trace",
    "db_inc_retry_interval",
    "db_max_retries",
    "db_max_retry_interval",
    "db_retry_interval",
    "max_overflow",
    "max_pool_size",
    "max_retries",
    "mysql_enable_ndb",
    "mysql_sql_mode",
    "mysql_wsrep_sync_wait",
    "pool_timeout",
    "retry_interval",
    "slave_connection",
    "sqlite_synchronous",
    "synchronous_reader",
    "use_db_reconnect",
];

/// What the client library of the identity service reads, for any way of logging in.
const CREDENTIAL_OPTIONS: &[&str] = &[
    "access_token",
    "access_token_endpoint",
    "access_token_type",
    "application_credential_id",
    "application_credential_name",
    "application_credential_secret",
    "auth_methods",
    "auth_plugin",
    "auth_section",
    "auth_type",
    "auth_url",
    "authorization_code",
    "cafile",
    "certfile",
    "client_id",
    "client_secret",
    "code",
    "code_challenge_method",
    "collect_timing",
    "connect_retries",
    "connect_retry_delay",
    "default_domain_id",
    "default_domain_name",
    "device_authorization_endpoint",
    "discovery_endpoint",
    "domain_id",
    "domain_name",
    "endpoint",
    "endpoint_override",
    "identity_provider",
    "idp_otp_key",
    "insecure",
    "interface",
    "keyfile",
    "login_timeout",
    "max_version",
    "min_version",
    "oauth2_client_id",
    "oauth2_client_secret",
    "oauth2_endpoint",
    "passcode",
    "password",
    "project_domain_id",
    "project_domain_name",
    "project_id",
    "project_name",
    "protocol",
    "redirect_host",
    "redirect_port",
    "redirect_uri",
    "region_name",
    "retriable_status_codes",
    "scope",
    "service_name",
    "service_type",
    "split_loggers",
    "status_code_retries",
    "status_code_retry_delay",
    "system_scope",
    "tenant_id",
    "tenant_name",
    "timeout",
    "tls_ciphers",
    "tls_min_version",
    "token",
    "trust_id",
    "url",
    "user_domain_id",
    "user_domain_name",
    "user_id",
    "user_name",
    "username",
    "valid_interfaces",
    "version",
];

/// Whether any option of this section may be a library's.
pub(super) fn is_library_section(section: &str) -> bool {
    LIBRARY_SECTIONS.contains(&section)
        || LIBRARY_SECTION_PREFIXES
            .iter()
            .any(|prefix| section.starts_with(prefix))
}

/// Whether this option of a section with options of our own is a library's.
pub(super) fn is_library_option(section: &str, name: &str) -> bool {
    match section {
        DEFAULT_SECTION => DEFAULT_OPTIONS.contains(&name),
        "database" => DATABASE_OPTIONS.contains(&name),
        _ => SERVICE_SECTIONS.contains(&section) && CREDENTIAL_OPTIONS.contains(&name),
    }
}
