//! HTTP Digest Access Authentication (RFC 7616), for both sides.
//!
//! The password does not travel: a client hashes it together with what the server has just said.
//! `auth` is the only quality of protection that is spoken, with MD5 or SHA-256, and what RFC 2069
//! had before there were qualities. Session variants (`-sess`), hashed user names and `auth-int` are
//! left out; no BMC was seen to ask for them.

use md5::Md5;
use sha2::{Digest as _, Sha256};

/// No value of a challenge or an answer is longer.
const LONGEST: usize = 1024;

/// How values are hashed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Algorithm {
    Md5,
    Sha256,
}

impl Algorithm {
    const ALL: [Self; 2] = [Self::Md5, Self::Sha256];

    pub const fn name(self) -> &'static str {
        match self {
            Self::Md5 => "MD5",
            Self::Sha256 => "SHA-256",
        }
    }

    fn of(name: Option<&str>) -> Option<Self> {
        // Section 3.3: where it is not said, it is MD5.
        let name = name.unwrap_or(Self::Md5.name());
        Self::ALL
            .into_iter()
            .find(|known| known.name().eq_ignore_ascii_case(name))
    }

    fn hash(self, parts: &[&str]) -> String {
        let text = parts.join(":");
        match self {
            Self::Md5 => types::hex::encode(&Md5::digest(text.as_bytes())),
            Self::Sha256 => types::hex::encode(&Sha256::digest(text.as_bytes())),
        }
    }
}

/// What a server wants to have answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Challenge {
    pub realm: String,
    pub nonce: String,
    pub opaque: Option<String>,
    pub algorithm: Algorithm,
    /// Whether it knows `qop="auth"`; without it, as in RFC 2069, no nonce of the client counts.
    pub has_qop: bool,
    /// Whether only the nonce was too old, and not the password wrong.
    pub is_stale: bool,
}

/// Why a server's challenge is not answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ChallengeError {
    #[error("it does not offer HTTP Digest authentication")]
    OtherScheme,
    #[error("its HTTP Digest challenge lacks realm or nonce, or has values that are too long")]
    Incomplete,
    #[error("it wants an algorithm or a protection of HTTP Digest that is not spoken here")]
    Unknown,
}

/// A request that an answer is for.
#[derive(Debug, Clone, Copy)]
pub struct Signed<'a> {
    pub user: &'a str,
    pub password: &'a str,
    pub method: &'a str,
    /// Path and query, as in the request.
    pub uri: &'a str,
    /// A nonce of the client's own.
    pub cnonce: &'a str,
    /// How often the server's nonce was used, this time included.
    pub count: u32,
}

impl Challenge {
    /// The first challenge that can be answered, from the values of `WWW-Authenticate` headers.
    pub fn choose<'h>(headers: impl IntoIterator<Item = &'h str>) -> Result<Self, ChallengeError> {
        let mut wrong = ChallengeError::OtherScheme;
        for header in headers {
            for offer in offers(header) {
                if !offer.scheme.eq_ignore_ascii_case("digest") {
                    continue;
                }
                match Self::of(&offer) {
                    Ok(challenge) => return Ok(challenge),
                    Err(error) => wrong = error,
                }
            }
        }
        Err(wrong)
    }

    fn of(offer: &Offer) -> Result<Self, ChallengeError> {
        let algorithm = Algorithm::of(offer.get("algorithm")).ok_or(ChallengeError::Unknown)?;
        let has_qop = match offer.get("qop") {
            None => false,
            Some(list) => {
                let mut known = list.split(',').map(str::trim);
                if !known.any(|one| one.eq_ignore_ascii_case("auth")) {
                    return Err(ChallengeError::Unknown);
                }
                true
            }
        };
        let (Some(realm), Some(nonce)) = (offer.get("realm"), offer.get("nonce")) else {
            return Err(ChallengeError::Incomplete);
        };
        let opaque = offer.get("opaque");
        let is_sayable = |text: &str| text.len() <= LONGEST && text.is_ascii();
        if ![realm, nonce, opaque.unwrap_or_default()]
            .into_iter()
            .all(is_sayable)
        {
            return Err(ChallengeError::Incomplete);
        }
        let stale = offer.get("stale").unwrap_or_default();
        Ok(Self {
            realm: realm.to_owned(),
            nonce: nonce.to_owned(),
            opaque: opaque.map(str::to_owned),
            algorithm,
            has_qop,
            is_stale: stale.eq_ignore_ascii_case("true"),
        })
    }

    /// The value of the `WWW-Authenticate` header.
    pub fn header(&self) -> String {
        let mut out = format!(
            "Digest realm={}, nonce={}, algorithm={}, stale={}",
            quoted(&self.realm),
            quoted(&self.nonce),
            self.algorithm.name(),
            self.is_stale
        );
        if self.has_qop {
            out.push_str(", qop=\"auth\"");
        }
        if let Some(opaque) = &self.opaque {
            out.push_str(", opaque=");
            out.push_str(&quoted(opaque));
        }
        out
    }

    /// The value of the `Authorization` header that answers it.
    pub fn answer(&self, signed: &Signed<'_>) -> String {
        let credentials = Credentials {
            user: signed.user.to_owned(),
            realm: self.realm.clone(),
            nonce: self.nonce.clone(),
            uri: signed.uri.to_owned(),
            response: String::new(),
            algorithm: self.algorithm,
            opaque: self.opaque.clone(),
            fresh: self.has_qop.then(|| Fresh {
                cnonce: signed.cnonce.to_owned(),
                count: format!("{:08x}", signed.count),
            }),
        };
        let response = credentials.expected(signed.password, signed.method);
        Credentials {
            response,
            ..credentials
        }
        .header()
    }
}

