//! Where users of the API may have this service connect to.
//!
//! The usual list is for services that have tenants. Where callers prove themselves by a password of
//! this service, or not at all, each of them is an operator, and simulated BMCs on this machine are
//! what many of them use; so loopback and our own ports are not refused there unless the operator
//! says so.

use super::{Address, SettingsError, address, metrics};
use ::outbound::{Network, Policy};
use config::{Config, choice::AuthStrategy};
use std::net::{IpAddr, Ipv6Addr, SocketAddr};

/// The word for our own listeners, which are no network.
const OWN: &str = "self";
/// What the default list leaves out where there are no tenants.
const FOR_TENANTS: [&str; 2] = [OWN, "loopback"];

pub(crate) fn outbound(config: &Config) -> Result<Policy, SettingsError> {
    let (denied, allowed) = (
        &config.corten.networks_denied,
        &config.corten.networks_allowed,
    );
    let mut words: Vec<&str> = denied.iter().map(|word| word.trim()).collect();
    if !denied.is_set() && !has_tenants(config) {
        words.retain(|word| !FOR_TENANTS.contains(word));
    }
    let own = match words.contains(&OWN) {
        true => listeners(config)?,
        false => Vec::new(),
    };
    let networks = |words: Vec<&str>, option, place: &config::Source| {
        let parsed = words.into_iter().map(Network::parse);
        let parsed: Result<Vec<_>, _> = parsed.collect();
        parsed
            .map(|networks| networks.concat())
            .map_err(|error| SettingsError::Boot {
                place: place.clone(),
                option,
                reason: error.to_string(),
            })
    };
    words.retain(|word| *word != OWN);
    let exceptions = allowed.iter().map(|word| word.trim()).collect();
    Ok(Policy::new(
        networks(words, "networks_denied", denied.source())?,
        networks(exceptions, "networks_allowed", allowed.source())?,
        own,
    ))
}

fn has_tenants(config: &Config) -> bool {
    let strategy = &config.default.auth_strategy;
    let is_written = config.has_files() || strategy.is_set();
    is_written && matches!(**strategy, AuthStrategy::Keystone | AuthStrategy::Local)
}

/// Where this service listens for others than machines. What it serves to machines that boot,
/// everybody may read, and operators keep images there.
fn listeners(config: &Config) -> Result<Vec<SocketAddr>, SettingsError> {
    let mut all = metrics(config)?;
    if let Address::Tcp { host, port } = address(config) {
        all.push(listener(&host, port));
    }
    let corten = &config.corten;
    if corten.cluster_secret.is_some() || corten.cluster_secret_file.is_some() {
        let rpc = &config.json_rpc;
        all.push(listener(rpc.host_ip.as_str(), *rpc.port));
    }
    Ok(all)
}

/// A name is some address of this machine.
fn listener(host: &str, port: u16) -> SocketAddr {
    let everywhere = IpAddr::V6(Ipv6Addr::UNSPECIFIED);
    SocketAddr::new(host.parse().unwrap_or(everywhere), port)
}

#[cfg(test)]
mod tests {
    use super::{
        super::tests::{alone, filed},
        *,
    };

    fn allows(config: &Config, address: &str) -> bool {
        let policy = outbound(config).unwrap();
        policy.judge(address.parse().unwrap()).is_ok()
    }

    #[test]
    fn tenants_are_kept_from_this_machine_and_operators_are_not() {
        let keystone = filed("[api]\nport = 6385\n");
        for denied in [
            "127.0.0.1:80",
            "[::1]:80",
            "169.254.169.254:80",
            "0.0.0.0:1",
        ] {
            assert!(!allows(&keystone, denied), "{denied}");
        }
        assert!(allows(&keystone, "10.0.0.1:6385"));
        for ours in [
            alone(&[]),
            filed("[DEFAULT]\nauth_strategy = http_basic\n"),
            filed("[DEFAULT]\nauth_strategy = noauth\n"),
        ] {
            assert!(allows(&ours, "127.0.0.1:8000"));
            assert!(!allows(&ours, "169.254.169.254:80"));
        }
        let written = alone(&["corten.networks_denied=self,10.0.0.0/8", "api.port=7000"]);
        assert!(!allows(&written, "10.1.2.3:80") && allows(&written, "127.0.0.1:80"));
        assert!(!allows(&written, "127.0.0.1:7000"));
    }

    #[test]
    fn exceptions_and_mistakes() {
        let some = filed("[corten]\nnetworks_allowed = 127.0.0.1/32\n");
        assert!(allows(&some, "127.0.0.1:80") && !allows(&some, "127.0.0.2:80"));
        assert!(allows(
            &filed("[corten]\nnetworks_denied =\n"),
            "127.0.0.1:80"
        ));
        let wrong = outbound(&filed("[corten]\nnetworks_denied = home\n"));
        let text = wrong.unwrap_err().to_string();
        assert!(text.contains("[corten]networks_denied: 'home'"), "{text}");
    }
}
