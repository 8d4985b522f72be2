//! An event on a line: when, which machine, what happened.

use serde_json::Value;

use super::Watched;
use super::clock::Clock;
use crate::console::printable;

/// Writes events under each other.
pub(crate) struct Lines {
    clock: Clock,
    colour: bool,
    /// Room for names, which grows with the longest seen.
    room: usize,
}

impl Lines {
    pub(crate) fn new(colour: bool, watched: &[Watched]) -> Self {
        let longest = watched.iter().map(|node| node.name.chars().count()).max();
        Self {
            clock: Clock::local(),
            colour,
            room: longest.unwrap_or(0).clamp(8, 36),
        }
    }

    /// Something about a machine that is no event, and when the service knew it.
    pub(super) fn remark(&mut self, at: Option<&Value>, node: &str, text: &str) -> String {
        self.line(&serde_json::json!({"at": at, "node_name": node, "text": text}))
    }

    pub(crate) fn line(&mut self, event: &Value) -> String {
        let text = |key: &str| event.get(key).and_then(Value::as_str).unwrap_or_default();
        let node = match text("node_name") {
            "" => text("node"),
            name => name,
        };
        // A line break inside an event would look like another event.
        let node = printable(node).replace('\n', " ");
        let what = printable(text("text")).replace('\n', " ");
        let when = self.clock.show(text("at"));
        self.room = self.room.max(node.chars().count().min(36));
        let (room, kind) = (self.room, text("kind"));
        if !self.colour {
            return format!("{when}  {node:room$}  {what}");
        }
        const DIM: &str = "\u{1b}[2m";
        const BOLD: &str = "\u{1b}[1m";
        const PLAIN: &str = "\u{1b}[0m";
        let broken = super::entered(event)
            .is_some_and(|state| state == "error" || state.ends_with(" failed"));
        let colour = match kind {
            "error" => "\u{1b}[31m",
            "provision" if broken => "\u{1b}[31m",
            "maintenance" => "\u{1b}[33m",
            "provision" => "\u{1b}[32m",
            "power" => "\u{1b}[36m",
            _ => "",
        };
        format!("{DIM}{when}{PLAIN}  {BOLD}{node:room$}{PLAIN}  {colour}{what}{PLAIN}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn event(text: &str) -> Value {
        json!({"at": "not a time", "node": "u-1", "node_name": "m1", "kind": "error", "text": text})
    }

    #[test]
    fn plain_unless_on_a_terminal() {
        let mut lines = Lines::new(false, &[]);
        assert_eq!(
            lines.line(&event("power failed")),
            "not a time  m1        power failed"
        );
        let mut lines = Lines::new(true, &[]);
        let coloured = lines.line(&event("power failed"));
        assert!(
            coloured.contains("\u{1b}[31mpower failed\u{1b}[0m"),
            "{coloured:?}"
        );
    }

    #[test]
    fn a_move_that_failed_is_as_red_as_an_error() {
        let mut lines = Lines::new(true, &[]);
        for (to, colour) in [("deploying", 32), ("deploy failed", 31), ("error", 31)] {
            let mut moved = event("moved");
            moved["kind"] = json!("provision");
            moved["data"] = json!({"to": to});
            let painted = format!("\u{1b}[{colour}mmoved");
            assert!(lines.line(&moved).contains(&painted), "{to}");
        }
    }

    #[test]
    fn an_event_is_one_line_and_cannot_paint() {
        let line = Lines::new(false, &[]).line(&event("a\nb\u{1b}[2J"));
        assert!(line.ends_with("a b\\u{1b}[2J"), "{line:?}");
    }

    #[test]
    fn a_node_without_a_name_is_told_by_its_uuid() {
        let mut nameless = event("x");
        nameless["node_name"] = Value::Null;
        assert!(
            Lines::new(false, &[])
                .line(&nameless)
                .contains("  u-1       x")
        );
    }
}
