//! Turns what was given, and defaults for what was not, into values.
//!
//! A value may name another option: `$name` (looked for in its own section, then in `[DEFAULT]`),
//! `${name}`, `$section.name`; `$$` and `\$` are a plain dollar sign, and a dollar sign before
//! anything that cannot be a name stands for itself. A name that no option has is refused, as it
//! is in Ironic; there it shows only when the option is first used, here at the start.
//!
//! What is put in is the other option's text, with its own references replaced. Ironic puts
//! in the value as Python prints it, which differs for anything but plain strings and numbers.

use super::{
    error::{InvalidOption, InvalidOptions, Reason},
    ini::DEFAULT_SECTION,
    layers::{Layers, Text, section_key},
    mask,
    section::{Definition, Fallback, Mark, Setting},
    source::Source,
    unknown::Warning,
    value::{OptionValue, ValueKind},
};
use std::collections::HashMap;

/// Reads values out of layers and keeps count of those that cannot be used.
pub(super) struct Resolver<'a> {
    layers: &'a Layers,
    definitions: HashMap<(&'static str, &'static str), &'static Definition>,
    invalid: Vec<InvalidOption>,
    without_effect: Vec<Warning>,
    stopping: Vec<InvalidOption>,
}

impl<'a> Resolver<'a> {
    pub(super) fn new(
        layers: &'a Layers,
        definitions: impl Iterator<Item = &'static Definition>,
    ) -> Self {
        let definitions = definitions.map(|d| ((d.section, d.name), d)).collect();
        Self {
            layers,
            definitions,
            invalid: Vec::new(),
            without_effect: Vec::new(),
            stopping: Vec::new(),
        }
    }

    /// The value of one option, or nothing and a note of what is wrong with it.
    pub(super) fn setting<T: OptionValue>(
        &mut self,
        section: &'static str,
        name: &'static str,
        fallback: Fallback<T>,
        check: impl Fn(&T) -> Result<(), Reason>,
    ) -> Option<Setting<T>> {
        let texts = match (self.layers.find(section, name), fallback) {
            ([], Fallback::Value(value)) => return Some(Setting::new(value, Source::Default)),
            ([], Fallback::Text(text)) => {
                vec![Text {
                    text: text.to_owned(),
                    source: Source::Default,
                }]
            }
            (all, _) if matches!(T::KIND, ValueKind::Repeated(_)) => all.to_vec(),
            // Texts that were overridden are not looked at: they may refer to nothing.
            ([.., last], _) => vec![last.clone()],
        };
        let path = [(section.to_owned(), name.to_owned())];
        let mut found: Option<Setting<T>> = None;
        for text in &texts {
            let value = self
                .expanded(&text.text, &path)
                .and_then(|plain| T::parse(&plain))
                .and_then(|value| check(&value).map(|()| value));
            let value = match value {
                Ok(value) => value,
                Err(reason) => {
                    self.refuse::<T>(section, name, text, reason);
                    return None;
                }
            };
            let value = match found {
                Some(earlier) => T::joined(earlier.into_value(), value),
                None => value,
            };
            found = Some(Setting::new(value, text.source.clone()));
        }
        found
    }

    /// Notes an option that was set to something other than its default and does not act.
    pub(super) fn judge<T: OptionValue>(
        &mut self,
        definition: &'static Definition,
        setting: &Setting<T>,
        fallback: Fallback<T>,
    ) {
        let Definition { section, name, .. } = *definition;
        if !setting.is_set() || matches!(definition.mark, Mark::Acts) {
            return;
        }
        let path = [(section.to_owned(), name.to_owned())];
        let default = match fallback {
            Fallback::Value(value) => Ok(value),
            Fallback::Text(text) => self.expanded(text, &path).and_then(|text| T::parse(&text)),
        };
        // An option that may be repeated and is written once without a value says nothing.
        let said = |value: &T| -> Vec<String> {
            let texts = value.texts().into_iter();
            texts.filter(|text| !text.is_empty()).collect()
        };
        if default.is_ok_and(|default| said(&default) == said(setting.shown())) {
            return;
        }
        match definition.mark {
            Mark::Acts => {}
            Mark::Warns(reason) => self.without_effect.push(Warning::NoEffect {
                section: section.to_owned(),
                option: name.to_owned(),
                source: setting.source().clone(),
                reason,
            }),
            Mark::Stops(reason) => {
                let texts = setting.shown().texts();
                let shown: Vec<_> = texts.iter().map(|t| mask::masked(t, &T::KIND)).collect();
                self.stopping.push(InvalidOption {
                    section,
                    option: name,
                    value: shown.join(", "),
                    source_of_value: setting.source().clone(),
                    reason: Reason::NotServed(reason),
                });
            }
        }
    }

    /// The options that were set and have no effect, and those that keep the service from
    /// starting.
    pub(super) fn into_judged(self) -> (Vec<Warning>, InvalidOptions) {
        (self.without_effect, InvalidOptions(self.stopping))
    }

    fn refuse<T: OptionValue>(
        &mut self,
        section: &'static str,
        option: &'static str,
        text: &Text,
        reason: Reason,
    ) {
        self.invalid.push(InvalidOption {
            section,
            option,
            value: mask::masked(&text.text, &T::KIND),
            source_of_value: text.source.clone(),
            reason,
        });
    }

