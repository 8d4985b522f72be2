//! Images on web servers.
//!
//! The first question asks for one byte, whose answer tells what a HEAD request would and whether
//! the server serves ranges, and works where addresses are signed for GET alone. Credentials go to
//! the hosts that they are meant for, and redirects to other hosts do not take them along.
//!
//! Addresses come from whoever may set a node's image, and what is fetched is served to machines.
//! So [`HttpSettings::outbound`] judges where connections lead, but for addresses that the operator
//! named in the configuration.

use super::{Source, Stat, pump, shown};
use crate::ImageError;
use outbound::Policy;
use reqwest::{
    Client, ClientBuilder, Response, StatusCode, Url,
    header::{self, HeaderMap},
    redirect,
};
use std::{fmt, io::Read, sync::Arc, time::Duration};
use tls::{Spoken, Trust};
use tokio::{runtime::Handle, time::timeout};

/// A user and a password, for HTTP's basic authentication.
#[derive(Clone, PartialEq, Eq)]
pub struct Credentials {
    pub user: String,
    pub password: String,
    /// Hosts that get them; a name with a dot before it stands for everything below. Empty for
    /// all hosts.
    pub hosts: Vec<String>,
}

impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Credentials {{ user: {:?}, password: *** }}", self.user)
    }
}

impl Credentials {
    /// Whether the server of an address gets them.
    pub fn are_for_address(&self, href: &str) -> bool {
        let url = Url::parse(href).ok();
        let host = url.as_ref().and_then(Url::host_str);
        host.is_some_and(|host| self.are_for(host))
    }

    fn are_for(&self, host: &str) -> bool {
        let meant = |entry: &String| {
            if entry.starts_with('.') {
                host.ends_with(entry.as_str())
            } else {
                host == entry
            }
        };
        self.hosts.is_empty() || self.hosts.iter().any(meant)
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HttpSettings {
    /// Whom to believe about who a server is.
    pub trust: Trust,
    /// What an error says behind a certificate that is not accepted: what to set.
    pub certificate_advice: &'static str,
    /// Which versions of TLS, and which ciphers.
    pub spoken: Spoken,
    pub credentials: Option<Credentials>,
    /// A value for the header `Authorization`, instead of credentials.
    pub authorization: Option<String>,
    pub connect_timeout: Duration,
    /// How long a server may send nothing.
    pub read_timeout: Duration,
    /// How long the question may take whether there is an image, and what it is.
    pub verify_timeout: Duration,
    /// How often in a row a request is repeated that got nothing.
    pub retries: u32,
    pub retry_pause: Duration,
    pub redirects: usize,
    /// Where connections may lead.
    pub outbound: Policy,
    /// Addresses for which that does not matter, since the operator chose them.
    pub operators: Vec<String>,
    /// The largest image that is read.
    pub most_bytes: Option<u64>,
    /// The proxy for http and for https addresses, and hosts reached without.
    pub proxies: Vec<String>,
    pub no_proxy: Option<String>,
}

impl Default for HttpSettings {
    fn default() -> Self {
        Self {
            trust: Trust::Machine,
            certificate_advice: "; set [DEFAULT]webserver_verify_ca to a file on the conductor with \
                the certificate that signed the server's, or to False to accept any certificate",
            spoken: Spoken::default(),
            credentials: None,
            authorization: None,
            connect_timeout: Duration::from_secs(60),
            read_timeout: Duration::from_secs(60),
            verify_timeout: Duration::from_secs(5),
            retries: 9,
            retry_pause: Duration::from_secs(10),
            redirects: 10,
            outbound: Policy::default(),
            operators: Vec::new(),
            most_bytes: None,
            proxies: Vec::new(),
            no_proxy: None,
        }
    }
}

/// A client for image servers.
#[derive(Debug, Clone)]
pub struct Http {
    /// For what users name, on ports where nothing of ours listens, and on others.
    client: Client,
    own_port: Client,
    /// For what the operator named.
    trusted: Client,
    settings: Arc<HttpSettings>,
}

impl Http {
    /// Blocks: authorities are read from files.
    #[expect(
        clippy::disallowed_methods,
        reason = "only called before anything is served"
    )]
    pub fn new(settings: HttpSettings) -> Result<Self, ImageError> {
        let client = tls::Client::from(settings.trust.clone());
        let tls = client.config_speaking(&settings.spoken);
        let tls = tls.map_err(|error| ImageError::Setup(error.to_string()))?;
        let client = |own_port: bool| {
            let policy = &settings.outbound;
            let builder = builder(&settings, &tls)?.redirect(policy.redirects(settings.redirects));
            built(policy.guard(builder, own_port))
        };
        let limited = redirect::Policy::limited(settings.redirects);
        Ok(Self {
            client: client(false)?,
            own_port: client(true)?,
            trusted: built(builder(&settings, &tls)?.redirect(limited))?,
            settings: Arc::new(settings),
        })
    }

