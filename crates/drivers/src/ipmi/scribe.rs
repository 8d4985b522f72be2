//! Writes down for the flight recorder what is said in one conversation.
//!
//! Messages are noted as they are before they are sealed and after they are opened. Of a login only
//! who, how and the outcome are: its messages are made of secrets, and say nothing else.

use super::link::{LinkError, Peer};
use crate::recorder::Tape;
use proto::ipmi::{
    client::Version,
    message::{Completion, Hop, Request, Route},
};
use tokio::time::Instant;
use types::recording::{Answer, Exchange, IpmiAnswer, IpmiQuestion, Login, Question};

/// A tape, and what a conversation is about.
#[derive(Debug, Clone)]
pub struct Scribe {
    tape: Tape,
    peer: String,
    operation: &'static str,
}

impl Scribe {
    pub fn new(tape: Tape, peer: &str, operation: &'static str) -> Self {
        Self {
            tape,
            peer: peer.to_owned(),
            operation,
        }
    }

    /// One who writes nothing.
    pub fn idle() -> Self {
        Self::new(Tape::blank(), "", "")
    }

    fn note(&self, began: Instant, question: Question, outcome: Result<Answer, String>) {
        let (answer, failure) = match outcome {
            Ok(answer) => (Some(answer), None),
            Err(failure) => (None, Some(failure)),
        };
        let exchange = Exchange {
            peer: self.peer.clone(),
            operation: self.operation.into(),
            question,
            answer,
            failure,
        };
        self.tape.note(exchange, began.elapsed());
    }

    pub(super) fn login(
        &self,
        began: Instant,
        peer: &Peer,
        version: Version,
        outcome: Result<(), (&LinkError, &'static str)>,
    ) {
        if !self.tape.is_running() {
            return;
        }
        let credentials = &peer.credentials;
        let question = Question::Login(Login {
            user: String::from_utf8_lossy(credentials.user.as_bytes()).into_owned(),
            privilege: credentials.privilege.to_string(),
            version: match version {
                Version::V15 => "1.5".to_owned(),
                Version::V20(suite) => format!("2.0 suite {}", suite.id),
            },
            phase: outcome.err().map(|(_, phase)| phase.into()),
        });
        let outcome = match outcome {
            Ok(()) => Ok(Answer::Login {}),
            Err((error, _)) => Err(types::error::chain(error)),
        };
        self.note(began, question, outcome);
    }

    pub(super) fn message(
        &self,
        began: Instant,
        route: &Route,
        request: &Request,
        outcome: Result<&(Completion, Vec<u8>), &LinkError>,
    ) {
        if !self.tape.is_running() {
            return;
        }
        let question = Question::Ipmi(IpmiQuestion {
            netfn: request.netfn.0,
            command: request.command,
            data: request.data.as_slice().into(),
            via: via(route),
            hidden_from: None,
        });
        let outcome = match outcome {
            Ok((code, data)) => Ok(Answer::Ipmi(IpmiAnswer {
                completion: code.0,
                data: data.as_slice().into(),
            })),
            Err(error) => Err(types::error::chain(error)),
        };
        self.note(began, question, outcome);
    }
}

fn via(route: &Route) -> Option<String> {
    let hop = |hop: &Hop| format!("{:#04x} on channel {}", hop.address, hop.channel);
    match route {
        Route::Direct => None,
        Route::Single { target, .. } => Some(hop(target)),
        Route::Dual {
            transit, target, ..
        } => Some(format!("{}, {}", hop(transit), hop(target))),
    }
}
