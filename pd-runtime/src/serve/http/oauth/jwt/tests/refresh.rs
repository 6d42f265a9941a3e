//! Fetched keys: the times of fetches, their rate, and their failures.

use super::*;
use std::sync::{
    Mutex,
    atomic::{AtomicUsize, Ordering},
};

/// The place at which keys are published. `None` cannot be reached.
#[derive(Default)]
struct Place {
    published: Mutex<Option<Vec<Value>>>,
    asked: AtomicUsize,
    delay: Duration,
}

impl Place {
    fn publish(&self, keys: &[Value]) {
        *self.published.lock().unwrap() = Some(keys.to_vec());
    }

    fn vanish(&self) {
        *self.published.lock().unwrap() = None;
    }

    fn asked(&self) -> usize {
        self.asked.load(Ordering::SeqCst)
    }

    async fn answer(&self) -> Result<String, &'static str> {
        self.asked.fetch_add(1, Ordering::SeqCst);
        tokio::time::sleep(self.delay).await;
        let published = self.published.lock().unwrap().clone();
        published
            .map(|keys| json!({ "keys": keys }).to_string())
            .ok_or("it is down")
    }
}

/// An authenticator for the keys at this place, which fetches them after a minute, or after ten
/// seconds for an unknown key.
fn watching(place: &Arc<Place>) -> Jwt {
    let place = place.clone();
    let keys = JwtKeys::fetched_by(move || {
        let place = place.clone();
        async move { place.answer().await }
    });
    Jwt::new(
        AUDIENCE,
        ISSUER,
        keys.refreshed(Duration::from_secs(60), Duration::from_secs(10)),
    )
}

fn by(algorithm: Algorithm, id: &str) -> String {
    signed(&header(algorithm, id), &claims())
}

/// Advances the clock and lets the tasks that were started finish.
async fn later(seconds: u64) {
    tokio::time::sleep(Duration::from_secs(seconds)).await;
}

