//! What is counted while the service runs, and how it is written for Prometheus.
//!
//! Instruments are statics of the process: whoever does something counts it where it is done, and
//! nobody has to hand a registry through every layer for that. What is a matter of the database is
//! not here; it is asked for when somebody wants to see it.
//!
//! The text format is written by hand (version 0.0.4): a dozen lines, against a library with macros
//! of its own.

use std::{
    collections::BTreeMap,
    fmt::{Display, Write},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicI64, AtomicU64, Ordering},
    },
    time::Duration,
};

/// The media type of the text.
pub const MEDIA_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";

/// For numbers of which there is only one.
pub const NO_LABELS: [(&str, &str); 0] = [];

/// Upper limits of the buckets of durations, in microseconds.
const BUCKETS: [u64; 10] = [
    500, 1_000, 5_000, 25_000, 100_000, 250_000, 1_000_000, 2_500_000, 10_000_000, 60_000_000,
];

/// How often things happened, and how long they took.
#[derive(Debug, Default)]
pub struct Durations {
    /// How many fell into each bucket; the last one has no limit.
    counts: [AtomicU64; BUCKETS.len() + 1],
    micros: AtomicU64,
}

impl Durations {
    pub fn observe(&self, took: Duration) {
        let micros = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        let bucket = BUCKETS.partition_point(|limit| *limit < micros);
        if let Some(count) = self.counts.get(bucket) {
            count.fetch_add(1, Ordering::Relaxed);
        }
        self.micros.fetch_add(micros, Ordering::Relaxed);
    }
}

/// A number that goes up and down.
#[derive(Debug, Default)]
pub struct Gauge(AtomicI64);

impl Gauge {
    pub const fn new() -> Self {
        Self(AtomicI64::new(0))
    }

    pub fn set(&self, value: i64) {
        self.0.store(value, Ordering::Relaxed);
    }

    pub fn get(&self) -> i64 {
        self.0.load(Ordering::Relaxed)
    }

    /// One more, for as long as the answer lives.
    pub fn raise(&'static self) -> Raised {
        self.0.fetch_add(1, Ordering::Relaxed);
        Raised(self)
    }
}

