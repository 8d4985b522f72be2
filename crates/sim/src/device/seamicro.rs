//! The manager of a SeaMicro chassis, with servers that are off, two network interfaces each, and two
//! storage pools of which one is Ironic's.

use super::{Account, Fault, locked};
use axum::{
    Router,
    extract::{Query, State},
    http::{Method, StatusCode, Uri},
    response::{IntoResponse, Response},
};
use serde_json::{Map, Value, json};
use std::{
    collections::{BTreeMap, HashMap},
    sync::{Arc, Mutex},
};

/// The pool that is set aside for Ironic.
pub const POOL: &str = "0/ironic-p0";

/// A server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Server {
    pub is_on: bool,
    pub boot_order: String,
    /// The untagged VLAN of each network interface.
    pub vlans: [Option<u64>; 2],
    /// The volume that is its first disk.
    pub volume: Option<String>,
}

/// A chassis.
#[derive(Debug)]
pub struct Chassis {
    account: Account,
    state: Mutex<Inside>,
}

#[derive(Debug)]
struct Inside {
    /// By card.
    servers: BTreeMap<u32, Server>,
    /// Their sizes, as they were given.
    volumes: BTreeMap<String, String>,
    /// What it was told, reading left out.
    orders: Vec<String>,
    fault: Fault,
}

