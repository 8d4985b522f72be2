//! The certificate of a service that was given none: signed by itself, for this machine only.
//!
//! A certificate is a few nested records; writing them takes less than a library for it would.

use ring::{
    rand::SystemRandom,
    signature::{ECDSA_P256_SHA256_ASN1_SIGNING, EcdsaKeyPair, KeyPair},
};
use rustls::{
    ServerConfig,
    pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer, pem::PemObject},
};
use std::{io, path::Path, sync::Arc};

const SEQUENCE: u8 = 0x30;
const SET: u8 = 0x31;
const INTEGER: u8 = 0x02;
const BITS: u8 = 0x03;
const BYTES: u8 = 0x04;
const OBJECT: u8 = 0x06;
const UTF8: u8 = 0x0c;
const UTC_TIME: u8 = 0x17;
const LONG_TIME: u8 = 0x18;
/// Tags that mean something by their place only.
const PLACE_0: u8 = 0xa0;
const PLACE_3: u8 = 0xa3;
const DNS_NAME: u8 = 0x82;
const IP_ADDRESS: u8 = 0x87;

const ECDSA_SHA256: &[u8] = &[0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02];
const EC_KEY: &[u8] = &[0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01];
const P256: &[u8] = &[0x2a, 0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, 0x07];
const COMMON_NAME: &[u8] = &[0x55, 0x04, 0x03];
const ALTERNATIVE_NAMES: &[u8] = &[0x55, 0x1d, 0x11];

/// Configuration for a server with a certificate of its own making.
pub fn self_signed() -> io::Result<Arc<ServerConfig>> {
    let random = SystemRandom::new();
    let failed = |what: &'static str| move |_| io::Error::other(what);
    let document = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_ASN1_SIGNING, &random)
        .map_err(failed("no key can be made"))?;
    let pair =
        EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_ASN1_SIGNING, document.as_ref(), &random)
            .map_err(|_| io::Error::other("the key cannot be read"))?;
    let signed = to_be_signed(pair.public_key().as_ref());
    let signature = pair
        .sign(&random, &signed)
        .map_err(failed("nothing can be signed"))?;
    let certificate = record(
        SEQUENCE,
        &[&signed, &algorithm(), &bits(signature.as_ref())],
    );
    let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(document.as_ref().to_vec()));
    config(vec![CertificateDer::from(certificate)], key)
}

/// Configuration for a server with a certificate from files in PEM form.
pub fn from_files(certificate: &Path, key: &Path) -> io::Result<Arc<ServerConfig>> {
    let chain = CertificateDer::pem_file_iter(certificate).map_err(io::Error::other)?;
    let chain = chain
        .collect::<Result<Vec<_>, _>>()
        .map_err(io::Error::other)?;
    let key = PrivateKeyDer::from_pem_file(key).map_err(io::Error::other)?;
    config(chain, key)
}

fn config(
    chain: Vec<CertificateDer<'static>>,
    key: PrivateKeyDer<'static>,
) -> io::Result<Arc<ServerConfig>> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(io::Error::other)?
        .with_no_client_auth()
        .with_single_cert(chain, key)
        .map_err(io::Error::other)?;
    Ok(Arc::new(config))
}

fn to_be_signed(public_key: &[u8]) -> Vec<u8> {
    let version = record(PLACE_0, &[&record(INTEGER, &[&[2]])]);
    let serial = record(INTEGER, &[&[1]]);
    let name = record(
        SEQUENCE,
        &[&record(
            SET,
            &[&record(
                SEQUENCE,
                &[
                    &record(OBJECT, &[COMMON_NAME]),
                    &record(UTF8, &[b"Simulated BMC"]),
                ],
            )],
        )],
    );
    let validity = record(
        SEQUENCE,
        &[
            &record(UTC_TIME, &[b"200101000000Z"]),
            &record(LONG_TIME, &[b"20991231235959Z"]),
        ],
    );
    let key = record(
        SEQUENCE,
        &[
            &record(
                SEQUENCE,
                &[&record(OBJECT, &[EC_KEY]), &record(OBJECT, &[P256])],
            ),
            &bits(public_key),
        ],
    );
    let names = record(
        SEQUENCE,
        &[
            &record(DNS_NAME, &[b"localhost"]),
            &record(IP_ADDRESS, &[&[127, 0, 0, 1]]),
        ],
    );
    let extension = record(
        SEQUENCE,
        &[
            &record(OBJECT, &[ALTERNATIVE_NAMES]),
            &record(BYTES, &[&names]),
        ],
    );
    let extensions = record(PLACE_3, &[&record(SEQUENCE, &[&extension])]);
    record(
        SEQUENCE,
        &[
            &version,
            &serial,
            &algorithm(),
            &name,
            &validity,
            &name,
            &key,
            &extensions,
        ],
    )
}

fn algorithm() -> Vec<u8> {
    record(SEQUENCE, &[&record(OBJECT, &[ECDSA_SHA256])])
}

/// Bits that are whole bytes.
fn bits(bytes: &[u8]) -> Vec<u8> {
    record(BITS, &[&[0], bytes])
}

/// A record of DER: what it is, how long, and its content.
fn record(tag: u8, content: &[&[u8]]) -> Vec<u8> {
    let content = content.concat();
    let mut record = vec![tag];
    let length = content.len().to_be_bytes();
    let digits = length.iter().skip_while(|digit| **digit == 0).copied();
    let digits: Vec<u8> = digits.collect();
    match digits.as_slice() {
        [] => record.push(0),
        [short] if *short < 0x80 => record.push(*short),
        long => {
            record.push(0x80 | u8::try_from(long.len()).unwrap_or(0x7f));
            record.extend(long);
        }
    }
    record.extend(content);
    record
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_written_as_short_as_they_can_be() {
        assert_eq!(record(4, &[]), [4, 0]);
        assert_eq!(record(4, &[&[7; 0x7f]])[..2], [4, 0x7f]);
        assert_eq!(record(4, &[&[7; 0x80]])[..3], [4, 0x81, 0x80]);
        assert_eq!(record(4, &[&[7; 0x123]])[..4], [4, 0x82, 1, 0x23]);
    }

    #[test]
    fn a_certificate_is_accepted_with_its_key() {
        self_signed().unwrap();
    }
}
