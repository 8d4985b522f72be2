//! Documents as managers of chassis, or somebody who pretends to be one, may answer them.
//!
//! Nothing may panic or take long, and what is understood must survive being written and read again.

#![cfg_attr(fuzzing, no_main)]

use corten_fuzz::fuzz_target;
use proto::{msftocs, nuova::Reply, xml::Element};

fuzz_target!(|input: &[u8]| {
    let Ok(text) = std::str::from_utf8(input) else {
        return;
    };
    let Ok(root) = Element::parse(text) else {
        return;
    };
    let again = Element::parse(&root.to_xml());
    assert_eq!(again.map(|again| plain(&again)), Ok(plain(&root)));
    if let Ok(response) = msftocs::Response::parse(text) {
        let _ = response.refusal();
        let _ = response.field("bladeState");
    }
    if let Ok(Ok(reply)) = Reply::parse(&root.name, text) {
        let _ = reply.cookie();
        let _ = reply.objects().len();
    }
});

/// Without characters that XML cannot say.
fn plain(element: &Element) -> Element {
    let sayable = |c: &char| !c.is_control() || "\t\n\r".contains(*c);
    let text = |text: &str| text.chars().filter(sayable).collect::<String>();
    Element {
        name: element.name.clone(),
        attributes: element
            .attributes
            .iter()
            .map(|(name, value)| (name.clone(), text(value)))
            .collect(),
        children: element.children.iter().map(plain).collect(),
        text: text(&element.text),
    }
}
