//! A console whose machine is served by another process than the one that the user talks to.

use super::{Cluster, asks, enroll, eventually, reaches};
use crate::{
    database::Engine,
    ipmi::watching::{handshake, next, notice, types},
    port, screen,
    sim_ipmi::rack::Rack,
};
use ::types::ProvisionState as S;
use serde_json::json;
use sim::{Settings, ipmi::Options};
use tokio_tungstenite::tungstenite::Message;

on_engine!(
    postgres,
    Postgres,
    a_console_is_carried_between_processes,
    a_screen_is_carried_between_processes
);

async fn a_console_is_carried_between_processes(engine: Engine) {
    let sets = [
        "DEFAULT.enabled_hardware_types=fake-hardware",
        "DEFAULT.enabled_power_interfaces=fake,ipmitool",
        "DEFAULT.enabled_management_interfaces=fake,ipmitool",
        "DEFAULT.enabled_console_interfaces=fake,ipmitool-socat",
    ];
    let cluster = Cluster::start(engine, &["c1"], &sets).await;
    let settings = Settings {
        is_on_at_first: true,
        ..Settings::default()
    };
    let rack = Rack::with(settings, Options::default()).await;
    let mut info = rack.driver_info();
    info.insert("ipmi_terminal_port".into(), json!(port::free()));
    let client = cluster.client();
    let node = json!({
        "driver_info": info, "power_interface": "ipmitool",
        "management_interface": "ipmitool", "console_interface": "ipmitool-socat",
    });
    let node = enroll(client, node).await;
    asks(client, &node, "manage").await.expect(202);
    reaches(client, &node, S::Manageable).await;
    let path = format!("/corten/v1/nodes/{node}/console");
    let (status, text) = handshake(client.address, &path, "").await.unwrap_err();
    assert_eq!(status, 409, "{text}");

    let enabled = format!("/v1/nodes/{node}/states/console");
    let switch = async |on: bool| {
        let body = json!({"enabled": on});
        client.put(&enabled, body).await.expect(202);
        eventually("the console is switched", async || {
            let shown = client
                .get(&format!("/v1/nodes/{node}"))
                .await
                .expect(200)
                .json();
            shown["console_enabled"] == json!(on) && shown["reservation"].is_null()
        })
        .await;
    };
    switch(true).await;
    let mut socket = handshake(client.address, &path, "").await.unwrap();
    let first = notice(&mut socket).await;
    assert_eq!(first, json!({"type": "writer", "writer": true}));
    types(&mut socket, "who\r").await;
    let mut heard = String::new();
    while !heard.ends_with("who\r\nsim-0 login: ") {
        match next(&mut socket).await {
            Some(Message::Binary(more)) => heard += &String::from_utf8_lossy(&more),
            other => panic!("{other:?} after {heard:?}"),
        }
    }
    switch(false).await;
    let ended = notice(&mut socket).await;
    assert_eq!(ended["type"], "ended", "{ended}");
    assert!(
        ended["reason"].as_str().unwrap().contains("switched off"),
        "{ended}"
    );
    assert!(matches!(next(&mut socket).await, Some(Message::Close(_))));

    // A conductor that is gone takes its consoles along.
    switch(true).await;
    let mut socket = handshake(client.address, &path, "").await.unwrap();
    notice(&mut socket).await;
    let Cluster {
        api,
        mut conductors,
        database,
    } = cluster;
    conductors.remove(0).kill().await;
    let ended = loop {
        match next(&mut socket).await {
            Some(Message::Text(text)) => break text.to_string(),
            Some(Message::Binary(_)) => {}
            other => panic!("{other:?}"),
        }
    };
    assert!(
        ended.contains("connection to the conductor lost"),
        "{ended}"
    );
    api.stop().await;
    drop(database);
}

async fn a_screen_is_carried_between_processes(engine: Engine) {
    let sets = [
        "DEFAULT.enabled_hardware_types=fake-hardware",
        "DEFAULT.enabled_console_interfaces=fake,fake-graphical",
        "vnc.enabled=true",
    ];
    let cluster = Cluster::start(engine, &["c1"], &sets).await;
    let client = cluster.client();
    let node = enroll(client, json!({"console_interface": "fake-graphical"})).await;
    let path = format!("/v1/nodes/{node}/states/console");
    let switch = async |on: bool| {
        let body = json!({"enabled": on});
        client.put(&path, body).await.expect(202);
        eventually("the console is switched", async || {
            let shown = client.get(&format!("/v1/nodes/{node}")).await;
            let shown = shown.expect(200).json();
            shown["console_enabled"] == json!(on) && shown["reservation"].is_null()
        })
        .await;
    };
    switch(true).await;
    let shown = client.get(&path).await.expect(200).json();
    let url = shown["console_info"]["url"].as_str().unwrap();
    let page = format!("http://{}/ui/vnc?path=", client.address);
    assert!(url.starts_with(&page), "{url}");
    let path = format!(
        "/corten/v1/nodes/{node}/screen?token={}",
        screen::token(url)
    );
    let mut socket = handshake(client.address, &path, "").await.unwrap();
    assert_eq!(screen::greet(&mut socket).await, [640, 400]);
    switch(false).await;
    let reason = screen::ended(&mut socket).await;
    assert_eq!(reason, "the console was switched off");
    let (status, text) = handshake(client.address, &path, "").await.unwrap_err();
    assert_eq!(status, 403, "{text}");
    cluster.stop().await;
}
