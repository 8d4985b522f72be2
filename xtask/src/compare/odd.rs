//! Odd requests: made up from a seed, and asked of both services.
//!
//! They come in rounds. A round makes objects of its own, plays some requests about them, and
//! removes them again; it ends early where the two sides may have gone different ways, so that one
//! difference is not told many times. Where Ironic fails with 500 nothing is compared, but ours must
//! not fail.

mod request;
mod value;

use super::side::Side;
use anyhow::{Context, Result, ensure};
use request::Objects;
use scenario::{
    Report,
    difference::between,
    file::{Content, Scenario},
    random::Random,
};
use serde_json::{Value, json};

/// What known differences of these requests are listed under.
const SCENARIO: &str = "odd";

/// Requests of one round, if nothing goes apart.
const ROUND: usize = 12;

/// What was played.
#[derive(Debug, Default)]
pub(super) struct Played {
    pub(super) requests: usize,
    /// Ironic answered 500, and ours did not.
    pub(super) faults: usize,
    pub(super) races: usize,
    rounds: usize,
}

/// Asks `count` requests that follow from `seed`.
pub(super) fn play(
    ours: &mut Side,
    reference: &mut Side,
    report: &mut Report,
    (count, seed): (usize, u64),
) -> Result<Played> {
    let mut random = Random::seeded(seed);
    let mut played = Played::default();
    while played.requests < count {
        let objects = Objects::of_round(played.rounds);
        played.rounds += 1;
        let mut sides = [&mut *reference, &mut *ours];
        begin(&mut sides, &objects)?;
        let mut leftovers = [Vec::new(), Vec::new()];
        for _ in 0..ROUND.min(count - played.requests) {
            let entry = request::make(&mut random, &objects);
            let what = || entry["name"].to_string();
            let (there, made_there) = sides[0].play_and_tell(&entry).with_context(what)?;
            let (here, made_here) = sides[1].play_and_tell(&entry).with_context(what)?;
            leftovers[0].extend(made_there);
            leftovers[1].extend(made_here);
            for side in &mut sides {
                side.settle(&objects.node).with_context(what)?;
            }
            played.requests += 1;
            if there["status"] == 500 && here["status"].as_u64().is_some_and(|s| s < 500) {
                played.faults += 1;
                if here["status"].as_u64().is_some_and(|status| status < 300) {
                    break;
                }
                continue;
            }
            report.compare_sample(SCENARIO, &entry, &there, &here);
            if !between(&there, &here).is_empty() {
                break;
            }
        }
        if played.rounds % 10 == 0 {
            race(&mut sides, &objects, report, &mut played)?;
        }
        for (side, leftovers) in sides.iter_mut().zip(leftovers) {
            for path in leftovers {
                let _ =
                    side.play(&json!({"method": "DELETE", "path": path, "version": "1.115"}))?;
            }
            for entry in objects.removed() {
                let _ = side.play(&entry)?;
            }
        }
    }
    Ok(played)
}

fn begin(sides: &mut [&mut Side; 2], objects: &Objects) -> Result<()> {
    let requests = objects.made();
    let scenario = Scenario {
        name: SCENARIO.to_owned(),
        text: json!(requests).to_string(),
        content: Content::Requests(Vec::new()),
    };
    for side in sides {
        side.session.begin(&scenario);
        for entry in &requests {
            let answer = side.play(entry)?;
            ensure!(answer["status"] == 201, "{entry}: {answer}");
        }
    }
    Ok(())
}

/// Requests that come while the service still works on the one before. When exactly they come
/// differs, so that a lock may be in the way of either; beyond that both must say the same.
fn race(
    sides: &mut [&mut Side; 2],
    objects: &Objects,
    report: &mut Report,
    played: &mut Played,
) -> Result<()> {
    let node = format!("/v1/nodes/{}", objects.node);
    let ask = |method: &str, path: &str, body: Value| {
        json!({"name": format!("{method} {path} in a race"), "method": method, "path": path,
            "version": "1.115", "body": body})
    };
    let allocation = objects.allocation.replace("-0000000000", "-0000000001");
    let claim = json!({"uuid": allocation, "resource_class": objects.name});
    let claimed = format!("/v1/allocations/{allocation}");
    let extra = json!([{"op": "add", "path": "/extra/raced", "value": true}]);
    let pairs = [
        [
            ask("POST", "/v1/allocations", claim.clone()),
            ask("DELETE", &claimed, json!({})),
        ],
        [
            ask("POST", "/v1/allocations", claim),
            ask("PATCH", &claimed, extra.clone()),
        ],
        [
            ask(
                "PUT",
                &format!("{node}/states/power"),
                json!({"target": "power off"}),
            ),
            ask("PATCH", &node, extra),
        ],
        [
            ask(
                "PUT",
                &format!("{node}/states/power"),
                json!({"target": "power on"}),
            ),
            ask(
                "PUT",
                &format!("{node}/maintenance"),
                json!({"reason": "race"}),
            ),
        ],
        [
            ask(
                "PUT",
                &format!("{node}/states/provision"),
                json!({"target": "manage"}),
            ),
            ask(
                "PUT",
                &format!("{node}/traits"),
                json!({"traits": ["CUSTOM_RACE"]}),
            ),
        ],
    ];
    for pair in &pairs {
        let mut answers = Vec::new();
        for side in sides.iter_mut() {
            let _ = side.play(&pair[0])?;
            answers.push(side.play(&pair[1])?);
            side.settle(&objects.node)?;
        }
        for side in sides.iter_mut() {
            let _ = side.play(&json!({"method": "DELETE", "path": claimed, "version": "1.115"}))?;
        }
        played.races += 1;
        let status = |answer: &Value| json!({"status": answer["status"]});
        let locked = answers.iter().any(|answer| answer["status"] == 409);
        if !locked {
            report.compare_sample(
                SCENARIO,
                &pair[1],
                &status(&answers[0]),
                &status(&answers[1]),
            );
        }
    }
    Ok(())
}
