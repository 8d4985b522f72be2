//! The file of variables that `ansible-playbook` gets.
//!
//! Ansible takes every text of such a file for a template, and evaluates it on this host with the
//! rights of this service: `{{ lookup('pipe', …) }}` runs a command. What users of the API said is in
//! there, so every text and every key is marked `!unsafe`, which means that it is taken as it is. The
//! file is YAML, not JSON with `__ansible_unsafe`: readers that do not know the mark, or that read the
//! file in another way, fail instead of evaluating.
//!
//! Keys are refused besides if they look like templates, because playbooks copy keys into texts; and so
//! are those that Ansible itself marks values with.

use crate::DriverError;
use serde_json::{Number, Value};
use std::fmt::Write;
use types::JsonMap;

/// What begins a template.
const MARKERS: [&str; 3] = ["{{", "{%", "{#"];
/// Keys that begin like this mark values in Ansible's own JSON.
const RESERVED: &str = "__ansible_";

/// The text of the file.
pub(super) fn file(vars: &JsonMap) -> Result<String, DriverError> {
    check_keys("the variables of a playbook", vars)?;
    let mut text = String::new();
    map(&mut text, vars);
    text.push('\n');
    Ok(text)
}

/// Refuses keys that Ansible could take for more than names, at any depth.
pub(super) fn check_keys(place: &str, vars: &JsonMap) -> Result<(), DriverError> {
    for (key, value) in vars {
        let is_template = MARKERS.iter().any(|marker| key.contains(marker));
        if is_template || key.starts_with(RESERVED) {
            return Err(DriverError::InvalidParameter(format!(
                "deploy interface 'ansible' does not take the key {key:?} in {place}: keys must not begin with {RESERVED} nor have {} in them",
                MARKERS.join(", ")
            )));
        }
        check_keys_of(place, value)?;
    }
    Ok(())
}

fn check_keys_of(place: &str, value: &Value) -> Result<(), DriverError> {
    match value {
        Value::Object(inner) => check_keys(place, inner),
        Value::Array(items) => items.iter().try_for_each(|item| check_keys_of(place, item)),
        _ => Ok(()),
    }
}

fn map(out: &mut String, vars: &JsonMap) {
    out.push('{');
    for (at, (key, value)) in vars.iter().enumerate() {
        out.push_str(if at == 0 { "? " } else { ", ? " });
        text(out, key);
        out.push_str(" : ");
        any(out, value);
    }
    out.push('}');
}

fn any(out: &mut String, value: &Value) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(truth) => out.push_str(if *truth { "true" } else { "false" }),
        Value::Number(value) => number(out, value),
        Value::String(value) => text(out, value),
        Value::Array(items) => {
            out.push('[');
            for (at, item) in items.iter().enumerate() {
                out.push_str(if at == 0 { "" } else { ", " });
                any(out, item);
            }
            out.push(']');
        }
        Value::Object(inner) => map(out, inner),
    }
}

/// A number as YAML 1.1 reads one: `1e20` would be a text to it.
fn number(out: &mut String, value: &Number) {
    let value = value.to_string();
    let Some((digits, exponent)) = value.split_once(['e', 'E']) else {
        return out.push_str(&value);
    };
    let point = if digits.contains('.') { "" } else { ".0" };
    let sign = if exponent.starts_with(['+', '-']) {
        ""
    } else {
        "+"
    };
    let _ = write!(out, "{digits}{point}e{sign}{exponent}");
}

/// A text that is no template. What is not printable ASCII is escaped: YAML folds some of it and
/// refuses more.
fn text(out: &mut String, value: &str) {
    out.push_str("!unsafe \"");
    for c in value.chars() {
        let _ = match c {
            '"' | '\\' => write!(out, "\\{c}"),
            ' '..='~' => write!(out, "{c}"),
            c if u32::from(c) <= 0xffff => write!(out, "\\u{:04x}", u32::from(c)),
            c => write!(out, "\\U{:08x}", u32::from(c)),
        };
    }
    out.push('"');
}

