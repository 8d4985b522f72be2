//! What Ironic asked other services, and whether what we ask is the same.
//!
//! Every request of ours must be one of Ironic's, in the same order and with the same body, and every
//! request of Ironic's that we leave out must be one of the [`KNOWN`] differences. Reads may come at
//! another time. There are never more requests than Ironic makes.

use serde_json::Value;
use std::fmt;

/// Whose token a request carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Bearer {
    Service,
    /// A user's, with the service's beside it.
    User,
}

/// A request, with times and signatures replaced by words.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Asked {
    pub(super) bearer: Bearer,
    pub(super) service: String,
    /// Method and path.
    pub(super) request: String,
    pub(super) body: Option<Value>,
}

impl fmt::Display for Asked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.service, self.request)?;
        if self.bearer == Bearer::User {
            f.write_str(" as a user")?;
        }
        match &self.body {
            Some(body) => write!(f, " {body}"),
            None => Ok(()),
        }
    }
}

/// A line of a recording.
#[derive(Debug, Clone)]
pub(super) struct Line {
    pub(super) asked: Asked,
    /// Whether it matters whose token the request carries.
    pub(super) names_bearer: bool,
    pub(super) status: u16,
    pub(super) headers: Vec<(String, String)>,
    pub(super) answer: Option<Value>,
}

impl Line {
    /// Whether our request is this one.
    pub(super) fn is(&self, ours: &Asked) -> bool {
        let any = Some(Value::from("*"));
        let theirs = &self.asked;
        theirs.service == ours.service
            && (!self.names_bearer || theirs.bearer == ours.bearer)
            && (theirs.request == ours.request || stands_for(&ours.request, &theirs.request))
            && (theirs.body == ours.body || (theirs.body == any && ours.body.is_some()))
    }
}

/// The lines of a scene, in the order of the recording.
pub(super) fn scene(recording: &str, name: &str) -> Vec<Line> {
    let mut lines = Vec::new();
    let mut all: Vec<Line> = Vec::new();
    for text in recording.lines() {
        let line: Value = serde_json::from_str(text).unwrap();
        let word = |key: &str| line[key].as_str().unwrap().to_owned();
        let asked = Asked {
            bearer: match line["by"].as_str() {
                Some("user") => Bearer::User,
                _ => Bearer::Service,
            },
            service: word("to"),
            request: word("request"),
            body: line.get("body").cloned(),
        };
        let status = u16::try_from(line["status"].as_u64().unwrap()).unwrap();
        let same = |known: &&Line| {
            let theirs = &known.asked;
            (&theirs.request, &theirs.body, known.status) == (&asked.request, &asked.body, status)
        };
        let answer = match line.get("answer") {
            Some(answer) if answer == "same" => {
                let known = all.iter().rev().filter(same).find(|l| l.answer.is_some());
                known.unwrap().answer.clone()
            }
            answer => answer.cloned(),
        };
        let headers = line.get("headers").and_then(Value::as_object);
        let headers = headers.into_iter().flatten();
        let line_of_scene = Line {
            names_bearer: line.get("by").is_some(),
            asked,
            status,
            headers: headers
                .map(|(key, value)| (key.clone(), value.as_str().unwrap().to_owned()))
                .collect(),
            answer,
        };
        all.push(line_of_scene.clone());
        if line["scene"] == name {
            lines.push(line_of_scene);
        }
    }
    assert!(!lines.is_empty(), "there is no scene {name}");
    lines
}

/// A way in which we and Ironic differ.
pub(super) struct Known {
    /// The scene, or nothing for all of them.
    scene: Option<&'static str>,
    service: &'static str,
    kind: Kind,
    /// Why it is better so.
    #[expect(dead_code, reason = "for whoever reads the table")]
    reason: &'static str,
}

