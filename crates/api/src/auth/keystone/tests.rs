//! Against a stand-in for Keystone that answers as it is told, down to the bytes.
//!
//! Whatever it does, nobody may get in whose token it did not confirm.

use super::*;
use crate::{
    auth::Auth,
    policy::{Credentials, Roles},
    testing::{authenticate, parts},
};
use serde_json::{Value, json};
use std::{
    sync::atomic::{AtomicUsize, Ordering},
    time::Duration,
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    sync::Notify,
};
use types::Timestamp;

/// What the stand-in does to questions about tokens; logins work unless it says otherwise.
#[derive(Debug, Clone)]
enum Mode {
    /// Tokens named `good…` are good.
    Fine,
    Raw(&'static str),
    Status(u16),
    Token(Value),
    Endless,
    Silent,
    /// Answers once it is told to.
    Waiting(Arc<Notify>),
    LoginStatus(u16),
    LoginRaw(&'static str),
}

#[derive(Debug)]
struct StandIn {
    url: String,
    mode: Mutex<Mode>,
    /// How long our own token is good for, in seconds.
    life: Mutex<i64>,
    logins: AtomicUsize,
    checks: AtomicUsize,
    /// The targets and headers of the questions.
    seen: Mutex<Vec<String>>,
    /// Only tokens from this login on are taken as ours.
    oldest_login: AtomicUsize,
}

impl StandIn {
    async fn start(mode: Mode) -> Arc<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let stand_in = Arc::new(Self {
            url: format!("http://{}", listener.local_addr().unwrap()),
            mode: Mutex::new(mode),
            life: Mutex::new(3600),
            logins: AtomicUsize::new(0),
            checks: AtomicUsize::new(0),
            seen: Mutex::default(),
            oldest_login: AtomicUsize::new(0),
        });
        let serving = Arc::clone(&stand_in);
        tokio::spawn(async move {
            while let Ok((connection, _)) = listener.accept().await {
                tokio::spawn(Arc::clone(&serving).serve(connection));
            }
        });
        stand_in
    }

    fn becomes(&self, mode: Mode) {
        *self.mode.lock().unwrap() = mode;
    }

    fn counts(&self) -> (usize, usize) {
        let count = |counter: &AtomicUsize| counter.load(Ordering::SeqCst);
        (count(&self.logins), count(&self.checks))
    }

    /// One request a connection.
    async fn serve(self: Arc<Self>, mut connection: TcpStream) {
        let Some(head) = read_request(&mut connection).await else {
            return;
        };
        let mode = self.mode.lock().unwrap().clone();
        if head.starts_with("post /v3/auth/tokens ") {
            let number = self.logins.fetch_add(1, Ordering::SeqCst);
            let answer = match mode {
                Mode::LoginStatus(status) => answer(status, "", "{}"),
                Mode::LoginRaw(text) => text.to_owned(),
                _ => {
                    let life = *self.life.lock().unwrap();
                    let expires = Timestamp::now().plus_seconds(life).to_string();
                    let body = json!({"token": {"expires_at": expires, "catalog": []}});
                    let header = format!("X-Subject-Token: own{number}\r\n");
                    answer(201, &header, &body.to_string())
                }
            };
            let _ = connection.write_all(answer.as_bytes()).await;
            return;
        }
        self.checks.fetch_add(1, Ordering::SeqCst);
        self.seen.lock().unwrap().push(head.clone());
        let own = value(&head, "x-auth-token")
            .trim_start_matches("own")
            .parse();
        if own.map_or(true, |own: usize| {
            own < self.oldest_login.load(Ordering::SeqCst)
        }) {
            let _ = connection.write_all(answer(401, "", "{}").as_bytes()).await;
            return;
        }
        let verdict = || match value(&head, "x-subject-token") {
            good if good.starts_with("good") => answer(200, "", &document(json!({})).to_string()),
            _ => answer(404, "", "{}"),
        };
        let answer = match mode {
            Mode::Raw(text) => text.to_owned(),
            Mode::Status(status) => answer(status, "Location: http://127.0.0.1:9/\r\n", "{}"),
            Mode::Token(more) => answer(200, "", &document(more).to_string()),
            Mode::Silent => std::future::pending().await,
            Mode::Endless => {
                let _ = connection.write_all(b"HTTP/1.1 200 OK\r\n\r\n").await;
                while connection.write_all(&[b' '; 65536]).await.is_ok() {}
                return;
            }
            Mode::Waiting(go) => {
                go.notified().await;
                verdict()
            }
            Mode::Fine | Mode::LoginStatus(_) | Mode::LoginRaw(_) => verdict(),
        };
        let _ = connection.write_all(answer.as_bytes()).await;
    }
}

async fn read_request(connection: &mut TcpStream) -> Option<String> {
    let mut text = String::new();
    let mut buffer = [0; 4096];
    loop {
        let count = connection.read(&mut buffer).await.ok().filter(|&n| n > 0)?;
        text.push_str(&String::from_utf8_lossy(&buffer[..count]));
        if !text.starts_with(['G', 'P']) {
            return None;
        }
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let head = head.to_lowercase();
            if body.len() >= value(&head, "content-length").parse().unwrap_or(0) {
                return Some(head);
            }
        }
    }
}

