//! Event subscriptions, and the events to send.
//!
//! A letter is made here and posted by the server ([`crate::redfish`]), because posting waits for
//! the network and the model never waits.

use serde_json::{Map, Value, json};
use std::{fmt, time::Duration};
use types::time::Timestamp;

/// An event subscription.
#[derive(Clone)]
pub struct Subscription {
    pub number: u32,
    pub destination: String,
    pub context: String,
    /// None stands for all.
    pub event_types: Vec<String>,
    pub registry_prefixes: Vec<String>,
    pub resource_types: Vec<String>,
    /// Sent along with every letter. They may hold secrets and are never shown.
    pub headers: Vec<(String, String)>,
}

impl fmt::Debug for Subscription {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Never the headers.
        f.debug_struct("Subscription")
            .field("number", &self.number)
            .field("destination", &self.destination)
            .finish_non_exhaustive()
    }
}

/// Something to be told.
#[derive(Debug, Clone, Copy)]
pub struct News<'a> {
    /// In the words of the older filter: `StatusChange`, `ResourceUpdated`, `Alert`.
    pub kind: &'static str,
    /// With the registry it is from.
    pub message_id: &'static str,
    pub message: &'a str,
    pub args: &'a [String],
    pub severity: &'static str,
    /// The resource it is about.
    pub origin: &'a str,
    /// What that is, as resource types are named.
    pub resource_type: &'static str,
}

/// An event on its way to a subscriber.
#[derive(Clone)]
pub struct Letter {
    pub destination: String,
    pub headers: Vec<(String, String)>,
    pub body: String,
}

impl fmt::Debug for Letter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Letter")
            .field("destination", &self.destination)
            .finish_non_exhaustive()
    }
}

/// How many may subscribe.
pub const LIMIT: usize = 20;

/// All subscriptions.
#[derive(Debug, Default)]
pub struct Subscriptions {
    all: Vec<Subscription>,
    last: u32,
    letters: u64,
    is_watched: bool,
}

impl Subscriptions {
    /// Whether the task that posts events is running.
    pub(crate) fn is_watched(&self) -> bool {
        self.is_watched
    }

    pub(crate) fn set_watched(&mut self, is_watched: bool) {
        self.is_watched = is_watched;
    }

    pub fn all(&self) -> &[Subscription] {
        &self.all
    }

    pub fn find(&self, number: u32) -> Option<&Subscription> {
        self.all.iter().find(|known| known.number == number)
    }

    /// Takes a subscription in and says its number; none if there are too many.
    pub fn add(&mut self, mut subscription: Subscription) -> Option<u32> {
        if self.all.len() >= LIMIT {
            return None;
        }
        self.last += 1;
        subscription.number = self.last;
        self.all.push(subscription);
        Some(self.last)
    }

    pub fn change(&mut self, number: u32, change: impl FnOnce(&mut Subscription)) -> bool {
        let found = self.all.iter_mut().find(|known| known.number == number);
        found.map(change).is_some()
    }

    pub fn remove(&mut self, number: u32) -> bool {
        let before = self.all.len();
        self.all.retain(|known| known.number != number);
        self.all.len() < before
    }

    /// The events for all subscriptions that match.
    pub fn letters(&mut self, news: &News<'_>, at: Duration) -> Vec<Letter> {
        let Self { all, letters, .. } = self;
        let wanted = all.iter().filter(|subscription| subscription.wants(news));
        let written = wanted.map(|subscription| {
            *letters += 1;
            subscription.letter(news, *letters, at)
        });
        written.collect()
    }
}

impl Subscription {
    fn wants(&self, news: &News<'_>) -> bool {
        let among = |list: &[String], name: &str| list.is_empty() || list.iter().any(|x| x == name);
        let registry = news.message_id.split('.').next().unwrap_or_default();
        among(&self.event_types, news.kind)
            && among(&self.registry_prefixes, registry)
            && among(&self.resource_types, news.resource_type)
    }

    fn letter(&self, news: &News<'_>, number: u64, at: Duration) -> Letter {
        let mut record = Map::new();
        record.insert("EventType".to_owned(), json!(news.kind));
        record.insert("EventId".to_owned(), json!(number.to_string()));
        record.insert("MemberId".to_owned(), json!("0"));
        record.insert("EventTimestamp".to_owned(), json!(stamp(at)));
        record.insert("Message".to_owned(), json!(news.message));
        record.insert("MessageId".to_owned(), json!(news.message_id));
        record.insert("MessageArgs".to_owned(), json!(news.args));
        record.insert("MessageSeverity".to_owned(), json!(news.severity));
        record.insert("Context".to_owned(), json!(self.context));
        record.insert(
            "OriginOfCondition".to_owned(),
            json!({"@odata.id": news.origin}),
        );
        let body = json!({
            "@odata.type": "#Event.v1_7_0.Event",
            "Id": number.to_string(),
            "Name": "Event",
            "Context": self.context,
            "Events": [Value::Object(record)],
        });
        Letter {
            destination: self.destination.clone(),
            headers: self.headers.clone(),
            body: body.to_string(),
        }
    }
}

/// A time in the form of the wire.
pub(crate) fn stamp(at: Duration) -> String {
    let seconds = i64::try_from(at.as_secs()).unwrap_or_default();
    Timestamp(seconds.saturating_mul(1_000_000)).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn subscription(event_types: &[&str], registries: &[&str]) -> Subscription {
        let owned = |list: &[&str]| list.iter().map(|x| (*x).to_owned()).collect();
        Subscription {
            number: 0,
            destination: "http://127.0.0.1/".to_owned(),
            context: "mine".to_owned(),
            event_types: owned(event_types),
            registry_prefixes: owned(registries),
            resource_types: Vec::new(),
            headers: vec![("X-Secret".to_owned(), "s".to_owned())],
        }
    }

    #[test]
    fn everybody_is_told_what_they_asked_for() {
        let mut all = Subscriptions::default();
        let first = all.add(subscription(&[], &[])).unwrap();
        all.add(subscription(&["Alert"], &[])).unwrap();
        all.add(subscription(&[], &["TaskEvent"])).unwrap();
        let news = News {
            kind: "ResourceUpdated",
            message_id: "ResourceEvent.1.0.ResourcePowerStateChanged",
            message: "on",
            args: &[],
            severity: "OK",
            origin: "/redfish/v1/Systems/1",
            resource_type: "ComputerSystem",
        };
        let letters = all.letters(&news, Duration::from_secs(1));
        assert_eq!(letters.len(), 1);
        let body: Value = serde_json::from_str(&letters[0].body).unwrap();
        assert_eq!(body["Context"], "mine");
        assert_eq!(
            body["Events"][0]["EventTimestamp"],
            "1970-01-01T00:00:01+00:00"
        );
        assert!(!format!("{letters:?}{all:?}").contains("X-Secret"));
        assert!(all.remove(first));
        assert!(all.letters(&news, Duration::ZERO).is_empty());
    }
}
