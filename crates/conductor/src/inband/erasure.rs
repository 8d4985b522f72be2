//! How long it takes to write over whole disks, for whoever waits for it.
//!
//! That is what cleaning does unless it is told otherwise, and with large disks it takes hours or
//! days. By what inspection found, it can be told beforehand.

use crate::task::Task;
use serde_json::Value;
use types::{JsonMap, internal_info::Erasure, step::Step};

/// What a disk that has to be written over takes, about.
const BYTES_PER_SECOND: u64 = 150_000_000;
/// Nobody needs to be told of less.
const WORTH_TELLING: u64 = 600;

/// Says what is to be expected of a step that writes over whole disks.
pub(super) async fn warn(task: &mut Task, step: &Step) {
    if step.name() != "deploy.erase_devices" {
        return;
    }
    // Without an inventory nothing is known of the disks.
    let Ok(Some(found)) = store::inventory::find(&task.core.db, task.id()).await else {
        return;
    };
    let sizes = sizes(&found.inventory);
    let seconds = seconds(&sizes, &task.settings().ramdisk.erasure);
    if seconds < WORTH_TELLING {
        return;
    }
    let text = text(&sizes, seconds);
    tracing::warn!(node = %task.id(), name = task.node.name, "{text}");
    task.warn(vec![text]);
}

fn sizes(inventory: &JsonMap) -> Vec<u64> {
    let disks = inventory.get("disks").and_then(Value::as_array);
    let disks = disks.into_iter().flatten();
    disks
        .filter_map(|disk| disk.get("size")?.as_u64())
        .collect()
}

/// Some disks are written at a time; the largest one alone takes as long as it takes.
fn seconds(sizes: &[u64], erasure: &Erasure) -> u64 {
    let zeros = erasure.zeroize == Some(true);
    let passes = erasure
        .iterations
        .unwrap_or(1)
        .saturating_add(u64::from(zeros));
    let at_a_time = erasure.concurrency.unwrap_or(1).max(1);
    let all = sizes
        .iter()
        .fold(0_u64, |sum, size| sum.saturating_add(*size));
    let largest = sizes.iter().copied().max().unwrap_or(0);
    let bytes = largest.max(all / at_a_time);
    bytes.saturating_mul(passes) / BYTES_PER_SECOND
}

fn text(sizes: &[u64], seconds: u64) -> String {
    let all = sizes
        .iter()
        .fold(0_u64, |sum, size| sum.saturating_add(*size));
    let time = match seconds {
        ..7200 => format!("{} minutes", seconds / 60),
        7200..172_800 => format!("{} hours", seconds / 3600),
        _ => format!("{} days", seconds / 86_400),
    };
    let disks = match sizes.len() {
        1 => "a disk".to_owned(),
        count => format!("{count} disks"),
    };
    format!(
        "every byte of {disks} ({} GB) is written over, which takes about {time} unless they can erase themselves; with [deploy]erase_devices_priority = 0 and erase_devices_metadata_priority = 10 only what makes data reachable is removed",
        all / 1_000_000_000
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn erasure(noise: u64, zeros: bool, at_a_time: u64) -> Erasure {
        Erasure {
            iterations: Some(noise),
            zeroize: Some(zeros),
            concurrency: Some(at_a_time),
            ..Erasure::default()
        }
    }

    #[test]
    fn the_time_is_that_of_the_passes_over_the_disks() {
        const TB: u64 = 1_000_000_000_000;
        assert_eq!(seconds(&[], &erasure(1, true, 4)), 0);
        assert_eq!(seconds(&[TB], &erasure(1, false, 4)), 6666);
        assert_eq!(seconds(&[TB], &erasure(1, true, 4)), 13_333);
        // Four at a time: eight take as long as two, and a large one as long as itself.
        assert_eq!(seconds(&[TB; 8], &erasure(1, false, 4)), 13_333);
        assert_eq!(seconds(&[TB, 4 * TB], &erasure(1, false, 4)), 26_666);
        assert_eq!(
            seconds(&[u64::MAX; 3], &erasure(9, true, 1)),
            u64::MAX / BYTES_PER_SECOND
        );
    }

    #[test]
    fn the_warning_names_the_time_and_the_options() {
        let told = text(&[16_000_000_000_000], 213_333);
        assert!(told.contains("a disk (16000 GB)"), "{told}");
        assert!(told.contains("about 2 days"), "{told}");
        assert!(
            told.contains("[deploy]erase_devices_priority = 0"),
            "{told}"
        );
        assert!(text(&[1; 2], 700).contains("11 minutes"));
        assert!(text(&[1; 2], 7200).contains("2 disks (0 GB)"));
    }

    #[test]
    fn disks_are_found_in_an_inventory() {
        let found = json!({"disks": [{"size": 5}, {"name": "/dev/sdb"}, {"size": 6}]});
        assert_eq!(sizes(found.as_object().unwrap()), [5, 6]);
        assert_eq!(sizes(&JsonMap::new()), [0_u64; 0]);
    }
}
