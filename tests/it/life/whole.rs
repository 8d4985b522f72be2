//! Lives in which nothing goes wrong.

use super::{active, available, log_step, manageable};
use crate::{
    database::Engine,
    lab::{Lab, Options},
};
use serde_json::json;
use types::ProvisionState as S;

every_engine!(
    from_enroll_to_delete,
    what_a_flow_leaves_in_driver_internal_info,
    adoption_skips_the_deploy,
    an_inspection_stamps_its_end,
    manual_cleaning_runs_the_given_steps,
    a_node_that_declines_is_not_cleaned,
);

fn cleaning() -> Options {
    let mut options = Options::default();
    options.conductor.automated_clean = true;
    options
}

async fn from_enroll_to_delete(engine: Engine) {
    let lab = Lab::with(engine, cleaning()).await;
    let image = json!({"image_source": "http://192.0.2.2/image", "root_gb": 10});
    let machine = lab
        .enroll(json!({"name": "one", "instance_info": image}))
        .await;
    machine.asks("manage").await.reaches(S::Manageable).await;
    machine
        .asks("inspect")
        .await
        .until("inspected", |node| {
            Some(!node["inspection_finished_at"].is_null() && node["reservation"].is_null())
        })
        .await;
    machine.asks("provide").await.reaches(S::Available).await;
    let instance = "99999999-0000-0000-0000-000000000001";
    let associate = json!([{"op": "add", "path": "/instance_uuid", "value": instance}]);
    machine.patch(associate).await.expect(200);
    machine.asks("active").await.reaches(S::Active).await;
    machine.asks("rebuild").await.rests().await;
    let rescue = json!({"target": "rescue", "rescue_password": "s3cr3t"});
    machine.asks_with(rescue).await.reaches(S::Rescue).await;
    machine.asks("unrescue").await.reaches(S::Active).await;
    let service = json!({"target": "service", "service_steps": [log_step()]});
    machine.asks_with(service).await.rests().await;
    let gone = machine.asks("deleted").await.reaches(S::Available).await;
    assert_eq!(gone["instance_uuid"], json!(null));
    assert_eq!(gone["instance_info"], json!({}));
    assert_eq!(gone["last_error"], json!(null));
    assert_eq!(
        machine.states().await,
        [
            "verifying",
            "manageable", // manage
            "inspecting",
            "manageable", // inspect
            "cleaning",
            "available", // provide
            "deploying",
            "active", // active
            "deploying",
            "active", // rebuild
            "rescuing",
            "rescue", // rescue
            "unrescuing",
            "active", // unrescue
            "servicing",
            "active", // service
            "deleting",
            "cleaning",
            "available", // deleted
        ]
    );
    lab.client.delete(&machine.path("")).await.expect(204);
    lab.client.get(&machine.path("")).await.expect(404);
    assert_eq!(
        lab.told(machine.id).await.last().unwrap(),
        "deleted deleted"
    );
    assert!(
        !String::from_utf8_lossy(&lab.database.raw()).contains("s3cr3t"),
        "the rescue password is readable in the database"
    );
    lab.stop().await;
}

async fn what_a_flow_leaves_in_driver_internal_info(engine: Engine) {
    let lab = Lab::with(engine, cleaning()).await;
    let info = json!({"image_source": "http://192.0.2.2/image"});
    let machine = lab.enroll(json!({"instance_info": info})).await;
    let node = machine.asks("manage").await.reaches(S::Manageable).await;
    assert_eq!(node["driver_internal_info"], json!({}));
    let node = machine.asks("provide").await.reaches(S::Available).await;
    assert_eq!(node["driver_internal_info"], json!({"clean_steps": null}));
    let node = machine.asks("active").await.reaches(S::Active).await;
    let deployed = json!({
        "clean_steps": null, "deploy_steps": null, "is_whole_disk_image": true,
    });
    assert_eq!(node["driver_internal_info"], deployed);
    assert_eq!(node["instance_info"]["image_type"], "whole-disk");
    let service = json!({"target": "service", "service_steps": [log_step()]});
    let node = machine.asks_with(service).await.reaches(S::Active).await;
    let mut serviced = deployed.clone();
    serviced["service_steps"] = json!(null);
    assert_eq!(node["driver_internal_info"], serviced);
    assert_eq!(node["service_step"], json!({}));
    let node = machine.asks("deleted").await.reaches(S::Available).await;
    let kept = json!({"clean_steps": null, "deploy_steps": null, "service_steps": null});
    assert_eq!(node["driver_internal_info"], kept);
    lab.stop().await;
}

async fn adoption_skips_the_deploy(engine: Engine) {
    let lab = Lab::start(engine).await;
    let machine = manageable(&lab).await;
    let node = machine.asks("adopt").await.reaches(S::Active).await;
    assert_eq!(node["driver_internal_info"], json!({}));
    assert_eq!(machine.history().await, Vec::<serde_json::Value>::new());
    assert_eq!(machine.states().await[2..], ["adopting", "active"]);
    lab.stop().await;
}

async fn an_inspection_stamps_its_end(engine: Engine) {
    let lab = Lab::start(engine).await;
    let machine = manageable(&lab).await;
    let before = machine.show().await;
    machine.asks("inspect").await;
    let node = machine.rests().await;
    assert!(node["inspection_finished_at"].is_string());
    assert!(node["inspection_started_at"].is_null());
    assert_eq!(node["properties"], before["properties"]);
    assert_eq!(node["provision_state"], "manageable");
    lab.stop().await;
}

async fn manual_cleaning_runs_the_given_steps(engine: Engine) {
    let lab = Lab::start(engine).await;
    let machine = manageable(&lab).await;
    let settings = json!([{"name": "virt", "value": "on"}]);
    let steps = json!([
        {"interface": "bios", "step": "apply_configuration", "args": {"settings": settings}},
        {"interface": "power", "step": "power_on"},
        log_step(),
    ]);
    let clean = json!({"target": "clean", "clean_steps": steps});
    machine.asks_with(clean).await;
    let node = machine.rests().await;
    assert_eq!(node["provision_state"], "manageable", "{node:#}");
    assert_eq!(node["power_state"], "power on", "the reserved step ran");
    assert_eq!(node["clean_step"], json!({}));
    let told = lab.told(machine.id).await;
    let ran: Vec<_> = told
        .iter()
        .filter(|line| line.starts_with("step "))
        .collect();
    assert_eq!(
        ran,
        [
            "step clean step bios.apply_configuration (1 of 3)",
            "step clean step power.power_on (2 of 3)",
            "step clean step vendor.log_passthrough (3 of 3)",
        ]
    );
    lab.stop().await;
}

async fn a_node_that_declines_is_not_cleaned(engine: Engine) {
    let lab = Lab::with(engine, cleaning()).await;
    let machine = lab.enroll(json!({"automated_clean": false})).await;
    machine.asks("manage").await.reaches(S::Manageable).await;
    machine.asks("provide").await.reaches(S::Available).await;
    assert!(machine.history().await.is_empty());
    lab.stop().await;

    // And the other way round: the node wants it although the service does not.
    let lab = Lab::start(engine).await;
    let machine = lab.enroll(json!({"automated_clean": true})).await;
    machine.asks("manage").await.reaches(S::Manageable).await;
    machine.asks("provide").await.reaches(S::Available).await;
    assert_eq!(machine.history().await.len(), 2);
    // Nothing of the sort without it.
    let other = available(&lab).await;
    assert!(other.history().await.is_empty());
    let third = active(&lab).await;
    assert_eq!(third.history().await.len(), 2, "the deploy's start and end");
    lab.stop().await;
}
