//! What is said to the manager of a SeaMicro chassis, and what it answers: REST version 2.
//!
//! Documents are JSON. There is no session: a user and a password are part of every request, in the
//! query where it has no document ([`credentials`]).

use serde_json::{Map, Value, json};
use std::fmt;

/// A chassis has no more network interfaces, pools or volumes.
const MOST: usize = 4096;

/// An answer that is of no use.
#[derive(Debug, thiserror::Error)]
pub enum AnswerError {
    #[error("it is no JSON: {0}")]
    Json(#[from] serde_json::Error),
    #[error("it is no object")]
    NoObject,
    #[error("it has more than {MOST} entries")]
    TooMany,
}

/// Which server of a chassis: the card, and the processor on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ServerId {
    pub card: u32,
    pub processor: u32,
}

impl ServerId {
    /// Reads `87/0`.
    pub fn parse(text: &str) -> Option<Self> {
        let (card, processor) = text.split_once('/')?;
        let number = |text: &str| {
            let is_number = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
            text.parse().ok().filter(|_| is_number)
        };
        Some(Self {
            card: number(card)?,
            processor: number(processor)?,
        })
    }
}

impl fmt::Display for ServerId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.card, self.processor)
    }
}

/// A volume: the slot of the storage card, the pool, and its own name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VolumeId {
    /// `0/ironic-p0`: the slot with the pool.
    pub pool: String,
    pub name: String,
}

impl VolumeId {
    /// Reads `0/ironic-p0/a1b2`.
    pub fn parse(text: &str) -> Option<Self> {
        let (pool, name) = text.rsplit_once('/')?;
        let (slot, own) = pool.split_once('/')?;
        let is_plain = |part: &str| {
            let fits = |b: u8| b.is_ascii_alphanumeric() || b"-_.".contains(&b);
            let climbs = part.bytes().all(|b| b == b'.');
            part.len() <= 128 && part.bytes().all(fits) && !climbs
        };
        [slot, own, name].into_iter().all(is_plain).then(|| Self {
            pool: pool.to_owned(),
            name: name.to_owned(),
        })
    }

    /// Whether the pool is one that is set aside for Ironic.
    pub fn is_of_ironic(&self) -> bool {
        is_of_ironic(&self.pool)
    }
}

impl fmt::Display for VolumeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.pool, self.name)
    }
}

fn is_of_ironic(pool: &str) -> bool {
    let own = pool.split_once('/').map_or("", |(_, own)| own);
    own.to_ascii_lowercase().contains("ironic-")
}

/// What a server is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    PowerOn,
    Reset,
    BootOrder(BootOrder),
}

/// What a server tries to boot from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BootOrder {
    Disk,
    Pxe,
}

impl BootOrder {
    pub const fn word(self) -> &'static str {
        match self {
            Self::Disk => "hd0",
            // Without another entry the firmware takes none.
            Self::Pxe => "pxe,hd0",
        }
    }
}

impl Action {
    /// The document that says so.
    pub fn document(self) -> Value {
        match self {
            Self::PowerOn => json!({"action": "power-on"}),
            Self::Reset => json!({"action": "reset"}),
            Self::BootOrder(order) => {
                json!({"action": "set-bios-boot-order", "boot-order": order.word()})
            }
        }
    }
}

/// The query of a request without a document. Ironic's client wrote names and passwords as they are,
/// which ends the query at the first `&`.
pub fn credentials(user: &str, password: &str) -> String {
    format!(
        "username={}&password={}",
        percent_encoded(user),
        percent_encoded(password)
    )
}

/// RFC 3986, section 2.1: all but the unreserved characters.
pub fn percent_encoded(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                out.push(char::from(byte));
            }
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

/// Whether a server is on, where the answer says so.
pub fn is_active(text: &str) -> Result<Option<bool>, AnswerError> {
    Ok(object(text)?.get("active").and_then(Value::as_bool))
}

/// A network interface of a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Nic {
    pub number: u32,
    pub untagged_vlan: Option<u16>,
}

/// The network interfaces of a server, by number.
pub fn nics(text: &str) -> Result<Vec<Nic>, AnswerError> {
    let mut nics: Vec<Nic> = object(text)?
        .into_iter()
        .filter_map(|(number, about)| {
            Some(Nic {
                number: number.parse().ok()?,
                untagged_vlan: about.get("untaggedVlan").and_then(vlan),
            })
        })
        .collect();
    nics.sort_unstable_by_key(|nic| nic.number);
    Ok(nics)
}

