//! The index follows the database, and answers what the rows say.

use super::*;
use crate::{
    ApiState, Settings,
    fleet::{
        failures,
        filter::{Filter, SortKey},
        group,
        page::{Window, listing},
        query,
        viewer::Viewer,
    },
    testing::Service,
};
use proptest::prelude::*;
use serde_json::json;
use std::sync::Arc;
use store::node::{Fence, Log};
use types::{Node, Port, PortId, PowerState, node::NodeFault};

fn node(name: &str) -> Node {
    let mut node = Node::new(NodeId::generate(), "fake-hardware");
    node.name = Some(name.into());
    node
}

/// Who sees everything.
fn everything(settings: Settings) -> Viewer {
    Viewer::all(Arc::new(settings))
}

/// The names of the nodes that fit a query, as the index has them.
async fn names(state: &ApiState, text: &str) -> Vec<String> {
    let query = query::parse(text, Some("rack")).unwrap();
    let viewer = everything((*state.settings).clone());
    let asked = state.fleet.ask(state, move |index| {
        let mut filter = Filter::new(index, &query, &viewer, Timestamp::now());
        let found = filter.matching();
        found.iter().map(|entry| entry.name().to_owned()).collect()
    });
    asked.await.unwrap()
}

async fn change(service: &Service, node: &Node, change: impl FnOnce(&mut Node)) -> Node {
    let found = store::node::find(&service.db, node.id).await.unwrap();
    let mut node = found.unwrap();
    change(&mut node);
    store::node::save(&service.db, node, Fence::Free, Log::default())
        .await
        .unwrap()
}

#[test]
fn an_index_is_littered_by_what_came_later_and_not_by_what_nodes_have() {
    let mut symbols = Symbols::default();
    // Nodes with many texts of their own.
    for text in 0..50_000 {
        symbols.of(&format!("text {text}"));
    }
    let mut index = Index::new(Vec::new(), symbols, 0);
    assert!(!index.is_littered());
    let mut later = 0;
    while !index.is_littered() {
        index.symbols.of(&format!("later {later}"));
        later += 1;
    }
    assert!((50_000..70_000).contains(&later), "{later}");
}

#[tokio::test]
async fn it_follows_writes_of_this_process_without_events() {
    let service = Service::new();
    let state = service.state();
    let a = service.store_node(node("a")).await;
    assert_eq!(names(&state, "").await, ["a"]);
    let b = service.store_node(node("b")).await;
    assert_eq!(names(&state, "").await, ["a", "b"]);
    change(&service, &a, |node| node.power_state = Some(PowerState::On)).await;
    assert_eq!(names(&state, "power:on").await, ["a"]);
    change(&service, &a, |node| node.name = Some("Z".into())).await;
    assert_eq!(names(&state, "").await, ["b", "z"]);
    let b = store::node::find(&service.db, b.id).await.unwrap().unwrap();
    store::node::delete(&service.db, &b, Log::default())
        .await
        .unwrap();
    assert_eq!(names(&state, "").await, ["z"]);
}

#[tokio::test]
async fn it_follows_events_of_other_processes_at_once_and_their_other_writes_by_comparing() {
    let service = Service::new();
    let state = service.state();
    let a = service.store_node(node("a")).await;
    assert_eq!(names(&state, "").await, ["a"]);
    let other = store::Db::open(
        service.db.location(),
        service.db.keys().clone(),
        store::Upgrade::Run,
    );
    let other = other.unwrap();
    let mut here = store::node::find(&other, a.id).await.unwrap().unwrap();
    here.resource_class = Some("gpu".into());
    let event = types::event::NewEvent::new(
        &here,
        types::event::EventKind::Updated,
        "changed",
        json!({}),
        &types::Caller::service(),
    );
    let saved = store::node::save(&other, here, Fence::Free, Log::event(event)).await;
    let mut here = saved.unwrap();
    assert_eq!(names(&state, "class:gpu").await, ["a"]);
    here.power_state = Some(PowerState::On);
    let saved = store::node::save(&other, here, Fence::Free, Log::default()).await;
    let silent = store::node::insert(&other, node("b"), Log::default()).await;
    let silent = silent.unwrap();
    saved.unwrap();
    assert_eq!(names(&state, "power:on").await, [] as [&str; 0]);
    state.fleet.compare_now(&service.db).await;
    assert_eq!(names(&state, "power:on").await, ["a"]);
    assert_eq!(names(&state, "").await, ["a", "b"]);
    store::node::delete(&other, &silent, Log::default())
        .await
        .unwrap();
    state.fleet.compare_now(&service.db).await;
    assert_eq!(names(&state, "").await, ["a"]);
}

