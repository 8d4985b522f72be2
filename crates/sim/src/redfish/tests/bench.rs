//! A service on the bench: requests go in without a network.

use crate::{
    Machine, Settings,
    fault::{Faults, HttpFaults},
    personality::Personality,
    redfish::{
        Options, Site,
        answer::Body,
        service::{self, Request},
    },
};
use base64::{Engine, engine::general_purpose::STANDARD};
use hyper::{
    HeaderMap, Method, StatusCode,
    header::{HeaderName, HeaderValue},
};
use serde_json::{Value, json};
use std::{collections::BTreeMap, sync::Arc};

pub(super) struct Bench {
    pub(super) site: Site,
}

/// What came back.
#[derive(Debug)]
pub(super) struct Reply {
    pub(super) status: StatusCode,
    headers: Vec<(HeaderName, String)>,
    pub(super) body: Value,
}

impl Reply {
    pub(super) fn header(&self, name: &str) -> Option<String> {
        let found = self.headers.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.clone())
    }

    /// What an error says: the id of its message, or its words if it is a general one.
    pub(super) fn message(&self) -> String {
        let error = &self.body["error"];
        let id = error["code"].as_str().unwrap_or_default();
        let said = error["message"].as_str().unwrap_or_default();
        if id.ends_with("GeneralError") {
            said.to_owned()
        } else {
            id.to_owned()
        }
    }
}

impl Bench {
    pub(super) fn new() -> Self {
        Self::with(Settings::default())
    }

    pub(super) fn of(personality: &str) -> Self {
        Self::with(Settings {
            personality: Personality::of_name(personality).unwrap(),
            ..Settings::default()
        })
    }

    pub(super) fn with(settings: Settings) -> Self {
        Self::build(settings, Options::default(), 1)
    }

    pub(super) fn served(options: Options) -> Self {
        Self::build(Settings::default(), options, 1)
    }

    pub(super) fn group(count: u32) -> Self {
        Self::build(Settings::default(), Options::default(), count)
    }

    fn build(settings: Settings, options: Options, count: u32) -> Self {
        let machines = crate::machines(count, &Arc::new(settings));
        let site = Site::new(machines.to_vec(), Arc::new(options)).unwrap();
        Self { site }
    }

    pub(super) fn machine(&self) -> &Machine {
        self.site.host()
    }

    pub(super) fn faults(&self, faults: Faults) {
        self.machine().set_faults(Some(faults));
    }

    pub(super) fn http_faults(&self, http: HttpFaults) {
        self.faults(Faults {
            http,
            ..Faults::default()
        });
    }

    /// A request with headers and any bytes as its body.
    pub(super) fn raw(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &[u8],
    ) -> Reply {
        let (path, query) = path.split_once('?').unwrap_or((path, ""));
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            let name: HeaderName = name.parse().unwrap();
            map.insert(name, HeaderValue::from_str(value).unwrap());
        }
        let method: Method = method.parse().unwrap();
        let request = Request {
            method: &method,
            path,
            query,
            headers: &map,
            body,
        };
        let answer = service::answer(&self.site, &request);
        Reply {
            status: answer.status,
            headers: answer.headers,
            body: match answer.body {
                Body::None => Value::Null,
                Body::Json(value) => value,
                Body::Text(_, text) => json!(text),
            },
        }
    }

    fn sent(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: Option<&Value>,
    ) -> Reply {
        let body = body.filter(|body| !body.is_null()).map(Value::to_string);
        self.raw(method, path, headers, body.unwrap_or_default().as_bytes())
    }

    pub(super) fn stranger(&self, method: &str, path: &str, body: Option<&Value>) -> Reply {
        self.sent(method, path, &[], body)
    }

    pub(super) fn with_token(&self, token: &str, method: &str, path: &str) -> Reply {
        self.sent(method, path, &[("x-auth-token", token)], None)
    }

    /// A request of `name:password`.
    pub(super) fn user(&self, user: &str, method: &str, path: &str, body: Option<&Value>) -> Reply {
        let basic = format!("Basic {}", STANDARD.encode(user));
        self.sent(method, path, &[("authorization", &basic)], body)
    }

    pub(super) fn ask(&self, method: &str, path: &str, body: &Value) -> Reply {
        self.user("admin:password", method, path, Some(body))
    }

    pub(super) fn tagged(
        &self,
        method: &str,
        path: &str,
        body: &Value,
        name: &str,
        tag: &str,
    ) -> Reply {
        let basic = format!("Basic {}", STANDARD.encode("admin:password"));
        self.sent(
            method,
            path,
            &[("authorization", &basic), (name, tag)],
            Some(body),
        )
    }

    pub(super) fn get(&self, path: &str) -> Reply {
        self.ask("GET", path, &Value::Null)
    }

    pub(super) fn reset(&self, kind: &str) {
        let path = "/redfish/v1/Systems/1/Actions/ComputerSystem.Reset";
        let answer = self.ask("POST", path, &json!({ "ResetType": kind }));
        assert_eq!(answer.status, StatusCode::NO_CONTENT);
    }

    pub(super) fn patch_bios(&self, attributes: &Value) {
        let path = "/redfish/v1/Systems/1/Bios/Settings";
        let answer = self.ask("PATCH", path, &json!({ "Attributes": attributes }));
        assert_eq!(answer.status, StatusCode::OK);
    }

    /// Every resource that links lead to, without what changes with time.
    pub(super) fn everything(&self) -> BTreeMap<String, Value> {
        let mut found = BTreeMap::new();
        let mut open = vec!["/redfish/v1".to_owned()];
        while let Some(uri) = open.pop() {
            if found.contains_key(&uri) {
                continue;
            }
            let answer = self.get(&uri);
            assert!(answer.status.is_success(), "{uri}: {}", answer.body);
            let mut body = answer.body;
            links(&body, &mut open);
            if let Some(object) = body.as_object_mut() {
                object.remove("DateTime");
            }
            found.insert(uri, body);
        }
        found
    }
}

fn links(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Object(members) => {
            for (name, value) in members {
                match value {
                    Value::String(uri)
                        if matches!(name.as_str(), "@odata.id" | "Uri") && !uri.contains('#') =>
                    {
                        found.push(uri.trim_end_matches('/').to_owned());
                    }
                    other => links(other, found),
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| links(item, found)),
        _ => {}
    }
}
