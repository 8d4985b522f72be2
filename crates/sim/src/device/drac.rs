//! The iDRAC of one of Dell's servers, as WS-Management shows it.
//!
//! New settings of the BIOS and a new boot order are pending until a job takes them over, which it
//! does when the server starts again.

mod cql;
mod store;

use super::{Account, Fault, locked};
use axum::{
    Router,
    extract::State,
    http::{HeaderMap, StatusCode, header},
    response::{IntoResponse, Response},
    routing::post,
};
use base64::{Engine as _, prelude::BASE64_STANDARD};
use cql::Query;
use proto::{
    wsman::{CONTENT_TYPE, Call, ENUMERATE, PATH, PULL, fault, reference, response},
    xml::Element,
};
use std::sync::{Arc, Mutex};
use store::Object;

/// Class URIs begin with this.
const CLASSES: &str = "http://schemas.dell.com/wbem/wscim/1/cim-schema/2/";
const TARGET: &str = "BIOS.Setup.1-1";
/// How many enumerations may be open.
const MOST_CONTEXTS: usize = 16;
const BIOS_CLASSES: [&str; 3] = [
    "DCIM_BIOSEnumeration",
    "DCIM_BIOSString",
    "DCIM_BIOSInteger",
];

const BIOS_SERVICE: &[(&str, &str)] = &[
    ("SystemCreationClassName", "DCIM_ComputerSystem"),
    ("CreationClassName", "DCIM_BIOSService"),
    ("SystemName", "DCIM:ComputerSystem"),
    ("Name", "DCIM:BIOSService"),
];
const LC_SERVICE: &[(&str, &str)] = &[
    ("SystemCreationClassName", "DCIM_ComputerSystem"),
    ("CreationClassName", "DCIM_LCService"),
    ("SystemName", "DCIM:ComputerSystem"),
    ("Name", "DCIM:LCService"),
];
const SYSTEM: &[(&str, &str)] = &[
    ("CreationClassName", "DCIM_ComputerSystem"),
    ("Name", "srv:system"),
];

/// An iDRAC.
#[derive(Debug)]
pub struct Device {
    account: Account,
    state: Mutex<Inside>,
}

#[derive(Debug)]
struct Inside {
    objects: Vec<Object>,
    /// How many objects a page has.
    page: usize,
    /// Objects that are still to be pulled.
    contexts: Vec<(String, Vec<Element>)>,
    made: u32,
    /// The boot list of the next start, where that is another one once.
    once: Option<String>,
    is_ready: bool,
    /// Whether it does not tell that.
    is_old: bool,
    /// The methods that were called, questions left out.
    orders: Vec<String>,
    /// What each start was from.
    starts: Vec<String>,
    fault: Fault,
}

/// What a method gives back beside its value.
type Output = Vec<Element>;
/// Message and its number.
type Refusal = (&'static str, &'static str);

const BAD_ARGUMENT: Refusal = ("BIOS002", "Invalid input for a parameter");

impl Device {
    /// A server that is off; `is_old` makes it one of the eleventh generation.
    pub fn new(account: Account, is_old: bool) -> Arc<Self> {
        Arc::new(Self {
            account,
            state: Mutex::new(Inside {
                objects: store::server(is_old),
                page: 100,
                contexts: Vec::new(),
                made: 0,
                once: None,
                is_ready: true,
                is_old,
                orders: Vec::new(),
                starts: Vec::new(),
                fault: Fault::None,
            }),
        })
    }

    /// A property of the first object of a class whose other property is so.
    pub fn property(&self, class: &str, key: &str, value: &str, name: &str) -> Option<String> {
        let state = locked(&self.state);
        let found = state
            .objects
            .iter()
            .find(|one| one.class == class && one.value(key) == Some(value))?;
        found.value(name).map(str::to_owned)
    }

    /// The methods that changed something.
    pub fn orders(&self) -> Vec<String> {
        locked(&self.state).orders.clone()
    }

    /// What each start was from.
    pub fn starts(&self) -> Vec<String> {
        locked(&self.state).starts.clone()
    }

    /// Answers so many objects at a time.
    pub fn page_by(&self, objects: usize) {
        locked(&self.state).page = objects.max(1);
    }

    /// Whether its lifecycle controller takes orders.
    pub fn set_ready(&self, is_ready: bool) {
        locked(&self.state).is_ready = is_ready;
    }

