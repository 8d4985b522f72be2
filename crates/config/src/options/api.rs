//! What clients and peers speak to, and the database behind it.

use super::reasons::CLUSTER_SECRET;
use crate::{
    HostAddress, Multi, Octal, Seconds, SecretUrl, Url,
    choice::{AuthStrategy, BootMode, ResponseValidation, TlsVersion},
    section::section,
};
use std::path::PathBuf;

section! {
    /// The REST API.
    Api = "api" {
        /// Address to listen on.
        acts host_ip: HostAddress = "0.0.0.0",
        /// Port to listen on.
        acts port: u16 = "6385",
        /// Unix socket to listen on instead.
        acts unix_socket: Option<PathBuf>,
        /// File mode of that socket.
        acts unix_socket_mode: Option<Octal>,
        /// Most items a list answers with.
        acts max_limit: i64 = "1000",
        /// What links in answers begin with; taken from the request if unset.
        acts public_endpoint: Option<Url>,
        /// Number of Ironic's worker processes.
        warns("one process serves all requests, on as many threads as there are cores")
        api_workers: Option<i64>,
        /// Serve HTTPS.
        acts enable_ssl_api: bool = "false",
        /// Certificate for HTTPS, as a PEM file.
        acts cert_file: Option<PathBuf>,
        /// Private key for HTTPS, as a PEM file.
        acts key_file: Option<PathBuf>,
        /// Oldest TLS version accepted.
        acts server_tls_minimum_version: TlsVersion = "1.3",
        /// TLS ciphers accepted; the library's choice if unset.
        acts server_tls_ciphers: Option<String>,
        /// Serve what ramdisks need: lookup, heartbeat, inspection data.
        acts enable_ramdisk_endpoints: bool = "true",
        /// Let ramdisks look up only nodes that are waiting for one.
        acts restrict_lookup: bool = "true",
        /// How often the agent must send a heartbeat at least.
        acts ramdisk_heartbeat_timeout: Seconds = "300",
        /// JSON schema of network data; built in if unset.
        acts network_data_schema: Option<PathBuf>,
        /// Let administrators of a project create and delete nodes of that project.
        acts project_admin_can_manage_own_nodes: bool = "true",
        /// Boot modes that a node may not be enrolled with.
        acts disallowed_enrollment_boot_modes: Vec<BootMode>,
        /// How deep JSON in a request may be nested.
        acts max_json_body_depth: u32 [8..] = "25",
        /// Largest request body in KiB.
        acts max_json_body_size: u32 [4..] = "1024",
        /// Largest body in KiB of a provision request, which may hold a config drive.
        acts max_json_body_size_provision: u32 [4..] = "65536",
        /// Largest body in KiB of inspection data.
        acts max_json_body_size_inspection: u32 [4..] = "16384",
        /// Further Python middleware for Ironic.
        stops("Python middleware cannot be loaded, and it may be what keeps callers out; put what it does into a proxy before the API, then remove the option")
        middleware: Vec<String>,
        /// Steps that a deploy request may not name.
        acts disallow_deploy_steps: Vec<String> = "vendor.send_raw",
        /// Steps that a service request may not name.
        acts disallow_service_steps: Vec<String> = "vendor.send_raw",
        /// Steps that a clean request may not name.
        acts disallow_clean_steps: Vec<String> = "vendor.send_raw",
        /// What to do about an answer that does not match its schema.
        warns("answers are made from the same tables as their schema")
        response_validation: ResponseValidation = "warn",
    }
}

