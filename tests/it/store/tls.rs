//! TLS to real servers: what each mode takes and refuses, told by whether there is a connection.

mod server;

use crate::database::Engine;
use mysql_async::prelude::Queryable;
use server::{Authority, Server};
use std::path::Path;
use store::{Location, MariaDb, Postgres, SchemaState, StoreError};
use types::error::chain;

on_engine!(postgres, Postgres, postgresql_takes_what_the_url_asks_for);
on_engine!(mariadb, MariaDb, mariadb_takes_what_the_url_asks_for);

/// Connects; what comes out is whether that worked, and why not.
async fn reach(location: Location) -> Result<(), String> {
    let found = tokio::task::spawn_blocking(move || store::inspect(&location)).await;
    match found.unwrap() {
        Ok(SchemaState::Empty) => Ok(()),
        Ok(other) => panic!("a fresh database is {other:?}"),
        Err(error @ StoreError::Unavailable(_)) => Err(chain(&error)),
        Err(error) => panic!("{error:?}"),
    }
}

#[track_caller]
fn refused(outcome: Result<(), String>, words: &str) {
    let why = outcome.unwrap_err();
    assert!(why.contains(words), "expected '{words}': {why}");
    assert!(!why.contains("hunter2"), "{why}");
}

fn shown(path: &Path) -> String {
    path.display().to_string()
}

const ACCESS: &str = "\
local all all trust
hostssl all secret 127.0.0.1/32 scram-sha-256
hostssl all shown 127.0.0.1/32 trust clientcert=verify-ca
hostnossl all plain 127.0.0.1/32 trust
";

const ROLES: &str = "\
CREATE ROLE secret LOGIN PASSWORD 'hunter2';
CREATE ROLE shown LOGIN;
CREATE ROLE plain LOGIN";

async fn postgresql_takes_what_the_url_asks_for(_: Engine) {
    let folder = tempfile::tempdir().unwrap();
    let ours = Authority::new(folder.path(), "ours");
    let theirs = Authority::new(folder.path(), "theirs");
    let files = folder.path().join("files");
    std::fs::create_dir(&files).unwrap();
    ours.sign(&files, "server", "localhost");
    std::fs::copy(&ours.file, files.join("ca.pem")).unwrap();
    std::fs::write(files.join("pg_hba.conf"), ACCESS).unwrap();
    let server = Server::start("with-postgres", "POSTGRES", &files, |port| {
        let config = format!(
            "listen_addresses = '127.0.0.1'\nport = {port}\nssl = on\n\
             ssl_cert_file = 'server.pem'\nssl_key_file = 'server.key'\nssl_ca_file = 'ca.pem'\n"
        );
        ("postgresql.auto.conf", config)
    });
    let port = server.port;
    let local = format!("{} port={port}", server.address);
    let prepared = tokio::task::spawn_blocking(move || {
        let mut client = ::postgres::Client::connect(&local, ::postgres::NoTls).unwrap();
        client.batch_execute(ROLES).unwrap();
    });
    prepared.await.unwrap();

    let reach = |user: &str, host: &str, options: &str| {
        let url = format!("postgresql://{user}@{host}:{port}/postgres?{options}");
        reach(Location::Postgres(Postgres::parse(&url).unwrap()))
    };
    let (ca, foreign) = (shown(&ours.file), shown(&theirs.file));
    let secret = "secret:hunter2";
    // The server takes this user over TLS only.
    let plain = reach(secret, "127.0.0.1", "sslmode=disable").await;
    refused(plain, "no encryption");
    for options in ["", "sslmode=prefer", "sslmode=require"] {
        reach(secret, "127.0.0.1", options).await.unwrap();
    }
    let bound = "sslmode=require&channel_binding=require";
    reach(secret, "127.0.0.1", bound).await.unwrap();
    refused(
        reach("secret:wrong", "127.0.0.1", "").await,
        "password authentication failed",
    );

    // Whose certificate it is, and by which name.
    let full = format!("sslmode=verify-full&sslrootcert={ca}");
    reach(secret, "localhost", &full).await.unwrap();
    let misnamed = reach(secret, "127.0.0.1", &full).await;
    refused(misnamed, "certificate not valid for name");
    for mode in ["verify-ca", "require"] {
        let options = |ca: &str| format!("sslmode={mode}&sslrootcert={ca}");
        reach(secret, "127.0.0.1", &options(&ca)).await.unwrap();
        let strange = reach(secret, "127.0.0.1", &options(&foreign)).await;
        refused(strange.clone(), "invalid peer certificate");
        refused(strange, "sslrootcert=FILE in [database]connection");
    }
    let strange = format!("sslmode=verify-full&sslrootcert={foreign}");
    refused(
        reach(secret, "localhost", &strange).await,
        "invalid peer certificate",
    );
    refused(
        reach(secret, "localhost", "sslmode=verify-full").await,
        "invalid peer certificate",
    );
    refused(
        reach(
            secret,
            "localhost",
            "sslmode=verify-ca&sslrootcert=/no/such.pem",
        )
        .await,
        "/no/such.pem: No such file",
    );

    // Our own certificate.
    let with = |authority: &Authority| {
        let (certificate, key) = authority.sign(folder.path(), "own", "client");
        let (certificate, key) = (shown(&certificate), shown(&key));
        format!("{full}&sslcert={certificate}&sslkey={key}")
    };
    refused(
        reach("shown", "localhost", &full).await,
        "valid client certificate",
    );
    reach("shown", "localhost", &with(&ours)).await.unwrap();
    let alien = reach("shown", "localhost", &with(&theirs)).await;
    assert!(alien.is_err(), "an alien certificate was taken");

    // A server that does not want TLS from somebody gets none, unless it is required.
    reach("plain", "127.0.0.1", "").await.unwrap();
    let required = reach("plain", "127.0.0.1", "sslmode=require").await;
    refused(required, "SSL encryption");
}

