//! The BMCs of enrolled machines: whether they can be reached from here.
//!
//! They are asked what needs no password, a few at a time. Addresses come from the database, which is
//! only read. That a password is right is for `corten node manage` to find out.

use super::Finding;
use crate::{db::DatabaseConfig, serve};
use ::discover::Reach;
use config::Config;
use serde_json::Value;
use std::{sync::Arc, time::Duration};
use store::{
    Db, Page,
    node::{Columns, NodeFilter},
};
use tokio::{sync::Semaphore, task::JoinSet};
use types::{JsonMap, Node};

const CHECK: &str = "BMCs";
/// How many are asked at a time, and how long each may take.
const AT_A_TIME: usize = 32;
const PATIENCE: Duration = Duration::from_secs(3);
/// How many rows are read in one go.
const BATCH: u32 = 500;
/// How many that are silent are named.
const NAMED: usize = 10;

/// What is found, and by how many seconds the clocks of BMCs are ahead of ours.
pub(super) fn check(
    config: &Config,
    place: &DatabaseConfig,
    most: u32,
) -> (Vec<Finding>, Vec<i64>) {
    let outbound = crate::settings::hardware(config).map(|hardware| hardware.redfish.outbound);
    let asked = serve::in_runtime(async {
        let db = place.open_existing()?;
        let nodes = nodes(&db, most).await?;
        Ok(ask(nodes, outbound.unwrap_or_default()).await)
    });
    match asked {
        Ok(answers) if answers.is_empty() => (Vec::new(), Vec::new()),
        Ok(answers) => verdict(&answers),
        Err(error) => (
            vec![Finding::note(
                CHECK,
                format!("the nodes cannot be read: {error:#}"),
            )],
            Vec::new(),
        ),
    }
}

async fn nodes(db: &Db, most: u32) -> anyhow::Result<Vec<Node>> {
    let mut all: Vec<Node> = Vec::new();
    let mut page = Page::first(BATCH.min(most));
    loop {
        let batch = store::node::list(db, NodeFilter::all(), page.clone(), Columns::Full).await?;
        let Some(last) = batch.last() else {
            return Ok(all);
        };
        page.marker = Some(last.id.to_string());
        all.extend(batch);
        if all.len() >= usize::try_from(most)? {
            all.truncate(usize::try_from(most)?);
            return Ok(all);
        }
    }
}

/// What one BMC said.
struct Heard {
    name: String,
    place: String,
    outcome: Result<Option<i64>, String>,
}

/// Where a BMC is, and how it is spoken to.
#[derive(Debug, PartialEq, Eq)]
enum BmcEndpoint {
    Redfish(String),
    Ipmi(String, u16),
}

fn place(info: &JsonMap) -> Option<BmcEndpoint> {
    let text = |key: &str| info.get(key).and_then(Value::as_str);
    if let Some(address) = text("redfish_address") {
        return Some(BmcEndpoint::Redfish(address.to_owned()));
    }
    let port = match info.get("ipmi_port") {
        Some(Value::Number(port)) => port.as_u64().and_then(|port| port.try_into().ok()),
        Some(Value::String(port)) => port.parse().ok(),
        _ => None,
    };
    text("ipmi_address").map(|address| BmcEndpoint::Ipmi(address.to_owned(), port.unwrap_or(623)))
}

async fn ask(nodes: Vec<Node>, outbound: outbound::Policy) -> Vec<Heard> {
    let reach = Arc::new(Reach::new(PATIENCE, outbound));
    let turns = Arc::new(Semaphore::new(AT_A_TIME));
    let mut tasks = JoinSet::new();
    for node in nodes {
        let Some(place) = place(&node.driver_info) else {
            continue;
        };
        let (reach, turns) = (Arc::clone(&reach), Arc::clone(&turns));
        tasks.spawn(async move {
            let _turn = turns.acquire().await;
            let name = node.name.unwrap_or_else(|| node.id.to_string());
            let (place, outcome) = match place {
                BmcEndpoint::Redfish(address) => {
                    let outcome = reach.redfish(&address).await;
                    (address, outcome)
                }
                BmcEndpoint::Ipmi(host, port) => {
                    let outcome = reach.ipmi(&host, port).await.map(|()| None);
                    (format!("{host}:{port}"), outcome)
                }
            };
            Heard {
                name,
                place,
                outcome: outcome.map_err(|error| error.to_string()),
            }
        });
    }
    tasks.join_all().await
}

fn verdict(heard: &[Heard]) -> (Vec<Finding>, Vec<i64>) {
    let ahead = heard
        .iter()
        .filter_map(|one| one.outcome.as_ref().ok().copied().flatten());
    let ahead = ahead.collect();
    let silent = heard
        .iter()
        .filter_map(|one| Some((one, one.outcome.as_ref().err()?)));
    let mut findings: Vec<Finding> = silent
        .clone()
        .take(NAMED)
        .map(|(one, why)| {
            Finding::broken(
                CHECK,
                format!("node {} at {}: {why}", one.name, one.place),
                format!(
                    "check the cable, the address and the firewall; corten node show {} --fields driver_info",
                    one.name
                ),
            )
        })
        .collect();
    let silent = silent.count();
    let answered = heard.len() - silent;
    match silent {
        0 => findings.push(Finding::well(CHECK, format!("all {answered} answer"))),
        more if more > NAMED => findings.push(Finding::note(
            CHECK,
            format!("{answered} answer; {} more do not", more - NAMED),
        )),
        _ => findings.push(Finding::note(CHECK, format!("{answered} answer"))),
    }
    (findings, ahead)
}

#[cfg(test)]
mod tests {
    use super::{super::Level, *};
    use serde_json::json;

    fn heard(count: usize, outcome: &Result<Option<i64>, String>) -> Vec<Heard> {
        let one = |index| Heard {
            name: format!("n{index}"),
            place: "h".to_owned(),
            outcome: outcome.clone(),
        };
        (0..count).map(one).collect()
    }

    #[test]
    fn places_are_read_as_drivers_read_them() {
        let of = |info: Value| place(info.as_object().unwrap());
        assert_eq!(
            of(json!({"redfish_address": "h"})),
            Some(BmcEndpoint::Redfish("h".into()))
        );
        assert_eq!(
            of(json!({"ipmi_address": "h"})),
            Some(BmcEndpoint::Ipmi("h".into(), 623))
        );
        let info = json!({"ipmi_address": "h", "ipmi_port": "6230"});
        assert_eq!(of(info), Some(BmcEndpoint::Ipmi("h".into(), 6230)));
        assert_eq!(of(json!({})), None);
    }

    #[test]
    fn silent_bmcs_are_named_up_to_a_number() {
        let (findings, clocks) = verdict(&heard(3, &Ok(Some(5))));
        assert_eq!((findings.len(), clocks), (1, vec![5, 5, 5]));
        assert_eq!(findings[0].level, Level::Well);
        let (findings, _) = verdict(&heard(12, &Err("silent".into())));
        let broken = findings.iter().filter(|one| one.level == Level::Broken);
        assert_eq!(broken.count(), NAMED);
        assert!(findings[NAMED].what.contains("2 more"));
    }
}
