//! The asking side against an agent of a few lines.

use super::*;
use crate::snmp::{
    Oid, Value,
    message::Body,
    usm::{Auth, Hiding, Privacy, Secret, Signing},
};

const ENGINE: &[u8] = b"\x80\x00\x1f\x88\x04agent";

fn user(privacy: Option<Privacy>) -> User {
    User {
        name: b"admin".to_vec(),
        signing: Some(Signing {
            auth: Auth::Sha1,
            password: Secret(b"maplesyrup".to_vec()),
            hiding: privacy.map(|privacy| Hiding {
                privacy,
                password: Secret(b"pancakes".to_vec()),
            }),
        }),
    }
}

fn access(user: User) -> Access {
    Access::User {
        user,
        engine_id: None,
        context: b"pdu".to_vec(),
    }
}

fn oid() -> Oid {
    "1.3.6.1.2.1.1.2.0".parse().unwrap()
}

fn question() -> Pdu {
    Pdu::ask(PduKind::Get, 77, [oid()])
}

/// Answers as an agent does; refuses what it must.
struct Agent {
    user: User,
    boots: i32,
    time: i32,
}

impl Agent {
    fn answer(&self, datagram: &[u8]) -> Vec<u8> {
        let Message::Usm(message) = Message::decode(datagram).unwrap() else {
            panic!("another version");
        };
        let security = Security {
            engine_id: ENGINE.to_vec(),
            boots: self.boots,
            time: self.time,
            ..message.security.clone()
        };
        let keys = self
            .user
            .signing
            .as_ref()
            .map(|s| s.master().for_engine(ENGINE));
        let reply = |level, kind, id, binding| {
            let scoped = ScopedPdu {
                engine_id: ENGINE.to_vec(),
                context: b"pdu".to_vec(),
                pdu: Pdu {
                    bindings: vec![binding],
                    ..Pdu::ask(kind, id, [])
                },
            };
            let flags = Flags::of_level(level, false);
            usm::seal(message.id, flags, &security, keys.as_ref(), &scoped, 9)
        };
        let report = |level, refusal: Refusal| {
            let count = (refusal.oid().unwrap(), Value::Counter32(1));
            reply(level, PduKind::Report, 0, count)
        };
        if message.security.engine_id != ENGINE {
            return report(Level::Plain, Refusal::Engine);
        }
        if message.security.user != self.user.name {
            return report(Level::Plain, Refusal::User);
        }
        let scoped = match usm::open(datagram, &message, keys.as_ref()) {
            Ok(scoped) => scoped,
            Err(OpenError::Hidden) => return report(Level::Plain, Refusal::Hidden),
            Err(_) => return report(Level::Plain, Refusal::Signature),
        };
        let theirs = (message.security.boots, message.security.time);
        if keys.is_some() && (theirs.0 != self.boots || (theirs.1 - self.time).abs() > 150) {
            return report(Level::Signed, Refusal::Clock);
        }
        assert_eq!(scoped.context, b"pdu");
        let value = (scoped.pdu.bindings[0].0.clone(), Value::Integer(1));
        let level = message.flags.level();
        reply(level, PduKind::Response, scoped.pdu.id, value)
    }
}

/// Asks until there is something else than a wish to ask again; says how often it was sent.
fn converse(client: &mut Client, agent: &Agent, now: u64) -> (ResponseVerdict, usize) {
    for sent in 1..5 {
        let datagram = client.ask(&question(), now, 5);
        match client.hear(&question(), &agent.answer(&datagram), now) {
            ResponseVerdict::SendAgain => {}
            heard => return (heard, sent),
        }
    }
    panic!("no end");
}

fn is_answer(heard: &ResponseVerdict) -> bool {
    matches!(heard, ResponseVerdict::Answer(pdu) if pdu.bindings[0].1 == Value::Integer(1))
}

#[test]
fn the_engine_is_found_out_once_and_the_clock_followed() {
    for privacy in [None, Some(Privacy::Des), Some(Privacy::Aes128)] {
        let mut agent = Agent {
            user: user(privacy),
            boots: 3,
            time: 1000,
        };
        let mut client = Client::new(access(user(privacy)));
        let (heard, sent) = converse(&mut client, &agent, 50);
        assert!(is_answer(&heard), "{heard:?}");
        assert_eq!(sent, 2);
        agent.time = 1400;
        assert_eq!(converse(&mut client, &agent, 450).1, 1);
        // A restart of the agent costs one more question.
        (agent.boots, agent.time) = (4, 2);
        let (heard, sent) = converse(&mut client, &agent, 500);
        assert!(is_answer(&heard));
        assert_eq!(sent, 2);
    }
}