fn value<'a>(head: &'a str, name: &str) -> &'a str {
    let mut lines = head.lines().filter_map(|line| line.split_once(": "));
    lines
        .find(|(found, _)| *found == name)
        .map_or("", |(_, value)| value)
}

fn answer(status: u16, headers: &str, body: &str) -> String {
    let length = body.len();
    format!(
        "HTTP/1.1 {status} X\r\nConnection: close\r\n{headers}Content-Length: {length}\r\n\r\n{body}"
    )
}

fn document(more: Value) -> Value {
    let mut token = json!({
        "user": {"id": "u1", "domain": {"id": "d1"}},
        "project": {"id": "p1", "name": "rack", "domain": {"id": "d1"}},
        "roles": [{"name": "member"}, {"name": "reader"}],
        "expires_at": "2036-01-01T00:00:00.000000Z",
    });
    for (name, value) in more.as_object().unwrap() {
        token[name] = value.clone();
    }
    json!({"token": token})
}

fn settings(url: &str) -> KeystoneSettings {
    let login = Login {
        method: Method::Password {
            user: Named::Id("ironic".into()),
            password: "hunter2".into(),
        },
        scope: LoginScope::System,
    };
    KeystoneSettings {
        deadline: Duration::from_secs(20),
        retries: 0,
        ..KeystoneSettings::new(url, login)
    }
}

fn guard(settings: KeystoneSettings) -> Auth {
    Auth::Keystone(Arc::new(Keystone::new(settings).unwrap()))
}

async fn ask(auth: &Auth, headers: &[(&str, &str)]) -> Result<Identity, AuthRefusal> {
    authenticate(auth, &parts("/v1/nodes", headers)).await
}

/// The status of the answer to a request with this token.
async fn status(auth: &Auth, token: &str) -> u16 {
    match ask(auth, &[("x-auth-token", token)]).await {
        Ok(_) => 200,
        Err(refusal) => refusal.response(&HeaderMap::new()).status().as_u16(),
    }
}

#[tokio::test]
async fn a_token_is_asked_about_once() {
    let keystone = StandIn::start(Mode::Fine).await;
    let auth = guard(settings(&keystone.url));
    for _ in 0..3 {
        let identity = ask(&auth, &[("x-auth-token", "good")]).await.unwrap();
        assert_eq!(identity.user.as_deref(), Some("u1"));
        assert_eq!(identity.credentials.project_name.as_deref(), Some("rack"));
        assert_eq!(
            identity.credentials.roles,
            Roles::listed(["member", "reader"])
        );
    }
    assert_eq!(keystone.counts(), (1, 1));
    // The second is another, and the third is asked about each time.
    assert_eq!(status(&auth, "good2").await, 200);
    assert_eq!(status(&auth, "bad").await, 401);
    assert_eq!(status(&auth, "bad").await, 401);
    assert_eq!(keystone.counts(), (1, 4));
    let seen = keystone.seen.lock().unwrap();
    assert!(
        seen[0].starts_with("get /v3/auth/tokens http"),
        "{}",
        seen[0]
    );
    assert_eq!(value(&seen[0], "openstack-identity-access-rules"), "1");
}