#[tokio::test]
async fn words_find_what_they_say() {
    let service = Service::with(Settings {
        group_key: Some("rack".into()),
        ..Settings::default()
    });
    let state = service.state();
    let hour = 3_600_000_000;
    let mut first = node("gpu-1");
    first.resource_class = Some("GPU".into());
    first.provision_state = ProvisionState::DeployFailed;
    first.provision_updated_at = Some(Timestamp(Timestamp::now().0 - 2 * hour));
    first.last_error = Some("Timeout reached while waiting for callback".into());
    first.driver_info = types::JsonMap::from_iter([("ipmi_address".into(), json!("10.1.2.3"))]);
    first.traits = vec!["CUSTOM_A".into(), "CUSTOM_B".into()];
    first.extra = types::JsonMap::from_iter([("rack".into(), json!("r1"))]);
    let mut second = node("web-1");
    second.provision_state = ProvisionState::Active;
    second.instance_uuid = Some("aaaaaaaa-0000-0000-0000-000000000001".into());
    second.maintenance = true;
    second.fault = Some(NodeFault::Power);
    second.owner = Some("p1".into());
    let mut third = Node::new(NodeId::generate(), "ipmi");
    third.retired = Some(true);
    let first = service.store_node(first).await;
    service.store_node(second).await;
    let third = service.store_node(third).await;
    let port = Port::new(
        PortId::generate(),
        first.id,
        "52:54:00:aa:bb:cc".parse().unwrap(),
    );
    store::port::insert(&service.db, port, Log::default())
        .await
        .unwrap();
    let uuid = first.id.to_string();
    for (query, expected) in [
        ("", "gpu-1 web-1 "),
        ("state:failed", "gpu-1"),
        ("state:active,\"deploy failed\"", "gpu-1 web-1"),
        ("-state:failed", "web-1 "),
        ("class:gpu", "gpu-1"),
        ("class:\"\"", "web-1 "),
        ("class:*", "gpu-1"),
        ("driver:ipmi", ""),
        ("conductor:cond1", "gpu-1 web-1"),
        ("maint:yes", "web-1"),
        ("retired:no", "gpu-1 web-1"),
        ("protected:yes", "none"),
        ("fault:\"power failure\"", "web-1"),
        ("fault:*", "web-1"),
        ("trait:custom_b", "gpu-1"),
        ("trait:\"\"", "web-1 "),
        ("error:timeout*", "gpu-1"),
        ("error:*callback", "gpu-1"),
        ("cause:ramdisk_timeout", "gpu-1"),
        ("cause:*", "gpu-1 web-1"),
        ("instance:aaaa*", "web-1"),
        ("mac:52:54:*", "gpu-1"),
        ("mac:*:cc", "gpu-1"),
        ("52:54:00:aa", "gpu-1"),
        ("bmc:10.1.*", "gpu-1"),
        ("10.1.2", "gpu-1"),
        ("aaaaaaaa-0000", "web-1"),
        ("owner:P1", "web-1"),
        ("age>1h", "gpu-1"),
        ("age<1h", "web-1 "),
        ("extra.rack:r1", "gpu-1"),
        ("web", "web-1"),
        ("gpu web", "none"),
        ("name:\"\"", ""),
    ] {
        let found = names(&state, query).await;
        let expected: Vec<&str> = match expected {
            "none" => Vec::new(),
            names => names.split(' ').collect(),
        };
        assert_eq!(found, expected, "{query}");
    }
    assert_eq!(names(&state, &uuid).await, ["gpu-1"]);
    assert_eq!(names(&state, &format!("uuid:{uuid}")).await, ["gpu-1"]);
    assert_eq!(names(&state, &format!("uuid:{}", third.id)).await, [""]);
}

