//! The parts of a request that are read before any handler runs: path and query.
//!
//! The input is the target of a request line.

#![cfg_attr(fuzzing, no_main)]

use api::{args, args::Args, route, route::Method, route_table::ROUTES};
use corten_fuzz::fuzz_target;
use types::ApiVersion;

fuzz_target!(|input: &str| {
    let (path, query) = input.split_once('?').unwrap_or((input, ""));
    if let Ok(path) = args::percent_decode(path) {
        let elements = route::elements(&path);
        // A route that is found gives each of its placeholders a value.
        for version in [ApiVersion::MIN, ApiVersion::MAX] {
            for method in [Method::Get, Method::Put] {
                if let Ok(found) = route::find(ROUTES, &elements, Some(method), version) {
                    assert!(found.params.len() + found.args.len() <= elements.len());
                }
            }
        }
    }
    if let Ok(args) = Args::from_query(query) {
        // Each reader must come to an answer, whatever the value is.
        for name in ["limit", "a"] {
            let _ = args.string(name);
            let _ = args.boolean(name);
            let _ = args.integer(name);
            let _ = args.uuid(name);
            let _ = args.mac(name);
            let _ = args.string_list(name);
        }
    }
});