#[tokio::test(start_paused = true)]
async fn keys_are_fetched_once_for_all_who_come_at_first() {
    let place = Arc::new(Place {
        delay: Duration::from_secs(1),
        ..Place::default()
    });
    place.publish(&[jwk(Algorithm::EdDSA, "ed")]);
    let jwt = watching(&place);
    let token = token(&claims());
    let all = futures::future::join_all((0..50).map(|_| principal(&jwt, &token))).await;
    assert!(all.iter().all(|principal| principal.subject() == "alice"));
    assert_eq!(place.asked(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_new_key_is_fetched_when_a_token_names_it() {
    let place = Arc::new(Place::default());
    place.publish(&[jwk(Algorithm::EdDSA, "old")]);
    let jwt = watching(&place);
    principal(&jwt, &by(Algorithm::EdDSA, "old")).await;
    place.publish(&[jwk(Algorithm::ES256, "new")]);
    later(11).await;
    principal(&jwt, &by(Algorithm::ES256, "new")).await;
    assert_eq!(place.asked(), 2);
    invalid(&jwt, &by(Algorithm::EdDSA, "old"), "does not publish").await;
}

#[tokio::test(start_paused = true)]
async fn unknown_keys_are_looked_for_at_a_bounded_rate() {
    let place = Arc::new(Place::default());
    place.publish(&[jwk(Algorithm::EdDSA, "ed")]);
    let jwt = watching(&place);
    for round in 1..=3 {
        for number in 0..100 {
            invalid(
                &jwt,
                &by(Algorithm::EdDSA, &number.to_string()),
                "does not publish",
            )
            .await;
        }
        assert_eq!(place.asked(), round);
        later(10).await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_key_that_was_withdrawn_is_forgotten_with_all_it_signed() {
    let place = Arc::new(Place::default());
    place.publish(&[jwk(Algorithm::EdDSA, "ed")]);
    let jwt = watching(&place);
    let token = token(&claims());
    principal(&jwt, &token).await;
    place.publish(&[jwk(Algorithm::ES256, "es")]);
    later(59).await;
    principal(&jwt, &token).await;
    assert_eq!(place.asked(), 1);
    later(2).await;
    // This one still passes: it is not held up by the fetch that it starts.
    principal(&jwt, &token).await;
    later(1).await;
    invalid(&jwt, &token, "does not publish").await;
    assert_eq!(place.asked(), 2);
}

#[tokio::test(start_paused = true)]
async fn the_last_good_keys_stay_while_the_issuer_is_down() {
    let place = Arc::new(Place::default());
    place.publish(&[jwk(Algorithm::EdDSA, "ed")]);
    let jwt = watching(&place);
    let token = token(&claims());
    principal(&jwt, &token).await;
    for unsound in [None, Some(vec![]), Some(vec![json!({ "kty": "new" })])] {
        *place.published.lock().unwrap() = unsound;
        for _ in 0..20 {
            later(10).await;
            principal(&jwt, &token).await;
        }
    }
    assert!((40..=60).contains(&place.asked()), "{}", place.asked());
}

#[tokio::test(start_paused = true)]
async fn before_there_are_keys_nobody_is_judged() {
    let place = Arc::new(Place::default());
    let jwt = watching(&place);
    let token = token(&claims());
    for _ in 0..20 {
        assert_eq!(
            refused(&jwt, &token).await,
            (StatusCode::SERVICE_UNAVAILABLE, String::new())
        );
    }
    assert_eq!(place.asked(), 1);
    place.publish(&[jwk(Algorithm::EdDSA, "ed")]);
    later(10).await;
    principal(&jwt, &token).await;
    place.vanish();
    principal(&jwt, &token).await;
}

#[tokio::test(start_paused = true)]
async fn a_place_that_does_not_answer_is_not_waited_for() {
    let place = Arc::new(Place {
        delay: Duration::from_secs(3_600),
        ..Place::default()
    });
    let jwt = watching(&place);
    let token = token(&claims());
    let began = tokio::time::Instant::now();
    assert_eq!(refused(&jwt, &token).await.0, 503);
    assert_eq!(began.elapsed().as_secs(), 5);
}

/// Otherwise a client that sends unknown keys and disconnects could keep new keys out forever.
#[tokio::test(start_paused = true)]
async fn whoever_hangs_up_ends_no_fetch() {
    let place = Arc::new(Place {
        delay: Duration::from_secs(2),
        ..Place::default()
    });
    place.publish(&[jwk(Algorithm::EdDSA, "ed")]);
    let jwt = watching(&place);
    let token = token(&claims());
    let hung_up = tokio::time::timeout(Duration::from_secs(1), jwt.principal(&token)).await;
    assert!(hung_up.is_err());
    later(2).await;
    principal(&jwt, &token).await;
    assert_eq!(place.asked(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_fetch_that_panics_is_one_that_fails() {
    let keys = JwtKeys::fetched_by(|| async {
        if get_current_timestamp() > 0 {
            std::panic::resume_unwind(Box::new(""))
        } else {
            Err("")
        }
    });
    assert_eq!(
        refused(&Jwt::new(AUDIENCE, ISSUER, keys), &token(&claims()))
            .await
            .0,
        503
    );
}

#[tokio::test(start_paused = true)]
async fn keys_that_nobody_confirms_are_trusted_for_a_day_and_no_longer() {
    let place = Arc::new(Place::default());
    place.publish(&[jwk(Algorithm::EdDSA, "ed")]);
    let jwt = watching(&place);
    let token = token(&claims());
    principal(&jwt, &token).await;
    place.vanish();
    later(24 * 60 * 60 - 60).await;
    principal(&jwt, &token).await;
    later(120).await;
    assert_eq!(refused(&jwt, &token).await.0, 503);
    place.publish(&[jwk(Algorithm::EdDSA, "ed")]);
    later(11).await;
    principal(&jwt, &token).await;
}

#[tokio::test(start_paused = true)]
async fn the_greatest_age_of_keys_can_be_set() {
    let place = Arc::new(Place::default());
    place.publish(&[jwk(Algorithm::EdDSA, "ed")]);
    let fetching = place.clone();
    let keys = JwtKeys::fetched_by(move || {
        let place = fetching.clone();
        async move { place.answer().await }
    });
    let jwt = Jwt::new(AUDIENCE, ISSUER, keys.max_age(Duration::from_secs(60 * 60)));
    let token = token(&claims());
    principal(&jwt, &token).await;
    place.vanish();
    later(60 * 60 - 1).await;
    principal(&jwt, &token).await;
    later(2).await;
    assert_eq!(refused(&jwt, &token).await.0, 503);
}
