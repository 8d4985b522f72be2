//! Random requests over every route there is, about things of anybody.

use super::world::{PROJECTS, Thing, ThingKind, World, address, marker};
use api::{
    route::{Method, Route},
    route_table::ROUTES,
};
use scenario::random::Random;
use serde_json::{Value, json};

/// A request, and what it names.
#[derive(Debug, Clone)]
pub(super) struct RandomRequest {
    pub(super) method: &'static str,
    pub(super) path: String,
    pub(super) body: Value,
    /// Where in [`World::things`] what it names is, and by which text.
    pub(super) named: Vec<(usize, String)>,
}

impl RandomRequest {
    /// Everything that the client wrote.
    pub(super) fn text(&self) -> String {
        format!("{} {} {}", self.method, self.path, self.body)
    }

    /// The same request about something else.
    pub(super) fn instead(&self, old: &str, new: &str) -> Self {
        let body = self.body.to_string().replace(old, new);
        Self {
            method: self.method,
            path: self.path.replace(old, new),
            body: serde_json::from_str(&body).unwrap(),
            named: Vec::new(),
        }
    }
}

/// Makes requests.
pub(super) struct Author<'a> {
    pub(super) world: &'a World,
    pub(super) random: &'a mut Random,
    /// Whether the caller may see each of the world's things.
    seen: Vec<bool>,
    named: Vec<(usize, String)>,
}

impl<'a> Author<'a> {
    pub(super) fn new(world: &'a World, random: &'a mut Random, seen: Vec<bool>) -> Self {
        Self {
            world,
            random,
            seen,
            named: Vec::new(),
        }
    }

    pub(super) fn request(mut self) -> RandomRequest {
        // What a list shows depends on its arguments, so lists are worth more than their share.
        let only_lists = self.random.chance(30);
        let route = loop {
            let route = self.random.pick(ROUTES);
            if only_lists && !is_list(route) {
                continue;
            }
            // Ramdisks have no project, and everybody may claim to be one.
            let public =
                ["lookup", "heartbeat/{node}", "continue_inspection"].contains(&route.path);
            if !public && !route.methods.is_empty() {
                break route;
            }
        };
        let method = if only_lists {
            Method::Get
        } else {
            self.random.pick(route.methods).0
        };
        let parts: Vec<String> = route
            .path
            .split('/')
            .map(|part| self.element(part))
            .collect();
        let path = parts.join("/");
        let root = if path.starts_with("corten/") {
            ""
        } else {
            "/v1"
        };
        let mut path = format!("{root}/{path}");
        let mut body = Value::Null;
        match method {
            Method::Get => path.push_str(&self.query(route.path)),
            Method::Delete => {}
            Method::Patch => body = self.patch(route.path),
            Method::Post | Method::Put => body = self.body(route.path),
        }
        RandomRequest {
            method: method.as_str(),
            path,
            body,
            named: self.named,
        }
    }

    /// Something of a kind, whoever's it is, by its UUID or its name.
    fn thing(&mut self, kind: ThingKind) -> String {
        self.some(kind, |thing, random| random.pick(&thing.idents).clone())
    }

    fn uuid(&mut self, kind: ThingKind) -> String {
        self.some(kind, |thing, _| thing.idents[0].clone())
    }

    fn some(&mut self, kind: ThingKind, ident: impl Fn(&Thing, &mut Random) -> String) -> String {
        let things = self.world.things.iter().enumerate();
        let mut fitting: Vec<(usize, &Thing)> = things.filter(|(_, t)| t.kind == kind).collect();
        let own = fitting
            .iter()
            .copied()
            .filter(|(index, _)| self.seen[*index]);
        let own: Vec<(usize, &Thing)> = own.collect();
        // What is worth trying with foreign things often needs one of one's own as well.
        if !own.is_empty() && self.random.chance(50) {
            fitting = own;
        }
        let (index, thing) = *self.random.pick(&fitting);
        let ident = ident(thing, self.random);
        self.named.push((index, ident.clone()));
        ident
    }

    fn project(&mut self) -> String {
        (*self.random.pick(&PROJECTS)).to_owned()
    }

    fn fresh(&mut self) -> String {
        marker(self.random, "fresh")
    }