/// What a client answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Credentials {
    pub user: String,
    pub realm: String,
    pub nonce: String,
    pub uri: String,
    pub response: String,
    pub algorithm: Algorithm,
    pub opaque: Option<String>,
    /// What `qop=auth` adds.
    pub fresh: Option<Fresh>,
}

/// The part of an answer that changes with each request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fresh {
    pub cnonce: String,
    /// Eight hexadecimal digits.
    pub count: String,
}

impl Credentials {
    /// Reads the value of an `Authorization` header.
    pub fn parse(header: &str) -> Option<Self> {
        let offers = offers(header);
        let offer = offers
            .iter()
            .find(|offer| offer.scheme.eq_ignore_ascii_case("digest"))?;
        let text = |name: &str| {
            let value = offer.get(name)?;
            (value.len() <= LONGEST).then(|| value.to_owned())
        };
        let fresh = match offer.get("qop") {
            None => None,
            Some(qop) if qop.eq_ignore_ascii_case("auth") => {
                let count = text("nc")?;
                if count.len() != 8 || !count.bytes().all(|digit| digit.is_ascii_hexdigit()) {
                    return None;
                }
                Some(Fresh {
                    cnonce: text("cnonce")?,
                    count,
                })
            }
            Some(_) => return None,
        };
        Some(Self {
            user: text("username")?,
            realm: text("realm")?,
            nonce: text("nonce")?,
            uri: text("uri")?,
            response: text("response")?,
            algorithm: Algorithm::of(offer.get("algorithm"))?,
            opaque: text("opaque"),
            fresh,
        })
    }

    /// Whether it was made with this password, for a request of this method. Realm, nonce and URI
    /// are what the client says; the server compares them with its own.
    pub fn is_right(&self, password: &str, method: &str) -> bool {
        self.response
            .eq_ignore_ascii_case(&self.expected(password, method))
    }

    /// Section 3.4.1.
    fn expected(&self, password: &str, method: &str) -> String {
        let hash = |parts: &[&str]| self.algorithm.hash(parts);
        let secret = hash(&[&self.user, &self.realm, password]);
        let request = hash(&[method, &self.uri]);
        match &self.fresh {
            None => hash(&[&secret, &self.nonce, &request]),
            Some(Fresh { cnonce, count }) => {
                hash(&[&secret, &self.nonce, count, cnonce, "auth", &request])
            }
        }
    }

