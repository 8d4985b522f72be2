//! The root of the service, and what stands beside it for clients that speak OData.

use crate::redfish::{
    answer::{Answer, Body},
    call::{Call, add, link},
    message::Problem,
    routes::ROUTES,
};
use hyper::StatusCode;
use serde_json::{Value, json};
use std::{collections::BTreeSet, fmt::Write};

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
        "Vendor": call.ways.vendor,
        "Product": call.ways.product,
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
        add(&mut body, json!({ name: link(&format!("/redfish/v1/{path}")) }));
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
    Ok(Answer::of(StatusCode::OK, Body::Text("application/xml", text)))
}

/// The schemas of the resources that need no name to be found, which are one of each kind.
fn schemas(call: &Call<'_>) -> Vec<(String, BTreeSet<String>)> {
    let mut found = std::collections::BTreeMap::<String, BTreeSet<String>>::new();
    let mut note = |kind: &str| {
        let kind = kind.trim_start_matches('#');
        let Some((namespace, _)) = kind.rsplit_once('.') else {
            return;
        };
        let schema = namespace.split('.').next().unwrap_or(namespace);
        let versions = found.entry(schema.to_owned()).or_default();
        versions.insert(schema.to_owned());
        versions.insert(namespace.to_owned());
    };
    for kind in ["#Resource.v1_18_0.Resource", "#Message.v1_1_1.Message", "#Settings.v1_3_5.Settings"] {
        note(kind);
    }
    let plain = ROUTES.iter().filter(|route| !route.pattern.contains('{'));
    for show in plain.filter_map(|route| route.show) {
        if let Ok(body) = show(call) {
            note(body["@odata.type"].as_str().unwrap_or_default());
        }
    }
    for kind in super::KINDS {
        note(kind);
    }
    found.into_iter().collect()
}
