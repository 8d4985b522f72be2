//! What Redfish hardware offers beyond the interfaces: subscriptions to events, and emptying
//! virtual drives.

use super::{Redfish, Resource, Talk, management::media};
use crate::{
    DriverError,
    iface::{Interface, Machine, Vendor},
};
use async_trait::async_trait;
use serde_json::{Value, json};
use std::sync::Arc;
use types::{JsonMap, LeaseProof, pyrepr, rpc::VendorMethod};

/// What is told of a subscription.
const TOLD: [&str; 5] = ["Id", "Context", "Protocol", "Destination", "EventTypes"];
/// The kinds of events that there are, where the service does not tell which it has.
const EVENT_TYPES: [&str; 7] = [
    "Alert",
    "MetricReport",
    "Other",
    "ResourceAdded",
    "ResourceRemoved",
    "ResourceUpdated",
    "StatusChange",
];
const BOOT_DEVICES: [&str; 4] = ["cd", "dvd", "usb", "floppy"];

/// The `redfish` vendor interface, also under the name of a maker.
#[derive(Debug, Clone)]
pub struct RedfishVendor {
    redfish: Arc<Redfish>,
    name: &'static str,
}

impl RedfishVendor {
    pub fn new(redfish: &Arc<Redfish>, name: &'static str) -> Self {
        Self {
            redfish: Arc::clone(redfish),
            name,
        }
    }
}

#[async_trait]
impl Interface for RedfishVendor {
    fn name(&self) -> &'static str {
        self.name
    }

    async fn validate(&self, _machine: &Machine<'_>) -> Result<(), DriverError> {
        Ok(())
    }
}

fn method(name: &str, http: &str, is_async: bool, description: &str) -> VendorMethod {
    VendorMethod {
        name: name.into(),
        http_methods: vec![http.into()],
        r#async: is_async,
        description: description.into(),
        attach: false,
        require_exclusive_lock: true,
    }
}

fn invalid(text: impl Into<String>) -> DriverError {
    DriverError::InvalidParameter(text.into())
}

/// The name of a subscription, which becomes part of a path.
fn subscription_id(arguments: &JsonMap) -> Result<&str, DriverError> {
    let id = arguments.get("id").filter(|id| pyrepr::truth(id));
    let id = id.ok_or_else(|| invalid("id can't be None"))?;
    let id = id.as_str().ok_or_else(|| invalid("id must be a string"))?;
    let is_plain = |c: char| c.is_ascii_graphic() && !matches!(c, '/' | '?' | '#' | '\\' | '%');
    if !id.chars().all(is_plain) || matches!(id, "." | "..") {
        return Err(invalid(format!(
            "{} is not the id of a subscription",
            pyrepr::repr_str(id)
        )));
    }
    Ok(id)
}

/// Refuses what no service could make a subscription of.
fn check_subscription(arguments: &JsonMap) -> Result<(), DriverError> {
    let shown = |value: &Value| pyrepr::to_str(value);
    if let Some(context) = arguments.get("Context").filter(|value| !value.is_string()) {
        return Err(invalid(format!(
            "Context {} is not a valid string",
            shown(context)
        )));
    }
    if let Some(protocol) = arguments.get("Protocol").filter(|value| !value.is_string()) {
        return Err(invalid(format!(
            "Protocol {} is not a string",
            shown(protocol)
        )));
    }
    let headers = arguments
        .get("HttpHeaders")
        .filter(|value| !value.is_null());
    if let Some(headers) = headers.filter(|value| !value.is_array()) {
        return Err(invalid(format!(
            "HttpHeaders {} is not a list of headers",
            shown(headers)
        )));
    }
    let destination = arguments.get("Destination").unwrap_or(&Value::Null);
    let is_address = destination.as_str().is_some_and(|text| {
        let rest = text.split_once("://").map(|(_, rest)| rest);
        text.chars().all(|c| c.is_ascii_graphic())
            && rest.is_some_and(|rest| !rest.starts_with('/'))
            && reqwest::Url::parse(text).is_ok_and(|url| url.has_host())
    });
    if !is_address {
        let shown = shown(destination);
        return Err(invalid(format!("Destination {shown} is not a valid URI")));
    }
    Ok(())
}

/// The body of a new subscription.
fn subscription(arguments: &JsonMap) -> JsonMap {
    let given = |key: &str, default: Value| arguments.get(key).cloned().unwrap_or(default);
    let mut body = JsonMap::new();
    body.insert("Destination".into(), given("Destination", Value::Null));
    body.insert("Protocol".into(), given("Protocol", "Redfish".into()));
    body.insert("Context".into(), given("Context", "".into()));
    body.insert("EventTypes".into(), given("EventTypes", json!(["Alert"])));
    let headers = given("HttpHeaders", Value::Null);
    if pyrepr::truth(&headers) {
        body.insert("HttpHeaders".into(), headers);
    }
    body
}

