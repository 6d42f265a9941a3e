//! The claims that a token must have.

use super::*;

/// The claims of a valid token with these replaced; `null` removes one.
fn with(changes: Value) -> Value {
    let mut claims = claims();
    for (name, value) in changes.as_object().unwrap() {
        match value {
            Value::Null => drop(claims.as_object_mut().unwrap().remove(name)),
            value => claims[name] = value.clone(),
        }
    }
    claims
}

#[tokio::test]
async fn the_subject_and_the_scopes_are_the_principals() {
    for (scopes, sees) in [
        (json!({}), ["", ""]),
        (json!({ "scope": "a  b" }), ["a", "b"]),
        (json!({ "scp": ["a", "b", 1, null] }), ["a", "b"]),
        (json!({ "scopes": ["a", "b"], "scp": "a" }), ["a", "b"]),
        (json!({ "scope": 1, "scp": { "a": 1 } }), ["", ""]),
    ] {
        let principal = principal(&trusting(), &token(&with(scopes))).await;
        assert_eq!(
            principal,
            Principal::new("alice").with_scopes(sees.into_iter().filter(|scope| !scope.is_empty()))
        );
    }
}

#[tokio::test]
async fn an_author_reads_more_from_a_token() {
    let jwt = trusting().principal_by(|who, claims| match claims.get("till") {
        Some(till) => who.with_attribute("till", till.to_string()),
        None => who.with_scopes(["b"]),
    });
    let at_a_till = principal(&jwt, &token(&with(json!({ "till": 7, "scope": "a" })))).await;
    assert_eq!(
        at_a_till,
        Principal::new("alice")
            .with_scopes(["a"])
            .with_attribute("till", "7")
    );
    let elsewhere = principal(&jwt, &token(&with(json!({ "scope": "a" })))).await;
    assert_eq!(elsewhere, Principal::new("alice").with_scopes(["b"]));
}

#[tokio::test]
async fn a_token_that_has_expired_is_refused_give_or_take_the_leeway() {
    let ago = |seconds| token(&with(json!({ "exp": get_current_timestamp() - seconds })));
    invalid(&trusting(), &ago(70), "expired; get a new one").await;
    principal(&trusting(), &ago(30)).await;
    invalid(&trusting().leeway(Duration::ZERO), &ago(30), "expired").await;
    principal(&trusting().leeway(Duration::from_secs(100)), &ago(70)).await;
    invalid(&trusting().leeway(Duration::MAX), &ago(601), "expired").await;
}

#[tokio::test]
async fn a_token_is_not_good_before_its_time() {
    let in_time = |seconds| token(&with(json!({ "nbf": get_current_timestamp() + seconds })));
    invalid(&trusting(), &in_time(100), "not valid yet (`nbf`)").await;
    principal(&trusting(), &in_time(30)).await;
    invalid(
        &trusting(),
        &token(&with(json!({ "nbf": "soon" }))),
        "lacks the claim `nbf`, or its form",
    )
    .await;
}

#[tokio::test]
async fn times_are_numbers() {
    for odd in [
        json!("9999999999"),
        json!(-1),
        json!(1e300),
        json!([]),
        json!(true),
    ] {
        invalid(&trusting(), &token(&with(json!({ "exp": odd }))), "`exp`").await;
    }
    principal(&trusting(), &token(&with(json!({ "exp": u64::MAX })))).await;
    principal(
        &trusting(),
        &token(&with(json!({ "exp": 4_000_000_000.5 }))),
    )
    .await;
}

#[tokio::test]
async fn a_token_for_somebody_else_is_refused() {
    for aud in [
        json!("https://shop.example"),
        json!("https://shop.example/mcp/"),
        json!(["a", "b"]),
        json!([]),
        json!(""),
    ] {
        let because = "request one for the resource https://shop.example/mcp";
        invalid(&trusting(), &token(&with(json!({ "aud": aud }))), because).await;
    }
    for odd in [json!(null), json!(1), json!([1]), json!({})] {
        invalid(&trusting(), &token(&with(json!({ "aud": odd }))), "`aud`").await;
    }
    principal(
        &trusting(),
        &token(&with(json!({ "aud": ["a", AUDIENCE] }))),
    )
    .await;
    principal(
        &trusting().audience("api://shop"),
        &token(&with(json!({ "aud": "api://shop" }))),
    )
    .await;
}

#[tokio::test]
async fn a_host_may_be_spelled_with_a_slash_or_without() {
    for (ours, theirs) in [
        ("https://a.example", "https://a.example/"),
        ("https://a.example/", "https://a.example"),
    ] {
        let jwt = Jwt::new(ours, ISSUER, set(&[jwk(Algorithm::EdDSA, "ed")]));
        for aud in [ours, theirs] {
            principal(&jwt, &token(&with(json!({ "aud": aud })))).await;
        }
    }
}

#[tokio::test]
async fn only_trusted_issuers_count() {
    for iss in [
        "https://id.example/",
        "https://evil.example",
        "",
        "HTTPS://ID.EXAMPLE",
    ] {
        invalid(
            &trusting(),
            &token(&with(json!({ "iss": iss }))),
            "does not trust the token's issuer",
        )
        .await;
    }
    for odd in [json!(null), json!([ISSUER]), json!({}), json!(1)] {
        invalid(
            &trusting(),
            &token(&with(json!({ "iss": odd }))),
            "no `iss` that is a string",
        )
        .await;
    }
}

