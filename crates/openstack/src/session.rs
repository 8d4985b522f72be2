//! Calls to one service: its address, the tokens of each request, and what its answers mean.

use crate::{
    Caller, Deadline, Error, Reason, RequestContext, Service, SettingsError, answer,
    call::{Call, Content},
    caller::{Access, Credentials},
    catalogue::EndpointQuery,
    endpoint,
    identity::{AUTH_TOKEN, Identity, Token, failed_answer},
    retry::RetryPolicy,
    settings::ServiceSettings,
    watch::Watch,
};
use bytes::Bytes;
use reqwest::{
    Body, Client, RequestBuilder, Response, StatusCode, Url,
    header::{CONTENT_LENGTH, CONTENT_TYPE, HeaderMap, HeaderName},
};
use serde::de::DeserializeOwned;
use std::sync::Arc;
use tracing::Instrument;

const SERVICE_TOKEN: HeaderName = HeaderName::from_static("x-service-token");
/// What other services write into their logs as the global request id.
const REQUEST_ID: HeaderName = HeaderName::from_static("x-openstack-request-id");

/// A service as one section of the configuration describes it.
#[derive(Debug)]
pub(crate) struct Session {
    pub(crate) service: Service,
    identity: Arc<Identity>,
    retry: RetryPolicy,
    query: EndpointQuery,
    /// Instead of the catalogue.
    fixed: Option<Url>,
    /// The newest minor version that the operator allows.
    pub(crate) newest_minor: Option<u32>,
    pub(crate) watch: Watch,
}

/// A login that succeeded, and the address of a service.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reached {
    /// Without credentials and query.
    pub endpoint: String,
    /// Nothing where there is no Keystone.
    pub user: Option<String>,
    /// Nothing where the login is for no project.
    pub project: Option<String>,
    /// Names of our roles; nothing where there is no Keystone.
    pub roles: Option<Vec<String>>,
}

/// An answer with success, whose body was not read yet.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) response: Response,
    pub(crate) request: RequestContext,
    limit: usize,
    deadline: Deadline,
}

impl Answer {
    pub(crate) fn status(&self) -> StatusCode {
        self.response.status()
    }

    pub(crate) fn headers(&self) -> &HeaderMap {
        self.response.headers()
    }

    pub(crate) async fn bytes(self) -> Result<Bytes, Error> {
        let body = answer::read(self.response, self.limit, self.deadline).await;
        let body = body.map_err(|reason| Error::new(&self.request, reason))?;
        Ok(body.bytes)
    }

    pub(crate) async fn json<T>(self) -> Result<T, Error>
    where
        T: DeserializeOwned + Send + 'static,
    {
        let body = answer::read(self.response, self.limit, self.deadline).await;
        let body = body.map_err(|reason| Error::new(&self.request, reason))?;
        answer::parse(body, self.deadline, &self.request).await
    }
}

impl Session {
    pub(crate) fn new(
        service: Service,
        settings: &ServiceSettings,
        identity: Arc<Identity>,
    ) -> Result<Self, SettingsError> {
        let service_type = settings.service_type.clone();
        Ok(Self {
            service,
            identity,
            retry: settings.retry(service),
            query: EndpointQuery {
                service_type: service_type.unwrap_or_else(|| service.default_type().to_owned()),
                service_name: settings.service_name.clone(),
                region: settings.region_name.clone(),
                interfaces: settings.interfaces(),
            },
            fixed: settings.fixed_endpoint(service)?,
            newest_minor: settings.check_versions(service)?,
            watch: Watch::default(),
        })
    }

    pub(crate) fn context(&self, action: impl Into<String>, is_write: bool) -> RequestContext {
        RequestContext {
            service: self.service,
            section: self.service.section(),
            action: action.into(),
            url: None,
            is_write,
        }
    }

    /// Sends a request that could be built, and checks the status of the answer.
    pub(crate) async fn send(
        &self,
        call: Result<Call, (String, Reason)>,
        caller: &Caller,
        deadline: Deadline,
    ) -> Result<Answer, Error> {
        let call =
            call.map_err(|(action, reason)| Error::new(&self.context(action, false), reason))?;
        let watched = self.watch.begin(self.service, &call.action);
        let span = watched.span.clone();
        let outcome = self.attempt(call, caller, deadline).instrument(span).await;
        watched.end(&outcome);
        outcome
    }

    async fn attempt(
        &self,
        call: Call,
        caller: &Caller,
        deadline: Deadline,
    ) -> Result<Answer, Error> {
        let mut request = self.context(call.action.clone(), call.access == Access::Write);
        let mut token = self.token(None, deadline).await?;
        let mut is_renewed = false;
        loop {
            let (current, root) = self.root(token, &request, deadline).await?;
            token = current;
            let url = call.url(&root);
            request.url = Some((call.method.to_string(), endpoint::shown(&url)));
            let failed = |reason| Error::new(&request, reason);
            let credentials = caller.credentials(self.service, call.access);
            let headers = headers(&call, caller, &credentials, &token).map_err(failed)?;
            let build = |client: &Client| build(client, &call, &url, &headers);
            let response = self
                .identity
                .transport
                .exchange(build, call.is_idempotent(), &self.retry, deadline)
                .await
                .map_err(failed)?;
            let status = response.status();
            // Where a user's token went along, that is what was refused, as a rule.
            let may_be_ours = token.is_old() || !headers.contains_key(SERVICE_TOKEN);
            let is_refused = status == StatusCode::UNAUTHORIZED && may_be_ours;
            if is_refused && !is_renewed && self.identity.is_renewable() {
                // 401 proves that nothing was done, so that writes can be repeated too.
                token = self.token(Some(&token), deadline).await?;
                is_renewed = true;
                continue;
            }
            if status.is_success() || call.also_accepted == Some(status.as_u16()) {
                return Ok(Answer {
                    response,
                    request,
                    limit: call.limit,
                    deadline,
                });
            }
            let reason = failed_answer(response, &secrets(&headers), deadline).await;
            return Err(failed(reason));
        }
    }

