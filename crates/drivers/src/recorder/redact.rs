//! What the recorder must not know.
//!
//! Three things hold at once, because each of them alone has holes: places that carry secrets are
//! known (passwords of IPMI users, values beside names like `Password`), headers are only those
//! that a list names, and the secrets of the conversation at hand are blotted out wherever they
//! turn up.

use serde_json::Value;
use types::{
    mask::{self, MASK},
    recording::{
        Answer, Body, DriverAnswer, DriverQuestion, Exchange, HttpAnswer, HttpQuestion, IpmiAnswer,
        IpmiQuestion, Login, Question, SnmpMessage, Words,
    },
};

/// Shorter ones would blot out half of every text; places that are known to carry them are hidden
/// all the same.
const SHORTEST: usize = 4;

/// Headers that are kept. None of them can be a credential.
const HEADERS: &[&str] = &[
    "accept",
    "allow",
    "content-length",
    "content-type",
    "etag",
    "if-match",
    "if-none-match",
    "location",
    "odata-version",
    "retry-after",
    "server",
];

const APP: u8 = 0x06;
const TRANSPORT: u8 = 0x0c;
const SET_LAN_PARAMETER: u8 = 0x01;
const COMMUNITY: u8 = 16;
const SEND_MESSAGE: u8 = 0x34;
const SET_USER_PASSWORD: u8 = 0x47;
const SET_CHANNEL_SECURITY_KEYS: u8 = 0x56;

/// Something that must not be read.
pub(super) struct Secret(Box<[u8]>);

impl Secret {
    pub(super) fn new(bytes: &[u8]) -> Option<Self> {
        (bytes.len() >= SHORTEST).then(|| Self(bytes.into()))
    }

    /// Where it begins.
    fn found_in(&self, bytes: &[u8]) -> Option<usize> {
        let mut windows = bytes.windows(self.0.len());
        windows.position(|window| *window == *self.0)
    }
}

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Secret")
    }
}

/// Leaves only those headers that are kept. Others differ from one answer to the next, too.
pub(super) fn drop_headers(exchange: &mut Exchange) {
    let is_kept =
        |(name, _): &(String, String)| HEADERS.iter().any(|kept| kept.eq_ignore_ascii_case(name));
    if let Question::Http(asked) = &mut exchange.question {
        asked.headers.retain(is_kept);
    }
    if let Some(Answer::Http(answer)) = &mut exchange.answer {
        answer.headers.retain(is_kept);
    }
}

/// The exchange without secrets, and without bodies that are longer than `longest`.
pub(super) fn exchange(exchange: Exchange, secrets: &[Secret], longest: usize) -> Exchange {
    let blot = Blot { secrets, longest };
    Exchange {
        peer: blot.text(&exchange.peer),
        operation: exchange.operation,
        question: match exchange.question {
            Question::Login(login) => Question::Login(Login {
                user: blot.text(&login.user),
                ..login
            }),
            Question::Ipmi(asked) => Question::Ipmi(blot.ipmi(asked)),
            Question::Http(asked) => Question::Http(HttpQuestion {
                path: blot.address(&asked.path),
                headers: blot.headers(&asked.headers),
                body: asked.body.map(|body| blot.body(&body)),
                method: asked.method,
                protocol: asked.protocol,
            }),
            Question::Words(said) => Question::Words(Words {
                words: blot.text(&said.words),
            }),
            Question::Command(said) => Question::Command(Words {
                words: blot.text(&said.words),
            }),
            Question::Snmp(message) => Question::Snmp(blot.snmp(message)),
            Question::Driver(asked) => Question::Driver(DriverQuestion {
                params: blot.body(&asked.params),
                method: asked.method,
            }),
        },
        answer: exchange.answer.map(|answer| match answer {
            Answer::Login {} => Answer::Login {},
            Answer::Ipmi(answer) => Answer::Ipmi(IpmiAnswer {
                data: blot.bytes(&answer.data).0,
                ..answer
            }),
            Answer::Http(answer) => Answer::Http(HttpAnswer {
                headers: blot.headers(&answer.headers),
                body: answer.body.map(|body| blot.body(&body)),
                ..answer
            }),
            Answer::Snmp(message) => Answer::Snmp(blot.snmp(message)),
            Answer::Words(said) => Answer::Words(Words {
                words: blot.text(&said.words),
            }),
            Answer::Driver(answer) => Answer::Driver(DriverAnswer {
                result: answer.result.map(|body| blot.body(&body)),
                error: answer.error.map(|(code, text)| (code, blot.text(&text))),
            }),
        }),
        failure: exchange.failure.map(|text| blot.text(&text)),
    }
}

