//! A Neutron with a Keystone before it, both in this process, that keeps Neutron's own rules.
//!
//! Ports live here as the real one keeps them: a bound port refuses another address, an address is
//! used once in a network, writes are for the service's token, and a switch that nobody knows makes a
//! binding fail. After every write it is checked that no machine is plugged into two networks.

use axum::{
    Router,
    body::Bytes,
    extract::State,
    http::{HeaderMap, Method, StatusCode, Uri},
    response::{IntoResponse, Response},
};
use serde_json::{Map, Value, json};
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Mutex},
    time::Duration,
};
use tokio::{net::TcpListener, sync::watch, task::JoinHandle};

/// The switch that Neutron knows.
pub(super) const SWITCH: &str = "00:11:22:33:44:55";
const TOKEN: &str = "token-of-the-service";

/// What is answered instead of the truth.
#[derive(Debug, Clone)]
struct Fault {
    method: Method,
    /// What the path begins with, after the version.
    path: String,
    status: u16,
}

#[derive(Default)]
struct Model {
    networks: BTreeMap<String, Value>,
    subnets: BTreeMap<String, Value>,
    ports: BTreeMap<String, Map<String, Value>>,
    /// Hosts of smart NICs whose agent is alive.
    agents: BTreeSet<String>,
    faults: Vec<Fault>,
    /// The write that is carried out and never answered.
    silent_at: Option<&'static str>,
    writes: Vec<String>,
    violations: Vec<String>,
    count: u32,
}

struct Shared {
    model: Mutex<Model>,
    silence: watch::Sender<bool>,
    url: String,
}

/// The running services.
pub(super) struct Cloud {
    shared: Arc<Shared>,
    serving: JoinHandle<()>,
}

impl Drop for Cloud {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

impl Cloud {
    /// With a network for each purpose, and two for tenants.
    pub(super) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let shared = Arc::new(Shared {
            model: Mutex::default(),
            silence: watch::Sender::new(false),
            url: format!("http://{}", listener.local_addr().unwrap()),
        });
        let router = Router::new().fallback(answer);
        let router = router.with_state(Arc::clone(&shared));
        let serving = tokio::spawn(async move {
            let _ = axum::serve(listener, router).await;
        });
        let cloud = Self { shared, serving };
        for name in [
            "cleaning",
            "provisioning",
            "rescuing",
            "inspection",
            "servicing",
            "red",
            "blue",
        ] {
            cloud.add_network(name);
        }
        cloud
    }

    pub(super) fn url(&self) -> &str {
        &self.shared.url
    }

    fn model<T>(&self, look: impl FnOnce(&mut Model) -> T) -> T {
        look(&mut self.shared.model.lock().unwrap())
    }

    pub(super) fn add_network(&self, name: &str) {
        self.model(|model| {
            model.add_network(
                name,
                json!({"ip_version": 4, "cidr": "192.0.2.0/24", "gateway_ip": "192.0.2.1"}),
            );
        });
    }

    /// A network whose DHCPv6 server remembers who has which address.
    pub(super) fn add_stateful_v6_network(&self, name: &str) {
        self.model(|model| {
            model.add_network(
                name,
                json!({
                    "ip_version": 6, "cidr": "2001:db8::/64", "gateway_ip": "2001:db8::1",
                    "ipv6_address_mode": "dhcpv6-stateful",
                }),
            );
        });
    }

    /// The agent of a smart NIC's host reports.
    pub(super) fn has_agent(&self, host: &str) {
        self.model(|model| model.agents.insert(host.to_owned()));
    }

    /// A port of a tenant.
    pub(super) fn port(&self, network: &str) -> String {
        self.model(|model| {
            let network = model.network_of(network);
            let body = json!({"network_id": network});
            let port = model.create(body.as_object().unwrap());
            port["id"].as_str().unwrap().to_owned()
        })
    }

    /// A port that somebody bound to a host.
    pub(super) fn bound_port(&self, network: &str, mac: &str, owner: &str, host: &str) -> String {
        let id = self.port(network);
        let link = json!({"switch_id": SWITCH, "port_id": "e1"});
        let body = json!({
            "mac_address": mac, "device_owner": owner, "device_id": host,
            "binding:host_id": host, "binding:vnic_type": "baremetal",
            "binding:profile": {"local_link_information": [link]},
        });
        let bound = self.model(|model| model.update(&id, body.as_object().unwrap()).is_ok());
        assert!(bound, "another port has the address");
        id
    }