    async fn token(
        &self,
        refused: Option<&Arc<Token>>,
        deadline: Deadline,
    ) -> Result<Arc<Token>, Error> {
        let token = self.identity.token(refused, deadline).await;
        token.map_err(|mut error| {
            // Others may share the login, but the operator looks for this section.
            error.request.section = self.service.section();
            error
        })
    }

    /// The root of the service's API.
    pub(crate) async fn endpoint(&self, deadline: Deadline) -> Result<Url, Error> {
        let request = self.context("find its endpoint", false);
        let token = self.token(None, deadline).await?;
        Ok(self.root(token, &request, deadline).await?.1)
    }

    pub(crate) fn has_login(&self) -> bool {
        self.identity.is_set()
    }

    /// Who we are to this service, and where it is.
    pub(crate) async fn reach(&self, deadline: Deadline) -> Result<Reached, Error> {
        let request = self.context("find its endpoint", false);
        let token = self.token(None, deadline).await?;
        let (token, endpoint) = self.root(token, &request, deadline).await?;
        let document = token.document.as_ref();
        Ok(Reached {
            endpoint: endpoint::shown(&endpoint),
            user: document.and_then(|document| document.user_name.clone()),
            project: document.and_then(|document| document.project_name.clone()),
            roles: document.map(|document| document.roles.clone()),
        })
    }

    /// The project that the section logs in to.
    pub(crate) async fn project_id(&self, deadline: Deadline) -> Result<Option<String>, Error> {
        let token = self.token(None, deadline).await?;
        let document = token.document.as_ref();
        Ok(document.and_then(|document| document.project_id.clone()))
    }

    /// The root of the API, and the token whose catalogue has it.
    async fn root(
        &self,
        token: Arc<Token>,
        request: &RequestContext,
        deadline: Deadline,
    ) -> Result<(Arc<Token>, Url), Error> {
        if let Some(root) = &self.fixed {
            return Ok((token, root.clone()));
        }
        let is_stale = token.has_stale_catalogue();
        match self.find(&token) {
            Err(Reason::NotInCatalogue { .. }) if is_stale => {
                // It may have been registered since.
                let token = self.token(Some(&token), deadline).await?;
                let root = self.find(&token);
                root.map(|root| (token, root))
            }
            root => root.map(|root| (token, root)),
        }
        .map_err(|reason| Error::new(request, reason))
    }

    fn find(&self, token: &Token) -> Result<Url, Reason> {
        let Some(document) = &token.document else {
            let section = self.service.section();
            let text = format!(
                "endpoint_override is not set in [{section}], and without Keystone there is no \
                 service catalogue"
            );
            return Err(Reason::NotConfigured(text));
        };
        let address = document.catalogue.find(&self.query).ok_or_else(|| {
            let query = self.query.clone();
            Reason::NotInCatalogue {
                service_type: query.service_type,
                interfaces: query.interfaces,
                region: query.region,
            }
        })?;
        endpoint::api_root(self.service, address, document.project_id.as_deref())
            .map_err(|error| Reason::Protocol(format!("in the service catalogue: {error}")))
    }
}

fn headers(
    call: &Call,
    caller: &Caller,
    credentials: &Credentials<'_>,
    token: &Token,
) -> Result<HeaderMap, Reason> {
    let mut headers = HeaderMap::new();
    let (name, value) = &token.header;
    match credentials {
        // Without Keystone nobody could check the user's token.
        Credentials::UserWithOwn(user) if token.document.is_some() => {
            let user = user.header().ok_or_else(|| {
                Reason::NotConfigured("the user's token cannot be sent in a header".into())
            })?;
            headers.insert(AUTH_TOKEN, user);
            headers.insert(SERVICE_TOKEN, value.clone());
        }
        _ => {
            headers.insert(name, value.clone());
        }
    }
    if let Some(id) = caller.request_id().and_then(|id| id.parse().ok()) {
        headers.insert(REQUEST_ID, id);
    }
    for (name, value) in &call.headers {
        let value = value
            .parse()
            .map_err(|_| Reason::InvalidId(format!("{name} header")))?;
        headers.insert(*name, value);
    }
    Ok(headers)
}

/// What of the headers is nobody's to see.
fn secrets(headers: &HeaderMap) -> Vec<&str> {
    let values = headers.values().filter(|value| value.is_sensitive());
    let texts = values.filter_map(|value| value.to_str().ok());
    texts
        .map(|text| text.strip_prefix("Basic ").unwrap_or(text))
        .collect()
}

fn build(client: &Client, call: &Call, url: &Url, headers: &HeaderMap) -> RequestBuilder {
    let request = client
        .request(call.method.clone(), url.clone())
        .headers(headers.clone());
    match &call.body {
        Content::Nothing => request,
        Content::Json(body) => request
            .header(CONTENT_TYPE, "application/json")
            .body(body.clone()),
        Content::Bytes(body) => request
            .header(CONTENT_TYPE, "application/octet-stream")
            .body(body.clone()),
        Content::Upload(upload) => request
            .header(CONTENT_TYPE, "application/octet-stream")
            .header(CONTENT_LENGTH, upload.length())
            .body(Body::wrap_stream(upload.open())),
    }
}
