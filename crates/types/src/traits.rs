//! Traits: names that say what a machine can do.

use std::{collections::HashSet, sync::LazyLock};

/// How many traits a node may have.
pub const MAX_PER_NODE: usize = 50;

/// The pattern of names that operators make up themselves.
pub const CUSTOM_PATTERN: &str = "^CUSTOM_[A-Z0-9_]+$";

/// The names of os-traits 3.9.0, sorted.
pub fn standard() -> impl Iterator<Item = &'static str> {
    include_str!("standard_traits.txt")
        .lines()
        .filter(|line| !line.is_empty())
}

static STANDARD: LazyLock<HashSet<&'static str>> = LazyLock::new(|| standard().collect());

/// Whether `name` is a standard trait.
pub fn is_standard(name: &str) -> bool {
    STANDARD.contains(name)
}

/// Whether `name` has the form of a custom trait.
pub fn is_custom(name: &str) -> bool {
    name.strip_prefix("CUSTOM_").is_some_and(|rest| {
        !rest.is_empty()
            && rest
                .bytes()
                .all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_')
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn standard_and_custom_names() {
        assert_eq!(standard().count(), 377);
        assert!(is_standard("HW_CPU_X86_AVX"));
        assert!(is_custom("CUSTOM_GOLD_1"));
        for bad in ["CUSTOM_", "custom_gold", "CUSTOM_gold", "GOLD"] {
            assert!(!is_custom(bad) && !is_standard(bad), "{bad}");
        }
    }
}
