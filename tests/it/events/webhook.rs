//! Webhooks end to end: nothing is lost and nothing out of order, whoever fails on the way.

use super::{
    is_whole,
    receiver::{Deed, Delivery, Receiver},
    write, writers_of,
};
use crate::{
    database::Engine,
    http::Request,
    lab::{Lab, Options},
};
use api::webhook::{Sender, WebhookSettings};
use scenario::random::Random;
use serde_json::{Value, json};
use std::time::Duration;
use store::Db;
use tokio::runtime::Runtime;

every_engine!(
    a_receiver_that_fails_half_of_the_time_gets_everything,
    what_is_refused_for_good_is_put_aside_and_can_be_delivered_later,
    a_receiver_that_is_gone_is_left_alone_until_it_is_back,
    a_webhook_hears_what_it_asked_for,
);

const ROOT: &str = "/corten/v1/webhooks";

/// Everything happens soon. Who answers at all answers in time, also on a machine that does much
/// else, and nobody is taken for dead who lives: each would cost a delivery that is counted.
fn hasty(attempts: i64) -> WebhookSettings {
    WebhookSettings {
        attempts,
        first_delay: Duration::from_millis(2),
        longest_delay: Duration::from_millis(20),
        timeout: Duration::from_secs(60),
        ttl: Duration::from_secs(600),
        look: Duration::from_millis(50),
        ..WebhookSettings::default()
    }
}

/// The same where somebody dies.
fn mortal() -> WebhookSettings {
    WebhookSettings {
        ttl: Duration::from_secs(3),
        ..hasty(i64::MAX)
    }
}

async fn lab(engine: Engine, attempts: i64) -> Lab {
    let mut options = Options::default();
    options.api.webhooks = hasty(attempts);
    Lab::with(engine, options).await
}

/// Registers a receiver, from the beginning of the log.
async fn register(lab: &Lab, receiver: &Receiver, mut body: Value) -> String {
    body["url"] = receiver.url().into();
    body["secret"] = "a secret that both know".into();
    body["after"] = 0.into();
    receiver.trusts("a secret that both know");
    let made = lab.client.post(ROOT, body).await.expect(201).json();
    made["uuid"].as_str().unwrap().to_owned()
}

fn bodies(deliveries: Vec<Delivery>) -> Vec<Value> {
    deliveries.into_iter().map(|d| d.body).collect()
}

/// A process that posts, as far as posting goes.
struct Process {
    runtime: Runtime,
    sender: Sender,
}

impl Process {
    fn start(db: Db, settings: WebhookSettings) -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .unwrap();
        let sender = {
            let _inside = runtime.enter();
            Sender::start(db, settings, "a-process")
        };
        Self { runtime, sender }
    }

    /// Nothing of it runs any more, and nothing was said.
    fn dies(self) {
        self.runtime.shutdown_background();
    }

    async fn stops(self) {
        self.sender.stop().await;
        self.runtime.shutdown_background();
    }
}

