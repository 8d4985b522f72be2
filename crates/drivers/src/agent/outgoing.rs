//! Bodies of commands, with texts in them that are too large for memory.
//!
//! A config drive of 64 MiB is in the command that writes an image twice. It is read in parts while
//! the command is sent. Agents repeat it in their answers, where it is left out as it arrives.

use crate::answer::AnswerError;
use bytes::Bytes;
use futures_util::{Stream, stream};
use reqwest::{RequestBuilder, header};
use serde_json::Value;
use std::{fmt, future::Future, io, pin::Pin, sync::Arc};

/// Where a large text comes from.
pub trait Source: fmt::Debug + Send + Sync {
    /// A part of the text, numbered from 0; nothing after the last one.
    fn part(
        &self,
        number: u64,
    ) -> Pin<Box<dyn Future<Output = io::Result<Option<String>>> + Send + '_>>;
}

/// A large text among the parameters of a command.
#[derive(Debug, Clone)]
pub struct Inserted {
    /// The string that stands for it among the parameters.
    pub mark: String,
    /// How long it is as JSON text, in bytes.
    pub length: u64,
    /// The JSON text itself.
    pub source: Arc<dyn Source>,
}

/// A body that can be sent more than once.
#[derive(Debug)]
pub(super) struct Outgoing {
    /// JSON text; between two pieces goes the inserted text.
    pieces: Vec<Bytes>,
    inserted: Option<Inserted>,
}

impl Outgoing {
    pub(super) fn new(body: &Value, inserted: Option<Inserted>) -> Self {
        let text = body.to_string();
        let pieces = match &inserted {
            Some(inserted) => {
                let mark = Value::from(inserted.mark.as_str()).to_string();
                let pieces = text.split(&mark);
                pieces.map(|piece| Bytes::from(piece.to_owned())).collect()
            }
            None => vec![Bytes::from(text)],
        };
        Self { pieces, inserted }
    }

    /// Adds the body to a request.
    pub(super) fn of(&self, request: RequestBuilder) -> RequestBuilder {
        let request = request.header(header::CONTENT_TYPE, "application/json");
        match &self.inserted {
            // Agents want to know beforehand how much comes.
            Some(inserted) => request
                .header(header::CONTENT_LENGTH, self.length())
                .body(reqwest::Body::wrap_stream(self.stream(inserted))),
            None => request.body(self.pieces.first().cloned().unwrap_or_default()),
        }
    }

    fn length(&self) -> u64 {
        let own: u64 = self.pieces.iter().map(|piece| piece.len() as u64).sum();
        let times = self.pieces.len().saturating_sub(1) as u64;
        let each = self.inserted.as_ref().map_or(0, |inserted| inserted.length);
        own + times * each
    }

    fn stream(
        &self,
        inserted: &Inserted,
    ) -> impl Stream<Item = io::Result<Bytes>> + Send + 'static + use<> {
        let start = Sending {
            pieces: self.pieces.clone().into_iter(),
            inserted: inserted.clone(),
            part: None,
            sent: 0,
        };
        stream::try_unfold(start, |mut sending| async move {
            Ok(sending.next().await?.map(|bytes| (bytes, sending)))
        })
    }
}

/// How far a body is sent.
struct Sending {
    pieces: std::vec::IntoIter<Bytes>,
    inserted: Inserted,
    /// The next part of the inserted text, while that is being sent.
    part: Option<u64>,
    sent: u64,
}

impl Sending {
    async fn next(&mut self) -> io::Result<Option<Bytes>> {
        if let Some(number) = self.part {
            if let Some(part) = self.inserted.source.part(number).await? {
                self.part = Some(number + 1);
                self.sent += part.len() as u64;
                return Ok(Some(Bytes::from(part)));
            }
            let Inserted { length, .. } = self.inserted;
            if self.sent != length {
                let text = format!("a text of {length} bytes ended after {}", self.sent);
                return Err(io::Error::other(text));
            }
        }
        (self.part, self.sent) = (Some(0), 0);
        let piece = self.pieces.next();
        if self.pieces.len() == 0 {
            // Nothing is inserted behind the last one.
            self.part = None;
        }
        Ok(piece)
    }
}

/// Leaves config drives out of an answer that repeats them: text under the key `configdrive`
/// becomes an empty string.
#[derive(Debug)]
pub(super) struct Echo {
    state: State,
    /// The string that was read last, as far as it can be the key.
    word: Vec<u8>,
    /// How many bytes may still be left out.
    room: usize,
    limit: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Between,
    InString,
    Escaped,
    /// Behind the key and its colon.
    BeforeValue,
    InValue,
    EscapedInValue,
}

const KEY: &[u8] = b"configdrive";

impl Echo {
    pub(super) fn new(limit: usize) -> Self {
        Self {
            state: State::Between,
            word: Vec::with_capacity(KEY.len() + 1),
            room: limit,
            limit,
        }
    }

