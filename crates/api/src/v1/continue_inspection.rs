//! `POST /continue_inspection`: a ramdisk tells what it found, before anybody has told it anything.
//!
//! Open to everybody on the provisioning network, so a caller learns nothing that it does not know:
//! an unknown machine, one that nobody inspects and one whose addresses contradict each other all
//! get the same answer. What becomes of the data is the conductor's matter.
//!
//! Version 1.1 stands for the inspector service that came before and gets its short answer; newer
//! versions get what a lookup gets.

use crate::{
    args::Args,
    call::Call,
    discovery::{self, NotNow},
    error::ApiError,
    json_writer::JsonWriter,
    policy::{Rule, Target},
    reply::Reply,
    schema::{self, inspection},
    v1::ramdisk,
};
use axum::http::StatusCode;
use serde_json::{Value, json};
use types::{
    Inventory, JsonMap, Node, NodeId, ProvisionState, id, internal_info::LOOKUP_BMC_ADDRESSES,
    port::MacAddress, version::since,
};

/// How plugin data tells that nobody had enrolled the machine.
const DISCOVERED: &str = "auto_discovered";

/// More than any machine has. Each of them is looked for.
const MOST_INTERFACES: usize = 256;

pub(crate) async fn post(mut call: Call) -> Result<Reply, ApiError> {
    if call.body.is_large() {
        judge(&call).await?;
        call.prepare_body().await?;
    }
    let size = call.body.len();
    let (body, args) = call.body_and_args(&["node_uuid"])?;
    call.body.forget_text();
    let interfaces = body.pointer("/inventory/interfaces");
    if interfaces
        .and_then(Value::as_array)
        .is_some_and(|found| found.len() > MOST_INTERFACES)
    {
        return Err(ApiError::invalid(format!(
            "An inventory can have at most {MOST_INTERFACES} interfaces"
        )));
    }
    schema::check("data", &body, &inspection::DATA)?;
    let uuid = args.uuid("node_uuid")?.map(str::to_owned);
    ramdisk::check_enabled(&call, "/v1/continue_inspection")?;
    check_version(&call, uuid.is_some())?;
    call.permit(Rule::DriverIpaContinueInspection, &Target::NONE)?;
    let (mut found, clues) = read(body, uuid);
    if clues.is_empty() {
        return Err(ApiError::invalid("No lookup information provided"));
    }
    let node = match search(&call, &clues).await? {
        Some(node) => node,
        None => {
            let node = enroll(&call, size).await?;
            found.plugin_data.insert(DISCOVERED.into(), true.into());
            node
        }
    };
    // The token comes first: what is found may take long to process, and keeps the node busy.
    let body = if is_short(&call) {
        JsonWriter::document(&json!({"uuid": node.id.to_string()}))
    } else {
        let (node, token) = ramdisk::node_with_token(&call, node.id).await?;
        ramdisk::document(&call, &node, &token)
    };
    call.state
        .conductor
        .continue_inspection(node.id, found)
        .await
        .map_err(ApiError::from_node_write)?;
    Ok(Reply {
        status: StatusCode::ACCEPTED,
        ..Reply::ok(body)
    })
}

/// Whether a large report can be meant for anybody here, before it is looked at. What is told of a
/// refusal is what is told without looking: nothing.
async fn judge(call: &Call) -> Result<(), ApiError> {
    let args = Args::from_query(&call.query)?;
    args.allow(&["node_uuid"])?;
    let uuid = args.uuid("node_uuid")?;
    ramdisk::check_enabled(call, "/v1/continue_inspection")?;
    check_version(call, uuid.is_some())?;
    call.permit(Rule::DriverIpaContinueInspection, &Target::NONE)?;
    if call.state.settings.auto_discovery.is_some() && uuid.is_none() {
        return Ok(());
    }
    let waiting = [ProvisionState::InspectWait];
    if store::node::count_in_states(&call.state.db, &waiting, None).await? == 0 {
        tracing::warn!("inspection data was not expected: no node is being inspected");
        return Err(ApiError::resource_not_found());
    }
    Ok(())
}

/// Whether the caller takes us for the old inspector service.
fn is_short(call: &Call) -> bool {
    call.version() == since::BASE
}

fn check_version(call: &Call, by_uuid: bool) -> Result<(), ApiError> {
    let new = call.version() >= since::CONTINUE_INSPECTION;
    if new || (is_short(call) && !by_uuid) {
        return Ok(());
    }
    Err(ApiError::not_found(format!(
        "API version {} or newer is required",
        since::CONTINUE_INSPECTION
    )))
}

/// What tells machines apart.
#[derive(Debug, Default)]
struct Clues {
    uuid: Option<String>,
    addresses: Vec<MacAddress>,
    bmc: Vec<String>,
}

impl Clues {
    fn is_empty(&self) -> bool {
        self.uuid.is_none() && self.addresses.is_empty() && self.bmc.is_empty()
    }
}

