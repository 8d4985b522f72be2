//! A request on its way through a handler.

use crate::{
    args::Args,
    auth::session::{PageKey, Session},
    body::{ContentKind, Payload},
    ctx::Ctx,
    error::ApiError,
    policy::{Reach, Refusal, Rule, Target},
    reply::Reply,
    route::Method,
    state::ApiState,
    stream::StreamRequest,
    websocket::Handshake,
};
use axum::http::{HeaderMap, StatusCode};
use serde_json::Value;
use std::{future::Future, net::IpAddr, pin::Pin};
use store::notification::{self, Announced};
use types::{
    ApiVersion,
    notification::{Action, Subject},
};

/// What a handler gives back, some time later.
pub(crate) type Answer = Pin<Box<dyn Future<Output = Result<Reply, ApiError>> + Send>>;

/// The signature of every handler, as the route table keeps it.
pub(crate) type Handler = fn(Call) -> Answer;

/// What a node is called among arguments.
const NODE_IDENT: &str = "node_ident";

/// A secret in a header; never shown.
#[derive(Clone, Default)]
pub struct AgentToken(Option<String>);

impl AgentToken {
    pub fn of(headers: &HeaderMap) -> Self {
        let sent = headers.get("x-corten-agent-token");
        Self(sent.and_then(|value| Some(value.to_str().ok()?.to_owned())))
    }

    pub fn reveal(&self) -> Option<&str> {
        self.0.as_deref()
    }
}

impl std::fmt::Debug for AgentToken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("AgentToken").finish_non_exhaustive()
    }
}

