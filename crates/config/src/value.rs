//! How the text of an option becomes a value of its type, and back.
//!
//! A type that implements [`OptionValue`] can stand in the option tables. The rules are those of
//! oslo.config, so that a file means here what it means there; the type says more than a string
//! would (a number of seconds, a secret, a path), so that the rest of the program need not parse
//! again. Lists, addresses and fixed choices have files of their own.

use super::{error::Reason, mask::without_credentials};
use std::{
    fmt,
    ops::{Bound, RangeBounds},
    path::{Path, PathBuf},
    time::Duration,
};
use types::words;

/// What sort of text an option takes, for listings and for masking.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ValueKind {
    Text,
    Secret,
    SecretUrl,
    Path,
    Boolean,
    Integer,
    Octal,
    Number,
    Seconds,
    Port,
    PortRange,
    IpAddress,
    HostAddress,
    Url,
    VerifyCa,
    Choice(&'static [&'static str]),
    Optional(&'static ValueKind),
    List(&'static ValueKind),
    Pairs(&'static ValueKind),
    Repeated(&'static ValueKind),
}

impl ValueKind {
    /// Whether the whole value is to be hidden.
    pub const fn is_secret(&self) -> bool {
        match self {
            Self::Secret => true,
            Self::Optional(inner)
            | Self::List(inner)
            | Self::Pairs(inner)
            | Self::Repeated(inner) => inner.is_secret(),
            _ => false,
        }
    }
}

impl fmt::Display for ValueKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text => f.write_str("text"),
            Self::Secret => f.write_str("secret"),
            Self::SecretUrl => f.write_str("URL with secrets"),
            Self::Path => f.write_str("path"),
            Self::Boolean => f.write_str("true or false"),
            Self::Integer => f.write_str("whole number"),
            Self::Octal => f.write_str("octal number"),
            Self::Number => f.write_str("number"),
            Self::Seconds => f.write_str("seconds"),
            Self::Port => f.write_str("port"),
            Self::PortRange => f.write_str("range of ports"),
            Self::IpAddress => f.write_str("IP address"),
            Self::HostAddress => f.write_str("IP address or host name"),
            Self::Url => f.write_str("URL"),
            Self::VerifyCa => f.write_str("true, false or a path"),
            Self::Choice(names) => write!(f, "one of {}", names.join(", ")),
            Self::Optional(inner) => write!(f, "{inner}, may be unset"),
            Self::List(inner) => write!(f, "list of {inner}"),
            Self::Pairs(inner) => write!(f, "list of name:{inner}"),
            Self::Repeated(inner) => write!(f, "{inner}, may be repeated"),
        }
    }
}

/// A type an option can have.
pub trait OptionValue: Sized {
    const KIND: ValueKind;

    fn parse(text: &str) -> Result<Self, Reason>;

    /// The value of an option that was given twice; for most types the later one counts.
    fn joined(_earlier: Self, later: Self) -> Self {
        later
    }

    /// The texts to write, one an assignment, so that they read back as this value. An unset
    /// value has none.
    fn texts(&self) -> Vec<String>;
}

/// A number that can be held to limits. An unset one is within all of them.
pub trait Ranged {
    type Number: PartialOrd + fmt::Display;

    fn number(&self) -> Option<Self::Number>;
}

/// Checks the limits written in an option table.
pub(super) fn within<T: Ranged>(
    value: &T,
    limits: impl RangeBounds<T::Number>,
) -> Result<(), Reason> {
    let Some(number) = value.number() else {
        return Ok(());
    };
    if limits.contains(&number) {
        return Ok(());
    }
    if let Bound::Included(least) = limits.start_bound()
        && number < *least
    {
        return Err(Reason::AtLeast(least.to_string()));
    }
    match limits.end_bound() {
        Bound::Included(most) | Bound::Excluded(most) => Err(Reason::AtMost(most.to_string())),
        Bound::Unbounded => Err(Reason::NotNumber),
    }
}

