//! Which known word a mistyped word stands for.

/// The known word that is most like another, if one is like it at all.
pub(super) fn nearest<'a>(word: &str, known: &[&'a str]) -> Option<&'a str> {
    let word: Vec<char> = word.to_lowercase().chars().take(LONGEST).collect();
    let most = match word.len() {
        0..=2 => 1,
        3..=5 => 2,
        _ => 3,
    };
    let begins = |name: &&&str| {
        let start: String = word.iter().collect();
        word.len() >= 3 && name.starts_with(&start)
    };
    if let Some(name) = known.iter().find(begins) {
        return Some(*name);
    }
    let distances = known.iter().map(|name| (distance(&word, name), *name));
    let best = distances.min_by_key(|(distance, _)| *distance);
    best.filter(|(distance, _)| *distance <= most)
        .map(|(_, name)| name)
}

/// Longer words are compared by their beginnings.
const LONGEST: usize = 64;

/// How many letters have to be changed, added or left out (Levenshtein).
fn distance(word: &[char], name: &str) -> usize {
    let mut row: Vec<usize> = (0..=word.len()).collect();
    for (at, letter) in name.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = at + 1;
        for (place, other) in word.iter().enumerate() {
            let change = diagonal + usize::from(letter != *other);
            diagonal = row[place + 1];
            row[place + 1] = change.min(row[place] + 1).min(diagonal + 1);
        }
    }
    row.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_word_that_was_meant_is_found() {
        let known = ["state", "class", "shard", "deploy failed"];
        assert_eq!(nearest("stat", &known), Some("state"));
        assert_eq!(nearest("Clas", &known), Some("class"));
        assert_eq!(nearest("shrad", &known), Some("shard"));
        assert_eq!(nearest("deployfailed", &known), Some("deploy failed"));
        assert_eq!(nearest("colour", &known), None);
        assert_eq!(nearest("", &known), None);
    }
}