section! {
    /// Calls from the API to conductors.
    JsonRpc = "json_rpc" {
        /// Authentication of callers; as for the API if unset.
        warns(CLUSTER_SECRET)
        auth_strategy: Option<AuthStrategy>,
        /// File with names and bcrypt hashes, for `http_basic`.
        warns(CLUSTER_SECRET)
        http_basic_auth_user_file: PathBuf = "/etc/ironic/htpasswd-json-rpc",
        /// Address to listen on.
        acts host_ip: HostAddress = "::",
        /// Port to listen on.
        acts port: u16 = "8089",
        /// Serve HTTPS.
        acts use_ssl: bool = "false",
        /// Certificate for HTTPS, as a PEM file.
        acts cert_file: Option<PathBuf>,
        /// Private key for HTTPS, as a PEM file.
        acts key_file: Option<PathBuf>,
        /// Oldest TLS version accepted.
        acts server_tls_minimum_version: TlsVersion = "1.3",
        /// TLS ciphers accepted; the library's choice if unset.
        acts server_tls_ciphers: Option<String>,
        /// Call peers by HTTPS.
        acts client_use_ssl: bool = "false",
        /// Roles that may call, with Keystone.
        warns(CLUSTER_SECRET)
        allowed_roles: Vec<String> = "admin",
        /// Unix socket to listen on instead.
        stops("conductors listen at an address, which others may reach, and not at a socket; remove the option, and set host_ip and port")
        unix_socket: Option<PathBuf>,
        /// File mode of that socket.
        stops("conductors listen at an address, which others may reach, and not at a socket; remove the option, and set host_ip and port")
        unix_socket_mode: Option<Octal>,
        /// Log the id of a request rather than its whole context.
        warns("contexts of requests are never logged")
        debug_log_request_id_only: bool = "true",
    }
}

section! {
    /// The database.
    Database = "database" {
        /// Where the database is, with user and password if it needs them.
        acts connection: SecretUrl = "sqlite:///$state_path/ironic.sqlite",
        /// Storage engine of MySQL tables.
        warns("tables are always of InnoDB")
        mysql_engine: String = "InnoDB",
        /// Try again when SQLite says that it is locked.
        warns("one thread writes to the file, and waits for its turn by itself")
        sqlite_retries: bool = "true",
        /// How long to go on trying.
        warns("one thread writes to the file, and waits for its turn by itself")
        sqlite_max_wait_for_retry: Seconds = "10",
    }
}

section! {
    /// What the API does about proxies before it.
    OsloMiddleware = "oslo_middleware" {
        /// Believe headers that say how a client reached the proxy.
        acts enable_proxy_headers_parsing: bool = "false",
        /// Largest request body in bytes, before any other limit.
        warns("Ironic does not apply it either; max_json_body_size and its kin in [api] limit bodies")
        max_request_body_size: i64 = "114688",
    }
}

section! {
    /// Which pages of other sites may call the API from a browser.
    Cors = "cors" {
        /// Sites such as `https://dashboard.example`, or `*` for all.
        acts allowed_origin: Vec<String>,
        /// Let browsers add what they know about the user.
        acts allow_credentials: bool = "true",
        /// Headers of answers that pages may read.
        acts expose_headers: Vec<String>,
        /// For how many seconds a browser may remember what is allowed.
        acts max_age: i64 = "3600",
        /// Methods that pages may use.
        acts allow_methods: Vec<String> = "OPTIONS,GET,HEAD,POST,PUT,DELETE,TRACE,PATCH",
        /// Headers that pages may send, besides the usual ones.
        acts allow_headers: Vec<String>,
    }
}

section! {
    /// Certificates for HTTPS where `[api]` names none, and whose clients must have.
    Ssl = "ssl" {
        /// Certificates of authorities, one of which must have signed a client's; without them,
        /// clients need none.
        acts ca_file: Option<PathBuf>,
        /// Certificate for HTTPS, as a PEM file.
        acts cert_file: Option<PathBuf>,
        /// Private key for HTTPS, as a PEM file.
        acts key_file: Option<PathBuf>,
        /// TLS version of Ironic's API; see `[api]server_tls_minimum_version`.
        warns("Ironic does not apply it either; server_tls_minimum_version in [api] does what it promises")
        version: Option<String>,
        /// TLS ciphers of Ironic's API; see `[api]server_tls_ciphers`.
        warns("Ironic does not apply it either; server_tls_ciphers in [api] does what it promises")
        ciphers: Option<String>,
    }
}

section! {
    /// Who may do what.
    OsloPolicy = "oslo_policy" {
        /// Do not let the rules of older releases allow what newer ones forbid.
        acts enforce_new_defaults: bool = "true",
        /// File with rules that differ from the built-in ones.
        acts policy_file: PathBuf = "policy.yaml",
        /// Folders with more such files; of several that speak of a rule, the last one counts.
        acts policy_dirs: Multi<PathBuf> = "policy.d",
        /// Rule for names that expressions refer to but no rule defines.
        acts policy_default_rule: String = "default",
    }
}
