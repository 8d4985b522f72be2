//! The chassis manager of an Open CloudServer, with blades that are off.

use super::{Account, Fault, locked};
use axum::{
    Router,
    extract::{Path, Query, State},
    http::{HeaderMap, StatusCode, header},
    response::{IntoResponse, Response},
    routing::get,
};
use base64::{Engine as _, prelude::BASE64_STANDARD};
use proto::msftocs::{NextBoot, SUCCESS, response};
use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
};

/// A blade.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Blade {
    pub is_on: bool,
    pub next: NextBoot,
    pub is_uefi: bool,
    pub is_persistent: bool,
}

/// A manager.
#[derive(Debug)]
pub struct Manager {
    account: Account,
    state: Mutex<Chassis>,
}

#[derive(Debug)]
struct Chassis {
    blades: Vec<Blade>,
    /// What it was told, reading left out.
    orders: Vec<String>,
    fault: Fault,
}

impl Manager {
    pub fn new(account: Account, blades: usize) -> Arc<Self> {
        let blade = Blade {
            is_on: false,
            next: NextBoot::NoOverride,
            is_uefi: false,
            is_persistent: false,
        };
        Arc::new(Self {
            account,
            state: Mutex::new(Chassis {
                blades: vec![blade; blades],
                orders: Vec::new(),
                fault: Fault::None,
            }),
        })
    }

    /// A blade, counted from one.
    pub fn blade(&self, number: usize) -> Option<Blade> {
        let state = locked(&self.state);
        state.blades.get(number.checked_sub(1)?).cloned()
    }

    /// The methods that changed something, each with the blade.
    pub fn orders(&self) -> Vec<String> {
        locked(&self.state).orders.clone()
    }

    pub fn break_with(&self, fault: Fault) {
        locked(&self.state).fault = fault;
    }

    pub fn router(self: &Arc<Self>) -> Router {
        Router::new()
            .route("/{method}", get(answer))
            .with_state(Arc::clone(self))
    }

    fn knows(&self, headers: &HeaderMap) -> bool {
        let Account { user, password } = &self.account;
        let expected = format!(
            "Basic {}",
            BASE64_STANDARD.encode(format!("{user}:{password}"))
        );
        headers.get(header::AUTHORIZATION).map(|it| it.as_bytes()) == Some(expected.as_bytes())
    }
}

async fn answer(
    State(manager): State<Arc<Manager>>,
    Path(method): Path<String>,
    Query(query): Query<HashMap<String, String>>,
    headers: HeaderMap,
) -> Response {
    if !manager.knows(&headers) {
        return StatusCode::UNAUTHORIZED.into_response();
    }
    let fault = locked(&manager.state).fault;
    match fault {
        Fault::Silent | Fault::Stalls | Fault::Closes => std::future::pending().await,
        Fault::Garbage => return "<html>It works!</html>".into_response(),
        _ => {}
    }
    let query = query
        .into_iter()
        .map(|(name, value)| (name.to_ascii_lowercase(), value))
        .collect();
    match locked(&manager.state).answer(&method, &query) {
        Some(text) => ([(header::CONTENT_TYPE, "application/xml")], text).into_response(),
        None => StatusCode::NOT_FOUND.into_response(),
    }
}

impl Chassis {
    /// `None` where there is no such method.
    fn answer(&mut self, method: &str, query: &HashMap<String, String>) -> Option<String> {
        let root = match method {
            "GetBladeState" => "BladeStateResponse",
            "SetBladeOn" | "SetBladeOff" | "SetBladeActivePowerCycle" => "BladeResponse",
            "GetNextBoot" | "SetNextBoot" => "BootResponse",
            _ => return None,
        };
        let word = |name: &str| query.get(name).map(String::as_str).unwrap_or_default();
        let number: Option<usize> = word("bladeid").parse().ok();
        let place = number.and_then(|number| number.checked_sub(1));
        let failed = |why: &str| Some(response(root, "Failure", why, &[]));
        if self.fault == Fault::Refuses {
            return failed("the blade does not answer");
        }
        let is_stuck = self.fault == Fault::Stuck;
        let Some(blade) = place.and_then(|place| self.blades.get_mut(place)) else {
            return Some(response(root, "ParameterOutOfRange", "bladeId", &[]));
        };
        let mut after = blade.clone();
        match method {
            "SetBladeOn" => after.is_on = true,
            "SetBladeOff" => after.is_on = false,
            // One that is off stays so.
            "SetBladeActivePowerCycle" => {}
            "SetNextBoot" => {
                let next = word("boottype").parse().ok().and_then(NextBoot::of_number);
                let flag = |name: &str| word(name).parse::<bool>();
                let (Some(next), Ok(is_uefi), Ok(is_persistent)) =
                    (next, flag("uefi"), flag("persistent"))
                else {
                    return failed("a parameter is missing or wrong");
                };
                after.next = next;
                after.is_uefi = is_uefi;
                after.is_persistent = is_persistent;
            }
            _ => {}
        }
        if method.starts_with("Set") {
            self.orders.push(format!("{method} {}", word("bladeid")));
        }
        if !is_stuck {
            *blade = after;
        }
        let state = if blade.is_on { "ON" } else { "OFF" };
        let field = match root {
            "BladeStateResponse" => Some(("bladeState", state)),
            "BootResponse" => Some(("nextBoot", blade.next.word())),
            _ => None,
        };
        let mut fields = vec![("bladeNumber", word("bladeid"))];
        fields.extend(field);
        Some(response(root, SUCCESS, "", &fields))
    }
}