    /// An element of a path.
    fn element(&mut self, part: &str) -> String {
        let kind = match part {
            "{node}" => ThingKind::Node,
            "{port}" => ThingKind::Port,
            "{portgroup}" => ThingKind::Portgroup,
            "{connector}" => ThingKind::Connector,
            "{target}" => ThingKind::Target,
            "{chassis}" => ThingKind::Chassis,
            "{template}" => ThingKind::Template,
            "{runbook}" => ThingKind::Runbook,
            "{rule}" => ThingKind::Rule,
            "{allocation}" => ThingKind::Allocation,
            "{event}" => ThingKind::History,
            "{trait}" => return "CUSTOM_A".into(),
            "{driver}" => return "fake-hardware".into(),
            "{conductor}" => return crate::lab::HOST.into(),
            "{image}" | "{vif}" | "{method}" | "{shard}" | "{webhook}" | "{batch}"
            | "{network}" | "{user}" | "{group}" | "{token}" | "{certificate}"
            | "{resource_class}" => {
                return "some".into();
            }
            "{address}" => return "10.0.0.9".into(),
            "{setting}" => return "boot".into(),
            "{indicator}" => return "led-0@chassis".into(),
            "{component}" => return "bmc".into(),
            "{device}" => return "cdrom".into(),
            "{fields}" | "{part}" => {
                return (*self.random.pick(&["uuid", "extra,name", "node_uuid"])).to_owned();
            }
            other => {
                assert!(!other.starts_with('{'), "say what {other} can stand for");
                return other.to_owned();
            }
        };
        // Some are found by their UUID only.
        if self.random.chance(70) {
            self.uuid(kind)
        } else {
            self.thing(kind)
        }
    }

    fn query(&mut self, path: &str) -> String {
        let mut arguments: Vec<String> = Vec::new();
        let route = path.strip_suffix("/detail").unwrap_or(path);
        if route == "nodes/validate" {
            arguments.push(format!("node={}", self.thing(ThingKind::Node)));
        } else if route == "corten/v1/events" {
            arguments.push("after=0".into());
            if self.random.chance(40) {
                arguments.push(format!("node={}", self.thing(ThingKind::Node)));
            }
        } else if route.ends_with("vendor_passthru") {
            arguments.push("method=some".into());
        } else if route.ends_with("ports") || route.ends_with("portgroups") {
            let (kind, fields) = if route.ends_with("portgroups") {
                (
                    ThingKind::Portgroup,
                    ["uuid,extra,node_uuid", "address,name"],
                )
            } else {
                (ThingKind::Port, ["uuid,extra,node_uuid", "address,name"])
            };
            self.list(&mut arguments, kind, &fields);
            match self.random.below(5) {
                0 => arguments.push(format!("node={}", self.thing(ThingKind::Node))),
                1 => arguments.push(format!("address={}", self.mac(kind))),
                2 => arguments.push(format!("portgroup={}", self.thing(ThingKind::Portgroup))),
                _ => {}
            }
        } else if route.ends_with("connectors") || route.ends_with("targets") {
            let kind = if route.ends_with("targets") {
                ThingKind::Target
            } else {
                ThingKind::Connector
            };
            let fields = match kind {
                ThingKind::Target => ["uuid,extra,properties", "node_uuid"],
                _ => ["uuid,extra", "node_uuid"],
            };
            self.list(&mut arguments, kind, &fields);
            if self.random.chance(30) {
                arguments.push(format!("node={}", self.thing(ThingKind::Node)));
            }
        } else if route == "allocations" {
            let fields = ["uuid,extra,node_uuid", "name,owner"];
            self.list(&mut arguments, ThingKind::Allocation, &fields);
            match self.random.below(4) {
                0 => arguments.push(format!("node={}", self.thing(ThingKind::Node))),
                1 => arguments.push(format!("owner={}", self.project())),
                _ => {}
            }
        } else if route == "runbooks" {
            let fields = ["uuid,extra,steps", "name,owner"];
            self.list(&mut arguments, ThingKind::Runbook, &fields);
            if self.random.chance(30) {
                arguments.push("project=true".into());
            }
        } else if route == "nodes" || route.ends_with("/nodes") {
            let fields = ["uuid,extra,driver_info", "name,last_error,owner"];
            self.list(&mut arguments, ThingKind::Node, &fields);
            let filter = match self.random.below(14) {
                1 => format!("chassis_uuid={}", self.uuid(ThingKind::Chassis)),
                2 => format!("parent_node={}", self.uuid(ThingKind::Node)),
                3 => format!("instance_uuid={}", self.uuid(ThingKind::Allocation)),
                4 => format!("owner={}", self.project()),
                5 => format!("lessee={}", self.project()),
                6 => format!("project={}", self.project()),
                7 => format!("description_contains={}", self.any_secret()),
                8 => format!("shard={}", self.any_secret()),
                9 => "include_children=true".into(),
                _ => String::new(),
            };
            if !filter.is_empty() {
                arguments.push(filter);
            }
        } else if route.ends_with("history") {
            match self.random.below(3) {
                0 => arguments.push("detail=true".into()),
                1 => arguments.push(format!("marker={}", self.uuid(ThingKind::History))),
                _ => {}
            }
        }
        if path != route {
            // Everything is shown there; one cannot ask for less.
            arguments.retain(|text| !text.starts_with("fields=") && !text.starts_with("detail="));
        }
        if arguments.is_empty() {
            String::new()
        } else {
            format!("?{}", arguments.join("&"))
        }
    }

