//! The ring against Ironic's own answers, and against what rings are for.

use super::*;
use proptest::prelude::*;

fn ring(members: &[&str]) -> Ring {
    Ring::new(members.iter().map(|&m| m.to_owned()), Shape::default())
}

/// Node, hash of its UUID, owner, with 32 points for each of three members.
const VECTORS: &[(&str, &str, &str)] = &[
    (
        "1be26c0b-03f2-4d2e-ae87-c02d7f33c123",
        "029b7975931586c745ebb9e4b8559b88",
        "cond-c",
    ),
    (
        "0eb013bb-1e4b-4f4c-94b5-2e7468242611",
        "163691a52bb1693f5522efa89aaa8b19",
        "cond-b",
    ),
    (
        "00000000-0000-0000-0000-000000000000",
        "9f89c84a559f573636a47ff8daed0d33",
        "cond-a",
    ),
    (
        "ffffffff-ffff-ffff-ffff-ffffffffffff",
        "b537846dea6f4ee4e416d997f33a8ad1",
        "cond-c",
    ),
    (
        "6d85703a-565d-469a-96ce-30b6de53079d",
        "63c8c844b9c2b88496e653a092949184",
        "cond-c",
    ),
];

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn nodes_belong_to_whom_the_original_gives_them() {
    let ring = ring(&["cond-c", "cond-a", "cond-b"]);
    assert_eq!(ring.points.len(), 96);
    for (node, hash, owner) in VECTORS {
        assert_eq!(hex(&Md5::digest(node)), *hash);
        assert_eq!(ring.owner(node.parse().unwrap()), Some(*owner), "{node}");
    }
}

#[test]
fn a_member_starts_where_the_original_puts_it() {
    for (member, point) in [
        ("cond-a", "89497da4a0a0e0b705530752cf9e3e16"),
        ("cond-b", "7b0330d25597ede545717ded6ffe4b76"),
        ("cond-c", "7b504b32f31c25ce9c1a63de24ac0341"),
    ] {
        assert_eq!(hex(&points_of::<Md5>(member, 1)[0]), point);
    }
}

#[test]
fn a_value_that_is_a_point_belongs_to_the_next_one() {
    let ring = ring(&["cond-a", "cond-b"]);
    for (at, (point, _)) in ring.points.iter().enumerate() {
        let next = ring.points.get(at + 1).unwrap_or(&ring.points[0]);
        assert_eq!(ring.next(point), Some(next.1));
    }
}

#[test]
fn nobody_owns_nothing() {
    assert_eq!(ring(&[]).owner(NodeId::generate()), None);
    let rings = Rings::default();
    assert_eq!(rings.owner(NodeId::generate(), "ipmi", ""), None);
    assert!(rings.servers("ipmi").is_empty() && rings.hosts().is_empty());
}

fn seat(host: &str, group: &str, kinds: &[&str]) -> Seat {
    Seat {
        host: host.to_owned(),
        group: group.to_owned(),
        hardware_types: kinds.iter().map(|&kind| kind.to_owned()).collect(),
    }
}

#[test]
fn groups_and_hardware_types_have_rings_of_their_own() {
    let seats = [
        seat("a", "", &["ipmi", "redfish"]),
        seat("b", "", &["ipmi"]),
        seat("c", "east", &["ipmi"]),
    ];
    let rings = Rings::new(&seats, Shape::default());
    let mut owners = BTreeSet::new();
    for _ in 0..200 {
        let node = NodeId::generate();
        owners.insert(rings.owner(node, "ipmi", "").unwrap().to_owned());
        assert_eq!(rings.owner(node, "redfish", ""), Some("a"));
        assert_eq!(rings.owner(node, "ipmi", "east"), Some("c"));
        assert_eq!(rings.owner(node, "ipmi", "EAST"), Some("c"));
        assert_eq!(rings.owner(node, "redfish", "east"), None);
        assert_eq!(rings.owner(node, "snmp", ""), None);
    }
    assert_eq!(owners.into_iter().collect::<Vec<_>>(), ["a", "b"]);
    assert_eq!(rings.servers("ipmi"), ["a", "b", "c"]);
    assert_eq!(rings.servers("redfish"), ["a"]);
    assert_eq!(rings.hosts(), ["a", "b", "c"]);
}

fn node() -> impl Strategy<Value = NodeId> {
    any::<u128>().prop_map(|bits| {
        let text = format!("{bits:032x}");
        text.parse().unwrap()
    })
}

fn shape() -> impl Strategy<Value = Shape> {
    let algorithm = prop::sample::select(Algorithm::ALL);
    (algorithm, 0u32..7).prop_map(|(algorithm, partition_exponent)| Shape {
        algorithm,
        partition_exponent,
    })
}

proptest! {
    #[test]
    fn every_node_has_one_owner_and_a_member_that_leaves_moves_only_its_own(
        members in prop::collection::btree_set("[a-z]{1,8}", 2..6),
        shape in shape(),
        nodes in prop::collection::vec(node(), 1..40),
        leaver in any::<prop::sample::Index>(),
    ) {
        let all: Vec<String> = members.into_iter().collect();
        let gone = leaver.get(&all).clone();
        let before = Ring::new(all.iter().cloned(), shape);
        // The order in which members are named says nothing.
        let reversed = Ring::new(all.iter().rev().cloned(), shape);
        let rest = all.iter().filter(|&member| *member != gone).cloned();
        let after = Ring::new(rest, shape);
        for node in nodes {
            let owner = before.owner(node).unwrap();
            prop_assert!(all.iter().any(|member| member == owner));
            prop_assert_eq!(reversed.owner(node), Some(owner));
            let next = after.owner(node).unwrap();
            prop_assert_ne!(next, gone.as_str());
            if owner != gone {
                prop_assert_eq!(next, owner);
            }
        }
    }
}

#[test]
fn shares_are_what_nodes_make_of_them() {
    assert_eq!(ring(&["a"]).shares(), [("a".to_owned(), 1.0)]);
    assert_eq!(ring(&[]).shares(), []);
    let ring = ring(&["a", "b", "c"]);
    let shares = ring.shares();
    let whole: f64 = shares.iter().map(|(_, part)| part).sum();
    assert!((whole - 1.0).abs() < 1e-9, "{shares:?}");
    const NODES: u32 = 20_000;
    for (host, part) in &shares {
        let nodes = (0..NODES).map(|n| {
            let id = format!("7c3c4e4e-3c1f-4a5d-8f43-{n:012x}");
            id.parse::<NodeId>().unwrap()
        });
        let own = nodes.filter(|node| ring.owner(*node) == Some(host)).count();
        let found = own as f64 / f64::from(NODES);
        assert!((found - part).abs() < 0.02, "{host}: {found} of {part}");
    }
}
