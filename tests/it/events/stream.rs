//! Readers that are killed and come back, while many write.

use super::{is_whole, subscriber::Subscriber, write, writers_of};
use crate::{database::Engine, http::Client, lab::Lab};
use scenario::random::Random;
use serde_json::Value;

every_engine!(
    a_reader_that_is_killed_a_thousand_times_misses_nothing,
    a_reader_that_takes_its_time_holds_up_nobody,
);

const WRITERS: usize = 4;
const EACH: usize = 600;
const TOTAL: usize = WRITERS * EACH;
const KILLS: usize = 1000;

async fn a_reader_that_is_killed_a_thousand_times_misses_nothing(engine: Engine) {
    let lab = Lab::start(engine).await;
    let mut random = Random::new();
    let writers = write(&writers_of(&lab, engine), WRITERS, EACH);
    let address = lab.client.address;
    let (killed, steady, polling, powers) = tokio::join!(
        killed(lab.client.clone(), random.fork()),
        steady(lab.client.clone(), "", TOTAL),
        polling(lab.client.clone()),
        steady(lab.client.clone(), "kind=power", TOTAL / 2),
    );
    writers.join_all().await;
    is_whole(&steady, WRITERS, EACH);
    assert_eq!(killed, steady, "the one that was killed saw another log");
    assert_eq!(polling, steady, "whoever polls saw another log");
    let mut expected = steady;
    expected.retain(|event| event["kind"] == "power");
    assert_eq!(powers, expected, "the filter let something else through");
    // What is behind us is still there, for whoever comes now.
    let mut late = Subscriber::connect(address, "", TOTAL as i64 - 1).await;
    assert_eq!(late.next(4096).await.unwrap()["cursor"], TOTAL);
    drop(late);
    lab.stop().await;
}

/// Reads a few events and is killed, a thousand times, and then reads the rest.
async fn killed(client: Client, mut random: Random) -> Vec<Value> {
    let mut seen: Vec<Value> = Vec::new();
    let last = |seen: &Vec<Value>| seen.last().map_or(0, |e| e["cursor"].as_i64().unwrap());
    for kill in 0..=KILLS {
        let mut subscriber = Subscriber::connect(client.address, "after=0", last(&seen)).await;
        // Sometimes in the middle of an event, sometimes before the first one.
        let most = *random.pick(&[7, 100, 1000, 10_000]);
        let lives = if kill == KILLS {
            TOTAL
        } else {
            random.below(5)
        };
        for _ in 0..lives {
            if seen.len() == TOTAL {
                break;
            }
            seen.push(subscriber.next(most).await.expect("the stream ended"));
        }
    }
    seen
}

async fn steady(client: Client, query: &str, total: usize) -> Vec<Value> {
    let mut subscriber = Subscriber::connect(client.address, query, 0).await;
    let mut seen = Vec::new();
    while seen.len() < total {
        seen.push(subscriber.next(65_536).await.expect("the stream ended"));
    }
    seen
}

async fn polling(client: Client) -> Vec<Value> {
    let (mut seen, mut cursor) = (Vec::new(), 0);
    while seen.len() < TOTAL {
        let path = format!("/corten/v1/events?after={cursor}&limit=50&wait=30");
        let page = client.get(&path).await.expect(200).json();
        cursor = page["next"].as_i64().unwrap();
        seen.extend(page["events"].as_array().unwrap().iter().cloned());
    }
    seen
}

async fn a_reader_that_takes_its_time_holds_up_nobody(engine: Engine) {
    let lab = Lab::start(engine).await;
    // Connected, and never read from: what is for it stays in the log.
    let mut asleep = Subscriber::connect(lab.client.address, "", 0).await;
    let writers = write(&writers_of(&lab, engine), 2, 1500);
    let awake = steady(lab.client.clone(), "", 3000).await;
    writers.join_all().await;
    is_whole(&awake, 2, 1500);
    let mut seen = Vec::new();
    while seen.len() < 3000 {
        seen.push(asleep.next(65_536).await.expect("the stream ended"));
    }
    assert_eq!(seen, awake);
    drop(asleep);
    lab.stop().await;
}
