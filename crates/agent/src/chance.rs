//! Random jitter, to spread the requests of many machines that started together.

/// A random number between two others; the lower one if the system provides no random numbers.
pub(crate) fn between(low: f64, high: f64) -> f64 {
    let mut bytes = [0; 4];
    if getrandom::fill(&mut bytes).is_err() {
        return low;
    }
    let share = f64::from(u32::from_ne_bytes(bytes)) / f64::from(u32::MAX);
    low + (high - low) * share
}
