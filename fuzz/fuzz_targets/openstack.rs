//! What OpenStack services answer: catalogues, images, ports and errors.
//!
//! Nothing may panic, an image reference that is taken must be an identifier, and no text that is
//! made of an answer may be long or of several lines.

#![cfg_attr(fuzzing, no_main)]

use corten_fuzz::fuzz_target;
use openstack::{
    ErrorAnswer,
    catalogue::{EndpointQuery, TokenDocument},
    glance::{Image, ImageReference},
    neutron::Port,
};

fuzz_target!(|data: &[u8]| {
    for content_type in ["application/json", "text/html", ""] {
        let answer = ErrorAnswer::read(409, content_type, data);
        let shown = answer.to_string();
        assert!(shown.len() < 4096 && !shown.contains(char::is_control));
        assert!(answer.sdk_text("http://service").len() < 4096);
    }
    if let Ok(token) = TokenDocument::read(data) {
        for region in [None, Some("RegionOne".to_owned())] {
            token.catalogue.find(&EndpointQuery {
                service_type: "volumev3".to_owned(),
                service_name: None,
                region,
                interfaces: vec!["internal".to_owned(), "public".to_owned()],
            });
        }
    }
    if let Ok(image) = Image::read(data) {
        image.layout();
        image.is_active();
    }
    if let Ok(port) = Port::read(data) {
        port.binding_progress();
        port.ip_versions();
        port.is_bound();
    }
    if let ImageReference::Glance(id) = ImageReference::read(&String::from_utf8_lossy(data)) {
        assert!(
            id.chars()
                .all(|letter| letter.is_ascii_hexdigit() || letter == '-')
        );
    }
});
