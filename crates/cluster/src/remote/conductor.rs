//! [`Remote`] as a conductor: where each call goes, and what is judged before it leaves.

use super::{Remote, broken};
use crate::call::CallTarget;
use serde_json::value::RawValue;
use std::net::IpAddr;
use types::{
    Caller, Fault, NodeId,
    console::{ConsoleLine, ConsoleWish, ScreenToken},
    rpc::{Carrier, Consoles, Heartbeat, Membership, Request, Subject, WRONG_TOKEN, write_answer},
};

#[async_trait::async_trait]
impl Membership for Remote {
    fn owner(&self, node: NodeId, driver: &str, group: &str) -> Option<String> {
        self.view.owner(node, driver, group)
    }

    fn is_alive(&self, host: &str) -> Option<bool> {
        self.view.is_alive(host)
    }

    fn shares(&self, driver: &str, group: &str) -> Vec<(String, f64)> {
        self.view.shares(driver, group)
    }

    fn revision(&self) -> u64 {
        self.view.revision()
    }

    async fn check_served(&self, node: NodeId, driver: &str, group: &str) -> Result<(), Fault> {
        let (driver, group) = (driver.to_owned(), group.to_owned());
        let place = CallTarget::Node {
            node,
            driver,
            group,
        };
        self.find(&place).await.map(|_| ())
    }
}

#[async_trait::async_trait]
impl Consoles for Remote {
    async fn join_console(
        &self,
        who: &Caller,
        node: NodeId,
        wish: ConsoleWish,
    ) -> Result<ConsoleLine, Fault> {
        let request = Request::join_console(node, wish);
        self.join(who, node, request).await
    }

    async fn join_screen(
        &self,
        who: &Caller,
        node: NodeId,
        token: ScreenToken,
    ) -> Result<ConsoleLine, Fault> {
        let request = Request::join_screen(node, token);
        self.join(who, node, request).await
    }
}

#[async_trait::async_trait]
impl Carrier for Remote {
    async fn carry(&self, who: &Caller, mut request: Box<Request>) -> Result<Box<RawValue>, Fault> {
        match &mut *request {
            Request::report(host) => return self.ask_about(&host.0).await,
            Request::leases(node) => return write_answer(&self.all_leases(*node).await.found),
            Request::node_for_agent_at(node, from) => self.check_lookup(*node, *from).await?,
            Request::heartbeat(node, heartbeat) => {
                self.check_heartbeat(*node, heartbeat).await?;
                // Where it comes from is judged; older conductors would not understand this.
                heartbeat.from = None;
            }
            _ => {}
        }
        let place = self.place(request.subject()).await?;
        self.ask(place, who, request).await
    }
}

impl Remote {
    async fn check_lookup(&self, node: NodeId, from: IpAddr) -> Result<(), Fault> {
        let row = self.row(node).await?;
        match self.comes_from_machine(&row, "lookup", from).await {
            true => Ok(()),
            false => Err(Fault::NotFound),
        }
    }

    async fn check_heartbeat(&self, node: NodeId, heartbeat: &Heartbeat) -> Result<(), Fault> {
        let Some(from) = heartbeat.from else {
            return Ok(());
        };
        let row = self.row(node).await?;
        // Who reported from there before was judged then.
        let is_known = row.driver_internal_info.agent_url() == Some(&heartbeat.callback_url);
        if is_known || self.comes_from_machine(&row, "heartbeat", from).await {
            return Ok(());
        }
        // The token is not verified yet, so the answer is the one for a wrong token.
        Err(Fault::InvalidParameter(WRONG_TOKEN.to_owned()))
    }

    async fn place(&self, subject: Subject<'_>) -> Result<CallTarget, Fault> {
        /// The node of something that belongs to one.
        macro_rules! node_of {
            ($find:path, $id:ident, $missing:path) => {
                match $find(&self.db, $id).await.map_err(broken)? {
                    Some(found) => found.node,
                    None => return Err($missing($id.to_string())),
                }
            };
        }
        use store::volume;
        let node = match subject {
            Subject::Node(node) => node,
            Subject::Port(id) => node_of!(store::port::find, id, Fault::PortNotFound),
            Subject::Portgroup(id) => {
                node_of!(store::portgroup::find, id, Fault::PortgroupNotFound)
            }
            Subject::Connector(id) => {
                node_of!(volume::connector::find, id, Fault::ConnectorNotFound)
            }
            Subject::Target(id) => node_of!(volume::target::find, id, Fault::TargetNotFound),
            Subject::Row(node) => return Ok(CallTarget::of(node)),
            Subject::Driver(name) => return Ok(CallTarget::Driver(name.to_owned())),
            Subject::Host(name) => return Ok(CallTarget::Host(name.to_owned())),
            Subject::Anybody => return Ok(CallTarget::Anybody),
        };
        self.place_of(node).await
    }
}
