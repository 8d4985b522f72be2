//! What clients were told: every request that was accepted, and every answer that was odd.
//!
//! A request without an answer, or answered by 503, may have happened or not; both are right. One
//! that was accepted must have happened.

use crate::http::{self, Request};
use scenario::Answer;
use scenario::random::Random;
use std::{
    collections::BTreeMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

/// How a request ended, as far as its sender knows.
#[derive(Debug)]
pub(crate) enum Outcome {
    Accepted(Answer),
    Refused(Answer),
    /// No answer, or one that says that it cannot be told.
    Unknown,
}

/// A request that was accepted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Accepted {
    pub(crate) request_id: String,
    pub(crate) what: String,
    /// Whether the log must tell of it under its id.
    pub(crate) is_told: bool,
}

#[derive(Debug, Default)]
pub(crate) struct ClientAnswers {
    pub(crate) accepted: Vec<Accepted>,
    pub(crate) statuses: BTreeMap<u16, u64>,
    pub(crate) unanswered: u64,
    /// Answers that clients should never get.
    pub(crate) odd: Vec<String>,
}

/// The APIs, and what all clients together were told.
#[derive(Debug)]
pub(crate) struct Front {
    endpoints: Vec<String>,
    told: Mutex<ClientAnswers>,
}

impl Front {
    pub(crate) fn new(endpoints: Vec<String>) -> Self {
        Self {
            endpoints,
            told: Mutex::default(),
        }
    }

    pub(crate) fn told(&self) -> MutexGuard<'_, ClientAnswers> {
        self.told.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads something through one of the APIs.
    pub(crate) async fn read(&self, random: &mut Random, path: String) -> Outcome {
        self.ask(random, Request::new("GET", path), "").await
    }

    /// Asks for a change that the event log tells of.
    pub(crate) async fn ask(&self, random: &mut Random, request: Request, what: &str) -> Outcome {
        self.send(random, request, what, true).await
    }

    /// Asks for a change that may not touch any node.
    pub(crate) async fn ask_quietly(
        &self,
        random: &mut Random,
        request: Request,
        what: &str,
    ) -> Outcome {
        self.send(random, request, what, false).await
    }

    async fn send(
        &self,
        random: &mut Random,
        request: Request,
        what: &str,
        is_told: bool,
    ) -> Outcome {
        let endpoint = random.pick(&self.endpoints);
        let Ok(answer) = http::send(endpoint, &request).await else {
            self.told().unanswered += 1;
            return Outcome::Unknown;
        };
        let mut told = self.told();
        *told.statuses.entry(answer.status).or_default() += 1;
        match answer.status {
            503 => Outcome::Unknown,
            500.. => {
                let (method, path, text) = (request.method, &request.path, answer.text());
                let odd = format!("{method} {path}: {} {text}", answer.status);
                told.odd.push(odd);
                Outcome::Unknown
            }
            200..300 => {
                if request.method != "GET" {
                    let id = answer.header("x-openstack-request-id");
                    told.accepted.push(Accepted {
                        request_id: id.unwrap_or_default().to_owned(),
                        what: what.to_owned(),
                        is_told,
                    });
                }
                Outcome::Accepted(answer)
            }
            _ => Outcome::Refused(answer),
        }
    }
}
