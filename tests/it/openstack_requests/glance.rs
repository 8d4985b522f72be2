//! Images of Glance: found, judged, fetched into the cache, or refused.

use super::{Theatre, available, fails, set_instance, users::administrator};
use crate::{
    agent::place::AgentHome,
    lab::{Lab, Machine},
};
use serde_json::json;
use types::{ProvisionState as S, rpc::ProvisionRequest};

const RECORDING: &str = include_str!("../../golden/openstack/glance.jsonl");

const DISK: &str = "38982591-be80-42a3-85a5-9d43d0e9c8ec";
const KERNEL: &str = "b6dde710-a9f2-4264-90f3-0cb43f25b8be";
const RAMDISK: &str = "a64f34a8-15b7-4ad4-a2b3-58c05dc33e0d";
const NOBODYS: &str = "11111111-2222-3333-4444-555555555555";

/// Deploys until the agent is waited for, and gives up again.
async fn deploys(theatre: &Theatre, machine: Machine<'_>, scene: &str, image: &str) {
    set_instance(machine, json!({"image_source": image, "root_gb": 4})).await;
    theatre.stage.plays(RECORDING, scene);
    // Ironic had some of them in its cache.
    theatre.stage.has_file(image);
    machine.asks("active").await.reaches(S::DeployWait).await;
    theatre.stage.is_as_ironic(scene);
    machine.asks("deleted").await.reaches(S::Available).await;
}

/// Tries to; the reason is told.
async fn is_refused(
    theatre: &Theatre,
    machine: Machine<'_>,
    scene: &str,
    image: &str,
    reason: &str,
) {
    set_instance(machine, json!({"image_source": image})).await;
    theatre.stage.plays(RECORDING, scene);
    machine.asks("active").await;
    let error = fails(machine, S::DeployFailed).await;
    assert!(error.contains(reason), "{scene}: {error}");
    theatre.stage.is_as_ironic(scene);
    machine.asks("deleted").await.reaches(S::Available).await;
}

#[tokio::test]
async fn images_of_every_kind_are_asked_for_as_by_ironic() {
    let theatre = Theatre::open().await;
    let lab = theatre.lab().await;
    let machine = available(&lab, json!({})).await;
    for (scene, image) in [
        ("i06", "a05a9862-61ae-475e-9a10-88cc8ce8b7a6"),
        ("i07", "f4245b9a-1490-4253-829c-b35b9f772887"),
        ("i13", DISK),
    ] {
        deploys(&theatre, machine, scene, image).await;
    }
    assert_eq!(theatre.stage.logins(), 1);
    lab.stop().await;
}

#[tokio::test]
async fn kernels_and_ramdisks_of_glance_are_asked_for_as_by_ironic() {
    let theatre = Theatre::open().await;
    let lab = theatre.lab().await;
    let images = json!({"deploy_kernel": KERNEL, "deploy_ramdisk": RAMDISK});
    let machine = available(
        &lab,
        json!({"boot_interface": "ipxe", "driver_info": images}),
    )
    .await;
    deploys(&theatre, machine, "i09", DISK).await;
    // Everything is in the cache now.
    deploys(&theatre, machine, "i10", DISK).await;
    machine.behave("deploy_kernel", Some(NOBODYS)).await;
    let reason = format!("Image {NOBODYS} could not be found.");
    is_refused(&theatre, machine, "i11", DISK, &reason).await;
    assert!(holds_nothing(&theatre.home, machine));
    lab.stop().await;
}

fn holds_nothing(home: &AgentHome, machine: Machine<'_>) -> bool {
    !home.exists(&format!("http/{}", machine.id))
        && !home.exists(&format!("http/agent_images/{}", machine.id))
}

#[tokio::test]
async fn what_glance_refuses_fails_the_deploy_and_is_asked_no_more_often_than_by_ironic() {
    let theatre = Theatre::open().await;
    let lab = theatre.lab().await;
    let machine = available(&lab, json!({})).await;
    let queued = "3146fdaa-2fc9-49b9-a0bd-21ee76f64385";
    let partition = "a05a9862-61ae-475e-9a10-88cc8ce8b7a6";
    for (scene, image, reason) in [
        ("i03", NOBODYS, "could not be found."),
        ("i04", queued, "required to be in an active state."),
        ("i08", partition, "Missing are: ['root_gb']"),
        ("j401", DISK, DISK),
        ("j403", DISK, "Not authorized for image"),
        ("j500", DISK, DISK),
        ("j503", DISK, DISK),
        ("j01", DISK, DISK),
        ("j02", DISK, DISK),
        ("j03", DISK, DISK),
    ] {
        is_refused(&theatre, machine, scene, image, reason).await;
        assert!(holds_nothing(&theatre.home, machine), "{scene}");
    }
    lab.stop().await;
}

/// Ironic accepts it, and the deploy fails with the same words.
#[tokio::test]
async fn an_image_of_glance_by_name_is_refused_without_a_request() {
    let theatre = Theatre::open().await;
    let lab = theatre.lab().await;
    let machine = available(&lab, json!({})).await;
    set_instance(machine, json!({"image_source": "glance://lab-disk"})).await;
    theatre.stage.plays(RECORDING, "i02");
    let refused = machine.provision(json!({"target": "active"})).await;
    let text = refused.expect(400).fault();
    assert!(
        text.ends_with("Invalid image href glance://lab-disk."),
        "{text}"
    );
    theatre.stage.is_as_ironic("i02");
    lab.stop().await;
}

#[tokio::test]
async fn an_administrator_deploys_an_image_of_another_project_as_with_ironic() {
    let theatre = Theatre::open().await;
    let lab = theatre.lab().await;
    let machine = available(&lab, json!({})).await;
    let image = "378f0ffa-5543-42a6-becd-caa373b8dffd";
    set_instance(machine, json!({"image_source": image})).await;
    theatre.stage.plays(RECORDING, "i05");
    let deploy = ProvisionRequest::Deploy {
        configdrive: None,
        steps: Vec::new(),
    };
    let caller = administrator(true);
    let conductor = lab.conductor();
    let asked = conductor.provision(&caller, machine.id, "active".into(), deploy);
    asked.await.unwrap();
    machine.reaches(S::DeployWait).await;
    theatre.stage.is_as_ironic("i05");
    lab.stop().await;
}

#[tokio::test]
async fn images_of_others_are_judged_by_as_many_requests_as_ironic_makes() {
    let theatre = Theatre::open().await;
    let mut options = theatre.options();
    options.hardware.glance.access.ignore_project_for_admins = false;
    let lab = Lab::with(crate::database::Engine::Sqlite, options).await;
    let machine = available(&lab, json!({})).await;
    for (scene, image) in [
        ("a-lab-disk", DISK),
        ("a-lab-community", "44774e00-36a0-4752-a88b-7308c633c0d0"),
        (
            "a-lab-service-private",
            "54f0945b-b614-4555-8a67-57c22a2d5378",
        ),
        (
            "a-lab-shared-member",
            "7507da77-13ba-4d7f-9081-aa78a0bd88f0",
        ),
    ] {
        deploys(&theatre, machine, scene, image).await;
    }
    for (scene, image) in [
        ("a-lab-private", "378f0ffa-5543-42a6-becd-caa373b8dffd"),
        ("a-lab-shared", "f669f5d2-6b94-429d-ae7f-643ceb36383f"),
    ] {
        is_refused(&theatre, machine, scene, image, "could not be found.").await;
    }
    lab.stop().await;
}
