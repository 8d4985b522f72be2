//! Tokens and keys of an OpenID provider: whatever is sent, nothing is accepted that was not signed.

#![cfg_attr(fuzzing, no_main)]

use api::auth::oidc::{
    jwk,
    jwt::{self, BadToken},
    roles,
};
use corten_fuzz::fuzz_target;

/// A key of the type that needs least.
const KEYS: &str = r#"{"keys": [{"kty": "OKP", "crv": "Ed25519",
    "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}]}"#;

fuzz_target!(|data: &[u8]| {
    let _ = jwk::parse(data);
    if let Ok(claims) = serde_json::from_slice(data) {
        let rule = "a=>admin@system".parse::<roles::RoleRule>();
        let rules: Vec<_> = rule.into_iter().collect();
        assert!(roles::grants(&claims, "groups.names", &rules).len() <= 1);
    }
    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };
    let Ok(token) = jwt::parse(text) else {
        return;
    };
    let unknown = token.verify(&[], ("https://id", "corten"), 0);
    assert_eq!(unknown, Err(BadToken::UnknownKey));
    let keys = jwk::parse(KEYS.as_bytes()).unwrap_or_default();
    assert_eq!(keys.len(), 1);
    assert!(token.verify(&keys, ("https://id", "corten"), 0).is_err());
});
