//! rustls for the PostgreSQL client.
//!
//! The hash of the server's certificate is part of the login where the server offers it (channel
//! binding, RFC 5929): a man in the middle with another certificate cannot relay our login, even
//! where certificates are not verified.

use postgres::{
    Socket,
    tls::{ChannelBinding, MakeTlsConnect, TlsConnect},
};
use ring::digest::{self, Algorithm};
use std::{
    convert::Infallible,
    io,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_rustls::{
    TlsConnector, client,
    rustls::{ClientConfig, pki_types::ServerName},
};

/// Makes connections with TLS.
pub(super) struct Connector(TlsConnector);

impl Connector {
    pub(super) fn new(mut config: ClientConfig) -> Self {
        // Servers since 17 want to hear what is spoken; earlier ones do not mind.
        config.alpn_protocols = vec![b"postgresql".to_vec()];
        Self(Arc::new(config).into())
    }
}

impl MakeTlsConnect<Socket> for Connector {
    type Stream = Stream;
    type TlsConnect = Handshake;
    type Error = Infallible;

    fn make_tls_connect(&mut self, host: &str) -> Result<Handshake, Infallible> {
        // This is asked before it is known whether there will be a handshake at all.
        Ok(Handshake {
            connector: self.0.clone(),
            host: host.to_owned(),
        })
    }
}

pub(super) struct Handshake {
    connector: TlsConnector,
    host: String,
}

/// There is no TLS with the server.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub(super) struct Unshaken(#[from] pub(super) io::Error);

impl TlsConnect<Socket> for Handshake {
    type Stream = Stream;
    type Error = Unshaken;
    type Future = Pin<Box<dyn Future<Output = Result<Stream, Unshaken>> + Send>>;

    fn connect(self, socket: Socket) -> Self::Future {
        Box::pin(async move {
            let name = ServerName::try_from(self.host).map_err(io::Error::other)?;
            Ok(Stream(self.connector.connect(name, socket).await?))
        })
    }
}

/// A connection under TLS.
pub(super) struct Stream(client::TlsStream<Socket>);

impl AsyncRead for Stream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(context, buffer)
    }
}

impl AsyncWrite for Stream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(context)
    }
}

impl postgres::tls::TlsStream for Stream {
    fn channel_binding(&self) -> ChannelBinding {
        let (_, session) = self.0.get_ref();
        let shown = session.peer_certificates().and_then(<[_]>::first);
        match shown.and_then(|certificate| end_point(certificate)) {
            Some(hash) => ChannelBinding::tls_server_end_point(hash),
            None => ChannelBinding::none(),
        }
    }
}

/// `tls-server-end-point` of a certificate: its hash, by the algorithm that its signature uses, or
/// by SHA-256 where that one is weaker. None where the RFC does not say which.
fn end_point(certificate: &[u8]) -> Option<Vec<u8>> {
    let algorithm = signature_hash(certificate)?;
    Some(digest::digest(algorithm, certificate).as_ref().to_vec())
}

fn signature_hash(certificate: &[u8]) -> Option<&'static Algorithm> {
    /// 1.2.840.113549.1.1, signatures with RSA.
    const RSA: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01];
    /// 1.2.840.10045.4, signatures with ECDSA, and 3 for those with SHA-2.
    const ECDSA: &[u8] = &[0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04];
    const ECDSA_SHA2: &[u8] = &[0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03];
    let (certificate, _) = element(certificate)?;
    let (_, rest) = element(certificate)?;
    let (algorithm, _) = element(rest)?;
    let (name, _) = element(algorithm)?;
    let (last, family) = name.split_last()?;
    match (family, last) {
        // MD5 and SHA-1.
        (RSA, 4 | 5) | (ECDSA, 1) => Some(&digest::SHA256),
        (RSA, 11) | (ECDSA_SHA2, 2) => Some(&digest::SHA256),
        (RSA, 12) | (ECDSA_SHA2, 3) => Some(&digest::SHA384),
        (RSA, 13) | (ECDSA_SHA2, 4) => Some(&digest::SHA512),
        _ => None,
    }
}

/// What the first element of DER holds, and what follows it.
fn element(der: &[u8]) -> Option<(&[u8], &[u8])> {
    let (_tag, rest) = der.split_first()?;
    let (&first, rest) = rest.split_first()?;
    let (length, rest) = match usize::from(first) {
        short @ ..0x80 => (short, rest),
        long => {
            let (digits, rest) = rest.split_at_checked(long - 0x80)?;
            let length = digits.iter().try_fold(0_usize, |length, digit| {
                length.checked_mul(256)?.checked_add(usize::from(*digit))
            });
            (length?, rest)
        }
    };
    rest.split_at_checked(length)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As much of a certificate as is looked at.
    fn certificate(algorithm: &[u8]) -> Vec<u8> {
        let wrap = |tag: u8, content: &[u8]| {
            let length = u16::try_from(content.len()).unwrap().to_be_bytes();
            [&[tag, 0x82], length.as_slice(), content].concat()
        };
        let name = [&[0x06, u8::try_from(algorithm.len()).unwrap()], algorithm].concat();
        let parts = [
            wrap(0x30, &[7; 600]),
            wrap(0x30, &name),
            wrap(0x03, &[0, 1]),
        ];
        wrap(0x30, &parts.concat())
    }

    #[test]
    fn the_hash_is_that_of_the_signature() {
        let rsa = |last| [&[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 1][..], &[last]].concat();
        let ecdsa = |last: &[u8]| [&[0x2a, 0x86, 0x48, 0xce, 0x3d, 4][..], last].concat();
        for (algorithm, length) in [
            (rsa(5), Some(32)),
            (rsa(11), Some(32)),
            (rsa(12), Some(48)),
            (rsa(13), Some(64)),
            // RSA-PSS names its hash elsewhere.
            (rsa(10), None),
            (ecdsa(&[1]), Some(32)),
            (ecdsa(&[3, 2]), Some(32)),
            (ecdsa(&[3, 3]), Some(48)),
            (ecdsa(&[3, 4]), Some(64)),
            // Ed25519 has none.
            (vec![0x2b, 0x65, 0x70], None),
        ] {
            let found = end_point(&certificate(&algorithm)).map(|hash| hash.len());
            assert_eq!(found, length, "{algorithm:?}");
        }
    }

    #[test]
    fn what_is_no_certificate_has_no_hash() {
        let whole = certificate(&[0x2a, 0x86, 0x48, 0xce, 0x3d, 4, 3, 2]);
        for end in 0..600 {
            assert_eq!(end_point(&whole[..end]), None);
        }
        for length in [
            &[0x80][..],
            &[0xff],
            &[0x89; 20],
            &[0x84, 255, 255, 255, 255],
        ] {
            assert_eq!(end_point(&[&[0x30], length].concat()), None);
        }
    }
}