    /// What most lists understand.
    fn list(&mut self, arguments: &mut Vec<String>, kind: ThingKind, fields: &[&str]) {
        if self.random.chance(30) {
            arguments.push(format!("marker={}", self.uuid(kind)));
        }
        if self.random.chance(30) {
            arguments.push(format!("limit={}", 1 + self.random.below(4)));
        }
        if self.random.chance(30) {
            let keys = ["uuid", "name", "owner", "address", "created_at"];
            arguments.push(format!("sort_key={}", self.random.pick(&keys)));
        }
        if self.random.chance(20) {
            arguments.push("sort_dir=desc".into());
        }
        match self.random.below(4) {
            0 => arguments.push(format!("fields={}", self.random.pick(fields))),
            1 => arguments.push("detail=true".into()),
            _ => {}
        }
    }

    fn mac(&mut self, kind: ThingKind) -> String {
        self.some(kind, |thing, _| thing.address.clone().unwrap())
    }

    fn any_secret(&mut self) -> String {
        self.some(ThingKind::Node, |thing, random| {
            random.pick(&thing.secrets).0.clone()
        })
    }

    fn patch(&mut self, route: &str) -> Value {
        let add = |path: &str, value: Value| json!({"op": "add", "path": path, "value": value});
        let mut changes = vec![match route {
            "nodes/{node}" => match self.random.below(12) {
                0 => add("/owner", self.project().into()),
                1 | 2 => add("/lessee", self.project().into()),
                3 => add("/chassis_uuid", self.uuid(ThingKind::Chassis).into()),
                4 => add("/parent_node", self.thing(ThingKind::Node).into()),
                5 => add("/name", self.fresh().into()),
                6 => add("/instance_info/b", "x".into()),
                7 => add("/driver_info/b", "x".into()),
                8 => add("/description", "x".into()),
                9 => add("/properties/b", "x".into()),
                10 => json!({"op": "remove", "path": "/lessee"}),
                _ => add("/extra/b", "x".into()),
            },
            "ports/{port}" => match self.random.below(4) {
                0 => add("/node_uuid", self.thing(ThingKind::Node).into()),
                1 => add("/portgroup_uuid", self.uuid(ThingKind::Portgroup).into()),
                2 => json!({"op": "remove", "path": "/portgroup_uuid"}),
                _ => add("/extra/b", "x".into()),
            },
            "runbooks/{runbook}" => match self.random.below(4) {
                0 => add("/owner", self.project().into()),
                1 => add("/public", true.into()),
                2 => add("/description", "x".into()),
                _ => add("/extra/b", "x".into()),
            },
            "inspection_rules/{rule}" => add("/description", "x".into()),
            "portgroups/{portgroup}"
            | "volume/connectors/{connector}"
            | "volume/targets/{target}"
                if self.random.chance(50) =>
            {
                add("/node_uuid", self.uuid(ThingKind::Node).into())
            }
            _ => add("/extra/b", "x".into()),
        }];
        if self.random.chance(20) {
            changes.push(add("/extra/c", "y".into()));
        }
        changes.into()
    }

