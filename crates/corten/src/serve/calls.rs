//! Where a conductor of a cluster takes calls.

use super::Listening;
use crate::{
    listen::{Certificate, Limits, Socket},
    settings::{self, Cluster},
};
use ::cluster::{Endpoint, Peer};
use anyhow::Context;
use axum::{
    extract::Request,
    middleware::{self, Next},
};
use conductor::Service;
use config::Config;
use std::sync::Arc;
use store::Db;
use tokio_util::sync::CancellationToken;
use types::Conductor;

/// An open socket, before it is served.
pub(super) struct CallListener {
    socket: Socket,
    certificate: Option<Arc<Certificate>>,
    url: String,
}

/// What answers calls.
pub(super) struct Calls {
    pub(super) listening: Listening,
    /// Cancelled when the conductor takes no further work.
    pub(super) leaving: CancellationToken,
}

impl Calls {
    pub(super) fn url(&self) -> String {
        self.listening.url()
    }
}

impl CallListener {
    pub(super) async fn open(cluster: &Cluster) -> anyhow::Result<Self> {
        let certificate = cluster
            .tls
            .clone()
            .map(Certificate::open)
            .transpose()
            .context("cannot set up HTTPS for cluster calls")?;
        let socket = Socket::open_guarded(&cluster.address).await?;
        let url = cluster.url(socket.port().unwrap_or_default());
        tracing::info!(url, "listening for cluster calls");
        Ok(Self {
            socket,
            certificate: certificate.map(Arc::new),
            url,
        })
    }

    /// Tells a conductor that it is one of several, and where the others call it.
    pub(super) fn settle(&self, cluster: &Cluster, conductor: &mut conductor::Settings) {
        conductor.url = Some(self.url.clone());
        conductor.ring_max_age = cluster.view.max_age;
        conductor.ring_shape = cluster.view.shape;
    }

    pub(super) fn guard(
        self,
        config: &Config,
        cluster: &Cluster,
        service: &Arc<Service>,
        db: Db,
    ) -> anyhow::Result<Calls> {
        let leaving = CancellationToken::new();
        let endpoint = Endpoint::new(
            Arc::clone(service) as Arc<dyn Conductor>,
            service.view(),
            db,
            service.host(),
            cluster.remote.secret.clone(),
            leaving.clone(),
        )?;
        let router = endpoint.router().layer(middleware::from_fn(with_peer));
        let listening = Listening {
            socket: self.socket,
            limits: Limits {
                // All calls of an API come from one address.
                by_proxy: true,
                ..settings::limits(config)
            },
            certificate: self.certificate,
            responder: router.into(),
        };
        Ok(Calls { listening, leaving })
    }
}

/// Says in the words of the cluster where a call comes from.
async fn with_peer(mut request: Request, next: Next) -> axum::response::Response {
    if let Some(peer) = api::peer::Peer::of(request.extensions()) {
        request.extensions_mut().insert(Peer(peer.0));
    }
    next.run(request).await
}
