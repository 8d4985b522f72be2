//! Files that list checksums, as they lie beside images.
//!
//! Three forms exist: `value  name` (with an asterisk before the name for binary mode), `name …
//! value`, and BSD's `SHA256 (name) = value`. A file may also hold a value and nothing else. Lines
//! that start with `#` are comments.

use super::Algorithm;
use crate::ImageError;

/// The value for the image of this address. `shown` names the checksum file in errors.
pub fn listed(text: &str, image: &str, shown: &str) -> Result<String, ImageError> {
    let wrong = |reason: String| ImageError::ChecksumFile {
        image: shown.to_owned(),
        reason,
    };
    let lines: Vec<&str> = text
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .collect();
    match lines[..] {
        [] => return Err(wrong("it is empty".to_owned())),
        [only] if !only.contains(char::is_whitespace) => {
            return value(only).ok_or_else(|| wrong("it holds no checksum".to_owned()));
        }
        _ => {}
    }
    let path = image.split(['?', '#']).next().unwrap_or_default();
    let name = path.rsplit('/').next().unwrap_or_default();
    let found = lines
        .iter()
        .filter(|line| !line.starts_with('#') && names(line, name))
        .find_map(|line| {
            let mut words = line.split_whitespace();
            let first = words.next().and_then(value);
            first.or_else(|| words.next_back().and_then(value))
        });
    found.ok_or_else(|| wrong(format!("it has no checksum for '{name}'")))
}

fn names(line: &str, name: &str) -> bool {
    if name.is_empty() {
        return false;
    }
    let words: Vec<&str> = line.split_whitespace().collect();
    let bracketed =
        |word: &&str| word.strip_prefix('(').and_then(|w| w.strip_suffix(')')) == Some(name);
    let last = words
        .last()
        .is_some_and(|word| word.strip_prefix('*').unwrap_or(word) == name);
    let first = words.first() == Some(&name);
    words.len() > 1 && (last || first || words.iter().any(bracketed))
}

fn value(word: &str) -> Option<String> {
    let known = Algorithm::of_length(word.len()).is_some();
    (known && word.bytes().all(|d| d.is_ascii_hexdigit())).then(|| word.to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    const IMAGE: &str = "https://images.example/x/debian.qcow2?token=1";

    fn find(text: &str) -> Result<String, String> {
        listed(text, IMAGE, "SUMS").map_err(|error| error.to_string())
    }

    #[test]
    fn every_form_is_read() {
        let (ours, other) = ("a".repeat(64), "b".repeat(64));
        for text in [
            format!("{ours}\n"),
            format!("{other}  other.qcow2\n{ours}  debian.qcow2\n"),
            format!("{other} *other.qcow2\n{ours} *debian.qcow2\n"),
            format!(
                "# debian.qcow2: 5 bytes\nSHA256 (other) = {other}\nSHA256 (debian.qcow2) = {ours}\n"
            ),
            format!("other.qcow2 {other}\r\ndebian.qcow2 {ours}\r\n"),
            format!("debian.qcow2: junk\n{ours}  debian.qcow2\n"),
        ] {
            assert_eq!(find(&text), Ok(ours.clone()), "{text}");
        }
        let short = "c".repeat(32);
        assert_eq!(find(&format!("{short}  debian.qcow2\nx y")), Ok(short));
    }

    #[test]
    fn other_files_do_not_count() {
        assert!(find("").unwrap_err().contains("empty"));
        assert!(find("nothing").unwrap_err().contains("no checksum"));
        let value = "a".repeat(64);
        for name in ["xdebian.qcow2", "debian.qcow2.sig", "x/debian.qcow2"] {
            let refused = find(&format!("{value}  {name}\n# end")).unwrap_err();
            assert!(refused.contains("'debian.qcow2'"), "{refused}");
        }
    }
}