/// Takes a body of the right shape apart.
fn read(body: Value, uuid: Option<String>) -> (Inventory, Clues) {
    let Value::Object(mut plugin_data) = body else {
        return Default::default();
    };
    let inventory = match plugin_data.shift_remove("inventory") {
        Some(Value::Object(inventory)) => inventory,
        _ => JsonMap::new(),
    };
    let text = |name: &str| inventory.get(name).and_then(Value::as_str);
    let bmc = [text("bmc_address"), text("bmc_v6address")];
    let interfaces = inventory.get("interfaces").and_then(Value::as_array);
    let addresses = interfaces.into_iter().flatten().filter_map(|interface| {
        let address = interface.get("mac_address")?.as_str()?;
        address.parse().ok()
    });
    let clues = Clues {
        uuid,
        addresses: addresses.collect(),
        bmc: bmc
            .into_iter()
            .flatten()
            .filter(|address| !address.is_empty())
            .map(str::to_owned)
            .collect(),
    };
    let found = Inventory {
        inventory,
        plugin_data,
    };
    (found, clues)
}

/// The node that the clues lead to; nothing when no node is known to be this machine. Clues that
/// contradict each other, and a node that nobody inspects, are not found.
async fn search(call: &Call, clues: &Clues) -> Result<Option<Node>, ApiError> {
    let db = &call.state.db;
    let mut node = None;
    if let Some(uuid) = &clues.uuid {
        let known = match id::canonical::<NodeId>(uuid) {
            Some(id) => store::node::find(db, id).await?,
            None => None,
        };
        node = Some(known.ok_or_else(ApiError::resource_not_found)?);
    }
    let owners = store::port::owners(db, &clues.addresses).await?;
    let mut owners = owners.into_iter();
    match (owners.next(), owners.next()) {
        (None, _) => {}
        (Some(id), None) if node.as_ref().is_none_or(|node| node.id == id) => {
            node = store::node::find(db, id).await?;
        }
        _ => {
            tracing::warn!("inspection data names addresses of several nodes; nothing was changed");
            return Err(ApiError::resource_not_found());
        }
    }
    if let Some(node) = &node
        && node.provision_state != ProvisionState::InspectWait
    {
        tracing::warn!(node = %node.id, state = %node.provision_state, "inspection data was not expected");
        return Err(ApiError::resource_not_found());
    }
    by_bmc(call, &clues.bmc, node).await
}

/// Compares the addresses of the machine's BMC with those of the nodes that wait. Several nodes
/// may share one, behind a BMC for many machines; then something else must have told which it is.
async fn by_bmc(
    call: &Call,
    addresses: &[String],
    known: Option<Node>,
) -> Result<Option<Node>, ApiError> {
    if addresses.is_empty() {
        return Ok(known);
    }
    let db = &call.state.db;
    let waiting = ProvisionState::InspectWait;
    let fitting =
        store::node::noting(db, waiting, LOOKUP_BMC_ADDRESSES, addresses.to_vec()).await?;
    match (known, fitting.as_slice()) {
        (Some(known), []) => Ok(Some(known)),
        (Some(known), fitting) if fitting.contains(&known.id) => Ok(Some(known)),
        (Some(known), _) => {
            tracing::warn!(node = %known.id, "inspection data names the BMC of another node; nothing was changed");
            Err(ApiError::resource_not_found())
        }
        (None, []) => Ok(None),
        (None, [one]) => {
            let found = store::node::find(db, *one).await?;
            // It may have been aborted meanwhile.
            let found = found.filter(|node| node.provision_state == waiting);
            Ok(Some(found.ok_or_else(ApiError::resource_not_found)?))
        }
        (None, _) => {
            tracing::warn!("several waiting nodes have the BMC that inspection data names");
            Err(ApiError::resource_not_found())
        }
    }
}

/// A node for a machine that nobody knows, where operators want that.
async fn enroll(call: &Call, size: usize) -> Result<Node, ApiError> {
    let settings = &call.state.settings;
    let Some(driver) = &settings.auto_discovery else {
        return Err(ApiError::resource_not_found());
    };
    if size > discovery::LARGEST_REPORT {
        tracing::warn!(
            size,
            "a machine that nobody enrolled is refused: its report is too large"
        );
        return Err(ApiError::service(
            StatusCode::PAYLOAD_TOO_LARGE,
            "The inspection data of an unknown machine is too large.",
        ));
    }
    let _turn = match settings.discovery.pass(&call.state.db).await? {
        Ok(turn) => turn,
        Err(NotNow::Full { limit }) => {
            tracing::warn!(
                "a machine that nobody enrolled is refused: {limit} discovered nodes are in enroll \
                 already ([corten]auto_discovery_limit)"
            );
            return Err(ApiError::resource_not_found());
        }
        Err(NotNow::Pace) => {
            tracing::warn!(
                "a machine that nobody enrolled has to come again: too many come at once"
            );
            return Err(ApiError::busy("Too many unknown machines report at once."));
        }
    };
    let mut node = Node::new(NodeId::generate(), driver.as_str());
    discovery::mark(&mut node);
    node.conductor_group = settings.default_conductor_group.clone();
    node.resource_class = settings.default_resource_class.clone();
    let enrolled = call.state.conductor.create_node(&call.ctx.caller, node);
    enrolled.await.map_err(|fault| {
        // The caller may be anybody and is told nothing about why.
        ApiError::internal(format!("a discovered machine cannot be enrolled: {fault}"))
    })
}
