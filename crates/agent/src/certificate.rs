//! The certificate that the agent makes for itself, and TLS with it.
//!
//! It is self-signed; the service trusts it because it arrives together with the agent's token. The
//! key never leaves this machine's memory. It is for the callback address, and valid from an hour
//! ago, since clocks of machines that were just switched on are seldom right.

use crate::config::Adopted;
use anyhow::Context;
use rcgen::{
    CertificateParams, CustomExtension, DistinguishedName, DnType, KeyPair, PKCS_ECDSA_P384_SHA384,
};
use rustls::{
    CipherSuite, ServerConfig,
    crypto::{CryptoProvider, ring},
    pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject},
    version::{TLS12, TLS13},
};
use std::{fs, net::IpAddr, path::Path, sync::Arc, time::Duration};
use types::Timestamp;

/// Validity of a certificate.
const LIFE: Duration = Duration::from_secs(30 * 24 * 3600);

/// `subjectAltName`.
const ALTERNATIVE_NAME: &[u64] = &[2, 5, 29, 17];

/// Certificates, and the key of the first.
#[derive(Debug)]
pub(crate) struct Identity {
    /// The certificate for the service, in PEM.
    pub(crate) pem: String,
    chain: Vec<CertificateDer<'static>>,
    key: PrivateKeyDer<'static>,
}

impl Identity {
    /// Makes a certificate for an address, and its key, both in PEM.
    pub(crate) fn generate(
        ip: IpAddr,
        hostname: &str,
        skew: Duration,
    ) -> anyhow::Result<(String, String)> {
        let now = u64::try_from(Timestamp::now().0).unwrap_or_default();
        let now = Duration::from_micros(now);
        let epoch = rcgen::date_time_ymd(1970, 1, 1);
        let mut params = CertificateParams::default();
        params.not_before = epoch + now.saturating_sub(skew);
        params.not_after = epoch + now + LIFE;
        params.distinguished_name = DistinguishedName::new();
        params.distinguished_name.push(DnType::CommonName, hostname);
        params.custom_extensions = vec![address(ip)];
        let key = KeyPair::generate_for(&PKCS_ECDSA_P384_SHA384)?;
        let certificate = params.self_signed(&key)?;
        Ok((certificate.pem(), key.serialize_pem()))
    }

    /// Reads certificate and key from files.
    pub(crate) fn from_files(certificate: &Path, key: &Path) -> anyhow::Result<Self> {
        let read = |path: &Path| {
            fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))
        };
        Self::from_pem(&read(certificate)?, &read(key)?).with_context(|| {
            format!(
                "invalid certificate {} or key {}",
                certificate.display(),
                key.display()
            )
        })
    }

    /// Takes certificates, the own one first, and its key.
    pub(crate) fn from_pem(certificates: &str, key: &str) -> anyhow::Result<Self> {
        let chain = CertificateDer::pem_slice_iter(certificates.as_bytes())
            .collect::<Result<Vec<_>, _>>()
            .context("no certificate in PEM form")?;
        let key =
            PrivateKeyDer::from_pem_slice(key.as_bytes()).context("no private key in PEM form")?;
        Ok(Self {
            pem: certificates.to_owned(),
            chain,
            key,
        })
    }

    /// What serving with this identity takes, as the service wants it.
    pub(crate) fn server(self, rules: &Adopted) -> anyhow::Result<Arc<ServerConfig>> {
        let versions: &[_] = match rules.tls_min_version.as_str() {
            "1.3" => &[&TLS13],
            _ => &[&TLS13, &TLS12],
        };
        let provider = provider(rules.tls_cipher_suites.as_deref());
        let mut config = ServerConfig::builder_with_provider(Arc::new(provider))
            .with_protocol_versions(versions)
            .context("cannot set up TLS with these cipher suites")?
            .with_no_client_auth()
            .with_single_cert(self.chain, self.key)
            .context("certificate and private key do not match")?;
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(Arc::new(config))
    }
}

/// The address as the only, and critical, name. `rcgen` would not call it critical.
fn address(ip: IpAddr) -> CustomExtension {
    let bytes = match ip {
        IpAddr::V4(ip) => ip.octets().to_vec(),
        IpAddr::V6(ip) => ip.octets().to_vec(),
    };
    // At most 16 bytes: every length is one byte.
    #[allow(clippy::cast_possible_truncation)]
    let length = bytes.len() as u8;
    let mut der = vec![0x30, length + 2, 0x87, length];
    der.extend(bytes);
    let mut extension = CustomExtension::from_oid_content(ALTERNATIVE_NAME, der);
    extension.set_criticality(true);
    extension
}

/// The suites of TLS 1.2 by the names of OpenSSL; those of 1.3 are not chosen.
const SUITES: &[(&str, CipherSuite)] = &[
    (
        "ECDHE-ECDSA-AES256-GCM-SHA384",
        CipherSuite::TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384,
    ),
    (
        "ECDHE-ECDSA-AES128-GCM-SHA256",
        CipherSuite::TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256,
    ),
    (
        "ECDHE-ECDSA-CHACHA20-POLY1305",
        CipherSuite::TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256,
    ),
    (
        "ECDHE-RSA-AES256-GCM-SHA384",
        CipherSuite::TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,
    ),
    (
        "ECDHE-RSA-AES128-GCM-SHA256",
        CipherSuite::TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,
    ),
    (
        "ECDHE-RSA-CHACHA20-POLY1305",
        CipherSuite::TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256,
    ),
];

/// The provider `ring`, restricted to the cipher suites that the service named. Unknown names are
/// ignored; if all are unknown, no restriction applies.
fn provider(names: Option<&str>) -> CryptoProvider {
    let mut provider = ring::default_provider();
    let named: Vec<&str> = names.unwrap_or_default().split([':', ',', ' ']).collect();
    let known = |suite: CipherSuite| {
        SUITES
            .iter()
            .any(|(name, id)| *id == suite && named.contains(name))
    };
    if SUITES.iter().any(|(_, suite)| known(*suite)) {
        provider
            .cipher_suites
            .retain(|suite| suite.tls13().is_some() || known(suite.suite()));
    }
    provider
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;

    #[test]
    fn a_certificate_names_the_address_and_serves() {
        let rules = Config::from_parameters("").unwrap().adopted;
        for ip in ["10.1.2.3", "fd00::1"] {
            let ip: IpAddr = ip.parse().unwrap();
            let (certificate, key) =
                Identity::generate(ip, "host", Duration::from_secs(3600)).unwrap();
            let identity = Identity::from_pem(&certificate, &key).unwrap();
            assert!(identity.pem.starts_with("-----BEGIN CERTIFICATE-----"));
            // OID of the name, critical, and the address within.
            let bytes = match ip {
                IpAddr::V4(ip) => ip.octets().to_vec(),
                IpAddr::V6(ip) => ip.octets().to_vec(),
            };
            let der = identity.chain[0].to_vec();
            let oid_critical = [0x06, 0x03, 0x55, 0x1d, 0x11, 0x01, 0x01, 0xff];
            assert!(der.windows(8).any(|window| window == oid_critical));
            assert!(der.windows(bytes.len()).any(|window| window == bytes));
            identity.server(&rules).unwrap();
        }
    }

    #[test]
    fn suites_are_chosen_by_name() {
        let count = |names| provider(names).cipher_suites.len();
        assert_eq!(count(None), count(Some("HIGH:!aNULL")));
        assert_eq!(count(Some("ECDHE-RSA-AES256-GCM-SHA384:HIGH")), 4);
    }
}