impl OptionValue for bool {
    const KIND: ValueKind = ValueKind::Boolean;

    fn parse(text: &str) -> Result<Self, Reason> {
        words::option_boolean(text).ok_or(Reason::NotBoolean)
    }

    fn texts(&self) -> Vec<String> {
        vec![self.to_string()]
    }
}

/// A decimal integer as Python reads it: a sign, leading zeros and single underscores between
/// digits are allowed.
fn integer<T>(text: &str, least: T, most: T) -> Result<T, Reason>
where
    T: TryFrom<i128> + fmt::Display + Copy,
{
    let text = text.trim();
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let well_formed = unsigned
        .split('_')
        .all(|group| !group.is_empty() && group.bytes().all(|byte| byte.is_ascii_digit()));
    if !well_formed {
        return Err(Reason::NotInteger);
    }
    let beyond = || match text.starts_with('-') {
        true => Reason::AtLeast(least.to_string()),
        false => Reason::AtMost(most.to_string()),
    };
    let wide: i128 = text.replace('_', "").parse().map_err(|_| beyond())?;
    T::try_from(wide).map_err(|_| beyond())
}

macro_rules! integers {
    ($($type:ty: $kind:expr),* $(,)?) => {$(
        impl OptionValue for $type {
            const KIND: ValueKind = $kind;

            fn parse(text: &str) -> Result<Self, Reason> {
                integer(text, Self::MIN, Self::MAX)
            }

            fn texts(&self) -> Vec<String> {
                vec![self.to_string()]
            }
        }

        impl Ranged for $type {
            type Number = Self;

            fn number(&self) -> Option<Self> {
                Some(*self)
            }
        }
    )*};
}

integers! {
    u16: ValueKind::Port,
    u32: ValueKind::Integer,
    i64: ValueKind::Integer,
}

impl OptionValue for f64 {
    const KIND: ValueKind = ValueKind::Number;

    fn parse(text: &str) -> Result<Self, Reason> {
        let number: f64 = text.trim().parse().map_err(|_| Reason::NotNumber)?;
        if number.is_finite() {
            Ok(number)
        } else {
            Err(Reason::NotNumber)
        }
    }

    fn texts(&self) -> Vec<String> {
        vec![self.to_string()]
    }
}

impl Ranged for f64 {
    type Number = Self;

    fn number(&self) -> Option<Self> {
        Some(*self)
    }
}

/// A time in whole seconds.
///
/// Many intervals of Ironic are switched off by zero or a negative number, which a
/// `Duration` could not hold; [`Seconds::positive`] asks for that case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Seconds(i64);

impl Seconds {
    pub const fn new(seconds: i64) -> Self {
        Self(seconds)
    }

    pub const fn get(self) -> i64 {
        self.0
    }

    /// As a duration; a negative number is no time at all.
    pub fn duration(self) -> Duration {
        Duration::from_secs(u64::try_from(self.0).unwrap_or(0))
    }

    /// As a duration, or nothing if zero or a negative number switches the matter off.
    pub fn positive(self) -> Option<Duration> {
        (self.0 > 0).then(|| self.duration())
    }
}

impl OptionValue for Seconds {
    const KIND: ValueKind = ValueKind::Seconds;

    fn parse(text: &str) -> Result<Self, Reason> {
        i64::parse(text).map(Self)
    }

    fn texts(&self) -> Vec<String> {
        self.0.texts()
    }
}

impl Ranged for Seconds {
    type Number = i64;

    fn number(&self) -> Option<i64> {
        Some(self.0)
    }
}

/// A file mode, written in octal with or without a `0` or `0o` before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Octal(u32);

impl Octal {
    pub const fn mode(self) -> u32 {
        self.0
    }
}

impl OptionValue for Octal {
    const KIND: ValueKind = ValueKind::Octal;

