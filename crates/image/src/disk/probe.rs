//! What a partition holds, by its signature ([`proto::disk::probe`]).

use super::medium::{Medium, read};
pub use proto::disk::probe::Content;

pub fn probe(medium: &dyn Medium) -> Option<Content> {
    let mut read = |offset, length| read(medium, offset, length);
    proto::disk::probe::probe(medium.size(), &mut read)
}
