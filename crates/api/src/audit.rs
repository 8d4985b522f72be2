//! One line in the log for each request that would change something, be it granted or refused.
//!
//! The lines have the target `audit`, so that whoever keeps them can tell them apart, and name who
//! asked for what, from where, and with what outcome. They hold nothing of bodies, queries or
//! headers besides identities, so no secret can be in them. Ironic can send such records to
//! a message bus; what it calls `[audit]enabled` here adds the requests that only read.

use crate::{auth::Identity, route::Method};
use axum::http::{HeaderMap, Response, header::LOCATION};

/// What is recorded besides changes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Audit {
    /// Whether requests that only read are recorded as well.
    pub reads: bool,
    /// Methods that are left out while reads are recorded, in capitals.
    pub ignored_methods: Vec<String>,
}

impl Audit {
    /// Whether a request leaves a line.
    pub fn records(&self, method: &axum::http::Method) -> bool {
        if self.reads {
            return !self
                .ignored_methods
                .iter()
                .any(|name| name == method.as_str());
        }
        Method::of(method).is_some_and(|method| method != Method::Get)
    }
}

/// What becomes known about a request on its way.
#[derive(Debug, Default)]
pub struct Trail {
    user: Option<String>,
    project: Option<String>,
    roles: Option<String>,
    node: Option<String>,
    route: Option<&'static str>,
}

impl Trail {
    pub fn identify(&mut self, identity: &Identity) {
        let credentials = &identity.credentials;
        self.user = identity.user.clone();
        self.project = credentials.project_id.clone();
        let roles = credentials.roles.names().join(",");
        self.roles = (!roles.is_empty()).then_some(roles);
    }

    /// The row of the route table that the request came to, if it did.
    pub fn route(&self) -> Option<&'static str> {
        self.route
    }

    /// Remembers the row, and the node that the path is about, as the caller wrote it.
    pub fn locate(&mut self, route: &'static str, params: &[(&'static str, String)]) {
        self.route = Some(route);
        let node = params.iter().find(|(name, _)| *name == "node");
        self.node = node.map(|(_, ident)| ident.clone());
    }
}

/// The circumstances of a request that are known from the start.
#[derive(Debug)]
pub struct Request<'a> {
    pub id: &'a str,
    pub method: &'a str,
    /// Without the query.
    pub path: &'a str,
    pub headers: &'a HeaderMap,
    /// The address it came from.
    pub client: &'a str,
}

/// Writes the line.
pub fn record<B>(request: &Request<'_>, trail: &Trail, response: &Response<B>) {
    let created = response
        .headers()
        .get(LOCATION)
        .filter(|_| response.status() == 201);
    let created = created.and_then(|url| url.to_str().ok()?.rsplit('/').next());
    let status = response.status();
    let outcome = if status.is_success() {
        "granted"
    } else {
        "refused"
    };
    tracing::info!(
        target: "audit",
        request_id = request.id,
        global_request_id = global_id(request.headers),
        user = trail.user,
        project = trail.project,
        roles = trail.roles,
        method = request.method,
        path = request.path,
        node = trail.node,
        created,
        status = status.as_u16(),
        client = request.client,
        "{outcome}"
    );
}

