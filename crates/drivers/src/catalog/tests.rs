//! The rules of choosing interfaces, on catalogs made by hand.

use super::*;
use crate::hardware_type::find;
use InterfaceKind as K;
use serde_json::json;

const NODE: &str = "1be26c0b-03f2-4d2e-ae87-c02d7f33c123";

/// A catalog of these types in which the first supported interface of each kind is enabled, and
/// what `more` adds.
fn catalog(types: &[&str], more: &[(K, &str)]) -> Catalog {
    let types: Vec<_> = types.iter().map(|name| find(name).unwrap()).collect();
    let mut enabled: BTreeMap<K, Vec<String>> = BTreeMap::new();
    for &kind in K::ALL {
        let firsts = types.iter().map(|t| t.supported(kind)[0].to_owned());
        enabled.insert(kind, firsts.collect());
    }
    for (kind, name) in more {
        enabled.entry(*kind).or_default().push((*name).to_owned());
    }
    Catalog::new(types, enabled, BTreeMap::new())
}

fn node(driver: &str) -> Node {
    Node::new(NODE.parse().unwrap(), driver)
}

#[track_caller]
fn refused(catalog: &Catalog, mut node: Node) -> String {
    let before = node.clone();
    let error = catalog.fill_interfaces(&mut node).unwrap_err();
    assert_eq!(node, before, "a refused node is as it was");
    error.to_string()
}

#[test]
fn empty_names_get_the_first_supported_that_is_enabled() {
    let catalog = catalog(&["fake-hardware"], &[(K::Bios, "no-bios")]);
    let mut node = node("fake-hardware");
    node.interfaces.set(K::Bios, "no-bios");
    catalog.fill_interfaces(&mut node).unwrap();
    assert_eq!(node.interfaces.get(K::Bios), "no-bios");
    assert_eq!(node.interfaces.get(K::Network), "flat");
    assert_eq!(node.interfaces.get(K::Vendor), "fake");
    assert!(node.interfaces.iter().all(|(_, name)| !name.is_empty()));
}

#[test]
fn a_name_that_is_not_enabled_is_refused_with_the_sorted_list_of_those_that_are() {
    let catalog = catalog(&["fake-hardware"], &[(K::Boot, "pxe"), (K::Boot, "http")]);
    let mut node = node("fake-hardware");
    node.interfaces.set(K::Boot, "foo");
    assert_eq!(
        refused(&catalog, node),
        "Could not find the following interface in the 'ironic.hardware.interfaces.boot' entrypoint: foo. Valid interfaces are ['fake', 'http', 'pxe']."
    );
}

#[test]
fn a_name_that_the_type_does_not_support_is_refused_by_the_class_of_the_type() {
    let catalog = catalog(&["ipmi", "fake-hardware"], &[]);
    let mut ipmi = node("ipmi");
    ipmi.interfaces.set(K::Deploy, "fake");
    assert_eq!(
        refused(&catalog, ipmi),
        "deploy interface implementation 'fake' is not supported by hardware type IPMIHardware."
    );
    let mut fake = node("fake-hardware");
    fake.interfaces.set(K::Power, "ipmitool");
    catalog.fill_interfaces(&mut fake).unwrap();
}

#[test]
fn a_kind_without_a_default_is_refused_with_and_without_a_node() {
    let mut catalog = catalog(&["ipmi"], &[]);
    catalog.enabled.insert(K::Power, vec!["fake".to_owned()]);
    assert_eq!(
        refused(&catalog, node("ipmi")),
        "For node 1be26c0b-03f2-4d2e-ae87-c02d7f33c123 with hardware type 'ipmi', no default value found for power interface could be determined. Please ensure the interfaces are enabled."
    );
    assert_eq!(
        catalog.defaults("ipmi").unwrap_err().to_string(),
        "For hardware type 'ipmi', no default value found for power interface could be determined. Please ensure the interfaces are enabled."
    );
}