/// Refuses kinds of events that the service does not have.
fn check_event_types(service: &Resource, arguments: &JsonMap) -> Result<(), DriverError> {
    let asked = match arguments.get("EventTypes") {
        None | Some(Value::Null) => return Ok(()),
        Some(asked) => asked,
    };
    let mut allowed = service.texts("EventTypesForSubscription");
    if allowed.is_empty() {
        allowed = EVENT_TYPES.to_vec();
    }
    let is_allowed = |one: &Value| one.as_str().is_some_and(|one| allowed.contains(&one));
    if asked
        .as_array()
        .is_some_and(|asked| asked.iter().all(is_allowed))
    {
        return Ok(());
    }
    allowed.sort_unstable();
    let shown: Vec<String> = allowed.iter().map(|one| pyrepr::repr_str(one)).collect();
    Err(invalid(format!(
        "EventTypes {} is not a valid value, allowed values {{{}}}",
        pyrepr::to_str(asked),
        shown.join(", ")
    )))
}

fn told(subscription: &JsonMap) -> Value {
    let kept = subscription
        .iter()
        .filter(|(key, _)| TOLD.contains(&key.as_str()));
    Value::Object(
        kept.map(|(key, value)| (key.clone(), value.clone()))
            .collect(),
    )
}

async fn event_service(talk: &Talk<'_>) -> Result<Resource, DriverError> {
    let root = talk.root().await?;
    Ok(talk.follow(&root, "EventService").await?)
}

async fn subscriptions(talk: &Talk<'_>) -> Result<Resource, DriverError> {
    let service = event_service(talk).await?;
    Ok(talk.follow(&service, "Subscriptions").await?)
}

async fn one(talk: &Talk<'_>, arguments: &JsonMap) -> Result<String, DriverError> {
    let id = subscription_id(arguments)?;
    let all = subscriptions(talk).await?;
    Ok(format!("{}/{id}", all.path.trim_end_matches('/')))
}

async fn create(talk: &Talk<'_>, arguments: &JsonMap) -> Result<Value, DriverError> {
    let service = event_service(talk).await?;
    check_event_types(&service, arguments)?;
    let Some(place) = service.link("Subscriptions") else {
        return Err(talk.lacks(&service, "Subscriptions/@odata.id"));
    };
    let made = talk.post(place, &subscription(arguments)).await?;
    match made.location {
        Some(path) => Ok(told(&talk.get(&path).await?.body)),
        None => Ok(told(&made.body)),
    }
}

#[async_trait]
impl Vendor for RedfishVendor {
    fn methods(&self) -> Vec<VendorMethod> {
        vec![
            method(
                "create_subscription",
                "POST",
                false,
                "Creates a subscription on a node. Required argument: a dictionary of {'Destination': 'destination_url'}",
            ),
            method(
                "delete_subscription",
                "DELETE",
                false,
                "Delete a subscription on a node. Required argument: a dictionary of {'id': 'subscription_bmc_id'}",
            ),
            method(
                "eject_vmedia",
                "POST",
                true,
                "Eject a virtual media device. If no device is provided then all attached devices will be ejected. Optional arguments: 'boot_device' - the boot device to eject, either 'cd', 'dvd', 'usb', or 'floppy'",
            ),
            method(
                "get_all_subscriptions",
                "GET",
                false,
                "Returns all subscriptions on the node.",
            ),
            method(
                "get_subscription",
                "GET",
                false,
                "Get a subscription on the node. Required argument: a dictionary of {'id': 'subscription_bmc_id'}",
            ),
        ]
    }

    fn check(&self, method: &str, arguments: &JsonMap) -> Result<(), DriverError> {
        match method {
            "eject_vmedia" => match arguments.get("boot_device") {
                Some(device) if pyrepr::truth(device) => {
                    let name = device.as_str().map(str::to_lowercase);
                    if name.is_some_and(|name| BOOT_DEVICES.contains(&name.as_str())) {
                        return Ok(());
                    }
                    let shown = pyrepr::to_str(device);
                    Err(invalid(format!(
                        "Boot device {shown} is not a valid value "
                    )))
                }
                _ => Ok(()),
            },
            "create_subscription" => check_subscription(arguments),
            "delete_subscription" | "get_subscription" => subscription_id(arguments).map(|_| ()),
            "get_all_subscriptions" => Ok(()),
            _ => Err(invalid(format!("No handler for method {method}"))),
        }
    }

