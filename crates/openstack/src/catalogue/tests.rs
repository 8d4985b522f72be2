//! Finding addresses in catalogues, ordinary and broken ones.

use super::*;
use proptest::prelude::*;
use serde_json::{Value, json};

fn endpoint(interface: &str, region: &str, url: &str) -> Value {
    json!({"id": "e", "interface": interface, "region": region, "region_id": region, "url": url})
}

fn document() -> Value {
    json!({"token": {
        "expires_at": "2026-11-16T04:07:34.000000Z",
        "issued_at": "2026-11-16T03:07:34.000000Z",
        "project": {"id": "d5f2", "name": "service", "domain": {"id": "default"}},
        "catalog": [
            {"type": "network", "name": "neutron", "id": "n", "endpoints": [
                endpoint("public", "RegionOne", "http://public-one"),
                endpoint("internal", "RegionOne", "http://internal-one"),
                endpoint("public", "Two", "http://public-two"),
            ]},
            {"type": "block-storage", "name": "cinder", "id": "c", "endpoints": [
                endpoint("public", "RegionOne", "http://block-storage"),
            ]},
            {"type": "object-store", "name": "swift", "id": "s", "endpoints": []},
            {"type": "image", "name": "old", "id": "o", "endpoints": [
                endpoint("internal", "RegionOne", "http://old"),
            ]},
            {"type": "image", "name": "glance", "id": "g", "endpoints": [
                endpoint("internal", "RegionOne", "http://glance"),
            ]},
        ],
    }})
}

fn read(document: &Value) -> Result<TokenDocument, Reason> {
    TokenDocument::read(document.to_string().as_bytes())
}

#[track_caller]
fn check(service_type: &str, name: &str, region: &str, interfaces: &[&str], url: Option<&str>) {
    let optional = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    let query = EndpointQuery {
        service_type: service_type.into(),
        service_name: optional(name),
        region: optional(region),
        interfaces: interfaces.iter().map(|name| (*name).to_owned()).collect(),
    };
    assert_eq!(read(&document()).unwrap().catalogue.find(&query), url);
}

#[test]
fn an_endpoint_matches_all_that_is_set() {
    let both = &["internal", "public"];
    check("network", "", "", both, Some("http://internal-one"));
    check("network", "", "", &["public"], Some("http://public-one"));
    check("network", "", "Two", both, Some("http://public-two"));
    check("network", "", "Nowhere", both, None);
    check("network", "quantum", "", both, None);
    check("image", "glance", "", both, Some("http://glance"));
    check("image", "", "", both, Some("http://old"));
    check("volumev3", "", "", both, Some("http://block-storage"));
    check("object-store", "", "", both, None);
    check("compute", "", "", both, None);
}

#[test]
fn a_token_lasts_as_long_as_keystone_says() {
    let token = read(&document()).unwrap();
    assert_eq!(token.lifetime, Duration::from_secs(3600));
    assert_eq!(token.project_id.as_deref(), Some("d5f2"));
    let mut backwards = document();
    backwards["token"]["issued_at"] = json!("2027-01-01T00:00:00Z");
    assert_eq!(read(&backwards).unwrap().lifetime, Duration::ZERO);
    let mut timeless = document();
    timeless["token"]["expires_at"] = json!("soon");
    assert!(matches!(read(&timeless), Err(Reason::Protocol(_))));
}

proptest! {
    /// Any member may be anything: reading ends in an error or in a catalogue, never in a panic.
    #[test]
    fn damaged_documents_are_read_or_refused(
        path in "/token/(catalog/[0-4]/(type|name|endpoints(/0/(url|interface|region))?)|expires_at|issued_at|project(/id)?|catalog)",
        text: String,
        shape in 0..5,
    ) {
        let mut document = document();
        if let Some(member) = document.pointer_mut(&path) {
            *member = match shape {
                0 => Value::Null,
                1 => json!(text),
                2 => json!([text]),
                3 => json!({text.clone(): 1}),
                _ => json!(-1),
            };
        }
        if let Ok(token) = read(&document) {
            let query = EndpointQuery {
                service_type: "network".into(),
                service_name: None,
                region: None,
                interfaces: vec!["internal".into()],
            };
            token.catalogue.find(&query);
        }
    }

    #[test]
    fn any_bytes_can_be_read(bytes: Vec<u8>) {
        let _ = TokenDocument::read(&bytes);
    }
}