    /// The value of the `Authorization` header.
    pub fn header(&self) -> String {
        let mut out = format!(
            "Digest username={}, realm={}, nonce={}, uri={}, algorithm={}, response={}",
            quoted(&self.user),
            quoted(&self.realm),
            quoted(&self.nonce),
            quoted(&self.uri),
            self.algorithm.name(),
            quoted(&self.response),
        );
        if let Some(Fresh { cnonce, count }) = &self.fresh {
            // Section 3.4: the quality and the count stand without quotes.
            out.push_str(", qop=auth, nc=");
            out.push_str(count);
            out.push_str(", cnonce=");
            out.push_str(&quoted(cnonce));
        }
        if let Some(opaque) = &self.opaque {
            out.push_str(", opaque=");
            out.push_str(&quoted(opaque));
        }
        out
    }
}

/// A scheme with its parameters.
#[derive(Debug, Default)]
struct Offer {
    scheme: String,
    parameters: Vec<(String, String)>,
}

impl Offer {
    fn get(&self, name: &str) -> Option<&str> {
        let found = self
            .parameters
            .iter()
            .find(|(known, _)| known.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str())
    }
}

/// The schemes of a header. One header may have several, with the same comma between two schemes as
/// between two parameters (RFC 9110 section 11.6.1).
fn offers(header: &str) -> Vec<Offer> {
    let mut all: Vec<Offer> = Vec::new();
    for item in items(header) {
        let item = item.trim();
        let (head, value) = match item.split_once('=') {
            Some((head, value)) => (head.trim_end(), Some(value)),
            None => (item, None),
        };
        let name = match head.split_once(char::is_whitespace) {
            Some((scheme, name)) => {
                all.push(Offer {
                    scheme: scheme.to_owned(),
                    ..Offer::default()
                });
                name.trim_start()
            }
            None if value.is_none() && !head.is_empty() => {
                all.push(Offer {
                    scheme: head.to_owned(),
                    ..Offer::default()
                });
                continue;
            }
            None => head,
        };
        if let (Some(offer), Some(value)) = (all.last_mut(), value) {
            offer
                .parameters
                .push((name.to_owned(), unquoted(value.trim())));
        }
    }
    all
}

/// What stands between commas that are not in quotes.
fn items(header: &str) -> Vec<&str> {
    let (mut is_quoted, mut is_escaped, mut start) = (false, false, 0);
    let mut all = Vec::new();
    for (at, c) in header.char_indices() {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' if is_quoted => is_escaped = true,
            '"' => is_quoted = !is_quoted,
            ',' if !is_quoted => {
                all.extend(header.get(start..at));
                start = at + 1;
            }
            _ => {}
        }
    }
    all.extend(header.get(start..));
    all
}

fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        if c == '"' || c == '\\' {
            out.push('\\');
        }
        out.push(c);
    }
    out.push('"');
    out
}

