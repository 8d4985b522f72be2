//! Images by name, through the whole service: fetched, checked, deployed, sent by clients, had from
//! another conductor, interrupted and removed.

mod killed;
mod peers;
mod source;

use crate::{
    agent::{
        netboot::qcow2,
        place::AgentHome,
        puppet,
        rebuild::{available, deployed, options, sha256},
    },
    database::Engine,
    http::Client,
    lab::{HOST, Lab},
};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use conductor::Download;
use serde_json::{Value, json};
use source::Source;
use std::{fs, time::Duration};
use types::ProvisionState as S;

every_engine!(
    an_image_is_fetched_once_and_deployed_by_its_name,
    an_image_is_made_raw_where_images_come_through_the_service,
    what_is_not_what_it_should_be_is_refused_and_leaves_nothing,
    an_image_is_sent_in_parts,
    an_upload_that_the_conductor_does_not_survive_fails,
    a_fetch_that_was_interrupted_begins_anew,
    another_conductor_gets_an_uploaded_image_from_the_one_that_has_it,
    an_image_that_changed_at_its_source_is_fetched_again,
);

const ROOT: &str = "/corten/v1/images";

pub(crate) async fn shown(client: &Client, name: &str) -> Value {
    client
        .get(&format!("{ROOT}/{name}"))
        .await
        .expect(200)
        .json()
}

/// Waits until nothing is done about an image any more; returns its document.
pub(crate) async fn settled(client: &Client, name: &str) -> Value {
    until(client, name, |image| {
        ["ready", "failed"].contains(&image["state"].as_str().unwrap())
    })
    .await
}

