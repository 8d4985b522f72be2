//! The program under the names of Ironic's, as links that unit files and containers start; and a copy
//! that is only looked at.

use super::*;
use crate::{
    cluster::process::Process,
    program::{self, Program},
};
use std::{os::unix::fs::symlink, path::PathBuf};
use tokio::process::Command;

every_server!(
    links_with_the_names_of_ironics_programs_do_what_those_do,
    nothing_is_changed_in_a_copy_to_look_at,
);

/// A link to the program.
fn link(folder: &Path, name: &str) -> PathBuf {
    let link = folder.join(name);
    symlink(program::path(), &link).unwrap();
    link
}

/// Runs a link to its end; its exit code, and all that it said.
async fn run(link: &Path, words: &[&str]) -> (Option<i32>, String) {
    let output = Command::new(link).args(words).output().await.unwrap();
    let said = [output.stdout, output.stderr].concat();
    (output.status.code(), String::from_utf8(said).unwrap())
}

async fn links_with_the_names_of_ironics_programs_do_what_those_do(engine: Engine) {
    let database = Database::create(engine);
    let folder = database.directory();
    KeyRing::load_or_create(&database.key_file()).unwrap();
    let file = folder.join("ironic.conf");
    std::fs::write(
        &file,
        format!(
            "[DEFAULT]\nauth_strategy = noauth\n[database]\nconnection = {}\n[api]\n\
             host_ip = 127.0.0.1\nport = 0\n[corten]\nkey_file = {}\ndata_dir = {}\n\
             cluster_secret = what-only-this-test-knows-of\n",
            database.url(),
            database.key_file().display(),
            folder.display(),
        ),
    )
    .unwrap();
    let file = ["--config-file", file.to_str().unwrap()];
    let with = |words: &[&'static str]| [&file[..], words].concat();

    let (status, dbsync) = (link(folder, "ironic-status"), link(folder, "ironic-dbsync"));
    let (code, said) = run(&status, &with(&["upgrade", "check"])).await;
    assert!(
        code == Some(1) && said.contains("There is no schema yet"),
        "{said}"
    );
    let (code, said) = run(&dbsync, &with(&["version"])).await;
    assert!(code == Some(0) && said.contains("no schema yet"), "{said}");
    let (code, said) = run(&dbsync, &with(&["upgrade"])).await;
    assert!(code == Some(0) && said.contains("schema created"), "{said}");
    let (code, said) = run(&dbsync, &with(&["online_data_migrations"])).await;
    assert_eq!(code, Some(0), "{said}");
    let (code, said) = run(&dbsync, &with(&["stamp"])).await;
    assert!(
        code != Some(0) && said.contains("'stamp' is not known"),
        "{said}"
    );
    let (code, said) = run(&status, &with(&["upgrade", "check"])).await;
    assert!(
        code == Some(0) && said.contains("Check: Database schema"),
        "{said}"
    );

    let api = Command::new(link(folder, "ironic-api"));
    let api = Program::try_start(api, &file, &folder.join("api.log"))
        .await
        .unwrap();
    let root = api.client.get("/v1").await.expect(200).json();
    assert_eq!(root["id"], "v1");
    api.client.get("/v1/nodes").await.expect(200);
    api.stop().await;
}

async fn nothing_is_changed_in_a_copy_to_look_at(engine: Engine) {
    let database = Database::create(engine);
    let source = ironic(database.directory(), "");
    import_for(source.clone(), &database, Purpose::Shadow)
        .await
        .unwrap();
    let api = Process::start(&database, "api", "api-1", &["DEFAULT.auth_strategy=noauth"]).await;
    let client = &api.client;
    client.get(&format!("/v1/nodes/{ACTIVE}")).await.expect(200);
    let chassis = || client.post("/v1/chassis", json!({"description": "new"}));
    let refused = [
        chassis().await,
        client
            .patch(
                &format!("/v1/nodes/{ACTIVE}"),
                json!([{"op": "add", "path": "/extra/a", "value": 1}]),
            )
            .await,
        client.delete(&format!("/v1/nodes/{REBOOTS}")).await,
        client
            .put(
                &format!("/v1/nodes/{ACTIVE}/states/power"),
                json!({"target": "power off"}),
            )
            .await,
    ];
    for answer in refused {
        let answer = answer.expect(403);
        assert!(answer.fault().contains("copy of an Ironic"), "{answer:?}");
    }
    // It can be made again, and be served once it is in earnest.
    import_for(source.clone(), &database, Purpose::Shadow)
        .await
        .unwrap();
    import(source, &database).await.unwrap();
    chassis().await.expect(201);
}
