//! Chance: what spreads the requests of many machines that started together.

/// A number between two others; the lower one where the system has no randomness to give.
pub(crate) fn between(low: f64, high: f64) -> f64 {
    let mut bytes = [0; 4];
    if getrandom::fill(&mut bytes).is_err() {
        return low;
    }
    let share = f64::from(u32::from_ne_bytes(bytes)) / f64::from(u32::MAX);
    low + (high - low) * share
}
