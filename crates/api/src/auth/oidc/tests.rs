//! Tokens and keys, and a provider on this machine.

use super::{
    Oidc, OidcSettings,
    jwk::{self, PublicKey},
    jwt::{self, BadToken, Claims},
};
use crate::auth::AuthRefusal;
use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD};
use ring::{
    rand::SystemRandom,
    signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, Ed25519KeyPair, KeyPair},
};
use serde_json::{Value, json};
use std::{
    sync::{Arc, Mutex},
    task::{Context, Waker},
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpListener,
};
use types::Timestamp;

const ISSUER: &str = "https://id.example.org";
const AUDIENCE: &str = "corten";

/// Made with OpenSSL: the modulus of a key, and a token of it for the year 2100.
const RSA_MODULUS: &str = "2Tp0qtaWH_p__WpRTNJUzcNga0LlTOKsCHGwm7SAhr38_kaF_XZEVpybC0BwzFazCBY0CQiBM6zo\
    k5KA8DZ_GYdEBDpVawxbxrkDkv9HcLFIBWtCfkmnaSRYsAxEONx5c5L2jAsbLb51musBNFt-35_t\
    -ynyOEe3Tn3eRFlgLebWwGB2W76ERu0axA8tR2D500Gi6cx3VXbTfJVpn85NgNORhzICEpCkFfsE\
    OrfMmc9rX9WeIs1FHQazj8HDtu3T26_ZGN_ffk27K4mJJnoi4rnNtMGZDSOvnF_mCXFGMHEl5WcV\
    sJEcCFMuqvrdurDQrPi2zBvdvH4nO_XuocacRQ";
const RSA_TOKEN: &str = "eyJhbGciOiAiUlMyNTYiLCAia2lkIjogInJzYSJ9.eyJpc3MiOiAiaHR0cHM6Ly9pZC5leGFtcGx\
    lLm9yZyIsICJzdWIiOiAidS0xIiwgImF1ZCI6IFsiY29ydGVuIiwgImFjY291bnQiXSwgImV4cCI\
    6IDQxMDI0NDQ4MDAsICJpYXQiOiAxNzAwMDAwMDAwLCAiZ3JvdXBzIjogWyJhZG1pbnMiXX0.e2t\
    4Evt4G664ueKoKZzOp8BKjY-D4BkKnZFWrSeJaisbGrKBfWRCgaINVz9MrgH7qCDrrsLBMg23zeh\
    0RxoWAf3qQcjguDvOc1aXF4usIS7m974gU3nkQGgQR8n5uztlO1KwDqNCspnBDXaNSCD-ERkCyYf\
    A64K_yOrM9dXRA0HUx_ZfrG7TwnnMQy4bEWZAyPZPvIvd8FQPX6UtUX0PANPOkuw4x9uJCNmQfCB\
    kXeBW7-NrQHbEQ9-e4NofOOyjaM2BOKm20w82ZWJ94K7KaixIhaPWiGFyGNHf6JLSyga0K3E8EJl\
    8W7coEGOo66RTCIfnr8msb3yyz3pQglKyjA";

fn encoded(bytes: impl AsRef<[u8]>) -> String {
    BASE64_URL_SAFE_NO_PAD.encode(bytes)
}

