//! Events and their subscriptions.

use crate::{
    machine::event::{News, Subscription},
    redfish::{
        answer::{Answer, Body},
        body::Fields,
        call::{Call, add, healthy, link},
        message::Problem,
        post,
    },
};
use hyper::StatusCode;
use serde_json::{Value, json};

const SUBSCRIPTIONS: &str = "/redfish/v1/EventService/Subscriptions";
pub(crate) const TYPES: [&str; 5] = [
    "StatusChange",
    "ResourceUpdated",
    "ResourceAdded",
    "ResourceRemoved",
    "Alert",
];
const REGISTRIES: [&str; 3] = ["Base", "ResourceEvent", "TaskEvent"];

pub(crate) fn service(call: &Call<'_>) -> Result<Value, Problem> {
    let mut body = call.resource(
        "#EventService.v1_10_1.EventService",
        "EventService",
        "Event Service",
    );
    add(
        &mut body,
        json!({
            "Status": healthy(),
            "ServiceEnabled": true,
            "DeliveryRetryAttempts": post::ATTEMPTS,
            "DeliveryRetryIntervalSeconds": post::PAUSE.as_secs(),
            "EventTypesForSubscription": TYPES,
            "EventFormatTypes": ["Event"],
            "RegistryPrefixes": REGISTRIES,
            "ResourceTypes": ["ComputerSystem", "Manager", "Chassis", "Task"],
            "SubordinateResourcesSupported": false,
            "Subscriptions": link(SUBSCRIPTIONS),
            "Actions": {"#EventService.SubmitTestEvent": {
                "target": "/redfish/v1/EventService/Actions/EventService.SubmitTestEvent",
                "EventType@Redfish.AllowableValues": TYPES,
            }},
        }),
    );
    Ok(body)
}

pub(crate) fn list(call: &Call<'_>) -> Result<Value, Problem> {
    let numbers = call.host().parts(|parts| {
        let all = parts.subscriptions.all().iter();
        all.map(|subscription| subscription.number)
            .collect::<Vec<_>>()
    });
    let kind = "EventDestinationCollection";
    Ok(call.collection(kind, "Event Subscriptions Collection", numbers))
}

pub(crate) fn show(call: &Call<'_>) -> Result<Value, Problem> {
    let number = number(call)?;
    let found = call
        .host()
        .parts(|parts| parts.subscriptions.find(number).cloned());
    Ok(of(call.path, &found.ok_or_else(|| call.absent())?))
}

fn number(call: &Call<'_>) -> Result<u32, Problem> {
    call.param("subscription")
        .parse()
        .map_err(|_| call.absent())
}

fn of(path: &str, subscription: &Subscription) -> Value {
    json!({
        "@odata.id": path,
        "@odata.type": "#EventDestination.v1_13_2.EventDestination",
        "Id": subscription.number.to_string(),
        "Name": "Event Subscription",
        "Destination": subscription.destination,
        "Context": subscription.context,
        "Protocol": "Redfish",
        "SubscriptionType": "RedfishEvent",
        "EventFormatType": "Event",
        "EventTypes": if subscription.event_types.is_empty() {
            json!(TYPES)
        } else {
            json!(subscription.event_types)
        },
        "RegistryPrefixes": subscription.registry_prefixes,
        "ResourceTypes": subscription.resource_types,
        "HttpHeaders": [],
        "Status": {"State": "Enabled", "Health": "OK"},
    })
}

/// Headers that go with every letter: a list of objects with a member each.
fn headers(fields: &mut Fields) -> Result<Vec<(String, String)>, Problem> {
    let Some(value) = fields.value("HttpHeaders") else {
        return Ok(Vec::new());
    };
    let wrong = || Problem::wrong_type("HttpHeaders", &json!("******"));
    let items = value.as_array().ok_or_else(wrong)?;
    let mut headers = Vec::new();
    for item in items {
        for (name, value) in item.as_object().ok_or_else(wrong)? {
            headers.push((name.clone(), value.as_str().ok_or_else(wrong)?.to_owned()));
        }
    }
    Ok(headers)
}