#[test]
fn a_forced_default_beats_the_priorities_and_must_fit() {
    let mut catalog = catalog(&["ipmi", "redfish"], &[(K::Bios, "no-bios")]);
    let forced = |catalog: &Catalog, driver: &str| catalog.defaults(driver);
    catalog.forced.insert(K::Bios, "no-bios".to_owned());
    let bios = |i: Interfaces| i.get(K::Bios).to_owned();
    assert_eq!(forced(&catalog, "redfish").map(bios).unwrap(), "no-bios");
    catalog.forced.insert(K::Bios, "redfish".to_owned());
    assert_eq!(forced(&catalog, "redfish").map(bios).unwrap(), "redfish");
    assert!(matches!(
        forced(&catalog, "ipmi"),
        Err(InterfaceError::NoDefault { kind: K::Bios, .. })
    ));
    catalog.forced.insert(K::Bios, "fake".to_owned());
    assert!(matches!(
        forced(&catalog, "redfish"),
        Err(InterfaceError::NotEnabled { kind: K::Bios, .. })
    ));
}

#[test]
fn an_instance_overrides_the_node_and_is_checked_like_it() {
    let catalog = catalog(&["fake-hardware"], &[(K::Deploy, "direct")]);
    let hardware_type = find("fake-hardware").unwrap();
    let mut node = node("fake-hardware");
    let field = K::Deploy.field();
    node.instance_info.insert(field.into(), json!("direct"));
    catalog.fill_interfaces(&mut node).unwrap();
    assert_eq!(node.interfaces.get(K::Deploy), "fake");
    let chosen = |node: &Node| {
        catalog
            .chosen(hardware_type, K::Deploy, node)
            .map(str::to_owned)
    };
    assert_eq!(chosen(&node).unwrap(), "direct");
    for (wrong, shown) in [(json!(null), "None"), (json!(5), "5"), (json!("x"), "x")] {
        node.instance_info.insert(field.into(), wrong);
        assert_eq!(
            chosen(&node).unwrap_err().to_string(),
            format!(
                "Could not find the following interface in the 'ironic.hardware.interfaces.deploy' entrypoint: {shown}. Valid interfaces are ['direct', 'fake']."
            )
        );
        // Nothing keeps a node from being described; only work on it is refused.
        assert_eq!(catalog.fill_interfaces(&mut node).is_ok(), shown == "None");
    }
}

#[test]
fn an_unknown_driver_is_its_own_fault() {
    let catalog = catalog(&["ipmi"], &[]);
    let error = catalog.fill_interfaces(&mut node("redfish")).unwrap_err();
    assert_eq!(
        Fault::from(error),
        Fault::DriverUnknown("redfish".to_owned())
    );
}

#[test]
fn the_offer_is_what_is_enabled_and_supported_with_one_default_a_kind() {
    let catalog = catalog(
        &["ipmi", "fake-hardware"],
        &[(K::Management, "noop"), (K::Boot, "http")],
    );
    let offered = catalog.offered();
    let names = |hardware_type: &str, kind: K| -> Vec<(String, bool)> {
        let mut found: Vec<_> = offered
            .iter()
            .filter(|o| o.hardware_type == hardware_type && o.kind == kind)
            .map(|o| (o.name.clone(), o.is_default))
            .collect();
        found.sort();
        found
    };
    assert_eq!(
        names("ipmi", K::Management),
        [("ipmitool".to_owned(), true), ("noop".to_owned(), false)]
    );
    // Fake hardware would accept the others, but they are not in its list.
    assert_eq!(
        names("fake-hardware", K::Management),
        [("fake".to_owned(), true)]
    );
    for hardware_type in ["ipmi", "fake-hardware"] {
        for &kind in K::ALL {
            let defaults = names(hardware_type, kind);
            assert_eq!(defaults.iter().filter(|(_, d)| *d).count(), 1, "{kind}");
        }
    }
}