    /// The client for an address, if it may be asked at all.
    fn client(&self, href: &str, url: &Url) -> Result<Client, ImageError> {
        let settings = &self.settings;
        if settings.operators.iter().any(|known| known == href) {
            return Ok(self.trusted.clone());
        }
        let policy = &settings.outbound;
        policy.check(url).map_err(|refused| ImageError::Address {
            image: shown(href),
            reason: refused.to_string(),
        })?;
        let client = match policy.is_own_port(url) {
            true => &self.own_port,
            false => &self.client,
        };
        Ok(client.clone())
    }

    /// Asks what there is at an address that somebody named. Must run within the runtime.
    pub async fn open(&self, href: &str) -> Result<HttpSource, ImageError> {
        self.open_by(href, |url| self.client(href, url)).await
    }

    /// The same for an address that this service made, by what the configuration says.
    pub async fn open_own(&self, href: &str) -> Result<HttpSource, ImageError> {
        self.open_by(href, |_| Ok(self.trusted.clone())).await
    }

    async fn open_by(
        &self,
        href: &str,
        client: impl FnOnce(&Url) -> Result<Client, ImageError>,
    ) -> Result<HttpSource, ImageError> {
        let url = Url::parse(href).map_err(|error| ImageError::Address {
            image: shown(href),
            reason: error.to_string(),
        })?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(ImageError::Address {
                image: shown(href),
                reason: format!("{} is not HTTP", url.scheme()),
            });
        }
        let mut origin = Origin {
            client: client(&url)?,
            settings: Arc::clone(&self.settings),
            url,
            shown: shown(href),
            stat: Stat::default(),
        };
        origin.stat = origin.probe().await?;
        origin.check_size(origin.stat.size.unwrap_or(0))?;
        Ok(HttpSource {
            origin: Arc::new(origin),
            runtime: Handle::current(),
        })
    }

    /// What a server says about an address, without what is there.
    pub async fn look(&self, href: &str) -> Result<Look, ImageError> {
        let address = |reason: String| ImageError::Address {
            image: shown(href),
            reason,
        };
        let url = Url::parse(href).map_err(|error| address(error.to_string()))?;
        let origin = Origin {
            client: self.client(href, &url)?,
            settings: Arc::clone(&self.settings),
            url: url.clone(),
            shown: shown(href),
            stat: Stat::default(),
        };
        let asked = origin
            .client
            .head(url)
            .timeout(self.settings.verify_timeout);
        let answer = asked.send().await;
        let answer = answer.map_err(|error| origin.unreachable(error))?;
        let status = answer.status();
        if !status.is_success() {
            return Err(ImageError::Status {
                image: origin.shown,
                status: status.as_u16(),
            });
        }
        let headers = answer.headers();
        let text = |name| headers.get(name)?.to_str().ok().map(str::to_owned);
        Ok(Look {
            content_type: text(reqwest::header::CONTENT_TYPE),
            has_length: headers.contains_key(reqwest::header::CONTENT_LENGTH),
            url: answer.url().to_string(),
        })
    }

    /// A small file: a list of checksums, a config drive.
    pub async fn bytes(&self, href: &str, limit: u64) -> Result<Vec<u8>, ImageError> {
        let source = self.open(href).await?;
        let origin = &source.origin;
        let mut bytes = Vec::new();
        let mut response = origin.ask(None, origin.patience()).await?;
        while let Some(chunk) = origin.chunk(&mut response).await? {
            bytes.extend_from_slice(&chunk);
            if bytes.len() as u64 > limit {
                let image = origin.shown.clone();
                return Err(ImageError::TooLarge { image, limit });
            }
        }
        Ok(bytes)
    }
}

/// What a server says about an address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Look {
    pub content_type: Option<String>,
    pub has_length: bool,
    /// Where the address led in the end.
    pub url: String,
}

impl Look {
    /// Whether there is a folder of files and not one file, as Ironic tells the two apart.
    pub fn is_folder(&self) -> bool {
        let is_page = |kind: &String| kind.starts_with("text/html");
        match &self.content_type {
            Some(kind) if is_page(kind) => true,
            Some(_) if self.has_length => false,
            _ => self.url.ends_with('/'),
        }
    }
}

