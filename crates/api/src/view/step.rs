//! How a step of a deploy template or runbook looks.

use crate::{json_writer::JsonWriter, view::secret};
use types::{InterfaceKind, JsonMap, deploy_template::Rank};

/// Writes one step; `rank` is what its number is called.
pub(crate) fn write(
    w: &mut JsonWriter,
    interface: InterfaceKind,
    step: &str,
    args: &JsonMap,
    rank: (&str, &Rank),
) {
    w.begin_object();
    w.key("interface");
    w.plain(interface);
    w.key("step");
    w.str(step);
    w.key("args");
    secret::map(w, args);
    w.key(rank.0);
    match rank.1 {
        Rank::Number(number) => w.int(*number),
        Rank::Digits(digits) => w.str(digits),
    }
    w.end_object();
}