/// The id under which a caller follows its own request through several services, if it has the
/// only form that is believed.
pub fn global_id(headers: &HeaderMap) -> Option<&str> {
    let id = headers.get("x-openstack-request-id")?.to_str().ok()?;
    let uuid = id.strip_prefix("req-")?;
    let groups = [8, 4, 4, 4, 12];
    let is_hex = |b: u8| b.is_ascii_digit() || (b'a'..=b'f').contains(&b);
    let well_formed = uuid.split('-').count() == groups.len()
        && uuid
            .split('-')
            .zip(groups)
            .all(|(part, length)| part.len() == length && part.bytes().all(is_hex));
    well_formed.then_some(id)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Service;
    use axum::{body::Body, http};
    use serde_json::json;
    use std::{
        fmt::{Debug, Write},
        sync::{Arc, Mutex},
    };
    use tracing::{
        Event, Metadata, Subscriber,
        field::{Field, Visit},
        span,
    };

    /// Keeps the lines of the target `audit`.
    #[derive(Clone, Default)]
    struct Lines(Arc<Mutex<Vec<String>>>);

    impl Subscriber for Lines {
        fn enabled(&self, metadata: &Metadata<'_>) -> bool {
            metadata.target() == "audit"
        }
        fn new_span(&self, _: &span::Attributes<'_>) -> span::Id {
            span::Id::from_u64(1)
        }
        fn record(&self, _: &span::Id, _: &span::Record<'_>) {}
        fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}
        fn event(&self, event: &Event<'_>) {
            let mut line = Line(String::new());
            event.record(&mut line);
            self.0.lock().unwrap().push(line.0);
        }
        fn enter(&self, _: &span::Id) {}
        fn exit(&self, _: &span::Id) {}
    }

    struct Line(String);

    impl Visit for Line {
        fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
            if field.name() != "request_id" {
                let _ = write!(self.0, "{field}={value:?} ");
            }
        }
    }

    #[tokio::test]
    async fn every_change_leaves_a_line_and_no_secret() {
        let lines = Lines::default();
        let _guard = tracing::subscriber::set_default(lines.clone());
        let service = Service::new();
        service.get("/v1/nodes", 115).await;
        let body = json!({"driver": "fake-hardware", "driver_info": {"password": "s3cret"}});
        let created = service
            .send("POST", "/v1/nodes?token=s3cret", 115, body.clone())
            .await;
        assert_eq!(created.status, 400);
        let created = service.send("POST", "/v1/nodes", 115, body).await;
        let uuid = created.json()["uuid"].as_str().unwrap().to_owned();
        let request = http::Request::builder()
            .method("DELETE")
            .uri("/v1/nodes/missing")
            .header("x-user-id", "ann")
            .header("x-project-id", "p1")
            .header("x-roles", "admin,member")
            .header("x-auth-token", "s3cret")
            .header(
                "x-openstack-request-id",
                "req-01234567-89ab-cdef-0123-456789abcdef",
            )
            .body(Body::empty());
        service.request(request.unwrap()).await;
        let lines = lines.0.lock().unwrap().clone();
        assert_eq!(
            lines,
            [
                "message=refused method=\"POST\" path=\"/v1/nodes\" status=400 client=\"\" "
                    .to_owned(),
                format!(
                    "message=granted method=\"POST\" path=\"/v1/nodes\" created={uuid:?} \
                     status=201 client=\"\" "
                ),
                "message=refused global_request_id=\"req-01234567-89ab-cdef-0123-456789abcdef\" \
                 user=\"ann\" project=\"p1\" roles=\"admin,member\" method=\"DELETE\" \
                 path=\"/v1/nodes/missing\" node=\"missing\" status=404 client=\"\" "
                    .to_owned(),
            ]
        );
    }

    #[test]
    fn reads_are_recorded_on_request() {
        let get = http::Method::GET;
        assert!(!Audit::default().records(&get));
        assert!(!Audit::default().records(&http::Method::HEAD));
        assert!(Audit::default().records(&http::Method::PATCH));
        let all = Audit {
            reads: true,
            ignored_methods: vec!["HEAD".into(), "POST".into()],
        };
        assert!(all.records(&get) && all.records(&http::Method::DELETE));
        assert!(!all.records(&http::Method::POST) && !all.records(&http::Method::HEAD));
    }

    #[test]
    fn ids_of_callers_have_one_form() {
        let id = |text: &'static str| {
            let value = http::HeaderValue::from_static(text);
            let headers = HeaderMap::from_iter([(
                http::HeaderName::from_static("x-openstack-request-id"),
                value,
            )]);
            global_id(&headers).is_some()
        };
        assert!(id("req-01234567-89ab-cdef-0123-456789abcdef"));
        for wrong in [
            "01234567-89ab-cdef-0123-456789abcdef",
            "req-01234567-89AB-cdef-0123-456789abcdef",
            "req-01234567-89ab-cdef-0123-456789abcde",
            "req-01234567-89ab-cdef-0123-456789abcdef-0",
            "req-",
        ] {
            assert!(!id(wrong), "{wrong}");
        }
    }
}
