//! What Redfish services answer: resources, complaints, tasks and references.
//!
//! Nothing may panic, a reference that is taken must stay with its service, and no text that is
//! made of an answer may be long or of several lines.

#![cfg_attr(fuzzing, no_main)]

use corten_fuzz::fuzz_target;
use drivers::redfish::{
    Resource,
    address::Origin,
    refusal::Complaint,
    resource,
    task::{self, Progress},
};

fuzz_target!(|data: &[u8]| {
    reference(&String::from_utf8_lossy(data));
    let Ok(body) = resource::decode(data) else {
        return;
    };
    let told = Complaint::of(&body).to_string();
    assert!(told.len() < 32 * 1024 && !told.contains(char::is_control));
    for status in [200, 202, 404] {
        if let Progress::Failed(why) = task::progress(status, &body) {
            assert!(why.len() < 64 * 1024);
        }
    }
    let found = Resource::new("/redfish/v1/Systems/1", None, body);
    let places: Vec<String> = found.body.keys().cloned().collect();
    for place in places {
        found.str(&place);
        found.f64(&place);
        found.list(&place).count();
        found.texts(&place);
        found.link(&place);
        found.links(&place);
        if let Some(action) = found.action(&place) {
            action.allowed("ResetType");
            action.info();
        }
    }
    found.next();
    found.pending();
    found.id();
});

fn reference(text: &str) {
    let Some((origin, _)) = Origin::parse("https://bmc:8443", None) else {
        unreachable!()
    };
    if let Some(path) = origin.path(text) {
        let url = origin
            .url(&path)
            .expect("a path that is taken leads somewhere");
        assert!(url.as_str().starts_with("https://bmc:8443/"), "{url}");
        // What was taken once is taken again, and means the same.
        assert_eq!(origin.path(&path).as_deref(), Some(path.as_str()));
    }
    Origin::parse(text, None);
}
