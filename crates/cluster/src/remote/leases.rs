//! What all conductors together know of a machine's addresses.
//!
//! Any conductor that serves DHCP may hold the lease, not only the one that owns the node.

use super::{REPORT, Remote, broken, written};
use crate::{
    adjacent::program,
    call::{Answer, Call, CallTarget},
    wire::CallFailure,
};
use std::{net::IpAddr, sync::Arc};
use tokio::task::JoinSet;
use types::{
    Caller, Fault, Node, NodeId,
    rpc::{Request, read_answer},
};

/// The addresses that DHCP servers of the cluster gave to the ports of a node.
#[derive(Debug, Default)]
pub(super) struct Leases {
    pub(super) found: Option<Vec<IpAddr>>,
    /// The conductors that did not say what they know.
    pub(super) silent: Vec<String>,
}

impl Remote {
    pub(super) async fn row(&self, node: NodeId) -> Result<Node, Fault> {
        let found = store::node::find(&self.db, node).await.map_err(broken)?;
        found.ok_or_else(|| Fault::NodeNotFound(node.to_string()))
    }

    /// Whether a ramdisk speaks from an address that the cluster gave to its machine, where it gives
    /// addresses. As long as a conductor does not answer, that cannot be told.
    pub(super) async fn comes_from_machine(&self, node: &Node, what: &str, from: IpAddr) -> bool {
        let Leases { found, silent } = self.all_leases(node.id).await;
        let is_leased = found.as_ref().is_none_or(|leased| leased.contains(&from));
        if !is_leased && !silent.is_empty() {
            tracing::warn!(
                node = %node.id, %from, conductors = silent.join(", "),
                "a {what} is taken without a look at leases, because not all conductors tell theirs"
            );
            return true;
        }
        self.origins.judge(node, what, from, found).await
    }

    /// Asks all conductors at once, each as long as it takes to be taken for silent.
    pub(super) async fn all_leases(&self, node: NodeId) -> Leases {
        let mut leases = Leases::default();
        let mut asked = JoinSet::new();
        for host in self.view.hosts() {
            if let Some((me, conductor)) = &self.local
                && *me == host
            {
                let conductor = Arc::clone(conductor);
                asked.spawn(async move { (host, conductor.leases(node).await) });
                continue;
            }
            let call = written(&Call {
                program: program(),
                place: CallTarget::Host(host.clone()),
                who: Caller::service(),
                trace: (self.trace)(),
                request: Box::new(Request::leases(node)),
            });
            let (Some(url), Ok(text)) = (self.view.url(&host), call) else {
                leases.silent.push(host);
                continue;
            };
            let wire = Arc::clone(&self.wire);
            asked.spawn(async move {
                let answer = tokio::time::timeout(REPORT, wire.call(&url, &text)).await;
                let told = match answer {
                    Ok(Ok(Answer::Done(told))) => read_answer(&told),
                    Ok(Ok(Answer::Refused(fault))) => Err(fault),
                    Ok(Ok(Answer::NotMine { .. })) => Err(Fault::Unavailable),
                    Ok(Err(CallFailure::NotTaken(reason) | CallFailure::Lost(reason))) => {
                        Err(Fault::NotNow(reason))
                    }
                    Err(_) => Err(Fault::NotNow("it does not answer".into())),
                };
                (host, told)
            });
        }
        while let Some(told) = asked.join_next().await {
            match told {
                Ok((_, Ok(None))) => {}
                Ok((_, Ok(Some(more)))) => leases.found.get_or_insert_default().extend(more),
                Ok((host, Err(fault))) => {
                    tracing::debug!(host, %fault, "a conductor does not tell its leases");
                    leases.silent.push(host);
                }
                Err(_) => leases.silent.push("one that panicked".to_owned()),
            }
        }
        leases
    }
}
