//! Keys of `driver_info` that look like those of the driver, and are not.
//!
//! Ironic takes any key, since interfaces of vendors have keys of their own, and so does this
//! service. But a key that differs from a known one by a letter or two is a slip of the hand, and
//! whoever made it is told before the machine is found not to answer.

use types::{JsonMap, Node};

/// The keys of a node that are probably meant to be others, and those others.
pub(crate) fn misspelt(node: &Node, known: &[(String, String)]) -> Vec<(String, String)> {
    among(&node.driver_info, known)
}

fn among(given: &JsonMap, known: &[(String, String)]) -> Vec<(String, String)> {
    let is_known = |key: &str| known.iter().any(|(name, _)| name == key);
    given
        .keys()
        .filter(|key| !is_known(key))
        .filter_map(|key| {
            let names = known.iter().map(|(name, _)| name);
            // What is there under its right name is not missing.
            let missing = names.filter(|name| !given.contains_key(name.as_str()));
            let near = missing.map(|name| (distance(key, name), name));
            let (letters, name) = near.min_by_key(|(letters, _)| *letters)?;
            (letters <= 2 && key.len() > 5).then(|| (key.clone(), name.clone()))
        })
        .collect()
}

/// How many letters have to be added, left out or exchanged to make one word of another.
fn distance(from: &str, to: &str) -> usize {
    let to: Vec<char> = to.chars().collect();
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (line, left) in from.chars().enumerate() {
        let mut diagonal = row.first().copied().unwrap_or_default();
        if let Some(first) = row.first_mut() {
            *first = line + 1;
        }
        let mut beside = line + 1;
        for (cell, right) in row.iter_mut().skip(1).zip(&to) {
            let exchanged = diagonal + usize::from(left != *right);
            diagonal = *cell;
            *cell = exchanged.min(diagonal + 1).min(beside + 1);
            beside = *cell;
        }
    }
    row.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn distances_count_letters() {
        for (from, to, expected) in [
            ("", "", 0),
            ("", "abc", 3),
            ("abc", "", 3),
            ("ipmi_adress", "ipmi_address", 1),
            ("ipmi_adderss", "ipmi_address", 2),
            ("kitten", "sitting", 3),
        ] {
            assert_eq!(distance(from, to), expected, "{from} {to}");
        }
    }

    #[test]
    fn a_slip_is_told_from_a_key_of_somebody_else() {
        let known = ["ipmi_address", "ipmi_port", "deploy_kernel"];
        let known: Vec<(String, String)> = known
            .iter()
            .map(|name| ((*name).to_owned(), String::new()))
            .collect();
        let given = json!({"ipmi_adress": "h", "ipmi_port": 623, "ipmi_ports": 1, "rack": "r1",
            "vendor_key": 1});
        let found = among(given.as_object().unwrap(), &known);
        assert_eq!(
            found,
            [("ipmi_adress".to_owned(), "ipmi_address".to_owned())]
        );
    }
}
