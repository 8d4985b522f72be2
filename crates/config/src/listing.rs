//! The configuration as `corten config show` prints it.
//!
//! The listing is itself a configuration file: every value stands below a comment that says where
//! it came from, and what is unset or masked is commented out, so that nobody starts a service
//! with stars for a password. References are shown resolved. Options that do nothing here say so.

use super::{
    Config, ini,
    mask::masked,
    section::{Definition, Mark, Setting},
    source::Source,
    value::OptionValue,
};

/// One option as it may be shown.
#[derive(Debug, Clone)]
pub struct Row {
    pub definition: &'static Definition,
    /// One text an assignment; more than one only for options that may be repeated, none if the
    /// option is unset.
    pub texts: Vec<String>,
    /// Whether something was hidden in the texts.
    pub is_masked: bool,
    pub source: Source,
}

/// Which options a listing holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shown {
    /// Only options that are set.
    Set,
    All,
}

impl Row {
    pub(super) fn new<T: OptionValue>(
        definition: &'static Definition,
        setting: &Setting<T>,
    ) -> Self {
        let plain = setting.shown().texts();
        let texts: Vec<_> = plain.iter().map(|text| masked(text, &T::KIND)).collect();
        Self {
            definition,
            is_masked: texts != plain,
            texts,
            source: setting.source().clone(),
        }
    }
}

impl Config {
    /// The options as text that reads back as the same configuration, but for what is masked.
    pub fn to_ini(&self, shown: Shown) -> String {
        let mut out = String::new();
        let mut section = "";
        for row in self.rows() {
            if shown == Shown::Set && !row.source.is_given() {
                continue;
            }
            if row.definition.section != section {
                section = row.definition.section;
                let gap = if out.is_empty() { "" } else { "\n" };
                out.push_str(&format!("{gap}[{section}]\n"));
            }
            out.push_str(&format!("# {}\n", row.source));
            if row.definition.mark != Mark::Acts {
                out.push_str(&format!("# {}\n", row.definition.mark));
            }
            out.push_str(&row.to_string());
        }
        out
    }
}

impl std::fmt::Display for Row {
    /// The assignments, commented out if they must not be used as they stand.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let name = self.definition.name;
        if self.texts.is_empty() {
            return writeln!(f, "# {name} is not set");
        }
        for text in &self.texts {
            let text = ini::written(&text.replace('$', "$$"));
            let assignment = if text.is_empty() {
                format!("{name} =")
            } else {
                format!("{name} = {text}")
            };
            if self.is_masked {
                writeln!(f, "# {}", assignment.replace('\n', "\n# "))?;
            } else {
                writeln!(f, "{assignment}")?;
            }
        }
        Ok(())
    }
}
