//! Calls to real services.
//!
//! They run where `CORTEN_TEST_OPENSTACK_URL` (Keystone, with `/v3`) and
//! `CORTEN_TEST_OPENSTACK_PASSWORD` (of the user `ironic` in the project `service`, with the roles
//! `service` and `admin`) name a cloud with Glance, Swift, Neutron and Cinder; elsewhere they say so
//! and do nothing. `tests/openstack/run client`, a leg of `make openstack`, runs them. Neutron must
//! bind ports on the switch `lab-switch` (`CORTEN_TEST_OPENSTACK_SWITCH_ID`).

mod cinder;
mod glance;
mod neutron;
mod nova;
mod session;
mod swift;

use crate::{
    Caller, Deadline, Error, Secret, ServiceSettings, Services, call::Call, login::AuthOptions,
    session::Answer, testing,
};
use reqwest::Method;
use serde_json::Value;
use std::{env, time::Duration};

/// A section that logs in to the cloud, if there is one.
fn section() -> Option<ServiceSettings> {
    let Ok(auth_url) = env::var("CORTEN_TEST_OPENSTACK_URL") else {
        println!("SKIPPED: CORTEN_TEST_OPENSTACK_URL is not set");
        return None;
    };
    let password = env::var("CORTEN_TEST_OPENSTACK_PASSWORD").unwrap();
    Some(ServiceSettings {
        auth: AuthOptions {
            auth_type: Some("password".into()),
            auth_url: Some(auth_url),
            username: Some("ironic".into()),
            password: Some(Secret::from(password)),
            user_domain_id: Some("default".into()),
            project_name: Some("service".into()),
            project_domain_id: Some("default".into()),
            ..AuthOptions::default()
        },
        region_name: env::var("CORTEN_TEST_OPENSTACK_REGION").ok(),
        ..ServiceSettings::default()
    })
}

fn cloud() -> Option<Services> {
    Some(testing::services(&section()?))
}

/// The services are slow when they have just started.
fn patience() -> Deadline {
    Deadline::after(Duration::from_secs(120))
}

/// Something that only tests ask for: making what the calls are about.
async fn ask(
    session: &crate::session::Session,
    method: Method,
    path: &str,
    body: Option<&Value>,
) -> Result<Answer, Error> {
    let mut call = Call::fixed(method, path, format!("serve {path}"));
    if let Some(body) = body {
        call = call.json(body);
    }
    session.send(Ok(call), &Caller::service(), patience()).await
}

async fn make(session: &crate::session::Session, path: &str, body: &Value) -> Value {
    let answer = ask(session, Method::POST, path, Some(body)).await.unwrap();
    answer.json().await.unwrap()
}
