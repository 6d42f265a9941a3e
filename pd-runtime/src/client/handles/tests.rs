//! Tests of handles in real time: their owners, their single use, their expiry and their limits.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use super::*;
use std::thread;

const LONG: Duration = Duration::from_secs(600);

fn owner(name: &str) -> CacheScope {
    CacheScope::new(Some(name.into()))
}

fn rows(bytes: usize) -> Arc<RowsById> {
    let text = format!(r#"[{{"_row_id":0,"text":"{}"}}]"#, "x".repeat(bytes));
    Arc::new(RowsById::parse(serde_json::from_str(&text).unwrap()).unwrap())
}

fn kept(handles: &RowHandles, name: &str) -> String {
    handles.insert(&owner(name), rows(10)).unwrap()
}

#[test]
fn a_handle_is_used_once_and_given_back_where_it_was_not() {
    let handles = RowHandles::new();
    let handle = kept(&handles, "alice");
    let borrowed = handles.borrow(&owner("alice"), &handle).unwrap();
    assert!(matches!(
        handles.borrow(&owner("alice"), &handle),
        Err(HandleError::InUse)
    ));
    drop(borrowed);
    handles
        .borrow(&owner("alice"), &format!(" {handle}\n"))
        .unwrap()
        .consume();
    assert!(matches!(
        handles.borrow(&owner("alice"), &handle),
        Err(HandleError::Unknown)
    ));
    assert!(handles.is_empty() && handles.0.lock().bytes == 0);
}

#[test]
fn another_owners_handle_is_unknown_even_while_it_is_lent() {
    let handles = RowHandles::new();
    let handle = kept(&handles, "alice");
    for stranger in [owner("bob"), CacheScope::new(None)] {
        assert!(matches!(
            handles.borrow(&stranger, &handle),
            Err(HandleError::Unknown)
        ));
    }
    let _lent = handles.borrow(&owner("alice"), &handle).unwrap();
    assert!(matches!(
        handles.borrow(&owner("bob"), &handle),
        Err(HandleError::Unknown)
    ));
}

#[test]
fn what_is_no_handle_is_unknown() {
    let handles = RowHandles::new();
    let handle = kept(&handles, "alice");
    let digits = handle.strip_prefix("ddi://").unwrap();
    let signed = format!("ddi://+{}", &digits[1..]);
    let nines = format!("ddi://{}", "9".repeat(39));
    for wrong in [
        "",
        "ddi://",
        "ddi://7",
        digits,
        &signed,
        &nines,
        &format!("{handle}0"),
        &format!("ddi://{handle}"),
    ] {
        assert!(
            matches!(
                handles.borrow(&owner("alice"), wrong),
                Err(HandleError::Unknown)
            ),
            "{wrong}"
        );
    }
}

#[test]
fn of_a_thousand_that_take_one_handle_one_has_it() {
    let handles = RowHandles::new();
    let handle = kept(&handles, "alice");
    let take = || {
        handles
            .borrow(&owner("alice"), &handle)
            .is_ok_and(|borrowed| {
                borrowed.consume();
                true
            })
    };
    let takers = |_| -> usize { (0..125).map(|_| usize::from(take())).sum() };
    let taken: usize = thread::scope(|scope| {
        let threads: Vec<_> = (0..8).map(|at| scope.spawn(move || takers(at))).collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap())
            .sum()
    });
    assert_eq!(taken, 1);
}

#[test]
fn rows_expire_but_not_in_the_hands_of_a_call() {
    let handles = RowHandles::bounded(8, 1 << 20, Duration::from_millis(300));
    let one = kept(&handles, "alice");
    let other = kept(&handles, "alice");
    let borrowed = handles.borrow(&owner("alice"), &one).unwrap();
    thread::sleep(Duration::from_millis(320));
    assert_eq!(handles.len(), 1);
    assert!(matches!(
        handles.borrow(&owner("alice"), &other),
        Err(HandleError::Unknown)
    ));
    drop(borrowed);
    assert!(matches!(
        handles.borrow(&owner("alice"), &one),
        Err(HandleError::Unknown)
    ));
}

