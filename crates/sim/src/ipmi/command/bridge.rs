//! Requests to controllers behind the BMC.
//!
//! Every even address below 0xf0 is a satellite controller of the same machine, which answers as
//! the BMC does and calls itself by its address; above that nobody is at home. The BMC keeps track:
//! it acknowledges that it has passed the request on, and the answer follows in a message of its
//! own under the number of the request.

use super::{Call, answer, answer_to};
use proto::ipmi::message::{Completion, Message, NetFn, SEND_MESSAGE};

/// Completion code: no acknowledgement (NAK on write).
const NOT_ACKNOWLEDGED: Completion = Completion(0x83);
const FIRST_ABSENT: u8 = 0xf0;

pub(super) fn answers(call: &mut Call<'_>, request: &Message<'_>) -> Vec<Vec<u8>> {
    let refused = |code| vec![answer_to(request, Err(code))];
    let Some((_channel, inner)) = request.body.split_first() else {
        return refused(Completion::WRONG_LENGTH);
    };
    let Ok(inner) = Message::decode(inner) else {
        return refused(Completion::INVALID_FIELD);
    };
    if inner.to >= FIRST_ABSENT || inner.to & 1 == 1 {
        return refused(NOT_ACKNOWLEDGED);
    }
    let mut messages = vec![answer_to(request, Ok(Vec::new()))];
    if (inner.netfn, inner.command) == (NetFn::APP, SEND_MESSAGE) {
        // Two hops: what the transit controller says about the second one comes first.
        for message in nested(call, &inner) {
            messages.push(returned(request, &message));
        }
        return messages;
    }
    call.responder = inner.to;
    let outcome = answer(call, &inner);
    messages.push(returned(request, &answer_to(&inner, outcome)));
    messages
}

/// The answers of a transit controller. There is no third hop.
fn nested(call: &mut Call<'_>, request: &Message<'_>) -> Vec<Vec<u8>> {
    let is_send =
        |bytes: &[u8]| Message::decode(bytes).is_ok_and(|inner| inner.command == SEND_MESSAGE);
    match request.body.split_first() {
        Some((_, inner)) if !is_send(inner) => answers(call, request),
        _ => vec![answer_to(request, Err(Completion::INVALID_FIELD))],
    }
}

/// A message from elsewhere as the console gets it: under the number of its own request.
fn returned(request: &Message<'_>, message: &[u8]) -> Vec<u8> {
    match Message::decode(message) {
        Ok(mut message) => {
            message.to = request.from;
            message.to_lun = request.from_lun;
            message.sequence = request.sequence;
            message.encode()
        }
        Err(_) => Vec::new(),
    }
}
