//! Filters: the database picks the rows that a plain predicate picks.

use super::{insert, new_node};
use crate::database::{Database, Engine};
use scenario::random::Random;
use std::ops::ControlFlow;
use store::{
    Page,
    node::{Children, ColumnSet, Columns, Log, NodeFilter, NodeRow},
};
use types::{Chassis, ChassisId, Node, NodeId, ProvisionState, node::NodeFault};

every_engine!(
    random_filters_pick_what_the_predicate_picks,
    a_description_is_searched_the_same_way_everywhere,
);

const OWNERS: [&str; 3] = ["p1", "p2", "p3"];
const SHARDS: [&str; 3] = ["s1", "s2", "s'3"];
const CLASSES: [&str; 2] = ["gold", "Gold"];
const DRIVERS: [&str; 2] = ["fake-hardware", "ipmi"];
const GROUPS: [&str; 2] = ["", "rack"];

struct World {
    nodes: Vec<Node>,
    chassis: Vec<ChassisId>,
    instances: Vec<String>,
}

fn owned(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|&t| t.to_owned()).collect()
}

async fn world(db: &store::Db, random: &mut Random) -> World {
    let mut chassis = Vec::new();
    for _ in 0..2 {
        let new = Chassis::new(ChassisId::generate());
        chassis.push(
            store::chassis::insert(db, new, Log::default())
                .await
                .unwrap()
                .id,
        );
    }
    let mut nodes: Vec<Node> = Vec::new();
    for n in 0..60 {
        let mut node = new_node();
        node.instance_uuid = random.chance(50).then(|| NodeId::generate().to_string());
        node.instance_name = random.maybe(&owned(&["web", "db"]));
        node.maintenance = random.chance(50);
        node.retired = Some(random.chance(50));
        node.provision_state = *random.pick(&[ProvisionState::Active, ProvisionState::CleanWait]);
        node.driver = (*random.pick(&DRIVERS)).to_owned();
        node.resource_class = random.maybe(&owned(&CLASSES));
        node.fault = random.maybe(&[NodeFault::Power, NodeFault::Clean]);
        node.conductor_group = (*random.pick(&GROUPS)).to_owned();
        node.owner = random.maybe(&owned(&OWNERS));
        node.lessee = random.maybe(&owned(&OWNERS));
        node.shard = random.maybe(&owned(&SHARDS));
        node.chassis = random.maybe(&chassis);
        let is_child = n > 5 && random.chance(30);
        node.parent_node = is_child.then(|| random.pick(&nodes[..5]).id.to_string());
        nodes.push(insert(db, node).await);
    }
    let instances = nodes
        .iter()
        .filter_map(|n| n.instance_uuid.clone())
        .collect();
    World {
        nodes,
        chassis,
        instances,
    }
}

/// A filter that asks for one to three things.
fn random_filter(random: &mut Random, world: &World) -> NodeFilter {
    let mut filter = NodeFilter {
        children: match random.below(3) {
            0 => Children::Include,
            1 => Children::Of(world.nodes[random.below(5)].id.to_string()),
            _ => Children::Exclude,
        },
        ..NodeFilter::default()
    };
    for _ in 0..=random.below(3) {
        let flag = Some(random.chance(50));
        match random.below(16) {
            0 => filter.associated = flag,
            1 => filter.maintenance = flag,
            2 => filter.retired = flag,
            3 => filter.provision_state = Some(ProvisionState::CleanWait),
            4 => filter.driver = Some((*random.pick(&DRIVERS)).to_owned()),
            5 => filter.resource_class = Some((*random.pick(&CLASSES)).to_owned()),
            6 => filter.fault = Some(NodeFault::Clean),
            7 => filter.conductor_group = Some((*random.pick(&GROUPS)).to_owned()),
            8 => filter.owner = Some((*random.pick(&OWNERS)).to_owned()),
            9 => filter.lessee = Some((*random.pick(&OWNERS)).to_owned()),
            10 => filter.project = Some((*random.pick(&OWNERS)).to_owned()),
            11 => filter.shard_in = owned(&SHARDS[random.below(3)..]),
            12 => filter.sharded = flag,
            13 => filter.instance_uuid = Some(random.pick(&world.instances).clone()),
            14 => filter.instance_name = Some("web".into()),
            _ => filter.chassis = Some(*random.pick(&world.chassis)),
        }
    }
    filter
}

