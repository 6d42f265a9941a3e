//! The choice of the key and of the algorithm for a token.

use super::*;

const ASYMMETRIC: [Algorithm; 9] = [
    Algorithm::RS256,
    Algorithm::RS384,
    Algorithm::RS512,
    Algorithm::PS256,
    Algorithm::PS384,
    Algorithm::PS512,
    Algorithm::ES256,
    Algorithm::ES384,
    Algorithm::EdDSA,
];

fn jwt(keys: JwtKeys) -> Jwt {
    Jwt::new(AUDIENCE, ISSUER, keys)
}

fn pem(algorithm: Algorithm) -> &'static str {
    match algorithm {
        Algorithm::ES256 => include_str!("../fixtures/p256.pub.pem"),
        Algorithm::ES384 => include_str!("../fixtures/p384.pub.pem"),
        Algorithm::EdDSA => include_str!("../fixtures/ed25519.pub.pem"),
        _ => include_str!("../fixtures/rsa.pub.pem"),
    }
}

fn signed_by(algorithm: Algorithm) -> String {
    signed(&header(algorithm, "k"), &claims())
}

#[tokio::test]
async fn every_algorithm_is_known_by_set_and_by_pem() {
    for algorithm in ASYMMETRIC {
        for keys in [
            set(&[jwk(algorithm, "k")]),
            JwtKeys::from_pem(pem(algorithm)).unwrap(),
        ] {
            assert_eq!(
                principal(&jwt(keys), &signed_by(algorithm)).await.subject(),
                "alice",
                "{algorithm:?}"
            );
        }
    }
    let secret = jwt(JwtKeys::from_secret(SECRET).unwrap());
    assert_eq!(
        principal(&secret, &signed_by(Algorithm::HS256))
            .await
            .subject(),
        "alice"
    );
    invalid(&secret, &signed_by(Algorithm::HS512), "does not publish").await;
}

#[tokio::test]
async fn a_key_is_good_for_its_own_algorithm_only() {
    for algorithm in ASYMMETRIC {
        let keys = set(&[jwk(algorithm, "k")]);
        let jwt = jwt(keys);
        for other in ASYMMETRIC.into_iter().filter(|other| *other != algorithm) {
            invalid(&jwt, &signed_by(other), "does not publish").await;
        }
    }
}

#[tokio::test]
async fn an_rsa_key_that_names_no_algorithm_is_good_for_all_of_rsa() {
    let mut key = jwk(Algorithm::RS256, "k");
    key.as_object_mut().unwrap().remove("alg");
    let jwt = jwt(set(&[key]));
    for algorithm in &ASYMMETRIC[..6] {
        principal(&jwt, &signed_by(*algorithm)).await;
    }
}

/// The attack: a public key is not a secret. A server that uses it as one accepts tokens from
/// anyone (RFC 8725, section 2.1).
#[tokio::test]
async fn a_public_key_is_never_taken_for_a_secret() {
    for algorithm in [Algorithm::RS256, Algorithm::ES256, Algorithm::EdDSA] {
        for hash in [Algorithm::HS256, Algorithm::HS384, Algorithm::HS512] {
            for secret in [
                pem(algorithm).as_bytes(),
                pem(algorithm).trim().as_bytes(),
                jwk(algorithm, "k")["n"].to_string().as_bytes(),
            ] {
                let forged = encode(
                    &header(hash, "k"),
                    &claims(),
                    &EncodingKey::from_secret(secret),
                )
                .unwrap();
                for keys in [
                    set(&[jwk(algorithm, "k")]),
                    JwtKeys::from_pem(pem(algorithm)).unwrap(),
                ] {
                    invalid(&jwt(keys), &forged, "does not publish").await;
                }
            }
        }
    }
}

#[tokio::test]
async fn none_is_no_algorithm() {
    let good = token(&claims());
    let [_, payload, signature] = good.split('.').collect::<Vec<_>>().try_into().unwrap();
    // {"alg":"none"}, "None", "nOnE"
    for header in [
        "eyJhbGciOiJub25lIn0",
        "eyJhbGciOiJOb25lIn0",
        "eyJhbGciOiJuT25FIn0",
    ] {
        for signature in ["", signature] {
            let none = format!("{header}.{payload}.{signature}");
            invalid(
                &trusting(),
                &none,
                "not a JSON Web Token with an algorithm that this server supports",
            )
            .await;
        }
    }
}

