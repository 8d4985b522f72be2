//! The identity service: how tokens of callers are verified, and our own credentials there.
//!
//! The options for logging in belong to the client library of Ironic, which reads them by the
//! way that `auth_type` names; here all of them are in one table.

use super::reasons::NO_MEMCACHED;
use crate::{Seconds, Secret, Url, choice::MemcacheSecurity, section::section};
use std::path::PathBuf;

section! {
    /// Tokens of Keystone.
    KeystoneAuthtoken = "keystone_authtoken" {
        /// URL of Keystone for clients without a valid token.
        acts www_authenticate_uri: Option<Url>,
        /// Version of the Identity API; there is only v3.
        warns("there is only version 3 of the Identity API")
        auth_version: Option<String>,
        /// Which of Keystone's addresses in its catalog tokens are checked at.
        acts interface: String = "internal",
        /// Region of that address; any if unset.
        acts region_name: Option<String>,
        /// Let requests without a valid token pass as anonymous, for the policy to decide.
        acts delay_auth_decision: bool = "false",
        /// How long checking one token may take; 30 seconds if unset.
        acts http_connect_timeout: Option<Seconds> [1..],
        /// How many times to try again when Keystone cannot be reached.
        acts http_request_max_retries: u32 [..=100] = "3",
        /// Our certificate, if Keystone wants one, as a PEM file.
        acts certfile: Option<PathBuf>,
        /// Its private key, unless that is in the same file.
        acts keyfile: Option<PathBuf>,
        /// Authorities to trust, as a PEM file; those of the machine if unset.
        acts cafile: Option<PathBuf>,
        /// Take any certificate of Keystone.
        acts insecure: bool = "false",
        /// How long a good token is not checked again; 0 or less checks each time.
        acts token_cache_time: Seconds = "300",
        /// Ask for the catalog, which tokens with access rules need.
        acts include_service_catalog: bool = "true",
        /// What to make of tokens that are bound to something: disabled, permissive, strict,
        /// required, or a kind that they must be bound to.
        acts enforce_token_bind: String = "permissive",
        /// Roles that make a token one of a service.
        acts service_token_roles: Vec<String> = "service",
        /// Refuse service tokens without such a role.
        acts service_token_roles_required: bool = "true",
        /// What this service is called in the catalog, for tokens with access rules.
        acts service_type: Option<String>,

        /// How to log in: password, token, v3applicationcredential.
        acts auth_type: Option<String>,
        /// Section that has the options for logging in.
        acts auth_section: Option<String>,
        /// Address of Keystone to log in at.
        acts auth_url: Option<Url>,
        /// Our name.
        acts username: Option<String>,
        /// Our id, instead of the name.
        acts user_id: Option<String>,
        /// Name of the domain that our name is from.
        acts user_domain_name: Option<String>,
        /// Id of that domain.
        acts user_domain_id: Option<String>,
        /// Our password.
        acts password: Option<Secret>,
        /// Project to log in to.
        acts project_name: Option<String>,
        /// Id of it, instead of its name.
        acts project_id: Option<String>,
        /// Name of the project's domain.
        acts project_domain_name: Option<String>,
        /// Id of that domain.
        acts project_domain_id: Option<String>,
        /// Name of a domain to log in to instead.
        acts domain_name: Option<String>,
        /// Id of a domain to log in to instead.
        acts domain_id: Option<String>,
        /// Log in to the whole system instead, if `all`.
        acts system_scope: Option<String>,
        /// Trust to log in with.
        acts trust_id: Option<String>,
        /// Domain of user and project where theirs is not given.
        acts default_domain_id: Option<String>,
        /// Name of that domain.
        acts default_domain_name: Option<String>,
        /// Token to log in with, for `token`.
        acts token: Option<Secret>,
        /// Application credential, for `v3applicationcredential`.
        acts application_credential_id: Option<String>,
        /// Its name, instead of its id.
        acts application_credential_name: Option<String>,
        /// Its secret.
        acts application_credential_secret: Option<Secret>,

        /// Where Ironic shares checked tokens between its processes.
        warns(NO_MEMCACHED)
        memcached_servers: Vec<String>,
        /// Key of an object in the requests of Swift's proxy.
        warns(NO_MEMCACHED)
        cache: Option<String>,
        /// How shared tokens are protected.
        warns(NO_MEMCACHED)
        memcache_security_strategy: MemcacheSecurity = "None",
        /// Secret for that.
        warns(NO_MEMCACHED)
        memcache_secret_key: Option<Secret>,
        /// How long a server that is down is left alone.
        warns(NO_MEMCACHED)
        memcache_pool_dead_retry: Seconds = "300",
        /// Most connections to a server.
        warns(NO_MEMCACHED)
        memcache_pool_maxsize: i64 = "10",
        /// Time-out of a server.
        warns(NO_MEMCACHED)
        memcache_pool_socket_timeout: Seconds = "3",
        /// How long an unused connection stays open.
        warns(NO_MEMCACHED)
        memcache_pool_unused_timeout: Seconds = "60",
        /// How long to wait for a free connection.
        warns(NO_MEMCACHED)
        memcache_pool_conn_get_timeout: Seconds = "10",
        /// Kind of the pool of connections.
        warns(NO_MEMCACHED)
        memcache_use_advanced_pool: bool = "true",
        /// Log in to servers.
        warns(NO_MEMCACHED)
        memcache_sasl_enabled: bool = "false",
        /// Name for that.
        warns(NO_MEMCACHED)
        memcache_username: Option<String>,
        /// Password for that.
        warns(NO_MEMCACHED)
        memcache_password: Option<Secret>,
        /// Speak TLS with servers.
        warns(NO_MEMCACHED)
        memcache_tls_enabled: bool = "false",
        /// Authorities for that.
        warns(NO_MEMCACHED)
        memcache_tls_cafile: Option<PathBuf>,
        /// Certificate for that.
        warns(NO_MEMCACHED)
        memcache_tls_certfile: Option<PathBuf>,
        /// Key for that.
        warns(NO_MEMCACHED)
        memcache_tls_keyfile: Option<PathBuf>,
        /// Ciphers for that.
        warns(NO_MEMCACHED)
        memcache_tls_allowed_ciphers: Option<String>,
    }
}