fn passes(f: &NodeFilter, n: &Node) -> bool {
    fn asked<T: PartialEq>(wanted: &Option<T>, value: Option<&T>) -> bool {
        wanted.as_ref().is_none_or(|w| Some(w) == value)
    }
    asked(&f.associated, Some(&n.instance_uuid.is_some()))
        && asked(&f.maintenance, Some(&n.maintenance))
        && asked(&f.retired, n.retired.as_ref())
        && asked(&f.provision_state, Some(&n.provision_state))
        && asked(&f.driver, Some(&n.driver))
        && asked(&f.resource_class, n.resource_class.as_ref())
        && asked(&f.fault, n.fault.as_ref())
        && asked(&f.conductor_group, Some(&n.conductor_group))
        && asked(&f.owner, n.owner.as_ref())
        && asked(&f.lessee, n.lessee.as_ref())
        && (asked(&f.project, n.owner.as_ref()) || asked(&f.project, n.lessee.as_ref()))
        && (f.shard_in.is_empty() || n.shard.as_ref().is_some_and(|s| f.shard_in.contains(s)))
        && asked(&f.sharded, Some(&n.shard.is_some()))
        && asked(&f.instance_uuid, n.instance_uuid.as_ref())
        && asked(&f.instance_name, n.instance_name.as_ref())
        && asked(&f.chassis, n.chassis.as_ref())
        && match &f.children {
            Children::Exclude => n.parent_node.is_none(),
            Children::Include => true,
            Children::Of(parent) => n.parent_node.as_ref() == Some(parent),
        }
}

async fn random_filters_pick_what_the_predicate_picks(engine: Engine) {
    let mut random = Random::new();
    let database = Database::create(engine);
    let db = database.open();
    let world = world(&db, &mut random).await;
    let mut hits = 0;
    for _ in 0..250 {
        let filter = random_filter(&mut random, &world);
        let expected: Vec<_> = world
            .nodes
            .iter()
            .filter(|n| passes(&filter, n))
            .map(|n| n.id)
            .collect();
        hits += usize::from(!expected.is_empty());
        let page = Page::first(100);
        let found = store::node::list(&db, filter.clone(), page, Columns::Summary).await;
        let found: Vec<_> = found.unwrap().iter().map(|n| n.id).collect();
        assert_eq!(found, expected, "{filter:?}");
        assert_eq!(shown(&db, &filter).await, expected, "{filter:?}");
    }
    assert!(hits > 50, "filters that find nothing prove nothing: {hits}");
}

/// The ids of the nodes that a list shows, page by page.
async fn shown(db: &store::Db, filter: &NodeFilter) -> Vec<NodeId> {
    let mut all = Vec::new();
    let mut page = Page::first(7);
    loop {
        let keep = |ids: &mut Vec<NodeId>, row: &NodeRow| {
            ids.extend(row.id());
            Ok(ControlFlow::Continue(()))
        };
        let (filter, columns) = (filter.clone(), ColumnSet::ID);
        let found = store::node::show(db, filter, page.clone(), columns, Vec::new(), keep).await;
        let found = found.unwrap();
        all.extend_from_slice(&found);
        match found.last() {
            Some(last) if found.len() == 7 => page.marker = Some(last.to_string()),
            _ => return all,
        }
    }
}

async fn a_description_is_searched_the_same_way_everywhere(engine: Engine) {
    let database = Database::create(engine);
    let db = database.open();
    for text in ["Rack Seven", "rack 7", r"a\b", "100%", "x_y", "xzy"] {
        let mut node = new_node();
        node.description = Some(text.to_owned());
        insert(&db, node).await;
    }
    insert(&db, new_node()).await;
    for (wanted, expected) in [
        // ASCII letters match in either case, as with the databases that Ironic runs on.
        ("rack", vec!["Rack Seven", "rack 7"]),
        ("SEVEN", vec!["Rack Seven"]),
        // Wildcards keep their SQL meaning; a backslash is a plain character.
        ("x_y", vec!["x_y", "xzy"]),
        ("r%7", vec!["rack 7"]),
        (r"a\b", vec![r"a\b"]),
        (r"a\", vec![r"a\b"]),
        (r"\", vec![r"a\b"]),
        ("'", vec![]),
    ] {
        let filter = NodeFilter {
            description_contains: Some(wanted.to_owned()),
            ..NodeFilter::default()
        };
        let found = store::node::list(&db, filter, Page::first(10), Columns::Full).await;
        let found = found.unwrap();
        let texts: Vec<_> = found
            .iter()
            .map(|n| n.description.as_deref().unwrap())
            .collect();
        assert_eq!(texts, expected, "looking for {wanted}");
    }
}
