//! Requests from a log (`--replay`): one `GET /v1/…` a line, with a version behind it or not, the logs of
//! Apache and nginx, and what Ironic's own WSGI servers write.
//!
//! A log is written by whoever sends requests. A line that is not understood, or asks for something that
//! is not repeated, is counted and left out.

use super::request::{Read, Verb};
use std::{
    collections::HashSet,
    io::{self, BufRead, Read as _},
};

/// So many different requests are taken.
const MOST_READS: usize = 100_000;
/// So much of a log is read.
const MOST_BYTES: u64 = 1 << 30;
/// A longer line is left out.
const LONGEST_LINE: u64 = 16 << 10;

/// What came of a log.
#[derive(Debug, Default)]
pub(crate) struct Replay {
    /// Each once, in the order of the log.
    pub(crate) reads: Vec<Read>,
    /// Lines that ask for nothing that is repeated.
    pub(crate) left_out: u64,
}

/// Reads a log. `prefix` is what stands before `/v1` there.
pub(crate) fn read(log: impl BufRead, prefix: &str) -> io::Result<Replay> {
    let mut log = log.take(MOST_BYTES);
    let (mut replay, mut known) = (Replay::default(), HashSet::new());
    let mut line = Vec::new();
    while replay.reads.len() < MOST_READS {
        line.clear();
        let count = (&mut log).take(LONGEST_LINE).read_until(b'\n', &mut line)?;
        if count == 0 {
            break;
        }
        let is_cut = line.last() != Some(&b'\n') && count as u64 == LONGEST_LINE;
        if is_cut {
            skip_line(&mut log)?;
        }
        let text = std::str::from_utf8(&line).ok().filter(|_| !is_cut);
        if text.is_some_and(|text| text.trim().is_empty()) {
            continue;
        }
        match text.and_then(|text| parse(text, prefix)) {
            Some(read) if known.insert(read.clone()) => replay.reads.push(read),
            Some(_) => {}
            None => replay.left_out += 1,
        }
    }
    Ok(replay)
}

fn skip_line(log: &mut impl BufRead) -> io::Result<()> {
    loop {
        let piece = log.fill_buf()?;
        let (used, is_end) = match piece.iter().position(|byte| *byte == b'\n') {
            Some(at) => (at + 1, true),
            None => (piece.len(), piece.is_empty()),
        };
        log.consume(used);
        if is_end {
            return Ok(());
        }
    }
}

fn parse(line: &str, prefix: &str) -> Option<Read> {
    let line = line.trim();
    let (request, rest) = match line.split_whitespace().next().and_then(Verb::of) {
        Some(_) => (line, line),
        // `… "GET /v1/nodes HTTP/1.1" 200 …`
        None => {
            let (_, quoted) = line
                .split_once("\"GET ")
                .map_or_else(|| line.split_once("\"HEAD "), Some)?;
            let start = line.len() - quoted.len();
            let begin = line.get(..start)?.rfind('"')? + 1;
            let quoted = line.get(begin..)?;
            (quoted.split('"').next()?, "")
        }
    };
    let mut words = request.split_whitespace();
    let verb = Verb::of(words.next()?)?;
    let target = words.next()?;
    let target = without_host(target);
    let target = target.strip_prefix(prefix).unwrap_or(target);
    Read::new(verb, target, version(rest))
}

/// `http://host:6385/v1/nodes` asks for `/v1/nodes`.
fn without_host(target: &str) -> &str {
    let rest = target
        .strip_prefix("http://")
        .or_else(|| target.strip_prefix("https://"));
    match rest {
        Some(rest) => rest.find('/').and_then(|at| rest.get(at..)).unwrap_or("/"),
        None => target,
    }
}

/// What stands behind the name of the header; or a lone `1.81`.
fn version(line: &str) -> Option<&str> {
    let lower = line.to_ascii_lowercase();
    const NAME: &str = "x-openstack-ironic-api-version";
    if let Some(at) = lower.find(NAME) {
        let rest = line.get(at + NAME.len()..)?;
        return rest
            .trim_start_matches([':', '=', ' '])
            .split_whitespace()
            .next();
    }
    let last = line.split_whitespace().nth(2)?;
    let is_version = last == "latest" || last.starts_with("1.");
    is_version.then_some(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Option<String> {
        parse(line, "/baremetal").map(|read| {
            let version = read.version.clone();
            format!("{read:?} {}", version.as_deref().unwrap_or("-"))
        })
    }

    #[test]
    fn lines_of_the_usual_logs_are_understood() {
        for (line, expected) in [
            ("GET /v1/nodes", "GET /v1/nodes -"),
            ("  HEAD /v1/nodes/n1  ", "HEAD /v1/nodes/n1 -"),
            ("GET /v1/nodes?limit=1 1.81", "GET /v1/nodes?limit=1 1.81"),
            (
                "GET /v1/nodes X-OpenStack-Ironic-API-Version: 1.72",
                "GET /v1/nodes 1.72",
            ),
            (
                "GET http://10.0.0.1:6385/v1/ports latest",
                "GET /v1/ports latest",
            ),
            (
                r#"10.0.0.7 - admin [19/Nov/2026:18:00:01 +0000] "GET /baremetal/v1/nodes/detail HTTP/1.1" 200 512 "-" "python-requests/2.31""#,
                "GET /v1/nodes/detail -",
            ),
            (
                r#"2026-11-19 18:00:01.123 7 INFO eventlet.wsgi.server [req-1 - - - -] 10.0.0.7 "GET /v1/ports?address=52:54:00:00:00:01 HTTP/1.1" status: 200  len: 300 time: 0.01"#,
                "GET /v1/ports?address=52:54:00:00:00:01 -",
            ),
        ] {
            assert_eq!(parsed(line).as_deref(), Some(expected), "{line}");
        }
    }

    #[test]
    fn hostile_lines_ask_for_nothing() {
        for line in [
            "DELETE /v1/nodes/n1",
            r#"1.2.3.4 - - [x] "DELETE /v1/nodes/n1 HTTP/1.1" 204 0"#,
            r#"1.2.3.4 - - [x] "POST /v1/nodes HTTP/1.1" 201 "GET /v1/lookup x""#,
            "GET",
            "GET http://evil.example",
            "GET /v1/nodes/../lookup?node_uuid=x",
            "GET /etc/passwd",
            "GET @evil.example/v1/nodes",
            "GET \u{0}/v1/nodes",
            "\"GET ",
            "\"",
        ] {
            assert_eq!(parsed(line), None, "{line}");
        }
    }

    #[test]
    fn a_log_is_read_within_limits() {
        let mut log = b"GET /v1/nodes\nGET /v1/nodes\n\xff\xfe\n\n".to_vec();
        log.extend(
            b"GET /v1/nodes?x="
                .iter()
                .chain(&[b'a'; 100_000])
                .chain(b"\n"),
        );
        log.extend(b"GET /v1/ports");
        let replay = read(&log[..], "").unwrap();
        let targets: Vec<&str> = replay.reads.iter().map(|read| &*read.target).collect();
        assert_eq!(targets, ["/v1/nodes", "/v1/ports"]);
        assert_eq!(replay.left_out, 2);
    }
}
