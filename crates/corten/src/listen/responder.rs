//! Whoever answers the requests of a socket.
//!
//! The API finds its routes by itself. A [`Router`] around it would look for them first and box the
//! request twice on its way, which costs more than finding them does. What has a router comes as it
//! is.

use axum::{Router, extract::Request, response::Response};
use futures_util::future::BoxFuture;
use hyper::service::Service as _;
use hyper_util::service::TowerToHyperService;
use std::sync::Arc;

type Respond = dyn Fn(Request) -> BoxFuture<'static, Response> + Send + Sync;

/// A function from requests to answers. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Responder(Arc<Respond>);

impl Responder {
    pub(crate) fn new(
        respond: impl Fn(Request) -> BoxFuture<'static, Response> + Send + Sync + 'static,
    ) -> Self {
        Self(Arc::new(respond))
    }

    pub(crate) fn call(&self, request: Request) -> BoxFuture<'static, Response> {
        (self.0)(request)
    }
}

impl From<Router> for Responder {
    fn from(router: Router) -> Self {
        let router = TowerToHyperService::new(router);
        Self::new(move |request| {
            let answering = router.call(request);
            Box::pin(async move {
                let Ok(response) = answering.await;
                response
            })
        })
    }
}
