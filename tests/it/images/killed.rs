//! `kill -9` of the real program while it fetches an image, again and again: in the end the image is
//! there and nothing else is.

use super::{ROOT, settled, source::Source};
use crate::{
    agent::{netboot::qcow2, rebuild::sha256},
    database::{Database, Engine},
    program::Program,
};
use serde_json::json;
use std::fs;

every_engine!(a_program_that_is_killed_while_it_fetches_leaves_no_half_file);

async fn a_program_that_is_killed_while_it_fetches_leaves_no_half_file(engine: Engine) {
    let database = Database::create(engine);
    store::KeyRing::load_or_create(&database.key_file()).unwrap();
    let folder = database.directory();
    let mut arguments = vec![
        "serve".to_owned(),
        "--data-dir".to_owned(),
        folder.display().to_string(),
    ];
    for setting in [
        "api.port=0".to_owned(),
        "DEFAULT.host=kill-test".to_owned(),
        format!("database.connection={}", database.url()),
    ] {
        arguments.extend(["--set".to_owned(), setting]);
    }
    let log = folder.join("service.log");
    let disk = qcow2(b"the instance", false);
    let source = Source::that_stalls(disk.clone(), 100_000).await;
    let store = folder.join("image-store");

    let mut program = Program::start(&arguments, &log).await;
    let body = json!({"name": "a", "url": source.url(), "checksum": sha256(&disk)});
    program.client.post(ROOT, body).await.expect(201);
    for time in 1..=3 {
        source.has_stalled(time).await;
        program.kill().await;
        program = Program::start(&arguments, &log).await;
    }
    source.has_stalled(4).await;
    program.kill().await;
    source.goes_on();
    let program = Program::start(&arguments, &log).await;
    let image = settled(&program.client, "a").await;
    assert_eq!(image["state"], "ready", "{image:#}");
    let names: Vec<_> = fs::read_dir(&store)
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert_eq!(names, [sha256(&disk).as_str()]);
    program.stop().await;
}