#[test]
fn a_user_without_keys_only_has_to_find_the_engine() {
    let nobody = User {
        name: b"guest".to_vec(),
        signing: None,
    };
    let agent = Agent {
        user: nobody.clone(),
        boots: 1,
        time: 1,
    };
    let mut client = Client::new(access(nobody));
    let (heard, sent) = converse(&mut client, &agent, 9000);
    assert!(is_answer(&heard) && sent == 2, "{heard:?}");
}

#[test]
fn refusals_say_what_does_not_fit() {
    let agent = Agent {
        user: user(Some(Privacy::Aes128)),
        boots: 1,
        time: 1,
    };
    let mut other = user(Some(Privacy::Aes128));
    other.name = b"root".to_vec();
    let mut wrong = user(Some(Privacy::Aes128));
    wrong.signing.as_mut().unwrap().password = Secret(b"maplesyrop".to_vec());
    let mut hidden = user(Some(Privacy::Aes128));
    let signing = hidden.signing.as_mut().unwrap();
    signing.hiding.as_mut().unwrap().password = Secret(b"pancaces".to_vec());
    let cases = [
        (other, Refusal::User),
        (wrong, Refusal::Signature),
        (hidden, Refusal::Hidden),
    ];
    for (user, refusal) in cases {
        let mut client = Client::new(access(user));
        let (heard, _) = converse(&mut client, &agent, 0);
        assert_eq!(heard, ResponseVerdict::Refused(refusal));
    }
}

#[test]
fn what_is_less_protected_than_the_question_is_no_answer() {
    let agent = Agent {
        user: user(Some(Privacy::Aes128)),
        boots: 1,
        time: 1,
    };
    let mut client = Client::new(access(user(Some(Privacy::Aes128))));
    converse(&mut client, &agent, 0);
    let scoped = ScopedPdu {
        engine_id: ENGINE.to_vec(),
        context: b"pdu".to_vec(),
        pdu: Pdu::ask(PduKind::Response, 77, [oid()]),
    };
    let security = Security {
        engine_id: ENGINE.to_vec(),
        boots: 1,
        time: 1,
        user: b"admin".to_vec(),
        ..Security::default()
    };
    let keys = user(Some(Privacy::Aes128))
        .signing
        .unwrap()
        .master()
        .for_engine(ENGINE);
    for level in [Level::Plain, Level::Signed] {
        let flags = Flags::of_level(level, false);
        let forged = usm::seal(77, flags, &security, Some(&keys), &scoped, 1);
        let heard = client.hear(&question(), &forged, 0);
        assert_eq!(
            heard,
            ResponseVerdict::Ignored(IgnoreReason::Unprotected),
            "{level:?}"
        );
    }
    // An old message, however well protected, is a replay.
    let flags = Flags::of_level(Level::Hidden, false);
    let forged = usm::seal(77, flags, &security, Some(&keys), &scoped, 1);
    let heard = client.hear(&question(), &forged, 200);
    assert_eq!(heard, ResponseVerdict::Ignored(IgnoreReason::Old));
    let Message::Usm(UsmMessage {
        body: Body::Hidden(_),
        ..
    }) = Message::decode(&forged).unwrap()
    else {
        panic!("not hidden");
    };
}

#[test]
fn communities_are_chosen_by_what_is_done() {
    let client = Client::new(Access::Community {
        version: Version::V1,
        read: Community(b"public".to_vec()),
        write: Community(b"private".to_vec()),
    });
    let community = |pdu: &Pdu| match Message::decode(&client.ask(pdu, 0, 0)).unwrap() {
        Message::Community(message) => message.community.0,
        Message::Usm(_) => panic!("another version"),
    };
    assert_eq!(community(&question()), b"public");
    assert_eq!(
        community(&Pdu::set(1, oid(), Value::Integer(1))),
        b"private"
    );
    assert!(!format!("{client:?}").contains("private"));
}

#[test]
fn answers_to_other_questions_are_no_answers() {
    let mut client = Client::new(Access::Community {
        version: Version::V2c,
        read: Community(b"public".to_vec()),
        write: Community(b"private".to_vec()),
    });
    let answer = |version, id| {
        CommunityMessage {
            version,
            community: Community(b"public".to_vec()),
            pdu: Pdu::ask(PduKind::Response, id, [oid()]),
        }
        .encode()
    };
    let mut hear = |version, id| client.hear(&question(), &answer(version, id), 0);
    assert!(matches!(hear(Version::V2c, 77), ResponseVerdict::Answer(_)));
    assert_eq!(
        hear(Version::V2c, 78),
        ResponseVerdict::Ignored(IgnoreReason::OtherQuestion)
    );
    assert_eq!(
        hear(Version::V1, 77),
        ResponseVerdict::Ignored(IgnoreReason::OtherVersion)
    );
}
