//! Parameters as the kernel reads them: words between white space, where double quotes keep white
//! space together.

use std::collections::BTreeMap;

/// The parameters that have a value; of several with one name the last counts.
pub(super) fn parse(line: &str) -> BTreeMap<String, String> {
    words(line)
        .into_iter()
        .filter_map(|word| {
            let (name, value) = word.split_once('=')?;
            Some((name.to_owned(), value.to_owned()))
        })
        .collect()
}

/// Splits at white space outside quotes. Quotes are removed, as the kernel does for a value that
/// stands between them (`a="b c"`) and for a whole parameter (`"a=b c"`).
fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut is_quoted = false;
    for char in line.chars() {
        match char {
            '"' => is_quoted = !is_quoted,
            char if char.is_whitespace() && !is_quoted => {
                words.push(std::mem::take(&mut word));
            }
            char => word.push(char),
        }
    }
    words.push(word);
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_keep_white_space() {
        let parsed = parse("quiet a=1  b=\"x y\" \"c=d  e\"\tf=g=h a=2 i=\n");
        let expected = [
            ("a", "2"),
            ("b", "x y"),
            ("c", "d  e"),
            ("f", "g=h"),
            ("i", ""),
        ];
        let expected = expected.map(|(k, v)| (k.to_owned(), v.to_owned()));
        assert_eq!(parsed, BTreeMap::from(expected));
        assert_eq!(parse("").len(), 0);
        assert_eq!(parse("a=\"never closed b=1").len(), 1);
    }
}
