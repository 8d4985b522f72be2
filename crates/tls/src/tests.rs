//! Handshakes in memory, with certificates made for the purpose.

use super::*;
use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use rustls::{
    ClientConnection, ServerConfig, ServerConnection,
    pki_types::{PrivateKeyDer, ServerName},
    server::WebPkiClientVerifier,
    version::{TLS12, TLS13},
};
use std::fs;
use tempfile::TempDir;

/// An authority, a server with a certificate of it, and a folder for files.
struct Fixture {
    folder: TempDir,
    authority: PathBuf,
    certificate: CertificateDer<'static>,
    server: Arc<ServerConfig>,
    picky: Arc<ServerConfig>,
    identity: (PathBuf, PathBuf),
}

fn scene() -> Fixture {
    let folder = tempfile::tempdir().unwrap();
    let key = KeyPair::generate().unwrap();
    let mut params = CertificateParams::new(Vec::<String>::new()).unwrap();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let authority = folder.path().join("ca.pem");
    fs::write(&authority, params.self_signed(&key).unwrap().pem()).unwrap();
    let issuer = Issuer::new(params, key);
    let signed = |name: &str| {
        let key = KeyPair::generate().unwrap();
        let params = CertificateParams::new(vec![name.to_owned()]).unwrap();
        (params.signed_by(&key, &issuer).unwrap(), key)
    };
    let (own, own_key) = signed("db.example");
    let (shown, shown_key) = signed("client");
    let identity = (
        folder.path().join("client.pem"),
        folder.path().join("client.key"),
    );
    fs::write(&identity.0, shown.pem()).unwrap();
    fs::write(&identity.1, shown_key.serialize_pem()).unwrap();
    let provider = Arc::new(ring::default_provider());
    let builder = || {
        ServerConfig::builder_with_provider(Arc::clone(&provider))
            .with_safe_default_protocol_versions()
            .unwrap()
    };
    let serving = || {
        let key = PrivateKeyDer::try_from(own_key.serialize_der()).unwrap();
        (vec![own.der().clone()], key)
    };
    let (chain, key) = serving();
    let server = builder()
        .with_no_client_auth()
        .with_single_cert(chain, key)
        .unwrap();
    let roots = Arc::new(authorities(&authority).unwrap());
    let clients = WebPkiClientVerifier::builder_with_provider(roots, Arc::clone(&provider)).build();
    let (chain, key) = serving();
    let picky = builder()
        .with_client_cert_verifier(clients.unwrap())
        .with_single_cert(chain, key)
        .unwrap();
    Fixture {
        authority,
        certificate: own.der().clone(),
        server: Arc::new(server),
        picky: Arc::new(picky),
        identity,
        folder,
    }
}

/// Both sides talk until neither has anything to say.
fn meet(config: ClientConfig, server: &Arc<ServerConfig>, name: &str) -> Result<(), rustls::Error> {
    let name = ServerName::try_from(name.to_owned()).unwrap();
    let mut client = ClientConnection::new(Arc::new(config), name)?;
    let mut server = ServerConnection::new(Arc::clone(server))?;
    while client.wants_write() || server.wants_write() {
        let mut wire = Vec::new();
        client.write_tls(&mut wire).unwrap();
        server.read_tls(&mut wire.as_slice()).unwrap();
        server.process_new_packets()?;
        let mut wire = Vec::new();
        server.write_tls(&mut wire).unwrap();
        client.read_tls(&mut wire.as_slice()).unwrap();
        client.process_new_packets()?;
    }
    Ok(())
}

/// What comes of a meeting in each version of TLS.
#[track_caller]
fn check(client: &Client, server: &Arc<ServerConfig>, name: &str, expected: bool) {
    for version in [&TLS12, &TLS13] {
        let config = client.config_with(ring::default_provider(), &[version]);
        let outcome = meet(config.unwrap(), server, name);
        assert_eq!(
            outcome.is_ok(),
            expected,
            "{:?}, {version:?}: {outcome:?}",
            client.trust
        );
    }
}

