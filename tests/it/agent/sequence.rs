//! The way of a deployment that the documentation shows, compared with one that happens.
//!
//! `docs/images/deploy-sequence.tsv` lists messages in order, each with its evidence. A machine with
//! a simulated BMC is deployed here; each time it waits, and at the end, everything that was seen so
//! far must be what the list has up to that point, kind by kind.

use super::{place::AgentHome, puppet, waits_for};
use crate::{
    database::Engine,
    lab::{Lab, Options},
    sim_ipmi::rack::Rack,
};
use serde_json::json;
use sim::machine::{boot::Device, power::Action};
use std::fs;
use types::{InterfaceKind as K, ProvisionState as S};

const TABLE: &str = include_str!("../../../docs/images/deploy-sequence.tsv");
const MAC: &str = "52:54:00:bb:00:07";

/// The evidence of all rows, up to where the node waits for the n-th time or to the end.
fn evidence(waits: usize) -> Vec<&'static str> {
    let rows = TABLE.lines().filter(|line| !line.starts_with('#'));
    let all: Vec<&str> = rows
        .filter(|row| !row.starts_with("lane\t"))
        .map(|row| row.rsplit('\t').next().unwrap())
        .collect();
    let stops = all.iter().enumerate();
    let stops: Vec<usize> = stops
        .filter(|(_, row)| **row == "event:wait call-back")
        .map(|(index, _)| index + 1)
        .collect();
    let end = stops.get(waits).copied().unwrap_or(all.len());
    all[..end].to_vec()
}

fn expected(kind: &str, waits: usize) -> Vec<&'static str> {
    let rows = evidence(waits).into_iter();
    rows.filter_map(|row| row.strip_prefix(kind)?.strip_prefix(':'))
        .collect()
}

fn options(place: &AgentHome) -> Options {
    let mut options = place.options();
    options.conductor.automated_clean = false;
    options.hardware.boot_images.automated_clean = false;
    for (kind, name) in [(K::Power, "ipmitool"), (K::Management, "ipmitool")] {
        let names = vec!["fake".to_owned(), name.to_owned()];
        options.hardware.enable_interfaces(kind, names);
    }
    options
}

/// What the BMC did, with what the machine booted from when it was switched on.
struct Watched {
    rack: Rack,
    seen: Vec<String>,
    known: usize,
}

impl Watched {
    fn look(&mut self) -> &[String] {
        let machine = self.rack.machine();
        let history = machine.history();
        for action in &history[self.known..] {
            let text = match action {
                Action::Off | Action::Soft => "power off".to_owned(),
                Action::On => {
                    let from = match machine.last_boot().map(|(_, device)| device) {
                        Some(Device::Pxe) => "network",
                        Some(Device::Disk) => "disk",
                        other => panic!("it booted from {other:?}"),
                    };
                    format!("power on from {from}")
                }
                other => panic!("it was told to {other:?}"),
            };
            self.seen.push(text);
        }
        self.known = history.len();
        &self.seen
    }
}

#[tokio::test]
async fn a_deployment_goes_the_way_that_the_picture_shows() {
    let place = AgentHome::make().await;
    let lab = Lab::with(Engine::Sqlite, options(&place)).await;
    let rack = Rack::new().await;
    let machine = lab
        .enroll(json!({
            "boot_interface": "ipxe", "deploy_interface": "direct",
            "power_interface": "ipmitool", "management_interface": "ipmitool",
            "driver_info": rack.driver_info(),
        }))
        .await;
    let id = machine.id.to_string();
    let port = json!({"address": MAC, "node_uuid": id});
    lab.client.post("/v1/ports", port).await.expect(201);
    machine.asks("manage").await.reaches(S::Manageable).await;
    machine.asks("provide").await.reaches(S::Available).await;
    let power = json!({"target": "power on"});
    let path = machine.path("/states/power");
    lab.client.put(&path, power).await.expect(202);
    machine.rests().await;
    fs::write(
        place.path("disk.qcow2"),
        super::netboot::qcow2(b"the instance", false),
    )
    .unwrap();
    let image = json!([
        {"op": "add", "path": "/instance_info/image_source", "value": place.file("disk.qcow2")},
    ]);
    machine.patch(image).await.expect(200);
    let before = machine.states().await.len();
    let known = rack.machine().history().len();
    let mut bmc = Watched {
        rack,
        seen: Vec::new(),
        known,
    };
    let agent = puppet().await;
    let mut told = Vec::new();

    for waits in 0..3 {
        match waits {
            0 => {
                machine.asks("active").await.reaches(S::DeployWait).await;
                let script = format!("/pxelinux.cfg/{}", MAC.replace(':', "-"));
                assert!(place.get(&script).await.is_some());
                for file in ["deploy_kernel", "deploy_ramdisk"] {
                    assert!(place.get(&format!("/{id}/{file}")).await.is_some());
                }
            }
            1 => {
                agent.boots(&lab, machine).await;
                waits_for(machine, "deploy_step", "write_image").await;
                let image = place.get(&format!("/agent_images/{id}")).await.unwrap();
                assert!(image.starts_with(b"the instance"));
            }
            _ => {
                agent.ends(Ok(json!({})));
                agent.reports(&lab, machine).await;
                machine.reaches(S::Active).await;
            }
        }
        told.extend(super::names(&agent.told()));
        let states = machine.states().await;
        assert_eq!(states[before..], expected("event", waits));
        assert_eq!(*bmc.look(), expected("hardware", waits));
        assert_eq!(told, expected("agent", waits));
    }
    let boot = ["publish", "script", "kernel", "image"];
    assert_eq!(expected("boot", 3), boot, "what was fetched above");
    let requests = ["deploy", "accepted", "lookup", "heartbeat", "heartbeat"];
    assert_eq!(expected("request", 3), requests, "what was sent above");
    lab.stop().await;
}
