//! Which of several managers' steps are offered.

use serde_json::Value;
use std::cmp::Reverse;
use types::JsonMap;

/// A step of a manager.
#[derive(Debug)]
pub(super) struct Offer {
    pub(super) support: u32,
    pub(super) class: String,
    pub(super) step: JsonMap,
}

impl Offer {
    fn name(&self) -> &str {
        self.step
            .get("step")
            .and_then(Value::as_str)
            .unwrap_or_default()
    }

    fn priority(&self) -> i64 {
        self.step
            .get("priority")
            .and_then(Value::as_i64)
            .unwrap_or_default()
    }

    fn rank(&self) -> (Reverse<u32>, Reverse<i64>, &str) {
        (Reverse(self.support), Reverse(self.priority()), &self.class)
    }
}

/// One step of each name, by the class of its manager, in the order in which names first came up.
pub(super) fn chosen(offers: Vec<Offer>) -> JsonMap {
    let mut best: Vec<Offer> = Vec::new();
    for offer in offers {
        match best.iter_mut().find(|other| other.name() == offer.name()) {
            Some(other) if offer.rank() < other.rank() => *other = offer,
            Some(_) => {}
            None => best.push(offer),
        }
    }
    let mut steps = JsonMap::new();
    for offer in best {
        let list = steps
            .entry(offer.class)
            .or_insert_with(|| Value::Array(Vec::new()));
        if let Value::Array(list) = list {
            list.push(Value::Object(offer.step));
        }
    }
    steps
}