/// Waits until an image is like this.
pub(crate) async fn until(client: &Client, name: &str, fits: impl Fn(&Value) -> bool) -> Value {
    let deadline = tokio::time::Instant::now() + Duration::from_secs(60);
    loop {
        let image = shown(client, name).await;
        if fits(&image) {
            return image;
        }
        assert!(tokio::time::Instant::now() < deadline, "{image:#}");
        // The row of an image has no event to wait for.
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// The files of the image store, finished and unfinished.
fn files(place: &AgentHome) -> Vec<String> {
    let entries = fs::read_dir(place.path("library")).into_iter().flatten();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.collect()
}

async fn files_become(place: &AgentHome, expected: &[String]) {
    let deadline = tokio::time::Instant::now() + Duration::from_secs(60);
    while files(place) != expected {
        assert!(tokio::time::Instant::now() < deadline, "{:?}", files(place));
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

async fn an_image_is_fetched_once_and_deployed_by_its_name(engine: Engine) {
    let place = AgentHome::make().await;
    let lab = Lab::with(engine, options(&place)).await;
    let disk = qcow2(b"the instance", false);
    let sum = sha256(&disk);
    let source = Source::of(disk.clone()).await;
    let list = source.list(&format!("{sum}  disk.qcow2\nxx  other\n"));
    for name in ["debian-13", "the-same"] {
        let body = json!({"name": name, "url": source.url(), "checksum_url": list});
        lab.client.post(ROOT, body).await.expect(201);
    }
    let image = settled(&lab.client, "debian-13").await;
    assert_eq!(image["state"], "ready", "{image:#}");
    assert_eq!(image["sha256"], sum);
    assert_eq!(image["size"], disk.len());
    assert_eq!(image["survey"]["format"], "qcow2");
    assert_eq!(image["survey"]["disk_size"], 2 << 20);
    assert_eq!(image["copies"][0]["conductor"], HOST);
    settled(&lab.client, "the-same").await;
    assert_eq!(
        files(&place),
        std::slice::from_ref(&sum),
        "the same bytes are kept once"
    );

    let machine = available(&lab, json!({"image_source": "image://debian-13"})).await;
    let agent = puppet().await;
    machine.asks("active").await.reaches(S::DeployWait).await;
    let path = format!("/agent_images/{}", machine.id);
    assert_eq!(place.get(&path).await, Some(disk), "the agent finds it");
    let told = deployed(&lab, machine, &agent).await;
    assert_eq!(told["urls"], json!([format!("{}{path}", place.url())]));
    assert_eq!(told["os_hash_algo"], "sha256");
    assert_eq!(told["os_hash_value"], sum);
    assert_eq!(told["disk_format"], "qcow2");
    let said = machine.show().await["instance_info"].clone();
    assert_eq!(said["image_source"], "image://debian-13");
    assert_eq!(place.get(&path).await, None, "the agent has it");

    let used = lab.client.delete(&format!("{ROOT}/debian-13")).await;
    used.expect(409);
    let forced = format!("{ROOT}/debian-13?force=true");
    lab.client.delete(&forced).await.expect(204);
    let rebuilt = machine.provision(json!({"target": "rebuild"})).await;
    assert!(
        rebuilt
            .expect(400)
            .text()
            .contains("has no image debian-13")
    );
    assert_eq!(machine.show().await["provision_state"], "active");
    assert_eq!(files(&place), [sum], "another image has the bytes");
    lab.client
        .delete(&format!("{ROOT}/the-same"))
        .await
        .expect(204);
    files_become(&place, &[]).await;
    lab.stop().await;
}

async fn an_image_is_made_raw_where_images_come_through_the_service(engine: Engine) {
    let place = AgentHome::make().await;
    let mut options = options(&place);
    options.conductor.images.download = Download::Local;
    let lab = Lab::with(engine, options).await;
    let source = Source::of(qcow2(b"the instance", false)).await;
    let body = json!({"name": "a", "url": source.url()});
    lab.client.post(ROOT, body).await.expect(201);
    settled(&lab.client, "a").await;
    let machine = available(&lab, json!({"image_source": "image://a"})).await;
    let agent = puppet().await;
    machine.asks("active").await.reaches(S::DeployWait).await;
    let raw = place.get(&format!("/agent_images/{}", machine.id)).await;
    let raw = raw.unwrap();
    assert!(raw.len() == 2 << 20 && raw.starts_with(b"the instance"));
    let told = deployed(&lab, machine, &agent).await;
    assert_eq!(told["disk_format"], "raw");
    assert_eq!(told["os_hash_value"], sha256(&raw));
    let converted = || {
        fs::read_dir(place.path("masters/instance"))
            .unwrap()
            .count()
    };
    assert_eq!(converted(), 1);
    machine.asks("rebuild").await;
    assert_eq!(deployed(&lab, machine, &agent).await, told);
    assert_eq!(converted(), 1, "it is converted once");
    lab.stop().await;
}

async fn what_is_not_what_it_should_be_is_refused_and_leaves_nothing(engine: Engine) {
    let place = AgentHome::make().await;
    let lab = Lab::with(engine, options(&place)).await;
    let disk = Source::of(qcow2(b"the instance", false)).await;
    let backed = Source::of(qcow2(b"the instance", true)).await;
    let archive = Source::of([b"070701".as_slice(), &[b'0'; 200]].concat()).await;
    for (name, body, why) in [
        (
            "sum",
            json!({"url": disk.url(), "checksum": "0".repeat(64)}),
            "sha256 checksum",
        ),
        (
            "list",
            json!({"url": disk.url(), "checksum_url": disk.list("xx other\n")}),
            "no checksum",
        ),
        (
            "none",
            json!({"url": format!("{}x", disk.url())}),
            "HTTP status 404",
        ),
        ("backed", json!({"url": backed.url()}), "refused"),
        (
            "ramdisk",
            json!({"url": archive.url()}),
            "a kernel, ramdisk or boot loader",
        ),
        (
            "file",
            json!({"url": "file:///etc/shadow"}),
            "not permitted",
        ),
    ] {
        let mut body = body;
        body["name"] = json!(name);
        lab.client.post(ROOT, body).await.expect(201);
        let image = settled(&lab.client, name).await;
        let error = image["last_error"].as_str().unwrap_or_default();
        assert!(error.contains(why), "{name}: {image:#}");
        assert_eq!(
            (&image["state"], &image["sha256"]),
            (&json!("failed"), &Value::Null)
        );
    }
    assert!(files(&place).is_empty());
    // What cannot be deployed is known before the machine is touched.
    let machine = available(&lab, json!({"image_source": "image://sum"})).await;
    let before = machine.show().await;
    for (source, why) in [
        ("image://sum", "it is failed"),
        ("image://never", "has no image never"),
        ("image://../x", "cannot be the name"),
    ] {
        let patch = json!([{"op": "add", "path": "/instance_info/image_source", "value": source}]);
        machine.patch(patch).await.expect(200);
        let verdict = lab.client.get(&machine.path("/validate")).await.expect(200);
        assert_eq!(verdict.json()["deploy"]["result"], false, "{source}");
        let refused = machine.provision(json!({"target": "active"})).await;
        let text = refused.expect(400).text();
        assert!(text.contains(why), "{source}: {text}");
    }
    let after = machine.show().await;
    for field in ["provision_state", "power_state", "last_error"] {
        assert_eq!(after[field], before[field]);
    }
    lab.stop().await;
}

fn part(offset: usize, bytes: &[u8]) -> Value {
    json!({"offset": offset, "data": STANDARD.encode(bytes)})
}

async fn begin_upload(lab: &Lab, name: &str, disk: &[u8]) {
    let body = json!({"name": name, "size": disk.len(), "checksum": sha256(disk)});
    let made = lab.client.post(ROOT, body).await.expect(201).json();
    assert_eq!(
        (&made["state"], &made["conductor"]),
        (&json!("uploading"), &json!(HOST))
    );
}

async fn upload(lab: &Lab, name: &str, disk: &[u8]) {
    begin_upload(lab, name, disk).await;
    let path = format!("{ROOT}/{name}/content");
    for (index, chunk) in disk.chunks(100_000).enumerate() {
        let sent = lab.client.put(&path, part(index * 100_000, chunk)).await;
        let received = (index * 100_000 + chunk.len()).min(disk.len());
        assert_eq!(sent.expect(200).json()["received"], received);
    }
}

async fn an_image_is_sent_in_parts(engine: Engine) {
    let place = AgentHome::make().await;
    let lab = Lab::with(engine, options(&place)).await;
    let disk = qcow2(b"the instance", false);
    begin_upload(&lab, "own", &disk).await;
    let path = format!("{ROOT}/own/content");
    let (first, rest) = disk.split_at(100_000);
    let put = async |body: Value| lab.client.put(&path, body).await;
    put(part(0, first)).await.expect(200);
    // Its answer was lost.
    assert_eq!(
        put(part(0, first)).await.expect(200).json()["received"],
        100_000
    );
    let gap = put(part(200_000, b"x")).await.expect(400).text().to_owned();
    assert!(gap.contains("begins at 100000"), "{gap}");
    put(json!({"offset": 100_000, "data": "%"}))
        .await
        .expect(400);
    let long = put(part(100_000, &[rest, b"x"].concat())).await;
    long.expect(400);
    put(part(100_000, rest)).await.expect(200);
    let image = shown(&lab.client, "own").await;
    assert_eq!(
        (&image["state"], &image["sha256"]),
        (&json!("ready"), &json!(sha256(&disk)))
    );
    put(part(0, first)).await.expect(409);
    // Bytes that do not have the sum are refused.
    begin_upload(&lab, "wrong", &disk).await;
    let wrong = vec![0; disk.len()];
    let answer = lab
        .client
        .put(&format!("{ROOT}/wrong/content"), part(0, &wrong))
        .await;
    assert!(answer.expect(400).text().contains("sha256 checksum"));
    assert_eq!(shown(&lab.client, "wrong").await["state"], "failed");
    assert_eq!(files(&place), [sha256(&disk)]);
    lab.stop().await;
}

async fn an_upload_that_the_conductor_does_not_survive_fails(engine: Engine) {
    let place = AgentHome::make().await;
    let lab = Lab::with(engine, options(&place)).await;
    let disk = qcow2(b"the instance", false);
    begin_upload(&lab, "own", &disk).await;
    let path = format!("{ROOT}/own/content");
    lab.client
        .put(&path, part(0, &disk[..100_000]))
        .await
        .expect(200);
    assert_eq!(files(&place).len(), 1, "the part");
    let database = lab.stop().await;
    let lab = Lab::on(database, options(&place)).await;
    let image = settled(&lab.client, "own").await;
    assert_eq!(image["state"], "failed");
    let error = image["last_error"].as_str().unwrap();
    assert!(error.contains("was not completed"), "{error}");
    files_become(&place, &[]).await;
    lab.stop().await;
}

async fn a_fetch_that_was_interrupted_begins_anew(engine: Engine) {
    let place = AgentHome::make().await;
    let lab = Lab::with(engine, options(&place)).await;
    let disk = qcow2(b"the instance", false);
    let source = Source::that_stalls(disk.clone(), 100_000).await;
    let body = json!({"name": "a", "url": source.url(), "checksum": sha256(&disk)});
    lab.client.post(ROOT, body).await.expect(201);
    let far = until(&lab.client, "a", |image| {
        image["done_bytes"].as_u64() > Some(0)
    })
    .await;
    assert_eq!(
        (&far["state"], &far["conductor"]),
        (&json!("fetching"), &json!(HOST))
    );
    assert_eq!(far["total_bytes"], disk.len());
    let database = lab.stop().await;
    source.goes_on();
    let lab = Lab::on(database, options(&place)).await;
    let image = settled(&lab.client, "a").await;
    assert_eq!(
        (&image["state"], &image["sha256"]),
        (&json!("ready"), &json!(sha256(&disk)))
    );
    files_become(&place, &[sha256(&disk)]).await;
    // What is removed while it is being fetched leaves nothing either.
    source.stalls_again();
    let body = json!({"name": "b", "url": source.url()});
    lab.client.post(ROOT, body).await.expect(201);
    until(&lab.client, "b", |image| {
        image["done_bytes"].as_u64() > Some(0)
    })
    .await;
    lab.client.delete(&format!("{ROOT}/b")).await.expect(204);
    source.goes_on();
    files_become(&place, &[sha256(&disk)]).await;
    lab.stop().await;
}

async fn another_conductor_gets_an_uploaded_image_from_the_one_that_has_it(engine: Engine) {
    let first = AgentHome::make().await;
    let lab = Lab::with(engine, options(&first)).await;
    let disk = qcow2(b"the instance", false);
    upload(&lab, "own", &disk).await;
    let copy = shown(&lab.client, "own").await["copies"][0].clone();
    assert_eq!(
        copy["url"],
        format!("{}/agent_images/{}", first.url(), sha256(&disk))
    );
    // Its image server goes on, and another conductor serves the nodes.
    let database = lab.stop().await;
    let second = AgentHome::make().await;
    let mut options = options(&second);
    options.conductor.host = "another".into();
    let lab = Lab::on(database, options).await;
    let machine = available(&lab, json!({"image_source": "image://own"})).await;
    // A copy that was changed is not taken, and nothing else has the image.
    let kept = first.path("library").join(sha256(&disk));
    fs::write(&kept, vec![0; disk.len()]).unwrap();
    machine.asks("active").await;
    let failed = machine
        .until("a failure", |node| {
            Some(node["provision_state"] == "deploy failed")
        })
        .await;
    let error = failed["last_error"].as_str().unwrap();
    assert!(
        error.contains(HOST) && error.contains("sha256 checksum"),
        "{error}"
    );
    assert!(files(&second).is_empty());
    fs::write(&kept, &disk).unwrap();
    machine.asks("active").await.reaches(S::DeployWait).await;
    let path = format!("/agent_images/{}", machine.id);
    assert_eq!(second.get(&path).await, Some(disk.clone()));
    assert_eq!(files(&second), [sha256(&disk)]);
    let copies = shown(&lab.client, "own").await["copies"].clone();
    let holders: Vec<&Value> = copies
        .as_array()
        .unwrap()
        .iter()
        .map(|copy| &copy["conductor"])
        .collect();
    assert_eq!(holders, [HOST, "another"]);
    lab.stop().await;
}

async fn an_image_that_changed_at_its_source_is_fetched_again(engine: Engine) {
    let place = AgentHome::make().await;
    let lab = Lab::with(engine, options(&place)).await;
    let (old, new) = (qcow2(b"the old one", false), qcow2(b"the new one", false));
    let source = Source::of(old.clone()).await;
    let body = json!({"name": "a", "url": source.url()});
    lab.client.post(ROOT, body).await.expect(201);
    settled(&lab.client, "a").await;
    let path = format!("{ROOT}/a/refresh");
    // A source that is away for now takes nothing away.
    source.becomes(None);
    lab.client.post(&path, Value::Null).await.expect(202);
    let kept = until(&lab.client, "a", |image| !image["last_error"].is_null()).await;
    assert_eq!(
        (&kept["state"], &kept["sha256"]),
        (&json!("ready"), &json!(sha256(&old)))
    );
    source.becomes(Some(new.clone()));
    lab.client.post(&path, Value::Null).await.expect(202);
    let fetched = until(&lab.client, "a", |image| image["sha256"] == sha256(&new)).await;
    assert_eq!(
        (&fetched["state"], &fetched["last_error"]),
        (&json!("ready"), &Value::Null)
    );
    files_become(&place, &[sha256(&new)]).await;
    lab.stop().await;
}