#[test]
fn an_owners_own_rows_make_room_first_and_then_the_oldest() {
    let handles = RowHandles::bounded(3, 1 << 20, LONG);
    let (bobs, first, second) = (
        kept(&handles, "bob"),
        kept(&handles, "alice"),
        kept(&handles, "alice"),
    );
    kept(&handles, "alice");
    assert!(matches!(
        handles.borrow(&owner("alice"), &first),
        Err(HandleError::Unknown)
    ));
    assert!(handles.borrow(&owner("bob"), &bobs).is_ok());
    kept(&handles, "carol");
    assert!(matches!(
        handles.borrow(&owner("bob"), &bobs),
        Err(HandleError::Unknown)
    ));
    assert!(handles.borrow(&owner("alice"), &second).is_ok());
}

#[test]
fn of_shared_room_one_owner_has_half() {
    let handles = RowHandles::bounded(4, 8_000, LONG).share();
    let alice = owner("alice");
    let bob = owner("bob");
    let bobs = [
        handles.insert(&bob, rows(1_500)).unwrap(),
        handles.insert(&bob, rows(1_500)).unwrap(),
    ];
    let mut alices: Vec<_> = (0..9)
        .map(|_| handles.insert(&alice, rows(1_500)).unwrap())
        .collect();
    assert!(
        handles.insert(&alice, rows(5_000)).is_none(),
        "it is more than half"
    );
    assert_eq!(handles.len(), 4);
    alices.push(handles.insert(&alice, rows(3_800)).unwrap());
    let is_kept = |owner: &CacheScope, handle: &String| handles.borrow(owner, handle).is_ok();
    assert!(bobs.iter().all(|handle| is_kept(&bob, handle)));
    assert_eq!(
        alices
            .iter()
            .filter(|handle| is_kept(&alice, handle))
            .count(),
        1
    );
}

#[test]
fn what_one_owner_has_in_use_costs_no_other_its_rows() {
    let handles = RowHandles::bounded(4, 1 << 20, LONG).share();
    let bobs = kept(&handles, "bob");
    let alices = [kept(&handles, "alice"), kept(&handles, "alice")];
    let _lent = alices
        .each_ref()
        .map(|handle| handles.borrow(&owner("alice"), handle).unwrap());
    assert!(handles.insert(&owner("alice"), rows(10)).is_none());
    assert!(handles.borrow(&owner("bob"), &bobs).is_ok());
}

#[test]
fn bytes_are_bounded_and_what_is_lent_makes_no_room() {
    let handles = RowHandles::bounded(100, 4_000, LONG);
    let (alice, handle) = (
        owner("alice"),
        handles.insert(&owner("alice"), rows(3_000)).unwrap(),
    );
    assert!(
        handles.insert(&alice, rows(5_000)).is_none(),
        "it is larger than all"
    );
    let borrowed = handles.borrow(&alice, &handle).unwrap();
    assert!(
        handles.insert(&alice, rows(3_000)).is_none(),
        "the other is in use"
    );
    drop(borrowed);
    for bytes in [3_000, 500, 100, 2_000, 10] {
        assert!(handles.insert(&alice, rows(bytes)).is_some());
        let kept = handles.lock();
        assert_eq!(
            kept.bytes,
            kept.sets
                .values()
                .map(|set| set.rows.bytes())
                .sum::<usize>()
        );
        assert!(kept.bytes <= 4_000);
    }
    assert!(
        RowHandles::bounded(0, 4_000, LONG)
            .insert(&alice, rows(1))
            .is_none()
    );
}

#[test]
fn nothing_printed_tells_a_handle() {
    let handles = RowHandles::new();
    let handle = kept(&handles, "alice");
    let digits = handle.strip_prefix("ddi://").unwrap();
    assert!(!format!("{handles:?}").contains(digits));
    assert_eq!(handle.len(), "ddi://".len() + 39);
}
