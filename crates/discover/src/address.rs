//! The addresses to ask: networks, spans and single ones, from the command line or from a file.
//!
//! Names are not looked up: what a name leads to tomorrow may be another machine. A mistyped prefix
//! would ask half the Internet, so there is a limit on how many addresses one scan may have.

use std::{
    collections::HashSet,
    net::{IpAddr, Ipv4Addr},
    ops::RangeInclusive,
};

/// As many as a /16 has.
pub const MOST_ADDRESSES: usize = 1 << 16;

/// Why a text names no addresses to ask.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RangeError {
    #[error(
        "'{0}' is no range: expected a network such as 10.0.0.0/24, a span such as \
         10.0.0.10-10.0.0.20, or an address"
    )]
    Form(String),
    #[error("the last address of '{0}' stands before the first")]
    Backwards(String),
    #[error("the network '{0}' starts at {1}; write {1}/{2}")]
    NotItsStart(String, Ipv4Addr, u8),
    #[error("'{0}' is a network of IPv6, which is too large to go through; list its addresses")]
    TooWide(String),
    #[error("more than {MOST_ADDRESSES} addresses; scan them in parts")]
    TooMany,
    #[error("there is no address to ask")]
    None,
}

/// All addresses of some ranges, each once, in the order they come.
pub fn addresses<S: AsRef<str>>(ranges: &[S]) -> Result<Vec<IpAddr>, RangeError> {
    let mut all = Vec::new();
    let mut seen = HashSet::new();
    for text in ranges {
        for address in one(text.as_ref().trim())? {
            if !seen.insert(address) {
                continue;
            }
            if all.len() == MOST_ADDRESSES {
                return Err(RangeError::TooMany);
            }
            all.push(address);
        }
    }
    match all.is_empty() {
        true => Err(RangeError::None),
        false => Ok(all),
    }
}

/// The ranges of a file: one a line; what follows a `#` is a comment.
pub fn listed(text: &str) -> Vec<&str> {
    let lines = text.lines().map(|line| match line.split_once('#') {
        Some((range, _)) => range.trim(),
        None => line.trim(),
    });
    lines.filter(|range| !range.is_empty()).collect()
}

fn one(text: &str) -> Result<Box<dyn Iterator<Item = IpAddr>>, RangeError> {
    let form = || RangeError::Form(text.to_owned());
    if let Some((base, bits)) = text.split_once('/') {
        let base: IpAddr = base.parse().map_err(|_| form())?;
        let bits: u8 = bits.parse().map_err(|_| form())?;
        return match base {
            IpAddr::V4(base) if bits <= 32 => Ok(Box::new(hosts(text, base, bits)?.map(v4))),
            IpAddr::V6(base) if bits == 128 => Ok(Box::new(std::iter::once(base.into()))),
            IpAddr::V6(_) if bits < 128 => Err(RangeError::TooWide(text.to_owned())),
            _ => Err(form()),
        };
    }
    if let Some((first, last)) = text.split_once('-') {
        let first: Ipv4Addr = first.trim().parse().map_err(|_| form())?;
        let last: Ipv4Addr = last.trim().parse().map_err(|_| form())?;
        return match first <= last {
            true => Ok(Box::new((first.to_bits()..=last.to_bits()).map(v4))),
            false => Err(RangeError::Backwards(text.to_owned())),
        };
    }
    let address: IpAddr = text.parse().map_err(|_| form())?;
    Ok(Box::new(std::iter::once(address)))
}

/// The addresses of a network that hosts can have: not its first and last, where it has others.
fn hosts(text: &str, base: Ipv4Addr, bits: u8) -> Result<RangeInclusive<u32>, RangeError> {
    let size = 1u64 << (32 - bits);
    let mask = u32::try_from(size - 1).unwrap_or(u32::MAX);
    let start = base.to_bits() & !mask;
    if start != base.to_bits() {
        let start = Ipv4Addr::from_bits(start);
        return Err(RangeError::NotItsStart(text.to_owned(), start, bits));
    }
    Ok(match bits {
        31 | 32 => start..=start | mask,
        _ => start + 1..=(start | mask) - 1,
    })
}

fn v4(bits: u32) -> IpAddr {
    Ipv4Addr::from_bits(bits).into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of(ranges: &[&str]) -> Vec<String> {
        let all = addresses(ranges).unwrap();
        all.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn networks_spans_and_addresses_are_gone_through_once_each() {
        assert_eq!(of(&["10.0.0.0/30"]), ["10.0.0.1", "10.0.0.2"]);
        assert_eq!(of(&["10.0.0.0/31"]), ["10.0.0.0", "10.0.0.1"]);
        assert_eq!(of(&["10.0.0.7/32", "fd00::7"]), ["10.0.0.7", "fd00::7"]);
        let mixed = of(&["10.0.0.2 - 10.0.0.4", "10.0.0.0/29", "10.0.0.3"]);
        assert_eq!(mixed.len(), 6);
        assert_eq!(mixed[0], "10.0.0.2");
        assert_eq!(addresses(&["127.1.0.0/20"]).unwrap().len(), 4094);
    }

    #[test]
    fn what_names_no_addresses_is_refused_with_what_was_expected() {
        let refused = |text: &str| addresses(&[text]).unwrap_err();
        assert_eq!(
            refused("bmc.example"),
            RangeError::Form("bmc.example".into())
        );
        assert_eq!(
            refused("10.0.0.0/33"),
            RangeError::Form("10.0.0.0/33".into())
        );
        assert!(refused("10.0.0.5/24").to_string().contains("10.0.0.0/24"));
        assert!(matches!(
            refused("10.0.0.9-10.0.0.1"),
            RangeError::Backwards(_)
        ));
        assert!(matches!(refused("fd00::/64"), RangeError::TooWide(_)));
        assert_eq!(refused("0.0.0.0/0"), RangeError::TooMany);
        assert_eq!(addresses::<&str>(&[]), Err(RangeError::None));
    }

    #[test]
    fn files_have_comments_and_empty_lines() {
        let text = "# rack 7\n10.0.0.7\n\n 10.0.1.0/24 # the other one\n";
        assert_eq!(listed(text), ["10.0.0.7", "10.0.1.0/24"]);
    }

    proptest! {
        #[test]
        fn no_text_takes_long_or_panics(text in "[0-9a-f.:/ -]{0,40}") {
            let found = addresses(&[&text]);
            prop_assert!(found.is_err() || found.unwrap().len() <= MOST_ADDRESSES);
        }
    }
}
