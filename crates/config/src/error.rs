//! What can be wrong with a configuration, in words that name the place to mend.
//!
//! Values of all options are checked before anything is reported, so an operator sees every bad
//! line in one go. Values are masked before they get here: an error ends up in logs. The text of a
//! line that cannot be read at all is left out for the same reason.

use super::source::Source;
use std::{fmt, io, path::PathBuf};

/// The configuration cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    #[error("cannot read the configuration file {}", path.display())]
    Read {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    #[error("{}:{line}: the line is not UTF-8 text", path.display())]
    Encoding { path: PathBuf, line: usize },
    #[error("{}:{line}: {fault}", path.display())]
    Syntax {
        path: PathBuf,
        line: usize,
        fault: SyntaxFault,
    },
    #[error("--set {given}: expected section.option=value")]
    Flag { given: String },
    #[error("environment variable {variable} does not hold UTF-8 text")]
    Environment { variable: String },
    #[error(transparent)]
    Invalid(#[from] InvalidOptions),
}

/// Why a line of a file is not understood.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SyntaxFault {
    #[error("expected 'option = value', found neither '=' nor ':'")]
    NoAssignment,
    #[error("the option's name is missing")]
    NoName,
    #[error("an indented line continues the value above it, but there is none")]
    NothingToContinue,
    #[error("a section header must end with ']'")]
    NoSectionEnd,
    #[error("the section's name is missing")]
    NoSectionName,
}

/// All options whose values cannot be used.
#[derive(Debug, Clone)]
pub struct InvalidOptions(pub Vec<InvalidOption>);

impl fmt::Display for InvalidOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, option) in self.0.iter().enumerate() {
            if index > 0 {
                f.write_str("\n")?;
            }
            option.fmt(f)?;
        }
        Ok(())
    }
}

impl std::error::Error for InvalidOptions {}

/// One option whose value cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{source_of_value}: [{section}] {option} = {value}: {reason}")]
pub struct InvalidOption {
    pub section: &'static str,
    pub option: &'static str,
    /// The value as written, masked if it is a secret.
    pub value: String,
    pub source_of_value: Source,
    pub reason: Reason,
}

/// Why a value cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Reason {
    #[error("expected true or false (also 1/0, yes/no, on/off)")]
    NotBoolean,
    #[error("expected a whole number")]
    NotInteger,
    #[error("expected a number")]
    NotNumber,
    #[error("expected an octal number such as 0660")]
    NotOctal,
    #[error("must be at least {0}")]
    AtLeast(String),
    #[error("must be at most {0}")]
    AtMost(String),
    #[error("expected one of {}", .0.join(", "))]
    NotOneOf(&'static [&'static str]),
    #[error("expected an IP address")]
    NotIpAddress,
    #[error("expected an IP address or a host name")]
    NotHostAddress,
    #[error("expected a URL such as http://host:8080/path")]
    NotUrl,
    #[error("expected an absolute path without '.', '..' or doubled slashes")]
    NotAbsolutePath,
    #[error("expected a range of ports such as 10000:20000")]
    NotPortRange,
    #[error("a quoted item is not closed")]
    UnclosedQuote,
    #[error("expected name:value pairs separated by commas")]
    NotPairs,
    #[error("the name '{0}' occurs twice")]
    DuplicateName(String),
    #[error("${0} names no option; write $$ for a dollar sign")]
    UnknownReference(String),
    #[error("the value refers to itself: {0}")]
    Circular(String),
    /// The value is well formed, and what it asks for is not there.
    #[error("{0}")]
    NotServed(&'static str),
}