#[test]
fn a_wait_is_stuck_after_half_of_its_time() {
    let limits = WaitLimits(BTreeMap::from([(ProvisionState::DeployWait, 100)]));
    let (since, now) = (Timestamp(0), |seconds: i64| Timestamp(seconds * 1_000_000));
    let state = ProvisionState::DeployWait;
    assert!(!limits.is_stuck(state, since, now(50)));
    assert!(limits.is_stuck(state, since, now(51)));
    assert!(!limits.is_stuck(ProvisionState::CleanWait, since, now(1000)));
    let never = WaitLimits(BTreeMap::from([(state, 0)]));
    assert!(!never.is_stuck(state, since, now(1000)));
}

#[tokio::test]
async fn memory_is_given_back_when_there_are_no_questions() {
    let service = Service::new();
    let state = service.state();
    service.store_node(node("a")).await;
    assert_eq!(names(&state, "").await, ["a"]);
    state.release_memory();
    assert!(state.fleet.read().is_some());
    state.release_memory();
    assert!(state.fleet.read().is_none());
    service.store_node(node("b")).await;
    assert_eq!(names(&state, "").await, ["a", "b"]);
}

/// An index of entries as rows make them.
fn index_of(nodes: &[Node]) -> Index {
    let mut symbols = Symbols::default();
    let reads = nodes.iter().map(|node| {
        let row = store::node::NodeRow::of(node);
        crate::fleet::entry::read(&row, &mut symbols, None).unwrap()
    });
    let reads = reads.collect();
    Index::new(reads, symbols, 7)
}

fn some_node() -> impl Strategy<Value = Node> {
    let states = prop::sample::select(ProvisionState::ALL);
    let faults = prop::option::weighted(0.1, prop::sample::select(NodeFault::ALL));
    let error = prop::option::weighted(0.3, "[a-c]{1,2} [0-9]{1,3}");
    (states, faults, error, "[a-d]{0,2}", any::<bool>()).prop_map(
        |(state, fault, error, name, maintenance)| {
            let mut node = Node::new(NodeId::generate(), "fake-hardware");
            node.name = Some(name).filter(|name| !name.is_empty());
            (node.provision_state, node.fault) = (state, fault);
            (node.last_error, node.maintenance) = (error, maintenance);
            node.resource_class = node.name.as_ref().map(|name| name[..1].to_owned());
            node
        },
    )
}

