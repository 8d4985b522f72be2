//! The objects, and what the methods that read and change them do.

use super::{ManagerModel, NO_SUCH_METHOD, NO_SUCH_OBJECT, Refusal};
use proto::xml::Element;
use std::collections::BTreeMap;

const UNIT: &str = "sys/rack-unit-1";
const IMC_POLICY: &str = "sys/rack-unit-1/boot-policy";

/// An object: its class, and its attributes without names.
#[derive(Debug, Clone)]
struct Object {
    class: String,
    attributes: BTreeMap<String, String>,
}

/// By distinguished name.
#[derive(Debug, Default)]
pub(super) struct Store(BTreeMap<String, Object>);

fn object(class: &str, attributes: &[(&str, &str)]) -> Object {
    let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
    Object {
        class: class.to_owned(),
        attributes: attributes.iter().map(owned).collect(),
    }
}

impl Store {
    fn put(&mut self, dn: &str, class: &str, attributes: &[(&str, &str)]) {
        self.0.insert(dn.to_owned(), object(class, attributes));
    }

    pub(super) fn manager(servers: u32) -> Self {
        let mut store = Self::default();
        let address = [("name", "sim-ucsm"), ("address", "127.0.0.1")];
        store.put("sys", "topSystem", &address);
        store.put("org-root", "orgOrg", &[("name", "root")]);
        store.put("sys/switch-A", "networkElement", &[("id", "A")]);
        for number in 1..=servers {
            let name = format!("node{number}");
            let dn = format!("org-root/ls-{name}");
            let profile = [
                ("name", name.as_str()),
                ("bootPolicyName", ""),
                ("type", "instance"),
            ];
            store.put(&dn, "lsServer", &profile);
            store.put(&format!("{dn}/power"), "lsPower", &[("state", "down")]);
            let policy = format!("{dn}/boot-policy");
            store.put(&policy, "lsbootDef", &[("purpose", "operational")]);
            let entries = [("storage", "lsbootStorage", "1"), ("lan", "lsbootLan", "2")];
            for (rn, class, order) in entries {
                store.put(&format!("{policy}/{rn}"), class, &[("order", order)]);
            }
        }
        store
    }

    pub(super) fn imc() -> Self {
        let mut store = Self::default();
        let address = [("name", "sim-imc"), ("address", "127.0.0.1")];
        store.put("sys", "topSystem", &address);
        let unit = [
            ("operPower", "off"),
            ("adminPower", "policy"),
            ("model", "UCSC-C220-M4S"),
            ("serial", "SIM00000001"),
        ];
        store.put(UNIT, "computeRackUnit", &unit);
        let bios = [("model", "UCSC-C220-M4S")];
        store.put(&format!("{UNIT}/bios"), "biosUnit", &bios);
        store.put(IMC_POLICY, "lsbootDef", &[("purpose", "operational")]);
        let entries = [
            ("storage-read-write", "lsbootStorage", "storage", "1"),
            ("lan-read-only", "lsbootLan", "lan", "2"),
        ];
        for (rn, class, kind, order) in entries {
            let attributes = [("type", kind), ("order", order)];
            store.put(&format!("{IMC_POLICY}/{rn}"), class, &attributes);
        }
        store
    }

    pub(super) fn attribute(&self, dn: &str, name: &str) -> Option<String> {
        self.0.get(dn)?.attributes.get(name).cloned()
    }

    pub(super) fn carry_out(
        &mut self,
        kind: ManagerModel,
        asked: &Element,
        root: Element,
        is_stuck: bool,
    ) -> Result<Element, Refusal> {
        let word = |name: &str| asked.attribute(name).unwrap_or_default();
        let is_deep = ["true", "yes"].contains(&word("inHierarchical"));
        let within = |name: &str, all: Vec<Element>| {
            let mut configs = Element::new(name);
            configs.children = all;
            root.clone().holding(configs)
        };
        Ok(match asked.name.as_str() {
            "configResolveDn" => {
                let found = self.element(word("dn"), is_deep);
                within("outConfig", found.into_iter().collect())
            }
            "configResolveDns" => {
                let list = asked
                    .child("inDns")
                    .map_or(&[][..], |list| list.children.as_slice());
                let names = list.iter().filter_map(|dn| dn.attribute("value"));
                let (known, unknown): (Vec<&str>, Vec<&str>) =
                    names.partition(|dn| self.0.contains_key(*dn));
                let known = known.iter().filter_map(|dn| self.element(dn, is_deep));
                let mut missing = Element::new("outUnresolved");
                let each = |dn: &&str| Element::new("dn").with("value", dn);
                missing.children = unknown.iter().map(each).collect();
                within("outConfigs", known.collect()).holding(missing)
            }
            "configResolveClass" => {
                let class = word("classId");
                // By this clients tell the one from the other.
                if kind == ManagerModel::Imc && class == "networkElement" {
                    return Err(NO_SUCH_METHOD);
                }
                let filter = asked.child("inFilter").and_then(|it| it.child("eq"));
                let wanted =
                    filter.and_then(|eq| Some((eq.attribute("property")?, eq.attribute("value")?)));
                let all = self.0.iter().filter(|(dn, object)| {
                    let fits = wanted.is_none_or(|(name, value)| match name {
                        "dn" => *dn == value,
                        name => object.attributes.get(name).is_some_and(|it| it == value),
                    });
                    object.class.eq_ignore_ascii_case(class) && fits
                });
                let found = all.filter_map(|(dn, _)| self.element(dn, is_deep));
                within("outConfigs", found.collect())
            }
            "configResolveChildren" => {
                let class = asked.attribute("classId").filter(|it| !it.is_empty());
                let below = self.children(word("inDn"));
                let wanted = below.filter(|(_, object)| {
                    class.is_none_or(|class| object.class.eq_ignore_ascii_case(class))
                });
                let found = wanted.filter_map(|(dn, _)| self.element(dn, is_deep));
                within("outConfigs", found.collect())
            }
            "configConfMo" => {
                let config = asked.child("inConfig").and_then(|it| it.children.first());
                let changed = config.ok_or(NO_SUCH_OBJECT)?;
                let dn = self.write(kind, word("dn"), changed, is_stuck)?;
                let found = self.element(&dn, is_deep);
                within("outConfig", found.into_iter().collect())
            }
            "configConfMos" => {
                let configs = asked
                    .child("inConfigs")
                    .map_or(&[][..], |it| it.children.as_slice());
                let mut pairs = Vec::new();
                for pair in configs {
                    let key = pair.attribute("key").unwrap_or_default();
                    let changed = pair.children.first().ok_or(NO_SUCH_OBJECT)?;
                    let dn = self.write(kind, key, changed, is_stuck)?;
                    let mut told = Element::new("pair").with("key", key);
                    told.children.extend(self.element(&dn, is_deep));
                    pairs.push(told);
                }
                within("outConfigs", pairs)
            }
            _ => return Err(NO_SUCH_METHOD),
        })
    }

