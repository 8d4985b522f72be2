//! Which trace a span belongs to, as it stands in the header `traceparent`.

use std::{fmt, str::FromStr};
use uuid::Uuid;

/// A span as others refer to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Context {
    /// Not zero.
    pub trace: u128,
    /// Not zero.
    pub span: u64,
    /// The `sampled` flag: whether the trace is recorded.
    pub sampled: bool,
}

/// A text that is not a valid `traceparent`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("invalid traceparent header")]
pub struct NotAContext;

impl Context {
    /// The first span of a trace.
    pub fn root(sampled: bool) -> Self {
        Self {
            trace: Uuid::new_v4().as_u128(),
            span: random_span(),
            sampled,
        }
    }

    /// A span below this one.
    pub fn child(self) -> Self {
        Self {
            span: random_span(),
            ..self
        }
    }
}

fn random_span() -> u64 {
    // The half of a UUID whose fixed bits guarantee that it is not zero.
    Uuid::new_v4().as_u64_pair().1
}

impl fmt::Display for Context {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let flags = u8::from(self.sampled);
        write!(f, "00-{:032x}-{:016x}-{flags:02x}", self.trace, self.span)
    }
}

impl FromStr for Context {
    type Err = NotAContext;

    fn from_str(text: &str) -> Result<Self, NotAContext> {
        let mut parts = text.trim().split('-');
        let mut hex = |digits: usize| {
            let part = parts.next().filter(|part| part.len() == digits)?;
            let lower = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
            part.bytes()
                .all(lower)
                .then(|| u128::from_str_radix(part, 16).ok())?
        };
        let read = (hex(2), hex(32), hex(16), hex(2));
        let (Some(version), Some(trace), Some(span), Some(flags)) = read else {
            return Err(NotAContext);
        };
        // Later versions may have more parts; version ff is forbidden, and 00 has exactly four.
        let is_whole = version != 0 || parts.next().is_none();
        let span = u64::try_from(span).map_err(|_| NotAContext)?;
        if version == 0xff || trace == 0 || span == 0 || !is_whole {
            return Err(NotAContext);
        }
        Ok(Self {
            trace,
            span,
            sampled: flags & 1 != 0,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_read_and_written_as_the_standard_says() {
        let header = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
        let context: Context = header.parse().unwrap();
        assert_eq!(context.trace, 0x4bf9_2f35_77b3_4da6_a3ce_929d_0e0e_4736);
        assert_eq!(context.span, 0x00f0_67aa_0ba9_02b7);
        assert!(context.sampled);
        assert_eq!(context.to_string(), header);
        let later = format!("01{}-what-comes-later", &header[2..]);
        assert_eq!(later.parse(), Ok(context));
        let unsampled = header.replace("-01", "-00").parse::<Context>().unwrap();
        assert!(!unsampled.sampled && !unsampled.child().sampled);
        assert_ne!(context.child().span, context.span);
        assert_eq!(context.child().trace, context.trace);
        for wrong in [
            "",
            "00",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more",
            "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
            "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
            "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
            "00-4bf92f3577b34da6a3ce929d0e0e473-00f067aa0ba902b7-01",
            "00-+bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
        ] {
            assert_eq!(wrong.parse::<Context>(), Err(NotAContext), "{wrong}");
        }
    }
}
