//! The boot order of UCS Manager: a policy with an entry for each device, each with its place.

use proto::xml::Element;

/// Boot devices, and the relative names of their entries.
const DEVICES: [(&str, &str); 3] = [
    ("pxe", "lan"),
    ("disk", "storage"),
    ("cdrom", "read-only-vm"),
];

/// The device of an entry; none for those that have no name in the API.
pub(super) fn device_of(rn: &str) -> Option<&'static str> {
    let known = DEVICES.iter().find(|(_, known)| *known == rn);
    known.map(|(device, _)| *device)
}

/// An entry of a policy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct BootEntry {
    class: String,
    pub(super) rn: String,
    pub(super) order: u32,
}

/// The entries among the objects below a policy: those that have a place.
pub(super) fn entries(policy: &str, objects: &[&Element]) -> Vec<BootEntry> {
    let each = |object: &&Element| {
        let below = |dn: &str| Some(dn.strip_prefix(policy)?.strip_prefix('/')?.to_owned());
        let rn = object.attribute("rn").map(str::to_owned);
        Some(BootEntry {
            class: object.name.clone(),
            rn: rn.or_else(|| object.attribute("dn").and_then(below))?,
            order: object.attribute("order")?.trim().parse().ok()?,
        })
    };
    objects.iter().filter_map(each).collect()
}

/// The policy of a node.
pub(super) struct Policy<'n> {
    pub(super) dn: String,
    pub(super) name: &'n str,
}

impl Policy<'_> {
    /// The policy itself, made if there is none.
    pub(super) fn object(&self) -> Element {
        Element::new("lsbootPolicy")
            .with("dn", &self.dn)
            .with("name", self.name)
            .with("purpose", "operational")
            .with("rebootOnUpdate", "no")
            .with("enforceVnicName", "no")
            .with("status", "created,modified")
    }

    /// What is to be changed so that a device comes first; nothing if it does.
    pub(super) fn putting_first(&self, device: &str, entries: &[BootEntry]) -> Vec<Element> {
        let first = entries.iter().find(|entry| entry.order == 1);
        let is_it = |entry: &&BootEntry| device_of(&entry.rn) == Some(device);
        let present = entries.iter().find(is_it);
        if present.is_some_and(|entry| entry.order == 1) {
            return Vec::new();
        }
        let last = entries.iter().map(|entry| entry.order).max();
        let place = match present {
            // They change places.
            Some(entry) => entry.order,
            None => last.unwrap_or(1).saturating_add(1),
        };
        let mut changes = vec![self.entry(device, 1)];
        changes.extend(first.map(|first| {
            match device_of(&first.rn) {
                Some(known) => self.entry(known, place),
                None => Element::new(&first.class)
                    .with("dn", &format!("{}/{}", self.dn, first.rn))
                    .with("order", &place.to_string())
                    .with("status", "modified"),
            }
        }));
        changes
    }

    /// The entry of a device, with what it consists of.
    fn entry(&self, device: &str, place: u32) -> Element {
        let order = place.to_string();
        let make = |class: &str, rn: &str| {
            Element::new(class)
                .with("dn", &format!("{}/{rn}", self.dn))
                .with("order", &order)
                .with("status", "created,modified")
        };
        let part = |class: &str, rn: &str| {
            Element::new(class)
                .with("rn", rn)
                .with("status", "created,modified")
        };
        match device {
            "pxe" => {
                let path = part("lsbootLanImagePath", "path-primary")
                    .with("type", "primary")
                    .with("vnicName", "eth0");
                make("lsbootLan", "lan").with("prot", "pxe").holding(path)
            }
            "disk" => {
                let image = part("lsbootDefaultLocalImage", "local-any").with("order", &order);
                let local = part("lsbootLocalStorage", "local-storage").holding(image);
                make("lsbootStorage", "storage").holding(local)
            }
            _ => make("lsbootVirtualMedia", "read-only-vm").with("access", "read-only"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const POLICY: &str = "org-root/boot-policy-a";

    fn after(device: &str, found: &[(&str, &str, u32)]) -> Vec<(String, String)> {
        let policy = Policy {
            dn: POLICY.to_owned(),
            name: "a",
        };
        let objects: Vec<Element> = found
            .iter()
            .map(|(class, rn, order)| {
                Element::new(class)
                    .with("dn", &format!("{POLICY}/{rn}"))
                    .with("order", &order.to_string())
            })
            .collect();
        let entries = entries(POLICY, &objects.iter().collect::<Vec<_>>());
        assert_eq!(entries.len(), found.len());
        let changes = policy.putting_first(device, &entries);
        let told = |object: &Element, key| object.attribute(key).unwrap().to_owned();
        changes
            .iter()
            .map(|object| (told(object, "dn"), told(object, "order")))
            .collect()
    }

    fn places(wanted: &[(&str, &str)]) -> Vec<(String, String)> {
        let each = |(rn, order): &(&str, &str)| (format!("{POLICY}/{rn}"), (*order).to_owned());
        wanted.iter().map(each).collect()
    }

    #[test]
    fn a_device_comes_first_and_no_other_is_lost() {
        assert_eq!(after("pxe", &[]), places(&[("lan", "1")]));
        let disk_first = [("lsbootStorage", "storage", 1), ("lsbootLan", "lan", 2)];
        assert!(after("disk", &disk_first).is_empty());
        assert_eq!(
            after("pxe", &disk_first),
            places(&[("lan", "1"), ("storage", "2")])
        );
        assert_eq!(
            after("cdrom", &disk_first),
            places(&[("read-only-vm", "1"), ("storage", "3")])
        );
        // One that has no name here keeps its class.
        let odd = [("lsbootIScsi", "iscsi", 1)];
        assert_eq!(
            after("disk", &odd),
            places(&[("storage", "1"), ("iscsi", "2")])
        );
        // Nobody is first.
        let second = [("lsbootLan", "lan", 2)];
        assert_eq!(after("pxe", &second), places(&[("lan", "1")]));
    }
}
