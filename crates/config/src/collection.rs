//! Options with several values: lists, name:value pairs, and options that may be repeated.
//!
//! Items are separated by commas. An item (or the value of a pair) that begins with a quote runs
//! to the next matching quote before a comma, so it may hold commas itself; Ironic does
//! this for some options only, here it holds for all. Items that are empty without quotes are
//! dropped, and so is a comma at the end.

use super::{
    error::Reason,
    value::{OptionValue, ValueKind},
};
use std::collections::{BTreeMap, btree_map::Entry};
use std::ops::Deref;

impl<T: OptionValue> OptionValue for Vec<T> {
    const KIND: ValueKind = ValueKind::List(&T::KIND);

    fn parse(text: &str) -> Result<Self, Reason> {
        items(text, |item| Some(item))?
            .iter()
            .map(|item| T::parse(unquoted(item)))
            .collect()
    }

    fn texts(&self) -> Vec<String> {
        let items: Vec<_> = self
            .iter()
            .flat_map(T::texts)
            .map(|item| quoted(&item))
            .collect();
        vec![items.join(",")]
    }
}

impl<T: OptionValue> OptionValue for BTreeMap<String, T> {
    const KIND: ValueKind = ValueKind::Pairs(&T::KIND);

    fn parse(text: &str) -> Result<Self, Reason> {
        let mut pairs = Self::new();
        for pair in items(text, |pair| {
            pair.split_once(':').map(|(_, value)| value.trim())
        })? {
            let (name, value) = pair.split_once(':').ok_or(Reason::NotPairs)?;
            let name = name.trim();
            if name.is_empty() {
                return Err(Reason::NotPairs);
            }
            match pairs.entry(name.to_owned()) {
                Entry::Occupied(_) => return Err(Reason::DuplicateName(name.to_owned())),
                Entry::Vacant(place) => place.insert(T::parse(unquoted(value.trim()))?),
            };
        }
        Ok(pairs)
    }

    fn texts(&self) -> Vec<String> {
        let pair = |(name, value): (&String, &T)| {
            format!(
                "{name}:{}",
                value
                    .texts()
                    .iter()
                    .map(|text| quoted(text))
                    .collect::<String>()
            )
        };
        vec![self.iter().map(pair).collect::<Vec<_>>().join(",")]
    }
}

/// The values of an option that may be given several times; all of them count, in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Multi<T>(Vec<T>);

impl<T> Default for Multi<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T> Deref for Multi<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.0
    }
}

impl<T: OptionValue> OptionValue for Multi<T> {
    const KIND: ValueKind = ValueKind::Repeated(&T::KIND);

    fn parse(text: &str) -> Result<Self, Reason> {
        T::parse(text).map(|value| Self(vec![value]))
    }

    fn joined(mut earlier: Self, later: Self) -> Self {
        earlier.0.extend(later.0);
        earlier
    }

    fn texts(&self) -> Vec<String> {
        self.0.iter().flat_map(T::texts).collect()
    }
}

/// Cuts at commas, except inside quotes; `quotable` finds the part of an item that may be quoted.
fn items(text: &str, quotable: impl Fn(&str) -> Option<&str>) -> Result<Vec<String>, Reason> {
    let mut items = Vec::new();
    let mut parts = text.split(',');
    while let Some(part) = parts.next() {
        let mut item = part.to_owned();
        while quotable(item.trim()).is_some_and(is_open) {
            item.push(',');
            item.push_str(parts.next().ok_or(Reason::UnclosedQuote)?);
        }
        let item = item.trim();
        if !item.is_empty() {
            items.push(item.to_owned());
        }
    }
    Ok(items)
}

fn quote_of(item: &str) -> Option<char> {
    item.chars()
        .next()
        .filter(|first| matches!(first, '"' | '\''))
}

fn is_open(item: &str) -> bool {
    quote_of(item).is_some_and(|quote| item.len() < 2 || !item.ends_with(quote))
}

fn unquoted(item: &str) -> &str {
    match quote_of(item) {
        Some(quote) => item
            .strip_prefix(quote)
            .and_then(|i| i.strip_suffix(quote))
            .unwrap_or(item),
        None => item,
    }
}