    pub fn break_with(&self, fault: Fault) {
        locked(&self.state).fault = fault;
    }

    pub fn router(self: &Arc<Self>) -> Router {
        Router::new()
            .route(PATH, post(answer))
            .with_state(Arc::clone(self))
    }

    fn knows(&self, headers: &HeaderMap) -> bool {
        let Account { user, password } = &self.account;
        let login = BASE64_STANDARD.encode(format!("{user}:{password}"));
        let expected = format!("Basic {login}");
        headers.get(header::AUTHORIZATION).map(|it| it.as_bytes()) == Some(expected.as_bytes())
    }
}

async fn answer(State(device): State<Arc<Device>>, headers: HeaderMap, body: String) -> Response {
    if !device.knows(&headers) {
        let challenge = [(header::WWW_AUTHENTICATE, "Basic realm=\"OPENWSMAN\"")];
        return (StatusCode::UNAUTHORIZED, challenge).into_response();
    }
    let fault = locked(&device.state).fault;
    match fault {
        Fault::Silent | Fault::Stalls | Fault::Closes => std::future::pending().await,
        Fault::Garbage => return "<html>It works!</html>".into_response(),
        _ => {}
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
        match call.action.as_str() {
            ENUMERATE => self.enumerate(class, call),
            PULL => {
                let context = call.argument("EnumerationContext").unwrap_or_default();
                let at = self.contexts.iter().position(|(id, _)| id == context);
                let Some(at) = at else {
                    let code = "wsen:InvalidEnumerationContext";
                    return Err(fault(code, "no such enumeration"));
                };
                let (_, rest) = self.contexts.remove(at);
                Ok(self.page("wsen:PullResponse", "wsen:Items", rest))
            }
            _ => self.invoke(class, call),
        }
    }

    fn enumerate(&mut self, class: &str, call: &Call) -> Result<Element, String> {
        let query = match call.query() {
            None => None,
            Some(text) => match Query::parse(text).filter(|query| query.class == class) {
                Some(query) => Some(query),
                None => return Err(fault("wsman:CannotProcessFilter", "no such query")),
            },
        };
        let chosen = self.objects.iter().filter(|one| {
            let is_chosen = |query: &Query| query.chooses(|name| one.value(name));
            one.class == class && query.as_ref().is_none_or(is_chosen)
        });
        let all = chosen
            .map(|one| one.element(&call.resource, query.as_ref()))
            .collect();
        Ok(self.page("wsen:EnumerateResponse", "wsman:Items", all))
    }

    fn page(&mut self, root: &str, items: &str, mut all: Vec<Element>) -> Element {
        let rest = all.split_off(all.len().min(self.page));
        let items = all
            .into_iter()
            .fold(Element::new(items), |items, one| items.holding(one));
        let root = Element::new(root);
        if rest.is_empty() {
            return root
                .holding(items)
                .holding(Element::new("wsman:EndOfSequence"));
        }
        self.made += 1;
        let context = format!("uuid:{:08x}", self.made);
        if self.contexts.len() == MOST_CONTEXTS {
            self.contexts.remove(0);
        }
        self.contexts.push((context.clone(), rest));
        root.holding(items)
            .holding(Element::new("wsen:EnumerationContext").saying(&context))
    }

    fn invoke(&mut self, class: &str, call: &Call) -> Result<Element, String> {
        let selected = |selectors: &[(&str, &str)]| {
            let is_so = |(name, value): &(&str, &str)| call.selector(name) == Some(*value);
            match selectors.iter().all(is_so) {
                true => Ok(()),
                false => Err(fault("wsman:InvalidSelectors", "no such object")),
            }
        };
        let method = call.method().unwrap_or_default();
        let name = |name: &str| format!("n1:{name}");
        let root =
            Element::new(&name(&format!("{method}_OUTPUT"))).with("xmlns:n1", &call.resource);
        let said = |what: &str, text: &str| Element::new(&name(what)).saying(text);
        let is_status = (class, method) == ("DCIM_LCService", "GetRemoteServicesAPIStatus");
        if is_status && !self.is_old {
            selected(LC_SERVICE)?;
            let status = if self.is_ready { "0" } else { "3" };
            return Ok(root
                .holding(said("LCStatus", status))
                .holding(said("ReturnValue", "0")));
        }
        let done = match (class, method) {
            _ if self.fault == Fault::Refuses => Err(("SYS021", "The command failed")),
            ("DCIM_ComputerSystem", "RequestStateChange") => {
                selected(SYSTEM)?;
                self.switch(call.argument("RequestedState").unwrap_or_default())
            }
            ("DCIM_BootConfigSetting", "ChangeBootOrderByInstanceID") => {
                let list = call.selector("InstanceID").unwrap_or_default().to_owned();
                self.reorder(&list, &call.arguments("source"))
            }
            ("DCIM_BIOSService", "SetAttributes") => {
                selected(BIOS_SERVICE)?;
                self.set_attributes(call)
            }
            ("DCIM_BIOSService", "CreateTargetedConfigJob") => {
                selected(BIOS_SERVICE)?;
                self.create_job(call)
            }
            ("DCIM_BIOSService", "DeletePendingConfiguration") => {
                selected(BIOS_SERVICE)?;
                self.abandon()
            }
            _ => return Err(fault("wsa:ActionNotSupported", "no such method")),
        };
        Ok(match done {
            Ok((value, output)) => {
                self.orders.push(method.to_owned());
                let root = output.into_iter().fold(root, Element::holding);
                root.holding(said("ReturnValue", value))
            }
            Err((id, message)) => root
                .holding(said("Message", message))
                .holding(said("MessageID", id))
                .holding(said("ReturnValue", "2")),
        })
    }

    fn of(&mut self, class: &str) -> impl Iterator<Item = &mut Object> {
        self.objects
            .iter_mut()
            .filter(move |one| one.class == class)
    }

    fn switch(&mut self, wanted: &str) -> Result<(&'static str, Output), Refusal> {
        let fault = self.fault;
        let Some(system) = self.of("DCIM_ComputerSystem").next() else {
            return Err(BAD_ARGUMENT);
        };
        let now = system.value("EnabledState").unwrap_or_default().to_owned();
        if !["2", "3", "11"].contains(&wanted) || now == wanted || (now == "3" && wanted == "11") {
            return Err(("SYS021", "The command failed to set RequestedState"));
        }
        if fault == Fault::Stuck {
            return Ok(("0", Vec::new()));
        }
        let after = if wanted == "3" { "3" } else { "2" };
        system.set("EnabledState", Some(after));
        if after == "2" {
            self.start();
        }
        Ok(("0", Vec::new()))
    }

    /// Jobs are done, and the machine boots.
    fn start(&mut self) {
        let mut has_job = false;
        for job in self.of("DCIM_LifecycleJob") {
            if job.value("JobStatus") == Some("Scheduled") {
                job.set("JobStatus", Some("Completed"));
                job.set("PercentComplete", Some("100"));
                has_job = true;
            }
        }
        if has_job {
            for class in BIOS_CLASSES {
                for attribute in self.of(class) {
                    if let Some(value) = attribute.value("PendingValue").map(str::to_owned) {
                        attribute.set("CurrentValue", Some(&value));
                        attribute.set("PendingValue", None);
                    }
                }
            }
            for source in self.of("DCIM_BootSourceSetting") {
                let place = source.value("PendingAssignedSequence").map(str::to_owned);
                source.set("CurrentAssignedSequence", place.as_deref());
            }
        }
        let once = match has_job {
            true => self.once.take(),
            false => None,
        };
        if once.is_some() {
            for list in self.of("DCIM_BootConfigSetting") {
                let is_usual = list.value("InstanceID") == Some("IPL");
                list.set("IsNext", Some(if is_usual { "1" } else { "2" }));
            }
        }
        let first = self.of("DCIM_BootSourceSetting").find(|source| {
            let id = source.value("InstanceID").unwrap_or_default();
            id.starts_with("IPL:") && source.value("CurrentAssignedSequence") == Some("0")
        });
        let usual = first.and_then(|source| source.value("InstanceID").map(str::to_owned));
        self.starts.push(once.or(usual).unwrap_or_default());
    }

    fn reorder(&mut self, list: &str, wanted: &[&str]) -> Result<(&'static str, Output), Refusal> {
        let has_list = self
            .of("DCIM_BootConfigSetting")
            .any(|one| one.value("InstanceID") == Some(list));
        let Some(first) = wanted.first().copied().filter(|_| has_list) else {
            return Err(BAD_ARGUMENT);
        };
        let has_source = self
            .of("DCIM_BootSourceSetting")
            .any(|one| one.value("InstanceID") == Some(first));
        if !has_source {
            return Err(("BOOT010", "Invalid Boot Source"));
        }
        if list == "OneTime" {
            self.once = Some(first.to_owned());
            for one in self.of("DCIM_BootConfigSetting") {
                let is_it = one.value("InstanceID") == Some("OneTime");
                one.set("IsNext", Some(if is_it { "3" } else { "2" }));
            }
            return Ok(("0", Vec::new()));
        }
        let prefix = format!("{list}:");
        let mut sources: Vec<&mut Object> = self
            .of("DCIM_BootSourceSetting")
            .filter(|one| {
                one.value("InstanceID")
                    .is_some_and(|id| id.starts_with(&prefix))
            })
            .collect();
        sources.sort_by_key(|one| {
            let id = one.value("InstanceID");
            let place = wanted.iter().position(|wanted| id == Some(*wanted));
            (
                place.unwrap_or(usize::MAX),
                one.number("PendingAssignedSequence"),
            )
        });
        for (place, source) in sources.into_iter().enumerate() {
            source.set("PendingAssignedSequence", Some(&place.to_string()));
        }
        Ok(("0", Vec::new()))
    }

    fn has_open_job(&mut self) -> bool {
        let mut jobs = self.of("DCIM_LifecycleJob");
        jobs.any(|job| job.value("JobStatus") == Some("Scheduled"))
    }

    fn set_attributes(&mut self, call: &Call) -> Result<(&'static str, Output), Refusal> {
        let names = call.arguments("AttributeName");
        let values = call.arguments("AttributeValue");
        if call.argument("Target") != Some(TARGET) || names.len() != values.len() {
            return Err(BAD_ARGUMENT);
        }
        if self.has_open_job() {
            return Err(("BIOS019", "A job is scheduled for the target"));
        }
        for (name, value) in names.iter().zip(&values) {
            let attribute = self.objects.iter_mut().find(|one| {
                BIOS_CLASSES.contains(&one.class) && one.value("AttributeName") == Some(*name)
            });
            match attribute {
                Some(one) if one.value("IsReadOnly") == Some("false") => {
                    one.set("PendingValue", Some(*value));
                }
                _ => return Err(("BIOS015", "Invalid attribute")),
            }
        }
        let said = |name: &str, text: &str| Element::new(&format!("n1:{name}")).saying(text);
        let mut output = vec![
            said("Message", "The command was successful"),
            said("MessageID", "BIOS001"),
        ];
        for _ in &names {
            output.push(said("RebootRequired", "Yes"));
            output.push(said("SetResult", "Set PendingValue"));
        }
        Ok(("0", output))
    }

    fn create_job(&mut self, call: &Call) -> Result<(&'static str, Output), Refusal> {
        if call.argument("Target") != Some(TARGET) {
            return Err(BAD_ARGUMENT);
        }
        if self.has_open_job() {
            return Err(("BIOS024", "A job is scheduled for the target already"));
        }
        self.made += 1;
        let id = format!("JID_{:012}", self.made);
        self.objects.push(Object::new(
            "DCIM_LifecycleJob",
            &[
                ("InstanceID", &id),
                ("JobStartTime", "TIME_NOW"),
                ("JobStatus", "Scheduled"),
                ("JobUntilTime", "TIME_NA"),
                ("Message", "Task successfully scheduled."),
                ("MessageID", "JCP001"),
                ("Name", "ConfigBIOS:BIOS.Setup.1-1"),
                ("PercentComplete", "0"),
            ],
        ));
        let selectors = [("InstanceID", id.as_str()), ("__cimnamespace", "root/dcim")];
        let class = format!("{CLASSES}DCIM_LifecycleJob");
        let job = reference("n1:Job", &class, &selectors);
        if call.argument("RebootJobType").is_some() {
            if let Some(system) = self.of("DCIM_ComputerSystem").next() {
                system.set("EnabledState", Some("2"));
            }
            self.start();
        }
        Ok(("4096", vec![job]))
    }

    fn abandon(&mut self) -> Result<(&'static str, Output), Refusal> {
        if self.has_open_job() {
            return Err(("BIOS019", "A job is scheduled for the target"));
        }
        for class in BIOS_CLASSES {
            for attribute in self.of(class) {
                attribute.set("PendingValue", None);
            }
        }
        Ok(("0", Vec::new()))
    }
}
