//! GRUB's configuration, as far as it is needed to find the default entry.
//!
//! It is a language with variables, conditions and functions. Assignments and the usual conditions on
//! variables are followed; conditions on what only GRUB knows are taken for false, which is the branch
//! that generated menus have for others. Functions are not called.

use super::BootEntry;
use std::collections::BTreeMap;

type Variables = BTreeMap<String, String>;

/// How deep blocks may be within each other.
const DEEPEST: usize = 50;

/// The variables that GRUB keeps between starts.
pub(super) fn environment(text: &str) -> Variables {
    text.lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| line.split_once('='))
        .map(|(key, value)| (key.to_owned(), value.to_owned()))
        .collect()
}

/// Puts values in place of `$name` and `${name}`; what is not set is empty.
pub(super) fn expand(text: &str, variables: &Variables) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('$') {
        out.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        let braced = rest.strip_prefix('{').and_then(|r| r.split_once('}'));
        let (name, tail) = match braced {
            Some(found) => found,
            None => {
                let end = rest
                    .find(|c: char| !c.is_ascii_alphanumeric() && c != '_')
                    .unwrap_or(rest.len());
                rest.split_at(end)
            }
        };
        out.push_str(variables.get(name).map_or("", String::as_str));
        rest = tail;
    }
    out.push_str(rest);
    out.trim().to_owned()
}

/// The default entry.
pub(super) fn default_of(text: &str, environment: &Variables) -> Result<BootEntry, String> {
    let lines: Vec<Vec<Word>> = statements(text);
    let mut variables = environment.clone();
    let items = menu(&mut lines.iter(), &mut variables, 0)?;
    if items.is_empty() {
        // There is nothing to choose from; the file itself starts something.
        let (mut own, mut entry) = (environment.clone(), BootEntry::default());
        run(&mut lines.iter(), &mut own, &mut entry, 0)?;
        return some_kernel(entry, "the menu");
    }
    let wanted = variables.get("default").cloned().unwrap_or_default();
    let wanted = if wanted.is_empty() {
        "0".to_owned()
    } else {
        wanted
    };
    let item = choose(&items, &wanted).ok_or_else(|| format!("no menu entry '{wanted}'"))?;
    let mut own = variables.clone();
    let mut entry = BootEntry::default();
    run(&mut item.body.iter(), &mut own, &mut entry, 0)?;
    some_kernel(entry, &format!("the entry '{}'", item.title))
}

fn some_kernel(entry: BootEntry, what: &str) -> Result<BootEntry, String> {
    if entry.kernel.is_empty() {
        return Err(format!("{what} has no linux command"));
    }
    Ok(entry)
}

/// An entry of the menu, or a menu within.
struct Item {
    title: String,
    id: Option<String>,
    body: Vec<Vec<Word>>,
    below: Vec<Item>,
}

/// By number, title or id; `>` leads to menus within. What is not found is the first entry, as in
/// GRUB, but a path that leads nowhere is not.
fn choose<'i>(items: &'i [Item], wanted: &str) -> Option<&'i Item> {
    let (head, tail) = match wanted.split_once('>') {
        Some((head, tail)) => (head, Some(tail)),
        None => (wanted, None),
    };
    let named = |item: &&Item| item.title == head || item.id.as_deref() == Some(head);
    let found = match head.parse::<usize>() {
        Ok(number) => items.get(number),
        Err(_) => items.iter().find(named),
    };
    let found = found.or_else(|| items.first())?;
    match tail {
        Some(tail) => choose(&found.below, tail),
        None if found.below.is_empty() => Some(found),
        None => choose(&found.below, "0"),
    }
}

/// A word, in pieces of which each is quoted against variables or not.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Word(Vec<(String, bool)>);

impl Word {
    fn value(&self, variables: &Variables) -> String {
        let mut out = String::new();
        for (text, literal) in &self.0 {
            if *literal {
                out.push_str(text);
            } else {
                // Spaces within quotes stay as they are.
                let marked = format!("\u{1}{text}\u{1}");
                out.push_str(expand(&marked, variables).trim_matches('\u{1}'));
            }
        }
        out
    }

    fn plain(&self) -> &str {
        match &self.0[..] {
            [(text, false)] => text,
            _ => "",
        }
    }
}