pub(crate) fn create(call: &Call<'_>) -> Result<Answer, Problem> {
    let mut fields = Fields::of(call.body)?;
    let destination = fields
        .text("Destination")?
        .ok_or_else(|| Problem::missing("Destination"))?;
    if !destination.starts_with("http://") && !destination.starts_with("https://") {
        let args = [&*destination, "Destination"];
        return Err(Problem::new("PropertyValueFormatError", &args).about("Destination"));
    }
    let protocol = fields.choice("Protocol", &["Redfish"])?;
    protocol.ok_or_else(|| Problem::missing("Protocol"))?;
    let event_types = fields.texts("EventTypes")?.unwrap_or_default();
    if let Some(wrong) = event_types
        .iter()
        .find(|kind| !TYPES.contains(&kind.as_str()))
    {
        return Err(Problem::not_in_list("EventTypes", wrong));
    }
    fields.choice("SubscriptionType", &["RedfishEvent"])?;
    fields.choice("EventFormatType", &["Event"])?;
    fields.choice(
        "DeliveryRetryPolicy",
        &["TerminateAfterRetries", "RetryForever"],
    )?;
    fields.text("Name")?;
    let subscription = Subscription {
        number: 0,
        destination,
        context: fields.text("Context")?.unwrap_or_default(),
        event_types,
        registry_prefixes: fields.texts("RegistryPrefixes")?.unwrap_or_default(),
        resource_types: fields.texts("ResourceTypes")?.unwrap_or_default(),
        headers: headers(&mut fields)?,
    };
    fields.end(&Value::Null)?;
    let added = call.host().parts(|parts| {
        let number = parts.subscriptions.add(subscription)?;
        parts.subscriptions.find(number).cloned()
    });
    let added = added.ok_or_else(|| Problem::new("CreateLimitReachedForResource", &[]))?;
    post::watch(call.site);
    let uri = format!("{SUBSCRIPTIONS}/{}", added.number);
    let body = of(&uri, &added);
    Ok(Answer::created(uri, body))
}

pub(crate) fn change(call: &Call<'_>) -> Result<Answer, Problem> {
    let number = number(call)?;
    let mut fields = Fields::of(call.body)?;
    let context = fields.text("Context")?;
    fields.end(&show(call)?)?;
    if let Some(context) = context {
        let host = call.host();
        host.parts(|parts| {
            parts
                .subscriptions
                .change(number, |known| known.context = context)
        });
    }
    Ok(Answer::of(StatusCode::OK, Body::None))
}

pub(crate) fn delete(call: &Call<'_>) -> Result<Answer, Problem> {
    let number = number(call)?;
    if call
        .host()
        .parts(|parts| parts.subscriptions.remove(number))
    {
        Ok(Answer::nothing())
    } else {
        Err(call.absent())
    }
}

pub(crate) fn test(call: &Call<'_>) -> Result<Answer, Problem> {
    let empty = json!({});
    let mut fields = Fields::of(if call.body.is_null() {
        &empty
    } else {
        call.body
    })?;
    let kind = fields.choice("EventType", &TYPES)?.unwrap_or("Alert");
    let message = fields
        .text("Message")?
        .unwrap_or_else(|| "A test event.".to_owned());
    let args = fields.texts("MessageArgs")?.unwrap_or_default();
    for known in [
        "EventId",
        "EventTimestamp",
        "MessageId",
        "OriginOfCondition",
        "Severity",
        "MessageSeverity",
    ] {
        fields.value(known);
    }
    fields.end_action("EventService.SubmitTestEvent")?;
    let news = News {
        kind,
        message_id: "ResourceEvent.1.3.TestMessage",
        message: &message,
        args: &args,
        severity: "OK",
        origin: "/redfish/v1/EventService",
        resource_type: "ComputerSystem",
    };
    let letters = call
        .host()
        .parts(|parts| parts.subscriptions.letters(&news, call.now));
    post::send(letters);
    Ok(Answer::nothing())
}
