//! Requests as clients write them, and answers as firmware does.

use super::*;
use proptest::prelude::*;

const CLASS: &str = "http://schemas.dmtf.org/wbem/wscim/1/cim-schema/2/CIM_BootService";

fn target() -> Target<'static> {
    Target {
        to: "http://192.0.2.7:16992/wsman",
        resource: CLASS,
        selectors: &[("Name", "Intel(r) AMT Boot Service")],
    }
}

#[test]
fn a_call_is_read_as_it_was_written() {
    let text = target().invoke(
        "6f0c",
        "SetBootConfigRole",
        &[
            Argument::Reference {
                name: "BootConfigSetting",
                resource: "CIM_BootConfigSetting",
                selector: ("InstanceID", "Intel(r) AMT: Boot Configuration 0"),
            },
            Argument::Text("Role", "1"),
        ],
    );
    let call = Call::parse(&text).unwrap();
    assert_eq!(call.resource, CLASS);
    assert_eq!(call.id, "uuid:6f0c");
    assert_eq!(call.method(), Some("SetBootConfigRole"));
    assert_eq!(call.selector("Name"), Some("Intel(r) AMT Boot Service"));
    assert_eq!(call.selector("name"), None);
    assert_eq!(call.input.name, "SetBootConfigRole_INPUT");
    assert_eq!(call.argument("Role"), Some("1"));
    let setting = call.input.child("BootConfigSetting").unwrap();
    let found = selector(setting, "InstanceID");
    assert_eq!(found, Some("Intel(r) AMT: Boot Configuration 0"));
    assert_eq!(selector(setting, "Name"), None);
}

/// The example of the guide to the protocol, prefixes included.
#[test]
fn a_get_has_every_header() {
    let plain = Target {
        selectors: &[],
        ..target()
    };
    let text = plain.get("1");
    for part in [
        "<s:Envelope xmlns:s=\"http://www.w3.org/2003/05/soap-envelope\"",
        "<wsa:To s:mustUnderstand=\"true\">http://192.0.2.7:16992/wsman</wsa:To>",
        "<wsa:Action s:mustUnderstand=\"true\">http://schemas.xmlsoap.org/ws/2004/09/transfer/Get</wsa:Action>",
        "<wsa:MessageID s:mustUnderstand=\"true\">uuid:1</wsa:MessageID>",
        "<wsa:ReplyTo><wsa:Address>http://schemas.xmlsoap.org/ws/2004/08/addressing/role/anonymous</wsa:Address></wsa:ReplyTo>",
        "<s:Body/></s:Envelope>",
    ] {
        assert!(text.contains(part), "{text}");
    }
    assert!(!text.contains("SelectorSet"));
    let call = Call::parse(&text).unwrap();
    assert_eq!((call.action.as_str(), call.method()), (GET, None));
    assert_eq!(call.input, Element::default());
}

#[test]
fn pages_are_asked_for_until_there_is_none() {
    let text = target().enumerate("1", Some("select * from A where B != \"x\""));
    let call = Call::parse(&text).unwrap();
    assert_eq!(call.action, ENUMERATE);
    assert_eq!(call.query(), Some("select * from A where B != \"x\""));
    assert_eq!(call.argument("MaxElements"), Some("100"));
    let call = Call::parse(&target().pull("2", "c1")).unwrap();
    assert_eq!(call.action, PULL);
    assert_eq!(call.argument("EnumerationContext"), Some("c1"));
    for (rest, context) in [
        (
            "<e:EnumerationContext>c2</e:EnumerationContext>",
            Some("c2"),
        ),
        ("", None),
        ("<e:EnumerationContext/>", None),
        ("<e:EnumerationContext/><e:EndOfSequence/>", None),
        (
            "<e:EnumerationContext>c2</e:EnumerationContext><w:EndOfSequence/>",
            None,
        ),
    ] {
        let text = format!(
            "<S:Envelope><S:Header/><S:Body><e:EnumerateResponse>{rest}<w:Items><n:A><n:B>1</n:B>\
             </n:A><n:A/></w:Items></e:EnumerateResponse></S:Body></S:Envelope>"
        );
        let reply = Reply::parse(&text).unwrap().unwrap();
        assert_eq!(reply.context(), context, "{rest}");
        let items = reply.items();
        assert_eq!(items.len(), 2);
        assert_eq!(items[0].text_of("B"), Some("1"));
    }
}

#[test]
fn answers_and_faults_are_told_apart() {
    let call = Call::parse(&target().invoke("1", "Go", &[])).unwrap();
    let output = Element::new("n1:Go_OUTPUT")
        .with("xmlns:n1", CLASS)
        .holding(Element::new("n1:ReturnValue").saying("4096"));
    let text = response(&call, output);
    assert!(text.contains("<wsa:RelatesTo>uuid:1</wsa:RelatesTo>"));
    let reply = Reply::parse(&text).unwrap().unwrap();
    assert_eq!(reply.return_value(), Some(4096));
    assert_eq!(reply.content().name, "Go_OUTPUT");

    let refused = Reply::parse(&fault("wsman:AccessDenied", "no")).unwrap();
    let refused = refused.unwrap_err();
    assert_eq!(refused.code.as_deref(), Some("AccessDenied"));
    assert_eq!(refused.to_string(), "AccessDenied: no");
    let bare = "<Envelope><Body><Fault/></Body></Envelope>";
    let bare = Reply::parse(bare).unwrap().unwrap_err();
    assert_eq!((bare.code.as_deref(), bare.text.as_str()), (None, ""));
    assert_eq!(bare.to_string(), "without a reason");

    assert_eq!(Reply::parse("<html/>"), Err(EnvelopeError::NoEnvelope));
    assert_eq!(
        Reply::parse("<Envelope><Header/></Envelope>"),
        Err(EnvelopeError::NoEnvelope)
    );
    assert!(matches!(Reply::parse("no"), Err(EnvelopeError::Xml(_))));
    let empty = Reply::parse("<Envelope><Body/></Envelope>")
        .unwrap()
        .unwrap();
    assert_eq!((empty.return_value(), empty.context()), (None, None));
    assert!(empty.items().is_empty());
}

#[test]
fn none_is_told_from_nothing() {
    let root = Element::new("a")
        .holding(nil("p:b"))
        .holding(Element::new("c"));
    let read = Element::parse(&root.to_xml()).unwrap();
    assert!(is_nil(read.child("b").unwrap()));
    assert!(!is_nil(read.child("c").unwrap()));
}

proptest! {
    #[test]
    fn any_text_survives(value in "[ -~]{0,40}", name in "[A-Za-z]{1,12}") {
        let text = target().invoke("1", "Go", &[Argument::Text(&name, &value)]);
        let call = Call::parse(&text).unwrap();
        prop_assert_eq!(call.argument(&name), Some(value.trim()));
    }
}
