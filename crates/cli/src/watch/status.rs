//! What an operation is doing this moment: how far it is, or what it waits for.
//!
//! On a terminal that is the last line, written over and over. Elsewhere it is a line now and then:
//! for each new wait, and for every tenth of what is being written.

use serde_json::Value;

use crate::console::printable;

/// The last reported status of an operation, where lines cannot be overwritten.
#[derive(Debug, Default)]
pub(crate) struct ReportedStatus {
    wait: String,
    phase: String,
    tenth: Option<u64>,
}

impl ReportedStatus {
    /// A line about what is new in a timeline, if anything is worth one.
    pub(crate) fn news(&mut self, timeline: &Value) -> Option<String> {
        let flow = running(timeline)?;
        if let Some(progress) = flow.get("progress").filter(|p| p.is_object()) {
            let phase = text(progress, "phase");
            let tenth = percent(progress).map(|percent| percent / 10);
            if phase != self.phase || tenth != self.tenth {
                (self.phase, self.tenth) = (phase, tenth);
                return Some(written(progress));
            }
        }
        let wait = waits_for(flow).unwrap_or_default();
        if wait == self.wait {
            return None;
        }
        self.wait.clone_from(&wait);
        (!wait.is_empty()).then(|| format!("waiting for {wait}"))
    }

    /// An event has told of a wait already.
    pub(crate) fn heard(&mut self, event: &Value) {
        if let Some(wait) = event.pointer("/data/wait").and_then(Value::as_str) {
            self.wait = clean(wait);
        }
    }
}

/// The line that a terminal shows of what is going on, no wider than that.
pub(crate) fn line(timeline: &Value, width: usize) -> Option<String> {
    let flow = running(timeline)?;
    let since = flow.get("duration").and_then(Value::as_f64);
    let head = format!("{} {}", text(flow, "verb"), time(since.unwrap_or(0.0)));
    let progress = flow.get("progress").filter(|p| p.is_object());
    let rest = match (progress, waits_for(flow)) {
        (Some(progress), _) => {
            let told = written(progress);
            match percent(progress) {
                Some(percent) => format!("{} {told}", bar(percent)),
                None => told,
            }
        }
        (None, Some(wait)) => {
            let since = flow.pointer("/waiting/duration").and_then(Value::as_f64);
            format!("waiting for {wait}, {}", time(since.unwrap_or(0.0)))
        }
        (None, None) => doing(flow),
    };
    let line = format!("{head}  {rest}");
    Some(line.chars().take(width.saturating_sub(1)).collect())
}

/// The step that runs, or else the phase.
fn doing(flow: &Value) -> String {
    let all = |key: &str| {
        let list = flow.get(key).and_then(Value::as_array);
        list.into_iter().flatten()
    };
    let step = all("steps").find(|step| text(step, "state") == "running");
    match (step, all("phases").last()) {
        (Some(step), _) => format!("step {}", text(step, "name")),
        (None, Some(phase)) => text(phase, "name"),
        (None, None) => String::new(),
    }
}

/// The operation under way.
pub(crate) fn running(timeline: &Value) -> Option<&Value> {
    let newest = timeline.pointer("/flows/0")?;
    (newest.get("state").and_then(Value::as_str) == Some("running")).then_some(newest)
}

fn waits_for(flow: &Value) -> Option<String> {
    let wait = flow.pointer("/waiting/for").and_then(Value::as_str)?;
    Some(clean(wait))
}

/// `writing image: 45 %, 512.0 of 1024.0 MB, 93.2 MB/s, 5 s left`.
pub(crate) fn written(progress: &Value) -> String {
    let number = |key: &str| progress.get(key).and_then(Value::as_u64);
    let bytes = number("bytes").unwrap_or(0);
    let mut parts = Vec::new();
    if let Some(percent) = percent(progress) {
        parts.push(format!("{percent} %"));
    }
    match number("total") {
        Some(total) => parts.push(format!("{} of {} MB", megabytes(bytes), megabytes(total))),
        None if bytes > 0 => parts.push(format!("{} MB", megabytes(bytes))),
        None => {}
    }
    if let Some(rate) = number("rate").filter(|rate| *rate > 0) {
        parts.push(format!("{} MB/s", megabytes(rate)));
    }
    if let Some(eta) = progress.get("eta").and_then(Value::as_f64) {
        parts.push(format!("{} left", time(eta)));
    }
    let phase = text(progress, "phase");
    if parts.is_empty() {
        phase
    } else {
        format!("{phase}: {}", parts.join(", "))
    }
}