proptest! {
    #[test]
    fn every_node_in_trouble_is_in_one_group_and_counts_and_cells_add_up(
        nodes in prop::collection::vec(some_node(), 0..40),
    ) {
        let index = index_of(&nodes);
        let viewer = everything(Settings::default());
        let query = query::parse("", None).unwrap();
        let mut filter = Filter::new(&index, &query, &viewer, Timestamp::now());
        let found = failures::failures(&mut filter);
        let sum: u32 = found.groups.iter().map(|group| group.troubles.total()).sum();
        prop_assert_eq!(sum, found.troubles.total());
        let failed = nodes.iter().filter(|node| Look::of(node.provision_state) == Look::Failed);
        prop_assert_eq!(found.troubles.of(NodeProblem::Failed) as usize, failed.count());
        for group in &found.groups {
            let asked = query::parse(&format!("cause:{}", group.code), None).unwrap();
            let mut filter = Filter::new(&index, &asked, &viewer, Timestamp::now());
            prop_assert_eq!(filter.matching().len(), group.troubles.total() as usize);
        }
        let census = group::census(&mut filter, Some(group::GroupBy::Class), None);
        let sum: u32 = census.groups.groups.iter().map(|group| group.total).sum();
        prop_assert_eq!(sum as usize, nodes.len());
        for group in &census.groups.groups {
            let asked = query::parse(&group.query, None).unwrap();
            let mut filter = Filter::new(&index, &asked, &viewer, Timestamp::now());
            prop_assert_eq!(filter.matching().len(), group.total as usize);
        }
        let map = group::map(&mut filter, group::GroupBy::Class, None);
        for group in map.groups.groups {
            let cells = group.facts.finish();
            let counts = cells.split(|c: char| c.is_ascii_alphabetic());
            let sum: u32 = counts.filter_map(|run| run.parse::<u32>().ok()).sum();
            prop_assert_eq!(sum, group.total, "{}", cells);
        }
    }

    #[test]
    fn changes_leave_an_index_as_if_it_were_made_anew(
        nodes in prop::collection::vec(some_node(), 0..20),
        steps in prop::collection::vec((any::<prop::sample::Index>(), 0..3, some_node()), 0..20),
    ) {
        let mut now = nodes.clone();
        let mut index = index_of(&now);
        for (at, what, other) in steps {
            let mut symbols = std::mem::take(&mut index.symbols);
            let mut read = |node: &Node| {
                let row = store::node::NodeRow::of(node);
                crate::fleet::entry::read(&row, &mut symbols, None).unwrap()
            };
            let change = match what {
                0 => {
                    now.push(other.clone());
                    Change { id: other.id, now: Some(read(&other)) }
                }
                _ if now.is_empty() => continue,
                1 => {
                    let gone = now.remove(at.index(now.len()));
                    Change { id: gone.id, now: None }
                }
                _ => {
                    let at = at.index(now.len());
                    now[at].name = other.name.clone();
                    Change { id: now[at].id, now: Some(read(&now[at])) }
                }
            };
            index.symbols = symbols;
            index.apply(vec![change]);
        }
        let anew = index_of(&now);
        let order = |index: &Index| -> Vec<NodeId> {
            index.iter().map(|entry| entry.id).collect()
        };
        prop_assert_eq!(order(&index), order(&anew));
    }
}

#[test]
fn lists_are_sorted_with_missing_values_last() {
    let mut nodes = vec![node("b"), node("a"), node("c")];
    nodes[0].resource_class = Some("x".into());
    nodes[2].resource_class = Some("y".into());
    let index = index_of(&nodes);
    let viewer = everything(Settings::default());
    let query = query::parse("", None).unwrap();
    let sorted = |sort: SortKey, is_falling: bool| -> Vec<String> {
        let mut filter = Filter::new(&index, &query, &viewer, Timestamp::now());
        let window = Window {
            sort,
            is_falling,
            offset: 0,
            limit: 10,
        };
        let listing = listing(&mut filter, window);
        let name = |id: NodeId| index.find(id).unwrap().name().to_owned();
        listing.nodes.iter().map(|node| name(node.id)).collect()
    };
    assert_eq!(sorted(SortKey::Name, false), ["a", "b", "c"]);
    assert_eq!(sorted(SortKey::Name, true), ["c", "b", "a"]);
    assert_eq!(sorted(SortKey::Class, false), ["b", "c", "a"]);
    assert_eq!(sorted(SortKey::Class, true), ["c", "b", "a"]);
}