#[tokio::test]
async fn the_original_tells_where_to_log_in() {
    let keystone = StandIn::start(Mode::Fine).await;
    let mut settings = settings(&keystone.url);
    settings.www_authenticate_uri = Some("https://public/v3".into());
    let auth = guard(settings);
    for headers in [&[][..], &[("x-auth-token", "")], &[("x-auth-token", "bad")]] {
        let challenge = HeaderValue::from_static("Keystone uri=\"https://public/v3\"");
        assert_eq!(
            ask(&auth, headers).await,
            Err(AuthRefusal::NoToken(challenge))
        );
    }
    let long = "x".repeat(LONGEST_TOKEN + 1);
    assert_eq!(status(&auth, &long).await, 401);
    assert_eq!(keystone.counts(), (1, 1));
}

#[tokio::test]
async fn what_clients_say_about_themselves_does_not_count() {
    let keystone = StandIn::start(Mode::Fine).await;
    let auth = guard(settings(&keystone.url));
    let claims = [
        ("x-roles", "admin"),
        ("x-user-id", "root"),
        ("x-project-id", "p2"),
        ("openstack-system-scope", "all"),
        ("x-service-roles", "service"),
        ("x-identity-status", "Confirmed"),
    ];
    assert!(ask(&auth, &claims).await.is_err());
    let with_token = [&claims[..], &[("x-auth-token", "good")]].concat();
    let identity = ask(&auth, &with_token).await.unwrap();
    assert_eq!(
        identity,
        ask(&auth, &[("x-auth-token", "good")]).await.unwrap()
    );
    assert_eq!(identity.credentials.system_scope, None);
    // Public paths do not look at a token, be it good or bad.
    for token in ["good", "bad"] {
        let headers = [&claims[..], &[("x-auth-token", token)]].concat();
        let public = authenticate(&auth, &parts("/v1/lookup", &headers))
            .await
            .unwrap();
        let expected = Credentials {
            is_public_api: true,
            ..Credentials::default()
        };
        assert_eq!((public.user, &*public.credentials), (None, &expected));
    }
}

#[tokio::test]
async fn nobody_gets_in_while_keystone_does_not_make_sense() {
    let keystone = StandIn::start(Mode::Fine).await;
    for mode in [
        Mode::Raw("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 6\r\n\r\n<html>"),
        Mode::Raw("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}"),
        Mode::Raw("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{\"token\": {\"user\""),
        Mode::Raw("HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n"),
        Mode::Raw("SSH-2.0-OpenSSH_9.2\r\n"),
        Mode::Raw(""),
        Mode::Token(json!({"expires_at": "later"})),
        Mode::Token(json!({"system": {"all": true}})),
        Mode::Token(json!({"user": {"name": "root"}})),
        Mode::Endless,
        Mode::Status(300),
        Mode::Status(302),
        Mode::Status(400),
        Mode::Status(401),
        Mode::Status(403),
        Mode::Status(429),
        Mode::Status(500),
        Mode::LoginStatus(401),
        Mode::LoginStatus(403),
        Mode::LoginStatus(500),
        Mode::LoginRaw("HTTP/1.1 201 X\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}"),
        Mode::LoginRaw(
            "HTTP/1.1 201 X\r\nConnection: close\r\nX-Subject-Token: x\r\nContent-Length: 2\r\n\r\n{}",
        ),
    ] {
        keystone.becomes(mode.clone());
        let auth = guard(settings(&keystone.url));
        assert_eq!(status(&auth, "good").await, 503, "{mode:?}");
    }
}

