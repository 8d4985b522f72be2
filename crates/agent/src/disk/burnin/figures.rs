//! What stress-ng and fio say that they measured. Whatever cannot be read is left out: a test that was
//! passed is not failed for want of a number.

use serde_json::Value;
use types::burnin::Figure;

fn figure(name: String, value: u64, unit: &str) -> Figure {
    Figure {
        name,
        value,
        unit: unit.to_owned(),
    }
}

/// A whole number of a measured one.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the bounds are checked, and conversions of floating point numbers saturate"
)]
fn whole(value: f64) -> Option<u64> {
    (value.is_finite() && (0.0..9e15).contains(&value)).then(|| value.round() as u64)
}

/// The operations per second of each stressor, of the metrics that stress-ng writes as YAML: lines of
/// the form `key: value`, the first of each stressor with a dash before it.
pub(super) fn of_stress_ng(metrics: &str) -> Vec<Figure> {
    let mut figures = Vec::new();
    let mut stressor = "";
    for line in metrics.lines() {
        let line = line.trim_start().trim_start_matches("- ");
        let Some((key, value)) = line.split_once(':') else {
            continue;
        };
        let value = value.trim();
        match key {
            "stressor" => stressor = value,
            "bogo-ops-per-second-real-time" => {
                let measured = value.parse().ok().and_then(whole);
                let told = |value| figure(stressor.to_owned(), value, "operations/s");
                figures.extend(measured.map(told));
            }
            _ => {}
        }
    }
    figures
}

/// The bandwidth and the operations per second of each job, and its errors, of what fio writes as JSON.
/// Remarks may stand before it.
pub(super) fn of_fio(said: &str) -> Vec<Figure> {
    let from = said.find('{').unwrap_or(said.len());
    let mut documents = serde_json::Deserializer::from_str(&said[from..]).into_iter::<Value>();
    let Some(Ok(document)) = documents.next() else {
        return Vec::new();
    };
    let jobs = document.get("jobs").and_then(Value::as_array);
    let mut figures = Vec::new();
    for job in jobs.into_iter().flatten() {
        let name = job.get("jobname").and_then(Value::as_str);
        let name = name.unwrap_or("fio");
        for way in ["read", "write"] {
            let Some(measured) = job.get(way) else {
                continue;
            };
            let bytes = measured.get("bw_bytes").and_then(Value::as_u64);
            let iops = measured.get("iops").and_then(Value::as_f64);
            let moved = measured.get("io_bytes").and_then(Value::as_u64);
            if moved == Some(0) {
                continue;
            }
            let told = |value, unit| figure(format!("{name} {way}"), value, unit);
            figures.extend(bytes.map(|value| told(value, "B/s")));
            figures.extend(
                iops.and_then(whole)
                    .map(|value| told(value, "operations/s")),
            );
        }
        let errors = job.get("total_err").and_then(Value::as_u64);
        let errors = errors.map(|value| figure(format!("{name} errors"), value, "errors"));
        figures.extend(errors);
    }
    figures
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn metrics_of_stress_ng_are_found() {
        // As stress-ng 0.15.06 writes them.
        let metrics = "---\nsystem-info:\n      stress-ng-version: 0.15.06\n\nmetrics:\n\
            \x20   - stressor: vm\n      bogo-ops: 62790\n\
            \x20     bogo-ops-per-second-usr-sys-time: 3153.691612\n\
            \x20     bogo-ops-per-second-real-time: 6276.512345\n      wall-clock-time: 10.004282\n...\n";
        let expected = figure("vm".into(), 6277, "operations/s");
        assert_eq!(of_stress_ng(metrics), [expected]);
        assert!(of_stress_ng("bogo-ops-per-second-real-time: nan").is_empty());
        assert!(of_stress_ng("").is_empty());
    }

    #[test]
    fn jobs_of_fio_are_found() {
        let said = r#"fio: a remark
{"fio version": "fio-3.33", "jobs": [
  {"jobname": "/dev/sda", "total_err": 2,
   "read": {"io_bytes": 10, "bw_bytes": 1048576, "iops": 256.4},
   "write": {"io_bytes": 0, "bw_bytes": 0, "iops": 0.0}}]}
and another"#;
        let expected = [
            figure("/dev/sda read".into(), 1_048_576, "B/s"),
            figure("/dev/sda read".into(), 256, "operations/s"),
            figure("/dev/sda errors".into(), 2, "errors"),
        ];
        assert_eq!(of_fio(said), expected);
        for nothing in ["", "no", "{", "[]", "{}", r#"{"jobs": [1, {}]}"#] {
            assert!(of_fio(nothing).is_empty(), "{nothing}");
        }
    }

    proptest! {
        #[test]
        fn nothing_panics(text: String, number: f64) {
            let _ = (of_fio(&text), of_stress_ng(&text), whole(number));
            let _ = of_stress_ng(&format!("bogo-ops-per-second-real-time: {number}"));
        }
    }
}
