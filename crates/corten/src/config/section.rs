//! The form of the option tables.
//!
//! [`section!`] takes the options of one section, one row an option with its help text, type,
//! limits and default, and makes of them a struct with a field an option (so that a misspelt name
//! or a wrong type does not compile where it is read), a [`Definition`] each (so that listings,
//! warnings and interpolation can see the table as data), and the code that fills the struct.
//!
//! Defaults are text and go through the same parser as anything an operator writes.

use super::{
    source::Source,
    value::{Kind, OptionValue},
};
use std::{fmt, ops::Deref};

/// One row of the option tables.
#[derive(Debug)]
pub struct Definition {
    pub section: &'static str,
    pub name: &'static str,
    pub kind: Kind,
    /// The limits of a number, as a Rust range.
    pub limits: Option<&'static str>,
    /// The text of the default, before interpolation; without one the option is unset or empty.
    pub default: Option<&'static str>,
    pub help: &'static str,
}

/// The value of an option, and who decided it. Reads as the value itself.
#[derive(Clone)]
pub struct Setting<T> {
    value: T,
    source: Source,
}

impl<T> Setting<T> {
    pub(super) fn new(value: T, source: Source) -> Self {
        Self { value, source }
    }

    pub(super) fn into_value(self) -> T {
        self.value
    }

    /// Whether somebody chose this value, be it the same as the default.
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

/// What an option is when nobody says anything.
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
                $name:ident: $type:ty $([$limits:expr])? $(= $default:literal)?,
            )*
        }
    ) => {
        $(#[$section_doc])*
        #[derive(Debug, Clone)]
        #[non_exhaustive]
        pub struct $struct {
            $($(#[doc = $help])+ pub $name: $crate::config::section::Setting<$type>,)*
        }

        impl $struct {
            pub(in $crate::config) const DEFINITIONS:
                &'static [$crate::config::section::Definition] = &[$(
                $crate::config::section::Definition {
                    section: $section,
                    name: stringify!($name),
                    kind: <$type as $crate::config::value::OptionValue>::KIND,
                    limits: section!(@optional $(stringify!($limits))?),
                    default: section!(@optional $($default)?),
                    help: concat!($($help),+).trim_ascii(),
                },
            )*];

            /// Reads every option, so that all mistakes are found, and gives nothing if there
            /// was one.
            pub(in $crate::config) fn read(
                from: &mut $crate::config::resolver::Resolver<'_>,
            ) -> Option<Self> {
                $(let $name = from.setting::<$type>(
                    $section,
                    stringify!($name),
                    section!(@fallback $type $(, $default)?),
                    |_value| {
                        $($crate::config::value::within(_value, $limits)?;)?
                        Ok(())
                    },
                );)*
                Some(Self { $($name: $name?,)* })
            }

            pub(in $crate::config) fn list(
                &self,
                rows: &mut Vec<$crate::config::listing::Row>,
            ) {
                let mut definitions = Self::DEFINITIONS.iter();
                $(rows.extend(definitions.next().map(|definition| {
                    $crate::config::listing::Row::new(definition, &self.$name)
                }));)*
            }
        }
    };
    (@optional) => { None };
    (@optional $value:expr) => { Some($value) };
    (@fallback $type:ty) => {
        $crate::config::section::Fallback::Value(<$type as Default>::default())
    };
    (@fallback $type:ty, $default:literal) => {
        $crate::config::section::Fallback::Text($default)
    };
}

pub(super) use section;
