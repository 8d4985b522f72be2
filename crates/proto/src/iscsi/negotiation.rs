//! The operational keys of a login and how each is negotiated (RFC 7143 §13).

use super::{DEFAULT_SEGMENT, frame::Framing, text::Pairs};

/// The range of segment and burst lengths (§13.12–13.14).
const LENGTHS: std::ops::RangeInclusive<u32> = 512..=0xff_ffff;

/// What our side proposes, or agrees to at most.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Offer {
    /// Whether an initiator proposes digests. A target of ours accepts them in any case.
    pub header_digest: bool,
    pub data_digest: bool,
    /// The largest data segment that we receive.
    pub receive_segment: u32,
    pub max_burst: u32,
    pub first_burst: u32,
}

impl Default for Offer {
    fn default() -> Self {
        Self {
            header_digest: false,
            data_digest: false,
            receive_segment: 262_144,
            max_burst: 1 << 20,
            first_burst: 262_144,
        }
    }
}

/// What both sides agreed on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Parameters {
    pub header_digest: bool,
    pub data_digest: bool,
    /// The largest data segment that the other side receives.
    pub send_segment: u32,
    /// The largest data segment that we receive; the default until we declared another.
    pub receive_segment: u32,
    pub max_burst: u32,
    pub first_burst: u32,
    pub initial_r2t: bool,
    pub immediate_data: bool,
    pub max_outstanding_r2t: u32,
}

impl Default for Parameters {
    /// What holds for keys that nobody mentions.
    fn default() -> Self {
        Self {
            header_digest: false,
            data_digest: false,
            send_segment: DEFAULT_SEGMENT,
            receive_segment: DEFAULT_SEGMENT,
            max_burst: 262_144,
            first_burst: 65_536,
            initial_r2t: true,
            immediate_data: true,
            max_outstanding_r2t: 1,
        }
    }
}

/// A value is not one that the key may have.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the value of {0} is invalid")]
pub struct InvalidValue(pub String);

/// What the responder does about a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reply {
    /// It answers with this value.
    Value(String),
    /// The key is a declaration, which has no answer.
    None,
}

impl Reply {
    fn number(value: u32) -> Self {
        Self::Value(value.to_string())
    }

    fn boolean(value: bool) -> Self {
        Self::Value(if value { "Yes" } else { "No" }.to_owned())
    }
}

impl Parameters {
    /// How the PDUs that we receive are framed.
    pub fn receive_framing(&self) -> Framing {
        Framing {
            header_digest: self.header_digest,
            data_digest: self.data_digest,
            segment_limit: self.receive_segment as usize,
        }
    }

    /// How the PDUs that we send are framed.
    pub fn send_framing(&self) -> Framing {
        Framing {
            segment_limit: self.send_segment as usize,
            ..self.receive_framing()
        }
    }