    fn parse(text: &str) -> Result<Self, Reason> {
        let text = text.trim();
        let digits = text
            .strip_prefix("0o")
            .or_else(|| text.strip_prefix("0O"))
            .unwrap_or(text);
        if !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(Reason::NotOctal);
        }
        u32::from_str_radix(digits, 8)
            .map(Self)
            .map_err(|_| Reason::NotOctal)
    }

    fn texts(&self) -> Vec<String> {
        vec![format!("{:04o}", self.0)]
    }
}

impl OptionValue for String {
    const KIND: ValueKind = ValueKind::Text;

    fn parse(text: &str) -> Result<Self, Reason> {
        Ok(text.to_owned())
    }

    fn texts(&self) -> Vec<String> {
        vec![self.clone()]
    }
}

impl OptionValue for PathBuf {
    const KIND: ValueKind = ValueKind::Path;

    fn parse(text: &str) -> Result<Self, Reason> {
        Ok(Self::from(text))
    }

    fn texts(&self) -> Vec<String> {
        vec![self.display().to_string()]
    }
}

/// A path that is exactly what it says: absolute, with nothing in it that climbs or repeats.
/// Slashes at the end are dropped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AbsolutePath(PathBuf);

impl AbsolutePath {
    pub fn as_path(&self) -> &Path {
        &self.0
    }
}

impl OptionValue for AbsolutePath {
    const KIND: ValueKind = ValueKind::Path;

    fn parse(text: &str) -> Result<Self, Reason> {
        let text = if text.len() > 1 {
            text.trim_end_matches('/')
        } else {
            text
        };
        let inner = text.strip_prefix('/').ok_or(Reason::NotAbsolutePath)?;
        let climbs = inner.split('/').any(|part| matches!(part, "" | "." | ".."));
        if climbs && !inner.is_empty() {
            return Err(Reason::NotAbsolutePath);
        }
        Ok(Self(Path::new("/").join(inner)))
    }

    fn texts(&self) -> Vec<String> {
        self.0.texts()
    }
}

/// A value that must not be seen in listings, logs and errors.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret")
    }
}

impl OptionValue for Secret {
    const KIND: ValueKind = ValueKind::Secret;

    fn parse(text: &str) -> Result<Self, Reason> {
        Ok(Self(text.to_owned()))
    }

    fn texts(&self) -> Vec<String> {
        vec![self.0.clone()]
    }
}

/// A URL that usually carries a password. Kept as written; what is shown of it has none.
#[derive(Clone, PartialEq, Eq)]
pub struct SecretUrl(String);

impl SecretUrl {
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for SecretUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&without_credentials(&self.0), f)
    }
}

impl OptionValue for SecretUrl {
    const KIND: ValueKind = ValueKind::SecretUrl;

    fn parse(text: &str) -> Result<Self, Reason> {
        Ok(Self(text.to_owned()))
    }

    fn texts(&self) -> Vec<String> {
        vec![self.0.clone()]
    }
}

/// An option that may be unset. An empty text unsets it: Ironic treats the two alike.
impl<T: OptionValue> OptionValue for Option<T> {
    const KIND: ValueKind = ValueKind::Optional(&T::KIND);

    fn parse(text: &str) -> Result<Self, Reason> {
        if text.trim().is_empty() {
            Ok(None)
        } else {
            T::parse(text).map(Some)
        }
    }

    fn texts(&self) -> Vec<String> {
        self.as_ref().map(T::texts).unwrap_or_default()
    }
}

impl<T: Ranged> Ranged for Option<T> {
    type Number = T::Number;

