//! What power interfaces have in common.

use crate::{DriverError, Failure};
use std::time::Duration;
use tokio::time::Instant;
use types::PowerState;

/// Asks for the power state every `pause` until it is the one that was requested, or `limit` is over.
/// `named` begins the sentence of the timeout error: "Outlet 2 of PDU 192.0.2.7".
pub(crate) async fn wait_for_state<F: Future<Output = Result<PowerState, DriverError>>>(
    named: &str,
    wanted: PowerState,
    limit: Duration,
    pause: Duration,
    look: impl Fn() -> F,
) -> Result<(), DriverError> {
    let end = Instant::now() + limit;
    loop {
        let found = look().await?;
        if found == wanted {
            return Ok(());
        }
        if Instant::now() + pause > end {
            return Err(DriverError::Unfinished(Failure::new(format!(
                "Failed to set node power state to {wanted}. {named} still reports {found} after {} s",
                limit.as_secs()
            ))));
        }
        tokio::time::sleep(pause).await;
    }
}
