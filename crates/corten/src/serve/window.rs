//! The API on a database without conductors: all of it can be read, and no machine is driven.

use super::{Front, Listening, Role, with_polls_ending};
use crate::{listen::Socket, settings::Access};
use ::cluster::{Remote, RemoteSettings, Secret, View, view::ViewSettings};
use anyhow::{Context, bail};
use api::{ApiState, Auth, Settings, ShadowWatch};
use config::Config;
use std::{sync::Arc, time::Duration};
use store::Db;
use tokio_util::sync::CancellationToken;
use types::Conductor;

const WITHOUT_USERS: &str = "auth_strategy=local has its users in a database, and this copy has none: set \
    auth_strategy to keystone, http_basic or noauth in [DEFAULT]";

/// An API whose socket is open.
pub(crate) struct Window {
    front: Front,
    socket: Socket,
}

impl Window {
    pub(crate) async fn open(config: &Config, insecure: bool) -> anyhow::Result<Self> {
        config.check_served()?;
        let mut front = Front::new(config, Role::Api, None)?;
        front.api.role = "shadow".to_owned();
        if let Access::Local(_) = front.access {
            bail!(WITHOUT_USERS);
        }
        let socket = Socket::open(&front.address, &front.access, insecure).await?;
        Ok(Self { front, socket })
    }

    pub(crate) fn url(&self) -> String {
        self.socket.url(self.front.certificate.is_some())
    }

    /// What answers comparisons, without a socket; and whether it tells callers apart by their tokens.
    /// Where it does not, it answers as an administrator.
    pub(crate) fn compared(&self, db: &Db) -> anyhow::Result<(ApiState, bool)> {
        let takes_tokens = matches!(self.front.api.auth, Auth::Keystone(_));
        let auth = match takes_tokens {
            true => self.front.api.auth.clone(),
            false => Auth::NoAuth,
        };
        let settings = Settings {
            auth,
            public_endpoint: None,
            parse_proxy_headers: false,
            is_local_only: true,
            ..self.front.api.clone()
        };
        let state = ApiState::new(db.clone(), no_conductor(db)?, Arc::new(settings));
        let state = state.with_inventories(self.front.inventories.clone());
        Ok((state, takes_tokens))
    }

    /// Answers until the stop.
    pub(crate) fn serve(
        self,
        db: &Db,
        shadow: Arc<dyn ShadowWatch>,
        over: CancellationToken,
        stop: CancellationToken,
    ) -> anyhow::Result<impl Future<Output = ()> + Send + use<>> {
        let conductor = no_conductor(db)?;
        let shadow = Some(shadow);
        let listening: Listening =
            self.front
                .listen_as(self.socket, db.clone(), conductor, over, shadow);
        let listening = Listening {
            responder: with_polls_ending(listening.responder, stop.clone()),
            ..listening
        };
        Ok(listening.serve(stop))
    }
}

/// Stands in for conductors where there are none: every call fails at once, with that reason.
fn no_conductor(db: &Db) -> anyhow::Result<Arc<dyn Conductor>> {
    let mut secret = [0; 32];
    getrandom::fill(&mut secret).context("no random numbers")?;
    let secret = types::hex::encode(&secret);
    let remote = RemoteSettings {
        secret: Secret::new(&secret).context("no secret")?,
        tls: tls::Trust::Nobody.into(),
        timeout: Duration::from_secs(1),
        patience: Duration::ZERO,
    };
    let view = View::shared(db.clone(), ViewSettings::default());
    Ok(Arc::new(Remote::new(db.clone(), view, remote, None)?))
}
