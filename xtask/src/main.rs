//! Checks of the repository that the compiler does not make: `cargo xtask CHECK`.
//!
//! Each check looks at the tree as it is, names every finding with its place, and ends with its
//! seconds. None of them builds anything or knows the service as code: a check must work when the service
//! does not compile. Only `draw` and `ui-types` know the crate `types`, whose
//! tables they show.

#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "what a chore prints is what it is for"
)]

mod arrows;
mod compare;
mod demo_check;
mod draw;
mod lines;
mod links;
mod tree;
mod ui;
mod ui_types;
mod words;

use anyhow::{Result, bail};
use std::{env, path::Path, process::ExitCode, time::Instant};

const USAGE: &str = "\
usage: cargo xtask CHECK

  arrows              our crates depend on each other only as ARCHITECTURE.md says
  lines               every source file opens with what it is for, and none is too long
  links               every relative link and anchor of the documentation leads somewhere
  draw [--check]      the pictures in docs/images, from the tables that they show
  ui                  the committed web page is the one of its sources; needs no Node
  ui-types [--check]  the tables of the web page, from those of the program
  words               nothing in the tree belongs to one machine or is unfinished
  demo-check PROGRAM  the demo of this corten program starts, serves one life, and ends
  compare OPTIONS     two services answer alike; `cargo xtask compare --help`";

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let started = Instant::now();
    let name = arguments.first().copied().unwrap_or("xtask");
    match run(&arguments) {
        Ok(summary) => {
            let seconds = started.elapsed().as_secs_f64();
            println!("{name}: {summary} ({seconds:.1} s)");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{name}: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Runs one check; the answer says in a few words what was found to be in order.
fn run(arguments: &[&str]) -> Result<String> {
    let root = tree::root()?;
    match arguments {
        ["arrows"] => arrows::check(&root),
        ["lines"] => lines::check(&root),
        ["links"] => links::check(&root),
        ["draw"] => draw::run(&root, false),
        ["draw", "--check"] => draw::run(&root, true),
        ["ui"] => ui::check(&root),
        ["ui-types"] => ui_types::run(&root, false),
        ["ui-types", "--check"] => ui_types::run(&root, true),
        ["words"] => words::check(&root),
        ["compare", options @ ..] => compare::check(&root, options),
        ["demo-check", program] => demo_check::check(Path::new(program)),
        _ => bail!("no such check\n{USAGE}"),
    }
}

/// The common end of a check: all findings, or the summary.
fn verdict(findings: Vec<String>, summary: String) -> Result<String> {
    if findings.is_empty() {
        return Ok(summary);
    }
    bail!("{} found\n  {}", findings.len(), findings.join("\n  "))
}