    /// All that was wrong. A default goes wrong only because it refers to an option that did, so
    /// defaults are mentioned only when nothing else is to blame.
    pub(super) fn into_invalid(self) -> InvalidOptions {
        let (given, defaults): (Vec<_>, Vec<_>) = self
            .invalid
            .into_iter()
            .partition(|option| option.source_of_value.is_given());
        InvalidOptions(if given.is_empty() { defaults } else { given })
    }

    /// Replaces the references in `text`, which belongs to the last option of `path`; the others
    /// are those that led to it.
    fn expanded(&self, text: &str, path: &[(String, String)]) -> Result<String, Reason> {
        let mut out = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(at) = rest.find('$') {
            let (before, after) = (&rest[..at], &rest[at + 1..]);
            if let Some(before) = before.strip_suffix('\\') {
                out.push_str(before);
                out.push('$');
                rest = after;
                continue;
            }
            out.push_str(before);
            let (name, behind) = match reference(after) {
                Some(found) => found,
                None => {
                    out.push('$');
                    rest = after.strip_prefix('$').unwrap_or(after);
                    continue;
                }
            };
            out.push_str(&self.referred(name, path)?);
            rest = behind;
        }
        out.push_str(rest);
        Ok(out)
    }

    fn referred(&self, name: &str, path: &[(String, String)]) -> Result<String, Reason> {
        let own_section = path.last().map_or(DEFAULT_SECTION, |(section, _)| section);
        let found = match name.split_once('.') {
            Some((section, option)) => self.raw(&section_key(section), option),
            None => self
                .raw(own_section, name)
                .or_else(|| self.raw(DEFAULT_SECTION, name)),
        };
        let (target, text) = found.ok_or_else(|| Reason::UnknownReference(name.to_owned()))?;
        let mut path = path.to_vec();
        let closes = path.contains(&target);
        path.push(target);
        if closes {
            let names: Vec<_> = path.iter().map(|(s, o)| format!("[{s}] {o}")).collect();
            return Err(Reason::Circular(names.join(" → ")));
        }
        self.expanded(text, &path)
    }

    /// An option that exists and its unexpanded text, empty if it is unset. Options nobody here
    /// knows exist if they were given: a file may define names for its own use.
    fn raw(&self, section: &str, option: &str) -> Option<((String, String), &str)> {
        let text = match self.layers.find(section, option) {
            [.., last] => last.text.as_str(),
            [] => self
                .definitions
                .get(&(section, option))?
                .default
                .unwrap_or_default(),
        };
        Some(((section.to_owned(), option.to_owned()), text))
    }
}

/// The name after a dollar sign, and what follows it.
fn reference(after: &str) -> Option<(&str, &str)> {
    if let Some(braced) = after.strip_prefix('{') {
        let (name, behind) = braced.split_once('}')?;
        return (name_length(name) == name.len() && !name.is_empty()).then_some((name, behind));
    }
    let length = name_length(after);
    (length > 0).then(|| after.split_at(length))
}

fn name_length(text: &str) -> usize {
    if !text.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_') {
        return 0;
    }
    let ends = |c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '.'));
    text.find(ends).unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::definitions;

    /// Loads flags and expands `text` as if it stood in section `[pxe]`.
    #[track_caller]
    fn expand(flags: &[&str], text: &str) -> Result<String, Reason> {
        let mut layers = Layers::default();
        let flags: Vec<_> = flags.iter().map(|flag| (*flag).to_owned()).collect();
        layers.add_flags(&flags).unwrap();
        let resolver = Resolver::new(&layers, definitions());
        resolver.expanded(text, &[("pxe".to_owned(), "tftp_root".to_owned())])
    }

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let flags = [
            "DEFAULT.host=c1",
            "pxe.pxe_bootfile_name=p.0",
            "api.port=99",
            "lab.x=y",
        ];
        assert_eq!(expand(&flags, text).as_deref(), Ok(expected), "{text:?}");
    }

    #[test]
    fn references_are_replaced() {
        check("$pxe_bootfile_name and ${host}!", "p.0 and c1!");
        check("$api.port/${api.port}/${API.port}", "99/99/99");
        check("${host}name", "c1name");
        check("[$host]$host", "[c1]c1");
    }

    #[test]
    fn defaults_and_names_of_the_file_s_own_can_be_referred_to() {
        check("$ipxe_bootfile_name", "undionly.kpxe");
        check("$lab.x", "y");
        check("<$my_ipv6>", "<>");
    }

    #[test]
    fn dollar_signs_can_be_meant() {
        check("a$$b", "a$b");
        check("$$host", "$host");
        check("\\$host", "$host");
        check("\\$$host", "$c1");
        check("$", "$");
        check("$5 ${ ${5} ${host", "$5 ${ ${5} ${host");
        check("é$ü", "é$ü");
    }

    #[test]
    fn unknown_names_are_refused() {
        for name in ["nope", "nope.host", "api.nope", "host.", "port"] {
            let refused = expand(&[], &format!("x${name}")).unwrap_err();
            assert_eq!(refused, Reason::UnknownReference(name.to_owned()));
        }
    }

    #[test]
    fn circles_are_refused() {
        let flags = ["DEFAULT.host=$pxe.images_path", "pxe.images_path=$host"];
        let refused = expand(&flags, "$host").unwrap_err();
        let circle = "[pxe] tftp_root → [DEFAULT] host → [pxe] images_path → [DEFAULT] host";
        assert_eq!(refused, Reason::Circular(circle.to_owned()));
    }
}