fn builder(settings: &HttpSettings, tls: &tls::ClientConfig) -> Result<ClientBuilder, ImageError> {
    let mut builder = outbound::client_by_proxy()
        .tls_backend_preconfigured(tls.clone())
        .connect_timeout(settings.connect_timeout);
    let without = settings
        .no_proxy
        .as_deref()
        .and_then(reqwest::NoProxy::from_string);
    for address in &settings.proxies {
        let proxy = reqwest::Proxy::all(address)
            .map_err(|error| ImageError::Setup(format!("proxy: {error}")))?;
        builder = builder.proxy(proxy.no_proxy(without.clone()));
    }
    Ok(builder)
}

fn built(builder: ClientBuilder) -> Result<Client, ImageError> {
    let client = builder.build();
    client.map_err(|error| ImageError::Setup(format!("client: {error}")))
}

/// An image on a web server, as it was when it was opened.
#[derive(Debug, Clone)]
pub struct HttpSource {
    origin: Arc<Origin>,
    runtime: Handle,
}

impl HttpSource {
    /// As [`Source::read_at`], for callers that must not block. Dropping the future ends the request.
    pub async fn read(&self, offset: u64, length: usize) -> Result<Vec<u8>, ImageError> {
        self.origin.read_at(offset, length).await
    }
}

impl Source for HttpSource {
    fn shown(&self) -> &str {
        &self.origin.shown
    }

    fn stat(&self) -> &Stat {
        &self.origin.stat
    }

    fn stream(&self) -> Result<Box<dyn Read + Send>, ImageError> {
        Ok(Box::new(pump::start(self.origin.clone(), &self.runtime)))
    }

    fn read_at(&self, offset: u64, length: usize) -> Result<Vec<u8>, ImageError> {
        self.runtime.block_on(self.origin.read_at(offset, length))
    }
}

/// The server's side of an image.
#[derive(Debug)]
pub(super) struct Origin {
    client: Client,
    settings: Arc<HttpSettings>,
    url: Url,
    pub(super) shown: String,
    pub(super) stat: Stat,
}

impl Origin {
    pub(super) fn settings(&self) -> &HttpSettings {
        &self.settings
    }

    fn unreachable(&self, source: reqwest::Error) -> ImageError {
        if let Some(refused) = outbound::refusal(&source) {
            return ImageError::Address {
                image: self.shown.clone(),
                reason: refused.to_string(),
            };
        }
        if let Some(failure) = tls::failure(&source) {
            return ImageError::Tls {
                image: self.shown.clone(),
                reason: failure.to_string(),
                advice: tls::advice(failure, self.settings.certificate_advice),
            };
        }
        ImageError::Unreachable {
            image: self.shown.clone(),
            // The address in it may hold secrets, and we name it ourselves.
            source: source.without_url(),
        }
    }

    pub(super) fn changed(&self, what: &'static str) -> ImageError {
        ImageError::Changed {
            image: self.shown.clone(),
            what,
        }
    }

    pub(super) fn check_size(&self, size: u64) -> Result<(), ImageError> {
        match self.settings().most_bytes {
            Some(limit) if size > limit => Err(ImageError::TooLarge {
                image: self.shown.clone(),
                limit,
            }),
            _ => Ok(()),
        }
    }

    /// Sends a request for all or for a range, and sees to its status.
    async fn ask(&self, range: Option<String>, patience: Duration) -> Result<Response, ImageError> {
        let settings = self.settings();
        let mut request = self.client.get(self.url.clone());
        // The bytes are those of the file, not of some packing on the way.
        request = request.header(header::ACCEPT_ENCODING, "identity");
        let host = self.url.host_str().unwrap_or_default();
        if let Some(value) = &settings.authorization {
            request = request.header(header::AUTHORIZATION, value);
        } else if let Some(own) = settings
            .credentials
            .as_ref()
            .filter(|own| own.are_for(host))
        {
            request = request.basic_auth(&own.user, Some(&own.password));
        }
        if let Some(range) = range {
            request = request.header(header::RANGE, range);
            if let Some(validator) = self.validator() {
                request = request.header(header::IF_RANGE, validator);
            }
        }
        let response = timeout(patience, request.send())
            .await
            .map_err(|_| self.silent(patience))?
            .map_err(|error| self.unreachable(error))?;
        let status = response.status();
        let empty = status == StatusCode::RANGE_NOT_SATISFIABLE;
        if status == StatusCode::OK || status == StatusCode::PARTIAL_CONTENT || empty {
            return Ok(response);
        }
        Err(ImageError::Status {
            image: self.shown.clone(),
            status: status.as_u16(),
        })
    }

