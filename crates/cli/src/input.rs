//! Values that are more than a word: JSON given as text, in a file or on standard input, and
//! config drives.
//!
//! Files may be YAML as well, as the stock client has it. A config drive is not built here from a
//! folder: that takes an ISO 9660 writer, and the service builds one from a JSON object.

use std::io::Read;
use std::path::Path;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

use crate::error::Error;

/// YAML text as a value.
pub(crate) fn yaml(text: &str) -> Result<Value, String> {
    serde_saphyr::from_str(text).map_err(|error| error.to_string())
}

/// The same; an error is the line it is in, and quotes nothing of the text.
pub(crate) fn yaml_at(text: &str) -> Result<Value, Option<u64>> {
    serde_saphyr::from_str(text).map_err(|error| error.location().map(|place| place.line()))
}

/// JSON from the text itself, from the file it names, or from standard input for `-`.
pub(crate) fn json(given: &str, what: &str) -> Result<Value, Error> {
    if given == "-" {
        let mut text = String::new();
        std::io::stdin()
            .read_to_string(&mut text)
            .map_err(|error| Error::usage(format!("cannot read {what} from input: {error}")))?;
        return serde_json::from_str(&text)
            .or_else(|_| yaml(&text))
            .map_err(|error| Error::usage(format!("{what} on input are not JSON: {error}")));
    }
    let path = Path::new(given);
    if path.is_file() {
        let text = std::fs::read_to_string(path)
            .map_err(|error| Error::usage(format!("cannot read {what} from {given}: {error}")))?;
        return serde_json::from_str(&text)
            .or_else(|_| yaml(&text))
            .map_err(|error| Error::usage(format!("{given} is neither JSON nor YAML: {error}")));
    }
    serde_json::from_str(given).map_err(|error| {
        Error::usage(format!(
            "{what}: '{given}' is no file, and not JSON either: {error}"
        ))
    })
}

/// Steps to run, which the API wants as a list.
pub(crate) fn steps(given: &str, what: &str) -> Result<Value, Error> {
    match json(given, what)? {
        list @ Value::Array(_) => Ok(list),
        _ => Err(Error::usage(format!(
            "{what} are a list, such as [{{\"interface\": \"deploy\", \"step\": \"…\"}}]"
        ))),
    }
}

const GZIP: &[u8] = &[0x1f, 0x8b];

/// A config drive: an object to build one from, an address to fetch one from, or one ready made,
/// compressed and in base64.
pub(crate) fn config_drive(given: &str) -> Result<Value, Error> {
    if let Some(object) = object(given.as_bytes()) {
        return Ok(object);
    }
    let path = Path::new(given);
    if path.is_dir() {
        return Err(
            Error::usage(format!("{given} is a folder, and a config drive is a file")).with_hint(
                "give a JSON object with meta_data, user_data and network_data instead, and the \
                 service builds the drive",
            ),
        );
    }
    if path.is_file() {
        let contents = std::fs::read(path)
            .map_err(|error| Error::usage(format!("cannot read {given}: {error}")))?;
        if let Some(object) = object(&contents) {
            return Ok(object);
        }
        if contents.starts_with(GZIP) {
            return Ok(Value::String(STANDARD.encode(contents)));
        }
        return match String::from_utf8(contents) {
            Ok(text) if is_base64(&text) => Ok(Value::String(text.trim().to_owned())),
            _ => Err(Error::usage(format!(
                "{given} is no config drive: it is neither JSON, nor compressed with gzip, nor base64"
            ))
            .with_hint("compress an image first: gzip drive.iso")),
        };
    }
    let remote = given.starts_with("http://") || given.starts_with("https://");
    if remote || is_base64(given) {
        return Ok(Value::String(given.to_owned()));
    }
    let short: String = given.chars().take(60).collect();
    Err(Error::usage(format!(
        "the config drive '{short}' is no file, no JSON object, no address and not base64"
    )))
}

fn object(text: &[u8]) -> Option<Value> {
    // Looking at the first letter spares parsing a large image just to find it is none.
    let first = text.iter().find(|byte| !byte.is_ascii_whitespace())?;
    let value: Value = (*first == b'{')
        .then(|| serde_json::from_slice(text).ok())
        .flatten()?;
    value.is_object().then_some(value)
}

/// Whether this is base64 of something compressed. Short words are base64 by accident, so what
/// it decodes to is looked at as well.
fn is_base64(text: &str) -> bool {
    let joined: String = text.split_ascii_whitespace().collect();
    STANDARD
        .decode(joined)
        .is_ok_and(|bytes| bytes.starts_with(GZIP))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn file(name: &str, contents: &[u8]) -> (tempfile::TempDir, String) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        std::fs::write(&path, contents).unwrap();
        let path = path.to_str().unwrap().to_owned();
        (folder, path)
    }

    #[test]
    fn json_comes_as_text_or_from_files_of_either_kind() {
        let expected = json!([{"interface": "raid", "step": "x", "args": {"n": 1}}]);
        assert_eq!(steps(&expected.to_string(), "steps").unwrap(), expected);
        let (_folder, path) = file("s.json", expected.to_string().as_bytes());
        assert_eq!(steps(&path, "steps").unwrap(), expected);
        let (_folder, path) = file(
            "s.yaml",
            b"- interface: raid\n  step: x\n  args:\n    n: 1\n",
        );
        assert_eq!(steps(&path, "steps").unwrap(), expected);
    }

    #[test]
    fn steps_that_are_no_list_are_refused() {
        assert_eq!(steps("{}", "deploy steps").unwrap_err().exit_code(), 2);
        let error = steps("no-such-file", "deploy steps").unwrap_err();
        assert!(
            error.message().contains("'no-such-file' is no file"),
            "{}",
            error.message()
        );
    }

    #[test]
    fn config_drives_of_every_kind() {
        let object = json!({"meta_data": {"hostname": "a"}});
        let packed = [GZIP, b"\x08rest"].concat();
        let ready = STANDARD.encode(&packed);
        assert_eq!(config_drive(&object.to_string()).unwrap(), object);
        assert_eq!(config_drive(&ready).unwrap(), json!(ready));
        assert_eq!(
            config_drive("http://h/drive.gz").unwrap(),
            json!("http://h/drive.gz")
        );
        for (name, contents, expected) in [
            (
                "drive.json",
                object.to_string().into_bytes(),
                object.clone(),
            ),
            ("drive.gz", packed, json!(ready)),
            ("drive.b64", format!("{ready}\n").into_bytes(), json!(ready)),
        ] {
            let (_folder, path) = file(name, &contents);
            assert_eq!(config_drive(&path).unwrap(), expected, "{name}");
        }
    }

    #[test]
    fn what_is_no_config_drive_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let (_kept, iso) = file("drive.iso", b"\0\0CD001\xff");
        for wrong in [folder.path().to_str().unwrap(), iso.as_str(), "typo", "[1]"] {
            assert_eq!(config_drive(wrong).unwrap_err().exit_code(), 2, "{wrong}");
        }
    }
}
