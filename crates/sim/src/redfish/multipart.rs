//! Bodies of several parts, as files are sent.

use serde_json::{Map, Value, json};

/// The parts by name: JSON is read, of a file its name and length are kept. None if the body is
/// not what its type says.
pub(crate) fn parts(content_type: &str, body: &[u8]) -> Option<Value> {
    let (_, boundary) = content_type.split_once("boundary=")?;
    let boundary = boundary.split(';').next()?.trim().trim_matches('"');
    if boundary.is_empty() {
        return None;
    }
    let first = format!("--{boundary}");
    let next = format!("\r\n--{boundary}");
    let start = find(body, first.as_bytes())? + first.len();
    let mut rest = body.get(start..)?;
    let mut parts = Map::new();
    while let Some(part) = rest.strip_prefix(b"\r\n") {
        let end = find(part, next.as_bytes())?;
        let (name, value) = one(part.get(..end)?)?;
        parts.insert(name, value);
        rest = part.get(end + next.len()..)?;
    }
    rest.starts_with(b"--").then_some(Value::Object(parts))
}

fn one(part: &[u8]) -> Option<(String, Value)> {
    let end = find(part, b"\r\n\r\n")?;
    let head = std::str::from_utf8(part.get(..end)?).ok()?;
    let content = part.get(end + 4..)?;
    let disposition = head.lines().find(|line| {
        line.get(..20)
            .is_some_and(|start| start.eq_ignore_ascii_case("content-disposition:"))
    })?;
    let name = parameter(disposition, "name")?;
    let value = match parameter(disposition, "filename") {
        Some(file) => json!({"filename": file, "length": content.len()}),
        None => json!({"json": serde_json::from_slice::<Value>(content).ok()?}),
    };
    Some((name, value))
}

fn parameter(line: &str, name: &str) -> Option<String> {
    let mut fields = line.split(';').skip(1).map(str::trim);
    let field = fields.find_map(|field| field.strip_prefix(name)?.strip_prefix('='))?;
    Some(field.trim_matches('"').to_owned())
}

fn find(text: &[u8], part: &[u8]) -> Option<usize> {
    text.windows(part.len()).position(|window| window == part)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TYPE: &str = "multipart/form-data; boundary=xyz";

    #[test]
    fn parameters_and_a_file_are_told_apart() {
        let body = concat!(
            "--xyz\r\nContent-Disposition: form-data; name=\"UpdateParameters\"\r\n",
            "Content-Type: application/json\r\n\r\n{\"Targets\": []}\r\n",
            "--xyz\r\ncontent-disposition: form-data; name=\"UpdateFile\"; filename=\"a-1.2.bin\"\r\n",
            "\r\n\u{0}--xy\r\n\r\n--xyz--\r\n",
        );
        let parts = parts(TYPE, body.as_bytes()).unwrap();
        assert_eq!(parts["UpdateParameters"]["json"], json!({"Targets": []}));
        assert_eq!(
            parts["UpdateFile"],
            json!({"filename": "a-1.2.bin", "length": 7})
        );
    }

    #[test]
    fn what_is_cut_short_is_refused() {
        for body in [
            "",
            "--xyz",
            "--xyz\r\n",
            "--xyz\r\nX: y\r\n\r\nz\r\n--xyz--",
            "--xyz\r\n\r\n--xyz--",
        ] {
            assert_eq!(parts(TYPE, body.as_bytes()), None, "{body}");
        }
        assert_eq!(parts("multipart/form-data; boundary=", b"--"), None);
        assert_eq!(parts("multipart/form-data", b"--"), None);
    }
}
