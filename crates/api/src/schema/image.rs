//! The shape of an image of the store in a body.

use super::{Schema, Type};
use types::image::ImageName;

const fn text(max_length: usize) -> Schema {
    Schema {
        min_length: 1,
        max_length,
        ..Schema::of(&[Type::String])
    }
}

const COUNT: Schema = Schema {
    minimum: Some(0),
    ..Schema::of(&[Type::Integer])
};

/// A new image: one with a URL is fetched, one with a size is sent by the client.
pub(crate) const IMAGE: Schema = Schema {
    types: &[Type::Object],
    properties: &[
        ("name", text(ImageName::MOST)),
        ("url", text(2048)),
        ("checksum", text(255)),
        ("checksum_url", text(2048)),
        ("size", COUNT),
    ],
    required: &["name"],
    closed: true,
    ..Schema::ANY
};

/// A part of an image, in base64.
pub(crate) const PART: Schema = Schema {
    types: &[Type::Object],
    properties: &[("offset", COUNT), ("data", Schema::of(&[Type::String]))],
    required: &["offset", "data"],
    closed: true,
    ..Schema::ANY
};
