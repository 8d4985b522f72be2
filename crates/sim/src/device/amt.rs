//! A machine with Intel AMT.

use super::{Account, Fault, digest::Doorman, locked};
use axum::{
    Router,
    extract::State,
    http::{HeaderMap, StatusCode, header},
    response::{IntoResponse, Response},
    routing::post,
};
use proto::{
    wsman::{CONTENT_TYPE, Call, GET, PATH, fault, response, selector},
    xml::Element,
};
use std::sync::{Arc, Mutex};

/// Class URIs begin with this.
const CLASSES: &str = "http://schemas.dmtf.org/wbem/wscim/1/cim-schema/2/";

const SOURCES: [&str; 3] = [
    "Intel(r) AMT: Force PXE Boot",
    "Intel(r) AMT: Force Hard-drive Boot",
    "Intel(r) AMT: Force CD/DVD Boot",
];

/// Power states that the firmware takes orders for.
const STATES: [u32; 7] = [2, 4, 5, 7, 8, 9, 10];

/// A machine.
#[derive(Debug)]
pub struct Device {
    doorman: Doorman,
    state: Mutex<Inside>,
}

#[derive(Debug)]
struct Inside {
    /// As the CIM counts it: 2 is on, 8 off.
    power: u32,
    /// What it boots from next, once that is armed.
    source: Option<String>,
    is_armed: bool,
    /// What each start was from; `None` is the usual order.
    starts: Vec<Option<String>>,
    /// How many orders get lost from now on.
    deaf: u32,
    orders: u32,
    fault: Fault,
}

impl Device {
    /// A machine that is off.
    pub fn new(account: Account) -> Arc<Self> {
        Arc::new(Self {
            doorman: Doorman::new(account, "Digest:A4070000000000000000000000000000"),
            state: Mutex::new(Inside {
                power: 8,
                source: None,
                is_armed: false,
                starts: Vec::new(),
                deaf: 0,
                orders: 0,
                fault: Fault::None,
            }),
        })
    }

    pub fn is_on(&self) -> bool {
        locked(&self.state).power == 2
    }

    /// Puts it into a state that is neither on nor off, or into any other.
    pub fn set_power(&self, power: u32) {
        locked(&self.state).power = power;
    }

    /// What each start was from; `None` is the usual order.
    pub fn starts(&self) -> Vec<Option<String>> {
        locked(&self.state).starts.clone()
    }

    /// How many orders to switch it came in all.
    pub fn orders(&self) -> u32 {
        locked(&self.state).orders
    }

    /// Lets so many orders get lost, each answered as if it were followed.
    pub fn lose(&self, orders: u32) {
        locked(&self.state).deaf = orders;
    }

    /// From now on a login is good for one question only.
    pub fn be_brief(&self) {
        self.doorman.be_brief();
    }

    pub fn break_with(&self, fault: Fault) {
        locked(&self.state).fault = fault;
    }

    pub fn router(self: &Arc<Self>) -> Router {
        Router::new()
            .route(PATH, post(answer))
            .with_state(Arc::clone(self))
    }
}

async fn answer(State(device): State<Arc<Device>>, headers: HeaderMap, body: String) -> Response {
    let fault = locked(&device.state).fault;
    match fault {
        Fault::Silent | Fault::Closes => std::future::pending().await,
        Fault::Garbage => return "<html>It works!</html>".into_response(),
        _ => {}
    }
    if let Err(challenge) = device.doorman.admits(&headers, "POST", PATH) {
        return (
            StatusCode::UNAUTHORIZED,
            [(header::WWW_AUTHENTICATE, challenge)],
        )
            .into_response();
    }
    if fault == Fault::Stalls {
        std::future::pending::<()>().await;
    }
    let (status, text) = match Call::parse(&body) {
        Ok(call) => match locked(&device.state).carry_out(&call) {
            Ok(content) => (StatusCode::OK, response(&call, content)),
            Err(text) => (StatusCode::BAD_REQUEST, text),
        },
        Err(error) => (
            StatusCode::BAD_REQUEST,
            self::fault("wsman:SchemaValidationError", &error.to_string()),
        ),
    };
    (status, [(header::CONTENT_TYPE, CONTENT_TYPE)], text).into_response()
}

