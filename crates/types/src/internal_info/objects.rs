//! Objects that the service keeps for a node outside of its own database.
//!
//! They are noted before they are made, so that whoever takes the node up after a crash knows what
//! there may be, and until it is certain that they are gone.

use super::{InternalInfo, key};
use crate::wire_enum;
use serde::{Deserialize, Serialize};

wire_enum! {
    /// What an object is for, and so when it is not needed any more.
    pub enum ObjectPurpose {
        /// Goes when the instance has it, or is not to have it.
        ConfigDrive = "config-drive",
        /// Goes with the node.
        InspectionData = "inspection-data",
        /// Goes when the machine does not boot from it any more.
        VirtualMedia = "virtual-media",
    }
}

/// An object in Swift.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredObject {
    pub purpose: ObjectPurpose,
    pub container: String,
    pub object: String,
}

impl InternalInfo {
    /// The objects that there may be for this node.
    pub fn stored_objects(&self) -> Vec<StoredObject> {
        let list = self
            .0
            .get(key::STORED_OBJECTS)
            .and_then(|list| list.as_array());
        let objects = list.into_iter().flatten();
        objects
            .filter_map(|object| StoredObject::deserialize(object).ok())
            .collect()
    }

    /// Says whether that is news.
    pub fn note_object(&mut self, object: StoredObject) -> bool {
        let mut objects = self.stored_objects();
        let is_news = !objects.contains(&object);
        if is_news {
            objects.push(object);
            self.set_stored_objects(&objects);
        }
        is_news
    }

    pub fn forget_object(&mut self, object: &StoredObject) {
        let mut objects = self.stored_objects();
        objects.retain(|known| known != object);
        self.set_stored_objects(&objects);
    }

    fn set_stored_objects(&mut self, objects: &[StoredObject]) {
        if objects.is_empty() {
            self.remove(key::STORED_OBJECTS);
            return;
        }
        // Texts are always JSON.
        if let Ok(value) = serde_json::to_value(objects) {
            self.set(key::STORED_OBJECTS, value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_are_known_until_they_are_gone() {
        let object = |name: &str| StoredObject {
            purpose: ObjectPurpose::ConfigDrive,
            container: "c".into(),
            object: name.into(),
        };
        let mut info = InternalInfo::default();
        assert!(info.note_object(object("a")));
        assert!(!info.note_object(object("a")), "it is noted already");
        assert!(info.note_object(object("b")));
        info.forget_object(&object("a"));
        assert_eq!(info.stored_objects(), [object("b")]);
        info.forget_object(&object("b"));
        assert_eq!(info, InternalInfo::default());
    }
}