fn unquoted(text: &str) -> String {
    let Some(inner) = text.strip_prefix('"') else {
        return text.to_owned();
    };
    let inner = inner.strip_suffix('"').unwrap_or(inner);
    let mut out = String::with_capacity(inner.len());
    let mut is_escaped = false;
    for c in inner.chars() {
        if c == '\\' && !is_escaped {
            is_escaped = true;
        } else {
            is_escaped = false;
            out.push(c);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn response(header: &str) -> String {
        Credentials::parse(header).unwrap().response
    }

    /// RFC 7616 section 3.9.1.
    #[test]
    fn the_examples_of_the_standard_come_out() {
        let header = |algorithm: &str| {
            format!(
                "Digest realm=\"http-auth@example.org\", qop=\"auth, auth-int\", \
                 algorithm={algorithm}, nonce=\"7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v\", \
                 opaque=\"FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS\""
            )
        };
        let signed = Signed {
            user: "Mufasa",
            password: "Circle of Life",
            method: "GET",
            uri: "/dir/index.html",
            cnonce: "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ",
            count: 1,
        };
        for (algorithm, expected) in [
            ("MD5", "8ca523f5e9506fed4657c9700eebdbec"),
            (
                "SHA-256",
                "753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1",
            ),
        ] {
            let challenge = Challenge::choose([header(algorithm).as_str()]).unwrap();
            assert!(challenge.has_qop && !challenge.is_stale);
            let answer = challenge.answer(&signed);
            assert_eq!(response(&answer), expected);
            let credentials = Credentials::parse(&answer).unwrap();
            assert!(credentials.is_right("Circle of Life", "GET"));
            assert!(!credentials.is_right("Circle of Life", "POST"));
            assert!(!credentials.is_right("circle of life", "GET"));
            assert_eq!(credentials.header(), answer);
        }
    }

    /// RFC 2617 section 3.5 without its quality, which is RFC 2069.
    #[test]
    fn a_server_without_qualities_is_answered() {
        let header = "Digest realm=\"testrealm@host.com\", \
                      nonce=\"dcd98b7102dd2f0e8b11d0f600bfb0c093\"";
        let challenge = Challenge::choose([header]).unwrap();
        assert_eq!(challenge.algorithm, Algorithm::Md5);
        let answer = challenge.answer(&Signed {
            user: "Mufasa",
            password: "Circle Of Life",
            method: "GET",
            uri: "/dir/index.html",
            cnonce: "0a4f113b",
            count: 1,
        });
        assert_eq!(response(&answer), "670fd8c2df070c60b045671b8b24ff02");
        assert!(!answer.contains("qop") && !answer.contains("cnonce"));
    }

    #[test]
    fn the_first_challenge_that_is_known_is_chosen() {
        let headers = [
            "Negotiate, Basic realm=\"a, Digest nonce=x\"",
            "Digest realm=\"a\", nonce=\"n\", algorithm=SHA-512-256, \
             DIGEST Realm = \"b \\\" \\\\\" , nonce=\"m\",stale=TRUE,, qop=auth",
        ];
        let challenge = Challenge::choose(headers).unwrap();
        assert_eq!(challenge.realm, "b \" \\");
        assert_eq!(challenge.nonce, "m");
        assert!(challenge.is_stale && challenge.has_qop);
        assert_eq!(
            Challenge::choose([challenge.header().as_str()]),
            Ok(challenge)
        );
    }

    #[test]
    fn what_cannot_be_answered_says_why() {
        let long = format!("Digest realm=\"a\", nonce=\"{}\"", "n".repeat(1025));
        for (header, expected) in [
            ("", ChallengeError::OtherScheme),
            ("Basic realm=\"a\"", ChallengeError::OtherScheme),
            ("Digest", ChallengeError::Incomplete),
            ("Digest realm=\"a\"", ChallengeError::Incomplete),
            (long.as_str(), ChallengeError::Incomplete),
            (
                "Digest realm=\"a\", nonce=\"n\", qop=\"auth-int\"",
                ChallengeError::Unknown,
            ),
            (
                "Digest realm=\"a\", nonce=\"n\", algorithm=MD5-sess",
                ChallengeError::Unknown,
            ),
        ] {
            assert_eq!(Challenge::choose([header]), Err(expected), "{header}");
        }
        for header in [
            "Digest username=\"a\"",
            "Digest username=a, realm=b, nonce=c, uri=d, response=e, qop=auth, nc=1, cnonce=f",
            "Digest username=a, realm=b, nonce=c, uri=d, response=e, qop=auth-int",
        ] {
            assert_eq!(Credentials::parse(header), None, "{header}");
        }
    }

    proptest! {
        #[test]
        fn any_header_is_read(text in "(Digest |Basic )?[a-z=\", \\\\]{0,80}") {
            let _ = Challenge::choose([text.as_str()]);
            let _ = Credentials::parse(&text);
        }

        #[test]
        fn answers_are_right(user in "[ -~]{1,12}", password in ".{0,12}", realm in "[ -~]{0,12}") {
            let challenge = Challenge {
                realm,
                nonce: "n".to_owned(),
                opaque: None,
                algorithm: Algorithm::Sha256,
                has_qop: true,
                is_stale: false,
            };
            let read = Challenge::choose([challenge.header().as_str()]);
            prop_assert_eq!(read.as_ref(), Ok(&challenge));
            let signed = Signed {
                user: &user,
                password: &password,
                method: "POST",
                uri: "/wsman",
                cnonce: "c",
                count: 7,
            };
            let credentials = Credentials::parse(&challenge.answer(&signed)).unwrap();
            prop_assert!(credentials.is_right(&password, "POST"));
            prop_assert_eq!(credentials.user, user);
        }
    }
}