    /// A target's answer to a key of the initiator.
    pub fn answer(&mut self, offer: &Offer, key: &str, value: &str) -> Result<Reply, InvalidValue> {
        let wrong = || InvalidValue(key.to_owned());
        let length = || {
            let length = parse_number(value).filter(|length| LENGTHS.contains(length));
            length.ok_or_else(wrong)
        };
        let number = |limit: u32| {
            let number = parse_number(value).filter(|number| *number <= limit);
            number.ok_or_else(wrong)
        };
        let flag = || parse_boolean(value).ok_or_else(wrong);
        Ok(match key {
            "HeaderDigest" => choose_digest(&mut self.header_digest, value),
            "DataDigest" => choose_digest(&mut self.data_digest, value),
            "MaxRecvDataSegmentLength" => {
                self.send_segment = length()?;
                Reply::None
            }
            "MaxBurstLength" => {
                self.max_burst = length()?.min(offer.max_burst);
                self.first_burst = self.first_burst.min(self.max_burst);
                Reply::number(self.max_burst)
            }
            "FirstBurstLength" => {
                self.first_burst = length()?.min(offer.first_burst).min(self.max_burst);
                Reply::number(self.first_burst)
            }
            "InitialR2T" => {
                self.initial_r2t = flag()?;
                Reply::boolean(self.initial_r2t)
            }
            "ImmediateData" => {
                self.immediate_data = flag()?;
                Reply::boolean(self.immediate_data)
            }
            "MaxOutstandingR2T" => {
                number(65_535)?;
                self.max_outstanding_r2t = 1;
                Reply::number(1)
            }
            "MaxConnections" => {
                number(65_535)?;
                Reply::number(1)
            }
            "ErrorRecoveryLevel" => {
                number(2)?;
                Reply::number(0)
            }
            // The larger of both, and nothing of a session is kept.
            "DefaultTime2Wait" => Reply::number(number(3600)?.max(2)),
            "DefaultTime2Retain" => {
                number(3600)?;
                Reply::number(0)
            }
            "DataPDUInOrder" | "DataSequenceInOrder" => {
                flag()?;
                Reply::boolean(true)
            }
            "OFMarker" | "IFMarker" => {
                flag()?;
                Reply::boolean(false)
            }
            "OFMarkInt" | "IFMarkInt" => Reply::Value("Irrelevant".to_owned()),
            "TaskReporting" => Reply::Value("RFC3720".to_owned()),
            "iSCSIProtocolLevel" => Reply::number(number(255)?.min(1)),
            "InitiatorAlias" => Reply::None,
            _ => Reply::Value("NotUnderstood".to_owned()),
        })
    }

    /// The keys that an initiator proposes. Of those, a discovery session needs few.
    pub fn propose(offer: &Offer, discovery: bool) -> Pairs {
        let digest = |on| if on { "CRC32C,None" } else { "None" };
        let mut pairs = Pairs::default();
        pairs.push("HeaderDigest", digest(offer.header_digest));
        pairs.push("DataDigest", digest(offer.data_digest));
        pairs.push(
            "MaxRecvDataSegmentLength",
            offer.receive_segment.to_string(),
        );
        pairs.push("DefaultTime2Wait", "0");
        pairs.push("DefaultTime2Retain", "0");
        pairs.push("ErrorRecoveryLevel", "0");
        if !discovery {
            pairs.push("MaxBurstLength", offer.max_burst.to_string());
            pairs.push("FirstBurstLength", offer.first_burst.to_string());
            pairs.push("InitialR2T", "No");
            pairs.push("ImmediateData", "Yes");
            pairs.push("MaxOutstandingR2T", "16");
            pairs.push("MaxConnections", "1");
            pairs.push("DataPDUInOrder", "Yes");
            pairs.push("DataSequenceInOrder", "Yes");
        }
        pairs
    }

    /// An initiator learns the target's answer to a proposal, or a key that the target brings up.
    /// Keys that a target does not answer keep their defaults.
    pub fn accept(&mut self, key: &str, value: &str) -> Result<(), InvalidValue> {
        if matches!(value, "Reject" | "Irrelevant" | "NotUnderstood") {
            return Ok(());
        }
        let wrong = || InvalidValue(key.to_owned());
        let length = || {
            let length = parse_number(value).filter(|length| LENGTHS.contains(length));
            length.ok_or_else(wrong)
        };
        let flag = || parse_boolean(value).ok_or_else(wrong);
        match key {
            "HeaderDigest" => self.header_digest = parse_digest(value).ok_or_else(wrong)?,
            "DataDigest" => self.data_digest = parse_digest(value).ok_or_else(wrong)?,
            "MaxRecvDataSegmentLength" => self.send_segment = length()?,
            "MaxBurstLength" => self.max_burst = length()?,
            "FirstBurstLength" => self.first_burst = length()?,
            "InitialR2T" => self.initial_r2t = flag()?,
            "ImmediateData" => self.immediate_data = flag()?,
            "MaxOutstandingR2T" => {
                let number = parse_number(value).filter(|number| (1..=65_535).contains(number));
                self.max_outstanding_r2t = number.ok_or_else(wrong)?;
            }
            "ErrorRecoveryLevel" if parse_number(value) != Some(0) => return Err(wrong()),
            "DataPDUInOrder" | "DataSequenceInOrder" if !flag()? => return Err(wrong()),
            "OFMarker" | "IFMarker" if flag()? => return Err(wrong()),
            _ => {}
        }
        self.first_burst = self.first_burst.min(self.max_burst);
        Ok(())
    }
}

