//! The identity service: how tokens of callers are checked, and who we are when we ask about them.
//!
//! The options for logging in belong to the client library of the original, which reads them by the
//! way that `auth_type` names; here all of them are in one table.

use crate::config::{Seconds, Secret, Url, choice::MemcacheSecurity, section::section};
use std::path::PathBuf;

section! {
    /// Tokens of Keystone.
    KeystoneAuthtoken = "keystone_authtoken" {
        /// Address of Keystone that clients are told when they have no good token.
        www_authenticate_uri: Option<Url>,
        /// Version of the Identity API; there is only v3.
        auth_version: Option<String>,
        /// Which of Keystone's addresses in its catalog tokens are checked at.
        interface: String = "internal",
        /// Region of that address; any if unset.
        region_name: Option<String>,
        /// Let requests without a good token pass as nobody's, for the policy to decide.
        delay_auth_decision: bool = "false",
        /// How long checking one token may take; 30 seconds if unset.
        http_connect_timeout: Option<Seconds> [1..],
        /// How many times to try again when Keystone cannot be reached.
        http_request_max_retries: u32 [..=100] = "3",
        /// Our certificate, if Keystone wants one, as a PEM file.
        certfile: Option<PathBuf>,
        /// Its private key, unless that is in the same file.
        keyfile: Option<PathBuf>,
        /// Authorities to trust, as a PEM file; those of the machine if unset.
        cafile: Option<PathBuf>,
        /// Take any certificate of Keystone.
        insecure: bool = "false",
        /// How long a good token is not checked again; 0 or less checks each time.
        token_cache_time: Seconds = "300",
        /// Ask for the catalog, which tokens with access rules need.
        include_service_catalog: bool = "true",
        /// What to make of tokens that are bound to something: disabled, permissive, strict,
        /// required, or a kind that they must be bound to.
        enforce_token_bind: String = "permissive",
        /// Roles that make a token one of a service.
        service_token_roles: Vec<String> = "service",
        /// Refuse service tokens without such a role.
        service_token_roles_required: bool = "true",
        /// What this service is called in the catalog, for tokens with access rules.
        service_type: Option<String>,

        /// How to log in: password, token, v3applicationcredential.
        auth_type: Option<String>,
        /// Section that has the options for logging in.
        auth_section: Option<String>,
        /// Address of Keystone to log in at.
        auth_url: Option<Url>,
        /// Our name.
        username: Option<String>,
        /// Our id, instead of the name.
        user_id: Option<String>,
        /// Name of the domain that our name is from.
        user_domain_name: Option<String>,
        /// Id of that domain.
        user_domain_id: Option<String>,
        /// Our password.
        password: Option<Secret>,
        /// Project to log in to.
        project_name: Option<String>,
        /// Id of it, instead of its name.
        project_id: Option<String>,
        /// Name of the project's domain.
        project_domain_name: Option<String>,
        /// Id of that domain.
        project_domain_id: Option<String>,
        /// Name of a domain to log in to instead.
        domain_name: Option<String>,
        /// Id of a domain to log in to instead.
        domain_id: Option<String>,
        /// Log in to the whole system instead, if `all`.
        system_scope: Option<String>,
        /// Trust to log in with.
        trust_id: Option<String>,
        /// Domain of user and project where theirs is not given.
        default_domain_id: Option<String>,
        /// Name of that domain.
        default_domain_name: Option<String>,
        /// Token to log in with, for `token`.
        token: Option<Secret>,
        /// Application credential, for `v3applicationcredential`.
        application_credential_id: Option<String>,
        /// Its name, instead of its id.
        application_credential_name: Option<String>,
        /// Its secret.
        application_credential_secret: Option<Secret>,

        /// Where the reference shares checked tokens between its processes.
        memcached_servers: Vec<String>,
        /// Key of an object in the requests of Swift's proxy.
        cache: Option<String>,
        /// How shared tokens are protected.
        memcache_security_strategy: MemcacheSecurity = "None",
        /// Secret for that.
        memcache_secret_key: Option<Secret>,
        /// How long a server that is down is left alone.
        memcache_pool_dead_retry: Seconds = "300",
        /// Most connections to a server.
        memcache_pool_maxsize: i64 = "10",
        /// Time-out of a server.
        memcache_pool_socket_timeout: Seconds = "3",
        /// How long an unused connection stays open.
        memcache_pool_unused_timeout: Seconds = "60",
        /// How long to wait for a free connection.
        memcache_pool_conn_get_timeout: Seconds = "10",
        /// Kind of the pool of connections.
        memcache_use_advanced_pool: bool = "true",
        /// Log in to servers.
        memcache_sasl_enabled: bool = "false",
        /// Name for that.
        memcache_username: Option<String>,
        /// Password for that.
        memcache_password: Option<Secret>,
        /// Speak TLS with servers.
        memcache_tls_enabled: bool = "false",
        /// Authorities for that.
        memcache_tls_cafile: Option<PathBuf>,
        /// Certificate for that.
        memcache_tls_certfile: Option<PathBuf>,
        /// Key for that.
        memcache_tls_keyfile: Option<PathBuf>,
        /// Ciphers for that.
        memcache_tls_allowed_ciphers: Option<String>,
    }
}