fn percent(progress: &Value) -> Option<u64> {
    let number = |key: &str| progress.get(key).and_then(Value::as_u64);
    let total = number("total").filter(|total| *total > 0)?;
    let done = number("bytes").unwrap_or(0).min(total);
    u64::try_from(u128::from(done) * 100 / u128::from(total)).ok()
}

fn bar(percent: u64) -> String {
    const ROOM: usize = 20;
    let filled = usize::try_from(percent).unwrap_or(0) * ROOM / 100;
    format!("[{}{}]", "#".repeat(filled), "-".repeat(ROOM - filled))
}

/// Millions of bytes with a decimal.
fn megabytes(bytes: u64) -> String {
    format!("{}.{}", bytes / 1_000_000, bytes % 1_000_000 / 100_000)
}

/// `7 s`, `2 min 5 s`, `1 h 0 min`.
pub(crate) fn time(seconds: f64) -> String {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "saturates"
    )]
    let seconds = seconds.max(0.0) as u64;
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3600 => format!("{} min {} s", seconds / 60, seconds % 60),
        _ => format!("{} h {} min", seconds / 3600, seconds % 3600 / 60),
    }
}

/// A text of the service on one line: some of it comes from machines.
pub(crate) fn text(value: &Value, key: &str) -> String {
    clean(value.get(key).and_then(Value::as_str).unwrap_or_default())
}

fn clean(text: &str) -> String {
    printable(text).replace('\n', " ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn timeline(waiting: &str, progress: Value) -> Value {
        json!({"flows": [{
            "verb": "deploy", "state": "running", "duration": 151.2,
            "phases": [{"name": "preparing"}], "progress": progress,
            "waiting": {"for": waiting, "duration": 12.0},
        }]})
    }

    fn writing(bytes: u64) -> Value {
        json!({"phase": "writing image", "bytes": bytes, "total": 1_000_000_000_u64,
            "rate": 93_200_000, "eta": 5})
    }

    #[test]
    fn a_terminal_sees_a_bar() {
        let shown = line(&timeline("x", writing(450_000_000)), 200).unwrap();
        assert_eq!(
            shown,
            "deploy 2 min 31 s  [#########-----------] writing image: 45 %, 450.0 of 1000.0 MB, \
             93.2 MB/s, 5 s left"
        );
        let cut = line(&timeline("x", writing(0)), 40).unwrap();
        assert_eq!(cut.chars().count(), 39);
    }

    #[test]
    fn without_progress_there_is_the_reason_of_the_wait() {
        let shown = line(&timeline("BMC to power on\u{1b}[2J", json!(null)), 200).unwrap();
        assert!(shown.contains("waiting for BMC to power on"), "{shown}");
        assert!(
            shown.ends_with(", 12 s") && !shown.contains('\u{1b}'),
            "{shown}"
        );
        let mut busy = timeline("", json!(null));
        busy["flows"][0]["waiting"] = json!(null);
        let shown = |busy: &Value| line(busy, 200).unwrap();
        assert!(shown(&busy).ends_with("  preparing"));
        busy["flows"][0]["steps"] = json!([{"name": "a.b", "state": "running"}]);
        assert!(shown(&busy).ends_with("  step a.b"));
        assert_eq!(line(&json!({"flows": []}), 80), None);
        assert_eq!(line(&json!({"flows": [{"state": "done"}]}), 80), None);
    }

    #[test]
    fn elsewhere_only_news_are_told() {
        let mut said = ReportedStatus::default();
        let wait = timeline("agent command write_image", json!(null));
        assert_eq!(
            said.news(&wait).as_deref(),
            Some("waiting for agent command write_image")
        );
        assert_eq!(said.news(&wait), None);
        let told = said.news(&timeline("x", writing(10))).unwrap();
        assert!(told.starts_with("writing image: 0 %, 0.0 of"), "{told}");
        assert_eq!(
            said.news(&timeline("agent command write_image", writing(90_000_000))),
            None
        );
        assert!(
            said.news(&timeline("x", writing(100_000_000)))
                .unwrap()
                .contains("10 %")
        );
        said.heard(&json!({"data": {"wait": "the ramdisk's first heartbeat"}}));
        let heard = timeline("the ramdisk's first heartbeat", json!(null));
        assert_eq!(said.news(&heard), None);
    }

    #[test]
    fn odd_numbers_do_no_harm() {
        assert_eq!(
            written(&json!({"phase": "x", "bytes": 5, "total": 0})),
            "x: 0.0 of 0.0 MB"
        );
        assert_eq!(
            percent(&json!({"bytes": u64::MAX, "total": u64::MAX})),
            Some(100)
        );
        assert_eq!(percent(&json!({"bytes": 9, "total": 3})), Some(100));
        assert_eq!(time(3600.0), "1 h 0 min");
    }
}