/// Status and words of an error.
type Refusal = (StatusCode, &'static str);

const NO_SUCH: Refusal = (StatusCode::NOT_FOUND, "no such thing");
const BAD: Refusal = (StatusCode::BAD_REQUEST, "that cannot be done");

impl Chassis {
    /// With servers `1/0` to `<servers>/0`.
    pub fn new(account: Account, servers: u32) -> Arc<Self> {
        let server = Server {
            is_on: false,
            boot_order: "hd0".to_owned(),
            vlans: [None; 2],
            volume: None,
        };
        Arc::new(Self {
            account,
            state: Mutex::new(Inside {
                servers: (1..=servers).map(|card| (card, server.clone())).collect(),
                volumes: BTreeMap::new(),
                orders: Vec::new(),
                fault: Fault::None,
            }),
        })
    }

    /// The server on a card.
    pub fn server(&self, card: u32) -> Option<Server> {
        locked(&self.state).servers.get(&card).cloned()
    }

    /// Names of volumes, and their sizes.
    pub fn volumes(&self) -> BTreeMap<String, String> {
        locked(&self.state).volumes.clone()
    }

    /// Every change that was asked for, as method and path, with the action where there is one.
    pub fn orders(&self) -> Vec<String> {
        locked(&self.state).orders.clone()
    }

    pub fn break_with(&self, fault: Fault) {
        locked(&self.state).fault = fault;
    }

    pub fn router(self: &Arc<Self>) -> Router {
        Router::new().fallback(answer).with_state(Arc::clone(self))
    }
}

fn refused((status, message): Refusal) -> Response {
    let text = json!({
        "code": status.as_u16(),
        "error": {"message": message, "details": message},
    });
    (status, text.to_string()).into_response()
}

async fn answer(
    State(chassis): State<Arc<Chassis>>,
    method: Method,
    uri: Uri,
    Query(query): Query<HashMap<String, String>>,
    body: String,
) -> Response {
    let document = match body.as_str() {
        "" => Map::new(),
        text => match serde_json::from_str(text) {
            Ok(Value::Object(map)) => map,
            _ => return refused(BAD),
        },
    };
    // Requests with a document have name and password in it, the others in the query.
    let word = |name: &str| match method {
        Method::PUT => document.get(name).and_then(Value::as_str),
        _ => query.get(name).map(String::as_str),
    };
    let Account { user, password } = &chassis.account;
    if word("username") != Some(user) || word("password") != Some(password) {
        return refused((StatusCode::UNAUTHORIZED, "who are you?"));
    }
    let fault = locked(&chassis.state).fault;
    match fault {
        Fault::Silent | Fault::Stalls | Fault::Closes => std::future::pending().await,
        Fault::Garbage => return "<html>It works!</html>".into_response(),
        Fault::Refuses => return refused((StatusCode::INTERNAL_SERVER_ERROR, "not now")),
        Fault::None | Fault::Stuck => {}
    }
    let path: Vec<&str> = uri.path().trim_matches('/').split('/').collect();
    let Some(("v2.0", path)) = path.split_first().map(|(first, rest)| (*first, rest)) else {
        return refused(NO_SUCH);
    };
    let action = query.get("action").map(String::as_str);
    let mut state = locked(&chassis.state);
    let answered = match method {
        Method::GET => state.read(path),
        Method::PUT => state.change(path, action, &document),
        Method::DELETE => state.delete(path),
        _ => Err(BAD),
    };
    match answered {
        Ok(value) => value.to_string().into_response(),
        Err(refusal) => refused(refusal),
    }
}

impl Inside {
    fn card(&self, path: &[&str]) -> Result<u32, Refusal> {
        match path {
            [card, "0"] => {
                let card = card.parse().map_err(|_| NO_SUCH)?;
                let known = self.servers.contains_key(&card);
                known.then_some(card).ok_or(NO_SUCH)
            }
            _ => Err(NO_SUCH),
        }
    }

    fn found(&self, path: &[&str]) -> Result<&Server, Refusal> {
        let card = self.card(path)?;
        self.servers.get(&card).ok_or(NO_SUCH)
    }

    fn read(&self, path: &[&str]) -> Result<Value, Refusal> {
        match path {
            ["servers", id @ .., "nic"] => Ok(nics(self.found(id)?)),
            ["servers", id @ ..] => {
                let server = self.found(id)?;
                Ok(json!({"active": server.is_on, "nic": nics(server)}))
            }
            ["server", id @ .., "bios", "bootOrder"] => {
                Ok(format!("{} ", self.found(id)?.boot_order).into())
            }
            ["storage", "pools"] => Ok(json!({
                POOL: {"freeSize": 100, "mounted": true},
                "0/other": {"freeSize": 10, "mounted": true},
            })),
            ["storage", "volumes", id @ ..] => match self.volumes.get(&id.join("/")) {
                Some(size) => Ok(json!({"actualSize": size})),
                None => Err(NO_SUCH),
            },
            _ => Err(NO_SUCH),
        }
    }

    fn change(
        &mut self,
        path: &[&str],
        in_query: Option<&str>,
        document: &Map<String, Value>,
    ) -> Result<Value, Refusal> {
        let word = |name: &str| document.get(name).and_then(Value::as_str);
        let action = in_query.or_else(|| word("action"));
        let told = format!("PUT /{} {}", path.join("/"), action.unwrap_or_default());
        let is_stuck = self.fault == Fault::Stuck;
        if let ["storage", "volumes", id @ ..] = path {
            let (id, size) = (id.join("/"), word("volume-size").ok_or(BAD)?);
            if action != Some("create") || self.volumes.contains_key(&id) {
                return Err(BAD);
            }
            self.volumes.insert(id.clone(), size.to_owned());
            self.orders.push(told);
            return Ok(format!("volumes/{id}").into());
        }
        let ["servers", card, processor, what @ ..] = path else {
            return Err(NO_SUCH);
        };
        let card = self.card(&[card, processor])?;
        let volume = word("value");
        let has_volume = volume.is_some_and(|volume| self.volumes.contains_key(volume));
        let server = self.servers.get_mut(&card).ok_or(NO_SUCH)?;
        let mut after = server.clone();
        match (what, action) {
            ([], Some("power-on")) => after.is_on = true,
            ([], Some("power-off")) => after.is_on = false,
            ([], Some("reset")) => {}
            ([], Some("set-bios-boot-order")) => {
                word("boot-order")
                    .ok_or(BAD)?
                    .clone_into(&mut after.boot_order);
            }
            (["nic", number, "untaggedVlan"], None) => {
                let number: usize = number.parse().map_err(|_| NO_SUCH)?;
                let place = after.vlans.get_mut(number).ok_or(NO_SUCH)?;
                *place = match (document.get("add"), document.get("remove")) {
                    (Some(added), None) if place.is_none() => Some(added.as_u64().ok_or(BAD)?),
                    (None, Some(removed)) if *place == removed.as_u64() => None,
                    _ => return Err(BAD),
                };
            }
            (["vdisk", "0"], None) if has_volume && after.volume.is_none() => {
                after.volume = volume.map(str::to_owned);
            }
            _ => return Err(BAD),
        }
        if !is_stuck {
            *server = after;
        }
        self.orders.push(told.trim_end().to_owned());
        Ok(json!({}))
    }

    fn delete(&mut self, path: &[&str]) -> Result<Value, Refusal> {
        let ["servers", card, processor, "vdisk", "0"] = path else {
            return Err(NO_SUCH);
        };
        let card = self.card(&[card, processor])?;
        let server = self.servers.get_mut(&card).ok_or(NO_SUCH)?;
        server.volume.take().ok_or(NO_SUCH)?;
        self.orders.push(format!("DELETE /{}", path.join("/")));
        Ok(json!({}))
    }
}

fn nics(server: &Server) -> Value {
    let nics = server.vlans.iter().enumerate().map(|(number, vlan)| {
        let vlan = vlan.map_or_else(String::new, |vlan| vlan.to_string());
        (number.to_string(), json!({"untaggedVlan": vlan}))
    });
    Value::Object(nics.collect())
}
