//! `corten node console`: switching access to a machine's console, and where it is to be had.

use reqwest::Method;
use serde_json::json;

use super::each;
use super::report::shown;
use crate::command::Leaf;

pub(super) fn leaves() -> Vec<Leaf> {
    const PATH: &[&str] = &["states", "console"];
    vec![
        shown(
            "node console show",
            "Show whether the console can be reached, and where",
            PATH,
        ),
        each(
            "node console enable",
            "Let the console be reached",
            (Method::PUT, PATH),
            Some(json!({"enabled": true})),
        ),
        each(
            "node console disable",
            "Close the console",
            (Method::PUT, PATH),
            Some(json!({"enabled": false})),
        ),
    ]
}
