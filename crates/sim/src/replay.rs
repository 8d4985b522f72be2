//! A recording of conversations with a BMC, served as that BMC.
//!
//! Every question is answered as it was when it was recorded. Where the same question had several
//! answers, they come in their order: the next one is due when this one has been given as often as
//! it was recorded, or when something is asked that was asked between the two. The last one stays.
//! A question that is not in the recording is refused and reported, so that the difference between two
//! conversations can be seen.
//!
//! What went into an answer without being said (a sensor's reading later on, say) is not known
//! here: this is a memory, no machine.

mod http;
mod script;

pub use http::router;

use proto::ipmi::message::BMC;
use script::{Script, fits};
use serde_json::Value;
use std::{
    collections::{BTreeSet, HashMap},
    fmt,
    sync::{Mutex, MutexGuard, PoisonError},
};
use types::{
    Timestamp,
    recording::{
        Answer, FORMAT, Header, HttpAnswer, IpmiAnswer, Question, RecordedExchange, VERSION,
    },
};

/// Why a file is no recording.
#[derive(Debug, thiserror::Error)]
pub enum ReplayError {
    #[error("the file is empty")]
    Empty,
    #[error("line 1 is not the header of a recording")]
    Header(#[source] serde_json::Error),
    #[error("not a recording, but {0:?}")]
    Format(String),
    #[error("the recording has version {0}; this build reads version {VERSION}")]
    Version(u32),
    #[error("line {line} is not an exchange")]
    Line {
        line: usize,
        source: serde_json::Error,
    },
}

/// The replayed result of an IPMI request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReplayAnswer {
    Answer(IpmiAnswer),
    /// The recording has no answer (timeout): replay the silence.
    Silence,
    /// The request is not in the recording.
    Unknown,
}

/// A request to a controller: its address, network function and command.
type IpmiCommand = (u8, u8, u8);

/// A recording that answers.
pub struct Replay {
    header: Header,
    user: Option<String>,
    state: Mutex<State>,
    /// ReplayAnswer of each question that is not in the recording, once.
    report: Box<dyn Fn(&str) + Send + Sync>,
}

/// What was answered to one method on one path.
type HttpScript = Script<Option<Value>, Option<HttpAnswer>>;

#[derive(Default)]
struct State {
    ipmi: HashMap<IpmiCommand, Vec<Script<Data, Option<IpmiAnswer>>>>,
    http: HashMap<(String, String), Vec<HttpScript>>,
    /// The moments of the recording that were lived through again.
    moments: BTreeSet<Timestamp>,
    unknown: BTreeSet<String>,
}

/// The data of a request, which may begin with what is known and go on with a secret.
#[derive(Debug, PartialEq, Eq)]
struct Data {
    known: Box<[u8]>,
    has_secret: bool,
}

impl fmt::Debug for Replay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Replay").field(&self.header).finish()
    }
}

impl Replay {
    /// Reads an exported file.
    pub fn read(
        text: &str,
        report: impl Fn(&str) + Send + Sync + 'static,
    ) -> Result<Self, ReplayError> {
        let mut lines = text.lines().enumerate();
        let (_, first) = lines.next().ok_or(ReplayError::Empty)?;
        let header: Header = serde_json::from_str(first).map_err(ReplayError::Header)?;
        if header.format != FORMAT {
            return Err(ReplayError::Format(header.format));
        }
        if header.version != VERSION {
            return Err(ReplayError::Version(header.version));
        }
        let mut replay = Self {
            header,
            user: None,
            state: Mutex::default(),
            report: Box::new(report),
        };
        for (index, line) in lines.filter(|(_, line)| !line.trim().is_empty()) {
            let line = serde_json::from_str(line);
            let entry = line.map_err(|source| ReplayError::Line {
                line: index + 1,
                source,
            })?;
            replay.add(entry);
        }
        Ok(replay)
    }

