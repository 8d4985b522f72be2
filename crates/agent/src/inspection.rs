//! In-band inspection: sends hardware data to the service, before the node is known.
//!
//! Errors of collectors are sent along with the data, because it may be all that is known about the
//! machine. Whether the service accepts the data or not, the lookup comes next.

use crate::{
    agent::Agent,
    block, inventory,
    service::{ServiceError, accepted},
};
use reqwest::{Client, StatusCode};
use serde_json::{Value, json};
use std::time::Duration;
use tokio::{
    task::spawn_blocking,
    time::{Instant, sleep},
};
use types::JsonMap;

/// The default collectors.
const USUAL: &[&str] = &["default", "logs"];

/// How often data is sent.
const ATTEMPTS: u32 = 5;

/// How long to wait before it is sent again.
const PAUSES: std::ops::RangeInclusive<u64> = 5..=30;

/// How often interfaces are looked at while they get their addresses.
const DHCP_PAUSE: Duration = Duration::from_secs(2);

/// Where data goes: what was said, or the service itself where collectors were named.
fn urls(agent: &Agent) -> Vec<String> {
    let config = agent.config();
    if !config.inspection.callback_urls.is_empty() {
        return config.inspection.callback_urls.clone();
    }
    if config.inspection.collectors.is_none() {
        return Vec::new();
    }
    let of_service = config.api_urls.iter();
    of_service
        .map(|url| format!("{url}/v1/continue_inspection"))
        .collect()
}

/// Collects and sends the data; the answer names the node. `None` if inspection is not enabled.
pub(crate) async fn run(agent: &Agent, client: &Client) -> Result<Option<String>, ServiceError> {
    let urls = urls(agent);
    if urls.is_empty() {
        return Ok(None);
    }
    let (data, failures) = collect(agent).await;
    let answer = send(agent, client, &urls, &data).await?;
    if !failures.is_empty() {
        tracing::error!(
            "inspection incomplete, collectors failed: {}",
            failures.join("; ")
        );
    }
    let uuid = answer.get("uuid").or_else(|| answer["node"].get("uuid"));
    Ok(uuid.and_then(Value::as_str).map(str::to_owned))
}

/// The data, and what failed.
async fn collect(agent: &Agent) -> (JsonMap, Vec<String>) {
    let config = agent.config();
    let names: Vec<String> = match &config.inspection.collectors {
        Some(names) => names.clone(),
        None => USUAL.iter().map(|name| (*name).to_owned()).collect(),
    };
    let mut data = JsonMap::new();
    let mut failures = Vec::new();
    for name in &names {
        match name.as_str() {
            "default" => {
                if let Err(error) = collect_default(agent, &names, &mut data).await {
                    failures.push(format!("collector default failed: {error}"));
                }
            }
            "logs" => {
                let inventory = data.get("inventory");
                let logs = crate::logs::collect(&config.root, agent.journal(), inventory);
                data.insert("logs".to_owned(), json!(logs));
            }
            other => match collect_more(agent, other, &data).await {
                Some(Ok((key, value))) => drop(data.insert(key.to_owned(), value)),
                Some(Err(error)) => failures.push(format!("collector {other} failed: {error}")),
                None => failures.push(format!("unknown inspection collector {other}")),
            },
        }
    }
    let error = match failures.as_slice() {
        [] => Value::Null,
        failures => json!(format!(
            "The following errors were encountered:\n{}",
            failures
                .iter()
                .map(|failure| format!("* {failure}"))
                .collect::<Vec<_>>()
                .join("\n")
        )),
    };
    data.insert("error".to_owned(), error);
    (data, failures)
}

/// What a collector finds that needs to know nothing but the machine.
async fn collect_more(
    agent: &Agent,
    name: &str,
    data: &JsonMap,
) -> Option<Result<(&'static str, Value), String>> {
    let config = agent.config();
    let (root, limit) = (config.root.clone(), config.lldp_timeout);
    let known = data.get("inventory").cloned().unwrap_or_default();
    let name = name.to_owned();
    let collected = spawn_blocking(move || {
        let heard = || inventory::lldp::heard(limit);
        inventory::collectors::run(&name, &root, &known, heard)
    });
    collected
        .await
        .unwrap_or_else(|error| Some(Err(error.to_string())))
}

