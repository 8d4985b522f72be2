//! UCS Manager, or a Cisco IMC: a store of objects under their distinguished names.
//!
//! Objects are kept flat, attributes only. What they do beside being kept is little: the power of a
//! server follows what it is told, and the IMC counts its boot order anew.

mod store;

use super::{Account, Fault, locked};
use axum::{
    Router,
    extract::State,
    http::header,
    response::{IntoResponse, Response},
    routing::post,
};
use proto::{
    nuova::{AUTHENTICATION_FAILED, AUTHORIZATION_REQUIRED, PATH, SESSION_NOT_FOUND},
    xml::Element,
};
use std::sync::{Arc, Mutex};
use store::Store;

/// Which of the two it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ManagerModel {
    UcsManager,
    Imc,
}

impl ManagerModel {
    /// How many sessions there may be at a time.
    const fn sessions(self) -> usize {
        match self {
            Self::UcsManager => 32,
            Self::Imc => 4,
        }
    }
}

/// A device.
#[derive(Debug)]
pub struct Device {
    account: Account,
    kind: ManagerModel,
    state: Mutex<Inside>,
}

#[derive(Debug)]
struct Inside {
    store: Store,
    /// Cookies of open sessions.
    sessions: Vec<String>,
    logins: u32,
    logouts: u32,
    fault: Fault,
}

/// Code and text of an error.
type Refusal = (u32, &'static str);

const NO_SUCH_OBJECT: Refusal = (102, "no such object");
const NO_SUCH_METHOD: Refusal = (104, "no such method or class");
const TOO_MANY: Refusal = (572, "User reached maximum session limit");

impl Device {
    /// A UCS Manager with service profiles `org-root/ls-node1` and so on, or the IMC of one server; all
    /// servers are off.
    pub fn new(account: Account, kind: ManagerModel, servers: u32) -> Arc<Self> {
        let store = match kind {
            ManagerModel::UcsManager => Store::manager(servers),
            ManagerModel::Imc => Store::imc(),
        };
        Arc::new(Self {
            account,
            kind,
            state: Mutex::new(Inside {
                store,
                sessions: Vec::new(),
                logins: 0,
                logouts: 0,
                fault: Fault::None,
            }),
        })
    }

    /// An attribute of an object.
    pub fn attribute(&self, dn: &str, name: &str) -> Option<String> {
        locked(&self.state).store.attribute(dn, name)
    }

    /// How many sessions were opened in all.
    pub fn logins(&self) -> u32 {
        locked(&self.state).logins
    }

    /// How many sessions were ended in all.
    pub fn logouts(&self) -> u32 {
        locked(&self.state).logouts
    }

    /// How many sessions are open.
    pub fn sessions(&self) -> usize {
        locked(&self.state).sessions.len()
    }

    pub fn break_with(&self, fault: Fault) {
        locked(&self.state).fault = fault;
    }

    pub fn router(self: &Arc<Self>) -> Router {
        Router::new()
            .route(PATH, post(answer))
            .with_state(Arc::clone(self))
    }

    fn reply(&self, asked: &Element) -> Element {
        let mut inside = locked(&self.state);
        let cookie = asked.attribute("cookie").unwrap_or_default();
        let root = Element::new(&asked.name)
            .with("cookie", cookie)
            .with("response", "yes");
        match self.carried_out(&mut inside, asked, root.clone()) {
            Ok(reply) => reply,
            Err((code, text)) => root
                .with("errorCode", &code.to_string())
                .with("invocationResult", "unidentified-fail")
                .with("errorDescr", text),
        }
    }

    fn carried_out(
        &self,
        inside: &mut Inside,
        asked: &Element,
        root: Element,
    ) -> Result<Element, Refusal> {
        let word = |name: &str| asked.attribute(name).unwrap_or_default();
        let is_user =
            word("inName") == self.account.user && word("inPassword") == self.account.password;
        match asked.name.as_str() {
            "aaaLogin" if !is_user => Err((AUTHENTICATION_FAILED, "Authentication failed")),
            "aaaLogin" if inside.sessions.len() >= self.kind.sessions() => Err(TOO_MANY),
            "aaaLogin" => {
                inside.logins += 1;
                let cookie = format!("{}/{:08x}", inside.logins, inside.logins * 0x9e37);
                inside.sessions.push(cookie.clone());
                let version = match self.kind {
                    ManagerModel::UcsManager => "4.2(1d)",
                    ManagerModel::Imc => "4.1(3b)",
                };
                Ok(root
                    .with("outCookie", &cookie)
                    .with("outRefreshPeriod", "600")
                    .with("outPriv", "admin,read-only")
                    .with("outDomains", "")
                    .with("outSessionId", &inside.logins.to_string())
                    .with("outVersion", version))
            }
            "aaaLogout" => {
                let cookie = word("inCookie");
                let before = inside.sessions.len();
                inside.sessions.retain(|known| known != cookie);
                match inside.sessions.len() < before {
                    true => {
                        inside.logouts += 1;
                        Ok(root.with("outStatus", "success"))
                    }
                    false => Err((SESSION_NOT_FOUND, "no such session")),
                }
            }
            _ if !inside.sessions.iter().any(|known| known == word("cookie")) => {
                Err((AUTHORIZATION_REQUIRED, "Authorization required"))
            }
            name => {
                let fault = inside.fault;
                let is_change = name.starts_with("configConf");
                if fault == Fault::Refuses && is_change {
                    return Err((900, "the server is busy"));
                }
                let is_stuck = fault == Fault::Stuck;
                inside.store.carry_out(self.kind, asked, root, is_stuck)
            }
        }
    }
}

async fn answer(State(device): State<Arc<Device>>, body: String) -> Response {
    let fault = locked(&device.state).fault;
    match fault {
        Fault::Silent | Fault::Closes => std::future::pending().await,
        Fault::Garbage => return "<html>It works!</html>".into_response(),
        _ => {}
    }
    let asked = Element::parse(&body);
    let is_question = |asked: &Element| !asked.name.starts_with("aaa");
    if fault == Fault::Stalls && asked.as_ref().is_ok_and(is_question) {
        std::future::pending::<()>().await;
    }
    let reply = match asked {
        Ok(asked) => device.reply(&asked),
        Err(_) => Element::new("error")
            .with("errorCode", "0")
            .with("errorDescr", "XML PARSING ERROR"),
    };
    ([(header::CONTENT_TYPE, "text/xml")], reply.to_xml()).into_response()
}
