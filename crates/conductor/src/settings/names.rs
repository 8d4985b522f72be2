//! Where the names of machines with a lease go.

use boot::dns::DnsSettings;
use std::path::PathBuf;

/// `[corten]hosts_file` and `[corten]dns_update_…`.
#[derive(Debug, Clone, Default)]
pub struct NameSettings {
    pub hosts_file: Option<PathBuf>,
    pub dns: Option<DnsSettings>,
}

impl NameSettings {
    pub(crate) fn is_empty(&self) -> bool {
        self.hosts_file.is_none() && self.dns.is_none()
    }
}