    /// How long an answer may take to begin.
    fn patience(&self) -> Duration {
        self.settings().connect_timeout + self.settings().read_timeout
    }

    fn silent(&self, patience: Duration) -> ImageError {
        ImageError::Silent {
            image: self.shown.clone(),
            seconds: patience.as_secs(),
        }
    }

    /// What ties a later range to the image as it was; weak tags may not be used for that.
    pub(super) fn validator(&self) -> Option<&str> {
        let strong = self
            .stat
            .etag
            .as_deref()
            .filter(|tag| !tag.starts_with("W/"));
        strong.or(self.stat.modified_text.as_deref())
    }

    async fn probe(&self) -> Result<Stat, ImageError> {
        let mut attempt = 0;
        let response = loop {
            let patience = self.settings().verify_timeout;
            match self.ask(Some("bytes=0-0".to_owned()), patience).await {
                Err(error) if error.is_transient() && attempt < self.settings().retries => {
                    attempt += 1;
                    tracing::debug!(image = self.shown, attempt, %error, "asking again");
                    tokio::time::sleep(self.settings().retry_pause).await;
                }
                other => break other?,
            }
        };
        Ok(stat(&response))
    }

    /// Asks for everything from `at` on, and makes sure that it is of the same image. Tells how many
    /// bytes of the answer come before `at`, where the server sends all of it in any case.
    pub(super) async fn from(&self, at: u64) -> Result<(Response, u64), ImageError> {
        let range = (at > 0).then(|| format!("bytes={at}-"));
        let response = self.ask(range, self.patience()).await?;
        let now = stat(&response);
        self.same(&now)?;
        match response.status() {
            StatusCode::PARTIAL_CONTENT if first_byte(response.headers()) == Some(at) => {
                Ok((response, 0))
            }
            StatusCode::OK => Ok((response, at)),
            _ => Err(self.changed("it has not the bytes that were asked for")),
        }
    }

    fn same(&self, now: &Stat) -> Result<(), ImageError> {
        let before = &self.stat;
        if before.etag.is_some() && now.etag != before.etag {
            return Err(self.changed("its ETag is another one"));
        }
        if before.modified_text.is_some() && now.modified_text != before.modified_text {
            return Err(self.changed("its Last-Modified is another one"));
        }
        if before.size.is_some() && now.size.is_some() && now.size != before.size {
            return Err(self.changed("its size is another one"));
        }
        Ok(())
    }

    /// The next bytes of an answer.
    pub(super) async fn chunk(
        &self,
        response: &mut Response,
    ) -> Result<Option<bytes::Bytes>, ImageError> {
        let patience = self.settings().read_timeout;
        timeout(patience, response.chunk())
            .await
            .map_err(|_| self.silent(patience))?
            .map_err(|error| self.unreachable(error))
    }

    async fn read_at(&self, offset: u64, length: usize) -> Result<Vec<u8>, ImageError> {
        let left = self
            .stat
            .size
            .map_or(u64::MAX, |size| size.saturating_sub(offset));
        let length = length.min(usize::try_from(left).unwrap_or(usize::MAX));
        let mut bytes = Vec::with_capacity(length);
        let mut attempt = 0;
        while bytes.len() < length {
            let before = bytes.len();
            let Err(error) = self.add_range(offset, length, &mut bytes).await else {
                continue;
            };
            attempt = if bytes.len() > before { 0 } else { attempt + 1 };
            if !error.is_transient() || attempt > self.settings().retries {
                return Err(error);
            }
            tracing::debug!(image = self.shown, offset, attempt, %error, "asking again");
            if attempt > 0 {
                tokio::time::sleep(self.settings().retry_pause).await;
            }
        }
        Ok(bytes)
    }

    /// Asks for what is missing of a part, and adds what comes.
    async fn add_range(
        &self,
        offset: u64,
        length: usize,
        bytes: &mut Vec<u8>,
    ) -> Result<(), ImageError> {
        let first = offset + bytes.len() as u64;
        let last = offset + length as u64 - 1;
        let mut response = self
            .ask(Some(format!("bytes={first}-{last}")), self.patience())
            .await?;
        self.same(&stat(&response))?;
        if response.status() == StatusCode::OK {
            return Err(ImageError::NoRanges {
                image: self.shown.clone(),
            });
        }
        if first_byte(response.headers()) != Some(first) {
            return Err(self.changed("it has not the bytes that were asked for"));
        }
        while bytes.len() < length {
            let Some(chunk) = self.chunk(&mut response).await? else {
                let got = offset + bytes.len() as u64;
                return Err(ImageError::Short {
                    image: self.shown.clone(),
                    expected: last + 1,
                    got,
                });
            };
            let room = chunk.len().min(length - bytes.len());
            bytes.extend_from_slice(chunk.get(..room).unwrap_or_default());
        }
        Ok(())
    }
}