    /// What is directly below a name.
    fn children<'s>(&'s self, dn: &str) -> impl Iterator<Item = (&'s str, &'s Object)> {
        let start = format!("{dn}/");
        let all = self.0.iter();
        all.filter_map(move |(name, object)| {
            let rest = name.strip_prefix(&start)?;
            (!rest.contains('/')).then_some((name.as_str(), object))
        })
    }

    fn element(&self, dn: &str, is_deep: bool) -> Option<Element> {
        self.named(dn, ("dn", dn), is_deep)
    }

    fn named(&self, dn: &str, name: (&str, &str), is_deep: bool) -> Option<Element> {
        let object = self.0.get(dn)?;
        let mut element = Element::new(&object.class).with(name.0, name.1);
        for (name, value) in &object.attributes {
            element = element.with(name, value);
        }
        if is_deep {
            for (below, _) in self.children(dn) {
                let rn = below.rsplit('/').next().unwrap_or_default();
                element.children.extend(self.named(below, ("rn", rn), true));
            }
        }
        Some(element)
    }

    /// Changes an object and what is in it; its name.
    fn write(
        &mut self,
        kind: ManagerModel,
        key: &str,
        changed: &Element,
        is_stuck: bool,
    ) -> Result<String, Refusal> {
        let dn = match (changed.attribute("dn"), changed.attribute("rn")) {
            (Some(dn), _) if !dn.is_empty() => dn.to_owned(),
            (_, Some(rn)) => format!("{key}/{rn}"),
            _ => key.to_owned(),
        };
        let status = changed.attribute("status").unwrap_or("created,modified");
        if status.contains("deleted") {
            let below = format!("{dn}/");
            self.0
                .retain(|name, _| *name != dn && !name.starts_with(&below));
            return Ok(dn);
        }
        let parent = dn.rsplit_once('/').map(|(parent, _)| parent);
        let has_place = parent.is_none_or(|parent| self.0.contains_key(parent));
        if !self.0.contains_key(&dn) && (!status.contains("created") || !has_place) {
            return Err(NO_SUCH_OBJECT);
        }
        let fresh = object(&changed.name, &[]);
        let known = self.0.entry(dn.clone()).or_insert(fresh);
        if known.class != changed.name {
            return Err(NO_SUCH_METHOD);
        }
        for (name, value) in &changed.attributes {
            match name.as_str() {
                "dn" | "rn" | "status" => {}
                "adminPower" => {
                    let power = if value.contains("down") { "off" } else { "on" };
                    if !is_stuck {
                        known.attributes.insert("operPower".into(), power.into());
                    }
                }
                "state" if known.class == "lsPower" => {
                    let state = match value.as_str() {
                        "down" | "admin-down" | "soft-shut-down" => "down",
                        _ => "up",
                    };
                    if !is_stuck {
                        known.attributes.insert(name.clone(), state.into());
                    }
                }
                _ => {
                    known.attributes.insert(name.clone(), value.clone());
                }
            }
        }
        if kind == ManagerModel::Imc && parent == Some(IMC_POLICY) {
            self.count_anew(&dn);
        }
        for child in &changed.children {
            self.write(kind, &dn, child, is_stuck)?;
        }
        Ok(dn)
    }

    /// Gives the entries of the IMC's boot order places without gaps; the one that was written keeps
    /// its own before others with the same.
    fn count_anew(&mut self, written: &str) {
        let place = |object: &Object| -> u32 {
            let order = object.attributes.get("order");
            order.and_then(|it| it.parse().ok()).unwrap_or(u32::MAX)
        };
        let mut names: Vec<(u32, bool, String)> = self
            .children(IMC_POLICY)
            .map(|(dn, object)| (place(object), dn != written, dn.to_owned()))
            .collect();
        names.sort_unstable();
        for (order, (_, _, dn)) in (1..=u32::MAX).zip(names) {
            if let Some(object) = self.0.get_mut(&dn) {
                object.attributes.insert("order".into(), order.to_string());
            }
        }
    }
}
