//! Graphical consoles: the address that viewers are given, who is let in, and when it is over.
//!
//! The token stands in the node's row, sealed, so that any process that serves the node knows it. It
//! is good for a time from when the console was switched on, and so are all who came in by it; then
//! the console is switched off ([`pass`]).

use crate::{core::Core, flow};
use ring::digest;
use serde_json::{Value, json};
use std::{sync::Arc, time::Duration};
use types::{
    Caller, Fault, Node, NodeId, Timestamp,
    console::{ConsoleLine, ScreenToken},
    event::{EventKind, NewEvent},
};

/// `[vnc]`, as far as conductors need it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScreenTokens {
    /// The page that shows screens; the service's own if unset.
    pub public_url: Option<String>,
    pub token_timeout: Duration,
    /// How often is looked for consoles whose token has ended.
    pub expire_interval: Duration,
}

impl Default for ScreenTokens {
    fn default() -> Self {
        Self {
            public_url: None,
            token_timeout: Duration::from_secs(600),
            expire_interval: Duration::from_secs(120),
        }
    }
}

/// Where the web page of this service shows screens. The API puts its own address before it.
const PAGE: &str = "/ui/vnc";

/// The token of a console that is on, and how long it is good for.
struct Opened {
    token: String,
    left: Duration,
}

impl Core {
    /// What Ironic tells of a graphical console.
    pub(crate) fn screen_info(&self, node: &Node) -> Result<Value, Fault> {
        let opened = self.opened_screen(node).ok_or_else(|| {
            let text = "The token of the console is missing. Switch the console off and on.";
            Fault::InvalidState(text.to_owned())
        })?;
        let page = self.settings.screens.public_url.as_deref().unwrap_or(PAGE);
        let (id, token) = (node.id, opened.token);
        // The token has no characters that a URL escapes.
        let url = format!("{page}?path=websockify%3Fnode%3D{id}%26token%3D{token}");
        Ok(json!({"type": "vnc", "url": url}))
    }

    fn opened_screen(&self, node: &Node) -> Option<Opened> {
        let (token, created) = node.driver_internal_info.screen_token()?;
        let open = |value| {
            let opened = self.db.keys().open(value, &node.id.to_string()).ok()?;
            opened.as_str().map(str::to_owned)
        };
        let created = Timestamp::from_naive(&open(created)?)?;
        let lifetime = self.settings.screens.token_timeout;
        let lived = Timestamp::now().seconds_since(created).max(0);
        let lived = Duration::from_secs(u64::try_from(lived).ok()?);
        Some(Opened {
            token: open(token).filter(|token| !token.is_empty())?,
            left: lifetime.saturating_sub(lived),
        })
    }

    pub(crate) async fn join_screen(
        &self,
        who: &Caller,
        id: NodeId,
        given: ScreenToken,
    ) -> Result<ConsoleLine, Fault> {
        let mut node = match self.load(id).await {
            Err(Fault::NodeNotFound(_)) => return Err(Fault::WrongScreenToken),
            loaded => loaded?,
        };
        self.check_host(&node.driver, &node.conductor_group)?;
        let opened = self.opened_screen(&node);
        // Digests are compared, so that the time it takes says nothing about the token.
        let hashed = |text: &str| digest::digest(&digest::SHA256, text.as_bytes());
        let is_good = |opened: &Opened| {
            let same = hashed(&opened.token).as_ref() == hashed(&given.0).as_ref();
            same && !opened.left.is_zero() && node.console_enabled
        };
        let Some(opened) = opened.filter(is_good) else {
            tracing::info!(node = %id, "a viewer of the console showed a wrong or old token");
            return Err(Fault::WrongScreenToken);
        };
        let hardware = self.hardware(&node)?;
        let driver_info = self.opened_driver_info(&node)?;
        let machine = drivers::iface::Machine::new(&mut node, &driver_info, &[]);
        let joined = hardware.console.join_screen(&machine, opened.left).await;
        let screen = match joined {
            Ok(screen) => screen,
            Err(error) => {
                let text = types::error::chain(&error);
                tracing::warn!(node = %id, error = text, "the screen cannot be shown");
                return Err(flow::fault(&node, &error));
            }
        };
        self.tell_of_viewer(&node, who, screen.ended).await?;
        Ok(screen.line)
    }

    /// Writes to the event log that a viewer looks at a screen, and when that is over.
    async fn tell_of_viewer(
        &self,
        node: &Node,
        who: &Caller,
        ended: tokio::sync::oneshot::Receiver<String>,
    ) -> Result<(), Fault> {
        let kind = EventKind::Console;
        let data = json!({"viewer": "joined"});
        let text = "a viewer of the graphical console came";
        let joined = NewEvent::new(node, kind, text, data, who);
        let told = store::event::tell(&self.db, joined).await;
        told.map_err(|error| crate::lock::fault(error, node.id))?;
        let (db, who, shown) = (self.db.clone(), who.clone(), node.clone());
        let leaving = self.leaving.clone();
        let begun = std::time::Instant::now();
        self.tasks.spawn(async move {
            let reason = match leaving.run_until_cancelled(ended).await {
                Some(Ok(reason)) => reason,
                Some(Err(_)) => "the connection was lost".to_owned(),
                None => "the service stops".to_owned(),
            };
            let seconds = begun.elapsed().as_secs();
            let data = json!({"viewer": "left", "reason": reason, "seconds": seconds});
            let text = format!("a viewer of the graphical console left: {reason}");
            let left = NewEvent::new(&shown, kind, text, data, &who);
            if let Err(error) = store::event::tell(&db, left).await {
                let error = types::error::chain(&error);
                tracing::warn!(node = %shown.id, error, "the end of a console was not recorded");
            }
        });
        Ok(())
    }
}

/// Switches consoles off whose token has ended.
pub(crate) async fn pass(core: Arc<Core>) {
    let found = match store::affinity::with_console(&core.db).await {
        Ok(found) => found,
        Err(error) => {
            let error = types::error::chain(&error);
            tracing::warn!(error, "consoles that are on cannot be looked for");
            return;
        }
    };
    for one in found {
        if !core.is_mine(one.node, &one.driver, &one.conductor_group) {
            continue;
        }
        if let Err(fault) = expire(&core, one.node).await {
            match fault {
                // It is being worked on: the next round comes.
                Fault::Locked { .. } | Fault::NodeNotFound(_) | Fault::NoFreeWorker => {}
                fault => tracing::warn!(node = %one.node, %fault, "a console stays on"),
            }
        }
    }
}

async fn expire(core: &Arc<Core>, id: NodeId) -> Result<(), Fault> {
    let node = core.load(id).await?;
    let Ok(hardware) = core.hardware(&node) else {
        return Ok(());
    };
    let is_over = core
        .opened_screen(&node)
        .is_none_or(|screen| screen.left.is_zero());
    if !hardware.console.is_graphical() || !is_over {
        return Ok(());
    }
    core.set_console(&Caller::service(), id, false).await
}
