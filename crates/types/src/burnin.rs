//! What wearing a machine in showed: what an agent reports of a test, and what is kept of it.
//!
//! As with erasures, the figures are the agent's word, read with limits.

use crate::{NodeId, ReportId, Timestamp, erasure::bounded};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// The key of the report in the result of a step.
pub const REPORT: &str = "corten_burnin";

/// More figures than any test has: a few for each disk.
const MOST_FIGURES: usize = 4096;
/// Beyond this, programs that read numbers of JSON as floating point numbers round them.
const MOST_NUMBER: u64 = (1 << 53) - 1;

crate::wire_enum! {
    /// A test, by the step that runs it.
    pub enum BurninTest {
        Cpu = "burnin_cpu",
        Memory = "burnin_memory",
        Disk = "burnin_disk",
        Network = "burnin_network",
        Gpu = "burnin_gpu",
    }
}

crate::wire_enum! {
    /// How a test ended.
    pub enum BurninVerdict {
        Passed = "passed",
        Failed = "failed",
    }
}

/// A number that a test measured.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Figure {
    pub name: String,
    pub value: u64,
    pub unit: String,
}

/// What an agent reports of a test that it passed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BurninReport {
    /// How long the test took.
    pub seconds: u64,
    pub figures: Vec<Figure>,
}

impl BurninReport {
    /// As the result of a step.
    pub fn to_result(&self) -> Value {
        json!({ REPORT: self })
    }

    /// The report in the result of a step, if there is one; an error says why it cannot be taken.
    pub fn of_result(result: &Value) -> Option<Result<Self, String>> {
        let told = result.get(REPORT)?;
        let read = Self::deserialize(told).map_err(|error| error.to_string());
        Some(read.and_then(Self::checked))
    }

    /// With what it says within limits.
    fn checked(mut self) -> Result<Self, String> {
        let count = self.figures.len();
        if count > MOST_FIGURES {
            return Err(format!(
                "it has {count} figures, at most {MOST_FIGURES} are allowed"
            ));
        }
        for figure in &mut self.figures {
            figure.name = bounded(&figure.name);
            figure.unit = bounded(&figure.unit);
        }
        let values = self.figures.iter().map(|figure| figure.value);
        match values
            .chain([self.seconds])
            .find(|value| *value > MOST_NUMBER)
        {
            Some(value) => Err(format!("the number {value} is too large")),
            None => Ok(self),
        }
    }
}

/// A test as it is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommissioningReport {
    /// The number of its row; 0 before it is stored.
    pub row: i64,
    pub id: ReportId,
    pub node: NodeId,
    pub test: BurninTest,
    pub verdict: BurninVerdict,
    pub ended_at: Timestamp,
    /// How long it took, where the agent says so.
    pub seconds: Option<u64>,
    pub figures: Vec<Figure>,
    /// Why it failed.
    pub error: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_is_read_as_it_was_written_and_within_limits() {
        let figure = |value: u64| Figure {
            name: "/dev/sda read".into(),
            value,
            unit: "B/s".into(),
        };
        let report = BurninReport {
            seconds: 7,
            figures: vec![figure(5)],
        };
        let again = BurninReport::of_result(&report.to_result()).unwrap();
        assert_eq!(again.unwrap(), report);
        assert!(BurninReport::of_result(&Value::Null).is_none());
        let many = BurninReport {
            seconds: 7,
            figures: vec![figure(5); MOST_FIGURES + 1],
        };
        let refused = |report: &BurninReport| {
            let read = BurninReport::of_result(&report.to_result()).unwrap();
            read.unwrap_err()
        };
        assert!(refused(&many).contains("4097 figures"));
        let large = BurninReport {
            seconds: 7,
            figures: vec![figure(u64::MAX)],
        };
        assert!(refused(&large).contains("too large"));
        let mut long = report.clone();
        long.figures[0].name = "x\n".repeat(500);
        let kept = BurninReport::of_result(&long.to_result()).unwrap().unwrap();
        assert_eq!(kept.figures[0].name.chars().count(), 128);
    }
}
