//! Queries that are understood, and those that are not.

use super::*;
use proptest::prelude::*;

/// Shared with the page, which reads the same language.
const CASES: &str = include_str!("cases.tsv");

fn shown(pattern: &Pattern) -> String {
    let sign = |is_open: bool, sign: &'static str| if is_open { sign } else { "" };
    format!(
        "{}{}{}",
        sign(pattern.open_start, "<"),
        pattern.text,
        sign(pattern.open_end, ">")
    )
}

fn written(word: &Word) -> String {
    let minus = if word.is_negated { "-" } else { "" };
    let test = match &word.test {
        Test::Anywhere(pattern) => format!("any:{}", shown(pattern)),
        Test::OneOf(key, patterns) => {
            let patterns: Vec<String> = patterns.iter().map(shown).collect();
            format!("{key}:{}", patterns.join(","))
        }
        Test::Flag(key, is_on) => format!("{key}:{}", if *is_on { "yes" } else { "no" }),
        Test::States(states) => {
            let states: Vec<&str> = states.iter().map(|state| state.as_str()).collect();
            format!("state:{}", states.join(","))
        }
        Test::Age { is_longer, seconds } => {
            format!("age{}{seconds}", if *is_longer { '>' } else { '<' })
        }
    };
    format!("{minus}{test}")
}

#[test]
fn queries_mean_what_the_table_says() {
    let rows = CASES.lines().filter(|line| !line.starts_with('#'));
    let mut count = 0;
    for row in rows {
        let (text, expected) = row.split_once('\t').unwrap();
        let found = match parse(text, Some("rack")) {
            Ok(query) => {
                let words: Vec<String> = query.words.iter().map(written).collect();
                words.join(" ")
            }
            Err(error) => {
                assert!(!error.text.is_empty());
                format!("error {} {}", error.start, error.end)
            }
        };
        assert_eq!(found, expected, "{text}");
        count += 1;
    }
    assert!(count > 30);
}

#[test]
fn a_mistake_names_what_was_probably_meant() {
    for (query, text, suggestion) in [
        (
            "class:gpu stat:failed",
            "There is no key \"stat\"; \"state\" was probably meant.",
            Some("state:failed"),
        ),
        (
            "state:active,\"deploy faild\"",
            "There is no state \"deploy faild\"; \"deploy failed\" was probably meant.",
            Some("state:active,\"deploy failed\""),
        ),
        (
            "state:faild",
            "There is no state \"faild\"; \"failed\" was probably meant.",
            Some("state:failed"),
        ),
        (
            "state:failed,err,error",
            "There is no state \"err\"; \"error\" was probably meant.",
            Some("state:failed,error,error"),
        ),
        (
            "name:\"open",
            "The quotes are not closed.",
            Some("name:\"open\""),
        ),
        (
            "name:\"open\\",
            "The quotes are not closed.",
            Some("name:\"open\\\\\""),
        ),
        (
            "-state:errr,\"er\\rr\",errr*",
            "There is no state \"errr\"; \"error\" was probably meant.",
            Some("-state:error,error,errr*"),
        ),
        ("class:", "A value is missing; \"\" means none.", None),
    ] {
        let error = parse(query, None).unwrap_err();
        assert_eq!(error.text, text, "{query}");
        assert_eq!(error.suggestion.as_deref(), suggestion, "{query}");
        if let Some(suggestion) = &error.suggestion {
            assert!(parse(suggestion, None).is_ok(), "{suggestion}");
        }
    }
}

#[test]
fn queries_are_bounded() {
    assert!(parse(&"x".repeat(LONGEST), None).is_ok());
    let error = parse(&"x".repeat(LONGEST + 1), None).unwrap_err();
    assert_eq!((error.start, error.end), (LONGEST, LONGEST + 1));
    assert!(parse(&"x ".repeat(MOST_WORDS), None).is_ok());
    assert!(parse(&"x ".repeat(MOST_WORDS + 1), None).is_err());
    assert!(parse(&format!("class:{}y", "x,".repeat(MOST_VALUES)), None).is_err());
}

#[test]
fn an_empty_pattern_is_for_what_has_no_value() {
    let query = parse("class:\"\"", None).unwrap();
    let Test::OneOf(_, patterns) = &query.words[0].test else {
        panic!("{query:?}");
    };
    assert!(patterns[0].fits("") && !patterns[0].fits("gpu"));
    let any = parse("class:*", None).unwrap();
    let Test::OneOf(_, patterns) = &any.words[0].test else {
        panic!("{any:?}");
    };
    assert!(!patterns[0].fits("") && patterns[0].fits("gpu"));
}

proptest! {
    #[test]
    fn no_text_brings_the_parser_down(text in "[a-z:\"*,<> .\\\\é-]{0,60}") {
        if let Err(error) = parse(&text, Some("rack")) {
            prop_assert!(error.start <= error.end);
            prop_assert!(error.end <= text.chars().count());
        }
    }

    #[test]
    fn what_is_quoted_is_read_back(value in "[^\u{130}]{0,20}") {
        let text = format!("class:{}", quoted(&value));
        let query = parse(&text, None).unwrap();
        let Test::OneOf(Key::Class, patterns) = &query.words[0].test else {
            panic!("{query:?}");
        };
        prop_assert_eq!(&patterns[0], &Pattern::exact(&value));
    }
}
