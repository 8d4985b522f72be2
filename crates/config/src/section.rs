//! The form of the option tables.
//!
//! [`section!`] takes the options of one section, one row an option with its help text, type,
//! limits and default, and makes of them a struct with a field an option (so that a misspelt name
//! or a wrong type does not compile where it is read), a [`Definition`] each (so that listings,
//! warnings and interpolation can see the table as data), and the code that fills the struct.
//!
//! Every row has a mark before its name, without which it does not compile: `acts`, or
//! `warns("why")`, or `stops("why, and what to do")`. See [`Mark`].
//!
//! Defaults are text and go through the same parser as anything an operator writes.

use super::{
    source::Source,
    value::{OptionValue, ValueKind},
};
use std::{
    fmt,
    ops::Deref,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

/// One row of the option tables.
#[derive(Debug)]
pub struct Definition {
    pub section: &'static str,
    pub name: &'static str,
    pub kind: ValueKind,
    /// The limits of a number, as a Rust range.
    pub limits: Option<&'static str>,
    /// The text of the default, before interpolation; without one the option is unset or empty.
    pub default: Option<&'static str>,
    pub help: &'static str,
    pub mark: Mark,
}

/// What becomes of an option that is set to anything but its default.
///
/// Reasons are parts of a sentence: they follow a colon, and a full stop may follow them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    /// It does what its help says.
    Acts,
    /// It is read and has no effect, which is said at every start, with the reason.
    Warns(&'static str),
    /// It promises safety, or a function, that is not there: the service does not start.
    Stops(&'static str),
}

impl fmt::Display for Mark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Acts => f.write_str("acts"),
            Self::Warns(reason) => write!(f, "has no effect: {reason}"),
            Self::Stops(reason) => write!(f, "stops the start: {reason}"),
        }
    }
}

/// The value of an option, and its source. Dereferences to the value.
#[derive(Clone)]
pub struct Setting<T> {
    value: T,
    source: Source,
    /// Whether the value was ever read: tests compare it with `acts`. Copies share it.
    is_read: Arc<AtomicBool>,
}

impl<T> Setting<T> {
    pub(super) fn new(value: T, source: Source) -> Self {
        Self {
            value,
            source,
            is_read: Arc::default(),
        }
    }

    /// The value, for those who go through all options; what acts by it dereferences.
    pub(super) fn shown(&self) -> &T {
        &self.value
    }

    pub(super) fn is_read(&self) -> bool {
        self.is_read.load(Ordering::Relaxed)
    }

    pub(super) fn into_value(self) -> T {
        self.value
    }

    /// Whether the value was set, even if it equals the default.
    pub fn is_set(&self) -> bool {
        self.source.is_given()
    }

    pub fn source(&self) -> &Source {
        &self.source
    }
}

impl<T> Deref for Setting<T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.is_read.store(true, Ordering::Relaxed);
        &self.value
    }
}

/// Secrets stay hidden, so that a whole configuration can be logged.
impl<T: OptionValue> fmt::Debug for Setting<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let texts = self.value.texts();
        let shown: Vec<_> = texts
            .iter()
            .map(|text| super::mask::masked(text, &T::KIND))
            .collect();
        write!(f, "{shown:?} ({})", self.source)
    }
}

/// The default of an option.
pub(super) enum Fallback<T> {
    Text(&'static str),
    Value(T),
}

macro_rules! section {
    (
        $(#[$section_doc:meta])*
        $struct:ident = $section:literal {
            $(
                $(#[doc = $help:literal])+
                $mark:ident $(($reason:expr))? $name:ident: $type:ty $([$limits:expr])? $(= $default:literal)?,
            )*
        }
    ) => {
        $(#[$section_doc])*
        #[derive(Debug, Clone)]
        #[non_exhaustive]
        pub struct $struct {
            $($(#[doc = $help])+ pub $name: $crate::section::Setting<$type>,)*
        }

        impl $struct {
            pub(crate) const DEFINITIONS: &'static [$crate::section::Definition] = &[$(
                $crate::section::Definition {
                    section: $section,
                    name: stringify!($name),
                    kind: <$type as $crate::value::OptionValue>::KIND,
                    limits: section!(@optional $(stringify!($limits))?),
                    default: section!(@optional $($default)?),
                    help: concat!($($help),+).trim_ascii(),
                    mark: section!(@mark $mark $($reason)?),
                },
            )*];

            /// Reads every option, so that all mistakes are found, and gives nothing if there
            /// was one.
            pub(crate) fn read(from: &mut $crate::resolver::Resolver<'_>) -> Option<Self> {
                let mut definitions = Self::DEFINITIONS.iter();
                $(let $name = from.setting::<$type>(
                    $section,
                    stringify!($name),
                    section!(@fallback $type $(, $default)?),
                    |_value| {
                        $($crate::value::within(_value, $limits)?;)?
                        Ok(())
                    },
                );
                if let (Some(definition), Some(setting)) = (definitions.next(), &$name) {
                    from.judge(definition, setting, section!(@fallback $type $(, $default)?));
                })*
                Some(Self { $($name: $name?,)* })
            }

            pub(crate) fn list(&self, rows: &mut Vec<$crate::listing::Row>) {
                let mut definitions = Self::DEFINITIONS.iter();
                $(rows.extend(definitions.next().map(|definition| {
                    $crate::listing::Row::new(definition, &self.$name)
                }));)*
            }

            /// Adds the options whose values were read.
            pub(crate) fn add_read(&self, read: &mut Vec<(&'static str, &'static str)>) {
                $(if self.$name.is_read() {
                    read.push(($section, stringify!($name)));
                })*
            }
        }
    };
    (@mark acts) => { $crate::section::Mark::Acts };
    (@mark warns $reason:expr) => { $crate::section::Mark::Warns($reason) };
    (@mark stops $reason:expr) => { $crate::section::Mark::Stops($reason) };
    (@optional) => { None };
    (@optional $value:expr) => { Some($value) };
    (@fallback $type:ty) => {
        $crate::section::Fallback::Value(<$type as Default>::default())
    };
    (@fallback $type:ty, $default:literal) => {
        $crate::section::Fallback::Text($default)
    };
}

pub(super) use section;
