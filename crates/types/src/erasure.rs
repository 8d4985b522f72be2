//! What was erased on a machine and how: what an agent reports, and the certificate that the service
//! makes of it.
//!
//! An agent runs on a machine that somebody else had before, so what it says is read with limits and
//! is called the agent's word in the certificate. Texts that say more than a limit are cut; a report
//! with more disks than a machine has, or with numbers that JSON readers round, is refused whole.

use crate::{CertificateId, NodeId, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// The key of the report in the result of a step.
pub const REPORT: &str = "corten_erasure";

/// More disks than any machine has.
const MOST_DISKS: usize = 1024;
/// The longest text of a disk that is kept, in characters.
const MOST_TEXT: usize = 128;
/// Beyond this, programs that read numbers of JSON as floating point numbers round them.
const MOST_NUMBER: u64 = (1 << 53) - 1;

crate::wire_enum! {
    /// How the data of a disk was made unreachable.
    pub enum ErasureMethod {
        /// The disk wrote over its sectors (SECURITY ERASE UNIT).
        AtaSecureErase = "ata-secure-erase",
        /// As before, those too that it had taken out of use.
        AtaEnhancedSecureErase = "ata-enhanced-secure-erase",
        /// The disk erased its cells (Format NVM, user data erase).
        NvmeFormat = "nvme-format",
        /// The disk threw the key away that its data is encrypted with (Format NVM, cryptographic erase).
        NvmeCryptographicErase = "nvme-cryptographic-erase",
        /// The disk was told that nothing on it is needed.
        Discard = "discard",
        /// Every byte was written over.
        Overwrite = "overwrite",
        /// Only tables and signatures were removed: the data can be recovered.
        Metadata = "metadata",
    }
}

/// What an agent reports of a step that erased disks.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ErasureReport {
    pub disks: Vec<ErasedDisk>,
}

/// A disk, and what was done with it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ErasedDisk {
    pub name: String,
    pub vendor: Option<String>,
    pub model: Option<String>,
    pub serial: Option<String>,
    pub wwn: Option<String>,
    /// In bytes.
    pub size: u64,
    #[serde(flatten)]
    pub outcome: DiskOutcome,
}

/// What was done with a disk.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "result", rename_all = "lowercase")]
pub enum DiskOutcome {
    Erased(Erasure),
    /// It was left alone.
    Skipped {
        reason: String,
    },
}

/// How a disk was erased.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Erasure {
    pub method: ErasureMethod,
    /// For [`ErasureMethod::Overwrite`]: how often with random bytes, and then how often with zeros.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub random_passes: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub zero_passes: Option<u64>,
    /// By the clock of the machine.
    pub started_at: String,
    pub finished_at: String,
    /// What reading random places afterwards showed; nothing if only metadata was removed.
    pub verification: Option<Sampling>,
}

/// What was found at places of a disk after it was erased.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sampling {
    pub samples: u64,
    pub bytes_each: u64,
    /// Zeros, or another fill pattern.
    pub blank: u64,
    /// Other bytes than before.
    pub changed: u64,
    /// What was there before.
    pub remaining: u64,
    /// Could not be read, before or afterwards.
    pub undecided: u64,
}

impl ErasureReport {
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

    /// Whether something was erased at all.
    pub fn has_erased(&self) -> bool {
        let mut outcomes = self.disks.iter().map(|disk| &disk.outcome);
        outcomes.any(|outcome| matches!(outcome, DiskOutcome::Erased(_)))
    }

    /// With what it says within limits.
    fn checked(mut self) -> Result<Self, String> {
        let count = self.disks.len();
        if count > MOST_DISKS {
            return Err(format!(
                "it names {count} disks, at most {MOST_DISKS} are allowed"
            ));
        }
        for disk in &mut self.disks {
            disk.name = bounded(&disk.name);
            for text in [
                &mut disk.vendor,
                &mut disk.model,
                &mut disk.serial,
                &mut disk.wwn,
            ] {
                *text = text.as_deref().map(bounded);
            }
            let mut numbers = vec![disk.size];
            match &mut disk.outcome {
                DiskOutcome::Skipped { reason } => *reason = bounded(reason),
                DiskOutcome::Erased(erasure) => {
                    for at in [&mut erasure.started_at, &mut erasure.finished_at] {
                        let read = Timestamp::parse(at).filter(|at| at.0 >= 0);
                        let read =
                            read.ok_or_else(|| format!("'{}' is not a time", bounded(at)))?;
                        *at = read.to_string();
                    }
                    numbers.extend(erasure.random_passes);
                    numbers.extend(erasure.zero_passes);
                    let sampling = erasure.verification.unwrap_or_default();
                    numbers.extend([
                        sampling.samples,
                        sampling.bytes_each,
                        sampling.blank,
                        sampling.changed,
                        sampling.remaining,
                        sampling.undecided,
                    ]);
                }
            }
            if let Some(number) = numbers.iter().find(|number| **number > MOST_NUMBER) {
                return Err(format!("the number {number} is too large"));
            }
        }
        Ok(self)
    }
}

