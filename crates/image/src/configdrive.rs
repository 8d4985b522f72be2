//! Config drives: the small volume that a new system reads its name, keys and network from.
//!
//! They arrive as text (an image, gzipped, in base64), as the address of such a text, or as an
//! object from which a disc is made. On the disk they are at most [`MOST_BYTES`].

use crate::{ImageError, Packing, unpack};
use base64::{Engine, engine::general_purpose::STANDARD};
use std::io::{Cursor, Read};

/// The size of the partition that takes a config drive.
pub const MOST_BYTES: u64 = 64 << 20;
/// The label by which systems find it.
pub const LABEL: &str = "config-2";

/// Whether a config drive is an address that its text is to be fetched from.
pub fn is_address(text: &str) -> bool {
    let text = text
        .trim_start()
        .get(..8)
        .unwrap_or_default()
        .to_ascii_lowercase();
    text.starts_with("http://") || text == "https://"
}

/// The image within the text of a config drive.
pub fn decode(text: &str) -> Result<Vec<u8>, ImageError> {
    let plain: String = text.chars().filter(|c| !c.is_ascii_whitespace()).collect();
    let packed = STANDARD
        .decode(plain)
        .map_err(|error| ImageError::ConfigDrive(format!("it is not base64: {error}")))?;
    unpacked(packed)
}

/// The image within what an address gave: text as above, or the image itself, gzipped or not.
pub fn decode_fetched(bytes: Vec<u8>) -> Result<Vec<u8>, ImageError> {
    match std::str::from_utf8(&bytes) {
        Ok(text) if Packing::of(&bytes).is_none() => decode(text),
        _ if Packing::of(&bytes).is_none() => limited(bytes),
        _ => unpacked(bytes),
    }
}

fn unpacked(packed: Vec<u8>) -> Result<Vec<u8>, ImageError> {
    if Packing::of(&packed) != Some(Packing::Gzip) {
        return Err(ImageError::ConfigDrive("it is not gzipped".to_owned()));
    }
    let mut image = Vec::new();
    if let Some(reader) = unpack::unpacked(Packing::Gzip, Cursor::new(packed)) {
        reader
            .take(MOST_BYTES + 1)
            .read_to_end(&mut image)
            .map_err(|error| ImageError::ConfigDrive(format!("it cannot be unpacked: {error}")))?;
    }
    limited(image)
}

fn limited(image: Vec<u8>) -> Result<Vec<u8>, ImageError> {
    if image.len() as u64 > MOST_BYTES {
        let reason = format!("it is larger than {} MiB", MOST_BYTES >> 20);
        return Err(ImageError::ConfigDrive(reason));
    }
    if image.is_empty() {
        return Err(ImageError::ConfigDrive("it is empty".to_owned()));
    }
    Ok(image)
}

#[cfg(feature = "server")]
pub use build::{build, encode};

#[cfg(feature = "server")]
mod build {
    //! Config drives made from an object.

    use super::{LABEL, limited};
    use crate::{ImageError, media};
    use base64::{Engine, engine::general_purpose::STANDARD};
    use flate2::{Compression, write::GzEncoder};
    use proto::{
        iso9660::Disc,
        volume::{Content, Stamp, Tree},
    };
    use serde_json::{Map, Value, json};
    use std::io::Write;

    /// The two versions of the layout that systems look for.
    const VERSIONS: [&str; 2] = ["2012-08-10", "latest"];

    /// The text of an image.
    pub fn encode(image: &[u8]) -> Result<String, ImageError> {
        let mut packer = GzEncoder::new(Vec::new(), Compression::default());
        let packed = packer.write_all(image).and_then(|()| packer.finish());
        let packed = packed.map_err(ImageError::write("the config drive"))?;
        Ok(STANDARD.encode(packed))
    }