    /// Adds what is kept of a piece of the answer to `kept`.
    pub(super) fn leave_out(
        &mut self,
        piece: &[u8],
        kept: &mut Vec<u8>,
    ) -> Result<(), AnswerError> {
        for &byte in piece {
            let before = self.state;
            self.state = match (before, byte) {
                (State::InValue, b'"') => State::Between,
                (State::InValue, b'\\') => State::EscapedInValue,
                (State::InValue | State::EscapedInValue, _) => State::InValue,
                (State::Escaped, _) => State::InString,
                (State::InString, b'\\') => State::Escaped,
                (State::InString, b'"') => State::Between,
                (State::InString, _) => State::InString,
                (State::BeforeValue, b'"') => State::InValue,
                (State::BeforeValue, b' ' | b'\t' | b'\n' | b'\r') => State::BeforeValue,
                (State::Between, b':') if self.word == KEY => State::BeforeValue,
                (State::Between, b'"') => {
                    self.word.clear();
                    State::InString
                }
                (State::Between | State::BeforeValue, _) => State::Between,
            };
            match before {
                State::InValue | State::EscapedInValue if self.state != State::Between => {
                    let room = self.room.checked_sub(1);
                    self.room = room.ok_or(AnswerError::TooLong(self.limit))?;
                }
                State::InString | State::Escaped if self.state != State::Between => {
                    if self.word.len() <= KEY.len() {
                        self.word.push(byte);
                    }
                    kept.push(byte);
                }
                _ => kept.push(byte),
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::TryStreamExt;
    use proptest::prelude::*;
    use serde_json::json;

    #[derive(Debug)]
    struct Parts(Vec<&'static str>);

    impl Source for Parts {
        fn part(
            &self,
            number: u64,
        ) -> Pin<Box<dyn Future<Output = io::Result<Option<String>>> + Send + '_>> {
            let part = self
                .0
                .get(usize::try_from(number).unwrap())
                .map(|part| (*part).to_owned());
            Box::pin(async move { Ok(part) })
        }
    }

    fn inserted(parts: &[&'static str], length: u64) -> Inserted {
        Inserted {
            mark: "the \"mark\"".to_owned(),
            length,
            source: Arc::new(Parts(parts.to_vec())),
        }
    }

    async fn sent(body: &Outgoing, inserted: &Inserted) -> io::Result<String> {
        let pieces: Vec<Bytes> = body.stream(inserted).try_collect().await?;
        Ok(String::from_utf8(pieces.concat()).unwrap())
    }

    #[tokio::test]
    async fn a_text_is_sent_wherever_its_mark_stands() {
        let text = inserted(&["\"abc", "def\""], 8);
        let mark = text.mark.clone();
        for body in [
            json!({"a": mark, "b": [1, mark], "c": "x"}),
            json!([mark, mark]),
            json!(mark),
            json!({"none": true}),
        ] {
            let outgoing = Outgoing::new(&body, Some(text.clone()));
            let expected = body.to_string().replace(r#""the \"mark\"""#, r#""abcdef""#);
            let sent = sent(&outgoing, &text).await.unwrap();
            assert_eq!(sent, expected);
            assert_eq!(outgoing.length(), sent.len() as u64);
        }
    }

    #[tokio::test]
    async fn a_text_that_is_not_complete_is_not_sent_as_if_it_were() {
        let text = inserted(&["\"abc"], 8);
        let outgoing = Outgoing::new(&json!(text.mark), Some(text.clone()));
        let error = sent(&outgoing, &text).await.unwrap_err();
        assert_eq!(error.to_string(), "a text of 8 bytes ended after 4");
    }

    fn kept(text: &str, cut: usize) -> String {
        let mut echo = Echo::new(1 << 20);
        let mut kept = Vec::new();
        for piece in text.as_bytes().chunks(cut) {
            echo.leave_out(piece, &mut kept).unwrap();
        }
        String::from_utf8(kept).unwrap()
    }

    #[test]
    fn only_texts_of_config_drives_are_left_out() {
        for (text, expected) in [
            (r#"{"configdrive": "abc"}"#, r#"{"configdrive": ""}"#),
            (r#"{"configdrive":"a\"b\\"}"#, r#"{"configdrive":""}"#),
            (r#"["configdrive", "abc"]"#, r#"["configdrive", "abc"]"#),
            (r#"{"configdrives": "abc"}"#, r#"{"configdrives": "abc"}"#),
            (
                r#"{"a": "configdrive\": \"x"}"#,
                r#"{"a": "configdrive\": \"x"}"#,
            ),
            (
                r#"{"configdrive": {"a": "b"}}"#,
                r#"{"configdrive": {"a": "b"}}"#,
            ),
            (
                r#"{"configdrive": null, "b": "configdrive", "configdrive" : "x"}"#,
                r#"{"configdrive": null, "b": "configdrive", "configdrive" : ""}"#,
            ),
        ] {
            for cut in 1..text.len() {
                assert_eq!(kept(text, cut), expected);
            }
        }
        let mut echo = Echo::new(3);
        let long = br#"{"configdrive": "abcd"}"#;
        assert!(echo.leave_out(long, &mut Vec::new()).is_err());
    }

    fn documents() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<i64>().prop_map(Value::from),
            any::<String>().prop_map(Value::from),
            Just(Value::from("configdrive")),
            Just(Value::from("\\\"configdrive\":\"")),
        ];
        let key = prop_oneof![any::<String>(), Just("configdrive".to_owned())];
        leaf.prop_recursive(4, 64, 6, move |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
                prop::collection::vec((key.clone(), inner), 0..6)
                    .prop_map(|members| Value::Object(members.into_iter().collect())),
            ]
        })
    }

    fn without_drives(value: &mut Value) {
        match value {
            Value::Array(items) => items.iter_mut().for_each(without_drives),
            Value::Object(map) => {
                for (key, value) in map {
                    match value {
                        Value::String(text) if key == "configdrive" => text.clear(),
                        other => without_drives(other),
                    }
                }
            }
            _ => {}
        }
    }

    proptest! {
        #[test]
        fn what_is_left_is_the_document_without_its_drives(document in documents(), cut in 1usize..9) {
            let mut expected = document.clone();
            without_drives(&mut expected);
            prop_assert_eq!(kept(&document.to_string(), cut), expected.to_string());
        }
    }
}
