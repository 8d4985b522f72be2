//! `--disk`: which disk of a machine the image goes to, as root device hints.

use serde_json::{Map, Value, json};

use crate::error::Error;

/// Hints that are compared as texts.
const TEXTS: &[&str] = &[
    "name",
    "by_path",
    "model",
    "vendor",
    "serial",
    "wwn",
    "wwn_with_extension",
    "wwn_vendor_extension",
    "hctl",
];

/// The hints that `--disk` stands for: a device, or pairs with commas between them.
pub(super) fn hints(given: &str) -> Result<Value, Error> {
    let wrong = |why: &str| {
        Error::usage(format!("--disk {given}: {why}")).with_hint(
            "give a device (/dev/sda), or what the disk is known by: serial=…, wwn=…, model=…, \
             by_path=…, size>=100 (GiB), rotational=false",
        )
    };
    if given.starts_with("/dev/disk/by-path/") {
        return Ok(json!({"by_path": given}));
    }
    if given.starts_with("/dev/") {
        return Ok(json!({"name": given}));
    }
    let mut hints = Map::new();
    for pair in given.split(',') {
        let (key, value) = match pair.split_once(">=") {
            Some(("size", least)) if least.parse::<u64>().is_ok() => {
                ("size", json!(format!(">= {least}")))
            }
            Some(_) => return Err(wrong("only a size has a least value, in GiB")),
            None => match pair.split_once('=') {
                Some(("size", size)) => match size.parse::<u64>() {
                    Ok(size) => ("size", json!(size)),
                    Err(_) => return Err(wrong("a size is a number of GiB")),
                },
                Some(("rotational", word @ ("true" | "false"))) => {
                    ("rotational", json!(word == "true"))
                }
                Some((key, value)) if TEXTS.contains(&key) && !value.is_empty() => {
                    (key, json!(value))
                }
                _ => return Err(wrong(&format!("'{pair}' is not understood"))),
            },
        };
        if hints.insert(key.to_owned(), value).is_some() {
            return Err(wrong(&format!("{key} is given twice")));
        }
    }
    Ok(Value::Object(hints))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn disks_are_named_or_described() {
        for (given, expected) in [
            ("/dev/sda", json!({"name": "/dev/sda"})),
            (
                "/dev/disk/by-path/pci-1",
                json!({"by_path": "/dev/disk/by-path/pci-1"}),
            ),
            ("serial=S1", json!({"serial": "S1"})),
            (
                "size>=100,rotational=false",
                json!({"size": ">= 100", "rotational": false}),
            ),
            ("size=100", json!({"size": 100})),
        ] {
            assert_eq!(hints(given).unwrap(), expected, "{given}");
        }
        for wrong in [
            "",
            "sda",
            "serial=",
            "colour=red",
            "size=large",
            "model>=3",
            "rotational=yes",
            "serial=a,serial=b",
        ] {
            assert_eq!(hints(wrong).unwrap_err().exit_code(), 2, "{wrong}");
        }
    }
}