/// A key of a provider.
struct Signer(Ed25519KeyPair, &'static str);

impl Signer {
    fn new(id: &'static str) -> Self {
        let document = Ed25519KeyPair::generate_pkcs8(&SystemRandom::new()).unwrap();
        Self(Ed25519KeyPair::from_pkcs8(document.as_ref()).unwrap(), id)
    }

    fn jwk(&self) -> Value {
        let x = encoded(self.0.public_key());
        json!({"kty": "OKP", "crv": "Ed25519", "kid": self.1, "x": x, "use": "sig"})
    }

    fn keys(&self) -> Vec<PublicKey> {
        jwk::parse(json!({"keys": [self.jwk()]}).to_string().as_bytes()).unwrap()
    }

    fn token(&self, claims: &Value) -> String {
        self.token_with(&json!({"alg": "EdDSA", "kid": self.1}), claims)
    }

    fn token_with(&self, header: &Value, claims: &Value) -> String {
        let text = format!(
            "{}.{}",
            encoded(header.to_string()),
            encoded(claims.to_string())
        );
        let signature = encoded(self.0.sign(text.as_bytes()));
        format!("{text}.{signature}")
    }
}

fn claims() -> Value {
    json!({"iss": ISSUER, "sub": "u-1", "aud": AUDIENCE, "exp": 2000, "groups": ["admins"]})
}

fn changed(name: &str, value: Value) -> Value {
    let mut claims = claims();
    claims[name] = value;
    claims
}

fn judge(token: &str, keys: &[PublicKey], now: i64) -> Result<Claims, BadToken> {
    jwt::parse(token)?.verify(keys, (ISSUER, AUDIENCE), now)
}

#[test]
fn only_what_the_provider_signed_for_us_counts() {
    let signer = Signer::new("k1");
    let keys = signer.keys();
    let good = signer.token(&claims());
    assert_eq!(judge(&good, &keys, 1000).unwrap().subject, "u-1");
    let judged = |claims: &Value| judge(&signer.token(claims), &keys, 1000).map(|_| ());
    assert_eq!(judged(&changed("aud", json!(["x", AUDIENCE]))), Ok(()));
    assert_eq!(
        judged(&changed("aud", json!("other"))),
        Err(BadToken::Audience)
    );
    assert_eq!(
        judged(&changed("aud", json!(["corten2"]))),
        Err(BadToken::Audience)
    );
    assert_eq!(judged(&changed("aud", Value::Null)), Err(BadToken::Claims));
    let slash = format!("{ISSUER}/");
    assert_eq!(judged(&changed("iss", json!(slash))), Err(BadToken::Issuer));
    assert_eq!(judged(&changed("exp", Value::Null)), Err(BadToken::Claims));
    assert_eq!(judged(&changed("sub", json!(""))), Err(BadToken::Claims));
    assert_eq!(judged(&changed("sub", json!(7))), Err(BadToken::Claims));
    // Another key of the same name.
    let forged = Signer::new("k1").token(&claims());
    assert_eq!(judge(&forged, &keys, 1000), Err(BadToken::Signature));
    let unknown = Signer::new("k2").token(&claims());
    assert_eq!(judge(&unknown, &keys, 1000), Err(BadToken::UnknownKey));
    assert_eq!(judge(&good, &[], 1000), Err(BadToken::UnknownKey));
}

#[test]
fn time_counts_with_a_little_tolerance() {
    let signer = Signer::new("k1");
    let keys = signer.keys();
    let at = |claims: &Value, now| judge(&signer.token(claims), &keys, now).map(|_| ());
    assert_eq!(at(&claims(), 2059), Ok(()));
    assert_eq!(at(&claims(), 2060), Err(BadToken::Ended));
    for name in ["nbf", "iat"] {
        let begins = changed(name, json!(1500));
        assert_eq!(at(&begins, 1439), Err(BadToken::Early), "{name}");
        assert_eq!(at(&begins, 1440), Ok(()), "{name}");
    }
    assert_eq!(at(&changed("exp", json!(1e300)), 1000), Ok(()));
    assert_eq!(at(&changed("exp", json!(-1)), 1000), Err(BadToken::Ended));
}

#[test]
fn tokens_without_a_signature_or_with_another_algorithm_are_refused() {
    let signer = Signer::new("k1");
    let keys = signer.keys();
    let header = |header: Value| judge(&signer.token_with(&header, &claims()), &keys, 1000);
    for alg in ["none", "None", "HS256", "RS512", "", "ES256K"] {
        let refused = header(json!({"alg": alg, "kid": "k1"}));
        assert_eq!(refused, Err(BadToken::Algorithm), "{alg}");
    }
    assert_eq!(header(json!({"kid": "k1"})), Err(BadToken::Algorithm));
    let critical = json!({"alg": "EdDSA", "kid": "k1", "crit": ["b64"]});
    assert_eq!(header(critical), Err(BadToken::Algorithm));
    // The algorithm must be that of the key.
    for alg in ["RS256", "ES256"] {
        let refused = header(json!({"alg": alg, "kid": "k1"}));
        assert_eq!(refused, Err(BadToken::Signature), "{alg}");
    }
    assert!(header(json!({"alg": "EdDSA"})).is_ok());
    let good = signer.token(&claims());
    let (text, _) = good.rsplit_once('.').unwrap();
    assert_eq!(
        judge(&format!("{text}."), &keys, 1000),
        Err(BadToken::Signature)
    );
    for bad in [
        "",
        ".",
        "..",
        "a.b",
        "a.b.c.d",
        "%.%.%",
        &"x".repeat(20_000),
    ] {
        assert!(jwt::parse(bad).is_err(), "{bad:.10}");
    }
}

#[test]
fn keys_of_all_three_kinds_verify() {
    let rsa = json!({"kty": "RSA", "kid": "rsa", "alg": "RS256", "n": RSA_MODULUS, "e": "AQAB"});
    let random = SystemRandom::new();
    let algorithm = &ECDSA_P256_SHA256_FIXED_SIGNING;
    let document = EcdsaKeyPair::generate_pkcs8(algorithm, &random).unwrap();
    let pair = EcdsaKeyPair::from_pkcs8(algorithm, document.as_ref(), &random).unwrap();
    let point = pair.public_key().as_ref().to_vec();
    let p256 = json!({"kty": "EC", "crv": "P-256", "kid": "p256",
        "x": encoded(&point[1..33]), "y": encoded(&point[33..])});
    let header = encoded(json!({"alg": "ES256", "kid": "p256"}).to_string());
    let text = format!("{header}.{}", encoded(claims().to_string()));
    let signature = pair.sign(&random, text.as_bytes()).unwrap();
    let token = format!("{text}.{}", encoded(signature));
    let set = json!({"keys": [rsa, p256]}).to_string();
    let keys = jwk::parse(set.as_bytes()).unwrap();
    assert_eq!(keys.len(), 2);
    assert!(judge(&token, &keys, 1000).is_ok());
    assert_eq!(
        judge(RSA_TOKEN, &keys, 1_800_000_000).unwrap().subject,
        "u-1"
    );
    let forged = RSA_TOKEN.replacen('A', "B", 1);
    assert!(judge(&forged, &keys, 1_800_000_000).is_err());
}

#[test]
fn keys_that_are_of_no_use_are_left_out() {
    let good = Signer::new("k1").jwk();
    let with = |name: &str, value: Value| {
        let mut key = good.clone();
        key[name] = value;
        jwk::parse(json!({"keys": [key]}).to_string().as_bytes())
            .unwrap()
            .len()
    };
    assert_eq!(with("kid", json!("k2")), 1);
    assert_eq!(with("use", json!("enc")), 0);
    assert_eq!(with("alg", json!("RS256")), 0);
    assert_eq!(with("crv", json!("P-384")), 0);
    assert_eq!(with("kty", json!("oct")), 0);
    assert_eq!(with("x", json!("AAAA")), 0);
    let short = json!({"keys": [{"kty": "RSA", "n": "AAAA", "e": "AQAB"}, 7, null, {}]});
    assert_eq!(jwk::parse(short.to_string().as_bytes()), Ok(Vec::new()));
    assert!(jwk::parse(b"{}").is_err() && jwk::parse(b"").is_err());
    let many = json!({"keys": vec![good; 101]}).to_string();
    assert_eq!(jwk::parse(many.as_bytes()), Err(jwk::BadKeys::Long));
}

/// A provider on this machine whose keys can be changed.
struct TestProvider {
    issuer: String,
    keys: Arc<Mutex<Vec<Value>>>,
    asked: Arc<Mutex<usize>>,
    /// Whoever holds this keeps it from answering.
    held: Arc<tokio::sync::Mutex<()>>,
}

impl TestProvider {
    async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let issuer = format!("http://{}", listener.local_addr().unwrap());
        let (keys, asked) = (
            Arc::<Mutex<Vec<Value>>>::default(),
            Arc::<Mutex<usize>>::default(),
        );
        let (served, counted, base) = (Arc::clone(&keys), Arc::clone(&asked), issuer.clone());
        let held = Arc::<tokio::sync::Mutex<()>>::default();
        let gate = Arc::clone(&held);
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                let mut head = vec![0; 4096];
                let read = stream.read(&mut head).await.unwrap_or(0);
                let head = String::from_utf8_lossy(&head[..read]).into_owned();
                let body = if head.starts_with("GET /keys ") {
                    *counted.lock().unwrap() += 1;
                    json!({"keys": *served.lock().unwrap()})
                } else {
                    json!({"issuer": base, "jwks_uri": format!("{base}/keys")})
                };
                let body = body.to_string();
                let _gate = gate.lock().await;
                let answer = format!(
                    "HTTP/1.1 200 OK\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
                    body.len()
                );
                let _ = stream.write_all(answer.as_bytes()).await;
            }
        });
        Self {
            issuer,
            keys,
            asked,
            held,
        }
    }

    fn oidc(&self) -> Oidc {
        let rule = "admins=>admin@system".parse().unwrap();
        Oidc::new(OidcSettings {
            issuer: self.issuer.clone(),
            audience: AUDIENCE.to_owned(),
            roles_claim: "groups".to_owned(),
            rules: vec![rule],
            ca_file: None,
        })
        .unwrap()
    }

    fn claims(&self) -> Value {
        let mut claims = changed("iss", json!(self.issuer));
        claims["exp"] = json!(Timestamp::now().0 / 1_000_000 + 100);
        claims
    }
}