/// A text of a machine as it can be kept and shown: cut, and without control characters, which not all
/// writers of JSON spell alike.
pub fn bounded(text: &str) -> String {
    let shown = text.chars().take(MOST_TEXT);
    shown
        .map(|c| {
            if c.is_control() {
                char::REPLACEMENT_CHARACTER
            } else {
                c
            }
        })
        .collect()
}

/// A certificate as it is kept. It does not go with its node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EraseCertificate {
    /// The number of its row; 0 before it is stored.
    pub row: i64,
    pub id: CertificateId,
    pub node: NodeId,
    /// The name that the node had then.
    pub node_name: Option<String>,
    pub issued_at: Timestamp,
    /// What is certified: canonical JSON, whose bytes are signed.
    pub document: String,
    pub signature: DocumentSignature,
}

/// Who signed a document, and what.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocumentSignature {
    /// The name of the key in the key ring.
    pub key: String,
    /// In base64, as the signature.
    pub public_key: String,
    pub value: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn disk(outcome: Value) -> Value {
        let mut disk = json!({"name": "/dev/sda", "vendor": null, "model": "M", "serial": "S",
            "wwn": null, "size": 10});
        disk.as_object_mut()
            .unwrap()
            .extend(outcome.as_object().unwrap().clone());
        disk
    }

    fn erased() -> Value {
        disk(
            json!({"result": "erased", "method": "overwrite", "random_passes": 1,
            "zero_passes": 1, "started_at": "2026-01-01T00:00:00Z",
            "finished_at": "2026-01-01T00:00:01Z", "verification": {"samples": 2,
            "bytes_each": 4096, "blank": 2, "changed": 0, "remaining": 0, "undecided": 0}}),
        )
    }

    fn read(disks: Value) -> Result<ErasureReport, String> {
        ErasureReport::of_result(&json!({REPORT: {"disks": disks}})).unwrap()
    }

    #[test]
    fn a_report_is_read_as_it_was_written() {
        let report = read(json!([
            erased(),
            disk(json!({"result": "skipped", "reason": "r"}))
        ]));
        let report = report.unwrap();
        assert!(report.has_erased());
        let again = ErasureReport::of_result(&report.to_result());
        assert_eq!(again.unwrap().unwrap(), report);
        assert!(ErasureReport::of_result(&Value::Null).is_none());
        assert!(!ErasureReport::default().has_erased());
    }

    #[test]
    fn what_an_agent_says_is_bounded() {
        let mut long = erased();
        long["serial"] = "S\u{1b}\n".repeat(1000).into();
        let kept = read(json!([long])).unwrap().disks.remove(0).serial.unwrap();
        assert_eq!(kept.chars().count(), MOST_TEXT);
        assert!(!kept.chars().any(char::is_control), "{kept:?}");
        let with = |key: &str, value: Value| {
            let mut disk = erased();
            disk[key] = value;
            read(json!([disk])).unwrap_err()
        };
        assert!(with("size", u64::MAX.into()).contains("too large"));
        assert!(with("size", (-1).into()).contains("integer"));
        assert!(with("started_at", "yesterday".into()).contains("not a time"));
        assert!(with("started_at", "1969-01-01T00:00:00Z".into()).contains("not a time"));
        assert!(with("method", "prayer".into()).contains("prayer"));
        let many = vec![erased(); MOST_DISKS + 1];
        assert!(read(json!(many)).unwrap_err().contains("1025 disks"));
        assert!(read(json!("none")).is_err());
    }
}