/// Everything that a handler needs.
#[derive(Debug, Clone)]
pub struct Call {
    pub state: ApiState,
    pub ctx: Ctx,
    pub method: Method,
    /// What stands in the path for the `{…}` of the route, with their names.
    pub params: Vec<(&'static str, String)>,
    /// Arguments that the client put into the path.
    pub path_args: Vec<(&'static str, String)>,
    /// Whether the node is named among the arguments rather than in the path.
    pub node_is_argument: bool,
    pub query: String,
    pub content: ContentKind,
    pub body: Payload,
    /// Where an agent speaks from, if that is to be judged.
    pub agent_origin: Option<IpAddr>,
    /// What an agent shows that tells how far it is.
    pub agent_token: AgentToken,
    /// The address whose attempts to guess a password are counted together.
    pub(crate) address: String,
    /// The session that the request shows, and the key of its page.
    pub(crate) session: Option<Session>,
    pub page_key: Option<PageKey>,
    /// The tag of the answer that the client has.
    pub if_none_match: Option<String>,
    /// For requests that want to become something else.
    pub handshake: Handshake,
    /// For requests that want an answer without an end.
    pub stream: Option<StreamRequest>,
}

impl Call {
    /// A part of the path by the name that the route gives it; empty when the route has none.
    pub fn param(&self, name: &str) -> &str {
        self.params
            .iter()
            .find(|(known, _)| *known == name)
            .map_or("", |(_, value)| value)
    }

    /// Tells whoever reads notifications that a change begins which no conductor makes.
    pub async fn begin(&self, action: Action, subject: &impl Subject) -> Announced {
        notification::begin(&self.state.db, &self.ctx.caller, action, subject).await
    }

    /// Counts the values of the body and claims the memory that they need, before any of them is
    /// built. The router does it but for routes that judge first who may send a large body.
    pub async fn prepare_body(&self) -> Result<(), ApiError> {
        if self.method == Method::Get {
            return Ok(());
        }
        self.body.prepare(self.content).await
    }

    /// Named arguments from query and body; refuses any that are not in `names`.
    pub fn args(&self, names: &[&str]) -> Result<Args, ApiError> {
        let mut args = self.all_args()?;
        for (name, value) in &self.path_args {
            // What the path says comes first.
            args.remove(name);
            args.add((*name).to_owned(), Value::from(value.as_str()));
        }
        if self.node_is_argument {
            args.remove(NODE_IDENT);
        }
        args.allow(names)?;
        Ok(args)
    }

    fn all_args(&self) -> Result<Args, ApiError> {
        let mut args = Args::from_query(&self.query)?;
        if self.method != Method::Get {
            args.add_body(self.content, &self.body)?;
        }
        Ok(args)
    }

    /// Takes the node from the arguments, for a path that names none.
    pub fn name_node(&mut self) -> Result<(), ApiError> {
        let args = self.all_args()?;
        args.require(NODE_IDENT)?;
        let ident = args.uuid_or_name(NODE_IDENT)?.ok_or_else(|| {
            ApiError::invalid("Expected a logical name or UUID but received None.")
        })?;
        self.params.push(("node", ident.to_owned()));
        self.node_is_argument = true;
        Ok(())
    }

    /// The body as a whole, and the query beside it; refuses query names that are not in `names`.
    pub fn body_and_args(&self, names: &[&str]) -> Result<(Value, Args), ApiError> {
        let body = self.body.parse(self.content)?;
        let mut args = Args::from_query(&self.query)?;
        if self.node_is_argument {
            args.remove(NODE_IDENT);
        }
        args.allow(names)?;
        Ok((body, args))
    }

    /// The body as a whole of an operation that has no other arguments.
    pub fn body(&self) -> Result<Value, ApiError> {
        Ok(self.body_and_args(&[])?.0)
    }

    /// Refuses every argument.
    pub fn no_args(&self) -> Result<(), ApiError> {
        self.args(&[]).map(|_| ())
    }

    /// Refuses arguments of the query, for an operation whose body is its own affair.
    pub fn refuse_query(&self) -> Result<(), ApiError> {
        Args::from_query(&self.query)?.allow(&[])
    }

    /// Refuses every argument, for a path that leads to no operation in the end: unknown names are
    /// noticed before that.
    pub fn refuse_args(&self) -> Result<(), ApiError> {
        match self.method {
            Method::Get | Method::Delete => self.no_args(),
            Method::Patch | Method::Post | Method::Put => self.body().map(|_| ()),
        }
    }

    pub fn version(&self) -> ApiVersion {
        self.ctx.version
    }

    /// Whether the caller satisfies a rule.
    pub fn allows(&self, rule: Rule, target: &Target<'_>) -> bool {
        let policy = &self.state.settings.policy;
        policy.allows(rule, &self.ctx.credentials, target)
    }

    /// 403 unless the caller satisfies a rule.
    pub fn permit(&self, rule: Rule, target: &Target<'_>) -> Result<(), Refusal> {
        let policy = &self.state.settings.policy;
        policy.require(rule, &self.ctx.credentials, target)
    }

    /// How much of a list the caller gets by the rules `all` and `own`; 403 if it gets none of it,
    /// or `asked_for` another project's.
    pub fn reach(
        &self,
        all: Rule,
        own: Rule,
        asked_for: Option<&str>,
    ) -> Result<Reach<'_>, Refusal> {
        let policy = &self.state.settings.policy;
        policy.reach(all, own, &self.ctx.credentials, asked_for)
    }

    /// The project that a list is restricted to, if it is.
    pub fn project_of_list(&self, all: Rule, own: Rule) -> Result<Option<String>, Refusal> {
        Ok(match self.reach(all, own, None)? {
            Reach::Everything => None,
            Reach::Project(project) => Some(project.to_owned()),
        })
    }

    /// 406 unless the requested version has the feature.
    pub fn require(&self, since: ApiVersion) -> Result<(), ApiError> {
        if self.ctx.version >= since {
            Ok(())
        } else {
            Err(ApiError::not_acceptable())
        }
    }

    /// 406 that names the version needed.
    pub fn require_named(&self, since: ApiVersion) -> Result<(), ApiError> {
        if self.ctx.version >= since {
            Ok(())
        } else {
            Err(ApiError::needs_version(since))
        }
    }

    /// 404 for a path that the requested version does not route at all.
    pub fn require_path(&self, since: ApiVersion) -> Result<(), ApiError> {
        if self.ctx.version >= since {
            Ok(())
        } else {
            Err(ApiError::router(StatusCode::NOT_FOUND, ""))
        }
    }

    /// 404 for an endpoint that the requested version does not have.
    pub fn require_endpoint(&self, since: ApiVersion) -> Result<(), ApiError> {
        if self.ctx.version >= since {
            Ok(())
        } else {
            Err(ApiError::resource_not_found())
        }
    }
}
