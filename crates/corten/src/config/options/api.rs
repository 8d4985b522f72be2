//! What clients and peers speak to, and the database behind it.

use crate::config::{
    HostAddress, Multi, Octal, Seconds, SecretUrl, Url,
    choice::{AuthStrategy, BootMode, ResponseValidation, TlsVersion},
    section::section,
};
use std::path::PathBuf;

section! {
    /// The REST API.
    Api = "api" {
        /// Address to listen on.
        host_ip: HostAddress = "0.0.0.0",
        /// Port to listen on.
        port: u16 = "6385",
        /// Unix socket to listen on instead.
        unix_socket: Option<PathBuf>,
        /// File mode of that socket.
        unix_socket_mode: Option<Octal>,
        /// Most items a list answers with.
        max_limit: i64 = "1000",
        /// What links in answers begin with; taken from the request if unset.
        public_endpoint: Option<Url>,
        /// Number of worker processes of the reference.
        api_workers: Option<i64>,
        /// Serve HTTPS.
        enable_ssl_api: bool = "false",
        /// Certificate for HTTPS, as a PEM file.
        cert_file: Option<PathBuf>,
        /// Private key for HTTPS, as a PEM file.
        key_file: Option<PathBuf>,
        /// Oldest TLS version accepted.
        server_tls_minimum_version: TlsVersion = "1.3",
        /// TLS ciphers accepted; the library's choice if unset.
        server_tls_ciphers: Option<String>,
        /// Serve what ramdisks need: lookup, heartbeat, inspection data.
        enable_ramdisk_endpoints: bool = "true",
        /// Let ramdisks look up only nodes that are waiting for one.
        restrict_lookup: bool = "true",
        /// How often the agent must send a heartbeat at least.
        ramdisk_heartbeat_timeout: Seconds = "300",
        /// JSON schema of network data; built in if unset.
        network_data_schema: Option<PathBuf>,
        /// Let administrators of a project create and delete nodes of that project.
        project_admin_can_manage_own_nodes: bool = "true",
        /// Boot modes that a node may not be enrolled with.
        disallowed_enrollment_boot_modes: Vec<BootMode>,
        /// How deep JSON in a request may be nested.
        max_json_body_depth: u32 [8..] = "25",
        /// Largest request body in KiB.
        max_json_body_size: u32 [4..] = "1024",
        /// Largest body in KiB of a provision request, which may hold a config drive.
        max_json_body_size_provision: u32 [4..] = "65536",
        /// Largest body in KiB of inspection data.
        max_json_body_size_inspection: u32 [4..] = "16384",
        /// Further Python middleware of the reference.
        middleware: Vec<String>,
        /// Steps that a deploy request may not name.
        disallow_deploy_steps: Vec<String> = "vendor.send_raw",
        /// Steps that a service request may not name.
        disallow_service_steps: Vec<String> = "vendor.send_raw",
        /// Steps that a clean request may not name.
        disallow_clean_steps: Vec<String> = "vendor.send_raw",
        /// What to do about an answer that does not match its schema.
        response_validation: ResponseValidation = "warn",
    }
}

section! {
    /// How conductors are spoken to by the API.
    JsonRpc = "json_rpc" {
        /// How callers prove who they are; as for the API if unset.
        auth_strategy: Option<AuthStrategy>,
        /// File with names and bcrypt hashes, for `http_basic`.
        http_basic_auth_user_file: PathBuf = "/etc/ironic/htpasswd-json-rpc",
        /// Address to listen on.
        host_ip: HostAddress = "::",
        /// Port to listen on.
        port: u16 = "8089",
        /// Serve HTTPS.
        use_ssl: bool = "false",
        /// Certificate for HTTPS, as a PEM file.
        cert_file: Option<PathBuf>,
        /// Private key for HTTPS, as a PEM file.
        key_file: Option<PathBuf>,
        /// Oldest TLS version accepted.
        server_tls_minimum_version: TlsVersion = "1.3",
        /// TLS ciphers accepted; the library's choice if unset.
        server_tls_ciphers: Option<String>,
        /// Call peers by HTTPS.
        client_use_ssl: bool = "false",
        /// Roles that may call, with Keystone.
        allowed_roles: Vec<String> = "admin",
        /// Unix socket to listen on instead.
        unix_socket: Option<PathBuf>,
        /// File mode of that socket.
        unix_socket_mode: Option<Octal>,
        /// Log the id of a request rather than its whole context.
        debug_log_request_id_only: bool = "true",
    }
}

section! {
    /// The database.
    Database = "database" {
        /// Where the database is, with user and password if it needs them.
        connection: SecretUrl = "sqlite:///$state_path/ironic.sqlite",
        /// Storage engine of MySQL tables.
        mysql_engine: String = "InnoDB",
        /// Try again when SQLite says that it is locked.
        sqlite_retries: bool = "true",
        /// How long to go on trying.
        sqlite_max_wait_for_retry: Seconds = "10",
    }
}

section! {
    /// What the API does about proxies before it.
    OsloMiddleware = "oslo_middleware" {
        /// Believe headers that say how a client reached the proxy.
        enable_proxy_headers_parsing: bool = "false",
        /// Largest request body in bytes, before any other limit.
        max_request_body_size: i64 = "114688",
    }
}

section! {
    /// Which pages of other sites may call the API from a browser.
    Cors = "cors" {
        /// Sites such as `https://dashboard.example`, or `*` for all.
        allowed_origin: Vec<String>,
        /// Let browsers add what they know about the user.
        allow_credentials: bool = "true",
        /// Headers of answers that pages may read.
        expose_headers: Vec<String>,
        /// For how many seconds a browser may remember what is allowed.
        max_age: i64 = "3600",
        /// Methods that pages may use.
        allow_methods: Vec<String> = "OPTIONS,GET,HEAD,POST,PUT,DELETE,TRACE,PATCH",
        /// Headers that pages may send, besides the usual ones.
        allow_headers: Vec<String>,
    }
}

section! {
    /// Certificates for HTTPS where `[api]` names none, and whose clients must have.
    Ssl = "ssl" {
        /// Certificates of authorities, one of which must have signed a client's; without them,
        /// clients need none.
        ca_file: Option<PathBuf>,
        /// Certificate for HTTPS, as a PEM file.
        cert_file: Option<PathBuf>,
        /// Private key for HTTPS, as a PEM file.
        key_file: Option<PathBuf>,
        /// TLS version of the reference; see `[api]server_tls_minimum_version`.
        version: Option<String>,
        /// TLS ciphers of the reference; see `[api]server_tls_ciphers`.
        ciphers: Option<String>,
    }
}

section! {
    /// Who may do what.
    OsloPolicy = "oslo_policy" {
        /// Do not let the rules of older releases allow what newer ones forbid.
        enforce_new_defaults: bool = "true",
        /// File with rules that differ from the built-in ones.
        policy_file: PathBuf = "policy.yaml",
        /// Folders with more such files; of several that speak of a rule, the last one counts.
        policy_dirs: Multi<PathBuf> = "policy.d",
        /// Rule that stands for those that expressions name but nobody wrote.
        policy_default_rule: String = "default",
    }
}
