//! `serve --jwt-…`: the server as a resource server of OAuth 2.1.

use super::CliError;
#[cfg(feature = "jwks")]
use super::limits::parse_time;
use crate::{
    serve::{Authenticate, HttpOptions, Jwt, JwtKeys, ProtectedResource},
    text::regular_file,
};
use clap::Args;
#[cfg(feature = "jwks")]
use std::time::Duration;
use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

/// The JSON Web Tokens to accept.
#[derive(Debug, Clone, Args)]
#[group(id = "jwt")]
pub(super) struct JwtOptions {
    /// Accept callers with a JSON Web Token of this issuer, and refer clients to it
    #[arg(long, value_name = "URL", requires_all = ["http", "jwt_audience"])]
    #[cfg_attr(not(feature = "jwks"), arg(requires = "jwt_keys"))]
    jwt_issuer: Option<String>,
    /// The audience that tokens must contain: the URL at which clients reach this server
    #[arg(long, value_name = "URL", requires = "jwt_issuer")]
    jwt_audience: Option<String>,
    /// A file with the issuer's keys, as a JWK Set or a public key in PEM; by default the issuer's
    /// published keys are fetched
    #[arg(long, value_name = "FILE", requires = "jwt_issuer")]
    jwt_keys: Option<PathBuf>,
    /// How long published keys are used while they cannot be fetched again, e.g. 60m; 1440m (one
    /// day) by default
    #[cfg(feature = "jwks")]
    #[arg(long, value_name = "TIME", requires = "jwt_issuer", conflicts_with = "jwt_keys", value_parser = parse_time)]
    jwt_keys_max_age: Option<Duration>,
}

/// The token check that the flags request. It is separate from the settings, so that code that
/// changes the settings cannot remove it.
pub(super) struct JwtGuard {
    who: Arc<dyn Authenticate>,
    resource: ProtectedResource,
}

impl JwtGuard {
    fn new(jwt: Jwt) -> Self {
        Self {
            resource: jwt.protected_resource(),
            who: Arc::new(jwt),
        }
    }

    /// Adds the check to the settings, if it is missing.
    ///
    /// # Errors
    ///
    /// Returns an error if the settings contain another check.
    pub(super) fn apply(&self, mut http: HttpOptions) -> Result<HttpOptions, CliError> {
        let who = http.authenticate.get_or_insert_with(|| self.who.clone());
        if !Arc::ptr_eq(who, &self.who) {
            return Err(
                "this server already authenticates callers in another way; remove --jwt-issuer or the other authentication".into()
            );
        }
        // The author's code may replace the metadata, as for a display name, but not the check.
        http.protected_resource
            .get_or_insert_with(|| self.resource.clone());
        Ok(http)
    }
}

impl JwtOptions {
    /// Returns the token check, if the flags request one.
    ///
    /// # Errors
    ///
    /// Returns an error if the keys cannot be read.
    pub(super) fn guard(&self) -> Result<Option<JwtGuard>, CliError> {
        // clap requires each of the two flags for the other one.
        let (Some(issuer), Some(audience)) = (&self.jwt_issuer, &self.jwt_audience) else {
            return Ok(None);
        };
        Ok(Some(JwtGuard::new(Jwt::new(
            audience,
            issuer,
            self.keys(issuer)?,
        ))))
    }

    fn keys(&self, issuer: &str) -> Result<JwtKeys, CliError> {
        let Some(path) = &self.jwt_keys else {
            return self.published(issuer);
        };
        let text = regular_file::read_to_string(path).map_err(|error| in_file(path, &error))?;
        // A JWK Set is a JSON object, and PEM begins with dashes.
        let is_json = text.trim_start().starts_with('{');
        let keys = if is_json {
            JwtKeys::from_jwks(&text)
        } else {
            JwtKeys::from_pem(&text)
        };
        Ok(keys.map_err(|error| in_file(path, &error))?)
    }

    #[cfg(feature = "jwks")]
    fn published(&self, issuer: &str) -> Result<JwtKeys, CliError> {
        let keys = JwtKeys::from_issuer(issuer)?;
        Ok(match self.jwt_keys_max_age {
            Some(max_age) => keys.max_age(max_age),
            None => keys,
        })
    }

    #[cfg(not(feature = "jwks"))]
    fn published(&self, _: &str) -> Result<JwtKeys, CliError> {
        Err("name a file with the issuer's keys with --jwt-keys; this binary was built without the feature `jwks`, which fetches them".into())
    }
}

fn in_file(path: &Path, error: &dyn std::error::Error) -> String {
    format!("{}: {error}", path.display())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    const AUDIENCE: &str = "https://shop.example/mcp";

    fn guard() -> JwtGuard {
        let keys = JwtKeys::from_pem(include_str!(
            "../serve/http/oauth/jwt/fixtures/ed25519.pub.pem"
        ))
        .unwrap();
        JwtGuard::new(Jwt::new(AUDIENCE, "https://id.example", keys))
    }

    /// The settings after a change by the author's code.
    fn changed(
        guard: &JwtGuard,
        change: impl FnOnce(&mut HttpOptions),
    ) -> Result<HttpOptions, String> {
        let mut settings = guard.apply(HttpOptions::new()).unwrap();
        change(&mut settings);
        guard.apply(settings).map_err(|error| error.to_string())
    }

    #[test]
    fn the_authors_code_takes_no_guard_away() {
        let guard = guard();
        let settings = changed(&guard, |http| {
            (http.authenticate, http.protected_resource) = (None, None)
        })
        .unwrap();
        assert!(Arc::ptr_eq(&settings.authenticate.unwrap(), &guard.who));
        assert_eq!(settings.protected_resource, Some(guard.resource.clone()));
        let named = guard.resource.clone().named("The shop");
        let settings =
            changed(&guard, |http| http.protected_resource = Some(named.clone())).unwrap();
        assert_eq!(
            settings.protected_resource,
            Some(named),
            "the author chooses the metadata"
        );
    }

    #[test]
    fn two_guards_are_an_error() {
        let other = self::guard();
        let error = changed(&guard(), |http| http.authenticate = Some(other.who)).unwrap_err();
        assert!(error.contains("--jwt-issuer"), "{error}");
    }
}
