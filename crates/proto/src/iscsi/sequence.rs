//! Sequence numbers, which wrap (RFC 1982, RFC 7143 §4.2.2).

/// Whether `left` comes before `right`.
pub fn before(left: u32, right: u32) -> bool {
    left != right && right.wrapping_sub(left) < 1 << 31
}

/// Whether `number` is within a window, both ends included; a window may be empty.
pub fn within(number: u32, first: u32, last: u32) -> bool {
    !before(number, first) && !before(last, number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_wrap() {
        assert!(before(1, 2) && !before(2, 1) && !before(1, 1));
        assert!(before(u32::MAX, 0) && !before(0, u32::MAX));
        assert!(within(0, u32::MAX, 3) && !within(4, u32::MAX, 3));
        assert!(!within(7, 7, 6), "the window is closed");
    }
}