    pub(super) fn show(&self, port: &str) -> Value {
        self.model(|model| Value::Object(model.ports[port].clone()))
    }

    /// The ports that exist.
    pub(super) fn ports(&self) -> BTreeSet<String> {
        self.model(|model| model.ports.keys().cloned().collect())
    }

    /// What was written since this was last asked, in words.
    pub(super) fn writes(&self) -> Vec<String> {
        self.model(|model| std::mem::take(&mut model.writes))
    }

    /// Has requests that begin like this fail until further notice.
    pub(super) fn fails(&self, method: Method, path: &str, status: u16) {
        let fault = Fault {
            method,
            path: path.to_owned(),
            status,
        };
        self.model(|model| model.faults.push(fault));
    }

    pub(super) fn recovers(&self) {
        self.model(|model| model.faults.clear());
    }

    /// Carries out the next write that is called so, and never answers.
    pub(super) fn falls_silent_at(&self, write: &'static str) {
        self.shared.silence.send_replace(false);
        self.model(|model| model.silent_at = Some(write));
    }

    /// Returns when it has fallen silent.
    pub(super) async fn is_silent(&self) {
        let mut silence = self.shared.silence.subscribe();
        let waited = tokio::time::timeout(Duration::from_secs(90), silence.wait_for(|is| *is));
        waited.await.expect("the write never came").unwrap();
    }

    /// No machine was ever plugged into two networks.
    #[track_caller]
    pub(super) fn is_content(&self) {
        let violations = self.model(|model| model.violations.clone());
        assert_eq!(violations, Vec::<String>::new());
    }
}

impl Model {
    fn id(&mut self) -> String {
        self.count += 1;
        format!("00000000-0000-4000-8000-{:012}", self.count)
    }

    fn add_network(&mut self, name: &str, mut subnet: Value) {
        let (id, subnet_id) = (self.id(), self.id());
        let network = json!({
            "id": id, "name": name, "mtu": 1500, "subnets": [subnet_id],
            "provider:physical_network": "physnet1",
        });
        subnet["id"] = json!(subnet_id);
        subnet["network_id"] = json!(id);
        subnet["dns_nameservers"] = json!([]);
        subnet["host_routes"] = json!([]);
        self.networks.insert(id, network);
        self.subnets.insert(subnet_id, subnet);
    }

    fn network_of(&self, name: &str) -> String {
        let mut found = self.networks.iter();
        let found = found.find(|(_, network)| network["name"] == name);
        found.unwrap().0.clone()
    }

    fn name_of(&self, network: &Value) -> String {
        let network = &self.networks[network.as_str().unwrap()];
        network["name"].as_str().unwrap().to_owned()
    }

    fn fresh_mac(&mut self) -> String {
        self.count += 1;
        let [_, b, c, d] = self.count.to_be_bytes();
        format!("fa:16:3e:{b:02x}:{c:02x}:{d:02x}")
    }

    fn create(&mut self, body: &Map<String, Value>) -> Map<String, Value> {
        let id = self.id();
        let network = body["network_id"].as_str().unwrap().to_owned();
        let subnet = self.networks[&network]["subnets"][0].clone();
        let is_v6 = self.subnets[subnet.as_str().unwrap()]["ip_version"] == 6;
        let address = if is_v6 { "2001:db8::77" } else { "192.0.2.77" };
        let mut port = json!({
            "id": id, "name": "", "network_id": network, "status": "DOWN",
            "mac_address": self.fresh_mac(), "device_id": "", "device_owner": "",
            "fixed_ips": [{"subnet_id": subnet, "ip_address": address}],
            "binding:host_id": "", "binding:vif_type": "unbound",
            "binding:vnic_type": "normal", "binding:profile": {},
        });
        for (key, value) in body {
            port[key] = value.clone();
        }
        let port = port.as_object().cloned().unwrap();
        self.ports.insert(id, port.clone());
        port
    }

