//! Rates with a fake clock, and the callers that are counted.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use super::*;
use crate::policy::limits::Rate;
use governor::clock::FakeRelativeClock;
use std::{net::Ipv6Addr, time::Duration};

const ALICE: QuotaKey<'static> = QuotaKey::Subject("alice");
const BOB: QuotaKey<'static> = QuotaKey::Subject("bob");

fn limiter(limits: &Limits) -> (CallLimiter<FakeRelativeClock>, FakeRelativeClock) {
    let clock = FakeRelativeClock::default();
    // At time zero every state looks unused, so the test starts later.
    clock.advance(Duration::from_secs(1));
    (CallLimiter::with_clock(limits, &clock), clock)
}

/// Ten calls per second with a burst of three.
fn calls() -> Limits {
    Limits::none().calls(Rate::per_second(10).burst(3))
}

fn call(limiter: &CallLimiter<FakeRelativeClock>, payer: QuotaKey<'_>) -> Result<(), u64> {
    limiter
        .charge(ChargeKind::Call, 1, payer, None)
        .map_err(|later| later.retry_after)
}

/// Returns the number of calls that are accepted at once.
fn burst(limiter: &CallLimiter<FakeRelativeClock>, payer: QuotaKey<'_>) -> usize {
    (0..100).filter(|_| call(limiter, payer).is_ok()).count()
}

#[test]
fn as_many_at_once_as_can_be_said_are_as_many_as_can_be_counted() {
    let (limiter, _) = limiter(&Limits::none().calls(Rate::per_minute(1).burst(u32::MAX)));
    assert_eq!(burst(&limiter, ALICE), 100);
    let all_at_once = || limiter.charge(ChargeKind::Call, usize::MAX, BOB, None);
    assert!(
        all_at_once().is_ok() && all_at_once().is_err(),
        "the burst is used up, and not without end"
    );
}

#[test]
fn a_burst_is_let_through_and_what_comes_after_it_as_time_passes() {
    let (limiter, clock) = limiter(&calls());
    assert_eq!(burst(&limiter, ALICE), 3);
    assert_eq!(
        call(&limiter, ALICE),
        Err(1),
        "a tenth of a second, in whole ones"
    );
    clock.advance(Duration::from_millis(100));
    assert_eq!(burst(&limiter, ALICE), 1);
    clock.advance(Duration::from_secs(60));
    assert_eq!(
        burst(&limiter, ALICE),
        3,
        "no more is saved up than the burst"
    );
}

#[test]
fn the_wait_that_is_told_is_long_enough() {
    let (limiter, clock) = limiter(&Limits::none().descriptions(Rate::per_minute(7).burst(20)));
    let describe = |count| {
        limiter
            .charge(ChargeKind::Describe, count, ALICE, None)
            .map_err(|later| later.retry_after)
    };
    assert_eq!(describe(20), Ok(()));
    for count in [1, 5, 20] {
        let wait = describe(count).unwrap_err();
        clock.advance(Duration::from_secs(wait - 1));
        assert!(
            describe(count).is_err(),
            "{count}: {wait} seconds are too many"
        );
        clock.advance(Duration::from_secs(1));
        assert_eq!(describe(count), Ok(()), "{count}: {wait} seconds");
    }
}

#[test]
fn more_than_a_burst_costs_all_of_it() {
    let (limiter, clock) = limiter(&Limits::none().descriptions(Rate::per_second(10)));
    assert!(
        limiter
            .charge(ChargeKind::Describe, 50, ALICE, None)
            .is_ok()
    );
    assert!(
        limiter
            .charge(ChargeKind::Describe, 1, ALICE, None)
            .is_err()
    );
    clock.advance(Duration::from_secs(1));
    assert!(
        limiter
            .charge(ChargeKind::Describe, usize::MAX, ALICE, None)
            .is_ok()
    );
    assert!(
        limiter
            .charge(ChargeKind::Describe, 0, ALICE, None)
            .is_err(),
        "nothing costs as much as one"
    );
}

#[test]
fn principals_and_kinds_are_counted_apart() {
    let (limiter, _) = limiter(&calls().searches(Rate::per_second(1)));
    assert_eq!(burst(&limiter, ALICE), 3);
    assert_eq!(burst(&limiter, BOB), 3);
    assert!(limiter.charge(ChargeKind::Find, 1, ALICE, None).is_ok());
    assert!(
        limiter
            .charge(ChargeKind::Describe, 1_000, ALICE, None)
            .is_ok(),
        "not limited"
    );
    assert_eq!(burst(&limiter, QuotaKey::Anonymous(None)), 3);
    assert_eq!(
        burst(&limiter, QuotaKey::Subject("")),
        3,
        "not the anonymous one"
    );
}

