//! What the documentation says about commands and options, held against the program.
//!
//! Every `corten …` in README and docs, in a block or within a sentence, is read by the parser of
//! the program: a subcommand, an option or a value that does not exist is a failure. Options of the
//! configuration (`[section]name`, `--set section.name=…`, `CORTEN_SECTION__NAME` and the blocks of
//! configuration files) must be in the option tables. Whether commands also do what the text says
//! is for the tests that run them (`tests/it/first_steps.rs`).

use super::Program;
use clap::error::ErrorKind;
use config::definitions;
use std::{
    fs,
    path::{Path, PathBuf},
};

/// Sections in configuration files of other programs, in blocks of ours.
const FOREIGN_SECTIONS: &[&str] = &["Service", "Unit", "Install"];

/// Options of Ironic's libraries, of which the text says that they have no effect.
const FOREIGN_OPTIONS: &[(&str, &str)] = &[("oslo_policy", "enforce_scope")];

/// A page, by its path from the top of the repository.
struct Page {
    name: String,
    text: String,
}

fn pages() -> Vec<Page> {
    let top = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut paths = vec![top.join("README.md"), top.join("CONTRIBUTING.md")];
    collect(&top.join("docs"), &mut paths);
    paths.sort();
    assert!(paths.len() > 40, "the documentation is somewhere else");
    let page = |path: PathBuf| Page {
        name: path.strip_prefix(&top).unwrap().display().to_string(),
        text: fs::read_to_string(&path).unwrap(),
    };
    paths.into_iter().map(page).collect()
}

fn collect(folder: &Path, paths: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, paths);
        } else if path.extension().is_some_and(|extension| extension == "md") {
            paths.push(path);
        }
    }
}

/// A piece of a page that is not prose.
struct Piece<'a> {
    line: usize,
    /// The language of a block; `None` for code within a sentence.
    block: Option<&'a str>,
    text: String,
}

fn pieces(text: &str) -> Vec<Piece<'_>> {
    let mut pieces: Vec<Piece<'_>> = Vec::new();
    let mut block = None;
    for (index, line) in text.lines().enumerate() {
        let number = index + 1;
        if let Some(language) = line.trim_start().strip_prefix("```") {
            block = match block {
                None => Some(language.split(' ').next().unwrap_or_default()),
                Some(_) => None,
            };
            continue;
        }
        if block.is_some() {
            // A command that goes on in the next line is one piece.
            if let Some(last) = pieces.last_mut()
                && last.block.is_some()
                && last.text.ends_with('\\')
            {
                last.text.pop();
                last.text += line.trim();
                continue;
            }
            let text = line.trim().to_owned();
            pieces.push(Piece {
                line: number,
                block,
                text,
            });
        } else {
            let code = line.split('`').skip(1).step_by(2);
            pieces.extend(code.map(|code| Piece {
                line: number,
                block: None,
                text: code.to_owned(),
            }));
        }
    }
    pieces
}

