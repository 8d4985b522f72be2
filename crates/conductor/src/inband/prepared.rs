//! What a deployment under way has found out about its image.
//!
//! It is kept beside what the instance says, never in its place: a rebuild must find what the user
//! declared, and not take a converted image's format and checksum for the user's wish.

use serde_json::Value;
use types::{
    JsonMap, Node,
    internal_info::{ImageChecksum, PreparedImage},
    pyrepr,
};

/// The image is not known any more.
pub(super) fn forget(node: &mut Node) {
    node.driver_internal_info.forget_prepared_image();
    // Where older versions kept the address.
    node.instance_info.remove("image_url");
}

/// What is known of the image of this node, which is published under an address with this end.
/// `info` is what the instance says, opened.
pub(super) fn image_of(node: &Node, info: &JsonMap, place: &str) -> Option<PreparedImage> {
    node.driver_internal_info.prepared_image().or_else(|| {
        // A deployment that an older version began.
        let url = text(info, "image_url")?;
        Some(PreparedImage {
            published: url.ends_with(place),
            disk_format: text(info, "image_disk_format"),
            checksum: sum(info),
        })
    })
}

/// The checksum of a converted image, where an older version put that in place of the user's.
///
/// It cannot be told with certainty: a user may have written the same. So this counts only where
/// what the instance says cannot be true.
pub(super) fn replaced_sum(info: &JsonMap) -> Option<ImageChecksum> {
    let emptied = info.get("image_checksum") == Some(&Value::Null);
    let raw = text(info, "image_disk_format").as_deref() == Some("raw");
    sum(info).filter(|_| emptied && raw)
}

fn sum(info: &JsonMap) -> Option<ImageChecksum> {
    Some(ImageChecksum {
        algorithm: text(info, "image_os_hash_algo")?,
        value: text(info, "image_os_hash_value")?,
    })
}

fn text(info: &JsonMap, key: &str) -> Option<String> {
    let value = info.get(key).filter(|value| pyrepr::truth(value))?;
    Some(pyrepr::to_str(value))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use types::NodeId;

    fn node(instance: Value) -> Node {
        let mut node = Node::new(NodeId::generate(), "fake-hardware");
        node.instance_info = instance.as_object().cloned().unwrap();
        node
    }

    #[test]
    fn what_is_kept_is_found_and_leaves_the_instance_alone() {
        let said = json!({"image_source": "http://h/i", "image_checksum": "a"});
        let mut node = node(said.clone());
        let prepared = PreparedImage {
            published: true,
            disk_format: Some("raw".into()),
            checksum: Some(ImageChecksum {
                algorithm: "sha256".into(),
                value: "b".into(),
            }),
        };
        node.driver_internal_info.set_prepared_image(&prepared);
        assert_eq!(Value::Object(node.instance_info.clone()), said);
        assert_eq!(image_of(&node, &node.instance_info, "/x"), Some(prepared));
        forget(&mut node);
        assert_eq!(image_of(&node, &node.instance_info, "/x"), None);
        assert_eq!(Value::Object(node.instance_info), said);
    }

    #[test]
    fn a_deployment_of_an_older_version_is_understood() {
        let node = node(json!({
            "image_source": "http://h/i", "image_url": "http://here/agent_images/n",
            "image_disk_format": "raw", "image_os_hash_algo": "sha256", "image_os_hash_value": "b",
            "image_checksum": null,
        }));
        let prepared = image_of(&node, &node.instance_info, "/agent_images/n").unwrap();
        assert!(prepared.published);
        assert_eq!(prepared.checksum.as_ref().unwrap().value, "b");
        assert!(
            !image_of(&node, &node.instance_info, "/agent_images/m")
                .unwrap()
                .published
        );
        assert_eq!(replaced_sum(&node.instance_info), prepared.checksum);
    }

    #[test]
    fn what_a_user_says_is_not_taken_for_what_an_older_version_wrote() {
        for said in [
            json!({"image_os_hash_algo": "sha256", "image_os_hash_value": "b"}),
            json!({"image_checksum": "a", "image_os_hash_algo": "sha256", "image_os_hash_value": "b", "image_disk_format": "raw"}),
            json!({"image_checksum": null, "image_os_hash_algo": "sha256", "image_os_hash_value": "b"}),
            json!({"image_checksum": null, "image_disk_format": "raw"}),
        ] {
            let node = node(said.clone());
            assert_eq!(replaced_sum(&node.instance_info), None, "{said}");
        }
    }
}