#[test]
fn addresses_are_counted_by_what_their_owner_has() {
    let (limiter, _) = limiter(&calls());
    let from = |address: &str| {
        burst(
            &limiter,
            QuotaKey::Anonymous(Some(address.parse().unwrap())),
        )
    };
    assert_eq!(
        [from("192.0.2.1"), from("192.0.2.2"), from("192.0.2.1")],
        [3, 3, 0]
    );
    assert_eq!(from("::ffff:192.0.2.1"), 0, "the same, written as IPv6");
    assert_eq!(
        [
            from("2001:db8::1"),
            from("2001:db8::ffff:1"),
            from("2001:db8:0:1::1")
        ],
        [3, 0, 3]
    );
}

#[test]
fn the_owner_is_counted_only_where_that_is_asked_for() {
    let (unlimited, _) = limiter(&calls());
    assert_eq!(burst(&unlimited, QuotaKey::Owner), 100);
    let (limited, _) = limiter(&calls().owner(true));
    assert_eq!(burst(&limited, QuotaKey::Owner), 3);
}

#[test]
fn a_session_that_asks_too_much_uses_up_nothing_of_its_principals_others() {
    let (limiter, clock) = limiter(&calls().session_calls(Rate::per_second(1)));
    let loud = SessionUsage::default();
    let quiet = SessionUsage::default();
    let call = |session| {
        limiter
            .charge(ChargeKind::Call, 1, ALICE, Some(session))
            .is_ok()
    };
    assert_eq!((0..100).filter(|_| call(&loud)).count(), 1);
    assert!(call(&quiet));
    clock.advance(Duration::from_secs(1));
    assert!(call(&loud));
}

#[test]
fn those_who_come_when_the_book_is_full_take_nothing_from_those_in_it() {
    let (limiter, clock) = limiter(&calls().max_tracked_principals(10));
    let names: Vec<String> = (0..5_000).map(|number| number.to_string()).collect();
    assert_eq!(burst(&limiter, ALICE), 3);
    let served = names
        .iter()
        .filter(|name| call(&limiter, QuotaKey::Subject(name)).is_ok())
        .count();
    assert_eq!(limiter.calls.known(), 10);
    assert!((256..=9 + 256 * 3).contains(&served), "{served}");
    clock.advance(Duration::from_millis(100));
    assert_eq!(burst(&limiter, ALICE), 1, "as if nobody else were there");
}

#[test]
fn those_who_have_been_quiet_are_forgotten() {
    let (limiter, clock) = limiter(&calls());
    for number in 0..1_000 {
        let address = Ipv6Addr::from(u128::from(number_of_network(number)) << 64);
        assert_eq!(
            call(&limiter, QuotaKey::Anonymous(Some(address.into()))),
            Ok(())
        );
    }
    assert_eq!(limiter.calls.known(), 1_000);
    clock.advance(Duration::from_secs(10));
    for _ in 0..10_000 {
        let _ = call(&limiter, ALICE);
    }
    assert_eq!(limiter.calls.known(), 1);
}

fn number_of_network(number: u32) -> u64 {
    (0x2001_0db8 << 32) + u64::from(number)
}

#[test]
fn nothing_is_kept_of_what_is_not_limited() {
    let (limiter, _) = limiter(&Limits::none());
    assert_eq!(burst(&limiter, ALICE), 100);
    assert_eq!(limiter.calls.known(), 0);
}

#[test]
fn what_a_session_has_used_costs_it_three_numbers() {
    assert_eq!(size_of::<SessionUsage>(), 24);
}

#[cfg(feature = "code")]
#[tokio::test(start_paused = true)]
async fn a_call_waits_for_both_permits_as_long_as_for_one() {
    let limiter = limiter(&Limits::none()).0.with_runs(3, 1);
    let patience = Duration::from_millis(100);
    let never = CancellationToken::new();
    let take = |payer, patience| limiter.run_permits(payer, patience, &never);
    let alice = take(ALICE, patience).await.unwrap();
    let _others = (
        take(BOB, patience).await.unwrap(),
        take(QuotaKey::Subject("carol"), patience).await.unwrap(),
    );
    let begun = tokio::time::Instant::now();
    let release = async {
        tokio::time::sleep(Duration::from_millis(60)).await;
        drop(alice);
    };
    // Dora waits for the shared permit first, so Alice gets her own one and then waits on.
    let dora = take(QuotaKey::Subject("dora"), patience);
    let (dora, late, ()) = tokio::join!(dora, take(ALICE, patience), release);
    assert!(dora.is_ok() && late.is_err());
    assert_eq!(begun.elapsed().as_millis(), 100);
}

#[cfg(feature = "code")]
#[tokio::test(start_paused = true)]
async fn an_owner_that_is_not_counted_has_no_share() {
    for (limits, is_counted) in [
        (Limits::none().owner(true), true),
        (Limits::none().owner(false), false),
    ] {
        let limiter = limiter(&limits).0.with_runs(3, 1);
        let never = CancellationToken::new();
        let take = || limiter.run_permits(QuotaKey::Owner, Duration::from_millis(1), &never);
        let first = take().await;
        assert!(first.is_ok());
        assert_eq!(take().await.is_err(), is_counted);
    }
}