    fn number(&self) -> Option<T::Number> {
        self.as_ref().and_then(T::number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check<T: OptionValue + PartialEq + fmt::Debug>(text: &str, expected: Result<T, Reason>) {
        assert_eq!(T::parse(text), expected, "{text:?}");
    }

    #[test]
    fn booleans_have_eight_spellings() {
        for text in ["true", "True", "1", "YES", "on", " on "] {
            check(text, Ok(true));
        }
        for text in ["false", "0", "No", "OFF"] {
            check(text, Ok(false));
        }
        for text in ["", "2", "t", "enabled", "yes please"] {
            check::<bool>(text, Err(Reason::NotBoolean));
        }
    }

    #[test]
    fn integers_are_read_as_python_does() {
        check("007", Ok(7_i64));
        check(" +5 ", Ok(5_u32));
        check("-1_000", Ok(-1000_i64));
        for text in [
            "", "-", "1.0", "0x10", "1__0", "_1", "1_", "1 0", "+-1", "٣",
        ] {
            check::<i64>(text, Err(Reason::NotInteger));
        }
    }

    #[test]
    fn integers_beyond_their_type_name_its_limit() {
        check::<u16>("65536", Err(Reason::AtMost("65535".into())));
        check::<u32>("-1", Err(Reason::AtLeast("0".into())));
        let huge = "9".repeat(60);
        check::<i64>(&huge, Err(Reason::AtMost(i64::MAX.to_string())));
        check::<i64>(
            &format!("-{huge}"),
            Err(Reason::AtLeast(i64::MIN.to_string())),
        );
    }

    #[test]
    fn numbers_are_finite() {
        check("2", Ok(2.0));
        check("1.5e1", Ok(15.0));
        for text in ["", "nan", "inf", "1,5"] {
            check::<f64>(text, Err(Reason::NotNumber));
        }
    }

    #[test]
    fn limits_include_their_ends() {
        assert_eq!(within(&8_u32, 8..), Ok(()));
        assert_eq!(within(&7_u32, 8..), Err(Reason::AtLeast("8".into())));
        assert_eq!(within(&50_u32, 0..=50), Ok(()));
        assert_eq!(within(&51_u32, 0..=50), Err(Reason::AtMost("50".into())));
        assert_eq!(within(&Seconds(-1), ..=9), Ok(()));
        assert_eq!(within(&0.5, 1.0..), Err(Reason::AtLeast("1".into())));
        assert_eq!(within(&None::<u32>, 8..), Ok(()));
    }

    #[test]
    fn seconds_may_switch_things_off() {
        assert_eq!(Seconds(-1).positive(), None);
        assert_eq!(Seconds(0).positive(), None);
        assert_eq!(Seconds(2).positive(), Some(Duration::from_secs(2)));
        assert_eq!(Seconds(-1).duration(), Duration::ZERO);
    }

    #[test]
    fn modes_are_octal() {
        check("0660", Ok(Octal(0o660)));
        check("0o600", Ok(Octal(0o600)));
        for text in ["", "0o", "8", "+7", "rw"] {
            check::<Octal>(text, Err(Reason::NotOctal));
        }
        assert_eq!(Octal(0o660).texts(), ["0660"]);
    }

    #[test]
    fn absolute_paths_do_not_climb() {
        check(
            "/var/lib/ironic//",
            Ok(AbsolutePath("/var/lib/ironic".into())),
        );
        check("/", Ok(AbsolutePath("/".into())));
        for text in ["", "var", "/var/../etc", "/./a", "/a//b", "//"] {
            check::<AbsolutePath>(text, Err(Reason::NotAbsolutePath));
        }
    }

    #[test]
    fn an_empty_text_unsets() {
        check::<Option<u32>>(" ", Ok(None));
        check("3", Ok(Some(3_u32)));
        assert!(None::<u32>.texts().is_empty());
    }

    #[test]
    fn secrets_hide_themselves() {
        let secret = Secret::parse("hunter2").unwrap();
        assert_eq!(secret.expose(), "hunter2");
        assert_eq!(format!("{secret:?}"), "Secret");
        assert!(<Option<Secret>>::KIND.is_secret());
        assert!(!<Option<String>>::KIND.is_secret());
        let url = SecretUrl::parse("mysql://u:hunter2@db/x").unwrap();
        assert_eq!(url.expose(), "mysql://u:hunter2@db/x");
        assert!(!format!("{url:?}").contains("hunter2"));
    }
}
