//! Whose tokens requests to Neutron carry: a user's where a user asked, ours where only the service
//! may write, and ours alone once an agent has reported.

use super::{
    Theatre,
    neutron::{has_image, node, options, port, puppet},
};
use crate::{
    database::Engine,
    lab::{Lab, Machine},
};
use serde_json::{Value, json};
use types::{Caller, ProvisionState as S, UserToken, rpc::ProvisionRequest};

const RECORDING: &str = include_str!("../../golden/openstack/neutron-users.jsonl");

const NODE: &str = "d4a987a6-46eb-4583-b170-7091869b2af5";
const VIF: &str = "8ad2ee00-8d51-4af6-abd4-3d460eaafe4d";

/// An administrator of the system or of a project, with the token that the stage calls a user's.
pub(super) fn administrator(of_system: bool) -> Caller {
    Caller {
        user: Some("admin".into()),
        project: Some("admin".into()),
        request_id: "req-00000000-0000-4000-8000-000000000001".into(),
        token: Some(UserToken::new(super::stage::USER_TOKEN, of_system).with_admin_role(true)),
    }
}

async fn available<'l>(theatre: &Theatre, lab: &'l Lab) -> Machine<'l> {
    let machine = lab.enroll(node(NODE, "neutron", "ipxe", "uefi")).await;
    lab.client
        .post("/v1/ports", port(NODE, 4))
        .await
        .expect(201);
    machine.asks("manage").await.reaches(S::Manageable).await;
    theatre.stage.plays(RECORDING, "u02");
    machine.asks("provide").await.reaches(S::Available).await;
    has_image(theatre, machine).await;
    machine
}

fn vif(id: &str) -> types::JsonMap {
    let Value::Object(map) = json!({"id": id}) else {
        unreachable!("it is an object");
    };
    map
}

#[tokio::test]
async fn what_a_user_asks_for_carries_the_tokens_that_it_carries_with_ironic() {
    let theatre = Theatre::open().await;
    let lab = Lab::with(Engine::Sqlite, options(&theatre)).await;
    let machine = available(&theatre, &lab).await;
    let (stage, conductor) = (&theatre.stage, lab.conductor());
    let user = administrator(false);
    stage.plays(RECORDING, "u01");
    let attached = conductor.attach_vif(&user, machine.id, vif(VIF)).await;
    attached.unwrap();
    stage.is_as_ironic("u01");

    stage.plays(RECORDING, "u02");
    let deploy = ProvisionRequest::Deploy {
        configdrive: None,
        steps: Vec::new(),
    };
    let asked = conductor.provision(&user, machine.id, "active".into(), deploy);
    asked.await.unwrap();
    machine.reaches(S::DeployWait).await;
    let agent = puppet().await;
    agent.boots(&lab, machine).await;
    machine.until("write_image", |_| Some(agent.works())).await;
    machine.rests().await;
    agent.ends(Ok(json!({})));
    agent.reports(&lab, machine).await;
    machine.reaches(S::Active).await;
    stage.is_as_ironic("u02");

    stage.plays(RECORDING, "u03");
    let asked = conductor.provision(
        &user,
        machine.id,
        "deleted".into(),
        ProvisionRequest::TearDown,
    );
    asked.await.unwrap();
    machine.reaches(S::Available).await;
    stage.is_as_ironic("u03");
    lab.stop().await;
}