    /// The disc for an object with `meta_data`, `user_data`, `network_data` and `vendor_data`. What
    /// the meta data do not say about the node comes from the node.
    pub fn build(
        object: &Map<String, Value>,
        node_uuid: &str,
        node_name: Option<&str>,
        stamp: Stamp,
    ) -> Result<Vec<u8>, ImageError> {
        let wrong = |what: String| ImageError::ConfigDrive(what);
        let mut meta = match object.get("meta_data") {
            None | Some(Value::Null) => Map::new(),
            Some(Value::Object(meta)) => meta.clone(),
            Some(_) => return Err(wrong("meta_data is no object".to_owned())),
        };
        meta.entry("uuid").or_insert_with(|| json!(node_uuid));
        if let Some(name) = node_name {
            meta.entry("name").or_insert_with(|| json!(name));
        }
        let mut files = vec![("meta_data.json", text(&Value::Object(meta)))];
        match object.get("user_data") {
            None | Some(Value::Null) => {}
            Some(Value::String(data)) => files.push(("user_data", data.clone().into_bytes())),
            Some(data @ (Value::Object(_) | Value::Array(_))) => {
                files.push(("user_data", text(data)))
            }
            Some(_) => return Err(wrong("user_data is neither text nor object".to_owned())),
        }
        for (key, name) in [
            ("network_data", "network_data.json"),
            ("vendor_data", "vendor_data2.json"),
        ] {
            match object.get(key) {
                None | Some(Value::Null) => {}
                Some(data @ Value::Object(_)) => files.push((name, text(data))),
                Some(_) => return Err(wrong(format!("{key} is no object"))),
            }
        }
        let mut tree = Tree::new();
        let failed = |source| ImageError::Layout {
            what: "the config drive".to_owned(),
            source,
        };
        for version in VERSIONS {
            for (name, bytes) in &files {
                let path = format!("openstack/{version}/{name}");
                tree.add(&path, Content::Bytes(bytes.clone()))
                    .map_err(failed)?;
            }
        }
        let disc = Disc {
            label: LABEL.to_owned(),
            publisher: "corten".to_owned(),
            stamp,
            ..Disc::default()
        };
        let layout = disc.layout(&tree).map_err(failed)?;
        let mut image = Vec::new();
        media::write(layout.segments(), &media::Files::new(), &mut image)?;
        limited(image)
    }

    fn text(value: &Value) -> Vec<u8> {
        value.to_string().into_bytes()
    }
}

#[cfg(test)]
#[cfg(feature = "server")]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn an_image_survives_its_text() {
        let object = json!({"user_data": "#cloud-config", "network_data": {"links": []}});
        let image = build(
            object.as_object().unwrap(),
            "1be26c0b",
            Some("n1"),
            Default::default(),
        )
        .unwrap();
        let text = encode(&image).unwrap();
        assert_eq!(decode(&text).unwrap(), image);
        assert_eq!(
            decode(&format!(" {}\n{}\n", &text[..10], &text[10..])).unwrap(),
            image
        );
        assert_eq!(decode_fetched(text.into_bytes()).unwrap(), image);
        assert_eq!(decode_fetched(image.clone()).unwrap(), image);
        let found = String::from_utf8_lossy(&image);
        assert!(found.contains(r#"{"uuid":"1be26c0b","name":"n1"}"#));
        assert_eq!(found.matches("#cloud-config").count(), 2);
    }

    #[test]
    fn what_is_no_config_drive_is_refused() {
        let refused = |text: &str| decode(text).unwrap_err().to_string();
        assert!(refused("***").contains("base64"));
        assert!(refused("AAAA").contains("gzipped"));
        assert!(refused("H4sIAAAA").contains("unpacked"));
        let bomb = encode(&vec![0; (64 << 20) + 1]).unwrap();
        assert!(refused(&bomb).contains("64 MiB"));
        for wrong in [
            json!({"meta_data": 1}),
            json!({"user_data": 1}),
            json!({"network_data": []}),
        ] {
            assert!(build(wrong.as_object().unwrap(), "u", None, Default::default()).is_err());
        }
        assert!(is_address("HTTPS://x") && is_address("http://x") && !is_address("H4sI"));
    }
}