    fn update(&mut self, id: &str, body: &Map<String, Value>) -> Result<Value, Box<Response>> {
        let Some(before) = self.ports.get(id).cloned() else {
            return Err(Box::new(refusal(404, "PortNotFound")));
        };
        let mut port = before.clone();
        let is_bound = before["binding:vif_type"] == "other";
        for (key, value) in body {
            port.insert(key.clone(), value.clone());
        }
        if port["mac_address"].is_null() {
            port.insert("mac_address".into(), self.fresh_mac().into());
        }
        if is_bound && port["mac_address"] != before["mac_address"] {
            return Err(Box::new(refusal(409, "PortBound")));
        }
        let is_taken = self.ports.values().any(|other| {
            other["id"] != port["id"]
                && other["network_id"] == port["network_id"]
                && other["mac_address"] == port["mac_address"]
        });
        if is_taken {
            return Err(Box::new(refusal(409, "MacAddressInUse")));
        }
        let links = &port["binding:profile"]["local_link_information"];
        let links = links.as_array().cloned().unwrap_or_default();
        let is_known = match port["binding:vnic_type"].as_str() {
            // There is no switch: the agent on the card plugs it in.
            Some("smart-nic") => {
                let host = port["binding:host_id"].as_str().unwrap_or_default();
                self.agents.contains(host)
            }
            _ => !links.is_empty() && links.iter().all(|link| link["switch_id"] == SWITCH),
        };
        let (vif_type, status) = match port["binding:host_id"].as_str() {
            None | Some("") => ("unbound", "DOWN"),
            Some(_) if is_known => ("other", "ACTIVE"),
            Some(_) => ("binding_failed", "DOWN"),
        };
        port.insert("binding:vif_type".into(), vif_type.into());
        port.insert("status".into(), status.into());
        self.ports.insert(id.to_owned(), port.clone());
        Ok(Value::Object(port))
    }

    /// A machine that is plugged into two networks joins them.
    fn check(&mut self) {
        let mut plugged: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        let bound = self.ports.values();
        for port in bound.filter(|port| port["binding:vif_type"] == "other") {
            let mac = port["mac_address"].as_str().unwrap().to_owned();
            let network = self.name_of(&port["network_id"]);
            plugged.entry(mac).or_default().insert(network);
        }
        for (mac, networks) in plugged.into_iter().filter(|(_, set)| set.len() > 1) {
            self.violations.push(format!("{mac} is on {networks:?}"));
        }
    }
}

/// What a change is called in the tests.
fn word(body: &Map<String, Value>) -> &'static str {
    let has = |key: &str| body.contains_key(key);
    let links = &body.get("binding:profile").unwrap_or(&Value::Null)["local_link_information"];
    match body.get("binding:host_id").and_then(Value::as_str) {
        Some("") => "unbind",
        Some(_) if has("device_owner") => "bind boot port",
        Some(_) if links.is_array() => "plug",
        Some(_) if has("binding:profile") => "claim",
        Some(_) => "bind",
        None if body.get("mac_address") == Some(&Value::Null) => "reset address",
        None if has("mac_address") => "set address",
        None if has("extra_dhcp_opts") => "set options",
        None if has("fixed_ips") => "set addresses",
        None => "change",
    }
}

fn refusal(status: u16, kind: &str) -> Response {
    let error = json!({"NeutronError": {"type": kind, "message": kind, "detail": ""}});
    reply(status, &error)
}

fn reply(status: u16, body: &Value) -> Response {
    let status = StatusCode::from_u16(status).unwrap();
    (status, axum::Json(body.clone())).into_response()
}

fn login(url: &str) -> Response {
    let endpoint = json!({"interface": "internal", "region": "R", "region_id": "R", "url": url});
    let body = json!({"token": {
        "issued_at": "2026-01-01T00:00:00.000000Z", "expires_at": "2099-01-01T00:00:00.000000Z",
        "project": {"id": "p", "name": "service"},
        "catalog": [{"type": "network", "name": "neutron", "endpoints": [endpoint]}],
    }});
    let mut response = reply(201, &body);
    let token = TOKEN.parse().unwrap();
    response.headers_mut().insert("x-subject-token", token);
    response
}

