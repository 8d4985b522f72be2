//! How processes of a cluster find, trust and call each other.

use super::{Address, SettingsError, Tls, conductor::silence, database};
use ::cluster::{RemoteSettings, SHORTEST, Secret, view::ViewSettings};
use config::{Config, Setting, choice::TlsVersion};
use std::{net::IpAddr, path::PathBuf};
use store::Location;
use tls::{Client, Trust};
use types::ring::{Algorithm, Shape};

/// What a process needs to be one of several.
#[derive(Debug, Clone)]
pub(crate) struct Cluster {
    /// Where a conductor takes calls.
    pub(crate) address: Address,
    pub(crate) tls: Option<Tls>,
    pub(crate) view: ViewSettings,
    pub(crate) remote: RemoteSettings,
    named: Option<String>,
    host: String,
}

impl Cluster {
    /// Where others call a conductor that listens on this port.
    pub(crate) fn url(&self, port: u16) -> String {
        if let Some(named) = &self.named {
            return named.trim_end_matches('/').to_owned();
        }
        let scheme = if self.tls.is_some() { "https" } else { "http" };
        let host = match self.host.parse::<IpAddr>() {
            Ok(IpAddr::V6(address)) => format!("[{address}]"),
            _ => self.host.clone(),
        };
        format!("{scheme}://{host}:{port}")
    }
}

/// What makes this process one of several; `None` when nothing says that it is.
pub(crate) fn cluster(config: &Config) -> Result<Option<Cluster>, SettingsError> {
    let Some(secret) = secret(config)? else {
        return Ok(None);
    };
    if let Location::Sqlite(_) = database(config)? {
        return Err(SettingsError::Cluster {
            place: config.database.connection.source().clone(),
            option: "[database]connection",
            reason: "a cluster shares a database on a server; SQLite belongs to one process. Name \
                     a server, or leave [corten]cluster_secret out and use 'corten serve'"
                .to_owned(),
        });
    }
    let (rpc, corten) = (&config.json_rpc, &config.corten);
    let host_ip = rpc.host_ip.as_str();
    let listens_at = if config.has_files() || rpc.host_ip.is_set() {
        host_ip
    } else {
        "127.0.0.1"
    };
    let is_everywhere = listens_at
        .parse::<IpAddr>()
        .is_ok_and(|address| address.is_unspecified());
    let host = if is_everywhere {
        config.default.host.as_str()
    } else {
        listens_at
    };
    let (tls, caller) = tls(config)?;
    Ok(Some(Cluster {
        address: Address::Tcp {
            host: listens_at.to_owned(),
            port: *rpc.port,
        },
        tls,
        view: ViewSettings {
            ttl: silence(config),
            max_age: config.default.hash_ring_reset_interval.duration(),
            shape: shape(config)?,
        },
        remote: RemoteSettings {
            secret,
            tls: caller,
            timeout: corten.cluster_timeout.duration(),
            patience: corten.cluster_patience.duration(),
        },
        named: url(&corten.cluster_url)?,
        host: host.to_owned(),
    }))
}

fn url(option: &Setting<Option<String>>) -> Result<Option<String>, SettingsError> {
    let Some(url) = &**option else {
        return Ok(None);
    };
    let host = url
        .strip_prefix("http://")
        .or_else(|| url.strip_prefix("https://"));
    if host.is_some_and(|host| !host.is_empty() && url.len() <= 255) {
        return Ok(Some(url.clone()));
    }
    Err(wrong(
        option,
        "[corten]cluster_url",
        "expected something like http://conductor-1:8089",
    ))
}

#[expect(
    clippy::disallowed_methods,
    reason = "only called before anything is served"
)]
fn secret(config: &Config) -> Result<Option<Secret>, SettingsError> {
    let corten = &config.corten;
    let short = || format!("must have at least {SHORTEST} characters");
    if let Some(path) = &*corten.cluster_secret_file {
        let option = "[corten]cluster_secret_file";
        let place = &corten.cluster_secret_file;
        let text = std::fs::read_to_string(path).map_err(|error| {
            wrong(
                place,
                option,
                format!("cannot read {}: {error}", path.display()),
            )
        })?;
        let secret = Secret::new(&text).ok_or_else(|| wrong(place, option, short()))?;
        return Ok(Some(secret));
    }
    let Some(text) = &*corten.cluster_secret else {
        return Ok(None);
    };
    let secret = Secret::new(text.expose());
    let wrong = || wrong(&corten.cluster_secret, "[corten]cluster_secret", short());
    secret.ok_or_else(wrong).map(Some)
}

