//! A key that verifies signatures, with the algorithms that it may be used with. The key determines
//! its algorithms; the token does not choose them (RFC 8725, section 3.1).

use jsonwebtoken::{
    Algorithm, AlgorithmFamily, DecodingKey, DecodingKeyKind,
    crypto::{self, rust_crypto},
    jwk::{AlgorithmParameters, EllipticCurve, Jwk, KeyOperations, PublicKeyUse},
};
use serde_json::Value;
use std::sync::Arc;

/// The accepted sizes of RSA keys, in bits. Shorter keys can be broken, longer ones cost more time
/// than a token is worth.
const RSA_BITS: std::ops::RangeInclusive<usize> = 2_048..=4_096;

/// A key that verifies signatures.
#[derive(Debug, Clone)]
pub(super) struct VerifyingKey {
    pub(super) id: Option<Arc<str>>,
    pub(super) algorithms: Arc<[Algorithm]>,
    pub(super) verifying: Arc<DecodingKey>,
}

impl VerifyingKey {
    /// Reads a key of a JWK Set (RFC 7517). Returns `None` unless this server can verify signatures
    /// with it.
    pub(super) fn from_jwk(value: &Value) -> Option<Self> {
        let jwk: Jwk = serde_json::from_value(value.clone())
            .ok()
            .filter(is_for_signatures)?;
        let natural: &[Algorithm] = match &jwk.algorithm {
            AlgorithmParameters::EllipticCurve(key) if key.curve == EllipticCurve::P256 => {
                &[Algorithm::ES256]
            }
            AlgorithmParameters::EllipticCurve(key) if key.curve == EllipticCurve::P384 => {
                &[Algorithm::ES384]
            }
            AlgorithmParameters::OctetKeyPair(key) if key.curve == EllipticCurve::Ed25519 => {
                &[Algorithm::EdDSA]
            }
            AlgorithmParameters::RSA(_) => AlgorithmFamily::Rsa.algorithms(),
            _ => return None,
        };
        // An `alg` in the JWK restricts the key to that algorithm (RFC 7517, section 4.4). One that
        // is unknown here makes the key unusable.
        let declared = match jwk.common.key_algorithm {
            Some(declared) => Some(Algorithm::try_from(declared).ok()?),
            None => None,
        };
        let key = DecodingKey::from_jwk(&jwk).ok()?;
        let algorithms = natural
            .iter()
            .copied()
            .filter(|natural| declared.is_none_or(|declared| declared == *natural));
        Self::new(jwk.common.key_id.map(Into::into), key, algorithms)
    }

    /// Reads a public key in PEM: RSA, P-256, P-384 or Ed25519.
    pub(super) fn from_pem(pem: &[u8]) -> Option<Self> {
        if let Ok(key) = DecodingKey::from_rsa_pem(pem) {
            return Self::new(None, key, AlgorithmFamily::Rsa.algorithms().iter().copied());
        }
        if let Ok(key) = DecodingKey::from_ed_pem(pem) {
            return Self::new(None, key, [Algorithm::EdDSA]);
        }
        let key = DecodingKey::from_ec_pem(pem).ok()?;
        // The PEM parser does not reveal the curve. `is_sound` removes the algorithm that does not
        // fit it.
        Self::new(None, key, [Algorithm::ES256, Algorithm::ES384])
    }

    /// Creates a key from a secret that is shared with the issuer. An algorithm is allowed if its
    /// hash is not longer than the secret (RFC 7518, section 3.2).
    pub(super) fn from_secret(secret: &[u8]) -> Option<Self> {
        let hashes = [
            (Algorithm::HS256, 32),
            (Algorithm::HS384, 48),
            (Algorithm::HS512, 64),
        ];
        let algorithms = hashes
            .into_iter()
            .filter(|(_, bytes)| secret.len() >= *bytes)
            .map(|(algorithm, _)| algorithm);
        Self::new(None, DecodingKey::from_secret(secret), algorithms)
    }

    fn new(
        id: Option<Arc<str>>,
        key: DecodingKey,
        algorithms: impl IntoIterator<Item = Algorithm>,
    ) -> Option<Self> {
        // If another crate enables both backends of jsonwebtoken, it panics unless one was
        // installed. An error means that one is.
        let _ = rust_crypto::DEFAULT_PROVIDER.install_default();
        let algorithms: Arc<[Algorithm]> = algorithms
            .into_iter()
            .filter(|algorithm| is_sound(&key, *algorithm))
            .collect();
        (!algorithms.is_empty()).then(|| Self {
            id,
            algorithms,
            verifying: Arc::new(key),
        })
    }
}

fn is_for_signatures(jwk: &Jwk) -> bool {
    let purpose = &jwk.common.public_key_use;
    let operations = &jwk.common.key_operations;
    purpose
        .as_ref()
        .is_none_or(|purpose| *purpose == PublicKeyUse::Signature)
        && operations
            .as_ref()
            .is_none_or(|operations| operations.contains(&KeyOperations::Verify))
}

/// Returns whether the key fits the algorithm and is strong enough. Checked once here, as
/// jsonwebtoken panics on some unsuitable keys.
fn is_sound(key: &DecodingKey, algorithm: Algorithm) -> bool {
    match (algorithm.family(), key.kind()) {
        (AlgorithmFamily::Hmac, DecodingKeyKind::SecretOrDer(_)) => true,
        (AlgorithmFamily::Ed, DecodingKeyKind::SecretOrDer(point)) => {
            point.len() == 32 && is_point(key, algorithm)
        }
        (AlgorithmFamily::Ec, DecodingKeyKind::SecretOrDer(_)) => is_point(key, algorithm),
        (AlgorithmFamily::Rsa, DecodingKeyKind::RsaModulusExponent { n, .. }) => {
            RSA_BITS.contains(&bits(n))
        }
        (AlgorithmFamily::Rsa, DecodingKeyKind::SecretOrDer(der)) => {
            let parts = rust_crypto::DEFAULT_PROVIDER
                .key_utils
                .rsa_pub_components_from_public_key;
            parts(der).is_ok_and(|(n, _)| RSA_BITS.contains(&bits(&n)))
        }
        _ => false,
    }
}

/// Returns whether the key is a point on this algorithm's curve. `verify` fails for an invalid
/// point, but returns `Ok(false)` for a wrong signature.
fn is_point(key: &DecodingKey, algorithm: Algorithm) -> bool {
    crypto::verify("", b"", key, algorithm).is_ok()
}

/// Returns the length of a big-endian number in bits.
fn bits(number: &[u8]) -> usize {
    let mut bytes = number.iter().skip_while(|byte| **byte == 0);
    let Some(first) = bytes.next() else { return 0 };
    8 * bytes.count() + 8 - first.leading_zeros() as usize
}
