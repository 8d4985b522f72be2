//! What all requests share.

use crate::{
    auth::local::limit::Visits, corten::events::EventTail, fleet::Fleet, kept_answer::KeptAnswers,
    settings::Settings,
};
use serde_json::Value;
use std::{
    fmt,
    pin::Pin,
    sync::{Arc, Mutex},
};
use store::Db;
use types::{Conductor, Inventory, NodeId};

/// Where findings of inspection are kept, if that is not the database.
pub trait InventoryArchive: Send + Sync {
    /// What is kept of a node; the error says why it cannot be read.
    fn find(
        &self,
        node: NodeId,
    ) -> Pin<Box<dyn Future<Output = Result<Option<Inventory>, String>> + Send + '_>>;
}

/// Compares this service with the Ironic whose copy it shows (`corten shadow`).
pub trait ShadowWatch: Send + Sync {
    /// What was compared so far, and what differs.
    fn report(&self) -> Value;
}

/// Handles to everything a handler may ask. Cheap to clone.
#[derive(Clone)]
pub struct ApiState {
    pub db: Db,
    pub conductor: Arc<dyn Conductor>,
    pub settings: Arc<Settings>,
    /// Asked for findings that are not in the database.
    pub inventories: Option<Arc<dyn InventoryArchive>>,
    /// There in the shadow of an Ironic.
    pub shadow: Option<Arc<dyn ShadowWatch>>,
    /// What all streams of events share.
    pub(crate) tail: Arc<EventTail>,
    /// Answers that are given again as long as nothing changes.
    pub(crate) kept: Arc<KeptAnswers>,
    /// What lists and counts of a fleet are made of.
    pub(crate) fleet: Arc<Fleet>,
    /// How often screens were asked for by tokens, by address.
    pub(crate) screen_visits: Arc<Mutex<Visits>>,
}

impl ApiState {
    pub fn new(db: Db, conductor: Arc<dyn Conductor>, settings: Arc<Settings>) -> Self {
        Self {
            db,
            conductor,
            settings,
            inventories: None,
            shadow: None,
            tail: Arc::default(),
            kept: Arc::default(),
            fleet: Arc::default(),
            screen_visits: Arc::default(),
        }
    }

    /// Gives back memory that the API keeps for the next request, if there was none since the last
    /// call.
    pub fn release_memory(&self) {
        self.kept.release();
        self.fleet.release(&self.db);
    }

    /// Forgets what was made of rows that an import has replaced: it leaves no events to follow.
    pub async fn rows_were_replaced(&self) {
        self.fleet.forget(&self.db).await;
    }

    /// The same as the shadow of an Ironic.
    pub fn with_shadow(mut self, shadow: Arc<dyn ShadowWatch>) -> Self {
        self.shadow = Some(shadow);
        self
    }

    /// The same with findings of inspection in another place.
    pub fn with_inventories(mut self, archive: Option<Arc<dyn InventoryArchive>>) -> Self {
        self.inventories = archive;
        self
    }
}

impl fmt::Debug for ApiState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ApiState")
            .field("settings", &self.settings)
            .finish_non_exhaustive()
    }
}
