//! Allocations that come and go while machines live.

use crate::{
    account::{Front, Outcome},
    http::Request,
    life::{CLASS, Certainty},
};
use scenario::random::Random;
use serde_json::json;
use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};
use types::AllocationId;

/// Most allocations that a task has at a time.
const MOST: usize = 20;

/// An allocation that was asked for.
#[derive(Debug)]
pub(crate) struct Wish {
    pub(crate) id: AllocationId,
    pub(crate) created: Certainty,
    /// Removed by its owner.
    pub(crate) removed: Certainty,
    /// It ended with its machine's instance.
    ended: bool,
}

/// Creates and removes allocations until told to stop.
pub(crate) async fn wish(
    front: Arc<Front>,
    mut random: Random,
    stop: Arc<AtomicBool>,
) -> Vec<Wish> {
    let mut wishes: Vec<Wish> = Vec::new();
    while !stop.load(Ordering::Relaxed) {
        let open: Vec<usize> = (0..wishes.len())
            .filter(|&index| wishes[index].removed == Certainty::No && !wishes[index].ended)
            .collect();
        if open.len() < MOST && random.chance(60) {
            wishes.push(create(&front, &mut random).await);
        } else if !open.is_empty() {
            let index = *random.pick(&open);
            remove(&front, &mut random, &mut wishes[index]).await;
        }
        tokio::time::sleep(random.between(200, 1500)).await;
    }
    wishes
}

async fn create(front: &Front, random: &mut Random) -> Wish {
    let id = AllocationId::generate();
    let body = json!({"uuid": id.as_str(), "resource_class": CLASS});
    let request = Request::new("POST", "/v1/allocations").json(body);
    let what = format!("allocation {id}");
    let created = match front.ask_quietly(random, request, &what).await {
        Outcome::Accepted(_) => Certainty::Yes,
        Outcome::Refused(_) => Certainty::No,
        Outcome::Unknown => Certainty::Maybe,
    };
    Wish {
        id,
        created,
        removed: Certainty::No,
        ended: false,
    }
}

async fn remove(front: &Front, random: &mut Random, wish: &mut Wish) {
    let request = Request::new("DELETE", format!("/v1/allocations/{}", wish.id));
    let what = format!("allocation {} removed", wish.id);
    match front.ask_quietly(random, request, &what).await {
        Outcome::Accepted(_) => wish.removed = Certainty::Yes,
        Outcome::Refused(answer) if answer.status == 404 => wish.ended = true,
        Outcome::Refused(_) => {}
        Outcome::Unknown => wish.removed = Certainty::Maybe,
    }
}