/// Server and client certificate of cluster calls (mutual TLS); both or neither.
fn tls(config: &Config) -> Result<(Option<Tls>, Client), SettingsError> {
    let (rpc, corten) = (&config.json_rpc, &config.corten);
    let files = (&*rpc.cert_file, &*rpc.key_file, &*corten.cluster_ca_file);
    if !*rpc.use_ssl && !*rpc.client_use_ssl {
        return Ok((None, Trust::Nobody.into()));
    }
    let (Some(certificate), Some(key), Some(authority)) = files else {
        return Err(wrong(
            &rpc.use_ssl,
            "[json_rpc]use_ssl",
            "requires cert_file and key_file in [json_rpc], and cluster_ca_file in [corten]",
        ));
    };
    let own = |path: &PathBuf| path.clone();
    let serving = Tls {
        certificate: own(certificate),
        key: own(key),
        clients: Some(own(authority)),
        tls_1_2: *rpc.server_tls_minimum_version == TlsVersion::V1_2,
        ciphers: (*rpc.server_tls_ciphers).clone(),
    };
    let calling = Client {
        trust: Trust::Path(own(authority)),
        certificate: Some((own(certificate), own(key))),
    };
    Ok((rpc.use_ssl.then_some(serving), calling))
}

fn shape(config: &Config) -> Result<Shape, SettingsError> {
    let named = &config.default.hash_ring_algorithm;
    let algorithm: Algorithm = named.as_str().parse().map_err(|_| {
        let known: Vec<&str> = Algorithm::ALL.iter().map(|one| one.as_str()).collect();
        let reason = format!("this build has {}", known.join(", "));
        wrong(named, "[DEFAULT]hash_ring_algorithm", reason)
    })?;
    Ok(Shape {
        algorithm,
        partition_exponent: *config.default.hash_partition_exponent,
    })
}

fn wrong<T>(
    setting: &Setting<T>,
    option: &'static str,
    reason: impl Into<String>,
) -> SettingsError {
    SettingsError::Cluster {
        place: setting.source().clone(),
        option,
        reason: reason.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::{super::tests::filed, *};

    const SERVER: &str = "[database]\nconnection = postgresql://u:p@h/d\n";
    const SECRET: &str = "[corten]\ncluster_secret = 0123456789abcdef\n";

    fn refusal(text: &str) -> String {
        cluster(&filed(text)).unwrap_err().to_string()
    }

    #[test]
    fn a_process_without_a_secret_is_alone() {
        assert!(cluster(&filed(SERVER)).unwrap().is_none());
    }

    #[test]
    fn a_cluster_needs_a_server_and_a_good_secret() {
        let refused = refusal(SECRET);
        assert!(
            refused.contains("SQLite belongs to one process"),
            "{refused}"
        );
        let refused = refusal(&format!("{SERVER}[corten]\ncluster_secret = hunter2\n"));
        assert!(
            refused.contains(":4: [corten]cluster_secret: "),
            "{refused}"
        );
        assert!(!refused.contains("hunter2"), "{refused}");
        let refused = refusal(&format!(
            "{SERVER}[corten]\ncluster_secret_file = /no/such\n"
        ));
        assert!(refused.contains("cannot read /no/such"), "{refused}");
    }

    #[test]
    fn others_call_the_address_or_else_the_name() {
        let url = |more: &str| {
            let config = filed(&format!("{SERVER}{SECRET}{more}"));
            cluster(&config).unwrap().unwrap().url(8089)
        };
        assert_eq!(url("[DEFAULT]\nhost = c1\n"), "http://c1:8089");
        assert_eq!(
            url("[json_rpc]\nhost_ip = 10.0.0.1\n"),
            "http://10.0.0.1:8089"
        );
        assert_eq!(
            url("[json_rpc]\nhost_ip = fd00::1\n"),
            "http://[fd00::1]:8089"
        );
        let named = "cluster_url = http://c1.example.org:1/\n";
        assert_eq!(url(named), "http://c1.example.org:1");
        let refused = refusal(&format!("{SERVER}{SECRET}cluster_url = c1:8089\n"));
        assert!(refused.contains("http://conductor-1:8089"), "{refused}");
    }

    #[test]
    fn tls_is_for_both_sides_or_not_at_all() {
        let ssl = "[json_rpc]\nuse_ssl = true\ncert_file = /c\n";
        let refused = refusal(&format!("{SERVER}{SECRET}{ssl}"));
        assert!(refused.contains("cluster_ca_file"), "{refused}");
        let whole = format!("{SERVER}{SECRET}cluster_ca_file = /ca\n{ssl}key_file = /k\n");
        let found = cluster(&filed(&whole)).unwrap().unwrap();
        assert_eq!(found.tls.as_ref().unwrap().clients, Some("/ca".into()));
        assert_eq!(found.remote.tls.trust, Trust::Path("/ca".into()));
        assert!(found.url(1).starts_with("https://"));
    }

    #[test]
    fn hashes_that_we_do_not_have_are_refused() {
        let text = format!("{SERVER}{SECRET}[DEFAULT]\nhash_ring_algorithm = sha3_256\n");
        let refused = refusal(&text);
        assert!(refused.contains("this build has md5, sha1,"), "{refused}");
    }
}