#[tokio::test]
async fn each_issuers_tokens_hold_by_its_own_keys_only() {
    let other = "https://other.example";
    let jwt = trusting().issuer(other, set(&[jwk(Algorithm::ES256, "es")]));
    assert_eq!(
        principal(&jwt, &token(&claims())).await.subject(),
        "https://id.example alice"
    );
    let theirs = |iss| {
        signed(
            &header(Algorithm::ES256, "es"),
            &with(json!({ "iss": iss })),
        )
    };
    assert_eq!(
        principal(&jwt, &theirs(other)).await.subject(),
        "https://other.example alice"
    );
    invalid(
        &jwt,
        &theirs(ISSUER),
        "a key that its issuer does not publish",
    )
    .await;
    let resource = jwt.protected_resource();
    assert_eq!(resource, ProtectedResource::new(AUDIENCE, [ISSUER, other]));
}

#[tokio::test]
async fn somebody_must_own_it() {
    for odd in [json!(null), json!(""), json!(7)] {
        invalid(&trusting(), &token(&with(json!({ "sub": odd }))), "`sub`").await;
    }
    invalid(
        &trusting(),
        &token(&with(json!({ "sub": ["alice"] }))),
        "the forms of this token's claims are not those of RFC 7519",
    )
    .await;
}

#[tokio::test]
async fn other_kinds_of_tokens_are_no_access_tokens() {
    let typed = |typ: Option<&str>| {
        let header = Header {
            typ: typ.map(str::to_owned),
            ..header(Algorithm::EdDSA, "ed")
        };
        signed(&header, &claims())
    };
    for good in [
        None,
        Some("JWT"),
        Some("jwt"),
        Some("at+jwt"),
        Some("AT+JWT"),
        Some("application/at+jwt"),
    ] {
        principal(&trusting(), &typed(good)).await;
    }
    for other in [
        "logout+jwt",
        "dpop+jwt",
        "application/dpop+jwt",
        "JOSE",
        "\0",
    ] {
        invalid(&trusting(), &typed(Some(other)), "another kind of token").await;
    }
    for lax in [None, Some("JWT")] {
        invalid(
            &trusting().only_access_tokens(),
            &typed(lax),
            "another kind of token",
        )
        .await;
    }
    principal(&trusting().only_access_tokens(), &typed(Some("at+jwt"))).await;
}

#[tokio::test]
async fn extensions_that_must_be_understood_are_not() {
    let critical = Header {
        crit: Some(vec!["b64".to_owned()]),
        ..header(Algorithm::EdDSA, "ed")
    };
    invalid(&trusting(), &signed(&critical, &claims()), "`crit`").await;
}

#[tokio::test]
async fn what_is_no_token_is_refused() {
    let good = token(&claims());
    let [header, payload, signature] = good.split('.').collect::<Vec<_>>().try_into().unwrap();
    let deep = format!("{}.{payload}.{signature}", base64(&"[".repeat(5_000)));
    let twice = format!(
        "{header}.{}.{signature}",
        base64(&format!("{{\"iss\":\"{ISSUER}\",\"iss\":\"{ISSUER}\"}}"))
    );
    for garbage in [
        "",
        ".",
        "..",
        "...",
        "a.b.c",
        "é.é.é",
        "\u{7f}",
        " ",
        good.trim_end_matches(signature),
        &good[1..],
        &format!("{good}."),
        &format!("{good}.x"),
        &format!("{header}..{signature}"),
        &deep,
        &twice,
        &format!("{header}.{}.{signature}", base64("null")),
        &"a".repeat(16_384),
        &".".repeat(16_384),
    ] {
        let (status, challenge) = refused(&trusting(), garbage).await;
        assert_eq!(status, 401, "{garbage}");
        assert!(
            challenge.len() < 300,
            "nothing of it is echoed: {challenge}"
        );
    }
    let mut bytes = good.clone().into_bytes();
    for place in 0..bytes.len() {
        bytes[place] ^= 1;
        let broken = String::from_utf8(bytes.clone()).unwrap();
        // The last character of base64 has unused bits.
        assert!(
            place + 1 == bytes.len() || refused(&trusting(), &broken).await.0 == 401,
            "{place}"
        );
        bytes[place] ^= 1;
    }
}

#[tokio::test]
async fn long_tokens_are_not_looked_at() {
    let long = token(&with(json!({ "groups": "g".repeat(13_000) })));
    assert!(long.len() > 16_384);
    invalid(&trusting(), &long, "longer than 16 KiB").await;
    principal(
        &trusting(),
        &token(&with(json!({ "groups": "g".repeat(11_000) }))),
    )
    .await;
}

#[tokio::test]
async fn a_token_that_was_found_good_is_not_judged_again_and_expires_all_the_same() {
    let jwt = trusting().leeway(Duration::ZERO);
    let short = token(&with(json!({ "exp": get_current_timestamp() + 2 })));
    principal(&jwt, &short).await;
    assert_eq!(
        jwt.verified
            .principal(&short, |_| jwt.issuers[0].keys.now()),
        Some(Principal::new("alice"))
    );
    tokio::time::sleep(Duration::from_millis(3_100)).await;
    invalid(&jwt, &short, "expired").await;
}

fn base64(text: &str) -> String {
    let bits: Vec<u8> = text
        .bytes()
        .flat_map(|byte| (0..8).rev().map(move |bit| byte >> bit & 1))
        .collect();
    let digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".as_bytes();
    let digit = |bits: &[u8]| {
        let padded = bits.iter().chain([0; 6].iter()).take(6);
        char::from(digits[usize::from(padded.fold(0, |sum, bit| sum << 1 | bit))])
    };
    bits.chunks(6).map(digit).collect()
}
