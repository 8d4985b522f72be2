//! Settings of the BIOS. Nothing here talks to anybody: what was read is handed in.

use super::{class, field, fields, number};
use proto::xml::Element;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use types::JsonMap;

/// Classes of settings.
pub(super) const CLASSES: [(&str, SettingType); 3] = [
    (class!("DCIM_BIOSEnumeration"), SettingType::Enumeration),
    (class!("DCIM_BIOSString"), SettingType::String),
    (class!("DCIM_BIOSInteger"), SettingType::Integer),
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SettingType {
    Enumeration,
    String,
    Integer,
}

/// Which values a setting may have.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Range {
    OneOf(Vec<String>),
    /// The pattern is in the dialect of Perl, and looked at by the iDRAC only.
    Text {
        shortest: Option<u64>,
        longest: Option<u64>,
        pattern: Option<String>,
    },
    Number {
        lowest: Option<i64>,
        highest: Option<i64>,
    },
}

/// A setting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Setting {
    current: Option<String>,
    pending: Option<String>,
    is_read_only: bool,
    range: Range,
}

pub(super) type Settings = BTreeMap<String, Setting>;

/// Adds the settings of a class; the error is a name that another class has as well.
pub(super) fn add(
    all: &mut Settings,
    kind: SettingType,
    objects: &[Element],
) -> Result<(), String> {
    for object in objects {
        let Some(name) = field(object, "AttributeName") else {
            continue;
        };
        let range = match kind {
            SettingType::Enumeration => {
                let mut values = fields(object, "PossibleValues");
                values.sort();
                Range::OneOf(values)
            }
            SettingType::String => {
                let longest: Option<u64> = number(object, "MaxLength");
                // A BIOS of the thirteenth generation has the name of a constant for the number.
                let pattern = field(object, "ValueExpression").map(|pattern| match longest {
                    Some(longest) => pattern.replace("MAX_ASSET_TAG_LEN", &longest.to_string()),
                    None => pattern,
                });
                Range::Text {
                    shortest: number(object, "MinLength"),
                    longest,
                    pattern,
                }
            }
            SettingType::Integer => Range::Number {
                lowest: number(object, "LowerBound"),
                highest: number(object, "UpperBound"),
            },
        };
        let read_only = field(object, "IsReadOnly").unwrap_or_default();
        let setting = Setting {
            current: field(object, "CurrentValue"),
            pending: field(object, "PendingValue"),
            is_read_only: read_only.eq_ignore_ascii_case("true"),
            range,
        };
        if all.contains_key(&name) {
            return Err(name);
        }
        all.insert(name, setting);
    }
    Ok(())
}

impl Setting {
    /// As vendor methods tell it.
    pub(super) fn record(&self, name: &str) -> Value {
        let mut record = json!({
            "name": name, "current_value": self.current, "pending_value": self.pending,
            "read_only": self.is_read_only,
        });
        match &self.range {
            Range::OneOf(values) => record["possible_values"] = json!(values),
            Range::Text {
                shortest,
                longest,
                pattern,
            } => {
                record["min_length"] = json!(shortest);
                record["max_length"] = json!(longest);
                record["pcre_regex"] = json!(pattern);
            }
            Range::Number { lowest, highest } => {
                for key in ["current_value", "pending_value"] {
                    let value = record[key].as_str().and_then(|it| it.parse::<i64>().ok());
                    if let Some(value) = value {
                        record[key] = value.into();
                    }
                }
                record["lower_bound"] = json!(lowest);
                record["upper_bound"] = json!(highest);
            }
        }
        record
    }

    /// Why it cannot have this value.
    fn refusal(&self, name: &str, value: &str) -> Option<String> {
        if self.is_read_only {
            return Some(format!("Attribute {name} is read-only."));
        }
        let must = match &self.range {
            Range::OneOf(values) if !values.iter().any(|known| known == value) => {
                format!("be one of {}", values.join(", "))
            }
            Range::Text {
                shortest, longest, ..
            } => {
                let length = u64::try_from(value.chars().count()).unwrap_or(u64::MAX);
                let is_good = shortest.is_none_or(|shortest| length >= shortest)
                    && longest.is_none_or(|longest| length <= longest);
                if is_good {
                    return None;
                }
                let from = shortest.unwrap_or_default();
                match longest {
                    Some(longest) => format!("have {from} to {longest} characters"),
                    None => format!("have {from} characters or more"),
                }
            }
            Range::Number { lowest, highest } => {
                let number: Option<i64> = value.parse().ok();
                let is_good = number.is_some_and(|number| {
                    lowest.is_none_or(|lowest| number >= lowest)
                        && highest.is_none_or(|highest| number <= highest)
                });
                if is_good {
                    return None;
                }
                let said = |bound: &Option<i64>| bound.map_or("any".to_owned(), |b| b.to_string());
                format!("be a number from {} to {}", said(lowest), said(highest))
            }
            Range::OneOf(_) => return None,
        };
        Some(format!("Attribute {name} must {must}."))
    }
}

/// What is to be changed, and what there is nothing to do about.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Change {
    pub(super) values: Vec<(String, String)>,
    /// Names that the BIOS does not have.
    pub(super) unknown: Vec<String>,
}

