//! What a cluster can do, as `GET /info` tells.

use super::temp_url::Digest;
use serde::Deserialize;

/// Capabilities. A cluster that does not tell gets the digest that every version knows.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
pub struct Info {
    #[serde(default)]
    tempurl: Option<TempUrls>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
struct TempUrls {
    #[serde(default)]
    allowed_digests: Vec<String>,
}

impl Info {
    /// The strongest digest that the cluster accepts for temporary URLs.
    pub fn digest(&self) -> Digest {
        let allowed = self.tempurl.as_ref().map(|urls| &urls.allowed_digests);
        let strongest = allowed.and_then(|allowed| {
            let known = Digest::ALL.iter().rev();
            known
                .copied()
                .find(|digest| allowed.iter().any(|name| name == digest.as_str()))
        });
        strongest.unwrap_or(Digest::Sha1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    #[test]
    fn the_strongest_digest_is_chosen() {
        let digest = |info: Value| serde_json::from_value::<Info>(info).unwrap().digest();
        for (allowed, expected) in [
            (json!(["sha1", "sha256", "sha512"]), Digest::Sha512),
            (json!(["sha256", "sha1"]), Digest::Sha256),
            (json!(["sha1"]), Digest::Sha1),
            (json!(["blake3"]), Digest::Sha1),
            (json!([]), Digest::Sha1),
        ] {
            let info = json!({"tempurl": {"allowed_digests": allowed}});
            assert_eq!(digest(info), expected, "{allowed}");
        }
        assert_eq!(digest(json!({})), Digest::Sha1);
        let others = json!({"swift": {"version": "2.38.3"}, "slo": {}});
        assert_eq!(digest(others), Digest::Sha1);
    }
}