enum Kind {
    /// Ironic makes it and we do not: this method and path, or one that begins so before a `*`.
    LeftOut(&'static str),
    /// We make it and Ironic does not.
    Ours(&'static str),
    /// The same, for what does not count: it is asked once a process and not once a flow, or again
    /// because there was no answer.
    Uncounted(&'static str),
}

const fn known(service: &'static str, kind: Kind, reason: &'static str) -> Known {
    Known {
        scene: None,
        service,
        kind,
        reason,
    }
}

const fn in_scene(
    scene: &'static str,
    service: &'static str,
    kind: Kind,
    reason: &'static str,
) -> Known {
    Known {
        scene: Some(scene),
        service,
        kind,
        reason,
    }
}

use Kind::{LeftOut, Ours, Uncounted};

/// Every difference there is, and why; besides, Ironic may repeat what we do once: what was answered a
/// moment ago is remembered here, and a port that was unbound is not unbound again.
const KNOWN: &[Known] = &[
    known(
        "glance",
        LeftOut("GET /"),
        "the catalogue's endpoint is that of version 2",
    ),
    known(
        "cinder",
        LeftOut("GET /v3"),
        "versions are asked for once a process",
    ),
    known(
        "cinder",
        LeftOut("GET /v3/"),
        "versions are asked for once a process",
    ),
    known(
        "neutron",
        LeftOut("GET /v2.0/networks*"),
        "networks are looked up where they are needed; Ironic looks at all of them each time",
    ),
    known(
        "neutron",
        LeftOut("GET /v2.0/ports?mac_address=*"),
        "ports are searched for where the node's row says that there may be some",
    ),
    in_scene(
        "u02",
        "neutron",
        Ours("GET /v2.0/ports/8ad2ee00-8d51-4af6-abd4-3d460eaafe4d"),
        "before a machine joins our networks, Neutron is asked whether its instance's port is bound: \
         the row of a node that was imported does not say so",
    ),
    known(
        "swift",
        LeftOut("HEAD /v1/AUTH_d5f20490ecac44f0a2a8d3c3ac15d86a/i*"),
        "an object is put at once, and only a container that is missing is made first",
    ),
    in_scene(
        "v01",
        "swift",
        LeftOut("PUT /v1/AUTH_d5f20490ecac44f0a2a8d3c3ac15d86a/introspection_data_container"),
        "the stage has the container: it is only made when Swift says that it is missing",
    ),
    known(
        "swift",
        LeftOut("GET /info"),
        "how large an object may be is found by trying",
    ),
    known(
        "swift",
        Uncounted("GET /info"),
        "SHA1 may be switched off: the strongest digest that is allowed signs temporary URLs",
    ),
    in_scene(
        "s05",
        "swift",
        Uncounted("HEAD /v1/AUTH_d5f20490ecac44f0a2a8d3c3ac15d86a/"),
        "a read is tried again where a service is away for a moment; Ironic gives up at once",
    ),
    in_scene(
        "k13",
        "cinder",
        Uncounted("GET /v3/volumes/*"),
        "a read is tried again where a service is away for a moment; Ironic gives up at once",
    ),
    in_scene(
        "j03",
        "glance",
        Uncounted("GET /v2/images/38982591-be80-42a3-85a5-9d43d0e9c8ec/file"),
        "a download that ends early is tried again; Ironic deploys whatever came",
    ),
    in_scene(
        "c01",
        "swift",
        Ours("DELETE /v1/AUTH_d5f20490ecac44f0a2a8d3c3ac15d86a/ironic_configdrive_container/*"),
        "a config drive is full of secrets, and goes when it was written; Ironic lets it expire",
    ),
    in_scene(
        "c03",
        "swift",
        Ours("PUT /v1/AUTH_d5f20490ecac44f0a2a8d3c3ac15d86a/ironic_configdrive_container/*"),
        "a config drive is sent at once; Ironic asks first whether it is there already",
    ),
    in_scene(
        "v04",
        "swift",
        LeftOut("HEAD *"),
        "Ironic exchanges container and object, and finds nothing to delete",
    ),
    in_scene(
        "v04",
        "swift",
        Ours("DELETE *"),
        "what inspection found is deleted with its node",
    ),
];

impl Known {
    fn fits(&self, scene: &str, asked: &Asked, pattern: &str) -> bool {
        self.scene.is_none_or(|only| only == scene)
            && self.service == asked.service
            && match pattern.strip_suffix('*') {
                Some(begin) => asked.request.starts_with(begin),
                None => asked.request == pattern,
            }
    }
}

/// Whether a request of ours does the same as another one of Ironic's.
fn stands_for(ours: &str, theirs: &str) -> bool {
    // A temporary URL is tried by reading, as the agent will: it is signed for that.
    let path = ours.strip_prefix("GET ");
    path.is_some_and(|path| {
        path.ends_with("?temp_url") && theirs.strip_prefix("HEAD ") == Some(path)
    })
}

/// Whether a request of Ironic's may be left out.
fn may_be_left_out(scene: &str, line: &Line, ours: &[Asked]) -> bool {
    let is_known = |known: &Known| match known.kind {
        LeftOut(pattern) => known.fits(scene, &line.asked, pattern),
        Ours(_) | Uncounted(_) => false,
    };
    ours.iter().any(|one| line.is(one)) || KNOWN.iter().any(is_known)
}

/// Whether we may ask what Ironic does not.
fn may_be_ours(scene: &str, asked: &Asked) -> bool {
    KNOWN.iter().any(|known| match known.kind {
        Ours(pattern) | Uncounted(pattern) => known.fits(scene, asked, pattern),
        LeftOut(_) => false,
    })
}

/// Whether it is a read that we make at another time than Ironic, and no more often.
fn is_moved_read(theirs: &[Line], ours: &[Asked], asked: &Asked) -> bool {
    let made = ours.iter().filter(|one| *one == asked).count();
    let recorded = theirs.iter().filter(|line| line.is(asked)).count();
    is_read(&asked.request) && made <= recorded
}

/// How many of our requests count against Ironic's.
pub(super) fn count(scene: &str, ours: &[Asked]) -> usize {
    let is_rare = |asked: &&Asked| {
        KNOWN.iter().any(|known| match known.kind {
            Uncounted(pattern) => known.fits(scene, asked, pattern),
            LeftOut(_) | Ours(_) => false,
        })
    };
    ours.iter().filter(|asked| !is_rare(asked)).count()
}

fn is_read(request: &str) -> bool {
    request.starts_with("GET ") || request.starts_with("HEAD ")
}

/// Whether a read of ours comes before writes of Ironic's.
pub(super) fn passes_write(passed: &[Line], asked: &Asked) -> bool {
    is_read(&asked.request) && !passed.iter().all(|line| is_read(&line.asked.request))
}

/// What differs, in words; nothing where everything is as it should be.
pub(super) fn compare(scene: &str, theirs: &[Line], ours: &[Asked]) -> Vec<String> {
    let mut differences = Vec::new();
    let mut next = 0;
    for asked in ours {
        let found = theirs[next..].iter().position(|line| line.is(asked));
        // A read that comes before writes of Ironic's is no reason to pass these over.
        let found = found.filter(|&at| !passes_write(&theirs[next..next + at], asked));
        match found {
            Some(skipped) => {
                for line in &theirs[next..next + skipped] {
                    if !may_be_left_out(scene, line, ours) {
                        differences.push(format!("{scene}: Ironic asks before: {}", line.asked));
                    }
                }
                next += skipped + 1;
            }
            None if may_be_ours(scene, asked) || is_moved_read(theirs, ours, asked) => {}
            None => differences.push(format!("{scene}: Ironic does not ask: {asked}")),
        }
    }
    for line in &theirs[next..] {
        if !may_be_left_out(scene, line, ours) {
            differences.push(format!("{scene}: Ironic asks at the end: {}", line.asked));
        }
    }
    differences
}

/// Replaces what is different each time.
pub(super) fn worded(text: &str) -> String {
    let mut worded = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("20") {
        let (before, from) = rest.split_at(at);
        worded.push_str(before);
        match time_length(from) {
            Some(length) => {
                worded.push_str("TIME");
                rest = &from[length..];
            }
            None => {
                worded.push_str("20");
                rest = &from[2..];
            }
        }
    }
    worded.push_str(rest);
    match worded.split_once("?temp_url_sig=") {
        Some((path, _)) => format!("{path}?temp_url"),
        None => worded,
    }
}

/// How long the time at the beginning of a text is: `2026-11-16T03:50:42.103291` or with hyphens.
fn time_length(text: &str) -> Option<usize> {
    let fits = |pattern: &str| {
        let given = text.as_bytes().get(..pattern.len())?;
        let mut pairs = given.iter().zip(pattern.bytes());
        let fits = pairs.all(|(&byte, wanted)| match wanted {
            b'0' => byte.is_ascii_digit(),
            _ => byte == wanted,
        });
        fits.then_some(pattern.len())
    };
    let length = fits("0000-00-00T00:00:00").or_else(|| fits("0000-00-00-00-00-00"))?;
    let fraction = text[length..].strip_prefix('.').unwrap_or_default();
    let digits = fraction.bytes().take_while(u8::is_ascii_digit).count();
    Some(length + if digits > 0 { 1 + digits } else { 0 })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn asked(request: &str, body: Option<Value>) -> Asked {
        Asked {
            bearer: Bearer::Service,
            service: "cinder".into(),
            request: request.into(),
            body,
        }
    }

    fn line(request: &str, body: Option<Value>) -> Line {
        Line {
            asked: asked(request, body),
            names_bearer: false,
            status: 200,
            headers: Vec::new(),
            answer: None,
        }
    }

    #[test]
    fn more_requests_other_bodies_and_another_order_are_found() {
        let write = |what: &str| (format!("POST /v3/{what}"), Some(json!({what: null})));
        let theirs: Vec<Line> = [write("a"), write("b")]
            .into_iter()
            .map(|(request, body)| line(&request, body))
            .collect();
        let ours = |names: &[&str]| -> Vec<Asked> {
            let all = names.iter().map(|name| write(name));
            all.map(|(request, body)| asked(&request, body)).collect()
        };
        assert!(compare("x", &theirs, &ours(&["a", "b"])).is_empty());
        assert_eq!(compare("x", &theirs, &ours(&["a", "b", "b"])).len(), 1);
        assert_eq!(compare("x", &theirs, &ours(&["b", "a"])).len(), 1);
        assert_eq!(compare("x", &theirs, &ours(&["a"])).len(), 1);
        let mut other = ours(&["a", "b"]);
        other[1].body = Some(json!({"b": 1}));
        assert_eq!(compare("x", &theirs, &other).len(), 2);
    }

    #[test]
    fn reads_may_come_earlier_and_writes_are_compared_all_the_same() {
        let (read, write) = ("GET /v3/volumes/1", "POST /v3/a");
        let theirs = [line(write, None), line(read, None)];
        let ours = |all: &[&str]| -> Vec<Asked> {
            all.iter().map(|request| asked(request, None)).collect()
        };
        assert!(compare("x", &theirs, &ours(&[read, write])).is_empty());
        assert_eq!(compare("x", &theirs, &ours(&[read])).len(), 1);
        assert_eq!(compare("x", &theirs, &ours(&[read, write, read])).len(), 1);
    }

    #[test]
    fn only_reads_that_are_made_once_may_be_left_out() {
        let read = "GET /v3/volumes/1";
        let theirs = [line("GET /v3/", None), line(read, None), line(read, None)];
        assert!(compare("x", &theirs, &[asked(read, None)]).is_empty());
        assert_eq!(compare("x", &theirs, &[]).len(), 2);
    }

    #[test]
    fn another_token_is_found_where_the_recording_names_one() {
        let mut theirs = [line("GET /v3/volumes/1", None)];
        let mut ours = [asked("GET /v3/volumes/1", None)];
        ours[0].bearer = Bearer::User;
        assert!(compare("x", &theirs, &ours).is_empty());
        theirs[0].names_bearer = true;
        assert_eq!(compare("x", &theirs, &ours).len(), 2);
    }

    #[test]
    fn times_and_signatures_become_words() {
        assert_eq!(
            worded("a 2026-11-16T03:50:42.103291 b 2026"),
            "a TIME b 2026"
        );
        assert_eq!(worded("x_2026-11-16-03-45-07.tar.gz"), "x_TIME.tar.gz");
        assert_eq!(
            worded("/v1/a?temp_url_sig=1&temp_url_expires=2"),
            "/v1/a?temp_url"
        );
    }
}