/// What has to be told to an iDRAC; the error says all that is wrong.
pub(super) fn change(all: &Settings, asked: &JsonMap) -> Result<Change, String> {
    let mut change = Change::default();
    let mut wrong = Vec::new();
    for (name, value) in asked {
        let value = match value {
            Value::String(text) => text.clone(),
            Value::Number(number) => number.to_string(),
            _ => {
                wrong.push(format!("Attribute {name} must be a text or a number."));
                continue;
            }
        };
        let Some(setting) = all.get(name) else {
            change.unknown.push(name.clone());
            continue;
        };
        // What is pending is what the BIOS will have; where nothing is, it is what it has.
        let future = setting.pending.as_ref().or(setting.current.as_ref());
        if future == Some(&value) {
            continue;
        }
        match setting.refusal(name, &value) {
            Some(why) => wrong.push(why),
            None => change.values.push((name.clone(), value)),
        }
    }
    match wrong.is_empty() {
        true => Ok(change),
        false => Err(wrong.join(" ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proto::wsman::nil;

    fn object(fields: &[(&str, &str)]) -> Element {
        let root = Element::new("a").holding(nil("n1:PendingValue"));
        // What was read has no prefixes any more.
        let root = Element::parse(&root.to_xml()).unwrap();
        fields.iter().fold(root, |object, (name, value)| {
            object.holding(Element::new(name).saying(value))
        })
    }

    fn settings() -> Settings {
        let mut all = Settings::new();
        let enumerations = [
            object(&[
                ("AttributeName", "BootMode"),
                ("CurrentValue", "Bios\u{1}"),
                ("IsReadOnly", "false"),
                ("PossibleValues", "Uefi"),
                ("PossibleValues", "Bios"),
            ]),
            object(&[
                ("AttributeName", "Cores"),
                ("CurrentValue", "All"),
                ("IsReadOnly", "True"),
                ("PossibleValues", "All"),
                ("PossibleValues", "1"),
            ]),
            object(&[("CurrentValue", "nameless")]),
        ];
        add(&mut all, SettingType::Enumeration, &enumerations).unwrap();
        let text = object(&[
            ("AttributeName", "AssetTag"),
            ("CurrentValue", ""),
            ("IsReadOnly", "false"),
            ("MinLength", "2"),
            ("MaxLength", "4"),
            ("ValueExpression", "^[ -~]{0,MAX_ASSET_TAG_LEN}$"),
        ]);
        add(&mut all, SettingType::String, &[text]).unwrap();
        let number = object(&[
            ("AttributeName", "Delay"),
            ("CurrentValue", "60"),
            ("IsReadOnly", "false"),
            ("LowerBound", "60"),
            ("UpperBound", "240"),
        ]);
        add(&mut all, SettingType::Integer, &[number]).unwrap();
        all
    }

    #[test]
    fn settings_are_told_with_their_ranges() {
        let all = settings();
        let told = |name: &str| all[name].record(name);
        assert_eq!(
            told("BootMode"),
            json!({"name": "BootMode", "current_value": "Bios", "pending_value": null,
                   "read_only": false, "possible_values": ["Bios", "Uefi"]})
        );
        assert_eq!(told("Cores")["read_only"], true);
        assert_eq!(
            told("AssetTag"),
            json!({"name": "AssetTag", "current_value": "", "pending_value": null,
                   "read_only": false, "min_length": 2, "max_length": 4,
                   "pcre_regex": "^[ -~]{0,4}$"})
        );
        assert_eq!(
            told("Delay"),
            json!({"name": "Delay", "current_value": 60, "pending_value": null,
                   "read_only": false, "lower_bound": 60, "upper_bound": 240})
        );
    }

    #[test]
    fn a_name_in_two_classes_is_an_error() {
        let mut all = settings();
        let again = object(&[("AttributeName", "Delay")]);
        assert_eq!(
            add(&mut all, SettingType::String, &[again]),
            Err("Delay".to_owned())
        );
    }

    #[test]
    fn only_what_differs_is_changed() {
        let asked = |value: Value| change(&settings(), value.as_object().unwrap());
        let found = asked(json!({
            "BootMode": "Uefi", "Cores": "All", "Delay": 60, "AssetTag": "rack", "Other": 1,
        }));
        let expected = Change {
            values: vec![
                ("BootMode".to_owned(), "Uefi".to_owned()),
                ("AssetTag".to_owned(), "rack".to_owned()),
            ],
            unknown: vec!["Other".to_owned()],
        };
        assert_eq!(found, Ok(expected));
        let wrong = asked(json!({
            "BootMode": "Grub", "Cores": "1", "Delay": "241", "AssetTag": "rack 7", "Other": [1],
        }));
        assert_eq!(
            wrong.unwrap_err(),
            "Attribute BootMode must be one of Bios, Uefi. Attribute Cores is read-only. \
             Attribute Delay must be a number from 60 to 240. \
             Attribute AssetTag must have 2 to 4 characters. \
             Attribute Other must be a text or a number."
        );
    }
}