async fn answer(
    State(shared): State<Arc<Shared>>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let path = uri.path();
    if path == "/v3/auth/tokens" {
        return login(&shared.url);
    }
    let Some(path) = path.strip_prefix("/v2.0/") else {
        return refusal(404, "NotFound");
    };
    if method != Method::GET && headers.get("x-auth-token").is_none_or(|t| t != TOKEN) {
        return refusal(403, "PolicyNotAuthorized");
    }
    let (response, is_silent) = {
        let mut model = shared.model.lock().unwrap();
        let mut faults = model.faults.iter();
        let fault = faults.find(|fault| fault.method == method && path.starts_with(&fault.path));
        if let Some(fault) = fault {
            return refusal(fault.status, "Lab");
        }
        let before = model.writes.len();
        let response = route(&mut model, &method, path, uri.query().unwrap_or(""), &body);
        model.check();
        let written = model.writes.get(before).cloned().unwrap_or_default();
        let silent_at = model.silent_at;
        let is_silent = silent_at.is_some_and(|silent| written.starts_with(silent));
        if is_silent {
            model.silent_at = None;
        }
        (response, is_silent)
    };
    if is_silent {
        shared.silence.send_replace(true);
        std::future::pending::<()>().await;
    }
    response
}

fn route(model: &mut Model, method: &Method, path: &str, query: &str, body: &[u8]) -> Response {
    let document: Value = serde_json::from_slice(body).unwrap_or_default();
    let given = document["port"].as_object().cloned().unwrap_or_default();
    let (kind, id) = path.split_once('/').unwrap_or((path, ""));
    match (method.as_str(), kind, id) {
        ("GET", "networks", "") => {
            let name = query.strip_prefix("name=").unwrap_or_default();
            let found = model.networks.values().filter(|net| net["name"] == name);
            reply(200, &json!({"networks": found.collect::<Vec<_>>()}))
        }
        ("GET", "networks", id) => match model.networks.get(id) {
            Some(network) => reply(200, &json!({"network": network})),
            None => refusal(404, "NetworkNotFound"),
        },
        ("GET", "subnets", id) => match model.subnets.get(id) {
            Some(subnet) => reply(200, &json!({"subnet": subnet})),
            None => refusal(404, "SubnetNotFound"),
        },
        ("GET", "agents", "") => {
            let host = query.strip_prefix("host=").unwrap_or_default();
            let found = model
                .agents
                .get(host)
                .map(|host| json!({"id": "a", "host": host, "alive": true}));
            reply(
                200,
                &json!({"agents": found.into_iter().collect::<Vec<_>>()}),
            )
        }
        ("GET", "ports", "") => {
            let query = query.replace("%3A", ":");
            let pairs = query.split('&').filter_map(|pair| pair.split_once('='));
            let wanted: Vec<(&str, &str)> = pairs.collect();
            let fits = |port: &&Map<String, Value>| {
                wanted.iter().all(|(key, _)| {
                    let mut values = wanted.iter().filter(|(one, _)| one == key);
                    values.any(|(_, value)| port[*key] == *value)
                })
            };
            let found: Vec<_> = model.ports.values().filter(fits).collect();
            reply(200, &json!({"ports": found}))
        }
        ("GET", "ports", id) => match model.ports.get(id) {
            Some(port) => reply(200, &json!({"port": port})),
            None => refusal(404, "PortNotFound"),
        },
        ("POST", "ports", "") => {
            let port = model.create(&given);
            let name = model.name_of(&port["network_id"]);
            model.writes.push(format!("create on {name}"));
            reply(201, &json!({"port": port}))
        }
        ("PUT", "ports", id) => match model.update(id, &given) {
            Ok(port) => {
                model.writes.push(word(&given).to_owned());
                reply(200, &json!({"port": port}))
            }
            Err(refused) => *refused,
        },
        ("DELETE", "ports", id) => match model.ports.remove(id) {
            Some(port) => {
                let name = model.name_of(&port["network_id"]);
                model.writes.push(format!("delete on {name}"));
                StatusCode::NO_CONTENT.into_response()
            }
            None => refusal(404, "PortNotFound"),
        },
        _ => refusal(404, "NotFound"),
    }
}
