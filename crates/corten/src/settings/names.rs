//! Who is told the names of machines with a lease.

use super::SettingsError;
use ::boot::dns::DnsSettings;
use ::conductor::NameSettings;
use config::{Config, Setting, options};
use proto::dns::{name::Name, tsig::Key};

/// Where DNS servers listen.
const PORT: u16 = 53;

pub(super) fn names(config: &Config) -> Result<NameSettings, SettingsError> {
    Ok(NameSettings {
        hosts_file: (*config.corten.hosts_file).clone(),
        dns: dns(&config.corten)?,
    })
}

fn dns(corten: &options::Corten) -> Result<Option<DnsSettings>, SettingsError> {
    let Some(server) = &*corten.dns_update_server else {
        return Ok(None);
    };
    let zone = name("dns_update_zone", &corten.dns_update_zone)?;
    let key_name = name("dns_update_key_name", &corten.dns_update_key_name)?;
    let secret = corten.dns_update_key.as_ref();
    let Some(key) = secret.and_then(|secret| Key::of_base64(key_name, secret.expose())) else {
        let why =
            "needs a key in base64, as tsig-keygen prints it, because dns_update_server is set";
        return Err(refused("dns_update_key", &corten.dns_update_key, why));
    };
    let mut reverse_zones = Vec::new();
    for text in corten.dns_update_reverse_zone.iter() {
        let zone: Name = text.parse().map_err(|error| {
            let option = "dns_update_reverse_zone";
            refused(option, &corten.dns_update_reverse_zone, format!("{error}"))
        })?;
        if !["in-addr.arpa", "ip6.arpa"]
            .iter()
            .any(|end| zone.as_str().ends_with(end))
        {
            let why = format!(
                "'{zone}' is no zone of reverse names: it ends with neither in-addr.arpa nor ip6.arpa"
            );
            return Err(refused(
                "dns_update_reverse_zone",
                &corten.dns_update_reverse_zone,
                why,
            ));
        }
        reverse_zones.push(zone);
    }
    let Some(server) = address(server) else {
        let why =
            format!("invalid address '{server}': expected one such as 10.0.0.53 or [fd00::53]:53");
        return Err(refused("dns_update_server", &corten.dns_update_server, why));
    };
    Ok(Some(DnsSettings {
        server,
        zone,
        reverse_zones,
        key,
    }))
}

/// A host, and the port behind it.
fn address(text: &str) -> Option<(String, u16)> {
    if let Ok(address) = text.parse::<std::net::SocketAddr>() {
        return Some((address.ip().to_string(), address.port()));
    }
    if let Ok(address) = text.trim_matches(['[', ']']).parse::<std::net::IpAddr>() {
        return Some((address.to_string(), PORT));
    }
    let (host, port) = match text.split_once(':') {
        Some((host, port)) => (host, port.parse().ok()?),
        None => (text, PORT),
    };
    host.parse::<Name>().ok()?;
    Some((host.to_owned(), port))
}

fn name(option: &'static str, setting: &Setting<Option<String>>) -> Result<Name, SettingsError> {
    let Some(text) = setting.as_deref() else {
        let why = "is not set, and dns_update_server needs it";
        return Err(refused(option, setting, why));
    };
    text.parse()
        .map_err(|error: proto::dns::name::BadName| refused(option, setting, error.to_string()))
}

fn refused<T>(
    option: &'static str,
    setting: &Setting<T>,
    reason: impl Into<String>,
) -> SettingsError {
    SettingsError::Boot {
        place: setting.source().clone(),
        option,
        reason: reason.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::{super::tests::filed, *};

    const KEY: &str = "dns_update_key_name = corten\ndns_update_key = c2VjcmV0\n";

    fn read(text: &str) -> Result<Option<DnsSettings>, SettingsError> {
        names(&filed(&format!("[corten]\n{text}"))).map(|names| names.dns)
    }

    #[test]
    fn options_become_settings() {
        assert!(read("").unwrap().is_none());
        let zones = "dns_update_zone = example.org\ndns_update_reverse_zone = 0.0.10.in-addr.arpa,d.f.ip6.arpa\n";
        for (text, server) in [
            ("10.0.0.53", ("10.0.0.53", 53)),
            ("10.0.0.53:5353", ("10.0.0.53", 5353)),
            ("[fd00::53]:53", ("fd00::53", 53)),
            ("fd00::53", ("fd00::53", 53)),
            ("ns1.example.org", ("ns1.example.org", 53)),
        ] {
            let dns = read(&format!("dns_update_server = {text}\n{zones}{KEY}"));
            let dns = dns.unwrap().unwrap();
            assert_eq!((dns.server.0.as_str(), dns.server.1), server);
            assert_eq!(dns.key.secret, b"secret");
            assert_eq!(dns.reverse_zones.len(), 2);
        }
    }

    #[test]
    fn what_is_missing_or_wrong_is_named() {
        let server = "dns_update_server = 10.0.0.53\n";
        let zone = "dns_update_zone = example.org\n";
        for (text, word) in [
            (server.to_owned(), "dns_update_zone"),
            (format!("{server}{zone}"), "dns_update_key_name"),
            (
                format!("{server}{zone}dns_update_key_name = k\n"),
                "dns_update_key",
            ),
            (
                format!("{server}{zone}dns_update_key_name = k\ndns_update_key = !hush!\n"),
                "base64",
            ),
            (
                format!("{server}{zone}{KEY}dns_update_reverse_zone = example.org\n"),
                "no zone of reverse names",
            ),
            (
                format!("dns_update_server = a b\n{zone}{KEY}"),
                "invalid address",
            ),
        ] {
            let why = read(&text).unwrap_err().to_string();
            assert!(why.contains(word), "{why}");
            assert!(!why.contains("hush"), "{why}");
        }
    }
}
