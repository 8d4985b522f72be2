//! What all requests share.

use crate::{corten::events::EventTail, settings::Settings};
use std::{fmt, sync::Arc};
use store::Db;
use types::Conductor;

/// Handles to everything a handler may ask. Cheap to clone.
#[derive(Clone)]
pub struct ApiState {
    pub db: Db,
    pub conductor: Arc<dyn Conductor>,
    pub settings: Arc<Settings>,
    /// What all streams of events share.
    pub(crate) tail: Arc<EventTail>,
}

impl ApiState {
    pub fn new(db: Db, conductor: Arc<dyn Conductor>, settings: Arc<Settings>) -> Self {
        Self {
            db,
            conductor,
            settings,
            tail: Arc::default(),
        }
    }
}

impl fmt::Debug for ApiState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ApiState")
            .field("settings", &self.settings)
            .finish_non_exhaustive()
    }
}