#[test]
fn who_is_trusted_is_taken_and_nobody_else() {
    let (ours, theirs) = (scene(), scene());
    let path = |path: &Path| Client::from(Trust::Path(path.to_owned()));
    check(&path(&ours.authority), &ours.server, "db.example", true);
    check(&path(ours.folder.path()), &ours.server, "db.example", true);
    check(&path(&ours.authority), &ours.server, "other.example", false);
    check(&path(&ours.authority), &theirs.server, "db.example", false);

    let any_name = Client::from(Trust::AnyName(ours.authority.clone()));
    check(&any_name, &ours.server, "other.example", true);
    check(&any_name, &theirs.server, "db.example", false);

    let only = Client::from(Trust::Only(ours.certificate.clone()));
    check(&only, &ours.server, "other.example", true);
    check(&only, &theirs.server, "other.example", false);

    check(&Trust::Anyone.into(), &theirs.server, "x.example", true);
    check(&Trust::Nobody.into(), &ours.server, "db.example", false);
    check(&Client::default(), &ours.server, "db.example", false);
}

/// As most BMCs have it: signed by itself, and an authority by its own word.
#[test]
fn a_server_may_show_the_authority_that_is_trusted() {
    let folder = tempfile::tempdir().unwrap();
    let made = |name: &str, year: i32| {
        let key = KeyPair::generate().unwrap();
        let mut params = CertificateParams::new(vec!["bmc.example".to_owned()]).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.not_after = rcgen::date_time_ymd(year, 1, 1);
        let own = params.self_signed(&key).unwrap();
        let file = folder.path().join(name);
        fs::write(&file, own.pem()).unwrap();
        let key = PrivateKeyDer::try_from(key.serialize_der()).unwrap();
        let server = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![own.der().clone()], key)
            .unwrap();
        (Client::from(Trust::Path(file)), Arc::new(server))
    };
    let (ours, server) = made("ours.pem", 4000);
    check(&ours, &server, "bmc.example", true);
    check(&ours, &server, "other.example", false);
    let (theirs, _) = made("theirs.pem", 4000);
    check(&theirs, &server, "bmc.example", false);
    let (past, server) = made("past.pem", 2000);
    check(&past, &server, "bmc.example", false);
}

#[test]
fn a_certificate_is_shown_to_who_asks() {
    let scene = scene();
    let mut client = Client::from(Trust::Path(scene.authority.clone()));
    check(&client, &scene.picky, "db.example", false);
    client.certificate = Some(scene.identity.clone());
    check(&client, &scene.picky, "db.example", true);
    check(&client, &scene.server, "db.example", true);
}

#[test]
fn files_that_are_of_no_use_are_named() {
    let (ours, theirs) = (scene(), scene());
    let folder = tempfile::tempdir().unwrap();
    let empty = folder.path().join("empty.pem");
    fs::write(&empty, "nothing").unwrap();
    let absent = folder.path().join("absent.pem");
    let of = |trust, certificate| Client { trust, certificate };
    let shown = |certificate: &Path, key: &Path| {
        let pair = Some((certificate.to_owned(), key.to_owned()));
        of(Trust::Anyone, pair)
    };
    for (client, path, reason) in [
        (Trust::Path(empty.clone()).into(), &*empty, "no certificate"),
        (Trust::Path(absent.clone()).into(), &*absent, "No such file"),
        (
            Trust::Path(folder.path().to_owned()).into(),
            folder.path(),
            "no certificate",
        ),
        (shown(&empty, &ours.identity.1), &*empty, "no certificate"),
        (shown(&absent, &ours.identity.1), &*absent, "No such file"),
        (shown(&ours.identity.0, &empty), &*empty, "no private key"),
        (shown(&ours.identity.0, &absent), &*absent, "No such file"),
        (
            shown(&ours.identity.0, &theirs.identity.1),
            &*ours.identity.0,
            "keys may not be consistent",
        ),
    ] {
        let refused = client.config().unwrap_err().to_string();
        let start = format!("{}: ", path.display());
        assert!(
            refused.starts_with(&start) && refused.contains(reason),
            "{refused}"
        );
    }
}
