//! Why options have no effect, where several rows share the reason.

pub(crate) const CLUSTER_SECRET: &str = "processes prove to each other that they belong together \
    by cluster_secret_file in [corten]";
pub(super) const NO_IPMITOOL: &str = "IPMI is spoken by this process and not by ipmitool";
pub(super) const NO_MDNS: &str = "this build does not announce itself by multicast DNS yet";
pub(super) const NO_MEMCACHED: &str = "tokens that were checked are kept in this process and not \
    in memcached";
pub(super) const NO_SHARES: &str = "virtual media are served by HTTP only, in this build";