/// An item holding both kinds of quotes and a comma behind one of them has no spelling.
fn quoted(item: &str) -> String {
    let plain =
        !item.is_empty() && item.trim() == item && !item.contains(',') && quote_of(item).is_none();
    if plain {
        return item.to_owned();
    }
    let quote = if item.contains('"') { '\'' } else { '"' };
    format!("{quote}{item}{quote}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    type Pairs = BTreeMap<String, String>;

    #[track_caller]
    fn list(text: &str, expected: &[&str]) {
        assert_eq!(<Vec<String>>::parse(text).unwrap(), expected, "{text:?}");
    }

    #[track_caller]
    fn pairs(text: &str, expected: &[(&str, &str)]) {
        let found = Pairs::parse(text).unwrap();
        let found: Vec<_> = found
            .iter()
            .map(|(k, v)| (k.as_str(), v.as_str()))
            .collect();
        assert_eq!(found, expected, "{text:?}");
    }

    #[test]
    fn lists_are_cut_at_commas() {
        list("", &[]);
        list(" a , b,c ", &["a", "b", "c"]);
        list("a,\nb,", &["a", "b"]);
        list(",a,,b,,", &["a", "b"]);
        list("--rm,--network=host", &["--rm", "--network=host"]);
    }

    #[test]
    fn quoted_items_may_hold_commas() {
        list("a, \"b, c \" ,'d'", &["a", "b, c ", "d"]);
        list("''", &[""]);
        list("it's,fine", &["it's", "fine"]);
        for text in ["\"a", "a,'b,c", "\""] {
            assert_eq!(
                <Vec<String>>::parse(text),
                Err(Reason::UnclosedQuote),
                "{text:?}"
            );
        }
    }

    #[test]
    fn items_are_of_the_list_s_type() {
        assert_eq!(<Vec<u32>>::parse("3, 17"), Ok(vec![3, 17]));
        assert_eq!(<Vec<u32>>::parse("3,x"), Err(Reason::NotInteger));
    }

    #[test]
    fn pairs_are_cut_at_the_first_colon() {
        pairs("", &[]);
        pairs("a:1, b : 2:3,", &[("a", "1"), ("b", "2:3")]);
        pairs("p:'x,y', q:\"\", r:", &[("p", "x,y"), ("q", ""), ("r", "")]);
        assert_eq!(Pairs::parse("a:1,b"), Err(Reason::NotPairs));
        assert_eq!(Pairs::parse(":1"), Err(Reason::NotPairs));
        assert_eq!(
            Pairs::parse("a:1,a:2"),
            Err(Reason::DuplicateName("a".into()))
        );
        assert_eq!(
            <BTreeMap<String, i64>>::parse("a:x"),
            Err(Reason::NotInteger)
        );
    }

    #[test]
    fn repeated_options_keep_every_value() {
        let both = |a, b| {
            let (a, b) = (
                <Multi<String>>::parse(a).unwrap(),
                <Multi<String>>::parse(b).unwrap(),
            );
            Multi::joined(a, b)
        };
        assert_eq!(both("x, y", "z")[..], ["x, y", "z"]);
        assert_eq!(<Vec<u32>>::joined(vec![1], vec![2]), [2]);
    }

    proptest! {
        #[test]
        fn lists_read_back(list in proptest::collection::vec("[ -&(-~]{0,8}", 0..4)) {
            prop_assert_eq!(<Vec<String>>::parse(&list.texts()[0]), Ok(list));
        }

        #[test]
        fn pairs_read_back(pairs in proptest::collection::btree_map("[a-z.]{1,6}", "[ -!#-~]{0,8}", 0..4)) {
            prop_assert_eq!(Pairs::parse(&pairs.texts()[0]), Ok(pairs));
        }

        #[test]
        fn no_text_makes_it_panic(text in "[\"',:a é]{0,30}") {
            <Vec<String>>::parse(&text).ok();
            Pairs::parse(&text).ok();
        }
    }
}