/// One of those that a gauge counts.
#[derive(Debug)]
pub struct Raised(&'static Gauge);

impl Drop for Raised {
    fn drop(&mut self) {
        self.0.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Durations of several sorts, told apart by the values of `N` labels. There are few of them: each
/// is kept for ever.
#[derive(Debug)]
pub struct Sorts<const N: usize>(Mutex<BTreeMap<[&'static str; N], Arc<Durations>>>);

impl<const N: usize> Sorts<N> {
    const fn new() -> Self {
        Self(Mutex::new(BTreeMap::new()))
    }

    pub fn observe(&self, sort: [&'static str; N], took: Duration) {
        let mut sorts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        sorts.entry(sort).or_default().observe(took);
    }

    fn all(&self) -> Vec<([&'static str; N], Arc<Durations>)> {
        let sorts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        sorts
            .iter()
            .map(|(sort, durations)| (*sort, Arc::clone(durations)))
            .collect()
    }
}

/// How often things of several sorts happened, told apart as those of [`Sorts`] are.
#[derive(Debug)]
pub struct Counts<const N: usize>(Mutex<BTreeMap<[&'static str; N], u64>>);

impl<const N: usize> Counts<N> {
    const fn new() -> Self {
        Self(Mutex::new(BTreeMap::new()))
    }

    /// Shows a sort before anything of it happened: Prometheus sees a rise only from a number that
    /// it has read before.
    pub fn show(&self, sort: [&'static str; N]) {
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        counts.entry(sort).or_default();
    }

    pub fn count(&self, sort: [&'static str; N]) {
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *counts.entry(sort).or_default() += 1;
    }

    fn all(&self) -> Vec<([&'static str; N], u64)> {
        let counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        counts.iter().map(|(sort, count)| (*sort, *count)).collect()
    }
}

/// Requests to the API, by method, route and class of the status.
pub static REQUESTS: Sorts<3> = Sorts::new();
/// What was asked of the database, from the question to the answer.
pub static DATABASE: Sorts<1> = Sorts::new();
/// Deliveries to webhooks, by outcome.
pub static DELIVERIES: Sorts<1> = Sorts::new();
/// What was said to BMCs, by protocol and outcome.
pub static BMC_CALLS: Sorts<2> = Sorts::new();
/// Calls of other services of OpenStack, by service and outcome. Those of Keystone are logins.
pub static OPENSTACK_CALLS: Sorts<2> = Sorts::new();
/// Rounds of periodic work, by name.
pub static PASSES: Sorts<1> = Sorts::new();
/// How late the last round of each began, in milliseconds.
static PASS_LAGS: Mutex<BTreeMap<&'static str, i64>> = Mutex::new(BTreeMap::new());
/// Operations on nodes that ended, by what they were and how they ended.
pub static OPERATIONS: Counts<2> = Counts::new();
/// Streams of events that are open.
pub static STREAMS: Gauge = Gauge::new();
/// Workers that have something to do, and how many there may be.
pub static WORKERS_BUSY: Gauge = Gauge::new();
pub static WORKERS_LIMIT: Gauge = Gauge::new();

/// A round of periodic work ended.
pub fn pass_ended(name: &'static str, lag: Duration, took: Duration) {
    PASSES.observe([name], took);
    let lag = i64::try_from(lag.as_millis()).unwrap_or(i64::MAX);
    let mut lags = PASS_LAGS.lock().unwrap_or_else(PoisonError::into_inner);
    lags.insert(name, lag);
}

/// The text that Prometheus reads, under way.
#[derive(Debug, Default)]
pub struct Page(String);

impl Page {
    /// What this process counted.
    pub fn of_this_process() -> Self {
        let mut page = Self::default();
        page.durations(
            "corten_http_request_duration_seconds",
            "Requests to the API, from the first byte to the head of the answer.",
            ["method", "route", "status"],
            &REQUESTS,
        );
        page.durations(
            "corten_database_duration_seconds",
            "What was asked of the database, waiting for a connection included.",
            ["kind"],
            &DATABASE,
        );
        page.durations(
            "corten_webhook_delivery_duration_seconds",
            "Deliveries to webhooks.",
            ["outcome"],
            &DELIVERIES,
        );
        page.durations(
            "corten_bmc_call_duration_seconds",
            "Exchanges with BMCs, as far as the flight recorder runs.",
            ["protocol", "outcome"],
            &BMC_CALLS,
        );
        page.durations(
            "corten_openstack_call_duration_seconds",
            "Calls of other services of OpenStack with their retries; those of Keystone are logins.",
            ["service", "outcome"],
            &OPENSTACK_CALLS,
        );
        page.durations(
            "corten_pass_duration_seconds",
            "Rounds of periodic work.",
            ["pass"],
            &PASSES,
        );
        let lags = PASS_LAGS.lock().unwrap_or_else(PoisonError::into_inner);
        #[allow(clippy::cast_precision_loss, reason = "milliseconds of a few hours")]
        let lags: Vec<_> = lags
            .iter()
            .map(|(pass, lag)| ([("pass", *pass)], *lag as f64 / 1000.0))
            .collect();
        page.gauges(
            "corten_pass_lag_seconds",
            "How late the last round of periodic work began.",
            lags,
        );
        let operations = OPERATIONS.all().into_iter();
        page.counters(
            "corten_operations_total",
            "Operations on nodes that ended here, by what they were and how they ended.",
            operations.map(|([operation, result], count)| {
                ([("operation", operation), ("result", result)], count)
            }),
        );
        for (name, help, gauge) in [
            (
                "corten_event_streams",
                "Streams of events that are open.",
                &STREAMS,
            ),
            (
                "corten_workers_busy",
                "Workers of the conductor that have something to do.",
                &WORKERS_BUSY,
            ),
            (
                "corten_workers_limit",
                "How many workers the conductor may have.",
                &WORKERS_LIMIT,
            ),
        ] {
            page.gauges(name, help, [(NO_LABELS, gauge.get())]);
        }
        page
    }

    /// A family of gauges: labels with their values, and a number for each.
    pub fn gauges<const N: usize, L: AsRef<str>>(
        &mut self,
        name: &str,
        help: &str,
        rows: impl IntoIterator<Item = ([(&'static str, L); N], impl Display)>,
    ) {
        self.head(name, help, "gauge");
        for (labels, value) in rows {
            self.sample(name, &labels, &[], value);
        }
    }

    /// A family of counters, whose name ends in `_total`.
    pub fn counters<const N: usize, L: AsRef<str>>(
        &mut self,
        name: &str,
        help: &str,
        rows: impl IntoIterator<Item = ([(&'static str, L); N], impl Display)>,
    ) {
        self.head(name, help, "counter");
        for (labels, value) in rows {
            self.sample(name, &labels, &[], value);
        }
    }

    fn durations<const N: usize>(
        &mut self,
        name: &str,
        help: &str,
        labels: [&'static str; N],
        sorts: &Sorts<N>,
    ) {
        self.head(name, help, "histogram");
        for (values, durations) in sorts.all() {
            let mut at = 0;
            let labels = labels.map(|label| {
                at += 1;
                (label, values[at - 1])
            });
            let mut total = 0;
            for (count, limit) in durations.counts.iter().zip(
                BUCKETS
                    .iter()
                    .map(|limit| Some(*limit))
                    .chain(std::iter::once(None)),
            ) {
                total += count.load(Ordering::Relaxed);
                let limit = limit.map_or("+Inf".to_owned(), seconds);
                self.sample(&format!("{name}_bucket"), &labels, &[("le", limit)], total);
            }
            let sum = seconds(durations.micros.load(Ordering::Relaxed));
            self.sample(&format!("{name}_sum"), &labels, &[], sum);
            self.sample(&format!("{name}_count"), &labels, &[], total);
        }
    }

    fn head(&mut self, name: &str, help: &str, kind: &str) {
        let _ = writeln!(self.0, "# HELP {name} {help}\n# TYPE {name} {kind}");
    }

    fn sample<L: AsRef<str>>(
        &mut self,
        name: &str,
        labels: &[(&'static str, L)],
        more: &[(&'static str, String)],
        value: impl Display,
    ) {
        self.0.push_str(name);
        let labels = labels.iter().map(|(label, value)| (*label, value.as_ref()));
        let more = more.iter().map(|(label, value)| (*label, value.as_str()));
        let mut opened = false;
        for (label, value) in labels.chain(more) {
            self.0.push(if opened { ',' } else { '{' });
            opened = true;
            let _ = write!(self.0, "{label}=\"{}\"", escaped(value));
        }
        if opened {
            self.0.push('}');
        }
        let _ = writeln!(self.0, " {value}");
    }

    pub fn finish(self) -> String {
        self.0
    }
}

/// Microseconds as seconds, exactly.
fn seconds(micros: u64) -> String {
    let text = format!("{}.{:06}", micros / 1_000_000, micros % 1_000_000);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

fn escaped(value: &str) -> String {
    value
        .replace('\\', "\\\\")
        .replace('"', "\\\"")
        .replace('\n', "\\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_fall_into_buckets_that_add_up() {
        let sorts = Sorts::<1>::new();
        for micros in [500, 501, 90_000_000] {
            sorts.observe(["a\"b\\c\nd"], Duration::from_micros(micros));
        }
        let mut page = Page::default();
        page.durations("x_seconds", "Help.", ["l"], &sorts);
        let text = page.finish();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(
            lines[..2],
            ["# HELP x_seconds Help.", "# TYPE x_seconds histogram"]
        );
        let label = r#"l="a\"b\\c\nd""#;
        assert_eq!(
            lines[2],
            format!("x_seconds_bucket{{{label},le=\"0.0005\"}} 1")
        );
        assert_eq!(
            lines[3],
            format!("x_seconds_bucket{{{label},le=\"0.001\"}} 2")
        );
        assert_eq!(
            lines[11],
            format!("x_seconds_bucket{{{label},le=\"60\"}} 2")
        );
        assert_eq!(
            lines[12],
            format!("x_seconds_bucket{{{label},le=\"+Inf\"}} 3")
        );
        assert_eq!(lines[13], format!("x_seconds_sum{{{label}}} 90.001001"));
        assert_eq!(lines[14], format!("x_seconds_count{{{label}}} 3"));
        assert_eq!(lines.len(), 15);
    }

    #[test]
    fn a_gauge_counts_those_that_live() {
        static GAUGE: Gauge = Gauge::new();
        let (one, two) = (GAUGE.raise(), GAUGE.raise());
        assert_eq!(GAUGE.get(), 2);
        drop((one, two));
        assert_eq!(GAUGE.get(), 0);
    }

    #[test]
    fn a_pass_tells_how_late_it_was() {
        pass_ended(
            "a test",
            Duration::from_millis(1500),
            Duration::from_secs(1),
        );
        let text = Page::of_this_process().finish();
        assert!(
            text.contains("\ncorten_pass_lag_seconds{pass=\"a test\"} 1.5\n"),
            "{text}"
        );
        assert!(text.contains("corten_pass_duration_seconds_count{pass=\"a test\"} 1\n"));
        assert!(text.contains("\ncorten_event_streams "));
    }
}