#[tokio::test]
async fn the_keys_of_a_provider_are_found_and_kept() {
    let provider = TestProvider::start().await;
    let signer = Signer::new("k1");
    provider.keys.lock().unwrap().push(signer.jwk());
    let oidc = provider.oidc();
    let token = signer.token(&provider.claims());
    for _ in 0..3 {
        let identity = oidc.identify(token.as_bytes(), None).await.unwrap();
        assert_eq!(identity.user.as_deref(), Some("oidc:u-1"));
        assert_eq!(identity.credentials.system_scope.as_deref(), Some("all"));
        assert!(identity.credentials.roles.contains("admin"));
    }
    assert_eq!(*provider.asked.lock().unwrap(), 1);
    // Inventions do not become questions.
    for _ in 0..3 {
        let invented = Signer::new("k9").token(&provider.claims());
        let refused = oidc.identify(invented.as_bytes(), None).await;
        assert_eq!(refused, Err(AuthRefusal::BadToken));
    }
    assert_eq!(*provider.asked.lock().unwrap(), 1);
}

#[tokio::test]
async fn a_key_that_is_new_is_fetched() {
    let provider = TestProvider::start().await;
    let (old, new) = (Signer::new("old"), Signer::new("new"));
    provider.keys.lock().unwrap().push(old.jwk());
    let oidc = provider.oidc();
    let token = old.token(&provider.claims());
    assert!(oidc.identify(token.as_bytes(), None).await.is_ok());
    *provider.keys.lock().unwrap() = vec![new.jwk()];
    oidc.provider.forget_pause();
    let rotated = new.token(&provider.claims());
    assert!(oidc.identify(rotated.as_bytes(), None).await.is_ok());
    // What was signed with the key that was taken away is over.
    assert!(oidc.identify(token.as_bytes(), None).await.is_err());
}