async fn a_receiver_that_fails_half_of_the_time_gets_everything(engine: Engine) {
    const WRITERS: usize = 3;
    const EACH: usize = 80;
    let mut lab = lab(engine, i64::MAX).await;
    lab.sender.take().unwrap().stop().await;
    let mut random = Random::new();
    let mut luck = random.fork();
    let receiver = Receiver::start(move |_| match luck.below(100) {
        0..10 => Deed::Answer(500),
        10..20 => Deed::Answer(429),
        20..25 => Deed::Redirect,
        25..40 => Deed::HangUp,
        40..50 => Deed::TakeAndHangUp,
        _ => Deed::Answer(204),
    })
    .await;
    let id = register(&lab, &receiver, json!({})).await;
    let dbs = writers_of(&lab, engine);
    let processes = || [0, 1].map(|n| Process::start(dbs[n % dbs.len()].clone(), mortal()));
    let [mut one, mut other] = processes();
    let writers = write(&dbs, WRITERS, EACH);
    for part in 1..=6 {
        let so_far = WRITERS * EACH * part / 8;
        receiver
            .until("a part", |r| r.taken().len() >= so_far)
            .await;
        match part {
            1 | 4 => {
                receiver.dies().await;
                receiver.comes_back().await;
            }
            2 | 5 => {
                // Whichever of them it is that posts.
                one.dies();
                other.dies();
                [one, other] = processes();
            }
            _ => {
                one.stops().await;
                one = Process::start(dbs[0].clone(), mortal());
            }
        }
    }
    receiver
        .until("everything", |r| r.taken().len() == WRITERS * EACH)
        .await;
    writers.join_all().await;
    is_whole(&bodies(receiver.taken()), WRITERS, EACH);
    let came = receiver.deliveries().len();
    assert!(
        came > WRITERS * EACH * 3 / 2,
        "only {came}: too little failed"
    );
    for delivery in receiver.taken() {
        assert_eq!(delivery.id, format!("{id}-{}", delivery.body["cursor"]));
        assert_eq!(delivery.kind, delivery.body["kind"].as_str().unwrap());
    }
    // What was taken is not delivered by the next ones either; the last one may have been taken
    // without an answer, and comes again until there is one.
    let path = format!("{ROOT}/{id}");
    let all = json!(WRITERS * EACH);
    while lab.client.get(&path).await.expect(200).json()["cursor"] != all {
        tokio::task::yield_now().await;
    }
    one.stops().await;
    other.stops().await;
    let after = lab.client.get(&path).await.expect(200).json();
    assert_eq!((&after["cursor"], &after["sender"]), (&all, &Value::Null));
    lab.stop().await;
}

async fn what_is_refused_for_good_is_put_aside_and_can_be_delivered_later(engine: Engine) {
    let lab = lab(engine, 3).await;
    let refuse = |delivery: &Delivery| match delivery.body["data"]["n"].as_u64() {
        Some(2 | 5) => Deed::Answer(400),
        _ => Deed::Answer(200),
    };
    let receiver = Receiver::start(refuse).await;
    let id = register(&lab, &receiver, json!({})).await;
    let path = format!("{ROOT}/{id}");
    write(std::slice::from_ref(&lab.db), 1, 8).join_all().await;
    receiver
        .until("the last one", |r| r.taken().len() == 6)
        .await;
    let attempts: Vec<u64> = receiver
        .deliveries()
        .iter()
        .filter(|d| d.body["data"]["n"] == 2)
        .map(|d| d.attempt)
        .collect();
    assert_eq!(attempts, [1, 2, 3]);
    let letters = async || {
        let answer = lab.client.get(&format!("{path}/dead-letters")).await;
        answer.expect(200).json()["dead_letters"].clone()
    };
    let dead = letters().await;
    let dead = dead.as_array().unwrap();
    let numbers: Vec<&Value> = dead.iter().map(|d| &d["event"]["data"]["n"]).collect();
    assert_eq!(numbers, [2, 5]);
    assert_eq!(dead[0]["attempts"], 3);
    let error = dead[0]["last_error"].as_str().unwrap();
    assert!(error.starts_with("the receiver answered 400"), "{error}");
    // Still in vain: it stays.
    let replay = format!("{path}/replay");
    let one = json!({"dead_letter": dead[0]["cursor"]});
    lab.client.post(&replay, one.clone()).await.expect(202);
    receiver
        .until("a fourth try", |r| {
            r.deliveries().iter().any(|d| d.attempt == 4)
        })
        .await;
    receiver.changes_its_mind(|_| Deed::Answer(200));
    lab.client.post(&replay, one).await.expect(202);
    receiver
        .until("one of them", |r| r.taken().len() == 7)
        .await;
    lab.client
        .post(&replay, json!({"dead_letters": true}))
        .await
        .expect(202);
    receiver.until("the other", |r| r.taken().len() == 8).await;
    assert_eq!(receiver.taken()[6].body["data"]["n"], 2);
    assert_eq!(receiver.taken()[7].body["data"]["n"], 5);
    // They are forgotten after the answer.
    while letters().await != json!([]) {
        tokio::task::yield_now().await;
    }
    // Everything again, in order; the ids tell that it has been there.
    let before = receiver.deliveries().len();
    lab.client
        .post(&replay, json!({"after": 0}))
        .await
        .expect(202);
    receiver
        .until("all again", |r| r.deliveries().len() >= before + 8)
        .await;
    assert_eq!(receiver.taken().len(), 8);
    let again: Vec<Value> = bodies(receiver.deliveries()[before..].to_vec());
    is_whole(&again, 1, 8);
    lab.stop().await;
}

