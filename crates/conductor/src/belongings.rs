//! How large the belongings of a node may be: its ports, volume connectors and volume targets.
//!
//! All of them are in memory whenever something is done to the node, and each may be as large as a
//! request. Small ones are not counted, which saves a query: it takes very many of them to do harm.

use types::{Fault, JsonMap, NodeId, Port, VolumeConnector, VolumeTarget};

/// Up to how many bytes one of them is small.
const SMALL: usize = 4 << 10;
/// What all of one kind may have together.
const MOST: usize = 8 << 20;

/// Something that a node has.
pub(crate) trait Belonging {
    /// What people call several of them.
    const NAME: &'static str;

    /// In bytes, of what users write into it at will.
    fn size(&self) -> usize;

    fn is_same(&self, other: &Self) -> bool;

    fn is_small(&self) -> bool {
        self.size() <= SMALL
    }

    /// Whether there is room for it beside the others of its node.
    fn check_room(&self, node: NodeId, others: &[Self]) -> Result<(), Fault>
    where
        Self: Sized,
    {
        let others = others.iter().filter(|other| !other.is_same(self));
        let together = others.fold(self.size(), |sum, other| sum.saturating_add(other.size()));
        if together <= MOST {
            return Ok(());
        }
        Err(Fault::InvalidParameter(format!(
            "The {} of node {node} are larger than {} MiB together",
            Self::NAME,
            MOST >> 20
        )))
    }
}

macro_rules! belonging {
    ($Row:ty, $name:literal, $($field:ident),+) => {
        impl Belonging for $Row {
            const NAME: &'static str = $name;

            fn size(&self) -> usize {
                [$(&self.$field),+].into_iter().map(size).sum()
            }

            fn is_same(&self, other: &Self) -> bool {
                self.id == other.id
            }
        }
    };
}

belonging!(Port, "ports", extra, local_link_connection);
belonging!(VolumeConnector, "volume connectors", extra);
belonging!(VolumeTarget, "volume targets", extra, properties);

/// The length of what is stored.
fn size(map: &JsonMap) -> usize {
    serde_json::to_string(map).map_or(0, |text| text.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use types::VolumeTargetId;

    fn target(node: NodeId, bytes: usize) -> VolumeTarget {
        let mut target = VolumeTarget::new(VolumeTargetId::generate(), node, "iscsi", 0, "v");
        let text = "x".repeat(bytes);
        target.properties.insert("x".to_owned(), text.into());
        target
    }

    #[test]
    fn all_of_one_kind_have_a_limit_together() {
        let node = NodeId::generate();
        assert!(target(node, 1000).is_small());
        let mut rows: Vec<_> = (0..8).map(|_| target(node, 1_000_000)).collect();
        let next = target(node, 300_000);
        assert!(!next.is_small());
        assert!(next.check_room(node, &rows).is_ok());
        let refused = target(node, 500_000).check_room(node, &rows).unwrap_err();
        let text = format!("The volume targets of node {node} are larger than 8 MiB together");
        assert_eq!(refused.to_string(), text);
        // What is changed takes the place of what it was.
        let mut changed = rows[0].clone();
        changed.boot_index = 1;
        assert!(changed.check_room(node, &rows).is_ok());
        rows.push(next);
        assert!(changed.check_room(node, &rows).is_ok());
    }
}