#[tokio::test]
async fn algorithms_can_be_narrowed() {
    let keys = || set(&[jwk(Algorithm::EdDSA, "k"), jwk(Algorithm::ES256, "k")]);
    let narrow = jwt(keys()).algorithms([JwtAlgorithm::ES256]);
    principal(&narrow, &signed_by(Algorithm::ES256)).await;
    invalid(
        &narrow,
        &signed_by(Algorithm::EdDSA),
        "an algorithm (`alg`) that this server does not accept",
    )
    .await;
}

#[tokio::test]
async fn a_token_means_the_key_that_it_names() {
    let named = |id: Option<&str>| {
        let header = Header {
            kid: id.map(str::to_owned),
            ..Header::new(Algorithm::EdDSA)
        };
        signed(&header, &claims())
    };
    let mut decoy = jwk(Algorithm::EdDSA, "decoy");
    decoy["x"] = json!("11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"); // RFC 8037, appendix A.2
    let several = jwt(set(&[decoy.clone(), jwk(Algorithm::EdDSA, "ed")]));
    principal(&several, &named(Some("ed"))).await;
    invalid(&several, &named(Some("decoy")), "signature is not valid").await;
    for unclear in [None, Some("gone"), Some("")] {
        invalid(&several, &named(unclear), "does not publish").await;
    }
    let one = jwt(set(&[
        jwk(Algorithm::EdDSA, "ed"),
        jwk(Algorithm::ES256, "es"),
    ]));
    principal(&one, &named(None)).await;
    invalid(&one, &named(Some("gone")), "does not publish").await;
}

#[test]
fn keys_for_something_else_or_of_another_kind_are_left_out() {
    let changed = |name: &str, value: Value| {
        let mut key = jwk(Algorithm::EdDSA, "k");
        key[name] = value;
        key
    };
    let rsa = |n: &str| json!({ "kty": "RSA", "n": n, "e": "AQAB" });
    for useless in [
        changed("use", json!("enc")),
        changed("key_ops", json!(["sign"])),
        changed("alg", json!("ES256")),
        changed("alg", json!("RSA-OAEP")),
        changed("crv", json!("X25519")),
        // jsonwebtoken panics when it verifies with these.
        changed("x", json!("AAAA")),
        changed("x", json!("")),
        changed("x", json!("A".repeat(400))),
        changed("x", json!("!")),
        json!({ "kty": "oct", "k": "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY" }),
        json!({ "kty": "EC", "crv": "P-256", "x": "AA", "y": "AA" }),
        json!({ "kty": "EC", "crv": "P-521", "x": "AA", "y": "AA" }),
        rsa(""),
        rsa("AQAB"),
        rsa(&"_".repeat(171)),   // 1,024 bits
        rsa(&"_".repeat(1_366)), // 8,192 bits
        json!({ "kty": "new" }),
        json!({}),
        json!(null),
        json!(7),
    ] {
        let alone = JwtKeys::from_jwks(&json!({ "keys": [useless] }).to_string());
        assert!(matches!(alone, Err(JwtKeyError::NoKey)), "{useless}");
        set(&[useless, jwk(Algorithm::EdDSA, "k")]);
    }
}

#[test]
fn what_holds_no_key_is_refused() {
    for (text, told) in [
        ("", "not a JWK Set: EOF"),
        ("{}", "not a JWK Set: missing field `keys`"),
        (
            "{\"keys\": []}",
            "no key in the JWK Set can verify signatures",
        ),
    ] {
        let error = JwtKeys::from_jwks(text).unwrap_err().to_string();
        assert!(error.starts_with(told), "{error}");
    }
    let many = vec![jwk(Algorithm::EdDSA, "k"); 65];
    let many = JwtKeys::from_jwks(&json!({ "keys": many }).to_string());
    assert!(matches!(many, Err(JwtKeyError::TooManyKeys)));
    let private = rsa_key::pem();
    assert!(EncodingKey::from_rsa_pem(private.as_bytes()).is_ok());
    let weak = include_str!("../fixtures/rsa1024.pub.pem");
    for pem in [
        "",
        "x",
        "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----",
        &private,
        weak,
    ] {
        assert!(
            matches!(JwtKeys::from_pem(pem), Err(JwtKeyError::NoPem)),
            "{pem}"
        );
    }
    for short in [&b""[..], &SECRET[1..]] {
        assert!(matches!(
            JwtKeys::from_secret(short),
            Err(JwtKeyError::ShortSecret)
        ));
    }
}

#[test]
fn nothing_secret_is_shown_for_debugging() {
    let jwt = jwt(JwtKeys::from_secret(SECRET).unwrap());
    assert!(!format!("{jwt:?}").contains("48, 49"), "{jwt:?}");
    assert!(!format!("{jwt:?}").contains("0123"));
}
