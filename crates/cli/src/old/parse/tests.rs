//! The rules of argparse, one by one.

use super::super::grammar::{flag, former, option, place};
use super::*;

const ARGUMENTS: &[Argument] = &[
    place("node", "<node>", ""),
    place("op", "<op>", "").one_of(&["add", "remove"]),
    place("rest", "<path=value>", "").takes(Takes::Any),
    option(&["--limit"], "limit", "<limit>", "").integer(),
    option(&["--sort-key"], "sort_key", "<field>", ""),
    option(&["--sort-dir"], "sort_dir", "<direction>", "").one_of(&["asc", "desc"]),
    option(&["-p", "--properties"], "properties", "<key=value>", "").takes(Takes::Each),
    former(&["--old_properties"], "properties", "--properties").takes(Takes::Each),
    option(&["--fields"], "fields", "<field>", "").takes(Takes::Several),
    option(&["--wait"], "wait", "SECONDS", "")
        .integer()
        .takes(Takes::Perhaps),
    flag(&["--detail"], "detail", ""),
];

fn read(line: &str) -> Result<Read, Misread> {
    let arguments: Vec<&Argument> = ARGUMENTS.iter().collect();
    let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
    whole(&arguments, &words)
}

#[track_caller]
fn refused(line: &str, expected: &str) {
    match read(line) {
        Err(Misread::Wrong(text)) => assert_eq!(text, expected, "{line}"),
        other => panic!("{line}: {other:?}"),
    }
}

#[test]
fn values_stand_beside_their_options_or_within_them() {
    for line in [
        "m1 add --limit 5 -p a=1 --properties b=2",
        "--limit=5 m1 -pa=1 add --properties=b=2",
        "-p a=1 --limit 5 --prop b=2 -- m1 add",
    ] {
        let given = read(line).unwrap().given;
        assert_eq!(given.number("limit"), Some(5), "{line}");
        assert_eq!(given.all("properties"), ["a=1", "b=2"], "{line}");
        assert_eq!(given.text("node"), Some("m1"), "{line}");
    }
}

#[test]
fn lists_take_all_words_up_to_the_next_option() {
    let given = read("m1 add x y --fields uuid name --detail")
        .unwrap()
        .given;
    assert_eq!(given.all("fields"), ["uuid", "name"]);
    assert_eq!(given.all("rest"), ["x", "y"]);
    assert!(given.has("detail"));
    let twice = read("m1 add --fields uuid --fields name").unwrap().given;
    assert_eq!(twice.all("fields"), ["uuid"]);
    refused(
        "--fields uuid m1 add",
        "the following arguments are required: <node>, <op>",
    );
}

#[test]
fn a_value_may_be_left_out_where_it_is_optional() {
    let given = read("m1 add --wait").unwrap().given;
    assert!(given.has("wait"));
    assert_eq!(given.number("wait"), None);
    assert_eq!(
        read("m1 add --wait 60").unwrap().given.number("wait"),
        Some(60)
    );
    refused("--wait m1 add", "argument --wait: invalid int value: 'm1'");
}

#[test]
fn negative_numbers_and_words_with_spaces_are_values() {
    assert_eq!(
        read("m1 add --limit -1").unwrap().given.number("limit"),
        Some(-1)
    );
    let arguments: Vec<&Argument> = ARGUMENTS.iter().collect();
    let words = ["m1", "add", "--sort-key", "-x y"].map(str::to_owned);
    let given = whole(&arguments, &words).unwrap().given;
    assert_eq!(given.text("sort_key"), Some("-x y"));
}

#[test]
fn what_is_wrong_is_said_in_the_words_of_argparse() {
    refused("", "the following arguments are required: <node>, <op>");
    refused(
        "m1 set",
        "argument <op>: invalid choice: 'set' (choose from 'add', 'remove')",
    );
    refused("m1 add --limit", "argument --limit: expected one argument");
    refused(
        "m1 add --limit --detail",
        "argument --limit: expected one argument",
    );
    refused(
        "m1 add --limit x",
        "argument --limit: invalid int value: 'x'",
    );
    refused(
        "m1 add -p",
        "argument -p/--properties: expected one argument",
    );
    refused(
        "m1 add --fields",
        "argument --fields: expected at least one argument",
    );
    refused(
        "m1 add --sort uuid",
        "ambiguous option: --sort could match --sort-key, --sort-dir",
    );
    refused(
        "m1 add --detail=1",
        "argument --detail: ignored explicit argument '1'",
    );
}

#[test]
fn words_that_nothing_takes_are_left_over() {
    assert_eq!(read("m1 add --nope").unwrap().rest, ["--nope"]);
    assert_eq!(read("m1 add -x a").unwrap().rest, ["-x"]);
    assert_eq!(read("m1 add --help").unwrap_err(), Misread::Help);
}

#[test]
fn old_spellings_are_noticed() {
    let given = read("m1 add --old_properties a=1").unwrap().given;
    assert_eq!(given.all("properties"), ["a=1"]);
    assert_eq!(
        given.former,
        [("--old_properties".to_owned(), "--properties")]
    );
}

#[test]
fn leading_options_end_at_the_first_other_word() {
    let options: Vec<&Argument> = ARGUMENTS.iter().filter(|one| one.is_option()).collect();
    let words = ["--detail", "--limit", "3", "node-list", "--limit", "4"].map(str::to_owned);
    let head = leading(&options, &words).unwrap();
    assert_eq!(head.given.number("limit"), Some(3));
    assert_eq!(head.rest, ["node-list", "--limit", "4"]);
    let ended = ["--detail", "--", "node-list"].map(str::to_owned);
    assert_eq!(leading(&options, &ended).unwrap().rest, ["node-list"]);
    let unknown = ["--nope", "node-list"].map(str::to_owned);
    assert_eq!(
        leading(&options, &unknown).unwrap_err(),
        Misread::Wrong("unrecognized arguments: --nope".to_owned())
    );
}