#[tokio::test]
async fn a_request_that_is_given_up_leaves_the_fetch_to_others() {
    let provider = TestProvider::start().await;
    let signer = Signer::new("k1");
    provider.keys.lock().unwrap().push(signer.jwk());
    let oidc = provider.oidc();
    let token = signer.token(&provider.claims());
    let held = provider.held.lock().await;
    let mut waker = Context::from_waker(Waker::noop());
    let mut given_up = Box::pin(oidc.identify(token.as_bytes(), None));
    assert!(given_up.as_mut().poll(&mut waker).is_pending());
    drop(given_up);
    drop(held);
    let others = [0; 3].map(|_| oidc.identify(token.as_bytes(), None));
    for identity in futures_util::future::join_all(others).await {
        assert_eq!(identity.unwrap().user.as_deref(), Some("oidc:u-1"));
    }
    assert_eq!(*provider.asked.lock().unwrap(), 1);
}

#[tokio::test]
async fn a_provider_that_is_away_is_no_reason_to_let_anybody_in() {
    let gone = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let issuer = format!("http://{}", gone.local_addr().unwrap());
    drop(gone);
    let oidc = Oidc::new(OidcSettings {
        issuer,
        audience: AUDIENCE.to_owned(),
        roles_claim: "groups".to_owned(),
        rules: Vec::new(),
        ca_file: None,
    });
    let token = Signer::new("k1").token(&claims());
    let refused = oidc.unwrap().identify(token.as_bytes(), None).await;
    assert_eq!(refused, Err(AuthRefusal::NoProvider));
}
