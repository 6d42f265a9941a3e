//! `serve --jwt-…`: flags to a resource server of OAuth 2.1.

use super::Failure;
use crate::{
    regular_file,
    serve::{HttpOptions, Jwt, JwtKeys},
};
use clap::Args;
use std::{path::PathBuf, sync::Arc};

/// Who is let in by JSON Web Tokens.
#[derive(Debug, Clone, Args)]
#[group(id = "jwt")]
pub(super) struct JwtOptions {
    /// Let in whoever has a JSON Web Token of this issuer, and tell clients to get one there
    #[arg(long, value_name = "URL", requires_all = ["http", "jwt_audience"])]
    #[cfg_attr(not(feature = "jwks"), arg(requires = "jwt_keys"))]
    jwt_issuer: Option<String>,
    /// For whom tokens must be issued: the URL at which clients reach this server
    #[arg(long, value_name = "URL", requires = "jwt_issuer")]
    jwt_audience: Option<String>,
    /// The issuer's keys, a JWK Set or a public key in PEM; without it, those that the issuer publishes
    #[arg(long, value_name = "FILE", requires = "jwt_issuer")]
    jwt_keys: Option<PathBuf>,
}

impl JwtOptions {
    /// Adds what the flags say to the settings.
    pub(super) fn guard(&self, http: &mut HttpOptions) -> Result<(), Failure> {
        let (Some(issuer), Some(audience)) = (&self.jwt_issuer, &self.jwt_audience) else { return Ok(()) };
        let jwt = Jwt::new(audience, issuer, self.keys(issuer)?);
        http.protected_resource = Some(jwt.protected_resource());
        http.authenticate = Some(Arc::new(jwt));
        Ok(())
    }

    fn keys(&self, issuer: &str) -> Result<JwtKeys, Failure> {
        let Some(path) = &self.jwt_keys else { return published(issuer) };
        let told = |error: &dyn std::error::Error| format!("{}: {error}", path.display());
        let text = regular_file::read_to_string(path).map_err(|error| told(&error))?;
        let is_json = text.trim_start().starts_with('{');
        let keys = if is_json { JwtKeys::from_jwks(&text) } else { JwtKeys::from_pem(&text) };
        Ok(keys.map_err(|error| told(&error))?)
    }
}

#[cfg(feature = "jwks")]
fn published(issuer: &str) -> Result<JwtKeys, Failure> {
    Ok(JwtKeys::of_issuer(issuer)?)
}

#[cfg(not(feature = "jwks"))]
fn published(_: &str) -> Result<JwtKeys, Failure> {
    Err("name the issuer's keys by --jwt-keys; only the feature `jwks` fetches them".into())
}