async fn collect_default(
    agent: &Agent,
    names: &[String],
    data: &mut JsonMap,
) -> Result<(), crate::AgentError> {
    let inventory = wait_for_dhcp(agent).await?;
    let devices = block::list(&agent.config().root);
    match block::hints::root_device(&devices, &json!({})) {
        Ok(device) => {
            data.insert("root_disk".to_owned(), device.to_json());
        }
        Err(error) => tracing::warn!("inspection found no root disk: {error}"),
    }
    let boot = inventory["boot"]["pxe_interface"].clone();
    data.insert("boot_interface".to_owned(), boot);
    data.insert("inventory".to_owned(), inventory);
    let managers: Vec<Value> = agent
        .managers()
        .versions()
        .into_iter()
        .map(|(name, version)| json!({"name": name, "version": version}))
        .collect();
    data.insert(
        "configuration".to_owned(),
        json!({"collectors": names, "managers": managers}),
    );
    Ok(())
}

/// The inventory, once the interface that was booted from has an address, or all of them, or the
/// time for it is over.
async fn wait_for_dhcp(agent: &Agent) -> Result<Value, crate::AgentError> {
    let config = agent.config();
    let end = Instant::now() + config.inspection.dhcp_wait;
    let booted = config.bootif.as_deref().map(mac);
    loop {
        let inventory = agent.managers().inventory(&agent.context()).await?;
        let is_of_interest = |interface: &&Value| {
            let mac = interface["mac_address"].as_str().unwrap_or_default();
            config.inspection.dhcp_all || booted.as_deref() == Some(&mac.to_lowercase())
        };
        let interfaces = inventory["interfaces"].as_array();
        let missing = interfaces
            .into_iter()
            .flatten()
            .filter(is_of_interest)
            .any(|interface| interface["ipv4_address"].is_null());
        if !missing || Instant::now() + DHCP_PAUSE > end {
            return Ok(inventory);
        }
        sleep(DHCP_PAUSE).await;
    }
}

/// A MAC address as the inventory writes it, from what a PXE loader says: `01-aa-bb-…`.
fn mac(bootif: &str) -> String {
    let mac = match bootif.split_once('-') {
        Some((_, mac)) => mac.replace('-', ":"),
        None => bootif.to_owned(),
    };
    mac.to_lowercase()
}

async fn send(
    agent: &Agent,
    client: &Client,
    urls: &[String],
    data: &JsonMap,
) -> Result<Value, ServiceError> {
    let mut pause = *PAUSES.start();
    for attempt in 1.. {
        let failure = match post(agent, client, urls, data).await {
            Ok(answer) => return Ok(answer),
            Err(failure) => failure,
        };
        let is_final = match &failure {
            ServiceError::Refused { status, .. } => {
                !status.is_server_error() && *status != StatusCode::CONFLICT
            }
            ServiceError::Unreachable { .. } => false,
            ServiceError::Nonsense(_) => true,
        };
        if is_final || attempt == ATTEMPTS {
            return Err(failure);
        }
        tracing::warn!("sending inspection data failed, retrying: {failure}");
        sleep(Duration::from_secs(pause)).await;
        pause = (pause * 2).min(*PAUSES.end());
    }
    unreachable!("the last attempt returns")
}

async fn post(
    agent: &Agent,
    client: &Client,
    urls: &[String],
    data: &JsonMap,
) -> Result<Value, ServiceError> {
    let mut failure = ServiceError::Nonsense("no URL for inspection data is configured".to_owned());
    for url in urls {
        tracing::info!("sending inspection data to {url}");
        let mut request = client
            .post(url)
            .header("accept", "application/json")
            .json(data);
        if let Some(id) = &agent.config().global_request_id {
            request = request.header("x-openstack-request-id", id);
        }
        match request.send().await {
            Ok(answer) => {
                let wanted = match answer.status() {
                    status if status.is_success() => status,
                    _ => StatusCode::ACCEPTED,
                };
                let answer = accepted(answer, wanted).await?;
                return Ok(answer.json().await.unwrap_or_default());
            }
            Err(error) => {
                failure = ServiceError::Unreachable {
                    url: url.clone(),
                    reason: types::error::chain(&error.without_url()),
                };
            }
        }
    }
    Err(failure)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_booted_interface_is_known_by_its_mac() {
        assert_eq!(mac("01-AA-bb-cc-dd-ee-ff"), "aa:bb:cc:dd:ee:ff");
        assert_eq!(mac("aa:bb:CC:dd:ee:ff"), "aa:bb:cc:dd:ee:ff");
    }
}