async fn a_receiver_that_is_gone_is_left_alone_until_it_is_back(engine: Engine) {
    let lab = lab(engine, 3).await;
    let receiver = Receiver::start(|d| match d.body["data"]["n"].as_u64() {
        Some(0 | 1) => Deed::Answer(200),
        _ => Deed::Answer(410),
    })
    .await;
    let id = register(&lab, &receiver, json!({})).await;
    let path = format!("{ROOT}/{id}");
    write(std::slice::from_ref(&lab.db), 1, 4).join_all().await;
    receiver
        .until("its last word", |r| r.deliveries().len() == 3)
        .await;
    // It is written after the answer.
    let webhook = loop {
        let webhook = lab.client.get(&path).await.expect(200).json();
        if webhook["enabled"] == false {
            break webhook;
        }
        tokio::task::yield_now().await;
    };
    assert_eq!(webhook["disabled_reason"], "the receiver answered 410 Gone");
    receiver.changes_its_mind(|_| Deed::Answer(200));
    lab.client
        .patch(&path, json!({"enabled": true}))
        .await
        .expect(200);
    receiver.until("the rest", |r| r.taken().len() == 4).await;
    assert_eq!(receiver.deliveries().len(), 5, "something came in between");
    is_whole(&bodies(receiver.taken()), 1, 4);
    // A test is posted at once, by whoever is asked.
    let test = format!("{path}/test");
    let answer = lab.client.post(&test, Value::Null).await.expect(200).json();
    assert_eq!(
        (&answer["delivered"], &answer["status"]),
        (&json!(true), &json!(200))
    );
    let came = receiver.deliveries().pop().unwrap();
    assert_eq!(
        (came.kind.as_str(), &came.body["kind"]),
        ("test", &json!("test"))
    );
    receiver.dies().await;
    let answer = lab.client.post(&test, Value::Null).await.expect(200).json();
    assert_eq!(answer["delivered"], false);
    let error = answer["error"].as_str().unwrap();
    assert!(!error.contains("hook"), "the address is told: {error}");
    lab.stop().await;
}

async fn a_webhook_hears_what_it_asked_for(engine: Engine) {
    let lab = lab(engine, 3).await;
    // Only those who speak for the whole system say whose a node is.
    let owned = Request::new("POST", "/v1/nodes")
        .header("OpenStack-System-Scope", "all")
        .json(&json!({"driver": "fake-hardware", "name": "m1", "owner": "p1"}));
    let owned = lab.client.send(owned).await.expect(201).json();
    let machine = lab.machine(owned["uuid"].as_str().unwrap());
    lab.enroll(json!({"name": "m2"})).await;
    let fine = |_: &Delivery| Deed::Answer(204);
    let (all, of_project, of_node) = (
        Receiver::start(fine).await,
        Receiver::start(fine).await,
        Receiver::start(fine).await,
    );
    register(&lab, &all, json!({"kinds": ["created"]})).await;
    register(&lab, &of_project, json!({"project": "p1"})).await;
    let node = register(&lab, &of_node, json!({"node": "m1", "kinds": ["updated"]})).await;
    let change = json!([{"op": "add", "path": "/extra/a", "value": 1}]);
    machine.patch(change).await.expect(200);
    all.until("both", |r| r.taken().len() == 2).await;
    of_project
        .until("both of m1", |r| r.taken().len() == 2)
        .await;
    of_node.until("the change", |r| r.taken().len() == 1).await;
    let kinds: Vec<String> = of_project.taken().into_iter().map(|d| d.kind).collect();
    assert_eq!(kinds, ["created", "updated"]);
    assert_eq!(of_node.taken()[0].body["node"], machine.id.to_string());
    assert!(all.taken().iter().all(|d| d.kind == "created"));
    lab.client
        .delete(&format!("{ROOT}/{node}"))
        .await
        .expect(204);
    lab.stop().await;
}
