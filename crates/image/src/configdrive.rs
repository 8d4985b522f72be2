//! Config drives: the small volume that a new system reads its name, keys and network from.
//!
//! They arrive as text (an image, gzipped, in base64), as the address of such a text, or as an
//! object from which a disc is made. On the disk they are at most [`MOST_BYTES`].

use crate::{ImageError, Packing, unpack};
use base64::{DecodeError, engine::general_purpose::STANDARD, read::DecoderReader};
use std::{
    collections::BTreeMap,
    io::{Cursor, ErrorKind, Read},
};

/// The size of the partition that takes a config drive.
pub const MOST_BYTES: u64 = 64 << 20;
/// So much of a file tells how it is packed.
const HEAD: u64 = 512;
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
    // Nothing but the image is in memory as a whole: a drive is large.
    let lines = text.split_ascii_whitespace().map(str::as_bytes);
    let packed = DecoderReader::new(Chain::new(lines), &STANDARD);
    unpacked(packed)
}

/// Pieces of a text, read one after the other.
struct Chain<'a, I> {
    now: &'a [u8],
    next: I,
}

impl<'a, I: Iterator<Item = &'a [u8]>> Chain<'a, I> {
    fn new(next: I) -> Self {
        Self { now: &[], next }
    }
}

impl<'a, I: Iterator<Item = &'a [u8]>> Read for Chain<'a, I> {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        while self.now.is_empty() {
            match self.next.next() {
                Some(piece) => self.now = piece,
                None => return Ok(0),
            }
        }
        self.now.read(into)
    }
}

/// The image within what an address gave: text as above, or the image itself, gzipped or not.
pub fn decode_fetched(bytes: Vec<u8>) -> Result<Vec<u8>, ImageError> {
    match std::str::from_utf8(&bytes) {
        Ok(text) if Packing::of(&bytes).is_none() => decode(text),
        _ if Packing::of(&bytes).is_none() => limited(bytes),
        _ => unpacked(Cursor::new(bytes)),
    }
}

/// The files of a drive by path. Only discs can be read.
pub fn files(image: &[u8]) -> Result<BTreeMap<String, Vec<u8>>, ImageError> {
    let read = proto::iso9660::reader::files(image);
    read.map_err(|error| ImageError::ConfigDrive(error.to_string()))
}

fn unpacked(mut packed: impl Read + Send) -> Result<Vec<u8>, ImageError> {
    let refused = |error: &std::io::Error| {
        // What reads base64 says so by this kind.
        let text = match error.kind() {
            ErrorKind::InvalidData if error.get_ref().is_some_and(|e| e.is::<DecodeError>()) => {
                "it is not base64"
            }
            _ => "it cannot be unpacked",
        };
        ImageError::ConfigDrive(format!("{text}: {error}"))
    };
    let mut start = Vec::new();
    let head = packed.by_ref().take(HEAD).read_to_end(&mut start);
    head.map_err(|error| refused(&error))?;
    if Packing::of(&start) != Some(Packing::Gzip) {
        return Err(ImageError::ConfigDrive("it is not gzipped".to_owned()));
    }
    let mut image = Vec::new();
    let whole = Cursor::new(start).chain(packed);
    if let Some(reader) = unpack::unpacked(Packing::Gzip, whole) {
        let read = reader.take(MOST_BYTES + 1).read_to_end(&mut image);
        read.map_err(|error| refused(&error))?;
    }
    limited(image)
}

fn limited(image: Vec<u8>) -> Result<Vec<u8>, ImageError> {
    if image.len() as u64 > MOST_BYTES {
        return Err(too_large());
    }
    if image.is_empty() {
        return Err(ImageError::ConfigDrive("it is empty".to_owned()));
    }
    Ok(image)
}

fn too_large() -> ImageError {
    ImageError::ConfigDrive(format!("it is larger than {} MiB", MOST_BYTES >> 20))
}

#[cfg(feature = "server")]
pub use build::{build, encode};

#[cfg(feature = "server")]
mod build {
    //! Config drives made from an object.

    use super::{LABEL, MOST_BYTES, limited, too_large};
    use crate::{ImageError, media};
    use base64::{engine::general_purpose::STANDARD, write::EncoderStringWriter};
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
        let text = EncoderStringWriter::new(&STANDARD);
        let mut packer = GzEncoder::new(text, Compression::default());
        let packed = packer.write_all(image).and_then(|()| packer.finish());
        let text = packed.map_err(ImageError::write("the config drive"))?;
        Ok(text.into_inner())
    }

    /// The disc for an object with `meta_data`, `user_data`, `network_data` and `vendor_data`. What
    /// the meta data do not say about the node comes from the node.
    pub fn build(
        mut object: Map<String, Value>,
        node_uuid: &str,
        node_name: Option<&str>,
        stamp: Stamp,
    ) -> Result<Vec<u8>, ImageError> {
        let wrong = |what: String| ImageError::ConfigDrive(what);
        // Values are moved, not copied: a drive is large.
        let mut meta = match object.remove("meta_data") {
            None | Some(Value::Null) => Map::new(),
            Some(Value::Object(meta)) => meta,
            Some(_) => return Err(wrong("meta_data is no object".to_owned())),
        };
        meta.entry("uuid").or_insert_with(|| json!(node_uuid));
        if let Some(name) = node_name {
            meta.entry("name").or_insert_with(|| json!(name));
        }
        let mut files = vec![("meta_data.json", text(&Value::Object(meta)))];
        match object.remove("user_data") {
            None | Some(Value::Null) => {}
            Some(Value::String(data)) => files.push(("user_data", data.into_bytes())),
            Some(data @ (Value::Object(_) | Value::Array(_))) => {
                files.push(("user_data", text(&data)))
            }
            Some(_) => return Err(wrong("user_data is neither text nor object".to_owned())),
        }
        for (key, name) in [
            ("network_data", "network_data.json"),
            ("vendor_data", "vendor_data2.json"),
        ] {
            match object.remove(key) {
                None | Some(Value::Null) => {}
                Some(data @ Value::Object(_)) => files.push((name, text(&data))),
                Some(_) => return Err(wrong(format!("{key} is no object"))),
            }
        }
        let size: usize = files.iter().map(|(_, bytes)| bytes.len()).sum();
        if (VERSIONS.len() * size) as u64 > MOST_BYTES {
            return Err(too_large());
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
        drop(files);
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
            object.as_object().unwrap().clone(),
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
            assert!(
                build(
                    wrong.as_object().unwrap().clone(),
                    "u",
                    None,
                    Default::default()
                )
                .is_err()
            );
        }
        assert!(is_address("HTTPS://x") && is_address("http://x") && !is_address("H4sI"));
    }
}