impl Inside {
    /// What the body of the answer has, or a whole answer that says what went wrong.
    fn carry_out(&mut self, call: &Call) -> Result<Element, String> {
        let Some(class) = call.resource.strip_prefix(CLASSES) else {
            return Err(fault("wsa:DestinationUnreachable", "no such class"));
        };
        let selected = |name: &str, value: &str| match call.selector(name) == Some(value) {
            true => Ok(()),
            false => Err(fault("wsman:InvalidSelectors", "no such object")),
        };
        if call.action == GET {
            return match class {
                "CIM_AssociatedPowerManagementService" => Ok(self.power_object(&call.resource)),
                _ => Err(fault("wsa:DestinationUnreachable", "no such object")),
            };
        }
        let value = match (class, call.method()) {
            ("CIM_PowerManagementService", Some("RequestPowerStateChange")) => {
                selected("Name", "Intel(r) AMT Power Management Service")?;
                let wanted = call.argument("PowerState").and_then(|it| it.parse().ok());
                self.switch(wanted)
            }
            ("CIM_BootConfigSetting", Some("ChangeBootOrder")) => {
                selected("InstanceID", "Intel(r) AMT: Boot Configuration 0")?;
                self.choose(&call.input)
            }
            ("CIM_BootService", Some("SetBootConfigRole")) => {
                selected("Name", "Intel(r) AMT Boot Service")?;
                self.arm(call)
            }
            _ => return Err(fault("wsa:ActionNotSupported", "no such method")),
        };
        let method = call.method().unwrap_or_default();
        Ok(Element::new(&format!("g:{method}_OUTPUT"))
            .with("xmlns:g", &call.resource)
            .holding(Element::new("g:ReturnValue").saying(&value.to_string())))
    }

    fn power_object(&self, resource: &str) -> Element {
        let said = |name: &str, text: &str| Element::new(name).saying(text);
        let mut object =
            Element::new("g:CIM_AssociatedPowerManagementService").with("xmlns:g", resource);
        for state in STATES {
            let state = state.to_string();
            object = object.holding(said("g:AvailableRequestedPowerStates", &state));
        }
        object
            .holding(said("g:PowerState", &self.power.to_string()))
            .holding(said("g:RequestedPowerState", &self.power.to_string()))
    }

    /// The values are those of the CIM: 0 is done, 1 not supported, 5 a wrong argument.
    fn switch(&mut self, wanted: Option<u32>) -> u32 {
        let Some(wanted) = wanted.filter(|wanted| STATES.contains(wanted)) else {
            return 5;
        };
        self.orders += 1;
        if self.fault == Fault::Refuses {
            return 1;
        }
        if self.deaf > 0 || self.fault == Fault::Stuck {
            self.deaf = self.deaf.saturating_sub(1);
            return 0;
        }
        // After a cycle or a reset it is on again.
        let after = if [5, 9, 10].contains(&wanted) {
            2
        } else {
            wanted
        };
        let starts = after == 2 && (self.power != 2 || wanted != 2);
        self.power = after;
        if starts {
            let source = self.source.take().filter(|_| self.is_armed);
            self.is_armed = false;
            self.starts.push(source);
        }
        0
    }

    fn choose(&mut self, input: &Element) -> u32 {
        let source = input.child("Source");
        let source = source.and_then(|source| selector(source, "InstanceID"));
        match source.filter(|source| SOURCES.contains(source)) {
            Some(source) => {
                self.source = Some(source.to_owned());
                0
            }
            None => 5,
        }
    }

    fn arm(&mut self, call: &Call) -> u32 {
        let setting = call.input.child("BootConfigSetting");
        let setting = setting.and_then(|setting| selector(setting, "InstanceID"));
        if setting != Some("Intel(r) AMT: Boot Configuration 0") {
            return 4;
        }
        match call.argument("Role") {
            Some("1") => {
                self.is_armed = true;
                0
            }
            Some("32768") => {
                self.is_armed = false;
                0
            }
            _ => 5,
        }
    }
}