#[test]
fn a_node_takes_little_memory() {
    let nodes: Vec<Node> = (0..1000)
        .map(|number| {
            let mut node = node(&format!("compute-{number:05}"));
            node.instance_uuid = Some(NodeId::generate().to_string());
            let address = json!(format!("10.0.0.{number}"));
            node.driver_info.insert("ipmi_address".into(), address);
            node
        })
        .collect();
    let mut index = index_of(&nodes);
    let macs = nodes.iter().map(|node| {
        let mac = "52:54:00:00:00:01".parse().unwrap();
        (node.id, vec![mac])
    });
    index.set_macs(&macs.collect());
    // A hundred thousand within 25 MiB, with room for what an allocation costs besides its bytes.
    assert!(
        index.bytes() / nodes.len() <= 200,
        "{}",
        index.bytes() / nodes.len()
    );
}

/// Prints how long answers about a hundred thousand nodes take, and how much memory the index needs:
/// `cargo test --release -p api a_hundred_thousand -- --ignored --nocapture`.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "measures, and judges nothing"]
async fn a_hundred_thousand_nodes_are_answered_for() {
    const COUNT: usize = 100_000;
    let service = Service::new();
    let mut writes = tokio::task::JoinSet::new();
    for number in 0..COUNT {
        let mut node = node(&format!("compute-{number:06}"));
        node.resource_class = Some(["compute", "gpu", "web", "db"][number % 4].into());
        node.owner = Some(format!("p{}", number % 20));
        node.instance_uuid = Some(NodeId::generate().to_string());
        node.provision_state = match number % 1000 {
            0..=6 => ProvisionState::DeployFailed,
            7..=100 => ProvisionState::Available,
            _ => ProvisionState::Active,
        };
        if number % 1000 <= 6 {
            node.last_error = Some(format!(
                "Timeout reached while waiting for callback {number}"
            ));
        }
        let address = json!(format!("10.0.{}.{}", number / 256 % 256, number % 256));
        node.driver_info.insert("ipmi_address".into(), address);
        let db = service.db.clone();
        writes.spawn(async move { store::node::insert(&db, node, Log::default()).await });
        if writes.len() >= 500 {
            writes.join_next().await.unwrap().unwrap().unwrap();
        }
    }
    while let Some(written) = writes.join_next().await {
        written.unwrap().unwrap();
    }
    let state = service.state();
    let ask = async |path: &str| {
        let request = axum::http::Request::builder().uri(path);
        let request = request.body(axum::body::Body::empty()).unwrap();
        let begun = std::time::Instant::now();
        let answer = crate::respond(state.clone(), request).await;
        let body = http_body_util::BodyExt::collect(answer.into_body()).await;
        (begun.elapsed(), body.unwrap().to_bytes().len())
    };
    let resident = || {
        let text = std::fs::read_to_string("/proc/self/statm").unwrap();
        let pages: usize = text.split(' ').nth(1).unwrap().parse().unwrap();
        pages * 4096
    };
    let before = resident();
    let (first, _) = ask("/corten/v1/nodes").await;
    println!(
        "the first question takes {first:?}; resident memory grows by {} KiB",
        (resident() - before) / 1024
    );
    if let Some(index) = &*state.fleet.read() {
        println!("the index has about {} KiB", index.bytes() / 1024);
    }
    for path in [
        "/corten/v1/nodes?limit=100",
        "/corten/v1/nodes?limit=100&offset=90000",
        "/corten/v1/nodes?q=state:failed%20class:gpu%20-maint:yes%20age%3C1h",
        "/corten/v1/nodes?q=0412",
        "/corten/v1/nodes?sort=-owner&limit=100",
        "/corten/v1/fleet?by=resource_class",
        "/corten/v1/fleet/map?by=resource_class",
        "/corten/v1/failures",
        "/corten/v1/work",
    ] {
        let mut times = Vec::new();
        let mut length = 0;
        for _ in 0..20 {
            let (time, bytes) = ask(path).await;
            times.push(time);
            length = bytes;
        }
        times.sort();
        println!(
            "{path}: median {:?}, p95 {:?}, {length} bytes",
            times[10], times[18]
        );
    }
}
