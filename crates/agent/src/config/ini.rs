//! The configuration files of ironic-python-agent, as far as they are of use here: options of
//! `[DEFAULT]`, one a line. Other sections concern its own machinery.

use std::collections::BTreeMap;

/// The options of `[DEFAULT]`; a line with nothing to assign is passed over.
pub(super) fn parse(text: &str) -> BTreeMap<String, String> {
    let mut is_default = true;
    let mut options = BTreeMap::new();
    for line in text.lines().map(str::trim) {
        if line.starts_with(['#', ';']) {
            continue;
        }
        if let Some(section) = line.strip_prefix('[').and_then(|s| s.strip_suffix(']')) {
            is_default = section.trim() == "DEFAULT";
        } else if is_default && let Some((name, value)) = line.split_once(['=', ':']) {
            let value = value.trim();
            let bare = value
                .strip_prefix('"')
                .and_then(|v| v.strip_suffix('"'))
                .unwrap_or(value);
            options.insert(name.trim().replace('-', "_"), bare.to_owned());
        }
    }
    options
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_of_the_default_section_count() {
        let text = "cafile = /etc/ca.pem\n[mdns]\nuse_mdns = true\n[DEFAULT]\n# insecure = 1\n\
                    guard-special-filesystems: false\nname=\"a b\"\nnonsense\n";
        let expected = [
            ("cafile", "/etc/ca.pem"),
            ("guard_special_filesystems", "false"),
            ("name", "a b"),
        ];
        let expected = expected.map(|(k, v)| (k.to_owned(), v.to_owned()));
        assert_eq!(parse(text), BTreeMap::from(expected));
    }
}
