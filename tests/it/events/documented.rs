//! The program in docs/reference/events.md that passes events on to a chat.

use super::{write, writers_of};
use crate::{
    database::Engine,
    lab::{Lab, Options},
    port,
};
use axum::{Json, Router, http::StatusCode, routing::post};
use serde_json::{Value, json};
use std::{
    env, fs,
    process::Stdio,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};
use tokio::{
    net::{TcpListener, TcpStream},
    process::{Child, Command},
    sync::mpsc,
};

const PAGE: &str = include_str!("../../../docs/reference/events.md");
const SECRET: &str = "a secret that both know";

/// The block of the page that is a whole program.
fn program() -> &'static str {
    let blocks = PAGE.split("```python\n").skip(1);
    let mut blocks = blocks.filter_map(|rest| rest.split("```").next());
    blocks
        .find(|block| block.starts_with("#!"))
        .expect("the page has the program")
}

/// A chat that is away at first; what it is told.
async fn chat() -> (String, mpsc::UnboundedReceiver<String>) {
    let (sender, receiver) = mpsc::unbounded_channel();
    let was_away = Arc::new(AtomicBool::new(false));
    let told = move |Json(body): Json<Value>| {
        let (sender, was_away) = (sender.clone(), Arc::clone(&was_away));
        async move {
            if !was_away.swap(true, Ordering::SeqCst) {
                return StatusCode::SERVICE_UNAVAILABLE;
            }
            sender
                .send(body["text"].as_str().unwrap().to_owned())
                .unwrap();
            StatusCode::OK
        }
    };
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/hook", listener.local_addr().unwrap());
    let router = Router::new().route("/hook", post(told));
    tokio::spawn(async move { axum::serve(listener, router).await });
    (url, receiver)
}

/// Returns when the program listens; nothing if there is no Python here.
async fn start(folder: &tempfile::TempDir, chat: &str, port: u16) -> Option<Child> {
    let file = folder.path().join("corten-chat");
    fs::write(&file, program()).unwrap();
    let child = Command::new("python3")
        .arg(&file)
        .env("SECRET", SECRET)
        .env("CHAT_URL", chat)
        .env("PORT", port.to_string())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .spawn();
    let Ok(child) = child else {
        assert!(env::var_os("CI").is_none(), "python3 is missing");
        println!("SKIPPED: there is no python3 here");
        return None;
    };
    while TcpStream::connect(("127.0.0.1", port)).await.is_err() {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    Some(child)
}

#[tokio::test]
async fn the_chat_hears_of_each_event_once_and_in_order() {
    let mut options = Options::default();
    options.api.webhooks.first_delay = Duration::from_millis(2);
    let lab = Lab::with(Engine::Sqlite, options).await;
    let (url, mut told) = chat().await;
    let folder = tempfile::tempdir().unwrap();
    let port = port::free();
    let Some(_child) = start(&folder, &url, port).await else {
        return;
    };
    let writers = writers_of(&lab, Engine::Sqlite);
    write(&writers, 1, 3).join_all().await;
    let hook = |secret: &str| json!({"url": format!("http://127.0.0.1:{port}/"), "secret": secret, "after": 0});
    let path = "/corten/v1/webhooks";
    lab.client.post(path, hook(SECRET)).await.expect(201);
    let events = lab.client.get("/corten/v1/events?after=0").await.json();
    let events = events["events"].as_array().unwrap().clone();
    assert!(events.len() >= 3, "{events:?}");
    for event in events {
        let text = |key: &str| event[key].as_str().unwrap_or_default().to_owned();
        let line = format!("{}: {}: {}", text("node"), text("kind"), text("text"));
        assert_eq!(told.recv().await.unwrap(), line);
    }

    // One who does not know the secret is not heard.
    let other = lab.client.post(path, hook("another secret, as long")).await;
    let other = other.expect(201).json();
    let uuid = other["uuid"].as_str().unwrap();
    let tried = lab
        .client
        .post(&format!("{path}/{uuid}/test"), json!({}))
        .await;
    assert_eq!(tried.json()["status"], 403);
    assert!(told.try_recv().is_err());
}
