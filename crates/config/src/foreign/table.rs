//! The options of oslo.log, oslo.db, oslo.messaging, oslo.service, keystoneauth and their kin as of
//! Ironic 39, those that older releases had besides, and why each does nothing here.

use super::Foreign;
use crate::options::reasons::CLUSTER_SECRET;

/// Which sections a reason is for.
#[derive(Debug)]
pub(super) enum Section {
    Called(&'static str),
    Begins(&'static str),
}

/// Sections none of whose options does anything.
pub(super) const ELSEWHERE: &[(Section, &str)] = &[
    (
        Section::Called("audit_middleware_notifications"),
        "calls are recorded in the log, with the target audit",
    ),
    (Section::Called("cache"), "answers are kept in this process"),
    (
        Section::Begins("cors."),
        "there is one list of sites for all: [cors]",
    ),
    (
        Section::Called("drac"),
        "there is no driver of its own for such machines; redfish drives them",
    ),
    (
        Section::Called("ilo"),
        "there is no driver of its own for such machines; redfish drives them",
    ),
    (
        Section::Called("irmc"),
        "there is no driver of its own for such machines; redfish drives them",
    ),
    (
        Section::Begins("ironic_networking"),
        "switches are configured by Neutron",
    ),
    (
        Section::Called("oslo_concurrency"),
        "locks are rows of the database and not files",
    ),
    (
        Section::Called("oslo_messaging_amqp"),
        "notifications are sent to RabbitMQ only",
    ),
    (
        Section::Called("oslo_messaging_kafka"),
        "notifications are sent to RabbitMQ only",
    ),
    (
        Section::Called("oslo_messaging_zmq"),
        "notifications are sent to RabbitMQ only",
    ),
    (Section::Begins("oslo_middleware_tracing"), TRACES),
    (
        Section::Called("oslo_reports"),
        "metrics and corten status tell what the service is doing",
    ),
    (
        Section::Called("oslo_versionedobjects"),
        "error texts are put together by the compiler",
    ),
    (Section::Begins("profiler"), TRACES),
    (
        Section::Called("xclarity"),
        "there is no driver of its own for such machines; redfish drives them",
    ),
];

const TRACES: &str = "traces are sent where otlp_endpoint in [corten] says";
const LOG: &str = "the log goes to standard error, where systemd or the container engine takes it up; \
    log_format in [corten] and the variable CORTEN_LOG say what it looks like and how much it tells";
const ONE_PROCESS: &str = "one process serves everything, on as many threads as there are cores";
const NO_BUS: &str = "processes speak HTTP with each other; only notifications go over the bus";
const NO_RPC_QUEUES: &str = "only notifications go over the bus, and nothing is read from it";
const RECONNECT: &str = "a connection that is lost is made again, after pauses that grow";
const DATABASE: &str =
    "connections to the database are opened as they are needed, and again when one is lost";
const NO_REMOTE_POLICY: &str = "rules that ask another server are not supported";
const OTHER_LOGIN_REASON: &str = "only ways to log in that are not there need it; auth_type may be password, \
    v3token, v3applicationcredential, http_basic or none";
const INSPECTOR: &str = "inspection is part of this service, which has no login at another";

/// Names and reasons; `name = "text"` where that text asks for what happens anyway.
macro_rules! rows {
    ($($reason:expr => [$($name:ident $(= $fits:literal)?),* $(,)?];)*) => {
        &[$($(Foreign {
            name: stringify!($name),
            fits: rows!(@fits $($fits)?),
            reason: $reason,
        },)*)*]
    };
    (@fits) => { None };
    (@fits $fits:literal) => { Some($fits) };
}

/// Options of sections that have others of ours.
pub(super) const SECTIONS: &[(&str, &[Foreign])] = &[
    (
        "DEFAULT",
        rows! {
            LOG => [
                default_log_levels, fatal_deprecations = "false", instance_format, instance_uuid_format,
                log_color = "false", log_config, log_config_append, log_date_format, log_dir, log_file,
                log_rotate_interval = "1", log_rotate_interval_type = "days", log_rotation_type = "none",
                logdir, logfile, logging_context_format_string, logging_debug_format_suffix,
                logging_default_format_string, logging_exception_prefix, logging_user_identity_format,
                max_logfile_count = "30", max_logfile_size_mb = "200", syslog_log_facility = "LOG_USER",
                use_eventlog = "false", use_journal = "false", use_stderr = "true", use_syslog = "false",
                watch_log_file = "false", wsgi_log_format,
            ];
            "corten config show prints the options" => [log_options = "false"];
            "lines of the log are never left out" => [
                rate_limit_burst = "0", rate_limit_except_level = "CRITICAL", rate_limit_interval = "0",
            ];
            "errors are in the log, and in the events of nodes" => [publish_errors = "false"];
            "there is no door into a running process" => [backdoor_port, backdoor_socket];
            "files are named on the command line" => [config_source];
            "the API is one program, without a pipeline to configure" => [api_paste_config];
            "client_timeout in [corten] says how long a silent client is waited for" => [
                client_socket_timeout = "900", tcp_keepidle = "600", wsgi_keep_alive = "true",
            ];
            "max_head_size in [corten] says how long the head of a request may be" => [
                max_header_line = "16384",
            ];
            ONE_PROCESS => [
                executor_thread_pool_size = "64", rpc_thread_pool_size = "64",
                run_external_periodic_tasks = "true", wsgi_default_pool_size = "100",
            ];
            NO_BUS => [rpc_ping_enabled = "false"];
            "cluster_timeout in [corten] says how long a conductor may take to answer" => [
                rpc_response_timeout = "60",
            ];
            "answers of the API never tell what the program was doing; the log does" => [
                wsgi_server_debug = "false",
            ];
        },
    ),
    (
        "database",
        rows! {
            DATABASE => [
                connection_recycle_time = "3600", db_inc_retry_interval = "true", db_max_retries = "20",
                db_max_retry_interval = "10", db_retry_interval = "1", idle_timeout = "3600",
                max_overflow = "50", max_pool_size = "5", max_retries = "10", min_pool_size = "1",
                pool_timeout, retry_interval = "10", use_db_reconnect = "false",
            ];
            "its value belongs to the address in connection" => [connection_parameters];
            "everything is read where it is written, by connection" => [
                asyncio_connection, asyncio_slave_connection, slave_connection,
                synchronous_reader = "true",
            ];
            "statements to the database are not logged" => [
                connection_debug = "0", connection_trace = "false",
            ];
            "this program sets what it needs for its own connections" => [
                backend = "sqlalchemy", mysql_enable_ndb = "false", mysql_sql_mode = "TRADITIONAL",
                mysql_wsrep_sync_wait, sqlite_synchronous = "true", use_tpool = "false",
            ];
        },
    ),
    (
        "oslo_messaging_notifications",
        rows! {
            "a notification waits in the database until the bus has taken it" => [retry = "-1"];
        },
    ),
    (
        "oslo_messaging_rabbit",
        rows! {
            NO_RPC_QUEUES => [
                conn_pool_min_size = "2", conn_pool_ttl = "1200", direct_mandatory_flag = "true",
                enable_cancel_on_failover = "false", fake_rabbit = "false", hostname,
                kombu_missing_consumer_retry_timeout = "60", kombu_reconnect_timeout = "60", processname,
                rabbit_qos_prefetch_count = "0", rabbit_stream_fanout = "false",
                rabbit_transient_queues_ttl = "1800", rabbit_transient_quorum_queue = "false",
                rpc_conn_pool_size = "30", use_queue_manager = "false",
            ];
            RECONNECT => [
                kombu_failover_strategy = "round-robin", kombu_reconnect_delay = "1",
                kombu_reconnect_splay = "0", rabbit_interval_max = "30", rabbit_max_retries = "0",
                rabbit_retry_backoff = "2", rabbit_retry_interval = "1",
            ];
            "how often heartbeats are sent follows from heartbeat_timeout_threshold" => [
                heartbeat_in_pthread, heartbeat_rate = "3",
            ];
            "notifications are not compressed" => [kombu_compression];
            "queues are mirrored by a policy of RabbitMQ, or by rabbit_quorum_queue" => [
                rabbit_ha_queues = "false",
            ];
            "limits of a queue are set by a policy of RabbitMQ" => [
                rabbit_quorum_delivery_limit = "0", rabbit_quorum_max_memory_bytes = "0",
                rabbit_quorum_max_memory_length = "0",
            ];
            "the server says which ways to log in it has" => [rabbit_login_method = "AMQPLAIN"];
            "the server's certificate and name are always checked, by TLS 1.2 or newer" => [
                ssl_enforce_fips_mode = "false", ssl_enforce_hostname_verification = "true", ssl_version,
            ];
        },
    ),
    (
        "oslo_middleware",
        rows! {
            "http_basic_auth_user_file in [DEFAULT] names the file" => [http_basic_auth_user_file];
            "enable_proxy_headers_parsing says whether a proxy's headers are believed" => [
                secure_proxy_ssl_header,
            ];
        },
    ),
    (
        "oslo_policy",
        rows! {
            "a token of the wrong scope is always refused" => [enforce_scope = "true"];
            NO_REMOTE_POLICY => [
                remote_content_type = "application/x-www-form-urlencoded", remote_ssl_ca_crt_file,
                remote_ssl_client_crt_file, remote_ssl_client_key_file,
                remote_ssl_verify_server_crt = "false", remote_timeout = "60",
            ];
        },
    ),
];

/// What keystoneauth has for every service beyond our rows.
pub(super) const SERVICE: &[Foreign] = rows! {
    "requests that a service answers by 429 or 503 are repeated" => [retriable_status_codes = "503"];
    "TLS 1.2 or newer is spoken, with the ciphers of this build" => [tls_ciphers, tls_min_version];
    "min_version and max_version say which versions may be used" => [version];
};

/// Options of ways to log in that we do not have.
pub(super) const OTHER_LOGIN: &[Foreign] = rows! {
    OTHER_LOGIN_REASON => [
        access_token, access_token_endpoint, access_token_type, auth_methods, authorization_code,
        client_id, client_secret, code, code_challenge_method, device_authorization_endpoint,
        discovery_endpoint, identity_provider, idp_otp_key, login_timeout, oauth2_client_id,
        oauth2_client_secret, oauth2_endpoint, openid_scope, passcode, protocol, redirect_host,
        redirect_port, redirect_uri, scope, service_provider_endpoint, service_provider_entity_id,
    ];
};

/// The options for logging in, for a section whose login is not used.
macro_rules! login {
    ($reason:expr) => {
        rows! { $reason => [
            application_credential_id, application_credential_name, application_credential_secret,
            auth_plugin, auth_section, auth_type, auth_url, cafile, certfile, collect_timing,
            connect_retries, connect_retry_delay, default_domain_id, default_domain_name, domain_id,
            domain_name, endpoint, endpoint_override, insecure, keyfile, max_version, min_version,
            password, project_domain_id, project_domain_name, project_id, project_name, region_name,
            retriable_status_codes, service_name, service_type, split_loggers, status_code_retries,
            status_code_retry_delay, system_scope, tenant_id, tenant_name, timeout, tls_ciphers, tls_min_version,
            token, trust_id, user_domain_id, user_domain_name, user_id, user_name, username,
            valid_interfaces, version,
        ]; }
    };
}

pub(super) const INSPECTOR_LOGIN: &[Foreign] = login!(INSPECTOR);
pub(super) const JSON_RPC_LOGIN: &[Foreign] = login!(CLUSTER_SECRET);