/// Lines and what semicolons separate, as words. Braces stand alone.
fn statements(text: &str) -> Vec<Vec<Word>> {
    let mut all = Vec::new();
    let mut words: Vec<Word> = Vec::new();
    let mut word: Vec<(String, bool)> = Vec::new();
    let mut chars = text.chars().peekable();
    let push = |word: &mut Vec<(String, bool)>, c: char, literal: bool| match word.last_mut() {
        Some((text, kind)) if *kind == literal => text.push(c),
        _ => word.push((c.to_string(), literal)),
    };
    let mut started = false;
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some('\n') | None => {}
                Some(next) => push(&mut word, next, true),
            },
            '\'' => {
                started = true;
                for c in chars.by_ref().take_while(|c| *c != '\'') {
                    push(&mut word, c, true);
                }
            }
            '"' => {
                started = true;
                while let Some(c) = chars.next() {
                    match c {
                        '"' => break,
                        '\\' => {
                            let next = chars.next().unwrap_or('\\');
                            push(&mut word, next, true);
                        }
                        c => push(&mut word, c, false),
                    }
                }
            }
            '#' if word.is_empty() => {
                while chars.peek().is_some_and(|c| *c != '\n') {
                    chars.next();
                }
            }
            c if c.is_whitespace() || c == ';' => {
                if !word.is_empty() || started {
                    words.push(Word(std::mem::take(&mut word)));
                    started = false;
                }
                if (c == '\n' || c == ';') && !words.is_empty() {
                    all.push(std::mem::take(&mut words));
                }
            }
            c => push(&mut word, c, false),
        }
    }
    if !word.is_empty() {
        words.push(Word(word));
    }
    if !words.is_empty() {
        all.push(words);
    }
    all
}

type Lines<'l> = std::slice::Iter<'l, Vec<Word>>;

fn too_deep(depth: usize) -> Result<(), String> {
    if depth > DEEPEST {
        return Err("the menu is nested too deeply".to_owned());
    }
    Ok(())
}

/// Follows a menu up to its end, and collects its entries.
fn menu(
    lines: &mut Lines<'_>,
    variables: &mut Variables,
    depth: usize,
) -> Result<Vec<Item>, String> {
    too_deep(depth)?;
    let mut items = Vec::new();
    while let Some(line) = lines.next() {
        match line[0].plain() {
            "}" => break,
            "menuentry" | "submenu" => {
                let is_menu = line[0].plain() == "submenu";
                let body = block(lines);
                let mut item = item(line, variables);
                if is_menu {
                    item.below = menu(&mut body.iter(), &mut variables.clone(), depth + 1)?;
                } else {
                    item.body = body;
                }
                items.push(item);
            }
            "function" => {
                block(lines);
            }
            "if" => {
                let chosen = condition(line, lines, variables);
                items.extend(menu(&mut chosen.iter(), variables, depth + 1)?);
            }
            _ => assign(line, variables),
        }
    }
    Ok(items)
}

/// Follows an entry: its kernel, its initial ramdisks, and the filesystem they are on.
fn run(
    lines: &mut Lines<'_>,
    variables: &mut Variables,
    entry: &mut BootEntry,
    depth: usize,
) -> Result<(), String> {
    too_deep(depth)?;
    while let Some(line) = lines.next() {
        let values = || line.iter().skip(1).map(|word| word.value(variables));
        match line[0].plain() {
            "linux" | "linuxefi" | "linux16" => {
                let words: Vec<String> = values().filter(|word| !word.is_empty()).collect();
                if let Some((kernel, rest)) = words.split_first() {
                    entry.kernel = on_filesystem(kernel);
                    entry.command_line = rest.join(" ");
                }
            }
            "initrd" | "initrdefi" | "initrd16" => {
                entry.initrds = values()
                    .filter(|word| !word.is_empty())
                    .map(|word| on_filesystem(&word))
                    .collect();
            }
            "search" => {
                let words: Vec<String> = values().collect();
                let by_id = words.iter().any(|word| word == "--fs-uuid" || word == "-u");
                if by_id && let Some(id) = words.iter().rfind(|word| !word.starts_with('-')) {
                    entry.filesystem = Some(id.clone());
                }
            }
            "if" => {
                let chosen = condition(line, lines, variables);
                run(&mut chosen.iter(), variables, entry, depth + 1)?;
            }
            _ => assign(line, variables),
        }
    }
    Ok(())
}

