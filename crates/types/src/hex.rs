//! Hexadecimal digits, two a byte.

const DIGITS: &[u8; 16] = b"0123456789abcdef";

/// Bytes as digits in lower case.
pub fn encode(bytes: &[u8]) -> String {
    bytes.iter().copied().flat_map(digits).collect()
}

/// The two digits of a byte, in lower case.
pub fn digits(byte: u8) -> [char; 2] {
    [byte >> 4, byte & 15].map(|half| char::from(DIGITS[usize::from(half)]))
}

/// The bytes that pairs of digits stand for, if that is all there is in the text.
pub fn decode(text: &str) -> Option<Vec<u8>> {
    let (pairs, rest) = text.as_bytes().as_chunks::<2>();
    rest.is_empty()
        .then(|| pairs.iter().copied().map(byte).collect())?
}

/// The byte that two digits stand for. Unlike `from_str_radix`, this does not take a sign for a
/// digit.
pub fn byte(pair: [u8; 2]) -> Option<u8> {
    let [high, low] = pair.map(|digit| char::from(digit).to_digit(16));
    u8::try_from(high? << 4 | low?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_is_encoded_is_decoded(bytes: Vec<u8>) {
            let text = encode(&bytes);
            prop_assert_eq!(decode(&text.to_uppercase()), Some(bytes.clone()));
            prop_assert_eq!(decode(&text), Some(bytes));
        }
    }

    #[test]
    fn nothing_but_digits_is_taken() {
        assert_eq!(encode(&[0, 0x0f, 0xa5]), "000fa5");
        for bad in ["0", "+5", "-1", "0x", " 1", "zz", "é"] {
            assert_eq!(decode(bad), None, "{bad}");
        }
    }
}