#[tokio::test]
async fn nobody_gets_in_while_keystone_is_away_or_someone_else() {
    let keystone = StandIn::start(Mode::Fine).await;
    // Nothing listens on the port any more.
    let port = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let nowhere = format!("http://{}", port.local_addr().unwrap());
    drop(port);
    // TLS is asked for and not spoken.
    let plain = keystone.url.replace("http:", "https:");
    for (url, retries) in [
        (nowhere.as_str(), 2),
        (&plain, 0),
        ("http://host.invalid", 0),
    ] {
        let mut settings = settings(url);
        settings.retries = retries;
        assert_eq!(status(&guard(settings), "good").await, 503, "{url}");
    }
}

#[tokio::test]
async fn a_slow_keystone_does_not_keep_callers_for_ever() {
    let keystone = StandIn::start(Mode::Silent).await;
    let mut settings = settings(&keystone.url);
    settings.deadline = Duration::from_millis(500);
    let auth = guard(settings);
    assert_eq!(status(&auth, "good").await, 503);
    // The failure is not kept.
    keystone.becomes(Mode::Fine);
    while status(&auth, "good").await != 200 {}
}

#[tokio::test]
async fn one_question_serves_all_who_wait() {
    let go = Arc::new(Notify::new());
    let keystone = StandIn::start(Mode::Waiting(Arc::clone(&go))).await;
    let auth = guard(settings(&keystone.url));
    let first = tokio::spawn({
        let auth = auth.clone();
        async move { status(&auth, "good").await }
    });
    while keystone.counts().1 == 0 {
        tokio::task::yield_now().await;
    }
    let waiting: Vec<_> = (0..50)
        .map(|_| {
            let auth = auth.clone();
            tokio::spawn(async move { status(&auth, "good").await })
        })
        .collect();
    // Whoever asked first goes away; the others still get their answer.
    first.abort();
    tokio::task::yield_now().await;
    go.notify_one();
    for waiting in waiting {
        assert_eq!(waiting.await.unwrap(), 200);
    }
    assert_eq!(keystone.counts(), (1, 1));
}

