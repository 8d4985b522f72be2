//! What this process takes, under the names that every Prometheus client library has for it.

#![expect(
    clippy::disallowed_methods,
    reason = "the kernel answers for /proc from memory"
)]

use std::fs;
use types::{
    Timestamp,
    metrics::{NO_LABELS, Page},
};

/// Ticks in a second; Linux shows this many to programs on every architecture.
const TICKS: f64 = 100.0;

/// What the kernel says of this process.
#[derive(Debug, PartialEq)]
pub(super) struct Usage {
    cpu_s: f64,
    /// Since 1970.
    started_s: f64,
    resident: u64,
    virtual_size: u64,
    open_files: u64,
    most_files: Option<u64>,
}

impl Usage {
    /// Nothing where there is no /proc, or one of another kind.
    pub(super) fn read() -> Option<Self> {
        let text = |name: &str| fs::read_to_string(format!("/proc/self/{name}")).ok();
        let uptime = fs::read_to_string("/proc/uptime").ok()?;
        #[expect(
            clippy::cast_precision_loss,
            reason = "microseconds since 1970 are below 2^53"
        )]
        let now = Timestamp::now().0 as f64 / 1e6;
        let open = fs::read_dir("/proc/self/fd").ok()?.count();
        Self::of(
            &text("stat")?,
            &text("status")?,
            &text("limits").unwrap_or_default(),
            now - uptime.split(' ').next()?.parse::<f64>().ok()?,
            u64::try_from(open).unwrap_or(u64::MAX),
        )
    }

    fn of(stat: &str, status: &str, limits: &str, booted_s: f64, open_files: u64) -> Option<Self> {
        // The name of the program is in parentheses, and may have spaces and more of those in it.
        let (_, fields) = stat.rsplit_once(") ")?;
        let fields: Vec<&str> = fields.split(' ').collect();
        // The third field of the line is the first here.
        let ticks = |field: usize| fields.get(field - 3)?.parse::<f64>().ok();
        let kilobytes = |name: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(name))?;
            line.split_whitespace().next()?.parse::<u64>().ok()
        };
        let limit = limits
            .lines()
            .find_map(|line| line.strip_prefix("Max open files"));
        Some(Self {
            cpu_s: (ticks(14)? + ticks(15)?) / TICKS,
            started_s: booted_s + ticks(22)? / TICKS,
            resident: kilobytes("VmRSS:")? * 1024,
            virtual_size: kilobytes("VmSize:")? * 1024,
            open_files,
            most_files: limit.and_then(|rest| rest.split_whitespace().next()?.parse().ok()),
        })
    }

    pub(super) fn write(&self, page: &mut Page) {
        page.counters(
            "process_cpu_seconds_total",
            "Time that processors spent on this process.",
            [(NO_LABELS, self.cpu_s)],
        );
        let seconds = format!("{:.2}", self.started_s);
        page.gauges(
            "process_start_time_seconds",
            "When this process started, in seconds since 1970.",
            [(NO_LABELS, seconds)],
        );
        let numbers = [
            (
                "process_resident_memory_bytes",
                "Memory that is in use.",
                Some(self.resident),
            ),
            (
                "process_virtual_memory_bytes",
                "Memory that is reserved.",
                Some(self.virtual_size),
            ),
            (
                "process_open_fds",
                "Files and sockets that are open.",
                Some(self.open_files),
            ),
            ("process_max_fds", "How many may be open.", self.most_files),
        ];
        for (name, help, number) in numbers {
            if let Some(number) = number {
                page.gauges(name, help, [(NO_LABELS, number)]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernels_lines_are_read() {
        let stat = "7 (a) b) S 1 7 7 0 -1 4194560 100 0 0 0 250 50 0 0 20 0 9 0 1000 4096 5";
        let status = "Name:\tcorten\nVmSize:\t    8 kB\nVmRSS:\t    4 kB\n";
        let limits =
            "Limit  Soft  Hard\nMax open files            1024                 4096   files\n";
        let usage = Usage::of(stat, status, limits, 500.0, 12).unwrap();
        assert_eq!(
            usage,
            Usage {
                cpu_s: 3.0,
                started_s: 510.0,
                resident: 4096,
                virtual_size: 8192,
                open_files: 12,
                most_files: Some(1024),
            }
        );
        assert_eq!(Usage::of("odd", "", "", 0.0, 0), None);
        assert!(Usage::read().is_some_and(|usage| usage.resident > 0 && usage.open_files > 0));
    }
}