/// The number of a VLAN (IEEE 802.1Q, section 9.6), be it a number or a text.
pub fn vlan(value: &Value) -> Option<u16> {
    let number = match value {
        Value::String(text) => text.trim().parse().ok()?,
        value => value.as_u64()?,
    };
    u16::try_from(number)
        .ok()
        .filter(|number| (1..=4094).contains(number))
}

/// The pools of Ironic, that with the least room first.
pub fn pools_of_ironic(text: &str) -> Result<Vec<String>, AnswerError> {
    let size = |about: &Value| match about.get("freeSize") {
        Some(Value::String(text)) => text.trim().parse::<f64>().ok(),
        Some(value) => value.as_f64(),
        None => None,
    };
    let is_pool = |name: &str| VolumeId::parse(&format!("{name}/a")).is_some();
    let mut pools: Vec<(f64, String)> = object(text)?
        .into_iter()
        .filter(|(name, _)| is_of_ironic(name) && is_pool(name))
        .map(|(name, about)| (size(&about).unwrap_or(f64::INFINITY), name))
        .collect();
    pools.sort_by(|(a, _), (b, _)| a.total_cmp(b));
    Ok(pools.into_iter().map(|(_, name)| name).collect())
}

fn object(text: &str) -> Result<Map<String, Value>, AnswerError> {
    match serde_json::from_str(text)? {
        Value::Object(map) if map.len() > MOST => Err(AnswerError::TooMany),
        Value::Object(map) => Ok(map),
        _ => Err(AnswerError::NoObject),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn servers_and_volumes_have_plain_names() {
        let id = ServerId::parse("87/0").unwrap();
        assert_eq!((id.card, id.processor), (87, 0));
        assert_eq!(id.to_string(), "87/0");
        for odd in ["87", "87/", "/0", "87/0/1", "-1/0", "+1/0", "a/0", "1/ 0"] {
            assert_eq!(ServerId::parse(odd), None, "{odd}");
        }
        let volume = VolumeId::parse("0/Ironic-p0/a1b2").unwrap();
        assert!(volume.is_of_ironic());
        assert_eq!(volume.to_string(), "0/Ironic-p0/a1b2");
        assert!(!VolumeId::parse("ironic-0/p0/a").unwrap().is_of_ironic());
        for odd in ["a/b", "a/b/", "0/p/../x", "0/../a", "0/p 1/a", "0/p?/a"] {
            assert_eq!(VolumeId::parse(odd), None, "{odd}");
        }
    }

    #[test]
    fn credentials_survive_the_query() {
        let written = credentials("a b", "p&w=%é");
        assert_eq!(written, "username=a%20b&password=p%26w%3D%25%C3%A9");
    }

    #[test]
    fn what_is_asked_is_as_the_chassis_wants_it() {
        let action = Action::BootOrder(BootOrder::Pxe).document();
        assert_eq!(
            action,
            json!({"action": "set-bios-boot-order", "boot-order": "pxe,hd0"})
        );
        assert_eq!(Action::PowerOn.document(), json!({"action": "power-on"}));
    }

    #[test]
    fn answers_are_read() {
        assert_eq!(is_active(r#"{"active": true}"#).unwrap(), Some(true));
        assert_eq!(is_active(r#"{"active": null}"#).unwrap(), None);
        assert!(matches!(is_active("[]"), Err(AnswerError::NoObject)));
        assert!(matches!(is_active("<a/>"), Err(AnswerError::Json(_))));
        let text = r#"{"1": {"untaggedVlan": ""}, "0": {"untaggedVlan": "12"}, "x": {}}"#;
        let nic = |number, untagged_vlan| Nic {
            number,
            untagged_vlan,
        };
        assert_eq!(nics(text).unwrap(), [nic(0, Some(12)), nic(1, None)]);
        for odd in [json!(0), json!("4095"), json!(-1), json!(true), json!("a")] {
            assert_eq!(vlan(&odd), None, "{odd}");
        }
        let text = r#"{"0/ironic-a": {"freeSize": 9}, "1/ironic-b": {"freeSize": "5"},
                       "1/other": {"freeSize": 1}, "2/ironic-c": {}}"#;
        let pools = ["1/ironic-b", "0/ironic-a", "2/ironic-c"];
        assert_eq!(pools_of_ironic(text).unwrap(), pools);
        assert!(pools_of_ironic("{}").unwrap().is_empty());
    }

    #[test]
    fn entries_are_counted() {
        let many: Map<String, Value> = (0..=MOST)
            .map(|number| (number.to_string(), json!({})))
            .collect();
        let text = Value::Object(many).to_string();
        assert!(matches!(nics(&text), Err(AnswerError::TooMany)));
    }
}