/// A path without the device before it, such as `($root)`.
fn on_filesystem(path: &str) -> String {
    match path.strip_prefix('(').and_then(|rest| rest.split_once(')')) {
        Some((_, path)) => path.to_owned(),
        None => path.to_owned(),
    }
}

fn item(line: &[Word], variables: &Variables) -> Item {
    let words: Vec<String> = line
        .iter()
        .skip(1)
        .map(|word| word.value(variables))
        .collect();
    let title = words.first().cloned().unwrap_or_default();
    // Generated menus write the option as a variable, which is `--id` where GRUB knows it.
    let is_id = |(word, value): (&Word, &String)| {
        value == "--id"
            || matches!(
                word.plain(),
                "$menuentry_id_option" | "${menuentry_id_option}"
            )
    };
    let at = line.iter().skip(1).zip(&words).position(is_id);
    Item {
        title,
        id: at.and_then(|at| words.get(at + 1).cloned()),
        body: Vec::new(),
        below: Vec::new(),
    }
}

/// The lines up to the brace that closes a block whose first line was read.
fn block(lines: &mut Lines<'_>) -> Vec<Vec<Word>> {
    let mut depth = 1;
    let mut body = Vec::new();
    for line in lines.by_ref() {
        if line[0].plain() == "}" {
            depth -= 1;
            if depth == 0 {
                break;
            }
        } else if line.last().is_some_and(|word| word.plain() == "{") {
            depth += 1;
        }
        body.push(line.clone());
    }
    body
}

/// The branch of a condition that holds. The line with `if` was read; reads up to its `fi`.
fn condition(first: &[Word], lines: &mut Lines<'_>, variables: &Variables) -> Vec<Vec<Word>> {
    let mut chosen: Option<Vec<Vec<Word>>> = None;
    let mut holds = test(&first[1..], variables);
    let mut body: Vec<Vec<Word>> = Vec::new();
    let mut depth = 0;
    for line in lines.by_ref() {
        let word = line[0].plain();
        match word {
            "if" => depth += 1,
            "fi" if depth > 0 => depth -= 1,
            "fi" | "elif" | "else" if depth == 0 => {
                let branch = std::mem::take(&mut body);
                if holds && chosen.is_none() {
                    chosen = Some(branch);
                }
                if word == "fi" {
                    break;
                }
                holds = word == "else" || test(&line[1..], variables);
                if word == "else" && line.len() > 1 {
                    body.push(line[1..].to_vec());
                }
                continue;
            }
            "then" if depth == 0 && line.len() > 1 => {
                body.push(line[1..].to_vec());
                continue;
            }
            "then" => continue,
            _ => {}
        }
        body.push(line.clone());
    }
    chosen.unwrap_or_default()
}

/// Conditions on variables; all others do not hold.
fn test(words: &[Word], variables: &Variables) -> bool {
    let plain: Vec<&str> = words.iter().map(Word::plain).collect();
    let words: Vec<String> = words.iter().map(|word| word.value(variables)).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let inner = match (plain.first(), plain.last()) {
        (Some(&"["), Some(&"]")) => &words[1..words.len() - 1],
        (Some(&"test"), _) => &words[1..],
        _ => return false,
    };
    match inner {
        [one] => !one.is_empty(),
        ["!", one] => one.is_empty(),
        ["-n", one] => !one.is_empty(),
        ["-z", one] => one.is_empty(),
        [a, "=" | "==", b] => a == b,
        [a, "!=", b] => a != b,
        _ => false,
    }
}

/// `set name=value` and `name=value`.
fn assign(line: &[Word], variables: &mut Variables) {
    let mut words = line.iter();
    let Some(first) = words.next() else { return };
    let word = if first.plain() == "set" {
        words.next()
    } else {
        Some(first)
    };
    let Some((name, value)) = word.and_then(|word| {
        let value = word.value(variables);
        let (name, value) = value.split_once('=')?;
        Some((name.to_owned(), value.to_owned()))
    }) else {
        return;
    };
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    if !name.is_empty() && name.chars().all(is_name) {
        variables.insert(name, value);
    }
}