#[tokio::test]
async fn expired_tokens_are_refused_even_if_they_are_known() {
    // Not before it was shown for the first time.
    let soon = Timestamp::now().plus_seconds(5).to_string();
    let keystone = StandIn::start(Mode::Token(json!({"expires_at": soon}))).await;
    let auth = guard(settings(&keystone.url));
    assert_eq!(status(&auth, "good").await, 200);
    while status(&auth, "good").await == 200 {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert_eq!(status(&auth, "good").await, 401);
    assert_eq!(keystone.counts(), (1, 1));
}

#[tokio::test]
async fn a_revoked_token_is_good_until_the_cache_forgets_it() {
    let keystone = StandIn::start(Mode::Fine).await;
    let mut short = settings(&keystone.url);
    short.cache_time = Some(Duration::from_millis(300));
    let cached = guard(short);
    let mut never = settings(&keystone.url);
    never.cache_time = None;
    let uncached = guard(never);
    assert_eq!(status(&cached, "good").await, 200);
    assert_eq!(status(&uncached, "good").await, 200);
    keystone.becomes(Mode::Status(404));
    assert_eq!(status(&uncached, "good").await, 401);
    while status(&cached, "good").await == 200 {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert_eq!(status(&cached, "good").await, 401);
}

#[tokio::test]
async fn known_tokens_get_by_without_keystone() {
    let keystone = StandIn::start(Mode::Fine).await;
    let auth = guard(settings(&keystone.url));
    assert_eq!(status(&auth, "good").await, 200);
    keystone.becomes(Mode::Status(500));
    assert_eq!(status(&auth, "good").await, 200);
    assert_eq!(status(&auth, "good2").await, 503);
}

#[tokio::test]
async fn our_own_token_is_renewed() {
    let keystone = StandIn::start(Mode::Fine).await;
    let auth = guard(settings(&keystone.url));
    assert_eq!(status(&auth, "good").await, 200);
    // Keystone does not take it any more.
    keystone.oldest_login.store(1, Ordering::SeqCst);
    assert_eq!(status(&auth, "good2").await, 200);
    assert_eq!(keystone.counts(), (2, 3));
    // It is about to expire.
    *keystone.life.lock().unwrap() = 10;
    let auth = guard(settings(&keystone.url));
    assert_eq!(status(&auth, "good").await, 200);
    assert_eq!(status(&auth, "good2").await, 200);
    assert_eq!(keystone.counts(), (4, 5));
}

#[tokio::test]
async fn a_refused_login_is_not_repeated_at_once() {
    let keystone = StandIn::start(Mode::LoginStatus(401)).await;
    let auth = guard(settings(&keystone.url));
    for token in 0..20 {
        assert_eq!(status(&auth, &format!("good{token}")).await, 503);
    }
    let (logins, checks) = keystone.counts();
    assert!(logins < 20 && checks == 0, "{logins} {checks}");
}

#[tokio::test]
async fn services_speak_for_users() {
    let service = json!({
        "user": {"id": "nova", "domain": {"id": "d1"}},
        "roles": [{"name": "service"}],
        "expires_at": "2036-01-01T00:00:00Z",
    });
    let keystone = StandIn::start(Mode::Token(service)).await;
    let auth = guard(settings(&keystone.url));
    assert!(ask(&auth, &[("x-auth-token", "nova")]).await.is_ok());
    keystone.becomes(Mode::Token(json!({"expires_at": "2020-01-01T00:00:00Z"})));
    // The service's token is known by now; the user's has expired and passes with it only.
    assert_eq!(status(&auth, "old").await, 401);
    let both = [("x-auth-token", "old"), ("x-service-token", "nova")];
    let identity = ask(&auth, &both).await.unwrap();
    assert_eq!(identity.user.as_deref(), Some("u1"));
    assert_eq!(
        identity.credentials.service.user_id.as_deref(),
        Some("nova")
    );
    assert_eq!(
        identity.credentials.service.roles,
        Roles::listed(["service"])
    );
    assert_eq!(status(&auth, "old").await, 401);
    keystone.becomes(Mode::Status(404));
    let unknown = [("x-auth-token", "older"), ("x-service-token", "nova")];
    assert!(ask(&auth, &unknown).await.is_err());
    let seen = keystone.seen.lock().unwrap();
    assert!(
        seen.iter()
            .any(|head| head.starts_with("get /v3/auth/tokens?allow_expired=1 "))
    );
}

#[tokio::test]
async fn a_bad_service_token_spoils_a_good_one() {
    let keystone = StandIn::start(Mode::Fine).await;
    let both = |service| [("x-auth-token", "good"), ("x-service-token", service)];
    let auth = guard(settings(&keystone.url));
    assert_eq!(status(&auth, "good").await, 200);
    assert!(ask(&auth, &both("bad")).await.is_err());
    // A user's token is none of a service, unless the operator does not mind.
    assert!(ask(&auth, &both("good2")).await.is_err());
    let mut lax = settings(&keystone.url);
    lax.service_roles_required = false;
    let identity = ask(&guard(lax), &both("good2")).await.unwrap();
    assert_eq!(identity.credentials.service.user_id.as_deref(), Some("u1"));
}

/// A token that is good for one request only.
fn restricted() -> Value {
    json!({
        "application_credential": {"id": "a", "access_rules": [
            {"id": "1", "method": "GET", "path": "/v1/nodes/*", "service": "baremetal"}]},
        "catalog": [{"type": "baremetal"}],
    })
}

#[tokio::test]
async fn escapes_do_not_lead_past_access_rules() {
    let keystone = StandIn::start(Mode::Token(restricted())).await;
    let mut ours = settings(&keystone.url);
    ours.service_type = Some("baremetal".into());
    let auth = guard(ours);
    let good = async |path: &str| {
        let sent = parts(path, &[("x-auth-token", "good")]);
        authenticate(&auth, &sent).await.is_ok()
    };
    assert!(good("/v1/nodes/n").await);
    assert!(good("/v1/nod%65s/n").await);
    for path in [
        "/v1/nodes/n/states",
        "/v1/nodes/n%2Fstates",
        "/v1/nodes/n%2fstates",
        "/v1/nodes/%ff",
        "/v1/nodes",
        "/nodes/n",
    ] {
        assert!(!good(path).await, "{path}");
    }
}

#[tokio::test]
async fn a_second_token_lifts_restrictions_only_if_it_is_a_services() {
    let keystone = StandIn::start(Mode::Token(restricted())).await;
    let mut lax = settings(&keystone.url);
    lax.service_type = Some("baremetal".into());
    lax.service_roles_required = false;
    let auth = guard(lax);
    let own_twice = [("x-auth-token", "good"), ("x-service-token", "good")];
    assert!(ask(&auth, &own_twice).await.is_err());
    let service = json!({"roles": [{"name": "service"}]});
    keystone.becomes(Mode::Token(service));
    assert!(ask(&auth, &[("x-auth-token", "nova")]).await.is_ok());
    let passed_on = [("x-auth-token", "good"), ("x-service-token", "nova")];
    assert!(ask(&auth, &passed_on).await.is_ok());
}

#[tokio::test]
async fn a_flood_of_unknown_tokens_is_turned_away() {
    let go = Arc::new(Notify::new());
    let keystone = StandIn::start(Mode::Waiting(Arc::clone(&go))).await;
    let auth = guard(settings(&keystone.url));
    let Auth::Keystone(guarded) = &auth else {
        panic!("no Keystone");
    };
    // Whoever asks goes away at once; the questions stay.
    for number in 0..MOST_QUESTIONS {
        let token = HeaderValue::from_str(&format!("flood{number}")).unwrap();
        let question = guarded.inner.question(Key::of(&token), &token, false);
        assert!(question.is_ok(), "{number}");
    }
    assert_eq!(status(&auth, "good").await, 503);
    assert_eq!(lock(&guarded.inner.asked).len(), MOST_QUESTIONS);
    // Those who wait for the same token share its question even now.
    let token = HeaderValue::from_static("flood0");
    let shared = guarded.inner.question(Key::of(&token), &token, false);
    assert!(shared.is_ok());
}

#[tokio::test]
async fn tokens_do_not_show_in_what_is_written_about_us() {
    let keystone = StandIn::start(Mode::Fine).await;
    let auth = guard(settings(&keystone.url));
    assert_eq!(status(&auth, "good-s3cret").await, 200);
    let shown = format!("{auth:?}");
    for secret in ["good-s3cret", "own0", "hunter2"] {
        assert!(!shown.contains(secret), "{secret} in {shown}");
    }
}

#[tokio::test]
async fn a_decision_that_is_put_off_makes_callers_nobody() {
    let keystone = StandIn::start(Mode::Fine).await;
    let mut later = settings(&keystone.url);
    later.delay_auth_decision = true;
    let auth = guard(later);
    let claims = [("x-roles", "admin"), ("openstack-system-scope", "all")];
    assert_eq!(ask(&auth, &claims).await, Ok(Identity::default()));
    keystone.becomes(Mode::Status(500));
    assert_eq!(
        ask(&auth, &[("x-auth-token", "good")]).await,
        Ok(Identity::default())
    );
}

#[tokio::test]
async fn options_reach_the_question() {
    let keystone = StandIn::start(Mode::Fine).await;
    let mut bare = settings(&format!("{}/v3/", keystone.url));
    bare.catalog = false;
    bare.binding = Binding::Required;
    assert_eq!(status(&guard(bare), "good").await, 401);
    let seen = keystone.seen.lock().unwrap();
    assert!(
        seen[0].starts_with("get /v3/auth/tokens?nocatalog=1 "),
        "{}",
        seen[0]
    );
}

#[test]
fn files_that_are_not_there_are_found_at_the_start() {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), "no certificate").unwrap();
    for (path, readable) in [
        (file.path(), true),
        (std::path::Path::new("/no/such"), false),
    ] {
        let mut with_files = settings("https://k");
        with_files.tls.certificate = Some(path.to_owned());
        let error = Keystone::new(with_files).unwrap_err();
        let unreadable = matches!(error, KeystoneError::Unreadable { .. });
        assert_eq!(unreadable, !readable, "{error}");
    }
}
