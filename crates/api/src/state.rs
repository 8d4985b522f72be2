//! What all requests share.

use crate::settings::Settings;
use std::{fmt, sync::Arc};
use store::Db;
use types::Conductor;

/// Handles to everything a handler may ask. Cheap to clone.
#[derive(Clone)]
pub struct ApiState {
    pub db: Db,
    pub conductor: Arc<dyn Conductor>,
    pub settings: Arc<Settings>,
}

impl fmt::Debug for ApiState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ApiState")
            .field("settings", &self.settings)
            .finish_non_exhaustive()
    }
}