/// The first of the initiator's list that we know.
fn choose_digest(digest: &mut bool, list: &str) -> Reply {
    let chosen = list.split(',').find_map(parse_digest);
    let Some(on) = chosen else {
        return Reply::Value("Reject".to_owned());
    };
    *digest = on;
    Reply::Value(if on { "CRC32C" } else { "None" }.to_owned())
}

fn parse_digest(value: &str) -> Option<bool> {
    match value {
        "CRC32C" => Some(true),
        "None" => Some(false),
        _ => None,
    }
}

fn parse_boolean(value: &str) -> Option<bool> {
    match value {
        "Yes" => Some(true),
        "No" => Some(false),
        _ => None,
    }
}

/// Decimal or hexadecimal (§6.1).
fn parse_number(value: &str) -> Option<u32> {
    match value
        .strip_prefix("0x")
        .or_else(|| value.strip_prefix("0X"))
    {
        Some(digits) => u32::from_str_radix(digits, 16).ok(),
        None => value.parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answered(parameters: &mut Parameters, key: &str, value: &str) -> String {
        match parameters.answer(&Offer::default(), key, value) {
            Ok(Reply::Value(value)) => value,
            Ok(Reply::None) => "-".to_owned(),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn what_a_target_answers() {
        let mut parameters = Parameters::default();
        for (key, value, answer) in [
            ("HeaderDigest", "CRC32C,None", "CRC32C"),
            ("DataDigest", "None,CRC32C", "None"),
            ("DataDigest", "MD5", "Reject"),
            ("MaxRecvDataSegmentLength", "0x40000", "-"),
            ("MaxBurstLength", "16776192", "1048576"),
            ("FirstBurstLength", "262144", "262144"),
            ("InitialR2T", "No", "No"),
            ("ImmediateData", "Yes", "Yes"),
            ("MaxOutstandingR2T", "8", "1"),
            ("ErrorRecoveryLevel", "2", "0"),
            ("DefaultTime2Wait", "0", "2"),
            ("IFMarker", "No", "No"),
            ("X-com.example", "1", "NotUnderstood"),
            ("InitialR2T", "yes", "the value of InitialR2T is invalid"),
            (
                "MaxBurstLength",
                "511",
                "the value of MaxBurstLength is invalid",
            ),
        ] {
            assert_eq!(
                answered(&mut parameters, key, value),
                answer,
                "{key}={value}"
            );
        }
        assert_eq!(
            parameters,
            Parameters {
                header_digest: true,
                send_segment: 262_144,
                max_burst: 1 << 20,
                first_burst: 262_144,
                initial_r2t: false,
                ..Parameters::default()
            }
        );
    }

    #[test]
    fn what_an_initiator_accepts() {
        let mut parameters = Parameters::default();
        for (key, value) in [
            ("MaxBurstLength", "4096"),
            ("DataDigest", "Reject"),
            ("MaxOutstandingR2T", "1"),
            ("TargetAlias", "disk"),
        ] {
            assert_eq!(parameters.accept(key, value), Ok(()));
        }
        assert_eq!((parameters.max_burst, parameters.first_burst), (4096, 4096));
        for (key, value) in [
            ("ErrorRecoveryLevel", "2"),
            ("DataPDUInOrder", "No"),
            ("MaxBurstLength", "99999999999"),
            ("HeaderDigest", "CRC64"),
        ] {
            assert_eq!(
                parameters.accept(key, value),
                Err(InvalidValue(key.to_owned()))
            );
        }
    }
}