    fn add(&mut self, entry: RecordedExchange) {
        let state = self.state.get_mut().unwrap_or_else(PoisonError::into_inner);
        let times = (entry.first, entry.last, entry.count);
        match (entry.exchange.question, entry.exchange.answer) {
            (Question::Login(login), _) => self.user = Some(login.user),
            (Question::Ipmi(asked), answer) => {
                let answer = match answer {
                    Some(Answer::Ipmi(answer)) => Some(answer),
                    _ => None,
                };
                let responder = asked.via.as_deref().map_or(BMC, target);
                let place = (responder, asked.netfn, asked.command);
                let data = Data {
                    has_secret: asked.hidden_from.is_some(),
                    known: asked.data,
                };
                let scripts = state.ipmi.entry(place).or_default();
                script::add(scripts, data, answer, times);
            }
            (Question::Http(asked), answer) if asked.protocol.is_none() => {
                let answer = match answer {
                    Some(Answer::Http(answer)) => Some(answer),
                    _ => None,
                };
                let body = asked.body.as_ref();
                let body = body.and_then(|body| serde_json::from_str(body.as_json()).ok());
                let place = (asked.method.into_owned(), asked.path);
                let scripts = state.http.entry(place).or_default();
                script::add(scripts, body, answer, times);
            }
            (
                Question::Http(_)
                | Question::Snmp(_)
                | Question::Driver(_)
                | Question::Words(_)
                | Question::Command(_),
                _,
            ) => {}
        }
    }

    /// No code panics while it holds the state.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn header(&self) -> &Header {
        &self.header
    }

    /// The user that logged in.
    pub fn user(&self) -> Option<&str> {
        self.user.as_deref()
    }

    pub fn has_ipmi(&self) -> bool {
        self.user.is_some() || !self.state().ipmi.is_empty()
    }

    pub fn has_redfish(&self) -> bool {
        !self.state().http.is_empty()
    }

    /// Questions that were not in the recording.
    pub fn unknown(&self) -> Vec<String> {
        self.state().unknown.iter().cloned().collect()
    }

    fn miss(&self, state: &mut State, question: String) {
        if !state.unknown.contains(&question) {
            (self.report)(&question);
            state.unknown.insert(question);
        }
    }

    /// What a controller said to an IPMI request.
    pub fn ipmi(&self, responder: u8, netfn: u8, command: u8, data: &[u8]) -> ReplayAnswer {
        let mut guard = self.state();
        let state = &mut *guard;
        let scripts = state.ipmi.get_mut(&(responder, netfn, command));
        let is_meant = |script: &&mut Script<Data, _>| {
            let asked = &script.question;
            match asked.has_secret {
                true => data.starts_with(&asked.known),
                false => *data == *asked.known,
            }
        };
        let script = scripts.and_then(|all| all.iter_mut().find(is_meant));
        match script.map(|script| script.next(&mut state.moments)) {
            Some(Some(answer)) => ReplayAnswer::Answer(answer.clone()),
            Some(None) => ReplayAnswer::Silence,
            None => {
                let data: Vec<String> = data.iter().map(|byte| format!(" {byte:#04x}")).collect();
                let whom = match responder {
                    BMC => String::new(),
                    other => format!(" of {other:#04x}"),
                };
                let text = format!(
                    "IPMI request{whom} {netfn:#04x} {command:#04x}{}",
                    data.concat()
                );
                self.miss(state, text);
                ReplayAnswer::Unknown
            }
        }
    }

    /// What the service said to an HTTP request; the outer `None` when it was never asked.
    fn http(&self, method: &str, path: &str, body: Option<&Value>) -> Option<Option<HttpAnswer>> {
        let mut guard = self.state();
        let state = &mut *guard;
        for path in script::spellings(path) {
            let scripts = state.http.get_mut(&(method.to_owned(), path));
            let is_meant =
                |script: &&mut Script<Option<Value>, _>| fits(script.question.as_ref(), body);
            if let Some(script) = scripts.and_then(|all| all.iter_mut().find(is_meant)) {
                return Some(script.next(&mut state.moments).clone());
            }
        }
        self.miss(state, format!("{method} {path}"));
        None
    }
}

/// The address of the last controller on a way.
fn target(via: &str) -> u8 {
    let last = via.rsplit(", ").next().unwrap_or(via);
    let digits = last
        .split(' ')
        .next()
        .and_then(|word| word.strip_prefix("0x"));
    digits
        .and_then(|digits| u8::from_str_radix(digits, 16).ok())
        .unwrap_or(BMC)
}

#[cfg(test)]
mod tests;
