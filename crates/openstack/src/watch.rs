//! What is seen of a service while it is called: spans, metrics, and how long it has been away.
//!
//! A service is away from the first call that it did not answer until the next one that it did. It
//! is never asked for the sake of this: whoever wants to know at once uses [`Services::probe`].

use crate::{Error, Reason, Service, Services};
use std::{
    collections::BTreeMap,
    sync::{Mutex, MutexGuard, PoisonError},
};
use tokio::time::Instant;
use tracing::{Span, field::Empty};
use types::{Timestamp, error::chain, metrics};

/// How many of those that wait are named.
const NAMED: usize = 5;

/// A service that does not answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServiceOutage {
    pub service: Service,
    /// The first call that failed, and the last one.
    pub since: Timestamp,
    pub last: Timestamp,
    /// Why the last one failed.
    pub error: String,
    /// How many calls are under way, and what some of them are for.
    pub waiting: usize,
    pub waiting_for: Vec<String>,
}

/// The calls of one section.
#[derive(Debug, Default)]
pub(crate) struct Watch(Mutex<Seen>);

#[derive(Debug, Default)]
struct Seen {
    outage: Option<(Timestamp, Timestamp, String)>,
    /// What is under way, by a number that means nothing else.
    calls: BTreeMap<u64, String>,
    next: u64,
}

/// A call under way.
pub(crate) struct Watched<'a> {
    watch: &'a Watch,
    service: Service,
    number: u64,
    began: Instant,
    pub(crate) span: Span,
}

impl Watch {
    fn seen(&self) -> MutexGuard<'_, Seen> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn begin(&self, service: Service, action: &str) -> Watched<'_> {
        let number = {
            let mut seen = self.seen();
            seen.next += 1;
            let number = seen.next;
            seen.calls.insert(number, action.to_owned());
            number
        };
        Watched {
            watch: self,
            service,
            number,
            began: Instant::now(),
            span: span(service, action),
        }
    }

    fn outage(&self, service: Service) -> Option<ServiceOutage> {
        let seen = self.seen();
        let (since, last, error) = seen.outage.clone()?;
        Some(ServiceOutage {
            service,
            since,
            last,
            error,
            waiting: seen.calls.len(),
            waiting_for: seen.calls.values().take(NAMED).cloned().collect(),
        })
    }
}

impl Watched<'_> {
    /// The call ended by itself; one that is dropped tells nothing about the service.
    pub(crate) fn end<T>(self, outcome: &Result<T, Error>) {
        let error = outcome.as_ref().err();
        observe(self.service, error.map(|error| &error.reason), self.began);
        if let Some(error) = error {
            self.span.record("otel.error", chain(error));
        }
        let mut seen = self.watch.seen();
        match error.filter(|error| is_outage(error)) {
            None => seen.outage = None,
            Some(error) => {
                let now = Timestamp::now();
                let since = seen.outage.take().map_or(now, |(since, ..)| since);
                seen.outage = Some((since, now, chain(error)));
            }
        }
    }
}

impl Drop for Watched<'_> {
    fn drop(&mut self) {
        self.watch.seen().calls.remove(&self.number);
    }
}

fn span(service: Service, action: &str) -> Span {
    tracing::debug_span!(
        target: "spans", "openstack", otel.kind = "client",
        otel.name = format!("{} {action}", service.label()),
        otel.error = Empty,
    )
}

/// Counts a call or a login.
pub(crate) fn observe(service: Service, failed: Option<&Reason>, began: Instant) {
    let outcome = failed.map_or("ok", Reason::label);
    metrics::OPENSTACK_CALLS.observe([service.label(), outcome], began.elapsed());
}

/// Whether a failure says that the service cannot be used, whatever it is asked.
fn is_outage(error: &Error) -> bool {
    match &error.reason {
        Reason::Unavailable(_) | Reason::Timeout { .. } | Reason::Protocol(_) => true,
        Reason::NotInCatalogue { .. } | Reason::NotConfigured(_) => true,
        // A login that fails, fails for every call.
        Reason::Refused(_) => error.request.service == Service::Keystone,
        _ => false,
    }
}

impl Services {
    /// The services that did not answer when they were called last.
    pub fn outages(&self) -> Vec<ServiceOutage> {
        let services = [
            Service::Glance,
            Service::Swift,
            Service::Neutron,
            Service::Cinder,
            Service::Nova,
            Service::Baremetal,
        ];
        let outages = services.into_iter();
        outages
            .filter_map(|service| self.session(service).watch.outage(service))
            .collect()
    }
}