    async fn call(
        &self,
        _lease: Option<&LeaseProof>,
        machine: &mut Machine<'_>,
        method: &str,
        arguments: &JsonMap,
    ) -> Result<Value, DriverError> {
        self.check(method, arguments)?;
        let info = self.redfish.info(machine)?;
        let operation = match method {
            "create_subscription" => "create_subscription",
            "delete_subscription" => "delete_subscription",
            "get_subscription" => "get_subscription",
            "get_all_subscriptions" => "get_all_subscriptions",
            _ => {
                media::eject_all(&self.redfish, &info, device(arguments).as_deref()).await?;
                return Ok(Value::Null);
            }
        };
        let talk = self.redfish.talk(&info, operation).await?;
        match method {
            "create_subscription" => create(&talk, arguments).await,
            "delete_subscription" => {
                let path = one(&talk, arguments).await?;
                talk.delete(&path).await?;
                Ok(Value::Null)
            }
            "get_subscription" => {
                let path = one(&talk, arguments).await?;
                Ok(told(&talk.get(&path).await?.body))
            }
            _ => Ok(Value::Object(subscriptions(&talk).await?.body)),
        }
    }
}

/// The word of the other interfaces for a kind of medium.
fn device(arguments: &JsonMap) -> Option<Vec<String>> {
    let asked = arguments.get("boot_device")?.as_str()?.to_lowercase();
    let device = match asked.as_str() {
        "cd" | "dvd" => "cdrom",
        "usb" => "disk",
        "floppy" => "floppy",
        _ => return None,
    };
    Some(vec![device.into()])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(value: Value) -> JsonMap {
        value.as_object().cloned().unwrap()
    }

    #[test]
    fn subscriptions_are_looked_over() {
        let refusal = |extra: Value| {
            let mut arguments = map(json!({"Destination": "https://h/events"}));
            arguments.extend(map(extra));
            check_subscription(&arguments).map_err(|error| error.to_string())
        };
        assert_eq!(refusal(json!({"HttpHeaders": [{"a": "b"}]})), Ok(()));
        let told = |extra: Value| refusal(extra).unwrap_err();
        assert_eq!(
            told(json!({"Context": 10})),
            "Context 10 is not a valid string"
        );
        assert_eq!(told(json!({"Protocol": 10})), "Protocol 10 is not a string");
        assert_eq!(
            told(json!({"HttpHeaders": {}})),
            "HttpHeaders {} is not a list of headers"
        );
        for bad in [
            json!(null),
            json!("nowhere"),
            json!("https:///x"),
            json!("http://a b/"),
        ] {
            let text = told(json!({"Destination": bad}));
            assert!(
                text.starts_with("Destination ") && text.ends_with(" is not a valid URI"),
                "{text}"
            );
        }
    }

    #[test]
    fn only_event_types_that_the_service_has_are_taken() {
        let service = |body: Value| Resource::new("/e", None, map(body));
        let has = service(json!({"EventTypesForSubscription": ["StatusChange", "Alert"]}));
        let asked = |types: Value| map(json!({"EventTypes": types}));
        assert!(check_event_types(&has, &asked(json!(["Alert"]))).is_ok());
        assert!(check_event_types(&has, &JsonMap::new()).is_ok());
        let error = check_event_types(&has, &asked(json!(["Other"]))).unwrap_err();
        assert_eq!(
            error.to_string(),
            "EventTypes ['Other'] is not a valid value, allowed values {'Alert', 'StatusChange'}"
        );
        assert!(check_event_types(&service(json!({})), &asked(json!(["Other"]))).is_ok());
        assert!(check_event_types(&has, &asked(json!("Alert"))).is_err());
    }

    #[test]
    fn a_subscription_has_a_plain_name() {
        let id = |value: Value| {
            let arguments = map(json!({"id": value}));
            subscription_id(&arguments)
                .map(str::to_owned)
                .map_err(|e| e.to_string())
        };
        assert_eq!(id(json!("1-a")), Ok("1-a".into()));
        assert_eq!(id(json!("")), Err("id can't be None".into()));
        for bad in ["../x", "..", "a/b", "a?b", "a b"] {
            assert!(id(json!(bad)).is_err(), "{bad}");
        }
    }

    #[test]
    fn defaults_complete_a_subscription() {
        let body = subscription(&map(json!({"Destination": "https://h"})));
        assert_eq!(
            Value::Object(body),
            json!({"Destination": "https://h", "Protocol": "Redfish", "Context": "",
                   "EventTypes": ["Alert"]})
        );
        let shown = told(&map(json!({"Id": "1", "Name": "x", "Context": ""})));
        assert_eq!(shown, json!({"Id": "1", "Context": ""}));
    }
}