    fn body(&mut self, route: &str) -> Value {
        let mut body = match route {
            "nodes" => json!({"driver": "fake-hardware", "name": self.fresh()}),
            "ports" => {
                json!({"node_uuid": self.uuid(ThingKind::Node), "address": address(self.random)})
            }
            "portgroups" => json!({"node_uuid": self.uuid(ThingKind::Node)}),
            "volume/connectors" => json!({"node_uuid": self.uuid(ThingKind::Node), "type": "iqn",
                "connector_id": self.fresh()}),
            "volume/targets" => json!({"node_uuid": self.uuid(ThingKind::Node), "volume_id": "v",
                "volume_type": "iscsi", "boot_index": self.random.below(1000)}),
            "allocations" => json!({"resource_class": "baremetal"}),
            "runbooks" => json!({"name": self.fresh(), "steps": [
                {"interface": "bios", "step": "x", "args": {}, "order": 1}]}),
            "deploy_templates" => json!({"name": "CUSTOM_N", "steps": [
                {"interface": "bios", "step": "x", "args": {}, "priority": 1}]}),
            "inspection_rules" => json!({"actions": [{"op": "fail", "args": {"msg": "m"}}]}),
            "events" | "events/{event}" => json!({"events": [{"event": "network.bind_port",
                "status": "ACTIVE", "port_id": self.uuid(ThingKind::Port),
                "mac_address": self.mac(ThingKind::Port)}]}),
            "nodes/{node}/states/provision" => {
                let verbs = [
                    "manage", "provide", "active", "deleted", "inspect", "clean", "abort",
                ];
                json!({"target": self.random.pick(&verbs)})
            }
            "nodes/{node}/states/power" => json!({"target": "power on"}),
            "nodes/{node}/states/boot_mode" => json!({"target": "uefi"}),
            "nodes/{node}/states/secure_boot" => json!({"target": true}),
            "nodes/{node}/states/console" => json!({"enabled": true}),
            "nodes/{node}/states/raid" => {
                json!({"logical_disks": [{"size_gb": 1, "raid_level": "1"}]})
            }
            "nodes/{node}/vmedia" => json!({"device_type": "cdrom", "image_url": "http://h/i"}),
            "nodes/{node}/maintenance" => json!({"reason": "r"}),
            "nodes/{node}/management/boot_device" => json!({"boot_device": "pxe"}),
            "nodes/{node}/management/indicators/{indicator}" => json!({"state": "on"}),
            "nodes/{node}/traits" | "runbooks/{runbook}/traits" => json!({"traits": ["CUSTOM_B"]}),
            "nodes/{node}/vifs" => json!({"id": self.fresh()}),
            _ => return Value::Null,
        };
        if route == "nodes" {
            match self.random.below(5) {
                0 => body["owner"] = self.project().into(),
                1 => body["lessee"] = self.project().into(),
                2 => body["chassis_uuid"] = self.uuid(ThingKind::Chassis).into(),
                3 => body["parent_node"] = self.uuid(ThingKind::Node).into(),
                _ => {}
            }
        } else if route == "ports" {
            match self.random.below(3) {
                0 => body["portgroup_uuid"] = self.uuid(ThingKind::Portgroup).into(),
                1 => {
                    self.named
                        .retain(|(_, ident)| body["node_uuid"] != ident.as_str());
                    body.as_object_mut().unwrap().remove("node_uuid");
                    body["node_ident"] = self.thing(ThingKind::Node).into();
                }
                _ => {}
            }
        } else if route == "allocations" {
            match self.random.below(4) {
                0 => body["candidate_nodes"] = json!([self.thing(ThingKind::Node)]),
                1 => body["node"] = self.thing(ThingKind::Node).into(),
                2 => body["owner"] = self.project().into(),
                _ => {}
            }
        } else if route == "runbooks" {
            match self.random.below(3) {
                0 => body["owner"] = self.project().into(),
                1 => body["public"] = true.into(),
                _ => {}
            }
        } else if body["target"] == "clean" {
            match self.random.below(3) {
                0 => body["runbook"] = self.thing(ThingKind::Runbook).into(),
                1 => {
                    body["clean_steps"] = json!([{"interface": "deploy", "step": "erase_devices",
                        "execute_on_child_nodes": true,
                        "limit_child_node_execution": [self.uuid(ThingKind::Node)]}]);
                }
                _ => {
                    body["clean_steps"] = json!([{"interface": "deploy", "step": "erase_devices"}]);
                }
            }
        }
        body
    }
}

/// Whether a route is read for several things at once.
fn is_list(route: &Route) -> bool {
    let lists = [
        "nodes",
        "detail",
        "ports",
        "portgroups",
        "connectors",
        "targets",
        "allocations",
        "runbooks",
        "history",
        "children",
        "corten/v1/events",
    ];
    lists.iter().any(|name| route.path.ends_with(name))
        && route
            .methods
            .iter()
            .any(|(method, _)| *method == Method::Get)
}