fn text(headers: &HeaderMap, name: header::HeaderName) -> Option<String> {
    let value = headers.get(name)?.to_str().ok()?;
    Some(value.to_owned())
}

fn stat(response: &Response) -> Stat {
    let headers = response.headers();
    let status = response.status();
    let range = text(headers, header::CONTENT_RANGE);
    let total = range.as_deref().and_then(|range| range.rsplit_once('/'));
    let total = total.and_then(|(_, total)| total.trim().parse().ok());
    let length = text(headers, header::CONTENT_LENGTH).and_then(|length| length.parse().ok());
    let modified_text = text(headers, header::LAST_MODIFIED);
    Stat {
        size: match status {
            StatusCode::PARTIAL_CONTENT => total,
            // An empty file has not even a first byte.
            StatusCode::RANGE_NOT_SATISFIABLE => Some(total.unwrap_or(0)),
            _ => length,
        },
        etag: text(headers, header::ETAG),
        #[cfg(feature = "server")]
        modified: modified_text
            .as_deref()
            .and_then(|text| httpdate::parse_http_date(text).ok()),
        #[cfg(not(feature = "server"))]
        modified: None,
        modified_text,
        ranges: status != StatusCode::OK,
        no_store: text(headers, header::CACHE_CONTROL)
            .is_some_and(|value| value.contains("no-store")),
    }
}

/// Where a partial answer starts.
fn first_byte(headers: &HeaderMap) -> Option<u64> {
    let range = text(headers, header::CONTENT_RANGE)?;
    let (first, _) = range.strip_prefix("bytes ")?.split_once('-')?;
    first.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_without_authorities_still_fetches() {
        const INNER: &str = "CORTEN_TEST_WITHOUT_AUTHORITIES";
        if std::env::var_os(INNER).is_some() {
            Http::new(HttpSettings::default()).unwrap();
            return;
        }
        // In a process of its own, for the environment is shared with other tests.
        let name = "source::http::tests::a_machine_without_authorities_still_fetches";
        let inner = std::process::Command::new(std::env::current_exe().unwrap())
            .args(["--exact", name])
            .env(INNER, "1")
            .env("SSL_CERT_FILE", "/nowhere")
            .env("SSL_CERT_DIR", "/nowhere")
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&inner.stdout);
        assert!(
            inner.status.success() && said.contains("1 passed"),
            "{said}"
        );
    }

    #[tokio::test]
    async fn users_do_not_choose_every_address_and_operators_do() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let own = format!("http://127.0.0.1:{port}/operators");
        let denied = outbound::Network::parse("loopback").unwrap();
        let http = Http::new(HttpSettings {
            outbound: Policy::new(denied, Vec::new(), Vec::new()),
            operators: vec![own.clone()],
            verify_timeout: Duration::from_millis(200),
            retries: 0,
            ..HttpSettings::default()
        })
        .unwrap();
        for href in [
            format!("http://127.0.0.1:{port}/x"),
            format!("http://localhost:{port}/x"),
            format!("http://[::ffff:127.0.0.1]:{port}/x"),
        ] {
            let refused = http.open(&href).await.unwrap_err();
            assert!(!refused.is_transient());
            assert!(refused.to_string().contains("networks_denied"), "{refused}");
        }
        listener.set_nonblocking(true).unwrap();
        assert!(listener.accept().is_err(), "nobody was connected to");
        // Somebody is there and says nothing, for which a minute would be too long to wait.
        assert!(http.open(&own).await.unwrap_err().is_transient());
        assert!(listener.accept().is_ok());
    }

    #[test]
    fn credentials_go_to_the_hosts_they_are_for() {
        let own = |hosts: &[&str]| Credentials {
            user: "u".into(),
            password: "geheim".into(),
            hosts: hosts.iter().map(ToString::to_string).collect(),
        };
        assert!(own(&[]).are_for("any"));
        assert!(own(&["a.example"]).are_for("a.example"));
        assert!(own(&[".example"]).are_for("a.example"));
        assert!(!own(&[".example"]).are_for("example"));
        assert!(!own(&["a.example"]).are_for("b.a.example"));
        assert!(!format!("{:?}", own(&[])).contains("geheim"));
    }
}
