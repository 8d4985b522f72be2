//! WS-Management from both sides, and the headers of logins by HTTP Digest.
//!
//! Nothing may panic or take long. What is understood of a header must survive being written and read
//! again, and an answer to a challenge must be right.

#![cfg_attr(fuzzing, no_main)]

use corten_fuzz::fuzz_target;
use proto::{
    http_digest::{Challenge, Credentials, Signed},
    wsman::{Call, Reply, response, selector},
};

fuzz_target!(|input: &[u8]| {
    let Ok(text) = std::str::from_utf8(input) else {
        return;
    };
    if let Ok(challenge) = Challenge::choose(text.lines()) {
        let header = challenge.header();
        assert_eq!(
            Challenge::choose([header.as_str()]).as_ref(),
            Ok(&challenge)
        );
        let answer = challenge.answer(&Signed {
            user: "admin",
            password: "password",
            method: "POST",
            uri: "/wsman",
            cnonce: "0123",
            count: 1,
        });
        let read = Credentials::parse(&answer);
        assert!(read.is_some_and(|told| told.is_right("password", "POST")));
    }
    if let Some(told) = Credentials::parse(text) {
        assert_eq!(Credentials::parse(&told.header()).as_ref(), Some(&told));
        let _ = told.is_right("password", "POST");
    }
    match Reply::parse(text) {
        Ok(Ok(reply)) => {
            let _ = (reply.return_value(), reply.context(), reply.items().len());
            let _ = selector(reply.content(), "InstanceID");
        }
        Ok(Err(fault)) => drop(fault.to_string()),
        Err(_) => {}
    }
    if let Ok(call) = Call::parse(text) {
        let _ = (call.method(), call.query(), call.selector("Name"));
        let _ = call.arguments("AttributeName").len();
        let again = Reply::parse(&response(&call, call.input.clone()));
        assert!(again.is_ok() || call.input.name.is_empty());
    }
});
