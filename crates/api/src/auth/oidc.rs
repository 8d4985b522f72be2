//! Users of a provider of OpenID Connect, beside local ones: its access or ID tokens are accepted as
//! bearers, and what they say about groups or roles becomes roles here.
//!
//! Such users have no row in the database, and so neither a password nor tokens of ours. They are
//! called `oidc:SUBJECT`, which no local user can be called.

pub mod jwk;
pub mod jwt;
mod provider;
pub mod roles;
#[cfg(test)]
mod tests;

use super::{AuthRefusal, Identity, Proof, local::place};
use provider::Provider;
use roles::RoleRule;
use std::{io, path::PathBuf, sync::Arc};
use types::{Timestamp, account::RoleScope};

/// Where tokens come from, and what they are good for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OidcSettings {
    /// Exactly as it stands in tokens (`iss`).
    pub issuer: String,
    /// Whom tokens must be for (`aud`).
    pub audience: String,
    /// Where roles or groups stand in a token, with dots between names.
    pub roles_claim: String,
    pub rules: Vec<RoleRule>,
    /// Authorities that are trusted to know the provider; those of the machine if unset.
    pub ca_file: Option<PathBuf>,
}

/// The provider cannot be asked.
#[derive(Debug, thiserror::Error)]
pub enum OidcError {
    #[error("the issuer must be an https address without a query")]
    Issuer,
    #[error("{} cannot be read", path.display())]
    Unreadable {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    #[error("{} holds no certificates", path.display())]
    Unusable {
        path: PathBuf,
        #[source]
        source: reqwest::Error,
    },
    #[error("HTTP cannot be set up")]
    Setup(#[source] reqwest::Error),
}

/// Whoever knows which tokens of a provider are good.
#[derive(Debug)]
pub(crate) struct Oidc {
    settings: OidcSettings,
    provider: Provider,
}

impl Oidc {
    pub(crate) fn new(settings: OidcSettings) -> Result<Self, OidcError> {
        if !provider::is_safe(&settings.issuer) || settings.issuer.contains(['?', '#']) {
            return Err(OidcError::Issuer);
        }
        Ok(Self {
            provider: Provider::new(&settings)?,
            settings,
        })
    }

    /// Who sent a request with this token.
    pub(super) async fn identify(
        &self,
        token: &[u8],
        wished: Option<&RoleScope>,
    ) -> Result<Identity, AuthRefusal> {
        let refused = |why: jwt::BadToken| {
            tracing::info!("a token of the OpenID provider is refused: {why}");
            AuthRefusal::BadToken
        };
        let token = std::str::from_utf8(token).map_err(|_| AuthRefusal::BadToken)?;
        let token = jwt::parse(token).map_err(refused)?;
        let keys = self.provider.keys(&token).await;
        let keys = keys.map_err(|_| AuthRefusal::NoProvider)?;
        let settings = &self.settings;
        let expected = (settings.issuer.as_str(), settings.audience.as_str());
        // Time of the calendar, because it is the provider's that is compared.
        let now = Timestamp::now().0 / 1_000_000;
        let claims = token.verify(&keys, expected, now).map_err(refused)?;
        let grants = roles::grants(&claims.all, &settings.roles_claim, &settings.rules);
        let user = format!("oidc:{}", claims.subject);
        let credentials = place::credentials(&user, &grants, wished, None)?;
        Ok(Identity {
            user: Some(user),
            credentials: Arc::new(credentials),
            token: None,
            proof: Proof::Other,
        })
    }

    /// Whether a token may be one of the provider's.
    pub(super) fn is_token(&self, token: &[u8]) -> bool {
        jwt::is_token(token)
    }
}
