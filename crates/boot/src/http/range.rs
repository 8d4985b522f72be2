//! Which part of a file is wanted (RFC 9110, 14).
//!
//! One range is honoured; of several, the whole file is sent, which the standard allows.

/// What a `Range` header asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RequestedRange {
    Everything,
    Part {
        start: u64,
        length: u64,
    },
    /// A range that the file does not have.
    Nothing,
}

pub(super) fn parse(text: &str, size: u64) -> RequestedRange {
    let Some(ranges) = text.trim().strip_prefix("bytes=") else {
        return RequestedRange::Everything;
    };
    let Some((first, last)) = ranges.split_once('-') else {
        return RequestedRange::Everything;
    };
    let number = |text: &str| match text.trim() {
        "" => Some(None),
        digits if digits.bytes().all(|byte| byte.is_ascii_digit()) => {
            Some(Some(digits.parse().unwrap_or(u64::MAX)))
        }
        _ => None,
    };
    match (number(first), number(last)) {
        (Some(Some(first)), Some(last)) => {
            let last = last.unwrap_or(u64::MAX);
            if last < first {
                RequestedRange::Everything
            } else if first >= size {
                RequestedRange::Nothing
            } else {
                RequestedRange::Part {
                    start: first,
                    length: last.min(size - 1) - first + 1,
                }
            }
        }
        // The last so many bytes.
        (Some(None), Some(Some(count))) => match count.min(size) {
            0 => RequestedRange::Nothing,
            length => RequestedRange::Part {
                start: size - length,
                length,
            },
        },
        _ => RequestedRange::Everything,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn part(start: u64, length: u64) -> RequestedRange {
        RequestedRange::Part { start, length }
    }

    #[test]
    fn ranges_are_read_as_the_standard_says() {
        let table = [
            ("bytes=0-9", part(0, 10)),
            ("bytes=90-", part(90, 10)),
            ("bytes=90-500", part(90, 10)),
            ("bytes=-5", part(95, 5)),
            ("bytes=-500", part(0, 100)),
            ("bytes=100-", RequestedRange::Nothing),
            ("bytes=-0", RequestedRange::Nothing),
            ("bytes=9-1", RequestedRange::Everything),
            ("bytes=0-1,5-6", RequestedRange::Everything),
            ("bytes=-", RequestedRange::Everything),
            ("bytes=a-b", RequestedRange::Everything),
            ("lines=0-1", RequestedRange::Everything),
            ("bytes=99999999999999999999-", RequestedRange::Nothing),
        ];
        for (text, wanted) in table {
            assert_eq!(parse(text, 100), wanted, "{text}");
        }
        assert_eq!(parse("bytes=0-", 0), RequestedRange::Nothing);
    }

    proptest! {
        #[test]
        fn a_part_is_within_the_file(text in "bytes=[0-9]{0,4}-[0-9]{0,4}", size in 0_u64..5000) {
            if let RequestedRange::Part { start, length } = parse(&text, size) {
                prop_assert!(length > 0 && start + length <= size);
            }
        }
    }
}
