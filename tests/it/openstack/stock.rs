//! The configuration of Ironic's installation guide, where none of the services it names is there.

use crate::{
    database::{Database, Engine},
    http::Request,
    program::Program,
};
use std::fs;

const STOCK: &str = include_str!("../../../crates/corten/src/serve/stock.conf");

/// The database is another one, and the folders; nothing listens at the addresses of the guide, which
/// are nobody's (RFC 5737).
#[tokio::test]
async fn the_service_comes_up_and_answers_though_no_other_service_does() {
    let database = Database::create(Engine::Sqlite);
    store::KeyRing::load_or_create(&database.key_file()).unwrap();
    let folder = database.directory();
    let config = folder.join("ironic.conf");
    fs::write(&config, STOCK).unwrap();
    fs::write(folder.join("policy.yaml"), "{}\n").unwrap();
    let path = |name: &str| folder.join(name).display().to_string();
    let mut arguments = vec![
        "serve".to_owned(),
        "--config-file".to_owned(),
        config.display().to_string(),
        "--data-dir".to_owned(),
        folder.display().to_string(),
    ];
    for setting in [
        format!("database.connection={}", database.url()),
        "api.port=0".to_owned(),
        format!("DEFAULT.log_dir={}", path("log")),
        format!("DEFAULT.state_path={}", path("state")),
        format!("deploy.http_root={}", path("http")),
        format!("pxe.tftp_root={}", path("tftp")),
        format!("pxe.images_path={}", path("images")),
        format!("pxe.instance_master_path={}", path("masters")),
    ] {
        arguments.extend(["--set".to_owned(), setting]);
    }
    let program = Program::start(arguments, &folder.join("service.log")).await;
    let versions = program.client.get("/").await.expect(200).json();
    assert_eq!(versions["default_version"]["id"], "v1");
    // Whoever shows no token is told so without Keystone.
    let nodes = program.client.send(Request::new("GET", "/v1/nodes")).await;
    nodes.expect(401);
    program.stop().await;
}