const USERS: &str = "\
CREATE USER secret@'%' IDENTIFIED BY 'hunter2';
CREATE USER shown@'%' IDENTIFIED BY 'hunter2' REQUIRE X509;
CREATE DATABASE d; GRANT ALL ON d.* TO secret@'%'; GRANT ALL ON d.* TO shown@'%'";

async fn mariadb_takes_what_the_url_asks_for(_: Engine) {
    let folder = tempfile::tempdir().unwrap();
    let ours = Authority::new(folder.path(), "ours");
    let theirs = Authority::new(folder.path(), "theirs");
    let files = folder.path().join("files");
    std::fs::create_dir(&files).unwrap();
    ours.sign(&files, "server", "localhost");
    std::fs::copy(&ours.file, files.join("ca.pem")).unwrap();
    let server = Server::start("with-mariadb", "MARIADB", &files, |port| {
        let config = format!(
            "[mariadbd]\nbind-address = 127.0.0.1\nport = {port}\nssl-ca = ca.pem\n\
             ssl-cert = server.pem\nssl-key = server.key\nrequire-secure-transport = ON\n"
        );
        ("my.cnf", config)
    });
    let (_, socket) = server.address.split_once("unix_socket=").unwrap();
    let options = mysql_async::OptsBuilder::default()
        .user(Some("root"))
        .socket(Some(socket));
    let mut client = mysql_async::Conn::new(options).await.unwrap();
    client.query_drop(USERS).await.unwrap();
    client.disconnect().await.unwrap();

    let port = server.port;
    let reach = |user: &str, host: &str, options: &str| {
        let url = format!("{user}:hunter2@{host}:{port}/d?charset=utf8&{options}");
        reach(Location::MariaDb(MariaDb::parse(&url).unwrap()))
    };
    let (ca, foreign) = (shown(&ours.file), shown(&theirs.file));
    for options in ["", "ssl_disabled=true"] {
        let plain = reach("secret", "127.0.0.1", options).await;
        refused(plain, "Access denied");
    }
    let blind = "ssl_verify_cert=false";
    reach("secret", "127.0.0.1", blind).await.unwrap();
    let full = format!("ssl_ca={ca}");
    reach("secret", "localhost", &full).await.unwrap();
    let misnamed = reach("secret", "127.0.0.1", &full).await;
    refused(misnamed, "certificate not valid for name");
    let strange = reach("secret", "localhost", &format!("ssl_ca={foreign}")).await;
    refused(strange.clone(), "invalid peer certificate");
    refused(strange, "ssl_ca=FILE in [database]connection");
    refused(
        reach("secret", "localhost", "ssl_ca=/no/such.pem").await,
        "/no/such.pem: No such file",
    );

    let with = |authority: &Authority| {
        let (certificate, key) = authority.sign(folder.path(), "own", "client");
        let (certificate, key) = (shown(&certificate), shown(&key));
        format!("{full}&ssl_cert={certificate}&ssl_key={key}")
    };
    refused(reach("shown", "localhost", &full).await, "Access denied");
    reach("shown", "localhost", &with(&ours)).await.unwrap();
    let alien = reach("shown", "localhost", &with(&theirs)).await;
    assert!(alien.is_err(), "an alien certificate was taken");
}
