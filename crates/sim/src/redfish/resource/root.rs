//! The root of the service, and what stands beside it for clients that speak OData.

use crate::redfish::{
    answer::{Answer, Body},
    call::{Call, add, link},
    message::Problem,
    service::look,
};
use hyper::StatusCode;
use serde_json::{Value, json};
use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write,
};

pub(crate) fn versions(_: &Call<'_>) -> Result<Answer, Problem> {
    Ok(Answer::ok(json!({"v1": "/redfish/v1/"})))
}

pub(crate) fn root(call: &Call<'_>) -> Result<Value, Problem> {
    let mut body = json!({
        "@odata.id": "/redfish/v1/",
        "@odata.type": "#ServiceRoot.v1_16_0.ServiceRoot",
        "Id": "RootService",
        "Name": "Root Service",
        "RedfishVersion": "1.18.0",
        "UUID": call.host().uuid().to_string(),
        "Vendor": call.quirks.vendor,
        "Product": call.quirks.product,
        "ProtocolFeaturesSupported": {
            "ExpandQuery": {
                "ExpandAll": true,
                "Levels": true,
                "Links": false,
                "MaxLevels": 1,
                "NoLinks": true,
            },
            "FilterQuery": false,
            "SelectQuery": false,
            "OnlyMemberQuery": false,
            "ExcerptQuery": false,
        },
        "Links": {"Sessions": link("/redfish/v1/SessionService/Sessions")},
    });
    for (name, path) in [
        ("Systems", "Systems"),
        ("Chassis", "Chassis"),
        ("Managers", "Managers"),
        ("Tasks", "TaskService"),
        ("SessionService", "SessionService"),
        ("AccountService", "AccountService"),
        ("EventService", "EventService"),
        ("UpdateService", "UpdateService"),
        ("Registries", "Registries"),
    ] {
        add(
            &mut body,
            json!({ name: link(&format!("/redfish/v1/{path}")) }),
        );
    }
    Ok(body)
}

pub(crate) fn odata(call: &Call<'_>) -> Result<Answer, Problem> {
    let root = root(call)?;
    let kinds = root.as_object().into_iter().flatten();
    let services = kinds.filter_map(|(name, value)| {
        let url = value.get("@odata.id")?;
        Some(json!({"name": name, "kind": "Singleton", "url": url}))
    });
    let mut list = vec![json!({"name": "Service", "kind": "Singleton", "url": "/redfish/v1/"})];
    list.extend(services);
    Ok(Answer::ok(json!({
        "@odata.context": "/redfish/v1/$metadata",
        "value": list,
    })))
}

/// Which schemas the service uses; they are those of the standard and are found where it says.
pub(crate) fn metadata(call: &Call<'_>) -> Result<Answer, Problem> {
    let mut text = String::from(concat!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n",
        "<edmx:Edmx xmlns:edmx=\"http://docs.oasis-open.org/odata/ns/edmx\" Version=\"4.0\">\n",
    ));
    for (schema, versions) in schemas(call) {
        let _ = writeln!(
            text,
            "  <edmx:Reference Uri=\"http://redfish.dmtf.org/schemas/v1/{schema}_v1.xml\">"
        );
        for version in versions {
            let _ = writeln!(text, "    <edmx:Include Namespace=\"{version}\"/>");
        }
        text.push_str("  </edmx:Reference>\n");
    }
    text.push_str(concat!(
        "  <edmx:DataServices>\n",
        "    <Schema xmlns=\"http://docs.oasis-open.org/odata/ns/edm\" Namespace=\"Service\">\n",
        "      <EntityContainer Name=\"Service\" Extends=\"ServiceRoot.v1_16_0.ServiceContainer\"/>\n",
        "    </Schema>\n",
        "  </edmx:DataServices>\n",
        "</edmx:Edmx>\n",
    ));
    Ok(Answer::of(
        StatusCode::OK,
        Body::Text("application/xml", text),
    ))
}

/// The schemas of all resources that links lead to, each with the versions in use.
fn schemas(call: &Call<'_>) -> BTreeMap<String, BTreeSet<String>> {
    let mut found = BTreeMap::<String, BTreeSet<String>>::new();
    let mut note = |kind: &str| {
        let Some((namespace, _)) = kind.trim_start_matches('#').rsplit_once('.') else {
            return;
        };
        let schema = namespace.split('.').next().unwrap_or(namespace);
        let versions = found.entry(schema.to_owned()).or_default();
        versions.insert(schema.to_owned());
        versions.insert(namespace.to_owned());
    };
    for kind in [
        "#Resource.v1_18_0.Resource",
        "#Message.v1_1_1.Message",
        "#Settings.v1_3_5.Settings",
    ] {
        note(kind);
    }
    let mut seen = BTreeSet::new();
    let mut open = vec!["/redfish/v1".to_owned()];
    while let Some(uri) = open.pop() {
        if !seen.insert(uri.clone()) {
            continue;
        }
        if let Some(body) = look(call, &uri) {
            note(body["@odata.type"].as_str().unwrap_or_default());
            links_in(&body, &mut open);
        }
    }
    found
}

/// Every link within a resource.
fn links_in(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Object(members) => {
            for (name, value) in members {
                match value {
                    Value::String(uri) if name == "@odata.id" && !uri.contains('#') => {
                        found.push(uri.trim_end_matches('/').to_owned());
                    }
                    other => links_in(other, found),
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| links_in(item, found)),
        _ => {}
    }
}