struct Blot<'a> {
    secrets: &'a [Secret],
    longest: usize,
}

impl Blot<'_> {
    /// Bytes up to the first secret, and where that begins.
    fn bytes(&self, bytes: &[u8]) -> (Box<[u8]>, Option<usize>) {
        let found = self.secrets.iter().filter_map(|s| s.found_in(bytes)).min();
        (bytes[..found.unwrap_or(bytes.len())].into(), found)
    }

    fn text(&self, text: &str) -> String {
        let mut out = mask::text(text).into_owned();
        for secret in self.secrets {
            if let Ok(secret) = std::str::from_utf8(&secret.0) {
                out = out.replace(secret, MASK);
            }
        }
        out
    }

    fn ipmi(&self, asked: IpmiQuestion) -> IpmiQuestion {
        let known = secret_place(asked.netfn, asked.command, &asked.data);
        let (mut data, found) = self.bytes(&asked.data);
        let hidden_from = known.into_iter().chain(found).min();
        if let Some(from) = hidden_from {
            data = asked.data[..from.min(asked.data.len())].into();
        }
        IpmiQuestion {
            data,
            hidden_from,
            ..asked
        }
    }

    fn headers(&self, headers: &[(String, String)]) -> Vec<(String, String)> {
        headers
            .iter()
            .map(|(name, value)| (name.to_ascii_lowercase(), self.address(value)))
            .collect()
    }

    fn body(&self, body: &Body) -> Body {
        let json = body.as_json();
        if body.cut.is_some() {
            return body.clone();
        }
        if json.len() > self.longest {
            return Body::too_long(json.len());
        }
        let Ok(mut value) = serde_json::from_str(json) else {
            return Body::too_long(json.len());
        };
        self.value(&mut value);
        Body::json(value.to_string()).unwrap_or_else(|| Body::too_long(json.len()))
    }

    fn value(&self, value: &mut Value) {
        match value {
            Value::Object(map) => {
                for (key, inner) in map.iter_mut() {
                    if is_secret(key, inner) {
                        *inner = MASK.into();
                    } else {
                        self.value(inner);
                    }
                }
            }
            Value::Array(all) => all.iter_mut().for_each(|inner| self.value(inner)),
            Value::String(text) if text.contains("PRIVATE KEY") => *text = MASK.into(),
            Value::String(text) => *text = self.address(text),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    /// A text, whose query is hidden if it is an address: signatures are in there.
    fn address(&self, text: &str) -> String {
        let is_address = text.contains("://") || text.starts_with('/');
        match text.split_once('?') {
            Some((path, query)) if is_address && !is_harmless_query(query) => {
                format!("{}?{MASK}", self.text(path))
            }
            _ => self.text(text),
        }
    }

    fn snmp(&self, message: SnmpMessage) -> SnmpMessage {
        let each = |(name, value): (String, String)| (name, self.text(&value));
        SnmpMessage {
            variables: message.variables.into_iter().map(each).collect(),
            kind: message.kind,
        }
    }
}

/// Whether a value is a secret by its name. What only describes one (a length, a policy, whether
/// there is one) is not text and stays; so do links to other resources.
fn is_secret(key: &str, value: &Value) -> bool {
    let is_text = value.as_str().is_some_and(|text| !text.is_empty());
    let names_key = || {
        let key = key.to_ascii_lowercase();
        [
            "passwd",
            "privatekey",
            "authkey",
            "privkey",
            "encryptionkey",
            "community",
        ]
        .iter()
        .any(|part| key.contains(part))
    };
    is_text && !key.starts_with('@') && (mask::is_secret_key(key) || names_key())
}

/// Queries of OData, which Redfish uses.
fn is_harmless_query(query: &str) -> bool {
    query
        .split('&')
        .all(|part| part.starts_with('$') || part == "only" || part == "excerpt")
}

/// From which byte on the data of a request is secret.
fn secret_place(netfn: u8, command: u8, data: &[u8]) -> Option<usize> {
    match (netfn, command) {
        // User, operation, password.
        (APP, SET_USER_PASSWORD) => Some(2),
        // Channel, operation, which key, key.
        (APP, SET_CHANNEL_SECURITY_KEYS) => Some(3),
        (TRANSPORT, SET_LAN_PARAMETER) if data.get(1) == Some(&COMMUNITY) => Some(2),
        // Channel, then a whole message: address, function, checksum, address, number, command.
        (APP, SEND_MESSAGE) => {
            let inner = secret_place(data.get(2)? >> 2, *data.get(6)?, data.get(7..)?)?;
            Some(7 + inner)
        }
        _ => None,
    }
}