/// Whether a text may be the name of a user or a host, or the path of a program: nothing in it means
/// something to a shell, to SSH or to Ansible.
fn is_plain(text: &str, besides: &str) -> bool {
    let is_known = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c) || besides.contains(c);
    !text.is_empty() && !text.starts_with('-') && text.chars().all(is_known)
}

/// Refuses a user that SSH could take for more than a name.
pub(super) fn check_user(user: &str) -> Result<(), DriverError> {
    match is_plain(user, "@+\\") {
        true => Ok(()),
        false => Err(DriverError::InvalidParameter(format!(
            "ansible_username {user:?} in driver_info is not the name of a user: letters, digits and . _ - @ + \\ are taken, and no - at the beginning"
        ))),
    }
}

/// Refuses a path of Python that could be more than a path: tasks that run on this host use it too.
pub(super) fn check_python(path: &str) -> Result<(), DriverError> {
    match is_plain(path, "/+") {
        true => Ok(()),
        false => Err(DriverError::InvalidParameter(format!(
            "ansible_python_interpreter {path:?} in driver_info is not the path of a program: letters, digits and / . _ - + are taken, and no - at the beginning"
        ))),
    }
}

/// Whether SSH takes this for a host and nothing else: an IP address or a name.
pub fn is_host(host: &str) -> bool {
    host.parse::<std::net::IpAddr>().is_ok() || is_plain(host, "")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn vars(value: Value) -> JsonMap {
        value.as_object().cloned().unwrap()
    }

    #[test]
    fn every_text_and_key_is_marked() {
        let told = vars(json!({
            "a": "{{ 1 }}", "list": ["x", {"deep": "y\"\\\n\u{2028}\u{1f600}\u{7f}"}],
            "n": [1, -2, 1.5, 1e20, 1e-9, true, null], "none": {},
        }));
        assert_eq!(
            file(&told).unwrap(),
            concat!(
                r#"{? !unsafe "a" : !unsafe "{{ 1 }}", ? !unsafe "list" : [!unsafe "x", "#,
                r#"{? !unsafe "deep" : !unsafe "y\"\\\u000a\u2028\U0001f600\u007f"}], "#,
                r#"? !unsafe "n" : [1, -2, 1.5, 1.0e+20, 1.0e-9, true, null], "#,
                r#"? !unsafe "none" : {}}"#,
                "\n"
            )
        );
    }

    #[test]
    fn keys_that_are_more_than_names_are_refused() {
        for key in [
            "{{ x }}",
            "a{%b",
            "{#",
            "__ansible_unsafe",
            "__ansible_vault",
        ] {
            for told in [
                json!({ key: 1 }),
                json!({"a": { key: 1 }}),
                json!({"a": [[{ key: 1 }]]}),
            ] {
                let told = file(&vars(told)).unwrap_err().to_string();
                assert!(told.contains(&format!("{key:?}")), "{told}");
            }
        }
        assert!(file(&vars(json!({"ansible": 1, "{a}": 2, "my__ansible_x": 3}))).is_ok());
    }

    #[test]
    fn what_reaches_a_command_line_is_plain() {
        for user in ["root", "a.b-c", "DOM\\me", "me@realm"] {
            check_user(user).unwrap();
        }
        for path in ["/usr/bin/python3.11", "auto_silent", "/opt/c++/python"] {
            check_python(path).unwrap();
        }
        for host in ["10.0.0.1", "fe80::1", "node-1.example"] {
            assert!(is_host(host), "{host}");
        }
        for evil in [
            "",
            "-oProxyCommand=id",
            "{{ lookup('pipe', 'id') }}",
            "a b",
            "a;id",
            "$(id)",
            "a\nb",
            "a\"b",
            "`id`",
        ] {
            assert!(check_user(evil).is_err(), "{evil}");
            assert!(check_python(evil).is_err(), "{evil}");
            assert!(!is_host(evil), "{evil}");
        }
    }
}