/// The words of a command line as a shell reads them, up to what belongs to the shell itself.
fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    for c in line.chars() {
        match (c, quote) {
            (c, Some(end)) if c == end => quote = None,
            ('\'' | '"', None) => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            ('(', None) if word.as_deref().is_some_and(|word| word.ends_with('$')) => {
                quote = Some(')');
            }
            (' ', None) => words.extend(word.take()),
            ('|' | '<' | '>' | '&' | ';' | ')' | '#', None) if word.is_none() || c == ')' => break,
            (c, _) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

/// The commands of ours in a piece: what stands from `corten` on.
fn commands(piece: &Piece<'_>) -> Vec<Vec<String>> {
    let text = piece.text.strip_prefix("$ ").unwrap_or(&piece.text);
    // In blocks, what stands apart is an explanation.
    let text = match piece.block {
        Some(_) => text.split("  ").next().unwrap_or(text),
        None => text,
    };
    let mut found = Vec::new();
    for (at, _) in text.match_indices("corten ") {
        let before = text[..at]
            .trim_end_matches("target/debug/")
            .trim_end_matches("./");
        let alone = before.is_empty()
            || before.ends_with("<(")
            || before.ends_with("-- ")
            || before.ends_with("&& ")
            || before
                .trim_end()
                .split(' ')
                .all(|word| word.contains('=') && !word.contains('-'));
        if alone {
            found.push(words(&text[at..]));
        }
    }
    found
}

/// Whether nothing is left out: a command in a block that is not an entry of an overview.
fn is_complete(piece: &Piece<'_>) -> bool {
    piece.block.is_some() && !piece.text.contains("  ")
}

/// What the parser has against a command, if it has something that the text must not say.
fn refused(command: &[String], complete: bool) -> Option<String> {
    // An ellipsis stands for more of the same, unless it is a value.
    let end = command
        .iter()
        .enumerate()
        .position(|(index, word)| word == "…" && !command[index - 1].starts_with('-'));
    let cut = end.unwrap_or(command.len());
    let complete = complete && end.is_none();
    let words = command[..cut].iter().map(|word| match word.as_str() {
        // What is to be replaced by a number is one.
        "PORT" | "CURSOR" => "1".to_owned(),
        word => word.to_owned(),
    });
    let words: Vec<String> = words.collect();
    // The old client has a grammar of its own.
    if let [_, first, rest @ ..] = words.as_slice()
        && first == cli::old::WORD
        && complete
    {
        return cli::old::check(rest).err();
    }
    let matches = Program::described().try_get_matches_from(words);
    let error = match matches.and_then(|matches| Program::read(&matches).map(drop)) {
        Ok(()) => return None,
        Err(error) => error,
    };
    let fine = match error.kind() {
        ErrorKind::DisplayHelp
        | ErrorKind::DisplayVersion
        | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => true,
        ErrorKind::MissingRequiredArgument | ErrorKind::MissingSubcommand => !complete,
        _ => false,
    };
    (!fine).then(|| error.to_string())
}

#[test]
fn every_command_of_the_documentation_is_one_of_the_program() {
    let mut count = 0;
    let mut findings = Vec::new();
    for page in pages() {
        for piece in pieces(&page.text) {
            if piece
                .block
                .is_some_and(|language| !["", "sh"].contains(&language))
            {
                continue;
            }
            for command in commands(&piece) {
                count += 1;
                if let Some(error) = refused(&command, is_complete(&piece)) {
                    let first = error.lines().next().unwrap_or_default().to_owned();
                    let command = command.join(" ");
                    findings.push(format!("{}:{} {command}: {first}", page.name, piece.line));
                }
            }
        }
    }
    assert!(count > 150, "only {count} commands were found");
    assert!(findings.is_empty(), "{}", findings.join("\n"));
}

fn is_name(c: char) -> bool {
    c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_'
}

/// Options that a piece of code names: section and name.
fn options(piece: &Piece<'_>) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let text = piece.text.as_str();
    for (at, _) in text.match_indices('[') {
        let Some((section, rest)) = text[at + 1..].split_once(']') else {
            continue;
        };
        let known = section == "DEFAULT" || (!section.is_empty() && section.chars().all(is_name));
        let rest = rest.strip_prefix(' ').unwrap_or(rest);
        let name: String = rest.chars().take_while(|c| is_name(*c)).collect();
        let wild = rest[name.len()..].starts_with(['*', '<']);
        if known && !wild && name.len() > 1 {
            found.push((section.to_owned(), name));
        }
    }
    for word in text.split([' ', '=']).collect::<Vec<_>>().windows(2) {
        if word[0] == "--set"
            && let Some((section, name)) = word[1].split_once('.')
            && name.chars().all(is_name)
        {
            found.push((section.to_owned(), name.to_owned()));
        }
    }
    for word in text.split([' ', '=', '`']) {
        if let Some(rest) = word.strip_prefix("CORTEN_")
            && let Some((section, name)) = rest.split_once("__")
            && (section, name) != ("SECTION", "OPTION")
        {
            let section = match section {
                "DEFAULT" => section.to_owned(),
                section => section.to_lowercase(),
            };
            found.push((section, name.to_lowercase()));
        }
    }
    found
}

/// Options that a configuration file sets.
fn settings(text: &str) -> Vec<(usize, String, String)> {
    let mut found = Vec::new();
    let mut section = String::new();
    for piece in pieces(text) {
        if piece.block != Some("ini") {
            section.clear();
            continue;
        }
        let line = piece.text.as_str();
        if let Some(header) = line
            .strip_prefix('[')
            .and_then(|line| line.strip_suffix(']'))
        {
            header.clone_into(&mut section);
        } else if let Some((name, _)) = line.split_once('=')
            && !line.starts_with(['#', ';'])
            && !FOREIGN_SECTIONS.contains(&section.as_str())
        {
            found.push((piece.line, section.clone(), name.trim().to_owned()));
        }
    }
    found
}

#[test]
fn every_option_of_the_documentation_is_in_the_tables() {
    let exists = |section: &str, name: &str| {
        FOREIGN_OPTIONS.contains(&(section, name))
            || definitions().any(|row| row.section == section && row.name == name)
    };
    let mut count = 0;
    let mut findings = Vec::new();
    for page in pages() {
        let mut named: Vec<(usize, String, String)> = settings(&page.text);
        for piece in pieces(&page.text) {
            let line = piece.line;
            let found = options(&piece).into_iter();
            named.extend(found.map(|(section, name)| (line, section, name)));
        }
        count += named.len();
        for (line, section, name) in named {
            if !exists(&section, &name) {
                findings.push(format!("{}:{line} [{section}]{name}", page.name));
            }
        }
    }
    assert!(count > 300, "only {count} options were found");
    assert!(
        findings.is_empty(),
        "not in the tables:\n{}",
        findings.join("\n")
    );
}

#[test]
fn what_does_not_exist_is_found() {
    let text = "a `corten node lst` b\n```\n$ CORTEN_API__PRT=1 corten serve --st a.b=c   words\n```\n```ini\n[api]\nprt = 1\n```\n";
    let found: Vec<_> = pieces(text)
        .iter()
        .flat_map(commands)
        .map(|command| refused(&command, true).is_some())
        .collect();
    assert_eq!(found, [true, true]);
    let named: Vec<_> = pieces(text).iter().flat_map(options).collect();
    assert_eq!(named, [("api".to_owned(), "prt".to_owned())]);
    assert_eq!(settings(text), [(7, "api".to_owned(), "prt".to_owned())]);
    let fine = "`corten node show m1 -f json`, `corten node …`, `[api]port`, `[fake]<kind>_delay`";
    for piece in pieces(fine) {
        for command in commands(&piece) {
            assert_eq!(refused(&command, false), None, "{command:?}");
        }
    }
}
