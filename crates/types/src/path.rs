//! Paths as texts.

use std::path::{Component, Path, PathBuf};

/// A path without `.` and `..`, by its text alone: links are not followed, and nothing is looked at.
/// For rules that are about the text of a path.
pub fn without_dots(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                plain.pop();
            }
            Component::CurDir => {}
            part => plain.push(part),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dots_are_resolved_by_the_text() {
        for (path, plain) in [
            ("/a/./b/../c", "/a/c"),
            ("/../../etc", "/etc"),
            ("/a//b/", "/a/b"),
            ("a/../../b", "b"),
            ("/", "/"),
        ] {
            assert_eq!(without_dots(Path::new(path)), Path::new(plain), "{path}");
        }
    }
}
